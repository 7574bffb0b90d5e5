"""Messages of findings: a rule's template, filled with what a use says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import nan

from fairlint.findings.uses import FOR_INSTANCE, GroupPoints, PointsOp, Use
from fairlint.support.expressions import lazy_expression
from fairlint.support.numbers import DIGITS, digits_of, format_number
from fairlint.support.records import Record, replace
from fairlint.support.shortening import shorten_texts

OPTIONAL = lazy_expression(r"\[([^\[\]]*)\]")
PLACEHOLDER = lazy_expression(r"\{(\w+)(?:\|([^{}]*))?\}")
_UNKNOWN = lazy_expression(r"(?<![\w'\"\])])\s*\?(?=[\s,)\]}]|$)")
"""What stands for a part of an outcome that is not known."""
_CUT = "…"
_MOST_ENTRIES = 8
_LONGEST_TEXT = 80


class Brevity(Record):
    """How much of a Use a message tells."""

    text: int = _LONGEST_TEXT
    """Characters of a piece of code."""
    entries: int = _MOST_ENTRIES
    """Groups that are named; the rest are counted."""


WHOLE = Brevity()


def render_message(template: str, use: Use, brevity: Brevity = WHOLE) -> str:
    """Fill a message template from a Use, on one line."""

    def fill(text: str, *, optional: bool) -> str:
        missing = False

        def value(found: re.Match[str]) -> str:
            nonlocal missing
            text = PLACEHOLDERS[found[1]](use, brevity) or found[2] or ""
            missing = missing or not text
            return text

        filled = PLACEHOLDER.sub(value, text)
        return "" if optional and missing else filled

    parts = OPTIONAL.split(template)
    return "".join(fill(part, optional=index % 2 == 1) for index, part in enumerate(parts))


BRIEF = (Brevity(80, 4), Brevity(48, 4), Brevity(36, 3), Brevity(22, 2))
"""From the longest to the shortest of which a title is made."""


def title_of(message: str, template: str, use: Use, room: int) -> str:
    """Return a message made of a template, in so much room if possible: less of the code, and fewer groups.

    Outcomes are left out if they are not known in full, or if a cut would leave half a call or a text.
    """
    whole = render_message(template, use)
    if not message.startswith(whole):
        return message
    rest = message[len(whole) :]
    bare = use if not use.outcomes else replace(use, outcomes={})
    made = ""
    if use.outcomes and not _is_unclear(use.outcomes.values()):
        for brevity in (WHOLE, *BRIEF):
            if not _is_unclear(text for _, text in _short_outcomes(use.outcomes, brevity.text)):
                made = render_message(template, use, brevity) + rest
                if len(made) <= room:
                    return made
        if made and len(made) <= room + room // 7:
            return made
    for brevity in (WHOLE, *BRIEF):
        made = render_message(template, bare, brevity) + rest
        if len(made) <= room:
            return made
    return made


def _is_unclear(outcomes: Iterable[str]) -> bool:
    """Return whether a part of an outcome is not known, or a cut leaves half a call or a text."""
    return any(_is_half(one) or _UNKNOWN.search(one) or f"[{_CUT}" in one for one in outcomes)


def _is_half(text: str) -> bool:
    """Return whether a text that was cut has brackets or quotes without their partners."""
    pairs = (("(", ")"), ("[", "]"), ("{", "}"))
    return _CUT in text and (
        any(text.count(first) != text.count(last) for first, last in pairs)
        or any(text.count(one) % 2 for one in "\"'")
    )


def format_points(op: PointsOp, value: float, digits: int = DIGITS) -> str:
    """Return what one group gets: `+5`, `×1.1`, `= 2`."""
    if op == "multiply":
        return f"×{format_number(value, digits)}"
    if op == "set":
        return f"= {format_number(value, digits)}"
    return f"{'-' if value < 0 else '+'}{format_number(abs(value), digits)}"


NO_VALUE = "no value"
"""What those get whose score becomes missing."""
_NOTHING: Mapping[PointsOp, float] = {"add": 0.0, "multiply": 1.0}
"""What changes no score."""


def amounts_of(points: GroupPoints) -> Callable[[float], str]:
    """Return how the amounts of a table are shown; those that differ are shown as different."""
    values = [*points.by_group.values(), *([] if points.other is None else [points.other])]
    digits = digits_of(values)
    nothing = _NOTHING.get(points.op)
    is_plain = not points.at_most or nothing is None or _has_several_amounts(points, nothing)

    def told(value: float) -> str:
        """As `format_points`; `up to +5` where another condition may lessen it.

        Where several groups get something, nobody can say that it is the most.
        """
        text = format_points(points.op, value, digits)
        if is_plain or nothing is None or value == nothing:
            return text
        return f"{'up' if value > nothing else 'down'} to {text}"

    return told


def _has_several_amounts(points: GroupPoints, nothing: float) -> bool:
    """Return whether groups differ in more than whether they get something."""
    amounts = {*points.by_group.values(), *([] if points.other is None else [points.other])}
    return len(amounts - {nothing}) > 1


def format_gap(points: GroupPoints) -> str:
    """Return how far apart the groups are; empty where only one amount is known."""
    if not points.gap:
        return ""
    return f"{'up to ' if points.at_most else ''}{format_number(points.gap)}"


def format_table(points: GroupPoints | None, brevity: Brevity = WHOLE) -> str:
    """Return all groups and what they get, on one line: `male +5, female +0`; empty without points.

    Of many groups, those that get what most get are counted.
    """
    if points is None:
        return ""
    amount = amounts_of(points)
    rows = [(group, amount(value)) for group, value in points.by_group.items()]
    if points.other is not None and points.other not in points.by_group.values():
        rows.append(("others", amount(points.other)))
    if points.missing:
        rows.append(("others", NO_VALUE))
    elif points.op == "set" and points.other is None and not points.gap and not points.is_first:
        rows.append(("others", "keep what they have"))
    is_one_of_several = points.op == "set" or _has_several_amounts(points, _NOTHING.get(points.op, nan))
    begin = "for instance " if points.at_most and is_one_of_several else ""
    if len(rows) > brevity.entries:
        amounts = [amount for _, amount in rows]
        common = max(dict.fromkeys(amounts), key=amounts.count)
        told = [row for row in rows if row[1] != common][: brevity.entries - 1]
        alike = [row for row in rows if row[1] == common]
        if len(alike) > 1 and len(told) + len(alike) == len(rows):
            rows = [*told, (f"{len(alike)} others", common)]
    return begin + _told_of_groups(rows, " ", brevity)


def joined_groups(
    rows: Iterable[tuple[str, str]], most: int = _MOST_ENTRIES, others: tuple[str, str] | None = None
) -> list[tuple[str, str]]:
    """Return what each group gets, where those who get the same are told together, in the place of the first.

    `others` is what those get whom nobody names; it is never among the groups that are only counted.
    """
    alike: dict[str, list[str]] = {}
    for group, got in rows:
        alike.setdefault(got, []).append(group)
    shown = {got: _limit_entries(groups, most) for got, groups in alike.items()}
    if others is not None:
        shown.setdefault(others[1], []).append(others[0])
    return [(_join_groups(groups), got) for got, groups in shown.items()]


def _join_groups(groups: Sequence[str]) -> str:
    """Return several groups; `under 25, 60 and over` where an age has an *and* of its own."""
    return ", ".join(groups) if any(" and " in group for group in groups) else _join_with_and(groups)


def for_instance(use: Use) -> str:
    """Stand before outcomes that hang on something else, too."""
    return "for instance " if use.outcomes and FOR_INSTANCE in use.tags else ""


def _told_of_groups(rows: Iterable[tuple[str, str]], between: str, brevity: Brevity) -> str:
    """Return who gets what, on one line; a semicolon parts them where commas part the groups themselves."""
    told = joined_groups(rows, brevity.entries)
    parting = "; " if any(", " in groups for groups, _ in told) else ", "
    return _list_entries((f"{groups}{between}{got}" for groups, got in told), brevity.entries, parting)


def _limit_entries(entries: list[str], most: int) -> list[str]:
    if len(entries) <= most:
        return entries
    return [*entries[: most - 1], f"{len(entries) - most + 1} more"]


def _list_entries(entries: Iterable[str], most: int, parting: str = ", ") -> str:
    return parting.join(_limit_entries(list(entries), most))


def _flat_code(text: str | None, longest: int) -> str:
    """Source text for a message: one line, not too long."""
    return shorten_texts([text or ""], longest)[0]


def _short_outcomes(outcomes: Mapping[str, str], longest: int) -> Iterator[tuple[str, str]]:
    """Return what each group gets, short, with the part in which the groups differ."""
    return zip(outcomes, shorten_texts(list(outcomes.values()), longest), strict=True)


def _told_outcomes(use: Use, brevity: Brevity) -> str:
    return _told_of_groups(_short_outcomes(use.outcomes, brevity.text), " → ", brevity)


def _quote_code(text: str | None, longest: int) -> str:
    flat = _flat_code(text, longest)
    return f"`{flat}`" if flat else ""


def _spaced_name(name: str) -> str:
    return name.replace("_", " ")


def _join_with_and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


PLACEHOLDERS: Mapping[str, Callable[[Use, Brevity], str]] = {
    "attribute": lambda use, _: _spaced_name(use.attribute),
    "joined": lambda use, _: (
        _join_with_and([_spaced_name(name) for name in use.attributes]) if use.joined else ""
    ),
    "groups": lambda use, brevity: _list_entries(use.groups, brevity.entries),
    "table": lambda use, brevity: format_table(use.points, brevity),
    "gap": lambda use, _: format_gap(use.points) if use.points else "",
    "where": lambda use, brevity: _quote_code(use.points.where, brevity.text) if use.points else "",
    "target": lambda use, brevity: _quote_code(use.target, brevity.text),
    "condition": lambda use, brevity: _quote_code(use.condition, brevity.text),
    "outcomes": lambda use, brevity: for_instance(use) + _told_outcomes(use, brevity),
    "domain": lambda use, _: use.domain,
    "detail": lambda use, brevity: _flat_code(use.detail, brevity.text),
    "order": lambda use, _: "judge people by" if use.shape == "read" else "prefer or avoid people by",
}
