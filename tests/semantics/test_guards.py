"""Who is turned away before something happens fares differently, and whoever is better off is told truly."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fairlint import check_source
from fairlint.findings.finding import Finding

LEAVES = {
    "return": "    if x.sex == 'f':\n        return\n{0}",
    "with": "    with open('log') as log:\n        if x.sex == 'f':\n            return\n{0}",
    "try": "    try:\n        if x.sex == 'f':\n            return\n    finally:\n        close()\n{0}",
    "handled": (
        "    try:\n        if x.sex == 'f':\n            return\n    except OSError:\n        raise\n{0}"
    ),
    "exit": "    if x.sex == 'f':\n        sys.exit(1)\n{0}",
    "negated": "    if x.sex != 'm':\n        return\n{0}",
}
FATES = {
    "an outcome": ("    x.hired = True\n", "FL101"),
    "an entry": ("    x['decision'] = 'accepted'\n", "FL101"),
    "a call": ("    approve(x)\n", "FL101"),
    "a mail": ("    mail.send(x.email, 'Your loan has been approved')\n", "FL101"),
    "a print": ("    print('You are eligible for the job')\n", "FL101"),
    "points": ("    x.score += 10\n", "FL201"),
    "a factor": ("    x.salary *= 1.1\n", "FL204"),
}


def findings(code: str, path: str = "hiring.py") -> list[Finding]:
    return list(check_source(code, path=path).findings)


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("leaves", LEAVES)
def test_what_happens_only_to_those_who_were_not_turned_away_is_told(leaves: str, fate: str) -> None:
    act, rule = FATES[fate]
    found = findings("import sys\n\ndef handle(x, mail):\n" + LEAVES[leaves].format(act))
    assert [(one.rule, one.use.attribute, one.severity) for one in found] == [(rule, "gender", "error")]
    if found[0].points is not None:
        first = {"FL201": 10.0, "FL204": 1.1}[rule]
        assert found[0].points.by_group == {"male": first, "female": {10.0: 0.0, 1.1: 1.0}[first]}


@pytest.mark.parametrize(
    "code",
    [
        "def handle(x):\n    if x.gender is None:\n        return\n    x.hired = True\n",
        "def handle(x):\n    if not x.gender:\n        return\n    x.score += 10\n",
        "def handle(x):\n    if x.sex == 'f':\n        return\n    log.info('seen')\n",
        "def handle(x):\n    if x.years < 3:\n        return\n    x.hired = True\n",
        "def handle(x):\n    if x.sex == 'f':\n        x.seen = 1\n    x.hired = True\n",
    ],
)
def test_where_nobody_is_turned_away_by_group_nothing_is_told(code: str) -> None:
    assert not [one for one in findings(code) if one.severity != "note"]


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ('if (p->sex == \'f\') return;\n    p->hired = 1;', "FL101"),
        ('if (p->sex == \'f\') return;\n    puts("You are admitted.");', "FL101"),
        ('if (p->sex == \'f\') { puts("Sorry."); exit(0); }\n    puts("You are admitted.");', "FL101"),
        ("if (p->sex == 'f') return;\n    p->score += 5;", "FL201"),
        ("if (p->sex == 'f') goto out;\n    p->hired = 1;\nout:\n    return;", "FL101"),
    ],
)  # fmt: skip
def test_in_c_too(code: str, rule: str) -> None:
    person = "#include <stdio.h>\n#include <stdlib.h>\nstruct person { char sex; int hired, score; };\n"
    found = findings(f"{person}void admit(struct person *p)\n{{\n    {code}\n}}\n", "admit.c")
    assert [(one.rule, one.use.attribute) for one in found] == [(rule, "gender")]


# ---------------------------------------------------------------------------- directions, judged by running

COMPARED = [
    "extra = 2 if p.gender == 'f' else 0\n    return 'yes' if p.maths + p.physics + extra > 35 else 'no'",
    "extra = 2 if p.gender == 'f' else 0\n    return 'yes' if 35 < p.maths + p.physics + extra else 'no'",
    "off = 2 if p.gender == 'f' else 0\n    return 'yes' if p.maths + p.physics - off > 35 else 'no'",
    "limit = p.high - (3 if p.gender == 'm' else 2)\n    return 'yes' if p.debt < limit else 'no'",
    "limit = p.high - 3 if p.gender == 'm' else p.high - 2\n    return 'yes' if p.debt >= limit else 'no'",
    "bonus = 4 if p.gender == 'm' else 1\n    return 'no' if 2 * p.maths - p.physics < 50 - bonus else 'yes'",
]


def passes(code: str) -> Callable[[Any], str]:
    names: dict[str, Any] = {}
    exec(f"def admit(p):\n    {code}\n", names)
    admit: Callable[[Any], str] = names["admit"]
    return admit


@pytest.mark.parametrize("code", COMPARED)
def test_who_passes_a_limit_of_several_terms_sooner_is_told_truly(code: str) -> None:
    admit, ahead = passes(code), set[str]()
    for number in range(40):
        marks = {"maths": number, "physics": 13, "debt": 40, "high": number + 20}
        said = {sex: admit(SimpleNamespace(gender=sex[0], **marks)) for sex in ("male", "female")}
        if said["male"] != said["female"]:
            ahead.add("male" if said["male"] == "yes" else "female")
    (better,) = ahead
    (found,) = findings(f"def admit(p):\n    {code}\n")
    assert found.severity == "error"
    assert found.use.outcomes or found.points
    assert not found.use.outcomes or {sex: "yes" in said for sex, said in found.use.outcomes.items()} == {
        sex: sex == better for sex in ("male", "female")
    }


@pytest.mark.parametrize(
    "code",
    [
        "ok = p.maths > a if p.gender == 'male' else p.physics > b\n    return 'yes' if ok else 'no'",
        "return 'yes' if (p.gender == 'male') == p.flag else 'no'",
        (
            "ok = p.tall\n    if p.gender == 'male':\n        ok = not p.tall\n"
            "    if ok:\n        return 'yes'\n    return 'no'"
        ),
    ],
)
def test_where_the_code_does_not_say_who_is_better_off_nobody_is_named(code: str) -> None:
    (found,) = findings(f"def admit(p, a, b):\n    {code}\n")
    assert found.rule == "FL101"
    assert not found.use.outcomes


def test_points_that_may_turn_are_no_points() -> None:
    (found,) = findings(
        "def score(p):\n    score = p.years\n    if p.gender == 'male':\n"
        "        score += 5 if p.senior else -5\n    return score\n"
    )
    assert found.use.attribute == "gender"
    assert found.points is None


# --------------------------------------------------------------------------------- alike in another form

ALIKE = {
    "after a guard": (
        "    if not (p.sex == 'm'):\n        verdict = 'rejected'\n        return verdict\n"
        "    verdict = 'rejected'\n    return verdict\n"
    ),
    "said before": (
        "    verdict = 'rejected'\n    if p.sex == 'm':\n        verdict = 'rejected'\n    return verdict\n"
    ),
    "the same mail": (
        "    if p.sex == 'm':\n        post.send(p.mail, 'rejected')\n    else:\n"
        "        post.send(p.mail, 'rejected')\n"
    ),
    "a mail after a guard": (
        "    if p.sex == 'm':\n        post.send(p.mail, 'rejected')\n        return\n"
        "    post.send(p.mail, 'rejected')\n    return\n"
    ),
}


@pytest.mark.parametrize("form", ALIKE)
def test_what_is_the_same_for_all_is_no_decision(form: str) -> None:
    assert not [one for one in findings("def admit(p, post):\n" + ALIKE[form]) if one.severity != "note"]
    other = ALIKE[form].replace("rejected", "approved", 1)
    if form == "said before":
        assert [one.rule for one in findings("def admit(p, post):\n" + other)] == ["FL101"]


@pytest.mark.parametrize(
    "act",
    [
        "post.send(p.mail, 'Your application', '{0}')",
        "database.execute('UPDATE cases SET state = ? WHERE id = ?', ('{0}', p.id))",
        "p.status = '{0}'",
        "p['status'] = '{0}'",
    ],
)
def test_what_a_call_or_an_entry_is_given_tells_the_outcome(act: str) -> None:
    code = (
        f"def admit(p, post, database):\n    if p.sex == 'f':\n        {act.format('rejected')}\n"
        f"    else:\n        {act.format('approved')}\n"
    )
    (found,) = findings(code)
    assert (found.rule, found.use.attribute, found.severity) == ("FL101", "gender", "error")
    assert "rejected" in found.use.outcomes["female"]
    assert "approved" in found.use.outcomes["male"]


def test_an_outcome_that_a_table_gives_is_told() -> None:
    (found,) = findings(
        "def admit(p):\n    p['status'] = {'m': 'rejected', 'f': 'on hold'}.get(p['sex'], 'approved')\n"
    )
    assert found.rule == "FL101"
    assert "rejected" in found.use.outcomes["male"]
    assert "on hold" in found.use.outcomes["female"]


def test_a_table_that_is_looped_over_gives_the_first_row_that_fits() -> None:
    (found,) = findings(
        "def points(person):\n    points = 0\n    for limit, bonus in ((25, 5), (40, 3)):\n"
        "        if person.age < limit:\n            points += bonus\n            break\n    return points\n"
    )
    assert found.points is not None
    assert found.points.by_group == {"under 25": 5.0, "25–39": 3.0, "40 and over": 0.0}


def test_whoever_is_not_named_keeps_what_there_was() -> None:
    (found,) = findings(
        "def premium(p):\n    rate = 100\n    if p.nationality == 'german':\n        rate *= 1.2\n"
        "    return rate\n"
    )
    assert found.points is not None
    assert (found.points.op, found.points.by_group, found.points.other) == ("multiply", {"german": 1.2}, 1.0)


def test_a_helper_that_is_called_for_both_does_its_work_for_both() -> None:
    helpers = (
        "def tell(mail, what):\n    print('your application is', what, mail)\n\n"
        "def add(p, n):\n    p.score += n\n\n"
    )
    calls = "def handle(p, mail):\n    if p.sex == 'f':\n        {0}\n    else:\n        {1}\n"
    alike = calls.format("tell(mail, 'rejected')", "tell(mail, 'rejected')")
    assert not findings(helpers + alike)
    (told,) = findings(helpers + calls.format("tell(mail, 'rejected')", "tell(mail, 'approved')"))
    assert "rejected" in told.use.outcomes["female"]
    assert "approved" in told.use.outcomes["male"]
    callers = "\ndef one(p):\n    handle(p, 0)\n\ndef two(p):\n    handle(p, 0)\n"
    (points,) = findings(helpers + calls.format("add(p, 5)", "add(p, 9)") + callers)
    assert points.points is not None
    assert points.points.by_group == {"male": 9.0, "female": 5.0}


@pytest.mark.parametrize(
    "cut",
    [
        "    return min(score, 40)\n",
        "    score = min(40, score)\n    return score\n",
        "    if score > 40:\n        score = 40\n    return score\n",
        "    if not 40 >= score:\n        score = 40\n    return score\n",
        "    return 40 if score > 40 else score\n",
        "    return score if score <= 40 else 40\n",
    ],
)
def test_points_below_a_highest_number_are_the_most_that_there_can_be(cut: str) -> None:
    code = "def score(p, n):\n    score = n\n    if p.sex == 'm':\n        score {0} 60\n"
    for sign, at_most in (("+=", True), ("-=", False)):
        (found,) = findings(code.format(sign) + cut)
        assert found.points is not None
        assert found.points.at_most is at_most
    (found,) = findings(code.format("-=") + "    return max(score, 0)\n")
    assert found.points is not None
    assert found.points.at_most


def test_those_turned_away_with_less_are_told_what_they_get() -> None:
    (found,) = findings(
        "def fee(member):\n    fee = 40\n    if member.sex == 'f':\n        return fee * 0.9\n    fee += 5\n"
        "    return min(fee, 60)\n"
    )
    assert found.points is not None
    assert found.points.by_group == {"male": 45.0, "female": 36.0}


@pytest.mark.parametrize("leave", ["sys.exit('usage')", "return"])
def test_a_function_that_the_file_calls_is_told_as_one_that_it_does_not(leave: str) -> None:
    code = (
        f"import sys\n\ndef main(argv, rows):\n    if len(argv) < 2:\n        {leave}\n    try:\n"
        "        rows = open(argv[1])\n    except OSError:\n        sys.exit(1)\n    for row in rows:\n"
        "        name, sex, years = row.split(',')\n        score = 2 * int(years)\n"
        "        if sex == 'm':\n            score += 10\n        print(name, score)\n"
    )
    for text in (code, code + "\nmain(sys.argv, [])\n"):
        (found,) = findings(text)
        assert found.points is not None
        assert not found.points.at_most
        assert found.points.by_group == {"male": 10.0, "female": 0.0}
