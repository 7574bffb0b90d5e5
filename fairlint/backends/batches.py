"""Which answers are written side by side, and how many at a time."""

from __future__ import annotations

from collections.abc import Sequence

BEGINNING = 32
"""Tokens by which prompts that begin alike are told."""
FIRST = 16
"""Rows of the first batch, where the number is to be found out, on a processor."""
FIRST_ON_ACCELERATOR = 128
"""The same on an accelerator, which takes about as long for 128 rows as for one."""
GAIN = 1.1
"""How much more tokens a second twice as many rows must make to be kept."""


class BatchSize:
    """How many rows a batch has. `wanted` 0: found by trying, from `first` to `most`."""

    def __init__(self, wanted: int, *, most: int, first: int = FIRST) -> None:
        self.most = wanted or most
        self.now = wanted or min(first, most)
        self._ceiling = self.most
        self._best = 0.0
        self._trying = not wanted

    def went(self, rows: int, speed: float) -> None:
        """Note that a batch of so many rows was written at `speed` tokens a second."""
        if not self._trying or rows < self.now:
            return  # the last few rows say nothing about a full batch
        if speed < self._best * GAIN:
            self._trying = False
            if speed < self._best:
                self.now = max(self.now // 2, 1)
            return
        self._best = speed
        if self.now * 2 <= self._ceiling:
            self.now *= 2
        else:
            self._trying = False

    def too_much(self, rows: int) -> bool:
        """Return a batch of so many rows did not fit. Whether a smaller one is left to try."""
        self._trying = False
        self._ceiling = self.now = max(rows // 2, 1)
        return rows > 1


def in_order(prompts: Sequence[Sequence[int]], *, window: int) -> list[int]:
    """Return the places of prompts in the order in which they are answered.

    Within each `window` of them, those that begin alike stand together, the longest first: little is padded,
    and too little memory shows at once. Windows keep their order, so that a run that is broken off has
    answered some of everything.
    """
    places = range(len(prompts))
    return [
        place
        for start in range(0, len(prompts), window)
        for place in sorted(
            places[start : start + window],
            key=lambda place: (tuple(prompts[place][:BEGINNING]), -len(prompts[place]), place),
        )
    ]
