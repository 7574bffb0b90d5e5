"""Every key of a configuration file: what it may hold, what it is for, and what holds without it.

Reading, the JSON Schema for editors, `--show-settings` and the documentation all come from this table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from fairlint.config.settings import (
    DEFAULT_FILE_NESTING,
    DOMAINS,
    GAPS,
    JURISDICTIONS,
    PERSONAS,
    RUN_WIDE,
    EndingRules,
    key_of,
)
from fairlint.findings.levels import CONFIDENCES, SEVERITIES
from fairlint.support.days import is_day
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.records import Record

LONGEST = 1_000_000.0
"""The longest time limit in seconds; what is much longer no timer takes."""
LARGEST = 10**18
"""The most bytes of a size; what is larger no system takes, and limits nothing."""
LEAST_MEMORY = 20_000_000
"""The least memory for a file: in less, not even the parser has a place."""
LONGEST_SHOWN = 40
"""Characters of a wrong value that a message repeats."""
SIZE_UNITS = {"": 1, "B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_AGE = {"type": "number", "minimum": -LONGEST, "maximum": LONGEST}
_NAMED = {"type": "string", "pattern": r"\S"}
_RULE = {"$ref": "#/$defs/rule"}
_RULES = {"type": "array", "items": _RULE}
ENDING = ("rules", "until", "reason")
"""Keys of an entry that ends."""
_ENDING_RULES = {
    "type": "object",
    "properties": {
        "rules": {**_RULES, "minItems": 1},
        "until": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["rules"],
    "additionalProperties": False,
}
_SIZE = {"type": "string", "pattern": r"^\s*0*[1-9][0-9]*\s*([kKmMgG]?[bB])?\s*$"}


class Setting(Record):
    """One key. `default` is in TOML, or in words where that says more."""

    key: str
    read: Callable[[object], Any]
    """Turns what TOML says into the field's value, or says in a ValueError why it cannot."""
    schema: Mapping[str, Any]
    default: str
    about: str
    """What it is for, as the documentation says it."""
    is_path: bool = False
    """Whether it names files or folders, which a configuration that was found has to keep inside."""

    @property
    def name(self) -> str:
        """The field of Settings."""
        return self.key.replace("-", "_")

    @property
    def is_run_wide(self) -> bool:
        """Whether a run has it once, whatever files it checks."""
        return self.name in RUN_WIDE


# ------------------------------------------------------------------------------------------------- readers


