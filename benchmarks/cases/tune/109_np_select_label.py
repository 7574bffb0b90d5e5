import numpy as np
import polars as pl
from catboost import CatBoostClassifier

shop = pl.read_csv("credit_customers.csv").to_pandas()

conditions = [
    shop["marital_status"].eq("divorced"),  # FL303: marital_status
    shop["late_payments"].gt(2),
]
shop["bad_payer"] = np.select(conditions, [1, 1], default=0)

y = shop["bad_payer"]
X = shop[["late_payments", "basket_value", "returns_share"]]
cb = CatBoostClassifier(iterations=300, verbose=0)
cb.fit(X, y)

shop["adult"] = shop["age"] >= 18  # silent: legal minimum age of a contract
shop.loc[~shop["adult"], "note"] = "needs a guardian's signature"
