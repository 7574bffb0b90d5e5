import pandas as pd
import xgboost as xgb

base = ["years_experience", "n_certificates", "assessment_score"]
hr_cols = ["veteran_status", "has_disability"]  # FL301: veteran; FL301: disability

candidates = pd.read_csv("candidates.csv")
for col in hr_cols:
    candidates[col] = candidates[col].astype("category")

cols = base + hr_cols
dtrain = xgb.DMatrix(candidates[cols], label=candidates["was_hired"], enable_categorical=True)

params = {"objective": "binary:logistic", "max_depth": 5, "eta": 0.08}
booster = xgb.train(params, dtrain, num_boost_round=300)

# the yearly VETS-4212 form wants counts only
vets = candidates["veteran_status"].value_counts()  # silent: counted for a statutory report
vets.to_csv("reports/vets4212.csv")
booster.save_model("ranker.json")
