"""What an expression of written code hangs on: the attribute alone, or something else, too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from fairlint.syntax.tree import Span

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code


class Reads:
    """How a finding's attribute is read in its file."""

    def __init__(self, code: Code, finding: Finding) -> None:
        self._code = code
        spans = [step.span for step in finding.use.flow[:1]]
        self.texts = {
            code.data[span.start : span.end].decode("utf-8", "replace")
            for span in spans
            if span.end <= len(code.data)
        }
        words = "|".join(re.escape(text) for text in sorted(self.texts, key=len, reverse=True))
        self._word = re.compile(rf"(?<![\w.\"'])(?:{words})(?![\w\"'])") if words else None

    def decide(self, test: cst.BaseExpression) -> bool:
        """Return whether a test is never true for all groups alike for another reason."""
        if isinstance(test, cst.BooleanOperation):
            sides = self.decide(test.left), self.decide(test.right)
            return any(sides) if isinstance(test.operator, cst.And) else all(sides)
        if isinstance(test, cst.UnaryOperation):
            return self.decide(test.expression)
        return self._word is not None and self._word.search(self._code.text(test)) is not None

    def alone_in(self, value: cst.BaseExpression) -> bool:
        """Return whether a value hangs on the attribute and on nothing else that may change."""
        code = self._code
        if self._word is None or self._word.search(code.text(value)) is None:
            return False
        if any(True for _ in code.inside(value, cst.NamedExpr, cst.Await, cst.Yield, cst.Lambda)):
            return False
        read = [
            code.span(node)
            for node in code.inside(value, cst.Name, cst.Attribute, cst.Subscript, cst.Call)
            if code.text(node) in self.texts
        ]
        return all(
            _is_within_any(code.span(name), read) or self._is_constant_name(name)
            for name in code.inside(value, cst.Name)
        )

    def _is_constant_name(self, name: cst.Name) -> bool:
        """Return whether a name is no value that may change: of a function, a table, a field, an argument."""
        code = self._code
        node: cst.CSTNode = name
        above = code.parent(node)
        if isinstance(above, cst.Attribute) and above.attr is name:
            return True
        if isinstance(above, cst.Arg) and above.keyword is name:
            return True
        while isinstance(above, cst.Attribute):
            node, above = above, code.parent(above)
        if isinstance(above, cst.Call) and above.func is node:
            return True
        return isinstance(above, cst.Subscript) and above.value is node and name.value.isupper()


def _is_within_any(span: Span, others: list[Span]) -> bool:
    return any(other.start <= span.start and span.end <= other.end for other in others)
