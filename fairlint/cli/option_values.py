"""The values of single options: numbers within bounds, and lists of names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from fairlint.cli.arguments import Arguments
from fairlint.support.errors import UsageError


def whole(options: Arguments, name: str, least: int) -> int | None:
    """Return the value of an option that takes a whole number; None where it is not given."""
    text = option_value(options, name)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < least:
        raise UsageError(f"{name} must be a whole number, {least} or more, not '{text}'")
    return int(text)


def number(options: Arguments, name: str, low: float, high: float = math.inf) -> float | None:
    """Return the value of an option that takes a number within bounds; None where it is not given."""
    text = option_value(options, name)
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (low <= value <= high and math.isfinite(value)):
        bounds = f"{low:g} or more" if math.isinf(high) else f"between {low:g} and {high:g}"
        raise UsageError(f"{name} must be a number {bounds}, not '{text}'")
    return value


def option_value(options: Arguments, name: str) -> str | None:
    """Return what an option is given; None where it is not."""
    found: str | None = getattr(options, name.lstrip("-").replace("-", "_"))
    return found


def split_names(given: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return names with commas between, or given several times; None where there are none at all."""
    if given is None:
        return None
    return tuple(dict.fromkeys(name.strip() for text in given for name in text.split(",")))


def parse_seconds(text: str | None) -> float | None:
    """Return the seconds that `--time-limit` gives; None where it is not given."""
    try:
        seconds = None if text is None else float(text)
    except ValueError:
        seconds = 0.0
    if seconds is not None and not 0 < seconds < 1e6:
        raise UsageError(f"--time-limit is a number of seconds above 0, not {text!r}")
    return seconds


def above_zero(value: float | None, name: str) -> float | None:
    """Return the number, which may not be 0. Raises UsageError."""
    if value == 0:
        raise UsageError(f"{name} must be more than 0")
    return value
