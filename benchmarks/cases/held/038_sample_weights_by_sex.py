import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

claims = pd.read_csv("disability_claims.csv")
X, y = claims[["visits", "months_off", "doctor_reports"]], claims["accepted"]

weight = claims["sex"].map({"M": 1.0, "F": 0.6}).to_numpy()  # FL305: gender
recency = np.exp(-claims["claim_age_years"] / 3)

clf = LogisticRegression()
clf.fit(X, y, sample_weight=weight * recency)
