"""Suites: what models are asked. Each is data, in `data/`, and code that makes requests of it and judges.

Plugins bring folders of scenarios of the form of `data/job.toml`, whose names are the suites', or suites as
`fairlint.bench.suites.suite.Suite` has them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from fairlint.bench.shipped_suites import SHIPPED
from fairlint.bench.suites.suite import Suite
from fairlint.run_folders.record_shapes import REQUEST
from fairlint.run_folders.run_folder import OUTCOMES, REQUESTS, RESPONSES, Lines, plain_lines
from fairlint.support.errors import UsageError


def suite_names() -> tuple[str, ...]:
    """Return all suites, the shipped ones first."""
    return (*SHIPPED, *_offered_suites())


def suites(name: str) -> tuple[Suite, ...]:
    """Return the suite of a name, or all whose name begins with it and a colon: `faircode` is two.

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
    """Return one suite by its whole name, with its own settings, if it has any.

    Raises KeyError for one that is not known, and UsageError for settings that it does not take.
    """
    told = dict(settings or {})
    if (kind := told.pop("perturb", None)) is not None:
        from fairlint.bench.suites.perturbed import with_perturbation  # noqa: PLC0415 (few perturb)

        return with_perturbation(suite_of(name, told), kind)
    if told.get("mitigation") and name in SHIPPED:
        from fairlint.bench.suites.mitigated import with_mitigation  # noqa: PLC0415 (few mitigate)
        from fairlint.bench.suites.prompt_mitigations import mitigated_suites  # noqa: PLC0415 (as above)

        if name in mitigated_suites():
            how = told.pop("mitigation")
            return with_mitigation(suite_of(name, told), how)
    if told:
        return _suite_with_settings(name, json.dumps(told, sort_keys=True))
    if name in SHIPPED:
        found: Suite = import_module(SHIPPED[name]).SUITE
        return found
    return _offered_suites()[name]


def known_suite(name: str, settings: Mapping[str, Any] | None = None) -> Suite | None:
    """Return the same; None where no installed package has it, as may be of a run of long ago."""
    try:
        return suite_of(name, settings)
    except KeyError:
        return None


def suites_taking(setting: str) -> tuple[str, ...]:
    """Return the names of the suites that can be asked for with a setting."""
    return tuple(name for name in suite_names() if setting in suite_of(name).settable)


def carried_mitigations(name: str) -> tuple[str, ...] | None:
    """Return the mitigations of a suite; None where it takes the setting, and nobody says which there are."""
    from fairlint.bench.suites.prompt_mitigations import mitigated_suites, mitigations_of  # noqa: PLC0415 (few mitigate)

    if name in SHIPPED and name in mitigated_suites():
        return mitigations_of(name)
    found = suite_of(name)
    known: tuple[str, ...] | None = getattr(found, "mitigations", None)
    return known if "mitigation" in found.settable else ()


def line_shapes(name: str) -> Lines:
    """Return what the lines of a run of a suite have to be."""
    found = known_suite(name)
    if found is None:
        return plain_lines(name)
    return {REQUESTS: REQUEST, RESPONSES: found.response_shape, OUTCOMES: found.outcome_shape}


@lru_cache(maxsize=8)
def _suite_with_settings(name: str, settings: str) -> Suite:
    found = suite_of(name)
    if not found.settable:
        known = ", ".join(one for one in suite_names() if suite_of(one).settable)
        raise UsageError(f"the suite {name} takes no settings of its own ({known} do)")
    return found.with_settings(json.loads(settings))


def _offered_suites() -> Mapping[str, Suite]:
    from fairlint.plugins import manager  # noqa: PLC0415 (plugins are asked when a suite is)

    if not manager.names():
        return {}
    from fairlint.bench.suites.plugin_suites import offered_suites  # noqa: PLC0415 (plugins are rare)

    return offered_suites(frozenset(SHIPPED))
