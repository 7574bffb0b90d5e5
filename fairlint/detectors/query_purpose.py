"""What a query is for: whether it chooses among people, or only looks at them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fairlint.analyses.sql.query_strings import Found
from fairlint.analyses.sql.words import words
from fairlint.detectors.context import Context
from fairlint.detectors.sinks import names_a_group
from fairlint.semantics.names.effects import any_word
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import Opaque, Value
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.vocabulary.words import split_words

if TYPE_CHECKING:
    from fairlint.analyses.sql.clauses import Clause, Statement

ENOUGH = 2
"""What must speak for a selection before it counts as one that decides about people."""
SURE = 3
"""What must speak for it where the attribute is a proxy only."""


class Purpose(Record, frozen=False):
    """What speaks for and against a statement's deciding about people."""

    weight: int
    reason: str
    strong: bool


def purpose_of(clause: Clause, statement: Statement, found: Found, context: Context) -> Purpose:
    """Return whether the statement chooses among people, by all that is said about it."""
    known = words()
    functions = functions_of(found, context)
    bound = [*found.names, *(result for result in found.results if result != "return")]
    names = [*functions, *bound]
    written = (
        [*statement.named, statement.target] if statement.kind in known["writes"] else [*statement.named]
    )
    weight, reason, strong = 0, "people are chosen by a query", False
    if hit := _first_hit((*written, *names), known["purpose"]):
        weight, reason, strong = SURE, f"`{_short_name(hit)}` chooses people", True
    elif hit := _first_hit(_consumers_of_result(found, context), known["purpose"]):
        weight, reason = 2, f"`{hit}` is called with those who are chosen"
    elif _says_so(functions, statement, context):
        weight, reason = 2, "the text near the query says that it chooses people"
    elif hit := _first_hit((*written, *names, *_consumers_of_result(found, context)), known["weak_purpose"]):
        said = len(vague_words((*written, *names))) + len(vague_words(_consumers_of_result(found, context)))
        weight, reason = min(said, 2), f"`{_short_name(hit)}` may choose people"
    stem = context.source.path.rpartition("/")[2].partition(".")[0]
    if not strong and any_word(stem, known["purpose"]):
        weight += 1
    judged = _first_hit((*statement.tables, *statement.named), known["judged"])
    if judged:
        weight += 1
        reason = reason if weight > 1 else f"rows of `{judged}` are chosen"
    if weight:
        alone = (
            weight == 1 and not judged
        )  # a vague word about no matter whom: only the best of them are chosen
        weight += (
            _weight_of_limit(statement, found, context)
            + statement.locked
            + (statement.kind == "delete")
            - alone
        )
    weight -= statement.offset + clause.asked
    if any(_tells_of(name, clause.subject.mention.attribute, context) for name in functions):
        weight -= 2
    made = any_word(statement.target, known["purpose"]) and statement.kind in known["writes"]
    if reports((statement.target,) if made else (*names, *written)) or any(
        names_a_group(name, context) for name in bound
    ):
        weight -= 3
    elif reports((stem,)):
        weight -= 2
    if _first_hit(statement.tables[:1], known["things"]):
        weight -= 3
    return Purpose(weight, reason, strong)


def functions_of(found: Found, context: Context) -> list[str]:
    """Qualified names of the functions that use the text."""
    functions = [function for function in found.functions if function]
    home = context.function_at(found.node.span)
    return functions or ([home] if home else [])


def _weight_of_limit(statement: Statement, found: Found, context: Context) -> int:
    """Return what a limit says: some are taken, or the best."""
    if not (statement.limited or any(context.may(call, "takes first") for call in found.calls)):
        return 0
    return 1 + any(any_word(column, words()["merit"]) for column in statement.ordered)


def _tells_of(function: str, attribute: str, context: Context) -> bool:
    """Return whether a function is named after the attribute: `approvals_by_gender`, `list_female_staff`."""
    name = function.rpartition(".")[2]
    return any(mention.attribute == attribute for mention in context.vocabulary.mentions(name)) or (
        split_words(name)[:1] in {("get",), ("list",), ("fetch",), ("load",)} and names_a_group(name, context)
    )


def reports(names: Iterable[str]) -> bool:
    """Return whether a name says that people are only looked at; `rate_staff` is a verb, `hire_rate` a
    figure.
    """
    known = words()["report"]
    for name in names:
        own = split_words(name.rpartition(".")[2])
        if not known.isdisjoint(split_words(name)) or "rate" in own[1:]:
            return True
    return False


def _consumers_of_result(found: Found, context: Context) -> list[str]:
    """Return the functions that are called with what the query gives."""
    facts = context.facts
    own = {id(call): call for node in found.calls for call in facts.calls_at(node)}
    people = {_identity_key(call.value) for call in own.values()}
    people |= {
        _identity_key(call.receiver) for call in own.values() if last_name(call.node.function) == "execute"
    }
    given = context.once(_calls_by_input, "")
    others = {place: call for one in people for place, call in given.get(one, ())}
    return list(
        dict.fromkeys(
            last_name(call.node.function)
            for _, call in sorted(others.items())
            if call.function in found.functions and id(call) not in own
        )
    )


def _calls_by_input(_function: str, context: Context) -> dict[object, list[tuple[int, Call]]]:
    """Return what calls of the file are given, and what that comes from -> those calls, each with
    its number.
    """
    facts = context.facts
    found: dict[object, list[tuple[int, Call]]] = {}
    for place, call in enumerate(facts.calls):
        parts = (part for argument in call.node.arguments for part in tree.walk(argument))
        values = {id(value): value for part in parts for value in facts.values_of(part)}
        for one in {_identity_key(one) for value in values.values() for one in facts.behind(value)}:
            found.setdefault(one, []).append((place, call))
    return found


def _identity_key(value: Value | None) -> object:
    """Return what two values share that are the same thing: a cursor is known by its name in a function."""
    return value.key if isinstance(value, Opaque) and value.key.isidentifier() else id(value)


def _says_so(functions: Sequence[str], statement: Statement, context: Context) -> bool:
    texts = [statement.comments]
    for function in functions:
        node = context.functions.get(function)
        if node is not None and node.docstring:
            texts.append(node.docstring.strip().partition("\n")[0])
    return any(any_word(text, words()["purpose"]) and not any_word(text, words()["report"]) for text in texts)


def vague_words(names: Iterable[str]) -> set[str]:
    """Return the words of names that may mean a choice; one alone says little, `loan_offers` says two."""
    vague = words()["weak_purpose"]
    return {word.removesuffix("s") for name in names for word in split_words(name) if word in vague}


def _first_hit(names: Iterable[str], known: frozenset[str]) -> str:
    return next((name for name in names if any_word(name, known)), "")


def _short_name(name: str) -> str:
    name = name.rpartition(".")[2]
    return name if len(name) <= 40 else f"{name[:37]}..."
