"""What is measured of a program, against hand-computed cases and against trying everything one by one."""

from __future__ import annotations

import json

import pytest
from counterfactual_people import AGE, COLUMNS, JOB, RACE, SEX, decides, population, populations, programs
from hypothesis import given, settings
from plain_counterfactuals import plain
from trusted_executor import TrustedExecutor

import fairlint
from fairlint.counterfactual.executors.executor import Call, Failed, Program
from fairlint.counterfactual.measured import Changes, DeadTest, Measured, Share, from_json, to_json
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.population import Cell, Column, Population

FOUR = population(
    [
        ("male", "youth", "White", "cook"),
        ("female", "middle", "White", "cook"),
        ("female", "senior", "Black", "clerk"),
        ("male", "old", "Asian", "smith"),
    ],
    [1, 2, 3, 4],
)


def measured(body: str, people: Population = FOUR, **options: object) -> Measured:
    return measure(decides(body), people, TrustedExecutor(), **options)  # type: ignore[arg-type]


def of(found: Measured, column: str) -> Changes:
    changes = found.changes(column)
    assert changes is not None
    return changes


def test_people_whose_outcome_another_value_changes() -> None:
    found = measured("return p['sex'] == 'female' and p['job'] != 'clerk'")
    assert of(found, "sex").cip == Share(7, 10)  # all but the three clerks
    assert of(found, "race").cip == of(found, "age").cip == Share(0, 10)
    assert found.decision == "bool"
    assert found.favourable == "1"
    assert found.executable


def test_rows_count_by_the_people_they_stand_for() -> None:
    body = "return p['sex'] == 'male' and p['age'] == 'old'"
    alone = population(FOUR.rows)
    assert of(measured(body), "sex").cip == Share(4, 10)
    assert of(measured(body, alone), "sex").cip == Share(1, 4)


def test_each_value_and_each_pair_of_values() -> None:
    found = of(measured("return p['age'] in ('senior', 'old')"), "age")
    # 3 of 10 people are young or in the middle, 7 are not
    assert found.cip == Share(10, 10)
    assert found.moved == (Share(7, 9), Share(7, 8), Share(3, 7), Share(3, 6))
    assert found.pairs[0] == (Share(0, 0), Share(0, 1), Share(1, 1), Share(1, 1))
    assert found.pairs[3] == (Share(4, 4), Share(4, 4), Share(0, 4), Share(0, 0))
    assert found.classes == 2
    assert found.read == "compared"


def test_steps_to_the_nearest_value_that_changes_the_outcome() -> None:
    found = of(measured("return p['age'] in ('senior', 'old')"), "age")
    assert found.steps == (2 + 3, 1 + 4, 0)  # the middle and the senior ones are next to the limit
    assert of(measured("return p['race'] == 'Black'"), "race").steps == (10,)


def test_groups_and_what_becomes_of_them() -> None:
    labelled = population(FOUR.rows, FOUR.weights, favourable=[1, 1, 2, 0])
    found = of(measured("return p['job'] == 'cook'", labelled, attributes=["sex"]), "sex")
    male, female = found.groups
    assert (male.value, male.people, male.selected, male.labelled, male.selected_labelled) == (
        "male",
        5,
        1,
        1,
        1,
    )
    assert (female.people, female.selected, female.labelled, female.selected_labelled) == (5, 2, 3, 1)


def test_values_that_nobody_has_are_told_and_tried() -> None:
    found = of(measured("return p['sex'].lower() == 'woman' or p['sex'] == 'Female'"), "sex")
    assert found.cip == Share(0, 10)
    assert found.cip_with_dead == Share(10, 10)
    assert found.dead == (DeadTest("Female", (), "female"), DeadTest("woman", ("lower",), None))
    assert found.read == "compared"


def test_what_is_never_read_is_proved() -> None:
    found = measured("return p['job'] == 'cook'")
    assert [one.proved for one in found.attributes] == [True, True, True]
    assert [one.read for one in found.attributes] == ["never", "never", "never"]
    found = measured("key = 'job'\nreturn p[key + ''] == 'cook'")
    assert not any(one.proved for one in found.attributes)


def test_columns_that_the_program_does_not_get() -> None:
    program = Program("def decide(job):\n    return job == 'cook'", "decide", Call("arguments", ("job",)))
    found = measure(program, FOUR, TrustedExecutor())
    assert of(found, "sex").proved
    assert of(found, "sex").cip == Share(0, 10)
    assert found.outcomes[0].people == 7
    assert found.calls - found.repeated <= 2


