"""Suites: what models are asked. Each is data, in `data/`, and code that makes requests of it and judges.

Plugins bring folders of scenarios of the form of `data/job.toml`: the folder's name is the suite's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from fairlint.bench.suites.suite import Suite
from fairlint.support.errors import UsageError

SHIPPED = {
    "faircode:function": "fairlint.bench.suites.faircode_function",
    "faircode:testcase": "fairlint.bench.suites.faircode_testcase",
    "btm": "fairlint.bench.suites.btm",
    "btm-334": "fairlint.bench.suites.btm_dataset",
    "counterfactual": "fairlint.bench.suites.counterfactual",
    "pipelines": "fairlint.bench.suites.pipelines",
    "solar": "fairlint.bench.suites.solar",
}
SETTABLE: Mapping[str, tuple[str, ...]] = {
    "faircode:function": ("utility", "executor"),
    "btm": ("mitigation",),
    "btm-334": ("mitigation",),
    "counterfactual": ("mitigation", "data", "config", "executor", "ages", "threshold"),
    "solar": ("executor",),
}
"""Shipped suites that can be asked for with settings → these; `suite` in their modules makes one of them."""


def suite_names() -> tuple[str, ...]:
    """All suites, the shipped ones first."""
    return (*SHIPPED, *_plugin_suite_folders())


def suites(name: str) -> tuple[Suite, ...]:
    """The suite of a name, or all whose name begins with it and a colon: `faircode` is two.

    Raises UsageError, with the nearest names, for one that is not known.
    """
    known = suite_names()
    wanted = name.strip().lower()
    chosen = [one for one in known if one.lower() == wanted or one.lower().startswith(f"{wanted}:")]
    if not wanted or not chosen:
        from difflib import get_close_matches  # noqa: PLC0415 (only where something is wrong)

        close = get_close_matches(wanted, known, n=1, cutoff=0.4)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise UsageError(f"there is no suite '{name}'{hint} (known: {', '.join(known)})")
    return tuple(map(suite_of, chosen))


def suite_of(name: str, settings: Mapping[str, Any] | None = None) -> Suite:
    """One suite by its whole name, with its own settings, if it has any.

    Raises KeyError for one that is not known, and UsageError for settings that it does not take.
    """
    if settings:
        return _suite_with_settings(name, json.dumps(settings, sort_keys=True))
    if name in SHIPPED:
        found: Suite = import_module(SHIPPED[name]).SUITE
        return found
    from fairlint.bench.suites.function_task import FunctionSuite  # noqa: PLC0415 (plugins are rare)

    folder = _plugin_suite_folders()[name]
    return FunctionSuite(
        name,
        folder,
        sorted(file.stem for file in folder.glob("*.toml")),
        title=f"the scenarios of {folder.name}",
        source="a plugin",
    )


@lru_cache(maxsize=8)
def _suite_with_settings(name: str, settings: str) -> Suite:
    if name not in SETTABLE:
        known = ", ".join(SETTABLE) or "no suite"
        raise UsageError(f"the suite {name} takes no settings of its own ({known} does)")
    made: Suite = import_module(SHIPPED[name]).suite(json.loads(settings))
    return made


def _plugin_suite_folders() -> dict[str, Path]:
    from fairlint.plugins import manager  # noqa: PLC0415 (plugins are asked when a suite is)

    return {folder.name: folder for folder in manager.suite_folders() if any(folder.glob("*.toml"))}