def short_repr(value: object) -> str:
    """Return a wrong value for a message: one line, not too long."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def _read_boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {short_repr(value)}")
    return value


def _read_strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be a list of strings, not {short_repr(value)}")
    return tuple(value)


def _name_of(what: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"must be the name of a {what}, or empty for none, not {short_repr(value)}")
        return value

    return read


def _read_file_names(value: object) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else value
    if isinstance(names, list | tuple) and all(isinstance(name, str) and name.strip() for name in names):
        return tuple(names)
    raise ValueError(
        f"must be the name of a file, 'package:file', or a list of such, not {short_repr(value)}"
    )


def _read_rules(value: object) -> tuple[str, ...]:
    rules = _read_strings(value)
    if any(not rule.strip() for rule in rules):
        raise ValueError("must not hold an empty string")
    return rules


def _one_of(allowed: Sequence[str], hint: str = "") -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in allowed:
            nearest = did_you_mean(value, allowed) if isinstance(value, str) else ""
            raise ValueError(f"must be one of {', '.join(allowed)}, not {short_repr(value)}{nearest or hint}")
        return str(value)

    return read


def _per_file_ignores(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a table of pattern = [rules], not {short_repr(value)}")
    return _read_each(value, _silent_rules)


def _silent_rules(value: object) -> tuple[str, ...]:
    """Rules, or a table of `rules`, the last day on which they are silent, and why."""
    if not isinstance(value, dict):
        return _read_rules(value)
    from datetime import date, datetime  # noqa: PLC0415 (start-up: few entries end)

    if unknown := next((key for key in value if key not in ENDING), ""):
        known = did_you_mean(unknown, ENDING) or f"; there are {', '.join(ENDING)}"
        raise ValueError(f"has an unknown key '{unknown}'{known}")
    try:
        rules = _read_rules(value.get("rules", []))
    except ValueError as error:
        raise ValueError(f"→ 'rules' {error}") from None
    until, reason = value.get("until", ""), value.get("reason", "")
    day = until.isoformat() if isinstance(until, date) and not isinstance(until, datetime) else until
    if not rules:
        raise ValueError("names no rules: rules = ['FL102'] does")
    if not isinstance(reason, str):
        raise ValueError(f"→ 'reason' must be a text, not {short_repr(reason)}")
    if day == "":
        return rules
    if not isinstance(day, str) or not is_day(day):
        raise ValueError(f"→ 'until' must be a day such as 2027-06-30, not {short_repr(until)}")
    return EndingRules(rules, day, " ".join(reason.split()))


def _read_severities(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a table of rule = severity, not {short_repr(value)}")
    if any(not rule.strip() for rule in value):
        raise ValueError("must not hold an empty string")
    return _read_each(value, _one_of(SEVERITIES, "; `ignore` switches a rule off"))


def _read_each(table: Mapping[str, object], read: Callable[[object], Any]) -> dict[str, Any]:
    result = {}
    for key, value in table.items():
        try:
            result[key] = read(value)
        except ValueError as error:
            raise ValueError(f"→ '{key}' {error}") from None
    return result


def read_country(value: object) -> str:
    """Return a country's two letters, or none; a ValueError says what else `value` is."""
    from fairlint.vocabulary.countries import codes  # noqa: PLC0415 (few configurations name one)

    known = codes()
    if isinstance(value, str) and (not value or value.upper() in known):
        return value.upper()
    hint = ""
    if isinstance(value, str):
        by_name = {name: code for code, name in known.items()}
        nearest = next((name for name in by_name if f"'{name}'" in did_you_mean(value, by_name, 1, 0.75)), "")
        hint = f"; {nearest} is '{by_name[nearest]}'" if nearest else ""
    raise ValueError(f"must be a country's two letters (ISO 3166), as 'DE', not {short_repr(value)}{hint}")


def _read_number(value: object) -> float:
    if isinstance(value, int | float) and LONGEST < abs(value) != math.inf:
        raise ValueError(f"must hold numbers up to {LONGEST:,.0f}, not {short_repr(value)}")
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"must hold numbers, not {short_repr(value)}")
    return value


def _age_bands(value: object) -> dict[str, tuple[float, float]]:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be a table of group = [lowest, highest], not {short_repr(value)}")
    bands = {}
    for group, limits in value.items():
        if not isinstance(limits, list) or len(limits) != 2:
            raise ValueError(f"→ '{group}' must be [lowest, highest], not {short_repr(limits)}")
        low, high = _read_number(limits[0]), _read_number(limits[1])
        if low > high:
            raise ValueError(f"→ '{group}' begins at {low}, after its end at {high}")
        bands[group] = (low, high)
    ordered = sorted(bands.items(), key=lambda item: item[1])
    for (group, (_, high)), (following, (low, _)) in pairwise(ordered):
        if low <= high:
            raise ValueError(f"→ '{group}' and '{following}' overlap")
    return bands


def _read_ages(value: object) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise ValueError(f"must be a list of numbers, not {short_repr(value)}")
    return tuple(_read_number(item) for item in value)


def _read_attributes(value: object) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
        raise ValueError(f"must be tables, one an attribute, not {short_repr(value)}")
    return value


def _read_size(value: object) -> int:
    wanted = "must be a number of bytes, or text such as '5 MB'"
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return min(value, LARGEST)
    if isinstance(value, str):
        digits = value.strip().rstrip("kKmMgGbB ").strip()
        unit = value.strip()[len(digits) :].strip().upper()
        if digits.isascii() and digits.isdigit() and int(digits) > 0 and unit in SIZE_UNITS:
            return min(int(digits) * SIZE_UNITS[unit], LARGEST)
    raise ValueError(f"{wanted}, not {short_repr(value)}")


def read_memory(value: object) -> int:
    """Return a size, or 0 for no limit."""
    size = 0 if value in (0, "0") and not isinstance(value, bool) else _read_size(value)
    if 0 < size < LEAST_MEMORY:
        least = f"{LEAST_MEMORY // SIZE_UNITS['MB']} MB"
        raise ValueError(f"must be {least} or more, which a small file takes, or 0, not {short_repr(value)}")
    return size


