"""What a worker of a fleet does: it makes a folder of one repository's files, checks it, and makes rows.

The messages are plain values, so that any engine may carry them. `answer` is what `fairlint.worker` asks for.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlint.checking.runner import check_paths
from fairlint.config import Configurations
from fairlint.findings.report import Report
from fairlint.fleet.checkouts import Checkout, Unchanged, make_checkout
from fairlint.fleet.entries import Entry
from fairlint.fleet.limits import Limits, NotCheckedError, limit_file_size
from fairlint.fleet.policy import Exempt, apply_exceptions, setting_changes
from fairlint.fleet.rows import earliest_end, is_reusable, report_rows
from fairlint.processes.memory import is_refusal, limit_memory
from fairlint.reporters.owners import owners_in
from fairlint.sources.discovery import discover
from fairlint.sources.unread import kind_of
from fairlint.support.errors import UsageError
from fairlint.support.records import field_names
from fairlint.syntax.registry import languages

Job = Mapping[str, Any]
Answer = dict[str, Any]

CHECKED, UNCHANGED, FAILED = "checked", "unchanged", "failed"
FOLDER = "fairlint-fleet-"
"""How the folder begins that a repository's files are in while it is checked."""
BOUNDS: Mapping[str, Any] = {"jobs": 1, "cache_dir": "", "baseline": "", "respect_gitignore": False}
"""Settings that every check of a fleet has: one process, nothing kept, and what git tracks is not ignored."""


def job_of(entry: Entry, known: str, limits: Limits, policy: Mapping[str, Any], work: str) -> dict[str, Any]:
    """Return the job of one repository. `known` is the commit that need not be checked again; `work` the
    folder for its files, the system's own where it is empty. `policy` is what `Policy.values` gives.
    """
    return {
        "entry": {name: getattr(entry, name) for name in field_names(entry)},
        "known": known,
        "limits": {name: getattr(limits, name) for name in field_names(limits)},
        "policy": dict(policy),
        "work": work,
    }


def answer(job: Job) -> Answer:
    """Return the answer to a job: its status, the commit, and rows by their tables."""
    began, before = time.monotonic(), _processor_time()
    limits = Limits(**job["limits"])
    try:
        with limit_memory(limits.memory), limit_file_size(limits.size):
            found = _scan(job, limits)
    except NotCheckedError as error:
        found = failure(error.cause, str(error))
    except Exception as error:  # whatever it is, it concerns this repository alone
        if not is_refusal(error):
            found = failure("error", f"internal error: {type(error).__name__}: {error}")
        else:
            found = failure("memory", "there was not enough memory")
    return {
        **found,
        "repository": job["entry"]["name"],
        "seconds": round(time.monotonic() - began, 3),
        "cpu_seconds": round(_processor_time() - before, 3),
    }


def failure(cause: str, reason: str) -> Answer:
    """Return the answer where a repository was not checked."""
    return {"status": FAILED, "commit": "", "cause": cause, "reason": " ".join(reason.split()), "rows": {}}


def _scan(job: Job, limits: Limits) -> Answer:
    entry = Entry(**job["entry"])
    try:
        work = Path(tempfile.mkdtemp(prefix=FOLDER, dir=job["work"] or None))
    except OSError as error:
        raise NotCheckedError("no space", f"no folder can be made: {error.strerror or error}") from None
    try:
        made = make_checkout(entry, job["known"], work, limits)
        if isinstance(made, Unchanged):
            return {"status": UNCHANGED, "commit": made.commit, "rows": {}}
        return _check(entry, made, job["policy"])
    except OSError as error:
        raise NotCheckedError("error", f"{error.strerror or error}") from None
    finally:
        os.chdir(os.sep)  # a folder that somebody stands in is not removed everywhere
        shutil.rmtree(work, ignore_errors=True)


def _check(entry: Entry, made: Checkout, policy: Mapping[str, Any]) -> Answer:
    os.chdir(made.folder)
    changes = {**setting_changes(policy["settings"]), **BOUNDS}
    report = _report(Configurations(["."], isolated=True, changes=changes))
    rows = report_rows(report, made.left_out, owners_in("."), entry.name)
    apply_exceptions(rows, [Exempt(**one) for one in policy["exceptions"]])
    return {
        "status": CHECKED,
        "commit": made.commit,
        "rows": rows,
        "files": report.files,
        "bytes": sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file()),
        "hidden_notes": report.hidden_notes,
        "holds_until": earliest_end(rows["suppressed"]),
        "reusable": int(is_reusable(report)),
    }


def _report(configurations: Configurations) -> Report:
    """Return what is found in the current folder; what is not read, where there is nothing else."""
    try:
        return check_paths(["."], configurations)
    except UsageError:
        try:
            discover(["."], configurations, languages().values())
        except UsageError:
            return Report(unread=_unread_files())
        raise


def _unread_files() -> dict[str, tuple[str, ...]]:
    """Return the files of kinds that are not read, below the current folder."""
    found: dict[str, list[str]] = {}
    for folder, _, names in os.walk(os.curdir):
        for name in sorted(names):
            if kind := kind_of(name, Path(folder).name):
                found.setdefault(kind, []).append((Path(folder) / name).as_posix())
    return {kind: tuple(paths) for kind, paths in sorted(found.items())}


def _processor_time() -> float:
    """Seconds that this process and those that it has waited for took of a processor."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
