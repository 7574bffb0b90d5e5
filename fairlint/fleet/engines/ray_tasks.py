"""Ray does the jobs of a fleet as tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.engines.ray_cluster import RayTasks, join_ray
from fairlint.fleet.engines.lost_jobs import lost_answer
from fairlint.fleet.engines.slots import ask_own_slot
from fairlint.fleet.jobs import SHARED, Answer, Job

EXTRA = "fleet-ray"


class RayEngine(RayTasks[Job, Answer]):
    """A cluster of Ray, or one of this machine where no address is given."""

    def __init__(self, address: str, jobs: int, work: str) -> None:
        ray: Any = need("ray", EXTRA)
        join_ray(ray, address, jobs)
        shared = "" if address else str(Path(work) / SHARED)
        super().__init__(ray, ask_own_slot, lost_answer, shared)

    def cancel(self) -> None:
        """End all tasks and leave the cluster."""
        super().cancel()
        self._ray.shutdown()
