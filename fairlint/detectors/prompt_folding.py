"""One prompt is one finding: it is often told several times, as it is put together, handed on and sent."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from fairlint.findings.uses import SPOKEN_FOR, Step, Use
from fairlint.semantics.values.symbolic import Placeholder
from fairlint.support.records import Record, replace
from fairlint.syntax.tree import Span

MOST_STEPS = 30
"""Stations of one finding that are told."""


class PromptReport(Record):
    """A prompt that carries an attribute, as one place tells it."""

    use: Use
    way: tuple[Span, ...]
    """The places of texts that the attribute has come through."""
    text: Hashable
    """What is the same for all that one prompt holds."""
    number: int
    """Which of the texts of the file it is."""
    hole: Placeholder
    """What carries the attribute into the text."""


class _Groups:
    """Which keys stand for one and the same."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def top(self, key: Hashable) -> Hashable:
        while (above := self._above.get(key, key)) != key:
            self._above[key] = self._above.get(above, above)
            key = above
        return key

    def join(self, one: Hashable, other: Hashable) -> None:
        first, second = self.top(one), self.top(other)
        if first != second:
            self._above[second] = first


def each_prompt_once(told: Iterable[PromptReport], full_weight: int) -> Iterator[Use]:
    """Yield each attribute of each prompt once, with its other places as steps; the rest are spoken for.

    A text that is told and put into another one that is told, too, is the same prompt.
    """
    several = list(told)
    groups = _Groups()
    spots = {(one.use.attribute, one.use.span) for one in several}
    for one in several:
        name = one.use.attribute
        here = (name, one.use.span)
        groups.join((name, one.text), here)
        for span in one.way:
            if (name, span) in spots:
                groups.join((name, span), here)
    prompts: dict[Hashable, list[Use]] = {}
    for one in several:
        prompts.setdefault(groups.top((one.use.attribute, one.use.span)), []).append(one.use)
    for uses in prompts.values():
        uses.sort(key=lambda use: (use.weight < full_weight, use.context.name, use.span.start))
        first, *others = uses
        yield replace(first, flow=_merge_flows(uses))
        for use in others:
            yield replace(use, tags=use.tags | {SPOKEN_FOR})


def _merge_flows(uses: Iterable[Use]) -> tuple[Step, ...]:
    """Return the stations of several uses, those of each place once, to where the first of them ends."""
    ways: dict[Span, tuple[Step, ...]] = {}
    for use in uses:
        ways.setdefault(use.span, use.flow)
    first, *others = ways.values()
    return to_one_end([first, *(flow[:-1] for flow in others)])


def to_one_end(flows: Sequence[tuple[Step, ...]]) -> tuple[Step, ...]:
    """Return the stations of several ways, each once; what ends the first stands last."""
    steps = dict.fromkeys(step for flow in flows for step in flow)
    last = flows[0][-1:]
    begin = [step for step in steps if step not in last]
    return (*begin[: MOST_STEPS - 1], *last)
