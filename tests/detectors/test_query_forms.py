"""SQL: who gets NULL, and what can be written in several ways."""

import sqlite3

import pytest

from fairlint import check_source
from fairlint.findings.finding import Finding
from fairlint.rules.messages import format_table


def found(query: str) -> list[Finding]:
    code = f"import sqlite3\n\ndatabase = sqlite3.connect('people.db')\ndatabase.execute({query!r})\n"
    return [one for one in check_source(code, path="jobs.py").findings if one.rule == "FL702"]


def table(query: str) -> str:
    (one,) = found(query)
    return format_table(one.use.points)


def run(query: str) -> dict[str, float | None]:
    """What becomes of a score of 100, by group."""
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE applicants (gender TEXT, age INTEGER, score REAL)")
        people = [("male", 35, 100), ("female", 50, 100)]
        database.executemany("INSERT INTO applicants VALUES (?, ?, ?)", people)
        database.execute(query)
        return dict(database.execute("SELECT gender, score FROM applicants"))


@pytest.mark.parametrize(
    ("amount", "told", "real"),
    [
        ("score + CASE gender WHEN 'male' THEN 5 END", "male +5, others no value", (105, None)),
        ("score + CASE gender WHEN 'male' THEN 5 ELSE 0 END", "male +5, female +0", (105, 100)),
        ("score + CASE gender WHEN 'male' THEN 5 ELSE NULL END", "male +5, others no value", (105, None)),
        ("score + 2 * CASE gender WHEN 'male' THEN 5 END", "male +10, others no value", (110, None)),
        ("score + COALESCE(CASE gender WHEN 'male' THEN 5 END, 0)", "male +5, female +0", (105, 100)),
        ("score + COALESCE(CASE gender WHEN 'male' THEN 5 END, 2)", "male +5, female +2", (105, 102)),
        ("COALESCE(score + CASE gender WHEN 'male' THEN 5 END, score)", "male +5", (105, 100)),
        ("CASE WHEN gender = 'male' THEN 5 END", "male = 5, others no value", (5, None)),
        ("score + CASE WHEN age BETWEEN 30 AND 40 THEN 5 END", "30–40 +5, others no value", (105, None)),
    ],
)
def test_a_case_without_else_gives_null(amount: str, told: str, real: tuple[float, float | None]) -> None:
    query = f"UPDATE applicants SET score = {amount}"
    assert tuple(run(query).values()) == real
    assert table(query) == told


WHERE = [
    "gender ~* '^male$'",
    "gender ~ '^(male|m)$'",
    "gender RLIKE '^male'",
    "gender REGEXP '^male$'",
    "gender SIMILAR TO '(male|m)'",
    "gender ILIKE ANY (ARRAY['male', 'm'])",
    "gender ILIKE ANY ('male', 'm')",
    "gender GLOB 'male*'",
    "starts_with(gender, 'male')",
    "gender LIKE 'male%'",
    "(gender, city) = ('male', 'Ulm')",
    "data->>'gender' = 'male'",
]


@pytest.mark.parametrize("condition", WHERE)
def test_conditions_of_other_forms(condition: str) -> None:
    query = f"SELECT name FROM applicants WHERE {condition} ORDER BY score DESC LIMIT 5"
    (one,) = found(query)
    assert one.use.attribute == "gender"
    update = f"UPDATE applicants SET score = score + 5 WHERE {condition}"
    assert table(update) in {"male +5, female +0", "up to +5"}


@pytest.mark.parametrize("condition", ["gender LIKE '%male'", "gender LIKE '%male%'", "gender ~ 'male'"])
def test_who_holds_a_part_of_the_name_gets_it_too(condition: str) -> None:
    query = f"UPDATE applicants SET score = score + 5 WHERE {condition}"
    assert table(query) == "male and female +5, others +0"


def test_people_are_ordered_by_a_test() -> None:
    (one,) = found("SELECT name FROM applicants ORDER BY gender = 'male' DESC, score DESC LIMIT 5")
    assert one.use.attribute == "gender"
    assert not found("SELECT name FROM applicants ORDER BY city = 'Ulm' DESC, score DESC LIMIT 5")


def test_a_regular_expression_that_nobody_can_read_gives_no_amount() -> None:
    (one,) = found("UPDATE applicants SET score = score + 5 WHERE gender ~ '^m.{3}$' AND gender = 'male'")
    assert format_table(one.use.points) == "male +5, female +0"
    assert not found("SELECT name FROM applicants WHERE name ~ '^m' ORDER BY score LIMIT 5")


@pytest.mark.parametrize(
    "query",
    [
        "FROM applicants |> WHERE gender = 'male' |> ORDER BY score DESC |> LIMIT 5",
        "FROM applicants SELECT name WHERE gender = 'male' ORDER BY score DESC LIMIT 5",
    ],
)
def test_queries_that_begin_with_their_table_are_read(query: str) -> None:
    code = f"def best(connection):\n    return connection.execute({query!r}).fetchall()\n"
    assert [(one.rule, one.use.attribute) for one in check_source(code).findings] == [("FL702", "gender")]


def test_prose_that_begins_so_is_no_query() -> None:
    assert found("From women where we work we hear the same = nothing changes") == []
