"""`--show-settings` and `--show-files`: what is in force for a path and why, and what would be checked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from fairlint.cli.output import write_stdout
from fairlint.config import Configurations, Settings
from fairlint.config.schema import default_of
from fairlint.config.settings import EndingRules
from fairlint.config.table import SETTINGS, Setting
from fairlint.reporters.encoding import encoded, well_formed
from fairlint.reporters.printable import printable
from fairlint.reporters.summary import counted
from fairlint.sources.discovery import NOTEBOOK, discover, shown_path
from fairlint.sources.notebooks import OUTPUTS_SHARE
from fairlint.support.errors import UsageError
from fairlint.support.files import MAX_FILE_SIZE, too_large
from fairlint.syntax.registry import languages

if TYPE_CHECKING:
    from fairlint.sources.discovery import Discovery, File

VERSION = 1
"""Of the JSON form."""
FORMATS = ("text", "json")
_NO_KEYS = frozenset({"extends", "extend-select", "extend-ignore"})
"""What is part of the values of other keys when all is read."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""


def show_settings(paths: Sequence[str], configurations: Configurations, form: str | None) -> int:
    """Each setting in force for each path, with its value and where that comes from."""
    shown = [(path, _settings_for(path, configurations)) for path in sorted(set(paths))]
    if _form(form) == "json":
        entries = [{"path": well_formed(shown_path(path)), **in_force(one)} for path, one in shown]
        write_stdout(encoded({"version": VERSION, "paths": entries}))
    else:
        write_stdout(f"{line}\n" for at, (path, one) in enumerate(shown) for line in _told(path, one, at))
    return 0


def in_force(settings: Settings) -> dict[str, Any]:
    """Settings as JSON: their file, and each value with where it comes from."""
    return {"configuration": _file(settings), "settings": _facts(settings)}


def show_files(paths: Sequence[str], configurations: Configurations, form: str | None) -> int:
    """The files that would be checked, each with its configuration, and what is left out and why."""
    is_json = _form(form) == "json"
    found = discover(paths, configurations, languages().values(), tells=True)
    files = [(file, reason) for file in found.files for reason in [_too_large(file)]]
    left = sorted(
        {
            *found.left_out,
            *((one.path, one.reason) for one in found.skipped),
            *((file.shown, reason) for file, reason in files if reason),
        }
    )
    checked = [file for file, reason in files if not reason]
    if is_json:
        entries = [
            {"path": well_formed(one.shown), "language": one.language, "configuration": _file(one.settings)}
            for one in checked
        ]
        out = [{"path": well_formed(path), "reason": reason} for path, reason in left]
        write_stdout(encoded({"version": VERSION, "files": entries, "left_out": out}))
    else:
        write_stdout(_listed(checked, left, found))
    return 0


def _form(form: str | None) -> str:
    if form not in {None, *FORMATS}:
        raise UsageError(f"--show-settings and --show-files know the formats {' and '.join(FORMATS)}")
    return form or "text"


def _settings_for(path: str, configurations: Configurations) -> Settings:
    if not os.path.lexists(path):
        raise UsageError(f"{path}: no such file or folder")
    real = os.path.realpath(path)
    return configurations.of(real if os.path.isdir(real) else os.path.dirname(real))  # noqa: PTH112, PTH120 (as everywhere)


def _file(settings: Settings) -> str | None:
    return None if settings.source is None else well_formed(shown_path(str(settings.source)))


# ------------------------------------------------------------------------------------------------ settings


def _told(path: str, settings: Settings, at: int) -> Iterator[str]:
    """TOML with comments: what it says could stand in a configuration file."""
    if at:
        yield ""
    yield f"# {printable(shown_path(path))}: {printable(_file(settings) or 'no configuration file')}"
    for setting in _settings():
        value = _value(setting, settings)
        origin = printable(", ".join(_origins(setting, settings)) or _default(setting, value))
        if value is None:
            yield f"# {setting.key}: {origin}"
        else:
            yield f"{setting.key} = {_toml(value)}  # {origin}"


def _settings() -> list[Setting]:
    return [one for one in SETTINGS.values() if one.key not in _NO_KEYS]


