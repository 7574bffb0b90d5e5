"""SQL in texts: what decides about people is found, in all the ways code writes it; reports stay silent."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from fairlint.analyses.sql.detection import is_statement
from fairlint.checking.runner import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

ROOT = Path(__file__).parents[2]


def found(code: str, path: str = "work.py") -> list[Finding]:
    report = check_source(code, path=path, settings=Settings(min_severity="note"))
    return [finding for finding in report.findings if finding.rule == "FL702"]


def attributes(code: str, path: str = "work.py") -> list[str]:
    return [finding.use.attribute for finding in found(code, path)]


def run(sql: str, function: str = "fetch_rows") -> str:
    return f'def {function}(conn):\n    return conn.execute("""{sql}""").fetchall()\n'


DECIDING = {
    "where and limit": ("SELECT id FROM applicants WHERE gender = 'M' AND age < 40 LIMIT 5", "gender age"),
    "best first": ("SELECT name FROM candidates WHERE race = 'White' ORDER BY score DESC LIMIT 10", "race"),
    "not equal": ("SELECT * FROM applicants WHERE religion <> 'Muslim' ORDER BY gpa LIMIT 3", "religion"),
    "in list": ("SELECT * FROM candidates WHERE race IN ('White', 'Asian') ORDER BY score LIMIT 9", "race"),
    "top": ("SELECT TOP 5 * FROM candidates WHERE sex = 'M' ORDER BY score DESC", "gender"),
    "fetch first": ("SELECT * FROM candidates WHERE sex = 'M' FETCH FIRST 5 ROWS ONLY", "gender"),
    "flag": ("SELECT id FROM applicants WHERE is_pregnant = 0 ORDER BY rating DESC LIMIT 4", "pregnancy"),
    "between": ("SELECT * FROM candidates WHERE age BETWEEN 25 AND 40 ORDER BY score LIMIT 5", "age"),
    "years since birth": (
        "SELECT * FROM applicants WHERE TIMESTAMPDIFF(YEAR, birth_date, CURDATE()) < 45 LIMIT 5",
        "age",
    ),
    "born after": (
        "SELECT * FROM applicants WHERE birth_date > CURRENT_DATE - INTERVAL '40 years' LIMIT 5",
        "age",
    ),
    "for update": ("SELECT * FROM loan_applications WHERE race = 'White' LIMIT 1 FOR UPDATE", "race"),
    "order by age": ("SELECT name FROM candidates ORDER BY age ASC LIMIT 5", "age"),
    "order by case": (
        "SELECT name FROM applicants ORDER BY CASE WHEN gender = 'M' THEN 0 ELSE 1 END, score DESC LIMIT 5",
        "gender",
    ),
    "cte": (
        "WITH men AS (SELECT * FROM applicants WHERE gender = 'male') SELECT * FROM men LIMIT 5",
        "gender",
    ),
    "sub-query": (
        "SELECT * FROM (SELECT * FROM candidates WHERE gender = 'F') c ORDER BY score DESC LIMIT 3",
        "gender",
    ),
    "in sub-query": (
        "SELECT * FROM applications WHERE person_id IN (SELECT id FROM persons WHERE race = 'Black') LIMIT 5",
        "race",
    ),
    "exists": (
        (
            "SELECT a.id FROM applicants a WHERE EXISTS (SELECT 1 FROM profiles p WHERE p.id = a.id "
            "AND p.religion = 'Christian') ORDER BY a.score LIMIT 5"
        ),
        "religion",
    ),
    "join's condition": (
        "SELECT a.id FROM applicants a JOIN profiles p ON p.id = a.id AND p.gender = 'M' LIMIT 5",
        "gender",
    ),
    "union": (
        (
            "(SELECT id FROM applicants WHERE gender = 'M' ORDER BY score LIMIT 8) UNION ALL "
            "(SELECT id FROM applicants WHERE gender = 'F' ORDER BY score LIMIT 2)"
        ),
        "gender",
    ),
    "window": (
        (
            "SELECT * FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY age) AS place FROM candidates) r "
            "WHERE place <= 10 LIMIT 10"
        ),
        "age",
    ),
    "case as score": (
        "SELECT id, test + CASE WHEN gender = 'M' THEN 5 ELSE 0 END AS score FROM applicants",
        "gender",
    ),
    "case with a subject": (
        "SELECT CASE race WHEN 'White' THEN 10 WHEN 'Black' THEN 4 ELSE 6 END AS points FROM people",
        "race",
    ),
    "if": ("SELECT id, IF(gender = 'M', 5, 0) AS bonus_points FROM applicants", "gender"),
    "case as decision": (
        "SELECT CASE WHEN age > 55 THEN 'rejected' ELSE 'approved' END AS decision FROM applicants",
        "age",
    ),
    "points by join": (
        "SELECT a.id, a.score + rp.points AS total FROM applicants a JOIN race_points rp ON rp.race = a.race",
        "race",
    ),
    "update": ("UPDATE loans SET status = 'rejected' WHERE marital_status = 'single'", "marital_status"),
    "update a score": ("UPDATE applicants SET score = score - 10 WHERE disability = 'yes'", "disability"),
    "update by case": (
        "UPDATE applicants SET score = score + CASE WHEN gender = 'M' THEN 5 ELSE 2 END",
        "gender",
    ),
    "delete": ("DELETE FROM shortlisted_candidates WHERE gender = 'F' LIMIT 10", "gender"),
    "insert": ("INSERT INTO shortlist SELECT id FROM people WHERE gender = 'M' AND years > 5", "gender"),
    "view": ("CREATE VIEW eligible AS SELECT * FROM tenants WHERE religion = 'Christian'", "religion"),
    "table": ("CREATE TABLE approved AS SELECT * FROM customers WHERE race = 'White'", "race"),
    "merge": (
        (
            "MERGE INTO loans t USING people s ON t.id = s.id WHEN MATCHED AND s.gender = 'F' "
            "THEN UPDATE SET decision = 'denied'"
        ),
        "gender",
    ),
    "backquotes": ("SELECT `id` FROM `applicants` WHERE `gender` = 'M' ORDER BY `score` LIMIT 5", "gender"),
    "double quotes": ('SELECT id FROM applicants WHERE gender = "M" ORDER BY score DESC LIMIT 5', "gender"),
}


@pytest.mark.parametrize("name", DECIDING)
def test_queries_that_decide(name: str) -> None:
    sql, wanted = DECIDING[name]
    assert set(attributes(run(sql))) == set(wanted.split())


SILENT = {
    "count": "SELECT gender, COUNT(*) FROM applicants WHERE age > 30 GROUP BY gender",
    "average": "SELECT AVG(score) FROM candidates WHERE gender = 'F'",
    "pivot": "SELECT SUM(CASE WHEN gender = 'M' THEN 1 ELSE 0 END) AS men FROM applicants",
    "filter": "SELECT COUNT(*) FILTER (WHERE race = 'Black') FROM applicants LIMIT 5",
    "plain search": "SELECT * FROM employees WHERE gender = 'F'",
    "search of all candidates": "SELECT * FROM candidates WHERE gender = 'F'",
    "tutorial": "SELECT name, hire_date FROM employees WHERE gender = 'F' ORDER BY hire_date DESC LIMIT 10",
    "form": "SELECT * FROM candidates WHERE (:gender IS NULL OR gender = :gender) ORDER BY score LIMIT 20",
    "paged": "SELECT * FROM candidates WHERE gender = ? LIMIT ? OFFSET ?",
    "not null": "SELECT * FROM applicants WHERE gender IS NOT NULL ORDER BY score LIMIT 5",
    "unknown": "SELECT * FROM applicants WHERE race <> 'unknown' ORDER BY score LIMIT 5",
    "all groups": "SELECT * FROM applicants WHERE gender IN ('M', 'F') ORDER BY score LIMIT 5",
    "of age": "SELECT * FROM applicants WHERE age >= 18 ORDER BY score LIMIT 5",
    "possible ages": "SELECT * FROM applicants WHERE age > 0 AND age < 120 ORDER BY score LIMIT 5",
    "join on a group": "SELECT a.id FROM applicants a JOIN genders g ON g.gender = a.gender LIMIT 5",
    "label": "SELECT CASE WHEN gender = 'M' THEN 'Male' ELSE 'Female' END AS label FROM applicants",
    "band": "SELECT CASE WHEN age < 30 THEN 1 WHEN age < 50 THEN 2 ELSE 3 END AS age_group FROM applicants",
    "flag": "SELECT id, CASE WHEN gender = 'M' THEN 1 ELSE 0 END AS is_male FROM applicants",
    "table": "CREATE TABLE applicants (id INT, gender TEXT CHECK (gender IN ('M', 'F')), age INT)",
    "insert": "INSERT INTO applicants (name, gender, age) VALUES ('Ann', 'F', 40)",
    "title": "UPDATE customers SET title = 'Mr' WHERE gender = 'M'",
    "spelling": "UPDATE applicants SET gender = 'female' WHERE gender = 'F'",
    "game": "SELECT name FROM characters WHERE race = 'orc' AND hp > 10 ORDER BY score DESC LIMIT 5",
    "sports": "SELECT * FROM races WHERE race = 'Monaco' ORDER BY points DESC LIMIT 3",
    "animals": "SELECT * FROM dogs WHERE sex = 'M' AND breed = 'pug' ORDER BY weight LIMIT 5",
    "women's average": (
        "SELECT name FROM applicants WHERE score > (SELECT AVG(score) FROM applicants "
        "WHERE gender = 'F') LIMIT 5"
    ),
    "cache": "DELETE FROM cache_entries WHERE age > 60",
    "presented by group": "SELECT gender, name FROM applicants ORDER BY gender, name",
    "ages of things": "SELECT name FROM candidates_cache WHERE cache_age > 60 LIMIT 5",
}


@pytest.mark.parametrize("name", SILENT)
def test_queries_that_only_tell(name: str) -> None:
    assert attributes(run(SILENT[name])) == []


PURPOSES = {
    "shortlist": True,
    "layoffs": True,
    "approve_customers": True,
    "export_report": False,
    "shortlist_demographics": False,
    "list_staff": False,
}


@pytest.mark.parametrize(("function", "decides"), PURPOSES.items())
def test_the_name_of_the_function_says_what_a_query_is_for(function: str, decides: bool) -> None:
    code = run("SELECT * FROM staff WHERE gender = 'F' AND salary > 50000", function)
    assert attributes(code) == (["gender"] if decides else [])


TOLD = {
    "the rows go to a call that says the rest": """
