"""Random programs over data frames are run with pandas, and what the model got is compared with what is told.

The columns of `people` are read by name in every program, so that fairlint may know them all.
"""

from __future__ import annotations

import types
import warnings
from typing import Any

import hypothesis.strategies as st
import pandas as pd
from hypothesis import given, reject, settings

from fairlint import check_source
from fairlint.config import Settings

PROTECTED = {"sex": "gender", "race": "race", "religion": "religion", "marital_status": "marital_status"}
COLUMNS = ("sex", "race", "religion", "marital_status", "income", "debt", "tenure", "approved")
HEAD = f"""import pandas as pd
from models import model

people = pd.DataFrame({{name: ["a", "b", "a"] for name in {list(COLUMNS)!r}}})
for name in ("sex", "race", "religion", "marital_status", "income"):
    people[name].nunique()
print(people["sex"].unique(), people["race"].unique(), people["religion"].unique())
print(people["marital_status"].unique())
X = people.copy()
"""

names = st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=5, unique=True)


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = [HEAD]
    for place in range(draw(st.integers(1, 5))):
        chosen = draw(names)
        one = chosen[0]
        # Each statement works whatever has become of the columns before.
        lines.append(
            draw(
                st.sampled_from(
                    (
                        f"X = X[[name for name in {chosen!r} if name in X.columns]]",
                        f"X = X.drop(columns={chosen!r}, errors='ignore')",
                        f"X = X.drop({chosen!r}, axis=1, errors='ignore')",
                        f"X.drop(columns={chosen!r}, inplace=True, errors='ignore')",
                        f"kept = [name for name in X.columns if name not in {chosen!r}]\nX = X[kept]",
                        f"X = X[[name for name in X.columns if name != {one!r}]]",
                        f"X = X.loc[:, ~X.columns.isin({chosen!r})]",
                        f"X = X.loc[:, X.columns != {one!r}]",
                        f"X = X[X.columns.difference({chosen!r})]",
                        f"LIST = {chosen!r}\nOTHER = ['income'] + LIST\n"
                        "X = people[OTHER].loc[:, ~people[OTHER].columns.duplicated()]",
                        f"chosen = {chosen!r}\nX = people[chosen]",
                        f"chosen = {chosen!r}\nchosen.append('debt')\nX = people[chosen]",
                        f"X = pd.get_dummies(X, columns=[name for name in {chosen!r} if name in X.columns])",
                        f"X = X[[name for name in X.columns if not name.startswith({one + '_'!r})]]",
                        "X = X.copy()",
                        "X = X.dropna().reset_index(drop=True)",
                        f"X = pd.concat([X, people[['tenure', {one!r}]]], axis=1)",
                        "X = X.sample(frac=1.0)",
                        f"X = people.filter(items={chosen!r})",
                        "X = X.rename(columns={'income': 'pay'})",
                        f"def part{place}(table):\n    return table.drop(columns={chosen!r}, errors='ignore')\n"
                        f"X = part{place}(X)",
                    )
                )
            )
        )
    lines.append("model.fit(X, people['approved'])\n")
    return "\n".join(lines)


def given_to_the_model(program: str) -> set[str]:
    """The protected attributes among the columns that `fit` is given when the program runs."""
    got: list[str] = []

    class Model:
        def fit(self, table: Any, _label: Any) -> None:
            got.extend(map(str, table.columns))

    code = program.replace("from models import model\n", "")
    with warnings.catch_warnings(action="ignore"):
        exec(compile(code, "program", "exec"), {"model": Model(), "print": lambda *_: None})
    return {
        attribute
        for name, attribute in PROTECTED.items()
        for one in got
        if one in {name, f"{name}_a", f"{name}_b"}
    }


def told(program: str) -> set[str]:
    report = check_source(program, path="train.py", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return {one.use.attribute for one in report.findings if one.rule in {"FL301", "FL302", "FL405"}}


@settings(max_examples=150, deadline=None)
@given(programs())
def test_what_is_told_is_what_the_model_got(program: str) -> None:
    try:
        got = given_to_the_model(program)
    except ValueError:  # pandas encodes no table without columns
        reject()
    assert told(program) == got


def test_the_programs_reach_a_model() -> None:
    assert isinstance(pd, types.ModuleType)
    assert given_to_the_model(HEAD + "model.fit(X, people['approved'])\n") == set(PROTECTED.values())
