"""The hooks by which plugins bring in rules, attributes, languages, detectors and reporters.

A plugin is an installed package with an entry point in the group `fairlint` that names a module or object.
Functions in it that are named as in the specifications below are its hooks; no decorator is needed. This
module knows plugins alone: the package that has a type (`detectors/registry.py`, `reporters/registry.py`, …)
gathers what plugins offer of it, checks it, and puts it behind what fairlint ships.

Finding out that there is no plugin must cost next to nothing, because that is the usual case on every
commit. The installed packages' entry points are first searched as plain bytes; only if one names our group
are pluggy and `importlib.metadata` imported, and only then does pluggy call the hooks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard, TypeVar

from fairlint.plugins.guard import InvalidOfferError, PluginError, guest, plain
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

    import pluggy


GROUP = "fairlint"
"""The name of the entry point group."""
PREFIX = "fairlint_"

PATIENCE = 60.0
"""Seconds that a plugin has to load, to answer a hook, and for each piece of a report."""
MOST = 10_000
"""Things that a plugin may give for one hook."""

_Value = TypeVar("_Value")


class Specifications:
    """What a plugin may offer. Every hook is optional."""

    def fairlint_rule_folders(self) -> Iterable[Path | str]:
        """Folders of rule pages (`*.md`, in the form of those in `rules/`)."""
        raise NotImplementedError

    def fairlint_attributes(self) -> Iterable[Path | str | Mapping[str, Any]]:
        """Attributes that extend the vocabulary: TOML files, or tables of the same form."""
        raise NotImplementedError

    def fairlint_library_models(self) -> Iterable[Path | str | Mapping[str, Any]]:
        """Models of libraries: TOML files, or tables of the same form that name their `package`."""
        raise NotImplementedError

    def fairlint_languages(self) -> Iterable[Any]:
        """`fairlint.syntax.language.Language`s: at least a name, the suffixes of files, and a parser."""
        raise NotImplementedError

    def fairlint_detectors(self) -> Iterable[Any]:
        """Return what observes Uses in an executed file (`fairlint.detectors.Detector`)."""
        raise NotImplementedError

    def fairlint_reporters(self) -> Mapping[str, Callable[..., Iterable[str]]]:
        """Return formats by name, for `--format`: functions of a Report and
        `fairlint.reporters.ReportOptions`.
        """
        raise NotImplementedError

    def fairlint_models(self) -> Mapping[str, Callable[..., Any]]:
        """Language models by name, for the bench."""
        raise NotImplementedError

    def fairlint_suites(self) -> Iterable[Any]:
        """Suites for the bench: `fairlint.bench.suites.suite.BaseSuite`s, or folders of scenarios."""
        raise NotImplementedError

    def fairlint_bench_finished(self, path: Path, metrics: Mapping[str, Any]) -> None:
        """Note that a run of the bench has come to its end: its folder, and what `metrics.json` in
        it holds.
        """
        raise NotImplementedError


HOOKS = frozenset(name for name in vars(Specifications) if name.startswith(PREFIX))


# ------------------------------------------------------------------------------------------ what is on offer


def attribute_tables(fits: Callable[[Mapping[str, Any]], object] = bool) -> tuple[Mapping[str, Any], ...]:
    """Tables that extend the shipped vocabulary, as `Vocabulary.extended` takes them.

    `fits` raises an error for one that cannot be used, which is then reported and left out.
    """
    return tuple(table for _, (_, table) in gather("fairlint_attributes", partial(_check_table, fits)))


class LibraryTable(NamedTuple):
    """What a plugin knows of a library: the file that says it, what it says, the plugin."""

    path: str
    table: Mapping[str, Any]
    plugin: str


def library_models(fits: Callable[[Mapping[str, Any]], object] = bool) -> tuple[LibraryTable, ...]:
    """Return what plugins know of libraries; `fits` as above."""
    found = gather("fairlint_library_models", partial(_check_table, fits))
    return tuple(LibraryTable(path or f"plugin '{plugin}'", table, plugin) for plugin, (path, table) in found)


def announce_run_end(path: Path, metrics: Mapping[str, Any]) -> list[str]:
    """Tell all plugins that a run of the bench has come to its end; what went wrong with them, a line each.

    They are given a copy of the figures, and a minute each.
    """
    from copy import deepcopy  # noqa: PLC0415 (only the bench needs it)

    hook = "fairlint_bench_finished"
    _TROUBLES.pop(hook, None)
    for plugin, tell in _offers_of_plugins(
        hook, _plugin_manager(), path=path.absolute(), metrics=deepcopy(dict(metrics))
    ):
        ask(plugin, hook, tell)
    return [told for _, told in _TROUBLES.get(hook, ())]


def names() -> tuple[str, ...]:
    """Return the names of the plugins that are installed besides what fairlint ships."""
    manager = _plugin_manager()
    return () if manager is None else tuple(name for name, _ in manager.list_name_plugin())


def plugins_in_use() -> object:
    """Return what stays one object as long as the plugins do; None without any."""
    return _plugin_manager()


def analyse() -> bool:
    """Return whether code of a plugin takes part in the analysis: a language, a detector, or a library's
    model.
    """
    manager = _plugin_manager()
    return manager is not None and any(
        hasattr(plugin, hook)
        for _, plugin in manager.list_name_plugin()
        for hook in ("fairlint_languages", "fairlint_detectors", "fairlint_library_models")
    )


def troubles() -> tuple[tuple[str, str], ...]:
    """Return what went wrong with plugins when they were last asked: each plugin, and a line that
    names it.
    """
    return tuple(dict.fromkeys(trouble for told in _TROUBLES.values() for trouble in told))


# ---------------------------------------------------------------------------------------- asking the plugins

_TROUBLES: dict[str, list[tuple[str, str]]] = {}
"""Hook → what went wrong when it was last asked."""
_LOADING = "loading"


def gather(hook: str, check: Callable[[Any], _Value]) -> list[tuple[str, _Value]]:
    """Return what all plugins offer, by name, checked one by one.

    What is wrong with a plugin is told in `troubles`, and the rest goes on.
    """
    manager = _plugin_manager()
    _TROUBLES.pop(hook, None)
    found: list[tuple[str, _Value]] = []
    for plugin, offer in _offers_of_plugins(hook, manager):

        def items(offer: Callable[[], Any] = offer) -> list[Any]:
            return _list_of_items(offer())

        for item in ask(plugin, hook, items) or ():

            def take(plugin: str = plugin, item: object = item) -> None:
                found.append((plugin, check(item)))

            ask(plugin, hook, take)
    return found


def _offers_of_plugins(
    hook: str, manager: pluggy.PluginManager | None, **told: Any
) -> list[tuple[str, Callable[[], Any]]]:
    """Return the plugins that have a hook, each with what calls it with all that is `told`."""
    if manager is None:
        return []
    plugins = dict(manager.list_name_plugin())
    offers: list[tuple[str, Callable[[], Any]]] = []
    for name in sorted(plugins):
        # one plugin at a time, so that an error can name the plugin it comes from
        others = [plugin for other, plugin in plugins.items() if other != name]
        caller = manager.subset_hook_caller(hook, others)
        if caller.get_hookimpls():
            offers.append((name, partial(_answer_of_plugin, partial(caller, **told))))
    return offers


def _answer_of_plugin(call: Callable[[], list[Any]]) -> Any:
    """Return the one plugin's answer to a hook; nothing where it is None."""
    return next(iter(call()), ())


