"""What Monty lacks is told as such, never as an error of the program."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from fairlint.counterfactual.executors.executor import Call, Crashed, Failed, Limits, Program, Value
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
        ("def g(x): return (n for n in x)", "generators that are kept"),
        ("def g(x):\n    y = (n for n in x)\n    return list(y), list(y)", "generators that are kept"),
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


@pytest.mark.parametrize(
    "body",
    [
        "sum(n for n in [age])",
        "max(*(n for n in [age]), 0)",
        "[n for n in (m for m in [age])][0]",
        "age in (1, age)",
    ],
)
def test_generators_that_are_gone_through_at_once(monty: MontyExecutor, body: str) -> None:
    found = monty.run(Program(f"def f(age): return {body}", "f", CALL), [[1]], QUICK)
    assert isinstance(found, tuple)
    assert isinstance(found[0], Value)
    assert found[0].text == "1"


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 5, -1])
def test_numbers_are_rounded_as_python_does(monty: MontyExecutor, digits: int) -> None:
    numbers = [
        2.675,
        1.005,
        0.125,
        0.375,
        2.5,
        -0.04,
        123456.785,
        1e22,
        1e-7,
        *(n / 8 + 0.005 for n in range(99)),
    ]
    found = monty.run(
        Program(f"def f(age): return round(age, {digits})", "f", CALL), [[n] for n in numbers], QUICK
    )
    assert isinstance(found, tuple)
    assert [float(each.text) for each in found if isinstance(each, Value)] == [
        round(n, digits) for n in numbers
    ]


def test_rounding_to_whole_numbers(monty: MontyExecutor) -> None:
    source = "def f(age): return [type(round(n)).__name__ + str(round(n)) for n in (0.5, 1.5, 2.5, 7, True)]"
    found = monty.run(Program(source, "f", CALL), [[1]], QUICK)
    assert found == (Value("list", '["int0", "int2", "int2", "int7", "int1"]'),)


def test_an_own_not_implemented_error_is_the_programs(monty: MontyExecutor) -> None:
    found = monty.run(Program("def f(age): raise NotImplementedError('later')", "f", CALL), [[1]], QUICK)
    assert found == (Crashed("NotImplementedError", "later"),)


def children() -> set[int]:
    """The processes that this one has started, by any of its threads."""
    found: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, path.read_text().split()))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
def test_a_worker_that_dies_fails_its_batch_and_is_replaced() -> None:
    before = children()
    fine = Program("def f(age): return age", "f", CALL)
    with MontyExecutor(workers=1) as executor, ThreadPoolExecutor(1) as thread:
        assert executor.run(fine, [[1]], QUICK) == (Value("int", "1"),)
        (worker,) = children() - before
        endless = Program("def f(age):\n    while True: pass", "f", CALL)
        found = thread.submit(executor.run, endless, [[1]], Limits(seconds=60))
        time.sleep(0.5)
        os.kill(worker, signal.SIGKILL)
        failed = found.result(30)
        assert isinstance(failed, Failed)
        assert failed.cause == "died"
        assert executor.run(fine, [[1]], QUICK) == (Value("int", "1"),)
    assert children() <= before
