"""Shapes that could take an analysis more time than their size is worth (`benchmarks/bombs.py`)."""

from __future__ import annotations

import pytest
from bombs import BOMBS, MOST_MEGABYTES, MOST_SECONDS, check, cost

LATE = 4.0
"""How much longer than its limit a shape may take on a machine that does much else."""
LIMITED = frozenset({
    "raises",
    "flat script of updates",
    "flat script of assignments",
    "flat script of calls",
    "globals read by functions",
    "methods",
    "fields of an object",
    "calls of tables",
    "walruses",
    "lines of x = 'male' if p.gender == 'm§' else x",
    "lines of x = {'male': x, 'female': §}[p.gender]",
    "lines of x = (lambda q: x)(x)",
    "lines of x = x & (df['gender'] == 'g§')",
    "lines of x, z = (x, x), x",
    "lines of x.append('male')",
    "lines of x += ['g§']",
    "lines of x = x[x['gender'] == 'g§']",
    "lines of x['c§'] = x['gender']",
    "lines of x = Q(gender='g§') | x",
    "nested if with else",
    "nested def",
    "nested class",
    "nested match",
    "columns that are made",
    "columns that are made of the one before",
    "np.where in np.where",
    "cases of SQL",
    "selects within selects",
    "unions of SQL",
    "a long prompt",
    "blocks without indent",
    "gotos",
    "gotos backwards",
    "gotos in a circle",
    "C: else if",
    "bare fences about code",
    "fences in turns",
    "an answer of prose and code",
    "cells of functions",
    "cells that are broken",
})  # fmt: skip
"""Shapes that reach a limit of the analysis at their own size, and not at half of it."""
DEAR = frozenset({
    "C: small functions",
    "C: sums",
    "an answer of functions",
    "an answer that never ends",
    "macros that are statements",
    "modules in a chain",
    "modules in a circle",
    "small functions",
    "text = text + text",
})  # fmt: skip
"""Shapes that take so long that a busy machine might not do half of one in a quarter of its limit."""
WHOLE = LIMITED | DEAR


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_one_breaks_nothing(name: str) -> None:
    bomb = BOMBS[name]
    _, _, failed = check(bomb(max(2, bomb.size // 20)))

    assert not failed


@pytest.mark.slow
@pytest.mark.parametrize("name", [one for one in BOMBS if one not in WHOLE])
def test_half_of_each_stays_within_a_quarter_of_its_limits(name: str) -> None:
    """What grows with the square of its size is held to as much as by its whole size and its whole limit."""
    found = cost(BOMBS[name].make, BOMBS[name].size // 2, MOST_SECONDS * LATE / 4)

    assert not found.failed, found.gaps
    assert found.megabytes <= MOST_MEGABYTES / 4


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WHOLE))
def test_what_is_limited_or_dear_stays_within_its_own_limits(name: str) -> None:
    found = cost(BOMBS[name].make, BOMBS[name].size, MOST_SECONDS * LATE)

    assert not found.failed, found.gaps
    assert found.megabytes <= MOST_MEGABYTES
