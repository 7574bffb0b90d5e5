"""How far a run is: bars on a terminal, or a line at every tenth part and each minute where nobody watches.

What a model has written counts at once, before an answer is done. Only counts, times and the caller's own
label are shown, nothing of what a model wrote.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread
from typing import Any, Self, TextIO

from fairlint.backends.extras import need
from fairlint.backends.model import Response
from fairlint.bench.asking.watching import Written, nothing_yet
from fairlint.support.records import Record

PARTS = 10
"""How many lines tell of the way, where there are no bars."""
SILENCE = 60.0
"""Seconds after which a log gets a line, whatever has come."""
BEAT = 1.0
"""Seconds between two looks at what a model has written."""
NARROW = (80, 24)
"""Columns and rows of a terminal that does not say how many it has."""
BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"

Clock = Callable[[], float]
"""The time in seconds."""


class Quiet:
    """A Watch that shows nothing."""

    begun = False
    """Whether the run has got as far as to its folder."""

    def answering(self, *, total: int, done: int, written: Written = nothing_yet) -> None:  # noqa: ARG002 (who shows nothing needs no numbers)
        """Answer are waited for; what an earlier run kept counts as done, and not as speed."""
        self.begun = True

    def answered(self, responses: Sequence[Response]) -> None:
        """Answer have come and are kept."""

    def judging(self, *, total: int) -> None:
        """So many answers are being judged."""

    def judged(self, count: int) -> None:
        """So many more have been judged."""

    def close(self) -> None:
        """Leave the terminal as it was found; closing twice does no harm."""


class Expected(Record):
    """What is known of the work before it begins."""

    tokens: int = 0
    """The most that an answer may have; 0 where nobody says."""
    later: float = 0.0
    """The answers that are asked of the model after these, in answers as long as these may be."""
    are_kept: bool = False
    """Whether answers are read from a file, so that their tokens say nothing of a speed."""


UNKNOWN = Expected()


class Pace(Record, frozen=False, eq=False):
    """How far a part of a run is, how fast it goes, and when it will be done."""

    total: int
    done: int
    """Those that an earlier run kept included."""
    start: float
    expected: Expected = UNKNOWN
    written: Written = nothing_yet
    before: int = 0
    """What the model had written at the start."""
    new: int = 0
    """Answers that have come since the start."""
    came: int = 0
    """Their tokens."""
    last: float = 0.0
    """When the last of them came."""

    @property
    def tokens(self) -> int:
        """What has been written since the start, answers that are not done included."""
        return max(self.came, self.written() - self.before)

    def more(self, count: int, tokens: int, now: float) -> None:
        """So many are done, of so many tokens."""
        self.done += count
        self.new += count
        self.came += tokens
        self.last = now if count else self.last

    def told(self, now: float) -> list[str]:
        """Tokens, speed and time left, as far as they are known."""
        seconds, tokens = now - self.start, self.tokens
        if seconds <= 0 or self.expected.are_kept:
            return []
        found = [f"{tokens:,} tokens", f"{_rate_text(tokens, seconds)} tokens/s"] if tokens else []
        left = self._left(now, tokens)
        if left is not None and self.done < self.total:
            # before any answer is done, nobody knows how long they are
            most = "" if self.new or not tokens else "at most "
            found.append(f"{most}{duration(left)} left")
            if self.expected.later:
                whole = left + self._later(left + seconds, seconds, tokens)
                found.append(f"{most}{duration(whole)} with the model's other suites")
        return found

    def _left(self, now: float, tokens: int) -> float | None:
        """Return the seconds until all are done; None while nothing was measured.

        Answers that are done say how long one takes; their tokens do not, as short ones are done first. What
        has been waited for goes on for as long again: the longest answers come last, few at a time.
        """
        seconds, asked = now - self.start, self.total - self.done + self.new
        most = self._most(max(self.expected.tokens * asked - tokens, 0), seconds, tokens)
        if not self.new:
            return most
        by_answers = seconds / self.new * (asked - self.new)
        return max(by_answers if most is None else min(by_answers, most), now - self.last)

    def _later(self, all_of_this: float, seconds: float, tokens: int) -> float:
        """Return the seconds that the model's other answers take, if they go on as these do."""
        by_answers = self.expected.later * all_of_this / (self.total - self.done + self.new)
        most = self._most(self.expected.later * self.expected.tokens, seconds, tokens)
        return by_answers if most is None else min(by_answers, most)

    def _most(self, left: float, seconds: float, tokens: int) -> float | None:
        """Return the seconds in which `left` tokens are written at the speed so far; None where nobody knows.

        Of answers that are written side by side, the first is done after few seconds or after many: so it
        says little of all others, and no more can be written than they may have.
        """
        return left * seconds / tokens if tokens and self.expected.tokens else None


