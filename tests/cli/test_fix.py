"""`--fix`, `--unsafe-fixes` and `--diff-fixes`: what is written, how, and what is left."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fairlint.cli import fix as fix_command
from fairlint.cli import main

pytest.importorskip("libcst")

SCORE = """\
def points(applicant):
    score = applicant.years
    if applicant.gender == "male":
        score += 5
    return score  # fairlint: ignore[FL102] -- no more
"""
FIXED = """\
def points(applicant):
    score = applicant.years
    return score
"""
SAFE = SCORE.replace("  # fairlint: ignore[FL102] -- no more", "")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["--isolated", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_safe_fixes_change_no_program(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(SCORE)
    code, output, errors = run(capsys, "--fix", "--format", "concise", ".")
    assert (here / "a.py").read_text() == SAFE
    assert code == 1
    assert "FL201" in output
    assert "FL904" not in output
    assert errors == "a.py: fixed FL904 in line 5\nFixed 1 finding in 1 file.\n"


def test_unsafe_fixes_are_asked_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(SCORE)
    code, output, errors = run(capsys, "--fix", "--unsafe-fixes", ".")
    assert (here / "a.py").read_text() == FIXED
    assert (code, errors.splitlines()[-1]) == (0, "Fixed 2 findings in 1 file.")
    assert output.startswith("No findings")
    assert run(capsys, "--fix", "--unsafe-fixes", ".")[::2] == (0, "")
    assert (here / "a.py").read_text() == FIXED


def test_a_diff_can_be_applied(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(SCORE.rstrip("\n"))
    code, output, _ = run(capsys, "--diff-fixes", "--unsafe-fixes", ".")
    assert (code, (here / "a.py").read_text()) == (1, SCORE.rstrip("\n"))
    subprocess.run(["patch", "-p1"], input=output, text=True, check=True, cwd=here, capture_output=True)
    assert (here / "a.py").read_text() == FIXED.rstrip("\n")
    assert run(capsys, "--diff-fixes", "--unsafe-fixes", ".")[:2] == (0, "")


def test_standard_input_is_shown(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def given() -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SCORE.encode())))

    del here
    given()
    code, output, _ = run(capsys, "--diff-fixes", "-")
    assert code == 1
    assert "-    return score  # fairlint: ignore[FL102] -- no more\n+    return score\n" in output
    given()
    report = json.loads(run(capsys, "--unsafe-fixes", "--format", "json", "-")[1])
    assert [one["fix"]["applicability"] for one in report["findings"]] == ["unsafe", "safe"]


def test_without_being_asked_nothing_is_worked_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(SCORE)
    report = json.loads(run(capsys, "--format", "json", ".")[1])
    assert [one["fix"] for one in report["findings"]] == [None, None]
    told = "= possible fix: delete the points by group where nothing else is done (--fix --unsafe-fixes)"
    assert told in run(capsys, ".")[1]
    assert (
        "= fix available: delete what changes `score` by group (--fix --unsafe-fixes)"
        in run(capsys, "--unsafe-fixes", ".")[1]
    )
    assert (here / "a.py").read_text() == SCORE


def test_only_what_is_told_is_fixed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(SCORE)
    assert run(capsys, "--fix", "--unsafe-fixes", "--select", "FL904", ".")[0] == 0
    assert (here / "a.py").read_text() == SAFE
    assert main(["baseline", "create", "--isolated", "."]) == 0
    assert run(capsys, "--fix", "--unsafe-fixes", ".")[0] == 0
    assert (here / "a.py").read_text() == SAFE


ENCODINGS = {
    "CRLF": SCORE.replace("\n", "\r\n").encode(),
    "a byte-order mark": b"\xef\xbb\xbf" + SCORE.encode(),
    "tabs": SCORE.replace("    ", "\t").encode(),
    "no newline at the end": SCORE.rstrip("\n").encode(),
    "form feeds": SCORE.replace("def", "\f\ndef").encode(),
    "Latin-1": ("# -*- coding: latin-1 -*-\n# caf\xe9\n" + SCORE).encode("latin-1"),
    "UTF-16": (SCORE + "# caf\xe9 \U0001f600\n").encode("utf-16"),
    "undeclared": b"# caf\xe9\n" + SCORE.encode(),
    "wide": ("# \u8d37\u6b3e \U0001f600\n" + SCORE).encode(),
    "escapes": SCORE.encode() + b'PATTERN = "\\d"\n',
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_rest_of_a_file_stays_as_it_was(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    before = ENCODINGS[name]
    (here / "a.py").write_bytes(before)
    (here / "a.py").chmod(0o754)
    run(capsys, "--fix", "--unsafe-fixes", ".")
    encoding = {"UTF-16": "utf-16", "Latin-1": "latin-1", "undeclared": "latin-1"}.get(name, "utf-8")
    newline = "\r\n" if name == "CRLF" else "\n"
    indent = "\t" if name == "tabs" else "    "
    text = before.decode(encoding)
    branch = f'{indent}if applicant.gender == "male":{newline}{indent * 2}score += 5{newline}'
    assert branch in text
    expected = text.replace(branch, "").replace("  # fairlint: ignore[FL102] -- no more", "")
    assert (here / "a.py").read_bytes() == expected.encode(encoding)
    assert stat.S_IMODE((here / "a.py").stat().st_mode) == 0o754
    assert [path.name for path in here.iterdir() if path.name.endswith(".tmp")] == []


def test_what_is_not_ours_to_change_is_left(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "generated.py").write_text("# Code generated by protoc. DO NOT EDIT.\n" + SCORE)
    (here / "ignored.py").write_text(SCORE)
    (here / ".gitignore").write_text("ignored.py\n")
    files = ["generated.py", "ignored.py"]
    code, _, errors = run(capsys, "--fix", "--unsafe-fixes", *files)
    assert code == 1
    assert errors.splitlines() == [
        "generated.py: left as it is: it says that a program wrote it",
        "ignored.py: left as it is: it is excluded, or git ignores it",
    ]
    assert (here / "ignored.py").read_text() == SCORE


def test_no_link_leads_a_fix_out_of_the_repository(
    here: Path, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.py").write_text(SCORE)
    (here / "link.py").symlink_to(outside / "a.py")
    (here / "folder").symlink_to(outside)
    for path in ("link.py", "folder/a.py"):
        errors = run(capsys, "--fix", "--unsafe-fixes", path)[2]
        assert errors == f"{path}: left as it is: a symbolic link leads out of the repository\n"
    assert (outside / "a.py").read_text() == SCORE
    (here / "real.py").write_text(SCORE)
    (here / "inside.py").symlink_to("real.py")
    run(capsys, "--fix", "--unsafe-fixes", "inside.py")
    assert (here / "inside.py").is_symlink()
    assert (here / "real.py").read_text() == FIXED


def test_a_file_that_changes_meanwhile_is_left(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.py").write_text(SCORE)
    asked = fix_command._file_changes

    def changes(*arguments: object, **options: object) -> object:
        for one in asked(*arguments, **options):  # type: ignore[arg-type]
            (here / "a.py").write_text("x = 1\n")
            yield one

    monkeypatch.setattr(fix_command, "_file_changes", changes)
    assert "a.py: left as it is: it was changed meanwhile" in run(capsys, "--fix", ".")[2]
    assert (here / "a.py").read_text() == "x = 1\n"


@pytest.mark.parametrize("form", ["lines", "text"])
@pytest.mark.parametrize("indent", [None, 1])
def test_the_cells_of_a_notebook_are_changed_and_nothing_else_is(
    here: Path, capsys: pytest.CaptureFixture[str], form: str, indent: int | None
) -> None:
    def written(code: str) -> str:
        first = "import pandas as pd\n%matplotlib inline\n"
        sources = [first, "# prose \u00e9\n", code]
        cells: list[dict[str, object]] = [
            {
                "cell_type": "markdown" if at == 1 else "code",
                "metadata": {"tags": ["a"]},
                "source": source if form == "text" else source.splitlines(keepends=True),
                **({} if at == 1 else {"outputs": [{"text": "if x:\n"}], "execution_count": at}),
            }
            for at, source in enumerate(sources)
        ]
        whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(whole, indent=indent, ensure_ascii=indent is None) + "\n"

    (here / "a.ipynb").write_text(written(SCORE.rstrip("\n")))
    report = json.loads(run(capsys, "--unsafe-fixes", "--format", "json", ".")[1])
    assert [one["fix"]["applicability"] for one in report["findings"]] == ["unsafe", "safe"]
    code, _, errors = run(capsys, "--fix", "--unsafe-fixes", ".")
    assert (code, errors.splitlines()[-1]) == (0, "Fixed 2 findings in 1 file.")
    assert (here / "a.ipynb").read_text() == written(FIXED.rstrip("\n"))


def test_the_last_line_of_a_cell_goes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def written(*lines: str) -> str:
        cell: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": [], "source": lines}
        return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)

    unused = "# fairlint: ignore[FL102] -- no more"
    (here / "a.ipynb").write_text(written("x = 1\n", unused))
    assert run(capsys, "--fix", ".")[0] == 0
    assert (here / "a.ipynb").read_text() == written("x = 1\n")
    (here / "a.ipynb").write_text(written(unused))
    assert run(capsys, "--fix", ".")[0] == 0
    assert (here / "a.ipynb").read_text() == written("")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fix", "-"), "cannot change standard input"),
        (("--fix", "--diff-fixes", "."), "cannot be used with"),
        (("--fix", "--add-ignore", "--reason", "x", "."), "cannot be used with"),
        (("--fix", "--diff-file", "x", "."), "--diff-file"),
    ],
)
def test_wrong_use_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    del here
    code, _, errors = run(capsys, *arguments)
    assert (code, errors.count("\n")) == (2, 1)
    assert message in errors
