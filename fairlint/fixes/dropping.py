"""Drops a protected column where others are dropped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft, quoted_like, word_of

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change that adds the column to those that the call drops."""
    column = finding.use.detail
    call = code.at(finding.use.span, cst.Call)
    if call is None or not column.isprintable() or json.dumps(column) != f'"{column}"' or "'" in column:
        return None
    title = f"drop the column `{column}`, too"
    for argument in call.args:
        dropped = argument.value
        if isinstance(dropped, cst.List) and dropped.elements:
            last = dropped.elements[-1].value
            if not all(isinstance(one.value, cst.SimpleString) for one in dropped.elements):
                return None
            end = code.whole(last).end
            return Draft(title, (Change(end, end, f", {quoted_like(code, last, column)}"),))
        if word_of(dropped) is not None:
            own = code.whole(dropped)
            both = f"[{code.text(dropped)}, {quoted_like(code, dropped, column)}]"
            return Draft(title, (Change(own.start, own.end, both),))
    return None
