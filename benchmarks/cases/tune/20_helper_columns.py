"""Churn-style model reused for benefit fraud referrals."""
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier


def payment_columns():
    return ["n_payments", "mean_gap_days", "bank_changes"]


def person_columns():
    return ["citizenship", "marital_status"]  # FL301|FL405: national_origin; FL301|FL405: marital_status


def design_matrix(claims, columns):
    out = claims[columns].copy()
    for c in out.select_dtypes("object"):
        out[c] = out[c].astype("category").cat.codes
    return out


def fit(claims):
    X = design_matrix(claims, payment_columns() + person_columns())
    return ExtraTreesClassifier(300).fit(X, claims["referred"])


def letter(claimant):
    greeting = "Dear Mrs" if claimant.gender == "F" else "Dear Mr"  # silent: salutation
    return f"{greeting} {claimant.last_name},\n\nyour claim was received."


if __name__ == "__main__":
    fit(pd.read_csv("claims.csv"))
