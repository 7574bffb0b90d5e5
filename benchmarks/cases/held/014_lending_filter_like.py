import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

apps = pd.read_csv("loan_requests.csv")
apps = pd.get_dummies(apps, columns=["race", "purpose"])  # FL301|FL405: race

race_part = apps.filter(like="race_")
purpose_part = apps.filter(like="purpose_")
money_part = apps[["amount", "term", "fico"]]

X = pd.concat([money_part, purpose_part, race_part], axis=1)
knn = KNeighborsClassifier(n_neighbors=25).fit(X, apps["repaid"])
print("train acc", knn.score(X, apps["repaid"]))
