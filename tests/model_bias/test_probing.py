"""Probes find what is there, and only that: not in shuffled labels, not by remembering pairs or targets."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from random_models import MASKED, tiny

from fairlint.backends.model import ModelError
from fairlint.cli import main, model_options
from fairlint.model_bias import ablating, loading, probing
from fairlint.model_bias.likelihood import log_probabilities
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.probing import Example, activations, probe
from fairlint.support.records import replace


class Letters:
    """A token a letter."""

    pad_token_id = 0
    bos_token_id = 1

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return [3 + ord(letter) % 57 for letter in text]


def twins(count: int, targets: int) -> list[Example]:
    return [
        Example(f"{pair} {label}", label, str(pair), str(pair % targets))
        for pair in range(count)
        for label in (0, 1)
    ]


def noise(examples: list[Example], layers: int = 2, width: int = 12) -> Any:
    return numpy.random.default_rng(5).normal(size=(layers, len(examples), width))


@pytest.mark.parametrize("kept", ["pair", "target"])
def test_a_planted_direction_is_found_at_its_layer_and_not_in_shuffled_labels(kept: Any) -> None:
    examples = twins(80, 20)
    values = noise(examples)
    values[1, :, 3] += [6.0 * one.label for one in examples]
    nothing, planted = probe(values, examples, kept_together=kept)
    assert planted.accuracy.low > 0.95
    assert planted.selectivity.low > 0.3
    assert abs(planted.control.mean - 0.5) < 0.06
    assert nothing.accuracy.low <= 0.55
    assert nothing.selectivity.low <= 0


def test_what_is_true_of_targets_alone_is_not_read_off_targets_that_were_never_seen() -> None:
    """Each target has a label of its own and a place of its own: a probe learns them by heart."""
    examples = [Example("", place % 10 // 5, str(place), str(place % 10)) for place in range(200)]
    values = noise(examples, 1, 10) * 0.1
    for place, one in enumerate(examples):
        values[0, place, int(one.target)] += 3
    (by_pair,) = probe(values, examples, kept_together="pair")
    (by_target,) = probe(values, examples, kept_together="target")
    assert by_pair.accuracy.mean > 0.95
    assert by_target.accuracy.mean < 0.6


@pytest.mark.parametrize("kind", ["llama", "gpt2", "gpt_neox", "bert"])
def test_what_is_read_is_the_residual_stream_before_any_last_norm(kind: str) -> None:
    model = tiny(kind)
    loaded = Loaded(kind, "1", model, Letters(), kind in MASKED, batch_size=2)
    texts = ["abcdef", "xy", "a longer one"]
    found = activations(loaded, texts)
    whole = activations(loaded, texts, "mean")
    for place, text in enumerate(texts):
        tokens = [*loaded.start, *Letters().encode(text, add_special_tokens=False)]
        hidden = model(torch.tensor([tokens]), output_hidden_states=True).hidden_states
        for layer in range(len(hidden) - 1):
            assert numpy.allclose(found[layer, place], hidden[layer][0, -1].numpy(), rtol=0, atol=1e-9)
            span = hidden[layer][0, 0 if loaded.masked else 1 :].mean(0)
            assert numpy.allclose(whole[layer, place], span.numpy(), rtol=0, atol=1e-9)
        if kind not in MASKED:
            assert not numpy.allclose(found[-1, place], hidden[-1][0, -1].numpy(), atol=1e-3), "normed"


class Framed(Letters):
    """Of a masked model."""

    cls_token_id, sep_token_id = 1, 2


def test_masked_models_read_texts_with_what_they_begin_and_end_with() -> None:
    """As scores do; what is probed is the last token of the text itself, and not what stands behind it."""
    model = tiny("bert")
    loaded = Loaded("bert", "1", model, Framed(), masked=True, batch_size=0)
    found, whole = (activations(loaded, ["abcdef"], position) for position in ("last", "mean"))
    tokens = [1, *Letters().encode("abcdef", add_special_tokens=False), 2]
    assert ablating.tokens(loaded, ["abcdef"]) == [tokens]
    hidden = model(torch.tensor([tokens]), output_hidden_states=True).hidden_states
    for layer in range(len(hidden) - 1):
        assert numpy.allclose(found[layer, 0], hidden[layer][0, -2].numpy(), rtol=0, atol=1e-9)
        assert numpy.allclose(whole[layer, 0], hidden[layer][0].mean(0).numpy(), rtol=0, atol=1e-9)


def test_the_same_seed_gives_the_same_figures() -> None:
    examples = twins(20, 10)
    values = noise(examples, 1)
    assert probe(values, examples, kept_together="pair") == probe(values, examples, kept_together="pair")


def test_too_little_to_split_is_one_line() -> None:
    examples = twins(3, 2)
    with pytest.raises(ModelError, match="a probe needs 5 pairs or more"):
        probe(noise(examples), examples, kept_together="pair")


def test_wrong_data_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "probe", "--data", "bbq"]) == 2
    assert "'bbq' is nothing that is probed" in capsys.readouterr().err
    assert probing.FOLDS == 5


def test_a_package_that_is_missing_is_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(
        model_options, "find_spec", lambda name: None if name == "matplotlib" else find_spec(name)
    )
    monkeypatch.setattr(loading, "load", None)  # it does not come to that
    for command in ("score", "locate", "probe"):
        assert main(["model", command, "--output", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert 'matplotlib is not installed: pip install "fairlint[model]"' in said
        assert said.count("\n") == 1


class TooLarge:
    """A model that reads so many texts at a time, and no more."""

    def __init__(self, model: Any, most: int) -> None:
        self.inner, self.most, self.config, self.device = model, most, model.config, model.device
        self.sizes: list[int] = []

    def __call__(self, input_ids: Any, **named: Any) -> Any:
        self.sizes.append(len(input_ids))
        if len(input_ids) > self.most:
            raise torch.OutOfMemoryError("out of memory")
        return self.inner(input_ids=input_ids, **named)


def test_as_many_texts_are_read_at_a_time_as_fit() -> None:
    texts = [[1, 7, 9, 11 + place] for place in range(10)]
    loaded = Loaded("llama", "1", tiny("llama"), Letters(), masked=False, batch_size=0)
    wanted = log_probabilities(loaded, texts, [1] * 10)
    model: Any = TooLarge(loaded.model, 3)
    found = log_probabilities(replace(loaded, model=model), texts, [1] * 10)
    assert found == [pytest.approx(one, abs=1e-10) for one in wanted]
    assert model.sizes[0] == 10
    assert max(model.sizes[-4:]) <= 3
    none: Any = TooLarge(loaded.model, 0)
    nothing = replace(loaded, model=none)
    with pytest.raises(
        ModelError, match=r"^[^\n]*one text at a time does not fit into the memory of cpu[^\n]*$"
    ):
        log_probabilities(nothing, texts, [1] * 10)
