"""What a report that is kept says of its run: what was asked for, under which settings, of which code."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from fairlint.sources.files_to_check import shown_path
from fairlint.support.records import replace

if TYPE_CHECKING:
    from fairlint.config import Configurations, Settings
    from fairlint.findings.report import Report
    from fairlint.reporters.provenance import Clock, Provenance
    from fairlint.support.checkouts import State
    from fairlint.support.git import Allowance

LONGEST_LIST = 12
"""Paths and rules that are named; the rest are counted."""
EPOCH: Clock = "SOURCE_DATE_EPOCH"
"""The variable that says another time than the clock, in seconds, so that a build can be repeated."""
LONGEST_TIME = 15
"""Digits of it."""
STDIN = "-"


def facts(paths: Sequence[str], settings: Settings, *, repeatable: bool = False) -> Mapping[str, str]:
    """Head → text, of what was asked for; what was not is left out. `repeatable` as in `provenance_of`."""
    told = {
        "Checked": _list_names(list(map(_path_in_record, paths)) if repeatable else paths),
        "Jurisdiction": settings.jurisdiction,
        "Domain": settings.domain,
        "Lowest severity shown": settings.min_severity,
        "Persona": settings.persona,
        "Rules selected": _list_names(settings.select),
        "Rules ignored": _list_names(settings.ignore),
        "Suppression comments": "applied" if settings.suppressions else "ignored",
        "Configuration": _configuration_name(settings, repeatable=repeatable),
    }
    return {head: str(text) for head, text in told.items() if text}


def _configuration_name(settings: Settings, *, repeatable: bool) -> str:
    return "none" if settings.source is None else name_in_record(str(settings.source), repeatable=repeatable)


def _path_in_record(path: str) -> str:
    """Return how a record names what was asked for."""
    shown = shown_path(path)
    return path if path == STDIN else "." if shown == shown_path(os.curdir) else shown


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - LONGEST_LIST
    return ", ".join(names[:LONGEST_LIST]) + (f" and {more} more" if more > 0 else "")


def provenance_of(
    paths: Sequence[str],
    report: Report,
    configurations: Configurations,
    allowance: Allowance | None,
    *,
    since: str = "",
    repeatable: bool = False,
) -> Callable[[], Provenance]:
    """Return what makes the provenance of a run when a report asks for it: git takes time.

    A `repeatable` one is the same for the same code in any folder and at any time: its date is that of
    the commit, and it names no folder of this machine.
    """

    @cache
    def made() -> Provenance:
        from fairlint.checking import inputs  # noqa: PLC0415 (start-up: few formats ask)
        from fairlint.plugins import manager  # noqa: PLC0415 (start-up: few formats ask)
        from fairlint.reporters.provenance import Provenance  # noqa: PLC0415 (as above)

        here = os.getcwd()  # noqa: PTH109 (as everywhere)
        checkouts = _checkout_states(paths, report, allowance)
        if repeatable:  # git may name a folder where it says why it does not answer
            checkouts = tuple(replace(one, reason=one.reason.replace(here, ".")) for one in checkouts)
        settings = _in_force(report, configurations)
        told = [_settings_in_record(one, repeatable=repeatable) for one in settings]
        date, dated_by = _date_of_record(checkouts, repeatable=repeatable)
        return Provenance(
            here=here,
            date=date,
            dated_by=dated_by,
            paths=tuple(sorted(map(_path_in_record, paths))),
            checkouts=checkouts,
            settings=tuple(told),
            sums=inputs.sums(settings, [_setting_values(one) for one in told]),
            plugins=manager.names(),
            untrusted=bool(configurations.run.untrusted),
            since=since,
        )

    return made


def _checkout_states(paths: Sequence[str], report: Report, allowance: Allowance | None) -> tuple[State, ...]:
    from fairlint.support.checkouts import NO_GIT, states  # noqa: PLC0415 (as above)

    found = states(paths, report.checked, allowance)
    if STDIN not in paths:
        return found
    return tuple(
        one if one.reason == NO_GIT else replace(one, reason=one.reason or "the code came by standard input")
        for one in found
    )


def _in_force(report: Report, configurations: Configurations) -> list[Settings]:
    """Return the settings of the files that were checked, or else of the run."""
    folders = {os.path.dirname(path) for path in report.checked}  # noqa: PTH120 (as above)
    found = [configurations.of(os.path.realpath(folder or os.curdir)) for folder in folders]
    several = list({id(one): one for one in found or [configurations.run]}.values())
    return sorted(several, key=lambda one: str(one.source or ""))


def _settings_in_record(settings: Settings, *, repeatable: bool) -> dict[str, Any]:
    """Return settings as `--show-settings` tells them, without those that make no difference to a report."""
    from fairlint.checking import inputs  # noqa: PLC0415 (as above)
    from fairlint.cli.show import in_force  # noqa: PLC0415 (as above)
    from fairlint.config.table import SETTINGS  # noqa: PLC0415 (as above)

    told = in_force(settings)
    for key in inputs.UNTOLD:
        del told["settings"][key]
    if told["configuration"]:
        told["configuration"] = name_in_record(told["configuration"], repeatable=repeatable)
    for key, one in told["settings"].items():
        one["origins"] = [name_in_record(origin, repeatable=repeatable) for origin in one["origins"]]
        if SETTINGS[key].is_path:
            value = one["value"]
            names = [name_in_record(name, repeatable=repeatable) for name in _texts_of_value(value)]
            one["value"] = names if isinstance(value, list) else next(iter(names), value)
    return told


def _texts_of_value(value: object) -> Iterator[str]:
    yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def _setting_values(told: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one["value"] for key, one in told["settings"].items()}


def name_in_record(path: str, *, repeatable: bool = False) -> str:
    """Return how a record names a file: from the current folder on; one elsewhere by its name alone, if need
    be.
    """
    if not os.path.isabs(path):  # noqa: PTH117 (as above)
        return path
    shown = shown_path(path)
    return os.path.basename(shown) if repeatable and os.path.isabs(shown) else shown  # noqa: PTH117, PTH119 (as above)


def _date_of_record(checkouts: Sequence[State], *, repeatable: bool) -> tuple[str, Clock]:
    from fairlint.support.checkouts import date_of  # noqa: PLC0415 (as above)

    given = os.environ.get(EPOCH, "")
    if given.isascii() and given.isdigit() and len(given) <= LONGEST_TIME and (said := date_of(int(given))):
        return said, EPOCH
    last = max((one.committed for one in checkouts if one.committed), default=None)
    if repeatable and last:
        return last, "commit"
    return date_of(int(time.time())) or "", "clock"
