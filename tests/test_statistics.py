"""Counts of findings, and what two reports have in common."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent / "reporters"))

import made

from fairlint.cli import main
from fairlint.findings.finding import Identity
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions, statistics
from fairlint.reporters.tally import CountedFinding, changes, counts, dimensions, trend
from fairlint.support.records import replace

UNFAIR = """\
def rate(applicant):
    score = applicant.years
    if applicant.gender == "male":
        score += 5
    return score
"""
HIRE = "def hire(person):\n    return person.race == 'white'\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        return code, *capsys.readouterr()

    return ran


def told(
    path: str = "a.py", *, rule: str = "FL201", severity: Any = "error", own: str = "1", number: int = 1
) -> CountedFinding:
    return CountedFinding(path, f"{path}:1", rule, "x", ("gender",), severity, "m", Identity(own, number))


def test_findings_are_counted_by_all_that_is_asked_for() -> None:
    findings = [told(), told(severity="note", own="2"), told("s/b.py", rule="FL101"), told("s/t/c.py")]
    by = dimensions({"a.py": ("@a", "@b")}.get)  # type: ignore[arg-type]
    known = {
        name: [(one.key, one.all, one.suppressed) for one in counts(findings, [told()], keys)]
        for name, keys in by.items()
    }
    assert known == {
        "rule": [("FL201 x", 3, 1), ("FL101 x", 1, 0)],
        "attribute": [("gender", 4, 1)],
        "file": [("a.py", 2, 1), ("s/b.py", 1, 0), ("s/t/c.py", 1, 0)],
        "directory": [(".", 2, 1), ("s", 1, 0), ("s/t", 1, 0)],
        "owner": [("@a", 2, 1), ("@b", 2, 1), ("nobody", 2, 0)],
    }


def test_a_run_counts_its_findings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(UNFAIR)
    (tmp_path / "b.py").write_text(HIRE)
    (tmp_path / "CODEOWNERS").write_text("a.py @team\n")
    code, output, _ = run("--isolated", "--statistics", ".")
    assert code == 1
    assert output.startswith(
        "rule                     errors  warnings  notes  all  suppressed\n"
        "FL101 decision-by-group       1         0      0    1           0\n"
        "FL201 points-by-group         1         0      0    1           0\n"
        "\n"
        "attribute  errors  warnings  notes  all  suppressed\n"
    )
    assert "@team        1         0      0    1           0\n" in output
    assert "nobody       1         0      0    1           0\n" in output
    assert output.endswith("\nFound 2 findings (2 errors) in 2 files.\n")
    code, output, _ = run("--isolated", "--statistics", "--format", "json", ".")
    document = json.loads(output)
    assert code == 1
    assert (document["version"], document["files"], document["findings"]) == (1, 2, 2)
    assert document["by"]["owner"][0] == {
        "key": "@team", "error": 1, "warning": 0, "note": 0, "all": 1, "suppressed": 0
    }  # fmt: skip


def test_without_codeowners_nobody_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(UNFAIR)
    (tmp_path / ".git").mkdir()
    assert "owner" not in json.loads(run("--isolated", "--statistics", "--format", "json", "a.py")[1])["by"]


def test_other_formats_do_not_go_with_it(run: Run) -> None:
    code, _, errors = run("--statistics", "--format", "sarif", ".")
    assert code == 2
    assert errors == "fairlint: error: --statistics requires --format text or json, not sarif\n"


def test_nothing_that_a_terminal_obeys_is_printed() -> None:
    source = made.Source("\x1b[31m.py", made.SCORE.encode(), "python")
    report = made.report((source, made.finding(source, "points += 5")))
    output = "".join(statistics.report(report, ReportOptions()))
    assert "\x1b" not in output
    assert "\\x1b[31m.py" in output


def test_very_many_rows_are_counted() -> None:
    findings = [told(f"f{at:03}.py") for at in range(100)]
    output = "".join(statistics.tables(findings, [], None, made_style()))
    assert output.count("\nf0") == statistics.MOST
    assert f"\n{100 - statistics.MOST} more (--format json has all)\n" in output


def made_style() -> Any:
    from fairlint.reporters.style import Style

    return Style(color=False)


# ------------------------------------------------------------------------------------------------------ trend


def test_what_is_new_gone_and_kept_goes_by_identity() -> None:
    old = [told(own="1"), told(own="1", number=2), told(own="2"), told("gone.py", own="3"), told(own="4")]
    new = [told(own="1"), told(own="9"), told("moved.py", own="3")]
    found = trend(old, new, [told(own="4")])
    assert [(before.identity.own, now.path) for before, now in found.kept] == [
        ("1", "a.py"),
        ("3", "moved.py"),
    ]
    assert [str(one.identity) for one in found.gone] == ["1:2", "2:1"]
    assert [str(one.identity) for one in found.aside] == ["4:1"]
    assert [str(one.identity) for one in found.new] == ["9:1"]
    by_file = {
        one.key: (one.before, one.now, one.new, one.gone) for one in changes(found, lambda one: (one.path,))
    }
    assert by_file == {"a.py": (4, 2, 1, 3), "gone.py": (1, 0, 0, 0), "moved.py": (0, 1, 0, 0)}


def test_equal_code_in_another_file_that_stays_is_new() -> None:
    found = trend([told("a.py")], [told("a.py"), told("b.py")], [])
    assert [one.path for one in found.new] == ["b.py"]


def test_two_reports_are_compared(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(UNFAIR)
    (tmp_path / "b.py").write_text(HIRE)
    run("--isolated", "--format", "json", "-q", "--output", "old.json", ".")
    (tmp_path / "a.py").write_text(f"import os\n\n\n{UNFAIR}".replace("score += 5", "score  +=  5  # moved"))
    (tmp_path / "b.py").write_text(HIRE.replace("race == 'white'", "religion == 'catholic'"))
    run("--isolated", "--format", "json", "-q", "--output", "new.json", ".")
    code, output, errors = run("statistics", "old.json", "new.json")
    assert (code, errors) == (0, "")
    assert output.endswith("2 findings before, 2 now: 1 new, 1 gone, 1 kept.\n")
    assert "new: b.py:2: FL101 error" in output
    assert "gone: b.py:2: FL101 error" in output
    assert "race            1    0    0     1\n" in output
    document = json.loads(run("statistics", "old.json", "new.json", "--format", "json")[1])
    assert (document["before"], document["now"], document["kept"]) == (2, 2, 1)
    assert [one["place"] for one in document["new"]] == ["b.py:2"]
    assert {"key": "b.py", "before": 1, "now": 1, "new": 1, "gone": 1} in document["by"]["file"]
    code, output, _ = run("statistics", "new.json")
    assert output.startswith("rule ")
    assert json.loads(run("statistics", "new.json", "--format", "json")[1])["findings"] == 2


def test_what_is_put_aside_meanwhile_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(HIRE)
    run("--isolated", "--format", "json", "-q", "--output", "old.json", "b.py")
    (tmp_path / "b.py").write_text(HIRE.replace("'white'", "'white'  # fairlint: ignore[FL101] -- a play"))
    run("--isolated", "--format", "json", "-q", "--output", "new.json", "b.py")
    output = run("statistics", "old.json", "new.json")[1]
    assert output.endswith("1 finding before, 0 now: 0 new, 0 gone, 1 suppressed, 0 kept.\n")


ENDLESS = (
    '{"version": 1, "summary": {"files": 1}, "findings": [{"path": "", "rule": "", "name": "",'
    ' "severity": "note", "message": "", "identity": "a:1", "attributes": [], "line": 1e999}]}'
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file or directory"),
        ("{", "is no JSON"),
        ("[]", "is no report that fairlint --format json writes"),
        ('{"version": 2, "findings": []}', "is no report that fairlint --format json writes"),
        ('{"version": 1, "findings": []}', "is not as fairlint --format json writes it"),
        (
            '{"version": 1, "findings": [1], "summary": {"files": 1}}',
            "is not as fairlint --format json writes it",
        ),
        (
            '{"version": 1, "findings": [], "summary": {"files": "x"}}',
            '`summary.files` is "x", not a whole number',
        ),
        ('{"version": 1, "findings": [], "summary": {"files": 1e999}}', "is no JSON: 1e999 is too large"),
        (
            '{"version": 1, "findings": [], "summary": {"files": 1}, "suppressed": [{}]}',
            "`suppressed[0].finding` is missing",
        ),
        (
            '{"version": 1, "findings": [], "summary": {"files": 1}, "suppressed": 5}',
            "`suppressed` is 5, not",
        ),
        ('{"version": 1, "findings": {"a": 1}, "summary": {"files": 1}}', "is not as fairlint --format json"),
        (ENDLESS, "a.json: "),
        ("[" * 5_000, "nested too deeply"),
    ],
)
def test_what_is_no_report_is_one_line(run: Run, tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "a.json").write_text(text)
    code, output, errors = run("statistics", "a.json")
    assert (code, output) == (2, "")
    assert errors.startswith("fairlint: error: a.json")
    assert message in errors
    assert errors.count("\n") == 1


def test_a_report_has_to_be_named(run: Run) -> None:
    assert run("statistics")[0] == 2
    assert run("statistics", "a", "b", "c")[0] == 2


def test_suppressed_findings_are_counted_apart() -> None:
    report = Report(suppressed=(replace(made.suppressed()),), files=1)
    document = json.loads("".join(statistics.json_report(report, ReportOptions())))
    assert (document["findings"], document["suppressed"]) == (0, 1)
    assert document["by"]["rule"][0]["suppressed"] == 1


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("line", 10**400, "`findings[0].line` is a whole number of more than 15 digits"),
        ("line", "1", '`findings[0].line` is "1", not a whole number'),
        ("cell", "x", '`findings[0].cell` is "x", not a whole number'),
        ("attributes", "gender", '`findings[0].attributes` is "gender", not a list'),
        ("attributes", [{"a": 1}], "`findings[0].attributes[0]` is an object, not a text"),
        ("severity", [], "`findings[0].severity` is a list, not"),
        ("identity", "x:-1", '`findings[0].identity` is "x:-1", not a name, a colon and a number'),
        ("identity", "x:²", "`findings[0].identity` is"),
        ("identity", f"x:{'9' * 5_000}", "`findings[0].identity` is"),
    ],
)
def test_a_finding_of_another_form_is_told_with_its_place(
    run: Run, tmp_path: Path, key: str, value: object, says: str
) -> None:
    (tmp_path / "a.py").write_text(UNFAIR)
    run("--isolated", "--format", "json", "-q", "--output", "old.json", "a.py")
    document = json.loads((tmp_path / "old.json").read_text())
    document["findings"][0][key] = value
    (tmp_path / "new.json").write_text(json.dumps(document))
    code, _, error = run("statistics", "old.json", "new.json")
    assert code == 2
    assert says in error
    assert error.count("\n") == 1
