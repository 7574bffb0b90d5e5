import pandas as pd
from sklearn.impute import SimpleImputer


def clean(tenants: pd.DataFrame) -> pd.DataFrame:
    tenants["ethnicity"] = tenants["ethnicity"].fillna("Unknown")  # silent: unknown is no group
    tenants["race"] = tenants["race"].fillna(tenants["race"].mode()[0])  # FL404: race
    tenants["rent"] = tenants["rent"].fillna(tenants["rent"].median())
    tenants["gender"] = tenants["gender"].ffill()  # FL404: gender

    imp = SimpleImputer(strategy="most_frequent")
    tenants[["religion"]] = imp.fit_transform(tenants[["religion"]])  # FL404: religion

    tenants["marital_status"] = tenants["marital_status"].replace("?", pd.NA)  # silent: clean-up
    return tenants.dropna(subset=["marital_status"])  # silent: missing values
