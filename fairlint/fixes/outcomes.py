"""Decides without the group: everybody gets what the code gives those whom no branch names."""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft, without_statement
from fairlint.fixes.reads import Reads

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code

_TITLE = "decide as for those whom no branch names"
_FREE = (cst.Name, cst.Call, cst.Attribute, cst.Subscript)


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change after which the outcome hangs on everything else that it hung on, and on
    that alone.
    """
    reads = Reads(code, finding)
    node = code.over(finding.use.span, cst.BaseExpression, cst.BaseCompoundStatement)
    if node is None:
        return None
    for above in (node, *code.around(node)):
        if isinstance(above, cst.IfExp):
            return _draft_for_choice(code, above, reads)
        if isinstance(above, cst.If):
            return _draft_for_chain(code, above, reads)
        if isinstance(above, cst.BaseStatement | cst.Lambda | cst.BaseComp):
            return None
    return None


def _draft_for_choice(code: Code, choice: cst.IfExp, reads: Reads) -> Draft | None:
    """For `a if … else b`, and choices in its else."""
    rest: cst.BaseExpression = choice
    while isinstance(rest, cst.IfExp):
        if not reads.alone_in(rest.test) or _has_side_effects(code, rest.body):
            return None
        rest = rest.orelse
    if not _hangs_on_more(code, rest, reads):
        return None
    own, kept = code.span(choice), code.whole(rest)
    return Draft(_TITLE, (Change(own.start, own.end, code.data[kept.start : kept.end].decode()),))


def _draft_for_chain(code: Code, chain: cst.If, reads: Reads) -> Draft | None:
    """For `if` with branches that do one thing each; only tests of the group govern them."""
    above = code.parent(chain)
    if isinstance(above, cst.If) and above.orelse is chain:
        return None
    done: list[cst.BaseSmallStatement] = []
    link: cst.If | cst.Else | None = chain
    while link is not None:
        only = _sole_outcome_statement(link.body)
        if only is None or (isinstance(link, cst.If) and not reads.alone_in(link.test)):
            return None
        done.append(only)
        link = None if isinstance(link, cst.Else) else link.orelse
    has_rest = isinstance(_last_branch(chain), cst.Else)
    rest = done.pop() if has_rest else None
    if any(_has_side_effects(code, value) for one in done if (value := _outcome_value(one)) is not None):
        return None
    targets = {code.text(to) for one in done if (to := _assignment_target(one)) is not None}
    if targets and (len(targets) > 1 or not all(_assignment_target(one) is not None for one in done)):
        return None
    if rest is not None:
        return _with_rest(code, chain, rest, targets, reads)
    if not (_is_set_before(code, chain, targets, reads) if targets else _goes_on(code, chain, reads)):
        return None
    change = without_statement(code, chain)
    return None if change is None else Draft(_TITLE, (change,))


def _with_rest(
    code: Code, chain: cst.If, rest: cst.BaseSmallStatement, targets: set[str], reads: Reads
) -> Draft | None:
    """Return where an `else` says what the others get."""
    value, target = _outcome_value(rest), _assignment_target(rest)
    same = {code.text(target)} == targets if target is not None else not targets
    if not same or value is None or not _hangs_on_more(code, value, reads):
        return None
    own = code.span(chain)
    text = code.text(rest)
    if "\n" in text or "\r" in text:
        return None
    return Draft(_TITLE, (Change(own.start, code.span(rest).end, text),))


def _last_branch(chain: cst.If) -> cst.If | cst.Else:
    link: cst.If | cst.Else = chain
    while isinstance(link, cst.If) and link.orelse is not None:
        link = link.orelse
    return link


def _sole_outcome_statement(body: cst.BaseSuite) -> cst.BaseSmallStatement | None:
    """Return the one statement of a branch, if it gives an outcome."""
    match body:
        case cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[one])]):
            pass
        case cst.SimpleStatementSuite(body=[one]):
            pass
        case _:
            return None
    if isinstance(one, cst.Return | cst.Raise):
        return one
    return one if _assignment_target(one) is not None else None


def _assignment_target(statement: cst.CSTNode) -> cst.BaseExpression | None:
    """Return what an assignment sets, if that is one plain name or field."""
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0].target
    return target if isinstance(target, cst.Name | cst.Attribute) else None


def _outcome_value(statement: cst.CSTNode) -> cst.BaseExpression | None:
    if isinstance(statement, cst.Raise):
        return None
    return statement.value if isinstance(statement, cst.Return | cst.Assign) else None


def _has_side_effects(code: Code, value: cst.CSTNode) -> bool:
    """Return whether a value that would go may do something besides."""
    return any(True for _ in code.inside(value, cst.Call, cst.NamedExpr, cst.Await, cst.Yield))


def _hangs_on_more(code: Code, value: cst.BaseExpression, reads: Reads) -> bool:
    """Return whether a value may differ from person to person for something else than the group."""
    free = any(not iskeyword(code.text(one)) for one in code.inside(value, *_FREE))  # no `True`
    return free and not reads.alone_in(value)


def _statements_after(code: Code, chain: cst.If) -> Iterator[cst.CSTNode]:
    block = code.parent(chain)
    body = list(getattr(block, "body", ()))
    yield from body[body.index(chain) + 1 :] if chain in body else ()


def _goes_on(code: Code, chain: cst.If, reads: Reads) -> bool:
    """Return whether what follows a branch that ends the function decides by something else."""
    following = list(_statements_after(code, chain))
    if any(
        isinstance(one, cst.If | cst.For | cst.While | cst.Try | cst.With | cst.Match) for one in following
    ):
        return True
    values = (value for one in following for small in code.inside(one, cst.Return) if (value := small.value))
    return any(_hangs_on_more(code, value, reads) for value in values)


def _is_set_before(code: Code, chain: cst.If, targets: set[str], reads: Reads) -> bool:
    """Return whether what a branch sets has a value before it, which hangs on something else."""
    block = code.parent(chain)
    body = list(getattr(block, "body", ()))
    before = body[: body.index(chain)] if chain in body else []
    set_to = [
        one.value
        for line in before
        if isinstance(line, cst.SimpleStatementLine)
        for one in line.body
        if isinstance(one, cst.Assign)
        and (to := _assignment_target(one)) is not None
        and code.text(to) in targets
    ]
    return bool(set_to) and _hangs_on_more(code, set_to[-1], reads)
