"""Detectors observe: each module finds one kind of Use in an executed file."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fairlint.config import Settings
from fairlint.detectors import (
    decisions,
    defaults,
    encodings,
    features,
    filters,
    inference,
    labels,
    outcomes,
    prompts,
    queries,
    rankings,
    reads,
    records,
    scores,
)
from fairlint.detectors.context import Context, Options
from fairlint.lexicon import Vocabulary
from fairlint.records import replace
from fairlint.semantics.effects import lexicon
from fairlint.semantics.execution import execute
from fairlint.semantics.sites import Site
from fairlint.semantics.specialization import Naming
from fairlint.sources.source import Source
from fairlint.syntax.tree import Gap, Tree
from fairlint.uses import Use

Detector = Callable[[Site, Naming, Context], Use | None]

DETECTORS: tuple[Detector, ...] = (
    labels.observe,
    rankings.observe,
    scores.observe,
    filters.observe,
    decisions.observe,
    rankings.observe_indirect,
    reads.observe,
)
"""In the order in which they are asked about each site."""

FILE_DETECTORS: tuple[Callable[[Context], Iterable[Use]], ...] = (
    features.observe,
    encodings.observe,
    defaults.observe,
    inference.observe,
    prompts.observe,
    queries.observe,
    records.observe,
)
"""What is asked about the whole file: Uses that no branch, table or test makes."""

LOUD = frozenset({"decide", "score"})
LAWFUL = "lawful"
"""The tag of what would be a finding but for the purpose that it serves."""
FULL_WEIGHT = 5
"""Evidence from which on a Use can speak for others."""


def observe(source: Source, tree: Tree, vocabulary: Vocabulary, settings: Settings) -> tuple[Use | Gap, ...]:
    """All Uses of protected attributes in one file, in source order, and what could not be read for them."""
    context = Context(execute(source, tree, vocabulary), _options(settings))
    found: list[tuple[Site, Use]] = []
    for site in context.execution.sites:
        if not site.reads:
            continue
        if (use := _describe(site, context)) is not None:
            found.append((site, use))
    uses = _joined(_one_place_each(found), context)
    told = [
        use for use in uses if use.effect in LOUD or use.kind in {"label", "weight"} or LAWFUL in use.tags
    ]
    for detect in FILE_DETECTORS:
        uses.extend(use for use in detect(context) if not _is_told(use, told))
    return (*sorted(uses, key=lambda use: (use.span.start, use.attribute)), *context.gaps)


def _is_told(use: Use, told: Iterable[Use]) -> bool:
    """Whether what becomes of the encoding of a group is told about as somebody's score or outcome."""
    return use.kind == "encoding" and any(
        other.attribute == use.attribute
        and other.span.start < use.span.end
        and use.span.start < other.span.end
        for other in told
    )


def _describe(site: Site, context: Context) -> Use | None:
    """The first account of a site that ends with somebody's score or outcome, else the first account."""
    first: Use | None = None
    if not context.credible(site):
        return None
    for detector in DETECTORS:
        use = context.account(detector, site)
        if use is None:
            continue
        if use.effect == "learn":
            return use
        if use.effect in {"decide", "score"}:
            if use.attribute in lexicon().formula_attributes and context.is_clinical(site):
                return replace(use, effect="show")
            if outcomes.lawful_purpose(site, use, context):
                return replace(use, effect="show", tags=use.tags | {LAWFUL})
            return _rather_added(use, site, context)
        first = first or use
    return first


def _rather_added(use: Use, site: Site, context: Context) -> Use:
    """Where a number is first set by group and then added to the rest, what is added says more."""
    if use.kind != "score-update" or use.points is None or use.points.op != "set":
        return use
    later = context.account(decisions.observe, site)
    if later is not None and later.kind == "threshold":
        return later
    added = later is not None and later.points is not None and later.points.op != "set"
    return later if added and later is not None and later.kind == "score-update" else use


def _options(settings: Settings) -> Options:
    bands = {"age": dict(settings.age_bands)} if settings.age_bands else {}
    lawful = {} if settings.lawful_ages is None else {"age": frozenset(settings.lawful_ages)}
    return Options(bands, lawful)


def _one_place_each(found: list[tuple[Site, Use]]) -> list[tuple[Site, Use]]:
    """One Use a place and attribute: a table that is both assigned and used is told about once."""
    kept: dict[tuple[int, int, str], tuple[Site, Use]] = {}
    for site, use in found:
        key = (use.span.start, use.span.end, use.attribute)
        if key not in kept or _telling(use) > _telling(kept[key][1]):
            kept[key] = (site, use)
    return list(kept.values())


def _telling(use: Use) -> tuple[bool, bool, int]:
    return (use.effect in {"decide", "score"}, use.kind == "threshold", use.weight)


def _joined(found: list[tuple[Site, Use]], context: Context) -> list[Use]:
    """Marks Uses whose attributes are tested together; the first of them speaks for the others."""
    by_node: dict[tuple[int, int], list[int]] = {}
    for place, (site, use) in enumerate(found):
        if use.effect in {"decide", "score"} and use.attribute_kind != "proxy":
            by_node.setdefault((site.node.span.start, site.node.span.end), []).append(place)
    uses = [use for _, use in found]
    for places in by_node.values():
        together = [place for place in places if _tested_together(found, place, places, context)]
        if len(together) < 2:
            continue
        together.sort(
            key=lambda place: (
                uses[place].weight < FULL_WEIGHT,
                uses[place].span.start,
                _first_read(found[place][0]),
            )
        )
        first, *others = together
        uses[first] = replace(uses[first], joined=tuple(uses[place].attribute for place in others))
        for place in others:
            uses[place] = replace(uses[place], tags=uses[place].tags | {"secondary"})
    return sorted(uses, key=lambda use: (use.span.start, use.attribute))


def _first_read(site: Site) -> int:
    return min(site.reads)


def _tested_together(found: list[tuple[Site, Use]], place: int, places: list[int], context: Context) -> bool:
    site = found[place][0]
    others = {found[other][0].attribute for other in places if other != place}
    tests = [guard.test for event in site.events for guard in event.guards]
    values = [*tests, *(event.value for event in site.events), site.test]
    return any(decisions.joins(value, site.attribute, others, context) for value in values)
