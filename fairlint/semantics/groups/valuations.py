"""What holds besides the group: the worlds in which groups are compared, and what they are asked."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from fairlint.support.records import Record, field

Answer = str | bool | float


MOST_QUESTIONS = 512
"""Questions that are told apart when it is asked what an answer hangs on; all further ones count as one."""


ENDS = 1 << (MOST_QUESTIONS + 1)
"""Marks, among the questions that an answer hangs on, that an error ends the program before there is one."""


class Questions(Record, frozen=False):
    """What was asked of the worlds of one comparison, with the possible answers.

    The first answer is the one that a world without an opinion gives. Each question has a bit, so that what
    an evaluation has asked is a number.
    """

    options: dict[str, dict[Answer, None]] = field(default_factory=dict)
    bits: dict[str, int] = field(default_factory=dict)
    count: int = 0
    """How many answers are known, all questions together."""
    puts_aside: bool = False
    """Whether a world has chosen what a value is in place of a branch that is told about elsewhere."""

    def ask(self, question: str, *options: Answer) -> int:
        """Return the bit of a question; `options` are answers that it may have."""
        known = self.options.get(question)
        if known is None:
            known = self.options[question] = {}
            self.bits[question] = 1 << min(len(self.bits), MOST_QUESTIONS)
        before = len(known)
        for option in options:
            known.setdefault(option)
        self.count += len(known) - before
        return self.bits[question]

    def differing(self, one: Mapping[str, Answer], other: Mapping[str, Answer]) -> int:
        """Return the questions that two worlds answer differently."""
        found = 0
        for question in one if one == other else {**one, **other}:
            if question in self.bits and self._answer(one, question) != self._answer(other, question):
                found |= self.bits[question]
        return found

    def _answer(self, world: Mapping[str, Answer], question: str) -> Answer:
        return world[question] if question in world else next(iter(self.options[question]))


class Valuation(Record, frozen=False):
    """What holds besides the group: yes or no for plain conditions, a place for each unknown amount.

    An amount that is compared with several numbers has one place among them, and a text that is compared
    with several others equals at most one, so that no world contradicts itself.
    """

    answers: Mapping[str, Answer] = field(default_factory=dict)
    questions: Questions = field(default_factory=Questions)
    used: int = 0
    """The bits of the questions that were asked for what is being evaluated."""

    def ask(self, condition: str) -> bool:
        """Return whether a plain condition holds."""
        self.used |= self.questions.ask(condition, True, False)
        return bool(self.answers.get(condition, True))

    def ask_equal(self, subject: str, other: str) -> bool:
        """Return whether something unknown equals `other`."""
        return self.ask_any_equal(subject, (other,))

    def ask_any_equal(self, subject: str, others: Collection[str]) -> bool:
        """Return whether something unknown equals one of several."""
        question = f"{subject} =="
        self.used |= self.questions.ask(question, *others)
        answer = self.answers.get(question)
        return (next(iter(self.questions.options[question])) if answer is None else answer) in others

    def ask_below(self, subject: str, limit: float) -> bool:
        """Return whether an unknown amount is less than `limit`."""
        question = f"{subject} <"
        self.used |= self.questions.ask(question, math.inf, -math.inf, limit)
        place = self.answers.get(question, math.inf)
        return isinstance(place, float) and place < limit
