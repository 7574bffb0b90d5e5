"""One file of rules for all repositories: settings, by patterns of their names, and exceptions that end.

```toml
[settings]                       # any of `KEYS`, as in fairlint.toml
jurisdiction = "eu"

[[repositories]]
pattern = "github.com/acme/us-*" # of its name in the list; `*` stands for anything, the last that fits counts
jurisdiction = "us"

[[exceptions]]
repositories = "github.com/acme/legacy-*"
rules = ["FL201"]
paths = ["src/"]                 # as in .gitignore; without them all
owner = "@acme/risk"
reason = "replaced in spring"
until = 2027-06-30
```
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from fairlint.checking.checker import Checker
from fairlint.checking.selection import matches_rule_name
from fairlint.config import Settings
from fairlint.config.settings import COMMAND_LINE
from fairlint.config.table import READERS
from fairlint.config.toml_files import read_toml_file
from fairlint.sources.ignore_rules import TooManyRulesError, rules_of
from fairlint.support import days
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field_names, replace

KEYS = (
    "select", "ignore", "per-file-ignores", "severity", "exclude", "extend-exclude", "min-severity",
    "min-confidence", "persona", "jurisdiction", "domain", "home-country", "age-bands", "lawful-ages",
    "attributes", "suppressions", "file-timeout", "file-steps", "file-memory", "file-nesting",
    "max-file-size",
)  # fmt: skip
"""Settings that a policy may have: those that name no file of the machine, and none of one run alone."""
OWN = "own-config"
"""Key of a policy alone: whether a repository is checked under its own configuration and baseline, as far as
the policy says nothing else.
"""
_TABLES = ("settings", "repositories", "exceptions")
_EXCEPTION = ("repositories", "rules", "paths", "owner", "reason", "until")
_ONE_OR_MORE = "must be a text or a list of texts"


class Exempt(Record):
    """An exception: findings of these rules, in these paths, are suppressed up to a day."""

    repositories: Sequence[str]
    rules: Sequence[str]
    paths: Sequence[str]
    owner: str
    reason: str
    until: str


class Policy(Record):
    """What holds for all repositories, and for some."""

    settings: Mapping[str, Any]
    """Key, as in a configuration file → value, as JSON has it."""
    repositories: Sequence[tuple[str, Mapping[str, Any]]] = ()
    """Pattern of names → more settings."""
    exceptions: Sequence[Exempt] = ()

    def values(self, repository: str, day: str) -> dict[str, Any]:
        """Return what holds for one repository on a day, as jobs and digests have it."""
        settings = dict(self.settings)
        for pattern, more in self.repositories:
            if fnmatchcase(repository, pattern):
                settings |= more
        return {
            "settings": settings,
            "exceptions": [
                {"repositories": [], "rules": one.rules, "paths": one.paths, "owner": one.owner,
                 "reason": one.reason, "until": one.until}
                for one in self.exceptions
                if one.until >= day and any(fnmatchcase(repository, name) for name in one.repositories)
            ],
        }  # fmt: skip

    def with_own_configurations(self) -> Policy:
        """Return the same with repositories under their own configurations, where it does not say that."""
        return replace(self, settings={OWN: True, **self.settings})

    def document(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "settings": dict(self.settings),
            "repositories": [[pattern, dict(more)] for pattern, more in self.repositories],
            "exceptions": [
                {name: getattr(one, name) for name in field_names(one)} for one in self.exceptions
            ],
        }


def read_policy(path: Path) -> Policy:
    """Return the policy in a file. What is wrong with it is a UsageError that names the file and the key."""
    data = _as_json(read_toml_file(path))
    _check_keys(f"{path}:", data, _TABLES)
    settings = _read_settings(f"{path}: [settings]", data.get("settings", {}))
    repositories = []
    for number, table in enumerate(_list_of_tables(path, data, "repositories"), 1):
        where = f"{path}: [[repositories]] {number}"
        pattern = table.pop("pattern", None)
        if not isinstance(pattern, str) or not pattern.strip():
            raise UsageError(f"{where}: 'pattern' must be a pattern of names of repositories")
        repositories.append((pattern, _read_settings(where, table)))
    exceptions = [
        _read_exception(f"{path}: [[exceptions]] {number}", table)
        for number, table in enumerate(_list_of_tables(path, data, "exceptions"), 1)
    ]
    return Policy(settings, repositories, exceptions)


def ended_exceptions(policy: Policy) -> list[Exempt]:
    """Return the exceptions whose last day is over: they suppress nothing."""
    return [one for one in policy.exceptions if one.until < days.today()]


def setting_changes(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as `Configurations` takes them, by the names of fields."""
    return {key.replace("-", "_"): READERS[key](value) for key, value in values.items() if key != OWN}


