"""Branches of a loop that do what all others get behind them: `if (test) { keep(p); continue; } keep(p);`."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.semantics.interpreter.frame import Frame
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_ALIKE = 8
"""Statements of such a branch: longer ones are executed as they stand."""


def without(loop: tree.Loop, frame: Frame) -> tuple[Node, ...]:
    """Return the body of a loop, in which such a branch asks its question and does no more."""
    body = loop.body
    if not any(isinstance(one, tree.If) and _is_continue_branch(one) for one in body):
        return body
    ends_at = len(body)
    if ends_at and body[-1].span.start < body[0].span.start:  # `for (...; ...; i++)` counts behind the body
        ends_at -= 1
    made: list[Node] = [*reversed(body[ends_at:])]
    behind: list[Node] = []
    """What all others get behind a branch, the last first."""
    for statement in reversed(body[:ends_at]):
        if (
            isinstance(statement, tree.If)
            and _is_continue_branch(statement)
            and _are_alike(statement.then, behind, frame)
        ):
            made.append(tree.Expression(statement.span, statement.test))
        else:
            made.append(statement)
            behind.append(statement)
    if len(behind) == ends_at:
        return body
    found = tuple(reversed(made))
    frame.program.copies.append(found)
    return found


def _is_continue_branch(branch: tree.If) -> bool:
    """Return whether a branch without another side ends by going on with the next round."""
    return not branch.otherwise and bool(branch.then) and isinstance(branch.then[-1], tree.Continue)


def _are_alike(then: Sequence[Node], behind: Sequence[Node], frame: Frame) -> bool:
    """Return whether a branch does, before it ends, what stands behind it, by the words of both."""
    text = frame.program.source.text
    return len(then) - 1 == len(behind) <= MOST_ALIKE and all(
        text(one.span).split() == text(other.span).split()
        for one, other in zip(then[:-1], reversed(behind), strict=True)
    )
