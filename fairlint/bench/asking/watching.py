"""Who is told how far a run is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from fairlint.backends.model import Model, Response

Written = Callable[[], int]
"""How many tokens a model has written since it was loaded, those of answers that are not done included."""


def nothing_yet() -> int:
    """Of a model that does not count: its tokens are known when an answer is done."""
    return 0


def written_by(model: Model | None) -> Written:
    """Return what a model counts in `written`, where it does."""

    def written() -> int:
        count = getattr(model, "written", 0)
        return count if isinstance(count, int) else 0

    return written


class Watch(Protocol):
    """Who wants to know how far a run is."""

    def answering(self, *, total: int, done: int, written: Written = nothing_yet) -> None:
        """Answer are waited for: `total` in all, `done` of them kept by an earlier run."""

    def answered(self, responses: Sequence[Response]) -> None:
        """Answer have come and are kept."""

    def judging(self, *, total: int) -> None:
        """So many answers are being judged."""

    def judged(self, count: int) -> None:
        """So many more have been judged."""


class Silent:
    """A Watch that tells nobody."""

    def answering(self, *, total: int, done: int, written: Written = nothing_yet) -> None:
        """Nothing."""

    def answered(self, responses: Sequence[Response]) -> None:
        """Nothing."""

    def judging(self, *, total: int) -> None:
        """Nothing."""

    def judged(self, count: int) -> None:
        """Nothing."""
