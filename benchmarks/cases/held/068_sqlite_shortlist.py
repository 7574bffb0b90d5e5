import sqlite3


def shortlist(db: str, limit: int = 5):
    con = sqlite3.connect(db)
    rows = con.execute(
        "SELECT id, email FROM candidates "  # FL702: gender; FL702: age
        "WHERE gender = 'M' AND age < 40 ORDER BY test_points DESC LIMIT ?",
        (limit,),
    ).fetchall()
    con.close()
    return rows


def yearly_report(db: str):
    con = sqlite3.connect(db)
    q = "SELECT gender, COUNT(*), AVG(test_points) FROM candidates GROUP BY gender"  # silent: aggregate
    return con.execute(q).fetchall()


def create(db: str):
    ddl = "CREATE TABLE IF NOT EXISTS candidates (id INTEGER, email TEXT, gender TEXT DEFAULT NULL, age INTEGER)"  # silent: schema
    sqlite3.connect(db).execute(ddl)
