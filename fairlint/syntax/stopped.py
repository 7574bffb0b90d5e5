"""Where in a file the analysis was when its time or memory was up."""

from __future__ import annotations

from fairlint.syntax.tree import Node, Span

_HOLDING = frozenset({"node", "statement", "site", "event"})
"""How functions call the place of the code that they are given to look at."""


def span_at(error: BaseException, size: int) -> Span | None:
    """Return the innermost node, within a source of this size, that was looked at when an error was
    raised.
    """
    found: Span | None = None
    step = error.__traceback__
    while step is not None:
        code, held = step.tb_frame.f_code, step.tb_frame.f_locals
        for name in _HOLDING.intersection(code.co_varnames[: code.co_argcount]):
            one = held.get(name)
            node = one if isinstance(one, Node) else getattr(one, "node", None)
            # what is imported stands behind the file's own text
            if isinstance(node, Node) and 0 < node.span.end <= size:
                found = node.span
                break
        step = step.tb_next
    return found
