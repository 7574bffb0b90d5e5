from catboost import CatBoostRegressor, Pool
import pandas as pd

TARGET = "claim_cost"
NUMERIC = ["vehicle_value", "annual_km", "driver_age"]  # FL301: age
CATEGORICAL = ["fuel", "parking", "religion"]  # FL301: religion


def build_pool(frame: pd.DataFrame) -> Pool:
    return Pool(
        data=frame[NUMERIC + CATEGORICAL],
        label=frame[TARGET],
        cat_features=CATEGORICAL,
    )


def fit_tariff(path: str) -> CatBoostRegressor:
    policies = pd.read_csv(path)
    policies["religion"] = policies["religion"].fillna("Unknown")  # silent: unknown is no group
    model = CatBoostRegressor(iterations=800, loss_function="Tweedie:variance_power=1.5", verbose=100)
    model.fit(build_pool(policies))
    return model