def ask(plugin: str, hook: str, work: Callable[[], _Value]) -> _Value | None:
    """Return what some work with a plugin gives; None, and a line in `troubles`, where it fails or hangs."""
    try:
        return within_patience(plugin, hook, work)
    except PluginError as error:
        _TROUBLES.setdefault(hook, []).append((plugin, str(error)))
        return None


def within_patience(plugin: str, what: str, work: Callable[[], _Value]) -> _Value:
    """Return what some work with a plugin gives; a PluginError names the plugin where it fails or hangs."""
    from fairlint.processes.deadline import TooLongError, within  # noqa: PLC0415 (plugins are rare)

    try:
        with guest(plugin, what):
            return within(PATIENCE, work)
    except TooLongError:
        raise PluginError(f"plugin '{plugin}': {what} takes longer than {PATIENCE:g} s") from None


def may_exist() -> bool:
    """Return whether there may be plugins; none is loaded to find out."""
    return any(map(_may_hold_plugins, dict.fromkeys(sys.path)))


@cache
def _plugin_manager() -> pluggy.PluginManager | None:
    """Return the manager of all plugins, or None where fairlint is alone."""
    _TROUBLES.clear()
    if not may_exist():
        return None
    from importlib.metadata import entry_points  # noqa: PLC0415

    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    if not found:
        return None
    import pluggy  # noqa: PLC0415

    class Manager(pluggy.PluginManager):
        """Knows hooks by their names, as pytest does: plugins need no import of fairlint and no decorator."""

        def parse_hookspec_opts(self, module_or_class: object, name: str) -> pluggy.HookspecOpts | None:  # noqa: ARG002
            return (
                {"firstresult": False, "historic": False, "warn_on_impl": None, "warn_on_impl_args": None}
                if name in HOOKS
                else None
            )

        def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
            if not name.startswith(PREFIX) or not callable(getattr(plugin, name, None)):
                return None
            return {
                "wrapper": False,
                "hookwrapper": False,
                "optionalhook": False,
                "tryfirst": False,
                "trylast": False,
                "specname": None,
            }

    manager = Manager(GROUP)
    manager.add_hookspecs(Specifications)
    for point in found:

        def load(point: EntryPoint = point) -> None:
            plugin = point.load()
            try:
                manager.register(plugin, point.name)
                manager.check_pending()
            except BaseException:
                if manager.is_registered(plugin):
                    manager.unregister(plugin)
                raise

        ask(point.name, _LOADING, load)
    return manager


