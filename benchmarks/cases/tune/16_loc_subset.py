import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

apps = pd.read_json("mortgage_apps.jsonl", lines=True)
apps.columns = [c.lower().strip() for c in apps.columns]

inputs = apps.loc[:, ["loan_to_value", "dti", "applicant_ethnicity", "num_dependents"]]  # FL301|FL405: ethnicity; FL301: family_status
inputs = pd.get_dummies(inputs, dtype=int)
knn = KNeighborsClassifier(n_neighbors=25).fit(inputs, apps["approved"])

apps["sex_missing"] = apps["applicant_sex"].isna()  # silent: a missing-value flag
print("not stated:", apps["sex_missing"].mean())
