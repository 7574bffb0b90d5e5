"""The Ray of a bench run: what is started there, and for how long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from fairlint.backends.extras import need
from fairlint.backends.model import ModelOptions
from fairlint.backends.names import SERVED
from fairlint.backends.ray_model import EXTRA
from fairlint.backends.registry import is_spread
from fairlint.bench.asking.running import Judge
from fairlint.bench.judging.judging_all import judge_all
from fairlint.cli.bench_plan import Asked, Plan
from fairlint.engines.ray_cluster import join_ray, ray_address
from fairlint.reporters.printable import printable


@contextmanager
def joined_cluster(cluster: str) -> Iterator[None]:
    """Be in a Ray, if any is named: what was started there ends with the block."""
    if not cluster:
        yield
        return
    ray: Any = need("ray", EXTRA)
    try:
        join_ray(ray, ray_address(cluster) or "")
        yield
    finally:
        ray.shutdown()


def judge_for(cluster: str) -> Judge:
    """Return what judges answers: tasks of a Ray, or processes of this machine."""
    if not cluster:
        return judge_all
    from fairlint.bench.judging.judging_in_ray import judge_in_ray  # noqa: PLC0415 (few have a cluster)

    return partial(judge_in_ray, cluster=cluster)


def cluster_lines(plan: Plan) -> Iterator[str]:
    """Yield what a run would start in its Ray, for people; nothing where it is on this machine."""
    cluster = plan.options.cluster
    if not cluster:
        return
    address = ray_address(cluster)
    yield f"Ray: {f'at {address}' if address else 'that of RAY_ADDRESS or of this machine, else a new one'}"
    yield from (f"{printable(one.name)}: {_actors_text(one, plan.options)}" for one in plan.models)
    yield "answers are judged in tasks"


def _actors_text(asked: Asked, options: ModelOptions) -> str:
    """Return which actors hold a model."""
    if asked.found.backend in SERVED:
        return "no actor: nothing is loaded, so it is asked from here"
    if asked.found.backend == "vllm" and is_spread(options):
        return "vLLM's own actors, one a GPU"
    if options.devices:
        return f"an actor on each of {', '.join(options.devices)}"
    if options.device == "cpu":
        return "an actor on the CPUs"
    each = f"{options.cards} GPUs" if options.cards > 1 else "GPU"
    return f"an actor for each {each}, or one on the CPUs where there are no GPUs"
