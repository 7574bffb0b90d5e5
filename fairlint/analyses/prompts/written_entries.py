"""One entry of a file of settings (YAML, JSON, TOML), as a prompt stands in it."""

from __future__ import annotations

from collections.abc import Iterable

from fairlint.syntax.tree import Collection, Literal, Node

FORMS = {"json": "json", "toml": "toml", "yaml": "yaml", "yml": "yaml"}
"""The ending of a name → the form of the file."""


def is_settings(name: str) -> bool:
    """Return whether a file of this name holds entries under keys."""
    return name.rpartition(".")[2].lower() in FORMS


def entry(text: str, name: str, keys: Iterable[str]) -> str:
    """Return the text that stands under `keys`, one within the other, in a file called `name`; empty for
    none.
    """
    from fairlint.syntax.data import nodes_of  # noqa: PLC0415 (few sources name such a file)

    try:
        held: Node | None = nodes_of(
            text.encode("utf-8", "surrogatepass"), FORMS[name.rpartition(".")[2].lower()]
        )
    except ValueError:
        return ""
    for key in keys:
        held = _value_at_key(held, key)
    return held.value if isinstance(held, Literal) and isinstance(held.value, str) else ""


def _value_at_key(held: Node | None, key: str) -> Node | None:
    """Return what a table holds under a key; None where it is no table, or does not."""
    if not isinstance(held, Collection):
        return None
    found = (one.value for one in held.items if isinstance(one.key, Literal) and one.key.value == key)
    return next(found, None)
