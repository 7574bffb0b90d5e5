"""What the groups of an attribute that is a number get, and the ranges that the code cuts it into."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise

from fairlint.semantics.groups.group_terms import GroupTerms, groups_to_ask
from fairlint.semantics.groups.ordering import JUST_ABOVE
from fairlint.semantics.groups.worlds import Answer
from fairlint.semantics.values import amounts

MOST_BY_LAW = 10
"""A limit of the law that lies farther above the lowest age divides those who are told apart."""
LARGEST = 1e300
"""Numbers beyond are no factors."""

MOST_NUMBERS = 60
"""How many numbers the groups of an attribute that is a number are asked about, all groups together."""


def answers_by_band(
    bands: Mapping[str, tuple[float, float]],
    answer: Callable[[str, float | None], Answer],
    naming: GroupTerms,
) -> tuple[dict[str, Answer], dict[str, Answer]]:
    """For an attribute that is a number: each group answers for most of its numbers; and what each range
    gets, where a group has more than one answer.

    An answer that no majority gives is given by the group whose minority has it. Where amounts are compared,
    whoever is below the first band is a minority of it.
    """
    cuts = _edges_of_cuts([cut for cut in naming.cuts if abs(cut) < LARGEST])
    step = max(1, math.ceil(len(cuts) / MOST_NUMBERS))
    spread: dict[str, list[tuple[float, Answer]]] = {}
    ranges: list[tuple[float, Answer]] = []
    for group, (low, high) in bands.items():
        edges = sorted({low, *(cut for cut in cuts[::step] if low < cut < high + 1), high + 1})
        spread[group] = [(end - start, answer(group, start)) for start, end in pairwise(edges)]
        ranges += ((start, value) for start, (_, value) in zip(edges, spread[group], strict=False))
    first, (lowest, _) = next(iter(bands.items()))
    younger = _answers_below_bands(lowest, cuts[::step], lambda number: answer(first, number), naming)
    if 0.0 in naming.cuts and _are_alike([*younger[1:], *ranges]):
        younger = []  # `if age == 0` asks whether there is an age
    chosen = {group: _majority_answer(answers) for group, answers in spread.items()}
    spread[first] += [(0.0, value) for _, value in younger if not _is_absent(value)]
    _let_hear(chosen, spread)
    for group in groups_to_ask(naming):
        if group not in chosen:
            chosen[group] = answer(group, next(iter(bands.values()))[1])
    fits = all(map(_are_alike, spread.values()))
    # Who is past a limit of the law is all that is asked there.
    by_law = max(naming.excused, default=0.0)
    if fits or step > 1 or naming.written or by_law > lowest + MOST_BY_LAW:
        return chosen, {}
    bounded = younger[0][0] > 0 if younger else bool(cuts) and cuts[0] <= lowest
    just_above = {} if _are_whole(naming.cuts) else {cut + JUST_ABOVE: cut for cut in naming.cuts}
    return chosen, _named_ranges([*younger, *ranges], by_law, just_above, bounded=bounded)


def _let_hear(chosen: dict[str, Answer], spread: Mapping[str, list[tuple[float, Answer]]]) -> None:
    """Let a group give what only a minority of it gets, where that would go unheard."""
    heard = {hashable_form(value) for value in chosen.values()}
    for group, answers in spread.items():
        unheard = next((value for _, value in answers if hashable_form(value) not in heard), None)
        if unheard is not None:
            chosen[group] = unheard
            heard.add(hashable_form(unheard))


def _edges_of_cuts(cuts: Collection[float]) -> list[float]:
    """Return the numbers at which answers may change: whole ones, unless the code compares with others."""
    if _are_whole(cuts):
        return sorted(cuts)
    return sorted({edge for cut in cuts for edge in (cut, cut + JUST_ABOVE)})


def _are_whole(cuts: Iterable[float]) -> bool:
    return all(cut == math.floor(cut) for cut in cuts)


def _answers_below_bands(
    lowest: float, cuts: Iterable[float], answer: Callable[[float], Answer], naming: GroupTerms
) -> list[tuple[float, Answer]]:
    """Return what those get who are below all bands, by the lowest number of each range, where amounts are
    asked.
    """
    below = [cut for cut in cuts if cut <= lowest]
    if not naming.of_amounts or lowest <= 0 or not below:
        return []
    numbers = sorted({0.0, *(cut for cut in below if 0 < cut < lowest)})
    return [(number, answer(number)) for number in numbers]


def _are_alike(ranges: list[tuple[float, Answer]]) -> bool:
    return len({hashable_form(value) for _, value in ranges}) == 1


def _is_absent(value: object) -> bool:
    """Return whether an amount is none, or that of a table without an entry."""
    return value is None or (isinstance(value, Mapping) and amounts.is_missing(value))


def _named_ranges(
    ranges: list[tuple[float, Answer]], lowest: float, just_above: Mapping[float, float], *, bounded: bool
) -> dict[str, Answer]:
    """Return what neighbouring numbers get, by a name such as `65–74`. `bounded` says that the first of them
    does not begin with the lowest numbers; below `lowest` nothing is said. `just_above` are the edges that
    stand for all above a number of the code.
    """
    starts = [
        place
        for place, (_, value) in enumerate(ranges)
        if place == 0 or hashable_form(value) != hashable_form(ranges[place - 1][1])
    ]
    named: dict[str, Answer] = {}
    for place, following in zip(starts, [*starts[1:], None], strict=True):
        low, value = max(ranges[place][0], lowest), ranges[place][1]
        high = None if following is None else ranges[following][0]
        if high is not None and high <= low:
            continue
        is_first = place == 0 and not bounded and low == ranges[0][0]
        named[_range_name(None if is_first else low, high, just_above)] = value
    return named


def _range_name(low: float | None, end: float | None, just_above: Mapping[float, float]) -> str:
    """Return what the numbers from `low` on, below `end`, are called: `25–29`, of any numbers `over 24.5 to
    30`.
    """
    edge = 0.0 if low is None else just_above.get(low, low)
    is_open, is_closed = low in just_above, end in just_above
    last = None if end is None else just_above.get(end, end)
    if last is None:
        return f"over {edge:g}" if is_open else f"{edge:g} and over"
    if low is None:
        return f"up to {last:g}" if is_closed else f"under {last:g}"
    if last == edge or (not just_above and last - 1 <= edge):
        return f"exactly {edge:g}"
    if not just_above:
        return f"{edge:g}–{last - 1:g}"
    return f"{'over ' if is_open else ''}{edge:g} to {'' if is_closed else 'under '}{last:g}"


def _majority_answer(answers: list[tuple[float, Answer]]) -> Answer:
    weights: dict[object, float] = {}
    for weight, value in answers:
        weights[hashable_form(value)] = weights.get(hashable_form(value), 0.0) + weight
    heaviest = max(weights, key=lambda key: weights[key])
    return next(value for _, value in answers if hashable_form(value) == heaviest)


def hashable_form(value: object) -> object:
    """Return an answer in a form that sets and tables hold."""
    return tuple(sorted(value.items())) if isinstance(value, Mapping) else value
