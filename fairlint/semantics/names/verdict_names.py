"""Variables that have an attribute's name and hold what somebody gets: `disability = "ineligible"`.

An insurer's products are called disability and health, and a function says of each whether somebody may
have it. The function itself gives such a variable a text of an outcome that is no group of the attribute.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.effects import lexicon
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Mention
from fairlint.vocabulary.words import split_words

MOST_WORDS = 3
"""A text with more words is a message, and no outcome's name."""


def holds_verdict(mention: Mention, frame: Frame) -> bool:
    """Return whether the function that is walked puts an outcome's name into the variable of a mention."""
    known, function = frame.program.verdicts, (frame.owner, frame.function)
    if function not in known:
        known[function] = dict(_verdict_variables(frame))
    texts = known[function].get(mention.identifier, ())
    vocabulary = frame.program.vocabulary
    return bool(texts) and all(vocabulary.group_of(mention.attribute, text) is None for text in texts)


def _verdict_variables(frame: Frame) -> Iterator[tuple[str, list[str]]]:
    """Yield each variable of the function to which it gives a name of an outcome, with those names."""
    name = frame.function.rpartition(".")[2]
    definitions = frame.program.definitions
    function = definitions.methods.get((frame.owner, name)) or definitions.functions.get(name)
    found: dict[str, list[str]] = {}
    for statement in function.body if function is not None else ():
        for part in tree.walk(statement):
            if not isinstance(part, tree.Assign) or part.op is not None or part.value is None:
                continue
            for target in part.targets:
                if isinstance(target, tree.Name):
                    found.setdefault(target.id, []).extend(_verdict_texts(part.value))
    yield from ((name, texts) for name, texts in found.items() if texts)


def _verdict_texts(value: Node) -> Iterator[str]:
    """Yield the names of outcomes that an expression may give."""
    match value:
        case tree.Literal(value=str() as text):
            words = split_words(text)
            lists = lexicon()
            if len(words) <= MOST_WORDS and not (lists["outcome_text"] - lists["talk"]).isdisjoint(words):
                yield text
        case tree.Conditional(then=then, otherwise=otherwise):
            yield from _verdict_texts(then)
            yield from _verdict_texts(otherwise)
        case _:
            pass
