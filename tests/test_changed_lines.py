"""A run about a change tells what stands on its lines, and nothing else."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from changed_lines import asked, faults, state
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs import AGE, POINTS, git

from fairlint import check_paths
from fairlint.cli import main
from fairlint.findings.report import Report
from fairlint.support.errors import UsageError
from fairlint.suppression.changed_lines import in_diff, only, since
from fairlint.suppression.changed_lines.touched import WHOLE, Asked


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an old finding."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.py").write_text(POINTS)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "scores")
    return tmp_path


def told(report: Report) -> list[str]:
    """The rules of what is told."""
    return [finding.rule for finding in report.findings]


def changed(revision: str = "HEAD") -> Report:
    """What is told of a change."""
    return only(check_paths(["."]), since(revision))


def test_nothing_changed_and_nothing_is_told(here: Path) -> None:
    del here
    report = changed()
    assert told(report) == []
    assert report.unchanged == 1


def test_only_what_stands_on_changed_lines_is_told(here: Path) -> None:
    (here / "scores.py").write_text(POINTS + AGE)
    assert told(changed()) == ["FL102"]
    (here / "scores.py").write_text("import math\n\n\n" + POINTS)
    assert told(changed()) == []
    (here / "scores.py").write_text(POINTS.replace("-= 5", "-= 6"))
    assert told(changed()) == ["FL201"]


def test_a_file_that_git_does_not_know_is_new(here: Path) -> None:
    (here / "new file ü.py").write_text(AGE)
    assert told(changed()) == ["FL102"]
    git("add", ".")
    assert told(changed()) == ["FL102"]
    git("commit", "-qm", "new")
    assert told(changed()) == []
    assert told(changed("HEAD~1")) == ["FL102"]


def diffed(revision: str = "HEAD") -> tuple[int, str]:
    """The exit code and the report of a run over what has changed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(["--format", "concise", "--no-cache", "--diff", revision, "."])
    return code, out.getvalue()


def moved(here: Path, name: str, text: str | None = None) -> None:
    """Moves the old file."""
    (here / name).parent.mkdir(parents=True, exist_ok=True)
    (here / "scores.py").rename(here / name)
    if text is not None:
        (here / name).write_text(text)


def test_a_file_that_is_only_moved_is_not_new(here: Path) -> None:
    moved(here, "loans/rates.py")
    assert diffed() == (0, "No findings in 1 file; 1 on unchanged lines.\n")
    git("add", "--all")
    git("commit", "-qm", "moved")
    assert diffed("HEAD~1") == (0, "No findings in 1 file; 1 on unchanged lines.\n")
    assert diffed("HEAD~1...")[0] == 0
    assert told(only(check_paths(["."]), since("HEAD~1"))) == [
        "FL201"
    ]  # nobody says how files are told about


def test_what_is_changed_in_a_file_that_is_moved_is_told(here: Path) -> None:
    moved(here, "rates.py", POINTS + "\n\nLIMIT = 5\n")
    assert diffed()[0] == 0
    (here / "rates.py").write_text(POINTS.replace("-= 5", "-= 6"))
    code, out = diffed()
    assert (code, "FL201" in out) == (1, True)


def test_a_file_with_other_lines_is_new(here: Path) -> None:
    lines = "".join(f"x{number} = {number}\n" for number in range(40))
    moved(here, "rates.py", POINTS + lines)
    assert diffed()[0] == 1


@pytest.mark.parametrize(
    ("before", "now", "config"),
    [
        ("node_modules/a.py", "a.py", ""),
        ("old/a.py", "a.py", 'extend-exclude = ["old"]\n'),
        ("old/a.py", "a.py", '[per-file-ignores]\n"old/*" = ["FL2"]\n'),
        ("made/a.py", "a.py", ""),
        ("a.txt", "a.py", ""),
        ("a", "a.py", ""),
        ("a.pyi", "a.py", ""),
        ("tests/test_rates.py", "rates.py", ""),
        ("tax/rates.py", "loans/rates.py", ""),
        ("venv/a.py", "a.py", ""),
    ],
)
def test_what_was_not_told_about_where_it_was_is_new(before: str, now: str, config: str, here: Path) -> None:
    (here / "fairlint.toml").write_text(config)
    (here / ".gitignore").write_text("made\n")
    moved(here, before)
    if before.startswith("venv"):
        (here / "venv/pyvenv.cfg").write_text("")
    git("add", "--all", "--force")
    git("commit", "-qm", "before")
    (here / now).parent.mkdir(exist_ok=True)
    (here / before).rename(here / now)
    (here / "venv/pyvenv.cfg").unlink(missing_ok=True)
    assert diffed()[0] == 1


