"""Makes models of known sizes from their configurations, with weights drawn at random.

    python benchmarks/made_models.py --output DIR [--models codegen-350m,qwen2.5-coder-1.5b]

They write nonsense and hardly end by themselves: they say nothing of what such a model answers. What a token
costs is that of the real one, as it depends on the shape alone. All have the tokenizer of the small
model; a number that it does not know is written as nothing. Weights are bfloat16.

Exit status: 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, CodeGenConfig, Qwen2Config

from fairlint.backends.model import ModelOptions
from fairlint.backends.registry import load

SEED = 1


def codegen(layers: int, width: int, heads: int) -> CodeGenConfig:
    """Return the configuration of a CodeGen model (Salesforce/codegen-*-mono on the hub)."""
    return CodeGenConfig(vocab_size=51200, n_embd=width, n_layer=layers, n_head=heads, rotary_dim=32)


def qwen(
    layers: int, width: int, heads: int, inner: int, *, tied: bool, vocabulary: int = 151936
) -> Qwen2Config:
    """Return the configuration of a Qwen2.5 model, by its own config.json on the hub."""
    return Qwen2Config(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads={14: 2, 12: 2, 28: 4}[heads],
        max_position_embeddings=32768,
        tie_word_embeddings=tied,
    )


SHAPES: Mapping[str, Callable[[], Any]] = {
    "codegen-350m": lambda: codegen(20, 1024, 16),
    "qwen2.5-coder-0.5b": lambda: qwen(24, 896, 14, 4864, tied=True),
    "qwen2.5-coder-1.5b": lambda: qwen(28, 1536, 12, 8960, tied=True),
    "qwen2.5-coder-7b": lambda: qwen(28, 3584, 28, 18944, tied=False, vocabulary=152064),
}


def make(name: str, folder: Path, device: str) -> Path:
    """Write a model and its tokenizer into a folder of its name, and return that folder."""
    torch.manual_seed(SEED)
    config = SHAPES[name]()
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    small: Any = load(None, ModelOptions())
    for made in (model.config, model.generation_config):
        made.bos_token_id = small._tokenizer.bos_token_id
        made.eos_token_id = small._tokenizer.eos_token_id
        made.pad_token_id = small._tokenizer.pad_token_id
    if name.startswith("codegen"):  # they only continue texts
        small._tokenizer.chat_template = None
    model.save_pretrained(folder / name)
    small._tokenizer.save_pretrained(folder / name)
    return folder / name


def main(arguments: Sequence[str] | None = None) -> int:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description="Make models of known sizes with random weights.")
    parser.add_argument("--output", type=Path, required=True, help="a folder for the folders of models")
    parser.add_argument("--models", default=",".join(SHAPES), help="some of them, with commas (default: all)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args(arguments)
    wanted = options.models.split(",")
    if unknown := [name for name in wanted if name not in SHAPES]:
        parser.error(f"there is no {unknown[0]} ({', '.join(SHAPES)})")
    for name in wanted:
        print(make(name, options.output, options.device), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
