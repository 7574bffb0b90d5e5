"""Keeps people whose group is missing apart from those of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft, quoted_like, stands_for_group

if TYPE_CHECKING:
    from fairlint.findings import Finding
    from fairlint.fixes.code import Code

UNKNOWN = "Unknown"


def draft(code: Code, finding: Finding) -> Draft | None:
    """The change that fills gaps with a word of their own."""
    filled = _filled(code, finding)
    if filled is None or _is_of_any_column(code, filled):
        return None
    own = code.span(filled)
    word = quoted_like(code, filled, UNKNOWN) if isinstance(filled, cst.SimpleString) else f'"{UNKNOWN}"'
    return Draft(f"keep missing ones apart: {word}", (Change(own.start, own.end, word),))


def _filled(code: Code, finding: Finding) -> cst.BaseExpression | None:
    """What gaps are filled with."""
    node = code.at(finding.use.span, cst.Assign, cst.AnnAssign, cst.Call, cst.SimpleString)
    if isinstance(node, cst.SimpleString):
        return node if stands_for_group(node, finding) else None
    if isinstance(node, cst.Assign | cst.AnnAssign):
        value = node.value
        return value if isinstance(value, cst.SimpleString) and finding.use.groups else None
    if not isinstance(node, cst.Call):
        return None
    words = [one.value for one in node.args if isinstance(one.value, cst.SimpleString)]
    if len(words) == 1 and finding.use.groups:
        return words[0]
    if words or finding.use.groups:
        return None
    plain = [one.value for one in node.args if one.keyword is None and not one.star]
    return plain[0] if len(plain) == 1 and _is_computed(plain[0]) else None


def _is_of_any_column(code: Code, filled: cst.BaseExpression) -> bool:
    """Whether what is filled has its name from elsewhere, as in a loop over columns."""
    statement = code.nearest(filled, cst.BaseSmallStatement)
    if statement is None:
        return True
    return any(
        isinstance(part.slice, cst.Index) and isinstance(part.slice.value, cst.Name)
        for one in code.inside(statement, cst.Subscript)
        for part in one.slice
    )


def _is_computed(node: cst.BaseExpression) -> bool:
    """Whether a value is looked up in what is computed: the first of the most frequent ones."""
    return isinstance(node, cst.Subscript) and isinstance(
        node.value, cst.Call | cst.Attribute | cst.Subscript
    )
