"""Where a column is read that goes out of a selection: it is read from the whole table then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, word_of

if TYPE_CHECKING:
    from fairlint.fixes.code import Code

AUDITED = "sensitive_features"
"""The argument by which an audit is given the groups, in every library that has one."""


class NotMovableError(Exception):
    """The column is read from something that would lack it."""


class Moved:
    """The reads of a column of what a list of names chooses from tables."""

    def __init__(self, code: Code, listed: cst.BaseExpression, column: str) -> None:
        self._code = code
        self._column = column
        self.changes: list[Change] = []
        self.audited = ""
        """The selection from which an audit was given the column."""
        for name, table in dict(self._list_selections(listed)).items():
            self._move_column(name, table)

    def _list_selections(self, listed: cst.BaseExpression) -> Iterator[tuple[str, str]]:
        """Yield each name of a selection by the list, with the name of its table."""
        code, holder = self._code, self._code.parent(listed)
        named = _bound_names(holder)
        for subscript in code.nodes(cst.Subscript):
            chosen = _subscript_key(subscript)
            by_name = isinstance(chosen, cst.Name) and chosen.value in named
            if (chosen is listed or by_name) and isinstance(subscript.value, cst.Name):
                statement = code.nearest(subscript, cst.BaseSmallStatement)
                for name in _bound_names(statement):
                    yield name, subscript.value.value

    def _move_column(self, name: str, table: str) -> None:
        code = self._code
        if name == table:
            raise NotMovableError
        given = [one for one in code.nodes(cst.Assign, cst.AnnAssign) if name in _bound_names(one)]
        derived = {
            other
            for one in code.nodes(cst.Assign, cst.AnnAssign)
            if one.value is not None and any(part.value == name for part in code.inside(one.value, cst.Name))
            for other in _bound_names(one)
        }
        for read, owner in self._column_reads():
            if owner.value in derived - {name, table}:
                raise NotMovableError
            if owner.value != name:
                continue
            if len(given) != 1:
                raise NotMovableError
            own = code.span(owner)
            self.changes.append(Change(own.start, own.end, table))
            argument = code.parent(read)
            if isinstance(argument, cst.Arg) and argument.keyword is not None:
                self.audited = name if argument.keyword.value == AUDITED else self.audited

    def _column_reads(self) -> Iterator[tuple[cst.BaseExpression, cst.Name]]:
        """Yield each read of the column of something that has a name."""
        for one in self._code.nodes(cst.Subscript, cst.Attribute):
            if not isinstance(one.value, cst.Name):
                continue
            column = one.attr.value if isinstance(one, cst.Attribute) else word_of(_subscript_key(one))
            if column == self._column:
                yield one, one.value


def _subscript_key(subscript: cst.Subscript) -> cst.BaseExpression | None:
    if len(subscript.slice) != 1 or not isinstance(subscript.slice[0].slice, cst.Index):
        return None
    return subscript.slice[0].slice.value


def _bound_names(statement: cst.CSTNode | None) -> set[str]:
    """Return the names that a statement binds."""
    if isinstance(statement, cst.AnnAssign):
        targets = [statement.target]
    elif isinstance(statement, cst.Assign):
        targets = [one.target for one in statement.targets]
    else:
        return set()
    inner: list[cst.BaseExpression] = []
    for to in targets:
        inner += [one.value for one in to.elements] if isinstance(to, cst.Tuple | cst.List) else [to]
    return {one.value for one in inner if isinstance(one, cst.Name)}
