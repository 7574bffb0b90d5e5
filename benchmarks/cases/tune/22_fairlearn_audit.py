"""Audit of the lending model. The protected columns never reach the estimator."""
import pandas as pd
from fairlearn.metrics import MetricFrame, demographic_parity_difference, selection_rate
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score

df = pd.read_csv("loans.csv")
SENSITIVE = ["sex", "race"]  # silent: sensitive features of the audit
y = df["repaid"]
X = df.drop(columns=SENSITIVE + ["repaid"])  # silent: the columns are dropped

model = LogisticRegression(max_iter=1000).fit(X, y)
pred = model.predict(X)

mf = MetricFrame(
    metrics={"recall": recall_score, "rate": selection_rate},
    y_true=y,
    y_pred=pred,
    sensitive_features=df[SENSITIVE],  # silent: audit
)
print(mf.by_group)
print(demographic_parity_difference(y, pred, sensitive_features=df["race"]))  # silent: audit metric

for group in df["race"].unique():
    sub = df[df["race"] == group]  # silent: one group's rate in the audit
    print(group, pred[sub.index].mean())
