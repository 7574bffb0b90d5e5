import pandas as pd
from sklearn.ensemble import RandomForestClassifier

homes = pd.read_csv("rental_applications.csv")
homes = homes[["zip_code", "rent", "deposit", "race", "accepted"]]

X = homes.drop(columns=["race", "accepted"])  # FL903: zip_code
y = homes["accepted"]
rf = RandomForestClassifier(n_estimators=150, random_state=3)
rf.fit(X, y)

accepted_by_race = homes.groupby("race")["accepted"].mean()  # silent: rates by group
print(accepted_by_race)
