import psycopg2


def layoff_candidates(dsn, count):
    """Employees proposed for redundancy."""
    with psycopg2.connect(dsn) as con, con.cursor() as cur:
        cur.execute(
            "SELECT employee_id FROM employees ORDER BY age DESC LIMIT %s",  # FL702: age
            (count,),
        )
        return [r[0] for r in cur]


def retirements_next_year(dsn):
    with psycopg2.connect(dsn) as con, con.cursor() as cur:
        cur.execute("SELECT COUNT(*) FROM employees WHERE age >= 66")  # silent: count for pension planning
        return cur.fetchone()[0]


def age_pyramid(dsn):
    sql = "SELECT width_bucket(age, 15, 70, 11) AS band, COUNT(*) FROM employees GROUP BY band ORDER BY band"  # silent: statistics
    with psycopg2.connect(dsn) as con, con.cursor() as cur:
        cur.execute(sql)
        return cur.fetchall()
