"""Whether an outcome changes with an attribute, for people made up from what a function's text asks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairlint.counterfactual.executors.choosing import choose
from fairlint.counterfactual.executors.executor import Executor, Given
from fairlint.counterfactual.guessing import attribute_of
from fairlint.counterfactual.population import Column
from fairlint.counterfactual.trial_changes import Tried, try_attributes

pytest.importorskip("pydantic_monty")

FIELD = (
    "def rate(person):\n    if person.gender == 'male' and person.age > 30:\n        return 5\n    return 1\n"
)
KEY = "def rate(person):\n    return person['income'] * 2 + (3 if person['sex'] == 'F' else 0)\n"
ARGUMENTS = "def rate(age, income):\n    return income > 3 and age > 60\n"
CHOSEN = "def pick(people):\n    return [one for one in people if one['gender'] == 'male']\n"
WHOLE = "def rate(person):\n    return [value for value in person.values()]\n"
UNREAD = "def rate(person):\n    return person['income'] * 2\n"
CANCELLED = (
    "def rate(person):\n    points = 1 if person.gender == 'male' else 1\n    return points + person.years\n"
)
VALUES: dict[str, tuple[Given, ...]] = {"gender": ("male", "female", "F"), "age": (20, 45, 70)}
HELPER = (
    "def rate(person):\n    return bonus(person.gender) + base(person)\n\n"
    "def bonus(gender):\n    return 2 if gender == 'female' else 1\n\n"
    "def base(person):\n    return 3 if person.years > 2 else 0\n"
)
FAR_BELOW = (
    "def rate(person):\n    points = person['income'] + (2 if person['gender'] == 'male' else 1)\n"
    "    return 'invited' if points > 100 else 'rejected'\n"
)


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with choose(workers=1) as running:
        yield running


def tried(code: str, executor: Executor, function: str = "") -> Tried:
    return try_attributes(
        code,
        function,
        ["gender", "age"],
        executor,
        held_by=lambda name: attribute_of(Column(name, ("a",))),
        values_of=lambda attribute, _: VALUES[attribute],
    )


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        (FIELD, {"gender": True, "age": True}),
        (KEY, {"gender": True, "age": False}),
        (ARGUMENTS, {"gender": False, "age": True}),
        (CHOSEN, {"gender": True, "age": False}),
        (WHOLE, {"gender": True, "age": True}),
        (UNREAD, {"gender": False, "age": False}),
        (CANCELLED, {"gender": False, "age": False}),
        (HELPER, {"gender": True, "age": False}),
    ],
    ids=["fields", "keys", "arguments", "chosen", "whole record", "unread", "cancelled", "helpers"],
)
def test_what_changes_an_outcome_is_found(code: str, changes: dict[str, bool], executor: Executor) -> None:
    assert tried(code, executor) == Tried(changes)


@pytest.mark.parametrize(
    "code",
    [
        "import random\ndef rate(person):\n    return random.random() < 0.5 or person.gender == 'male'\n",
        "calls = []\ndef rate(person):\n    calls.append(person.gender)\n    return len(calls)\n",
    ],
    ids=["lots", "what is kept from call to call"],
)
def test_chance_shows_nothing(code: str, executor: Executor) -> None:
    found = tried(code, executor)
    assert not found.changes
    assert found.cause == "the same person comes to different outcomes"


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("def rate(person:\n", "does not parse"),
        ("def rate(person):\n    return person.gender + missing\n", "no call came to a value"),
        ("while True:\n    pass\n", "no function"),
    ],
)
def test_what_cannot_be_called_has_a_reason(code: str, cause: str, executor: Executor) -> None:
    found = tried(code, executor)
    assert not found.changes
    assert cause in found.cause


@pytest.mark.parametrize(
    "code",
    [
        "def rate(person):\n    person['points'] = 5 if person['gender'] == 'male' else 1\n",
        "def rate(person):\n    print('invited' if person['gender'] == 'male' else 'rejected')\n",
    ],
    ids=["kept in the record", "printed"],
)
def test_what_is_not_returned_shows_nothing(code: str, executor: Executor) -> None:
    assert tried(code, executor) == Tried({}, "nothing is returned of anybody")


def test_the_same_value_for_all_sorts_of_people_shows_nothing(executor: Executor) -> None:
    assert tried(FAR_BELOW, executor) == Tried({}, "all people come to the same value")


def test_a_value_that_reads_nobody_shows_that_nothing_changes(executor: Executor) -> None:
    code = "def rate(person):\n    return 3\n"
    assert tried(code, executor) == Tried({"gender": False, "age": False})


def test_where_every_other_value_fails_nothing_is_compared(executor: Executor) -> None:
    code = "def rate(person):\n    return {'male': 1}[person.gender]\n"
    assert tried(code, executor).changes["gender"] is None


@pytest.mark.parametrize("test", ["[0] == 'W'", "[:1] in ('W', 'D')", ".startswith('w')", " in 'W or D'"])
def test_what_a_part_of_a_value_decides_is_no_no(test: str, executor: Executor) -> None:
    """People who are made up may not be spelled as the code expects."""
    code = f"def rate(person):\n    return 2 + person.years if person.gender{test} else 1 + person.years\n"
    assert tried(code, executor).changes["gender"] is None
    seen = code.replace("'W'", "'m'").replace("'w'", "'m'").replace("'W or D'", "'male and more'")
    assert tried(seen, executor).changes["gender"] is True


def test_the_function_that_is_asked_for_is_called(executor: Executor) -> None:
    code = FIELD + "\ndef other(person):\n    return person.years\n"
    assert tried(code, executor, "rate").changes["gender"] is True
    assert tried(code, executor, "other").changes["gender"] is False
