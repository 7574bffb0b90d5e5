import polars as pl
import xgboost as xgb

FIELDS = ("months_on_file", "payments", "nationality_code", "late_forms")  # FL301: national_origin


def load(uri: str) -> pl.DataFrame:
    return (
        pl.scan_csv(uri)
        .drop_nulls("fraud_confirmed")
        .collect()
    )


def train(uri: str) -> xgb.Booster:
    claims = load(uri)
    matrix = xgb.DMatrix(
        claims.select(FIELDS).to_numpy(),
        label=claims["fraud_confirmed"].to_numpy(),
        feature_names=list(FIELDS),
    )
    return xgb.train({"objective": "binary:logistic", "eta": 0.1}, matrix, num_boost_round=200)


if __name__ == "__main__":
    train("s3://benefits/claims-*.csv").save_model("fraud.json")
