"""Rates by group: code that computes them measures what its model does, and codes may serve nothing else."""

import pytest

from fairlint import check_source
from fairlint.config import Settings

MODEL = """\
import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, recall_score
from sklearn.svm import SVC

people = pd.read_csv("people.csv")
train, test = people[:800], people[800:].copy()
columns = ["gender", "tenure"]
model = SVC().fit(train[columns], train["left"])
{}
"""


def told(code: str, *rules: str) -> list[tuple[str, str]]:
    report = check_source(code, path="attrition.py", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return [(one.rule, one.use.attribute) for one in report.findings if one.rule in rules]


@pytest.mark.parametrize(
    "audit",
    [
        'test["said"] = model.predict(test[columns])\nprint(test.groupby("gender")["said"].mean())',
        (
            'out = pd.DataFrame({"sex": test["gender"], "leaves": model.predict(test[columns])})\n'
            'rates = out.groupby("sex").agg({"leaves": "mean"})'
        ),
        'guess = model.predict(test[columns])\nprint(pd.crosstab(test["gender"], guess))',
        (
            'guess = model.predict(test[columns])\nfor g in test["gender"].unique():\n'
            '    rows = test["gender"] == g\n'
            '    print(g, accuracy_score(test["left"][rows], guess[rows]))'
        ),
        'women = test[test["gender"] == "f"]\nprint(model.predict(women[columns]).mean())',
        (
            'women = test["gender"] == "f"\nguess = model.predict(test[columns])\n'
            'missed = (guess == 0) & (test["left"] == 1)\n'
            "print(missed[women].mean(), missed[~women].mean())"
        ),
        (
            'test["said"] = model.predict(test[columns])\nfor sex, rows in test.groupby("gender"):\n'
            '    print(sex, recall_score(rows["left"], rows["said"]))'
        ),
        'def shares(rows):\n    return rows.pivot_table(index="gender", values="prediction", aggfunc="mean")',
    ],
)
def test_rates_by_group_that_are_computed_by_hand_measure_the_model(audit: str) -> None:
    assert told(MODEL.format(audit), "FL301", "FL902") == [("FL301", "gender")]


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        'print(people.groupby("gender")["left"].mean())',
        'print(accuracy_score(test["left"], model.predict(test[columns])))',
        'guess = model.predict(test[columns])\nprint(test.groupby("branch")["tenure"].mean(), guess.mean())',
        'f = test[test["gender"] == "f"]\nprint(len(f))\nprint(model.predict(test[columns]).mean())',
        'print(accuracy_score(test["left"], model.predict(test[["gender", "tenure"]])))',
        'women = test[test["gender"] == "f"]\nprint(len(women))\nguess = model.predict(women[columns])',
    ],
)
def test_figures_of_all_or_of_what_was_before_measure_no_model(nothing: str) -> None:
    assert ("FL902", "gender") in told(MODEL.format(nothing), "FL902")


CODES = """\
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

people = pd.read_csv("bail.csv")
y = people["rearrested"]
model = LogisticRegression().fit(people[["priors"]], y)
wrong = model.predict(people[["priors"]]) != y
{}
{}
"""
MADE = [
    (
        'groups_of = []\nfor r in people["race"]:\n    if r == "black":\n        groups_of.append(0)\n'
        '    elif r == "white":\n        groups_of.append(1)\n    else:\n        groups_of.append(2)\n'
        "numbers = np.array(groups_of)"
    ),
    'numbers = people["race"].map({"black": 0, "white": 1, "asian": 2})',
]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize(
    "asked",
    [
        "print(wrong[numbers == 0].mean(), wrong[numbers == 1].mean())",
        "black = numbers == 0\nprint('black', wrong[black].sum() / black.sum())",
        "for at in (0, 1, 2):\n    print(at, wrong[numbers == at].mean())",
    ],
)
def test_codes_that_only_share_out_figures_rank_nobody(made: str, asked: str) -> None:
    assert told(CODES.format(made, asked), "FL401", "FL301") == []


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize(
    "asked",
    [
        "",
        "X = np.column_stack([people['priors'], numbers])",
        "print(wrong[numbers == 0].mean())\nmodel.fit(numbers.reshape(-1, 1), y)",
        "print(wrong[numbers == 0].mean())\nweights = table[numbers]",
        "print(wrong[numbers == 0].mean())\npeople['race_code'] = numbers",
        "print(wrong[numbers == 0].mean())\nsave(numbers)",
    ],
)
def test_codes_with_another_use_are_told(made: str, asked: str) -> None:
    assert told(CODES.format(made, asked), "FL401") == [("FL401", "race")]
