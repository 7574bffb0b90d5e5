"""Small random models of several architectures, in float64, where arithmetic is exact enough to compare."""

from __future__ import annotations

from typing import Any

ARCHITECTURES = ("llama", "gpt2", "qwen2", "codegen", "gpt_neox", "gpt_neo", "gemma2", "bert", "distilbert")

SIZES: dict[str, dict[str, Any]] = {
    "llama": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2,
    },
    "gpt2": {"n_embd": 32, "n_layer": 3, "n_head": 4},
    "qwen2": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2,
    },
    "codegen": {"n_embd": 32, "n_layer": 3, "n_head": 4, "rotary_dim": 4},
    "gpt_neox": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
    },
    "gpt_neo": {
        "hidden_size": 32, "intermediate_size": 48, "num_layers": 2, "num_heads": 4,
        "attention_types": [[["global", "local"], 1]], "window_size": 8,
    },
    "gemma2": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 8, "sliding_window": 16,
    },
    "bert": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
    },
    "distilbert": {"dim": 32, "hidden_dim": 48, "n_layers": 3, "n_heads": 4},
    "mistral": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "sliding_window": 16,
    },
    "qwen3": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    },
    "gemma": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    },
    "phi": {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4},
    "opt": {
        "hidden_size": 32, "ffn_dim": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
        "word_embed_proj_dim": 32,
    },
    "falcon": {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4},
    "bloom": {"hidden_size": 32, "n_layer": 3, "n_head": 4},
    "gptj": {"n_embd": 32, "n_layer": 3, "n_head": 4, "rotary_dim": 4},
    "roberta": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
    },
    "electra": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
        "embedding_size": 16,
    },
    "modernbert": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
        "cls_token_id": 3, "sep_token_id": 4,
    },
    "mamba": {"hidden_size": 32, "num_hidden_layers": 3},
    "rwkv": {"hidden_size": 32, "attention_hidden_size": 32, "num_hidden_layers": 3},
}  # fmt: skip
MASKED = frozenset({"bert", "distilbert", "roberta", "electra", "modernbert"})
MORE = (
    "mistral", "qwen3", "gemma", "phi", "opt", "falcon", "bloom", "gptj", "roberta", "electra", "modernbert",
)  # fmt: skip
"""Of which only what holds exactly is tested."""


def tiny(kind: str, *, seed: int = 0, vocabulary: int = 60, **more: Any) -> Any:
    """A model of random weights, larger than usual so that all parts matter, with random biases too."""
    import torch
    import transformers

    sizes = {"vocab_size": vocabulary, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    config = transformers.AutoConfig.for_model(kind, **sizes, **SIZES[kind], **more)
    torch.manual_seed(seed)
    made = transformers.AutoModelForMaskedLM if kind in MASKED else transformers.AutoModelForCausalLM
    model = made.from_config(config).double().eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    for weight in model.parameters():
        weight.requires_grad_(requires_grad=False)
    return model
