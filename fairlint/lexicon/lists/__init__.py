"""Lists of words, one file a subject, and how they are read."""

from __future__ import annotations

import os


def word_file(name: str) -> dict[str, frozenset[str]]:
    """The sections of a word list of this folder."""
    path = os.path.join(os.path.dirname(__file__), name)  # noqa: PTH118, PTH120 (start-up)
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 (start-up)
        return word_lists(file.read())


def word_lists(text: str) -> dict[str, frozenset[str]]:
    """The sections of a word list: `[name]`, then words separated by commas; `#` begins a comment."""
    sections: dict[str, set[str]] = {}
    words: set[str] = set()
    for line in text.splitlines():
        if line.startswith("["):
            words = sections.setdefault(line.strip(" []"), set())
        elif not line.startswith("#"):
            words.update(word for part in line.split(",") if (word := part.strip()))
    return {name: frozenset(words) for name, words in sections.items()}
