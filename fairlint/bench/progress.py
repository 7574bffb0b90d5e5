"""How far a run is: bars on a terminal, or a line at every tenth part where nobody watches.

Only counts, times and the caller's own label are shown, nothing of what a model wrote.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from fairlint.bench.models.extras import need
from fairlint.bench.models.model import Response

PARTS = 10
"""How many lines tell of the way, where there are no bars."""
NARROW = (80, 24)
"""Columns and rows of a terminal that does not say how many it has."""
BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}, {remaining} left{postfix}]"

Clock = Callable[[], float]
"""The time in seconds."""


class Quiet:
    """A Watch that shows nothing."""

    begun = False
    """Whether the run has got as far as to its folder."""

    def answering(self, *, total: int, done: int) -> None:  # noqa: ARG002 (who shows nothing needs no numbers)
        """Answers are waited for; what an earlier run kept counts as done, and not as speed."""
        self.begun = True

    def answered(self, responses: Sequence[Response]) -> None:
        """Answers have come and are kept."""

    def judging(self, *, total: int) -> None:
        """So many answers are being judged."""

    def judged(self, count: int) -> None:
        """So many more have been judged."""

    def close(self) -> None:
        """Leave the terminal as it was found; closing twice does no harm."""


class Bars(Quiet):
    """A bar for answers and one for judging, by tqdm. `label`, which must be printable, names the run."""

    def __init__(self, label: str, stream: TextIO) -> None:
        self._tqdm: Any = need("tqdm", "bench").tqdm
        self._label = label
        self._stream = stream
        self._bar: Any = None
        self._tokens = 0

    def answering(self, *, total: int, done: int) -> None:
        """See Quiet."""
        super().answering(total=total, done=done)
        self._stream.write(f"{self._label}\n")
        self._open("answers", total, done)

    def answered(self, responses: Sequence[Response]) -> None:
        """See Quiet."""
        self._tokens += sum(one.new_tokens for one in responses)
        seconds = self._bar.format_dict["elapsed"]
        if self._tokens and seconds > 0:
            self._bar.set_postfix_str(f"{_rate(self._tokens, seconds)} tokens/s", refresh=False)
        self._bar.update(len(responses))

    def judging(self, *, total: int) -> None:
        """See Quiet."""
        self._open("judging", total, 0)

    def judged(self, count: int) -> None:
        """See Quiet."""
        self._bar.update(count)

    def close(self) -> None:
        """See Quiet."""
        if self._bar is not None:
            self._bar.close()

    def _open(self, what: str, total: int, done: int) -> None:
        self.close()
        self._bar = self._tqdm(
            desc=what,
            total=total,
            initial=done,
            unit="",
            file=self._stream,
            **_size(self._stream),
            smoothing=0,  # batches come in bursts: the mean since the start says more than the last one
            bar_format=BAR,
        )


class Lines(Quiet):
    """One line at the start, at every tenth of the whole and at the end, for logs."""

    def __init__(self, label: str, stream: TextIO, clock: Clock = time.monotonic) -> None:
        self._label = label
        self._stream = stream
        self._clock = clock
        self._what = ""
        self._total = self._first = self._done = self._tokens = self._told = 0
        self._start = 0.0

    def answering(self, *, total: int, done: int) -> None:
        """See Quiet."""
        super().answering(total=total, done=done)
        self._begin("answers", total, done)

    def answered(self, responses: Sequence[Response]) -> None:
        """See Quiet."""
        self._tokens += sum(one.new_tokens for one in responses)
        self._more(len(responses))

    def judging(self, *, total: int) -> None:
        """See Quiet."""
        self._tokens = 0
        self._begin("judged", total, 0)

    def judged(self, count: int) -> None:
        """See Quiet."""
        self._more(count)

    def _begin(self, what: str, total: int, done: int) -> None:
        self._what, self._total, self._first, self._done = what, total, done, done
        self._start = self._clock()
        self._told = self._part()
        if total:
            self._say()

    def _more(self, count: int) -> None:
        self._done += count
        if count and (self._part() > self._told or self._done == self._total):
            self._told = self._part()
            self._say()

    def _part(self) -> int:
        return PARTS * self._done // self._total if self._total else PARTS

    def _say(self) -> None:
        shown = f"{self._label}: {self._what}: {self._done:,} of {self._total:,}"
        seconds = self._clock() - self._start
        new = self._done - self._first
        if self._tokens and seconds > 0:
            shown += f", {_rate(self._tokens, seconds)} tokens/s"
        if new and seconds > 0 and self._done < self._total:
            shown += f", {duration(seconds / new * (self._total - self._done))} left"
        self._stream.write(f"{shown}\n")
        self._stream.flush()


def progress(label: str, stream: TextIO | None = None) -> Bars | Lines:
    """Bars where `stream` (standard error, if nobody says) is a terminal, lines elsewhere.

    Raises ModelError where tqdm is missing.
    """
    shown = sys.stderr if stream is None else stream
    return Bars(label, shown) if shown.isatty() else Lines(label, shown)


def duration(seconds: float) -> str:
    """A time as people say it.

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


def _size(stream: TextIO) -> dict[str, Any]:
    """What tqdm is told of the size: it asks the terminal, but for one that says it has no columns at all."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return {"dynamic_ncols": True} if columns else {"ncols": NARROW[0], "nrows": NARROW[1]}


def _rate(count: int, seconds: float) -> str:
    rate = count / seconds
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
