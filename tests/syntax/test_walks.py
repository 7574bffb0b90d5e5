"""The nodes that a walk over a whole source meets, and those that are kept of it."""

from __future__ import annotations

from itertools import chain

import pytest

from fairlint.syntax.c.parser import parse as parse_c
from fairlint.syntax.python.parser import parse as parse_python
from fairlint.syntax.tree import LANDMARKS, Tree, children, walk

PYTHON = b"""
import tables as t
from rules import limit

class Grant(t.Row):
    kinds = {"a": 1, **limit}

    def amount(self, person, *rest, bonus=3):
        total = [one.value for one in rest if one]
        while total and person.age > 30:
            total.pop()[0] += bonus
        return f"{total[-1]:>3}" if not person else (yield lambda x: x)
"""
C = b"""
enum kind { OLD, YOUNG };
int fee(struct person *p) {
    int table[2] = { [OLD] = 3, 4 };
    switch (p->kind) { case OLD: return table[0]; default: break; }
    return p->age > 30 ? 1 : -table[1];
}
"""
TREES = [parse_python(PYTHON), parse_c(C)]


@pytest.mark.parametrize("tree", TREES)
def test_landmarks_are_those_of_a_walk_in_its_order(tree: Tree) -> None:
    met = [node for statement in tree.body for node in walk(statement)]
    assert tree.landmarks == [node for node in met if node.__class__ in LANDMARKS]
    assert len(tree.landmarks) > 5


@pytest.mark.parametrize("tree", TREES)
def test_children_are_new_lists_and_come_before_theirs(tree: Tree) -> None:
    for node in chain.from_iterable(map(walk, tree.body)):
        below = children(node)
        below.append(node)
        assert children(node) == below[:-1]