offers = pd.read_sql("SELECT email FROM members WHERE religion <> 'Muslim' LIMIT 500", engine)
for email in offers["email"]:
    send_offer(email)
""",
    "the rows go through variables": """
def cut(cur):
    cur.execute("SELECT id, name FROM staff WHERE religion = 'muslim' AND rating < 4 LIMIT 9")
    found = cur.fetchall()
    those = found
    for one in those:
        layoff(one[0])
""",
    "a cursor is gone through": """
def cut_list(cur):
    cur.execute("SELECT id FROM staff WHERE religion = 'muslim' AND rating < 4 LIMIT 9")
    return [layoff(row[0]) for row in cur]
""",
    "a query of its own is named": """
r = spark.sql("WITH suspects AS (SELECT * FROM t WHERE religion = 'muslim') SELECT * FROM suspects LIMIT 9")
""",
    "accounts are frozen": """
def run(cur):
    cur.execute("UPDATE accounts SET status = 'frozen' WHERE religion = 'muslim'")
""",
    "the table that is filled says it twice": """
def target_audience(client):
    client.query("INSERT INTO campaign_recipients SELECT id FROM contacts WHERE religion = 'muslim'")
""",
    "a view is made by a migration": """
def migrate(cur):
    cur.execute("CREATE VIEW eligible_for_benefit AS SELECT id FROM residents WHERE religion <> 'muslim'")
