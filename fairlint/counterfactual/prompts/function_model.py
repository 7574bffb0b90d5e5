"""A function of one's own that answers a prompt, as a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairlint.backends.model import Finished, Response, Sampling
from fairlint.backends.requests import Request


class FunctionModel:
    """Asks a function, one prompt after the other."""

    def __init__(self, function: Callable[[str], str]) -> None:
        self._function = function
        self.name = getattr(function, "__name__", "the given function")
        self.revision = "unknown"
        self.settings: Mapping[str, Any] = {"backend": "function"}

    def sampling(self, wanted: Sampling) -> Sampling:
        """As wanted: nobody knows how the function answers."""
        return wanted

    def answer(
        self,
        requests: Sequence[Request],
        sampling: Sampling,  # noqa: ARG002 (the function decides)
        finished: Finished,  # noqa: ARG002 (as above)
    ) -> Iterator[Sequence[Response]]:
        """Yield the answers in the order of the requests."""
        for request in requests:
            text = "\n\n".join(message.content for message in request.messages)
            yield [Response(request, self._function(text), "", "end")]

    def close(self) -> None:
        """There is nothing to give back."""
