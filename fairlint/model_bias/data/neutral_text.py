"""Text that is about no gender, for perplexity: what a change costs a model where there is no bias to change.

A user's file is best, as it can be of the kind that the model is used for. Without one these are StereoSet's
second sentences that are labelled `unrelated`: plain English by many writers, mostly about dogs, kitchens and
the weather, some 16,000 tokens. (Within sentences, `unrelated` is a word that makes no sense there, so those
are not taken.) Sentences with a word for a gender are left out; a few name peoples. They are short, so their
perplexity is high, and only to be compared with that of another model on the same sentences.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from fairlint.config.toml_files import read_toml_file
from fairlint.model_bias.data.records import Origin, Skipped
from fairlint.model_bias.data.sources import read
from fairlint.model_bias.data.stereoset import load_stereoset
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

WORDS = Path(__file__).parent / "neutral_text.toml"
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"\n[^\S\n]*\n")


class NeutralText(Record):
    """Passages, each to be read by itself."""

    passages: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    origin: Origin


def load_neutral_text(source: Path | None = None) -> NeutralText:
    """Return the passages of a user's file, with blank lines between them, or sentences of StereoSet (1,990).

    Of a user's file nothing is left out. Raises UsageError where it cannot be read or has no text.
    """
    if source is not None:
        file = read(source)
        parts = _BETWEEN.split(file.text.replace("\r\n", "\n"))
        passages = tuple(part.strip("\n") for part in parts if part.strip())
        if not passages:
            raise UsageError(f"{source} has no text")
        return NeutralText(passages, (), file.origin)
    data = load_stereoset()
    kept: list[str] = []
    skipped: list[Skipped] = []
    for item in data.of("intersentence"):
        words = {word.casefold() for word in _WORD.findall(item.unrelated)}
        if told := sorted(words & _gendered_words()):
            skipped.append(Skipped(item.id, f"has a word for a gender: {told[0]}"))
        else:
            kept.append(item.unrelated)
    return NeutralText(tuple(kept), tuple(skipped), data.origin)


@cache
def _gendered_words() -> frozenset[str]:
    words: str = read_toml_file(WORDS)["gendered"]
    return frozenset(words.split())
