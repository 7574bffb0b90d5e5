"""What each group gets: the same question asked for every group, with everything else equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import Generic

from fairlint.semantics.groups.group_answers import GroupAnswers
from fairlint.semantics.groups.group_terms import MOST_GROUPS, OTHER, SCALE, GroupTerms, has_open_groups
from fairlint.semantics.groups.path_search import PathCondition, on_the_ways
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.groups.worlds import Answer, Assignment, all_worlds, opposite_answers
from fairlint.semantics.values import amounts
from fairlint.support.records import Record, field, replace

MAX_WORLDS = 32
"""How many combinations of other conditions are tried."""


LEAST_WORLDS = 3
MOST_TESTS = 6_000
"""Tests that the answers of one group may take together, over all worlds."""

MOST_STEPS = 100_000
"""Steps of one comparison after which no further world is tried."""

MOST_TURNED = 6
"""Questions for a text that are answered otherwise one by one, to see whether two groups change places."""


MOST_FLIPPED = 24
"""How often a question is answered otherwise to see whether what groups get hangs on it."""

MOST_OPTIONS_OF_ONE = 2
"""So many answers one question has: more of them are several questions', which may hang together."""

MOST_NAMED = 4
"""So many groups the code may name for a world to be preferred in which these are told apart."""


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
        """Return what becomes of each group; nothing where all fare alike in words, or where groups may
        change places.
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
    """Ask `ask` for every group in a number of worlds and keeps the world with the greatest `distance`.

    `distance` of equal answers is 0; it says how far apart several answers are. No further world is tried
    once the answers are `enough` apart. Where nothing differs, `ways` says what has to hold for what has not
    happened in any world, and worlds are tried in which it does. With `is_nothing`, which says whether an
    answer is that nothing happens, the comparison says whether it `hangs` on something else.
    """
    most_worlds = max(LEAST_WORLDS, min(MAX_WORLDS, MOST_TESTS // max(cost, 1)))
    asked = GroupAnswers(naming, ask)
    begun = naming.steps.left
    naming.reached.clear()
    asked.in_world({})
    best = _Best(asked, distance, has_open_groups(naming))
    for tried, answers in enumerate(all_worlds(asked.questions)):
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


def _has_reversal(answers: Mapping[str, Answer], asked: GroupAnswers[Answer], world: Assignment) -> bool:
    """Return whether two groups change places once what was asked of some, or of all, is answered otherwise.

    Where all that differs is asked of each group by itself (`x > a` of men, `y > b` of women), the world
    decides who is better off, and not the code.
    """
    anybody, everybody = asked.asked_in(world)
    texts = [bit for name, bit in asked.questions.bits.items() if bit & anybody and name.endswith(" ==")]
    for mask in dict.fromkeys((anybody & ~everybody, anybody, *texts[:MOST_TURNED])):
        turned = (
            asked.in_world({**world, **opposite_answers(world, asked.questions, mask)}).by_group
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
    """Return whether a group fares otherwise once one question that was asked of anybody is answered
    otherwise, or several are.
    """
    asked, world, answers = best.asked, best.world, dict(best.found.by_group if best.found else {})
    questions, (anybody, _) = asked.questions, asked.asked_in(world)

    def fares_otherwise(answered: Assignment) -> bool:
        other = asked.in_world(answered).by_group
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
    return any(map(fares_otherwise, islice(all_worlds(questions), MOST_FLIPPED)))


def _is_reversal(before: tuple[object, object], after: tuple[object, object]) -> bool:
    """Return whether two groups have changed places, or the one that had more has less."""
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

    asked: GroupAnswers[Answer]
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
        """Return whether no world has to be tried where groups are farther apart: those that the code names
        are.
        """
        if self.apart < enough:
            return False
        return self.named_apart > 0 or not 1 < len(self.asked.naming.named) <= MOST_NAMED

    def _named_apart(self, by_group: Mapping[str, Answer]) -> float:
        """Return how far apart the groups are that the code names, of a few."""
        named = [by_group[group] for group in self.asked.naming.named if group in by_group]
        return self.distance(named) if 1 < len(named) <= MOST_NAMED else 0.0

    def consider(self, answers: Assignment, *, flip: bool) -> None:
        """Ask the groups in one more world; `flip` says whether to see what hangs on the raw value, too."""
        distance, named = self.distance, self.asked.naming.named
        found = self.asked.in_world(answers)
        self.is_open = self.is_open or has_open_groups(
            self.asked.naming
        )  # a code may be met in this world first
        by_group, other = found.by_group, found.others
        others_end = bool(by_group) and self.asked.others_end
        other = next(iter(by_group.values())) if others_end else other
        told = [*by_group.values(), other] if self.is_open or not by_group else list(by_group.values())
        apart = distance(told)
        self.least = min(self.least, apart)
        named_apart = self._named_apart(by_group)
        if (apart, named_apart) > (self.apart, self.named_apart):
            self.found = Comparison(
                by_group, other, apart > 0, False, False, self.is_open, found.by_range, others_end=others_end
            )
            self.apart, self.named_apart, self.world = apart, named_apart, answers
        if apart == 0 and named and distance([*by_group.values(), other]) > 0:
            self.leaves_out = True
        options = self.asked.questions.options
        scales = [name for name in options if SCALE in name and answers.get(name, True)] if flip else ()
        for condition in scales if not self.by_scale else ():
            flipped = self.asked.in_world({**answers, condition: False})
            pairs = [
                (flipped.by_group[group], answer)
                for group, answer in by_group.items()
                if group in flipped.by_group
            ]
            self.by_scale |= any(distance([one, two]) > 0 for one, two in (*pairs, (flipped.others, other)))


def _left_out(naming: GroupTerms) -> str:
    """Return what a comparison did not try, in words."""
    if len(naming.named) <= MOST_GROUPS:
        return ""
    return f"{len(naming.named)} groups: only {MOST_GROUPS} were compared"
