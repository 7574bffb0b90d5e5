import pandas as pd
from xgboost import XGBRegressor

policies = pd.read_csv("life_policies.csv")
codes = {"none": 0, "christian": 1, "jewish": 2, "hindu": 3, "muslim": 4}
policies["religion_code"] = policies["religion"].replace(codes)  # FL401|FL301|FL405: religion

size = {"S": 0, "M": 1, "L": 2}
policies["cover_size"] = policies["cover"].map(size)  # silent: sizes are ordered

reg = XGBRegressor(n_estimators=500, max_depth=4)
reg.fit(policies[["religion_code", "cover_size", "sum_insured"]], policies["annual_cost"])  # FL301|FL401|FL405: religion
