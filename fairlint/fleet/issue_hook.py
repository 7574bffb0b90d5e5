"""Gives issues to a program of the user's, one at a time, and keeps what became of each in the store.

Before the program is started, the store says that it begins; afterwards, that it has opened the issue or
has failed. So no issue is opened twice. Of one at which everything was killed nobody knows: it is left alone
until the user says that it is to be tried again.
"""

from __future__ import annotations

import datetime
import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlint.fleet.store import Store
from fairlint.run_folders.jsonl import KEY, LineStore, RunFolderError, read_records
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

FILE = "issues.jsonl"
OPEN, CLOSE = "open", "close"
BEGUN, DONE, FAILED = "begun", "done", "failed"
SECONDS = 300.0
"""How long the program may take for one issue."""
LONGEST_TOLD = 500
"""Characters that are kept of what it says."""

States = Mapping[str, Mapping[str, Any]]
"""Fingerprint → the last record of it."""


class Tasks(Record):
    """What is to be done, each as the program is told, and what is left alone."""

    wanted: Sequence[Mapping[str, Any]]
    is_open: int
    uncertain: Sequence[Mapping[str, Any]]
    """Issues at which an earlier command was killed."""


class Outcome(Record, frozen=False):
    """How many issues were opened and closed, and why the rest were not."""

    opened: int = 0
    closed: int = 0
    failure: str = ""


def known_states(store: Store) -> dict[str, Mapping[str, Any]]:
    """Return what the store says of each issue."""
    try:
        return {str(one.get("fingerprint")): one for one in read_records(store.folder / FILE)}
    except RunFolderError as error:
        raise UsageError(str(error)) from None


def tasks_of(issues: Iterable[Mapping[str, Any]], states: States, *, again: bool = False) -> Tasks:
    """Return which of some issues are to be opened."""
    wanted, uncertain, is_open = [], [], 0
    for issue in issues:
        known = states.get(str(issue["fingerprint"]))
        state = ("", "") if known is None else (known.get("action"), known.get("state"))
        if state[1] == BEGUN and not again:
            uncertain.append(issue)
        elif known is None or state in {(OPEN, BEGUN), (OPEN, FAILED), (CLOSE, DONE)}:
            owners = issue["owners"]
            wanted.append({"action": OPEN, **issue, "owner": owners[0] if owners else ""})
        else:
            is_open += 1
    return Tasks(wanted, is_open, uncertain)


def tasks_to_close(
    states: States, found: set[str], checked: set[str], *, again: bool = False
) -> Iterator[Mapping[str, Any]]:
    """Yield what is open and no longer found, of repositories that a run has checked."""
    for fingerprint, known in states.items():
        state = (known.get("action"), known.get("state"))
        is_open = state in {(OPEN, DONE), (CLOSE, FAILED)} or (again and state == (CLOSE, BEGUN))
        if is_open and fingerprint not in found and known.get("repository") in checked:
            kept = {name: known.get(name, "") for name in ("repository", "title", "fingerprint", "told")}
            yield {"action": CLOSE, **kept}


def carry_out(store: Store, tasks: Iterable[Mapping[str, Any]], command: Sequence[str]) -> Outcome:
    """Give each task to the program; the first that it does not carry out ends it. The caller holds the store
    (`Store.writing`).
    """
    outcome = Outcome()
    with _opened_log(store.folder / FILE) as log:
        for task in tasks:
            _note(log, task, BEGUN)
            try:
                done = subprocess.run(  # noqa: S603 (the user's own program)
                    command, input=json.dumps(task, ensure_ascii=False).encode("utf-8", "replace"),
                    capture_output=True, timeout=SECONDS, check=False,
                )  # fmt: skip
            except OSError as error:
                _note(log, task, FAILED)
                outcome.failure = f"{command[0]} cannot be run: {error.strerror or error}"
            except subprocess.TimeoutExpired:
                outcome.failure = f"{command[0]} takes longer than {SECONDS:g} s; {_doubt(task)}"
            else:
                if done.returncode < 0:
                    outcome.failure = f"{command[0]} was killed; {_doubt(task)}"
                elif done.returncode:
                    _note(log, task, FAILED)
                    told = _told_line(done.stderr) or f"exit code {done.returncode}"
                    outcome.failure = f"{command[0]} failed for {task['fingerprint']}: {told}"
                else:
                    told = _told_line(done.stdout) or str(task.get("told", ""))
                    _note(log, {**task, "told": told}, DONE)
            if outcome.failure:
                return outcome
            outcome.opened += task["action"] == OPEN
            outcome.closed += task["action"] == CLOSE
    return outcome


def _doubt(task: Mapping[str, Any]) -> str:
    return f"whether {task['fingerprint']} is {'open' if task['action'] == OPEN else 'closed'} is not known"


@contextmanager
def _opened_log(path: Path) -> Iterator[LineStore]:
    try:
        with LineStore(path) as log:
            yield log
    except RunFolderError as error:
        raise UsageError(str(error)) from None


def _note(log: LineStore, task: Mapping[str, Any], state: str) -> None:
    """Write down what becomes of a task; it is on the disk when this returns."""
    kept = {name: task.get(name, "") for name in ("fingerprint", "action", "repository", "title", "told")}
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    log.append([{KEY: f"{len(log) + 1:08}", **kept, "state": state, "at": now}])


def _told_line(data: bytes) -> str:
    """Return the first line of what a program says."""
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines())
    return next((line[:LONGEST_TOLD] for line in lines if line), "")
