"""From a clause of a query to a Use: what it does to a person, where it stands, and what stands around it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fairlint.analyses.sql.query_strings import Found
from fairlint.analyses.sql.texts import HOLE, Text, place
from fairlint.analyses.sql.words import words
from fairlint.detectors import purpose_context
from fairlint.detectors.context import Context
from fairlint.detectors.query_purpose import ENOUGH, SURE, Purpose, purpose_of
from fairlint.detectors.use_builder import LONGEST_CONDITION, NOBODY, plain_use
from fairlint.findings.uses import Shape, Step, Use
from fairlint.semantics.names.effects import announces_outcome, any_word, classify_target, lexicon
from fairlint.semantics.values.paths import last_name
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Span
from fairlint.vocabulary.model import Evidence, Surroundings
from fairlint.vocabulary.words import split_words

if TYPE_CHECKING:
    from fairlint.analyses.sql.clauses import Clause, Statement


NO_ROWS = "qrowsq"
"""Stands for rows that have no name."""


def use_of(clause: Clause, statement: Statement, found: Found, text: Text, context: Context) -> Use | None:
    """Return the Use that a clause is; None where it does nothing to anybody."""
    mention = clause.subject.mention
    purpose = purpose_of(clause, statement, found, context)
    decided = _effect_of_clause(clause, statement, purpose, context)
    if decided is None:
        return None
    effect, reason = decided.effect, decided.reason
    around = surroundings(found, context, clause, statement)
    attribute = context.attribute(mention.attribute)
    if (
        attribute.kind != "protected"
        and clause.points is None
        and not (purpose.strong and purpose.weight >= SURE)
    ):
        return None
    evidence = [*context.vocabulary.weigh(mention, around), Evidence(2, reason)]
    known = [
        group
        for group in clause.groups
        if group in attribute.groups or group.lstrip("-").isdigit() or _is_country(group, attribute.name)
    ]
    if clause.written and attribute.core_groups and not known:
        shown = ", ".join(f"'{word}'" for word in clause.written[:3])
        evidence.append(Evidence(NOBODY, f"{shown} names no known group"))
    if clause.name.startswith("JOIN"):
        evidence.append(Evidence(-1, "the query names no group"))
    span = _span_of_column(clause, text, found, context)
    use = plain_use(
        context,
        mention,
        tree.Name(span, mention.identifier),
        kind="query",
        effect="score" if effect == "score" else "decide",
        shape=_shape_of_clause(clause),
        groups=clause.groups,
        flow=_steps_of_query(span, mention.attribute, found, context),
        target=clause.target or statement.target or None,
        detail=clause.name,
        receiver=clause.subject.receiver,
        outcomes=clause.outcomes,
    )
    return replace(
        use,
        points=clause.points,
        evidence=tuple(evidence),
        domain=context.vocabulary.domain_of(around),
        condition=_condition_text(clause, text, context),
        context=purpose_context.context_of(
            context,
            use.attribute,
            use.kind,
            use.effect,
            use.span,
            functions=(use.function, *found.functions),
            targets=[clause.target, statement.target],
            beside=around.siblings,
        ),
    )


class _ClauseEffect(Record):
    """What a clause does to a person, and why one may think so."""

    effect: str
    reason: str


def _effect_of_clause(
    clause: Clause, statement: Statement, purpose: Purpose, context: Context
) -> _ClauseEffect | None:
    """Return what the clause does to a person, and why one may think so."""
    match clause.deed:
        case "points":
            return _points_effect(clause, statement, purpose, context)
        case "outcome" if clause.name == "CASE":
            return _named_outcome(clause, purpose, context)
        case "outcome":
            return _effect_of_change(clause, statement, purpose, context)
        case "share" if not (purpose.strong and purpose.weight >= SURE):
            return None
        case _:
            if statement.report or purpose.weight < ENOUGH:
                return None
            return _ClauseEffect("decide", purpose.reason)


def _points_effect(
    clause: Clause, statement: Statement, purpose: Purpose, context: Context
) -> _ClauseEffect | None:
    target = clause.target
    if statement.report or (_has_attribute_name(target, context) and not any_word(target, words()["points"])):
        return None
    kind = classify_target(target) if target else "other"
    if kind in {"measure", "count", "show"} or purpose.weight < 0:
        return None
    if kind in {"score", "outcome"}:
        return _ClauseEffect("score", f"the query gives it to `{target}`")
    if clause.place == "ORDER BY":
        return _ClauseEffect("score", purpose.reason) if purpose.weight >= ENOUGH else None
    if clause.name.startswith("JOIN"):
        return _ClauseEffect("score", f"the query adds `{target}` by group")
    if "WHERE" in {clause.name, clause.place}:
        return _ClauseEffect(
            "score", f"the query changes `{target}`" if target else "the query compares points by group"
        )
    return _ClauseEffect("score", purpose.reason) if purpose.weight >= ENOUGH else None


def _named_outcome(clause: Clause, purpose: Purpose, context: Context) -> _ClauseEffect | None:
    """CASE gives a word: an outcome such as 'reject', not a label such as 'Male'."""
    if _has_attribute_name(clause.target, context) or purpose.weight < 0:
        return None
    telling = [
        text
        for text in clause.texts
        if announces_outcome(text) and any_word(text, lexicon()["outcome_text"] - lexicon()["talk"])
    ]
    kind = classify_target(clause.target)
    vague = any(announces_outcome(text) for text in clause.texts) and kind in {"score", "outcome"}
    state = any_word(clause.target, words()["state"]) or kind == "outcome"
    if telling and (state or purpose.weight >= 1 or kind == "score"):
        return _ClauseEffect("decide", f"the query says '{telling[0]}'")
    if vague and (kind == "outcome" or purpose.weight >= ENOUGH):
        return _ClauseEffect("decide", f"the query sets `{clause.target}`")
    return None


def _effect_of_change(
    clause: Clause, statement: Statement, purpose: Purpose, context: Context
) -> _ClauseEffect | None:
    """Return what UPDATE or DELETE does to those it picks."""
    if statement.kind == "delete":
        return (
            _ClauseEffect("decide", purpose.reason) if purpose.weight >= ENOUGH and not clause.asked else None
        )
    if clause.asked and purpose.weight < ENOUGH:
        return None
    for column, value in statement.sets:
        if _has_attribute_name(column, context):
            continue
        if any_word(column, words()["purpose"]):
            return _ClauseEffect("decide", f"the query sets `{column}`")
        kind = classify_target(column)
        if kind in {"outcome", "score", "hurdle"}:
            return _ClauseEffect("decide", f"the query sets `{column}`")
        states = any_word(column, words()["state"])
        if (
            value
            and any_word(value, lexicon()["outcome_text"] - lexicon()["talk"])
            and (states or kind == "other")
        ):
            return _ClauseEffect("decide", f"the query sets `{column}` to '{value}'")
        if states and purpose.weight >= ENOUGH:
            return _ClauseEffect("decide", f"the query sets `{column}`")
    return None


def _has_attribute_name(name: str, context: Context) -> bool:
    """Return whether a column's own name says that it holds an attribute or a group."""
    if any(mention.strength != "proxy" for mention in context.vocabulary.mentions(name)):
        return True
    return any(
        context.vocabulary.groups_in(word)
        for part in split_words(name)
        for word in (part, part.removesuffix("s"))
    )


