import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

# UCI student performance, Portuguese course
por = pd.read_csv("student-por.csv", sep=";")

X = por.drop("G3", axis=1)  # FL301|FL302: gender; FL301|FL302: age
X = pd.get_dummies(X, drop_first=True)
y = por["G3"]
print(cross_val_score(Ridge(alpha=3.0), X, y, cv=5, scoring="r2").mean())

# second try with grades and study behaviour alone
X2 = por[["G1", "G2", "studytime", "failures", "absences"]]  # silent: no protected column
print(cross_val_score(Ridge(alpha=3.0), X2, y, cv=5, scoring="r2").mean())