@pytest.mark.parametrize("name", [".gitignore", "pyproject.toml"])
def test_a_move_with_another_policy_is_new(name: str, here: Path) -> None:
    moved(here, "old/a.py")
    (here / "old" / name).write_text("")
    git("add", "--all")
    git("commit", "-qm", "before")
    (here / "old/a.py").rename(here / "a.py")
    assert diffed()[0] == 0
    (here / "old" / name).unlink()
    assert diffed()[0] == 1


def test_what_is_copied_is_new(here: Path) -> None:
    shutil.copy("scores.py", "rates.py")
    assert diffed()[0] == 1
    moved(here, "points.py")
    code, out = diffed()  # one of them is the old file
    assert (code, out.count("FL201")) == (1, 1)


def test_a_link_to_a_file_that_is_moved_is_new(here: Path) -> None:
    moved(here, "data.txt")
    (here / "rates.py").symlink_to("data.txt")
    assert diffed()[0] == 1


def test_the_nearest_of_several_is_what_a_file_was(here: Path) -> None:
    (here / "other.py").write_text(POINTS.replace("-= 5", "-= 7"))
    git("add", ".")
    git("commit", "-qm", "two")
    moved(here, "a/scores.py", POINTS + "\n")
    (here / "other.py").rename(here / "a/other.py")
    assert diffed()[0] == 0


def test_any_station_of_a_finding_counts(here: Path) -> None:
    code = "\n".join(
        (
            "def points(applicant):",
            "    group = applicant.gender",
            *("    applicant.log()" for _ in range(20)),
            '    is_woman = group == "female"',
            *("    applicant.log()" for _ in range(20)),
            "    score = applicant.score",
            "    if is_woman:",
            "        score -= 5",
            "    return score\n",
        )
    )
    (here / "far.py").write_text(code)
    git("add", ".")
    git("commit", "-qm", "far")
    (here / "far.py").write_text(code.replace("group = applicant.gender", "group = applicant.gender.lower()"))
    report = changed()
    assert told(report) == ["FL201"]
    assert report.findings[0].start.line > 20


def test_lines_beside_what_is_only_removed_count(here: Path) -> None:
    code = POINTS.replace("        score -= 5\n", "        log()\n        score -= 5\n")
    (here / "scores.py").write_text(code)
    git("commit", "-qam", "log")
    (here / "scores.py").write_text(POINTS)
    assert told(changed()) == ["FL201"]


def test_a_folder_below_the_repository(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "src").mkdir()
    (here / "src" / "rent.py").write_text(AGE)
    monkeypatch.chdir(here / "src")
    assert told(changed()) == ["FL102"]


@pytest.mark.parametrize("crlf", [False, True])
def test_a_diff_that_is_given(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, crlf: bool
) -> None:
    text = POINTS + AGE
    (here / "scores.py").write_bytes((text.replace("\n", "\r\n") if crlf else text).encode())
    if crlf:
        git("commit", "-qam", "line ends")
        (here / "scores.py").write_bytes(text.replace("45", "46").replace("\n", "\r\n").encode())
    diff = git("diff")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(diff.encode())))
    assert main(["--isolated", "--format", "concise", "--diff-file", "-", "."]) == 1
    output = capsys.readouterr().out
    assert "FL102" in output
    assert "FL201" not in output
    assert "1 on unchanged lines" in output


def test_everything_is_new_before_the_first_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.py").write_text(POINTS)
    git("init", "-q")
    git("add", ".")
    (tmp_path / "rent.py").write_text(AGE)
    assert told(changed()) == ["FL102", "FL201"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--diff", "nowhere", "."), "--diff nowhere: git knows no revision 'nowhere'"),
        (("--diff=--output=x", "."), "--diff needs a revision"),
        (("--diff", "HEAD", "--diff-file", "x", "."), "cannot be used with"),
        (("--diff-file", "missing.diff", "."), "missing.diff: cannot be read"),
        (("--diff-file", "-", "-"), "standard input is either"),
    ],
)
def test_wrong_use_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert main(["--isolated", *arguments]) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1
    assert not (here / "x").exists()


def test_what_is_no_diff_is_told(here: Path) -> None:
    with pytest.raises(UsageError, match="the diff cannot be read"):
        in_diff(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n", str(here))


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="this folder is in no git repository"):
        since("HEAD")