def _shape_of_clause(clause: Clause) -> Shape:
    if clause.deed in {"rank", "share"}:
        return "sort"
    if clause.cut:
        return "cutoff"
    if clause.name.startswith("JOIN"):
        return "table"
    return "branch" if clause.name == "CASE" else "filter"


def surroundings(
    found: Found, context: Context, clause: Clause | None = None, statement: Statement | None = None
) -> Surroundings:
    """Return what stands around the query, its own columns and tables included."""
    home = context.function_at(found.node.span)
    function = home or next((name for name in found.functions if name), "")
    near = context.neighbourhood(function)
    siblings = [*near.siblings]
    prose = near.prose
    receiver, own = "", ""
    fields: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    if statement is not None:
        fields = (*statement.columns, *statement.tables)
        siblings = [*fields, *siblings]
        prose = "\n".join((prose, statement.comments, statement.target))
    if clause is not None:
        receiver, values = clause.subject.receiver, clause.written
        own = clause.subject.mention.identifier
    return Surroundings(
        receiver="" if receiver == NO_ROWS else receiver,
        function=function,
        siblings=tuple(dict.fromkeys(name for name in siblings if name != own)),
        fields=tuple(dict.fromkeys(name for name in fields if name != own)),
        values=tuple(values),
        prose=prose,
        path=context.source.path,
        imports=tuple(context.definitions.imports),
    )


def _is_country(word: str, attribute: str) -> bool:
    """Return whether a word is a country's code, as ISO 3166 writes them, where one asks for
    nationalities.
    """
    return attribute == "national_origin" and len(word) in {2, 3} and word.isalpha() and word.isupper()


def _span_of_column(clause: Clause, text: Text, found: Found, context: Context) -> Span:
    """Return the column as it stands in the source, or the line the text begins on."""
    meta = clause.subject.column.this.meta
    start, end = meta.get("start"), meta.get("end")
    if isinstance(start, int) and isinstance(end, int):
        name = clause.subject.column.name
        at = text.text.find(name, start, end + 1)
        if at >= 0 and (span := place(text, at, at + len(name), context.source)) is not None:
            return span
    return context.source.first_line(found.node.span)


def _condition_text(clause: Clause, whole: Text, context: Context) -> str:
    """Return the test or column as the query says it, with what is put in as the code says it."""

    def filled(match: re.Match[str]) -> str:
        node = whole.hole(match[0])
        if node is None or node.span.end > len(context.source.data):
            return node.id if isinstance(node, tree.Name) and node.id != "_" else "?"
        return f"{{{' '.join(context.source.text(node.span).split())}}}"

    from fairlint.analyses.sql import clause_effects  # noqa: PLC0415 (loads sqlglot, as everything that comes here)

    bare = clause.name == "CASE" or clause.deed in {"rank", "share"}
    text = HOLE.sub(filled, clause_effects.condition(clause.subject.column, bare=bare))
    return text if len(text) <= LONGEST_CONDITION else text[: LONGEST_CONDITION - 1] + "…"


def runs_sql(call: tree.Call, context: Context) -> bool:
    """Return whether a call executes a query: by what is known of its library, or by its name."""
    if context.may(call, "runs sql"):
        return True
    return last_name(call.function).lower() in words()["executes"] and not context.is_of_library(call)


def is_by_name(call: tree.Call, context: Context) -> bool:
    """Return whether nothing but its bare name says what a call does."""
    return all(found.by_name for found in context.may_be(call))


def _steps_of_query(span: Span, attribute: str, found: Found, context: Context) -> list[Step]:
    steps = [Step(span, f"the query asks for {attribute.replace('_', ' ')}")]
    executing = [call for call in found.calls if runs_sql(call, context)]
    if executing or found.calls:
        call = (executing or found.calls)[0]
        head = context.source.first_line(call.span)
        if head != span:
            steps.append(Step(head, "the query is run here"))
    return steps
