"""Tasks of Dask. What is tried again, and where a task runs, is its scheduler's business."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.engines.contract import REACHED_WITHIN, check_reachable
from fairlint.fleet.engines.lost_jobs import lost_answer
from fairlint.fleet.engines.slots import ask_own_slot
from fairlint.fleet.jobs import SHARED, Answer, Job
from fairlint.support.errors import UsageError

EXTRA = "fleet-dask"
TRIED_AGAIN = 3
"""How often the scheduler tries a task again whose worker died."""


class DaskEngine:
    """A cluster of Dask, or one of this machine where no address is given."""

    def __init__(self, address: str, jobs: int, work: str) -> None:
        self._dask: Any = need("distributed", EXTRA)
        self._cluster: Any = None
        if address:
            check_reachable(address)
        try:
            if not address:
                self._cluster = self._dask.LocalCluster(
                    n_workers=jobs or None, threads_per_worker=1, processes=True, dashboard_address=None
                )
            self._client: Any = self._dask.Client(self._cluster or address, timeout=REACHED_WITHIN)
        except Exception as error:  # whatever a cluster says
            raise UsageError(f"--engine dask: {' '.join(str(error).split())}") from None
        self.at_once = 2 * max(sum(self._client.nthreads().values()), 1)
        self.shared = "" if address else str(Path(work) / SHARED)
        self._out: dict[Any, Job] = {}

    def submit(self, jobs: Sequence[Job]) -> None:
        """Take a batch of jobs."""
        futures = self._client.map(ask_own_slot, list(jobs), pure=False, retries=TRIED_AGAIN)
        self._out.update(zip(futures, jobs, strict=True))

    def wait(self) -> list[Answer]:
        """Return the answers that have come."""
        done = self._dask.wait([*self._out], return_when="FIRST_COMPLETED").done
        return [self._answer(one, self._out.pop(one)) for one in done]

    def cancel(self) -> None:
        """End all tasks and leave the cluster."""
        self._client.cancel([*self._out])
        self._out.clear()
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _answer(self, future: Any, job: Job) -> Answer:
        try:
            found: Answer = future.result()
        except Exception as error:  # after Dask has tried it again
            found = lost_answer(job, error)
        return found
