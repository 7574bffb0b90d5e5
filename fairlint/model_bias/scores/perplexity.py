"""Perplexity on text that is about nobody's gender: what a change costs a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.backends.model import ModelError
from fairlint.model_bias.likelihood import tokens_of
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores.asking import (
    Answer,
    Asked,
    Keep,
    Planned,
    Progress,
    answers,
    fitting,
    masked_in_turn,
    option_of_text,
    specials,
)
from fairlint.model_bias.scores.resampling import bounds
from fairlint.statistics.intervals import Interval
from fairlint.support.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray


DEFINITIONS = {
    "value": "exp of the mean -ln P a token over the passages; of a masked model each token masked in turn, "
    "which is not comparable with a causal model's",
}


class Perplexity(Record):
    """exp of the mean of −ln P over all tokens of all passages; of a masked model its pseudo-perplexity, of
    each token masked in turn (Salazar et al. 2020), which is not comparable with a causal model's.
    """

    passages: int
    tokens: int
    value: Interval
    """With bounds by a bootstrap over passages."""
    too_long: int
    """Passages that the model cannot read whole, which are left out."""


def plan(loaded: Loaded, passages: Sequence[str]) -> Planned:
    """Return what the model is asked: each passage as one option, by its place."""
    found: dict[str, Sequence[Asked]] = {}
    for place, passage in enumerate(passages):
        if loaded.masked:
            start, end, _ = specials(loaded)
            body = tokens_of(loaded, passage)
            tokens = (*start, *body, *end)
            places = range(len(start), len(start) + len(body))
            found[str(place)] = [masked_in_turn(loaded, tokens, places)]
        else:
            found[str(place)] = [option_of_text(loaded, "", passage)]
    return Planned(found, [])


def perplexity(
    loaded: Loaded,
    passages: Sequence[str],
    *,
    seed: int = 0,
    keep: Keep | None = None,
    progress: Progress | None = None,
) -> Perplexity:
    """Return a model's perplexity on passages, each read by itself. Raises ModelError where it can
    read none.
    """
    kept, skipped = fitting(loaded, plan(loaded, passages).plan)
    if not kept:
        raise ModelError(f"{loaded.name} can read none of the {len(passages)} passages whole")
    return figures(answers(loaded, kept, keep=keep, progress=progress), len(skipped), seed=seed)


def figures(answers: Mapping[str, Answer], too_long: int, *, seed: int = 0) -> Perplexity:
    """Return the perplexity of passages that were answered. Raises ModelError where there is none."""
    import numpy  # noqa: PLC0415 (part of an extra)

    found = [one[0] for one in answers.values()]
    sums = numpy.array([sum(one) for one in found])
    sizes = numpy.array([float(len(one)) for one in found])

    def statistic(drawn: NDArray[Any]) -> NDArray[Any]:
        result: NDArray[Any] = numpy.exp(-sums[drawn].sum(-1) / sizes[drawn].sum(-1))
        return result

    value = bounds(statistic, len(found), seed)
    if value is None:
        raise ModelError("no text can be read, or some tokens have no probability at all")
    return Perplexity(len(found), int(sizes.sum()), value, too_long)
