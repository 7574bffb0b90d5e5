"""Reads a configuration file, and those that it extends, into Settings.

What a file says counts more than what it extends, and of several that it extends, the later counts more. Most
values replace others; tables are merged key by key, and what adds words or patterns adds to what is there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlint.config.settings import NAMES, EndingRules, PathPattern, Settings
from fairlint.config.table import READERS, SETTINGS
from fairlint.config.toml_files import read_bytes, read_toml_file
from fairlint.support import days
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.files import leads_out, repository_of
from fairlint.support.records import Record

LONGEST_KEY = 60
"""Characters of a wrong key that a message repeats."""
MOST_EXTENDED = 30
"""Files that one configuration may go on from, all chains together."""
_PACKAGE = re.compile(r"(?P<package>[A-Za-z_]\w+(?:\.\w+)*):(?P<file>[^:]+)")
_TABLE = b"fairlint"
"""Without it in its bytes, a pyproject.toml says nothing to us, and it need not be read as TOML."""
_MISSPELT = re.compile(rb"^\s*\[\s*tool\s*\.\s*\"?fa[\w-]+\"?\s*[\].]", re.MULTILINE)
"""A table that may be meant for us."""
NEAR_TABLE = 0.85
"""How alike the name of a table and ours have to be for it to be ours."""
_MERGED = frozenset({"per-file-ignores", "severity"})
_ADDED = frozenset({"extend-exclude", "vocabulary", "library-models"})
_ADDED_TO = {"extend-select": "select", "extend-ignore": "ignore"}
_PATTERNS = frozenset({"exclude", "extend-exclude", "per-file-ignores"})
_TABLES = {"tool": "tool.fairlint", "fairlint": "fairlint"}
"""Names of tables that other files have around the keys."""
_FILES = ("vocabulary", "library-models")


class Found(Record):
    """A configuration file, and what it says where that had to be read to know that it is one."""

    path: Path
    data: dict[str, Any] | None = None


def file_in(folder: str, within: str = "") -> Found | None:
    """Return the configuration file that stands in a folder; a UsageError where it is none that can be read,
    or leads out of `within`, else out of its repository.
    """
    for name in NAMES:
        file = Path(folder) / name
        if not os.path.lexists(file):
            continue
        _keep_inside(file, within or repository_of(folder), str(file))
        if name == NAMES[0]:
            return Found(file)
        if _TABLE in (written := read_bytes(file)) or _MISSPELT.search(written):
            data = read_toml_file(file)
            if "fairlint" in _nested_table(data, "tool"):
                return Found(file, data)
            _check_tables(file, data)
    return None


def _check_tables(file: Path, data: Mapping[str, Any]) -> None:
    """Raise UsageError where a table is meant for fairlint and is not called so: nothing in it
    would count.
    """
    wrong = [
        f"tool.{name}"
        for name in _nested_table(data, "tool")
        if did_you_mean(name, ["fairlint"], least=NEAR_TABLE)
    ]
    wrong += ["fairlint"] if isinstance(data.get("fairlint"), dict) else []
    if wrong:
        raise UsageError(f"{file}: the table is called [tool.fairlint] here, not [{wrong[0]}]")


def read(path: Path, *, is_named: bool, data: dict[str, Any] | None = None, within: str = "") -> Settings:
    """Return the settings that a file and all that it extends give; `data` is what it says, where that is
    known. What it names has to lie in `within`, else in its repository where nobody has named the file.
    """
    folder = path.absolute().parent
    limit = "" if is_named else within or repository_of(str(folder))
    origin = _File(path, str(path), str(folder), limit, data, takes_packages=not within)
    merged = _Merged(str(folder))
    for layer in _file_layers(origin, (), []):
        merged.add(layer)
    ended = _expired_ignores(merged.values.get("per_file_ignores", {}))
    if ended:
        silent = merged.values["per_file_ignores"]
        merged.values["per_file_ignores"] = {key: silent[key] for key in silent if key not in ended}
        merged.values["ended_ignores"] = ended
    return Settings(**merged.values, origins=merged.origins, root=folder, source=path)


def _expired_ignores(silent: Mapping[str, tuple[str, ...]]) -> dict[str, EndingRules]:
    """Return the entries of `per-file-ignores` whose last day is over."""
    ending = {key: rules for key, rules in silent.items() if isinstance(rules, EndingRules)}
    day = days.today() if ending else ""
    return {key: rules for key, rules in ending.items() if rules.until < day}


class _File(Record):
    """A file to read: what messages call it, and what its patterns are relative to."""

    path: Path
    title: str
    base: str
    limit: str
    """The folder that nothing which it names may lead out of; empty where it may lead anywhere."""
    data: dict[str, Any] | None = None
    """What it says, where it was read already."""
    takes_packages: bool = True
    """Whether it may go on from a file of an installed package."""


class _Layer(Record):
    """What one file says, checked."""

    file: _File
    values: Mapping[str, Any]
    """By the keys of the file."""


def _file_layers(file: _File, above: tuple[_File, ...], seen: list[str]) -> Iterator[_Layer]:
    """Yield the file's own layer, and before it those of the files that it extends."""
    seen.append(file.title)
    if len(seen) > MOST_EXTENDED:
        raise UsageError(f"{above[0].path}: 'extends' leads to more than {MOST_EXTENDED} files")
    values, prefix = _read_values(file)
    for name in values.pop("extends", ()):
        told = f"{file.path}: '{prefix}extends' → '{name}'"
        base = _resolve_extension(name, file, told)
        chain = (*above, file)
        if any(_is_same_file(base.path, one.path) for one in chain):
            first = next(at for at, one in enumerate(chain) if _is_same_file(base.path, one.path))
            way = " → ".join(one.title for one in (*chain[first:], base))
            raise UsageError(f"{told} goes in a circle: {way}")
        yield from _file_layers(base, chain, seen)
    yield _Layer(file, values)


