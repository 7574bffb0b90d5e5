"""What fairlint says a function gives each group is what the function gives when it is run."""

from __future__ import annotations

import textwrap
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint import check_source

GROUPS = ("white", "black", "asian", "hispanic")
SPELLINGS = {
    "white": ("white", "White", "caucasian"),
    "black": ("black", "Black", "african american"),
    "asian": ("asian", "ASIAN"),
    "hispanic": ("hispanic", "latino"),
}

amounts = st.integers(-9, 9).filter(bool)
groups = st.sampled_from(GROUPS)
READ = "applicant.race"


def literal(group: str) -> str:
    return repr(group)


@st.composite
def conditions(draw: st.DrawFn) -> str:
    """A test on the race of the applicant."""
    kind = draw(st.sampled_from(("==", "!=", "in", "not in", "lower", "or", "not")))
    group, other = draw(groups), draw(groups)
    match kind:
        case "==" | "!=":
            return f"{READ} {kind} {literal(group)}"
        case "in" | "not in":
            return f"{READ} {kind} ({literal(group)}, {literal(other)})"
        case "lower":
            return f"{READ}.lower() == {literal(group)}"
        case "or":
            return f"{READ} == {literal(group)} or {literal(other)} == {READ}"
        case _:
            return f"not ({READ} == {literal(group)})"


@st.composite
def updates(draw: st.DrawFn) -> str:
    """A statement that changes the score by race."""
    amount, second = draw(amounts), draw(amounts)
    test = draw(conditions())
    table = {group: draw(amounts) for group in draw(st.sets(groups, min_size=1))}
    return draw(
        st.sampled_from(
            (
                f"score += {amount} if {test} else {second}",
                f"score -= {amount} * ({test})",
                f"score = score + ({test}) * {amount}",
                f"score += {table!r}.get({READ}, {second})",
                f"if {test}:\n    score += {amount}\n",
                f"if {test}:\n    score -= {amount}\nelse:\n    score = score + {second}\n",
                f"if {test}:\n    score += {amount}\nelif {draw(conditions())}:\n    score += {second}\n",
                (
                    f"if {test}:\n    if {draw(conditions())}:\n        score += {amount}\n"
                    f"    else:\n        score -= {second}\n"
                ),
                (
                    f"match {READ}:\n    case {literal(draw(groups))}:\n        score += {amount}\n"
                    f"    case _:\n        score += {second}\n"
                ),
                f"bonus = {amount}\nif {test}:\n    bonus = {second}\nscore += bonus\n",
                f"for extra in ({amount}, {second}):\n    if {test}:\n        score += extra\n",
            )
        )
    )


programs = st.lists(updates(), min_size=1, max_size=3).map(
    lambda parts: (
        "def evaluate(applicant):\n    score = 0\n"
        + textwrap.indent("\n".join(part.rstrip() for part in parts), "    ")
        + "\n    return score\n"
    )
)


def given_by_execution(program: str) -> dict[str, int]:
    names: dict[str, object] = {}
    exec(program, names)  # written by the strategies above
    evaluate = names["evaluate"]
    assert callable(evaluate)
    return {group: evaluate(SimpleNamespace(race=group)) for group in GROUPS}


@settings(max_examples=150, deadline=None)
@given(programs)
def test_points_are_what_the_code_gives(program: str) -> None:
    real = given_by_execution(program)

    told = check_source(program).points("race")

    assert {group: told[group] - told["white"] for group in GROUPS} == {
        group: real[group] - real["white"] for group in GROUPS
    }


@settings(max_examples=60, deadline=None)
@given(programs)
def test_a_finding_is_made_where_groups_fare_differently(program: str) -> None:
    real = given_by_execution(program)

    findings = check_source(program).findings

    if len(set(real.values())) > 1:
        assert findings


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(GROUPS), st.sampled_from(GROUPS), amounts, amounts)
def test_renaming_two_groups_renames_their_points(first: str, second: str, one: int, two: int) -> None:
    program = (
        "def score(applicant):\n    score = 0\n"
        f"    if applicant.race == '{first}':\n        score += {one}\n"
        f"    elif applicant.race == '{second}':\n        score += {two}\n    return score\n"
    )
    swapped = program.replace(first, "\0").replace(second, first).replace("\0", second)

    told, other = check_source(program).points("race"), check_source(swapped).points("race")

    assert told[first] == other[second]
    assert told[second] == other[first]


@given(
    st.sampled_from([(group, spelling) for group, known in SPELLINGS.items() for spelling in known]), amounts
)
@settings(max_examples=30, deadline=None)
def test_spellings_of_a_group_are_one_group(spelled: tuple[str, str], amount: int) -> None:
    group, spelling = spelled
    program = (
        "def score(applicant):\n    score = 0\n"
        f"    if applicant.race == '{spelling}':\n        score += {amount}\n    return score\n"
    )

    assert check_source(program).points("race")[group] == amount
