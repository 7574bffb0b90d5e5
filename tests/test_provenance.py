"""What reports say of the code that they are about, of the settings, and of when they were made."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from programs import POINTS

from fairlint.checking import inputs
from fairlint.cli import main
from fairlint.plugins import manager
from fairlint.reporters import json as json_report
from fairlint.support import checkouts
from fairlint.support.checkouts import NO_GIT, State, public_address, states

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is asked")

SCHEMA: dict[str, Any] = json.loads(json_report.schema())
DATED = {"GIT_COMMITTER_DATE": "2026-02-03T12:00:00Z", "GIT_AUTHOR_DATE": "2026-02-01T12:00:00Z"}


def git(folder: Path, *arguments: str) -> str:
    user = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
    done = subprocess.run(
        ["git", *user, *arguments], cwd=folder, env={**os.environ, **DATED}, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def committed(folder: Path, **files: str) -> Path:
    """A repository with some files, `_` standing for a dot, in one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", ".")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    repository = committed(tmp_path / "here", a_py=POINTS, b_py="x = 1\n", c_txt="c\n")
    monkeypatch.chdir(repository)
    return repository


def provenance(*arguments: str, form: str = "json") -> Any:
    target = Path.cwd().parent / "report.out"
    assert main(["--no-cache", "--format", form, "-q", "-o", str(target), *arguments]) in {0, 1}
    document = json.loads(target.read_text("utf-8"))
    target.unlink()
    if form == "sarif":
        return document["runs"][0]
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document["provenance"]


def state(*paths: str, checked: tuple[str, ...] = ("a.py", "b.py")) -> State:
    (one,) = states(paths or ["."], checked)
    return one


# ----------------------------------------------------------------------------------------- which code it is


def test_a_report_names_the_repository_the_commit_and_the_branch(here: Path) -> None:
    git(here, "remote", "add", "other", "https://example.org/other.git")
    git(here, "remote", "add", "origin", "https://robot:s3cret@example.org/team/loans.git")
    (told,) = provenance(".")["checkouts"]
    assert told == {
        "folder": ".",
        "repository": "https://example.org/team/loans.git",
        "commit": git(here, "rev-parse", "HEAD"),
        "committed": "2026-02-03T12:00:00Z",
        "branch": "main",
        "dirty": False,
        "changed": 0,
        "changed_files": [],
        "uncompared": 0,
        "reason": None,
    }


def test_no_format_tells_a_password(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(here, "remote", "add", "origin", "https://robot:s3cret@example.org/team/loans.git?token=t0ken#s3cret")
    for form in ("json", "sarif", "html"):
        main(["--no-cache", "--format", form, "."])
        text = capsys.readouterr().out.replace("<wbr>", "")
        assert "https://example.org/team/loans.git" in text
        assert not any(secret in text for secret in ("s3cret", "robot", "t0ken"))


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://example.org/a/b.git", "https://example.org/a/b.git"),
        ("https://t0ken@example.org/a", "https://example.org/a"),
        ("https://name:pass:word@example.org:8443/a", "https://example.org:8443/a"),
        ("https://name:p@ss@example.org/a", "https://example.org/a"),
        ("https://name:pa/ss@example.org/a", None),
        ("https://na#me:x@example.org/a", None),
        ("https://name:pa?ss@example.org/a", None),
        ("https://example.org/a b", "https://example.org/a%20b"),
        ("ssh://git@example.org:22/a", "ssh://example.org:22/a"),
        ("ssh://git@[::1]:22/a", "ssh://[::1]:22/a"),
        ("git@example.org:a/b.git", "ssh://example.org/a/b.git"),
        ("name:word@example.org:a/b.git", "ssh://example.org/a/b.git"),
        ("/srv/git/a.git", None),
        ("../a", None),
        ("C:/a", None),
        ("file:///srv/a", None),
        ("ext::sh -c true", None),
        ("https://example.org/a\n", None),
        ("https://", None),
        ("", None),
        ("https://example.org/" + "a" * 3_000, None),
    ],
)
def test_an_address_is_told_without_names_and_passwords(address: str, told: str | None) -> None:
    assert public_address(address) == told


def test_a_commit_that_is_on_no_branch(here: Path) -> None:
    git(here, "checkout", "-q", "--detach")
    assert state().branch is None
    assert state().commit == git(here, "rev-parse", "HEAD")


def test_a_repository_without_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q", "-b", "first", ".")
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(POINTS)
    (told,) = provenance(".")["checkouts"]
    assert (told["commit"], told["branch"], told["dirty"], told["changed"]) == (None, "first", True, 1)
    assert told["reason"] == "no commit yet"


