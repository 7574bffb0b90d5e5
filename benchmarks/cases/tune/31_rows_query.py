import pandas as pd
from lightgbm import LGBMClassifier

raw = pd.read_csv("hmda_2021_md.csv", low_memory=False)
raw = raw[raw["derived_race"].notna()]  # silent: missing values
raw = raw[raw["derived_sex"] != "Sex Not Available"]  # silent: not stated is no group

train = raw.query("derived_race == 'White' and loan_purpose == 1")  # FL304: race
X = train[["loan_amount", "income", "property_value"]]
y = (train["action_taken"] == 1).astype(int)

clf = LGBMClassifier(n_estimators=400)
clf.fit(X, y)
clf.booster_.save_model("hmda_md.txt")
