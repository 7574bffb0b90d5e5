import psycopg2

SCORE_SQL = """
SELECT applicant_id,
       CASE WHEN marital_status = 'married' THEN 15
            WHEN marital_status = 'single' THEN 5
            ELSE 0 END
       + CASE WHEN income > 50000 THEN 20 ELSE 0 END AS credit_score
FROM applicants
ORDER BY credit_score DESC
"""  # FL702: marital_status

STATS_SQL = """
SELECT branch,
       SUM(CASE WHEN sex = 'F' THEN 1 ELSE 0 END) AS women,
       SUM(CASE WHEN sex = 'M' THEN 1 ELSE 0 END) AS men
FROM applicants
GROUP BY branch
"""  # silent: aggregate report


def score_all(dsn):
    with psycopg2.connect(dsn) as conn, conn.cursor() as cur:
        cur.execute(SCORE_SQL)
        return cur.fetchall()


def stats(dsn):
    with psycopg2.connect(dsn) as conn, conn.cursor() as cur:
        cur.execute(STATS_SQL)
        return dict((b, (w, m)) for b, w, m in cur)
