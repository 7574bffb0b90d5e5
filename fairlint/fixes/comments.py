"""Takes a comment out that puts nothing aside, or the rule out of its brackets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fairlint.fixes.editing import Change, Draft

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code

_COMMENT = re.compile(rb"#[ \t]*fairlint:\s*ignore[\w-]*\s*(?:\[(?P<rules>[^\]]*)\])?[^#]*")
_RULE = re.compile(rb"[^,\s][^,]*?(?=\s*(?:,|\Z))")


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change that takes the comment out."""
    span = finding.use.span
    found = _COMMENT.search(code.data, span.start, span.end)
    if found is None:
        return None
    rules = [] if found["rules"] is None else [*_RULE.finditer(found["rules"])]
    if len(rules) > 1:
        wanted = finding.use.detail.encode()
        at = next((at for at, one in enumerate(rules) if one[0].upper() == wanted), None)
        if at is None:
            return None
        start = found.start("rules")
        first, last = (
            (rules[at].start(), rules[at + 1].start())
            if at + 1 < len(rules)
            else (rules[at - 1].end(), rules[at].end())
        )
        return Draft(f"take {finding.use.detail} out of the comment", (Change(start + first, start + last),))
    return Draft("delete the comment", (_delete_comment(code, found.start(), found.end(), span.end),))


def _delete_comment(code: Code, start: int, end: int, whole: int) -> Change:
    """Delete a comment, or its part, with the blanks before it; and its line where nothing is left."""
    line = code.line(start)
    before = code.data[line.start : start]
    if end < whole:
        return Change(start, end)
    if before.strip():
        return Change(line.start + len(before.rstrip()), end)
    return Change(line.start, line.end)
