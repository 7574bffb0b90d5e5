"""Takes the points of a group out of a score: a branch, a statement, a term or a factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft, without_statement
from fairlint.fixes.reads import Reads

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code

_EFFECTS = (cst.NamedExpr, cst.Await, cst.Yield, cst.Call)


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change that leaves the score as it is for all groups."""
    node = code.at(finding.use.span, cst.BaseExpression, cst.AugAssign)
    node = node or code.over(finding.use.span, cst.BaseExpression, cst.AugAssign)
    if node is None:
        return None
    reads = Reads(code, finding)
    for above in (node, *code.around(node)):
        if isinstance(above, cst.If | cst.Match):
            return _draft_for_branch(code, above, finding.use.target or "", reads)
        if isinstance(above, cst.BaseSmallStatement):
            is_factor = finding.use.points is not None and finding.use.points.op == "multiply"
            return _draft_for_part(code, above, node, reads, is_factor=is_factor)
        if isinstance(above, cst.BaseCompoundStatement | cst.Lambda | cst.BaseComp):
            return None
    return None


# ------------------------------------------------------------------------------------------------ branches


def _draft_for_branch(code: Code, chain: cst.If | cst.Match, target: str, reads: Reads) -> Draft | None:
    above = code.parent(chain)
    if isinstance(chain, cst.If) and isinstance(above, cst.If) and above.orelse is chain:
        return None
    tests, bodies = _tests_and_bodies(chain)
    if not target or not all(reads.decide(test) for test in tests):
        return None
    wanted = _normalize_text(target)
    if not all(_only_updates(code, body, wanted) for body in bodies):
        return None
    change = without_statement(code, chain)
    return None if change is None else Draft(f"delete what changes `{target}` by group", (change,))


def _tests_and_bodies(chain: cst.If | cst.Match) -> tuple[list[cst.BaseExpression], list[cst.BaseSuite]]:
    """Return what a chain asks, and what it does."""
    if isinstance(chain, cst.Match):
        return [chain.subject], [case.body for case in chain.cases]
    tests: list[cst.BaseExpression] = []
    bodies: list[cst.BaseSuite] = []
    link: cst.If | cst.Else | None = chain
    while link is not None:
        bodies.append(link.body)
        if isinstance(link, cst.Else):
            break
        tests.append(link.test)
        link = link.orelse
    return tests, bodies


def _only_updates(code: Code, body: cst.CSTNode, target: str) -> bool:
    """Return whether statements do nothing but change a score that was there before."""
    for statement in _statements_of_block(body):
        if isinstance(statement, cst.If):
            tests, bodies = _tests_and_bodies(statement)
            if any(True for test in tests for _ in code.inside(test, cst.NamedExpr)):
                return False
            if not all(_only_updates(code, one, target) for one in bodies):
                return False
        elif not _is_update(code, statement, target):
            return False
    return True


def _statements_of_block(body: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for one in getattr(body, "body", ()):
        yield from one.body if isinstance(one, cst.SimpleStatementLine) else (one,)


def _is_update(code: Code, statement: cst.CSTNode, target: str) -> bool:
    if isinstance(statement, cst.Pass):
        return True
    if isinstance(statement, cst.AugAssign):
        changed: cst.CSTNode = statement.target
    elif isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        changed = statement.targets[0].target
        before = _normalize_text(code.text(changed))
        if all(
            _normalize_text(code.text(one)) != before
            for one in code.inside(statement.value, cst.BaseExpression)
        ):
            return False
    else:
        return False
    if any(True for _ in code.inside(statement.value, *_EFFECTS)):
        return False
    return _normalize_text(code.text(changed)) == target


def _normalize_text(text: str) -> str:
    return "".join(text.split()).replace('"', "'")


# --------------------------------------------------------------------------------------------------- parts


def _draft_for_part(
    code: Code, statement: cst.CSTNode, node: cst.CSTNode, reads: Reads, *, is_factor: bool
) -> Draft | None:
    """Of one statement: all of it, a term or a factor."""
    if isinstance(statement, cst.AugAssign):
        in_target = code.span(node).start < code.span(statement.operator).start and node is not statement
        is_whole = not any(True for _ in code.inside(statement.value, cst.Name)) if in_target else False
        if is_whole or reads.alone_in(statement.value):
            return _draft_of_deletion(code, statement)
    if isinstance(node, cst.AugAssign) or not isinstance(node, cst.BaseExpression):
        return None
    term = _largest_group_term(code, node, reads)
    if term is None:
        return None
    above = code.parent(term)
    if not isinstance(above, cst.BinaryOperation):
        return None
    kinds = (cst.Multiply, cst.Divide) if is_factor else (cst.Add, cst.Subtract)
    change = _without_operand(code, above, term) if isinstance(above.operator, kinds) else None
    if change is None:
        return None
    kept = above.left if term is above.right else above.right
    if isinstance(statement, cst.Assign) and statement.value is above and _is_same(code, statement, kept):
        return _draft_of_deletion(code, statement)
    return Draft("leave out what depends on the group alone", (change,))


def _is_same(code: Code, statement: cst.Assign, value: cst.BaseExpression) -> bool:
    return len(statement.targets) == 1 and code.text(statement.targets[0].target) == code.text(value)


def _draft_of_deletion(code: Code, statement: cst.CSTNode) -> Draft | None:
    line = code.parent(statement)
    change = None if line is None else without_statement(code, line)
    return None if change is None else Draft("delete what changes the score by group", (change,))


def _largest_group_term(code: Code, node: cst.BaseExpression, reads: Reads) -> cst.BaseExpression | None:
    """Return the largest expression around a node that hangs on the attribute alone."""
    found: cst.BaseExpression | None = None
    chain: Sequence[cst.CSTNode] = (node, *code.around(node))
    for one in chain:
        if isinstance(one, cst.Arg | cst.SubscriptElement | cst.Index):
            continue
        if not isinstance(one, cst.BaseExpression):
            break
        if reads.alone_in(one):
            found = one
        elif found is not None:
            break
    return found


def _without_operand(code: Code, both: cst.BinaryOperation, term: cst.BaseExpression) -> Change | None:
    left, right = code.whole(both.left), code.whole(both.right)
    if term is both.right:
        return Change(left.end, right.end)
    if isinstance(both.operator, cst.Add | cst.Multiply):
        return Change(left.start, right.start)
    return None
