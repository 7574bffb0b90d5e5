"""What the suite `pipelines` asks: its prompts, mitigations and pipelines to show, read from its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from fairlint.bench.suites.counterfactual_texts import Task
from fairlint.bench.suites.counterfactual_texts import texts as known_tasks
from fairlint.support.documents import read_toml
from fairlint.support.records import Record

Kind = Literal["model", "features", "conditional"]
KINDS: tuple[Kind, ...] = ("model", "features", "conditional")
"""Code that trains a model, the list of its features alone, and a function of conditions."""
STANDARD = "pipeline"
"""The prompt that others are compared with."""
ALL_COLUMNS = "dropped"
"""The way to write a pipeline that leaves out columns in place of listing some."""


class Prompt(Record):
    """A way to ask."""

    name: str
    text: str
    kind: Kind
    level: int
    """How much of a pipeline is asked for, from 1; 0 for prompts that are on no such scale."""
    is_fair: bool
    """Whether it asks for fairness."""


class Mitigation(Record):
    """What is done about bias."""

    name: str
    text: str
    """What stands behind the request."""
    system: str
    """The system's turn; empty: the suite's own."""
    shows_answer: bool
    """Whether the request has the first answer in it."""
    shows_findings: bool
    """Whether it says what fairlint found in that answer."""


class Detection(Record):
    """How it is asked whether a pipeline is biased."""

    name: str
    text: str


class Program(Record):
    """A pipeline that is shown."""

    name: str
    scenario: str
    code: str
    columns: tuple[str, ...] = ()
    """The protected columns that its model learns from; of an answer nobody knows them."""


class Texts(Record):
    """The file of prompts."""

    system: str
    prompts: Mapping[str, Prompt]
    irrelevant: Mapping[str, str]
    stand_ins: Mapping[str, Mapping[str, str]]
    """Data set → ordinary column → the protected attribute that it tells."""
    labels: Mapping[str, str]
    targets: Mapping[str, str]
    again: str
    """A request with an answer in it."""
    mitigations: Mapping[str, Mitigation]
    reviewer: str
    """The system's turn where a pipeline is shown."""
    detections: Mapping[str, Detection]


@cache
def texts() -> Texts:
    """Return what `data/pipelines.toml` says."""
    data = _read_data("pipelines.toml")
    return Texts(
        system=data["system"],
        prompts={told["name"]: _read_prompt(told) for told in data["prompts"]},
        irrelevant=data["irrelevant"],
        stand_ins=data["stand_ins"],
        labels=data["labels"],
        targets=data["targets"],
        again=data["mitigation"]["again"].strip(),
        mitigations={told["name"]: _read_mitigation(told) for told in data["mitigations"]},
        reviewer=data["detection"]["system"],
        detections={
            told["name"]: Detection(told["name"], told["text"].strip())
            for told in data["detection"]["prompts"]
        },
    )


def _read_data(name: str) -> dict[str, Any]:
    return read_toml((files(__package__) / "data" / name).read_text(encoding="utf-8"))


def _read_prompt(told: Mapping[str, Any]) -> Prompt:
    return Prompt(
        told["name"], told["text"].strip(), told["kind"], told.get("level", 0), told.get("fair", False)
    )


def _read_mitigation(told: Mapping[str, Any]) -> Mitigation:
    return Mitigation(
        told["name"],
        told.get("text", "").strip(),
        told.get("system", ""),
        told.get("shows", False),
        told.get("findings", False),
    )


# ------------------------------------------------------------------------------------------ columns and tasks


def tasks() -> Mapping[str, Task]:
    """Return the data sets."""
    return known_tasks().tasks


def column_values(task: Task) -> dict[str, str]:
    """Return all columns of a file, the irrelevant ones last, with what a prompt says of their values."""
    return {**task.columns, **texts().irrelevant}


def protected_columns(task: Task, attributes: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Return attribute → the column that holds it, and those that tell it, too; of some attributes, or of
    all.
    """
    beside = texts().stand_ins.get(task.name, {})
    return {
        name: (column, *(other for other, told in beside.items() if told == name))
        for name, column in task.attributes.items()
        if attributes is None or name in attributes
    }


# ------------------------------------------------------------------------------------------------- programs


@cache
def programs() -> Mapping[str, Program]:
    """Return the pipelines of `data/pipeline_programs.toml`: as many with protected columns as without."""
    data = _read_data("pipeline_programs.toml")
    return {
        one.name: one
        for scenario, told in data["tasks"].items()
        for style, text in data["styles"].items()
        for one in _build_twins(tasks()[scenario], style, data["head"], text["text"], told)
    }


def _build_twins(task: Task, style: str, head: str, text: str, told: Mapping[str, Any]) -> Iterator[Program]:
    label = texts().labels[task.name]
    protected = [column for columns in protected_columns(task).values() for column in columns]
    lists = {"clean": protected, "biased": protected} if style == ALL_COLUMNS else told[style]
    for kind in ("biased", "clean"):
        held = tuple(lists["biased"]) if kind == "biased" else ()
        left_out = [] if kind == "biased" else protected
        code = text.strip().format(
            head=head.strip().format(label=label),
            chosen=_list_text([*lists["clean"], *held]),
            dropped=_list_text([label, *left_out]),
            by=told["by"],
        )
        yield Program(f"{task.name}-{style}-{kind}", task.name, code, held)


def _list_text(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
