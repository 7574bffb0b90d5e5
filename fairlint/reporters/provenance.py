"""What a report says of its own run: of which code it is, by what it was judged, and when."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from fairlint.reporters.encoding import Json, without_surrogates
from fairlint.reporters.printable import printable
from fairlint.reporters.summary import count_with_noun
from fairlint.support.checkouts import NO_GIT, State
from fairlint.support.records import Record

MOST_NAMED = 100
"""Changed files of a repository that are named; the others are counted."""

Clock = Literal["clock", "SOURCE_DATE_EPOCH", "commit"]


class Provenance(Record):
    """All of it. Paths are relative to `here`."""

    here: str
    date: str
    """As ISO 8601 writes it in UTC."""
    dated_by: Clock
    """Where the date comes from."""
    paths: tuple[str, ...]
    """What was asked for."""
    checkouts: tuple[State, ...]
    settings: tuple[Mapping[str, Any], ...]
    """Each set that is in force for some files: its `configuration` file and its `settings`."""
    sums: Mapping[str, str]
    """SHA-256 of what findings are judged by, part by part; `all` is over the others."""
    plugins: tuple[str, ...] = ()
    untrusted: bool = False
    since: str = ""
    """What lines count as changed against, where no others are reported."""


def provenance_object(one: Provenance) -> dict[str, Json]:
    """As JSON."""
    return {
        "date": one.date,
        "dated_by": one.dated_by,
        "paths": [without_surrogates(path) for path in one.paths],
        "changed_since": without_surrogates(one.since) or None,
        "untrusted": one.untrusted,
        "checkouts": [_checkout_object(state, one.here) for state in one.checkouts],
        "plugins": [without_surrogates(name) for name in one.plugins],
        "settings": list(one.settings),
        "sha256": dict(one.sums),
    }


def _checkout_object(state: State, here: str) -> Json:
    return {
        "folder": without_surrogates(relative(state.folder, here)),
        "repository": state.address,
        "commit": state.commit,
        "committed": state.committed,
        "branch": state.branch and without_surrogates(state.branch),
        "dirty": state.is_dirty,
        "changed": len(state.changed),
        "changed_files": [without_surrogates(path) for path in state.changed[:MOST_NAMED]],
        "uncompared": state.uncompared,
        "reason": without_surrogates(state.reason) or None,
    }


def relative(path: str, here: str) -> str:
    """Return a path from a folder on, with forward slashes."""
    try:
        return os.path.relpath(path, here).replace(os.sep, "/")
    except ValueError:  # another drive
        return path


def state_text(state: State, *, short: bool = False) -> str:
    """Return the state of a checkout in one line; `short`: without a title, nothing of clean files."""
    if state.reason == NO_GIT:
        return NO_GIT
    if state.commit is None:
        unknown = f"not known ({printable(state.reason)})"
        return f"state of the code {unknown}" if short else unknown
    parts = [f"commit {state.commit[:12]}"]
    if state.committed:
        parts.append(state.committed[:10])
    if state.branch:
        parts.append(f"branch {printable(state.branch)}")
    if short and state.is_dirty is False:
        return ", ".join(parts)
    return ", ".join([*parts, _cleanness_text(state)])


def _cleanness_text(state: State) -> str:
    if state.changed:
        return f"{count_with_noun(len(state.changed), 'file')} different from the commit"
    if state.reason:
        return f"changes not known ({printable(state.reason)})"
    if state.uncompared:
        return f"{count_with_noun(state.uncompared, 'file')} not compared"
    return "no checked file differs from the commit"


def addresses(states: Sequence[State]) -> str:
    """Return the addresses of repositories."""
    return ", ".join(dict.fromkeys(one.address for one in states if one.address))
