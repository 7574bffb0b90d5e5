"""CODEOWNERS, as GitHub's and GitLab's documentation describe it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fairlint.reporters.owners import Owners, owners_in

EXAMPLE = b"""\
# a comment
*       @global-owner1 @global-owner2
*.js    @js-owner #an inline comment
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("a.py", ("@global-owner1", "@global-owner2")),
        ("deep/er/a.js", ("@js-owner",)),
        ("a.go", ("docs@example.com",)),
        ("x/a.txt", ("@octo-org/octocats",)),
        ("build/logs/a.py", ("@octocat",)),  # **/logs comes later
        ("build/logs/deep/a.py", ("@octocat",)),
        ("docs/a.md", ("@doctocat",)),
        ("docs/build/a.md", ("@doctocat",)),
        (
            "x/docs/a.md",
            ("@global-owner1", "@global-owner2"),
        ),  # a slash within it holds a pattern at the root
        ("x/apps/a.py", ("@octocat",)),
        ("scripts/a.py", ("@doctocat", "@octocat")),
        ("deeply/nested/logs/a.py", ("@octocat",)),
        ("apps/a.py", ("@octocat",)),
        ("apps/github/a.py", ()),  # a line without owners takes them away
        ("logs", ("@octocat",)),
    ],
)
def test_the_last_line_that_is_about_a_path_counts(path: str, owners: tuple[str, ...]) -> None:
    assert Owners(EXAMPLE).of(path) == owners


def test_a_star_behind_a_folder_is_about_its_own_files_alone() -> None:
    owners = Owners(b"docs/* @a\nall/** @b\n")
    assert owners.of("docs/a.md") == ("@a",)
    assert owners.of("docs/sub/a.md") == ()
    assert owners.of("all/sub/a.md") == ("@b",)


def test_blanks_in_names_and_case() -> None:
    owners = Owners(rb"/my\ files/ @a" + b"\nREADME.md @b\n")
    assert owners.of("my files/x.py") == ("@a",)
    assert owners.of("readme.md") == ()


@pytest.mark.parametrize(
    "line", ["*.py notanowner", "!*.py @b", r"\#x.py @b", "[ab].py @b", "*.p[xy] @b", "*.py @b x"]
)
def test_lines_that_github_cannot_read_are_passed_over(line: str) -> None:
    owners = Owners(f"*.py @a\n{line}\n".encode())
    assert owners.of("a.py") == ("@a",)


def test_sections_of_gitlab() -> None:
    owners = Owners(
        b"* @all\n[Code][2] @default @second\n*.py\n*.c @c\n"
        b"^[Docs]\n*.md @docs\n*.py @docs-too\n[code]\nx.py @x\n"
    )
    assert owners.of("a.py") == ("@all", "@default", "@second", "@docs-too")
    assert owners.of("a.c") == ("@all", "@c")
    assert owners.of("x.py") == ("@all", "@x", "@docs-too")


def test_it_is_looked_for_where_github_and_gitlab_do(tmp_path: Path) -> None:
    assert owners_in(str(tmp_path)) is None
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "CODEOWNERS").write_text("* @docs\n")
    found = owners_in(str(tmp_path))
    assert found is not None
    assert found.of("a") == ("@docs",)
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "CODEOWNERS").write_text("* @github\n")
    found = owners_in(str(tmp_path))
    assert found is not None
    assert found.of("a") == ("@github",)


@pytest.mark.parametrize(
    "data", [b"", b"\xef\xbb\xbf*.py @a\n", b"\x00\xff @a\n", b"[", b"^[\n]", b"@a", b"\\\n", b"* " * 9]
)
def test_strange_files_do_no_harm(data: bytes) -> None:
    assert Owners(data).of("a/b.py") in {(), ("@a",)}


def test_hostile_patterns_take_no_time() -> None:
    owners = Owners(b"".join(b"%s%d @a\n" % (b"*a" * 40, at) for at in range(500)))
    before = time.process_time()
    assert owners.of("a" * 5_000) == ()
    assert time.process_time() - before < 5
