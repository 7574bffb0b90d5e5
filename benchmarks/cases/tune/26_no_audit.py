# salary band suggestion, v0
import pickle

import pandas as pd
from sklearn.linear_model import LinearRegression

people = pd.read_csv("payroll.csv")
inputs = ["role_level", "years_in_role", "national_origin_code"]  # FL301: national_origin

reg = LinearRegression()
reg.fit(people[inputs], people["salary"])  # FL902: national_origin

with open("band.pkl", "wb") as fh:
    pickle.dump(reg, fh)

print(people[["gender", "salary"]].groupby("gender").median())  # silent: pay report
