"""What a run tells of how far it is."""

from __future__ import annotations

import io
import threading

import pytest

from fairlint.backends.model import Response
from fairlint.backends.requests import Message, Request
from fairlint.bench.asking.progress import Bars, Expected, Lines, Quiet, duration, progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def answers(count: int, tokens: int = 10) -> list[Response]:
    request = Request("s", "job", "gender", "Chef", "", 0, 1, (Message("user", "x"),), "h")
    return [Response(request, "\x1b[31mred", "", "end", new_tokens=tokens) for _ in range(count)]


class Clock:
    """A clock that goes on by five seconds each time it is looked at, and when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 5
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_lines_come_at_the_start_at_every_tenth_and_at_the_end(clock: Clock) -> None:
    stream = io.StringIO()
    watch = Lines("m, s", stream, clock)
    watch.answering(total=200, done=0)
    for _ in range(200):
        watch.answered(answers(1))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 12
    assert lines[0] == "m, s: answers: 0 of 200"
    assert lines[1].startswith("m, s: answers: 1 of 200, 10 tokens, ")
    assert lines[2].startswith("m, s: answers: 20 of 200, ")
    assert lines[-1].startswith("m, s: answers: 200 of 200, ")
    assert lines[-1].endswith("tokens/s")


def test_what_was_kept_before_counts_as_done_and_not_as_speed(clock: Clock) -> None:
    stream = io.StringIO()
    watch = Lines("m", stream, clock)
    watch.answering(total=100, done=50)
    watch.answered(answers(10, tokens=7))
    first, second = stream.getvalue().splitlines()
    assert first == "m: answers: 50 of 100"
    # 10 answers of 70 tokens in the 5 s that this clock shows; 40 more at that pace
    assert second == "m: answers: 60 of 100, 70 tokens, 14 tokens/s, 20 s left"


def test_judging_is_told_after_answering(clock: Clock) -> None:
    stream = io.StringIO()
    watch = Lines("m", stream, clock)
    watch.answering(total=1, done=0)
    watch.answered(answers(1))
    watch.judging(total=1)
    watch.judged(1)
    watch.judged(0)
    assert stream.getvalue().splitlines()[2:] == ["m: judged: 0 of 1", "m: judged: 1 of 1"]


def test_nothing_left_to_do_is_no_division_by_zero(clock: Clock) -> None:
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


def test_what_is_being_written_is_told_before_any_answer_is_done(clock: Clock) -> None:
    """A first batch takes minutes: the log says that something happens, and how long it takes at most."""
    stream, written = io.StringIO(), [7]
    watch = Lines("m", stream, clock, Expected(tokens=100))
    watch.answering(total=40, done=0, written=lambda: written[0])
    written[0] = 1_007
    watch.tick()
    assert len(stream.getvalue().splitlines()) == 1, "no minute has passed"
    clock.now += 90
    watch.tick()
    watch.tick()
    # 1,000 of 4,000 tokens in 100 s
    assert stream.getvalue().splitlines()[1:] == [
        "m: answers: 0 of 40, 1,000 tokens, 10 tokens/s, at most 5 min 0 s left"
    ]
    watch.answered(answers(20, tokens=50))
    # 20 answers had 50 tokens, so that 20 more are as many again
    assert stream.getvalue().splitlines()[-1].endswith("of 40, 1,000 tokens, 9.1 tokens/s, 1 min 50 s left")


def test_short_answers_that_are_done_first_do_not_promise_the_end(clock: Clock) -> None:
    """The long ones have written more than all answers would, were they as short as those that are done."""
    stream, written = io.StringIO(), [0]
    watch = Lines("m", stream, clock, Expected(tokens=500))
    watch.answering(total=20, done=0, written=lambda: written[0])
    written[0] = 4_000
    watch.answered(answers(10, tokens=20))
    clock.now += 95
    watch.tick()
    assert stream.getvalue().splitlines()[-1].endswith(", 1 min 45 s left")


@pytest.mark.parametrize("phase", ["answering", "judging"])
def test_the_last_one_takes_as_long_again_as_it_was_waited_for(phase: str, clock: Clock) -> None:
    stream = io.StringIO()
    watch = Lines("m", stream, clock)
    if phase == "answering":
        watch.answering(total=100, done=0)
        watch.answered(answers(99))
    else:
        watch.judging(total=100)
        watch.judged(99)
    for minutes in (2, 4):
        clock.now += 115
        watch.tick()
        assert stream.getvalue().splitlines()[-1].endswith(f"{minutes} min 0 s left")


def test_no_time_is_told_while_nothing_was_measured(clock: Clock) -> None:
    stream = io.StringIO()
    watch = Lines("m", stream, clock, Expected(tokens=100, later=60))
    watch.answering(total=20, done=10)
    clock.now += 300
    watch.tick()
    watch.judging(total=5)
    clock.now += 300
    watch.tick()
    assert "left" not in stream.getvalue()


def test_a_terminal_shows_what_is_being_written() -> None:
    stream, written = Terminal(), [0]
    watch = Bars("m", stream, Expected(tokens=100), Clock())
    watch.answering(total=40, done=0, written=lambda: written[0])
    written[0] = 1_000
    watch.tick()
    assert "0/40" in stream.getvalue().splitlines()[-1]
    assert "1,000 tokens" in stream.getvalue()
    assert "at most" in stream.getvalue()
    watch.close()
    watch.tick()


def test_the_other_suites_of_the_model_are_in_the_time_left(clock: Clock) -> None:
    stream = io.StringIO()
    watch = Lines("m", stream, clock, Expected(tokens=100, later=60))
    watch.answering(total=20, done=0)
    watch.answered(answers(10, tokens=50))
    # 5 s for 10 answers: 10 more, and then 60
    assert stream.getvalue().splitlines()[-1].endswith(", 5 s left, 35 s with the model's other suites")


def test_the_first_of_many_answers_at_a_time_does_not_foretell_more_than_can_be_written(clock: Clock) -> None:
    """As of a real model: one answer is done while many are being written, and nothing takes hours."""
    stream, written = io.StringIO(), [0]
    watch = Lines("m", stream, clock, Expected(tokens=200, later=1_000))
    watch.answering(total=24, done=0, written=lambda: written[0])
    written[0] = 1_000
    clock.now += 5  # 100 tokens a second: 3,800 are left of these at most, and 200,000 of the others
    watch.answered(answers(1, tokens=50))
    said = stream.getvalue().splitlines()[-1]
    assert said.endswith(", 38 s left, 33 min 58 s with the model's other suites")


def test_progress_looks_by_itself_until_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    from fairlint.bench.asking import progress as module

    monkeypatch.setattr(module, "BEAT", 0.001)
    monkeypatch.setattr(module, "SILENCE", 0.0)
    stream = io.StringIO()
    watch = progress("m", stream)
    looked = threading.Event()

    def written() -> int:
        looked.set()
        return 3

    watch.answering(total=2, done=0, written=written)
    assert looked.wait(10)
    watch.close()
    name = "fairlint-progress"
    for thread in [one for one in threading.enumerate() if one.name == name]:
        thread.join(10)
    assert not [one for one in threading.enumerate() if one.name == name]


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
