"""One law of the register, and where the register's files are."""

from __future__ import annotations

import os

from fairlint.support.records import Record

HERE = os.path.dirname(os.path.abspath(__file__))
ANYWHERE = "all"
"""The setting of those who choose no jurisdiction, or no field."""
IN_FORCE, UNDER_RESCISSION, PROPOSED, REPEALED = "in force", "under rescission", "proposed", "repealed"
STATUSES = (IN_FORCE, UNDER_RESCISSION, PROPOSED, REPEALED)
BINDING = frozenset({IN_FORCE, UNDER_RESCISSION})
"""A law with another status belongs to no finding."""


class Law(Record):
    """A law, a part of one, a ruling, or guidelines."""

    id: str
    title: str
    short: str
    """How a sentence calls it."""
    url: str
    """Where its consolidated text is, or the page that leads to it."""
    setting: str
    """The value of the setting `jurisdiction` under which it is shown; empty where no value is."""
    place: str
    country: str
    """Two letters of the one country in which it holds; empty where the whole jurisdiction has it."""
    fields: tuple[str, ...]
    """Fields that it is about, such as `credit`; empty means all."""
    attributes: tuple[str, ...]
    """Attributes that it is about; empty means all."""
    status: str
    applies_from: str
    """The first day on which it applies, as ISO 8601 writes it; empty where that is not known."""
    repealed: str
    """The day on which it was repealed; empty where it was not."""
    checked_on: str
    """The day on which somebody last compared this entry with what the law says."""
    verified: bool
    """Whether a source was found on that day that says so."""
    source: str
    """The source of the last change, or of what the entry says; empty where none was found."""
    note: str

    @property
    def state(self) -> str:
        """What a reader has to know before relying on it: `applies from 2027-12-02; not verified`."""
        later = self.applies_from > self.checked_on
        told = (
            "" if self.status == IN_FORCE else f"{self.status} {self.repealed}".rstrip(),
            f"applies from {self.applies_from}" if later else "",
            "" if self.verified else "not verified",
        )
        return "; ".join(filter(None, told))

    @property
    def told(self) -> str:
        """Its title, and its state where there is something to say."""
        return f"{self.title} ({self.state})" if self.state else self.title

    def holds_in(self, jurisdiction: str, country: str = "") -> bool:
        """Return whether it is shown under a jurisdiction, and for people of a country if one is known."""
        if self.country and country and country != self.country:
            return False
        return jurisdiction in (ANYWHERE, self.setting)

    def is_about_field(self, field: str) -> bool:
        """Return whether it is about a field; about an unknown one, every law may be."""
        return not field or not self.fields or field in self.fields


def everything() -> list[str]:
    """Return the paths of all that the register is made from, the code that reads it included."""
    with os.scandir(HERE) as scan:
        return sorted(entry.path for entry in scan if entry.is_file())


def files() -> list[str]:
    """Return the paths of the register's files."""
    return [os.path.join(HERE, name) for name in sorted(os.listdir(HERE)) if name.endswith(".toml")]
