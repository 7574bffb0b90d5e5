"""Attribution and exact patching on tiny models in float64: identities, and estimates that become exact."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import torch
from random_models import ARCHITECTURES, MASKED, MORE, tiny

from fairlint.backends.model import ModelError
from fairlint.model_bias.anatomy import Component
from fairlint.model_bias.attribution import Values, attribute
from fairlint.model_bias.contrasts import Contrast, metric
from fairlint.model_bias.hooks import Changes, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import batch_of
from fairlint.model_bias.patching import Parts, patch, patch_each

EVERY = (*ARCHITECTURES, *MORE)


class NoTokenizer:
    """All that is asked of a tokenizer where tokens are given."""

    pad_token_id = 0
    bos_token_id = 1


def loaded(kind: str, batch_size: int = 0) -> Loaded:
    tokenizer: Any = NoTokenizer()
    # of these two another seed, as a model that bends much is no test of a derivative
    model = tiny(kind, seed=int(kind in {"llama", "mistral"}))
    return Loaded(kind, "1", model, tokenizer, masked=kind in MASKED, batch_size=batch_size)


def contrast(
    name: str, clean: list[int], corrupted: list[int], answers: tuple[int, int] = (7, 9)
) -> Contrast:
    return Contrast(
        name, name, "a to b", tuple(clean), tuple(corrupted), len(clean) - 1, answers, ("", ""), ("", "")
    )


PAIRS = [
    contrast("one", [1, 7, 23, 42, 11], [1, 7, 51, 42, 11]),
    contrast("two", [1, 9, 9, 31, 50, 8, 12], [1, 9, 52, 31, 53, 8, 12], (3, 4)),
    contrast("three", [1, 14, 2, 6, 33], [1, 14, 54, 6, 33], (20, 21)),
]


@pytest.mark.parametrize("kind", EVERY)
def test_patching_with_itself_changes_nothing(kind: str) -> None:
    one = loaded(kind)
    same = [contrast(pair.id, [*pair.clean], [*pair.clean]) for pair in PAIRS]
    found = patch_each(one, same, list(one.anatomy.components()))
    assert not numpy.any(found.heads)
    assert not numpy.any(found.mlps)
    assert not numpy.any(found.embedding)


@pytest.mark.parametrize("kind", EVERY)
def test_all_parts_and_the_embedding_give_the_corrupted_metric(kind: str) -> None:
    one = loaded(kind)
    everything = tuple(one.anatomy.components())
    found = patch(one, PAIRS, [Parts(everything, embedding=True), Parts(everything[:1])])
    assert found.clean + found.effects[:, 0] == pytest.approx(found.corrupted, abs=1e-12)
    assert (abs(found.effects[:, 1]) > 1e-6).all()
    assert (abs(found.corrupted - found.clean) > 1e-3).all()


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_patching_is_what_whole_passes_with_the_values_put_in_by_hand_give(kind: str) -> None:
    one = loaded(kind, batch_size=1)
    anatomy, pair = one.anatomy, PAIRS[1]
    values = Values(anatomy)
    with torch.no_grad(), hook_model(anatomy, values.changes):
        metric(one, batch_of(one, [pair.corrupted]), [pair])
    asked = [Component(1, 2), Component(anatomy.layers - 1)]
    found = patch_each(one, [pair], asked)
    clean = batch_of(one, [pair.clean])

    def put_head(ours: torch.Tensor) -> torch.Tensor:
        ours = ours.clone()
        ours[..., 2, :] = values.heads[1][..., 2, :]
        return ours

    last = anatomy.layers - 1
    by_hand = [
        Changes(heads={1: put_head}),
        Changes(mlps={last: lambda _: values.mlps[last]}),
        Changes(embedding=lambda _: values.embedding[0]),
    ]
    with torch.no_grad():
        before = float(metric(one, clean, [pair]))
        effects = []
        for changes in by_hand:
            with hook_model(anatomy, changes):
                effects.append(float(metric(one, clean, [pair])) - before)
    told = [found.heads[0, 1, 2], found.mlps[0, last], found.embedding[0]]
    assert told == pytest.approx(effects, abs=1e-12)
    assert numpy.isnan(found.heads).sum() == found.heads.size - 1
    assert numpy.isnan(found.mlps).sum() == found.mlps.size - 1
    with torch.no_grad():
        assert float(metric(one, clean, [pair])) == before, "the model is as it was"


@pytest.mark.parametrize("kind", EVERY)
def test_attribution_is_the_derivative(kind: str) -> None:
    """Where the corrupted values are a step away from the clean ones, its error shrinks with the step."""
    errors = []
    for step in (0.01, 0.001):
        one = loaded(kind)
        bring_near(one, step)
        guess = attribute(one, PAIRS).patching
        exact = patch_each(one, PAIRS, list(one.anatomy.components()))
        told = numpy.concatenate([guess.heads.ravel(), guess.mlps.ravel(), guess.embedding])
        true = numpy.concatenate([exact.heads.ravel(), exact.mlps.ravel(), exact.embedding])
        errors.append(float(numpy.linalg.norm(told - true) / numpy.linalg.norm(true)))
    assert errors[0] <= (0.01 if kind in ARCHITECTURES else 0.04)
    assert errors[1] <= 0.2 * errors[0]


@pytest.mark.parametrize("kind", ["llama", "gpt2", "gpt_neox", "bert"])
def test_both_ways_the_error_is_of_a_higher_order(kind: str) -> None:
    """A tenth of the step leaves a hundredth of the relative error: what is of the second order goes out."""
    errors = []
    for step in (0.1, 0.01):
        one = loaded(kind)
        bring_near(one, step)
        ways = [way for pair in PAIRS for way in (pair, pair.reversed)]
        guess, exact = attribute(one, ways).patching, patch_each(one, ways, list(one.anatomy.components()))
        told, true = (
            numpy.concatenate(
                [(some.heads[::2] + some.heads[1::2]).ravel(), (some.mlps[::2] + some.mlps[1::2]).ravel()]
            )
            for some in (guess, exact)
        )
        errors.append(float(numpy.linalg.norm(told - true) / numpy.linalg.norm(true)))
    assert errors[1] <= 0.03 * errors[0]


def bring_near(one: Loaded, step: float) -> None:
    """From now on, tokens of corrupted prompts are embedded so far from those whose place they take."""
    model: Any = one.model
    weight = model.get_input_embeddings().weight
    for pair in PAIRS:
        for clean, corrupted in zip(pair.clean, pair.corrupted, strict=True):
            if clean != corrupted:
                way = weight[corrupted] - weight[clean]
                weight[corrupted] = weight[clean] + step * way / way.norm()


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_many_at_a_time_are_what_one_at_a_time_are(kind: str) -> None:
    together, alone = attribute(loaded(kind), PAIRS), attribute(loaded(kind, batch_size=1), PAIRS)
    components = list(loaded(kind).anatomy.components())
    for one, other in (
        (together.patching, alone.patching),
        (together.gradient_activation, alone.gradient_activation),
        (patch_each(loaded(kind), PAIRS, components), patch_each(loaded(kind, 1), PAIRS, components)),
    ):
        for name in ("heads", "mlps", "embedding"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-10)
    assert together.clean == pytest.approx(alone.clean, abs=1e-10)
    assert together.corrupted == pytest.approx(alone.corrupted, abs=1e-10)


def test_the_metric_is_the_difference_of_log_probabilities() -> None:
    one = loaded("llama")
    found = attribute(one, PAIRS)
    model: Any = one.model
    for place, pair in enumerate(PAIRS):
        told = model(torch.tensor([pair.clean])).logits[0, -1].log_softmax(-1)
        first, second = pair.answers
        assert found.clean[place] == pytest.approx(float(told[first] - told[second]), abs=1e-12)


def test_gradient_times_activation_is_another_thing_and_never_negative() -> None:
    found = attribute(loaded("gpt2"), PAIRS)
    assert (found.gradient_activation.heads >= 0).all()
    assert not numpy.allclose(found.gradient_activation.heads, abs(found.patching.heads))


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    one = loaded("gpt2", batch_size=1)
    components = list(one.anatomy.components())
    patch_each(one, PAIRS, components, lambda done, of: told.append((done, of)))
    assert told[-1] == (len(components) + 1, len(components) + 1)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_prompts_of_different_lengths_are_one_line() -> None:
    wrong = contrast("odd", [1, 2, 3], [1, 2])
    said = r"^pair odd: its prompts have 3 and 2 tokens[^\n]*$"
    with pytest.raises(ModelError, match=said):
        attribute(loaded("gpt2"), [*PAIRS, wrong])
    with pytest.raises(ModelError, match=said):
        patch_each(loaded("gpt2"), [*PAIRS, wrong], [])
    with pytest.raises(ModelError, match="no pairs"):
        attribute(loaded("gpt2"), [])
