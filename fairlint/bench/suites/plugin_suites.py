"""Suites of plugins: what one does wrong is a line that names it, and what it gives is looked at."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from fairlint.backends.requests import Request
from fairlint.bench.judging.protocols import NotJudgedError
from fairlint.bench.report.suite_report import Headline, Picture, SuiteReport, Table
from fairlint.bench.suites.function_task import FunctionSuite
from fairlint.bench.suites.suite import EVERYTHING, BaseSuite, Judged, Kept, ProtocolName, Selection, Suite
from fairlint.plugins import manager
from fairlint.plugins.guard import InvalidOfferError, guest
from fairlint.run_folders.record_shapes import METRICS_PARTS
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.records import replace
from fairlint.support.shapes import fault_of

_HOOK = "fairlint_suites"
_TEXTS = ("name", "title", "source")
_CALLED = ("scenarios", "attributes", "requests", "judge", "figures", "finished", "ready", "unjudged")
_OPTIONAL = (
    *("follow", "together", "counted", "biased", "prepared", "settings", "prompts"),
    "planned_difference",
)
_PLAIN_PARTS: Mapping[str, Any] = {
    "scores": [],
    "scenarios": [],
    "overall": None,
    "usage": [],
    "other": None,
}
"""What figures of no suite lack; a plugin gives those of its parts that it has."""
_LETS = (UsageError, ValueError, NotJudgedError)
"""What the contract lets a suite raise."""


def offered_suites(shipped: frozenset[str]) -> Mapping[str, Suite]:
    """Name → suite, of all plugins; none is called as a shipped one is. They are asked once."""
    return _gather_suites(manager.plugins_in_use(), shipped)


@lru_cache(maxsize=1)
def _gather_suites(_: object, shipped: frozenset[str]) -> Mapping[str, Suite]:
    found: dict[str, Suite] = {}
    taken: dict[str, Any] = dict.fromkeys(shipped)
    for plugin, offer in manager.gather(_HOOK, _as_suite):
        suite = offer if isinstance(offer, FunctionSuite) else PluginSuite(plugin, offer)

        def take(suite: Suite = suite) -> None:
            manager.claim(taken, suite.name, suite, "the suite")
            found[suite.name] = suite

        manager.ask(plugin, _HOOK, take)
    return found


def _as_suite(value: object) -> Any:
    """Return the suite of a folder, or a suite that is one. Raises InvalidOfferError."""
    if isinstance(value, str | os.PathLike):
        return _suite_of_folder(manager.as_folder(value))
    if not isinstance(value, BaseSuite):
        raise InvalidOfferError(f"must give folders or suites (BaseSuite), not {type(value).__name__}")
    for name in _TEXTS:
        if not manager.is_nonempty_text(getattr(value, name, None)):
            raise InvalidOfferError(f"gives a suite whose `{name}` is no text")
    if not _is_plain_name(value.name):
        raise InvalidOfferError(
            f"gives a suite whose name is not of letters, digits, `-` and `:`: {value.name!r}"
        )
    for name in ("samples", "max_new_tokens"):
        number = getattr(value, name, None)
        if type(number) is not int or number < 1:
            raise InvalidOfferError(
                f"gives the suite '{value.name}' whose `{name}` is no whole number above 0"
            )
    if type(getattr(value, "temperature", "")) not in {float, type(None)}:
        raise InvalidOfferError(
            f"gives the suite '{value.name}' whose `temperature` is neither a float nor None"
        )
    for name in _CALLED:
        if not callable(getattr(value, name, None)):
            raise InvalidOfferError(f"gives the suite '{value.name}' without `{name}`")
    return value


def _is_plain_name(name: str) -> bool:
    return all(part.replace("-", "").isalnum() and part.isascii() for part in name.split(":"))


def _suite_of_folder(folder: Path) -> FunctionSuite:
    scenarios = sorted(file.stem for file in folder.glob("*.toml"))
    if not scenarios:
        raise InvalidOfferError(f"names a folder without scenarios (*.toml): {folder}")
    title = f"the scenarios of {folder.name}"
    return FunctionSuite(folder.name, folder, scenarios, title=title, source="a plugin")


class PluginSuite(BaseSuite):
    """The suite of a plugin; each call of it is guarded."""

    def __init__(self, plugin: str, suite: Any) -> None:
        self._plugin = plugin
        self._suite = suite
        self._what = f"its suite '{suite.name}'"
        for name in (*_TEXTS, "samples", "max_new_tokens", "temperature"):
            setattr(self, name, getattr(suite, name))
        for name in (
            "settable",
            "runs_code",
            "prompt_form",
            "harness_figures",
            "outcome_shape",
            "response_shape",
        ):
            setattr(self, name, getattr(suite, name))
        for name in _OPTIONAL:
            if hasattr(suite, name):
                value = getattr(suite, name)
                setattr(self, name, partial(self._call, value) if callable(value) else value)

    samples: int
    max_new_tokens: int
    temperature: float | None
    title: str
    source: str

    def _call(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        with guest(self._plugin, self._what, lets=_LETS):
            return function(*arguments, **keywords)

    def _names(self, given: object, what: str) -> tuple[str, ...]:
        with guest(self._plugin, self._what):
            if not isinstance(given, Sequence) or not all(map(manager.is_nonempty_text, given)):
                raise InvalidOfferError(f"gives {what} that are no texts")
            return tuple(given)

    def with_settings(self, settings: Mapping[str, Any]) -> Suite:
        """Return the suite with settings of its own, as the plugin makes it."""
        made = self._call(self._suite.with_settings, settings)
        with guest(self._plugin, self._what):
            return PluginSuite(self._plugin, _as_suite(made))

    def scenarios(self) -> tuple[str, ...]:
        """As the plugin says."""
        return self._names(self._call(self._suite.scenarios), "scenarios")

    def attributes(self) -> tuple[str, ...]:
        """As the plugin says."""
        return self._names(self._call(self._suite.attributes), "attributes")

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """As the plugin makes them, each of this suite."""
        made = self._call(lambda: list(self._suite.requests(selection)))
        with guest(self._plugin, self._what):
            for one in made:
                if type(one) is not Request:
                    raise InvalidOfferError(f"must give Requests, not {type(one).__name__}")
                if one.suite != self.name:
                    raise InvalidOfferError(f"gives a Request of the suite {one.suite!r}")
        return list(made)

    def finished(self, request: Request, text: str) -> int | None:
        """As the plugin says."""
        end = self._call(self._suite.finished, request, text)
        with guest(self._plugin, self._what):
            if end is not None and type(end) is not int:
                raise InvalidOfferError(f"gives a {type(end).__name__} as the end of an answer")
        return None if end is None else int(end)

    def ready(self) -> None:
        """As the plugin says."""
        self._call(self._suite.ready)

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return what the plugin judges, in plain values."""
        return self._outcome(self._call(self._suite.judge, kept))

    def unjudged(self, kept: Kept) -> dict[str, Any]:
        """Return what the plugin says of an answer that was not judged, in plain values."""
        return self._outcome(self._call(self._suite.unjudged, kept))

    def _outcome(self, given: object) -> dict[str, Any]:
        with guest(self._plugin, self._what):
            outcome = _as_json(given)
            if told := fault_of(self.outcome_shape, {"key": "", **outcome}):
                raise InvalidOfferError(f"gives an outcome that is wrong: {told}")
        return outcome

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
        """Return what the plugin makes of judged answers, in plain values."""
        given = self._call(self._suite.figures, judged, protocol)
        with guest(self._plugin, self._what):
            found = {**_PLAIN_PARTS, **_as_json(given)}
            if told := fault_of(METRICS_PARTS, found):
                raise InvalidOfferError(f"gives figures that are wrong: {told}")
        return found

    @property
    def report(self) -> SuiteReport | None:
        """The plugin's report, each function of it guarded."""
        given = self._call(lambda: self._suite.report)
        if given is None:
            return None
        with guest(self._plugin, self._what):
            if not isinstance(given, SuiteReport):
                raise InvalidOfferError(f"gives a {type(given).__name__} for its SuiteReport")
        guarded = {
            name: self._reporting(getattr(given, name), kind) for name, kind in _GIVEN_BY_REPORTS.items()
        }
        return replace(given, **guarded)

    def _reporting(self, function: Callable[..., Any], kind: type) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            def work() -> Any:
                told = function(*arguments)
                found = told if kind is str or isinstance(told, Headline) else list(told)
                for one in found if isinstance(found, list) else [found]:
                    if not isinstance(one, kind):
                        raise InvalidOfferError(
                            f"gives a {type(one).__name__} where a {kind.__name__} belongs"
                        )
                return found

            return manager.within_patience(self._plugin, f"the report of {self._what}", work)

        return call


_GIVEN_BY_REPORTS: Mapping[str, type] = {
    "headline": Headline,
    "sentence": str,
    "tables": Table,
    "tiles": tuple,
    "pictures": Picture,
    "remarks": str,
}
"""Function of a SuiteReport → what it gives, or gives several of."""


def _as_json(given: object) -> dict[str, Any]:
    """Return a copy of what a plugin gives, made of what JSON has. Raises InvalidOfferError for anything
    else.
    """
    if not isinstance(given, Mapping):
        raise InvalidOfferError(f"gives a {type(given).__name__}, not a table")
    try:
        found: dict[str, Any] = read_json(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidOfferError(f"gives what JSON cannot hold: {error}") from None
    return found
