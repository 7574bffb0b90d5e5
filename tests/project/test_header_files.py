"""What a source in C includes from its own project has the values that a compiler finds there."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from fairlint.checking.runner import check_paths
from fairlint.config.settings import Settings
from fairlint.findings.finding import Finding
from fairlint.project.header_files import DEEPEST, LARGEST, MOST, headers_of
from fairlint.syntax.c import C
from fairlint.syntax.c.headers import definitions, words

PEOPLE = """\
#ifndef PEOPLE_H
#define PEOPLE_H
enum sex { FEMALE, MALE, NEITHER };
struct applicant { int age; enum sex gender; };
#endif
"""
RATE = """\
#include <stdio.h>
#include "rates.h"

double rate(const struct applicant *p) {
    double score = 10;
    if (p->gender == MALE) score += BONUS;
    return score;
}
"""
ADMIT = """\
#include "rates.h"

int admit(const struct applicant *p) {
    if (p->age > OLDEST) return 0;
    return 1;
}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "project"
    home.mkdir()
    monkeypatch.chdir(home)
    return home


def write(here: Path, **files: str) -> None:
    """Files by their paths, `__` for a slash: `src__rate` is `src/rate.c`, others are headers."""
    for name, text in files.items():
        suffix = ".c" if name.rpartition("__")[2] in {"rate", "admit"} else ".h"
        path = here / f"{name.replace('__', '/')}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def told(here: Path, path: str) -> list[Finding]:
    report = check_paths([here / path], Settings(min_severity="note", root=here))
    assert not report.not_analysed
    return [one for one in report.findings if one.path.endswith(path.rpartition("/")[2])]


def points(here: Path, path: str = "rate.c") -> dict[str, float] | None:
    (found,) = told(here, path)
    return None if found.points is None else dict(found.points.by_group)


BONUSES = {
    "a macro": ("#define BONUS 4", 4),
    "a sum without brackets": ("#define STEP 2 + 3\n#define BONUS STEP * 2", 8),
    "a macro that goes on": ("#define BONUS \\\n    (3 * \\\n     5)", 15),
    "a member": ("enum { LOW = 2, BONUS };", 3),
    "a member that a macro numbers": ("#define FIRST 7\nenum kinds { BONUS = FIRST + 1, MORE };", 8),
    "a constant": ("static const double BONUS = 2.5;", 2.5),
    "a constant that loses its fraction": ("const int BONUS = 2.5;", 2),
    "a place of a table": ("static const int table[] = { 1, 6 };\n#define BONUS table[MALE]", 6),
    "one under a condition": ("#if 0\n#define BONUS 9\n#else\n#define BONUS 1\n#endif", 1),
    "one behind a comment": ("/* #define BONUS 9\n   { \" */ // ' {\n#define BONUS 6 /* points\n*/", 6),
    "one beside what a text holds": ('static const char *const sign = "{";\n#define BONUS 6', 6),
}  # fmt: skip


@pytest.mark.parametrize("kind", BONUSES)
def test_a_number_of_a_header_is_exact(here: Path, kind: str) -> None:
    text, wanted = BONUSES[kind]
    write(here, people=PEOPLE, rates=f'#pragma once\n#include "people.h"\n{text}\n', rate=RATE)
    found = points(here)
    assert found is not None
    assert found.pop("male") == wanted
    assert set(found.values()) == {0}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler")
@pytest.mark.parametrize("kind", BONUSES)
def test_so_it_is_compiled(here: Path, kind: str) -> None:
    text, wanted = BONUSES[kind]
    write(here, people=PEOPLE, rates=f'#pragma once\n#include "people.h"\n{text}\n', rate=RATE)
    ends = '\nint main(void) { struct applicant p = { 3, MALE }; printf("%g", rate(&p) - 10); return 0; }\n'
    (here / "main.c").write_text(RATE + ends)
    subprocess.run(["gcc", "-w", "main.c", "-o", "main"], check=True)
    run = subprocess.run([str(here / "main")], capture_output=True, text=True, check=True)
    assert float(run.stdout) == wanted


