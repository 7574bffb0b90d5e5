"""The engine that a name or an address means."""

from __future__ import annotations

from urllib.parse import urlsplit

from fairlint.engines.contract import Engine
from fairlint.engines.ray_cluster import ray_address
from fairlint.fleet.jobs import Answer, Job
from fairlint.support.errors import UsageError

NAMES = ("local", "ray", "dask")
SCHEMES = {"tcp": "dask", "tls": "dask"}
"""Schemes of addresses of clusters → whose they are."""


def open_engine(name: str, jobs: int, work: str) -> Engine[Job, Answer]:
    """Return an engine by its name or the address of a cluster; one that cannot be had is a UsageError.

    `jobs` is how many repositories are checked at once on this machine, `work` the folder for their files.
    """
    address = ray_address(name)
    if address is not None:
        from fairlint.fleet.engines.ray_tasks import RayEngine  # noqa: PLC0415 (an extra)

        return RayEngine(address, jobs, work)
    scheme = urlsplit(name).scheme if "://" in name else ""
    kind = SCHEMES.get(scheme, "") if scheme else name
    if kind not in NAMES:
        known = ", ".join((*NAMES, *(f"{one}://HOST:PORT" for one in ("ray", *SCHEMES))))
        raise UsageError(f"--engine must be one of {known}, not '{name}'")
    if kind == "dask":
        from fairlint.fleet.engines.dask_tasks import DaskEngine  # noqa: PLC0415 (an extra)

        return DaskEngine(name if scheme else "", jobs, work)
    from fairlint.fleet.engines.local import LocalEngine  # noqa: PLC0415 (asyncio)

    return LocalEngine(jobs, work)
