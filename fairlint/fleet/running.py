"""A run over a list: what is asked, what is known already, and when answers become parts of the store."""

from __future__ import annotations

import datetime
import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.cache.program import program
from fairlint.checking.inputs import sums
from fairlint.config import Settings
from fairlint.engines.contract import Engine
from fairlint.fleet.entries import Entry
from fairlint.fleet.jobs import CHECKED, FAILED, SHARD, SPLIT, UNCHANGED, Answer, Job, job_of
from fairlint.fleet.limits import Limits
from fairlint.fleet.policy import Policy
from fairlint.fleet.sharded import ShardedRepositories
from fairlint.fleet.store import Run, Store
from fairlint.rules import rule_files
from fairlint.support import days
from fairlint.support.about import __version__
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, replace

PART_REPOSITORIES = 500
"""Answers that make a part."""
PART_BYTES = 50_000_000
"""Bytes of kept answers that make a part, however few they are."""
PART_SECONDS = 60.0
"""Seconds after which answers make a part, so that the store can be read while it grows."""
TRANSIENT = {"not reachable", "changed"}
"""Causes for which a repository is asked again."""
FIRST_PAUSE, PAUSE_GROWTH, LONGEST_PAUSE = 5.0, 4.0, 300.0
"""Seconds before it is asked again, and how they grow."""
_COUNTED = ("findings", "uses", "suppressed")
_TEXTS = ("configuration", "configured_by")
_CARRIED = (
    "files",
    "bytes",
    *_COUNTED,
    "not_read",
    "hidden_notes",
    "holds_until",
    "reusable",
    "pre_commit",
    *_TEXTS,
)
"""What a row of a repository takes over from an earlier run where nothing has changed."""

Watch = Callable[[int, int], None]


class Summary(Record):
    """How many repositories of a run were checked, unchanged and not checked, and what was found."""

    run: str
    checked: int
    unchanged: int
    failed: int
    findings: int
    before: int
    """Those that the run had before it went on."""


class Known(Record):
    """What an earlier run says of a repository: with which inputs, and its row."""

    inputs: str
    row: Mapping[str, Any]


class Inputs:
    """What results hang on besides the code, by repository: fairlint itself, its rules and the settings."""

    def __init__(self, policy: Policy, day: str) -> None:
        self._policy = policy
        self.day = day
        self._program = program(__version__, rule_files.shipped_folder()).hex()
        self._rules = sums([Settings()], [])["all"]
        self._digests: dict[str, str] = {}

    def of(self, repository: str) -> tuple[str, Mapping[str, Any]]:
        """Return the digest of what holds for a repository, and what that is."""
        values = self._policy.values(repository, self.day)
        text = json.dumps(values, sort_keys=True, default=list)
        digest = self._digests.get(text)
        if digest is None:
            told = "\n".join((self._program, self._rules, text))
            digest = self._digests[text] = hashlib.sha256(told.encode()).hexdigest()
        return digest, json.loads(text)

    def of_all(self) -> str:
        """Return the digest of what holds for all repositories together, on any day."""
        told = (self._program, self._rules, json.dumps(self._policy.document(), sort_keys=True, default=list))
        return hashlib.sha256("\n".join(told).encode()).hexdigest()


def begin_run(
    store: Store, entries: Sequence[Entry], policy: Policy, name: str = "", *, resume: bool = False
) -> Run:
    """Return a new run, or with `resume` the latest that was not finished.

    A UsageError where there is none to go on with, or where its rows came about under another policy or by
    another fairlint.
    """
    inputs = Inputs(policy, days.today()).of_all()
    runs = store.runs()
    if resume:
        open_runs = [run for run in runs if not run.is_finished and name in {"", run.name}]
        if not open_runs:
            raise UsageError(f"{store.folder}: there is no unfinished run to resume")
        begun = open_runs[-1]
        if begun.inputs != inputs:
            raise UsageError(
                f"{store.folder}: run '{begun.name}' began under another policy or with another fairlint, "
                "and one run has one of each: begin a new run, which takes over what still holds"
            )
        return begun
    now = datetime.datetime.now(datetime.UTC)
    name = name or _free_name(f"{now:%Y%m%dT%H%M%SZ}", {run.name for run in runs})
    if any(run.name == name for run in runs):
        raise UsageError(f"{store.folder}: there is a run '{name}' already; --resume goes on with it")
    run = Run(name, f"{now:%Y-%m-%d}", now.isoformat(), inputs=inputs, entries=list_digest(entries))
    store.write_run(run)
    return run


