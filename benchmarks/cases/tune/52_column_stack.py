import numpy as np
from sklearn.linear_model import LinearRegression


def fit_salary(table):
    """table: structured array of last year's offers."""
    X = np.column_stack([
        table["years_experience"],
        table["n_languages"],
        table["age"],  # FL301: age
        table["pregnant"],  # FL301: pregnancy
    ])
    return LinearRegression().fit(X, table["offer_eur"])


def anonymise(table):
    """k-anonymity: ages in bands, postcodes cut to two digits."""
    out = table.copy()
    out["age"] = (out["age"] // 10) * 10  # silent: generalised for release
    out["zip_code"] = [z[:2] + "***" for z in out["zip_code"]]  # silent: generalised for release
    quasi = ["age", "zip_code", "gender"]  # silent: quasi identifiers of k-anonymity
    _, counts = np.unique(out[quasi], return_counts=True)
    return out, counts.min()
