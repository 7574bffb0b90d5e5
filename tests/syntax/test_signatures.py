"""Which parameter gets which argument, and in which order classes are asked."""

from __future__ import annotations

import ast

import pytest

from fairlint.counterfactual.record_reads import reads_of
from fairlint.counterfactual.signatures import by_place, signature
from fairlint.semantics.names.scopes import definitions
from fairlint.syntax.python.own_parser import parse_text
from fairlint.syntax.python.own_tree import named_functions
from fairlint.syntax.python.parser import parse
from fairlint.syntax.signatures import bind_arguments, lineage


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("f(1, 2)", {"a": [1], "b": [2]}),
        ("f(1, b=2)", {"a": [1], "b": [2]}),
        ("f(1, 2, 3, 4, d=5)", {"a": [1], "b": [2], "c": [3, 4], "d": [5]}),
        ("f(1, a=2, e=3)", {"a": [1], "rest": [2, 3]}),
        ("f()", {}),
    ],
)
def test_what_each_parameter_is_given(call: str, given: dict[str, list[int]]) -> None:
    module = parse_text(f"def f(a, /, b=0, *c, d=0, **rest): ...\n{call}")
    function = named_functions(module.body)["f"]
    written = ast.parse(call, mode="eval").body
    assert isinstance(written, ast.Call)
    places = [ast.literal_eval(one) for one in written.args]
    keywords = {one.arg or "": ast.literal_eval(one.value) for one in written.keywords}
    bound = bind_arguments(signature(function), places, keywords, by_place(function))
    assert {one.name: [value for _, value in held] for one, held in bound if held} == given


CLASSES = {"A": "B C", "B": "D", "C": "E", "D": "", "E": ""}


def test_the_bases_of_the_first_base_come_before_the_second() -> None:
    assert lineage("A", lambda name: CLASSES[name].split()) == ["A", "B", "D", "C", "E"]


def test_a_base_of_two_comes_behind_both() -> None:
    assert lineage("A", lambda name: {**CLASSES, "C": "D"}[name].split()) == ["A", "B", "C", "D"]


def test_bases_that_go_round_and_a_long_row_of_them_end() -> None:
    assert lineage("A", lambda name: {"A": ["B"], "B": ["A"]}[name]) == ["A", "B"]
    assert len(lineage("0", lambda name: [str(int(name) + 1)] if int(name) < 5_000 else [])) == 5_001


def test_a_method_is_that_of_the_class_that_python_asks_first() -> None:
    code = (
        "class D:\n    def points(self): return 1\nclass B(D):\n    x = 1\n"
        "class C:\n    def points(self): return 2\nclass A(B, C):\n    y = 1\n"
    )
    found = definitions(parse(code.encode(), None)).method("A", "points")
    assert found is not None
    assert found.owner == "D"


def test_what_stands_behind_an_unpacked_list_goes_to_nobody_for_certain() -> None:
    code = "def f(p, rest): return g(*rest, p)\ndef g(a, b): return b['age']\n"
    functions = named_functions(parse_text(code).body)
    assert reads_of(functions["f"], "p", functions).keys == ()
