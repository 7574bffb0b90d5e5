"""C's amounts are what a compiler makes of them: expressions are compiled and run where there is one."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from fairlint import check_source

COMPILER = shutil.which("gcc") or shutil.which("clang")
HEAD = """
#define BONUS 2 + 3
#define SAFE (2 + 3)
#define BASE BONUS - 1
#define LESS -3
#define TWICE(x) x * 2
#define MIX(a, b) TWICE(a) + b
enum points { LOW = 1, MIDDLE = LOW * 3 + 1, HIGH };
"""
ATOMS = (
    "0", "1", "2", "3", "5", "7", "10", "100", "2147483647", "4294967296", "010", "0x1F", "0xFFFFFFFF", "5u",
    "7L", "3UL", "9ull", "2.5", "2.9", "1e3", "1.5f", "'a'", "'\\n'", "'\\x41'", "BONUS", "SAFE", "BASE",
    "LESS", "TWICE(2 + 1)", "MIX(1 + 1, 2)", "LOW", "MIDDLE", "HIGH",
)  # fmt: skip
SIGNS = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||")
TYPES = ("int", "unsigned", "char", "unsigned char", "short", "long", "float", "double", "_Bool")


def expression(choose: random.Random, depth: int) -> str:
    def inner() -> str:
        return expression(choose, depth - 1)

    kind = choose.randrange(20) if depth else 20
    if kind < 11:
        return f"{inner()} {choose.choice(SIGNS)} {inner()}"
    if kind < 13:
        return f"({inner()})"
    if kind < 15:
        return f"{choose.choice('-+~!')} {inner()}"
    if kind < 17:
        return f"({choose.choice(TYPES)}){choose.choice(['', '-'])}{choose.choice(ATOMS)}"
    if kind == 17:
        return f"({inner()}, {inner()})"
    if kind == 18:
        return f"({inner()} ? {inner()} : {inner()})"
    return f"TWICE({inner()})" if kind == 19 else choose.choice(ATOMS)


def scored(place: int, type_: str, amount: str) -> str:
    return (
        f"double score{place}(struct applicant *p) {{\n    {type_} score = 0;\n"
        f"    if (p->gender == MALE) score += {amount};\n    return score;\n}}\n"
    )


def told(code: str) -> dict[int, float]:
    """The amount that men get in each function, by its number; functions without an amount are left out."""
    lines = code.split("\n")
    found: dict[int, float] = {}
    for one in check_source(code, path="rate.c").findings:
        head = next(line for line in lines[one.start.line - 1 :: -1] if line.startswith("double score"))
        if one.points is not None and not one.points.at_most:
            found[int(head[len("double score") : head.index("(")])] = one.points.by_group["male"]
    return found


def run(code: str, folder: Path) -> list[str]:
    assert COMPILER is not None
    (folder / "run.c").write_text(code)
    command = [COMPILER, "-w", "-O0", "-o", str(folder / "run"), str(folder / "run.c")]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    done = subprocess.run([folder / "run"], check=True, capture_output=True, text=True, timeout=20)
    return done.stdout.split()


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
@pytest.mark.parametrize("seed", range(4))
def test_an_amount_is_what_the_compiler_computes_or_there_is_none(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    made = [expression(choose, choose.choice((1, 2, 2, 3))) for _ in range(300)]
    types = [choose.choice(("int", "double", "long")) for _ in made]
    code = HEAD + "".join(scored(place, *both) for place, both in enumerate(zip(types, made, strict=True)))
    amounts = told(code)
    assert len(amounts) > len(made) / 4
    prints = "".join(
        f'    {{ {types[place]} score = 0; score += {made[place]}; printf("%.17g\\n", (double)score); }}\n'
        for place in amounts
    )
    printed = run(f"#include <stdio.h>\n{HEAD}int main(void) {{\n{prints}    return 0;\n}}\n", tmp_path)
    wrong = [
        (types[place], made[place], amount, real)
        for (place, amount), real in zip(amounts.items(), printed, strict=True)
        if amount != pytest.approx(float(real), abs=1e-6)
    ]
    assert wrong == []


KEPT = {
    "int score = 0;|score += 2.9;": 2,
    "int score = 0;|score -= 2.9;": -2,
    "int score = p->base;|score += 2.9;": 2,
    "float score = 0;|score += 2.9;": 2.9,
    "int score = 0;|score = 2.9;": 2,
    "int score = 0; int b = 2.9;|score += b;": 2,
    "double score = 0; double b = 5;|score += b / 2;": 2.5,
    "double score = 0; int b = 5; b /= 2;|score += b;": 2,
    "double score = 0; int b = 5; b *= 1.5;|score += b;": 7,
    "marks score = 0;|score += 2.9;": 2,
    "share score = 0;|score += 2.9;": 2.9,
    "double score = 0;|score += 'b' - 'a';": 1,
    "double score = 0;|score += 'a';": 97,
    "double score = 0;|score += LOW;": 1,
    "double score = 0;|score += whole(2.9);": 2,
    "double score = 0;|score += given(2.9);": 4,
    "double score = 0;|score += WHOLE / 2;": 3,
    "double score = 0;|score += RATE / 2;": 1.5,
    "unsigned char score = 0;|score += 300;": 44,
    "unsigned score = 0;|score -= 5;": 4294967291,
    "double score = 0; unsigned char u = 255; u += 1;|score += u;": None,
    "double score = 0;|score += -1 > 0u;": 1,
    "double score = 0;|score += sizeof(int);": None,
    "double score = 0;|score += sizeof(char) * 3;": 3,
    "double score = 0;|score += sizeof(unsigned char) + 1;": 2,
    "double score = 0;|score += (unsigned char)(7 + 250);": 1,
    "double score = 0;|score += (unsigned short)-1;": 65535,
    "double score = 0;|score += (signed char)200;": -56,
    "double score = 0;|score += (char)200;": None,
    "double score = 0;|score += (short)(7 * 10000);": 4464,
    "double score = 0;|score += (short)7e4;": None,
    "double score = 0;|score += 2147483647 + 1;": None,
    "double score = 0;|score += 3u - 5u;": 4294967294,
    "double score = 0;|score += (float)4294967291u;": None,
    "double score = p->base;|score *= 0;": 0,
    "double score = 0;|score += PASTED(1, 2);": None,
    "double score = 0;|score += TWICE(p->years + 1);": None,
    "double score = 0;|score += (p->years + 5) / 2;": None,
    "double score = 0;|score += 5 / 0;": None,
}
DEFINED = (
    HEAD
    + """