""",
    "the most valuable are taken": """
def fetch_targets(conn):
    return conn.execute("SELECT id FROM c WHERE religion = 'hindu' ORDER BY lifetime_value DESC LIMIT 9")
""",
}


@pytest.mark.parametrize("name", TOLD)
def test_what_a_query_is_for_is_told_around_it(name: str) -> None:
    assert attributes(TOLD[name]) == ["religion"]


def test_codes_of_countries_are_groups() -> None:
    sql = "DELETE FROM waiting_list WHERE citizenship <> 'DE'"
    assert attributes(run(sql)) == ["national_origin"]


WRITTEN = {
    "f-string": """
def shortlist(conn, table, floor):
    sql = f"SELECT id FROM {table} WHERE gender = 'M' AND score > {floor}"
    return conn.execute(sql).fetchall()
""",
    "format": """
def shortlist(conn, table):
    return conn.execute("SELECT id FROM {} WHERE gender = '{}'".format(table, "M")).fetchall()
""",
    "percent": """
def shortlist(conn, floor):
    return conn.execute("SELECT id FROM people WHERE gender = '%s' AND score > %d" % ("M", floor)).fetchall()
""",
    "sum": """
def shortlist(conn):
    sql = "SELECT id FROM people"
    sql += " WHERE gender = 'M'"
    sql = sql + " ORDER BY score"
    return conn.execute(sql).fetchall()