def test_who_cannot_be_compared_counts_neither_as_changed_nor_at_all() -> None:
    body = "if p['job'] == 'smith': return 1 // 0\nif p['race'] == 'Black': return object()\nreturn p['sex']"
    found = measured(body)
    assert found.answered == 3
    assert found.answered_share == Share(3, 10)
    assert found.unanswered == {"ZeroDivisionError": 4, "no value: object": 3}
    assert of(found, "sex").cip == Share(3, 3)
    assert of(found, "sex").cip_of_all == Share(3, 10)
    assert of(found, "race").cip == Share(0, 0)  # of each, some other race cannot be compared
    assert of(found, "race").moved[0] == Share(0, 0)
    assert of(found, "race").moved[2] == Share(0, 3)


def test_two_attributes_together() -> None:
    body = "return (p['sex'] == 'male') == (p['race'] == 'White')"
    found = measured(body, joint=True, attributes=["sex", "race"])
    (both,) = found.joint
    assert both.columns == ("sex", "race")
    # a white person's other race and sex change nothing together; of others, the third race does with the sex
    assert (both.compared, both.changed, both.only_together) == (10, 7, 0)
    found = measured(
        "return p['sex'] == 'male' and p['race'] == 'White'", joint=True, attributes=["race", "sex"]
    )
    assert found.joint[0].changed == 1 + 3  # the white man, and the black women
    assert found.joint[0].only_together == 3


def test_random_programs_are_found() -> None:
    people = population(
        [
            (sex, age, race, job)
            for sex in SEX.values
            for age in AGE.values
            for race in RACE.values
            for job in JOB.values
        ]
    )
    body = "import random\nreturn random.random() > 0.5 and p['sex'] + p['age'] + p['race'] + p['job'] != ''"
    found = measured(body, people)
    assert found.steadiness == "random"
    assert found.cause == "random"
    assert found.differed


@pytest.mark.parametrize(
    "body",
    [
        "return random.random() > 0.5",  # one call stands for everybody
        "return random.random() < (0.9 if p['sex'] == 'male' else 0.1)",
        "return p['job'] == 'cook' or p['sex'] == 'female' and random.random() < 0.2",
    ],
)
def test_chance_is_found_where_few_calls_stand_for_all_people(body: str) -> None:
    for _ in range(20):
        found = measure(decides(body, around="import random"), FOUR, TrustedExecutor())
        assert found.steadiness == found.cause == "random"
        assert not any(one.proved for one in found.attributes)


def test_a_count_of_calls_is_no_steady_outcome_where_one_call_stands_for_all() -> None:
    body = "SEEN.append(1)\nreturn len(SEEN) % 2"
    assert measure(decides(body, around="SEEN = []"), FOUR, TrustedExecutor()).cause == "state"


def test_a_random_number_with_a_fixed_seed_is_steady() -> None:
    body = "return random.Random(len(p['job'])).random() > 0.5"
    found = measure(decides(body, around="import random"), FOUR, TrustedExecutor())
    assert (found.steadiness, found.cause) == ("steady", None)


def test_what_is_kept_between_calls_is_found() -> None:
    body = "SEEN.append(p['job'])\nreturn len(SEEN) > 2"
    found = measure(decides(body, around="SEEN = []"), FOUR, TrustedExecutor())
    assert found.steadiness == found.cause == "state"


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("return (", "syntax"),
        ("return 1 // 0", "no outcome"),
        ("pass", "returns nothing"),
        ("return object()", "no outcome"),
    ],
)
def test_what_is_not_executable_says_why(body: str, cause: str) -> None:
    found = measured(body)
    assert not found.executable
    assert found.cause == cause
    assert from_json(json.loads(json.dumps(to_json(found)))) == found


class Slow(TrustedExecutor):
    """Gives up where somebody is a smith."""

    def run(self, program, people, limits):  # type: ignore[no-untyped-def]
        if any("smith" in person for person in people):
            self.batches += 1
            return Failed("time", "takes longer than 10 s")
        return super().run(program, people, limits)


def test_a_batch_that_fails_for_one_person_is_not_lost_for_the_others() -> None:
    found = measure(decides("return p['job'] == p['sex']"), FOUR, Slow(), attributes=["sex"])
    assert found.unanswered == {"time": 4}
    assert of(found, "sex").compared == 6


def test_a_program_that_fails_for_everybody_ends_soon() -> None:
    class Endless(TrustedExecutor):
        def run(self, program, people, limits):  # type: ignore[no-untyped-def]
            self.batches += 1
            return Failed("time", "takes longer than 10 s")

    executor = Endless()
    found = measure(decides("return p['job'] + p['sex']"), FOUR, executor)
    assert found.cause == "time"
    assert executor.batches == 2