def _may_hold_plugins(folder: str) -> bool:
    """Return whether an entry of `sys.path` may hold a package with entry points in our group."""
    wanted = f"[{GROUP}]".encode()
    try:
        with os.scandir(folder or ".") as entries:
            packages = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:
        return True  # a zip file; importlib.metadata can look inside
    except OSError:
        return False
    for package in packages:
        try:
            with open(f"{package}/entry_points.txt", "rb") as file:  # noqa: PTH123 (hundreds of them, on every start)
                if wanted in file.read().replace(b" ", b""):
                    return True
        except OSError:
            continue
    return False


# ---------------------------------------------------------------------------------- checking what they offer


def _list_of_items(values: object) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidOfferError(f"must give a list, not {type(values).__name__}")
    items = list(islice(values.items() if isinstance(values, Mapping) else values, MOST + 1))
    if len(items) > MOST:
        raise InvalidOfferError(f"gives more than {MOST:,} things")
    return items


def claim(taken: dict[str, _Value], name: str, value: _Value, what: str) -> None:
    """Put a value, described by `what`, under its name. Raises InvalidOfferError where that is taken."""
    if name in taken:
        raise InvalidOfferError(f"brings {what} '{name}', which is already taken")
    taken[name] = value


def is_nonempty_text(value: object) -> TypeGuard[str]:
    """Report whether a value is a text, of Python\'s own type, that is not empty."""
    return type(value) is str and bool(value)  # no kind of text of the plugin's own


def as_folder(value: object) -> Path:
    """Return the path of a folder that a plugin gives. Raises InvalidOfferError."""
    if not isinstance(value, str | os.PathLike):
        raise InvalidOfferError(f"must give paths of folders, not {type(value).__name__}")
    from pathlib import Path  # noqa: PLC0415 (start-up)

    folder = Path(value)
    if not folder.is_dir():
        raise InvalidOfferError(f"names a folder that does not exist: {folder}")
    return folder


def _check_table(fits: Callable[[Mapping[str, Any]], object], value: object) -> tuple[str, Mapping[str, Any]]:
    """Return the file that says it, and what it says."""
    path = ""
    if isinstance(value, str | os.PathLike):
        path = os.fspath(value)
        value = _read_table(path)
    elif not isinstance(value, Mapping):
        raise InvalidOfferError(f"must give TOML files or tables, not {type(value).__name__}")
    table = plain(value)
    try:
        fits(table)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidOfferError(f"gives what cannot be used: {path}{': ' if path else ''}{error}") from error
    return path, table


def _read_table(path: str) -> Mapping[str, Any]:
    from fairlint.support.documents import read_toml  # noqa: PLC0415

    try:
        return read_toml(read_file(path, LARGEST_SETTINGS).decode())
    except (NotReadableError, ValueError) as error:
        raise InvalidOfferError(f"names a file that is no use: {path}: {error}") from None


def as_named_function(value: object) -> tuple[str, Callable[..., Any]]:
    """Return a name and a function that a plugin gives. Raises InvalidOfferError."""
    if not isinstance(value, tuple) or len(value) != 2 or not is_nonempty_text(value[0]):
        raise InvalidOfferError("must give a table of names, each a text")
    if not callable(value[1]):
        raise InvalidOfferError(f"must give functions, not {type(value[1]).__name__}")
    return value
