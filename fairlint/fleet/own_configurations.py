"""Whose settings a repository is checked under: the policy's alone, or its own where the policy says nothing.

A repository's own configuration is data of a stranger. It may name no file outside of the repository and none
of an installed package, brings no plugin and no code, and has no say in time, memory and size. One that
cannot be used does not keep the repository from being checked: it is checked under the policy.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from fairlint.checking.runner import settings_below
from fairlint.config import Configurations, Settings, UsageError
from fairlint.config.settings import RUN_WIDE
from fairlint.fleet.policy import OWN, setting_changes
from fairlint.support.errors import NothingToCheckError
from fairlint.support.records import Record

POLICY, THEIRS, REFUSED = "policy", "own", "refused"
"""Whose settings: the policy's; the repository's own besides; the policy's, as its own cannot be used."""
BOUNDS: Mapping[str, Any] = {"jobs": 1, "cache_dir": "", "respect_gitignore": False}
"""Settings that every check of a fleet has: one process, nothing kept, and what git tracks is not ignored."""
_LIMITS: Mapping[str, Any] = {
    name: getattr(Settings(), name) for name in RUN_WIDE if name not in {*BOUNDS, "fail_on"}
}


class Chosen(Record):
    """The settings of one repository, whose they are, and which of its files say so, or why they do not."""

    configurations: Configurations
    whose: str = POLICY
    files: tuple[str, ...] = ()
    reason: str = ""


def choose_configurations(values: Mapping[str, Any]) -> Chosen:
    """Return what holds in the current folder, under settings of a policy as `Policy.values` gives them."""
    changes = setting_changes(values)
    central = Configurations(["."], isolated=True, changes={**changes, **BOUNDS, "baseline": ""})
    if not values.get(OWN):
        return Chosen(central)
    root = os.path.realpath(".")
    own = Configurations(["."], within=root, changes={**_LIMITS, **changes, **BOUNDS})
    try:
        several = settings_below(["."], own)
        baselines = [own.baseline_of(one) for one in several]
    except NothingToCheckError:  # perhaps because its own configuration leaves all out
        several, baselines = [own.run], []
    except UsageError as error:
        told = str(error).replace(root + os.sep, "").replace(root, "the repository")
        return Chosen(central, REFUSED, reason=told.partition("; name the configuration")[0])
    files = {str(one.source) for one in several if one.source} | set(filter(None, baselines))
    if not files:
        return Chosen(central)
    return Chosen(own, THEIRS, tuple(sorted(os.path.relpath(os.path.realpath(one), root) for one in files)))
