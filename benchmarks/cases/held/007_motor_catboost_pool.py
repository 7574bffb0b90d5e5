"""Claim frequency for the motor book (CatBoost)."""
from catboost import CatBoostRegressor, Pool
import pandas as pd

policies = pd.read_feather("motor_policies.feather")

vehicle = ["kw", "vehicle_year", "garage"]
driver = ["sex", "licence_years"]  # FL301: gender
behaviour = ["km_per_year", "night_share", "harsh_brakes"]

pool = Pool(
    data=policies[vehicle + driver + behaviour],
    label=policies["claims"],
    cat_features=["garage", "sex"],
    weight=policies["exposure"],
)
model = CatBoostRegressor(loss_function="Poisson", depth=6, verbose=100)
model.fit(pool)  # FL902: gender
model.save_model("motor.cbm")
