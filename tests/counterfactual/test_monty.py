"""What Monty lacks is told as such, never as an error of the program."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairlint.counterfactual.executors.executor import Call, Crashed, Failed, Limits, Program
from fairlint.counterfactual.executors.monty import MontyExecutor


@pytest.fixture(scope="module")
def monty() -> Iterator[MontyExecutor]:
    with MontyExecutor(workers=1) as started:
        yield started


CALL = Call("arguments", ("age",))
QUICK = Limits(seconds=2)


@pytest.mark.parametrize(
    ("source", "needs"),
    [
        ("class A: pass\nclass B(A): pass", "class inheritance and metaclasses"),
        ("import enum", "the module enum"),
        ("from collections import OrderedDict", "collections.OrderedDict"),
        ("def g():\n    import statistics", "the module statistics"),
        ("import numpy as np", "the package numpy"),
        ("from pandas.api import types", "the package pandas"),
        ("class A:\n    @property\n    def x(self): return 1", "method decorators"),
        ("class A:\n    @staticmethod\n    def x(): return 1", "method decorators"),
        ("def g(): yield 1", "yield expressions"),
        ("def g(x):\n    del x", "'del' statement"),
        ("from math import *", "wildcard imports"),
        ("def g(): return input()", "input"),
        ("def g(x): return callable(x)", "callable"),
        ("class A:\n    def __bool__(self): return False", "the special method __bool__"),
        ("class A:\n    def __getattr__(self, name): return 1", "the special method __getattr__"),
        ("import dataclasses\n@dataclasses.dataclass(order=True)\nclass A:\n    x: int", "the order option"),
        ("import os\ndef g(): os.fork()", "os.fork"),
        ("import sys as s\ndef g(): return s.modules", "sys.modules"),
        ("import math\nmath.pi = 3", "attributes set on what is no object"),
        ("try: pass\nexcept* ValueError: pass", "exception groups"),
    ],
)
def test_what_is_lacking_where_it_is_defined(monty: MontyExecutor, source: str, needs: str) -> None:
    program = Program(source + "\ndef f(age): return 1", "f", CALL)
    found = monty.run(program, [[1]], QUICK)
    assert isinstance(found, Failed)
    assert found.cause == "unsupported"
    assert found.message.startswith("needs ")
    assert needs in found.message
    assert found.message.partition(": ")[2] in (
        "--executor process runs it",
        "--executor process --packages runs it",
    )


@pytest.mark.parametrize(
    ("body", "needs"),
    [
        ("'abc'.translate({97: 98})", "str.translate"),
        ("(2.0).is_integer()", "float.is_integer"),
        ("f.__name__", "function.__name__"),
        ("age.__class__", "int.__class__"),
        ("any(n > 1 for n in [2, None])", "generators that stop early"),
        ("next(n for n in [1])", "generators that stop early"),
        ("eval('input')", "input"),
    ],
)
def test_what_is_lacking_where_it_is_called(monty: MontyExecutor, body: str, needs: str) -> None:
    found = monty.run(Program(f"def f(age): return {body}", "f", CALL), [[1]], QUICK)
    assert found == Failed("unsupported", f"needs {needs}: --executor process runs it")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("'abc'.misspelt()", "AttributeError"),
        ("misspelt", "NameError"),
        ("age.gender", "AttributeError"),
        ("{}['age']", "KeyError"),
        ("1 / 0", "ZeroDivisionError"),
        ("None + 1", "TypeError"),
        ("math.square_root(4)", "AttributeError"),
    ],
)
def test_the_errors_of_a_program_are_its_own(monty: MontyExecutor, body: str, error: str) -> None:
    found = monty.run(Program(f"import math\ndef f(age): return {body}", "f", CALL), [[1]], QUICK)
    assert isinstance(found, tuple)
    assert isinstance(found[0], Crashed)
    assert found[0].error == error


def test_a_class_that_names_object_as_its_base(monty: MontyExecutor) -> None:
    source = "class A(object):\n    é = 1; x = 2\nclass B( object ): y = 3\ndef f(age): return A.x + B.y"
    found = monty.run(Program(source, "f", CALL), [[1]], QUICK)
    assert isinstance(found, tuple)
    assert found[0].text == "5"  # type: ignore[union-attr]


def test_an_own_not_implemented_error_is_the_programs(monty: MontyExecutor) -> None:
    found = monty.run(Program("def f(age): raise NotImplementedError('later')", "f", CALL), [[1]], QUICK)
    assert found == (Crashed("NotImplementedError", "later"),)
