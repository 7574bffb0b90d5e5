"""The SQL texts of a file, read: which are statements, what they are given, and which cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.query_uses import surroundings, use_of
from fairlint.readers.sql import detection
from fairlint.readers.sql.string_collection import Found, called, gather, parameters
from fairlint.readers.sql.texts import Text, joined, plain
from fairlint.readers.sql.words import words
from fairlint.syntax import tree
from fairlint.syntax.tree import Gap, Node
from fairlint.uses import Use

UNREADABLE = "SQL that could not be read"
_CONDITION_CALLS = frozenset({"where", "filter", "extra", "having"})
_CASE_CALLS = frozenset(
    {"selectExpr", "withColumn", "annotate", "select", "order_by", "orderBy", "eval", "with_columns", "expr"}
)


_NO_ROWS = frozenset({"F", "functions", "sa", "sqlalchemy", "spark"})
"""What a chain of calls may begin with that holds no rows itself."""


def queries(context: Context) -> Iterator[Use | Gap]:
    """What the queries of one file do by an attribute, each text by itself, and those it cannot read."""
    for found in gather(context.body, context.conventions, lambda text: _is_wanted(text, context)):
        yield from _query(found, context)


def _is_wanted(text: str, context: Context) -> bool:
    likely = detection.is_statement(text) or detection.is_case(text) or detection.is_condition(text)
    return likely and detection.mentions_any(text, context.vocabulary)


def _query(found: Found, context: Context) -> Iterator[Use | Gap]:
    text = _whole(found, context)
    if text is None or _is_shown(found):
        return
    from fairlint.readers.sql import reading  # noqa: PLC0415 (loads sqlglot: only for SQL with such a word)

    ready = reading.prepared(text, reading.values_of(list(_given(found, context))))
    statements = reading.parse(ready.text)
    if statements is None:
        if detection.is_statement(found.text.text) and (
            detection.is_sure(found.text.text) or _is_executed(found)
        ):
            yield Gap(context.source.first_line(found.node.span), UNREADABLE)
        return
    from fairlint.readers.sql.statements import Surveyor  # noqa: PLC0415 (as above)

    around = surroundings(found, context)
    surveyor = Surveyor(
        context.vocabulary, context.attribute, lambda attribute: context.lawful_limits(attribute, around)
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


def _whole(found: Found, context: Context) -> Text | None:
    """The text as a statement: a condition or an amount alone is put into one."""
    text = found.text.text
    names = {called(call) for call in found.calls}
    if detection.is_statement(text):
        return (
            found.text
            if detection.is_sure(text) or _is_executed(found) or "=" in text or "'" in text
            else None
        )
    if detection.is_case(text) and (names & _CASE_CALLS):
        target = next((name for name in (*found.names, *found.results) if name.isidentifier()), "amount")
        alias = (
            "" if re.search(r"\bend\s+as\s+\w+\s*$", text, re.IGNORECASE) else f" AS {_column(found, target)}"
        )
        return joined((plain("SELECT "), found.text, plain(f"{alias} FROM {_receiver(found, context)}")))
    if names & _CONDITION_CALLS and detection.is_condition(text) and found.calls:
        first = found.calls[0]
        if isinstance(first.function, tree.Field) and first.function.name in _CONDITION_CALLS:
            head = plain(f"SELECT * FROM {_receiver(found, context)} WHERE ")  # noqa: S608 (it is only read)
            return joined((head, found.text))
    return None


def _column(found: Found, otherwise: str) -> str:
    """The column that `withColumn("score", expr(...))` makes."""
    for call in found.calls:
        if called(call) in {"withColumn", "annotate"} and call.arguments:
            first = call.arguments[0]
            if (
                isinstance(first, tree.Literal)
                and isinstance(first.value, str)
                and first.value.isidentifier()
            ):
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
                    elif name.isidentifier() and name not in _NO_ROWS:
                        return name
                    break
                case _:
                    break
    return "qrowsq"


def _is_shown(found: Found) -> bool:
    """Whether the text is only printed, compared or taken apart."""
    names = {called(call).lower() for call in found.calls}
    return bool(names) and not names.isdisjoint(words().shown) and not names & (words().executes - {"text"})


def _is_executed(found: Found) -> bool:
    return any(called(call).lower() in words().executes for call in found.calls)


def _given(found: Found, context: Context) -> Iterator[Node]:
    """What the placeholders are given: in the executing call, or by `sqlite3_bind_text` and its like."""
    yield from parameters(found)
    for function in found.functions:
        node = context.functions.get(function)
        yield from _named_parameters(found, node.body if node is not None else ())
        for part in _calls_in(node.body if node is not None else ()):
            match part:
                case tree.Call(
                    function=tree.Name(id=name),
                    arguments=(_, tree.Literal(value=int() as number), tree.Literal() as value, *_),
                ) if name.startswith("sqlite3_bind_"):
                    item = tree.Item(value.span, tree.Literal(value.span, number - 1), value)
                    yield tree.Collection(value.span, "dict", (item,))
                case _:
                    pass


def _named_parameters(found: Found, body: Iterable[Node]) -> Iterator[Node]:
    """Lists of values that the executing call is given by name, and that are set once in its function."""
    names = {
        argument.id
        for call in found.calls
        for argument in (*call.arguments[1:], *(value for _, value in call.keywords))
        if isinstance(argument, tree.Name)
    }
    held: dict[str, list[Node | None]] = {}
    for statement in body if names else ():
        for part in tree.walk(statement):
            if isinstance(part, tree.Assign):
                for target in part.targets:
                    if isinstance(target, tree.Name) and target.id in names:
                        held.setdefault(target.id, []).append(part.value)
            elif isinstance(part, tree.Call):
                match part.function:
                    case tree.Field(value=tree.Name(id=grown)) if grown in names:
                        held.setdefault(grown, []).append(None)
                    case _:
                        pass
    for values in held.values():
        if len(values) == 1 and isinstance(values[0], tree.Collection):
            yield values[0]


def _calls_in(body: Iterable[Node]) -> Iterator[tree.Call]:
    for statement in body:
        for part in tree.walk(statement):
            if isinstance(part, tree.Call):
                yield part
