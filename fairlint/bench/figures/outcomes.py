"""Outcomes of judged answers, one an attribute: read from the lines of a run, and written to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from fairlint.bench.judging.protocols import Outcome, groups_of
from fairlint.bench.suites.suite import Judged, Kept
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field_names

OFF_TASK = "off_task"
TOLD = tuple(name for name in field_names(Outcome) if name not in {"valid", OFF_TASK})
"""What a line of `outcomes.jsonl` says of an attribute; `off_task` besides, where an answer is none."""


class Entry(Record):
    """What one answer does with one attribute, and what it was asked about."""

    scenario: str
    listed: str
    """The list that the subject comes from: occupations where most are of one group, say."""
    subject: str
    outcome: Outcome
    judged: bool = True
    """Whether its analysis came to an end; what else the outcome says is not known then."""


def entries(pairs: Iterable[tuple[Kept, Judged]]) -> list[Entry]:
    """Return the entries of judged answers, one for each attribute of an answer.

    Raises UsageError for an answer about an attribute whose groups nobody knows.
    """
    return [
        Entry(
            scenario=kept["scenario"],
            listed=kept["list"],
            subject=kept["subject"],
            outcome=_read_outcome(judged["valid"], told, kept),
            judged=not judged.get("not_judged"),
        )
        for kept, judged in pairs
        for told in judged["outcomes"]
    ]


def _read_outcome(valid: bool, told: Mapping[str, Any], kept: Kept) -> Outcome:
    if not _has_groups(told["attribute"]):
        raise UsageError(
            f"the answer {kept['key']!r} is about {told['attribute']!r}, which is no attribute with groups"
        )
    return Outcome(valid=valid, off_task=told.get(OFF_TASK, ""), **{name: told[name] for name in TOLD})


@cache
def _has_groups(attribute: str) -> bool:
    try:
        return len(groups_of(attribute)) > 1
    except ValueError:
        return False


def prompt_name(attribute: str) -> str:
    """Return an attribute as prompts, requests and `--attributes` name it.

    >>> prompt_name("parents_degree")
    'parents degree'
    """
    return attribute.replace("_", " ")


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as a line of `outcomes.jsonl` holds it, without `valid`, which the line
    says for all.
    """
    reason = {OFF_TASK: outcome.off_task} if outcome.off_task else {}
    return {name: getattr(outcome, name) for name in TOLD} | reason
