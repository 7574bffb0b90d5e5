"""Reads: an attribute is tested, and nothing that matters to anybody hangs on it."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.detectors.sinks import only_looks
from fairlint.detectors.use_builder import make_use
from fairlint.findings.uses import BY_LAW, Effect, Use
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.groups.valuations import Valuation
from fairlint.semantics.interpreter.norms import norm_in
from fairlint.semantics.tables.chained import LOST
from fairlint.semantics.values.events import Guards, fresh
from fairlint.support.records import replace
from fairlint.syntax import tree


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return the mere read that the site is."""
    _note_groups(site, naming)
    use = make_use(
        site,
        naming,
        context,
        kind="read",
        effect=_effect_of_site(site, context),
        shape="read",
        event=site.events[0],
        last="it is tested here",
    )
    if _is_lost_change(site):
        use = replace(use, detail="what is changed there is a copy")
    return replace(use, tags=use.tags | {BY_LAW}) if _is_by_law(site, naming) else use


def _effect_of_site(site: Site, context: Context) -> Effect:
    kinds = {event.kind for event in site.events}
    if _is_lost_change(site) and kinds <= {"read", "assign"}:
        return "none"
    if _is_within_group_measure(site):
        return "store"  # what comes of it is a rank or a mean within a group
    if "learn" in kinds:
        return "store"  # told about as a feature, where it is one
    if any(event.kind == "call" and only_looks(event, context) for event in site.events):
        return "show"
    if "raise" in kinds or any(event.target == "assert" for event in site.events):
        return "check"
    if kinds & {"assign", "append", "return", "filter"}:
        return "store"
    if kinds & {"update", "call"}:
        return "show"
    return "store" if _does_something(site) else "none"


def _is_within_group_measure(site: Site) -> bool:
    """Return whether people are only measured against their own group."""
    seen: set[Guards] = set()
    for event in site.events:
        for value in (event.value, *(guard.test for guard in fresh(event.guards, seen))):
            if site.asks(value) and norm_in(value, site.attribute) is not None:
                return True
    return False


def _is_lost_change(site: Site) -> bool:
    """Return whether what is changed under the test is a copy."""
    return any(event.kind == "read" and event.target == LOST for event in site.events)


def _does_something(site: Site) -> bool:
    """Return whether the branches hold statements whose effect is not followed (in a function that is called
    from here).
    """
    return any(
        isinstance(part, tree.Return | tree.Raise | tree.Assign | tree.Continue | tree.Break)
        for part in tree.walk(site.node)
    )


def _is_by_law(site: Site, naming: GroupTerms) -> bool:
    """Return whether a person's number is compared with a limit that the law itself sets."""
    if not naming.lawful:
        return False
    seen: set[Guards] = set()
    person = Specialization(replace(naming, cuts=set()), "", 0.0, Valuation())
    for event in site.events:
        for value in (event.value, *(guard.test for guard in fresh(event.guards, seen))):
            person.evaluate(value)
    return not naming.lawful.isdisjoint(person.naming.cuts)


def _note_groups(site: Site, naming: GroupTerms) -> None:
    """Let the naming hear of the groups that the tests and values name."""
    hypothesis = Specialization(naming, "", None, Valuation())
    seen: set[Guards] = set()
    for event in site.events:
        for value in (event.value, *(guard.test for guard in fresh(event.guards, seen))):
            hypothesis.evaluate(value)
