"""Values that hint at a group without naming it: a club, a school, a postcode, from a list of one's own."""

from __future__ import annotations

from fairlint.counterfactual.prompts.own_lists import read_list
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

COLUMNS = ("placeholder", "attribute", "group", "value")
FEWEST_VALUES = 2
"""Values of a group: another one of the same group is a placebo."""


class Proxy(Record):
    """What a placeholder may say about people of one group of an attribute."""

    placeholder: str
    attribute: str
    group: str
    values: tuple[str, ...]

    def value(self, place: int) -> str:
        """Return the value at a place; all come before any is repeated."""
        return self.values[place % len(self.values)]


def own_proxies(path: str) -> tuple[Proxy, ...]:
    """Return the lists of a CSV file with the columns placeholder, attribute, group and value.

    Raises UsageError in one line for a file that cannot be read, a single group, a group with a single value,
    and a value that two groups have.
    """
    rows = read_list(path, COLUMNS, "proxies")
    held: dict[tuple[str, str, str], dict[str, None]] = {}
    for number, row in enumerate(rows, 2):
        told = [row[one].strip() for one in COLUMNS]
        if not all(told):
            raise UsageError(f"{path}: row {number} has an empty cell")
        placeholder, attribute, group, value = told
        held.setdefault((placeholder, attribute, group), {})[value] = None
    found = tuple(Proxy(*key, tuple(values)) for key, values in held.items())
    for one in found:
        if any(each.attribute == one.attribute and each.placeholder != one.placeholder for each in found):
            raise UsageError(f"{path}: two placeholders for {one.attribute}: ask about one after the other")
        _check_list(one, [each for each in found if _are_compared(each, one)], path)
    return found


def _are_compared(one: Proxy, other: Proxy) -> bool:
    return (one.placeholder, one.attribute) == (other.placeholder, other.attribute)


def _check_list(one: Proxy, beside: list[Proxy], path: str) -> None:
    """Raise UsageError for a list that cannot be compared with those of the other groups."""
    what = f"{{{one.placeholder}}}, {one.attribute}"
    if len(beside) < 2:
        raise UsageError(f"{path}: {what}: only {one.group!r}; an effect is a difference between groups")
    if len(one.values) < FEWEST_VALUES:
        raise UsageError(
            f"{path}: {what}: {one.group!r} has one value; another value of the same group is the placebo"
        )
    shared = [value for each in beside if each is not one for value in one.values if value in each.values]
    if shared:
        raise UsageError(f"{path}: {what}: {shared[0]!r} stands for two groups")
