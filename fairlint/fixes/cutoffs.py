"""Puts one cut-off in the place of those by group: the lowest of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft
from fairlint.fixes.reads import Reads

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change that leaves one cut-off."""
    span = finding.use.span
    choice = code.over(span, cst.IfExp)
    if choice is not None and Reads(code, finding).decide(choice.test):
        return _draft_for_choice(code, choice)
    table = code.at(span, cst.Subscript)
    if table is not None:
        return _draft_for_table(code, table)
    test = code.at(span, cst.BaseExpression)
    above = None if test is None else code.parent(test)
    if isinstance(above, cst.If) and above.test is test:
        return _draft_for_chain(code, above)
    return None


def _title_of_fix(number: str) -> str:
    return f"use one cut-off for all: {number}, the lowest"


def _number_of_literal(node: cst.BaseExpression) -> float | None:
    """Return the number that is written; None where it is none."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = _number_of_literal(node.expression)
        return None if inner is None else -inner
    if isinstance(node, cst.Integer | cst.Float):
        return float(node.evaluated_value)
    return None


def _lowest_number(code: Code, nodes: list[cst.BaseExpression]) -> str | None:
    """Return the lowest of some numbers, as written."""
    known = [(number, code.text(node)) for node in nodes if (number := _number_of_literal(node)) is not None]
    return min(known)[1] if known and len(known) == len(nodes) else None


def _draft_for_choice(code: Code, choice: cst.IfExp) -> Draft | None:
    """For `60 if ... else 70`."""
    values: list[cst.BaseExpression] = [choice.body]
    rest = choice.orelse
    while isinstance(rest, cst.IfExp):
        values.append(rest.body)
        rest = rest.orelse
    number = _lowest_number(code, [*values, rest])
    if number is None:
        return None
    own = code.span(choice)
    return Draft(_title_of_fix(number), (Change(own.start, own.end, number),))


def _draft_for_table(code: Code, read: cst.Subscript) -> Draft | None:
    """For `CUTOFF[applicant.race]`."""
    own, table = code.span(read), read.value
    if isinstance(table, cst.Dict):
        number = _lowest_number(code, _table_values(table))
        return None if number is None else Draft(_title_of_fix(number), (Change(own.start, own.end, number),))
    if not isinstance(table, cst.Name):
        return None
    written = [
        one.value
        for one in code.nodes(cst.Assign)
        if any(isinstance(to.target, cst.Name) and to.target.value == table.value for to in one.targets)
    ]
    if len(written) != 1 or not isinstance(written[0], cst.Dict):
        return None
    number = _lowest_number(code, _table_values(written[0]))
    if number is None:
        return None
    return Draft(_title_of_fix(number), (Change(own.start, own.end, f"min({table.value}.values())"),))


def _table_values(table: cst.Dict) -> list[cst.BaseExpression]:
    return [one.value for one in table.elements]


def _draft_for_chain(code: Code, chain: cst.If) -> Draft | None:
    """For a chain each branch of which sets the same name to a number, and which leaves nobody out."""
    if isinstance(code.parent(chain), cst.If):
        return None
    values: list[cst.BaseExpression] = []
    names: set[str] = set()
    link: cst.If | cst.Else | None = chain
    while link is not None:
        match link.body:
            case cst.IndentedBlock(
                body=[cst.SimpleStatementLine(body=[cst.Assign(targets=[target], value=value)])]
            ):
                names.add(code.text(target.target))
                values.append(value)
            case _:
                return None
        if isinstance(link, cst.Else):
            break
        link = link.orelse
    number = _lowest_number(code, values)
    if link is None or len(names) != 1 or number is None:
        return None
    own = code.span(chain)
    end = own.start + len(code.data[own.start : own.end].rstrip())
    return Draft(_title_of_fix(number), (Change(own.start, end, f"{names.pop()} = {number}"),))
