"""Drops a protected column before the others are coded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft, without_item, word_of

if TYPE_CHECKING:
    from fairlint.findings import Finding
    from fairlint.fixes.code import Code

_CODES = "get_dummies"
_CHOSEN = "columns"


def draft(code: Code, finding: Finding) -> Draft | None:
    """The change of `get_dummies(table, columns=[…])` after which the column is not in what it gives."""
    literal = code.at(finding.use.span, cst.SimpleString)
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


def _is_named_elsewhere(code: Code, literal: cst.SimpleString, column: str) -> bool:
    """Whether somebody else asks for the column, or for one that its coding has made."""
    words = (word_of(one) or "" for one in code.nodes(cst.SimpleString) if one is not literal)
    if any(word == column or word.startswith(f"{column}_") for word in words):
        return True
    fields = (one.attr.value for one in code.nodes(cst.Attribute))
    return any(field == column or field.startswith(f"{column}_") for field in fields)


def _last_name(node: cst.BaseExpression) -> str:
    last = node.attr if isinstance(node, cst.Attribute) else node
    return last.value if isinstance(last, cst.Name) else ""