@pytest.mark.parametrize("form", ["json", "sarif", "html"])
def test_without_git_a_report_says_so(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(POINTS)
    assert main(["--no-cache", "--format", form, "."]) == 1
    output = capsys.readouterr()
    assert NO_GIT in output.out
    assert output.err == ""


def test_a_git_that_is_not_installed_is_a_reason(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del here
    monkeypatch.setenv("PATH", "")
    (told,) = provenance("a.py")["checkouts"]
    assert told["commit"] is None
    assert told["dirty"] is None
    assert told["reason"] == "git cannot be run: it is in no folder of PATH"


def test_a_linked_working_tree_has_a_commit_and_a_branch_of_its_own(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(here, "remote", "add", "origin", "https://example.org/a.git")
    git(here, "worktree", "add", "-q", "-b", "side", "../side")
    monkeypatch.chdir(here.parent / "side")
    Path("b.py").write_text("x = 2\n")
    told = state()
    assert (told.branch, told.address, told.changed) == ("side", "https://example.org/a.git", ("b.py",))


def test_a_submodule_is_a_checkout_of_its_own(here: Path) -> None:
    inner = committed(here.parent / "inner", d_py=POINTS)
    git(here, "submodule", "--quiet", "add", str(inner), "lib")
    git(here, "commit", "-qm", "lib")
    outer, sub = states(["."], ["a.py", "lib/d.py"])
    assert not outer.is_dirty
    assert not sub.is_dirty
    assert sub.commit == git(inner, "rev-parse", "HEAD")
    Path("lib/d.py").write_text("x = 3\n")
    git(here / "lib", "commit", "-qam", "other")
    outer, sub = states(["."], ["a.py", "lib/d.py"])
    assert outer.changed == ("lib",)
    assert sub.changed == ()


# ------------------------------------------------------------------------------------------ what is changed


@pytest.mark.usefixtures("here")
def test_what_is_not_as_committed_is_counted() -> None:
    Path("a.py").write_text(f"{POINTS}\n")
    Path("b.py").unlink()
    Path("new.py").write_text("y = 1\n")
    Path("notes.txt").write_text("nobody checks this\n")
    told = state(checked=("a.py", "new.py"))
    assert told.changed == ("a.py", "b.py", "new.py")
    assert told.is_dirty


def test_an_index_that_says_so_does_not_make_a_file_unchanged(here: Path) -> None:
    git(here, "update-index", "--assume-unchanged", "a.py")
    git(here, "update-index", "--skip-worktree", "b.py")
    Path("a.py").write_text(f"{POINTS}\n")
    Path("b.py").write_text("x = 3\n")
    assert git(here, "status", "--short") == ""
    assert state().changed == ("a.py", "b.py")


def test_files_elsewhere_do_not_count(here: Path) -> None:
    (here / "sub").mkdir()
    (here / "sub/d.py").write_text("x = 1\n")
    git(here, "add", ".")
    git(here, "commit", "-qm", "sub")
    Path("a.py").write_text("x = 3\n")
    assert state("sub", checked=("sub/d.py",)).changed == ()
    assert state("sub", "a.py", checked=("sub/d.py", "a.py")).changed == ("a.py",)


@pytest.mark.usefixtures("here")
def test_line_endings_that_git_changes_do_not_count() -> None:
    Path("a.py").write_bytes(POINTS.replace("\n", "\r\n").encode())
    assert state().changed == ()


def test_a_file_that_lfs_keeps_is_compared_with_its_pointer(here: Path) -> None:
    data = b"large\n"
    pointer = (
        "version https://git-lfs.github.com/spec/v1\n"
        f"oid sha256:{hashlib.sha256(data).hexdigest()}\nsize {len(data)}\n"
    )
    Path("c.txt").write_text(pointer)
    git(here, "commit", "-qam", "lfs")
    Path("c.txt").write_bytes(data)
    assert state().changed == ()
    Path("c.txt").write_bytes(b"other\n")
    assert state().changed == ("c.txt",)


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
def test_links_and_pipes_are_not_followed_and_not_waited_for(here: Path) -> None:
    (here / "sub").mkdir()
    (here / "sub/d.py").write_text("x = 1\n")
    (here / "link.py").symlink_to("b.py")
    git(here, "add", ".")
    git(here, "commit", "-qm", "sub")
    assert state().changed == ()
    shutil.move("sub", "../moved")
    Path("sub").symlink_to("../moved")
    Path("link.py").unlink()
    Path("link.py").symlink_to("a.py")
    Path("b.py").unlink()
    os.mkfifo("b.py")
    assert state(checked=("a.py",)).changed == ("b.py", "link.py", "sub/d.py")


@pytest.mark.usefixtures("here")
def test_what_is_too_much_to_compare_is_not_called_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkouts, "MOST_BYTES", 1)
    told = state()
    assert told.uncompared == 2
    assert told.is_dirty is None


def test_more_repositories_than_git_is_asked_about_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checkouts, "MOST_CHECKOUTS", 1)
    for name in ("one", "two"):
        committed(tmp_path / name, a_py="x = 1\n")
    first, second = states(["one", "two"], ["one/a.py", "two/a.py"])
    assert first.commit
    assert second.reason == "git is asked about 1 repositories at most"
    assert second.is_dirty is None


@pytest.mark.usefixtures("here")
def test_code_on_standard_input_is_of_no_commit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(POINTS.encode())))
    assert main(["--no-cache", "--format", "json", "-"]) == 1
    (told,) = json.loads(capsys.readouterr().out)["provenance"]["checkouts"]
    assert told["dirty"] is None
    assert told["reason"] == "the code came by standard input"


