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
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from fairlint import builtin_plugin
from fairlint.config import UsageError
from fairlint.syntax.language import Language

if TYPE_CHECKING:
    from pathlib import Path

    import pluggy

    from fairlint.detectors import Detector
    from fairlint.reporters import Reporter
    from fairlint.rules import Rule

GROUP = "fairlint"
"""The name of the entry point group."""
PREFIX = "fairlint_"
SHIPPED = "fairlint itself"

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


HOOKS = frozenset(name for name in vars(Specifications) if name.startswith(PREFIX))


# ------------------------------------------------------------------------------------------ what is on offer


def rule_folders() -> tuple[Path, ...]:
    """All folders of rule pages, the shipped ones first."""
    return tuple(
        _checked(plugin, "fairlint_rule_folders", _folder, item)
        for plugin, items in _offers("fairlint_rule_folders")
        for item in _items(plugin, "fairlint_rule_folders", items)
    )


def load_rules() -> tuple[Rule, ...]:
    """All rules, shipped and brought along, in the order in which they judge."""
    from fairlint import rules  # noqa: PLC0415 (a run without findings needs no rules)

    try:
        if _manager() is None:
            return rules.load_rules()
        shipped_folder = rules.rules_dir()
        return rules.load_rules(folder for folder in rule_folders() if folder != shipped_folder)
    except rules.RuleError as error:
        raise UsageError(str(error)) from None


def attribute_tables() -> tuple[Mapping[str, Any], ...]:
    """Tables that extend the shipped vocabulary, as `Vocabulary.extended` takes them."""
    return tuple(
        _checked(plugin, "fairlint_attributes", _table, item)
        for plugin, items in _offers("fairlint_attributes")
        for item in _items(plugin, "fairlint_attributes", items)
    )


def library_models() -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """What plugins know of libraries: the file or the plugin that says it, and what it says."""
    return tuple(
        (str(item) if isinstance(item, str | os.PathLike) else f"plugin '{plugin}'", table)
        for plugin, items in _offers("fairlint_library_models")
        for item in _items(plugin, "fairlint_library_models", items)
        for table in (_checked(plugin, "fairlint_library_models", _table, item),)
    )


def languages() -> Mapping[str, Language]:
    """Languages by name, the shipped ones first."""
    by_name: dict[str, Language] = {}
    by_suffix: dict[str, Language | None] = {".ipynb": None}
    for plugin, items in _offers("fairlint_languages"):
        for item in _items(plugin, "fairlint_languages", items):
            language = _checked(plugin, "fairlint_languages", _of_type(Language), item)
            _claim(by_name, language.name, language, plugin, "the language")
            for suffix in language.suffixes:
                _claim(by_suffix, suffix, language, plugin, "the suffix")
    return by_name


def detectors() -> tuple[Detector, ...]:
    """All detectors, the shipped ones first."""
    from fairlint.detectors import Detector  # noqa: PLC0415 (a file that mentions nothing needs none)

    by_name: dict[str, Detector] = {}
    for plugin, items in _offers("fairlint_detectors"):
        for item in _items(plugin, "fairlint_detectors", items):
            detector = _checked(plugin, "fairlint_detectors", _of_type(Detector), item)
            _checked(plugin, "fairlint_detectors", _one_function, detector)
            _claim(by_name, detector.name, detector, plugin, "the detector")
    return tuple(by_name.values())


def reporters() -> Mapping[str, Reporter]:
    """Reporters by the name of their format."""
    by_name: dict[str, Reporter] = {}
    for plugin, offered in _offers("fairlint_reporters"):
        for name, reporter in _checked(plugin, "fairlint_reporters", _mapping, offered).items():
            function = _checked(plugin, "fairlint_reporters", _callable, reporter)
            _claim(by_name, name, function, plugin, "the format")
    return by_name


def models() -> Mapping[str, Callable[..., Any]]:
    """Language models by name."""
    by_name: dict[str, Callable[..., Any]] = {}
    for plugin, offered in _offers("fairlint_models"):
        for name, model in _checked(plugin, "fairlint_models", _mapping, offered).items():
            _claim(by_name, name, _checked(plugin, "fairlint_models", _callable, model), plugin, "the model")
    return by_name


