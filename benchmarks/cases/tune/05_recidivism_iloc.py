import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

raw = pd.read_csv("compas-scores-two-years.csv")
keep = (raw.days_b_screening_arrest <= 30) & (raw.days_b_screening_arrest >= -30)
raw = raw[keep & (raw.is_recid != -1)]

df = raw[["age", "race", "sex", "priors_count", "juv_fel_count", "two_year_recid"]]  # FL301|FL302|FL405: race; FL301|FL302|FL405: gender; FL301|FL302: age
df = pd.get_dummies(df)

X = df.drop("two_year_recid", axis=1)
y = df["two_year_recid"]

half = len(df) // 2
forest = RandomForestClassifier(n_estimators=400, min_samples_leaf=5, n_jobs=-1)
forest.fit(X.iloc[:half], y.iloc[:half])

p = forest.predict_proba(X.iloc[half:])[:, 1]
print("AUC:", roc_auc_score(y.iloc[half:], p))
print(raw.groupby("race").two_year_recid.mean())  # silent: base rates printed
