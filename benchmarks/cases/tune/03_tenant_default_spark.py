from pyspark.ml import Pipeline
from pyspark.ml.classification import GBTClassifier
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tenant-default").getOrCreate()
tenants = spark.read.parquet("s3://rentals/tenants/")

indexer = StringIndexer(inputCol="marital_status", outputCol="marital_idx", handleInvalid="keep")  # FL301|FL405: marital_status
assembler = VectorAssembler(
    inputCols=["rent_to_income", "late_payments", "marital_idx", "tenant_age"],  # FL301: age; FL301|FL405: marital_status
    outputCol="features",
)
gbt = GBTClassifier(labelCol="defaulted", featuresCol="features", maxIter=40)
model = Pipeline(stages=[indexer, assembler, gbt]).fit(tenants)

tenants.groupBy("marital_status").agg(F.avg("late_payments")).show()  # silent: aggregate report
model.write().overwrite().save("s3://rentals/models/default")
