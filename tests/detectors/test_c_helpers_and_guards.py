"""Helpers whose answer changes nothing, guards before a cap, tables behind a helper: what C programs do."""

from __future__ import annotations

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

HEAD = """
#include <stdio.h>
#include <string.h>
enum faith { NONE, MUSLIM, HINDU };
struct guest { char sex[12]; enum faith religion; int age; int visits; double price; const char *status; };
"""


def findings(code: str) -> list[Finding]:
    return list(check_source(HEAD + code, path="booking.c").findings)


def points(code: str) -> dict[str, float]:
    (found,) = findings(code)
    assert found.points is not None
    return {**found.points.by_group, **({} if found.points.other is None else {"others": found.points.other})}


ASKED = {
    "if (is_meant(g->religion)) {{ g->status = {0}; }} else {{ g->status = {1}; }}": ("on hold", "accepted"),
    "if (!is_meant(g->religion)) g->status = {0}; else g->status = {1};": ("on hold", "accepted"),
    "g->status = is_meant(g->religion) && g->visits > 2 ? {0} : {1};": ("rejected", "accepted"),
}
HELPER = "static int is_meant(enum faith asked) { return asked == HINDU || asked == MUSLIM; }\n"
MACRO = "#define is_meant(asked) ((asked) == HINDU || (asked) == MUSLIM)\n"


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("helper", [HELPER, MACRO])
def test_a_helper_is_told_where_something_comes_of_its_answer(asked: str, helper: str) -> None:
    first, second = (f'"{word}"' for word in ASKED[asked])

    assert not findings(f"{helper}void book(struct guest *g) {{ {asked.format(first, first)} }}\n")
    assert findings(f"{helper}void book(struct guest *g) {{ {asked.format(first, second)} }}\n")


@pytest.mark.parametrize(
    "other",
    [
        "int kept(struct guest *g) { return is_meant(g->religion); }",
        "int (*asked)(enum faith) = is_meant;",
        "void more(struct guest *g) { if (is_meant(g->religion)) g->price = 9; }",
    ],
)
def test_a_helper_is_told_where_its_answer_goes_elsewhere(other: str) -> None:
    same = "void book(struct guest *g) { if (is_meant(g->religion)) g->price = 5; else g->price = 5; }\n"

    assert findings(HELPER + same + other)
    assert findings(HELPER.replace("static ", "") + same)


@pytest.mark.parametrize("end", ["points", "points > 50 ? 50 : points", "points * 2"])
def test_who_is_turned_away_with_what_all_others_are_given_gets_no_points(end: str) -> None:
    body = f'    if (strcmp(g->sex, "female") == 0) return {end};\n    points += 6;\n    return {end};\n'
    code = f"int rate(struct guest *g)\n{{\n    int points = g->visits;\n{body}}}\n"

    assert points(code) == {"male": 6, "female": 0, "others": 6}


def test_who_is_turned_away_before_the_caller_is_given_points_has_none() -> None:
    code = "void rate(struct guest *g, int *points) {{ *points = g->visits; {} *points += 6; }}\n"

    assert points(code.format('if (strcmp(g->sex, "female") == 0) return;')) == {
        "male": 6,
        "female": 0,
        "others": 6,
    }
    told = findings(code.format('if (strcmp(g->sex, "female") == 0) { *points = 1; return; }'))
    assert {one.use.attribute for one in told} == {"gender"}


def test_what_all_are_given_alike_in_several_places_is_no_outcome() -> None:
    steps = "".join(
        f"    if (g->age < {age}) {{ points += 3; return points > 50 ? 50 : points; }}\n" for age in (30, 50)
    )
    end = "    points += 3;\n    return points > 50 ? 50 : points;\n"
    code = f"int rate(struct guest *g)\n{{\n    int points = g->visits;\n{steps}{end}}}\n"

    assert not findings(code)
    assert findings(code.replace("points += 3", "points += 9", 1))


