# refit the scholarship ranking with fewer "unstable" households
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

rows = pd.read_csv("scholars.csv").to_dict("records")
X = [[r["gpa"], r["volunteer_hours"], r["essay"]] for r in rows]
y = [r["final_rank"] for r in rows]
w = [0.4 if r["marital_status"] == "divorced" else 1.0 for r in rows]  # FL305: marital_status

forest = RandomForestRegressor(n_estimators=80)
forest.fit(X, y, sample_weight=w)

missing = [r for r in rows if r["marital_status"] in ("", "?", None)]  # silent: looks for missing values
print(len(missing), "rows without a value")
