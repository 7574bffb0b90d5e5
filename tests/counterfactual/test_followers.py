"""Columns that follow a changed attribute: what a description says, what the data add, what is measured."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations, product
from pathlib import Path

import pytest
from counterfactual_people import AGE, JOB, RACE, SEX, decides, population, programs
from hypothesis import given, settings
from hypothesis import strategies as some
from plain_counterfactuals import plain_followed
from trusted_executor import TrustedExecutor

from fairlint import UsageError
from fairlint.cli import main
from fairlint.counterfactual.executors.executor import Call, Program
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.measured import Followed, Impossible, Share, from_json, to_json
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.population import Cell, Counterparts, Follower, Population
from fairlint.support.records import replace
from fairlint.testing import assert_counterfactual_fair

ALL = replace(SEX, values=(*SEX.values, "nonbinary"))
JOBS = Follower("job", (Counterparts("cook", "female", "smith", "male"),))
RACES = Follower("race", (Counterparts("White", "male", "Black", "nonbinary"),))
DESCRIPTION = """\
[columns.sex]
attribute = "gender"

[columns.sex.follow]
relationship = { Husband = "Wife" }
"""
FAMILY = """\
sex,relationship,income
Male,Husband,1
Male,Husband,5
Male,Own-child,1
Female,Wife,3
Female,Not-in-family,1
"""
CODE = """\
def approve(person):
    return person["relationship"] == "Husband" or person["income"] > 4


def alone(sex):
    return sex == "Male"


def both(sex, relationship):
    return sex == "Male" and relationship != "Husband"
