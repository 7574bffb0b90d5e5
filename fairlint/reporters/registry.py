"""All formats of reports: those that fairlint ships, and those of plugins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from fairlint.plugins.guard import InvalidOfferError, PluginError
from fairlint.plugins.manager import as_named_function, ask, claim, gather, within_patience
from fairlint.reporters import Reporter, ReportOptions, shipped_reporters

if TYPE_CHECKING:
    from fairlint.findings.report import Report

_HOOK = "fairlint_reporters"
LONGEST_REPORT = 1_000_000_000
"""Characters of a report in a plugin's format."""


def reporters() -> Mapping[str, Reporter]:
    """Return reporters by the name of their format, the shipped ones first."""
    by_name = dict(shipped_reporters())
    for plugin, (name, reporter) in gather(_HOOK, as_named_function):
        own = _guard_reporter(plugin, name, reporter)
        ask(plugin, _HOOK, partial(claim, by_name, name, own, "the format"))
    return by_name


def _guard_reporter(plugin: str, name: str, reporter: Reporter) -> Reporter:
    """Return a reporter of a plugin: a PluginError names it where it fails, hangs or has no end."""

    what = f"its format '{name}'"

    def report(report: Report, options: ReportOptions) -> Iterator[str]:
        size = 0
        pieces = within_patience(plugin, what, lambda: iter(reporter(report, options)))
        while (piece := within_patience(plugin, what, lambda: _as_text(next(pieces, None)))) is not None:
            size += len(piece) + 1
            if size > LONGEST_REPORT:
                raise PluginError(f"plugin '{plugin}': {what} gives more than {LONGEST_REPORT:,} characters")
            yield piece

    return report


def _as_text(piece: object) -> str | None:
    if piece is not None and type(piece) is not str:
        raise InvalidOfferError(f"must give texts, not {type(piece).__name__}")
    return piece
