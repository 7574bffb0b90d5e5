"""The entry of fairlint in a `.pre-commit-config.yaml`: a new file, or lines in one that is there.

All else of a file stays as it is, comments and layout too. Whether that has worked is looked at: the new text
has to say what the old one did, and the entry besides. Otherwise the file is left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from fairlint.support.about import __version__
from fairlint.support.documents import DEEPEST
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record

NAME = ".pre-commit-config.yaml"
LARGEST = 100_000
"""Bytes of such a file that is changed."""
_HOOK = f"""\
id: fairlint
name: fairlint
entry: fairlint check --force-exclude
language: python
additional_dependencies: [fairlint=={__version__}]
types_or: [python, pyi, jupyter, c, header]
require_serial: true
"""
_COMMENT = re.compile(r"\s*(?:#|$)")


class NotExtendedError(Exception):
    """Why a file is left as it is, in one clause."""


def config_text() -> str | None:
    """Return the text of the file in the current folder: empty where there is none, None where it cannot be
    changed.
    """
    if not os.path.lexists(NAME):
        return ""
    try:
        return read_file(NAME, LARGEST).decode("utf-8") or None
    except (NotReadableError, UnicodeDecodeError):
        return None


def with_hook(text: str | None) -> str:
    """Return the text of a file with the hook, made new where there is none; the same where it has one.

    Raises NotExtendedError where that cannot be done surely.
    """
    if text is None:
        raise NotExtendedError("it is not known, or no text that can be changed")
    if not text:
        return "".join(("repos:\n", *_entry_lines(_Layout(2, 2, 2))))
    if "\r" in text:
        raise NotExtendedError("its lines end as on Windows")
    import yaml  # noqa: PLC0415 (few commands need it)

    try:
        before, root = _plain_value(yaml, text), yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        raise NotExtendedError("it is no YAML that can be read") from error
    if any(str(one.get("id", "")).startswith("fairlint") for one in _hooks(before)):
        return text
    changed = _extended_text(text, _list_of_repositories(root))
    try:
        after = _plain_value(yaml, changed)
    except (yaml.YAMLError, ValueError):
        after = None
    entry = {"repo": "local", "hooks": [yaml.safe_load(_HOOK)]}
    if after != {**before, "repos": [*before["repos"], entry]}:
        raise NotExtendedError("its layout is not known")
    return changed


class _Layout(Record):
    """In which columns things stand: the dashes, from these what they introduce, and from that its dashes."""

    dash: int
    inside: int
    inner: int


def _plain_value(yaml: Any, text: str) -> Any:
    """Return what a text says. One with aliases may say more than can be compared, and is refused; so is one
    that nests deeply.
    """
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
            raise ValueError("has aliases, or is nested too deeply")
    return yaml.safe_load(text)


def _hooks(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the hooks that a file has."""
    found = value.get("repos") if isinstance(value, dict) else None
    for one in found if isinstance(found, list) else []:
        inner = one.get("hooks") if isinstance(one, dict) else None
        yield from (hook for hook in (inner if isinstance(inner, list) else []) if isinstance(hook, dict))


def _list_of_repositories(root: Any) -> Any:
    """Return the node of the list that the entry belongs into."""
    pairs = root.value if root is not None and root.id == "mapping" and not root.flow_style else []
    found = next((value for key, value in pairs if key.value == "repos"), None)
    if found is None or found.id != "sequence" or found.flow_style or not found.value:
        raise NotExtendedError("it has no list of 'repos', a line each")
    return found


def _extended_text(text: str, repositories: Any) -> str:
    """Return a text with the entry below the last of the list, and below the comments that belong to that."""
    first, dash = repositories.value[0], repositories.start_mark.column
    inner = 2
    if first.id == "mapping":
        hooks = next((value for key, value in first.value if key.value == "hooks"), None)
        if hooks is not None and hooks.id == "sequence" and not hooks.flow_style:
            inner = hooks.start_mark.column - first.start_mark.column
    layout = _Layout(dash, first.start_mark.column - dash, inner)
    lines = text.split("\n")
    end = _last_line(repositories.value[-1]) + 1
    while not lines[end - 1].strip():
        end -= 1
    at = end
    while at < len(lines) and _COMMENT.match(lines[at]):
        at += 1
        above = lines[at - 1]
        if above.strip() and len(above) - len(above.lstrip()) <= dash:
            break
        end = at if above.strip() else end
    return "\n".join((*lines[:end], *(line[:-1] for line in _entry_lines(layout)), *lines[end:]))


def _last_line(node: Any) -> int:
    """Return the number of the last line that a node has something in, from 0."""
    if node.id == "scalar" or node.flow_style:
        mark = node.end_mark
        is_past = mark.column == 0 and mark.line > node.start_mark.line  # of a text in lines of its own
        return int(mark.line) - int(is_past)
    parts = [one for pair in node.value for one in pair] if node.id == "mapping" else node.value
    return max(map(_last_line, parts), default=int(node.start_mark.line))


def _entry_lines(layout: _Layout) -> Iterator[str]:
    outer = layout.dash + layout.inside
    yield f"{' ' * layout.dash}{'-':<{layout.inside}}repo: local\n"
    yield f"{' ' * outer}hooks:\n"
    column = outer + layout.inner
    for number, line in enumerate(_HOOK.splitlines()):
        start = f"{' ' * column}{'-':<{layout.inside}}" if number == 0 else " " * (column + layout.inside)
        yield f"{start}{line}\n"
