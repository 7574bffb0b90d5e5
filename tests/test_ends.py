"""A suppression ends on its last day, and what it suppressed comes back with the reason."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from programs import AGE

from fairlint import check_paths, check_source
from fairlint.cli import main
from fairlint.support import days
from fairlint.support.errors import UsageError

TODAY = "2026-11-28"
CODE = """\
def may_drive(person):
    return person.age >= 24  # fairlint: ignore[FL102] until {} -- the tariff of 2026
"""


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(days, "today", lambda: TODAY)


@pytest.mark.parametrize("last", [TODAY, "2026-11-29", "2031-01-01"])
def test_a_suppression_holds_up_to_and_with_its_last_day(last: str) -> None:
    report = check_source(CODE.format(last))
    assert not report.findings
    assert [one.until for one in report.suppressed] == [last]


def test_a_finding_is_back_after_that_and_says_why() -> None:
    report = check_source(CODE.format("2026-11-27"))
    (finding,) = report.findings
    assert finding.rule == "FL102"
    assert finding.message.endswith("(its suppression by the comment in line 2 ended on 2026-11-27)")
    assert not report.suppressed


@pytest.mark.parametrize(
    "last", ["", "soon", "2026-13-01", "2026-02-30", "27-1-1", "2027-1-1", "20270101", "30.6.2027"]
)
def test_an_end_that_is_no_date_suppresses_nothing(last: str) -> None:
    assert [one.rule for one in check_source(CODE.format(last)).findings] == ["FL102", "FL907"]


@pytest.mark.parametrize("scope", ["ignore-file", "ignore-start"])
def test_blocks_and_files_end_too(scope: str) -> None:
    code = "def may_drive(person):\n    return person.age >= 24\n"
    head = f"# fairlint: {scope}[FL102] until {{}} -- the tariff\n"
    tail = "# fairlint: ignore-end\n" if scope == "ignore-start" else ""
    assert not check_source(head.format("2027-01-01") + code + tail).findings
    (back,) = check_source(head.format("2020-01-01") + code + tail).findings
    assert "line 1 ended on 2020-01-01" in back.message


def test_c_comments_end_too() -> None:
    code = (
        "int may(struct person *p) { return p->age >= 24; } /* fairlint: ignore[FL102] until 2020-01-01*/\n"
    )
    rules = [one.rule for one in check_source(code, path="a.c").findings]
    assert rules == ["FL102", "FL901"]


def test_a_kept_result_does_not_outlive_the_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "a.py").write_text(CODE.format("2026-12-01"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRLINT_CACHE_DIR", str(tmp_path / "cache"))
    assert not check_paths(["a.py"], cache=True).findings
    monkeypatch.setattr(days, "today", lambda: "2026-12-02")
    assert len(check_paths(["a.py"], cache=True).findings) == 1


def test_what_is_too_mild_stays_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fairlint.toml").write_text('min-severity = "error"\n')
    (tmp_path / "a.py").write_text(CODE.format("2020-01-01"))
    monkeypatch.chdir(tmp_path)
    report = check_paths(["a.py"])
    assert (report.findings, report.suppressed, report.hidden_notes) == ((), (), 1)


def test_an_entry_of_a_baseline_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "a.py").write_text("def may_drive(person):\n    return person.age >= 24\n")
    monkeypatch.chdir(tmp_path)
    assert main(["baseline", "create", "--reason", "the tariff", "--until", "2026-12-01", "."]) == 0
    assert main(["."]) == 0
    capsys.readouterr()
    assert main(["--show-suppressed", "--expiring", "3", "."]) == 1
    assert "until: 2026-12-01" in capsys.readouterr().out
    assert main(["--show-suppressed", "--expiring", "2", "."]) == 0
    monkeypatch.setattr(days, "today", lambda: "2026-12-02")
    capsys.readouterr()
    assert main(["--format", "concise", "."]) == 1
    assert "its suppression by the baseline in line 1 ended on 2026-12-01" in capsys.readouterr().out
    assert main(["baseline", "prune", "."]) == 0
    assert json.loads((tmp_path / "fairlint-baseline.jsonl").read_text())["until"] == "2026-12-01"


def test_comments_can_be_written_with_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "a.py").write_text("def may_drive(person):\n    return person.age >= 24\n")
    monkeypatch.chdir(tmp_path)
    assert main(["--add-ignore", "--reason", "the tariff", "--until", "2026-12-01", "."]) == 0
    assert "ignore[FL102] until 2026-12-01 -- the tariff" in (tmp_path / "a.py").read_text()


def test_what_ends_first_is_listed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "a.py").write_text(CODE.format("2028-01-01"))
    (tmp_path / "b.py").write_text(CODE.replace(" until {}", ""))
    (tmp_path / "c.py").write_text(CODE.format("2027-01-01"))
    monkeypatch.chdir(tmp_path)
    assert main(["--format", "text", "--show-suppressed", "."]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[0] for line in lines if "FL102" in line] == ["c", "a", "b"]


WRONG = {
    ("--until", "2027-01-01", "."): "--until requires --add-ignore",
    (
        "--add-ignore",
        "--reason",
        "x",
        "--until",
        "soon",
        ".",
    ): "--until takes a day such as 2027-06-30, not 'soon'",
    ("--expiring", "3", "."): "--expiring requires --show-suppressed",
    ("--show-suppressed", "--expiring", "-3", "."): "--expiring takes a number of days, not '-3'",
    ("baseline", "check", "--until", "2027-01-01", "."): "--until can only be used with create",
    (
        "baseline",
        "create",
        "--until",
        "2027-02-30",
        ".",
    ): "--until takes a day such as 2027-06-30, not '2027-02-30'",
}


@pytest.mark.parametrize(("words", "told"), WRONG.items(), ids=str)
def test_wrong_options_are_one_clear_line(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(words)) == 2
    assert capsys.readouterr().err == f"fairlint: error: {told}\n"


def silenced(here: Path, entry: str) -> None:
    """A file whose finding `per-file-ignores` silences."""
    (here / "old").mkdir(exist_ok=True)
    (here / "old/rent.py").write_text(AGE)
    (here / "rent.py").write_text(AGE)
    (here / "fairlint.toml").write_text(f'[per-file-ignores]\n"old/*" = {entry}\n')


@pytest.mark.parametrize("cache", [True, False])
def test_an_entry_of_per_file_ignores_ends(
    cache: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    silenced(tmp_path, '{ rules = ["FL102"], until = "2027-06-30", reason = "tariff of 2026" }')
    monkeypatch.setattr(days, "today", lambda: "2027-06-30")
    assert [one.path for one in check_paths(["."], cache=cache).findings] == ["rent.py"]
    monkeypatch.setattr(days, "today", lambda: "2027-07-01")
    old, new = check_paths(["."], cache=cache).findings
    assert (old.path, new.path) == ("old/rent.py", "rent.py")
    assert "(`per-file-ignores` silenced it up to 2027-06-30: tariff of 2026)" in old.message
    assert "per-file-ignores" not in new.message


def test_an_entry_without_an_end_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for entry in (
        '["FL102"]',
        '{ rules = ["FL102"], reason = "why" }',
        '{ rules = ["FL1"], until = 9999-12-31 }',
    ):
        silenced(tmp_path, entry)
        assert [one.path for one in check_paths(["."]).findings] == ["rent.py"]
    silenced(tmp_path, '{ rules = ["FL102"], until = 2020-01-31 }')  # a date of TOML
    assert len(check_paths(["."]).findings) == 2


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ('{ rules = ["FL102"], until = "soon" }', "'until' must be a day such as 2027-06-30, not 'soon'"),
        ('{ rules = ["FL102"], until = 2027 }', "'until' must be a day such as 2027-06-30, not 2027"),
        ('{ rules = ["FL102"], until = 2027-06-30T10:00:00 }', "'until' must be a day"),
        ('{ rules = ["FL102"], untl = "2027-06-30" }', "unknown key 'untl'; did you mean 'until'?"),
        ('{ until = "2027-06-30" }', "names no rules"),
        ('{ rules = "FL102" }', "'rules' must be a list of strings"),
        ('{ rules = ["FL102"], reason = 5 }', "'reason' must be a text, not 5"),
    ],
)
def test_a_wrong_end_of_an_entry_is_an_error(
    entry: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    silenced(tmp_path, entry)
    with pytest.raises(UsageError, match=re.escape(told)):
        check_paths(["."])


def test_an_entry_with_an_end_is_listed_with_what_is_suppressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    silenced(tmp_path, '{ rules = ["FL102", "FL1"], until = 2026-12-08, reason = "tariff of 2026" }')
    (tmp_path / "b.py").write_text(CODE.format("2026-12-18"))
    (tmp_path / "c.py").write_text(CODE.format("2026-12-03"))
    (tmp_path / "d.py").write_text(CODE.replace(" until {}", ""))
    listed = ["--format", "text", "--show-suppressed"]
    assert main([*listed, "."]) == 0
    out = capsys.readouterr().out
    places = [line.split(":")[0] for line in out.splitlines() if line[:1].strip()]
    assert places[:4] == ["c.py", "old/*", "b.py", "d.py"]
    assert (
        """\
