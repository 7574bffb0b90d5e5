"""Reads: an attribute is tested, and nothing that matters to anybody hangs on it."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.detectors.outcomes import only_looks
from fairlint.detectors.use_builder import make_use
from fairlint.semantics.sites import Site
from fairlint.semantics.specialization import Naming, Specialization, Valuation
from fairlint.syntax import tree
from fairlint.uses import Effect, Use


def observe(site: Site, naming: Naming, context: Context) -> Use | None:
    """The mere read that the site is."""
    _note_groups(site, naming)
    return make_use(
        site,
        naming,
        context,
        kind="read",
        effect=_effect(site, context),
        shape="read",
        event=site.events[0],
        last="it is tested here",
    )


def _effect(site: Site, context: Context) -> Effect:
    kinds = {event.kind for event in site.events}
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


def _does_something(site: Site) -> bool:
    """Whether the branches hold statements whose effect is not followed (in a function that is called
    from here).
    """
    return any(
        isinstance(part, tree.Return | tree.Raise | tree.Assign | tree.Continue | tree.Break)
        for part in tree.walk(site.node)
    )


def _note_groups(site: Site, naming: Naming) -> None:
    """Lets the naming hear of the groups that the tests and values name."""
    hypothesis = Specialization(naming, "", None, Valuation())
    for event in site.events:
        for value in (event.value, *(guard.test for guard in event.guards)):
            hypothesis.evaluate(value)