class _Shown(Quiet):
    """What both forms have in common: a pace, and looks at it from time to time."""

    what = ""
    """What is being done."""

    def __init__(self, label: str, stream: TextIO, expected: Expected, clock: Clock) -> None:
        self._label = label
        self._stream = stream
        self._expected = expected
        self._clock = clock
        self._pace = Pace(0, 0, 0.0)
        self._over = Event()
        self._lock = Lock()
        """What is shown is changed here and by the thread that looks."""

    def answering(self, *, total: int, done: int, written: Written = nothing_yet) -> None:
        """See Quiet."""
        super().answering(total=total, done=done)
        self._begin("answers", Pace(total, done, self._clock(), self._expected, written, written()))

    def answered(self, responses: Sequence[Response]) -> None:
        """See Quiet."""
        self._more(len(responses), sum(one.new_tokens for one in responses))

    def judging(self, *, total: int) -> None:
        """See Quiet."""
        self._begin("judged", Pace(total, 0, self._clock()))

    def judged(self, count: int) -> None:
        """See Quiet."""
        self._more(count, 0)

    def close(self) -> None:
        """See Quiet."""
        self._over.set()

    def tick(self) -> None:
        """Time has passed."""

    def looking(self) -> Self:
        """Return the same, which looks by itself from now on until it is closed."""

        def look() -> None:
            while not self._over.wait(BEAT):
                self.tick()

        Thread(target=look, name="fairlint-progress", daemon=True).start()
        return self

    def _begin(self, what: str, pace: Pace) -> None:
        raise NotImplementedError

    def _more(self, count: int, tokens: int) -> None:
        raise NotImplementedError


class Bars(_Shown):
    """A bar for answers and one for judging, by tqdm. `label`, which must be printable, names the run."""

    def __init__(
        self,
        label: str,
        stream: TextIO,
        expected: Expected = UNKNOWN,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(label, stream, expected, clock)
        self._tqdm: Any = need("tqdm", "bench").tqdm
        self._bar: Any = None

    def tick(self) -> None:
        """Show what has been written, and that the time goes on."""
        with self._lock:
            if self._bar is not None:
                self._bar.set_postfix_str(", ".join(self._pace.told(self._clock())))

    def close(self) -> None:
        """See Quiet."""
        super().close()
        with self._lock:
            self._close_bar()

    def _begin(self, what: str, pace: Pace) -> None:
        with self._lock:
            if what == "answers":
                self._stream.write(f"{self._label}\n")
            self._close_bar()
            self._pace = pace
            self._bar = self._tqdm(
                desc={"judged": "judging"}.get(what, what),
                total=pace.total,
                initial=pace.done,
                unit="",
                file=self._stream,
                **_tqdm_size_options(self._stream),
                bar_format=BAR,
            )

    def _more(self, count: int, tokens: int) -> None:
        with self._lock:
            now = self._clock()
            self._pace.more(count, tokens, now)
            self._bar.set_postfix_str(", ".join(self._pace.told(now)), refresh=False)
            self._bar.update(count)

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Lines(_Shown):
    """Lines for logs: at the start, after the first batch, at every tenth of the whole, at the end, and each
    minute in which there was none.
    """

    def __init__(
        self,
        label: str,
        stream: TextIO,
        clock: Clock = time.monotonic,
        expected: Expected = UNKNOWN,
    ) -> None:
        super().__init__(label, stream, expected, clock)
        self._told = 0
        self._said = 0.0

    def tick(self) -> None:
        """Say a line, where none was said for a minute."""
        with self._lock:
            now = self._clock()
            if self._pace.done < self._pace.total and now - self._said >= SILENCE:
                self._write_line(now)

    def _begin(self, what: str, pace: Pace) -> None:
        with self._lock:
            self.what, self._pace, self._told = what, pace, self._part_reached_by(pace)
            if pace.total:
                self._write_line(pace.start)

    def _more(self, count: int, tokens: int) -> None:
        with self._lock:
            is_first, now = not self._pace.new, self._clock()
            self._pace.more(count, tokens, now)
            part, over = self._part_reached_by(self._pace), self._pace.done == self._pace.total
            if count and (is_first or part > self._told or over):
                self._told = part
                self._write_line(now)

    def _part_reached_by(self, pace: Pace) -> int:
        return PARTS * pace.done // pace.total if pace.total else PARTS

    def _write_line(self, now: float) -> None:
        self._said = now
        shown = f"{self._label}: {self.what}: {self._pace.done:,} of {self._pace.total:,}"
        self._stream.write(", ".join([shown, *self._pace.told(now)]) + "\n")
        self._stream.flush()


def progress(label: str, stream: TextIO | None = None, expected: Expected = UNKNOWN) -> Bars | Lines:
    """Bars where `stream` (standard error, if nobody says) is a terminal, lines elsewhere, until it closes.

    Raises ModelError where tqdm is missing.
    """
    shown = sys.stderr if stream is None else stream
    made = Bars(label, shown, expected) if shown.isatty() else Lines(label, shown, expected=expected)
    return made.looking()


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(0.4), duration(75), duration(7_500), duration(200_000)
    ('1 s', '1 min 15 s', '2 h 5 min', '2 d 7 h')
    """
    whole = max(1, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    days, hours_left = divmod(hours, 24)
    if days:
        return f"{days} d {hours_left} h"
    if hours:
        return f"{hours} h {minutes_left} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _tqdm_size_options(stream: TextIO) -> dict[str, Any]:
    """Return what tqdm is told of the size: it asks the terminal, but for one that says it has no columns at
    all.
    """
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return {"dynamic_ncols": True} if columns else {"ncols": NARROW[0], "nrows": NARROW[1]}


def _rate_text(count: int, seconds: float) -> str:
    rate = count / seconds
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
