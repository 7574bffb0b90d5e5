"""What table libraries give each group is what they give when they are run, or nothing is said of amounts."""

import math
import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from fairlint import check_source
from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.rules.messages import format_table

HEAD = "import numpy as np\nimport pandas as pd\n\n"


def check(code: str) -> Report:
    return check_source(HEAD + code, path="rate.py")


def only(code: str) -> Finding:
    (found,) = check(code).findings
    return found


def run(code: str, people: pd.DataFrame) -> pd.DataFrame:
    """The people after `rate(people)`."""
    names: dict[str, Callable[[pd.DataFrame], None]] = {}
    exec(compile(HEAD + code, "rate.py", "exec"), names)
    names["rate"](people)
    return people


def ages_of(told: str) -> range:
    """The ages that a range such as `18–24`, `under 25` or `40 and over` holds."""
    first, *rest = map(int, re.findall(r"\d+", told))
    if told.startswith("under"):
        return range(1, first)
    if told.startswith("exactly"):
        return range(first, first + 1)
    return range(first, rest[0] + 1 if rest else 111)


BINS = [
    'people["score"] += np.array([5, 2, 0])[np.digitize(people["age"], [25, 40])]',
    'people["score"] += np.array([5, 2, 0])[np.digitize(people["age"], [25, 40], right=True)]',
    'people["score"] += np.array([5, 2, 0])[np.digitize(people["age"], bins=[25, 40], right=True)]',
    'people["score"] += np.array([0, 2, 5])[np.digitize(people["age"], [40, 25])]',
    'people["score"] += np.array([0, 2, 5])[np.digitize(people["age"], [40, 25], True)]',
    'people["score"] += np.array([5, 2, 0])[np.searchsorted([25, 40], people["age"])]',
    'people["score"] += np.array([5, 2, 0])[np.searchsorted([25, 40], people["age"], side="right")]',
    'people["score"] += np.array([5, 2, 0])[np.array([25, 40]).searchsorted(people["age"], "right")]',
    'people.loc[people["age"].between(30, 45), "score"] += 5',
    'people.loc[people["age"].between(30, 45, inclusive="left"), "score"] += 5',
    'people.loc[people["age"].between(30, 45, inclusive="right"), "score"] += 5',
    'people.loc[people["age"].between(30, 45, "neither"), "score"] += 5',
    'people["score"] += pd.cut(people["age"], [0, 25, 40, 99], labels=[5, 2, 0]).astype(float)',
    'people["score"] += pd.cut(people["age"], [0, 25, 40, 99], labels=[5, 2, 0], right=False).astype(float)',
    'people["score"] += pd.cut(people["age"], [22, 25, 40], labels=[5, 2]).astype(float)',
    'people["score"] += pd.cut(people["age"], [22, 25, 40], False, [5, 2]).astype(float)',
    'people["score"] += pd.cut(people["age"], [22, 25], labels=[5], include_lowest=True).astype(float)',
    'people["score"] += pd.cut(people["age"], [22, 25, 40], labels=[5, 2], include_lowest=1).astype(float)',
    'people["score"] += pd.cut(people["age"], [-np.inf, 25, 40, np.inf], labels=[5, 2, 0]).astype(float)',
    'people["score"] += pd.cut(people["age"], bins=[22, 25, 40, 60], labels=False)',
]


@pytest.mark.parametrize("line", BINS)
def test_ranges_of_ages_get_what_the_library_gives_them(line: str) -> None:
    code = f"def rate(people):\n    {line}\n"
    points = only(code).use.points
    assert points is not None
    people = pd.DataFrame({"age": range(1, 111), "score": 100.0})
    got = dict(zip(people["age"], run(code, people)["score"] - 100, strict=True))
    told = {age: amount for name, amount in points.by_group.items() for age in ages_of(name)}
    assert told == {age: amount for age, amount in got.items() if not math.isnan(amount)}
    assert points.missing == any(map(math.isnan, got.values()))


