"""The queue of a simulated fleet, against sums that can be worked out by hand."""

from __future__ import annotations

import random

import pytest
from fleet_simulation import MOST_OF_ONE_LINK, RETRIES, Fleet, Repository, jobs_of, simulate

HOUR = (0.0, 3600.0)


def test_whoever_is_free_takes_the_next_job() -> None:
    found = simulate([HOUR, (0.0, 7200.0), HOUR], Fleet(2, link=100))
    assert (found.hours, found.busy, found.waiting) == (2, 4, 0)


def test_downloads_share_one_link() -> None:
    megabytes = 3600 * MOST_OF_ONE_LINK
    alone = simulate([(megabytes, 0.0)] * 4, Fleet(4, link=1e9))
    shared = simulate([(megabytes, 0.0)] * 4, Fleet(4, link=MOST_OF_ONE_LINK))
    assert alone.hours == pytest.approx(1, abs=1e-3)
    assert shared.hours == pytest.approx(4)


def test_what_never_comes_is_given_up_after_its_retries() -> None:
    found = simulate([(MOST_OF_ONE_LINK, 60.0)] * 5, Fleet(2, link=1e9, failing=1.0))
    assert (found.gone, found.busy) == (5, 0)
    assert found.waiting == pytest.approx(5 * (1 + RETRIES) / 3600, rel=1e-3)


def test_deaths_cost_time_and_lose_no_job() -> None:
    jobs = [HOUR] * 200
    found = simulate(jobs, Fleet(10, link=100, deaths=0.3, drawn=random.Random(1)))
    assert found.busy == pytest.approx(200)
    assert found.lost > 10
    assert found.hours > 20


def test_shards_take_what_the_repository_took_and_a_little_more() -> None:
    whole = Repository(megabytes=10, files=2_500, seconds=9, cpu=6)
    assert list(jobs_of([whole], 0, 0.05)) == [(10, 6)]
    shards = list(jobs_of([whole], 1_000, 0.05))
    assert [megabytes for megabytes, _ in shards] == [10, 0, 0]
    assert sum(seconds for _, seconds in shards) == pytest.approx(6.3)