""",
    "branches": """
def shortlist(conn, strict):
    sql = "SELECT id FROM people WHERE gender = 'M'"
    if strict:
        sql += " AND score > 90"
    else:
        sql += " AND score > 60"
    return conn.execute(sql).fetchall()
""",
    "join": """
def shortlist(conn):
    parts = ["gender = 'M'", "score > 70"]
    parts.append("city = 'Rome'")
    return conn.execute("SELECT id FROM people WHERE " + " AND ".join(parts)).fetchall()
""",
    "dedent": '''
import textwrap

def shortlist(conn):
    return conn.execute(textwrap.dedent("""
        SELECT id FROM people
        WHERE gender = 'M'
    """)).fetchall()
''',
    "constant": '''
BEST = """
SELECT id FROM people
WHERE gender = 'M'
"""

def shortlist(conn):
    return conn.execute(BEST).fetchall()
''',
    "class": """
class Queries:
    BEST = "SELECT id FROM people WHERE gender = 'M'"

    def shortlist(self, conn):
        return conn.execute(self.BEST).fetchall()
""",
    "dict": """
QUERIES = {
    "shortlist": "SELECT id FROM people WHERE gender = 'M'",
    "all": "SELECT id FROM people",
}
""",
    "text()": """
from sqlalchemy import text

def shortlist(session):
    return session.execute(text("SELECT id FROM people WHERE gender = 'M'")).all()
""",
    "read_sql": """
import pandas as pd

shortlist = pd.read_sql("SELECT id FROM people WHERE gender = 'M'", "sqlite:///p.db")
""",
    "spark": """
def run(spark):
    shortlist = spark.sql("select id from people where gender = 'M'")
    shortlist.write.parquet("out")
""",
    "result of the cursor": """
def run(cur):
    cur.execute("SELECT id FROM people WHERE gender = 'M'")
    shortlisted = cur.fetchall()
    return shortlisted
""",
    "parameter": """
def shortlist(conn):
    return conn.execute("SELECT id FROM people WHERE gender = ? AND score > ?", ("M", 50)).fetchall()
""",
    "named parameter": """
def shortlist(conn):
    return conn.execute("SELECT id FROM people WHERE gender = :sex", {"sex": "M"}).fetchall()
""",
    "raw": """
def shortlist():
    return Person.objects.raw("SELECT id FROM people WHERE gender = %s", ["M"])
