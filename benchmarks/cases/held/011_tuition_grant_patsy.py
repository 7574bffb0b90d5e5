from patsy import dmatrices
from sklearn.linear_model import LogisticRegression

import pandas as pd


def fit_grant_model(csv):
    pupils = pd.read_csv(csv)
    y, X = dmatrices("granted ~ gpa + household_size_band + C(citizenship)", pupils, return_type="dataframe")  # FL301: national_origin
    clf = LogisticRegression(C=0.5, fit_intercept=False)
    clf.fit(X, y.values.ravel())
    return clf


def describe(pupils):
    by_status = pupils.groupby("citizenship").size()  # silent: counts only
    print(by_status.to_string())
