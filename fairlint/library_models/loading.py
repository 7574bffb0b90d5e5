"""Reads the models of libraries: those that come with fairlint, a user's own, and those of plugins."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from fairlint.plugins.guard import InvalidOfferError, PluginError, guest
from fairlint.semantics.names.library import DOES, EVERYWHERE, FIELD, IN_TABLES, KEYS, Entry, Library, Models
from fairlint.support.compiled_data import Lazy, load_or_compile, pack_values
from fairlint.support.records import Record
from fairlint.syntax import shipped_language

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 (start-up)
FILE_KEYS: Mapping[str, str] = {
    "package": "the package or packages that code imports",
    "language": "the language of the code",
    "about": "what code that imports it works with",
    "common": "where a bare name is evidence without an import",
    "usual": "what its modules are usually called where nothing is imported",
    "like": "packages all of whose names it has, too",
    "python": "the module of the functions that entries name",
    "functions": "what each function does",
    "methods": "what each method of a type does",
    "fields": "what each field of a type gives",
    "until": "the first release without a name, by that name",
    "examples": "Markdown whose code blocks are tests",
}
"""What a file may say → in words."""
ABOUT: Mapping[str, str] = {
    "tables": "data frames and their like",
    "models": "models that are taught",
    "numbers": "arrays of numbers",
    "prompts": "language models that are asked",
    "causes": "what comes of what",
    "audits": "what is done to groups",
    "charts": "charts that people look at",
    "tests": "tests of programs",
    "statutes": "taxes and benefits as the law has them",
    "actuaries": "policies of insurers, as actuaries project them",
    "simulations": "populations that are simulated",
    "language": "what all code does",
}
"""What code that imports a library may work with → in words."""
_PLACES = frozenset({"argument", "arguments", "features", "label", "weight", "keywords", "target"})
_LONGEST = 60
"""Characters of a text that an error shows."""
_TEXTS = frozenset({"op", "form", "way", "attribute", "returns", "python"})


class ModelError(ValueError):
    """A file of a model that cannot be used; the message names the key."""


@cache
def shipped_models() -> Models:
    """Return the models that come with fairlint."""
    return models(())


def models(
    of_plugins: Iterable[tuple[str, Mapping[str, Any], str]],
    of_users: Iterable[tuple[str, Mapping[str, Any]]] = (),
) -> Models:
    """Return the shipped models and those that are brought: a path and what the file says, and the plugin it
    is of.

    What is brought comes before what is shipped, entry by entry. Those of users may come with the code that
    is checked, and so name no code to run. Raises a ModelError that names the path.
    """
    kept = _load_compiled_models()
    libraries = Lazy(kept["libraries"], _restore_library)
    common: dict[str, list[str]] = kept["common"]
    usual = {**kept["usual"]}
    brought: dict[str, Library] = {}
    told = [
        *of_plugins,
        *((path, data, "") for path, data in of_users),
    ]
    for path, data, plugin in told:
        name = os.path.basename(path).removesuffix(".toml")  # noqa: PTH119 (start-up)
        try:
            plain = read(name, data)
            if not plugin and _names_code(plain):
                raise ModelError("'python' names code to run, which only a plugin may bring")
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from None
        for package in plain["packages"]:
            before = brought.get(package) or libraries.get(package)
            brought[package] = _merge_libraries(_restore_library({**plain, "name": package}, plugin), before)
        usual.update(plain["usual"])
        if plain["language"] or plain["common"]:
            known = common.setdefault(plain["language"], [])
            known.extend(package for package in plain["packages"] if package not in known)

    def load(package: str) -> Library | None:
        return brought.get(package) or libraries.get(package)

    def of_language(language: str) -> Iterator[Library]:
        return (found for name in common.get(language, ()) if (found := load(name)) is not None)

    return Models(load, of_language, usual)


def _load_compiled_models() -> Any:
    paths = sorted(
        os.path.join(HERE, name)  # noqa: PTH118 (start-up)
        for name in os.listdir(HERE)  # noqa: PTH208 (as above)
        if name.endswith(".toml")
    )
    return load_or_compile("models", (*paths, __file__), lambda: _build_models(paths))


def _build_models(paths: Iterable[str]) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 (start-up: the models are kept in compiled form)

    libraries: dict[str, Any] = {}
    common: dict[str, list[str]] = {}
    usual: dict[str, str] = {}
    for path in paths:
        name = os.path.basename(path).removesuffix(".toml")  # noqa: PTH119 (as above)
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 (as above)
            plain = read(name, tomllib.loads(file.read()))
        for package in plain["packages"]:
            has_python = os.path.exists(f"{path[:-5]}.py")  # noqa: PTH110 (as above)
            module = f"fairlint.library_models.{name}" if has_python else plain["python"]
            libraries[package] = {**plain, "name": package, "python": module}
        usual.update(plain["usual"])
        if plain["language"] or plain["common"]:
            common.setdefault(plain["language"], []).extend(plain["packages"][:1])
    return {"libraries": pack_values(libraries), "common": common, "usual": usual}


# ------------------------------------------------------------------------------------------------ one file


def read(name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what one file says, checked and in plain values; a ModelError names what is wrong with it."""
    for key in data:
        if key not in FILE_KEYS:
            raise ModelError(f"unknown key '{key}'; known are {', '.join(FILE_KEYS)}")
    entries: dict[str, list[tuple[tuple[str, ...], str, list[str], dict[str, Any]]]] = {}
    for said in _walk_entries(data):
        does, given = _parse_entry(said.key, said.told)
        for one in said.called.split(","):
            parts = tuple(one.strip().split("."))
            full = (*said.owner, *parts)
            last = f"{FIELD}{full[-1]}" if said.key.startswith("fields.") else full[-1]
            entries.setdefault(last, []).append((full[:-1], ".".join(full), does, given))
    packages = _check_texts("package", data.get("package", name))
    common = data.get("common", "")
    if common not in {"", EVERYWHERE, IN_TABLES}:
        raise ModelError(f"'common' must be '{EVERYWHERE}' or '{IN_TABLES}'")
    about = _check_texts("about", data.get("about", ()))
    if unknown := [one for one in about if one not in ABOUT]:
        raise ModelError(f"'about' has no '{unknown[0]}'; known are {', '.join(sorted(ABOUT))}")
    usual = _check_table("usual", data.get("usual", {}))
    _check_texts("usual", list(usual.values()))
    gone = _check_table("until", data.get("until", {}))
    _check_texts("until", list(gone.values()))
    named = {full.rpartition(".")[2] for found in entries.values() for _, full, *_ in found}
    if unknown := [one for one in gone if one not in named]:
        raise ModelError(f"'until' names '{unknown[0]}', of which nothing is said")
    return {
        "packages": packages,
        "usual": dict(usual),
        "language": _required_language(str(data.get("language", ""))),
        "about": about,
        "common": common,
        "like": _check_texts("like", data.get("like", ())),
        "python": str(data.get("python", "")),
        "entries": entries,
    }


