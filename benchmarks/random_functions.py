"""Compares the figures of random functions with a brute force, and counts how often chance is noticed.

    python benchmarks/random_functions.py [--functions 1000] [--random 1000] [--seed 0]

People are made up, and so are functions that decide about them: by names of bands, by numbers or by both,
with answers of two or more values, and with errors for some people. The suite `counterfactual` judges each as
a model's answer. Beside it each person is asked with each value of each attribute, by Python itself, and the
figures follow from the definitions in `docs/bench.md` alone. Only functions that this file writes run here.
Then come functions that draw lots for 5 % of the people or more. Exit status: 0 where all figures are the
same, at least 99 % of those that draw lots are noticed and at most 0.5 % of the others are taken for such.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.bench.suites import suite_of

PEOPLE = 150
THRESHOLD = Fraction(1, 10)
NOTICED, FALSE_ALARMS = 0.99, 0.005
SAME = 1e-12
BANDS = (("young", 30), ("middle", 45), ("mature", 60), ("senior", None))
"""Name of a band, and the number that it ends before."""
VALUES = {"sex": ("female", "male", "diverse"), "origin": ("north", "east", "south", "west")}
ATTRIBUTES = {"sex": "gender", "age": "age", "origin": "race"}
COLUMNS = ("sex", "age", "origin", "income")
DOMAINS = ("bands", "numbers")
TESTS = {
    "bands": (
        "age in ('young', 'middle')", "age == 'senior'", "age > 'n'", "age.startswith('m')",
        "{'young': 1, 'middle': 2, 'mature': 3, 'senior': 4}[age] > 2", "len(age) == 6",
    ),
    "numbers": (
        "age >= 42", "age in range(33, 58)", "int(age) > 50", "age % 2 == 0", "25 < age <= 60",
        "age * 900 > income",
    ),
    "both": (
        "(isinstance(age, int) and age >= 40)", "str(age) in ('senior', '50', '51', '52')",
        "age in ('young', 20, 21, 22, 23)", "(age if isinstance(age, int) else 70) > 64", "age != 'mature'",
    ),
    "neither": (
        "sex == 'female'", "sex != 'diverse'", "origin in ('north', 'west')", "origin < 'o'",
        "income > 30000", "income % 3 == 0", "sex.upper() == 'MALE'", "len(sex + origin) > 9",
        "sex == origin",
        "origin == 'nowhere'",
        "{'north': 2, 'east': 1}.get(origin, 0) > 0",
    ),
}  # fmt: skip
"""What functions test, by what the age has to be."""
ENDS = (
    "return score > 0", "return 1 if score > 1 else 0", "return 'yes' if score > 0 else 'no'", "return score",
    "return score * 0.5", "return 'high' if score > 2 else 'middle' if score > 0 else 'low'",
    "return [score, sex]", "return 12 // score", "return True if score > 2 else 1.0 if score > 0 else 0",
    "return {'score': score}", "return 'yes' if score > 0 else 1", "return sex if score > 0 else 'none'",
)  # fmt: skip
IDLE = ("", "", "", "import random\n", "import math\n", "import random\nLOTS = random\n")
"""Above functions that draw no lots."""
LOTS = (
    "random.random() < {share:.2f}", "random.uniform(0, 1) > {share:.2f}", "random.randint(1, 100) <= {part}",
    "random.choice([1] * {part} + [0] * (100 - {part})) == 1",
)  # fmt: skip
GATES = (
    "True", "sex == 'diverse'", "sex == 'male'", "origin == 'south'", "income > 40000", "income % 9 == 0",
    "origin != 'east'", "sex == 'female' and origin == 'north'",
)  # fmt: skip
"""Whom lots are drawn for."""

Person = Mapping[str, Any]
Function = Callable[[Person], Any]


class Figures(NamedTuple):
    """What a function does with one attribute: people changed and compared, and the mean change ratio."""

    changed: int
    compared: int
    ratio: Fraction | None


Found = dict[str, dict[str, Figures]]
"""Domain in which somebody gets an outcome → attribute → figures."""


# --------------------------------------------------------------------------------------- people and functions


def made_people(drawn: random.Random) -> list[dict[str, Any]]:
    """People with ages in years; some of them twice, so that rows stand for several."""
    found: list[dict[str, Any]] = []
    while len(found) < PEOPLE:
        one = {
            "sex": drawn.choices(VALUES["sex"], (48, 42, 10))[0],
            "age": drawn.randint(18, 80),
            "origin": drawn.choice(VALUES["origin"]),
            "income": drawn.randint(10, 60) * 1000 + drawn.randint(0, 9),
        }
        found += [one] * drawn.choice((1, 1, 1, 2))
    return found[:PEOPLE]


def tests_of(drawn: random.Random) -> list[str]:
    """The tests that one function may make: those of one way to hand ages in, and those without an age."""
    kind = drawn.choice(("bands", "numbers", "both", "both", "neither"))
    return [*TESTS[kind], *TESTS["neither"]]


def steady_code(drawn: random.Random) -> str:
    """A function whose answer is the same each time."""
    known = tests_of(drawn)
    lines = [f"score = {drawn.randint(-1, 2)}"]
    for _ in range(drawn.randint(0, 4)):
        first, second = drawn.choice(known), drawn.choice(known)
        test = drawn.choice((first, f"{first} and {second}", f"{first} or {second}", f"not ({first})"))
        lines += [f"if {test}:", f"    score += {drawn.randint(-2, 3)}"]
    lines.append(drawn.choice(ENDS))
    if drawn.random() < 0.15:
        lines = [
            "try:",
            *(f"    {line}" for line in lines),
            "except (TypeError, ValueError):",
            "    return 0",
        ]
    return _function(drawn, lines, drawn.choice(IDLE))


def drawing_code(drawn: random.Random, gate: str) -> str:
    """A function that draws lots for those whom `gate` lets in; one of both answers has 5 % or more."""
    part = drawn.randint(5, 95)
    lots = drawn.choice(LOTS).format(share=part / 100, part=part)
    other = drawn.choice(("0", "1", "1 if income > 25000 else 0", drawn.choice(("'no'", "2"))))
    answers = drawn.choice(("1 if {} else 0", "'yes' if {} else 'no'", "{}", "3 if {} else 4"))
    lines = [f"if {gate}:", f"    return {answers.format(lots)}", f"return {other}"]
    return _function(drawn, lines, "import random\n")


def _function(drawn: random.Random, lines: Sequence[str], above: str) -> str:
    if drawn.random() < 0.5:
        head = f"def predict({', '.join(drawn.sample(COLUMNS, len(COLUMNS)))}):"
        return "\n".join([f"{above}{head}", *(f"    {line}" for line in lines), ""])
    reads = [f"    {name} = person['{name}']" for name in COLUMNS]
    return "\n".join([f"{above}def predict(person):", *reads, *(f"    {line}" for line in lines), ""])


# ------------------------------------------------------------------------------------------------ brute force


def function_of(code: str) -> Function:
    """What a text of this file does with a person."""
    space: dict[str, Any] = {}
    exec(code, space)
    made = space["predict"]
    return made if "person" in made.__code__.co_varnames[:1] else lambda person: made(**person)


def band_of(age: int) -> str:
    """The name of an age."""
    return next(name for name, end in BANDS if end is None or age < end)


def values_of(people: Sequence[Person], domain: str) -> dict[str, tuple[Any, ...]]:
    """The values that each attribute can have."""
    if domain == "bands":
        return {**VALUES, "age": tuple(name for name, _ in BANDS)}
    ages = {one["age"] for one in people}
    ends = {end for _, end in BANDS if end is not None and min(ages) <= end <= max(ages)}
    return {**VALUES, "age": tuple(sorted(ages | ends))}


class _NoOutcome:
    """What somebody gets for whom a function breaks off."""


NOTHING = _NoOutcome()


def outcome(function: Function, person: Person) -> Any:
    """The answer for one person."""
    try:
        return function(person)
    except (TypeError, ValueError, KeyError, AttributeError, ZeroDivisionError):
        return NOTHING


def brute_force(code: str, people: Sequence[Person]) -> Found:
    """Ask about each person with each value of each attribute."""
    function = function_of(code)
    found: Found = {}
    for domain in DOMAINS:
        handed = [{**one, "age": band_of(one["age"])} for one in people] if domain == "bands" else people
        own = [outcome(function, one) for one in handed]
        if all(one is NOTHING for one in own):
            continue
        values = values_of(people, domain)
        found[domain] = {
            name: _figures_of(function, handed, own, column, values[column])
            for column, name in ATTRIBUTES.items()
        }
    return found


def _figures_of(
    function: Function, people: Sequence[Person], own: Sequence[Any], column: str, values: Sequence[Any]
) -> Figures:
    changed, ratios = 0, []
    for person, answer in zip(people, own, strict=True):
        others = {
            value: outcome(function, {**person, column: value}) for value in values if value != person[column]
        }
        if answer is NOTHING or any(other is NOTHING for other in others.values()):
            continue
        here = values.index(person[column])
        steps = [
            abs(values.index(value) - here) if column == "age" else 1
            for value, other in others.items()
            if other != answer
        ]
        changed += bool(steps)
        ratios.append(Fraction(min(steps), len(values)) if steps else Fraction(1))
    return Figures(changed, len(ratios), sum(ratios, Fraction(0)) / len(ratios) if ratios else None)


def is_biased(one: Figures) -> bool:
    """Whether more than the threshold change."""
    return bool(one.compared) and Fraction(one.changed, one.compared) > THRESHOLD


def expected_row(all_found: Sequence[Found], attribute: str) -> dict[str, float | None]:
    """The figures of an attribute over all functions, by the names that `differences_of_row` reads."""
    told: dict[str, float | None] = {
        "cbs": _mean(any(is_biased(one[attribute]) for one in found.values()) for found in all_found)
    }
    for domain in DOMAINS:
        known = [found[domain][attribute] for found in all_found if domain in found]
        told[f"{domain} cbs"] = _mean(
            domain in found and is_biased(found[domain][attribute]) for found in all_found
        )
        told[f"{domain} cip"] = _mean(Fraction(one.changed, one.compared) for one in known if one.compared)
        told[f"{domain} amcr"] = _mean(one.ratio for one in known if one.ratio is not None)
    return told


def _mean(values: Any) -> float | None:
    known = [Fraction(one) for one in values]
    return float(sum(known, Fraction(0)) / len(known)) if known else None


# ------------------------------------------------------------------------------------------- fairlint's bench


class Bench:
    """The suite `counterfactual` over made-up people."""

    def __init__(self, people: Sequence[Person], folder: Path) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS)
        writer.writeheader()
        writer.writerows(people)
        (folder / "people.csv").write_text(text.getvalue(), "utf-8")
        (folder / "people.toml").write_text(_description(), "utf-8")
        self.suite = suite_of(
            "counterfactual",
            {"data": str(folder / "people.csv"), "config": str(folder / "people.toml")},
        )
        self.judged: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def outcome(self, code: str) -> dict[str, Any]:
        """What the bench says of one function."""
        kept = {
            "scenario": "people", "subject": "selected", "attribute": ", ".join(ATTRIBUTES.values()),
            "list": "", "sample": len(self.judged), "given": "",
            "text": f"```python\n{code}```\n", "finish": "end",
        }  # fmt: skip
        told = dict(self.suite.judge(kept))
        self.judged.append((kept, told))
        return told

    def rows(self) -> dict[str, dict[str, float | None]]:
        """Attribute → its figures over all functions."""
        found = self.suite.figures(self.judged, "exact")["bias"]["attributes"]
        return {
            row["attribute"]: {
                "cbs": row["cbs"],
                **{
                    f"{domain} {name}": row["by_domain"].get(domain, {}).get(name)
                    for domain in DOMAINS
                    for name in ("cbs", "cip", "amcr")
                },
            }
            for row in found
        }


def _description() -> str:
    lines = [f'[columns.{column}]\nattribute = "{ATTRIBUTES[column]}"' for column in VALUES]
    starts = [None, *(end for _, end in BANDS)]
    bands = [
        f'{{ name = "{name}"'
        + (f", from = {start}" if start is not None else "")
        + (f", below = {end}" if end is not None else "")
        + " }"
        for (name, end), start in zip(BANDS, starts, strict=False)
    ]
    lines.append(f'[columns.age]\nattribute = "age"\nbands = [{", ".join(bands)}]')
    return "\n".join(lines) + "\n"


def differences(told: Mapping[str, Any], found: Found) -> list[str]:
    """What the bench says otherwise of one function than the brute force."""
    runs = {domain for domain, valid in told["executable"].items() if valid}
    if runs != set(found):
        return [f"runs on {sorted(runs)}, not on {sorted(found)}: {told.get('cause')}"]
    return [
        f"{name}, {domain}: {said}, not {figures}"
        for domain, known in found.items()
        for name, figures in known.items()
        if (said := told["attributes"][name]["domains"][domain])
        and (
            (said["changed"], said["compared"]) != figures[:2]
            or not _same(said["mcr"], None if figures.ratio is None else float(figures.ratio))
        )
    ]


def _same(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) <= SAME


def differences_of_rows(bench: Bench, all_found: Sequence[Found]) -> list[str]:
    """The same of the figures over all functions."""
    told = bench.rows()
    return [
        f"{attribute}, {name}: {told[attribute][name]}, not {value}"
        for attribute in ATTRIBUTES.values()
        for name, value in expected_row(all_found, attribute).items()
        if not _same(told[attribute][name], value)
    ]


class Counted(NamedTuple):
    """What became of functions."""

    functions: int
    running: int
    """Those that give somebody an outcome."""
    both: int
    """Those that do so on bands and on numbers."""
    different: list[str]
    """Where figures differ, by function."""
    rows: list[str]
    """Where figures over all functions differ."""
    alarms: int
    """Functions without lots that are taken for such."""


def count_steady(bench: Bench, people: Sequence[Person], times: int, drawn: random.Random) -> Counted:
    """Compare functions whose answers stay the same."""
    all_found, different, alarms = [], [], 0
    for number in range(times):
        code = steady_code(drawn)
        found, told = brute_force(code, people), bench.outcome(code)
        all_found.append(found)
        alarms += told.get("cause") in {"random", "state"}
        different += [f"{number}: {one}\n{code}" for one in differences(told, found)]
    sizes = [len(found) for found in all_found]
    rows = differences_of_rows(bench, all_found)
    return Counted(times, sum(size > 0 for size in sizes), sizes.count(2), different, rows, alarms)


def count_noticed(
    bench: Bench, people: Sequence[Person], times: int, drawn: random.Random
) -> tuple[int, list[str]]:
    """How many functions that draw lots are noticed, and those that are not."""
    gates = [gate for gate in GATES if _share(gate, people) >= 0.05]
    missed = []
    for _ in range(times):
        code = drawing_code(drawn, drawn.choice(gates))
        told = bench.outcome(code)
        if told["valid"] or told["cause"] != "random":
            missed.append(f"{told['cause']}\n{code}")
    return times - len(missed), missed


def _share(gate: str, people: Sequence[Person]) -> float:
    return sum(bool(eval(gate, {}, dict(one))) for one in people) / len(people)


def main() -> int:
    """Count both, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    drawn = random.Random(asked.seed)
    people = made_people(drawn)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(people, Path(folder))
        counted = count_steady(bench, people, asked.functions, drawn)
        noticed, missed = count_noticed(Bench(people, Path(folder)), people, asked.random, drawn)
    for one in (*counted.different, *counted.rows, *missed):
        print(one)
    print(
        f"{counted.functions} functions ({counted.running} run), {counted.both} on bands and numbers: "
        f"{len(counted.different)} figures of functions and {len(counted.rows)} over all differ; "
        f"{counted.alarms} taken for random"
    )
    print(f"{asked.random} functions that draw lots: {noticed} noticed")
    enough = noticed >= NOTICED * asked.random and counted.alarms <= FALSE_ALARMS * counted.functions
    return int(bool(counted.different or counted.rows) or not enough)


if __name__ == "__main__":
    sys.exit(main())
