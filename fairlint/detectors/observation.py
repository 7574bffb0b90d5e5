"""Asks the detectors about one executed file, and settles which of their accounts of one place is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from fairlint.config import Settings
from fairlint.detectors import decisions, idle_decisions, plugin_detectors, presence
from fairlint.detectors.context import Context
from fairlint.detectors.detector import Detector
from fairlint.detectors.group_naming import account_of
from fairlint.findings.levels import FULL_WEIGHT
from fairlint.findings.uses import SPOKEN_FOR, Use
from fairlint.plugins.guard import PluginError
from fairlint.semantics.execution import execute
from fairlint.semantics.groups.group_terms import TooManyStepsError
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.library import Models
from fairlint.semantics.names.named_by_codes import with_coded_names
from fairlint.support.records import replace
from fairlint.syntax.source import Source
from fairlint.syntax.tree import Gap, Span, Tree
from fairlint.vocabulary import Vocabulary

LOUD = frozenset({"decide", "score"})
SITE_COSTS, ACCOUNT_COSTS = 30, 600
"""Steps to look at a place, and to tell what it does to people, whatever it is compared with."""


def observe(  # noqa: PLR0917 (a run hands on all that it knows)
    source: Source,
    tree: Tree,
    vocabulary: Vocabulary,
    settings: Settings,
    models: Models,
    detectors: Sequence[Detector],
    *,
    uses_only: bool = False,
) -> tuple[Use | Gap, ...]:
    """Return all Uses of protected attributes in one file, in source order, and what could not be read for
    them.

    The file is executed once. What a shipped detector raises bears its name; one of a plugin that raises, or
    gives what is no Use, is named as a gap, and asked no more about the file. `uses_only` says that no rule
    will judge them.
    """
    vocabulary = with_coded_names(tree, source.data, vocabulary)
    executed = execute(source, tree, vocabulary, models, settings.file_steps)
    context = Context(executed, settings, uses_only=uses_only)
    gaps = list(context.execution.gaps)
    detectors = list(detectors)
    broken: list[str] = []
    found: list[tuple[Site, Use]] = []
    for site in context.execution.sites:
        context.steps.left_out = ""
        try:
            use = _describe_site(site, context, detectors, broken)
        except TooManyStepsError:
            steps = f"{context.most_steps:,} steps (from the setting file-steps)"
            reason = f"the analysis stopped here: to compare the groups takes more than {steps}"
            gaps.append(Gap(source.first_line(site.start.span), reason, "limit"))
            break
        if use is not None:
            found.append((site, use))
        if context.steps.left_out and (use is None or use.effect not in LOUD):
            context.facts.cut(site.start, context.steps.left_out)
    uses = _mark_joint_tests(_one_place_each(found), context)
    told = [use for use in uses if use.effect in LOUD or use.kind in {"label", "weight"}]
    for detector in detectors:
        if detector.observe_file is None:
            continue
        try:
            for observed in _observations_of_file(detector, context):
                if isinstance(observed, Gap):
                    gaps.append(observed)
                elif not _is_encoding_of_outcome(observed, told):
                    uses.append(observed)
        except PluginError as error:
            broken.append(str(error))
    if broken:
        gaps.append(Gap(Span(0, 0), "; ".join(dict.fromkeys(broken)), "plugin"))
    features = [use for use in uses if use.kind == "feature"]
    uses = [use for use in uses if not _is_feature(use, features)]
    gaps += (replace(gap, span=source.first_line(gap.span)) for gap in context.facts.gaps.values())
    return (*sorted(uses, key=lambda use: (use.span.start, use.attribute)), *gaps)


def _observations_of_file(detector: Detector, context: Context) -> Iterator[Use | Gap]:
    if detector.plugin:
        yield from plugin_detectors.observe_file(detector, context)
    elif detector.observe_file is not None:
        with _note_detector_name(detector):
            yield from detector.observe_file(context)


@contextmanager
def _note_detector_name(detector: Detector) -> Iterator[None]:
    """Lets what a detector raises bear its name."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the detector '{detector.name}'")
        raise


def _is_encoding_of_outcome(use: Use, told: Iterable[Use]) -> bool:
    """Return whether what becomes of the encoding of a group is told about as a person's score or outcome."""
    if use.kind != "encoding":
        return False
    spans = [use.span, *(step.span for step in use.flow[-1:])]
    return any(
        other.attribute == use.attribute
        and any(other.span.start < span.end and span.start < other.span.end for span in spans)
        for other in told
    )


