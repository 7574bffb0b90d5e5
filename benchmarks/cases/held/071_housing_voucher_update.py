import mysql.connector

REJECT_FOREIGN = (
    "UPDATE housing_applications SET status = 'rejected' "  # FL702: national_origin
    "WHERE nationality <> 'German' AND status = 'open'"
)
CLEAN = "UPDATE housing_applications SET nationality = NULL WHERE nationality IN ('', '?', 'n/a')"  # silent: missing-value clean-up
EXPIRE = "UPDATE housing_applications SET status = 'expired' WHERE created < NOW() - INTERVAL 90 DAY"


def nightly(conf: dict) -> None:
    con = mysql.connector.connect(**conf)
    cur = con.cursor()
    for statement in (CLEAN, EXPIRE, REJECT_FOREIGN):
        cur.execute(statement)
        print(cur.rowcount, "rows")
    con.commit()


def insert(cur, person):
    cur.execute(
        "INSERT INTO housing_applications (name, nationality, adults) VALUES (%s, %s, %s)",  # silent: stores a form
        (person["name"], person["nationality"], person["adults"]),
    )
