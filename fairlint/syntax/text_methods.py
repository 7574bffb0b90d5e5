"""What methods of texts answer, for all who follow a value through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

CASES: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower, "upper": str.upper, "casefold": str.casefold, "title": str.title,
    "capitalize": str.capitalize,
}  # fmt: skip
"""Methods that say in which case a text is."""
SAME_LENGTH: Mapping[str, Callable[[str], str]] = {**CASES, "swapcase": str.swapcase}
"""What gives a text of as many characters."""
ENDS: Mapping[str, tuple[bool, bool]] = {
    "strip": (True, True), "lstrip": (True, False), "rstrip": (False, True),
}  # fmt: skip
"""What takes something off the beginning or the end of a text."""


def change_form(text: str, method: str, around: str | None = None) -> str:
    """Return a text in another case, or without the blanks (or the characters `around`) at its ends."""
    if method in SAME_LENGTH:
        return SAME_LENGTH[method](text)
    left, right = ENDS[method]
    text = text.lstrip(around) if left else text
    return text.rstrip(around) if right else text
