"""What a run tells of how far it is."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from fairlint.bench.models.model import Response
from fairlint.bench.progress import Bars, Lines, Quiet, duration, progress
from fairlint.bench.suites.requests import Message, Request


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def answers(count: int, tokens: int = 10) -> list[Response]:
    request = Request("s", "job", "gender", "Chef", "", 0, 1, (Message("user", "x"),), "h")
    return [Response(request, "\x1b[31mred", "", "end", new_tokens=tokens) for _ in range(count)]


@pytest.fixture
def clock() -> Callable[[], float]:
    """A clock that goes on by five seconds each time it is looked at."""
    now = [0.0]

    def look() -> float:
        now[0] += 5
        return now[0]

    return look


def test_lines_come_at_the_start_at_every_tenth_and_at_the_end(clock: Callable[[], float]) -> None:
    stream = io.StringIO()
    watch = Lines("m, s", stream, clock)
    watch.answering(total=200, done=0)
    for _ in range(200):
        watch.answered(answers(1))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 11
    assert lines[0] == "m, s: answers: 0 of 200"
    assert lines[1].startswith("m, s: answers: 20 of 200, ")
    assert lines[-1].startswith("m, s: answers: 200 of 200, ")
    assert lines[-1].endswith("tokens/s")


def test_what_was_kept_before_counts_as_done_and_not_as_speed(clock: Callable[[], float]) -> None:
    stream = io.StringIO()
    watch = Lines("m", stream, clock)
    watch.answering(total=100, done=50)
    watch.answered(answers(10, tokens=7))
    first, second = stream.getvalue().splitlines()
    assert first == "m: answers: 50 of 100"
    # 10 answers of 70 tokens in the 10 s that this clock shows; 40 more at that pace
    assert second == "m: answers: 60 of 100, 7.0 tokens/s, 40 s left"


def test_judging_is_told_after_answering(clock: Callable[[], float]) -> None:
    stream = io.StringIO()
    watch = Lines("m", stream, clock)
    watch.answering(total=1, done=0)
    watch.answered(answers(1))
    watch.judging(total=1)
    watch.judged(1)
    watch.judged(0)
    assert stream.getvalue().splitlines()[2:] == ["m: judged: 0 of 1", "m: judged: 1 of 1"]


def test_nothing_left_to_do_is_no_division_by_zero(clock: Callable[[], float]) -> None:
    stream = io.StringIO()
    watch = Lines("m", stream, clock)
    watch.answering(total=5, done=5)
    watch.judging(total=0)
    watch.judged(0)
    assert stream.getvalue() == "m: answers: 5 of 5\n"


def test_a_terminal_gets_bars_that_begin_where_the_last_run_ended() -> None:
    stream = Terminal()
    watch = progress("m, s", stream)
    assert isinstance(watch, Bars)
    watch.answering(total=40, done=30)
    assert " 75%|" in stream.getvalue()
    assert "30/40" in stream.getvalue()
    watch.answered(answers(10))
    watch.judging(total=40)
    watch.judged(40)
    watch.close()
    watch.close()
    shown = stream.getvalue()
    assert shown.startswith("m, s\n")
    assert "answers: 100%" in shown
    assert "judging: 100%" in shown
    assert "tokens/s" in shown
    assert "red" not in shown


def test_a_log_gets_lines_without_anything_a_terminal_would_obey() -> None:
    stream = io.StringIO()
    watch = progress("m", stream)
    assert isinstance(watch, Lines)
    watch.answering(total=1, done=0)
    watch.answered(answers(1))
    watch.close()
    assert "\x1b" not in stream.getvalue()
    assert "\r" not in stream.getvalue()


def test_every_watch_knows_whether_the_run_has_begun() -> None:
    for watch in (Quiet(), Lines("m", io.StringIO()), Bars("m", Terminal())):
        before = watch.begun
        watch.answering(total=2, done=0)
        assert (before, watch.begun) == (False, True)
        watch.close()


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "1 s"),
        (59.4, "59 s"),
        (60, "1 min 0 s"),
        (3_599, "59 min 59 s"),
        (3_600, "1 h 0 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_durations(seconds: float, told: str) -> None:
    assert duration(seconds) == told
