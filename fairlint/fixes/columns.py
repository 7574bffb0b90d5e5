"""Takes a protected column out of the list that chooses what a model learns from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Draft, without_item, word_of
from fairlint.fixes.moving import AUDITED, Moved, NotMovableError

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code

_NAMING = frozenset({"names", "columns", "header", "index"})
"""Arguments that name the columns of what is read or made: one less would move all others."""

_ASKED = "predict"
"""What a model is called on that has learnt already: with one column less it would not answer."""


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change that takes the column out of its list."""
    literal = code.at(finding.use.span, cst.SimpleString)
    if literal is None or (finding.use.target or "").rpartition(".")[2].startswith(_ASKED):
        return None
    element = code.parent(literal)
    listed = None if element is None else code.parent(element)
    if not isinstance(element, cst.Element) or not isinstance(listed, cst.List | cst.Tuple | cst.Set):
        return None
    if len(listed.elements) == 1 or _names_columns(code, listed):
        return None
    if isinstance(listed, cst.Tuple) and (len(listed.elements) == 2 or _is_record(listed)):
        return None
    column = word_of(literal)
    if column is None:
        return None
    try:
        moved = Moved(code, listed, column)
    except NotMovableError:
        return None
    change = without_item(code, listed.elements, listed.elements.index(element))
    title = f"drop the column `{column}` from the list"
    if moved.audited:
        title = f"move the column `{column}` out of `{moved.audited}` into `{AUDITED}=`"
    return Draft(title, (change, *moved.changes))


def _is_record(listed: cst.Tuple) -> bool:
    """Return whether the parts of a tuple are not all texts: they mean something by their place."""
    return any(not isinstance(one.value, cst.SimpleString) for one in listed.elements)


def _names_columns(code: Code, listed: cst.BaseExpression) -> bool:
    """Return whether a list says what the columns of a table are called, not which are chosen."""
    if _is_naming(code.parent(listed)):
        return True
    holder = code.parent(listed)
    if not isinstance(holder, cst.Assign | cst.AnnAssign):
        return False
    targets = [one.target for one in holder.targets] if isinstance(holder, cst.Assign) else [holder.target]
    if any(isinstance(one, cst.Attribute) and one.attr.value in _NAMING for one in targets):
        return True
    names = {one.value for one in targets if isinstance(one, cst.Name)}
    return any(
        isinstance(argument.value, cst.Name) and argument.value.value in names and _is_naming(argument)
        for argument in code.nodes(cst.Arg)
    )


def _is_naming(node: cst.CSTNode | None) -> bool:
    return isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value in _NAMING
