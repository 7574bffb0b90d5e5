"""Calls of what is known: each effect of the closed vocabulary, as values and events."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlint.semantics.library import Invocation
from fairlint.semantics.tables import data_frames, learning
from fairlint.semantics.values import Value


def apply(call: Invocation) -> Value | None:
    """What a known call gives; None where that says nothing here."""
    python, function = call.entry.given.get("python", ""), call.found.library.function
    if python and function is not None:
        value: Value | None = function(python)(call)
        return value
    for does in call.entry.does:
        if (handler := _BY_EFFECT.get(does)) is not None and (found := handler(call)) is not None:
            return found
    if (found := learning.apply(call)) is not None:
        return found
    return data_frames.method(call) if call.entry.is_method else data_frames.function(call)


def _keeps(call: Invocation) -> Value | None:
    """What it is given, or what it is called on."""
    places = call.entry.places("argument")
    if call.entry.is_method and not places:
        return call.base
    return call.given("argument", 0)


_BY_EFFECT: Mapping[str, Callable[[Invocation], Value | None]] = {
    "keeps": _keeps,
}
