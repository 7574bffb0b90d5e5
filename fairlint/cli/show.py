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
from fairlint.reporters.encoding import encode_json, without_surrogates
from fairlint.reporters.printable import printable
from fairlint.reporters.summary import count_with_noun
from fairlint.sources.discovery import discover
from fairlint.sources.files_to_check import NOTEBOOK, shown_path
from fairlint.sources.notebooks import OUTPUTS_SHARE
from fairlint.support.errors import UsageError
from fairlint.support.files import MAX_FILE_SIZE, too_large
from fairlint.syntax.registry import languages

if TYPE_CHECKING:
    from fairlint.sources.files_to_check import Discovery, File

VERSION = 1
"""Of the JSON form."""
FORMATS = ("text", "json")
_NO_KEYS = frozenset({"extends", "extend-select", "extend-ignore"})
"""What is part of the values of other keys when all is read."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""


def show_settings(paths: Sequence[str], configurations: Configurations, form: str | None) -> int:
    """Return each setting in force for each path, with its value and where that comes from."""
    shown = [(path, _settings_for(path, configurations)) for path in sorted(set(paths))]
    if _check_form(form) == "json":
        entries = [{"path": without_surrogates(shown_path(path)), **in_force(one)} for path, one in shown]
        write_stdout(encode_json({"version": VERSION, "paths": entries}))
    else:
        write_stdout(
            f"{line}\n" for at, (path, one) in enumerate(shown) for line in _toml_lines(path, one, at)
        )
    return 0


def in_force(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON: their file, and each value with where it comes from."""
    return {"configuration": _configuration_path(settings), "settings": _settings_facts(settings)}


def show_files(paths: Sequence[str], configurations: Configurations, form: str | None) -> int:
    """Return the files that would be checked, each with its configuration, and what is left out and why."""
    is_json = _check_form(form) == "json"
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
            {
                "path": without_surrogates(one.shown),
                "language": one.language,
                "configuration": _configuration_path(one.settings),
            }
            for one in checked
        ]
        out = [{"path": without_surrogates(path), "reason": reason} for path, reason in left]
        write_stdout(encode_json({"version": VERSION, "files": entries, "left_out": out}))
    else:
        write_stdout(_file_lines(checked, left, found))
    return 0


def _check_form(form: str | None) -> str:
    if form not in {None, *FORMATS}:
        raise UsageError(f"--show-settings and --show-files know the formats {' and '.join(FORMATS)}")
    return form or "text"


def _settings_for(path: str, configurations: Configurations) -> Settings:
    if not os.path.lexists(path):
        raise UsageError(f"{path}: no such file or folder")
    real = os.path.realpath(path)
    return configurations.of(real if os.path.isdir(real) else os.path.dirname(real))  # noqa: PTH112, PTH120 (as everywhere)


def _configuration_path(settings: Settings) -> str | None:
    return None if settings.source is None else without_surrogates(shown_path(str(settings.source)))


# ------------------------------------------------------------------------------------------------ settings


def _toml_lines(path: str, settings: Settings, at: int) -> Iterator[str]:
    """TOML with comments: what it says could stand in a configuration file."""
    if at:
        yield ""
    origin = _configuration_path(settings) or "no configuration file"
    yield f"# {printable(shown_path(path))}: {printable(origin)}"
    for setting in _file_settings():
        value = _value_in_force(setting, settings)
        origin = printable(", ".join(_setting_origins(setting, settings)) or _default_text(setting, value))
        if value is None:
            yield f"# {setting.key}: {origin}"
        else:
            yield f"{setting.key} = {_toml_value(value)}  # {origin}"


def _file_settings() -> list[Setting]:
    return [one for one in SETTINGS.values() if one.key not in _NO_KEYS]


def _default_text(setting: Setting, value: object) -> str:
    if setting.key == "min-severity" and value != default_of(setting):
        return "all that `fail-on` counts"
    if setting.key == "jurisdiction" and value != default_of(setting):
        return "that of `home-country`"
    return "default" if default_of(setting) is not None else f"default: {setting.default}"


