"""What Python's own parser and its tree say: every way to bind a name, and no warning of the text's."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import pytest

from fairlint.counterfactual.chance import may_differ
from fairlint.counterfactual.executors.executor import Call, Program
from fairlint.counterfactual.own_code.functions import head_of
from fairlint.syntax.python.own_parser import NotParsedError, outer_names, parse_text
from fairlint.syntax.python.own_tree import names_bound_by, nodes_in


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("a = (b, *c) = d", "a b c"),
        ("for a, b in c: pass", "a b"),
        ("[a for a in b]", "a"),
        ("(a := b)", "a"),
        ("del a", "a"),
        ("a.b = c[d] = e", ""),
        ("import a.b, c.d as e", "a e"),
        ("from a.b import c, d as e", "c e"),
        ("from a import *", "*"),
        ("try: pass\nexcept a as b: pass", "b"),
        ("with a as b: pass", "b"),
        ("match a:\n case {'b': c, **d}: pass\n case [e, *f]: pass\n case g() as h: pass", "c d e f h"),
        ("def a(b, /, c, *d, e=f, **g): pass", "a b c d e g"),
        ("lambda a: b", "a"),
        ("class a(b): pass", "a"),
    ],
)  # fmt: skip
def test_each_way_to_bind_a_name(code: str, names: str) -> None:
    found = [name for node in ast.walk(parse_text(code)) for name in names_bound_by(node)]
    assert sorted(found) == names.split()


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("x = a", "a"),
        ("def f(a, b=c, *, d: e) -> g: return a + h", "c e g h"),
        ("@a(b)\nclass C(d): e = f; g = e", "a b d e f"),
        ("def f():\n x = a\n def g():\n  nonlocal x\n  x = b\n  return x", "a b"),
        ("def f():\n global a\n a = 1", "a"),
        ("def f(xs): return [x for x in xs if x > a]", "a"),
        ("def f(): return (a := b) + a", "b"),
        ("a.b = c[d]", "a c d"),
    ],
)  # fmt: skip
def test_names_that_code_means_from_outside_itself(code: str, names: str) -> None:
    assert sorted(outer_names(code)) == names.split()


def test_code_that_parses_and_has_no_scopes() -> None:
    with pytest.raises(NotParsedError):
        outer_names("def f(a):\n    global a\n")


@pytest.mark.parametrize(("code", "line"), [("x = 1\ny = (", 2), ("x = '\0'", None)])
def test_what_is_no_python_is_told_with_its_line(code: str, line: int | None) -> None:
    with pytest.raises(NotParsedError) as told:
        parse_text(code)
    assert not told.value.is_too_deep
    assert line is None or told.value.line == line


def test_a_text_that_nests_too_deeply() -> None:
    with pytest.raises(NotParsedError, match="nested too deeply"):
        parse_text("x = " + "-" * 100_000 + "1")


def test_a_program_with_a_doubtful_escape_warns_nobody() -> None:
    code = "def decide(age):\n    return '\\d' is age\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not may_differ(Program(code, "decide", Call("arguments", ("age",))))
        assert head_of(code, "decide", "rate.py").line == 1


def test_nodes_come_in_the_order_of_a_walk() -> None:
    """Without the signs, which stand nowhere."""
    for file in sorted(Path(ast.__file__).parent.glob("[a-c]*.py"))[:12]:
        module = ast.parse(file.read_text("utf-8"))
        signs = ast.expr_context | ast.operator | ast.cmpop | ast.boolop | ast.unaryop
        assert nodes_in(module) == [node for node in ast.walk(module) if not isinstance(node, signs)]