def _is_feature(use: Use, features: Iterable[Use]) -> bool:
    """Whether a number that an attribute enters is a column that a model is given, and told about as that:
    `df["income_per_child"] = df["income"] / df["children"]`.
    """
    if use.kind != "score-update" or use.points is not None or not use.flow:
        return False
    changed = use.flow[-1].span
    return any(
        one.attribute == use.attribute
        and (
            (one.span.start < changed.end and changed.start < one.span.end)
            or f"[{one.detail!r}]" in (use.target or "")
        )
        for one in features
    )


def _describe_site(site: Site, context: Context, detectors: list[Detector], broken: list[str]) -> Use | None:
    """Return the first account of a site that ends with a person's score or outcome, else the first that is
    more than a read. Detectors of plugins that fail are taken out, and told of in `broken`.
    """
    first: Use | None = None
    if not site.reads:
        return None
    context.steps.spend(SITE_COSTS)
    if not context.credible(site):
        return None
    context.steps.spend(ACCOUNT_COSTS)
    for detector in detectors.copy():
        if detector.observe_site is None:
            continue
        try:
            use = _account_of_site(detector, site, context)
        except PluginError as error:
            detectors.remove(detector)
            broken.append(str(error))
            continue
        if use is None:
            continue
        if use.effect == "learn":
            return use
        if use.effect in LOUD:
            if presence.is_presence_check(site, context):
                return replace(use, effect="check")
            return _prefer_addition(use, site, context)
        if first is None or first.kind == "read":
            first = use
    return first


def _account_of_site(detector: Detector, site: Site, context: Context) -> Use | None:
    if detector.plugin:
        return plugin_detectors.observe_site(detector, site, context)
    assert detector.observe_site is not None
    with _note_detector_name(detector):
        return account_of(context, detector.observe_site, site)


def _prefer_addition(use: Use, site: Site, context: Context) -> Use:
    """Return where a number is first set by group and then added to the rest, what is added says more."""
    if use.kind != "score-update" or use.points is None or use.points.op != "set":
        return use
    later = account_of(context, decisions.observe, site)
    if later is not None and later.kind == "threshold":
        return later
    added = later is not None and later.points is not None and later.points.op != "set"
    return later if added and later is not None and later.kind == "score-update" else use


def _one_place_each(found: list[tuple[Site, Use]]) -> list[tuple[Site, Use]]:
    """Return one Use a place and attribute: a table that is both assigned and used is told about once."""
    kept: dict[tuple[int, int, str], tuple[Site, Use]] = {}
    for site, use in found:
        key = (use.span.start, use.span.end, use.attribute)
        if key not in kept or _loudness_rank(use) > _loudness_rank(kept[key][1]):
            kept[key] = (site, use)
    return list(kept.values())


def _loudness_rank(use: Use) -> tuple[int, ...]:
    return (use.effect in LOUD, use.kind == "threshold", use.weight)


def _mark_joint_tests(found: list[tuple[Site, Use]], context: Context) -> list[Use]:
    """Mark Uses whose attributes are tested together; the first of them speaks for the others, and an
    attribute that the law protects before one of a person's means, wherever they stand in the test.
    """
    by_node: dict[tuple[int, int], list[int]] = {}
    for place, (site, use) in enumerate(found):
        if use.effect in LOUD and use.attribute_kind != "proxy":
            by_node.setdefault((site.node.span.start, site.node.span.end), []).append(place)
    uses = [use for _, use in found]
    for places in by_node.values():
        if len(places) < 2:
            continue
        together = [place for place in places if _tested_together(found, place, places, context)]
        if len(together) < 2:
            continue
        together.sort(
            key=lambda place: (
                uses[place].weight < FULL_WEIGHT,
                uses[place].attribute_kind != "protected",
                uses[place].span.start,
                _first_read(found[place][0]),
            )
        )
        first, *others = together
        joined = tuple(uses[place].attribute for place in others)
        spans = [uses[place].span for place in together]
        if all(found[place][0].start is found[first][0].start for place in together):
            span = Span(min(span.start for span in spans), max(span.end for span in spans))
            uses[first] = replace(uses[first], span=span)
        uses[first] = replace(uses[first], joined=joined)
        for place in others:
            uses[place] = replace(uses[place], tags=uses[place].tags | {SPOKEN_FOR})
    return sorted(uses, key=lambda use: (use.span.start, use.attribute))


def _first_read(site: Site) -> int:
    return min(site.reads)


def _tested_together(found: list[tuple[Site, Use]], place: int, places: list[int], context: Context) -> bool:
    site = found[place][0]
    others = {found[other][0].attribute for other in places if other != place}
    tests = [guard.test for guard in context.guards(site)]
    values = (*tests, *(event.value for event in site.events), site.test)
    return idle_decisions.joins(values, site.attribute, others, context)
