from pyspark.sql import SparkSession, functions as F
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.regression import LinearRegression

spark = SparkSession.builder.getOrCreate()
records = spark.table("courts.sentences")

records = records.filter(F.col("race") != "Unknown")  # silent: clean-up of unknown values
records = records.filter(F.col("race").isin("White", "Asian"))  # FL304|FL106: race

vec = VectorAssembler(inputCols=["offense_severity", "priors", "plea"], outputCol="x")
train = vec.transform(records).select("x", "sentence_months")
lr = LinearRegression(featuresCol="x", labelCol="sentence_months").fit(train)
print(lr.coefficients)
