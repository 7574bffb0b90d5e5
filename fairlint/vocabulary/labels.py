"""What the text beside a field asks for, and whether of its reader: "Enter your gender (m/f): "."""

from __future__ import annotations

from fairlint.support.expressions import lazy_expression
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

LONGEST_LABEL = 4
"""Words of a label that says what is held, but for those that ask for it."""
_BEHIND = lazy_expression(r"[(\[:?/,\n]|\b\w or \w\b")


def asked_for(label: str) -> tuple[str, bool]:
    """Return the name of what a label asks for, empty where it is too long, and whether it speaks to a
    person.
    """
    lists = word_lists("reads")
    asking = lists["asking"]
    words = list(split_words(_BEHIND.split(label.strip(), maxsplit=1)[0]))
    speaks = not lists["addressing"].isdisjoint(words)
    while words and words[0] in asking:
        del words[0]
    while words and words[-1] in asking:
        del words[-1]
    return ("_".join(words) if len(words) <= LONGEST_LABEL else ""), speaks
