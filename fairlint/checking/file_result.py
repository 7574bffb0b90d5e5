"""What comes out of one source, before and after it is analysed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.findings.finding import Finding
from fairlint.findings.report import NotAnalysed, Suppressed
from fairlint.findings.uses import Use
from fairlint.support.causes import UNFINISHED
from fairlint.support.records import Record, field
from fairlint.syntax.source import Source

if TYPE_CHECKING:
    from fairlint.findings.uses import ContextName
    from fairlint.project.dependencies import Dependencies
    from fairlint.project.links import Links


class BelowThreshold(Record):
    """A finding that is too mild to show."""

    place: Hashable
    rule: str
    condition: str
    lowered_by: ContextName


class FileResult(Record, frozen=False, slots=False):
    """What came out of one source."""

    path: str
    findings: list[Finding] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    not_analysed: list[NotAnalysed] = field(default_factory=list)
    read: bool = True
    hidden: list[BelowThreshold] = field(default_factory=list)
    failed: bool = False
    source: Source | None = None
    """Kept where there are findings to show."""
    elsewhere: list[tuple[Hashable, Use]] = field(default_factory=list)
    """Uses in modules that the source imports, each with its place: other files may tell of them too."""
    suppressed: list[Suppressed] = field(default_factory=list)
    used: set[Hashable] = field(default_factory=set)
    """Comments that put something aside, each with the rule."""
    unused: list[tuple[Hashable, Finding]] = field(default_factory=list)
    """What is to be told of each comment that no source uses."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Attributes that reports call otherwise."""
    also_read: tuple[str, ...] = ()
    """Real paths of prompts and files of data that it names and that were read with it."""
    basis: Dependencies | None = None
    """What the analysis has looked at besides, where somebody asks."""

    @property
    def is_finished(self) -> bool:
        """Whether it would be the same another time: time and memory had no part in it."""
        return self.read and not self.failed and all(gap.cause not in UNFINISHED for gap in self.not_analysed)

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to tell, but that it was read."""
        told = (
            self.findings,
            self.uses,
            self.not_analysed,
            self.hidden,
            self.elsewhere,
            self.unused,
            self.also_read,
        )
        return self.read and not (self.failed or any(told))


class SomeResults(Record):
    """What came out of some sources: the results that tell something, and how many tell nothing."""

    results: Sequence[FileResult]
    clean: int = 0


class Candidate(Record):
    """A source in which the search found something, the bytes it was read from, and where.

    `links` are the modules of the project that it is to be looked at with.
    """

    source: Source
    raw: bytes
    hits: Sequence[int]
    links: Links | None = None
    checker: int = 0
    """The number of the Checker that it belongs to."""

    @property
    def name(self) -> str:
        """The path of the source."""
        return self.source.path

    @property
    def size(self) -> int:
        """How many bytes there are to analyse."""
        return len(self.raw)
