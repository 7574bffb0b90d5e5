"""Texts of files that code names: the templates of prompts beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from fairlint.support.expressions import lazy_expression

LARGEST = 64_000
"""Bytes of a template that is read."""
MOST = 20
"""Templates of one file that are looked for."""
HIGHEST = 5
"""Folders above a file in which they are looked for."""
_TEMPLATES = rb"txt|md|prompt|tmpl|tpl|jinja2?|j2|mustache"
_SETTINGS = rb"ya?ml|toml|json"
_NAMED = lazy_expression(rb"""["']([\w ./-]+\.(?:%b|%b))["']""" % (_TEMPLATES, _SETTINGS), re.IGNORECASE)
_USUAL = ("", "templates", "prompts")
"""Folders in which templates stand."""


def template_texts(
    data: bytes, path: str, root: str, read: Callable[[str, int], bytes | None]
) -> dict[str, str]:
    """Return the texts of the files of the project that a file names as templates, by the names.

    `path` is the file's own, `root` the project's folder; what lies outside is not looked at.
    """
    named = (match[1].decode() for match in _NAMED.finditer(data))
    names = (
        name for name in named if not name.endswith(".json") or "prompt" in name.lower()
    )  # others are data
    return dict(beside(names, path, root, read, folders=_USUAL, most=MOST, largest=LARGEST))


def beside(
    names: Iterable[str],
    path: str,
    root: str,
    read: Callable[[str, int], bytes | None],
    *,
    folders: Sequence[str],
    most: int,
    largest: int,
) -> Iterator[tuple[str, str]]:
    """Yield the files of the project that a file names, with their texts, no more than `most`."""
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    found = 0
    for name in dict.fromkeys(names):
        if found == most:
            return
        for place in _candidate_places(name, path, inside, folders):
            text = read(place, largest)
            if text is not None:
                found += 1
                yield name, text.decode("utf-8", "replace")
                break


def _candidate_places(name: str, path: str, inside: str, folders: Sequence[str]) -> Iterator[str]:
    """Yield where a name may lead: beside the file, in the usual folders there, and the same further up."""
    folder = os.path.dirname(path)  # noqa: PTH120 (paths are texts here)
    for _ in range(HIGHEST):
        for usual in folders:
            place = os.path.normpath(f"{folder}{os.sep}{usual}{os.sep}{name}")
            if place.startswith(inside):
                yield place
        if not f"{folder}{os.sep}".startswith(inside) or f"{folder}{os.sep}" == inside:
            return
        folder = os.path.dirname(folder)  # noqa: PTH120 (as above)