def test_a_limit_of_a_header_is_told_with_the_place_that_sets_it(here: Path) -> None:
    write(here, people=PEOPLE, rates='#include "people.h"\n#define OLDEST (60 + 5)\n', admit=ADMIT)
    (found,) = told(here, "admit.c")
    assert found.message.endswith("under 66 → return 1, 66 and over → return 0")
    assert [(step.path, step.start.line) for step in found.flow if step.path.endswith(".h")] == [
        ("rates.h", 2)
    ]


@pytest.mark.parametrize("place", ["rates", "include__rates", "inc__rates"])
def test_a_header_is_found_beside_the_file_or_further_up(here: Path, place: str) -> None:
    folder = place.rpartition("rates")[0]
    write(
        here,
        **{
            place: '#include "people.h"\n#define BONUS 4\n',
            f"{folder}people": PEOPLE,
            "src__core__rate": RATE,
        },
    )
    assert points(here, "src/core/rate.c") == {"male": 4, "female": 0}


def test_where_two_files_may_be_meant_there_is_no_number(here: Path) -> None:
    for place, bonus in (("include", 4), ("inc", 5)):
        write(here, **{f"{place}__rates": f"{PEOPLE}#define BONUS {bonus}\n"})
    write(here, src__rate=RATE)
    report = check_paths([here / "src"], Settings(min_severity="note", root=here))
    assert [one.points for one in report.findings if one.points] == []
    (lost,) = report.not_analysed
    assert (lost.line, lost.cause) == (2, "limit")
    assert "several files" in lost.reason
    write(here, src__rates=f"{PEOPLE}#define BONUS 6\n")  # the compiler takes the one beside the file
    assert points(here, "src/rate.c") == {"male": 6, "female": 0}


TWICE = "#ifdef STRICT\n#define BONUS 4\n#else\n#define BONUS {}\n#endif\n"


def test_a_macro_that_is_defined_in_two_ways_has_no_number(here: Path) -> None:
    write(here, rates=PEOPLE + TWICE.format(7), rate=RATE)
    assert points(here) is None
    write(here, rates=PEOPLE + TWICE.format(4))
    assert points(here) == {"male": 4, "female": 0}
    write(here, rates=PEOPLE + "#define BONUS 4\n", rate=f"#define BONUS 5\n{RATE}")
    assert points(here) is None


def test_nothing_outside_of_the_project_is_read(here: Path) -> None:
    outside = here.parent / "outside"
    write(outside, rates="#define BONUS 4\n", people=PEOPLE)
    write(here, people=PEOPLE)
    for name in ("../outside/rates.h", str(outside / "rates.h"), "linked.h", "folder/rates.h"):
        write(
            here, rate=RATE.replace("rates.h", name).replace("#include <", '#include "people.h"\n#include <')
        )
        (here / "linked.h").unlink(missing_ok=True)
        (here / "folder").unlink(missing_ok=True)
        (here / "linked.h").symlink_to(outside / "rates.h")
        (here / "folder").symlink_to(outside)
        assert points(here) is None, name
    (here / "linked.h").unlink()
    (here / "linked.h").symlink_to(here / "own.h")
    write(here, own="#define BONUS 4\n", rate=f'#include "linked.h"\n{RATE}'.replace("rates.h", "people.h"))
    assert points(here) == {"male": 4, "female": 0}


def test_a_file_elsewhere_includes_what_stands_beside_it(here: Path) -> None:
    elsewhere = here.parent / "elsewhere"
    write(
        elsewhere,
        rates=f"{PEOPLE}#define BONUS 4\n",
        src__rate=RATE.replace("rates.h", "../rates.h"),
        rate=RATE,
    )
    found = check_paths([elsewhere], Settings(min_severity="note", root=here)).findings
    assert {Path(one.path).parent.name: bool(one.points) for one in found} == {
        "elsewhere": True,
        "src": False,
    }


def test_headers_have_limits_and_what_they_leave_out_is_named(here: Path) -> None:
    write(here, rate=RATE, rates=f"{PEOPLE}#define BONUS 4\n{' ' * LARGEST}")
    many = {f"h{at}": f"#define A{at} {at}\n" for at in range(MOST + 1)}
    deep = {f"d{at}": f'#include "d{at + 1}.h"\n' for at in range(DEEPEST + 1)}
    write(here, **many, **deep)
    cases = {
        RATE: 2,
        "".join(f'#include "{name}.h"\n' for name in many) + RATE: MOST + 1,
        f'#include "d0.h"\n{RATE}': 1,
    }
    for code, line in cases.items():
        write(here, rate=code)
        lost = check_paths([here / "rate.c"], Settings(root=here)).not_analysed
        assert line in {one.line for one in lost if one.cause == "limit"}
        assert all("is not read" in one.reason for one in lost)