#define PASTED(a, b) a##b
typedef int points_t;
typedef points_t marks;
typedef double share;
static const int WHOLE = 7.9;
const double RATE = 3;
int whole(double v) { return v; }
int given(int v) { return v * 2; }
"""
)


@pytest.mark.parametrize(("code", "wanted"), KEPT.items())
def test_a_variable_keeps_what_its_type_holds(code: str, wanted: float | None) -> None:
    before, statements = code.split("|")
    whole = f"{DEFINED}double score0(struct applicant *p) {{\n    {before}\n"
    assert told(f"{whole}    if (p->gender == MALE) {statements}\n    return score;\n}}\n").get(0) == wanted


def test_a_member_keeps_what_its_type_holds() -> None:
    head = "struct applicant { int gender; int score; double rate; };\n"
    for field, wanted in (("score", 2.0), ("rate", 2.9)):
        change = f"    if (p->gender == MALE) p->{field} += 2.9;\n"
        found = check_source(f"{head}void rate(struct applicant *p) {{\n{change}}}\n", path="rate.c").findings
        assert [one.points.by_group["male"] for one in found if one.points] == [wanted]


def test_what_a_pointer_points_at_keeps_what_its_type_holds() -> None:
    head = "struct applicant { int gender; };\n"
    for type_, wanted in (("short", 2.0), ("double", 2.9)):
        change = "    if (p->gender == MALE) *score += 2.9;\n"
        code = f"{HEAD}{head}void rate(struct applicant *p, {type_} *score) {{\n{change}}}\n"
        found = check_source(code, path="rate.c").findings
        assert [one.points.by_group["male"] for one in found if one.points] == [wanted]


def test_a_function_gives_what_its_type_holds() -> None:
    code = "int points(struct applicant *p) {\n    return p->gender == MALE ? 2.9 : 1.1;\n}\n"
    found = check_source(code, path="rate.c").findings
    assert [dict(one.points.by_group) for one in found if one.points] in ([], [{"male": 2.0, "female": 1.0}])
    assert "2.9" not in found[0].message


TABLES = {
    "{ [MALE] = 5, [FEMALE] = 3 }": {"male": 5, "female": 3},
    "{ [MALE] = 5, 3 }": {"male": 5, "female": 3},
    "{ [MALE] = 5, [MALE] = 7, [FEMALE] = 1 }": {"male": 7, "female": 1},
    "{ [1] = 5, [MALE] = 7, [FEMALE] = 1 }": {"male": 7, "female": 1},
    "{ 9, 5, [FEMALE] = 3 }": {"male": 5, "female": 3},
    "{ [UNKNOWN] = 9, [MALE] = 5, [FEMALE] = 3 }": {"male": 5, "female": 3},
    "{ [UNKNOWN ... MALE] = 5, [FEMALE] = 3 }": {"male": 5, "female": 3},
    "{ [FEMALE] = 3 }": {"male": 0, "female": 3},
    "{ [MALE] = 2.9, [FEMALE] = 1.1 }": {"male": 2, "female": 1},
}


@pytest.mark.parametrize(("table", "wanted"), TABLES.items())
def test_what_a_table_leaves_out_is_0_for_those_whose_code_reaches_it(
    table: str, wanted: dict[str, float]
) -> None:
    code = (
        "enum gender { UNKNOWN, MALE, FEMALE };\nstruct applicant { enum gender gender; };\n"
        f"static const int bonus[] = {table};\nint rate(struct applicant *p) {{\n    int score = 0;\n"
        "    score += bonus[p->gender];\n    return score;\n}\n"
    )
    (found,) = (one.points for one in check_source(code, path="rate.c").findings if one.points)
    assert (found.by_group, found.other) == (wanted, None)


def test_characters_are_places_of_a_table() -> None:
    for table, wanted in (("{ ['m'] = 5, ['f'] = 3 }", 3), ("{ ['m'] = 5 }", 0)):
        code = (
            f"static const int bonus[128] = {table};\nint rate(struct applicant *p) {{\n"
            "    int score = 0;\n    score += bonus[p->sex];\n    return score;\n}\n"
        )
        (found,) = (one.points for one in check_source(code, path="rate.c").findings if one.points)
        assert found.by_group == {"male": 5, "female": wanted}


def test_others_who_keep_what_they_have_are_given_no_number() -> None:
    code = """\
