"""What each group answers in each world, asked anew only where something that mattered has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from fairlint.semantics.groups.group_terms import OTHER, GroupTerms, groups_to_ask
from fairlint.semantics.groups.number_ranges import answers_by_band
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.groups.valuations import ENDS, Questions, Valuation
from fairlint.semantics.groups.worlds import Answer, Assignment, Who
from fairlint.support.records import Record, field


class WorldAnswers(Record, Generic[Answer]):
    """The answers in one world."""

    by_group: dict[str, Answer]
    others: Answer
    """The answer for a group that nobody names."""
    by_range: dict[str, Answer]
    """The answers for the ranges that the code cuts."""


class GroupAnswers(Record, Generic[Answer], frozen=False):
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

    def in_world(self, world: Assignment) -> WorldAnswers[Answer]:
        """Return the answers in one world. A group for which an error ends the program has none."""
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

        found = _ask_all(self.naming, answer)
        self.others_end = OTHER in ended
        if not ended:
            return found
        by_group = {group: told for group, told in found.by_group.items() if group not in ended}
        return WorldAnswers(by_group, found.others, found.by_range)

    def asked_in(self, world: Assignment) -> tuple[int, int]:
        """Return the bits of the questions that the answer of anybody, and of everybody, hangs on
        in a world.
        """
        anybody, everybody = 0, -1
        for past in self.past.values():
            for other, used, _ in past:
                if not used & self.questions.differing(self.worlds[other], world):
                    anybody, everybody = anybody | used, everybody & used
                    break
        return anybody, everybody

    def hypothesis(self, who: Who, world: Assignment) -> Specialization:
        """Return a group in a world, with what is known of it from another."""
        before = self.first.get(who)
        changed = 0 if before is None else self.questions.differing(before.world.answers, world)
        made = Specialization(
            self.naming, *who, Valuation(world, self.questions), before=before, changed=changed
        )
        if before is None:
            self.first[who] = made
        return made


def _ask_all(naming: GroupTerms, answer: Callable[[str, float | None], Answer]) -> WorldAnswers[Answer]:
    by_range: dict[str, Answer] = {}
    bands = naming.attribute.bands
    if bands:
        for low, high in bands.values():
            answer("", low)
            answer("", high)
        by_group, by_range = answers_by_band(bands, answer, naming)
    else:
        for _ in range(2):
            # The first round may meet groups that the code names; the second compares them all.
            by_group = {group: answer(group, None) for group in groups_to_ask(naming)}
            if set(by_group) == set(groups_to_ask(naming)):
                break
    others = answer(OTHER, None if not bands else next(iter(bands.values()))[1])
    return WorldAnswers(by_group, others, by_range)
