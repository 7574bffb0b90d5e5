"""Monthly fairness report, all of it aggregates."""
import duckdb

con = duckdb.connect("loans.duckdb", read_only=True)

RATES = "SELECT race, avg(approved::INT) AS rate, count(*) AS n FROM loans GROUP BY race"  # silent: aggregate
SHARE = "SELECT avg(CASE WHEN sex = 'F' THEN approved::INT END) AS rate_women FROM loans"  # silent: aggregate
DDL = "CREATE TABLE IF NOT EXISTS people (id INT, gender TEXT, birth_date DATE, religion TEXT)"  # silent: schema
INSERT = "INSERT INTO people (id, gender, birth_date, religion) VALUES (?, ?, ?, ?)"  # silent: storing

EXPLAIN = (
    "Explain to a manager what the four-fifths rule says about the approval rates below. "  # silent: a report
    "Do not judge single persons.\n{table}"
)


def monthly(llm):
    table = con.sql(RATES).df().to_string()
    women = con.sql(SHARE).fetchone()[0]
    return llm(EXPLAIN.format(table=table)), women


def add_person(row):
    con.execute(DDL)
    con.execute(INSERT, row)
