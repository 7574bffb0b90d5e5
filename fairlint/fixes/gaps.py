"""Keeps people whose group is missing apart from those of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft, quoted_like, stands_for_group, word_of

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code

UNKNOWN = "Unknown"
_FILLING = ("fit", "transform", "fit_transform")


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change that fills gaps with a word of their own."""
    if (strategy := _imputer_strategy(code, finding)) is not None:
        own = code.span(strategy)
        words = (
            f"{quoted_like(code, strategy, 'constant')}, fill_value={quoted_like(code, strategy, UNKNOWN)}"
        )
        return Draft(f'keep missing ones apart: "{UNKNOWN}"', (Change(own.start, own.end, words),))
    filled = _fill_value(code, finding)
    if filled is None or _is_of_any_column(code, filled):
        return None
    own = code.span(filled)
    word = quoted_like(code, filled, UNKNOWN) if isinstance(filled, cst.SimpleString) else f'"{UNKNOWN}"'
    return Draft(f"keep missing ones apart: {word}", (Change(own.start, own.end, word),))


def _fill_value(code: Code, finding: Finding) -> cst.BaseExpression | None:
    """Return what gaps are filled with."""
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
    return plain[0] if len(plain) == 1 and _is_lookup_of_statistic(plain[0]) else None


def _imputer_strategy(code: Code, finding: Finding) -> cst.SimpleString | None:
    """Return what says how an imputer fills gaps, if it is given this one column and no other."""
    node = code.at(finding.use.span, cst.Subscript, cst.SimpleString)
    call = None if node is None else code.nearest(node, cst.Call)
    imputer = None if call is None else _find_imputer(code, call)
    if imputer is None:
        return None
    names = {one.keyword.value: one.value for one in imputer.args if one.keyword is not None}
    strategy = names.get("strategy")
    if word_of(strategy) != "most_frequent" or "fill_value" in names or len(names) < len(imputer.args):
        return None
    return strategy if isinstance(strategy, cst.SimpleString) else None


def _find_imputer(code: Code, call: cst.Call) -> cst.Call | None:
    """Return the imputer that is made for a call such as `imputer.fit_transform(table[["column"]])`."""
    column = _only_column(call)
    if column is None or not isinstance(call.func, cst.Attribute):
        return None
    made = call.func.value
    if isinstance(made, cst.Name):
        name = made.value
        given = [
            one
            for one in code.nodes(cst.Assign)
            if any(isinstance(to.target, cst.Name) and to.target.value == name for to in one.targets)
        ]
        if len(given) != 1 or len(given[0].targets) != 1:
            return None
        targets = {given[0].targets[0].target}
        for read in code.nodes(cst.Name):
            if read.value == name and read not in targets and not _is_fill_of_column(code, read, column):
                return None
        made = given[0].value
    if not isinstance(made, cst.Call):
        return None
    kind = made.func.attr if isinstance(made.func, cst.Attribute) else made.func
    return made if isinstance(kind, cst.Name) and kind.value == "SimpleImputer" else None


def _is_fill_of_column(code: Code, read: cst.Name, column: str) -> bool:
    """Return whether a name of an imputer is read to fill one column."""
    field = code.parent(read)
    call = None if field is None else code.parent(field)
    if not isinstance(field, cst.Attribute) or field.value is not read or not isinstance(call, cst.Call):
        return False
    return call.func is field and _only_column(call) == column


def _only_column(call: cst.Call) -> str | None:
    """Return the column in a call on a selection of one: `fit_transform(table[["column"]])`."""
    if (
        not isinstance(call.func, cst.Attribute)
        or call.func.attr.value not in _FILLING
        or len(call.args) != 1
    ):
        return None
    match call.args[0].value:
        case cst.Subscript(
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.List(elements=[cst.Element(value=word)])))]
        ):
            return word_of(word)
    return None


def _is_of_any_column(code: Code, filled: cst.BaseExpression) -> bool:
    """Return whether what is filled has its name from elsewhere, as in a loop over columns."""
    statement = code.nearest(filled, cst.BaseSmallStatement)
    if statement is None:
        return True
    return any(
        isinstance(part.slice, cst.Index) and isinstance(part.slice.value, cst.Name)
        for one in code.inside(statement, cst.Subscript)
        for part in one.slice
    )


def _is_lookup_of_statistic(node: cst.BaseExpression) -> bool:
    """Return whether a value is looked up in what is computed: the first of the most frequent ones."""
    return isinstance(node, cst.Subscript) and isinstance(
        node.value, cst.Call | cst.Attribute | cst.Subscript
    )