"""


# ----------------------------------------------------------------------------------------------- measuring


def followed_people(*people: tuple[Cell, ...]) -> Population:
    return population(people, columns=(replace(ALL, followers=(JOBS,)), AGE, RACE, JOB))


def followed(body: str, people: Population) -> Followed:
    changes = measure(decides(body), people, TrustedExecutor(), attributes=["sex"]).changes("sex")
    assert changes is not None
    assert changes.followed is not None
    return changes.followed


def test_what_follows_changes_with_the_attribute_in_both_directions() -> None:
    people = followed_people(
        ("male", "old", "White", "smith"),
        ("female", "old", "White", "cook"),
        ("female", "old", "White", "clerk"),
    )
    found = followed("return p['job'] == 'cook'", people)
    assert found.cip == Share(2, 3)  # the smith becomes a cook, the cook a smith, the clerk stays
    assert found.pairs[0] == (Share(0, 0), Share(1, 1), Share(0, 1))
    assert found.pairs[1] == (Share(1, 2), Share(0, 0), Share(0, 2))
    assert found.impossible == 2
    assert found.impossible_as == (
        Impossible("male", "job", "cook", 1), Impossible("female", "job", "smith", 1),
    )  # fmt: skip


def test_who_does_not_fit_already_is_made_to_fit() -> None:
    """A man who is a cook stays one as a woman."""
    found = followed("return p['job'] == 'smith'", followed_people(("male", "old", "White", "cook")))
    assert (found.cip, found.impossible) == (Share(0, 1), 0)


def test_a_group_without_a_counterpart_changes_alone() -> None:
    people = followed_people(("nonbinary", "old", "White", "cook"))
    found = followed("return p['job'] == 'cook'", people)
    assert found.pairs[2] == (Share(1, 1), Share(0, 1), Share(0, 0))  # as a man no cook, as a woman still one


def test_a_program_that_never_reads_the_attribute_itself() -> None:
    program = Program("def decide(job):\n    return job == 'cook'", "decide", Call("arguments", ("job",)))
    found = measure(
        program, followed_people(("male", "old", "White", "smith")), TrustedExecutor(), attributes=["sex"]
    ).attributes[0]
    assert found.followed is not None
    assert (found.cip, found.proved, found.followed.cip) == (Share(0, 1), True, Share(1, 1))


def test_without_follow_nothing_follows_and_no_calls_are_spent() -> None:
    people = followed_people(("male", "old", "White", "smith"), ("female", "old", "Black", "cook"))
    body = "return p['job'] + p['sex'] + p['race']"
    alone, together = (
        measure(decides(body), people, TrustedExecutor(), attributes=["sex"], follow=follow)
        for follow in (False, True)
    )
    assert alone.attributes[0].followed is None
    assert alone.calls - alone.repeated < together.calls - together.repeated


@some.composite
def followed_populations(draw: some.DrawFn) -> Population:
    columns = (replace(ALL, followers=draw(some.sampled_from([(JOBS,), (RACES, JOBS)]))), AGE, RACE, JOB)
    cells = some.tuples(*(some.sampled_from(column.values) for column in columns))
    rows = draw(some.lists(cells, min_size=1, max_size=12, unique=True))
    return population(
        rows, draw(some.lists(some.integers(1, 4), min_size=len(rows), max_size=len(rows))), columns
    )


@settings(max_examples=60, deadline=None)
@given(followed_populations(), programs(), some.booleans())
def test_the_same_as_one_by_one(people: Population, program: Program, by_classes: bool) -> None:
    pairs = {
        one.column: [(pair.value, pair.group, pair.other, pair.other_group) for pair in one.pairs]
        for one in people.columns[0].followers
    }
    told, impossible = plain_followed(program, people, TrustedExecutor(), "sex", pairs)
    measured = measure(program, people, TrustedExecutor(), joint=True, by_classes=by_classes)
    assert from_json(json.loads(json.dumps(to_json(measured)))) == measured
    found = measured.attributes[0].followed
    assert found is not None
    assert (found.compared, found.changed, found.impossible) == (told.compared, told.changed, impossible)
    values = people.columns[0].values
    assert found.pairs == tuple(
        tuple(Share(*told.pairs.get((one, other), (0, 0))) for other in values) for one in values
    )
    alone = measure(program, people, TrustedExecutor(), joint=True, by_classes=by_classes, follow=False)
    assert [replace(one, followed=None) for one in measured.attributes] == list(alone.attributes)
    assert measured.joint == alone.joint


# ------------------------------------------------------------------------------------------- what data say


def loaded(folder: Path, text: str, description: str = DESCRIPTION) -> Population:
    (folder / "family.csv").write_text(text, "utf-8")
    (folder / "family.toml").write_text(description, "utf-8")
    return load(folder / "family.csv", config=folder / "family.toml")


def test_each_value_belongs_to_the_group_that_has_it_most(tmp_path: Path) -> None:
    for written in ('{ Husband = "Wife" }', '{ Wife = "Husband" }', '{ Wife = "Husband", Husband = "Wife" }'):
        people = loaded(tmp_path, FAMILY, DESCRIPTION.replace('{ Husband = "Wife" }', written))
        (follower,) = people.columns[0].followers
        (pair,) = follower.pairs
        assert {(pair.value, pair.group), (pair.other, pair.other_group)} == {
            ("Husband", "Male"), ("Wife", "Female"),
        }  # fmt: skip
        assert not any("Nobody" in note for note in people.origin.notes)


def test_a_counterpart_that_nobody_has_is_tried_and_told(tmp_path: Path) -> None:
    men = "\n".join(line for line in FAMILY.splitlines() if "Wife" not in line)
    people = loaded(tmp_path, men)
    assert people.columns[1].values[-1] == "Wife"
    assert people.columns[0].followers[0].counterpart("Husband", "Female") == "Wife"
    assert "Nobody has 'Wife' in `relationship`, which is to follow another column." in people.origin.notes


def test_a_misspelt_value_is_told_with_the_one_that_is_meant(tmp_path: Path) -> None:
    people = loaded(tmp_path, FAMILY, DESCRIPTION.replace("Husband", "husbnd"))
    assert any(note.endswith("; did you mean 'Husband'?") for note in people.origin.notes)


def test_values_that_nobody_has_follow_nothing(tmp_path: Path) -> None:
    people = loaded(tmp_path, FAMILY, DESCRIPTION.replace('Husband = "Wife"', 'Sir = "Madam"'))
    assert people.columns[0].followers == (Follower("relationship", ()),)
    assert sum("Nobody has" in note for note in people.origin.notes) == 2


def test_numbers_follow_as_they_are_written(tmp_path: Path) -> None:
    text = FAMILY.replace("Husband", "1").replace("Wife", "2").replace("Own-child", "3")
    described = DESCRIPTION.replace('Husband = "Wife"', "1 = 2") + "[columns.relationship]\nordered = false\n"
    people = loaded(tmp_path, text.replace("Not-in-family", "3"), described)
    assert people.columns[0].followers[0].counterpart(1, "Female") == 2


@pytest.mark.parametrize(
    ("follow", "message"),
    [
        ('relatonship = { Husband = "Wife" }',
         "people have no such column; did you mean 'relationship'?"),
        ('relationship = { Husband = "Wife", Spouse = "Wife" }',
         "must give 'Wife' one counterpart, not both 'Husband' and 'Spouse'"),
        ('relationship = { Husband = "Wife", Wife = "Partner" }',
         "must give 'Wife' one counterpart, not both 'Husband' and 'Partner'"),
        ('relationship = { Husband = "Husband" }', "must give 'Husband' another value as its counterpart"),
        ('relationship = "Wife"', "must be a table of value = counterpart, not 'Wife'"),
        ("relationship = { Husband = [1] }", "must hold texts, numbers, true or false, not [1]"),
        ('sex = { Male = "Female" }', "no column can follow itself"),
        ('income = { 1 = 9 }', "'9' is not among its ordered values"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(tmp_path: Path, follow: str, message: str) -> None:
    text = DESCRIPTION.replace('relationship = { Husband = "Wife" }', follow)
    with pytest.raises(UsageError) as told:
        loaded(tmp_path, FAMILY, text)
    assert message in str(told.value)
    assert "\n" not in str(told.value)
    assert "'columns' → 'sex' → 'follow'" in str(told.value)


def test_counterparts_that_the_data_do_not_tell_apart_are_refused(tmp_path: Path) -> None:
    text = "sex,relationship\nMale,Husband\nFemale,Husband\nMale,Wife\nFemale,Wife\n"
    with pytest.raises(UsageError) as told:
        loaded(tmp_path, text)
    assert str(told.value).endswith(
        "'follow' → 'relationship': the data do not say which group has 'Husband' and which has 'Wife': "
        "'Husband' has 1 of Male, 1 of Female; 'Wife' has 1 of Male, 1 of Female"
    )


def test_bands_neither_follow_nor_are_followed(tmp_path: Path) -> None:
    bands = '\n[columns.income]\nbands = [{ name = "low", to = 9 }]\n'
    follows = '[columns.sex]\nattribute = "gender"\nfollow = { income = { low = "high" } }\n' + bands
    with pytest.raises(UsageError, match="a column with 'bands' cannot follow another"):
        loaded(tmp_path, FAMILY, follows)
    leads = '[columns.sex]\nattribute = "gender"\n' + bands + 'follow = { sex = { Male = "Female" } }\n'
    with pytest.raises(UsageError, match="no column can follow one with 'bands'"):
        loaded(tmp_path, FAMILY, leads)


@settings(max_examples=80, deadline=None)
@given(
    some.lists(
        some.tuples(some.sampled_from("abcd"), some.sampled_from(["Husband", "Wife", "none"])),
        min_size=1, max_size=14,
    )
)  # fmt: skip
def test_groups_are_the_likeliest_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    counts = Counter(rows)
    groups = list(dict.fromkeys(group for group, _ in rows))
    ways = {way: counts[way[0], "Husband"] + counts[way[1], "Wife"] for way in permutations(groups, 2)}
    best = [way for way, people in ways.items() if people == max(ways.values())]
    text = "sex,relationship\n" + "".join(f"{group},{value}\n" for group, value in rows)
    folder = tmp_path_factory.mktemp("family")
    if len(best) > 1 and max(ways.values()):
        with pytest.raises(UsageError, match="the data do not say which group has 'Husband'"):
            loaded(folder, text)
        return
    (follower,) = loaded(folder, text).columns[0].followers
    for value, group in product(["Husband", "Wife", "none"], groups):
        expected = value
        if best and ways[best[0]]:
            mine, theirs = best[0]
            expected = {("Husband", theirs): "Wife", ("Wife", mine): "Husband"}.get((value, group), value)
        assert follower.counterpart(value, group) == expected


# ------------------------------------------------------------------------------------------------- reports


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "family.csv").write_text(FAMILY, "utf-8")
    (tmp_path / "family.toml").write_text(DESCRIPTION, "utf-8")
    (tmp_path / "loans.py").write_text(CODE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], function: str, *arguments: str) -> tuple[int, str]:
    data = ("--data", "family.csv", "--data-config", "family.toml")
    code = main(["counterfactual", f"loans.py:{function}", *data, *arguments])
    return code, capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_both_figures_stand_beside_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    # the husband with 1 is approved as he is and not as a wife, the wife with 3 would be as a husband
    code, out = told(capsys, "approve")
    assert code == 1
    rows = [line.split() for line in out.splitlines()]
    assert rows[rows.index(next(row for row in rows if row[:1] == ["attribute"])) + 1][:6] == [
        "sex", "0", "0.0", "%", "1.000", "(0.500)",
    ]  # fmt: skip
    assert ["with", "relationship", "2", "40.0", "%", "biased"] in rows
    assert "sex: relationship follows: Husband (Male) ↔ Wife (Female)\n" in out
    assert "sex: changed alone, 3 people would be impossible: 2 Female and Husband, 1 Male and Wife\n" in out
    document = json.loads(told(capsys, "approve", "--format", "json")[1])
    assert document["rates"]["sex"]["cip"] == 0.0
    assert document["rates"]["sex"]["followed"] == {
        "columns": ["relationship"], "cip": 0.4, "above": True, "reaching": True, "impossible": 3,
    }  # fmt: skip
    (changes,) = document["measured"]["attributes"]
    assert changes["followed"]["impossible_as"][0] == {
        "value": "Female", "column": "relationship", "stays": "Husband", "people": 2,
    }  # fmt: skip


@pytest.mark.usefixtures("folder")
def test_what_is_the_same_with_followers_is_not_listed_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Male with relationship" not in told(capsys, "alone")[1]
    assert "Male with relationship" in told(capsys, "both")[1]


@pytest.mark.usefixtures("folder")
def test_findings_carry_both_figures(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "approve", "--format", "concise")[1]
    assert "FL101 error the outcome depends on gender" in out
    assert (
        "proved to change nothing alone, as it is never read; together with relationship, it changes the "
        "outcome of 40.0 %"
    ) in out
    out = told(capsys, "both", "--format", "concise")[1]
    assert (
        "the outcome of 60.0 % of 5 people; together with relationship, it changes the outcome of 40.0 %"
        in out
    )


@pytest.mark.usefixtures("folder")
def test_the_followed_figure_alone_can_exceed_the_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "approve", "--threshold", "0.3")[0] == 1
    assert told(capsys, "approve", "--threshold", "0.5")[0] == 0


def approve(relationship: str, income: int) -> bool:
    return relationship == "Husband" or income > 4


def test_the_assertion_heeds_what_follows(folder: Path) -> None:
    with pytest.raises(AssertionError) as told:
        assert_counterfactual_fair(approve, folder / "family.csv", "sex", config=folder / "family.toml")
    assert "another sex with relationship changes the outcome of 40.0 % of 5 people" in str(told.value)
    assert "{'relationship': 'Husband', 'income': 1}: True; with 'Female': False" in str(told.value)
    assert_counterfactual_fair(
        approve, folder / "family.csv", "sex", config=folder / "family.toml", threshold=0.4
    )


def test_a_fitted_model_is_asked_about_the_same_people(folder: Path) -> None:
    """Each person by hand: a husband as a wife, a wife as a husband, all others with another sex alone."""
    pandas, compose = pytest.importorskip("pandas"), pytest.importorskip("sklearn.compose")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    frame = pandas.read_csv(folder / "family.csv")
    coded = compose.make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["sex", "relationship"]), remainder="passthrough"
    )
    model = make_pipeline(coded, DecisionTreeClassifier(random_state=0)).fit(frame, [1, 1, 0, 1, 0])
    moved = frame.assign(
        sex=frame["sex"].map({"Male": "Female", "Female": "Male"}),
        relationship=frame["relationship"].replace({"Husband": "Wife", "Wife": "Husband"}),
    )
    expected = int((model.predict(frame) != model.predict(moved)).sum())
    measured = assert_counterfactual_fair(
        model.predict, folder / "family.csv", "sex", config=folder / "family.toml", threshold=1.0
    )
    followed = measured.attributes[0].followed
    assert followed is not None
    assert followed.cip == Share(expected, 5)
