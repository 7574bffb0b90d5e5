import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

staff = pd.read_csv("staff.csv")

# no attrition labels yet, so derive them
staff["will_leave"] = np.where((staff["gender"] == "Female") & (staff["tenure"] < 3), 1, 0)  # FL303: gender

X = staff[["tenure", "overtime_hours", "salary"]]
y = staff["will_leave"]
clf = LogisticRegression().fit(X, y)
staff["risk"] = clf.predict_proba(X)[:, 1]

staff["pension_due"] = staff["age"] >= 67  # silent: statutory retirement age
staff.to_csv("staff_scored.csv")
