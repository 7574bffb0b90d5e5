from pyspark.ml import Pipeline
from pyspark.ml.classification import GBTClassifier
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("mortgage-approval").getOrCreate()
loans = spark.read.parquet("hdfs:///lake/mortgage/2023")

purpose = StringIndexer(inputCol="loan_purpose", outputCol="purpose_ix")
ethnic = StringIndexer(inputCol="applicant_ethnicity", outputCol="eth_ix")  # FL301|FL405: ethnicity

assembler = VectorAssembler(
    inputCols=["loan_amount", "income", "dti", "purpose_ix", "eth_ix"],
    outputCol="features",
)
gbt = GBTClassifier(labelCol="approved", featuresCol="features", maxIter=40)
model = Pipeline(stages=[purpose, ethnic, assembler, gbt]).fit(loans)
model.write().overwrite().save("hdfs:///models/mortgage")

# regulator table
loans.groupBy("applicant_ethnicity").agg({"approved": "avg"}).show()  # silent: aggregate for the regulator
