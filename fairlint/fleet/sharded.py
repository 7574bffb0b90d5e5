"""The repositories of a run that are checked in shards: what is known of each, on disk too, and what is next.

A plan and each shard's results are kept as they come, so that a run that goes on asks for the others alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlint.fleet.jobs import SPLIT, Answer, Job, join_job, shard_job
from fairlint.fleet.store import Run, Store, digest_of_name
from fairlint.support.records import Record

PLAN = "plan"
_TIMES = ("seconds", "cpu_seconds")
_OF_PLAN = ("commit", "count", "left_out", *_TIMES)
_OF_SHARD = ("clean", "results", *_TIMES)


class _Sharded(Record, frozen=False):
    """One repository: its whole job, the plan, and the files that hold what its shards have found."""

    job: Job
    plan: Mapping[str, Any]
    found: dict[int, Path]


class ShardedRepositories:
    """Those of one run."""

    def __init__(self, store: Store, run: Run, shared: str, done: Collection[str]) -> None:
        self._store, self._run, self._shared = store, run, shared
        self._kept: dict[str, Mapping[str, Path]] = {}
        self._open: dict[str, _Sharded] = {}
        for files in store.kept_shards(run):
            if PLAN in files:
                name = str(store.read_kept(files[PLAN])["repository"])
                if name in done:
                    store.drop_shards(run, name)
                else:
                    self._kept[name] = files

    def folder(self, repository: str) -> str:
        """Return the folder for its files that all workers see; empty where they do not share a disk."""
        return str(Path(self._shared) / digest_of_name(repository)) if self._shared else ""

    def resume(self, job: Job, inputs: str) -> list[Job]:
        """Return what is left to do of a repository of which an earlier process has kept a plan."""
        name = str(job["entry"]["name"])
        files = self._kept.pop(name, None)
        if files is None:
            return []
        plan = self._store.read_kept(files[PLAN])
        if plan["inputs"] != inputs:
            self.drop(name)
            return []
        found = {int(stem): path for stem, path in files.items() if stem != PLAN}
        self._open[name] = _Sharded(job, plan, found)
        return list(self._jobs_left(self._open[name]))

    def is_awaited(self, answer: Answer) -> bool:
        """Return whether an answer is of a whole repository, or of a shard of one that has not failed."""
        shard = answer.get("shard")
        known = self._open.get(str(answer["repository"]))
        return shard is None or (known is not None and known.plan["commit"] == shard["commit"])

    def add(self, job: Job, inputs: str, answer: Answer) -> list[Job]:
        """Keep a plan, or what a shard has found; the result is what there is to do next."""
        name = str(answer["repository"])
        if answer["status"] == SPLIT:
            plan = {"repository": name, "inputs": inputs, **{key: answer[key] for key in _OF_PLAN}}
            self._store.keep_shard(self._run, name, PLAN, plan)
            self._open[name] = _Sharded(job, plan, {})
            return list(self._jobs_left(self._open[name]))
        known, number = self._open[name], int(answer["shard"]["number"])
        values = {key: answer[key] for key in _OF_SHARD}
        known.found[number] = self._store.keep_shard(self._run, name, f"{number:06}", values)
        return list(self._jobs_left(known)) if len(known.found) == known.plan["count"] else []

    def job_again(self, job: Job, answer: Answer) -> Job:
        """Return the job to do again after an answer without rows: the whole one for another commit."""
        known = self._open.get(str(answer["repository"]))
        shard = answer.get("shard")
        if known is None or shard is None or answer["cause"] == "changed":
            self.drop(str(answer["repository"]))
            return job
        number = int(shard["number"])
        if number in range(shard["count"]):
            return shard_job(job, shard["commit"], number, shard["count"])
        return self._join(known)

    def finished(self, answer: Answer) -> Answer:
        """Return the answer of a repository with the time that all its shards took."""
        known = self._open.get(str(answer["repository"]))
        if known is None:
            return answer
        steps = [known.plan, *map(self._store.read_kept, known.found.values())]
        return {**answer, **{key: answer[key] + sum(one[key] for one in steps) for key in _TIMES}}

    def drop(self, repository: str) -> None:
        """Forget a repository: it is done, or has failed."""
        self._open.pop(repository, None)
        self._store.drop_shards(self._run, repository)
        if self._shared:
            shutil.rmtree(self.folder(repository), ignore_errors=True)

    def _jobs_left(self, known: _Sharded) -> Iterator[Job]:
        commit, count = str(known.plan["commit"]), int(known.plan["count"])
        left = [number for number in range(count) if number not in known.found]
        yield from (shard_job(known.job, commit, number, count) for number in left)
        if not left:
            yield self._join(known)

    def _join(self, known: _Sharded) -> Job:
        shards = [self._store.read_kept(known.found[number]) for number in sorted(known.found)]
        return join_job(known.job, known.plan, shards)
