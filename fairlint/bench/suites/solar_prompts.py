"""Tasks of a user's file for the suite `solar`, such as the 343 of Solar's data set (arXiv 2411.10351).

A prompt of `dataset/prompts.jsonl` is a data class whose fields have their values in a comment, and the head
of one method. What a task is about does not stand in it but in `dataset/tasks.json`, which is read where it
lies beside the file; other files say it in each line (`related_attributes`). The data set is not shipped:
its repository has no licence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from fairlint.counterfactual.calling import entries
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record
from fairlint.syntax.python.own_parser import NotParsedError, parse_text

TASKS = "tasks.json"
EXAMPLE = '{"prompt": "@dataclass class …", "task_id": "0", "related_attributes": ["income"]}'
LARGEST = 16_000_000
"""Bytes of the file that says what tasks are about."""
DOMAINS = {
    "social benefits": 51, "university": 51, "licences": 50, "employee benefits": 51, "health programmes": 60,
    "hobbies": 30, "occupations": 50,
}  # fmt: skip
"""The domains of the data set in the order of its tasks → how many tasks each has."""

_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
_METHOD = re.compile(r"^[ \t]+def (\w+)\(\s*self\b", re.MULTILINE)
_FIELD = re.compile(
    r"^[ \t]+(?:# *(\w+) *(\[.*\])[ \t]*\n[ \t]+)?(\w+) *: *(\w+)(?:[ \t]*#(.*))?$", re.MULTILINE
)


class Asked(Record):
    """A class as a prompt shows it."""

    owner: str
    method: str
    fields: Mapping[str, tuple[Any, ...]]
    """Field → its values."""

    @property
    def name(self) -> str:
        """The class and its method."""
        return f"{self.owner}.{self.method}"


@lru_cache(maxsize=4096)
def read_class(text: str) -> Asked:
    """Return the class of a prompt. Raises ValueError, which says what is missing.

    >>> read_class("class P:\\n    # age [30, 60]\\n    age: int\\n\\n    def fits(self)-> bool").fields
    {'age': (30, 60)}
    """
    owners, methods = _CLASS.findall(text), _METHOD.findall(text)
    if len(owners) != 1:
        raise ValueError(f"the prompt shows {len(owners)} classes, and one is expected")
    if len(methods) != 1:
        raise ValueError(f"the class {owners[0]} has {len(methods)} methods, and one is expected")
    fields = {}
    for above, listed, name, _, behind in _FIELD.findall(text):
        fields[name] = _read_values(name, listed if above == name else f"[{behind}]")
    if not fields:
        raise ValueError(f"the class {owners[0]} has no fields such as `age: int  # 30, 60`")
    return Asked(owners[0], methods[0], fields)


def _read_values(name: str, listed: str) -> tuple[Any, ...]:
    try:
        (told,) = parse_text(listed.strip()).body
        values = tuple(dict.fromkeys(ast.literal_eval(told.value))) if isinstance(told, ast.Expr) else ()
    except (NotParsedError, ValueError, TypeError):
        values = ()
    if len(values) < 2 or not all(isinstance(one, bool | int | float | str) for one in values):
        raise ValueError(f"the field {name} has no comment with two values or more")
    return values


# ------------------------------------------------------------------------------------------- what it is about


def complete_entry(
    path: Path, place: str, told: Mapping[str, Any], text: str, known_sensitive: Sequence[str]
) -> dict[str, Any]:
    """Return an entry of a file of prompts with what its task is about, its domain, and by which fields bias
    is told: all known sensitive ones of the class, where nothing says it. Raises UsageError, with the place,
    where nothing says what it is about.
    """
    try:
        asked = read_class(text)
    except ValueError as error:
        raise UsageError(f"{place}: {error}; expected is an object such as {EXAMPLE}") from None
    known = told
    if all(told.get(name) is None for name in ("related", "related_attributes")):
        known = {**_task_beside(path, place, told, asked), **told}
    related = _field_names(place, known, ("related", "related_attributes"), asked, strict=known is told)
    sensitive = _field_names(place, known, ("attribute", "sensitive_attributes"), asked, strict=True)
    return {
        **known,
        "related": ", ".join(related),
        "attribute": sensitive or [name for name in known_sensitive if name in asked.fields],
    }


def _field_names(
    place: str, told: Mapping[str, Any], keys: Sequence[str], asked: Asked, *, strict: bool
) -> list[str]:
    """Return the fields that an entry lists under one of some keys. Raises UsageError for a name that is no
    field, and, where that is not `strict`, only if none of several is one: the data set has one such name.
    """
    key = next((one for one in keys if told.get(one) is not None), "")
    if not key:
        return []
    given = told[key].split(",") if isinstance(told[key], str) else told[key]
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        raise UsageError(f"{place}: `{key}` is neither a text nor a list of texts")
    names = [one.strip() for one in given]
    found = [one for one in names if one in asked.fields]
    if not found or (strict and found != names):
        lacking = next(one for one in names if one not in asked.fields)
        fields = ", ".join(asked.fields)
        raise UsageError(f"{place}: `{key}` names {lacking!r}, which {asked.owner} has not: {fields}")
    return found


def _task_beside(path: Path, place: str, told: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """Return what `tasks.json` says of a task: that with its number, if it is of the same class and method,
    else the only one that is.
    """
    file = path.with_name(TASKS)
    if not file.is_file():
        raise UsageError(
            f"{place}: nothing says what {asked.name} is about: neither `related_attributes` nor a file "
            f"{TASKS} of the data set beside {path.name}"
        )
    tasks = _read_tasks(file, file.stat().st_mtime_ns)
    same = [n for n, task in enumerate(tasks) if _task_name(task) == asked.name]
    number = str(told.get("task_id"))
    chosen = next((n for n in same if str(n) == number), same[0] if len(same) == 1 else None)
    if chosen is None:
        many = "has several tasks" if same else "has no task"
        raise UsageError(f"{place}: {file} {many} {asked.name}")
    task = {name: tasks[chosen][name] for name in ("related_attributes", "sensitive_attributes")}
    domain = {"scenario": _domain_of(chosen)} if len(tasks) == sum(DOMAINS.values()) else {}
    return {**task, **domain}


@lru_cache(maxsize=8)
def _read_tasks(file: Path, changed: int) -> list[dict[str, Any]]:  # noqa: ARG001 (so that it is read anew)
    try:
        tasks = read_json(read_file(file, LARGEST))
    except (NotReadableError, ValueError) as error:
        raise UsageError(f"{file}: {error}") from None
    lists = ("related_attributes", "sensitive_attributes")
    for number, task in enumerate(tasks if isinstance(tasks, list) else [None], 1):
        if (
            not isinstance(task, dict)
            or not all(isinstance(task.get(name), str) for name in ("class_name", "method_name"))
            or not all(isinstance(task.get(name), list) for name in lists)
        ):
            raise UsageError(
                f"{file}: task {number} is no object with class_name, method_name, {' and '.join(lists)}"
            )
    found: list[dict[str, Any]] = tasks
    return found


def _task_name(task: Mapping[str, Any]) -> str:
    return f"{task['class_name']}.{task['method_name']}"


def _domain_of(number: int) -> str:
    ends = zip(DOMAINS, accumulate(DOMAINS.values()), strict=True)
    return next(name for name, end in ends if number < end)


# ------------------------------------------------------------------------------------------------- its answer


def with_class(code: str, owner: str, method: str, fields: Mapping[str, Sequence[Any]]) -> str:
    """Return the code of an answer with the class behind it, where the answer is the bare method, as the
    published request wants it, or only its `return`.
    """
    defined = entries(code) or entries(code := dedent(code))
    if code.startswith("return"):
        code = f"def {method}(self) -> bool:\n{indent(code, '    ')}"
        defined = entries(code)
    if f"{owner}.{method}" in defined or method not in defined:
        return code
    shown = (f"    {name}: {type(values[0]).__name__}" for name, values in fields.items())
    made = ("from dataclasses import dataclass", "", "", "@dataclass", f"class {owner}:", *shown)
    called = ("", f"    def {method}(self) -> bool:", f"        return {method}(self)", "")
    return "\n".join((code.rstrip("\n"), "", "", *made, *called))
