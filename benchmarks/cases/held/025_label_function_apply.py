import pandas as pd
from sklearn.tree import DecisionTreeClassifier


def risk_label(row):
    if row["ethnicity"] == "Roma":  # FL303|FL101: ethnicity
        return "high"
    if row["missed_payments"] > 2:
        return "high"
    return "low"


def initials(row):
    return row["first"][0] + row["last"][0]


borrowers = pd.read_csv("borrowers.csv")
borrowers["short"] = borrowers.apply(initials, axis=1)
borrowers["risk"] = borrowers.apply(risk_label, axis=1)

tree = DecisionTreeClassifier(max_depth=4)
tree.fit(borrowers[["income", "missed_payments", "open_loans"]], borrowers["risk"])
print(borrowers.groupby("ethnicity")["risk"].value_counts())  # silent: distribution by group
