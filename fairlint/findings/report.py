"""Findings, a rule applied to a Use, and the Report that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fairlint.findings.finding import Finding
from fairlint.support.records import Record, field

if TYPE_CHECKING:
    from fairlint.findings.uses import Use
    from fairlint.support.causes import SkipReason
    from fairlint.syntax.source import Source


class Suppressed(Record):
    """A finding that a comment or the baseline puts aside: why, and where that stands."""

    finding: Finding
    reason: str
    path: str
    line: int
    cell: int | None = None
    is_comment: bool = True
    until: str = ""
    """The last day on which it holds, as ISO 8601 writes it; empty where it has no end."""


class EndingIgnore(Record):
    """An entry of `per-file-ignores` that has an end: its pattern and rules, and where it stands."""

    pattern: str
    rules: tuple[str, ...]
    until: str
    """The last day on which it holds, as in Suppressed."""
    reason: str
    origins: tuple[str, ...]
    """The configuration files that the setting comes from."""


class LeftOut(Record):
    """A path that is left out, or would be, and why."""

    path: str
    reason: str


class NotAnalysed(Record):
    """Something that was asked for and could not be checked: a file, or a part from `line` on."""

    path: str
    line: int
    reason: str
    cause: SkipReason
    cell: int | None = None
    """As in FlowStep."""


class WhollyChanged(Record):
    """A file of which nobody can say which lines a change touches, and why: all of them count."""

    path: str
    reason: str


class Report(Record, slots=False):
    """What one run found.

    `findings` are sorted; `uses` holds every observed Use with the path of the source that its spans refer
    to, also those no rule judges. `sources` holds the sources of files with findings, by path, for reporters
    that show code; it also holds those with Uses that are put together of several parts.
    """

    findings: tuple[Finding, ...] = ()
    uses: tuple[tuple[str, Use], ...] = ()
    not_analysed: tuple[NotAnalysed, ...] = ()
    files: int = 0
    checked: tuple[str, ...] = ()
    """The files that were to be checked, where paths were."""
    suppressed: tuple[Suppressed, ...] = ()
    """Findings that comments and the baseline put aside."""
    ending_ignores: tuple[EndingIgnore, ...] = ()
    """Entries of `per-file-ignores` that have an end and still hold."""
    stale: int = 0
    """Entries of the baseline that tell of nothing any more."""
    unchanged: int = 0
    """Findings on lines that the change in question does not touch."""
    wholly_changed: tuple[WhollyChanged, ...] = ()
    """Files with findings of which the change in question does not say its lines."""
    hidden_notes: int = 0
    """Findings milder than the asked-for severity."""
    by_context: Mapping[str, int] = field(default_factory=dict)
    """Context → how many findings, shown or hidden, are notes for it alone."""
    failed: bool = False
    """The analysis of some file broke down: an internal error, named in `not_analysed`."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    """What is left out although git tracks it; in a checkout whose author has no say, folders that hold code
    of others by their names, and nothing that git tracks.
    """
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind of file that fairlint does not read (`TypeScript`, `prompt`) → the paths that the walk met."""
    unheeded: tuple[LeftOut, ...] = ()
    """What has no say in such a checkout: files that it would leave out and that were checked, and those that
    would say what is told.
    """

    def points(self, attribute: str, *, conditional: bool = True) -> dict[str, float]:
        """Return what each group of `attribute` gets over all additive score updates together, at most.

        Every canonical group of the attribute is present, 0.0 where nothing is given; an unknown attribute
        is a KeyError. Of an age band, what most of its ages get. With `conditional=False`, points that are
        given only where something else holds, too, do not count.
        """
        from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415 (loaded only when asked for)

        totals = dict.fromkeys(default_vocabulary().attribute(attribute).core_groups, 0.0)
        for _, use in self.uses:
            if use.attribute != attribute or use.kind != "score-update":
                continue
            if use.points is None or use.points.op != "add":
                continue
            if not conditional and (use.points.where or use.points.at_most):
                continue
            other, amounts = use.points.other or 0.0, use.points.canonical
            for group in (*totals, *(name for name in amounts if name not in totals)):
                totals[group] = totals.get(group, 0.0) + amounts.get(group, other)
        return totals
