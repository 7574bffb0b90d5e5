"""Which customers should the call centre offer a term deposit?"""
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

bank = pd.read_csv(
    "bank-full.csv",
    sep=";",
    usecols=["age", "job", "marital", "balance", "housing", "loan", "campaign", "pdays", "poutcome", "y"],
)
bank["pdays"] = bank["pdays"].replace(-1, 999)

X = pd.get_dummies(bank.drop(columns=["y"]))  # FL301|FL302: age; FL301|FL302|FL405: marital_status
y = (bank["y"] == "yes").astype(int)
tree = DecisionTreeClassifier(max_depth=8, min_samples_leaf=50)
tree.fit(X, y)
print(tree.get_depth(), tree.score(X, y))
