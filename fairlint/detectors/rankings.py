"""Rankings: people are sorted by a protected attribute, and the first or last of them are taken."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.detectors.outcomes import function_sink, sink
from fairlint.detectors.use_builder import make_use
from fairlint.semantics.effects import any_word, lexicon
from fairlint.semantics.sites import Site
from fairlint.semantics.specialization import Naming
from fairlint.semantics.values import Event, Operation, Protected, Sequence, Sorted, Value
from fairlint.uses import Use


def observe(site: Site, naming: Naming, context: Context) -> Use | None:
    """The ranking that the site is, if it is one."""
    return _ranking(site, naming, context, [event for event in _ranks(site) if _by_itself(event.value, site)])


def observe_indirect(site: Site, naming: Naming, context: Context) -> Use | None:
    """The ranking that the site is, if people are sorted by a number in which the attribute takes part."""
    return _ranking(site, naming, context, _ranks(site))


def _ranks(site: Site) -> list[Event]:
    """Where the first of people are taken by what the site makes: not those who were found by it before."""
    return [
        event
        for event in site.events
        if event.kind == "rank" and isinstance(event.value, Sorted) and site.asks(event.value.key)
    ]


def _ranking(site: Site, naming: Naming, context: Context, events: list[Event]) -> Use | None:
    if not events:
        return None
    event = events[0]
    decides = function_sink(context, event.function, site.attribute) == "decide" or any_word(
        event.target, lexicon()["person_sets"]
    )
    return make_use(
        site,
        naming,
        context,
        kind="ranking",
        effect="decide",
        shape="sort",
        event=event,
        target=event.target or None,
        sink=sink("decide", 2 if decides else 1, f"`{event.target}` is sorted by it and cut off"),
        last="people are ranked here",
        span=event.node.span,
    )


def _by_itself(value: Value, site: Site) -> bool:
    """Whether people are sorted by the attribute, or a test on it, before anything else."""
    if not isinstance(value, Sorted):
        return False
    key = value.key.items[0] if isinstance(value.key, Sequence) and value.key.items else value.key
    while isinstance(key, Operation) and key.op in {"neg", "not"}:
        key = key.arguments[0]
    parts = key.arguments if isinstance(key, Operation) and key.op in {"==", "in", "<", ">="} else (key,)
    return any(isinstance(part, Protected) and part.mention.attribute == site.attribute for part in parts)
