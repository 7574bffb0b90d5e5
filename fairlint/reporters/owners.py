"""Who owns a file: the rules of CODEOWNERS, as GitHub and GitLab read them.

The last line that is about a path counts, and one without owners takes them away. Where the file has GitLab's
sections, the last line of each counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from fairlint.sources.ignore_rules import Rules, TooManyRulesError, read_rule
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where it is looked for; the first that is there counts."""
LARGEST = 3_000_000
"""Bytes: GitHub reads no larger one."""
_WORD = re.compile(rb"(?:\\.|[^\s\\])+")
_SECTION = re.compile(rb"\^?\[([^\]]+)\](?:\[\d+\])?((?:\s.*)?)")
_UNKNOWN = (b"!", b"\\#")
"""How patterns begin that git knows and CODEOWNERS does not."""


class _Entry(Record):
    """What a line says: whose what it is about is. `direct` is a pattern that is about no deeper folders."""

    section: bytes
    owners: tuple[str, ...]
    direct: bool


class Owners:
    """The rules of one file."""

    def __init__(self, data: bytes) -> None:
        entries = []
        rules = []
        for pattern, entry in _parse_entries(data):
            rule = read_rule(pattern)
            if rule is not None:
                rules.append(rule)
                entries.append(entry)
        self._entries: Sequence[_Entry] = entries
        self._rules = Rules(tuple(rules))
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, path: str) -> tuple[str, ...]:
        """Return the owners of a file, by its path from the repository's root; empty where it has none."""
        if path not in self._known:
            self._known[path] = self._owners_of_path(path)
        return self._known[path]

    def _owners_of_path(self, path: str) -> tuple[str, ...]:
        parts = path.split("/")
        found = set(self._rules.places(path, folder=False))
        for depth in range(1, len(parts)):
            above = self._rules.places("/".join(parts[:depth]), folder=True)
            found.update(place for place in above if not self._entries[place].direct)
        last = {self._entries[place].section: self._entries[place] for place in sorted(found)}
        return tuple(dict.fromkeys(owner for entry in last.values() for owner in entry.owners))


def owners_in(root: str) -> Owners | None:
    """Return the owners of a repository; None where no file says them, or none that can be read."""
    for place in PLACES:
        try:
            return Owners(read_file(os.path.join(root, place), LARGEST))  # noqa: PTH118 (start-up)
        except (NotReadableError, TooManyRulesError):
            continue
    return None


def _parse_entries(data: bytes) -> Iterator[tuple[bytes, _Entry]]:
    section = b""
    default: tuple[str, ...] = ()
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        text = line.strip()
        if not text or text.startswith(b"#"):
            continue
        if text.startswith((b"[", b"^[")):
            head = _SECTION.fullmatch(text)
            if head is not None:
                section, default = head[1].strip().lower(), _parse_owners(_WORD.findall(head[2])) or ()
            continue
        pattern, *words = _WORD.findall(text) or [b"!"]
        owners = _parse_owners(words)
        if owners is None or pattern.startswith(_UNKNOWN) or b"[" in pattern:
            continue  # GitHub passes over lines that it cannot read
        yield pattern, _Entry(section, owners or default, pattern.endswith(b"/*"))


def _parse_owners(words: Sequence[bytes]) -> tuple[str, ...] | None:
    """Return the owners that words name, up to a comment; None where one is no owner."""
    found = []
    for word in words:
        if word.startswith(b"#"):
            break
        if b"@" not in word:
            return None
        found.append(word.decode("utf-8", "replace"))
    return tuple(found)
