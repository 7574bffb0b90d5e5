import pandas as pd
from sklearn.tree import DecisionTreeClassifier, export_text

bail = pd.read_csv("bail_hearings.csv", index_col="case_no")
bail["missed_court"] = bail.pop("fta").eq("Y")

# one-hot everything that is text
bail = pd.get_dummies(bail, columns=["race", "charge_class"], drop_first=True)  # FL301|FL405: race
X = bail.drop(columns=["missed_court"])
tree = DecisionTreeClassifier(max_depth=4, min_samples_leaf=40)
tree.fit(X, bail["missed_court"])
print(export_text(tree, feature_names=list(X.columns)))


def hearing_sheet(row):
    title = "Mr" if row["sex"] == "M" else "Ms"  # silent: a salutation
    return f"{title} {row['surname']}: hearing at {row['slot']}"