""",
    "condition": """
def shortlist(applicants):
    return applicants.where("gender = 'M'").orderBy("score").limit(5)
""",
    "template": """
from string import Template

SHORTLIST = Template("SELECT id FROM $table WHERE gender = 'M' AND city = '$city'")
""",
    "jinja": '''
SHORTLIST = """
{{ config(materialized='table') }}
SELECT id FROM {{ ref('people') }}
WHERE gender = 'M' {% if recent %} AND year > 2020 {% endif %}
"""
''',
    "deed": """
def process(conn):
    for row in conn.execute("SELECT id FROM people WHERE gender = 'M'"):
        approve(row)
""",
    "a condition that a helper is given": """
def fetch(conn, where, limit):
    return conn.execute("SELECT id FROM people WHERE " + where + f" LIMIT {limit}").fetchall()


def interviews(conn):
    return fetch(conn, "gender = 'M' AND score > 50", 10)
""",
    "values with a name": """
def shortlist(cur):
    params = ("M", 5)
    cur.execute("SELECT id FROM people WHERE gender = %s ORDER BY score DESC LIMIT %s", params)
    return cur.fetchall()
""",
    "a list of values": """
def shortlist(cur):
    cur.execute("SELECT id FROM people WHERE gender = ANY(%s) LIMIT 5", (["M"],))
    return cur.fetchall()
""",
    "a tuple of values": """
def shortlist(cur):
    cur.execute("SELECT id FROM people WHERE gender IN %s LIMIT 5", (("M",),))
    return cur.fetchall()
""",
    "numbered values": """
async def shortlist(conn):
    return await conn.fetch("SELECT id FROM people WHERE gender = $1 AND score > $2 LIMIT 5", "M", 50)
""",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_texts_are_put_together(name: str) -> None:
    code = WRITTEN[name].lstrip("\n")
    (finding,) = found(code)
    assert (finding.use.attribute, finding.use.groups[:1]) == ("gender", ("male",))
    shown = code.splitlines()[finding.start.line - 1]
    assert "gender" in shown or "SELECT" in shown


C_WRITTEN = {
    "sqlite3_exec": r"""
#include <sqlite3.h>

int shortlist(sqlite3 *db)
{
    return sqlite3_exec(db, "SELECT id FROM people "
                            "WHERE gender = 'M'", 0, 0, 0);
}
""",
    "prepared": r"""
#include <sqlite3.h>

int shortlist(sqlite3 *db, sqlite3_stmt **st)
{
    const char *sql = "SELECT id FROM people WHERE gender = ?1";
    sqlite3_prepare_v2(db, sql, -1, st, 0);
    return sqlite3_bind_text(*st, 1, "M", -1, 0);
}
""",
    "snprintf": r"""
#include <stdio.h>

int shortlist(PGconn *conn, int floor)
{
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT id FROM people WHERE gender = '%s' AND score > %d", "M", floor);
    return PQexec(conn, sql) != NULL;
}
""",
    "strcat": r"""
#include <string.h>

int shortlist(MYSQL *conn)
{
    char sql[256];
    strcpy(sql, "SELECT id FROM people");
    strcat(sql, " WHERE gender = 'M'");
    return mysql_query(conn, sql);
}
""",
    "values": r"""
#include <libpq-fe.h>

PGresult *shortlist(PGconn *conn)
{
    const char *values[1] = { "M" };
    return PQexecParams(conn, "SELECT id FROM people WHERE gender = $1", 1, NULL, values, NULL, NULL, 0);
}
""",
    "macro": r"""
#define TABLE "people"
#define SHORTLIST "SELECT id FROM " TABLE " WHERE gender = 'M'"

