"""The hooks by which fairlint and its plugins bring in rules, attributes, languages, detectors and reporters.

A plugin is an installed package with an entry point in the group `fairlint` that names a module or object.
Functions in it that are named as in the specifications below are its hooks; no decorator is needed. What
fairlint ships registers through the same hooks, in `fairlint.builtin_plugin`.

Finding out that there is no plugin must cost next to nothing, because that is the usual case on every
commit. The installed packages' entry points are first searched as plain bytes; only if one names our group
are pluggy and `importlib.metadata` imported, and only then does pluggy call the hooks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from fairlint import builtin_plugin
from fairlint.config import UsageError
from fairlint.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.guests import GuestError, UnfitError, guarded, guest, plain
from fairlint.records import replace
from fairlint.syntax.language import Conventions, Language

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

    import pluggy

    from fairlint.detectors import Detector
    from fairlint.findings import Report
    from fairlint.reporters import Reporter, ReportOptions
    from fairlint.rules import Rule

GROUP = "fairlint"
"""The name of the entry point group."""
PREFIX = "fairlint_"
SHIPPED = "fairlint itself"

PATIENCE = 60.0
"""Seconds that a plugin has to load, to answer a hook, and for each piece of a report."""
MOST = 10_000
"""Things that a plugin may give for one hook."""
LONGEST_REPORT = 1_000_000_000
"""Characters of a report in a plugin's format."""

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

    def fairlint_languages(self) -> Iterable[Language]:
        """Languages: at least a name, the suffixes of files, and what parses them into the shared Tree."""
        raise NotImplementedError

    def fairlint_detectors(self) -> Iterable[Detector]:
        """What observes Uses in an executed file (`fairlint.detectors.Detector`)."""
        raise NotImplementedError

    def fairlint_reporters(self) -> Mapping[str, Reporter]:
        """Formats by name, for `--format`."""
        raise NotImplementedError

    def fairlint_models(self) -> Mapping[str, Callable[..., Any]]:
        """Language models by name, for the bench."""
        raise NotImplementedError

    def fairlint_suites(self) -> Iterable[Path | str]:
        """Folders of suites of questions, for the bench."""
        raise NotImplementedError

    def fairlint_bench_finished(self, path: Path, metrics: Mapping[str, Any]) -> None:
        """A run of the bench has come to its end: its folder, and what `metrics.json` in it holds."""
        raise NotImplementedError


HOOKS = frozenset(name for name in vars(Specifications) if name.startswith(PREFIX))


# ------------------------------------------------------------------------------------------ what is on offer


def rule_folders() -> tuple[Path, ...]:
    """All folders of rule pages, the shipped ones first."""
    return tuple(folder for _, folder in _gathered("fairlint_rule_folders", _folder))


def load_rules() -> tuple[Rule, ...]:
    """All rules, shipped and brought along, in the order in which they judge."""
    from fairlint import rule_files, rules  # noqa: PLC0415 (a run without findings needs no rules)

    try:
        if _manager() is None:
            return rules.load_rules()
        known = list(rules.shipped_rules())
        hook = "fairlint_rule_folders"
        for plugin, folder in _gathered(hook, _folder):
            pages = () if plugin == SHIPPED else _asked(plugin, hook, partial(rule_files.pages, folder))
            for page in pages or ():
                _asked(plugin, hook, partial(rules.add_page, page, known))
        return rules.in_order(known)
    except rules.RuleError as error:
        raise UsageError(str(error)) from None


def attribute_tables(fits: Callable[[Mapping[str, Any]], object] = bool) -> tuple[Mapping[str, Any], ...]:
    """Tables that extend the shipped vocabulary, as `Vocabulary.extended` takes them.

    `fits` raises an error for one that cannot be used, which is then told and left out.
    """
    return tuple(table for _, (_, table) in _gathered("fairlint_attributes", partial(_table, fits)))


def library_models(
    fits: Callable[[Mapping[str, Any]], object] = bool,
) -> tuple[tuple[str, Mapping[str, Any], str], ...]:
    """What plugins know of libraries: the file that says it, what it says, the plugin; `fits` as above."""
    found = _gathered("fairlint_library_models", partial(_table, fits))
    return tuple((path or f"plugin '{plugin}'", table, plugin) for plugin, (path, table) in found)


