"""What values come to under a hypothesis, and how their unknown parts are marked."""

from __future__ import annotations

from fairlint.semantics.groups.group_terms import SCALE, TABLE
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import Amount
from fairlint.semantics.values.symbolic import AS_GIVEN, Const, Sequence, Spelling, Table
from fairlint.support.records import Record


class AttributeValue(Record):
    """The attribute's own value, under the hypothesis, as a text has it."""

    spelling: Spelling = AS_GIVEN


class AttributeNumber(Record):
    """The attribute as a number, under the hypothesis."""


class Unknown(Record):
    """Something that does not depend on the group, or (with SCALE in its key) in an unknown way."""

    key: str


class LinearSum(Record):
    """A numeric amount."""

    amount: Amount


Result = Const | AttributeValue | AttributeNumber | Unknown | LinearSum | Sequence | Table


def is_no_value(result: Result) -> bool:
    """Return whether a result is missing."""
    if isinstance(result, LinearSum):
        return amounts.is_no_value(result.amount)
    return isinstance(result, Unknown) and result.key == amounts.NO_VALUE


def is_scale(part: str) -> bool:
    """Return whether an unknown thing is the attribute's raw value, and not what an unknown table gives for
    it.
    """
    return part.startswith(SCALE) and not part.startswith(SCALE + TABLE)
