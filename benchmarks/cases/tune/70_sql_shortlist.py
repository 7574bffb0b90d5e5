import sqlite3


def shortlist(db: str, n: int = 10):
    con = sqlite3.connect(db)
    cur = con.execute(
        "SELECT id, name FROM candidates WHERE gender = 'M' AND age < 40 ORDER BY score DESC LIMIT ?",  # FL702: gender; FL702: age
        (n,),
    )
    return cur.fetchall()


def gender_report(db: str):
    con = sqlite3.connect(db)
    return con.execute("SELECT gender, COUNT(*), AVG(score) FROM candidates GROUP BY gender").fetchall()  # silent: aggregate


def missing(db: str):
    con = sqlite3.connect(db)
    return con.execute("SELECT id FROM candidates WHERE gender IS NULL OR gender = ''").fetchall()  # silent: missing values
