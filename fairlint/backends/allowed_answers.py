"""How likely each allowed answer to a request is, in place of an answer that is drawn.

An answer may be written in several ways (`spellings_of`): its probability is the sum of theirs. Each is that
of the whole answer, token by token, so answers of more tokens are compared with those of fewer as they are:
they are not divided by their length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from fairlint.backends.model import Model, ModelError, Response
from fairlint.backends.requests import Request

NOWHERE = -1e4
"""The logarithm of a probability that is 0 for every purpose; a file of JSON has no other word for it."""


class ScoringModel(Protocol):
    """A model that says how likely answers are."""

    def score(self, requests: Sequence[Request], tokens: int) -> Iterator[Sequence[Response]]:
        """Yield a response to each request with the probabilities of what it allows, some at a time.

        `tokens` are how many a server may write where it tells only those of what it writes. Raises
        ModelError.
        """


def scoring_of(model: Model) -> ScoringModel:
    """Return the model as one that says how likely answers are. Raises ModelError where it does not."""
    if not callable(getattr(model, "score", None)):
        raise no_probabilities(model.name)
    found: Any = model
    scoring: ScoringModel = found
    return scoring


def no_probabilities(name: str, why: str = "") -> ModelError:
    """Return what it means that a model does not say how likely answers are."""
    told = f" ({why})" if why else ""
    return ModelError(f"{name} does not give the probabilities of answers{told}: leave --logprobs out")


def spellings_of(answer: str) -> tuple[str, ...]:
    """Return the ways to write an answer that count as it.

    >>> spellings_of("yes")
    ('yes', 'yes.', 'Yes', 'Yes.', 'YES', 'YES.')
    >>> spellings_of("7")
    ('7', '7.')
    """
    forms = dict.fromkeys((answer, answer[:1].upper() + answer[1:], answer.upper()))
    return tuple(f"{form}{end}" for form in forms for end in ("", "."))


def log_of_sum(logs: Iterable[float]) -> float:
    """Return the logarithm of the sum of probabilities that are given by theirs."""
    held = list(logs)
    most = max(held, default=NOWHERE)
    if most <= NOWHERE:
        return NOWHERE
    return most + math.log(math.fsum(math.exp(one - most) for one in held))


def scored_response(
    request: Request,
    probabilities: Mapping[str, float],
    at_most: Mapping[str, float] | None = None,
    *,
    read: int = 0,
    written: int = 0,
) -> Response:
    """Return the response whose text is the likeliest of the allowed answers; empty where none is known."""
    text = max(probabilities, key=lambda one: probabilities[one]) if probabilities else ""
    return Response(request, text, "", "scored", read, written, dict(probabilities), dict(at_most or {}))
