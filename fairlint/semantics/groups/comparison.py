"""What each group gets: the same question asked for every group, with everything else equal."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, product
from typing import Generic, TypeVar

from fairlint.findings.uses import GroupPoints, PointsOp
from fairlint.semantics.groups.group_terms import OTHER, SCALE, GroupTerms
from fairlint.semantics.groups.ordering import JUST_ABOVE
from fairlint.semantics.groups.path_search import PathCondition, on_the_ways
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.groups.valuations import ENDS, Questions, Valuation
from fairlint.semantics.groups.valuations import Answer as WorldAnswer
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import Amount
from fairlint.semantics.values.symbolic import Const, Operation, Value, walk
from fairlint.support.records import Record, field, replace

Answer = TypeVar("Answer")

Assignment = Mapping[str, WorldAnswer]
"""What a world answers; a question that it says nothing about has the first of its answers."""
Who = tuple[str, float | None]
"""A group, and a number where the attribute is one."""

MAX_WORLDS = 32
"""How many combinations of other conditions are tried."""

MOST_GROUPS = 60
"""How many groups that the code names are compared: a table with more keys is asked for these."""

LEAST_WORLDS = 3
MOST_TESTS = 6_000
"""Tests that the answers of one group may take together, over all worlds."""

MOST_STEPS = 100_000
"""Steps of one comparison after which no further world is tried."""

MOST_TURNED = 6
"""Questions for a text that are answered otherwise one by one, to see whether two groups change places."""
MOST_BY_LAW = 10
"""A limit of the law that lies farther above the lowest age divides those who are told apart."""
MOST_FACTORS = 40
"""How many numbers are tried as the factor that all groups share."""
LARGEST = 1e300
"""Numbers beyond are no factors."""
MOST_PARTS = 2_000
"""How many parts of a value are looked through for numbers."""

MOST_NUMBERS = 60
"""How many numbers the groups of an attribute that is a number are asked about, all groups together."""

MOST_FLIPPED = 24
"""How often a question is answered otherwise to see whether what groups get hangs on it."""

MOST_OPTIONS_OF_ONE = 2
"""So many answers one question has: more of them are several questions', which may hang together."""

MOST_NAMED = 4
"""So many groups the code may name for a world to be preferred in which these are told apart."""

FULL_COMBINATIONS = 24
"""Up to this many combinations of other conditions, every one is tried."""


class Comparison(Record, Generic[Answer]):
    """The answers for all groups in the world where they differ most.

    `by_group` holds the groups that are compared: the attribute's core groups and those the code names.
    """

    by_group: Mapping[str, Answer]
    other: Answer
    differs: bool
    by_scale: bool
    """The answer depends on the raw value in a way that groups cannot be told apart by."""
    leaves_out: bool
    """All compared groups fare alike, and one nobody names does not."""
    is_open: bool = False
    """The attribute has no groups of its own, so that those the code names are compared with all others."""
    by_range: Mapping[str, Answer] = field(default_factory=dict)
    """For a number: the answers for the ranges that the code cuts it into, where these are no bands."""
    varies: bool = False
    """Whether the answers are less far apart where some other condition holds or does not."""
    turns: bool = False
    """Whether two groups change places where other conditions hold: nobody can say whom it favours."""
    others_end: bool = False
    """Whether an error ends the program for whoever nobody names, so that `other` says nothing of them."""
    hangs: bool = False
    """Whether a group has another answer where some other condition is met otherwise, and the groups do not
    all get nothing there: what is told holds for instance, and not always.
    """
    hangs_on_others: bool = False
    """Whether that is what another branch on the same attribute says, which is told about elsewhere."""
    met: Sequence[Sequence[Answer]] = ()
    """All answers of each of those who were asked, in whichever world."""

    @property
    def tells(self) -> bool:
        """Whether the groups fare differently in any way."""
        return self.differs or self.by_scale or self.leaves_out

    @property
    def told(self) -> Mapping[str, Answer]:
        """The answers in the terms of the code: by its own ranges where it cuts a number otherwise."""
        return self.by_range or self.by_group

    def in_words(self, word: Callable[[Answer], str]) -> dict[str, str]:
        """What becomes of each group; nothing where all fare alike in words, or where groups may change
        places.
        """
        if self.turns:
            return {}
        told = {group: word(answer) for group, answer in self.told.items()}
        if self.is_open and not self.others_end:
            told["everyone else"] = word(self.other)
        return told if len(set(told.values())) > 1 else {}

    @property
    def compared(self) -> list[Answer]:
        """The answers that are compared."""
        is_open = self.is_open and not self.others_end
        return [*self.by_group.values(), self.other] if is_open else list(self.by_group.values())


