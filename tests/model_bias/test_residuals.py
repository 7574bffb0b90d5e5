"""The residual stream at the place of the answer: patched as plain code patches it, kept, and drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from random_models import MASKED, tiny

from fairlint.cli import main
from fairlint.model_bias import loading, residuals
from fairlint.model_bias.contrasts import Contrast
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.residuals import residual_effects

EXACT = 1e-9
KINDS = ("gpt2", "llama", "gpt_neo", "bert", "distilbert")


class Letters:
    """A token a letter."""

    pad_token_id, bos_token_id, cls_token_id, sep_token_id, mask_token_id = 0, 1, 3, 4, 5

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return [6 + ord(letter) % 50 for letter in text]


def loaded(kind: str) -> Loaded:
    tokenizer: Any = Letters()
    return Loaded(kind, "1", tiny(kind), tokenizer, masked=kind in MASKED, batch_size=0)


def contrast(id_: str, clean: tuple[int, ...], corrupted: tuple[int, ...], place: int) -> Contrast:
    return Contrast(id_, id_, "a to b", clean, corrupted, place, (11, 12), ("", ""), ("x", "y"))


PAIRS = (
    contrast("one", (1, 8, 9, 10, 20), (1, 8, 30, 10, 20), 4),
    contrast("two", (1, 8, 9, 10, 20, 21, 22), (1, 8, 9, 33, 34, 21, 22), 6),
    contrast("three", (1, 40, 9, 10, 21), (1, 41, 9, 10, 21), 3),
)


def plain(one: Loaded, pair: Contrast, layer: int) -> tuple[float, float]:
    """Effect exactly, and by the gradient: one text, one block, one pass at a time."""
    model: Any = one.model
    block: Any = one.anatomy.blocks[layer]
    seen: list[torch.Tensor] = []

    def run(tokens: tuple[int, ...], hook: Any) -> torch.Tensor:
        handle = block.register_forward_hook(hook)
        logits = model(torch.tensor([tokens])).logits[0, pair.place]
        handle.remove()
        return logits[pair.answers[0]] - logits[pair.answers[1]]

    def of(output: Any) -> torch.Tensor:
        found: torch.Tensor = output[0] if isinstance(output, tuple) else output
        return found

    run(pair.corrupted, lambda _module, _args, output: seen.append(of(output)))
    shift = torch.zeros(seen[0].shape[-1], dtype=seen[0].dtype, requires_grad=True)

    def add(values: torch.Tensor, delta: torch.Tensor) -> torch.Tensor:
        changed = values.clone()
        changed[0, pair.place] = changed[0, pair.place] + delta
        return changed

    def shifted(_module: Any, _args: Any, output: Any) -> Any:
        seen.append(of(output).detach())
        changed = add(of(output), shift)
        return (changed, *output[1:]) if isinstance(output, tuple) else changed

    before = run(pair.clean, shifted)
    (slope,) = torch.autograd.grad(before, shift)
    difference = seen[0][0, pair.place] - seen[1][0, pair.place]

    def put(_module: Any, _args: Any, output: Any) -> Any:
        changed = add(of(output), difference)
        return (changed, *output[1:]) if isinstance(output, tuple) else changed

    return float((run(pair.clean, put) - before).detach()), float((slope @ difference).detach())


@pytest.mark.parametrize("kind", KINDS)
def test_the_stream_is_patched_at_the_answer_s_place_alone(kind: str) -> None:
    one = loaded(kind)
    found = residual_effects(one, PAIRS)
    for row, pair in enumerate(PAIRS):
        for layer in range(one.anatomy.layers):
            exact, guess = plain(one, pair, layer)
            assert found.exact[row, layer] == pytest.approx(exact, abs=EXACT)
            assert found.attribution[row, layer] == pytest.approx(guess, abs=EXACT)


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_behind_the_last_block_it_is_the_whole_difference(kind: str) -> None:
    one = loaded(kind)
    model: Any = one.model
    found = residual_effects(one, PAIRS)
    for row, pair in enumerate(PAIRS):
        ends = []
        for tokens in (pair.corrupted, pair.clean):
            logits = model(torch.tensor([tokens])).logits[0, pair.place]
            ends.append(float(logits[11] - logits[12]))
        assert found.exact[row, -1] == pytest.approx(ends[0] - ends[1], abs=EXACT)


def test_the_command_keeps_draws_and_goes_on_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = loaded("gpt2")
    monkeypatch.setattr(loading, "load", lambda *_: one)
    pairs = [
        {"clean": f"the {first} said", "corrupted": f"the {second} said", "answers": ["h", "s"]}
        for first, second in (("nurse", "baker"), ("maid", "lord"), ("smith", "clerk"))
    ]
    (tmp_path / "own.json").write_text(json.dumps({"pairs": pairs}))
    command = [
        "model",
        "locate",
        "--data",
        str(tmp_path / "own.json"),
        "-q",
        "--output",
        str(tmp_path / "out"),
    ]
    assert main([*command, "--residual"]) == 0
    told = json.loads((tmp_path / "out" / "locate" / "metrics.json").read_text())
    means = told["figures"]["data"]["own"]["residual"]["exact"]
    kept = json.loads((tmp_path / "out" / "locate" / "pairs.json").read_text())["own"]["residual"]
    assert numpy.array(kept["exact"]).shape == (6, 3)
    assert means["value"] == pytest.approx(numpy.mean(kept["exact"], axis=0).tolist())
    assert all(
        low <= value <= high
        for low, value, high in zip(means["low"], means["value"], means["high"], strict=True)
    )
    assert "residual" in told["definitions"]
    assert (tmp_path / "out" / "figures" / "locate-own-residual.svg").exists()
    monkeypatch.setattr(residuals, "_measure", None)  # nothing is measured again
    assert main([*command, "--residual", "--resume"]) == 0
    again = json.loads((tmp_path / "out" / "locate" / "metrics.json").read_text())
    assert again["figures"]["data"]["own"]["residual"] == told["figures"]["data"]["own"]["residual"]
