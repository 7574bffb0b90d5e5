from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("scholarships").getOrCreate()
spark.read.csv("students.csv", header=True, inferSchema=True).createOrReplaceTempView("students")

winners = spark.sql("SELECT student_id, marks FROM students WHERE ethnicity = 'Non-Hispanic' ORDER BY marks DESC LIMIT 50")  # FL702: ethnicity
winners.write.csv("scholarship_winners")

spark.sql("SELECT ethnicity, avg(marks) AS mean_marks FROM students GROUP BY ethnicity").show()  # silent: aggregate
spark.sql("SELECT student_id FROM students WHERE ethnicity IS NOT NULL").count()  # silent: missing values
spark.sql("SELECT student_id, marks FROM students WHERE marks > 80 ORDER BY marks DESC LIMIT 50").show()  # silent: no protected column
