"""The patterns of cases: what has to hold of a value so that it matches one."""

from __future__ import annotations

from fairlint.semantics.interpreter import operations, reads, whole_tests
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.values.symbolic import UNKNOWN, Const, Opaque, Sequence, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def matches(subject: Value, case: tree.Case, node: tree.Switch, frame: Frame) -> Value:
    """Return whether `subject` comes to a case; captured names are bound."""
    tests = [_pattern_test(subject, pattern, node, frame) for pattern in case.patterns]
    matched = operations.combine("or", tests, node) if tests else Const(True)
    if case.guard is not None:
        matched = operations.combine("and", (matched, frame.evaluate(case.guard)), node)
    return matched


def _pattern_test(subject: Value, pattern: Node, node: tree.Switch, frame: Frame) -> Value:
    """Return whether `subject` matches `pattern`; captured names are bound."""
    match pattern:
        case tree.Capture(name=name, pattern=inner):
            if name != "_":
                frame.variables[name] = subject
            return Const(True) if inner is None else _pattern_test(subject, inner, node, frame)
        case tree.Collection(kind="dict", items=items):
            tests = []
            for item in items:
                if isinstance(item.key, tree.Literal) and isinstance(item.key.value, str):
                    receiver = frame.text(node.subject)
                    part = reads.read_by_identifier(item.key.value, item.key, frame, receiver)
                    tests.append(
                        _pattern_test(
                            part or Opaque(f"{receiver}[{item.key.value!r}]"), item.value, node, frame
                        )
                    )
            return operations.combine("and", tests, node)
        case tree.Collection(items=items):
            parts = (
                subject.items if isinstance(subject, Sequence) and len(subject.items) == len(items) else None
            )
            tests = [
                _pattern_test(parts[place] if parts else UNKNOWN, item.value, node, frame)
                for place, item in enumerate(items)
            ]
            return operations.combine("and", tests, node)
        case tree.Call(keywords=keywords):
            receiver = frame.text(node.subject)
            tests = [
                _pattern_test(
                    reads.read_by_identifier(name, value, frame, receiver, frame.text(pattern.function))
                    or Opaque(f"{receiver}.{name}"),
                    value,
                    node,
                    frame,
                )
                for name, value in keywords
                if name is not None
            ]
            return operations.combine("and", tests, node) if tests else Opaque(frame.text(pattern))
        case tree.Slice(lower=lower, upper=upper) if lower is not None and upper is not None:
            low = whole_tests.compare_whole(">=", subject, frame.evaluate(lower), pattern, frame)
            high = whole_tests.compare_whole("<=", subject, frame.evaluate(upper), pattern, frame)
            return operations.combine("and", (low, high), pattern)
        case _:
            return whole_tests.compare_whole("==", subject, frame.evaluate(pattern), pattern, frame)