void charge(char sex, float *premium) {
    float rate%s;
    if (sex == 'm') rate = 4.0;
    else if (sex == 'f') rate = 3.0;
    *premium = rate;
}
"""
    for begins, others in (("", None), (" = 0", 0.0)):
        points = next(filter(None, (one.points for one in check_source(code % begins, path="a.c").findings)))
        assert dict(points.by_group) == {"male": 4.0, "female": 3.0}
        assert points.other == others


PEOPLE = (
    "enum gender { FEMALE, MALE, NONBINARY };\n"
    "struct applicant { int years; enum gender gender; const char *sex; };\n"
)
"""Whose codes the places of tables are."""

PLACES = {
    "[3] = { 8, 8 }": {"male": 8, "female": 8, "nonbinary": 0},
    "[9] = { 4 }": {"male": 0, "female": 4, "nonbinary": 0},
    "[MALE + 2] = { [MALE] = 8, [FEMALE] = 8 }": {"male": 8, "female": 8, "nonbinary": 0},
    "[2] = { 4, 9 }": {"male": 9, "female": 4},
    "[3] = { 9, 9, 9 }": None,
    "[2] = { 9, 9 }": None,
    "[40] = { 9, 9, 9 }": None,
}


@pytest.mark.parametrize(("places", "wanted"), PLACES.items())
@pytest.mark.parametrize(
    "change", ["return bonus[p->gender];", "int pay = 5; pay *= bonus[p->gender]; return pay;"]
)
def test_an_array_has_the_places_of_its_declaration(
    places: str, wanted: dict[str, float] | None, change: str
) -> None:
    code = f"{PEOPLE}static const int bonus{places};\nint rate(struct applicant *p) {{ {change} }}\n"
    for head in ("", "#define FEMALE 0\n#define MALE 1\n#define NONBINARY 2\n"):
        own = head + code.partition("\n")[2].replace("enum gender gender", "int gender") if head else code
        found = check_source(own, path="rate.c").findings
        if wanted is None:
            assert not found
            continue
        (points,) = (one.points for one in found if one.points)
        assert points.by_group == wanted


def test_groups_without_a_member_of_the_enumeration_are_not_told() -> None:
    code = """\
enum faith { HINDU, SIKH, JEWISH };
struct tenant { enum faith religion; };
static const double rate_of[3] = { 1.1, 1.1, %s };
double premium(const struct tenant *t) { return 100 * rate_of[t->religion]; }
"""
    assert not check_source(code % "1.1", path="a.c").findings
    (found,) = check_source(code % "1.5", path="a.c").findings
    assert found.points is not None
    assert {group: round(number) for group, number in found.points.by_group.items()} == {
        "hindu": 110,
        "sikh": 110,
        "jewish": 150,
    }


ROWS = {
    "{ { 13.9 }, { 2.5 } }": ("int points;", {"male": 13, "female": 2}),
    "{ { .points = 300 }, { .points = 28 } }": ("unsigned char points;", {"male": 44, "female": 28}),
    "{ { 2, 1.5 }, { 3, 2.5 } }": ("int place; double points;", {"male": 1.5, "female": 2.5}),
}


@pytest.mark.parametrize(("rows", "wanted"), ROWS.items())
def test_a_field_of_a_row_keeps_what_its_type_holds(rows: str, wanted: tuple[str, dict[str, float]]) -> None:
    fields, amounts = wanted
    code = (
        f"{PEOPLE}struct row {{ {fields} }};\nstatic const struct row rows[] = {rows};\n"
        "double rate(struct applicant *p) {\n    double score = 0;\n"
        "    if (p->gender == MALE) score += rows[0].points;\n    else score += rows[1].points;\n"
        "    return score;\n}\n"
    )
    (found,) = (one.points for one in check_source(code, path="rate.c").findings if one.points)
    assert found.by_group == amounts


def test_a_place_that_a_second_name_of_a_group_stands_for_is_told_by_it() -> None:
    code = (
        "#define FEMALE 0\n#define MALE 1\n#define NONBINARY 2\n#define AGENDER 3\n"
        "static const int bonus[4] = { [MALE] = 8, [NONBINARY] = 8, [FEMALE] = 8 };\n"
        "int rate(struct applicant *p) { int pay = 5; pay += bonus[p->gender]; return pay; }\n"
    )
    (found,) = (one.points for one in check_source(code, path="rate.c").findings if one.points)
    assert found.by_group == {"male": 8, "female": 8, "nonbinary": 8, "agender": 0}