# ------------------------------------------------------------------------------- when, by what, and in which


def test_settings_have_their_origin(here: Path) -> None:
    (here / "sub").mkdir()
    (here / "sub/d.py").write_text("x = 1\n")
    (here / "fairlint.toml").write_text('domain = "hiring"\n')
    (here / "sub/fairlint.toml").write_text('domain = "credit"\n')
    told = provenance("--min-severity", "note", ".")
    both = {one["configuration"]: one["settings"] for one in told["settings"]}
    assert both["fairlint.toml"]["domain"] == {
        "value": "hiring", "origins": ["fairlint.toml"], "scope": "file",
    }  # fmt: skip
    assert both["sub/fairlint.toml"]["domain"]["value"] == "credit"
    assert both["fairlint.toml"]["min-severity"]["origins"] == ["the command line"]
    assert both["fairlint.toml"]["persona"]["origins"] == []


def test_the_sums_are_those_of_what_findings_are_judged_by(here: Path) -> None:
    before = provenance("--isolated", ".")["sha256"]
    assert provenance("--isolated", "--jobs", "1", ".")["sha256"] == before
    other = provenance("--isolated", "--domain", "credit", ".")["sha256"]
    assert {name for name in before if before[name] != other[name]} == {"settings", "all"}
    (here / "words.toml").write_text('[attributes.star_sign]\nstrong = ["star sign"]\n')
    (here / "fairlint.toml").write_text('vocabulary = ["words.toml"]\n')
    named = provenance(".")["sha256"]
    assert {name for name in before if before[name] != named[name]} == {"vocabulary", "settings", "all"}
    (here / "words.toml").write_text('[attributes.star_sign]\nstrong = ["zodiac"]\n')
    again = provenance(".")["sha256"]
    assert {name for name in named if named[name] != again[name]} == {"vocabulary", "all"}


@pytest.mark.usefixtures("here")
def test_tables_of_plugins_may_have_any_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = inputs.sums([], [])
    monkeypatch.setattr(manager, "attribute_tables", lambda: ({1: {None: 2}, "a": (Path("x"),)},))
    after = inputs.sums([], [])
    assert {name for name in before if before[name] != after[name]} == {"vocabulary", "all"}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("given", ["1767225600", "9" * 30, "-1", "soon", ""])
def test_the_date_is_that_of_the_variable_or_of_the_clock(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    told = provenance(".")
    is_said = given == "1767225600"
    assert told["dated_by"] == ("SOURCE_DATE_EPOCH" if is_said else "clock")
    assert (told["date"] == "2026-01-01T00:00:00Z") == is_said


@pytest.mark.usefixtures("here")
def test_a_report_of_changed_lines_says_so() -> None:
    Path("a.py").write_text(f"\n{POINTS}")
    assert provenance("--diff", "HEAD", ".")["changed_since"] == "HEAD"
    assert provenance(".")["changed_since"] is None


def test_sarif_has_it_where_the_standard_has_a_place(here: Path) -> None:
    git(here, "remote", "add", "origin", "git@example.org:team/loans.git")
    run = provenance(".", form="sarif")
    assert run["versionControlProvenance"] == [
        {
            "repositoryUri": "ssh://example.org/team/loans.git",
            "revisionId": git(here, "rev-parse", "HEAD"),
            "branch": "main",
            "mappedTo": {"uri": "./", "uriBaseId": "%SRCROOT%"},
        }
    ]
    assert run["invocations"][0]["endTimeUtc"] == run["properties"]["provenance"]["date"]
    git(here, "remote", "set-url", "origin", str(here.parent / "elsewhere"))
    run = provenance(".", form="sarif")
    assert "versionControlProvenance" not in run  # an entry needs an address
    assert run["properties"]["provenance"]["checkouts"][0]["branch"] == "main"


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script of sh")
@pytest.mark.parametrize("form", ["text", "concise", "github", "json-lines", "markdown"])
def test_formats_that_do_not_say_it_do_not_ask_git(
    form: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mark, folder = here.parent / "ASKED", here.parent / "bin"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n: > '{mark}'\nexit 1\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    assert main(["--no-cache", "--format", form, "."]) == 1
    assert not mark.exists()
    main(["--no-cache", "--format", "json", "."])
    assert mark.exists()
    capsys.readouterr()