@pytest.mark.parametrize(
    "line",
    [
        'people["score"] += np.array([5, 2, 0])[np.digitize(people["age"], [25, 40], right=how)]',
        'people["score"] += np.array([5, 2, 0])[np.searchsorted([25, 40], people["age"], how)]',
        'people["score"] += np.array([5, 2, 0])[np.searchsorted([40, 25], people["age"])]',
        'people.loc[people["age"].between(30, 45, inclusive=how), "score"] += 5',
        'people["score"] += pd.cut(people["age"], [0, 25, 40, 99], labels=[5, 2, 0], right=how).astype(int)',
        'people["score"] += pd.cut(people["age"], 3, labels=[5, 2, 0]).astype(int)',
        'people["score"] += pd.qcut(people["age"], 3, labels=[5, 2, 0]).astype(int)',
    ],
)
def test_where_the_ends_are_not_known_no_amount_is_told(line: str) -> None:
    found = only(f"def rate(people, how):\n    {line}\n")
    assert found.rule == "FL205"
    assert found.use.points is None


GROUPS = [
    ('people["score"] = np.select([people["gender"] == "male"], [5])', {"male": 5, "female": 0}),
    (
        'people["score"] = np.select(condlist=[people["gender"] == "male"], choicelist=[5], default=2)',
        {"male": 5, "female": 2},
    ),
    (
        'people["score"] = np.choose((people["gender"] == "male").astype(int), [1, 5])',
        {"male": 5, "female": 1},
    ),
    (
        'people["score"] = pd.Series(1, index=people.index).case_when([(people["gender"] == "male", 5)])',
        {"male": 5, "female": 1},
    ),
    ('people["score"] += people["gender"].map({"male": 5})', {"male": 5}),
    ('people["score"] = people["gender"].map({"male": 5})', {"male": 5}),
    ('people["score"] += people["gender"].map({"male": 5}).fillna(1)', {"male": 5, "female": 1}),
    ('people["score"] += people["gender"].map({"male": 5, "female": 2}.get)', {"male": 5, "female": 2}),
    (
        'people["score"] += people["gender"].map(pd.Series({"male": 5, "female": 2}))',
        {"male": 5, "female": 2},
    ),
    (
        'people["score"] += people["gender"].map(pd.Series([5, 2], index=["male", "female"]))',
        {"male": 5, "female": 2},
    ),
    (
        'people["score"] += np.vectorize({"male": 5, "female": 1}.get)(people["gender"])',
        {"male": 5, "female": 1},
    ),
    (
        """for g, part in people.groupby("gender"):
        if g == "male":
            people.loc[part.index, "score"] += 5""",
        {"male": 5, "female": 0},
    ),
    (
        """for (g,), part in people.groupby(["gender"]):
        if g == "male":
            people.loc[part.index, "score"] += 5""",
        {"male": 5, "female": 0},
    ),
    (
        """people["score"] = people.groupby("gender", group_keys=False)[["score"]].apply(
        lambda part: part["score"] + (5 if part.name == "male" else 0))""",
        {"male": 5, "female": 0},
    ),
]


@pytest.mark.parametrize(("line", "expected"), GROUPS)
def test_groups_get_what_the_library_gives_them(line: str, expected: dict[str, float]) -> None:
    code = f"def rate(people):\n    {line}\n"
    found = only(code)
    points = found.use.points
    assert points is not None
    start = 0 if points.op == "set" else 100
    people = pd.DataFrame({"gender": ["male", "female"], "score": [100.0, 100.0]})
    got = dict(zip(people["gender"], run(code, people)["score"] - start, strict=True))
    assert expected == {group: amount for group, amount in got.items() if not math.isnan(amount)}
    assert points.by_group == expected
    assert points.missing == (len(expected) < 2)


def test_who_gets_no_value_is_told_so() -> None:
    found = only('def rate(people):\n    people["score"] += people["gender"].map({"male": 5})\n')
    assert format_table(found.use.points) == "male +5, others no value"
    assert np.isnan(5 + np.nan)  # whatever the score was


@pytest.mark.parametrize(
    "chosen",
    [
        'people.query("gender == @wanted")',
        'people.query("gender == @wanted and score > 3")',
        'people.groupby("gender").get_group("male")',
        'people.groupby(["gender"]).get_group(("male",))',
    ],
)
def test_people_are_chosen(chosen: str) -> None:
    found = only(f'def shortlist(people):\n    wanted = "male"\n    return {chosen}.nlargest(5, "score")\n')
    assert (found.rule, found.use.attribute) == ("FL106", "gender")


def test_a_variable_called_like_a_column_is_none() -> None:
    code = 'def shortlist(people):\n    gender = "male"\n    return people.query("gender == @gender")\n'
    assert [one.rule for one in check(code).findings] == ["FL106"]
