"""The text of a file that is to be changed, and the bytes that it is kept in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fairlint.findings.finding import Edit
from fairlint.sources.reading import MARKS, to_utf8
from fairlint.support.files import NotReadableError
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.syntax.language import Language

_PLAIN = ("utf-8", "latin-1")


class NotFixableError(Exception):
    """A file that no fix is looked for in; the message is the reason, one clause."""


class Text(Record):
    """A file: `data` is its text as UTF-8 without a byte-order mark, as sources have it."""

    data: bytes
    mark: bytes
    encoding: str

    def encoded(self) -> bytes:
        """Return the bytes of the file."""
        try:
            return self.mark + self.data.decode("utf-8").encode(self.encoding)
        except UnicodeError:
            raise NotFixableError(f"a fix cannot be written as {self.encoding}") from None


def read_text(raw: bytes, language: Language | None) -> Text:
    """Return the text of a file that can be written again byte for byte; else a NotFixableError."""
    try:
        data = to_utf8(raw, language)
    except NotReadableError as error:
        raise NotFixableError(str(error)) from None
    declared = None if language is None or language.encoding is None else language.encoding(raw)
    without = [(b"", encoding) for encoding in (declared, *_PLAIN) if encoding]
    for mark, encoding in (*MARKS, *without):
        if mark and not raw.startswith(mark):
            continue
        text = Text(data, mark, encoding)
        try:
            if text.encoded() == raw:
                return text
        except (NotFixableError, LookupError):
            continue
    raise NotFixableError("its encoding cannot be written back")


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a text after edits of which none overlaps another."""
    for edit in sorted(edits, key=lambda one: (one.start, one.end), reverse=True):
        data = data[: edit.start] + edit.text.encode("utf-8") + data[edit.end :]
    return data
