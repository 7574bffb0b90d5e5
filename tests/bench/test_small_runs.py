"""Runs from which nothing can be concluded: what reports say of them, and that they get no rank."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from report_data import biased, fair, garbage, usage_view, view

from fairlint.bench.figures.ranking import ranking
from fairlint.bench.leaderboard import pages
from fairlint.bench.leaderboard.entries import Entry, tables
from fairlint.bench.report import html, markdown, terminal, verdicts
from fairlint.bench.runs.view import is_too_small, smallest_difference

FEW = {("job", "gender"): (("", "Carpenter"), ("", "Nurse"), ("", "Judge"), ("", "Cook"))}
FIVE, SIX, SIXTEEN = (
    {("job", "gender"): tuple(("", f"job {number}") for number in range(count))} for count in (5, 6, 16)
)


def test_of_twelve_answers_the_headline_is_that_nothing_can_be_concluded() -> None:
    one = view(fair, "coder", subjects=FEW)
    told = verdicts.verdict(one)
    assert told.startswith("12 answers: nothing can be concluded. Two runs of this size would not show a ")
    assert "difference of less than 0.61. coder comes to a FairScore (adjusted) of 1.00" in told
    assert told in html([one])
    assert "12 answers: nothing can be concluded" in markdown([one])


def test_subjects_that_are_all_alike_are_enough_from_six_on() -> None:
    small, large = (view(fair, subjects=some) for some in (FIVE, SIX))
    assert is_too_small(small)
    assert not is_too_small(large)
    assert (smallest_difference(large) or 1) <= 0.5 < (smallest_difference(small) or 0)
    assert "nothing can be concluded" not in verdicts.verdict(large)


def test_a_share_is_enough_from_sixteen_independent_answers_on() -> None:
    assert is_too_small(usage_view(units=15.6))
    assert not is_too_small(usage_view(units=16.0))


def test_a_leaning_that_chance_does_not_make_is_still_told() -> None:
    """Few subjects are enough for what is the same in all of them."""
    one = view(biased, subjects=SIX)
    one.metrics["overall"]["interval"] = [0.1, 0.9]
    assert is_too_small(one)
    assert "in favour of “female”" in verdicts.verdict(one)


def test_garbage_is_told_first() -> None:
    one = view(garbage, subjects=FEW)
    assert verdicts.verdict(one).startswith("No verdict on")


def test_a_small_run_of_a_share_says_the_same() -> None:
    one = usage_view(units=None)
    assert verdicts.verdict(one).startswith("9 answers: nothing can be concluded.")
    assert "nothing can be concluded" not in verdicts.verdict(usage_view())
    assert verdicts.usage_standing([one, usage_view("b")], ["a", "b"]) == verdicts.FEW


def test_a_small_run_has_no_rank_and_no_place_among_the_highest() -> None:
    views = [
        view(fair, "small", subjects=FEW),
        view(biased, "one", subjects=SIXTEEN),
        view(fair, "two", subjects=SIXTEEN),
    ]
    found = {one.label: one for one in ranking(views)}
    assert (found["small"].rank, found["small"].mean) == (None, 1.0)
    assert {found["one"].rank, found["two"].rank} == {1, 2}
    assert [one.label for one in ranking(views)][-1] == "small"
    assert "small" not in verdicts.standing_of(views, ["small", "one", "two"], [])
    entries = [Entry(one.metrics["model"]["name"], one.metrics, ()) for one in views]
    (board,) = tables(entries)
    page = pages.index([board], {board.anchor: ranking(views)})
    row = page[page.index("<tbody>") :].split("<tr")
    (line,) = [one for one in row if "runs/small.html" in one]
    assert '<td class="n nowrap" data-value="3">–</td>' in line


def test_figures_of_an_older_fairlint_are_not_called_small() -> None:
    one = usage_view(units=None)
    del one.metrics["usage"][0]["units"]
    assert smallest_difference(one) is None
    assert not is_too_small(one)
    assert "nothing can be concluded" not in terminal([one])
