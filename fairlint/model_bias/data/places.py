"""Walks through a document (JSON, TOML), so that what has another form is told with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from fairlint.model_bias.data.sources import Text
from fairlint.support.documents import TooDeepError, read_json
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

SHOWN = 40
"""Characters of a wrong value that a message shows."""
LARGEST_NUMBER = 1_000_000
"""What a number of points may be."""


class Place(Record):
    """A value somewhere in a document. All methods raise UsageError where it is of another form."""

    path: Path
    name: str
    """Such as `data.intrasentence[5].id`; empty for the whole document."""
    value: object

    def has(self, key: str) -> bool:
        """Return whether a table has an entry under a key."""
        return key in self._require_table()

    def at(self, key: str) -> Place:
        """Return the entry of a table under a key."""
        table = self._require_table()
        name = f"{self.name}.{key}" if self.name else key
        if key not in table:
            raise UsageError(f"{self.path}: {name} is missing")
        return Place(self.path, name, table[key])

    def entries(self) -> Iterator[Place]:
        """Yield the entries of a list, which has some."""
        if not isinstance(self.value, list) or not self.value:
            raise self.wrong("a list of something")
        for number, entry in enumerate(self.value):
            yield Place(self.path, f"{self.name}[{number}]", entry)

    def table(self) -> Iterator[tuple[str, Place]]:
        """Yield the entries of a table, each with its key."""
        for key in self._require_table():
            yield key, self.at(key)

    def text(self, *, may_be_blank: bool = False) -> str:
        """Return a text, with more than spaces in it."""
        if not isinstance(self.value, str) or not (may_be_blank or self.value.strip()):
            raise self.wrong("a text")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Return the texts of a list, each once."""
        found = tuple(entry.text() for entry in self.entries())
        if len(set(found)) < len(found):
            raise self.wrong("a list of different texts")
        return found

    def number(self) -> int:
        """Return a whole number from 0 to LARGEST_NUMBER."""
        value = self.value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_NUMBER:
            return value
        raise self.wrong(f"a whole number from 0 to {LARGEST_NUMBER:,}")

    def wrong(self, wanted: str) -> UsageError:
        """Return the error for a value that is not what it should be."""
        shown = repr(self.value)
        shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
        return UsageError(f"{self.path}: {self.name or 'the document'} is not {wanted}, but {shown}")

    def _require_table(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            raise self.wrong("a table")
        return self.value


def document(file: Text) -> Place:
    """Return a whole JSON document. Raises UsageError, with the line, for what is none."""
    try:
        return Place(file.path, "", read_json(file.text))
    except json.JSONDecodeError as error:
        raise UsageError(f"{file.path}: line {error.lineno} is not JSON: {error.msg}") from None
    except TooDeepError as error:
        raise UsageError(f"{file.path}: line {error.line}: {error}") from None
    except ValueError as error:  # a number of too many digits
        raise UsageError(f"{file.path} is not JSON: {error}") from None
