"""Settings: everything a run can be told."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from fairlint.findings.levels import SEVERITIES, Confidence, Severity
from fairlint.support.records import Record, field, replace

if TYPE_CHECKING:  # start-up: a run without a configuration file needs no paths
    from pathlib import Path

JURISDICTIONS = ("all", "us", "eu", "uk")
DOMAINS = ("all", "hiring", "credit", "housing", "education", "health", "justice", "insurance")
PERSONAS = ("developer", "auditor")
BASELINE = "fairlint-baseline.jsonl"
"""What the baseline is called where nobody says otherwise."""
GAPS = ("not-analysed", "unread", "incomplete")
"""What may fail a run besides findings: parts that were not analysed, files that are not read, both."""
NAMES = ("fairlint.toml", "pyproject.toml")
"""What configuration files are called; of two in one folder the first counts."""
DEFAULT_MAX_FILE_SIZE = 5_000_000
DEFAULT_FILE_TIMEOUT = 30.0
DEFAULT_FILE_STEPS = 250_000
DEFAULT_FILE_MEMORY = 2_000_000_000
DEFAULT_FILE_NESTING = 180
"""Also the most: all that walks through code is made for so many levels."""
RUN_WIDE = (
    "fail_on", "max_file_size", "file_timeout", "file_steps", "file_memory", "file_nesting", "timeout",
    "jobs", "cache_dir",
)  # fmt: skip
"""Settings that a run has once, whatever the files that it checks lie under."""
COMMAND_LINE = "the command line"
"""Where a value comes from that an option has given."""


class PathPattern(str):
    """A pattern of paths that is relative to another folder than the `root` of the settings it is in."""

    folder: str

    def __new__(cls, text: str, folder: str = "") -> Self:
        """Return the pattern `text`, relative to `folder`."""
        made = super().__new__(cls, text)
        made.folder = folder
        return made


class EndingRules(tuple[str, ...]):
    """Names of rules that a setting means up to a last day, as ISO 8601 writes it, and why."""

    until: str
    reason: str

    def __new__(cls, rules: Iterable[str], until: str, reason: str = "") -> Self:
        """Return the `rules`, up to the day `until`."""
        made = super().__new__(cls, rules)
        made.until, made.reason = until, reason
        return made


class Settings(Record, slots=False):
    """Everything a run can be told. Fields are named as the configuration file's keys, `-` written `_`."""

    select: tuple[str, ...] = ()
    """Codes, prefixes of codes or names of the rules to apply; empty means all."""
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Path pattern, as in `.gitignore` and relative to `root` -> rules that stay silent there."""
    ended_ignores: Mapping[str, EndingRules] = field(default_factory=dict)
    """Entries of `per_file_ignores` whose last day is over: they silence nothing."""
    severity: Mapping[str, Severity] = field(default_factory=dict)
    """Code, prefix of codes or name of a rule -> how grave its findings are."""
    exclude: tuple[str, ...] | None = None
    """Patterns of paths to leave out, instead of the built-in ones; None keeps those."""
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    """Leave excluded files out even where they are named one by one."""
    respect_gitignore: bool = True
    min_severity: Severity = "warning"
    min_confidence: Confidence = "low"
    fail_on: tuple[str, ...] = ("warning",)
    """A severity, and what of `GAPS` counts besides."""
    persona: str = "developer"
    """Who reads the report: an auditor is shown what is a note for its context alone, too."""
    jurisdiction: str = "all"
    domain: str = "all"
    home_country: str = ""
    """Two letters (ISO 3166) of the country whose people are no foreigners; empty where none is said."""
    age_bands: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Age group -> its lowest and highest age, both inclusive; empty keeps the vocabulary's own."""
    lawful_ages: tuple[float, ...] | None = None
    """Ages that the law itself sets; None keeps the vocabulary's own."""
    attributes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The user's attribute tables, as `Vocabulary.extended` reads them."""
    vocabulary: tuple[Path | Mapping[str, Any], ...] = ()
    """More TOML files with attribute tables, and such tables of a configuration that was extended."""
    library_models: tuple[Path, ...] = ()
    """TOML files that say what the functions of libraries do (docs/library-models.md)."""
    max_file_size: int = DEFAULT_MAX_FILE_SIZE
    file_timeout: float = DEFAULT_FILE_TIMEOUT
    """Seconds after which a file is given up; 0 is never."""
    file_steps: int = DEFAULT_FILE_STEPS
    """Statements and expressions that are evaluated in one file at the most; half as many values to compare
    its groups.
    """
    file_memory: int = DEFAULT_FILE_MEMORY
    """Bytes that the analysis of one file may take, on Linux; 0 is no limit."""
    file_nesting: int = DEFAULT_FILE_NESTING
    """Levels of code in one another that are read, and of the JSON and SQL in it."""
    timeout: float = 0.0
    """Seconds after which the run ends, and what is left is named; 0 is never."""
    jobs: int = 0
    """Processes that check at once; 0 is one a core."""
    cache_dir: str | None = None
    """The folder of results that are kept, relative to `root`; None is the usual one, an empty text none."""
    baseline: str | None = None
    """The file of findings that were there before, relative to `root`; None is the usual name, if it is
    there, and an empty text none.
    """
    suppressions: bool = True
    """Whether comments may put findings aside."""
    untrusted: tuple[str, ...] = ()
    """Real paths of checkouts whose authors have no say in what is found there: neither their configurations
    nor their comments, baselines, ignore rules and names of folders. No configuration file can say it.
    """
    root: str | os.PathLike[str] = field(default_factory=os.getcwd)
    """The folder that patterns are relative to: where the configuration file stands."""
    source: Path | None = None
    """The configuration file these settings came from."""
    origins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Key, as in a configuration file -> where its value comes from; the last has the last word."""

    def with_changes(self, **changes: Any) -> Settings:
        """Return a copy with some fields replaced by what options say; a change to None is no change."""
        given = {name: value for name, value in changes.items() if value is not None}
        if not given:
            return self
        origins = {**self.origins, **{key_of(name): (COMMAND_LINE,) for name in given}}
        return replace(self, **given, origins=origins)

    def as_told(self) -> Settings:
        """Return these settings with what a run shows under them: where nobody says what, it is all that
        fails.
        """
        mildest = min(self.min_severity, self.least_failing, key=SEVERITIES.index)
        is_said = "min-severity" in self.origins or self.min_severity != Settings().min_severity
        return self if is_said or mildest == self.min_severity else replace(self, min_severity=mildest)

    @property
    def least_failing(self) -> Severity:
        """The mildest severity with which a run fails: `warning` where `fail-on` names none."""
        return next((one for one in SEVERITIES if one in self.fail_on), "warning")

    @property
    def parses_all(self) -> bool:
        """Whether every file that names no attribute is parsed: what cannot be parsed is to fail the run."""
        return "not-analysed" in self.fail_on or "incomplete" in self.fail_on

    @property
    def law(self) -> str:
        """The jurisdiction: that of the home country, where nobody says another."""
        if not self.home_country or self.jurisdiction != "all" or "jurisdiction" in self.origins:
            return self.jurisdiction
        from fairlint.vocabulary.countries import law_of  # noqa: PLC0415 (few name a country)

        return law_of(self.home_country)

    def named_by(self, name: str) -> str:
        """Return what a message about the value of a field begins with: where it comes from."""
        origins = self.origins.get(key_of(name))
        if origins:
            return f"{origins[-1]}: "
        return f"{self.source}: " if self.source else ""

    def vocabulary_tables(self) -> tuple[Mapping[str, Any], ...]:
        """Return what `Vocabulary.extended` is given: the tables of `vocabulary` files, then the
        user's own.
        """
        tables: list[Mapping[str, Any]] = [
            one if isinstance(one, Mapping) else _read_toml(one) for one in self.vocabulary
        ]
        if self.attributes:
            tables.append({"attributes": self.attributes})
        return tuple(tables)

    def library_tables(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Return the user's models of libraries: each file with what it says."""
        return tuple((str(path), _read_toml(path)) for path in self.library_models)


def key_of(name: str) -> str:
    """Return what the configuration file calls a field."""
    return name.replace("_", "-")


def _read_toml(path: Path) -> dict[str, Any]:
    from fairlint.config.toml_files import read_toml_file  # noqa: PLC0415 (start-up: few name such files)

    return read_toml_file(path)
