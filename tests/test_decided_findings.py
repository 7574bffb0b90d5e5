"""Decisions about findings: read from a file, found again after edits, and over when they no longer hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairlint import check_source
from fairlint.findings.finding import Finding, Identity
from fairlint.reporters.decisions import Decision, about, assign_decisions, entry_of, load
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

BONUS = """\
def bonus(person):
    points = 0
    if person.gender == "male":
        points += 5
    return points
"""


def findings(code: str, path: str = "a.py") -> list[tuple[str, Finding]]:
    return [(path, one) for one in check_source(code, path=path).findings]


def accepted(finding: Finding, path: str = "a.py", **values: Any) -> Decision:
    return about(finding, path, Decision(path, finding.identity, "accepted", **values))


def written(folder: Path, entries: list[dict[str, Any]] | Any, **more: Any) -> str:
    file = folder / "decisions.json"
    file.write_text(json.dumps({"version": 1, "decisions": entries, **more}), "utf-8")
    return str(file)


def entry(**changes: Any) -> dict[str, Any]:
    return {"path": "a.py", "identity": "3f2a:1", "decision": "accepted", **changes}


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    ((_, finding),) = findings(BONUS)
    made = accepted(finding, by="Ada", until="2030-01-01", remark="the law\nof 2026")
    assert load(written(tmp_path, [entry_of(made)])).entries == (made,)


def test_a_short_entry_is_enough(tmp_path: Path) -> None:
    (one,) = load(written(tmp_path, [entry()])).entries
    assert (one.path, one.kind, one.by, one.until) == ("a.py", "accepted", "", "")


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ([entry(until="2027-13-01")], '`decisions[0].until` is "2027-13-01", not a day such as 2027-06-30'),
        ([entry(decision="okay")], '`decisions[0].decision` is "okay"'),
        ([entry(), entry(identity="3f2a")], "`decisions[1].identity`"),
        ([{"path": "a.py"}], "is missing"),
        ([entry(path="")], "`decisions[0].path`"),
        ([entry(), entry()], "`decisions[1]` is a second decision about the same finding"),
        ({}, "`decisions` is an object, not a list"),
    ],
)
def test_what_is_wrong_in_a_file_is_one_clear_line(tmp_path: Path, entries: Any, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(written(tmp_path, entries))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version": 2, "decisions": []}', "null", '{"a": 1e999}'])
def test_what_is_no_such_file_is_one_clear_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "decisions.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"decisions\.json: is not "):
        load(str(file))


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    "after",
    [
        f"import os\n\n\ndef other():\n    return 1\n\n\n{BONUS}",
        BONUS.replace("points = 0", "points = 0  # begin\n    years = person.years"),
        BONUS.replace('"male"', "'male'"),
    ],
)
def test_a_finding_keeps_its_decision_when_its_lines_move(tmp_path: Path, after: str) -> None:
    ((_, before),) = findings(BONUS)
    one = accepted(before)
    sides = assign_decisions([one], findings(after), str(tmp_path))
    assert dict(sides.found) == {0: one}
    assert sides.left == ()


def test_a_file_that_was_renamed_keeps_its_decisions(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(BONUS)
    ((_, before),) = findings(BONUS)
    sides = assign_decisions([accepted(before)], findings(BONUS, "b.py"), str(tmp_path))
    assert list(sides.found) == [0]


@pytest.mark.parametrize("body", [1, 2])
def test_of_equal_findings_the_one_that_was_meant_is_found(tmp_path: Path, body: int) -> None:
    ((path, finding),) = findings(BONUS)
    alike = [replace(finding, identity=Identity("own", at, "bonus", 1, 7)) for at in (1, 2, 3)]
    after = [(path, replace(one, identity=replace(one.identity, body=body))) for one in alike]
    for at, one in enumerate(alike):
        assert list(assign_decisions([accepted(one)], after, str(tmp_path)).found) == [at]


def test_a_decision_whose_finding_is_gone_is_left(tmp_path: Path) -> None:
    ((_, before),) = findings(BONUS)
    one = accepted(before)
    assert assign_decisions([one], findings("x = 1\n"), str(tmp_path)).left == (one,)
    other = findings(BONUS.replace("male", "female"))
    assert len(other) == 1
    assert assign_decisions([one], other, str(tmp_path)).left == (one,)


def test_a_decision_ends_after_its_last_day() -> None:
    one = Decision("a.py", findings(BONUS)[0][1].identity, "accepted", until="2027-06-30")
    assert not one.is_over("2027-06-30")
    assert one.is_over("2027-07-01")
    assert not Decision("a.py", one.identity, "accepted").is_over("2027-07-01")


def test_a_decision_does_not_cover_what_has_grown_since() -> None:
    ((_, before),) = findings(BONUS)
    ((_, after),) = findings(BONUS.replace("+= 5", "+= 400"))
    one = accepted(before)
    assert one.outgrown(before) == ""
    assert "gap 5 before, 400 now" in one.outgrown(after)