@pytest.mark.parametrize(
    ("outcome", "given", "favourable"),
    [
        ("return 'approved' if p['job'] == 'cook' else 'denied'", None, '"approved"'),
        ("return 'not approved' if p['job'] == 'cook' else 'other'", None, '"other"'),
        ("return 'not eligible' if p['job'] == 'cook' else 'eligible'", None, '"eligible"'),
        ("return 'left' if p['job'] == 'cook' else 'right'", None, None),
        ("return 'left' if p['job'] == 'cook' else 'right'", "left", '"left"'),
        ("return int(p['job'] == 'cook')", None, "1"),
        ("return p['job'] == 'cook'", False, "0"),
        ("return len(p['job'])", None, None),
    ],
)
def test_the_favourable_outcome(outcome: str, given: Cell, favourable: str | None) -> None:
    assert measured(outcome, favourable_outcome=given).favourable == favourable


def test_wrong_names_are_told() -> None:
    with pytest.raises(fairlint.UsageError, match="'religion' is no column of people"):
        measured("return 1", attributes=["religion"])
    odd = population([("male", "ancient", "White", "cook")])
    with pytest.raises(fairlint.UsageError, match="column 'age' has a row with 'ancient'"):
        measured("return 1", odd)
    program = Program("def f(height): pass", "f", Call("arguments", ("height",)))
    with pytest.raises(fairlint.UsageError, match="'height' is no column of people"):
        measure(program, FOUR, TrustedExecutor())


def test_names_that_differ_by_signs_alone() -> None:
    columns = (Column("marital-status", ("single", "married"), attribute="marital-status"),)
    program = Program(
        "def f(marital_status): return marital_status == 'single'",
        "f",
        Call("arguments", ("marital_status",)),
    )
    found = measure(program, population([("single",)], columns=columns), TrustedExecutor())
    assert found.attributes[0].cip == Share(1, 1)


def test_few_calls_do_for_many_people() -> None:
    rows = [
        (sex, age, race, job)
        for sex in SEX.values
        for age in AGE.values
        for race in RACE.values
        for job in JOB.values
    ]
    executor = TrustedExecutor()
    found = measure(
        decides("return p['sex'] == 'male' and p['age'] > 'n'"), population(rows, [1000] * 72), executor
    )
    assert found.plain_calls == 72_000 * (1 + 1 + 3 + 2)
    assert found.calls == executor.calls == 2 * 2 + found.repeated  # classes of sex and age
    assert found.batches == 3


@settings(max_examples=60, deadline=None)
@given(populations(), programs())
def test_the_same_as_one_by_one(people: Population, program: Program) -> None:
    names = [column.name for column in COLUMNS]
    slow, _ = plain(program, people, TrustedExecutor(), names)
    for by_classes in (True, False):
        found = measure(program, people, TrustedExecutor(), attributes=names, by_classes=by_classes)
        assert from_json(json.loads(json.dumps(to_json(found)))) == found
        for name in names:
            changes, told = of(found, name), slow[name]
            assert (changes.compared, changes.changed) == (told.compared, told.changed)
            assert {step: count for step, count in enumerate(changes.steps, 1) if count} == told.steps
            assert changes.moved == tuple(Share(*told.moved.get(value, (0, 0))) for value in changes.values)
            assert changes.pairs == tuple(
                tuple(Share(*told.pairs.get((one, other), (0, 0))) for other in changes.values)
                for one in changes.values
            )
            assert sum(group.changed for group in changes.groups) == told.changed
            assert not (changes.proved and told.changed)


def test_one_column_under_two_names() -> None:
    source = "def decide(sex, gender):\n    return sex == 'male' and gender == 'male'"
    program = Program(source, "decide", Call("arguments", ("sex", "gender")))
    found = measure(program, FOUR, TrustedExecutor(), columns=("sex", "sex"))
    assert of(found, "sex").cip == Share(10, 10)
    assert of(found, "sex").classes == 2
    assert of(found, "race").proved


def test_where_nobody_has_an_outcome_no_other_calls_are_made() -> None:
    number = Column("number", tuple(range(80)), ordered=True, attribute="age")
    other = Column("other", tuple(range(90)))
    people = population([(cell % 80, cell % 90) for cell in range(720)], columns=(number, other))
    executor = TrustedExecutor()
    found = measure(
        decides("return object() if p['number'] + p['other'] else 1 // 0", (number, other)), people, executor
    )
    assert found.cause == "no outcome"
    assert found.attributes[0].cip == Share(0, 0)
    assert executor.calls < 2000
