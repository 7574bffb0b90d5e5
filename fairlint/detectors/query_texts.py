"""The SQL texts of a file, read: which are statements, what they are given, and which cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.query_uses import runs_sql, surroundings, use_of
from fairlint.readers.sql import detection
from fairlint.readers.sql.query_strings import Found, gather
from fairlint.readers.sql.texts import Text, around
from fairlint.readers.sql.words import words
from fairlint.semantics.paths import last_name
from fairlint.semantics.values import Const
from fairlint.syntax import tree
from fairlint.syntax.tree import Gap, Node
from fairlint.uses import Use

UNREADABLE = "SQL that could not be read"
TOO_LONG = f"SQL of more than {detection.LONGEST:,} characters"


def queries(context: Context) -> Iterator[Use | Gap]:
    """What the queries of one file do by an attribute, each text by itself, and those it cannot read."""
    for found in gather(context.execution, lambda text: _is_wanted(text, context)):
        yield from _query(found, context)


def _is_wanted(text: str, context: Context) -> bool:
    likely = detection.is_statement(text) or detection.is_case(text) or detection.is_condition(text)
    return likely and detection.mentions_any(text, context.vocabulary)


def _query(found: Found, context: Context) -> Iterator[Use | Gap]:
    text = _whole(found, context)
    if text is None or _is_shown(found, context):
        return
    if len(text.text) > detection.LONGEST:
        yield from _unread(found, TOO_LONG, context)
        return
    from fairlint.readers.sql import reading  # noqa: PLC0415 (loads sqlglot: only for SQL with such a word)

    ready = reading.prepared(text, reading.values_of(found.given))
    statements = reading.parse(ready.text)
    if statements is None:
        yield from _unread(found, UNREADABLE, context)
        return
    from fairlint.readers.sql.statements import Surveyor  # noqa: PLC0415 (as above)

    near = surroundings(found, context)
    surveyor = Surveyor(
        context.vocabulary,
        context.attribute,
        lambda attribute: context.lawful_limits(attribute, near),
        context.code_labels,
    )
    told: dict[str, tuple[int, Use]] = {}
    try:
        surveyed = [surveyor.survey(root) for root in statements]
    except RecursionError:  # thousands of conditions in one another
        yield Gap(context.source.first_line(found.node.span), UNREADABLE)
        return
    for statement in surveyed:
        for clause in statement.clauses:
            use = use_of(clause, statement, found, ready, context)
            if use is None:
                continue
            rank = (use.points is not None) * 4 + (clause.deed != "rank") * 2 + use.weight // 8
            if use.attribute not in told or rank > told[use.attribute][0]:
                told[use.attribute] = (rank, use)
    yield from (use for _, use in told.values())


def _unread(found: Found, reason: str, context: Context) -> Iterator[Gap]:
    """What is said of a text that is SQL for sure, and that is not read."""
    text = found.text.text
    if detection.is_statement(text) and (detection.is_sure(text) or _is_executed(found, context)):
        yield Gap(context.source.first_line(found.node.span), reason)


def _whole(found: Found, context: Context) -> Text | None:
    """The text as a statement: a condition or an amount alone is put into one."""
    text = found.text.text
    names = {_called(call) for call in found.calls}
    if detection.is_statement(text):
        return (
            found.text
            if detection.is_sure(text) or _is_executed(found, context) or "=" in text or "'" in text
            else None
        )
    if detection.is_case(text) and (names & words()["expressions"]):
        target = next((name for name in (*found.names, *found.results) if name.isidentifier()), "amount")
        is_named = re.search(r"\bend\s+as\s+\w+\s*$", text, re.IGNORECASE)
        alias = "" if is_named else f" AS {_column(found, target, context)}"
        return around("SELECT ", found.text, f"{alias} FROM {_receiver(found, context)}")
    if names & words()["conditions"] and detection.is_condition(text) and found.calls:
        first = found.calls[0]
        if isinstance(first.function, tree.Field) and first.function.name in words()["conditions"]:
            head = f"SELECT * FROM {_receiver(found, context)} WHERE "  # noqa: S608 (it is only read)
            return around(head, found.text)
    return None


def _column(found: Found, otherwise: str, context: Context) -> str:
    """The column that `withColumn("score", expr(...))` makes."""
    for call in found.calls:
        if _called(call) in {"withColumn", "annotate"} and call.arguments:
            first = context.execution.facts.value_of(call.arguments[0])
            if isinstance(first, Const) and isinstance(first.value, str) and first.value.isidentifier():
                return first.value
    return otherwise


def _receiver(found: Found, context: Context) -> str:
    """What the rows are called: the name that a chain of calls begins with."""
    receivers = context.conventions.receivers
    for call in found.calls:
        node: Node = call.function
        last = ""
        while True:
            match node:
                case tree.Field(value=inner, name=name):
                    last, node = name, inner
                case tree.Call(function=inner) | tree.Index(value=inner):
                    node = inner
                case tree.Name(id=name):
                    if name in receivers:
                        if last:
                            return last
                    elif name.isidentifier() and name not in words()["no_rows"]:
                        return name
                    break
                case _:
                    break
    return "qrowsq"


def _is_shown(found: Found, context: Context) -> bool:
    """Whether the text is only printed, compared or taken apart."""
    shows = any(
        _called(call).lower() in words()["shown"] or "shows" in context.does(call) for call in found.calls
    )
    runs = (call for call in found.calls if _called(call) != "text")
    return shows and not any(runs_sql(call, context) for call in runs)


def _is_executed(found: Found, context: Context) -> bool:
    return any(runs_sql(call, context) for call in found.calls)


def _called(call: tree.Call) -> str:
    return last_name(call.function)
