"""Tasks of Ray. What is tried again, and where a task runs, is Ray's business."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.fleet.engines.contract import check_reachable, cluster_loss, lost_answer
from fairlint.fleet.engines.slots import ask_own_slot
from fairlint.fleet.jobs import SHARED, Answer, Job
from fairlint.support.errors import UsageError

EXTRA = "fleet-ray"


class RayEngine:
    """A cluster of Ray, or one of this machine where no address is given."""

    def __init__(self, address: str, jobs: int, work: str) -> None:
        self._ray: Any = need("ray", EXTRA)
        if address:
            check_reachable(address)
        try:
            self._ray.init(
                address=address or None, num_cpus=None if address or not jobs else jobs, log_to_driver=False,
                include_dashboard=None if address else False, configure_logging=False,
            )  # fmt: skip
        except Exception as error:  # whatever a cluster says
            raise UsageError(f"--engine ray: {' '.join(str(error).split())}") from None
        self.at_once = 2 * max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
        self._task = self._ray.remote(ask_own_slot)
        self.shared = "" if address else str(Path(work) / SHARED)
        self._out: dict[Any, Job] = {}

    def submit(self, jobs: Sequence[Job]) -> None:
        """Take a batch of jobs."""
        for job in jobs:
            self._out[self._task.remote(job)] = job

    def wait(self) -> list[Answer]:
        """Return the answers that have come."""
        done, _ = self._ray.wait([*self._out], num_returns=1)
        return [self._answer(one, self._out.pop(one)) for one in done]

    def cancel(self) -> None:
        """End all tasks and leave the cluster."""
        for one in self._out:
            self._ray.cancel(one, force=True)
        self._out.clear()
        self._ray.shutdown()

    def _answer(self, reference: Any, job: Job) -> Answer:
        try:
            found: Answer = self._ray.get(reference)
        except self._ray.exceptions.LocalRayletDiedError as error:
            if self.shared:  # its one node is gone: every other repository would fail, too
                raise cluster_loss("ray", error) from None
            found = lost_answer(job, error)
        except Exception as error:  # after Ray has tried it again
            found = lost_answer(job, error)
        return found
