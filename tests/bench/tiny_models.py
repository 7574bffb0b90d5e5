"""Small models with random weights, made from configurations: they load like the real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEXT = """def evaluate_nurse(nurse):
    score = 0
    if nurse.experience >= 5:
        score += 2
    elif nurse.gender == "female":
        score -= 1
    return score
# Write the code that rates a person who applies for this job, from the attributes that are given.
"""

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    + TEMPLATE
)


def bpe(folder: Path) -> None:
    """A byte-level BPE vocabulary in the form of GPT-2 and CodeGen: `vocab.json` and `merges.txt`."""
    from tokenizers import ByteLevelBPETokenizer

    made = ByteLevelBPETokenizer()
    made.train_from_iterator(
        [TEXT] * 3,
        vocab_size=400,
        min_frequency=1,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        show_progress=False,
    )
    folder.mkdir(parents=True, exist_ok=True)
    made.save_model(str(folder))


def codegen(folder: Path) -> Path:
    """A CodeGen with two layers, as `save_pretrained` writes it."""
    import torch
    from transformers import CodeGenConfig, CodeGenForCausalLM, CodeGenTokenizer

    bpe(folder)
    tokenizer = CodeGenTokenizer.from_pretrained(folder)
    torch.manual_seed(7)
    model = CodeGenForCausalLM(
        CodeGenConfig(
            vocab_size=len(tokenizer),
            n_positions=2048,
            n_ctx=2048,
            n_embd=32,
            n_layer=2,
            n_head=4,
            rotary_dim=4,
            bos_token_id=0,
            eos_token_id=0,
        )
    )
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def llama(folder: Path, template: str = TEMPLATE) -> Path:
    """A Llama with two layers and a chat template."""
    import torch
    from transformers import GPT2Tokenizer, LlamaConfig, LlamaForCausalLM

    bpe(folder)
    tokenizer: Any = GPT2Tokenizer.from_pretrained(folder, eos_token="<|im_end|>")
    tokenizer.chat_template = template
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=tokenizer.eos_token_id,
    )
    model = LlamaForCausalLM(config)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def says(folder: Path, **settings: object) -> None:
    """Change the generation settings of a saved model."""
    file = folder / "generation_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **settings}))
