"""Shapes that could take an analysis more time than their size is worth (`benchmarks/bombs.py`)."""

from __future__ import annotations

import pytest
from bombs import BOMBS, MOST_MEGABYTES, MOST_SECONDS, check, cost

LATE = 4.0
"""How much longer than its limit a shape may take on a machine that does much else."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_one_breaks_nothing(name: str) -> None:
    bomb = BOMBS[name]
    _, _, failed = check(bomb(max(2, bomb.size // 20)))

    assert not failed


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_each_stays_within_its_limits(name: str) -> None:
    found = cost(BOMBS[name].make, BOMBS[name].size, MOST_SECONDS * LATE)

    assert not found.failed, found.gaps
    assert found.megabytes <= MOST_MEGABYTES