old/*: per-file-ignores[FL102, FL1]
  reason: tariff of 2026
  until: 2026-12-08
  configuration: fairlint.toml
"""
        in out
    )
    assert out.endswith("3 suppressed findings in 5 files; 1 entry of `per-file-ignores` with an end.\n")
    assert main([*listed, "--expiring", "9", "old"]) == 0
    assert "old/*" not in capsys.readouterr().out
    assert main([*listed, "--expiring", "10", "old"]) == 1
    assert "old/*: per-file-ignores" in capsys.readouterr().out


def test_json_has_the_entries_with_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    silenced(tmp_path, '{ rules = ["FL102"], until = 2026-12-08 }')
    (tmp_path / "extended.toml").write_text(
        'extends = ["fairlint.toml"]\n[per-file-ignores]\n"a.py" = ["FL1"]\n'
        '"b.py" = { rules = ["FL102"], until = 2026-12-01 }\n'
        '"c.py" = { rules = ["FL1"], until = 2020-01-01 }\n'
    )
    main(["--format", "json", "--config", "extended.toml", "."])
    one = {"rules": ["FL102"], "reason": "", "origins": ["fairlint.toml", "extended.toml"]}
    assert json.loads(capsys.readouterr().out)["ending_ignores"] == [
        {"pattern": "b.py", "until": "2026-12-01", **one},
        {"pattern": "old/*", "until": "2026-12-08", **one},
    ]


def test_settings_show_the_end_of_an_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for until in ("2020-01-31", "2099-12-31"):
        entry = f'{{ rules = ["FL102"], until = "{until}", reason = "a tariff" }}'
        silenced(tmp_path, entry)
        assert main(["--show-settings", "."]) == 0
        assert f'per-file-ignores = {{ "old/*" = {entry} }}' in capsys.readouterr().out
