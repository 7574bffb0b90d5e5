"""Forms of the pages that a file names: what somebody types into them arrives without its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from fairlint.project.template_files import beside
from fairlint.syntax.tree import Form

MOST = 20
"""Pages of one file that are looked for."""
LARGEST = 200_000
"""Bytes of a page that is read."""
MOST_FIELDS = 200
"""Fields of one form."""
WHOLE = re.compile(rb"\bform\s*\.\s*(?:values|to_dict)\s*\(")
"""Where all fields of a form are taken at once."""
_PAGE = re.compile(rb"""["']([\w ./-]+\.html?)["']""", re.IGNORECASE)
_FORM = re.compile(r"<form\b([^>]*)>(.*?)</form\b", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(r"<(?:input|select|textarea)\b([^>]*)>", re.IGNORECASE)
_NAME = re.compile(r"""\bname\s*=\s*["']?([^"'\s>{}]+)""", re.IGNORECASE)
_ACTION = re.compile(r"""\baction\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_NO_FIELD = re.compile(r"""\btype\s*=\s*["']?(?:submit|button|reset|hidden|image)\b""", re.IGNORECASE)
_USUAL = ("", "templates")
"""Folders in which pages stand."""


def places_of_whole(data: bytes) -> Iterator[int]:
    """Yield where a source takes all fields of a form at once: as `WHOLE` would find it, which tries every
    byte.
    """
    at = data.find(b"form")
    while at >= 0:
        if WHOLE.match(data, at) is not None:
            yield at
        at = data.find(b"form", at + 1)


def forms_of_named_pages(
    data: bytes, path: str, root: str, read: Callable[[str, int], bytes | None]
) -> tuple[Form, ...]:
    """Return the forms of the pages that a file names, where it takes all fields of a form at once."""
    if next(places_of_whole(data), None) is None:
        return ()
    names = [match[1].decode() for match in _PAGE.finditer(data)]
    pages = beside(names, path, root, read, folders=_USUAL, most=MOST, largest=LARGEST)
    return tuple([form for page, text in pages for form in _parse_forms(page, text)])


def _parse_forms(page: str, text: str) -> Iterator[Form]:
    for form in _FORM.finditer(text):
        written = [field[1] for field in _FIELD.finditer(form[2]) if not _NO_FIELD.search(field[1])]
        names = dict.fromkeys(name[1] for one in written if (name := _NAME.search(one)) is not None)
        action = _ACTION.search(form[1])
        if names:
            sent_to = "" if action is None else action[1] or action[2] or ""
            yield Form(page, sent_to, tuple(names)[:MOST_FIELDS])
