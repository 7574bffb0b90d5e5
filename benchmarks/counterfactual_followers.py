"""What following changes on Adult: sex alone, and sex with the relationship that goes with it.

    python benchmarks/counterfactual_followers.py

Three functions, and a logistic regression that is taught on the data themselves, are run on each person with
the other sex, once as a Husband who stays one and once as a Wife. Functions are also called person by person
(`plain_counterfactuals.py`); the script fails where that comes to other numbers.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from plain_counterfactuals import Pair, plain_followed

import fairlint.counterfactual
from fairlint.counterfactual.calling import calls
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.measured import Changes
from fairlint.counterfactual.own_code.running import try_code
from fairlint.counterfactual.population import Population

FOLLOW = '\n[columns.sex.follow]\nrelationship = { Husband = "Wife" }\n'
PAIRS: dict[str, list[Pair]] = {"relationship": [("Husband", "Male", "Wife", "Female")]}
PROGRAMS = {
    "reads the sex alone": "def approve(p):\n    return p['sex'] == 'Male' and p['hours_per_week'] >= 40\n",
    "reads the relationship alone": (
        "def approve(p):\n    return p['relationship'] == 'Husband' or p['education'] == 'Doctorate'\n"
    ),
    "favours husbands and wives alike": (
        "def approve(p):\n    return p['relationship'] in ('Husband', 'Wife') and p['hours_per_week'] >= 40\n"
    ),
    "scores both": (
        "def approve(p):\n    score = 2 * (p['education'] in ('Bachelors', 'Masters', 'Doctorate'))\n"
        "    score += (p['sex'] == 'Male') + (p['relationship'] == 'Husband')\n"
        "    return score + (p['hours_per_week'] >= 40) >= 2\n"
    ),
}


def main() -> None:
    """Print a row for each program and for the model."""
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "adult.toml"
        shipped = Path(fairlint.counterfactual.__path__[0], "data", "adult.toml")
        config.write_text(shipped.read_text("utf-8") + FOLLOW, "utf-8")
        people = load("adult", config=config)
        print(f"{people.people:,} people")
        print(f"{'':<34}{'sex alone':>12}{'followed':>12}{'impossible':>12}")
        for title, source in PROGRAMS.items():
            path = folder / "loans.py"
            path.write_text(source, "utf-8")
            asked = try_code(f"{path}:approve", "adult", config=str(config), attributes=["sex"])
            found = asked.measured.attributes[0]
            check(source, people, found)
            show(title, found)
        model = folder / "model.joblib"
        teach(model)
        asked = try_code(
            str(model), "adult", config=str(config), attributes=["sex"], executor="process", packages=True
        )
        show("logistic regression", asked.measured.attributes[0])


def show(title: str, found: Changes) -> None:
    """Print what was measured of one program."""
    assert found.followed is not None
    alone, together = 100 * (found.cip.value or 0), 100 * (found.followed.cip.value or 0)
    print(f"{title:<34}{alone:>10.1f} %{together:>10.1f} %{found.followed.impossible:>12,}", flush=True)


def check(source: str, people: Population, found: Changes) -> None:
    """Fail where one call a person and value comes to other numbers."""
    program = calls(source, people.columns, "approve").program
    names = tuple(column.name for column in people.columns)
    taken = [names.index(name) for name in program.call.names]
    kept = Population(
        name=people.name,
        columns=tuple(people.columns[place] for place in taken),
        rows=tuple(tuple(row[place] for place in taken) for row in people.rows),
        weights=people.weights,
        favourable=None,
        label=None,
        origin=people.origin,
    )
    with MontyExecutor() as executor:
        told, impossible = plain_followed(program, kept, executor, "sex", PAIRS)
    assert found.followed is not None
    assert (found.followed.compared, found.followed.changed) == (told.compared, told.changed)
    assert found.followed.impossible == impossible


def teach(path: Path) -> None:
    """Save a logistic regression of the label on all columns."""
    import joblib  # noqa: PLC0415 (an extra)
    import pandas as pd  # noqa: PLC0415 (as above)
    from sklearn.compose import make_column_transformer  # noqa: PLC0415 (as above)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (as above)
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 (as above)
    from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: PLC0415 (as above)

    people = load("adult", ages="numbers")
    names = [column.name for column in people.columns]
    rows, labels, weights = [], [], []
    assert people.favourable is not None
    for row, weight, good in zip(people.rows, people.weights, people.favourable, strict=True):
        for label, count in ((1, good), (0, weight - good)):
            if count:
                rows.append(row)
                labels.append(label)
                weights.append(count)
    frame = pd.DataFrame(rows, columns=names)
    texts = [name for name in names if not pd.api.types.is_numeric_dtype(frame[name])]
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), texts), remainder=StandardScaler()
    )
    model = make_pipeline(coded, LogisticRegression(max_iter=2_000))
    joblib.dump(model.fit(frame, labels, logisticregression__sample_weight=weights), path)


if __name__ == "__main__":
    main()
