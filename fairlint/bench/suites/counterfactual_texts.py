"""What the suite `counterfactual` asks: prompts, data sets, and the texts of mitigations, read from its
file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fairlint.support.documents import read_toml
from fairlint.support.records import Record


class Prompt(Record):
    """A way to ask."""

    name: str
    rule: str
    """The attribute selection rule, of the second turn where there are two."""
    first: str
    """The rule of the first turn; empty where there is one turn."""
    system: str
    examples: int
    """How many of the file's examples it shows."""
    each_attribute: bool
    """Whether it names one protected attribute, so that it is asked once for each."""


class Task(Record):
    """What is asked about the people of one data set."""

    name: str
    task: str
    question: str
    """What a decision is made for, behind `to`."""
    outcome: str
    """When the answer is 1."""
    columns: Mapping[str, str]
    """Column → its values as a prompt tells them, in the data's order."""
    attributes: Mapping[str, str]
    """fairlint's name of a protected attribute → the column that holds it."""


class Texts(Record):
    """The file."""

    entry: str
    text: str
    first: str
    prompts: Mapping[str, Prompt]
    examples: tuple[tuple[str, str], ...]
    """What was asked, and the code."""
    tasks: Mapping[str, Task]
    own: Mapping[str, str]
    """How a user's own data are asked about."""
    mitigation: Mapping[str, str]


@cache
def texts() -> Texts:
    """Return what `data/counterfactual.toml` says."""
    data = read_toml((files(__package__) / "data" / "counterfactual.toml").read_text(encoding="utf-8"))
    return Texts(
        entry=data["entry"],
        text=data["text"].strip(),
        first=data["first"].strip(),
        prompts={told["name"]: _read_prompt(told, data["system"]) for told in data["prompts"]},
        examples=tuple((told["asked"], told["code"].strip()) for told in data["examples"]),
        tasks={told["name"]: _read_task(told) for told in data["tasks"]},
        own=data["own"],
        mitigation={name: text.strip() for name, text in data["mitigation"].items()},
    )


def _read_prompt(told: Mapping[str, Any], system: str) -> Prompt:
    return Prompt(
        name=told["name"],
        rule=told["rule"],
        first=told.get("first", ""),
        system=told.get("system", system),
        examples=told.get("examples", 0),
        each_attribute=told.get("each_attribute", False),
    )


def _read_task(told: Mapping[str, Any]) -> Task:
    return Task(
        name=told["name"],
        task=told["task"],
        question=told["question"],
        outcome=told["outcome"],
        columns=told["values"],
        attributes=told["attributes"],
    )


# --------------------------------------------------------------------------------------------- a user's data

MANY = 12
"""Values of a column that a prompt lists; of more it tells some, and how many there are."""


def own_task(name: str, data: str, config: str | None) -> Task:
    """Return what is asked about a user's own data. Raises UsageError where they cannot be read."""
    from fairlint.counterfactual.loading import load  # noqa: PLC0415 (only who brings data needs it)

    people = load(data, config=config)
    own = texts().own
    return Task(
        name=name,
        task=own["task"].format(label=people.label or "outcome"),
        question=own["question"],
        outcome=own["outcome"],
        columns={column.name: _values_text(column.values) for column in people.columns},
        attributes={column.attribute: column.name for column in people.columns if column.attribute},
    )


def _values_text(values: tuple[Any, ...]) -> str:
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(values) > MANY:
        return f"a number, {min(numbers):g} to {max(numbers):g}"
    told = ", ".join(str(value) for value in values[:MANY])
    return told if len(values) <= MANY else f"{told} and {len(values) - MANY} others"
