"""How far a run is: a bar on standard error, where that is a terminal, once the run has taken a second."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from fairlint.cli.terminals import is_ci, is_terminal

if TYPE_CHECKING:
    from fairlint.config import Configurations
    from fairlint.findings.report import Report

DELAY = 1.0
"""Seconds that a run may take without a bar: most are over by then."""
SHOWN = "checking {{percentage:3.0f}}%|{{bar}}| {{n_fmt}} of {{total_fmt}} {noun}, {{elapsed}}"

Clock = Callable[[], float]


class Bar:
    """A watch of a run. It shows nothing before its time, and leaves nothing behind."""

    def __init__(self, stream: TextIO, clock: Clock = time.monotonic, noun: str = "files") -> None:
        self._stream = stream
        self._noun = noun
        self._clock = clock
        self._start = clock()
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        """So many of all are done."""
        if self._bar is None:
            if done >= total or self._clock() - self._start < DELAY:
                return
            self._bar = _open_bar(self._stream, done, total, self._clock() - self._start, self._noun)
        else:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()


def bar(*, quiet: bool, noun: str = "files") -> Bar | None:
    """Return a bar for this run; None where nobody would see it."""
    stream = sys.stderr
    if quiet or stream is None or not is_terminal(stream) or os.environ.get("TERM") == "dumb" or is_ci():
        return None
    return Bar(stream, noun=noun)


def check_with_progress(
    paths: Sequence[str], configurations: Configurations, *, quiet: bool = False
) -> Report:
    """Check files and folders, with a bar where somebody would see it."""
    from fairlint.checking.runner import check_paths  # noqa: PLC0415 (start-up)

    watch = bar(quiet=quiet)
    if watch is None:
        return check_paths(paths, configurations, cache=True)
    try:
        return check_paths(paths, configurations, watch=watch, cache=True)
    finally:
        watch.close()


def _open_bar(stream: TextIO, done: int, total: int, seconds: float, noun: str) -> Any:
    """Return a bar of tqdm that has no thread, beside which no process could be forked, and no lock for
    several processes: this one alone writes.
    """
    from threading import RLock  # noqa: PLC0415 (for those who wait)

    from tqdm import tqdm  # noqa: PLC0415 (as above)

    quiet: Any = type("Quiet", (tqdm,), {"monitor_interval": 0})
    quiet.set_lock(RLock())
    bar = quiet(
        total=total,
        initial=done,
        file=stream,
        leave=False,
        dynamic_ncols=True,
        bar_format=SHOWN.format(noun=noun),
        unit="",
    )
    bar.start_t -= seconds  # the run's time, not the bar's
    return bar