def _settings_facts(settings: Settings) -> dict[str, Any]:
    return {
        one.key: {
            "value": _json_value(_value_in_force(one, settings)),
            "origins": _setting_origins(one, settings),
            "scope": "run" if one.is_run_wide else "file",
        }
        for one in _file_settings()
    }


def _setting_origins(setting: Setting, settings: Settings) -> list[str]:
    """Return where a value comes from, the last has the last word; empty for the default."""
    known = settings.origins.get(setting.key, ())
    return [without_surrogates(shown_path(one) if os.path.isabs(one) else one) for one in known]  # noqa: PTH117 (as above)


def _value_in_force(setting: Setting, settings: Settings) -> Any:
    """Return what is in force, in the form of the file; None for what no file can say."""
    value = getattr(settings, setting.name)
    if setting.key == "attributes":
        return _merge_attribute_tables(settings)
    if setting.key in {"vocabulary", "library-models"}:
        return [shown_path(str(one)) for one in value if not isinstance(one, Mapping)]
    if setting.key == "jurisdiction":
        return settings.law
    if setting.key == "age-bands" and not value:
        return None
    if setting.key == "per-file-ignores":  # with those that have ended, as the file has them
        return {key: _ignore_entry(rules) for key, rules in {**value, **settings.ended_ignores}.items()}
    return value


def _ignore_entry(rules: tuple[str, ...]) -> Any:
    """Rules that are silent somewhere, with their last day where they have one."""
    if not isinstance(rules, EndingRules):
        return rules
    reason = {"reason": rules.reason} if rules.reason else {}
    return {"rules": [*rules], "until": rules.until, **reason}


def _merge_attribute_tables(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the tables of the file and of those that it extends, as one."""
    merged: dict[str, dict[str, Any]] = {}
    inherited = [one.get("attributes", {}) for one in settings.vocabulary if isinstance(one, Mapping)]
    for tables in (*inherited, settings.attributes):
        for name, table in tables.items():
            merged[name] = {**merged.get(name, {}), **table}
    return merged


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _json_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(one) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return without_surrogates(value) if isinstance(value, str) else value


def _toml_value(value: Any) -> str:
    """Return a value on one line of TOML."""
    if isinstance(value, Mapping):
        entries = ", ".join(f"{_toml_key(str(key))} = {_toml_value(one)}" for key, one in value.items())
        return f"{{ {entries} }}" if entries else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) and value.is_integer() else repr(value)
    return _toml_string(str(value))


def _toml_key(text: str) -> str:
    return text if _BARE.fullmatch(text) else _toml_string(text)


def _toml_string(text: str) -> str:
    """Return a text as TOML writes it."""
    import json  # noqa: PLC0415 (few ask)

    return json.dumps(text, ensure_ascii=not text.isprintable())


# --------------------------------------------------------------------------------------------------- files


def _too_large(file: File) -> str:
    """Return why a file would not be read; empty where it would."""
    limit = file.settings.max_file_size
    most = limit * OUTPUTS_SHARE if file.language == NOTEBOOK else limit
    try:
        return too_large(limit, MAX_FILE_SIZE) if os.stat(file.path).st_size > most else ""  # noqa: PTH116 (as above)
    except OSError as error:
        return str(error.strerror)


def _file_lines(files: Sequence[File], left: Sequence[tuple[str, str]], found: Discovery) -> Iterator[str]:
    wide = max((len(one.shown) for one in files), default=0)
    for one in files:
        configuration = printable(_configuration_path(one.settings) or "no configuration file")
        yield f"{printable(one.shown):<{wide}}  {configuration}\n"
    if left:
        yield "\nleft out:\n"
        wide = max(len(path) for path, _ in left)
        yield from (f"{printable(path):<{wide}}  {printable(reason)}\n" for path, reason in left)
    others = f", {found.unknown} of no known language" if found.unknown else ""
    yield f"\n{count_with_noun(len(files), 'file')}, {len(left)} left out{others}.\n"
