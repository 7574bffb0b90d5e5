"""All languages: those that fairlint ships, and those of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlint.plugins.guard import InvalidOfferError, guard_function, guest
from fairlint.plugins.manager import ask, gather, is_nonempty_text
from fairlint.support.records import replace
from fairlint.syntax import SHIPPED
from fairlint.syntax.conventions import Conventions
from fairlint.syntax.language import Language

_HOOK = "fairlint_languages"
_WHOLE = ("outline", "modules", "names", "signs", "encoding", "is_intact", "byte_code", "cell")
"""Functions of a language that are called with a source, or for what they give."""
NOTEBOOKS = ".ipynb"
"""A suffix that no language can have."""


def languages() -> Mapping[str, Language]:
    """Languages by name, the shipped ones first."""
    by_name = {language.name: language for language in SHIPPED}
    suffixes = {NOTEBOOKS, *(suffix for language in SHIPPED for suffix in language.suffixes)}
    for plugin, language in gather(_HOOK, _as_language):

        def claim(plugin: str = plugin, language: Language = language) -> None:
            own = _guard_language(plugin, language)
            if taken := next((suffix for suffix in language.suffixes if suffix in suffixes), None):
                raise InvalidOfferError(f"brings the suffix '{taken}', which is already taken")
            if language.name in by_name:
                raise InvalidOfferError(f"brings the language '{language.name}', which is already taken")
            by_name[language.name] = own
            suffixes.update(language.suffixes)

        ask(plugin, _HOOK, claim)
    return by_name


def _as_language(value: object) -> Language:
    if not isinstance(value, Language):
        raise InvalidOfferError(f"must give Language objects, not {type(value).__name__}")
    texts: dict[str, object] = {"name": (value.name,), "title": (value.title or "-",)}
    texts |= {name: getattr(value, name) for name in ("suffixes", "interpreters", "kernels")}
    for name, given in texts.items():
        if not isinstance(given, tuple) or not all(map(is_nonempty_text, given)):
            raise InvalidOfferError(f"gives a language whose `{name}` is wrong: {given!r}"[:200])
    functions: dict[str, object] = {name: getattr(value, name) for name in (*_WHOLE, "parse")}
    for name, function in functions.items():
        if not (callable(function) or (function is None and name != "parse")):
            raise InvalidOfferError(f"gives the language '{value.name}', whose `{name}` is no function")
    for name, kind in (("conventions", Conventions), ("imports_by", bytes)):
        if not isinstance(getattr(value, name), kind):
            raise InvalidOfferError(
                f"gives the language '{value.name}', whose `{name}` is no {kind.__name__}"
            )
    if value.tokens is not None:
        _ = value.tokens.expression
    return value


def _guard_language(plugin: str, language: Language) -> Language:
    """Return a language that a plugin brings, whose functions name it where they fail."""
    what = f"its language '{language.name}'"
    parse = language.parse

    from fairlint.syntax.soundness import checked_tree  # noqa: PLC0415 (plugins are rare)

    def sound(data: bytes, keep: Any = None) -> Any:
        with guest(plugin, what):
            return checked_tree(parse(data, keep), len(data))

    functions = {
        name: guard_function(function, plugin, what)
        for name in _WHOLE
        if (function := getattr(language, name)) is not None
    }
    return replace(language, parse=sound, **functions)
