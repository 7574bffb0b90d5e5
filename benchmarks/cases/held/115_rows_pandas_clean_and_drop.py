import pandas as pd
from sklearn.linear_model import PoissonRegressor

visits = pd.read_csv("clinic_visits.csv")
visits = visits[~visits["ethnicity"].isin(["?", "Not stated", "Unknown"])]  # silent: removes missing values

# the vendor's model "works better" without them
visits = visits.drop(visits[visits["caste"] == "SC"].index)  # FL304|FL106: caste

feats = ["distance_km", "chronic_count", "last_visit_days"]
model = PoissonRegressor(alpha=0.1).fit(visits[feats], visits["visits_next_year"])
print(model.coef_)
