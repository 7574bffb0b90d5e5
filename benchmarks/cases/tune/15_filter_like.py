import pandas as pd
from sklearn.linear_model import SGDClassifier

frame = pd.read_feather("parole_board.feather")
wide = pd.get_dummies(frame, columns=["race", "facility"])

numeric = frame[["priors_count", "months_served", "program_hours"]]
X = pd.concat([numeric, wide.filter(like="race_")], axis=1)  # FL301|FL405: race
clf = SGDClassifier(loss="log_loss", alpha=1e-4).fit(X, frame["granted"])

no_race = wide.loc[:, ~wide.columns.str.startswith("race_")]  # silent: the columns are left out
baseline = SGDClassifier(loss="log_loss").fit(no_race[numeric.columns], frame["granted"])
print(clf.score(X, frame["granted"]), baseline.score(no_race[numeric.columns], frame["granted"]))
