"""What a worker of a fleet does: it makes a folder of one repository's files, checks it, and makes rows.

A repository with many files is not checked by the job that finds that out. Its answer says in how many shards
it is to be checked. A job each checks the files of one and gives results, and one more job joins these, as a
run over all files would.
The messages are plain values, so that any engine may carry them. `answer` is what `fairlint.worker` asks for.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.checking.runner import check_paths
from fairlint.config import Configurations
from fairlint.findings.report import Report
from fairlint.fleet import pre_commit
from fairlint.fleet.checkouts import Checkout, Unchanged, make_checkout
from fairlint.fleet.entries import Entry
from fairlint.fleet.limits import Limits, NotCheckedError, limit_file_size
from fairlint.fleet.own_configurations import Chosen, choose_configurations
from fairlint.fleet.policy import Exempt, apply_exceptions
from fairlint.fleet.rows import earliest_end, is_reusable, report_rows
from fairlint.fleet.shards import check_shard, count_shards, join_shards
from fairlint.processes.memory import is_refusal, limit_memory
from fairlint.reporters.encoding import without_surrogates
from fairlint.reporters.owners import owners_in
from fairlint.sources.discovery import discover
from fairlint.sources.unread import kind_of
from fairlint.support.errors import UsageError
from fairlint.support.records import field_names, replace
from fairlint.syntax.registry import languages

Job = Mapping[str, Any]
Answer = dict[str, Any]

CHECKED, UNCHANGED, FAILED = "checked", "unchanged", "failed"
SPLIT, SHARD = "split", "shard"
"""Status of an answer that is no row yet: a repository is to be checked in shards; the results of one."""
SHARED = "shared"
"""The folder, below that for work, with the files of repositories that are checked in shards."""
FOLDER = "fairlint-fleet-"
"""How the folder begins that a repository's files are in while it is checked."""


def job_of(  # noqa: PLR0917 (all that a worker has to know)
    entry: Entry,
    known: str,
    limits: Limits,
    policy: Mapping[str, Any],
    work: str,
    split: int = 0,
    shared: str = "",
) -> dict[str, Any]:
    """Return the job of one repository. `known` is the commit that need not be checked again; `work` the
    folder for its files, the system's own where it is empty. `policy` is what `Policy.values` gives.

    With more than `split` files to check it is checked in shards of at most so many; 0 is never. `shared` is
    the folder for the files of one that is, where workers share a disk.
    """
    return {
        "entry": {name: getattr(entry, name) for name in field_names(entry)},
        "known": known,
        "limits": {name: getattr(limits, name) for name in field_names(limits)},
        "policy": dict(policy),
        "work": work,
        "split": split,
        "shared": shared,
    }


def shard_job(job: Job, commit: str, number: int, count: int) -> Job:
    """Return the job of one shard of a repository, by its number from 0."""
    return {**job, "known": "", "shard": {"commit": commit, "number": number, "count": count}}


def join_job(job: Job, plan: Mapping[str, Any], shards: Sequence[Mapping[str, Any]]) -> Job:
    """Return the job that joins the results of all shards. `plan` is the answer that named them."""
    joined = {
        "clean": sum(one["clean"] for one in shards),
        "results": [one["results"] for one in shards],
        "left_out": plan["left_out"],
    }
    shard = {"commit": plan["commit"], "number": len(shards), "count": len(shards)}
    return {**job, "known": "", "shard": shard, "join": joined}


def answer_head(job: Job) -> Answer:
    """Return what every answer says of its job: the repository, and the shard if it is of one."""
    return {"repository": job["entry"]["name"], "shard": job.get("shard")}


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
        **answer_head(job),
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
        shard = job.get("shard")
        made = _shared_checkout(job) or make_checkout(entry, job["known"], work, limits)
        if isinstance(made, Unchanged):
            return {"status": UNCHANGED, "commit": made.commit, "rows": {}}
        if shard is not None and shard["commit"] != made.commit:
            raise NotCheckedError("changed", "it is no longer what other shards of it were checked as")
        if shard is not None:
            made = _share_checkout(job, made)
        os.chdir(made.folder)
        return _check_checkout(job, made)
    except OSError as error:
        raise NotCheckedError("error", f"{error.strerror or error}") from None
    finally:
        os.chdir(os.sep)  # a folder that somebody stands in is not removed everywhere
        shutil.rmtree(work, ignore_errors=True)


def _check_checkout(job: Job, made: Checkout) -> Answer:
    """Return the answer for a checkout that the process is in: of all files or of a shard, or its plan."""
    chosen = choose_configurations(job["policy"]["settings"])
    configurations = chosen.configurations
    joined = job.get("join")
    if joined is not None:
        report = join_shards(configurations, joined["results"], joined["clean"])
        return _answer_of_report(job, made, chosen, report)
    shard = job.get("shard")
    if shard is not None:
        some = check_shard(configurations, shard["number"], shard["count"])
        return {"status": SHARD, "commit": made.commit, "rows": {}, **some}
    count = count_shards(configurations, job["split"]) if 0 < job["split"] < made.count else 1
    if count > 1:
        _share_checkout(job, made)
        left_out = [list(one) for one in made.left_out]
        return {"status": SPLIT, "commit": made.commit, "rows": {}, "count": count, "left_out": left_out}
    return _answer_of_report(job, made, chosen, _report(configurations))


def _shared_checkout(job: Job) -> Checkout | None:
    """Return the files that another job has shared; None where they are not here."""
    shard = job.get("shard")
    if shard is None:
        return None
    folder = _shared_folder(job, shard["commit"])
    if folder is None or not folder.is_dir():
        return None
    left_out = tuple((path, reason) for path, reason in job.get("join", {}).get("left_out", ()))
    return Checkout(folder, shard["commit"], left_out)


def _share_checkout(job: Job, made: Checkout) -> Checkout:
    """Return a checkout in a folder where jobs of its shards find it; where that fails, as it is."""
    folder = _shared_folder(job, made.commit)
    if folder is None or made.folder == folder:
        return made
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        os.chdir(os.sep)
        made.folder.rename(folder)
    except OSError:  # another was faster, or the folder is on another disk
        return made
    return replace(made, folder=folder)


def _shared_folder(job: Job, commit: str) -> Path | None:
    return Path(job["shared"]) / commit.replace(":", "-") if job["shared"] else None


def _answer_of_report(job: Job, made: Checkout, chosen: Chosen, report: Report) -> Answer:
    rows = report_rows(report, made.left_out, owners_in("."), job["entry"]["name"])
    apply_exceptions(rows, [Exempt(**one) for one in job["policy"]["exceptions"]])
    return {
        "status": CHECKED,
        "commit": made.commit,
        "rows": rows,
        "files": report.files,
        "bytes": sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file()),
        "hidden_notes": report.hidden_notes,
        "holds_until": earliest_end(rows["suppressed"], report.ending_ignores),
        "pre_commit": None if pre_commit.NAME in dict(made.left_out) else pre_commit.config_text(),
        "configuration": chosen.whose,
        "configured_by": without_surrogates(chosen.reason or ", ".join(chosen.files)),
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