def test_headers_that_include_each_other_are_read_once(here: Path) -> None:
    write(here, rates=f'#include "other.h"\n{PEOPLE}#define BONUS (OTHER + 1)\n', rate=RATE)
    write(here, other='#include "rates.h"\n#include "other.h"\n#define OTHER 3\n')
    assert points(here) == {"male": 4, "female": 0}


def test_a_result_that_is_kept_hangs_on_the_headers(here: Path) -> None:
    def bonus() -> float | None:
        settings = Settings(min_severity="note", root=here, cache_dir=".cache")
        (found,) = check_paths([here / "src"], settings).findings
        return None if found.points is None else found.points.by_group["male"]

    write(here, src__rate=RATE, include__people=PEOPLE, src__people=PEOPLE)
    (here / "src/rate.c").write_text('#include "people.h"\n' + RATE)
    assert bonus() is None
    write(here, include__rates="#define BONUS 4\n")
    assert bonus() == 4
    assert bonus() == 4
    write(here, include__rates="#define BONUS 5\n")
    assert bonus() == 5
    write(here, src__rates="#define BONUS 6\n")
    assert bonus() == 6


def test_a_macro_of_a_header_is_told_where_it_stands(here: Path) -> None:
    write(here, rates=f"{PEOPLE}#define RATE(p) ((p)->gender == MALE ? 5 : 1)\n")
    code = "int score(struct applicant *p) { int score = 2; score += RATE(p); return score; }\n"
    write(here, rate=f'#include "rates.h"\n{code}')
    found = check_paths([here], Settings(min_severity="note", root=here)).findings
    assert {one.path.rpartition("/")[2] for one in found if one.points} == {"rates.h"}


@pytest.mark.parametrize("seed", range(3))
def test_whatever_a_header_holds_every_byte_keeps_its_place(seed: int) -> None:
    choose = random.Random(seed)
    parts = [
        b"#define A 1\n", b"enum { A, B = 3 };\n", b"struct s { int a; };\n", b"/*", b"*/", b"//", b'"', b"'",
        b"{", b"}", b";", b"\\\n", b"#if A\n", b"#endif\n", b"(", b"=", b"typedef int b_t;\n", b"\xff\r\n",
        b"static const int t[] = { 1, 2 };\n", b"const ", b"enum x ",
    ]  # fmt: skip
    for _ in range(400):
        text = b"".join(choose.choices(parts, k=choose.randrange(1, 30)))
        left, wanted = definitions(text, {b"A", b"t"})
        assert wanted >= {b"A", b"t"}
        assert not left or len(left) == len(text)
        assert all(one in {other, 0x20} for one, other in zip(left, text, strict=False))
        C.tree(b"int x;\n", None, left)


@pytest.mark.parametrize(
    "text", [b"struct s {", b"{" * 9, b"enum x {A", b"const a = ", b"/*", b'"', b"#define A \\\n"]
)
def test_a_header_takes_time_by_its_size(text: bytes) -> None:
    data = text * (LARGEST // len(text))
    definitions(data, words(b"A b c"))
    definitions(b"\n".join([text] * (LARGEST // (len(text) + 1))), words(b"A b c"))


def test_only_what_is_built_on_is_left_of_a_header() -> None:
    text = b"#define A B\n#define B 2\n#define C 3\nint f(void);\nstruct s { t_t a; };\ntypedef int t_t;\n"
    left, wanted = definitions(text, {b"A", b"s"})
    assert left.split() == b"#define A B #define B 2 struct s { t_t a; }; typedef int t_t;".split()
    assert b"C" not in wanted


def test_a_header_nobody_names_is_not_looked_for() -> None:
    def read(path: str, limit: int) -> bytes | None:
        raise AssertionError(path, limit)

    assert C.headers is not None
    assert headers_of(b"#include <a.h>\nint x;\n", "/p/a.c", "/p", C.headers(), read).headers == []