def _read_steps(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"must be a whole number from 1 on, not {short_repr(value)}")
    return value


def _read_jobs(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"must be a whole number, 0 for one a core, not {short_repr(value)}")
    return value


def _read_levels(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= DEFAULT_FILE_NESTING:
        raise ValueError(f"must be a whole number from 1 to {DEFAULT_FILE_NESTING}, not {short_repr(value)}")
    return value


def read_seconds(value: object) -> float:
    """Return a time limit; a ValueError says what else `value` is."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST:
        raise ValueError(f"must be a number of seconds, 0 for no limit, not {short_repr(value)}")
    return float(value)


# --------------------------------------------------------------------------------------------------- table


def read_fail_on(value: object) -> tuple[str, ...]:
    """Return what fails a run: a severity, gaps, or a list of these; a ValueError says what else
    `value` is.
    """
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not names:
        raise ValueError(f"must be one of {', '.join(_FAILING)}, or a list of such, not {short_repr(value)}")
    read = tuple(dict.fromkeys(_one_of(_FAILING)(name) for name in names))
    if len(severities := [name for name in read if name in SEVERITIES]) > 1:
        raise ValueError(f"must name one severity, not {' and '.join(severities)}")
    return read


def _choice_setting(key: str, allowed: Sequence[str], default: str, about: str) -> Setting:
    return Setting(key, _one_of(allowed), {"enum": list(allowed)}, f'"{default}"', about)


def _flag_setting(key: str, default: str, about: str) -> Setting:
    return Setting(key, _read_boolean, {"type": "boolean"}, default, about)


def _seconds_setting(key: str, default: str, about: str) -> Setting:
    limits = {"type": "number", "minimum": 0, "maximum": LONGEST}
    return Setting(key, read_seconds, limits, default, about)


_SEVERITIES = "`note`, `warning`, `error`"
_FAILING = [*SEVERITIES, *GAPS]
SETTINGS: Mapping[str, Setting] = {
    one.key: one
    for one in (
        Setting(
            "extends",
            _read_file_names,
            {"anyOf": [_NAMED, {"type": "array", "items": _NAMED}]},
            "none",
            "a configuration, or several, to extend: a file, relative to this one, or `package:file` in an "
            "installed package",
        ),
        Setting(
            "select", _read_rules, _RULES, "all rules", "rules to apply: codes, prefixes of codes, or names"
        ),
        Setting("extend-select", _read_rules, _RULES, "none", "rules to apply in addition"),
        Setting("ignore", _read_rules, _RULES, "none", "rules to ignore"),
        Setting("extend-ignore", _read_rules, _RULES, "none", "rules to ignore in addition"),
        Setting(
            "per-file-ignores",
            _per_file_ignores,
            {"type": "object", "additionalProperties": {"anyOf": [_RULES, _ENDING_RULES]}},
            "none",
            "table: path pattern = rules to ignore there, or `{ rules = [...], until = 2027-06-30, "
            'reason = "..." }`: after that day the findings are reported again',
        ),
        Setting(
            "severity",
            _read_severities,
            {
                "type": "object",
                "propertyNames": _RULE,
                "additionalProperties": {"enum": list(SEVERITIES)},
            },
            "the rule's own",
            f"table: rule = severity of its findings: {_SEVERITIES}. If several keys match, the longest "
            "applies. Thin evidence or a context still turns a finding into a note",
        ),
        _choice_setting(
            "min-severity", SEVERITIES, "warning", f"the lowest severity to report: {_SEVERITIES}"
        ),
        _choice_setting(
            "min-confidence", CONFIDENCES, "low", "the lowest confidence to report: `low`, `medium`, `high`"
        ),
        Setting(
            "fail-on",
            read_fail_on,
            {"anyOf": [{"enum": _FAILING}, {"type": "array", "minItems": 1, "items": {"enum": _FAILING}}]},
            '"warning"',
            f"the lowest severity that exits with 1: {_SEVERITIES}. In a list also `not-analysed` (something "
            "could not be analysed), `unread` (files of other languages, prompts and rules), or `incomplete` "
            "for both",
        ),
        _choice_setting(
            "persona",
            PERSONAS,
            "developer",
            "who reads the report: an `auditor` also sees what is a note only because of its context",
        ),
        _choice_setting(
            "jurisdiction", JURISDICTIONS, "all", "whose law decides what is protected: `us`, `eu`, `uk`"
        ),
        _choice_setting(
            "domain",
            DOMAINS,
            "all",
            f"what the code is used for: {', '.join(f'`{name}`' for name in DOMAINS[1:])}",
        ),
        Setting(
            "home-country",
            read_country,
            {"$ref": "#/$defs/country"},
            '""',
            "two letters of the country whose citizens are not foreigners, such as `DE`. Sets `jurisdiction` "
            "too, unless that is given",
        ),
        Setting(
            "age-bands",
            _age_bands,
            {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {
                    "type": "array",
                    "items": _AGE,
                    "minItems": 2,
                    "maxItems": 2,
                },
            },
            "young 18–34, middle 35–54, elder from 55",
            "table: group = [lowest, highest] age",
        ),
        Setting(
            "lawful-ages",
            _read_ages,
            {"type": "array", "items": _AGE},
            "the vocabulary's",
            "ages that the law sets, instead of the known ones; a cut-off there is not reported",
        ),
        Setting(
            "attributes",
            _read_attributes,
            {"$ref": "#/$defs/attributes"},
            "none",
            "tables that add, change, rename or disable attributes",
        ),
        Setting("vocabulary", _read_strings, _TEXTS, "[]", "more TOML files with such tables", is_path=True),
        Setting(
            "library-models",
            _read_strings,
            _TEXTS,
            "[]",
            "files that describe the functions of your own libraries "
            "([library-models.md](library-models.md))",
            is_path=True,
        ),
        Setting(
            "exclude",
            _read_strings,
            _TEXTS,
            "caches, virtual environments and the like",
            "patterns of paths to skip, instead of the default",
        ),
        Setting("extend-exclude", _read_strings, _TEXTS, "none", "patterns of paths to skip in addition"),
        _flag_setting(
            "force-exclude", "false", "skip excluded files even if they are named on the command line"
        ),
        _flag_setting("respect-gitignore", "true", "skip files that git ignores"),
        Setting(
            "baseline",
            _name_of("file"),
            {"type": "string"},
            "`fairlint-baseline.jsonl`, if it exists",
            "the file of known findings; empty for none",
            is_path=True,
        ),
        Setting(
            "max-file-size",
            _read_size,
            {"anyOf": [{"type": "integer", "minimum": 1}, _SIZE]},
            '"5 MB"',
            "larger files are not analysed",
        ),
        _seconds_setting(
            "file-timeout",
            "30",
            "CPU seconds for a file, or ten times as many by the clock; 0 for no limit",
        ),
        Setting(
            "file-steps",
            _read_steps,
            {"type": "integer", "minimum": 1},
            "250000",
            "statements and expressions evaluated in one file; analysis stops at the same line each time",
        ),
        Setting(
            "file-memory",
            read_memory,
            {"anyOf": [{"type": "integer", "minimum": LEAST_MEMORY}, {"enum": [0, "0"]}, _SIZE]},
            '"2 GB"',
            "memory that the analysis of one file may take, on Linux: 20 MB or more, or 0 for no limit",
        ),
        Setting(
            "file-nesting",
            _read_levels,
            {"type": "integer", "minimum": 1, "maximum": DEFAULT_FILE_NESTING},
            "180",
            "levels that code, and the JSON and SQL in it, may nest; at most 180",
        ),
        _seconds_setting(
            "timeout", "0", "seconds after which the run ends and lists the remaining files; 0 for no limit"
        ),
        Setting(
            "jobs",
            _read_jobs,
            {"type": "integer", "minimum": 0},
            "0",
            "number of processes; 0 for one per core, at most 8",
        ),
        Setting(
            "cache-dir",
            _name_of("folder"),
            {"type": "string"},
            "`.fairlint_cache` next to the configuration",
            "the folder of the cache; empty for none",
            is_path=True,
        ),
    )
}
"""All keys, in the order in which they are told."""
READERS: Mapping[str, Callable[[object], Any]] = {key: one.read for key, one in SETTINGS.items()}
"""Key of the configuration file -> what turns its value into the field's, or says in a ValueError why not."""


def keys_of(names: Sequence[str]) -> str:
    """Fields as keys, for a sentence."""
    return ", ".join(f"`{key_of(name)}`" for name in names)