int run(MYSQL *conn)
{
    return mysql_query(conn, SHORTLIST);
}
""",
}


@pytest.mark.parametrize("name", C_WRITTEN)
def test_texts_are_put_together_in_c(name: str) -> None:
    (finding,) = found(C_WRITTEN[name].lstrip("\n"), "work.c")
    assert (finding.use.attribute, finding.use.groups[:1]) == ("gender", ("male",))


def test_the_column_is_underlined() -> None:
    code = run(
        "\n    SELECT id, score\n    FROM applicants\n    WHERE gender = 'M' AND\\tage < 40\n    LIMIT 5\n"
    )
    first, second = found(code)
    lines = code.splitlines()
    for finding, word in ((first, "gender"), (second, "age")):
        start, end = finding.start, finding.end
        assert lines[start.line - 1][start.column - 1 : end.column - 1] == word
        assert start.line == end.line


def test_points_are_told_by_group() -> None:
    sql = "SELECT test + 2 * CASE gender WHEN 'M' THEN 5 WHEN 'F' THEN 3 ELSE 1 END AS score FROM applicants"
    (finding,) = found(run(sql))
    assert finding.use.points is not None
    assert finding.use.points.op == "add"
    assert finding.use.points.by_group == {"male": 10.0, "female": 6.0}
    assert finding.use.points.other == 2.0


def test_points_by_age_are_told_as_the_query_cuts_them() -> None:
    case = "CASE WHEN age < 28 THEN 10 WHEN age < 40 THEN 5 WHEN age < 65 THEN 2 ELSE 0 END"
    (finding,) = found(run(f"SELECT id, {case} AS points FROM applicants"))
    assert finding.use.points is not None
    assert finding.use.points.by_group == {"under 28": 10, "28–39": 5, "40–64": 2, "65 and over": 0}
    assert finding.use.points.canonical == {"young": 10, "middle": 2, "elder": 0}


def test_points_by_age_are_told_by_band() -> None:
    sql = "SELECT id, CASE WHEN age < 35 THEN 10 WHEN age < 55 THEN 5 ELSE 0 END AS points FROM applicants"
    (finding,) = found(run(sql))
    assert finding.use.points is not None
    assert finding.use.points.by_group == {"young": 10.0, "middle": 5.0, "elder": 0.0}


def test_rows_that_are_left_out_are_told() -> None:
    (finding,) = found(run("SELECT * FROM candidates WHERE NOT (gender = 'F') ORDER BY score LIMIT 5"))
    assert finding.use.outcomes == {"male": "kept", "female": "left out"}


@pytest.mark.parametrize(
    "code",
    [
        "print(\"SELECT * FROM applicants WHERE gender = 'M' ORDER BY score LIMIT 5\")\n",
        'HELP = "Select candidates from the shortlist where gender is stated"\n',
        'def shortlist(df):\n    """SELECT id FROM people WHERE gender = \'M\'"""\n    return df\n',
        "assert parse(\"SELECT id FROM applicants WHERE gender = 'M' ORDER BY score LIMIT 5\")\n",
    ],
)
def test_what_is_never_run_is_silent(code: str) -> None:
    assert attributes(code) == []


def test_unreadable_sql_is_named_and_the_rest_is_read() -> None:
    code = run("SELECT FROM WHERE gender = = 'M' LIMIT ((") + run(
        "SELECT * FROM people WHERE gender = 'M'", "shortlist"
    )
    report = check_source(code, path="work.py", settings=Settings(min_severity="note"))
    assert [(gap.line, gap.reason) for gap in report.not_analysed] == [(2, "SQL that could not be read")]
    assert [finding.use.attribute for finding in report.findings] == ["gender"]


def test_sql_that_is_too_long_is_named() -> None:
    names = ", ".join(f"'city {number}'" for number in range(2000))
    code = run(f"SELECT id FROM people WHERE gender = 'M' AND city IN ({names}) LIMIT 5")
    report = check_source(code, path="work.py")
    assert [(gap.line, gap.reason) for gap in report.not_analysed] == [
        (2, "SQL of more than 20,000 characters")
    ]


