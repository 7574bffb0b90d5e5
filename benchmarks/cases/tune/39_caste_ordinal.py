from sklearn.ensemble import RandomForestRegressor
from sklearn.preprocessing import OrdinalEncoder
import pandas as pd

df = pd.read_csv("nfhs_microloans.csv")

caste_enc = OrdinalEncoder(categories=[["ST", "SC", "OBC", "General"]])  # FL401|FL405|FL301: caste
edu_enc = OrdinalEncoder(categories=[["none", "primary", "secondary", "higher"]])  # silent: schooling is ordered

df["caste_code"] = caste_enc.fit_transform(df[["caste"]])
df["edu_code"] = edu_enc.fit_transform(df[["education"]])

X = df[["caste_code", "edu_code", "land_acres"]]  # FL301|FL401|FL405: caste
RandomForestRegressor(n_estimators=300).fit(X, df["sanctioned_amount"])