def _is_same_file(path: Path, other: Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _read_values(file: _File) -> tuple[dict[str, Any], str]:
    """Return what a file says by its keys, and what its keys begin with."""
    data = read_toml_file(file.path) if file.data is None else file.data
    prefix = ""
    if file.path.name == NAMES[1]:
        data, prefix = _nested_table(_nested_table(data, "tool"), "fairlint"), "tool.fairlint."
    values: dict[str, Any] = {}
    for key, value in data.items():
        reader = READERS.get(key)
        if reader is None and key in _TABLES and not prefix:
            told = f"{file.path}: the keys stand without the table '[{_TABLES[key]}]' in this file"
            raise UsageError(told)
        if reader is None:
            shown = key if len(key) <= LONGEST_KEY else f"{key[:LONGEST_KEY]}…"
            known = did_you_mean(key, READERS, 1) or f"; known keys are {', '.join(sorted(READERS))}"
            raise UsageError(f"{file.path}: unknown key '{prefix}{shown}'{known}")
        try:
            values[key] = reader(value)
        except ValueError as error:
            raise UsageError(f"{file.path}: '{prefix}{key}' {error}") from None
    folder = file.path.absolute().parent
    for key, value in values.items():
        if SETTINGS[key].is_path:
            for name in filter(None, [value] if isinstance(value, str) else value):
                _keep_inside(folder / name, file.limit, f"{file.path}: '{prefix}{key}' → '{name}'")
    for key in _FILES:
        if key in values:
            values[key] = tuple(folder / name for name in values[key])
    return values, prefix


def _resolve_extension(name: str, file: _File, told: str) -> _File:
    """Return the file that another extends."""
    package = _PACKAGE.fullmatch(name)
    if package is not None and not file.takes_packages:
        raise UsageError(f"{told} names an installed package, which is no part of the repository")
    if package is not None:
        return _in_package(package["package"], package["file"], file, told)
    path = file.path.absolute().parent / name
    _keep_inside(path, file.limit, told)
    if not os.path.lexists(path):
        raise UsageError(f"{told}: there is no such file")
    path = Path(os.path.normpath(path))
    base = file.base if file.title != str(file.path) else str(path.parent)
    return _File(path, _title_beside(path, file), base, file.limit, takes_packages=file.takes_packages)


def _title_beside(path: Path, file: _File) -> str:
    """Return what messages call a file that another extends: by its package where that is in one."""
    package, colon, _ = file.title.partition(":")
    if colon and file.title != str(file.path):
        return f"{package}:{os.path.relpath(path, file.limit)}"
    return str(path)


def _in_package(package: str, name: str, file: _File, told: str) -> _File:
    """Return a file of an installed package, which is looked for and not imported."""
    from importlib.util import find_spec  # noqa: PLC0415 (few configurations name one)

    top, *below = package.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise UsageError(f"{told}: no package '{top}' is installed")
    for location in spec.submodule_search_locations:
        path = Path(location, *below, name)
        if os.path.lexists(path):
            limit = os.path.realpath(location)
            _keep_inside(path, limit, told, "its package")
            return _File(path, f"{package}:{name}", file.base, limit)
    raise UsageError(f"{told}: the package has no such file")


class _Merged:
    """The values of several layers by the fields of Settings, and where each comes from."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.values: dict[str, Any] = {}
        self.origins: dict[str, tuple[str, ...]] = {}

    def add(self, layer: _Layer) -> None:
        """Put a layer over those that are there."""
        if "vocabulary" in layer.values or "attributes" in layer.values:
            self._keep_attributes()
        for key in READERS:
            if key in layer.values:
                self._merge_value(
                    key, self._resolve_paths(key, layer.values[key], layer.file.base), layer.file.title
                )

    def _merge_value(self, key: str, value: Any, origin: str) -> None:
        target = _ADDED_TO.get(key, key)
        name = target.replace("-", "_")
        known = self.values.get(name)
        if key == "extend-select" and not known:
            return  # all are selected
        adds = False
        if known is not None:
            adds = key in _MERGED or key in _ADDED or key in _ADDED_TO
            if key in _MERGED:
                value = {**{one: known[one] for one in known if one not in value}, **value}
            elif adds:
                value = (*known, *value)
        self.values[name] = value
        before = self.origins.get(target, ()) if adds or target == "attributes" else ()
        self.origins[target] = (*(one for one in before if one != origin), origin)

    def _keep_attributes(self) -> None:
        """Hand the attribute tables of lower layers on as if a file had held them."""
        tables = self.values.pop("attributes", None)
        if tables:
            self.values["vocabulary"] = (*self.values.get("vocabulary", ()), {"attributes": tables})

    def _resolve_paths(self, key: str, value: Any, base: str) -> Any:
        """Return a value with what is relative to the file's own folder."""
        if base == self._root:
            return value
        if key in {"baseline", "cache-dir"} and value:
            return os.path.join(base, value)  # noqa: PTH118 (a path as the user writes it)
        if key not in _PATTERNS:
            return value
        if isinstance(value, Mapping):
            return {PathPattern(pattern, base): rules for pattern, rules in value.items()}
        return tuple(PathPattern(pattern, base) for pattern in value)


def _keep_inside(path: Path, limit: str, told: str, what: str = "") -> None:
    if not limit:
        return
    try:
        if not leads_out(path, limit):
            return
    except ValueError as error:
        raise UsageError(f"{told} is no path: {error}") from None
    hint = "" if what else "; name the configuration with --config if that is meant"
    raise UsageError(f"{told} leads out of {what or limit}{hint}")


def _nested_table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}
