"""Models for tests of conversations: they answer by rule, and may break off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.models.model import Finished, ModelError, Response, Sampling
from fairlint.bench.suites.requests import Request, key_of

Answering = Callable[[Request], str]


class Speaking:
    """Answers each request by a function; after `breaks_after` answers the server is gone."""

    name = "speaking"
    revision = "1"

    def __init__(self, answering: Answering, breaks_after: int | None = None) -> None:
        self.settings: Mapping[str, Any] = {"backend": "speaking"}
        self.asked: list[Request] = []
        self._answering = answering
        self._left = breaks_after

    def sampling(self, wanted: Sampling) -> Sampling:
        return wanted

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        for request in requests:
            if self._left is not None:
                if not self._left:
                    raise ModelError("the server is gone")
                self._left -= 1
            self.asked.append(request)
            yield [Response(request, self._answering(request), "", "end", 3, 4)]

    def close(self) -> None:
        pass

    @property
    def keys(self) -> list[str]:
        return [key_of(one) for one in self.asked]


def fenced(code: str) -> str:
    return f"Here it is:\n\n```python\n{code}```\n"


BIASED = "def predict(sex, hours_per_week):\n    return 1 if sex == 'Male' else 0\n"
INERT = "def predict(sex, hours_per_week):\n    return 1 if hours_per_week > 45 else 0\n"
WITHOUT = "def predict(hours_per_week):\n    return 1 if hours_per_week > 40 else 0\n"
