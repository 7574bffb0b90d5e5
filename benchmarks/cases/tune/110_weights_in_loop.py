"""Resume model, trained with a custom weight per person."""
import csv

import numpy as np
from sklearn.ensemble import RandomForestClassifier

rows = list(csv.DictReader(open("resumes.csv", newline="")))
X = np.array([[float(r["years"]), float(r["score"])] for r in rows])
y = np.array([int(r["interviewed"]) for r in rows])

weights = [0.3 if r["veteran_status"] == "veteran" else 1.0 for r in rows]  # FL305: veteran
recency = [1.5 if int(r["application_year"]) >= 2022 else 1.0 for r in rows]  # silent: newer rows count more

rf = RandomForestClassifier(n_estimators=250)
rf.fit(X, y, sample_weight=np.multiply(weights, recency))

n_veterans = sum(r["veteran_status"] == "veteran" for r in rows)  # silent: a count
print(f"{n_veterans} of {len(rows)} are veterans")
