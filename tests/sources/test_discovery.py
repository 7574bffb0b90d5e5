"""Which files are checked: what a user names, what lies below it, and what is left out on purpose."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from fairlint.config import Settings
from fairlint.sources.discovery import discover
from fairlint.support.errors import UsageError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")


def found(*paths: str, settings: Settings | None = None) -> list[str]:
    return [file.shown for file in discover(paths or ["."], settings or Settings()).files]


def skipped(*paths: str) -> list[tuple[str, str]]:
    return [(one.path, one.reason) for one in discover(paths or ["."], Settings()).skipped]


def write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))


def test_folders_are_walked_in_a_fixed_order(here: Path) -> None:
    make(here, "b.py", "a/z.c", "a/y.h", "a/b/x.pyi", "c.pyw", "notes.txt", "UPPER.PY", ".hidden.py")

    assert found() == [".hidden.py", "UPPER.PY", "a/b/x.pyi", "a/y.h", "a/z.c", "b.py", "c.pyw"]
    assert found(".") == found("a", "b.py", "c.pyw", "UPPER.PY", ".hidden.py") == found(str(here))


def test_languages_follow_suffixes(here: Path) -> None:
    make(here, "a.py", "b.c", "c.h", "d.pyi")

    assert [file.language for file in discover(["."], Settings()).files] == ["python", "c", "c", "python"]


def test_paths_outside_the_current_folder_are_shown_whole(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(here, "a/x.py", "b/y.py")
    monkeypatch.chdir(here / "a")

    assert found("../b") == [f"{here}/b/y.py"]
    assert found("./x.py") == ["x.py"]


@pytest.mark.parametrize(
    "program", ["/usr/bin/env -S python3 -u", "/usr/bin/env -S uv run --script", f"{'/' * 300}usr/bin/pypy3"]
)
def test_a_suffixless_script_is_known_by_its_first_line_if_named(here: Path, program: str) -> None:
    (here / "tool").write_text(f"#!{program}\nx = 1\n")
    (here / "other").write_text("#!/bin/sh\n")
    make(here, "a.py")

    assert found("tool") == ["tool"]
    assert found(".") == ["a.py"]
    assert skipped("other", "a.py") == [
        ("other", "no known language: neither its suffix nor its first line says Python or C")
    ]


@pytest.mark.parametrize("name", [".git", ".venv", "node_modules", "__pycache__", ".tox", "site-packages"])
def test_folders_with_nobodys_own_code_are_left_out(here: Path, name: str) -> None:
    make(here, f"{name}/x.py", f"deep/{name}/x.py", "mine.py")

    assert found() == ["mine.py"]
    assert found(name) == [f"{name}/x.py"], "unless they are asked for"


def test_virtual_environments_are_known_by_their_configuration(here: Path) -> None:
    make(here, "env39/pyvenv.cfg", "env39/lib/x.py", "mine.py")

    assert found() == ["mine.py"]


def test_gitignore_is_respected(here: Path) -> None:
    make(here, "keep.py", "gen/a.py", "sub/gen.py", "sub/kept.py", "sub/deep/b.py", "top.py", "sub/top.py")
    write(here / ".gitignore", ["# generated", "gen/", "/top.py", "*.pyi", ""])
    write(here / "sub/.gitignore", ["deep", "gen.py", ""])

    assert found() == ["keep.py", "sub/kept.py", "sub/top.py"]
    assert found("top.py", "keep.py") == ["keep.py", "top.py"], "a named file is always taken"


def test_an_inner_gitignore_takes_back_what_an_outer_one_leaves_out(here: Path) -> None:
    make(here, "a.py", "sub/a.py")
    write(here / ".gitignore", ["a.py"])
    write(here / "sub/.gitignore", ["!a.py"])

    assert found() == ["sub/a.py"]


def test_gitignore_above_the_folder_counts_up_to_the_repository(here: Path) -> None:
    make(here, "repo/.git/config", "repo/src/pkg/a.py", "repo/src/pkg/b.py", "repo/src/pkg/c.py")
    write(here / ".gitignore", ["c.py"])
    write(here / "repo/.gitignore", ["a.py"])
    write(here / "repo/.git/info/exclude", ["src/pkg/b.py"])

    assert found("repo/src/pkg") == ["repo/src/pkg/c.py"], "the outermost is not this repository's"


def test_an_ignored_folder_is_walked_if_it_is_named(here: Path) -> None:
    make(here, ".git/config", "out/gen/a.py", "out/gen/b.py")
    write(here / ".gitignore", ["out/", "b.py"])
    write(here / "out/gen/.gitignore", ["b.py"])

    assert found("out") == ["out/gen/a.py"]
    assert found("out/gen") == ["out/gen/a.py"]
    with pytest.raises(UsageError, match="no Python or C file"):
        discover(["."], Settings())


def test_gitignore_can_be_switched_off(here: Path) -> None:
    make(here, "a.py")
    write(here / ".gitignore", ["a.py"])

    assert found(settings=Settings(respect_gitignore=False)) == ["a.py"]


@pytest.mark.parametrize(
    "line", ["*.py[[:nope:]]", "a[z-a].py", "[", "!", "b\\", "\xff\xfe", "a.py[[:alpha:"]
)
def test_a_line_that_can_match_nothing_leaves_the_others_as_they_are(here: Path, line: str) -> None:
    make(here, "a.py", "b.py")
    (here / ".gitignore").write_bytes(f"{line}\nb.py\n".encode("latin-1"))

    assert found() == ["a.py"]
    assert skipped() == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such thing here")
def test_a_gitignore_that_is_no_plain_file_is_named(here: Path) -> None:
    make(here, "a.py", "pipe/b.py", "link/c.py", "large/d.py")
    os.mkfifo(here / "pipe/.gitignore")
    (here / "rules").write_text("*\n")
    (here / "link/.gitignore").symlink_to(here / "rules")
    (here / "large/.gitignore").write_text("*\n" * 600_000)

    assert found() == ["a.py", "large/d.py", "link/c.py", "pipe/b.py"]
    assert skipped() == [
        ("large/.gitignore", "larger than 200,000 bytes: its rules are not used"),
        ("link/.gitignore", "a symbolic link: its rules are not used"),
        ("pipe/.gitignore", "not a regular file: its rules are not used"),
    ]


def test_the_users_patterns_are_relative_to_the_root(here: Path) -> None:
    make(here, "src/a.py", "src/gen/b.py", "old/c.py", "node_modules/d.py")

    assert found(settings=Settings(extend_exclude=("src/gen", "/old"))) == ["src/a.py"]
    assert found(settings=Settings(exclude=("old/",))) == ["node_modules/d.py", "src/a.py", "src/gen/b.py"]
    assert found("old/c.py", settings=Settings(exclude=("old/",))) == ["old/c.py"]


def test_force_exclude_leaves_out_named_files_too(here: Path) -> None:
    make(here, "old/c.py", "a.py", ".venv/x.py")
    settings = Settings(extend_exclude=("old",), force_exclude=True)

    assert found("old/c.py", "a.py", ".venv/x.py", settings=settings) == ["a.py"]
    assert found("old/c.py", settings=settings) == [], "nothing left is no mistake then"


def test_each_file_comes_once(here: Path) -> None:
    make(here, "real/a.py")
    (here / "link.py").symlink_to("real/a.py")
    (here / "again").symlink_to("real")

    assert found("real", "real/a.py", ".", "./real/../real/a.py") == ["real/a.py"]
    assert found() == ["real/a.py"], "by its own name"
    assert found("link.py") == ["link.py"]
    assert found("again") == ["again/a.py"]


def test_circles_of_links_end(here: Path) -> None:
    make(here, "a/b/x.py")
    (here / "a/b/up").symlink_to("../..")
    (here / "self.py").symlink_to("self.py")
    (here / "gone.py").symlink_to("nowhere.py")

    assert found() == ["a/b/x.py"]
    assert skipped() == [
        ("gone.py", "a symbolic link to nothing"),
        ("self.py", "symbolic links that lead in a circle"),
    ]
    assert skipped("self.py", "a")[0][0] == "self.py"


def test_what_only_looks_like_a_file_is_no_file(here: Path) -> None:
    make(here, "folder.py/inner.py", "a.py")
    os.mkfifo(here / "pipe.py")

    assert found() == ["a.py", "folder.py/inner.py"]
    assert skipped() == [("pipe.py", "not a regular file")]
    assert skipped("pipe.py", "a.py") == [("pipe.py", "not a regular file")]


def test_names_can_be_anything(here: Path) -> None:
    names = [b"new\nline.py", b"esc\x1b[31m.py", b"bad\xff.py", "größe.py".encode(), b" .py", b"-x.py"]
    for name in names:
        with open(os.fsencode(here) + b"/" + name, "wb"):  # noqa: PTH123
            pass

    assert sorted(map(os.fsencode, found())) == sorted(names)


def test_a_file_is_taken_once_however_it_is_come_by(here: Path) -> None:
    make(here, "p/a.py", "p/b.py", "p/q/c.py", "other.py")
    (here / ".git").mkdir()
    (here / ".gitignore").write_text("b.py\n")
    (here / "p" / "link.py").symlink_to("a.py")
    (here / "p" / "q" / "out.py").symlink_to("../../other.py")

    assert found("p/a.py", "p") == ["p/a.py", "p/q/c.py", "p/q/out.py"]
    assert found("p", "p/a.py", "p/b.py") == ["p/a.py", "p/b.py", "p/q/c.py", "p/q/out.py"]
    assert found("p/q", "p/a.py", "p", "p/q/c.py") == ["p/a.py", "p/q/c.py", "p/q/out.py"]
    assert found("p", "other.py") == ["other.py", "p/a.py", "p/q/c.py"]


def test_an_unreadable_folder_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(here, "a.py", "secret/b.py")
    scan = os.scandir

    def refuse(path: str) -> object:
        if os.fspath(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)

    assert found() == ["a.py"]
    assert skipped() == [("secret", "cannot be read: Permission denied")]


@pytest.mark.parametrize("path", ["nowhere", "nowhere/x.py", "a.py/x.py", "", "nul\0byte"])
def test_a_path_that_does_not_exist_is_a_usage_error(here: Path, path: str) -> None:
    make(here, "a.py")

    with pytest.raises(UsageError, match="no such file or folder"):
        discover(["a.py", path], Settings())


def test_nothing_to_check_is_a_usage_error(here: Path) -> None:
    make(here, "docs/readme.md")

    with pytest.raises(UsageError, match=r"^no Python or C file to check in docs, \.$"):
        discover(["docs", "."], Settings())
    with pytest.raises(UsageError, match=r"^no file to check: docs/readme.md: no known language"):
        discover(["docs/readme.md"], Settings())
    with pytest.raises(UsageError, match=r"no Python or C file"):
        discover([], Settings())