def _names_code(plain: Mapping[str, Any]) -> bool:
    entries = (entry for found in plain["entries"].values() for entry in found)
    return bool(plain["python"]) or any("python" in given for *_, given in entries)


def _required_language(name: str) -> str:
    """Return what code is to be in so that names need no import; empty for languages that import what they
    use.
    """
    language = shipped_language(name)
    return name if language is None else language.conventions.libraries


class _WrittenEntry(Record):
    """An entry of a file: what it is of, its key, its name, and what is said of it."""

    owner: tuple[str, ...]
    key: str
    called: str
    told: Any


def _walk_entries(data: Mapping[str, Any]) -> Iterator[_WrittenEntry]:
    """Yield every entry of a file."""
    for called, told in _check_table("functions", data.get("functions", {})).items():
        yield _WrittenEntry((), f"functions.{called}", called, told)
    for kind in ("methods", "fields"):
        for types, members in _check_table(kind, data.get(kind, {})).items():
            for called, told in _check_table(f"{kind}.{types}", members).items():
                for type_ in types.split(","):
                    owner = tuple(type_.strip().split("."))
                    yield _WrittenEntry(owner, f"{kind}.{types}.{called}", called, told)


def _check_table(key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ModelError(f"'{key}' must be a table")
    return value


def _check_texts(key: str, value: Any) -> list[str]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise ModelError(f"'{key}' must be a text, or a list of texts")
    return list(found)


def _parse_entry(key: str, told: Any) -> tuple[list[str], dict[str, Any]]:
    if isinstance(told, str | list):
        told = {"does": told}
    if not isinstance(told, Mapping):
        raise ModelError(f"'{key}' must say what it does: a text, a list, or a table with 'does'")
    given = {name: value for name, value in told.items() if name != "does"}
    for name, value in given.items():
        if name not in KEYS:
            raise ModelError(f"'{key}' has an unknown key '{name}'; known are {', '.join(KEYS)}")
        if name in _TEXTS and not isinstance(value, str):
            raise ModelError(f"'{key}.{name}' must be a text")
        if name in _PLACES and not _are_places(value):
            raise ModelError(
                f"'{key}.{name}' must be the place or the keyword of an argument, or a list of them"
            )
    does = _check_texts(f"{key}.does", told.get("does", []))
    for one in does:
        if one not in DOES:
            short = one if len(one) <= _LONGEST else f"{one[:_LONGEST]}…"
            raise ModelError(f"'{key}' does {short!r}, which is not in the vocabulary{_closest_hint(short)}")
    if not does and not given:
        raise ModelError(f"'{key}' says nothing")
    return does, given


def _are_places(value: Any) -> bool:
    found = value if isinstance(value, list) else [value]
    return bool(found) and all(isinstance(one, int | str) and not isinstance(one, bool) for one in found)


def _closest_hint(word: str) -> str:
    import difflib  # noqa: PLC0415 (only where something is wrong)

    close = difflib.get_close_matches(word, list(DOES), n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; it is {', '.join(DOES)}"


# ------------------------------------------------------------------------------------------------ restored


def _restore_library(plain: Mapping[str, Any], plugin: str = "") -> Library:
    name = plain["name"]
    return Library(
        name,
        frozenset(plain["about"]),
        plain["common"],
        tuple(plain["like"]),
        _Entries(name, plain["entries"]),
        _guarded_function_loader(plain["python"], plugin)
        if plugin and plain["python"]
        else _function_loader(plain["python"]),
    )


class _Entries(Mapping[str, tuple[tuple[tuple[str, ...], Entry], ...]]):
    """The entries of one library by the last part of their names, made when they are asked for."""

    def __init__(self, library: str, plain: Mapping[str, Any]) -> None:
        self._library = library
        self._plain = plain
        self._made: dict[str, tuple[tuple[tuple[str, ...], Entry], ...]] = {}

    def __getitem__(self, key: str) -> tuple[tuple[tuple[str, ...], Entry], ...]:
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = tuple(
                (tuple(owner), Entry(self._library, full, tuple(does), given))
                for owner, full, does, given in self._plain[key]
            )
        return found

    def get(self, key: str, default: Any = None) -> Any:
        """As of a dict; most names that are asked for are not there."""
        return self[key] if key in self._plain else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)

    def __contains__(self, key: object) -> bool:
        return key in self._plain


def _function_loader(module: str) -> Callable[[str], Any] | None:
    """Return what gives the Python functions of a library, which is imported when the first is asked for."""
    return None if not module else lambda name: getattr(import_module(module), name)


def _guarded_function_loader(module: str, plugin: str) -> Callable[[str], Any]:
    """Return the same for the module of a plugin: a PluginError names it where it fails."""
    from fairlint.semantics.values.symbolic import Value  # noqa: PLC0415 (plugins are rare)

    def function(name: str) -> Any:
        what = f"the function '{name}' of its library model"
        with guest(plugin, what):
            found = getattr(import_module(module), name)

        def call(*arguments: Any) -> Any:
            with guest(plugin, what):
                value = found(*arguments)
                if not (value is None or isinstance(value, Value)):
                    raise InvalidOfferError(f"must give a Value or None, not {type(value).__name__}")
                return value

        return call

    return function


def _merge_libraries(library: Library, before: Library | None) -> Library:
    """Return a library with what was known of it before; what it says itself comes first."""
    if before is None:
        return library
    entries = {
        key: (*library.entries.get(key, ()), *before.entries.get(key, ()))
        for key in {**before.entries, **library.entries}
    }
    return Library(
        library.name,
        library.about | before.about,
        library.common or before.common,
        (*library.like, *before.like),
        entries,
        _first_working_loader(library.function, before.function),
    )


def _first_working_loader(
    first: Callable[[str], Any] | None, second: Callable[[str], Any] | None
) -> Callable[[str], Any] | None:
    if first is None or second is None:
        return first or second

    def function(name: str) -> Any:
        try:
            return first(name)
        except (AttributeError, ImportError, PluginError) as error:
            try:
                return second(name)
            except (AttributeError, ImportError):
                raise error from None

    return function
