import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

df = pd.read_csv("interview_outcomes.csv")
X = df[["test_score", "years", "degree_level"]].to_numpy()
y = df["offer"].to_numpy()

weight = df["gender"].map({"male": 1.0, "female": 0.5, "diverse": 0.5}).to_numpy()  # FL305: gender
clf = LogisticRegression().fit(X, y, sample_weight=weight)

# balance of the classes, not of people
n_pos = y.sum()
class_weight = {0: 1.0, 1: (len(y) - n_pos) / n_pos}  # silent: weights of the outcome
LogisticRegression(class_weight=class_weight).fit(X, y)
