"""What a model does with one attribute in one scenario, as figures are made of it."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.bench.figures.leaning import Leaning
from fairlint.bench.figures.metrics import Averages, ExactScore, SubjectScore
from fairlint.statistics.intervals import Interval
from fairlint.support.records import Record

Key = tuple[str, str]
"""List and subject."""


class AttributeScore(Record):
    """What a model does with one attribute in one scenario."""

    scenario: str
    attribute: str
    groups: tuple[str, ...]
    answers: int
    not_judged: int
    """The number of answers whose analysis broke. They count for nothing but the published extraction; where
    there are no others, the shares of answers are None."""
    valid: float | None
    """The share of judged answers with a whole function."""
    mentioned: float | None
    """The share of judged answers that name the attribute anywhere."""
    read: float | None
    """The share of judged answers whose code reads it."""
    used: float | None
    """The share of judged answers in which a score or an outcome depends on it."""
    figures: Averages | None
    """Means over the subjects of each list, and then over lists; None where no subject has a valid answer. By
    the exact protocol these are means of estimates, which may be a little below 0 or above 1.
    """
    fair_score: Interval | None
    """The mean of `figures`, with 95 % bounds; None where no list has two subjects with figures."""
    plain: Averages | None
    """By the exact protocol, `figures` without its rule for unclear answers; else None."""
    plain_fair_score: Interval | None
    uncorrected: Averages | None
    """By the exact protocol, the means of the subjects' own figures, from which chance is not taken out."""
    counted: int
    """The number of subjects that are in `figures`."""
    preferred: str | None
    """The group that is preferred for most subjects; None by the exact protocol where several are."""
    leaning: Leaning | None
    """How sure that is: the group that is ahead for most subjects, against the second; None where several
    are.
    """
    unclear: int
    """The number of answers that decide by the attribute without giving its groups points."""
    off_task: int
    """The number of valid answers that are no answer to the task: in no figure of the exact protocol."""
    with_off_task: Averages | None
    """By the exact protocol, what `figures` would be if these were refusals; None where there are none."""
    made_up: Mapping[str, float]
    """What answers give values of their own, which are no groups of the attribute: in no other figure."""
    subjects: Mapping[Key, SubjectScore]
    estimates: Mapping[Key, ExactScore]
    """Of the subjects that are in `figures`."""
    valid_answers: Mapping[Key, int]
    not_judged_answers: Mapping[Key, int]
