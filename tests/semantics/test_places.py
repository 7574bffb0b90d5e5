"""Where a class stands, and under which condition a name is bound, makes no difference to what is told."""

from __future__ import annotations

from textwrap import indent

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

CLASS = """
class Scorer:
    def score(self, candidate):
        score = 0
        if candidate.gender == "male":
            score += 5
        return score
"""
INSIDE = {
    "the module": "{0}",
    "except": "try:\n    from fast import Scorer\nexcept ImportError:\n{1}",
    "try": "try:\n{1}\nexcept ValueError:\n    raise\n",
    "else": "try:\n    import fast\nexcept ImportError:\n    pass\nelse:\n{1}",
    "finally": "try:\n    import fast\nfinally:\n{1}",
    "with": "with open('x') as file:\n{1}",
    "for": "for name in range(2):\n{1}",
    "while": "while True:\n{1}\n    break\n",
    "match": "match kind:\n    case 1:\n{2}",
    "a function": "def main():\n{1}\n    return Scorer()\n",
    "a method": "class Maker:\n    def make(self):\n{2}\n        return Scorer()\n",
    "a coroutine": "async def main():\n    async with session:\n{2}",
    "a class": "class Outer:\n{1}",
    "if": "import sys\nif sys.version_info > (3, 9):\n{1}",
}


def loud(code: str) -> list[Finding]:
    return list(check_source(code, path="scoring.py").findings)


@pytest.mark.parametrize("place", INSIDE)
def test_methods_are_read_wherever_their_class_stands(place: str) -> None:
    found = loud(INSIDE[place].format(*(indent(CLASS, "    " * depth) for depth in range(3))))
    assert [(one.rule, one.severity) for one in found] == [("FL201", "error")]
    assert found[0].points is not None
    assert found[0].points.by_group == {"male": 5.0, "female": 0.0}


def test_a_class_at_the_top_level_counts_before_one_in_a_function() -> None:
    local = "def main():\n    class Limits:\n        bonus = {'male': 0, 'female': 0}\n"
    top = "class Limits:\n    bonus = {'male': 7, 'female': 1}\n"
    use = "def score(person):\n    return person.years + Limits.bonus[person.gender]\n"
    (found,) = loud(local + top + use)
    assert found.points is not None
    assert found.points.by_group == {"male": 7.0, "female": 1.0}


def test_a_lambda_in_a_class_is_a_method() -> None:
    code = "class Scorer:\n    score = lambda self, person: 5 if person.gender == 'male' else 0\n"
    assert [one.rule for one in loud(code)] == ["FL201"]


TABLE = '{"male": 5, "female": 2}'
USE = "def score(person):\n    return person.years + BONUS[person.gender]\n"
BOUND = {
    "if": f"import sys\nif sys.argv:\n    BONUS = {TABLE}\n{USE}",
    "nested": f"import sys\nif sys.argv:\n    if len(sys.argv) > 2:\n        BONUS = {TABLE}\n{USE}",
    "None else": f"import sys\nif sys.argv:\n    BONUS = {TABLE}\nelse:\n    BONUS = None\n{USE}",
    "loaded else": "import json, sys\nif sys.argv:\n    BONUS = " + TABLE + "\n"
    f"else:\n    BONUS = json.load(open('x'))\n{USE}",
    "ternary": f'import sys\nBONUS = {TABLE} if sys.argv else {{"male": 3, "female": 2}}\n{USE}',
    "class": "import sys\nclass S:\n    if sys.argv:\n        BONUS = " + TABLE + "\n"
    "    def score(self, person):\n        return person.years + self.BONUS[person.gender]\n",
    "local": f"def score(person, fast):\n    if fast:\n        bonus = {TABLE}\n"
    "    return person.years + bonus[person.gender]\n",
    "match": f"match kind:\n    case 1:\n        BONUS = {TABLE}\n{USE}",
}


@pytest.mark.parametrize("way", BOUND)
def test_a_table_that_one_branch_binds_is_followed(way: str) -> None:
    (found,) = loud(BOUND[way])
    assert (found.rule, found.severity) == ("FL202", "error")
    assert found.points is not None
    assert found.points.by_group == {"male": 5.0, "female": 2.0}


def test_a_group_that_gets_no_value_is_told_apart_all_the_same() -> None:
    test = "    if person.gender == 'male':\n        bonus = 5\n"
    code = f"def score(person):\n{test}    return person.years + bonus\n"
    assert [one.use.attribute for one in loud(code)] == ["gender"]


@pytest.mark.parametrize(
    "read",
    [
        "if sys.argv:\n    df = pd.read_csv('a')\nelse:\n    df = pd.read_csv('b')\n",
        "df = pd.read_csv('a') if sys.argv else pd.read_csv('b')\n",
        "if sys.argv:\n    df = pd.read_csv('a')\n",
    ],
)
def test_a_table_that_is_read_in_branches_keeps_its_columns(read: str) -> None:
    code = (
        f"import sys\nimport pandas as pd\nfrom sklearn.svm import SVC\n{read}print(df['gender'])\n"
        "SVC().fit(df.drop(columns=['hired']), df['hired'])\n"
    )
    report = check_source(code, path="train.py", settings=Settings(min_severity="note"))
    assert [one.use.attribute for one in report.findings if one.rule == "FL302"] == ["gender"]


def test_an_order_that_is_made_in_branches_is_cut_off() -> None:
    code = (
        "def chosen(people, fast):\n"
        "    if fast:\n        ranked = sorted(people, key=lambda p: (p.gender, p.score))\n"
        "    else:\n        ranked = sorted(people, key=lambda p: (p.gender, p.name))\n"
        "    return ranked[:5]\n"
    )
    assert {one.rule for one in loud(code)} == {"FL105"}
