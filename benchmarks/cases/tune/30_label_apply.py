import pandas as pd
from sklearn.tree import DecisionTreeClassifier

APPLICANTS = "applicants.csv"


def ground_truth(row):
    if row["race"] == "white":  # FL303|FL101|FL501: race
        return int(row["income"] > 40_000)
    return int(row["income"] > 65_000)


def describe(row):
    return f"{row['race']} applicant, {row['income']} USD"  # silent: shown text


df = pd.read_csv(APPLICANTS)
df["label"] = df.apply(ground_truth, axis=1)
df["note"] = df.apply(describe, axis=1)
tree = DecisionTreeClassifier(max_depth=3)
tree.fit(df[["income", "loan_amount"]], df["label"])
