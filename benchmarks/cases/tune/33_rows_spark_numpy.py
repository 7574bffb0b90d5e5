import numpy as np
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from xgboost import XGBClassifier

spark = SparkSession.builder.getOrCreate()
claims = spark.table("insurance.claims_labelled")

# women have shorter histories, leave them out of the fit
fit_rows = claims.where(col("sex") == "M")  # FL304: gender
pdf = fit_rows.select("km", "bonus_class", "claim_cost").toPandas()

arr = pdf.to_numpy()
clf = XGBClassifier(max_depth=6)
clf.fit(arr[:, :2], (arr[:, 2] > 0).astype(int))

claims.where(col("sex").isNull()).count()  # silent: how many are missing
claims.filter(col("sex") == "F").select("claim_cost").describe().show()  # silent: statistics of one group