def suite_folders() -> tuple[Path, ...]:
    """All folders of suites."""
    return tuple(
        _checked(plugin, "fairlint_suites", _folder, item)
        for plugin, items in _offers("fairlint_suites")
        for item in _items(plugin, "fairlint_suites", items)
    )


def names() -> tuple[str, ...]:
    """The names of the plugins that are installed besides what fairlint ships."""
    manager = _manager()
    return () if manager is None else tuple(name for name, _ in manager.list_name_plugin() if name != SHIPPED)


def analyse() -> bool:
    """Whether code of a plugin takes part in the analysis: a language or a detector."""
    manager = _manager()
    return manager is not None and any(
        hasattr(plugin, hook)
        for name, plugin in manager.list_name_plugin()
        for hook in ("fairlint_languages", "fairlint_detectors")
        if name != SHIPPED
    )


# ---------------------------------------------------------------------------------------- asking the plugins


def _offers(hook: str) -> Sequence[tuple[str, Any]]:
    """What each plugin answers to `hook`, the shipped one first, then by name."""
    manager = _manager()
    if manager is None:
        function = getattr(builtin_plugin, hook, None)
        return [] if function is None else [(SHIPPED, function())]
    answers = []
    plugins = dict(manager.list_name_plugin())
    for name in sorted(plugins, key=lambda name: (name != SHIPPED, name)):
        # one plugin at a time, so that an error can name the plugin it comes from
        others = [plugin for other, plugin in plugins.items() if other != name]
        try:
            answers += [(name, answer) for answer in manager.subset_hook_caller(hook, others)()]
        except (Exception, SystemExit) as error:
            if name == SHIPPED:
                raise
            raise _broken(name, f"failed in {hook}", error) from error
    return answers


@cache
def _manager() -> pluggy.PluginManager | None:
    """The manager of all plugins, or None where fairlint is alone."""
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
        try:
            manager.register(point.load(), point.name)
            manager.check_pending()
        except (Exception, SystemExit) as error:
            raise _broken(point.name, f"({point.value}) cannot be loaded", error) from error
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


def _broken(plugin: str, problem: str, error: BaseException) -> UsageError:
    reason = " ".join(str(error).split()) or "no reason given"
    return UsageError(f"plugin '{plugin}' {problem}: {type(error).__name__}: {reason}")


def _checked(plugin: str, hook: str, check: Callable[[Any], _Value], value: object) -> _Value:
    try:
        return check(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"plugin '{plugin}': {hook} {error}") from None


def _items(plugin: str, hook: str, values: object) -> Iterable[object]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise UsageError(f"plugin '{plugin}': {hook} must give a list, not {type(values).__name__}")
    return values


def _claim(taken: dict[str, _Value], name: str, value: _Value, plugin: str, what: str) -> None:
    if name in taken:
        raise UsageError(f"plugin '{plugin}': {what} '{name}' is already taken")
    taken[name] = value


def _folder(value: object) -> Path:
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"must give paths of folders, not {type(value).__name__}")
    from pathlib import Path  # noqa: PLC0415 (start-up)

    folder = Path(value)
    if not folder.is_dir():
        raise ValueError(f"names a folder that does not exist: {folder}")
    return folder


def _table(value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"must give TOML files or tables, not {type(value).__name__}")
    import tomllib  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415 (as above)

    path = Path(value)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"names a file that cannot be read: {path}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"names a file that is not TOML: {path}: {error}") from None


def _callable(value: object) -> Callable[..., Any]:
    if not callable(value):
        raise TypeError(f"must give functions, not {type(value).__name__}")
    return value


def _one_function(detector: Detector) -> None:
    given = [one for one in (detector.observe_file, detector.observe_site) if one is not None]
    if len(given) != 1 or not callable(given[0]):
        raise TypeError(f"must give '{detector.name}' one function, observe_file or observe_site")


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"must give a table of names, not {type(value).__name__}")
    return value


def _of_type(kind: type[_Value]) -> Callable[[object], _Value]:
    def check(value: object) -> _Value:
        if not isinstance(value, kind):
            raise TypeError(f"must give {kind.__name__} objects, not {type(value).__name__}")
        return value

    return check
