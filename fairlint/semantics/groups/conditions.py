"""What has to hold for an event to happen, and whether it does for a group."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.values.symbolic import Value
from fairlint.support.records import Record
from fairlint.syntax.tree import Node


class Condition(Record, eq=False):
    """A test, or the place where another site makes it, whether it has to hold, and the condition before."""

    test: Value | Node
    holds: bool
    before: Condition | None

    def backwards(self) -> Iterator[Condition]:
        """Yield the condition, and those before it."""
        current: Condition | None = self
        while current is not None:
            yield current
            current = current.before


class Conditions(Record, eq=False):
    """What has to hold for an event to happen, given that its site is reached: the last of each sort.

    Events share the conditions that they have in common, so that each is asked once.
    """

    own: Condition | None = None
    """Tests on the attribute that the site itself makes."""
    others: Condition | None = None
    """Tests on something else; for what another site makes of the attribute, its branch."""
    is_beside: bool = False
    """Whether they lead to something that does not stand behind what is around the site."""

    def all(self) -> tuple[tuple[Value | Node, bool], ...]:
        """Return all of them with the answers, those of the site first."""
        rows = [list(last.backwards()) if last is not None else [] for last in (self.own, self.others)]
        return tuple([(one.test, one.holds) for row in rows for one in reversed(row)])


def all_conditions_hold(conditions: Conditions, hypothesis: Specialization) -> bool:
    """Return whether all conditions hold.

    Of the site's own the last one is asked first, as it decides most often.
    """
    own, others = conditions.own, conditions.others
    return (own is None or _hold_backwards(own, hypothesis)) and (
        others is None or _hold_in_order(others, hypothesis)
    )


def _hold_backwards(last: Condition, hypothesis: Specialization) -> bool:
    world, truths = hypothesis.world, hypothesis.truths
    before, world.used = world.used, 0
    passed: list[tuple[Condition, int]] = []
    found: tuple[bool, int] | None = None
    for condition in last.backwards():
        found = _known_truth(condition, hypothesis)
        if found is not None:
            break
        world.used = 0
        holds = hypothesis.holds(condition.test) == condition.holds
        passed.append((condition, world.used))
        if not holds:
            found = False, 0
            break
    result, used = (True, 0) if found is None else found
    for condition, asked in reversed(passed):
        used |= asked
        truths[id(condition)] = result, used
    world.used = before | used
    return result


def _hold_in_order(last: Condition, hypothesis: Specialization) -> bool:
    world, truths = hypothesis.world, hypothesis.truths
    before = world.used
    passed: list[Condition] = []
    result, used = True, 0
    for condition in last.backwards():
        found = _known_truth(condition, hypothesis)
        if found is not None:
            result, used = found
            break
        passed.append(condition)
    for condition in reversed(passed):
        if result:
            world.used = 0
            result = hypothesis.holds(condition.test) == condition.holds
            used |= world.used
        truths[id(condition)] = result, used
    world.used = before | used
    return result


def _known_truth(condition: Condition, hypothesis: Specialization) -> tuple[bool, int] | None:
    """Return whether a condition and those before it are known to hold, and the questions that it
    hangs on.
    """
    found = hypothesis.truths.get(id(condition))
    if found is None and hypothesis.before is not None:
        found = hypothesis.before.truths.get(id(condition))
        return None if found is None or found[1] & hypothesis.changed else found
    return found
