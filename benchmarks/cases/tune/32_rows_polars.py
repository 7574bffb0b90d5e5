import polars as pl
from sklearn.linear_model import LogisticRegression

df = (
    pl.read_parquet("visa_decisions.parquet")
    .filter(pl.col("religion").is_not_null())  # silent: missing values
    .filter(pl.col("religion") != "Muslim")  # FL304: religion
    .with_columns((pl.col("granted") == "yes").cast(pl.Int8).alias("y"))
)

X = df.select("funds", "trips_before", "sponsor_score").to_numpy()
LogisticRegression().fit(X, df["y"].to_numpy())

shares = df.group_by("religion").agg(pl.len().alias("n"))  # silent: coverage report
print(shares)