def list_digest(entries: Sequence[Entry]) -> str:
    """Return the digest of a list's names, in whatever order."""
    names = "\n".join(sorted(one.name for one in entries))
    return hashlib.sha256(names.encode("utf-8", "surrogateescape")).hexdigest()


def scan(
    store: Store,
    run: Run,
    entries: Sequence[Entry],
    engine: Engine[Job, Answer],
    *,
    policy: Policy,
    limits: Limits,
    retries: int = 0,
    split: int = 0,
    watch: Watch | None = None,
) -> Summary:
    """Check all entries that the run does not have yet. The caller holds the store (`Store.writing`).

    What did not answer is asked again up to `retries` times, after all others and a pause. A repository with
    more than `split` files to check is checked in shards; 0 is never.
    """
    inputs = Inputs(policy, days.today())
    done = {str(row["repository"]) for row in store.rows("repositories", run.name, ["repository"])}
    keeper = _Keeper(store, run, done)
    before = len(keeper.done)
    known = _known_repositories(store, run)
    asked: dict[str, tuple[Entry, str, Job]] = {}
    sharded = ShardedRepositories(store, run, engine.shared, keeper.done)
    first: deque[Job] = deque()  # shards, for what is begun is brought to its end

    def jobs() -> Iterator[Job]:
        for entry in entries:
            if entry.name in keeper.done or entry.name in asked:
                continue
            digest, values = inputs.of(entry.name)
            found = known.get(entry.name)
            holds = found is not None and found.inputs == digest and _holds(found.row, inputs.day)
            commit = str(found.row["commit"]) if found is not None and holds else ""
            if commit and entry.kind == "package" and "==" in entry.address:
                keeper.add(
                    entry, digest, _unchanged(entry, commit), found
                )  # a released version never changes
                continue
            job = job_of(entry, commit, limits, values, "", split, sharded.folder(entry.name))
            asked[entry.name] = (entry, digest, job)
            yield from sharded.resume(job, digest) or [job]

    def forget(name: str) -> None:
        sharded.drop(name)
        left = [job for job in first if job["entry"]["name"] != name]
        first.clear()
        first.extend(left)

    waiting = jobs()
    for number in range(retries + 1):
        again = []
        for answer in _answers(
            engine, first, waiting, lambda: watch and watch(len(keeper.done), len(entries))
        ):
            if not sharded.is_awaited(answer):
                continue
            name = str(answer["repository"])
            entry, digest, job = asked[name]
            if number < retries and answer.get("cause") in TRANSIENT:
                again.append(sharded.job_again(job, answer))
                if again[-1] is job:
                    forget(name)
            elif answer["status"] in {SPLIT, SHARD}:
                first.extend(sharded.add(job, digest, answer))
            else:
                del asked[name]
                keeper.add(entry, digest, sharded.finished(answer), known.get(name))
                forget(name)
        if not again:
            break
        waiting = iter(again)
        time.sleep(min(FIRST_PAUSE * PAUSE_GROWTH**number, LONGEST_PAUSE))
    keeper.flush()
    store.drop_shards(run)
    store.write_run(replace(run, is_finished=True))
    return keeper.summary(before)


def _answers(
    engine: Engine[Job, Answer], first: deque[Job], jobs: Iterator[Job], watch: Callable[[], object]
) -> Iterator[Answer]:
    """Yield the answers to jobs as they come; so many are out as the engine wants, those of `first` first."""
    out = 0
    while True:
        batch = []
        for _ in range(engine.at_once - out):
            job = first.popleft() if first else next(jobs, None)
            if job is None:
                break
            batch.append(job)
        if batch:
            engine.submit(batch)
        out += len(batch)
        watch()
        if not out:
            return
        for answer in engine.wait():
            out -= 1
            yield answer


