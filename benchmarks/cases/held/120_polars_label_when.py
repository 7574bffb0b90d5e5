import polars as pl
from sklearn.ensemble import AdaBoostClassifier

stays = pl.read_parquet("border_checks.parquet")
stays = stays.with_columns(
    pl.when(pl.col("nationality") == "Syrian")  # FL303: national_origin
    .then(1)
    .when(pl.col("documents_missing") > 1)
    .then(1)
    .otherwise(0)
    .alias("suspicious")
)

X = stays.select("documents_missing", "luggage_kg", "ticket_paid_cash").to_numpy()
clf = AdaBoostClassifier(n_estimators=60)
clf.fit(X, stays["suspicious"].to_numpy())

print(stays.group_by("nationality").agg(pl.len()))  # silent: counts by group
