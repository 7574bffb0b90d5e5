"""The answers of a run as pages: what was written, about whom, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.report import words
from fairlint.run_folders.record_shapes import ON_A_PAGE
from fairlint.support.records import Record

Kept = Mapping[str, Any]


class Shown(Record):
    """An answer on a page."""

    subject: str
    sample: str
    text: str
    is_valid: bool
    told: str
    """What became of it, in a few words."""


class Group(Record):
    """What one scenario asked about one attribute, or about several at once."""

    scenario: str
    attribute: str
    answers: int
    pages: tuple[tuple[Shown, ...], ...]


def groups_of(responses: Iterable[Kept], outcomes: Iterable[Kept]) -> Iterator[Group]:
    """Yield the answers by scenario and attribute, as they first occur; each group by subject and sample.

    An answer without an outcome says so. Values are read once, and a group at a time is made into pages.
    """
    by_key = {one["key"]: one for one in outcomes}
    found: dict[tuple[str, str], list[Kept]] = {}
    for kept in responses:
        found.setdefault((kept.get("scenario", ""), kept.get("attribute", "")), []).append(kept)
    for (scenario, attribute), known in found.items():
        known.sort(
            key=lambda one: (
                one.get("list", ""),
                one.get("subject", ""),
                one.get("sample", 0),
                one.get("turn", 0),
            )
        )
        pages = tuple(
            tuple(_shown_answer(kept, by_key.get(kept["key"])) for kept in part)
            for part in _split_into_pages(known)
        )
        yield Group(scenario, attribute, len(known), pages)


def _split_into_pages(known: Sequence[Kept]) -> Iterator[Sequence[Kept]]:
    for start in range(0, len(known), ON_A_PAGE):
        yield known[start : start + ON_A_PAGE]


def _shown_answer(kept: Kept, told: Kept | None) -> Shown:
    turn = f", turn {kept['turn'] + 1}" if kept.get("turn") else ""
    listed = f" ({words.name(kept['list'])})" if kept.get("list") else ""
    return Shown(
        subject=f"{words.name(kept.get('subject', ''))}{listed}",
        sample=f"sample {kept.get('sample', 0) + 1}{turn}",
        text=f"{kept.get('given', '')}{kept.get('text', '')}",
        is_valid=bool(told and told.get("valid")),
        told="; ".join(_verdict_texts(told)),
    )


def _verdict_texts(told: Kept | None) -> Iterator[str]:
    if told is None:
        yield "not judged yet"
        return
    if lost := told.get("not_judged"):
        yield f"not judged: {lost['cause']}: {lost['reason']}"
        return
    if not told.get("valid"):
        yield "not valid"
    for one in told.get("outcomes", ()):
        yield f"{words.name(one['attribute'])}: {_use_text(one)}"
    for attribute, one in told.get("attributes", {}).items():
        if use := _use_text(one):
            yield f"{words.name(attribute)}: {use}"
    if used := [words.name(name) for name, is_used in told.get("columns", {}).items() if is_used]:
        yield f"uses {', '.join(used)}"
    if "severe" in told and told.get("decision"):
        yield f"decision: {told['decision']}"
    if isinstance(tests := told.get("tests"), Mapping):
        yield f"passes {words.whole(tests['passed'])} of {words.whole(tests['tests'])} tests"


def _use_text(one: Kept) -> str:
    """Return what an answer does with an attribute; nothing where its suite says it otherwise."""
    if one.get("cip") is not None:
        return f"another outcome for {words.percent(one['cip'])} of the people if it were another"
    if one.get("points"):
        return words.points(one["points"])
    if "used" not in one:
        return ""
    if one["used"]:
        return "decides"
    if "mentioned" not in one:  # `code-bias` says no more
        return "decides, but names no people" if one.get("depends") else "does not decide"
    return "read" if one["read"] else "mentioned" if one["mentioned"] else "not there"
