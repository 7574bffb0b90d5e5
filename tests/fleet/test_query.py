"""What the store answers, and that a query can neither write nor read anything else."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from fleet_rows import finding, row

from fairlint.cli import main
from fairlint.fleet.parts import write_part
from fairlint.fleet.questions import QUESTIONS
from fairlint.fleet.store import Run, Store, open_store
from fairlint.fleet.tables import TABLES
from fairlint.support import days

pytest.importorskip("duckdb")


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def store() -> Store:
    """Two runs: in the second `a` is unchanged, `b` has one finding less and one more."""
    made = open_store(Path("store"), is_new=True)
    runs = [
        Run(name, "2026-01-01", f"2026-01-0{at}", is_finished=True) for at, name in enumerate(("r1", "r2"), 1)
    ]
    for run in runs:
        made.write_run(run)
    repository = {"status": "checked", "findings": 2, "files": 3}
    write_part(made.parts / "run=r1" / "date=2026-01-01" / "part-0", {
        "repositories": [row("repositories", repository=name, data_run="r1", **repository) for name in "ab"],
        "findings": [
            finding("a", "x:1", gap=5.0, owners=["@one", "@two"]), finding("a", "y:1", gap=50.0),
            finding("b", "x:1", gap=1.0), finding("b", "old:1", gap=2.0),
        ],
        "coverage": [row("coverage", repository="a", path=f"{at}.ts", cause="unread", kind="TypeScript")
                     for at in range(2)],
        "suppressed": [row("suppressed", repository="a", path="a.py", rule="FL201", until=days.today(),
                           suppressed_by="policy", owner="@risk", reason="soon")],
    })  # fmt: skip
    write_part(made.parts / "run=r2" / "date=2026-01-01" / "part-0", {
        "repositories": [
            row("repositories", repository="a", data_run="r1", **{**repository, "status": "unchanged"}),
            row("repositories", repository="b", data_run="r2", **repository),
            row("repositories", repository="c", data_run="r2", status="failed"),
        ],
        "findings": [finding("b", "x:1", gap=1.0), finding("b", "new:1", gap=3.0, message="=evil()")],
        "errors": [row("errors", repository="c", cause="gone", reason="there is no such folder")],
    })  # fmt: skip
    return made


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["fleet", "query", *arguments, "--store", "store", "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("store")
def test_unchanged_repositories_have_their_rows_in_each_run(capsys: pytest.CaptureFixture[str]) -> None:
    found = ask(capsys, "SELECT run, repository, identity FROM findings ORDER BY ALL")
    assert [tuple(one.values()) for one in found if one["run"] == "r2"] == [
        ("r2", "a", "x:1"), ("r2", "a", "y:1"), ("r2", "b", "new:1"), ("r2", "b", "x:1"),
    ]  # fmt: skip
    assert len(ask(capsys, "SELECT * FROM latest_findings")) == 4
    assert [one["run"] for one in ask(capsys, "SELECT run FROM runs ORDER BY number")] == ["r1", "r2"]


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("name", QUESTIONS)
def test_each_question_has_an_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--run", "r2"] if "$run" in QUESTIONS[name].sql else []
    rows = ask(capsys, "--ask", name, *arguments)
    assert rows or name in {"uses-by-attribute", "uses-by-kind", "by-law"}
    assert name in open_help(capsys)


def open_help(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["fleet", "query", "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("store")
def test_questions_count_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, "--ask", "by-owner", "--run", "r1") == [
        {"owner": "nobody", "findings": 3, "repositories": 2, "errors": 3},
        {"owner": "@one", "findings": 1, "repositories": 1, "errors": 1},
        {"owner": "@two", "findings": 1, "repositories": 1, "errors": 1},
    ]
    (new,) = ask(capsys, "--ask", "new-since")
    assert (new["repository"], new["message"]) == ("b", "=evil()")
    assert [one["gap"] for one in ask(capsys, "--ask", "worst-gaps")] == [50.0, 5.0, 3.0, 1.0]
    (unread,) = ask(capsys, "--ask", "unread")
    assert (unread["files"], unread["share_of_read"]) == (2, round(2 / 6, 4))
    (ending,) = ask(capsys, "--ask", "expiring", "--days", "1")
    assert ending["owner"] == "@risk"
    assert [one["findings"] for one in ask(capsys, "--ask", "trend")] == [4, 4]


def test_laws_and_unread_places_are_counted_as_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = random.Random(5)
    made = open_store(Path("store"), is_new=True)
    made.write_run(Run("r1", "2026-01-01", "2026-01-01", is_finished=True))
    lists = [[], ["a"], ["b", "a"], ["a", "b"], ["c"], ["a", "b", "c"]]
    findings = [
        finding(f"repo{drawn.randrange(9)}", f"{at}:1", laws=drawn.choice(lists)) for at in range(200)
    ]
    places = [
        row("coverage", repository=f"repo{drawn.randrange(5)}", path=f"{drawn.randrange(9)}.ts",
            cause=drawn.choice(["unread", "limit"]), kind=drawn.choice(["", "Go"]))
        for _ in range(200)
    ]  # fmt: skip
    write_part(made.parts / "run=r1" / "date=2026-01-01" / "part-0", {
        "repositories": [row("repositories", repository=f"repo{at}", data_run="r1", status="checked", files=7)
                         for at in range(9)],
        "findings": findings, "coverage": places,
    })  # fmt: skip

    by_law = {one.pop("law"): one for one in ask(capsys, "--ask", "by-law", "--run", "r1")}
    assert by_law == {
        law: {
            "findings": len(having),
            "repositories": len({one["repository"] for one in having}),
            "errors": len(having),
        }
        for law in "abc"
        if (having := [one for one in findings if law in one["laws"]])
    }
    unread = {(one["cause"], one["kind"]): one for one in ask(capsys, "--ask", "unread", "--run", "r1")}
    assert len(unread) == 4
    for (cause, kind), one in unread.items():
        having = [place for place in places if (place["cause"], place["kind"]) == (cause, kind)]
        files = len({(place["repository"], place["path"]) for place in having})
        assert (one["places"], one["files"]) == (len(having), files)
        assert one["repositories"] == len({place["repository"] for place in having})
        assert one["share_of_read"] == round(files / 63, 4)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('secret.csv')",
        "SELECT * FROM read_text('secret.csv')",
        "SELECT * FROM 'secret.csv'",
        "SELECT * FROM glob('/*')",
        "COPY (SELECT 1) TO 'out.csv'",
        "COPY (SELECT 1) TO 'store/parts/out.csv'",
        "ATTACH 'out.db'",
        "CREATE TABLE t AS SELECT 1",
        "DROP VIEW findings",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "PRAGMA enable_external_access = true",
        "SELECT 1; SELECT 2",
        "SELECT getenv('HOME')",
        "SELEC 1",
        "SELECT * FROM nothing",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO 'store/parts/out.csv'",
        "",
    ],
)
def test_a_query_can_do_nothing_but_read_the_store(
    statement: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("secret.csv").write_text("a,b\nsecret,1\n")
    before = sorted(Path().rglob("*"))
    assert main(["fleet", "query", "--store", "store", "--", statement]) == 2
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    assert "secret,1" not in told.out
    assert sorted(Path().rglob("*")) == before


@pytest.mark.usefixtures("store")
def test_a_cell_of_csv_is_no_formula(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "query", "--ask", "new-since", "--store", "store", "--format", "csv"]) == 0
    (_, cells) = csv.reader(io.StringIO(capsys.readouterr().out))
    assert cells[-1] == "'=evil()"


@pytest.mark.usefixtures("store")
def test_a_table_of_text_has_its_columns_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "query", "--ask", "errors", "--store", "store"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head.index("reason") == line.index("there is no such folder")


def test_a_store_without_a_run_answers_with_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    open_store(Path("store"), is_new=True)
    assert ask(capsys, "SELECT * FROM latest_findings") == []
    assert main(["fleet", "query", "--ask", "by-rule", "--store", "store"]) == 2
    assert "there is no run 'latest'" in capsys.readouterr().err


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ask", "by-rul"], "did you mean 'by-rule'?"),
        (["--ask", "by-rule", "--run", "r9"], "there are r1, r2"),
        (["--ask", "new-since", "--run", "r1"], "there is no run before 'r1'"),
        (["--ask", "expiring", "--days", "soon"], "--days takes a number"),
        (["SELECT 1", "--memory", "much"], "--memory much"),
        ([], "takes a statement in SQL, or --ask"),
    ],
)
def test_wrong_questions_are_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", "query", *arguments, "--store", "store"]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_the_page_on_the_store_has_every_column() -> None:
    page = (Path(__file__).parent.parent.parent / "docs/appendix/fleet-store.md").read_text("utf-8")
    for name, columns in TABLES.items():
        section = page.partition(f"## {name}\n")[2].partition("\n## ")[0]
        lines = [line for line in section.splitlines() if line.startswith("| `")]
        assert lines == [f"| `{one.name}` | {one.type} | {one.about} |" for one in columns], name
