"""The parts that fairlint finds in a model are all there is: they add up to what the model computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from random_models import ARCHITECTURES, MASKED, MORE, tiny

from fairlint.backends.model import ModelError
from fairlint.model_bias.anatomy import Anatomy, Component, anatomy_of, component, projection_weight
from fairlint.model_bias.hooks import Changes, at, hook_model

TOKENS = torch.tensor([[1, 7, 23, 42, 11, 5], [1, 9, 9, 31, 50, 8]])
EXACT = 1e-12


def seen(model: Any, anatomy: Anatomy, tokens: torch.Tensor = TOKENS) -> dict[str, Any]:
    """All that hooks are given in one pass, and the logits."""
    found: dict[str, Any] = {"heads": {}, "mlps": {}}

    def keep(kind: str, layer: int) -> Any:
        return lambda values: found[kind].update({layer: values.clone()})

    layers = range(anatomy.layers)
    changes = Changes(
        embedding=lambda values: found.update(embedding=values.clone()),
        heads={layer: keep("heads", layer) for layer in layers},
        mlps={layer: keep("mlps", layer) for layer in layers},
    )
    with hook_model(anatomy, changes):
        found["logits"] = model(tokens).logits
    return found


def put(values: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    """A change to these values."""
    return lambda _: values


def replaced(model: Any, anatomy: Anatomy, by: dict[str, Any], *, embedding: bool) -> torch.Tensor:
    """The logits with all parts put in place of the model's own."""
    changes = Changes(
        embedding=put(by["embedding"]) if embedding else None,
        heads={layer: put(one) for layer, one in by["heads"].items()},
        mlps={layer: put(one) for layer, one in by["mlps"].items()},
    )
    with hook_model(anatomy, changes):
        logits: torch.Tensor = model(TOKENS).logits
    return logits


EVERY = (*ARCHITECTURES, *MORE)
POST_NORM = ("bert", "distilbert", "roberta", "electra")
"""A norm follows each sum."""


def contributions(anatomy: Anatomy, layer: int, heads: torch.Tensor) -> torch.Tensor:
    """What each head of a layer adds to the residual stream, without the projection's bias."""
    weight = projection_weight(anatomy.attentions[layer]).to(heads.dtype)
    by_head = weight.view(anatomy.heads, anatomy.head_width, -1)
    return torch.einsum("...hd,hdw->...hw", heads, by_head)


@pytest.mark.parametrize("kind", [kind for kind in EVERY if kind not in {*POST_NORM, "gemma2"}])
def test_embedding_heads_biases_and_mlps_are_the_residual_stream(kind: str) -> None:
    model = tiny(kind)
    anatomy = anatomy_of(model, kind)
    found = seen(model, anatomy)
    last: list[torch.Tensor] = []
    handle = anatomy.blocks[-1].register_forward_hook(
        lambda _module, _args, out: last.append(out[0] if isinstance(out, tuple) else out)
    )
    model(TOKENS)
    handle.remove()
    total = found["embedding"]
    for layer in range(anatomy.layers):
        total = total + contributions(anatomy, layer, found["heads"][layer]).sum(-2)
        total = total + found["mlps"][layer]
        if (bias := getattr(anatomy.attentions[layer], "bias", None)) is not None:
            total = total + bias
    assert (total - last[0]).abs().max() <= EXACT * last[0].abs().max()


@pytest.mark.parametrize("kind", POST_NORM)
def test_where_a_norm_follows_each_sum_the_parts_and_the_norms_are_all_there_is(kind: str) -> None:
    model = tiny(kind)
    anatomy = anatomy_of(model, kind)
    found = seen(model, anatomy)
    last: list[torch.Tensor] = []
    handle = anatomy.blocks[-1].register_forward_hook(
        lambda _module, _args, out: last.append(out[0] if isinstance(out, tuple) else out)
    )
    model(TOKENS)
    handle.remove()
    total = found["embedding"]
    for layer, block in enumerate(anatomy.blocks):
        attended = (
            contributions(anatomy, layer, found["heads"][layer]).sum(-2) + anatomy.attentions[layer].bias
        )
        if kind == "distilbert":
            first, second = block.sa_layer_norm, block.output_layer_norm
        else:
            first, second = block.attention.output.LayerNorm, block.output.LayerNorm
        total = second(first(total + attended) + found["mlps"][layer])
    assert (total - last[0]).abs().max() <= EXACT * last[0].abs().max()


