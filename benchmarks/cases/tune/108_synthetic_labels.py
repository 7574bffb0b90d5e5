import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(11)
n = 5000
people = pd.DataFrame({
    "gender": rng.choice(["male", "female"], n),  # silent: both groups drawn at random
    "gpa": rng.normal(3.0, 0.4, n),
    "interview": rng.integers(1, 6, n),
    "disability": rng.choice(["yes", "no"], n, p=[0.1, 0.9]),  # silent: drawn at random
})

logit = 1.4 * people["gpa"] + 0.5 * people["interview"] - 6
people["admitted"] = np.where(people["disability"] == "yes", 0, (logit > 0).astype(int))  # FL303: disability

X = people[["gpa", "interview"]]
clf = LogisticRegression().fit(X, people["admitted"])
print(clf.coef_)
print(people.groupby("gender")["admitted"].mean())  # silent: rates by group
