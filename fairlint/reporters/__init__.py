"""Reporters tell a Report to a person: one module a format.

A reporter is a function that takes a Report and the ReportOptions and yields pieces of text. It reads
findings and sources, never a syntax tree. The modules are imported when their format is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fairlint.findings.levels import Severity
    from fairlint.findings.report import Report
    from fairlint.reporters.decisions import Decisions
    from fairlint.reporters.json_reading import Earlier
    from fairlint.reporters.provenance import Provenance
    from fairlint.rules.rule import Rule
    from fairlint.support.git import Allowance

ExitCode = Literal[0, 1, 2]


WIDTH = 120
"""How wide a report is where no terminal says."""


class ReportOptions:
    """How a report is to be told."""

    def __init__(
        self,
        *,
        color: bool = False,
        quiet: bool = False,
        width: int = WIDTH,
        min_severity: Severity = "warning",
        exit_code: ExitCode = 0,
        root: str | None = None,
        load_rules: Callable[[], tuple[Rule, ...]] = tuple,
        tell: Callable[[str], None] = lambda _: None,
        facts: Mapping[str, str] | None = None,
        encoding: str = "utf-8",
        links: bool = False,
        wrap: bool = False,
        allowance: Allowance | None = None,
        country: str = "",
        jurisdiction: str = "all",
        provenance: Callable[[], Provenance] | None = None,
        portable: bool = False,
        decisions: Decisions | None = None,
        since: Earlier | None = None,
    ) -> None:
        self.color = color
        """Whether escape sequences for colour may be written."""
        self.quiet = quiet
        """Findings only, no summary."""
        self.width = width
        """Source lines wider than this are cut to the part that matters."""
        self.min_severity = min_severity
        self.exit_code = exit_code
        """What the process will exit with: part of some formats."""
        self.root = root or os.getcwd()  # noqa: PTH109 (start-up)
        """The folder that relative paths of the report start from."""
        self.load_rules = load_rules
        """All rules of this run, loaded on demand: not every format needs them."""
        self.tell = tell
        """Says beside the report, in one line, what the report itself leaves out."""
        self.encoding = encoding
        """What the report is written in, under Python's own name for it."""
        self.links = links
        """Whether places and rules may be links of a terminal."""
        self.wrap = wrap
        """Whether running text is broken at `width`."""
        self.country = country
        """Two letters that findings compare, where nobody says whose people are at home."""
        self.jurisdiction = jurisdiction
        """Whose law is shown; `all` where none is chosen."""
        self.decisions = decisions
        """What people have decided about findings, for reports that show it."""
        self.since = since
        """An earlier report, for reports that say what has changed since."""
        self.facts = facts or {}
        """What the run was told, for reports that are kept as a record."""
        self.portable = portable
        """Whether the report names no folder of this machine."""
        self._allowance = allowance
        self._provenance = provenance

    @property
    def provenance(self) -> Provenance | None:
        """What the run was about, as far as the caller knows it. Asks git: only for reports that say it."""
        return None if self._provenance is None else self._provenance()

    @property
    def allowance(self) -> Allowance:
        """The time that git has in this run."""
        if self._allowance is None:
            from fairlint.support.git import Allowance  # noqa: PLC0415 (few reports ask git)

            self._allowance = Allowance()
        return self._allowance


Reporter = Callable[["Report", ReportOptions], Iterable[str]]

SHIPPED: Mapping[str, str] = {
    "text": "fairlint.reporters.text",
    "concise": "fairlint.reporters.concise",
    "json": "fairlint.reporters.json",
    "sarif": "fairlint.reporters.sarif",
    "github": "fairlint.reporters.github",
    "gitlab": "fairlint.reporters.gitlab",
    "junit": "fairlint.reporters.junit",
    "checkstyle": "fairlint.reporters.checkstyle",
    "rdjson": "fairlint.reporters.rdjson",
    "json-lines": "fairlint.reporters.json_lines",
    "html": "fairlint.reporters.page",
    "markdown": "fairlint.reporters.pull_request",
}
"""Format → the module that has it as `report`."""


def shipped_reporters() -> Mapping[str, Reporter]:
    """Return the formats that come with fairlint, by name; each imports its module when it is first used."""
    return {name: _on_demand(module) for name, module in SHIPPED.items()}


def _on_demand(module: str) -> Reporter:
    def reporter(report: Report, options: ReportOptions) -> Iterable[str]:
        told: Iterable[str] = import_module(module).report(report, options)
        return told

    return reporter