@pytest.mark.parametrize("kind", EVERY)
def test_parts_put_in_their_own_place_change_nothing(kind: str) -> None:
    model = tiny(kind)
    anatomy = anatomy_of(model, kind)
    found = seen(model, anatomy)
    assert torch.equal(replaced(model, anatomy, found, embedding=True), found["logits"])


@pytest.mark.parametrize("kind", EVERY)
def test_all_parts_of_another_text_and_its_embedding_give_the_other_text_s_output(kind: str) -> None:
    model = tiny(kind)
    anatomy = anatomy_of(model, kind)
    other = seen(model, anatomy, TOKENS.flip(0))
    assert torch.equal(replaced(model, anatomy, other, embedding=True), other["logits"])


@pytest.mark.parametrize("kind", [kind for kind in ARCHITECTURES if kind not in MASKED])
def test_without_the_embedding_they_do_not(kind: str) -> None:
    model = tiny(kind)
    anatomy = anatomy_of(model, kind)
    other = seen(model, anatomy, TOKENS.flip(0))
    assert not torch.allclose(replaced(model, anatomy, other, embedding=False), other["logits"], atol=1e-3)


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_a_change_of_one_head_leaves_the_others_and_the_model_as_they_were(kind: str) -> None:
    model = tiny(kind)
    anatomy = anatomy_of(model, kind)
    before = seen(model, anatomy)
    given: list[torch.Tensor] = []
    one = Component(1, 2)

    def zero(values: torch.Tensor) -> torch.Tensor:
        given.append(values.clone())
        return torch.zeros_like(values)

    with hook_model(anatomy, at(anatomy, {one: zero})):
        after = model(TOKENS).logits
    assert torch.equal(given[0], before["heads"][1][..., 2, :])
    assert not torch.allclose(after, before["logits"])
    assert torch.equal(model(TOKENS).logits, before["logits"])


def test_a_head_is_what_its_part_of_the_projection_is_given() -> None:
    """A head whose weights in the projection are zero adds nothing, and can be changed without effect."""
    model = tiny("llama")
    anatomy = anatomy_of(model, "llama")
    with torch.no_grad():
        anatomy.attentions[1].weight[:, 2 * anatomy.head_width : 3 * anatomy.head_width] = 0
    before = model(TOKENS).logits
    with hook_model(anatomy, at(anatomy, {Component(1, 2): lambda values: values + 5})):
        assert torch.equal(model(TOKENS).logits, before)
    with hook_model(anatomy, at(anatomy, {Component(1, 1): lambda values: values + 5})):
        assert not torch.allclose(model(TOKENS).logits, before)


def test_an_architecture_that_nobody_knows_is_one_line() -> None:
    with pytest.raises(
        ModelError, match=r"^mine is a Linear, whose attention heads fairlint cannot find; [^\n]*$"
    ):
        anatomy_of(torch.nn.Linear(2, 2), "mine")


@pytest.mark.parametrize("kind", ["mamba", "rwkv"])
def test_a_model_without_attention_heads_is_one_line(kind: str) -> None:
    with pytest.raises(ModelError, match=r"^mine is a \w+ForCausalLM, whose attention heads [^\n]*$"):
        anatomy_of(tiny(kind), "mine")


def test_a_component_that_the_model_does_not_have_is_one_line() -> None:
    anatomy = anatomy_of(tiny("gpt2"), "gpt2")
    with pytest.raises(ModelError, match=r"no component 3\.0: its layers are 0 to 2, its heads 0 to 3"):
        at(anatomy, {Component(3, 0): lambda values: values})


def test_names_of_components_are_read_back() -> None:
    anatomy = anatomy_of(tiny("gpt2"), "gpt2")
    assert [component(str(one)) for one in anatomy.components()] == list(anatomy.components())
    for wrong in ("", "3", "mlp", "mlp 3.1", "a.b", "1.", "-1.2"):
        with pytest.raises(ValueError, match="is no component"):
            component(wrong)
