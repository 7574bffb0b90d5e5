"""Several processes that train one model together, as `accelerate launch` and torchrun start them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from fairlint.backends.extras import need
from fairlint.support.records import Record

if TYPE_CHECKING:
    from torch import Tensor

LONGEST = timedelta(days=7)
"""How long a process waits for the others, as while the first one measures."""

_Item = TypeVar("_Item")


class Team(Record):
    """This process among those that train together; by itself it is the first of one."""

    rank: int = 0
    size: int = 1
    local: int = 0
    """Which of those on this machine: the number of its accelerator."""

    @property
    def is_first(self) -> bool:
        """Whether this process measures, writes and talks."""
        return self.rank == 0

    def part(self, items: Sequence[_Item]) -> Sequence[_Item]:
        """Return this process's part of what all have."""
        return items[self.rank :: self.size]

    def total(self, value: Tensor) -> Tensor:
        """Return the sum over all processes, the same number in each of them."""
        if self.size == 1:
            return value
        found: Tensor = need("accelerate.utils", "model").reduce(value.detach().clone(), reduction="sum")
        return found

    def told(self, value: Any = None) -> Any:
        """Return what the first process has."""
        if self.size == 1:
            return value
        kept = [value]
        need("accelerate.utils", "model").broadcast_object_list(kept)
        return kept[0]


def gather(device: str = "auto") -> Team:
    """Return the processes that were started together, where there are several, ready to work together.

    `device` is what `--device` says. Raises ModelError where accelerate is missing.
    """
    if int(os.environ.get("WORLD_SIZE") or 1) < 2 or "RANK" not in os.environ:
        return Team()
    accelerate = need("accelerate", "model")
    state = accelerate.PartialState(cpu=device == "cpu", timeout=LONGEST)
    return Team(state.process_index, state.num_processes, state.local_process_index)


def device_of(team: Team, device: str) -> str:
    """Return where this process has its model: each on an accelerator of its own, where nobody says
    otherwise.
    """
    import torch  # noqa: PLC0415 (an extra)

    if team.size == 1 or device != "auto":
        return device
    return f"cuda:{team.local}" if torch.cuda.is_available() else "cpu"