def _default(setting: Setting, value: object) -> str:
    if setting.key == "min-severity" and value != default_of(setting):
        return "all that `fail-on` counts"
    if setting.key == "jurisdiction" and value != default_of(setting):
        return "that of `home-country`"
    return "default" if default_of(setting) is not None else f"default: {setting.default}"


def _facts(settings: Settings) -> dict[str, Any]:
    return {
        one.key: {
            "value": _plain(_value(one, settings)),
            "origins": _origins(one, settings),
            "scope": "run" if one.is_run_wide else "file",
        }
        for one in _settings()
    }


def _origins(setting: Setting, settings: Settings) -> list[str]:
    """Where a value comes from, the last has the last word; empty for the default."""
    known = settings.origins.get(setting.key, ())
    return [well_formed(shown_path(one) if os.path.isabs(one) else one) for one in known]  # noqa: PTH117 (as above)


def _value(setting: Setting, settings: Settings) -> Any:
    """What is in force, in the form of the file; None for what no file can say."""
    value = getattr(settings, setting.name)
    if setting.key == "attributes":
        return _attributes(settings)
    if setting.key in {"vocabulary", "library-models"}:
        return [shown_path(str(one)) for one in value if not isinstance(one, Mapping)]
    if setting.key == "jurisdiction":
        return settings.law
    if setting.key == "age-bands" and not value:
        return None
    if setting.key == "per-file-ignores":  # with those that have ended, as the file has them
        return {key: _entry(rules) for key, rules in {**value, **settings.ended_ignores}.items()}
    return value


def _entry(rules: tuple[str, ...]) -> Any:
    """Rules that are silent somewhere, with their last day where they have one."""
    if not isinstance(rules, EndingRules):
        return rules
    reason = {"reason": rules.reason} if rules.reason else {}
    return {"rules": [*rules], "until": rules.until, **reason}


def _attributes(settings: Settings) -> dict[str, dict[str, Any]]:
    """The tables of the file and of those that it extends, as one."""
    merged: dict[str, dict[str, Any]] = {}
    inherited = [one.get("attributes", {}) for one in settings.vocabulary if isinstance(one, Mapping)]
    for tables in (*inherited, settings.attributes):
        for name, table in tables.items():
            merged[name] = {**merged.get(name, {}), **table}
    return merged


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return well_formed(value) if isinstance(value, str) else value


def _toml(value: Any) -> str:
    """A value on one line of TOML."""
    if isinstance(value, Mapping):
        entries = ", ".join(f"{_key(str(key))} = {_toml(one)}" for key, one in value.items())
        return f"{{ {entries} }}" if entries else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) and value.is_integer() else repr(value)
    return _quoted(str(value))


def _key(text: str) -> str:
    return text if _BARE.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    """A text as TOML writes it."""
    import json  # noqa: PLC0415 (few ask)

    return json.dumps(text, ensure_ascii=not text.isprintable())


# --------------------------------------------------------------------------------------------------- files


def _too_large(file: File) -> str:
    """Why a file would not be read; empty where it would."""
    limit = file.settings.max_file_size
    most = limit * OUTPUTS_SHARE if file.language == NOTEBOOK else limit
    try:
        return too_large(limit, MAX_FILE_SIZE) if os.stat(file.path).st_size > most else ""  # noqa: PTH116 (as above)
    except OSError as error:
        return str(error.strerror)


def _listed(files: Sequence[File], left: Sequence[tuple[str, str]], found: Discovery) -> Iterator[str]:
    wide = max((len(one.shown) for one in files), default=0)
    for one in files:
        configuration = printable(_file(one.settings) or "no configuration file")
        yield f"{printable(one.shown):<{wide}}  {configuration}\n"
    if left:
        yield "\nleft out:\n"
        wide = max(len(path) for path, _ in left)
        yield from (f"{printable(path):<{wide}}  {printable(reason)}\n" for path, reason in left)
    others = f", {found.unknown} of no known language" if found.unknown else ""
    yield f"\n{counted(len(files), 'file')}, {len(left)} left out{others}.\n"
