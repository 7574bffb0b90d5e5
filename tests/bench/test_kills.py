"""Runs that are killed again and again; `python benchmarks/kills.py` does it 200 times."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("openai")

import kills


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_killed_run_loses_doubles_and_repeats_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code = kills.main(["--kills", "6", "--requests", "40"])
    assert code == 0, capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_run_killed_within_its_conversations_is_as_if_nobody_had(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("pydantic_monty")
    code = kills.main(["--of", "conversations", "--kills", "4", "--requests", "4"])
    assert code == 0, capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_shards_that_are_killed_come_to_the_run_that_nobody_split(capsys: pytest.CaptureFixture[str]) -> None:
    code = kills.main(["--of", "shards", "--kills", "4", "--requests", "24"])
    assert code == 0, capsys.readouterr().out


def test_what_is_not_as_promised_is_told() -> None:
    good = kills.Kill("asking", kills.CONCURRENCY, 0)
    assert kills.is_well(kills.Tally(kills=[good]))
    for bad in (
        kills.Tally(kills=[kills.Kill("asking", kills.CONCURRENCY + 1, 0)]),
        kills.Tally(kills=[kills.Kill("judging", 0, 1)]),
        kills.Tally(kills=[good], lost=1),
        kills.Tally(kills=[good], doubled=1),
        kills.Tally(kills=[good], kept_again=1),
        kills.Tally(kills=[good], differ=["run 1: metrics.json"]),
    ):
        assert not kills.is_well(bad)