def languages() -> Mapping[str, Language]:
    """Languages by name, the shipped ones first."""
    by_name: dict[str, Language] = {}
    by_suffix: dict[str, Language | None] = {".ipynb": None}
    hook = "fairlint_languages"
    for plugin, language in _gathered(hook, _language):

        def claim(plugin: str = plugin, language: Language = language) -> None:
            own = language if plugin == SHIPPED else _guarded_language(plugin, language)
            if taken := next((suffix for suffix in language.suffixes if suffix in by_suffix), None):
                raise UnfitError(f"brings the suffix '{taken}', which is already taken")
            _claim(by_name, language.name, own, "the language")
            by_suffix.update(dict.fromkeys(language.suffixes, own))

        _asked(plugin, hook, claim)
    return by_name


def detectors() -> tuple[Detector, ...]:
    """All detectors, the shipped ones first."""
    by_name: dict[str, Detector] = {}
    hook = "fairlint_detectors"
    for plugin, detector in _gathered(hook, _detector):
        own = detector if plugin == SHIPPED else replace(detector, plugin=plugin)
        _asked(plugin, hook, partial(_claim, by_name, detector.name, own, "the detector"))
    return tuple(by_name.values())


def reporters() -> Mapping[str, Reporter]:
    """Reporters by the name of their format."""
    by_name: dict[str, Reporter] = {}
    hook = "fairlint_reporters"
    for plugin, (name, reporter) in _gathered(hook, _named_function):
        own = reporter if plugin == SHIPPED else _guarded_reporter(plugin, name, reporter)
        _asked(plugin, hook, partial(_claim, by_name, name, own, "the format"))
    return by_name


def models() -> Mapping[str, Callable[..., Any]]:
    """Language models by name."""
    by_name: dict[str, Callable[..., Any]] = {}
    hook = "fairlint_models"
    for plugin, (name, load) in _gathered(hook, _named_function):
        own = load if plugin == SHIPPED else _Load(plugin, name, load)
        _asked(plugin, hook, partial(_claim, by_name, name, own, "the model"))
    return by_name


def suite_folders() -> tuple[Path, ...]:
    """All folders of suites."""
    return tuple(folder for _, folder in _gathered("fairlint_suites", _folder))


def tell_finished(path: Path, metrics: Mapping[str, Any]) -> list[str]:
    """Tell all plugins that a run of the bench has come to its end; what went wrong with them, a line each.

    They are given a copy of the figures, and a minute each.
    """
    from copy import deepcopy  # noqa: PLC0415 (only the bench needs it)

    hook = "fairlint_bench_finished"
    _TROUBLES.pop(hook, None)
    for plugin, tell in _offers(hook, _manager(), path=path.absolute(), metrics=deepcopy(dict(metrics))):
        _asked(plugin, hook, tell)
    return [told for _, told in _TROUBLES.get(hook, ())]


def names() -> tuple[str, ...]:
    """The names of the plugins that are installed besides what fairlint ships."""
    manager = _manager()
    return () if manager is None else tuple(name for name, _ in manager.list_name_plugin() if name != SHIPPED)


def analyse() -> bool:
    """Whether code of a plugin takes part in the analysis: a language, a detector, or a library's model."""
    manager = _manager()
    return manager is not None and any(
        hasattr(plugin, hook)
        for name, plugin in manager.list_name_plugin()
        for hook in ("fairlint_languages", "fairlint_detectors", "fairlint_library_models")
        if name != SHIPPED
    )


def troubles() -> tuple[tuple[str, str], ...]:
    """What went wrong with plugins when they were last asked: each plugin, and a line that names it."""
    return tuple(dict.fromkeys(trouble for told in _TROUBLES.values() for trouble in told))


# ---------------------------------------------------------------------------------------- asking the plugins

_TROUBLES: dict[str, list[tuple[str, str]]] = {}
"""Hook → what went wrong when it was last asked."""
_LOADING = "loading"


def _gathered(hook: str, check: Callable[[Any], _Value]) -> list[tuple[str, _Value]]:
    """What all plugins offer, checked one by one: the shipped first, then by name.

    What is wrong with a plugin is told in `troubles`, and the rest goes on.
    """
    manager = _manager()
    _TROUBLES.pop(hook, None)
    found: list[tuple[str, _Value]] = []
    for plugin, offer in _offers(hook, manager):

        def items(offer: Callable[[], Any] = offer) -> list[Any]:
            return _items(offer())

        for item in _asked(plugin, hook, items) or ():

            def take(plugin: str = plugin, item: object = item) -> None:
                found.append((plugin, check(item)))

            _asked(plugin, hook, take)
    return found


