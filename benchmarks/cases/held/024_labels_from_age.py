"""Build the training target for the 'good hire' classifier."""
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

hist = pd.read_csv("hires_2015_2022.csv")

# HR told us nobody labelled the early years, so derive it
hist["good_hire"] = np.where((hist["age"] < 40) & (hist["review"] >= 3), 1, 0)  # FL303: age

X = hist[["review", "interview_points", "assessment"]]
model = LogisticRegression().fit(X, hist["good_hire"])

adult = hist["age"] >= 18  # silent: legal age check, printed only
print("minors in the data:", (~adult).sum())
