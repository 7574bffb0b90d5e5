"""Who is told how far a run is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fairlint.bench.models.model import Response


class Watch(Protocol):
    """Who wants to know how far a run is."""

    def answering(self, *, total: int, done: int) -> None:
        """Answers are waited for: `total` in all, `done` of them kept by an earlier run."""

    def answered(self, responses: Sequence[Response]) -> None:
        """Answers have come and are kept."""

    def judging(self, *, total: int) -> None:
        """So many answers are being judged."""

    def judged(self, count: int) -> None:
        """So many more have been judged."""


class Silent:
    """A Watch that tells nobody."""

    def answering(self, *, total: int, done: int) -> None:
        """Nothing."""

    def answered(self, responses: Sequence[Response]) -> None:
        """Nothing."""

    def judging(self, *, total: int) -> None:
        """Nothing."""

    def judged(self, count: int) -> None:
        """Nothing."""
