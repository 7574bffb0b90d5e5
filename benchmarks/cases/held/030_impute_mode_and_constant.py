import pandas as pd
from sklearn.impute import SimpleImputer

df = pd.read_csv("student_aid.csv")

df["gender"] = df["gender"].fillna(df["gender"].mode()[0])  # FL404: gender
df["race"] = df["race"].fillna("White")  # FL404: race
df["religion"] = df["religion"].fillna("Unknown")  # silent: explicit unknown value
df["ethnicity"] = df["ethnicity"].replace({"?": None, "n/a": None})  # silent: marks missing values

df["gpa"] = SimpleImputer(strategy="mean").fit_transform(df[["gpa"]])
df["terms"] = df["terms"].fillna(df["terms"].mode()[0])
df.to_csv("student_aid_clean.csv", index=False)
