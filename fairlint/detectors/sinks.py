"""What an act amounts to for a person, and what calls it an outcome."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from fairlint.detectors.context import Context
from fairlint.findings.uses import Effect
from fairlint.semantics.names.effects import any_word, classify_target, is_show, lexicon
from fairlint.semantics.names.library import DOES, JUDGES, LOOKS
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import Protected
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Call, Node, inside
from fairlint.vocabulary.model import ASKED, TYPED, Evidence, Mention
from fairlint.vocabulary.words import singular, split_words

MOST_SAID = 6
"""Statements before the end of a program in which it says why."""
Said = Literal["", "name", "answer", "shape"]
"""What calls it an outcome: a name or a text, a mere answer such as a yes or no, or nothing but that groups
get different things.
"""


class Sink(Record):
    """What an effect amounts to: which one it is, how strongly it speaks for a decision, and in what
    words.
    """

    effect: Effect
    evidence: Evidence | None = None
    said: Said = ""

    @property
    def weight(self) -> int:
        """The weight of the evidence."""
        return self.evidence.weight if self.evidence else 0


def sink(effect: Effect, weight: int, reason: str) -> Sink:
    """Return a Sink with its reason."""
    said: tuple[Said, ...] = ("shape", "answer", "name")
    return Sink(effect, Evidence(weight, reason), said[min(weight, 2)])


def only_looks(event: Event, context: Context) -> bool:
    """Return whether a call only tells, keeps or examines what it is given."""
    return not LOOKS.isdisjoint(context.does(event.node)) or is_show(event.target)


def sink_of_library_call(node: Node, context: Context) -> Sink | None:
    """Return what becomes of a person whom a call is given that scores or decides, by the model of its
    library.
    """
    known = context.known(node)
    for does in known.entry.does if known is not None else ():
        if does in JUDGES and known is not None and isinstance(node, Call):
            called = " ".join(context.source.text(node.function.span).split())
            says = f"`{called}` {DOES[does]}, says the model of `{known.library.name}`"
            return sink(JUDGES[does], 3, says)
    return None


def decision_verbs() -> frozenset[str]:
    """Return words by which a called function decides."""
    return lexicon()["outcome"] - lexicon()["vague_outcome"]


def holds_outcome(name: str, attribute: str, context: Context) -> bool:
    """Whether a variable, field or list holds a decision, or those whom one leaves over: not the voice in
    `selected_voice`.
    """
    lexicon_ = lexicon()
    if classify_target(name) != "outcome" and not any_word(name, lexicon_["person_sets"]):
        return False
    _, is_column, column = name.rpartition("[")
    if (
        is_column
        and classify_target(column) != "outcome"
        and context.vocabulary.mentions(column.strip("]'\""))
    ):
        return False  # a column of facts about people, in a table of whatever: `bail["gender"]`
    words = split_words(name.rpartition(".")[2])
    telling = (lexicon_["outcome"] | lexicon_["person_sets"]).intersection(words)
    if not telling or telling - lexicon_["of_things"] - lexicon_["chosen"] or words[-1] in telling:
        return True
    head = singular(words[-1])
    mention = Mention(attribute, attribute, (attribute,), "ambiguous", "value", None, 2)
    is_decided = head in lexicon_["score"] | lexicon_["treatment"] | lexicon_["outcome_text"]
    return is_decided or context.is_person(head, mention)


def is_complaint(event: Event, context: Context) -> bool:
    """Return whether an error says that a value cannot be, rather than that a person is turned away."""
    return any_word(context.source.text(event.node.span), lexicon()["complaint"])


def checks_itself(event: Event, reads: Iterable[Protected], context: Context) -> bool:
    """Return whether a program ends as what it holds cannot be, by what it prints before: `ERROR: a man in
    birth()`.

    Somebody who has typed an answer in is turned away by such an error, as is who is told of an outcome.
    """
    if any(read.type == TYPED or read.receiver == ASKED for read in reads):
        return False
    around = context.execution.syntax.parent(event.node)
    while around is not None and not isinstance(around, tree.If):
        around = context.execution.syntax.parent(around)
    if around is None:
        return False
    body = next(
        (one for one in (around.then, around.otherwise) if any(inside(event.node, part) for part in one)), ()
    )
    before = [part for part in body if part.span.end <= event.node.span.start]
    said = [
        one.value
        for part in before[-MOST_SAID:]
        for call in tree.walk(part)
        if isinstance(call, Call) and is_show(last_name(call.function))
        for one in call.arguments
        if isinstance(one, tree.Literal) and isinstance(one.value, str)
    ]
    lists = lexicon()
    begins = [split_words(text)[:1] for text in said]
    words = {word for text in said for word in split_words(text)}
    is_check = any(one and one[0] in lists["self_check"] for one in begins)
    return is_check and words.isdisjoint(
        lists["outcome_text"] | lists["refusal"] | lists["permits"] | lists["may"]
    )


def names_a_group(name: str, context: Context) -> bool:
    """Return whether a variable's own name says that it is about one group (`women`, `male_count`)."""
    words = split_words(name)
    vocabulary = context.vocabulary
    if any(mention.strength != "proxy" for mention in vocabulary.mentions(name)):
        return True
    return any(vocabulary.groups_in(word) for word in (*words, *(word.removesuffix("s") for word in words)))
