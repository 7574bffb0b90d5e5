"""Settings: what a user wants checked, from `fairlint.toml`, `pyproject.toml` or the command line."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fairlint.files import LARGEST_SETTINGS, NotReadableError, leads_out, read_file, repository_of
from fairlint.findings import SEVERITIES, Severity
from fairlint.records import Record, field, replace

if TYPE_CHECKING:  # start-up: a run without a configuration file needs no paths
    from pathlib import Path

JURISDICTIONS = ("all", "us", "eu", "uk")
DOMAINS = ("all", "hiring", "credit", "housing", "education", "health", "justice", "insurance")
PERSONAS = ("developer", "auditor")
DEFAULT_MAX_FILE_SIZE = 5_000_000
DEFAULT_FILE_TIMEOUT = 30.0
DEFAULT_FILE_STEPS = 500_000
DEFAULT_FILE_MEMORY = 2_000_000_000
LONGEST_KEY = 60
"""Characters of a wrong key that a message repeats."""
LONGEST = 1_000_000.0
"""The longest time limit in seconds; what is much longer no timer takes."""
MOST_PARTS = 100
"""Parts of a key with dots: each key of a table takes as many steps as the name of the table has parts."""
_LONG_KEY = (
    r"""(?m)^[ \t]*\[{0,2}(?:[ \t]*(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.)"""
    rf"{{{MOST_PARTS}}}"
)
SIZE_UNITS = {"": 1, "B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}


class UsageError(Exception):
    """Something the user asked for cannot be done. The message is one clear line."""


class Settings(Record, slots=False):
    """Everything a run can be told. Fields are named as the configuration file's keys, `-` written `_`."""

    select: tuple[str, ...] = ()
    """Codes, prefixes of codes or names of the rules to apply; empty means all."""
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Path pattern, as in `.gitignore` and relative to `root` -> rules that stay silent there."""
    exclude: tuple[str, ...] | None = None
    """Patterns of paths to leave out, instead of the built-in ones; None keeps those."""
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    """Leave excluded files out even where they are named one by one."""
    respect_gitignore: bool = True
    min_severity: Severity = "warning"
    fail_on: Severity = "warning"
    persona: str = "developer"
    """Who reads the report: an auditor is shown what is a note for its context alone, too."""
    jurisdiction: str = "all"
    domain: str = "all"
    age_bands: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Age group -> its lowest and highest age, both inclusive; empty keeps the vocabulary's own."""
    lawful_ages: tuple[float, ...] | None = None
    """Ages that the law itself sets; None keeps the vocabulary's own."""
    attributes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The user's attribute tables, as `Vocabulary.extended` reads them."""
    vocabulary: tuple[Path, ...] = ()
    """More TOML files with attribute tables."""
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
    timeout: float = 0.0
    """Seconds after which the run ends, and what is left is named; 0 is never."""
    root: str | os.PathLike[str] = field(default_factory=os.getcwd)
    """The folder that patterns are relative to: where the configuration file stands."""
    source: Path | None = None
    """The configuration file these settings came from."""

    def with_changes(self, **changes: Any) -> Settings:
        """A copy with some fields replaced; a change to None is no change."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})

    def vocabulary_tables(self) -> tuple[Mapping[str, Any], ...]:
        """What `Vocabulary.extended` is given: the tables of `vocabulary` files, then the user's own."""
        tables: list[Mapping[str, Any]] = [_read_toml(path) for path in self.vocabulary]
        if self.attributes:
            tables.append({"attributes": self.attributes})
        return tuple(tables)

    def library_tables(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The user's models of libraries: each file with what it says."""
        return tuple((str(path), _read_toml(path)) for path in self.library_models)


def load_settings(
    paths: Sequence[str | Path] = (), *, config: str | Path | None = None, isolated: bool = False
) -> Settings:
    """The settings for a run over `paths`.

    `config` names the file to read; otherwise it is the nearest `fairlint.toml`, or `pyproject.toml` with a
    `[tool.fairlint]` table, in or above the first path (the current folder without paths).
    `isolated` reads none. A file that was not named may be a stranger's, like the code beside it: neither it
    nor what it names may lead out of its repository.
    """
    if config is not None:
        from pathlib import Path  # noqa: PLC0415 (start-up)

        return read_config(Path(config))
    if isolated:
        return Settings()
    found = find_config(paths[0] if paths else "")
    return read_config(found, is_named=False) if found else Settings()


def find_config(start: str | Path) -> Path | None:
    """The configuration file in force for `start`: the nearest, `fairlint.toml` before `pyproject.toml`."""
    folder = os.path.join(os.getcwd(), start)  # noqa: PTH109, PTH118 (start-up)
    while True:
        for name in ("fairlint.toml", "pyproject.toml"):
            file = os.path.join(folder, name)  # noqa: PTH118 (as above)
            if not os.path.isfile(file):  # noqa: PTH113 (as above)
                continue
            from pathlib import Path  # noqa: PLC0415 (as above)

            _keep_inside(Path(file), repository_of(folder), file)
            if name == "fairlint.toml" or "fairlint" in _table(_read_toml(Path(file)), "tool"):
                return Path(file)
        above = os.path.dirname(folder)  # noqa: PTH120 (as above)
        if above == folder:
            return None
        folder = above


def read_config(path: Path, *, is_named: bool = True) -> Settings:
    """The settings written in one file. Anything wrong with it is a UsageError that names file and key.

    `is_named` says that a person has asked for it, and so for all files that it names.
    """
    data = _read_toml(path)
    prefix = ""
    if path.name == "pyproject.toml":
        data, prefix = _table(_table(data, "tool"), "fairlint"), "tool.fairlint."
    values: dict[str, Any] = {}
    for key, value in data.items():
        reader = READERS.get(key)
        if reader is None:
            shown = key if len(key) <= LONGEST_KEY else f"{key[:LONGEST_KEY]}…"
            raise UsageError(f"{path}: unknown key '{prefix}{shown}'{_suggestion(key, READERS)}")
        try:
            values[key.replace("-", "_")] = reader(value)
        except ValueError as error:
            raise UsageError(f"{path}: '{prefix}{key}' {error}") from None
        except RecursionError:
            raise UsageError(f"{path}: '{prefix}{key}' is nested too deeply") from None
    folder = path.absolute().parent
    for key in ("vocabulary", "library-models"):
        field_name = key.replace("-", "_")
        values[field_name] = tuple(folder / name for name in values.get(field_name, ()))
        if not is_named and values[field_name]:
            repository = repository_of(str(folder))
            for file in values[field_name]:
                _keep_inside(file, repository, f"{path}: '{prefix}{key}' → '{file}'")
    return Settings(**values, root=folder, source=path)


def _keep_inside(path: Path, repository: str, told: str) -> None:
    try:
        if not leads_out(path, repository):
            return
    except ValueError as error:
        raise UsageError(f"{told} is no path: {error}") from None
    raise UsageError(
        f"{told} leads out of {repository}; name the configuration with --config if that is meant"
    )


def _read_toml(path: Path) -> dict[str, Any]:
    import re  # noqa: PLC0415 (a run without a configuration file needs none)
    import tomllib  # noqa: PLC0415 (as above)

    try:
        text = read_file(path, LARGEST_SETTINGS).decode("utf-8-sig")
        if re.search(_LONG_KEY, text):
            raise UsageError(f"{path}: a key has more than {MOST_PARTS} parts")
        return tomllib.loads(text)
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text") from None
    except RecursionError:
        raise UsageError(f"{path}: is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"{path}: is not valid TOML: {error}") from None


def _table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _suggestion(key: str, known: Mapping[str, object] | Sequence[str]) -> str:
    import difflib  # noqa: PLC0415 (only where something is wrong)

    close = difflib.get_close_matches(key, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; known keys are {', '.join(sorted(known))}"


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {_shown(value)}")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be a list of strings, not {_shown(value)}")
    return tuple(value)


def _rules(value: object) -> tuple[str, ...]:
    rules = _strings(value)
    if any(not rule.strip() for rule in rules):
        raise ValueError("must not hold an empty string")
    return rules


def _one_of(allowed: Sequence[str]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}, not {_shown(value)}")
        return str(value)

    return read


def _per_file_ignores(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a table of pattern = [rules], not {_shown(value)}")
    result = {}
    for pattern, rules in value.items():
        try:
            result[pattern] = _rules(rules)
        except ValueError as error:
            raise ValueError(f"→ '{pattern}' {error}") from None
    return result


def _number(value: object) -> float:
    if isinstance(value, int) and abs(value) > LONGEST:  # it may be too large for any float
        raise ValueError(f"must hold numbers up to {LONGEST:,.0f}, not {_shown(value)}")
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"must hold numbers, not {_shown(value)}")
    return value


def _age_bands(value: object) -> dict[str, tuple[float, float]]:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be a table of group = [lowest, highest], not {_shown(value)}")
    bands = {}
    for group, limits in value.items():
        if not isinstance(limits, list) or len(limits) != 2:
            raise ValueError(f"→ '{group}' must be [lowest, highest], not {_shown(limits)}")
        low, high = _number(limits[0]), _number(limits[1])
        if low > high:
            raise ValueError(f"→ '{group}' begins at {low}, after its end at {high}")
        bands[group] = (low, high)
    ordered = sorted(bands.items(), key=lambda item: item[1])
    for (group, (_, high)), (following, (low, _)) in pairwise(ordered):
        if low <= high:
            raise ValueError(f"→ '{group}' and '{following}' overlap")
    return bands


def _ages(value: object) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise ValueError(f"must be a list of numbers, not {_shown(value)}")
    return tuple(_number(item) for item in value)


def _attributes(value: object) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
        raise ValueError(f"must be tables, one an attribute, not {_shown(value)}")
    return value


def _size(value: object) -> int:
    wanted = "must be a number of bytes, or text such as '5 MB'"
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    if isinstance(value, str):
        digits = value.strip().rstrip("kKmMgGbB ").strip()
        unit = value.strip()[len(digits) :].strip().upper()
        if digits.isascii() and digits.isdigit() and int(digits) > 0 and unit in SIZE_UNITS:
            return int(digits) * SIZE_UNITS[unit]
    raise ValueError(f"{wanted}, not {_shown(value)}")


def read_memory(value: object) -> int:
    """A size, or 0 for no limit."""
    return 0 if value in {0, "0"} and not isinstance(value, bool) else _size(value)


def read_steps(value: object) -> int:
    """A number of steps; a ValueError says what else `value` is."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"must be a whole number from 1 on, not {_shown(value)}")
    return value


def read_seconds(value: object) -> float:
    """A time limit; a ValueError says what else `value` is."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST:
        raise ValueError(f"must be a number of seconds, 0 for no limit, not {_shown(value)}")
    return float(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


READERS: Mapping[str, Callable[[object], Any]] = {
    "select": _rules,
    "ignore": _rules,
    "per-file-ignores": _per_file_ignores,
    "exclude": _strings,
    "extend-exclude": _strings,
    "force-exclude": _boolean,
    "respect-gitignore": _boolean,
    "min-severity": _one_of(SEVERITIES),
    "fail-on": _one_of(SEVERITIES),
    "persona": _one_of(PERSONAS),
    "jurisdiction": _one_of(JURISDICTIONS),
    "domain": _one_of(DOMAINS),
    "age-bands": _age_bands,
    "lawful-ages": _ages,
    "attributes": _attributes,
    "vocabulary": _strings,
    "library-models": _strings,
    "max-file-size": _size,
    "file-timeout": read_seconds,
    "file-steps": read_steps,
    "file-memory": read_memory,
    "timeout": read_seconds,
}
"""Key of the configuration file -> what turns its value into the field's, or says in a ValueError why not."""
