import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine("postgresql+psycopg://scores@db/credit")

SCORING = """
SELECT a.id,
       CASE WHEN a.income > 4000 THEN 30 ELSE 10 END
     + CASE a.marital_status WHEN 'married' THEN 20 WHEN 'single' THEN 5 ELSE 0 END AS credit_score
FROM applicants a
ORDER BY credit_score DESC
"""  # FL702: marital_status

DASHBOARD = """
SELECT date_trunc('month', created) AS month,
       SUM(CASE WHEN marital_status = 'married' THEN 1 ELSE 0 END) AS married,
       COUNT(*) AS total
FROM applicants
GROUP BY 1
"""  # silent: aggregate counts


def scored():
    with engine.connect() as c:
        return pd.read_sql(text(SCORING), c)


def dashboard():
    with engine.connect() as c:
        return pd.read_sql(text(DASHBOARD), c)
