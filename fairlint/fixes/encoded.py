"""Drops a protected column before the others are coded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft, without_item, word_of

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code

_CODES = "get_dummies"
_CHOSEN = "columns"
_BY_PLACE = frozenset({"iloc", "iat"})
_LEARNT = frozenset({"transform", "inverse_transform", "classes_", "mapping_"})


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change after which the coded column is not in the table; none where columns go by place."""
    if any(one.attr.value in _BY_PLACE for one in code.nodes(cst.Attribute)):
        return None
    written = code.at(finding.use.span, cst.Subscript)
    if written is not None:
        return _draft_without_assignment(code, written)
    return _draft_without_choice(code, code.at(finding.use.span, cst.SimpleString))


def _draft_without_assignment(code: Code, written: cst.Subscript) -> Draft | None:
    """`table["column"] = coded` becomes a table without the column."""
    target = code.parent(written)
    statement = None if target is None else code.parent(target)
    index = written.slice[0].slice if len(written.slice) == 1 else None
    literal = index.value if isinstance(index, cst.Index) else None
    column = word_of(literal)
    if (
        not isinstance(target, cst.AssignTarget)
        or not isinstance(statement, cst.Assign)
        or len(statement.targets) != 1
        or not isinstance(written.value, cst.Name)
        or not isinstance(statement.value, cst.Call | cst.Attribute)
        or literal is None
        or not column
    ):
        return None
    coders = {one.value for one in code.inside(statement.value, cst.Name)} - {written.value.value}
    if _is_named_elsewhere(code, statement, column) or any(_asks_later(code, one) for one in coders):
        return None
    own, table = code.span(statement), written.value.value
    text = f"{table}.drop(columns=[{code.text(literal)}], inplace=True)"  # in place, as the writing was
    return Draft(f"drop the column `{column}` and do not code it", (Change(own.start, own.end, text),))


def _asks_later(code: Code, coder: str) -> bool:
    """Return whether what has learnt the codes is asked for them again."""
    return any(
        one.attr.value in _LEARNT and isinstance(one.value, cst.Name) and one.value.value == coder
        for one in code.nodes(cst.Attribute)
    )


def _draft_without_choice(code: Code, literal: cst.SimpleString | None) -> Draft | None:
    """`get_dummies(table, columns=[…])` is given a table without the column."""
    column = word_of(literal)
    element = None if literal is None else code.parent(literal)
    listed = None if element is None else code.parent(element)
    argument = None if listed is None else code.parent(listed)
    call = None if argument is None else code.parent(argument)
    if (
        literal is None
        or not column
        or not isinstance(element, cst.Element)
        or not isinstance(listed, cst.List)
        or not isinstance(argument, cst.Arg)
        or argument.keyword is None
        or argument.keyword.value != _CHOSEN
        or not isinstance(call, cst.Call)
    ):
        return None
    table = call.args[0]
    if _last_name(call.func) != _CODES or table.keyword is not None or not isinstance(table.value, cst.Name):
        return None
    if _is_named_elsewhere(code, literal, column):
        return None
    title = f"drop the column `{column}` before the others are coded"
    dropped = f".drop(columns=[{code.text(literal)}])"
    own = code.span(call)
    if len(listed.elements) == 1:
        return Draft(title, (Change(own.start, own.end, f"{table.value.value}{dropped}"),))
    end = code.span(table.value).end
    change = without_item(code, listed.elements, listed.elements.index(element))
    return Draft(title, (Change(end, end, dropped), change))


def _is_named_elsewhere(code: Code, place: cst.CSTNode, column: str) -> bool:
    """Return whether somebody asks outside of a place for the column, or for one that its coding has made."""
    own = set(code.inside(place, cst.SimpleString))
    words = (word_of(one) or "" for one in code.nodes(cst.SimpleString) if one not in own)
    if any(word == column or word.startswith(f"{column}_") for word in words):
        return True
    fields = (one.attr.value for one in code.nodes(cst.Attribute))
    return any(field == column or field.startswith(f"{column}_") for field in fields)


def _last_name(node: cst.BaseExpression) -> str:
    last = node.attr if isinstance(node, cst.Attribute) else node
    return last.value if isinstance(last, cst.Name) else ""