def edited(here: Path, name: str = "scores.py") -> None:
    """Changes the line that makes the finding."""
    path = here / name
    path.write_bytes(path.read_bytes().replace(b"-= 5", b"-= 6"))


def kept(here: Path, name: str, data: bytes = POINTS.encode()) -> None:
    """Commits a file under a name that may be odd."""
    path = here / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    git("add", "-f", "--", f":(literal){name}")
    git("commit", "-qm", "more")


ODD_NAMES = [
    *('q"uote.py', "back\\slash.py", "tab\tname.py", "new\nline.py", "cr\rname.py", "esc\x1b[1m.py"),
    *("é.py", os.fsdecode(b"no\xffutf8.py"), "a b/c.py", "b/x.py", " blank.py", "-x.py", ":x.py", "[a].py"),
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_changed_file_is_told_under_any_name(here: Path, name: str) -> None:
    kept(here, name)
    assert told(changed()) == []
    edited(here, name)
    report = changed()
    assert told(report) == ["FL201"]
    assert report.wholly_changed == ()
    if name.isprintable() or "\udcff" in name:
        return
    text = git("diff", "--text").encode()
    assert told(only(check_paths(["."]), in_diff(text, str(here)))) == ["FL201"]


@pytest.mark.parametrize(
    "attributes",
    [
        "*.py binary",
        "*.py -diff",
        "*.py -text diff=none",
        "*.py working-tree-encoding=UTF-16LE-BOM",
        "*.py filter=x",
    ],
)
@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
def test_attributes_hide_no_line(here: Path, attributes: str, place: str) -> None:
    (here / place).parent.mkdir(exist_ok=True)
    (here / place).write_text(f"{attributes}\n")
    assert told(changed()) == []
    edited(here)
    assert told(changed()) == ["FL201"]


@pytest.mark.parametrize(
    "setting",
    [
        *("core.bigFileThreshold=1", "core.autocrlf=true", "diff.external=false", "diff.noprefix=true"),
        *(
            "core.worktree=/",
            "core.quotePath=true",
            "color.ui=always",
            "diff.orderFile=none",
            "core.bare=true",
        ),
    ],
)
def test_configuration_hides_no_line(here: Path, setting: str) -> None:
    git("config", *setting.split("="))
    assert told(changed()) == []
    edited(here)
    report = changed()
    assert told(report) == ["FL201"]
    assert report.wholly_changed == ()


def linked(here: Path) -> None:
    kept(here, "data/x.txt")
    (here / "src").mkdir()
    (here / "src/x.py").symlink_to("../data/x.txt")


def led_elsewhere(here: Path) -> None:
    kept(here, "data/x.txt")
    (here / "x.py").symlink_to("data/y.txt")
    git("add", ".")
    git("commit", "-qm", "link")
    (here / "x.py").unlink()
    (here / "x.py").symlink_to("data/x.txt")


def through_a_folder(here: Path) -> None:
    kept(here, "data/x.txt")
    (here / "way").symlink_to("elsewhere")
    (here / "x.py").symlink_to("way/x.txt")
    git("add", ".")
    git("commit", "-qm", "links")
    (here / "way").unlink()
    (here / "way").symlink_to("data")


def was_a_link(here: Path) -> None:
    kept(here, "data.txt")
    (here / "x.py").symlink_to("data.txt")
    git("add", ".")
    git("commit", "-qm", "link")
    (here / "x.py").unlink()
    (here / "x.py").write_text(POINTS)


def of_another(here: Path) -> None:
    (here / "inner").mkdir()
    (here / "inner/x.py").write_text(POINTS)
    git("init", "-q", folder=here / "inner")
    git("add", ".", folder=here / "inner")
    git("commit", "-qm", "inner", folder=here / "inner")


def of_a_submodule(here: Path) -> None:
    of_another(here)
    git("add", "inner")
    git("commit", "-qm", "with a submodule")


def in_large_storage(here: Path) -> None:
    kept(here, "x.py", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    (here / "x.py").write_text(POINTS)


def was_binary(here: Path) -> None:
    kept(here, "x.py", b"\0GITCRYPT\0")
    (here / "x.py").write_text(POINTS)


def without_its_object(here: Path) -> None:
    kept(here, "x.py", b"# another\n" + POINTS.encode())
    name = git("rev-parse", "HEAD:x.py")
    (here / ".git/objects" / name[:2] / name[2:]).unlink()
    (here / "x.py").write_text(POINTS)


ODD: dict[Callable[[Path], None], str] = {
    linked: "src/x.py is a new link",
    led_elsewhere: "x.py is a new link, or leads elsewhere",
    through_a_folder: "way is a new link, or leads elsewhere",
    was_a_link: "it was a link before",
    of_another: "it belongs to another repository",
    of_a_submodule: "it belongs to another repository",
    in_large_storage: "git does not keep its text",
    was_binary: "a binary file",
    without_its_object: "git does not have what it was before",
}


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_a_file_that_cannot_be_compared_is_wholly_changed_and_named(
    here: Path, make: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    make(here)
    (here / "scores.py").unlink()
    assert main(["--isolated", "--no-cache", "--diff", "HEAD", "."]) == 1
    output = capsys.readouterr().out
    assert "1 file counts as changed throughout" in output
    assert ODD[make] in " ".join(output.split())
    assert main(["--isolated", "--no-cache", "--format", "json", "--diff", "HEAD", "."]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [ODD[make] in one["reason"] for one in document["wholly_changed"]] == [True]
    main(["schema"])
    jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out)).validate(document)


def test_links_that_were_there_are_as_old_as_what_they_lead_to(here: Path) -> None:
    (here / "data.txt").write_text(POINTS)
    (here / "x.py").symlink_to("data.txt")
    git("add", ".")
    git("commit", "-qm", "link")
    assert told(changed()) == []
    edited(here, "data.txt")
    assert told(changed()) == ["FL201"]


def test_a_file_outside_of_the_repository_is_wholly_changed(
    here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    del here
    other = tmp_path_factory.mktemp("other") / "scores.py"
    other.write_text(POINTS)
    report = only(check_paths([other]), since("HEAD"))
    assert told(report) == ["FL201"]
    assert "no folder of the repository" in report.wholly_changed[0].reason


def test_a_file_that_git_ignores_is_new(here: Path) -> None:
    (here / ".gitignore").write_text("*.py\n")
    (here / "rent.py").write_text(AGE)
    report = only(check_paths(["rent.py", "scores.py"]), since("HEAD"))
    assert told(report) == ["FL102"]
    assert report.wholly_changed == ()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_lines_are_those_of_the_text_whatever_its_encoding(here: Path, encoding: str) -> None:
    text = f"# é\n{POINTS}{AGE}"
    kept(here, "x.py", text.encode(encoding))
    assert told(changed()) == []
    (here / "x.py").write_bytes(text.replace("45", "46").encode(encoding))
    assert told(changed()) == ["FL102"]


@pytest.mark.parametrize(("before", "after"), [("\n", "\r\n"), ("\r\n", "\n"), ("\n", "\r")])
def test_other_ends_of_lines_change_no_line(here: Path, before: str, after: str) -> None:
    kept(here, "x.py", (POINTS + AGE).replace("\n", before).encode())
    (here / "x.py").write_bytes((POINTS + AGE.replace("45", "46")).replace("\n", after).encode())
    assert told(changed()) == ["FL102"]


def test_a_first_line_that_says_another_language_changes_all(here: Path) -> None:
    kept(here, "score", b"#!/usr/bin/env perl\n" + POINTS.encode())
    (here / "score").write_bytes(b"#!/usr/bin/env python3\n" + POINTS.encode())
    report = only(check_paths(["score"]), since("HEAD"))
    assert told(report) == ["FL201"]


def test_a_step_in_a_file_that_was_not_asked_for_counts(here: Path) -> None:
    (here / "people.py").write_text("def group_of(applicant):\n    return applicant.gender\n")
    code = POINTS.replace("applicant.gender", "group_of(applicant)")
    (here / "scores.py").write_text(f"from people import group_of\n\n\n{code}")
    git("add", ".")
    git("commit", "-qm", "two files")
    assert told(only(check_paths(["scores.py"]), since("HEAD"))) == []
    (here / "people.py").write_text("def group_of(applicant):\n    return applicant.gender.lower()\n")
    report = only(check_paths(["scores.py"]), since("HEAD"))
    assert {step.path for one in report.findings for step in one.flow} == {"people.py", "scores.py"}


def test_standard_input_is_compared_and_not_the_file_of_its_name(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del here

    def run(text: str) -> int:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return main(["--isolated", "--diff", "HEAD", "-", "--stdin-filename", "scores.py"])

    assert run(POINTS) == 0
    assert run(POINTS.replace("-= 5", "-= 6")) == 1
    assert run(f"import os\n{POINTS}") == 0
    capsys.readouterr()


def test_what_one_has_changed_since_it_left_another(here: Path) -> None:
    git("checkout", "-q", "-b", "side")
    kept(here, "rent.py", AGE.encode())
    git("checkout", "-q", "-")
    kept(here, "other.py", AGE.encode())
    assert told(changed("side...")) == ["FL102"]
    with pytest.raises(UsageError, match="two revisions"):
        since("side..HEAD")


def test_a_git_that_does_not_answer_leaves_nothing_unchanged(here: Path) -> None:
    change = since("HEAD")
    shutil.rmtree(here / ".git")
    report = only(check_paths(["."]), change)
    assert told(report) == ["FL201"]
    assert "not a git repository" in report.wholly_changed[0].reason


@given(st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_changed_line_is_taken_for_unchanged(chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = state(chance, Path(folder) / "state")
        assert list(faults(made, asked(made))) == []


# ------------------------------------------------------------------------------------- diffs that are given


def of_diff(data: bytes, name: str = "scores.py") -> tuple[list[range], str]:
    """What a diff says of one file here."""
    found = in_diff(data, ".").touched({name: Asked(name)})[name]
    return list(found.ranges), found.reason


def plain_diff(*options: str) -> bytes:
    return subprocess.run(["git", "diff", *options], check=True, capture_output=True).stdout


FORMS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "coloured": ("--color=always",),
    "moved lines in colours": ("--color=always", "--color-moved", "--ws-error-highlight=all"),
    "another prefix": ("--src-prefix=old/", "--dst-prefix=new/"),
    "a long prefix": ("--src-prefix=one/old/", "--dst-prefix=two/new/"),
    "no prefix": ("--no-prefix",),
    "mnemonic": ("--src-prefix=i/", "--dst-prefix=w/"),
    "with a summary": ("--stat", "--patch", "--summary"),
    "without context": ("-U0",),
    "much context": ("-U100",),
    "with functions": ("-W", "--full-index"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "utf-16"])
@pytest.mark.parametrize("name", ["scores.py", "b/scores.py", "a b/c.py"])
def test_forms_of_a_diff_say_the_same(here: Path, form: str, ends: str, name: str) -> None:
    if name != "scores.py":
        kept(here, name)
    edited(here, name)
    data = plain_diff(*FORMS[form])
    if ends == "\r\n":
        data = data.replace(b"\n", b"\r\n")
    elif ends == "utf-16":
        data = data.decode().encode("utf-16")
    assert of_diff(data, name) == ([range(4, 5)], "")


REFUSED: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("--stat", "--name-only", "--raw", "--numstat", "--summary", "--check")},
    "words": ("--word-diff", "-U0"),
    "words, for programs": ("--word-diff=porcelain",),
}


@pytest.mark.parametrize("form", REFUSED)
def test_what_says_of_no_line_whether_it_is_new_is_refused(
    here: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    edited(here)
    (here / "scores.py").write_text(f"{(here / 'scores.py').read_text()} \n")
    data = subprocess.run(["git", "diff", *REFUSED[form]], check=False, capture_output=True).stdout
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data or b"some text")))
    assert main(["--isolated", "--no-cache", "--diff-file", "-", "."]) == 2
    output = capsys.readouterr()
    assert output.err.count("\n") == 1
    assert "the diff cannot be read" in output.err


HUNK = "@@ -4 +4 @@\n-        score -= 6\n+        score -= 5\n"
HEADS = "--- a/scores.py\n+++ b/scores.py\n"
BROKEN = {
    "another file": ("--- a/x.py\n+++ b/x.py\n" + HUNK, "no file that is here"),
    "a hunk alone": (HUNK, "belongs to no file"),
    "too short": (HEADS + HUNK[:-25], "amid a hunk"),
    "too long": (f"{HEADS}{HUNK}+more\n", "behind the end"),
    "numbers": (HEADS + HUNK.replace("-4 +4", "-4 +x"), "is none"),
    "many digits": (HEADS + HUNK.replace("+4", "+4" + "0" * 5_000), "is none"),
    "nothing changed": (f"{HEADS}@@ -4 +4 @@\n [-        score -= 6-]\n", "as in a diff by words"),
    "combined": ("diff --cc scores.py\n@@@ -1,1 -1,1 +1,1 @@@\n--x\n++y\n", "a combined diff"),
    "context": ("*** a/scores.py\n--- b/scores.py\n***************\n*** 4 ****\n", "a context diff"),
    "normal": ("4c4\n<         score -= 6\n---\n>         score -= 5\n", "names no file"),
    "a NUL": ('--- "a/scores\\000.py"\n+++ "b/scores\\000.py"\n' + HUNK, "a NUL"),
    "text": ("no diff at all\n", "names no file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_diff_that_is_not_understood_is_refused(here: Path, name: str) -> None:
    del here
    text, why = BROKEN[name]
    with pytest.raises(UsageError, match="the diff cannot be read") as refused:
        of_diff(text.encode())
    assert why in str(refused.value)


GIT_HEADS = "diff --git a/scores.py b/scores.py\nindex 1..2 100644\n"
OF_LINK = GIT_HEADS.replace("index", "new file mode 120000\nindex").replace(" 100644\n", "\n")
WHOLLY = {
    "binary": (f"{GIT_HEADS}Binary files a/scores.py and b/scores.py differ\n", "binary"),
    "binary patch": (f"{GIT_HEADS}GIT binary patch\ndelta 5\nMcmZ\n", "binary"),
    "binary, by diff -r": ("Binary files old/scores.py and new/scores.py differ\n", "binary"),
    "only in": ("Only in new: scores.py\n", "none of its lines"),
    "moved": (
        "diff --git a/x.txt b/scores.py\nsimilarity index 100%\nrename from x.txt\nrename to scores.py\n",
        "moved",
    ),
    "a link": (f"{OF_LINK}--- /dev/null\n+++ b/scores.py\n@@ -0,0 +1 @@\n+x\n", "a link"),
    "twice": (2 * (HEADS + HUNK), "more than once"),
    "heads alone": (GIT_HEADS, "none of its lines"),
    "a normal diff with heads": (
        "diff -r old/scores.py new/scores.py\n4c4\n< a\n---\n> b\n",
        "none of its lines",
    ),
}


@pytest.mark.parametrize("name", WHOLLY)
def test_a_file_whose_lines_a_diff_does_not_say_is_wholly_changed(here: Path, name: str) -> None:
    del here
    text, why = WHOLLY[name]
    ranges, reason = of_diff(text.encode())
    assert ranges == [WHOLE]
    assert why in reason


def test_files_of_a_submodule_are_wholly_changed(here: Path) -> None:
    of_another(here)
    for text in (
        "Submodule inner 1234567..89abcde:\n  > more\n",
        "diff --git a/inner b/inner\nindex 1..2 160000\n--- a/inner\n+++ b/inner\n@@ -1 +1 @@\n-1\n+2\n",
    ):
        assert of_diff(text.encode(), "inner/x.py")[0] == [WHOLE]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "diff --git a/scores.py b/scores.py\nold mode 100644\nnew mode 100755\n",
        "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    ],
)
def test_a_diff_may_change_no_line(here: Path, text: str) -> None:
    del here
    assert of_diff(text.encode()) == ([], "")


def test_a_diff_of_other_files_that_are_here_changes_none_of_these(here: Path) -> None:
    (here / "README.md").write_text("new\n")
    assert of_diff(b"--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-old\n+new\n") == ([], "")


def test_lines_beside_what_a_hunk_takes_out_amid_its_context(here: Path) -> None:
    del here
    lines = (
        " def f(x):",
        "     y = 0",
        "-    log()",
        "     if x:",
        "-        a",
        "+        b",
        "     return y",
    )
    text = "".join(f"{line}\n" for line in ("@@ -1,6 +1,5 @@", *lines))
    assert of_diff(f"{HEADS}{text}".encode()) == ([range(4, 5), range(2, 4)], "")


def test_patches_with_their_mails_are_read(here: Path) -> None:
    edited(here)
    git("commit", "-qam", "a message\n\n--- with lines\n+++ of its own\nand diff tools")
    assert of_diff(git("format-patch", "--stdout", "-1").encode() + b"\n") == ([range(4, 5)], "")
    assert of_diff(git("show").encode() + b"\n") == ([range(4, 5)], "")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (POINTS.encode("utf-16"), "its encoding"),
        (b"# coding: utf-7\n" + POINTS.encode(), "its encoding"),
        (POINTS.replace("\n", "\r").encode(), "a carriage return alone"),
    ],
)
def test_a_text_with_other_lines_than_the_diff_is_wholly_changed(here: Path, data: bytes, why: str) -> None:
    (here / "scores.py").write_bytes(data)
    ranges, reason = of_diff((HEADS + HUNK).encode())
    assert ranges == [WHOLE]
    assert why in reason