def compare_groups(
    naming: GroupTerms,
    ask: Callable[[Specialization], Answer],
    distance: Callable[[list[Answer]], float],
    *,
    enough: float = math.inf,
    cost: int = 1,
    ways: Callable[[], Iterable[PathCondition]] = tuple,
    is_nothing: Callable[[Answer], bool] | None = None,
) -> Comparison[Answer]:
    """Asks `ask` for every group in a number of worlds and keeps the world with the greatest `distance`.

    `distance` of equal answers is 0; it says how far apart several answers are. No further world is tried
    once the answers are `enough` apart. Where nothing differs, `ways` says what has to hold for what has not
    happened in any world, and worlds are tried in which it does. With `is_nothing`, which says whether an
    answer is that nothing happens, the comparison says whether it `hangs` on something else.
    """
    most_worlds = max(LEAST_WORLDS, min(MAX_WORLDS, MOST_TESTS // max(cost, 1)))
    asked = _Asked(naming, ask)
    begun = naming.steps.left
    naming.reached.clear()
    asked.in_world({})
    best = _Best(asked, distance, has_open_groups(naming))
    for tried, answers in enumerate(_all_worlds(asked.questions)):
        spent = begun - naming.steps.left > MOST_STEPS
        if tried >= most_worlds or best.is_enough(enough) or (spent and tried >= LEAST_WORLDS):
            break
        best.consider(answers, flip=not spent)
    if best.apart <= 0:
        for answers in on_the_ways(asked, ways()):
            best.consider(answers, flip=False)
            if best.apart > 0 or begun - naming.steps.left > MOST_STEPS:
                break
    if best.apart <= 0:
        naming.steps.left_out = _left_out(naming) or naming.steps.left_out
    assert best.found is not None
    return replace(
        best.found,
        by_scale=best.by_scale,
        leaves_out=best.leaves_out and not best.found.differs,
        varies=best.least < best.apart,
        turns=best.apart > 0 and _has_reversal(best.found.by_group, asked, best.world),
        hangs=is_nothing is not None and best.apart > 0 and _has_decisive_question(best, is_nothing),
        hangs_on_others=asked.questions.puts_aside,
        met=[[answer for *_, answer in past] for who, past in asked.past.items() if who[0] != OTHER],
    )


def _has_reversal(answers: Mapping[str, Answer], asked: _Asked[Answer], world: Assignment) -> bool:
    """Whether two groups change places once what was asked of some, or of all, is answered otherwise.

    Where all that differs is asked of each group by itself (`x > a` of men, `y > b` of women), the world
    decides who is better off, and not the code.
    """
    anybody, everybody = asked.asked_in(world)
    texts = [bit for name, bit in asked.questions.bits.items() if bit & anybody and name.endswith(" ==")]
    for mask in dict.fromkeys((anybody & ~everybody, anybody, *texts[:MOST_TURNED])):
        turned = (
            asked.in_world({**world, **_opposite_answers(world, asked.questions, mask)})[0]
            if mask
            else answers
        )
        if any(
            _is_reversal((answers[one], answers[other]), (turned[one], turned[other]))
            for one, other in pairwise(sorted(answers.keys() & turned.keys()))
        ):
            return True
    return False


def _has_decisive_question(best: _Best[Answer], is_nothing: Callable[[Answer], bool]) -> bool:
    """Whether a group fares otherwise once one question that was asked of anybody is answered otherwise, or
    several are.
    """
    asked, world, answers = best.asked, best.world, dict(best.found.by_group if best.found else {})
    questions, (anybody, _) = asked.questions, asked.asked_in(world)

    def fares_otherwise(answered: Assignment) -> bool:
        other = asked.in_world(answered)[0]
        changed = any(answers[group] != answer for group, answer in other.items() if group in answers)
        return changed and not all(map(is_nothing, other.values()))

    tried = 0
    for name, bit in list(questions.bits.items()):
        if not bit & anybody or SCALE in name:
            continue
        for option in list(questions.options[name]):
            if tried >= MOST_FLIPPED:
                return True  # what was not tried is not vouched for
            tried += 1
            if fares_otherwise({**world, name: option}):
                return True
    if tried <= MOST_OPTIONS_OF_ONE:
        return False
    return any(map(fares_otherwise, islice(_all_worlds(questions), MOST_FLIPPED)))


def _opposite_answers(world: Assignment, questions: Questions, mask: int) -> Assignment:
    """Other answers to some questions, by their bits, than a world gives."""
    found: dict[str, WorldAnswer] = {}
    for name, bit in questions.bits.items():
        if bit & mask and SCALE not in name:
            options = [*questions.options[name]]
            answer = world.get(name, options[0])
            if isinstance(answer, bool):
                found[name] = not answer
            elif isinstance(answer, str):
                found[name] = next((one for one in options if one != answer), "\0")
            else:
                found[name] = -math.inf if answer == math.inf else math.inf
    return found


def _is_reversal(before: tuple[object, object], after: tuple[object, object]) -> bool:
    """Whether two groups have changed places, or the one that had more has less."""
    if before[0] == before[1]:
        return False
    if before == after[::-1]:
        return True
    plain = [amounts.known_number(one) if isinstance(one, Mapping) else None for one in (*before, *after)]
    if any(one is None for one in plain):
        return False
    first, second, third, fourth = (one or 0.0 for one in plain)
    return (first - second) * (third - fourth) < 0


class _Best(Record, Generic[Answer], frozen=False):
    """The world in which the groups differ most, of those that were considered."""

    asked: _Asked[Answer]
    distance: Callable[[list[Answer]], float]
    is_open: bool
    """The attribute has no groups of its own (names, places), so that its groups are those the code names and
    all the others.
    """
    found: Comparison[Answer] | None = None
    world: Assignment = field(default_factory=dict)
    """What that world answers."""
    apart: float = -1.0
    named_apart: float = 0.0
    """How far apart those are in it whom the code names."""
    least: float = math.inf
    """How far apart they are where they differ least."""
    by_scale: bool = False
    leaves_out: bool = False

    def is_enough(self, enough: float) -> bool:
        """Whether no world has to be tried where groups are farther apart: those that the code names are."""
        if self.apart < enough:
            return False
        return self.named_apart > 0 or not 1 < len(self.asked.naming.named) <= MOST_NAMED

    def _named_apart(self, by_group: Mapping[str, Answer]) -> float:
        """How far apart the groups are that the code names, of a few."""
        named = [by_group[group] for group in self.asked.naming.named if group in by_group]
        return self.distance(named) if 1 < len(named) <= MOST_NAMED else 0.0

    def consider(self, answers: Assignment, *, flip: bool) -> None:
        """Asks the groups in one more world; `flip` says whether to see what hangs on the raw value, too."""
        distance, named = self.distance, self.asked.naming.named
        by_group, other, by_range = self.asked.in_world(answers)
        others_end = bool(by_group) and self.asked.others_end
        other = next(iter(by_group.values())) if others_end else other
        told = [*by_group.values(), other] if self.is_open or not by_group else list(by_group.values())
        apart = distance(told)
        self.least = min(self.least, apart)
        named_apart = self._named_apart(by_group)
        if (apart, named_apart) > (self.apart, self.named_apart):
            self.found = Comparison(
                by_group, other, apart > 0, False, False, self.is_open, by_range, others_end=others_end
            )
            self.apart, self.named_apart, self.world = apart, named_apart, answers
        if apart == 0 and named and distance([*by_group.values(), other]) > 0:
            self.leaves_out = True
        options = self.asked.questions.options
        scales = [name for name in options if SCALE in name and answers.get(name, True)] if flip else ()
        for condition in scales if not self.by_scale else ():
            flipped, flipped_other, _ = self.asked.in_world({**answers, condition: False})
            pairs = [(flipped[group], answer) for group, answer in by_group.items() if group in flipped]
            self.by_scale |= any(distance([one, two]) > 0 for one, two in (*pairs, (flipped_other, other)))


def _left_out(naming: GroupTerms) -> str:
    """What a comparison did not try, in words."""
    if len(naming.named) <= MOST_GROUPS:
        return ""
    return f"{len(naming.named)} groups: only {MOST_GROUPS} were compared"


def has_open_groups(naming: GroupTerms) -> bool:
    """Whether the groups that the code names stand for themselves, beside everybody else.

    So it is for attributes without groups of their own, and where the code names nothing but unexplained
    numbers, or groups that divide people another way than those everybody knows do.
    """
    if not naming.attribute.core_groups:
        return True
    if not naming.named:
        return False
    return not _core_beside(naming) or naming.unexplained.issuperset(naming.named)


def _core_beside(naming: GroupTerms) -> tuple[str, ...]:
    """The core groups that divide people in the same way as those that the code names."""
    coarse, core = naming.attribute.coarse_groups, naming.attribute.core_groups
    divides = {name in coarse for name in naming.named} if coarse else set()
    if len(divides) > 1:
        return ()  # `Germany` beside `foreign`: neither `domestic` nor other countries are asked about
    return tuple(group for group in core if not divides or (group in coarse) in divides)


def _all_worlds(questions: Questions) -> Iterator[Assignment]:
    """Each combination of answers once, beginning with none; what is asked meanwhile is taken in."""
    worlds: deque[Iterator[Assignment]] = deque([iter([{}])])
    tried: set[tuple[tuple[str, object], ...]] = set()
    while worlds:
        answers = next(worlds[0], None)
        if answers is None:
            worlds.popleft()
            continue
        key = tuple(sorted(answers.items()))
        if key in tried:
            continue
        tried.add(key)
        known = questions.count
        yield answers
        if len(tried) == 1 or questions.count > known:
            options = questions.options.items()
            worlds.append(
                _combinations_of_answers(
                    {name: _options_of_question(name, its) for name, its in options if SCALE not in name}
                )
            )


def _combinations_of_answers(questions: Mapping[str, list[WorldAnswer]]) -> Iterator[Assignment]:
    """Combinations of answers: all of them where they are few, else one question at a time."""
    if math.prod(len(options) for options in questions.values()) <= FULL_COMBINATIONS:
        for values in product(*questions.values()):
            yield dict(zip(questions, values, strict=True))
        return
    for name, options in questions.items():
        yield from ({name: value} for value in options[1:])
    last = {name: options[-1] for name, options in questions.items()}
    yield last
    for name, options in questions.items():
        yield {**last, name: options[0]}


def _options_of_question(name: str, known: Mapping[WorldAnswer, None]) -> list[WorldAnswer]:
    return [*known, "\0"] if name.endswith(" ==") else list(known)


class _Asked(Record, Generic[Answer], frozen=False):
    """What the groups have answered in the worlds so far.

    Nothing is asked again in a world that differs from another in nothing that mattered there.
    """

    naming: GroupTerms
    ask: Callable[[Specialization], Answer]
    questions: Questions = field(default_factory=Questions)
    first: dict[Who, Specialization] = field(default_factory=dict)
    """Each group, and number, in the first world in which it was asked."""
    past: dict[Who, list[tuple[int, int, Answer]]] = field(default_factory=dict)
    """What each has answered: in which world, depending on which questions."""
    worlds: list[Assignment] = field(default_factory=list)
    others_end: bool = False
    """Whether an error ended the program, in the last world, for one that nobody names."""

    def in_world(self, world: Assignment) -> tuple[dict[str, Answer], Answer, dict[str, Answer]]:
        """The answer for every group, for one that nobody names, and for the ranges that the code cuts.

        A group for which an error ends the program has none.
        """
        changed: dict[int, int] = {}
        place = len(self.worlds)
        self.worlds.append(world)
        ended: set[str] = set()

        def answer(group: str, number: float | None) -> Answer:
            past = self.past.setdefault((group, number), [])
            for other, used, told in past:
                if other not in changed:
                    changed[other] = self.questions.differing(self.worlds[other], world)
                if not used & changed[other]:
                    ended.update([group] if used & ENDS else ())
                    return told
            hypothesis = self.hypothesis((group, number), world)
            told = self.ask(hypothesis)
            past.append((place, hypothesis.world.used, told))
            ended.update([group] if hypothesis.world.used & ENDS else ())
            return told

        by_group, others, by_range = _ask_all(self.naming, answer)
        self.others_end = OTHER in ended
        return {group: told for group, told in by_group.items() if group not in ended}, others, by_range

    def asked_in(self, world: Assignment) -> tuple[int, int]:
        """The bits of the questions that the answer of anybody, and of everybody, hangs on in a world."""
        anybody, everybody = 0, -1
        for past in self.past.values():
            for other, used, _ in past:
                if not used & self.questions.differing(self.worlds[other], world):
                    anybody, everybody = anybody | used, everybody & used
                    break
        return anybody, everybody

    def hypothesis(self, who: Who, world: Assignment) -> Specialization:
        """A group in a world, with what is known of it from another."""
        before = self.first.get(who)
        changed = 0 if before is None else self.questions.differing(before.world.answers, world)
        made = Specialization(
            self.naming, *who, Valuation(world, self.questions), before=before, changed=changed
        )
        if before is None:
            self.first[who] = made
        return made


def _ask_all(
    naming: GroupTerms, answer: Callable[[str, float | None], Answer]
) -> tuple[dict[str, Answer], Answer, dict[str, Answer]]:
    """The answer for every group, for one that nobody names, and for the ranges that the code cuts."""
    by_range: dict[str, Answer] = {}
    bands = naming.attribute.bands
    if bands:
        for low, high in bands.values():
            answer("", low)
            answer("", high)
        by_group, by_range = _by_band(bands, answer, naming)
    else:
        for _ in range(2):
            # The first round may meet groups that the code names; the second compares them all.
            by_group = {group: answer(group, None) for group in _groups_to_ask(naming)}
            if set(by_group) == set(_groups_to_ask(naming)):
                break
    return by_group, answer(OTHER, None if not bands else next(iter(bands.values()))[1]), by_range


def _groups_to_ask(naming: GroupTerms) -> tuple[str, ...]:
    core = () if has_open_groups(naming) else _core_beside(naming)
    groups = dict.fromkeys((*core, *islice(naming.named, MOST_GROUPS)))
    known = naming.attribute.groups
    return tuple(group for group in groups if group not in known or not known[group].missing)


def _by_band(
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
        edges = sorted({low, *(cut for cut in cuts[::step] if low < cut <= high), high + 1})
        spread[group] = [(end - start, answer(group, start)) for start, end in pairwise(edges)]
        ranges += ((start, value) for start, (_, value) in zip(edges, spread[group], strict=False))
    first, (lowest, _) = next(iter(bands.items()))
    younger = _answers_below_bands(lowest, cuts[::step], lambda number: answer(first, number), naming)
    if 0.0 in naming.cuts and _are_alike([*younger[1:], *ranges]):
        younger = []  # `if age == 0` asks whether there is an age
    chosen = {group: _majority_answer(answers) for group, answers in spread.items()}
    spread[first] += [(0.0, value) for _, value in younger if not _is_absent(value)]
    _let_hear(chosen, spread)
    for group in _groups_to_ask(naming):
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
    """Lets a group give what only a minority of it gets, where that would go unheard."""
    heard = {_hashable_form(value) for value in chosen.values()}
    for group, answers in spread.items():
        unheard = next((value for _, value in answers if _hashable_form(value) not in heard), None)
        if unheard is not None:
            chosen[group] = unheard
            heard.add(_hashable_form(unheard))


def _edges_of_cuts(cuts: Collection[float]) -> list[float]:
    """The numbers at which answers may change: whole ones, unless the code compares with others."""
    if _are_whole(cuts):
        return sorted(cuts)
    return sorted({edge for cut in cuts for edge in (cut, cut + JUST_ABOVE)})


def _are_whole(cuts: Iterable[float]) -> bool:
    return all(cut == math.floor(cut) for cut in cuts)


def _answers_below_bands(
    lowest: float, cuts: Iterable[float], answer: Callable[[float], Answer], naming: GroupTerms
) -> list[tuple[float, Answer]]:
    """What those get who are below all bands, by the lowest number of each range, where amounts are asked."""
    below = [cut for cut in cuts if cut <= lowest]
    if not naming.of_amounts or lowest <= 0 or not below:
        return []
    numbers = sorted({0.0, *(cut for cut in below if 0 < cut < lowest)})
    return [(number, answer(number)) for number in numbers]


def _are_alike(ranges: list[tuple[float, Answer]]) -> bool:
    return len({_hashable_form(value) for _, value in ranges}) == 1


def _is_absent(value: object) -> bool:
    """Whether an amount is none, or that of a table without an entry."""
    return value is None or (isinstance(value, Mapping) and amounts.is_missing(value))


def _named_ranges(
    ranges: list[tuple[float, Answer]], lowest: float, just_above: Mapping[float, float], *, bounded: bool
) -> dict[str, Answer]:
    """What neighbouring numbers get, by a name such as `65–74`. `bounded` says that the first of them does
    not begin with the lowest numbers; below `lowest` nothing is said. `just_above` are the edges that stand
    for all above a number of the code.
    """
    starts = [
        place
        for place, (_, value) in enumerate(ranges)
        if place == 0 or _hashable_form(value) != _hashable_form(ranges[place - 1][1])
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
    """What the numbers from `low` on, below `end`, are called: `25–29`, of any numbers `over 24.5 to 30`."""
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
        weights[_hashable_form(value)] = weights.get(_hashable_form(value), 0.0) + weight
    heaviest = max(weights, key=lambda key: weights[key])
    return next(value for _, value in answers if _hashable_form(value) == heaviest)


def _hashable_form(value: object) -> object:
    return tuple(sorted(value.items())) if isinstance(value, Mapping) else value


# --------------------------------------------------------------------------------------- amounts to points


def amount_distance(answers: list[Amount | None]) -> float:
    """How far apart amounts are: the widest range of any one term. One that is missing is apart from all."""
    present = [answer for answer in answers if answer is not None and not amounts.is_missing(answer)]
    keys = {key for answer in present for key in answer}
    apart = max(
        (_spread_of_values([answer.get(key, 0.0) for answer in present]) for key in keys), default=0.0
    )
    lost = bool(present) and any(answer is not None and amounts.is_no_value(answer) for answer in answers)
    return max(apart, 1.0) if lost else apart


def compare_amounts(
    naming: GroupTerms,
    ask: Callable[[Specialization], Amount | None],
    written: Iterable[Value],
    *,
    cost: int = 1,
    ways: Callable[[], Iterable[PathCondition]] = tuple,
) -> Comparison[Amount | None]:
    """The amounts of all groups, which the `written` values come to.

    A limit of the law excuses none of them, but where nobody gets an amount below it, that is a no. Where
    they do not differ, it counts that an unknown amount is kept below or above a known one for some.
    """
    asked = naming.for_amounts() if naming.attribute.bands else naming
    found = compare_groups(asked, ask, amount_distance, cost=cost, ways=ways)
    if asked is not naming and naming.lawful and found.differs and _gives_nothing(found):
        return compare_groups(naming, ask, amount_distance, cost=cost, ways=ways)
    if not found.tells and _has_bounds(written):
        bounded = compare_groups(replace(asked, by_bounds=True), ask, amount_distance, cost=cost)
        return bounded if bounded.differs else found
    return found


def _has_bounds(values: Iterable[Value]) -> bool:
    held = islice(walk(*values), MOST_PARTS)
    return any(isinstance(part, Operation) and part.op in {"min", "max"} for part in held)


def _gives_nothing(comparison: Comparison[Amount | None]) -> bool:
    """Whether the first range gets nothing or zero, and others what is worked out."""
    first, *others = comparison.told.values()
    if first is None or (repr(None),) in first:
        return first is not None
    worked_out = [one for one in others if one is not None and amounts.known_number(one) is None]
    return amounts.known_number(first) == 0.0 and (comparison.varies or bool(worked_out))


def _spread_of_values(values: list[float]) -> float:
    return round(max(values) - min(values), 10)


def group_points(
    comparison: Comparison[Amount | None], *, plain_op: PointsOp = "add", written: Iterable[Value] = ()
) -> GroupPoints | None:
    """The table of points that amounts per group amount to, or None where nobody can say.

    A term that differs decides: the known number gives `add` (`set` where nothing of the old value is
    left), the old value's factor or that of one unknown term gives `multiply`. Anything else has no table.
    `written` are the values that lead there, as the code has them: a factor that all groups share is no
    part of theirs.
    """
    if comparison.turns:
        return None
    points = _group_points(comparison, comparison.told, plain_op, written)
    if points is None:
        return None
    if any(amount is not None and amounts.is_no_value(amount) for amount in comparison.told.values()):
        points = replace(points, missing=True)
    are_all_told = len(points.by_group) > 1 and not points.missing and not _others_keep(points, comparison)
    if not points.gap and are_all_told:
        return None
    if comparison.varies and comparison.hangs_on_others:
        return None  # what a group gets in the end is not known here
    if points.op == "set" and not points.gap:
        if gives_several(comparison):
            return None  # it is one of them, each under conditions of its own
        varies = any(_is_given_at_times(answers) for answers in comparison.met)
        comparison = replace(comparison, varies=comparison.varies or varies)
    if not (comparison.by_range or comparison.varies):
        return points
    by_band = _group_points(comparison, comparison.by_group, plain_op, written)
    bands = by_band.by_group if by_band is not None and comparison.by_range else {}
    return replace(points, by_band=bands, at_most=comparison.varies)


def gives_several(comparison: Comparison[Amount | None]) -> bool:
    """Whether known numbers of more than one size are given, to whomever and in whichever world."""
    return len({_known_amount(one) for answers in comparison.met for one in answers} - {None}) > 1


def _is_given_at_times(answers: Iterable[Amount | None]) -> bool:
    """Whether somebody is given a known number in some worlds, and fares otherwise in others."""
    several = [*answers]
    return len({*map(_hashable_form, several)}) > 1 and any(_known_amount(one) is not None for one in several)


def _known_amount(amount: Amount | None) -> float | None:
    """The number that somebody is given in place of what was there, if it is known."""
    return None if _present_amount(amount) is None or amount is None else amounts.known_number(amount)


def _others_keep(points: GroupPoints, comparison: Comparison[Amount | None]) -> bool:
    """Whether some groups are given an amount, and others keep what they have: `if country in ("AE", "OM"):
    bonus["fit"] = 20`.
    """
    other = [comparison.other] if comparison.is_open and not comparison.others_end else []
    rest = [
        amount for amount in map(_present_amount, [*comparison.told.values(), *other]) if amount is not None
    ]
    keep = any((amounts.OLD_KEY,) in amount for amount in rest)
    return points.op == "set" and keep and not comparison.leaves_out


def _group_points(
    comparison: Comparison[Amount | None],
    answers: Mapping[str, Amount | None],
    plain_op: PointsOp,
    written: Iterable[Value],
) -> GroupPoints | None:
    found = {group: _present_amount(amount) for group, amount in answers.items()}
    present = {group: amount for group, amount in found.items() if amount is not None}
    other = None if comparison.others_end else _present_amount(comparison.other)
    old = (amounts.OLD_KEY,)
    others = [other] if other is not None and (comparison.is_open or comparison.leaves_out) else []
    differing = _differing_terms([*present.values(), *others])
    is_scale = comparison.by_scale or any(SCALE in part for key in differing for part in key)
    if not present or is_scale:
        return None
    if differing <= {()}:
        replaces = all(set(amount) <= {()} for amount in present.values())
        op: PointsOp = "set" if replaces and plain_op == "set" else "add"
        return _points_of_term(op, (), present, other)
    if differing == {(), old}:
        return _set_for_some(present, other)
    if len(differing) == 1:
        return _by_factor(next(iter(differing)), present, other, plain_op, written)
    if _are_multiples([*present.values(), *([] if other is None else [other])], differing):
        term = max(differing - {()}, key=lambda one: (one == old, one))
        return _drop_shared_factor(_points_of_term("multiply", term, present, other), written)
    return None


def _by_factor(
    term: tuple[str, ...],
    present: Mapping[str, Amount],
    other: Amount | None,
    plain_op: PointsOp,
    written: Iterable[Value],
) -> GroupPoints | None:
    """Amounts that differ in how often one thing is in them; what is 0 is 0 times what was there."""
    is_old = term == (amounts.OLD_KEY,)
    nothing = [amount for amount in present.values() if is_old and amounts.known_number(amount) == 0.0]
    if nothing and plain_op == "set":
        return _set_for_some(present, other)
    if not all(term in amount or amount in nothing for amount in present.values()):
        return None
    if other is not None and term not in other:
        differ = bool(_differing_terms(list(present.values())))
        is_none_of_it = amounts.known_number(other) == 0.0 and (is_old or differ)
        if not (is_none_of_it or differ):
            return None  # nobody knows how much the one thing is
        other = other if is_none_of_it else None
    points = _points_of_term("multiply", term, present, other)
    return points if is_old else _drop_shared_factor(points, written)


def _are_multiples(present: Sequence[Amount], differing: Collection[tuple[str, ...]]) -> bool:
    """Whether amounts are one sum times a number each: of `(50 + x) * 0.9` and `50 + x`."""
    first = present[0]
    if any(amount.keys() != first.keys() for amount in present) or set(differing) != first.keys():
        return False
    ratios = [{round(amount[key] / first[key], 9) for key in first} for amount in present]
    return all(len(one) == 1 for one in ratios)


def _set_for_some(present: Mapping[str, Amount], other: Amount | None) -> GroupPoints | None:
    """What some groups are given in place of what they had, where that is a number."""
    old = (amounts.OLD_KEY,)
    replacing = {group: amount for group, amount in present.items() if old not in amount}
    if replacing and all(set(amount) <= {()} for amount in replacing.values()):
        return _points_of_term(
            "set", (), replacing, other if other is not None and old not in other else None
        )
    return None


def _drop_shared_factor(points: GroupPoints, written: Iterable[Value]) -> GroupPoints:
    """Factors without what all groups are multiplied by: of `141 * x * 1.159` and `141 * x`, 1.159 and 1.

    What is left of all of them stands in the code, or is 1, or what the code divides by. Where that cannot
    be had, those of whom nothing is said have 1.
    """
    amounts_ = [*points.by_group.values(), *([] if points.other is None else [points.other])]
    numbers, divisors = _numbers_in(written)
    shared = dict.fromkeys([1.0, *amounts_, *(amounts_[0] / number for number in (*numbers, *divisors))])
    plain = {round(number, 9) for number in (1.0, *numbers)}
    inverse = {round(1 / number, 9) for number in divisors}
    # What those of whom nothing is said have is shared most likely.
    first = [(factor, plain | inverse) for factor in (1.0, points.other or 1.0)]
    rest = [(factor, known) for known in (plain, plain | inverse) for factor in islice(shared, MOST_FACTORS)]
    for factor, known in (*first, *rest):
        if factor and all(round(amount / factor, 9) in known for amount in amounts_):
            return _divide_points(points, factor)
    return _divide_points(points, points.other) if points.other else points


def _divide_points(points: GroupPoints, factor: float) -> GroupPoints:
    if factor == 1.0:
        return points
    by_group = {group: round(amount / factor, 9) for group, amount in points.by_group.items()}
    return GroupPoints(points.op, by_group, None if points.other is None else round(points.other / factor, 9))


def _numbers_in(values: Iterable[Value]) -> tuple[list[float], list[float]]:
    """The numbers in values, each once, and those that something is divided by; of many the first."""
    found: dict[float, None] = {}
    divisors: dict[float, None] = {}
    for value in values:
        dividing: set[int] = set()
        for part in islice(walk(value), MOST_PARTS):
            if isinstance(part, Operation) and part.op in {"/", "//"}:
                dividing.update(map(id, part.arguments[1:]))
            number = part.value if isinstance(part, Const) else None
            if isinstance(number, int | float) and 0 < abs(number) < LARGEST:
                (divisors if id(part) in dividing else found).setdefault(float(number))
    return list(found), list(divisors)


def _present_amount(amount: Amount | None) -> Amount | None:
    return None if amount is None or amounts.is_missing(amount) else amount


def _differing_terms(present: Collection[Amount]) -> set[tuple[str, ...]]:
    """The terms in which amounts differ."""
    keys = {key for amount in present for key in amount}
    return {key for key in keys if _spread_of_values([amount.get(key, 0.0) for amount in present]) > 0}


def _points_of_term(
    op: PointsOp, term: tuple[str, ...], present: Mapping[str, Amount], other: Amount | None
) -> GroupPoints:
    by_group = {group: amount.get(term, 0.0) for group, amount in present.items()}
    if op == "set" and other is not None and (amounts.OLD_KEY,) in other:
        other = None  # they keep what they have, whatever that is
    return GroupPoints(op, by_group, None if other is None else other.get(term, 0.0))
