"""One entry of a file of settings, as a prompt stands in it: YAML's blocks, JSON, TOML.

Of YAML, mappings are read whose entries are texts, in the forms in which prompts are written: on one line,
quoted, over several lines, and in blocks (`|`, `>`). Lists, anchors and tags are not.
"""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Iterable

_ENTRY = r"""(?P<before> *)(?P<quote>["']?)(?P<key>[\w.-]+(?: [\w.-]+)*)(?P=quote) *:(?: +(?P<rest>.*))?"""
_BLOCK = r"[|>][+-]?\d?[+-]? *(?:#.*)?"
_COMMENT = r"(?<! ) +#.*"


def is_settings(name: str) -> bool:
    """Whether a file of this name holds entries under keys."""
    return name.rpartition(".")[2].lower() in {"json", "toml", "yaml", "yml"}


def entry(text: str, name: str, keys: Iterable[str]) -> str:
    """The text that stands under `keys`, one within the other, in a file called `name`; empty for none."""
    suffix = name.rpartition(".")[2].lower()
    try:
        if suffix == "json":
            return _within(json.loads(text), keys)
        if suffix == "toml":
            return _within(tomllib.loads(text), keys)
    except (ValueError, RecursionError):
        return ""
    return _in_yaml(text, keys) if suffix in {"yaml", "yml"} else ""


def _within(held: object, keys: Iterable[str]) -> str:
    for key in keys:
        held = held.get(key) if isinstance(held, dict) else None
    return held if isinstance(held, str) else ""


def _in_yaml(text: str, keys: Iterable[str]) -> str:
    rest, block = "", text.splitlines()
    for key in keys:
        if rest:
            return ""
        found = _under(block, key)
        if found is None:
            return ""
        rest, block = found
    return _said(rest, block)


def _under(block: list[str], key: str) -> tuple[str, list[str]] | None:
    """What stands behind a key of a mapping, and the deeper lines below it."""
    depth = next((_depth(line) for line in block if _counts(line)), 0)
    for at, line in enumerate(block):
        found = re.fullmatch(_ENTRY, line.rstrip())
        if found is None or len(found["before"]) != depth or found["key"].strip() != key:
            continue
        below = block[at + 1 :]
        end = next((n for n, one in enumerate(below) if _counts(one) and _depth(one) <= depth), len(below))
        return (found["rest"] or "").strip(), below[:end]
    return None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _counts(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "---"))


def _said(rest: str, block: list[str]) -> str:
    """The text of an entry: in a block, over several lines, or on one."""
    if re.fullmatch(_BLOCK, rest):
        text = textwrap.dedent("\n".join(block)).strip("\n")
        return text if rest[0] == "|" else re.sub(r"(?<!\n)\n(?!\n)", " ", text)
    if not rest:  # another mapping, or nothing
        return ""
    whole = " ".join([rest, *(line.strip() for line in block)]).strip()
    if whole[0] in "\"'":
        return whole[1:].rpartition(whole[0])[0]
    return re.sub(_COMMENT, "", whole)
