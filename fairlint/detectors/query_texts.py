"""The SQL texts of a file, read: which are statements, what they are given, and which cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile

from fairlint.analyses.sql import detection
from fairlint.analyses.sql.query_strings import Found, gather
from fairlint.analyses.sql.texts import Text, around
from fairlint.analyses.sql.words import words
from fairlint.detectors.context import Context
from fairlint.detectors.group_naming import code_labels
from fairlint.detectors.query_uses import NO_ROWS, is_by_name, runs_sql, surroundings, use_of
from fairlint.detectors.use_builder import by_name_tags, known_by_name
from fairlint.findings.uses import Use
from fairlint.semantics.values.paths import dotted_name, last_name
from fairlint.semantics.values.symbolic import Const
from fairlint.support.causes import SkipReason
from fairlint.support.documents import TooDeepError
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.depth import TOO_DEEP
from fairlint.syntax.tree import Gap

UNREADABLE = "SQL that could not be read"
NESTED = f"SQL {TOO_DEEP}"
TEXT_COSTS = 20
"""Steps to look at a query, beside its characters."""
_TAKE_AMOUNTS = ("wraps text", "runs sql", "adds columns", "selects columns", "orders")
"""What calls do that are given a text of SQL that comes to an amount."""
TOO_LONG = f"SQL of more than {detection.LONGEST:,} characters"


def queries(context: Context) -> Iterator[Use | Gap]:
    """Yield what the queries of one file do by an attribute, each text by itself, and those it
    cannot read.
    """
    for found in gather(context.execution, lambda text: _is_relevant_text(text, context), context.may_read):
        if not context.may_read(found.node, TEXT_COSTS):
            return
        yield from _query_observations(found, context)


def _is_relevant_text(text: str, context: Context) -> bool:
    likely = detection.is_statement(text) or detection.is_case(text) or detection.is_condition(text)
    return likely and detection.mentions_any(text, context.vocabulary)


def _query_observations(found: Found, context: Context) -> Iterator[Use | Gap]:
    whole = _complete_statement(found, context)
    if whole is None or _is_display_only(found, context):
        return
    text, said_by = whole
    if len(text.text) > detection.LONGEST:
        yield from _gap_of_text(found, TOO_LONG, context, is_taken=said_by is not None)
        return
    from fairlint.analyses.sql import reading  # noqa: PLC0415 (loads sqlglot: only for SQL with such a word)

    ready = reading.prepare_text(text, reading.values_of(found.given))
    try:
        statements = reading.parse(ready.text, lambda steps: context.may_read(found.node, steps))
    except TooDeepError:
        yield from _gap_of_text(found, NESTED, context, is_taken=said_by is not None)
        return
    if statements is None:
        if context.may_read(found.node, 0):
            yield from _gap_of_text(found, UNREADABLE, context)
        return
    from fairlint.analyses.sql.statements import MOST_SELECTS, StatementAnalyzer  # noqa: PLC0415 (as above)

    near = surroundings(found, context)
    surveyor = StatementAnalyzer(
        context.vocabulary,
        context.attribute,
        lambda attribute: context.lawful_limits(attribute, near),
        lambda attribute: code_labels(context, attribute),
    )
    told: dict[str, tuple[int, Use]] = {}
    try:
        surveyed = [surveyor.survey(root) for root in statements]
    except RecursionError:  # thousands of conditions in one another
        yield Gap(context.source.first_line(found.node.span), NESTED, "limit")
        return
    for statement in surveyed:
        if statement.left_out:
            reason = f"SQL with {statement.left_out} more SELECTs than the {MOST_SELECTS} that were read"
            context.facts.cut(found.node, reason)
        for clause in statement.clauses:
            use = use_of(clause, statement, found, ready, context)
            if use is None:
                continue
            if said_by is not None and is_by_name(said_by, context):
                said = known_by_name(said_by, context)
                use = replace(use, evidence=(*use.evidence, *said), tags=use.tags | by_name_tags(said))
            rank = (use.points is not None) * 4 + (clause.deed != "rank") * 2 + use.weight // 8
            if use.attribute not in told or rank > told[use.attribute][0]:
                told[use.attribute] = (rank, use)
    yield from (use for _, use in told.values())


def _gap_of_text(found: Found, reason: str, context: Context, *, is_taken: bool = False) -> Iterator[Gap]:
    """Yield what is said of a text that is SQL for sure, or that a call takes as such, and that is
    not read.
    """
    text = found.text.text
    is_sure = detection.is_statement(text) and (detection.is_sure(text) or _has_execution(found, context))
    if is_taken or is_sure:
        cause: SkipReason = "syntax" if reason == UNREADABLE else "limit"
        yield Gap(context.source.first_line(found.node.span), reason, cause)


def _complete_statement(found: Found, context: Context) -> tuple[Text, tree.Call | None] | None:
    """Return the text as a statement, and the call that says so if the text alone does not.

    A condition or an amount is put into a statement.
    """
    text = found.text.text
    if detection.is_statement(text):
        if detection.is_sure(text) or "=" in text or "'" in text:
            return found.text, None
        running = next((call for call in found.calls if runs_sql(call, context)), None)
        return None if running is None else (found.text, running)
    if detection.is_case(text):
        call = next((call for call in found.calls if context.may(call, *_TAKE_AMOUNTS)), None)
        if call is None:
            return None
        target = next((name for name in (*found.names, *found.results) if name.isidentifier()), "amount")
        is_named = re.search(r"\bend\s+as\s+\w+\s*$", text, re.IGNORECASE)
        alias = "" if is_named else f" AS {_result_column(found, target, context)}"
        return around("SELECT ", found.text, f"{alias} FROM {_row_source_name(found, context)}"), call
    if detection.is_condition(text):
        handed = dropwhile(lambda call: context.may(call, "wraps text"), found.calls)
        if (call := next(handed, None)) is not None and context.may(call, "filters"):
            head = f"SELECT * FROM {_row_source_name(found, context)} WHERE "  # noqa: S608 (it is only read)
            return around(head, found.text), call
    return None


def _result_column(found: Found, otherwise: str, context: Context) -> str:
    """Return the column that `withColumn("score", expr(...))` makes."""
    adding = (call for call in found.calls if context.may(call, "adds columns"))
    for call in (one for node in adding for one in context.facts.calls_at(node)):
        match call.arguments:
            case (Const(value=str() as name), *_) if name.isidentifier():
                return name
            case _:
                pass
    return otherwise


def _row_source_name(found: Found, context: Context) -> str:
    """Return what the rows are called: the name that a chain of calls begins with."""
    for call in found.calls:
        first, *rest = dotted_name(call.function).split(".")
        if first in context.conventions.receivers and rest:
            first, *rest = rest
        if rest and first.isidentifier() and not any(not one.entry.is_method for one in context.may_be(call)):
            return first
    return NO_ROWS


def _is_display_only(found: Found, context: Context) -> bool:
    """Return whether the text is only printed, compared or taken apart."""
    shows = any(
        _callee_name(call).lower() in words()["shown"] or "shows" in context.does(call)
        for call in found.calls
    )
    runs = (call for call in found.calls if _callee_name(call) != "text")
    return shows and not any(runs_sql(call, context) for call in runs)


def _has_execution(found: Found, context: Context) -> bool:
    return any(runs_sql(call, context) for call in found.calls)


def _callee_name(call: tree.Call) -> str:
    return last_name(call.function)
