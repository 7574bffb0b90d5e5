"""Many answers, judged in tasks of Ray.

A task judges its part as this machine would: in a process of its own, within limits of time and memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint import Settings
from fairlint.backends.extras import need
from fairlint.bench.judging.judging_all import ENOUGH, LIMITS, judge_all
from fairlint.bench.suites.suite import Kept
from fairlint.engines.contract import cluster_loss
from fairlint.engines.ray_cluster import RayTasks, join_ray, ray_address
from fairlint.run_folders.jsonl import KEY
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

EXTRA = "ray"


def judge_in_ray(
    suite: str,
    answers: Sequence[Kept],
    *,
    cluster: str,
    workers: int = 1,
    limits: Settings = LIMITS,
    settings: Mapping[str, Any] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the outcomes that `judge_all` gives, those of a task together.

    `cluster` is what `--engine` names. `workers` is the most tasks; 0: as many as Ray has cores for. Raises
    UsageError as `judge_all` does, and where Ray is lost.
    """
    known = list({kept[KEY]: kept for kept in answers}.values())
    if not known:
        return
    ray: Any = need("ray", EXTRA)
    join_ray(ray, ray_address(cluster) or "")
    engine: RayTasks[_Part, list[dict[str, Any]]] = RayTasks(ray, _judge_part, _lost_part)
    count = min(workers or engine.at_once, math.ceil(len(known) / ENOUGH))
    parts = [
        _Part(suite, tuple(known[number::count]), limits, dict(settings or {})) for number in range(count)
    ]
    engine.submit(parts)
    left = count
    try:
        while left:
            for outcomes in engine.wait():
                left -= 1
                yield from outcomes
    finally:
        engine.cancel()


class _Part(Record):
    """What one task judges."""

    suite: str
    answers: tuple[Kept, ...]
    limits: Settings
    settings: Mapping[str, Any]


def _judge_part(part: _Part) -> list[dict[str, Any]]:
    return list(judge_all(part.suite, part.answers, limits=part.limits, settings=part.settings))


def _lost_part(_: _Part, error: Exception) -> list[dict[str, Any]]:
    cause = getattr(error, "cause", None)
    if isinstance(cause, UsageError):
        raise UsageError(str(cause)) from None
    raise cluster_loss("ray", error) from None
