"""How far judges agree, pair by pair: as text, as JSON, and each item on which they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from fairlint.bench.agreement.items import CHECKER, Item, Items
from fairlint.bench.agreement.judges import Verdict, Verdicts
from fairlint.statistics.agreement import Agreement, JudgedTwice, agreement_of
from fairlint.support.about import __version__
from fairlint.support.records import Record

FORMAT = 1
CAUSES = 5
"""Reasons that a judge has for saying nothing, of which so many are told."""


class Pair(Record):
    """Two judges and their agreement."""

    first: str
    second: str
    agreement: Agreement


class Comparison(Record):
    """All judges of some items."""

    items: Items
    verdicts: Mapping[str, Verdicts]
    pairs: list[Pair]


def compare_judges(items: Items, others: Mapping[str, Verdicts]) -> Comparison:
    """Return the agreement of the checker with each other judge, and of these with each other, over the items
    that both judged.
    """
    own = {item.key: Verdict(item.is_used) for item in items.items}
    verdicts = {CHECKER: own, **others}
    pairs = [
        Pair(one, other, agreement_of(_judged_by_both(items.items, verdicts[one], verdicts[other])))
        for one, other in combinations(verdicts, 2)
    ]
    return Comparison(items, verdicts, pairs)


def _judged_by_both(items: Sequence[Item], one: Verdicts, other: Verdicts) -> Iterator[JudgedTwice]:
    for item in items:
        first, second = (known[item.key].is_used if item.key in known else None for known in (one, other))
        if first is not None and second is not None:
            yield JudgedTwice(item.prompt, first, second)


def disagreements(found: Comparison) -> Iterator[dict[str, Any]]:
    """Yield each item on which two judges differ, with what each says."""
    for item in found.items.items:
        said = {name: one[item.key].is_used for name, one in found.verdicts.items() if item.key in one}
        if {True, False} <= set(said.values()):
            yield {
                "run": item.run,
                "answer": item.answer,
                "attribute": item.attribute,
                "verdicts": said,
                "code": item.code,
            }


def document_of(found: Comparison) -> dict[str, Any]:
    """Return the comparison as JSON."""
    return {
        "format": FORMAT,
        "fairlint": __version__,
        "runs": list(dict.fromkeys(item.run for item in found.items.items)),
        "items": len(found.items.items),
        "left_out": dict(found.items.left_out),
        "judges": [
            {
                "name": name,
                "judged": _judged(one),
                "yes": _said_yes(one),
                "not_judged": dict(_causes(one).most_common()),
            }
            for name, one in found.verdicts.items()
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "items": pair.agreement.items,
                "both": pair.agreement.both,
                "first_only": pair.agreement.first_only,
                "second_only": pair.agreement.second_only,
                "neither": pair.agreement.neither,
                "kappa": pair.agreement.kappa,
                "interval": None if pair.agreement.low is None else [pair.agreement.low, pair.agreement.high],
            }
            for pair in found.pairs
        ],
    }


def lines_of(found: Comparison) -> Iterator[str]:
    """Yield the comparison as lines of text."""
    items = found.items
    answers = len({(item.run, item.answer) for item in items.items})
    yield f"{len(items.items):,} items: an attribute that an answer was asked about, {answers:,} answers"
    for why, count in items.left_out.items():
        yield f"  left out: {count:,} answers {why}"
    for name, one in found.verdicts.items():
        if name != CHECKER:
            judged, yes = _judged(one), _said_yes(one)
            same = "" if 0 < yes < judged or not judged else ", so it tells no two of them apart"
            yield f"{name} judged {judged:,} and said yes of {yes:,}{same}"
            for cause, count in _causes(one).most_common(CAUSES):
                yield f"  not {count:,}: {cause}"
    yield ""
    head = ("judges", "items", "both yes", "first only", "second only", "both no", "kappa", "95 % bounds")
    rows = [head, *map(_row_of, found.pairs)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    for row in rows:
        first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join((first, *(cell.strip().rjust(len(cell)) for cell in others))).rstrip()


def _row_of(pair: Pair) -> tuple[str, ...]:
    found = pair.agreement
    counts = (found.items, found.both, found.first_only, found.second_only, found.neither)
    kappa = "-" if found.kappa is None else f"{found.kappa:.3f}"
    bounds = "-" if found.low is None or found.high is None else f"{found.low:.3f} to {found.high:.3f}"
    return (f"{pair.first}, {pair.second}", *(f"{count:,}" for count in counts), kappa, bounds)


def _judged(verdicts: Verdicts) -> int:
    return sum(one.is_used is not None for one in verdicts.values())


def _said_yes(verdicts: Verdicts) -> int:
    return sum(one.is_used is True for one in verdicts.values())


def _causes(verdicts: Verdicts) -> Counter[str]:
    return Counter(one.cause for one in verdicts.values() if one.is_used is None)