def apply_exceptions(rows: Mapping[str, list[dict[str, Any]]], exceptions: Sequence[Exempt]) -> None:
    """Move the findings that exceptions speak of to what is suppressed."""
    if not exceptions:
        return
    left = []
    rules = [(one, rules_of([path.encode() for path in one.paths])) for one in exceptions]
    for row in rows["findings"]:
        speaks = next(
            (
                one
                for one, places in rules
                if matches_rule_name(row["rule"], row["name"], one.rules)
                and (not one.paths or places.verdict_below(row["path"], folder=False))
            ),
            None,
        )
        if speaks is None:
            left.append(row)
            continue
        why = {
            "reason": speaks.reason,
            "suppressed_by": "policy",
            "owner": speaks.owner,
            "until": speaks.until,
        }
        rows["suppressed"].append({**row, **why})
    rows["findings"][:] = left


def _read_settings(where: str, table: object) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise UsageError(f"{where}: must be a table")
    _check_keys(f"{where}:", table, (*KEYS, OWN))
    if not isinstance(table.get(OWN, False), bool):
        raise UsageError(f"{where}: '{OWN}' must be true or false")
    for key, value in table.items():
        try:
            if key != OWN:
                READERS[key](value)
        except ValueError as error:
            raise UsageError(f"{where}: '{key}' {error}") from None
    origins = dict.fromkeys(table, (COMMAND_LINE,))
    try:
        settings = Settings(**setting_changes(table), origins=origins)
        Checker(settings, in_project=True).check_settings()
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return table


def _read_exception(where: str, table: dict[str, Any]) -> Exempt:
    _check_keys(f"{where}:", table, _EXCEPTION)
    for key in ("owner", "reason", "until", "rules", "repositories"):
        if not table.get(key):
            raise UsageError(f"{where}: lacks '{key}': an exception says what, whose, why and until when")
    for key in ("owner", "reason"):
        if not isinstance(table[key], str):
            raise UsageError(f"{where}: '{key}' must be a text")
    if not isinstance(table["until"], str) or not days.is_day(table["until"]):
        raise UsageError(f"{where}: 'until' must be a day such as 2027-06-30")
    lists = {
        key: list(_texts(f"{where}: '{key}'", table.get(key, [])))
        for key in ("repositories", "rules", "paths")
    }
    try:
        Checker(Settings(select=tuple(lists["rules"])), in_project=True).check_settings()
        rules_of([path.encode() for path in lists["paths"]])
    except (UsageError, TooManyRulesError) as error:
        raise UsageError(f"{where}: {error}") from None
    return Exempt(
        lists["repositories"], lists["rules"], lists["paths"], table["owner"], table["reason"], table["until"]
    )


def _texts(where: str, value: object) -> Iterator[str]:
    for one in [value] if isinstance(value, str) else value if isinstance(value, list) else [None]:
        if not isinstance(one, str) or not one.strip():
            raise UsageError(f"{where} {_ONE_OR_MORE}")
        yield one


def _list_of_tables(path: Path, data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found = data.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise UsageError(f"{path}: '{key}' must be tables: [[{key}]]")
    return [dict(one) for one in found]


def _check_keys(where: str, table: Mapping[str, Any], known: Sequence[str]) -> None:
    if unknown := next((key for key in table if key not in known), ""):
        hint = did_you_mean(unknown, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"{where} unknown key '{unknown}'{hint}")


def _as_json(value: Any) -> Any:
    """Return a value of TOML as JSON has it: days as texts."""
    if isinstance(value, dict):
        return {key: _as_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_as_json(one) for one in value]
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value