def _offers(
    hook: str, manager: pluggy.PluginManager | None, **told: Any
) -> list[tuple[str, Callable[[], Any]]]:
    """The plugins that have a hook, each with what calls it with all that is `told`."""
    if manager is None:
        function = getattr(builtin_plugin, hook, None)
        return [] if function is None else [(SHIPPED, function)]
    plugins = dict(manager.list_name_plugin())
    offers: list[tuple[str, Callable[[], Any]]] = []
    for name in sorted(plugins, key=lambda name: (name != SHIPPED, name)):
        # one plugin at a time, so that an error can name the plugin it comes from
        others = [plugin for other, plugin in plugins.items() if other != name]
        caller = manager.subset_hook_caller(hook, others)
        if caller.get_hookimpls():
            offers.append((name, partial(_answer, partial(caller, **told))))
    return offers


def _answer(call: Callable[[], list[Any]]) -> Any:
    """The one plugin's answer to a hook; nothing where it is None."""
    return next(iter(call()), ())


def _asked(plugin: str, hook: str, work: Callable[[], _Value]) -> _Value | None:
    """What some work with a plugin gives; None, and a line in `troubles`, where it fails or hangs."""
    if plugin == SHIPPED:
        return work()
    try:
        return _in_time(plugin, hook, work)
    except GuestError as error:
        _TROUBLES.setdefault(hook, []).append((plugin, str(error)))
        return None


def _in_time(plugin: str, what: str, work: Callable[[], _Value]) -> _Value:
    """What some work with a plugin gives; a GuestError names the plugin where it fails or hangs."""
    from fairlint.deadline import TooLongError, within  # noqa: PLC0415 (plugins are rare)

    try:
        with guest(plugin, what):
            return within(PATIENCE, work)
    except TooLongError:
        raise GuestError(f"plugin '{plugin}': {what} takes longer than {PATIENCE:g} s") from None


@cache
def _manager() -> pluggy.PluginManager | None:
    """The manager of all plugins, or None where fairlint is alone."""
    _TROUBLES.clear()
    if not any(map(_may_hold_plugins, dict.fromkeys(sys.path))):
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
    manager.register(builtin_plugin, SHIPPED)
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

        _asked(point.name, _LOADING, load)
    return manager


def _may_hold_plugins(folder: str) -> bool:
    """Whether an entry of `sys.path` may hold a package with entry points in our group."""
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


def _items(values: object) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise UnfitError(f"must give a list, not {type(values).__name__}")
    items = list(islice(values.items() if isinstance(values, Mapping) else values, MOST + 1))
    if len(items) > MOST:
        raise UnfitError(f"gives more than {MOST:,} things")
    return items


def _claim(taken: dict[str, _Value], name: str, value: _Value, what: str) -> None:
    if name in taken:
        raise UnfitError(f"brings {what} '{name}', which is already taken")
    taken[name] = value


def _is_text(value: object) -> TypeGuard[str]:
    return type(value) is str and bool(value)  # no kind of text of the plugin's own


def _folder(value: object) -> Path:
    if not isinstance(value, str | os.PathLike):
        raise UnfitError(f"must give paths of folders, not {type(value).__name__}")
    from pathlib import Path  # noqa: PLC0415 (start-up)

    folder = Path(value)
    if not folder.is_dir():
        raise UnfitError(f"names a folder that does not exist: {folder}")
    return folder


def _table(fits: Callable[[Mapping[str, Any]], object], value: object) -> tuple[str, Mapping[str, Any]]:
    """The file that says it, and what it says."""
    path = ""
    if isinstance(value, str | os.PathLike):
        path = os.fspath(value)
        value = _read(path)
    elif not isinstance(value, Mapping):
        raise UnfitError(f"must give TOML files or tables, not {type(value).__name__}")
    table = plain(value)
    try:
        fits(table)
    except (KeyError, TypeError, ValueError) as error:
        raise UnfitError(f"gives what cannot be used: {path}{': ' if path else ''}{error}") from error
    return path, table


def _read(path: str) -> Mapping[str, Any]:
    from fairlint.documents import read_toml  # noqa: PLC0415

    try:
        return read_toml(read_file(path, LARGEST_SETTINGS).decode())
    except (NotReadableError, ValueError) as error:
        raise UnfitError(f"names a file that is no use: {path}: {error}") from None