@pytest.mark.parametrize(
    "keeps", ["kept[n++] = g->visits;", "g->price = 7;", 'g->status = "accepted"; g->price = 7;']
)
def test_what_stands_behind_a_branch_as_in_it_leaves_nobody_out(keeps: str) -> None:
    steps = "".join(f"if (g->age < {age}) {{ {keeps} continue; }} " for age in (30, 50))
    loop = f"for (int i = 0; i < size; i++) {{ struct guest *g = &all[i]; {steps}{keeps} }}"
    code = f"int book(struct guest *all, int size, int *kept) {{ int n = 0; {loop} return n; }}\n"

    def told(code: str) -> list[Finding]:
        found = check_source(HEAD + code, path="booking.c", settings=Settings(min_severity="note")).findings
        return [one for one in found if one.use.kind != "read"]

    assert not told(code)
    assert told(code.replace(keeps, "", 1))


def test_what_is_cut_off_where_it_is_handed_back_is_the_most_that_there_can_be() -> None:
    end = "return points > 50 ? 50 : points;"
    turned = f'if (strcmp(g->sex, "female") != 0) {{ points += 2; {end} }}'
    code = f"int rate(struct guest *g) {{ int points = g->visits; {turned} points += 90; {end} }}\n"
    (found,) = findings(code)

    assert found.points is not None
    assert found.points.at_most


def test_what_falls_through_to_the_same_is_given_once() -> None:
    rest = 'case HINDU: g->status = "accepted"; break; default: g->status = "accepted";'
    arms = f'case MUSLIM: g->status = "{{}}"; {rest}'
    code = "void book(struct guest *g) {{ switch (g->religion) {{ {} }} }}\n"

    assert not findings(code.format(arms.format("accepted")))
    assert not findings(code.format(arms.format("rejected")))
    assert findings(code.format(arms.format("rejected").replace("case HINDU: g", "break; case HINDU: g")))


def test_a_table_is_gone_through_where_a_helper_reads_the_group() -> None:
    table = (
        'static const struct row { const char *name; int points; } rows[] = {{"female", 3.9}, {"male", 7}};\n'
    )
    helper = "static const char *word_of(const struct guest *g) { return g->sex; }\n"
    loop = "for (int i = 0; i < 2; i++) if (strcmp(word_of(g), rows[i].name) == 0) points += rows[i].points;"
    body = f"    int points = g->visits;\n    {loop}\n    return points;\n"
    code = f"{table}{helper}int rate(struct guest *g)\n{{\n{body}}}\n"

    assert points(code) == {"male": 7, "female": 3, "others": 0}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("if (g->religion == HINDU) price *= 0;", {"hindu": 0, "others": 1}),
        ("price *= 2 * !!(g->religion == HINDU);", {"hindu": 2, "others": 0}),
    ],
)
def test_a_factor_may_be_nothing(change: str, told: dict[str, float]) -> None:
    code = f"double rate(struct guest *g) {{ double price = g->price; {change} return price; }}\n"
    (found,) = findings(code)

    assert found.points is not None
    assert found.points.op == "multiply"
    by_group = found.points.by_group
    assert {group: by_group.get(group, found.points.other) for group in told if group != "others"} == {
        group: amount for group, amount in told.items() if group != "others"
    }
    assert found.points.other == told["others"] or by_group["muslim"] == told["others"]


def test_what_some_are_given_in_place_of_what_they_had_may_be_nothing() -> None:
    change = "if (g->religion == HINDU) price = 0;"
    code = f"double rate(struct guest *g) {{ double price = g->price; {change} return price; }}\n"
    (found,) = findings(code)

    assert found.points is not None
    assert (found.points.op, found.points.by_group) == ("set", {"hindu": 0.0})


def test_an_entry_that_nobody_knows_whose_it_is_gives_no_amount_to_others() -> None:
    table = "static const double share[] = { 1, 1.1, [FAITH_OF_OTHERS] = 1.4 };\n"
    code = f"{table}double rate(struct guest *g) {{ return g->price * share[g->religion]; }}\n"

    assert all(one.points is None or one.points.other is None for one in findings(code))


@pytest.mark.parametrize(
    ("field", "part", "group"),
    [("sex", "nonb", "nonbinary"), ("ethnicity", "whit", "white"), ("ethnicity", "asia", "asian")],
)
def test_a_part_of_a_word_names_the_group_that_holds_it(field: str, part: str, group: str) -> None:
    head = f"struct visitor {{ char {field}[20]; int visits; }};\n"
    body = f'int points = v->visits; if (strstr(v->{field}, "{part}")) points += 6; return points;'
    (found,) = findings(f"{head}int rate(struct visitor *v) {{ {body} }}\n")

    assert found.points is not None
    assert found.points.by_group[group] == 6
