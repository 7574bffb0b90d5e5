"""Inputs that nobody would write by hand: each gets a clear line, and the other files are still checked."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from fairlint.checking import checker
from fairlint.checking.file_result import Candidate, FileResult
from fairlint.checking.runner import check_paths
from fairlint.config import Settings
from fairlint.findings.report import Report
from fairlint.sources.files_to_check import File

GOOD = """\
def score(applicant):
    points = 0
    if applicant.gender == "male":
        points += 5
    return points
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.py").write_text(GOOD)
    return tmp_path


def checked(settings: Settings | None = None) -> Report:
    """The report on everything; whatever else is there, `good.py` is checked and nothing breaks."""
    report = check_paths(["."], settings)
    assert [finding.line_hash for finding in report.findings if finding.path == "good.py"]
    assert not report.failed, report.not_analysed
    return report


def reasons(report: Report) -> dict[str, str]:
    return {one.path: one.reason for one in report.not_analysed}


@pytest.mark.parametrize("opening", ["[", "(", "{", "-", "not ", "f(", "a[", "lambda x: ", "x if y else "])
@pytest.mark.parametrize("suffix", ["py", "c"])
def test_five_thousand_nested_brackets(here: Path, opening: str, suffix: str) -> None:
    closing = {"[": "]", "(": ")", "{": "}", "f(": ")", "a[": "]"}.get(opening, "")
    nested = f"gender = {opening * 5_000}1{closing * 5_000}"
    (here / f"deep.{suffix}").write_text(nested if suffix == "py" else f"int f(void) {{ int {nested}; }}\n")

    report = checked()

    assert all("internal" not in reason for reason in reasons(report).values())


def test_nested_statements_and_long_chains(here: Path) -> None:
    deep = "".join(f"{' ' * n}if gender == {n}:\n" for n in range(1_500)) + " " * 1_500 + "pass\n"
    chain = "def f(gender):\n    if gender == 0:\n        return 0\n" + "".join(
        f"    elif gender == {n}:\n        return {n}\n" for n in range(150)
    )
    (here / "deep.py").write_text(deep)
    (here / "chain.py").write_text(chain)
    (here / "sum.py").write_text(
        f"def f(gender):\n    score = {' + '.join(['gender'] * 5_000)}\n    return score\n"
    )

    checked()


def test_a_line_of_twenty_megabytes(here: Path) -> None:
    with (here / "line.py").open("wb") as file:
        file.write(b"gender = [" + b"1, " * 7_000_000 + b"]\n")

    started = time.process_time()
    report = checked()

    assert reasons(report) == {"line.py": "larger than 5 MB (the setting max-file-size)"}
    assert time.process_time() - started < 5


@pytest.mark.slow
def test_a_line_of_twenty_megabytes_is_checked_if_asked_for(here: Path) -> None:
    with (here / "line.py").open("wb") as file:
        file.write(b"gender = [" + b"1, " * 7_000_000 + b"]\n")

    assert checked(Settings(max_file_size=50_000_000, file_timeout=0)).files == 2


def test_nul_bytes(here: Path) -> None:
    (here / "nul.py").write_bytes(b"gender = 1\0\n")
    (here / "nul.c").write_bytes(b"\0" * 1000)

    assert reasons(checked()) == {
        "nul.c": "a binary file: it holds NUL bytes",
        "nul.py": "a binary file: it holds NUL bytes",
    }


def test_invalid_utf8(here: Path) -> None:
    (here / "bad.py").write_bytes(
        GOOD.replace("def score", "# \udcff\udc80\ndef score").encode("utf-8", "surrogateescape")
    )

    report = checked()

    assert [finding.start for finding in report.findings if finding.path == "bad.py"] == [(4, 8)]


def test_circles_of_links(here: Path) -> None:
    (here / "loop.py").symlink_to("loop.py")
    (here / "folder").mkdir()
    (here / "folder" / "up").symlink_to("..")

    report = checked()

    assert reasons(report) == {"loop.py": "symbolic links that lead in a circle"}
    assert report.files == 1


def test_an_unreadable_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "secret.py").write_text(GOOD)
    really_open = os.open

    def refuse(path: str, flags: int) -> int:
        if path.endswith("secret.py"):
            raise PermissionError(13, "Permission denied", path)
        return really_open(path, flags)

    monkeypatch.setattr(os, "open", refuse)

    report = checked()
    assert reasons(report) == {"secret.py": "cannot be read: Permission denied"}
    assert report.files == 1


