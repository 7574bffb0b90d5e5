"""A tokenizer of transformers whose tokens are whole words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SPECIALS = ("[PAD]", "[BOS]", "[EOS]", "[CLS]", "[SEP]", "[MASK]", "[UNK]")


def word_tokenizer(words: Iterable[str]) -> Any:
    """Knows these words, lower case, and the full stop; all others are `[UNK]`."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    known = dict.fromkeys([*SPECIALS, ".", *(word.lower() for word in words)])
    made = Tokenizer(models.WordLevel({word: place for place, word in enumerate(known)}, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    names = ("pad", "bos", "eos", "cls", "sep", "mask", "unk")
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        **{f"{name}_token": special for name, special in zip(names, SPECIALS, strict=True)},
    )