class _Keeper:
    """Keeps answers of a run, and makes parts of them."""

    def __init__(self, store: Store, run: Run, done: set[str]) -> None:
        self._store, self._run = store, run
        self._kept = store.kept(run)
        self.done = done | self._kept.keys()
        self._bytes = 0
        self._since = time.monotonic()
        self._counts = {CHECKED: 0, UNCHANGED: 0, FAILED: 0}
        self._findings = 0

    def add(self, entry: Entry, inputs: str, answer: Answer, known: Known | None) -> None:
        """Keep an answer."""
        row = _repository_row(self._run.name, entry, inputs, answer, known)
        tables = {name: list(rows) for name, rows in answer["rows"].items()}
        tables["repositories"] = [row]
        if answer["status"] == FAILED:
            tables["errors"] = [
                {"repository": entry.name, "address": entry.address, "cause": answer["cause"],
                 "reason": answer["reason"]}
            ]  # fmt: skip
        path = self._store.keep(self._run, entry.name, tables)
        self._kept[entry.name] = path
        self._bytes += path.stat().st_size
        self.done.add(entry.name)
        self._counts[answer["status"]] += 1
        self._findings += row["findings"]
        is_late = time.monotonic() - self._since >= PART_SECONDS
        if len(self._kept) >= PART_REPOSITORIES or self._bytes >= PART_BYTES or is_late:
            self.flush()

    def flush(self) -> None:
        """Make a part of what is kept."""
        self._store.write_kept(self._run, self._kept.values())
        self._kept.clear()
        self._bytes, self._since = 0, time.monotonic()

    def summary(self, before: int) -> Summary:
        """Return what was done since the run began or went on."""
        counts = self._counts
        return Summary(
            self._run.name, counts[CHECKED], counts[UNCHANGED], counts[FAILED], self._findings, before
        )


def _repository_row(
    run: str, entry: Entry, inputs: str, answer: Answer, known: Known | None
) -> dict[str, Any]:
    rows = answer["rows"]
    row = {
        "repository": entry.name,
        "kind": entry.kind,
        "address": entry.address,
        "commit": answer["commit"],
        "inputs": inputs,
        "status": answer["status"],
        "data_run": run,
        "files": answer.get("files", 0),
        "bytes": answer.get("bytes", 0),
        **{name: len(rows.get(name, ())) for name in _COUNTED},
        "not_read": len(rows.get("coverage", ())),
        "hidden_notes": answer.get("hidden_notes", 0),
        "seconds": answer["seconds"],
        "cpu_seconds": answer["cpu_seconds"],
        "holds_until": answer.get("holds_until", ""),
        "reusable": answer.get("reusable", 0),
        **{name: answer.get(name, "") for name in _TEXTS},
        "pre_commit": answer.get("pre_commit"),
    }
    if answer["status"] == UNCHANGED and known is not None:
        row |= {"data_run": known.row["data_run"], **{name: known.row[name] for name in _CARRIED}}
    return row


def _known_repositories(store: Store, run: Run) -> dict[str, Known]:
    """Return the latest row of each repository in other runs that may be used again."""
    found: dict[str, Known] = {}
    order = {one.name: number for number, one in enumerate(store.runs())}
    rows = (row for row in store.rows("repositories") if row["reusable"] and row["run"] != run.name)
    for row in sorted(rows, key=lambda one: order.get(one["run"], -1)):
        found[str(row["repository"])] = Known(str(row["inputs"]), row)
    return found


def _holds(row: Mapping[str, Any], day: str) -> bool:
    """Return whether no suppression has ended since a row was made."""
    return not row["holds_until"] or str(row["holds_until"]) >= day


def _unchanged(entry: Entry, commit: str) -> Answer:
    return {
        "status": UNCHANGED, "commit": commit, "rows": {}, "repository": entry.name, "seconds": 0.0,
        "cpu_seconds": 0.0,
    }  # fmt: skip


def _free_name(name: str, names: set[str]) -> str:
    number = 1
    while (made := name if number == 1 else f"{name}-{number}") in names:
        number += 1
    return made


def work_folder(store: Store) -> str:
    """Return where files of repositories are while they are checked on this machine."""
    return str(Path(store.work).absolute())
