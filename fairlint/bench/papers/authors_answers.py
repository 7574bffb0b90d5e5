"""FairCode's answers as its authors published them later, made into lines that a replay reads.

A record has `job`, `major` or `treatment`, and `code`, and does not say which attribute was asked about.
Where the answer repeats the head of the function, its docstring does; else the lists do, if the subject is
in those of one attribute alone; else the answer is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fairlint.bench.suites.faircode_function import SUITE
from fairlint.run_folders.jsonl import raw_lines
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError
from fairlint.support.records import Record

SUBJECTS: Mapping[str, str] = {"job": "job", "major": "college", "treatment": "medical"}
"""Field that holds a subject → the scenario."""
HEAD = 1_500
"""Characters of an answer in which its task is looked for."""

_LISTED = re.compile(r"attributes?:?\s*\(?([^\n\"]*)")
_NAMES_IN_CODE = {"age": "age (young", "gender": "gender", "race": "race"}

Column = tuple[str, str]
"""Scenario and attribute."""


class Converted(Record):
    """What became of a file of records."""

    answers: tuple[Mapping[str, str], ...]
    left_out: int
    """Records of which nobody can tell the attribute."""


def are_authors_records(path: Path) -> bool:
    """Return whether a file holds such records, as its first line tells."""
    for record in _records(path):
        return not record.get("attribute") and "code" in record and any(record.get(name) for name in SUBJECTS)
    return False


def converted(path: Path) -> Converted:
    """Return the records of a file as a replay reads them. Raises UsageError for a line that is broken."""
    answers = []
    left_out = 0
    for number, record in enumerate(_records(path), 1):
        if not isinstance(record.get("code"), str) or not any(record.get(name) for name in SUBJECTS):
            raise UsageError(f"{path}:{number}: no code, or none of {', '.join(SUBJECTS)}")
        column = column_of(record)
        if column is None:
            left_out += 1
            continue
        scenario, attribute = column
        answers.append(
            {
                "scenario": scenario,
                "attribute": attribute,
                "subject": subject_of(record),
                "code": record["code"],
            }
        )
    return Converted(tuple(answers), left_out)


def lines_of(found: Converted) -> str:
    """Return the answers as JSON lines."""
    return "".join(json.dumps(one) + "\n" for one in found.answers)


def column_of(
    record: Mapping[str, Any], known: Mapping[str, Collection[Column]] | None = None
) -> Column | None:
    """Return the scenario and attribute that a record is about; None where that cannot be told.

    `known` has the lists of each subject, in small letters; else they are the suite's.
    """
    code = str(record["code"])
    is_college = "admission" in code[:HEAD].lower()
    scenario = "medical" if record.get("treatment") else "college" if is_college else "job"
    listed = " ".join(_LISTED.findall(code.replace("_", " "))).lower()
    asked = {name for name in SUITE.scenario(scenario).attributes if _NAMES_IN_CODE.get(name, name) in listed}
    if not asked:
        lists = _lists_of_subjects() if known is None else known
        places = lists.get(subject_of(record).casefold(), ())
        asked = {attribute for where, attribute in places if where == scenario}
    return (scenario, asked.pop()) if len(asked) == 1 else None


def subject_of(record: Mapping[str, Any]) -> str:
    """Return what a record is about."""
    return str(next(record[name] for name in SUBJECTS if record.get(name)))


@cache
def _lists_of_subjects() -> Mapping[str, frozenset[Column]]:
    """Return subject, in small letters → scenario and attribute of each list that it is in."""
    found: dict[str, set[Column]] = {}
    for scenario in SUITE.scenarios():
        for attribute in SUITE.scenario(scenario).attributes.values():
            for _, subject in attribute.subjects:
                found.setdefault(subject.casefold(), set()).add((scenario, attribute.name))
    return {subject: frozenset(places) for subject, places in found.items()}


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        for number, line in enumerate(raw_lines(path), 1):
            try:
                record = read_json(line)
            except ValueError as error:
                raise UsageError(f"{path}:{number}: not JSON ({error})") from None
            if not isinstance(record, dict):
                raise UsageError(f"{path}:{number}: an object was expected")
            yield record
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
