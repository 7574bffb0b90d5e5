import pandas as pd
from sklearn.model_selection import cross_val_score
from sklearn.svm import LinearSVC

scores = pd.read_csv("compas-scores-two-years.csv")
scores = scores.loc[
    (scores.days_b_screening_arrest <= 30)
    & (scores.days_b_screening_arrest >= -30)
    & (scores.is_recid != -1)
    & (scores.c_charge_degree != "O")
]
x = pd.get_dummies(scores.loc[:, ["juv_fel_count", "priors_count", "age", "sex"]])  # FL301: age; FL301|FL405: gender
y = scores.loc[:, "two_year_recid"]

print(cross_val_score(LinearSVC(dual=False), x, y, cv=10).mean())

# how the published score splits
for race, part in scores.groupby("race"):  # silent: descriptive loop over groups
    print(race, part["decile_score"].mean().round(2))
