from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("kita-places").enableHiveSupport().getOrCreate()


def assign_places(places: int):
    """Give day-care places to the families at the top of the list."""
    return spark.sql(
        f"""
        SELECT family_id
        FROM waiting_list
        WHERE religion = 'catholic'
        ORDER BY registered_on
        LIMIT {places}
        """
    )  # FL702: religion


def statistics():
    return spark.sql("SELECT religion, count(1) AS families FROM waiting_list GROUP BY religion")  # silent: aggregate


def export_schema():
    return spark.sql("DESCRIBE TABLE waiting_list")
