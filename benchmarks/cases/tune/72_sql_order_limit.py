import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine("postgresql+psycopg://hr@db/people")


def choose_layoffs(count):
    query = text("SELECT employee_id FROM employees ORDER BY age DESC LIMIT :n")  # FL702|FL105: age
    with engine.begin() as con:
        return [r.employee_id for r in con.execute(query, {"n": count})]


def choose_by_service(count):
    query = text("SELECT employee_id FROM employees ORDER BY hired_on DESC LIMIT :n")  # silent: length of service
    with engine.begin() as con:
        return [r.employee_id for r in con.execute(query, {"n": count})]


def age_structure():
    return pd.read_sql("SELECT age, COUNT(*) AS n FROM employees GROUP BY age ORDER BY age", engine)  # silent: aggregate