def test_a_file_that_vanishes_meanwhile(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "gone.py").write_text(GOOD)
    read = checker.Checker.read

    def remove_first(self: checker.Checker, file: File) -> FileResult | Candidate:
        (here / "gone.py").unlink(missing_ok=True)
        return read(self, file)

    monkeypatch.setattr(checker.Checker, "read", remove_first)

    assert reasons(checked()) == {"gone.py": "cannot be read: No such file or directory"}


def test_pipes_do_not_block(here: Path) -> None:
    os.mkfifo(here / "pipe.py")

    assert reasons(checked()) == {"pipe.py": "not a regular file"}


def test_control_characters_in_names_and_sources(here: Path) -> None:
    (here / "a\x1b[31mred\n.py").write_text(GOOD.replace('"male"', '"male\x1b[0m"') + GOOD)

    report = checked()

    assert any(finding.path == "a\x1b[31mred\n.py" for finding in report.findings)


@pytest.mark.parametrize(
    "text", ["gender", "\f\v\x1c gender", "\\", "gender = '''", "#" * 100_000 + "gender", "gender\r" * 500]
)
def test_odd_texts(here: Path, text: str) -> None:
    (here / "odd.py").write_text(text)
    (here / "odd.c").write_text(text)

    checked()


HUGE = {
    "digits": "9" * 400,
    "digits beyond what Python converts": "9" * 5000,
    "hexadecimal": f"0x{'f' * 400}",
    "exponent": "1e400",
    "all but infinite": "1e308",
    "negative": f"-{'9' * 400}",
}
SUMS = [
    "s += {0}\n    if p.race == 'white':\n        s += 1",
    "s *= {0}\n    if p.race == 'white':\n        s -= {0}",
    "s = {{'male': {0}, 'female': 1}}[p.sex] + {0} * {0} * {0} - {0} ** 2",
    "s = 10 * (p.sex == 'male') * {0} // 3 % 2 + (1 << {0})",
    "s = min(round(s, {0}), {0}) + float({0})",
    "s = 1 if p.age > {0} or p.income > {0} else 'x' * {0}",
    "s = db.execute('SELECT CASE WHEN sex = 1 THEN {0} END AS score FROM people WHERE age > {0}')",
    "s = db.execute(\"SELECT * FROM t WHERE sex = 1 AND born < CURRENT_DATE - INTERVAL '{0} years'\")",
]
"""What follows `if p.gender == "female":`."""


@pytest.mark.parametrize("number", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize("body", SUMS)
def test_numbers_larger_than_any_float(here: Path, number: str, body: str) -> None:
    body = body.format(number)
    (here / "huge.py").write_text(
        f"def rate(p):\n    s = 0\n    if p.gender == 'female':\n        {body}\n    return s\n"
    )
    (here / "huge.c").write_text(
        f"enum sex {{ MALE = {number}, FEMALE }};\n"
        f"int rate(struct applicant *p) {{\n    int score = {number};\n"
        f"    if (p->sex == MALE && p->age > {number}) score += {number};\n    return score;\n}}\n"
    )

    report = checked(Settings(min_severity="note"))

    assert not report.not_analysed
    assert "gender" in {use.attribute for path, use in report.uses if path == "huge.py"}


DOUBLING = "".join(f"#define A{one + 1} (A{one} - A{one})\n" for one in range(60))
TABLE = ", ".join(f"'k{one}': {one}" for one in range(1300))
CHAIN = "".join(f"    elif p.gender == 'g{one}':\n        score += {one}\n" for one in range(350))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.c", f"#define A0 1\n{DOUBLING}int rate(struct applicant *p) {{ return A60 + (p->sex == 1); }}\n"),
        ("a.py", f"def rate(applicant):\n    weights = {{{TABLE}}}\n    return weights[applicant.gender]\n"),
        (
            "b.py",
            f"def rate(p):\n    score = 0\n    if p.sex == 'g':\n        score = 1\n{CHAIN}    return score",
        ),
    ],
    ids=["macros that double", "a table of many groups", "a chain of many groups"],
)
def test_what_grows_beyond_measure_is_cut_short(here: Path, name: str, text: str) -> None:
    """Without bounds each took from half a minute to longer than anybody waits."""
    (here / name).write_text(text)

    report = checked()

    assert {finding.use.attribute for finding in report.findings if finding.path == name} == {"gender"}
