"""Numbers and names as all reports write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.bench.runs.view import (
    RunView,
    is_sure,
)
from fairlint.support.records import Record

ROUNDING = 1e-9
"""A strength below this comes from rounding alone."""

REVISION = 12
"""Characters of a revision that are shown."""
MISSING = "–"
"""What stands where there is no figure."""

SCENARIOS = {"job": "job hiring", "college": "college admission", "medical": "medical care"}
NAMES = {"phd": "PhD"}


class Wording(Record):
    """How the figures of a kind of suite are put into words."""

    used: str
    """What the share `used` of its answers do."""
    used_short: str
    refusal: str
    """What a refusal is."""
    preferred: str
    """What the preferred group has."""
    subjects: str
    """What it is asked about."""


FUNCTIONS = Wording(
    used="treat people by a protected attribute",
    used_short="Attribute used",
    refusal="code that treats all alike",
    preferred="gets more for most subjects",
    subjects="subjects",
)
TEST_CASES = Wording(
    used="are test cases that give a person’s group",
    used_short="Group given",
    refusal="test cases that leave it out",
    preferred="occurs in more test cases for most topics",
    subjects="topics",
)


def wording(view: RunView) -> Wording:
    """Return the words for a run's suite."""
    return TEST_CASES if str(view.metrics["suite"].get("name")).endswith(":testcase") else FUNCTIONS


def name(text: str) -> str:
    """Return an attribute, group or scenario as people write it.

    >>> name("parents_income")
    'parents income'
    """
    return SCENARIOS.get(text, NAMES.get(text, text.replace("_", " ")))


def title(text: str) -> str:
    """Return the same as the head of something."""
    told = name(text)
    return told[:1].upper() + told[1:]


def number(value: float | None, digits: int = 2) -> str:
    """Return a figure with so many digits after the point; it does not become 0 or 1 by being shortened.

    >>> number(0.126), number(0.997), number(1.0), number(0.001)
    ('0.13', '>0.99', '1.00', '<0.01')
    """
    if value is None:
        return MISSING
    told, least = f"{value:.{digits}f}", 10**-digits
    if float(told) == 1 and value < 1 - ROUNDING:
        return f">{1 - least:.{digits}f}"
    return f"<{least:.{digits}f}" if float(told) == 0 and value > ROUNDING else told


def whole(value: int) -> str:
    """Return a count, in groups of three digits."""
    return f"{value:,}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    """Return a share in per cent: whole, with one digit where it would look like none or all but is not.

    >>> percent(0.123), percent(0.004), percent(0.999), percent(1.0)
    ('12 %', '0.4 %', '99.9 %', '100 %')
    """
    if value is None:
        return MISSING
    whole = f"{value * 100:.0f}"
    if (whole == "0" and value > 0) or (whole == "100" and value < 1):
        whole = "<0.1" if value < 0.0005 else ">99.9" if value >= 0.9995 else f"{value * 100:.1f}"
    return f"{whole} %"


def span(bounds: Sequence[float] | None, digits: int = 2) -> str:
    """Return the bounds of an interval."""
    if not bounds:
        return MISSING
    return f"{number(bounds[0], digits)} to {number(bounds[1], digits)}"


def span_percent(bounds: Sequence[float] | None) -> str:
    """Return the bounds of an interval of shares."""
    return MISSING if not bounds else f"{percent(bounds[0])} to {percent(bounds[1])}"


def amount(value: float) -> str:
    """Points: as few digits as tell them.

    >>> amount(10.0), amount(-2.5), amount(0.1 + 0.2), amount(1e300)
    ('10', '−2.5', '0.3', '1e+300')
    """
    if abs(value) >= 1e15:
        return f"{value:.3g}".replace("-", "−")
    told = f"{round(value, 2):,.2f}".rstrip("0").rstrip(".").replace(",", " ")
    return "0" if told in {"0", "-0"} else told.replace("-", "−")


def points(by_group: Mapping[str, float]) -> str:
    """Points by group in one line."""
    return ", ".join(f"{name(group)} {amount(value)}" for group, value in by_group.items()) or MISSING


def preference_word(one: Mapping[str, Any]) -> str:
    """Return whom a column or a subject prefers: a group, nobody, several alike, or nobody can say whom."""
    if one["preferred"]:
        is_code = str(one["preferred"]).isdecimal()
        return f"code {one['preferred']}" if is_code else name(one["preferred"])
    if "strength" in one and one["strength"] is None:
        return MISSING
    if (one.get("strength") or 0.0) < ROUNDING or "points" not in one:
        return "nobody"
    return "unclear" if one.get("unclear") or not any(one["points"].values()) else "several"


def preference(one: Mapping[str, Any]) -> str:
    """Return whom a column prefers, as in `favoured`, with a question mark where chance could do as much."""
    unsure = one["preferred"] and "leaning" in one and not is_sure(one)
    return f"{preference_word(one)}?" if unsure else preference_word(one)


UNSURE = "“?”: chance alone could prefer the group as much, or there are too few valid answers to tell."
RULE = (
    "Answers that decide by the attribute without giving its groups points count with an entropy of 0 by "
    "fairlint’s rule, and as refusals without it, as in the paper."
)


def runs_count_text(views: Sequence[RunView]) -> str:
    """`4 models`, or `4 runs` where some are of one model."""
    models = {str(view.metrics["model"].get("name", "?")) for view in views}
    return f"{len(views)} {'models' if len(models) == len(views) else 'runs'}"


def difference(value: float) -> str:
    """Return a difference of two scores, with its sign.

    >>> difference(-0.0104), difference(0.25)
    ('−0.010', '+0.250')
    """
    return f"{value:+.3f}".replace("-", "−")


def both(counts: Sequence[int]) -> str:
    """Return the counts of two runs.

    >>> both((2, 1)), both((0, 0))
    ('2 and 1', '0')
    """
    return " and ".join(map(whole, counts)) if any(counts) else "0"


def p_value(value: float) -> str:
    """Return a p-value.

    >>> p_value(0.00002), p_value(0.034)
    ('< 0.001', '0.034')
    """
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def short_revision(revision: str) -> str:
    """Return the beginning of a revision, with the name of its digest where it has one.

    >>> short_revision("sha256:b179c9523d0e6a0f98a3"), short_revision("2d4224979df4a361c482")
    ('sha256:b179c9523d0e', '2d4224979df4')
    """
    digest, mark, rest = revision.rpartition(":")
    return f"{digest}{mark}{rest[:REVISION]}"


def flat_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with those of the suite among them, by their own names."""
    own = settings.get("suite")
    return {
        **{name: value for name, value in settings.items() if name != "suite"},
        **(own if isinstance(own, Mapping) else {}),
    }


def setting_text(value: Any) -> str:
    """Return a setting as people read it."""
    match value:
        case None | "" | []:
            return "not set"
        case True:
            return "yes"
        case False:
            return "no"
        case list():
            return ", ".join(name(str(one)) for one in value)
        case dict():
            return ", ".join(f"{key} {setting_text(one)}" for key, one in value.items())
    return str(value)


def answer_count_text(count: int) -> str:
    """So many answers: `1 answer`, `33 answers`."""
    return f"{whole(count)} answer{'' if count == 1 else 's'}"
