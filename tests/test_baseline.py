"""The baseline: what was there before is put aside, what is new is told, whatever else is edited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs import AGE, POINTS

from fairlint import check_paths
from fairlint.cli import main
from fairlint.findings.finding import Identity
from fairlint.suppression.baseline import Entry, baseline_text, load

NAME = "fairlint-baseline.jsonl"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a finding, and no configuration above it."""
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "scores.py").write_text(POINTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def old(here: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The same with a baseline that holds it."""
    assert main(["baseline", "create", "--reason", "before the  audit", "."]) == 0
    capsys.readouterr()
    return here


def told() -> list[str]:
    """The rules that a run tells."""
    return [finding.rule for finding in check_paths(["."]).findings]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    """Exit code, lines of output, and errors."""
    code = main(arguments)
    output, errors = capsys.readouterr()
    return code, output.splitlines(), errors


def test_what_was_there_is_put_aside_and_what_is_new_is_told(old: Path) -> None:
    assert told() == []
    report = check_paths(["."])
    (one,) = report.suppressed
    assert (one.path, one.line, one.reason, one.is_comment) == (NAME, 1, "before the audit", False)
    (old / "scores.py").write_text(POINTS + AGE)
    assert told() == ["FL102"]


EDITS = {
    "lines above": "import math\n\n\n" + POINTS,
    "another function above": AGE.lstrip().replace("45", "limit")
    + "\n\n"
    + POINTS.replace("points", "bonus"),
    "other quotes": POINTS.replace('"', "'"),
    "a comment": POINTS.replace("score = 0", "score = 0  # begin"),
}


@pytest.mark.parametrize("text", EDITS.values(), ids=EDITS)
def test_edits_around_an_old_finding_do_not_make_it_new(old: Path, text: str) -> None:
    (old / "scores.py").write_text(text)
    assert "FL201" not in told()


def test_a_renamed_file_keeps_its_entries_and_a_second_copy_is_new(old: Path) -> None:
    (old / "scores.py").rename(old / "points.py")
    assert told() == []
    (old / "scores.py").write_text(POINTS)
    assert told() == ["FL201"]


def test_a_run_in_another_folder_finds_the_same(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (old / "src").mkdir()
    (old / "scores.py").rename(old / "src" / "scores.py")
    monkeypatch.chdir(old / "src")
    assert told() == []


def test_stale_entries_are_told_and_pruned(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (old / "scores.py").write_text(AGE)
    code, lines, _ = run(capsys, "baseline", "check", ".")
    assert code == 1
    assert lines[0].startswith("new: scores.py:4:12: FL102 ")
    assert lines[1:] == [
        f'stale: {NAME}:1: FL201 in scores.py: applicant.gender == "female"',
        "0 as before, 1 new, 1 stale.",
    ]
    assert "1 entry of the baseline is stale (fairlint baseline prune)" in run(capsys, ".")[1][-1]
    assert run(capsys, "baseline", "prune", ".")[:2] == (0, [f"{NAME}: 1 stale taken out, 0 findings left."])
    assert (old / NAME).read_text() == ""
    assert run(capsys, "baseline", "check", ".")[0] == 1


def test_pruning_keeps_reasons_and_what_was_not_checked(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (old / "other.py").write_text(AGE)
    before = (old / NAME).read_text()
    assert run(capsys, "baseline", "prune", "other.py")[0] == 0
    assert (old / NAME).read_text() == before
    (old / "scores.py").write_text(POINTS.replace("points", "bonus"))
    assert run(capsys, "baseline", "prune", ".")[0] == 0
    (entry,) = load(str(old / NAME)).entries
    assert (entry.identity.function, entry.reason) == ("bonus", "before the audit")


@pytest.mark.parametrize("arguments", [("--select", "FL1", "."), ("other.py",)])
def test_what_was_not_asked_for_is_not_stale(
    old: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    (old / "scores.py").write_text("")
    (old / "other.py").write_text("x = 1\n")
    assert "stale" not in run(capsys, *arguments)[1][-1]


def test_a_file_that_could_not_be_read_has_no_stale_entries(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (old / "scores.py").write_text("def broken(:\n    if applicant.gender ==\n")
    assert "stale" not in run(capsys, ".")[1][-1]


def test_all_can_be_told(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del old
    assert run(capsys, ".")[0] == 0
    assert run(capsys, "--no-baseline", ".")[0] == 1
    document = json.loads("\n".join(run(capsys, "--format", "json", ".")[1]))
    assert document["summary"]["suppressed"] == 1
    assert document["suppressed"][0]["by"] == "baseline"


def test_a_baseline_of_another_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "baseline", "create", "--file", "known.jsonl", ".")[0] == 0
    assert run(capsys, ".")[0] == 1
    assert run(capsys, "--baseline", "known.jsonl", ".")[0] == 0
    (here / "fairlint.toml").write_text('baseline = "known.jsonl"\n')
    assert run(capsys, ".")[0] == 0
    (here / "known.jsonl").unlink()
    code, _, errors = run(capsys, ".")
    assert code == 2
    assert errors == (
        "fairlint: error: known.jsonl: cannot be read: No such file or directory;"
        " `fairlint baseline create` writes one\n"
    )


def test_one_that_is_there_is_not_overwritten(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (old / NAME).read_text()
    code, _, errors = run(capsys, "baseline", "create", ".")
    assert (code, errors.count("\n")) == (2, 1)
    assert "already exists" in errors
    assert (old / NAME).read_text() == before
    assert run(capsys, "baseline", "create", "--force", ".")[0] == 0


@pytest.mark.parametrize("words", [".", "baseline prune .", "--no-cache a.py", "hook"])
@pytest.mark.parametrize(
    ("key", "value"),
    [("path", "\ud800"), ("path", "a\0.py"), ("path", "\udc00.py"), ("code", "\ud800"), ("reason", "\udcff")],
)
def test_half_characters_in_an_entry_are_one_line(
    old: Path, monkeypatch: pytest.MonkeyPatch, words: str, key: str, value: str
) -> None:
    entry = json.loads((old / NAME).read_text())
    (old / NAME).write_text(f"\n{json.dumps({**entry, key: value})}\n")
    event = json.dumps({"tool_input": {"file_path": "a.py"}}).encode()
    (old / "a.py").touch()
    errors = StringIO()
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(event)))
    monkeypatch.setattr(sys, "stderr", errors)
    assert main(words.split()) == (1 if words == "hook" else 2)
    assert errors.getvalue().startswith(f"fairlint: error: {NAME}:2: '{key}' holds what no ")
    assert errors.getvalue().count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_whose_name_is_no_text_has_entries(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = os.fsdecode(b"h\xff.py")
    (here / name).write_text(POINTS)
    assert run(capsys, "baseline", "create", name)[0] == 0
    assert run(capsys, name)[0] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<<<<<<< HEAD\n", "a merge that is not finished"),
        ("hello\n", "not one line of JSON"),
        ("{}\n", "it has the keys path, rule"),
        ("[" * 100_000 + "\n", "not one line of JSON"),
        ("\xff", "FL201"),
    ],
)
def test_a_broken_baseline_is_one_line(
    old: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    entry = json.loads((old / NAME).read_text())
    if text == "\xff":
        text, message = json.dumps({**entry, "body": "12"}) + "\n", "'body' must be a number"
    (old / NAME).write_text("\n" + text)
    code, output, errors = run(capsys, ".")
    assert (code, output) == (2, [])
    assert message in errors
    assert f"{NAME}:2: " in errors


@pytest.mark.parametrize("arguments", [(), ("make",), ("check", "--reason", "why")])
def test_wrong_use_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    del here
    code, _, errors = run(capsys, "baseline", *arguments)
    assert (code, errors.count("\n")) == (2, 1)


ENTRIES = st.lists(
    st.builds(
        Entry,
        path=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
        rule=st.sampled_from(("FL101", "FL201")),
        attribute=st.sampled_from(("age", "gender")),
        code=st.text(max_size=12),
        reason=st.text(max_size=8),
        identity=st.builds(
            Identity,
            own=st.sampled_from(("a1", "b2")),
            number=st.integers(1, 9),
            function=st.text(max_size=5),
            body=st.integers(0, 2**32),
            near=st.integers(0, 2**32),
        ),
    ),
    max_size=8,
    unique_by=str,
)


@given(ENTRIES, st.randoms(use_true_random=False))
def test_a_baseline_is_read_as_it_was_written_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Entry], chance: object
) -> None:
    path = tmp_path_factory.mktemp("any") / NAME
    shuffled = list(entries)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert baseline_text(shuffled) == baseline_text(entries)
    path.write_text(baseline_text(entries), "utf-8")
    again = load(str(path)).entries
    assert baseline_text(again) == baseline_text(entries)
    assert len(again) == len(entries)


def test_branches_that_add_entries_merge_without_a_conflict(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=old).stdout

    (old / ".gitattributes").write_text(f"{NAME} merge=union\n")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "scores")
    for branch, text in (
        ("ages", AGE),
        ("more", POINTS.replace("gender", "race").replace("female", "black")),
    ):
        git("checkout", "-q", "-b", branch, "main")
        (old / f"{branch}.py").write_text(text)
        assert run(capsys, "baseline", "create", "--force", ".")[0] == 0
        git("add", ".")
        git("commit", "-qm", branch)
    git("merge", "-q", "-m", "both", "ages")
    assert run(capsys, "baseline", "check", ".")[:2] == (0, ["3 as before, 0 new, 0 stale."])
