import polars as pl
from lightgbm import LGBMRegressor

SENSITIVE = ["ethnicity", "religion"]  # silent: list of dropped columns
COLUMNS = ["postcode", "building_year", "previous_claims", "ethnicity", "religion", "loss"]

home = pl.read_csv("household_policies.csv", columns=COLUMNS)
X = home.drop(SENSITIVE + ["loss"]).to_pandas()  # FL903: zip_code
X["postcode"] = X["postcode"].astype("category")

tariff = LGBMRegressor(objective="tweedie").fit(X, home["loss"].to_numpy())
tariff.booster_.save_model("tariff.txt")