def _detector(value: object) -> Detector:
    from fairlint.detectors import Detector  # noqa: PLC0415 (a file that mentions nothing needs none)

    if not isinstance(value, Detector):
        raise UnfitError(f"must give Detector objects, not {type(value).__name__}")
    if not _is_text(value.name):
        raise UnfitError("gives a detector whose name is no text")
    given = [one for one in (value.observe_file, value.observe_site) if one is not None]
    if len(given) != 1 or not callable(given[0]):
        raise UnfitError(f"must give '{value.name}' one function, observe_file or observe_site")
    return value


def _named_function(value: object) -> tuple[str, Callable[..., Any]]:
    if not isinstance(value, tuple) or len(value) != 2 or not _is_text(value[0]):
        raise UnfitError("must give a table of names, each a text")
    if not callable(value[1]):
        raise UnfitError(f"must give functions, not {type(value[1]).__name__}")
    return value


# ------------------------------------------------------------------------------------------ languages

_WHOLE = ("outline", "modules", "names", "signs", "encoding", "cell")
"""Functions of a language that are called with a source, or for what they give."""


def _language(value: object) -> Language:
    if not isinstance(value, Language):
        raise UnfitError(f"must give Language objects, not {type(value).__name__}")
    texts: dict[str, object] = {"name": (value.name,), "title": (value.title or "-",)}
    texts |= {name: getattr(value, name) for name in ("suffixes", "interpreters", "kernels")}
    for name, given in texts.items():
        if not isinstance(given, tuple) or not all(map(_is_text, given)):
            raise UnfitError(f"gives a language whose `{name}` is wrong: {given!r}"[:200])
    functions: dict[str, object] = {name: getattr(value, name) for name in (*_WHOLE, "parse")}
    for name, function in functions.items():
        if not (callable(function) or (function is None and name != "parse")):
            raise UnfitError(f"gives the language '{value.name}', whose `{name}` is no function")
    for name, kind in (("conventions", Conventions), ("imports_by", bytes)):
        if not isinstance(getattr(value, name), kind):
            raise UnfitError(f"gives the language '{value.name}', whose `{name}` is no {kind.__name__}")
    if value.tokens is not None:
        _ = value.tokens.expression
    return value


def _guarded_language(plugin: str, language: Language) -> Language:
    """A language that a plugin brings, whose functions name it where they fail."""
    what = f"its language '{language.name}'"
    parse = language.parse

    from fairlint.syntax.soundness import checked_tree  # noqa: PLC0415 (plugins are rare)

    def sound(data: bytes, keep: Any = None) -> Any:
        with guest(plugin, what):
            return checked_tree(parse(data, keep), len(data))

    functions = {
        name: guarded(function, plugin, what)
        for name in _WHOLE
        if (function := getattr(language, name)) is not None
    }
    return replace(language, parse=sound, **functions)


# ------------------------------------------------------------------------------------- formats and models


def _guarded_reporter(plugin: str, name: str, reporter: Reporter) -> Reporter:
    """A reporter of a plugin: a GuestError names it where it fails, hangs or has no end."""

    what = f"its format '{name}'"

    def report(report: Report, options: ReportOptions) -> Iterator[str]:
        size = 0
        pieces = _in_time(plugin, what, lambda: iter(reporter(report, options)))
        while (piece := _in_time(plugin, what, lambda: _text(next(pieces, None)))) is not None:
            size += len(piece) + 1
            if size > LONGEST_REPORT:
                raise GuestError(f"plugin '{plugin}': {what} gives more than {LONGEST_REPORT:,} characters")
            yield piece

    return report


def _text(piece: object) -> str | None:
    if piece is not None and type(piece) is not str:
        raise UnfitError(f"must give texts, not {type(piece).__name__}")
    return piece


class _Load:
    """What loads a model of a plugin; its own UsageErrors are for the user, all others name the plugin."""

    def __init__(self, plugin: str, name: str, load: Callable[..., Any]) -> None:
        self.plugin = plugin
        self._what = f"its model '{name}'"
        self._load = load

    def __call__(self, where: str, options: object) -> Any:
        try:
            with guest(self.plugin, self._what, lets=(UsageError,)):
                return self._load(where, options)
        except GuestError as error:
            raise UsageError(str(error)) from error
