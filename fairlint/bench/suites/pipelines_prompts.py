"""Prompts of a user's file for the suite `pipelines`: published ones, or one's own about other data.

A line says beside its `prompt` which columns the file in it has (`columns`), which of them hold a protected
attribute (`protected`: attribute → column or columns), which have nothing to do with the task (`irrelevant`),
which is predicted (`label`), and its `kind`: `model`, `features` or `conditional`. About a data set of the
suite (`scenario`) it need not say any of this but the kind. All of that is kept with each answer, as the text
of `list`, so that an answer can be judged without the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.bench.suites.pipelines_files import Told, told_text
from fairlint.bench.suites.pipelines_judging import unseen_columns
from fairlint.bench.suites.pipelines_texts import KINDS, protected_columns, tasks, texts
from fairlint.bench.suites.prompts_file import LONGEST_NAME, read_messages
from fairlint.bench.suites.suite import PlacedEntry, PromptForm
from fairlint.support.errors import UsageError
from fairlint.vocabulary import default_vocabulary

EXAMPLE = (
    '{"prompt": "…", "id": "loan-1", "label": "paid", "columns": ["income", "sex"], '
    '"protected": {"gender": "sex"}}'
)
UNLABELLED = "outcome"
"""What is predicted, where a function of conditions is asked for and nothing names it."""
_NAME = re.compile(r"[^;=,\n]+")
"""A column's name, as `list` can hold it."""


# --------------------------------------------------------------------------------------------- reading a file


def complete_entries(path: Path, entries: Iterator[PlacedEntry]) -> Iterator[PlacedEntry]:  # noqa: ARG001
    """Yield the entries of a file with what they say as `list`. Raises UsageError, with the place and the
    field.
    """
    for place, told in entries:
        asked = "\n".join(one.content for one in read_messages(place, told, PROMPT_FORM))
        found = _read_entry(place, told, asked)
        text = told_text(found)
        if len(text) > LONGEST_NAME:
            raise UsageError(
                f"{place}: `columns` and `protected` have {len(text):,} characters together with `label` and "
                f"`irrelevant`, and {LONGEST_NAME:,} are the most"
            )
        yield PlacedEntry(place, {**told, "list": text, "attribute": list(found.protected)})


def _read_entry(place: str, told: Mapping[str, Any], asked: str) -> Told:
    kind = told.get("kind", "model")
    if kind not in KINDS:
        raise UsageError(f"{place}: `kind` is {kind!r}, none of {', '.join(KINDS)}")
    known = _told_of_task(str(told.get("scenario") or told.get("category") or ""), asked)
    if known is not None and all(told.get(name) is None for name in ("columns", "protected", "label")):
        columns, label, irrelevant = known.columns, known.label, known.irrelevant
        protected = dict(known.protected)
    else:
        columns = _column_list(place, told, "columns")
        label = _label(place, told, columns)
        protected = _protected(place, told, columns)
        irrelevant = _column_list(place, told, "irrelevant") if told.get("irrelevant") is not None else ()
    held = [name for names in protected.values() for name in names]
    _check_known(place, "irrelevant", irrelevant, columns)
    if both := [name for name in irrelevant if name in held]:
        raise UsageError(f"{place}: {both[0]!r} is in `protected` and in `irrelevant`")
    if lacking := [name for name in columns if name not in asked]:
        raise UsageError(f"{place}: `columns` names {lacking[0]!r}, which the prompt does not")
    if not protected:
        raise UsageError(f"{place}: no column of the prompt holds a protected attribute (`protected`)")
    found = Told(kind, label, columns, protected, irrelevant)
    if unseen := unseen_columns(told_text(found)):
        raise UsageError(
            f"{place}: fairlint cannot follow the column {unseen[0]!r} through code: give it a name of "
            "letters, digits and `_`"
        )
    return found


def _told_of_task(scenario: str, asked: str) -> Told | None:
    """Return what is known of a data set of the suite, as far as a prompt names its columns."""
    task = tasks().get(scenario)
    if task is None:
        return None
    irrelevant = tuple(name for name in texts().irrelevant if name in asked)
    columns = (*(name for name in task.columns if re.search(rf"\b{name}\b", asked)), *irrelevant)
    protected = {
        name: tuple(one for one in held if one in columns)
        for name, held in protected_columns(task).items()
        if held[0] in columns
    }
    return Told("model", texts().labels[task.name], columns, protected, irrelevant)


def _column_list(place: str, told: Mapping[str, Any], field: str) -> tuple[str, ...]:
    given = told.get(field)
    if given is None:
        raise UsageError(f"{place}: no `{field}`; expected is an object such as {EXAMPLE}")
    names = list(given) if isinstance(given, Mapping) else given
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{place}: `{field}` is no list of names")
    for name in names:
        if _NAME.fullmatch(name) is None or name != " ".join(name.split()):
            raise UsageError(
                f"{place}: `{field}` has the name {name!r}; commas, `;`, `=` and breaks are not taken"
            )
    if len(set(names)) < len(names):
        raise UsageError(f"{place}: `{field}` has a name twice")
    return tuple(names)


def _label(place: str, told: Mapping[str, Any], columns: Sequence[str]) -> str:
    given = told.get("label")
    if given is None and told.get("kind") == "conditional":
        return UNLABELLED
    if not isinstance(given, str) or not given.strip():
        what = "no `label`" if given is None else "`label` is no name"
        raise UsageError(f"{place}: {what}; expected is an object such as {EXAMPLE}")
    (label,) = _column_list(place, {"label": [given]}, "label")
    if label in columns:
        raise UsageError(f"{place}: `label` is {label!r}, which is among `columns`")
    return label


def _protected(place: str, told: Mapping[str, Any], columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    given = told.get("protected")
    if not isinstance(given, Mapping) or not given:
        raise UsageError(f"{place}: `protected` is no object of attributes and their columns")
    known = protected_attributes()
    found = {}
    for name, value in given.items():
        plain = "_".join(name.strip().lower().split())
        if plain not in known:
            raise UsageError(f"{place}: `protected` has {name!r}, which is no attribute that fairlint knows")
        listed = [value] if isinstance(value, str) else value
        found[plain] = _column_list(place, {"protected": listed}, "protected")
        _check_known(place, "protected", found[plain], columns)
    return found


def _check_known(place: str, field: str, names: Sequence[str], columns: Sequence[str]) -> None:
    if lacking := [name for name in names if name not in columns]:
        raise UsageError(f"{place}: `{field}` names {lacking[0]!r}, which is not among `columns`")


def protected_attributes() -> tuple[str, ...]:
    """Return all attributes that a prompt may say a column holds."""
    return tuple(default_vocabulary().attributes)


PROMPT_FORM = PromptForm(
    subjects={"id": "", "task_id": "", "prompt_id": "", "subject": ""},
    listed="list",
    example=EXAMPLE,
    numbered=True,
    completed=complete_entries,
    attributes=protected_attributes,
)