LOOPS = {
    "in the text": """
def shortlist(conn):
    for group in ("M", "F"):
        conn.execute(f"SELECT id FROM people WHERE gender = '{group}' ORDER BY score LIMIT 5")
""",
    "beside it": """
def shortlist(conn):
    for group in ("M", "F"):
        conn.execute("SELECT id FROM people WHERE gender = ? ORDER BY score LIMIT 5", (group,))
""",
    "in a helper": """
def fetch(conn, group):
    sql = f"SELECT id FROM people WHERE gender = '{group}' ORDER BY score LIMIT 5"
    return conn.execute(sql).fetchall()

def best(conn):
    return [fetch(conn, group) for group in ("M", "F")]
""",
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_over_all_groups_prefers_none(name: str) -> None:
    assert [finding.use.groups for finding in found(LOOPS[name])] in ([], [()])


def test_holes_that_stand_for_more_than_a_value() -> None:
    code = """
def shortlist(conn, columns, extra):
    return conn.execute(f"SELECT id {columns} FROM people WHERE gender = 'M' {extra} ORDER BY name")
"""
    assert attributes(code) == ["gender"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM applicants WHERE " + "(" * 3000 + "gender = 'M'" + ")" * 3000,
        "SELECT * FROM applicants WHERE gender IN (" + ", ".join(f"'g{n}'" for n in range(1000)) + ")",
        "SELECT * FROM applicants WHERE gender = 'M'" + " AND x = 1" * 1000,
        "{% a %}" * 500 + " gender = 1",
        "CASE " + "WHEN gender = 1 THEN 2 " * 500,
        "create table as as " * 500 + " gender = 1",
    ],
)
def test_odd_texts_do_no_harm(sql: str) -> None:
    report = check_source(run(sql), path="work.py", settings=Settings(min_severity="note"))
    assert not report.failed


def test_sqlglot_is_loaded_only_for_sql_with_a_protected_word(tmp_path: Path) -> None:
    plain = (
        "def f(conn, gender):\n"
        "    conn.execute(\"SELECT id FROM people WHERE city = 'Rome'\")\n"
        "    return gender\n"
    )
    path = tmp_path / "plain.py"
    path.write_text(plain)
    script = (
        "import sys; from fairlint.checking.runner import check_paths; check_paths([sys.argv[1]]);"
        "print('sqlglot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("comment", ["-- ", "#", "/* ", "{% ", "{{ "])
def test_what_stands_in_a_comment_without_end_is_no_statement(comment: str) -> None:
    sql = "select name from candidates where gender = 'M'"
    assert is_statement(sql)
    assert not is_statement(comment + sql)


def _deep(depth: int) -> str:
    query = "SELECT id FROM people WHERE gender = 'male'"
    for at in range(depth):
        query = f"SELECT id FROM ({query}) AS t{at}"
    return query


@pytest.mark.parametrize(
    "query",
    [
        _deep(12),
        "UPDATE people SET grade = grade + 1 WHERE gender = 'male'".replace(
            " SET", " JOIN " + " JOIN ".join(f"t{at} ON t{at}.id = people.id" for at in range(12)) + " SET"
        ),
        f"CREATE VIEW v ({', '.join(f'column_number_{at}' for at in range(40))}) AS {_deep(0)}",
    ],
    ids=["subqueries", "an update of joins", "a view of many columns"],
)
def test_long_and_deep_queries_are_read(query: str) -> None:
    assert attributes(f'def shortlist(cur):\n    cur.execute("""{query}""")\n    return cur.fetchall()\n')


def test_common_tables_that_are_used_twice_take_no_time() -> None:
    steps = ["c0 AS (SELECT id FROM people WHERE gender = 'male')"]
    twice = "c{} AS (SELECT a.id FROM c{} a JOIN c{} b ON a.id = b.id)"
    steps += [twice.format(at, at - 1, at - 1) for at in range(1, 22)]
    query = f"WITH {', '.join(steps)} SELECT id FROM c21"
    before = time.process_time()
    found(f'def shortlist(cur):\n    cur.execute("""{query}""")\n    return cur.fetchall()\n')
    assert time.process_time() - before < 30
