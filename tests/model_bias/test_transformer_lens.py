"""Exact patching against TransformerLens, which knows nothing of ours, where it is installed.

`make` puts it into a folder of its own, for two packages that it needs bring plugins of pytest along.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from random_models import tiny

from fairlint.model_bias.contrasts import Contrast
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.patching import patch_each

pytestmark = pytest.mark.slow
TOLERANCE = {"gpt2": 1e-9, "gpt_neox": 1e-9, "llama": 2e-5, "qwen2": 2e-5}
"""Of effects: their rotary positions of Llama and Qwen are computed in float32."""
PAIR = Contrast(
    "one", "one", "a to b", (1, 9, 9, 31, 50, 8, 12), (1, 9, 52, 31, 53, 8, 12), 6, (3, 4), ("", ""), ("", "")
)


def tokenizer() -> Any:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({str(number): number for number in range(60)}, unk_token="0"))
    return PreTrainedTokenizerFast(tokenizer_object=words, bos_token="1", eos_token="2", pad_token="0")


@pytest.mark.parametrize("kind", TOLERANCE)
def test_effects_of_heads_and_mlps_are_those_of_transformer_lens(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(sys.prefix) / "transformer-lens")])
    with warnings.catch_warnings():  # of its own dependencies
        warnings.simplefilter("ignore")
        bridges = pytest.importorskip("transformer_lens.model_bridge")
        model = tiny(kind)
        model.save_pretrained(tmp_path)
        tokenizer().save_pretrained(tmp_path)
        bridge = bridges.TransformerBridge.boot_transformers(str(tmp_path), dtype=torch.float64, device="cpu")

        def metric(logits: torch.Tensor) -> float:
            first, second = PAIR.answers
            return float(logits[0, PAIR.place, first] - logits[0, PAIR.place, second])

        clean, corrupted = (torch.tensor([one]) for one in (PAIR.clean, PAIR.corrupted))
        with torch.no_grad():
            before = metric(bridge(clean))
            _, theirs = bridge.run_with_cache(corrupted)

            def patched(name: str, head: int | None) -> float:
                def put(values: torch.Tensor, **_hook: Any) -> Any:
                    values = values.clone()
                    if head is None:
                        return theirs[name]
                    heads = values.view(*values.shape[:2], model.config.num_attention_heads, -1)
                    heads[:, :, head] = theirs[name].view(heads.shape)[:, :, head]
                    return heads.view(values.shape)

                return metric(bridge.run_with_hooks(clean, fwd_hooks=[(name, put)])) - before

            loaded = Loaded(kind, "1", model, tokenizer(), masked=False, batch_size=1)
            components = list(loaded.anatomy.components())
            ours = patch_each(loaded, [PAIR], components)
            for one in components:
                place = "hook_mlp_out" if one.head is None else "attn.hook_z"
                effect = patched(f"blocks.{one.layer}.{place}", one.head)
                assert float(ours.of(one)[0]) == pytest.approx(effect, abs=TOLERANCE[kind]), str(one)
            assert abs(ours.heads).max() > 0.01
