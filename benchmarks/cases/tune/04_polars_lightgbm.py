import lightgbm as lgb
import polars as pl

lf = pl.scan_csv("applications/*.csv").with_columns(
    (pl.col("debt") / pl.col("income")).alias("dti"),
)
df = lf.collect()

audit = df.select("application_id", "race", "sex", "approved")  # silent: kept aside for the audit
audit.write_parquet("audit/groups.parquet")

feature_frame = df.select("income", "dti", "loan_amount", "race", "n_open_lines")  # FL301: race
train = lgb.Dataset(
    feature_frame.to_pandas(),
    label=df["approved"].to_numpy(),
    free_raw_data=False,
)
gbm = lgb.train({"objective": "binary", "num_leaves": 63}, train, num_boost_round=200)
gbm.save_model("approval.txt")
