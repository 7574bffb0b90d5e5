"""Ray: tasks, and actors that hold something large. What is tried again, and where, is Ray's business."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from fairlint.engines.contract import check_reachable, cluster_loss
from fairlint.support.errors import UsageError

TRIED_AGAIN = 3
"""How often Ray calls an actor again that died while it was at work."""
_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def ray_address(text: str) -> str | None:
    """Return the address that `--engine` names for Ray, empty where it names none; None where it is not
    about Ray.

    >>> [ray_address(text) for text in ("ray", "ray://head:10001", "ray:head:6379", "local")]
    ['', 'ray://head:10001', 'head:6379', None]
    """
    name, colon, address = text.partition(":")
    if name != "ray" or (colon and not address):
        return None
    return text if address.startswith("//") else address


def join_ray(ray: Any, address: str, cpus: int = 0) -> None:
    """Join the Ray at an address, else that of `RAY_ADDRESS` or of this machine; start one where there is
    none.

    One that is started has so many `cpus`, else those of the machine. Raises UsageError in one line.
    """
    if ray.is_initialized():
        return
    named = address or os.environ.get("RAY_ADDRESS", "")
    if ":" in named:
        check_reachable(named)
    try:
        ray.init(
            address=address or None, num_cpus=None if named or not cpus else cpus, log_to_driver=False,
            include_dashboard=None if named else False, configure_logging=False,
        )  # fmt: skip
    except Exception as error:  # whatever a cluster says
        raise UsageError(f"--engine ray: {' '.join(str(error).split())}") from None


class RayTasks(Generic[_Task, _Result]):
    """Tasks that call a function each, on any machine of a Ray that was joined.

    `lost` says what becomes of a task that Ray has given up.
    """

    def __init__(
        self, ray: Any, work: Callable[[_Task], _Result], lost: Callable[[_Task, Exception], _Result],
        shared: str = "",
    ) -> None:  # fmt: skip
        self._ray = ray
        self._remote = ray.remote(work)
        self._lost = lost
        self.shared = shared
        self.at_once = 2 * max(int(ray.cluster_resources().get("CPU", 1)), 1)
        self._out: dict[Any, _Task] = {}

    def submit(self, tasks: Sequence[_Task]) -> None:
        """Take a batch of tasks."""
        for task in tasks:
            self._out[self._remote.remote(task)] = task

    def wait(self) -> list[_Result]:
        """Return the results that have come."""
        done, _ = self._ray.wait([*self._out], num_returns=1)
        return [self._result(one, self._out.pop(one)) for one in done]

    def cancel(self) -> None:
        """End all tasks."""
        for one in self._out:
            self._ray.cancel(one, force=True)
        self._out.clear()

    def _result(self, reference: Any, task: _Task) -> _Result:
        try:
            found: _Result = self._ray.get(reference)
        except self._ray.exceptions.LocalRayletDiedError as error:
            if self.shared:  # its one node is gone: every other task would fail, too
                raise cluster_loss("ray", error) from None
            found = self._lost(task, error)
        except Exception as error:  # after Ray has tried it again
            found = self._lost(task, error)
        return found


class RayActors(Generic[_Task, _Result]):
    """Actors of one kind, each with something large, that take tasks from one queue: Ray's `ActorPool`.

    An actor that dies is started again as often as needed, and what it was at is done again. `method` is what
    a task calls, `lost` the error that a failure ends the work with.
    """

    shared = ""

    def __init__(self, ray: Any, kind: type, method: str, lost: Callable[[Exception], Exception]) -> None:
        self._ray = ray
        self._kind = ray.remote(max_restarts=-1, max_task_retries=TRIED_AGAIN)(kind)
        self._method = method
        self._lost = lost
        self.at_once = 0
        self._actors: list[Any] = []
        self._pool = ray.util.ActorPool([])

    def start(self, options: Mapping[str, Any], *given: Any) -> None:
        """Start one more actor, with Ray's options for it and what its class takes."""
        self._actors.append(self._kind.options(**options).remote(*given))
        self._pool.push(self._actors[-1])
        self.at_once = len(self._actors)

    def submit(self, tasks: Sequence[_Task]) -> None:
        """Take a batch of tasks: an actor has one at a time."""
        for task in tasks:
            self._pool.submit(self._call, task)

    def wait(self) -> list[_Result]:
        """Return the result that comes first, whichever actor it is from."""
        try:
            return [self._pool.get_next_unordered()]
        except Exception as error:  # after Ray has tried it again
            raise self._lost(error) from None

    def each(self, method: str, *given: Any) -> list[Any]:
        """Return what each of the actors answers."""
        try:
            found: list[Any] = self._ray.get([getattr(one, method).remote(*given) for one in self._actors])
        except Exception as error:
            raise self._lost(error) from None
        return found

    def forget(self) -> None:
        """Wait for nothing that was submitted: what an actor is at ends by itself, and the rest is not
        begun.
        """
        self._pool = self._ray.util.ActorPool(self._actors)

    def cancel(self) -> None:
        """End all actors."""
        actors, self._actors = self._actors, []
        for one in actors:
            self._ray.kill(one)

    def _call(self, actor: Any, task: _Task) -> Any:
        return getattr(actor, self._method).remote(task)
