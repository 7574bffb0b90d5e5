"""What Python itself runs, beyond what both executors promise."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from python_executor import needs_process, python_executor

from fairlint import UsageError
from fairlint.counterfactual.executors import process
from fairlint.counterfactual.executors.choosing import NAMES, choose
from fairlint.counterfactual.executors.executor import (
    Call,
    Crashed,
    Failed,
    Incomparable,
    Limits,
    Outcome,
    Program,
    Value,
)
from fairlint.counterfactual.executors.process import ProcessExecutor, protections


@pytest.fixture(scope="module")
def executor() -> Iterator[ProcessExecutor]:
    with python_executor(workers=1) as started:
        yield started


def run(executor: ProcessExecutor, source: str) -> Outcome | Failed:
    found = executor.run(Program(source, "f", Call("arguments", ("age",))), [[30]], Limits(seconds=20))
    return found if isinstance(found, Failed) else found[0]


ONE_OF_A = Value("dict", '{"dict": [["a", 1]]}')
NAMED = "from typing import NamedTuple\nclass P(NamedTuple):\n    a: int\ndef f(age): return P(1)"
DATACLASS = """from __future__ import annotations
from dataclasses import dataclass, field, KW_ONLY
@dataclass
class A:
    age: int
    _: KW_ONLY
    more: list = field(default_factory=list)
def f(age): return A(age).age
"""
ENUM = "import enum\nclass D({}):\n    YES = {}\ndef f(age): return D.YES"


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        (ENUM.format("enum.Enum", "1"), Value("str", '"D.YES"')),
        (ENUM.format("str, enum.Enum", "'yes'"), Value("str", '"yes"')),
        (ENUM.format("enum.IntEnum", "1"), Value("int", "1")),
        ("from collections import OrderedDict\ndef f(age): return OrderedDict(a=1)", ONE_OF_A),
        ("from collections import Counter\ndef f(age): return Counter('a')", ONE_OF_A),
        (NAMED, Value("tuple", '{"tuple": [1]}')),
        ("class L(list): pass\ndef f(age): return [L([age])]", Value("list", "[[30]]")),
        ("class L(list):\n    def __eq__(self, _): return True\ndef f(age): return L()", Incomparable("L")),
        ("class F(float): pass\ndef f(age): return F('nan')", Value("float", "NaN")),
        ("def f(age):\n    yield age", Incomparable("generator")),
        ("async def f(age): return age", Incomparable("coroutine")),
        ("from decimal import Decimal\ndef f(age): return Decimal(1)", Incomparable("Decimal")),
        ("class E(Exception): pass\ndef f(age): raise E('x', 1)", Crashed("E", "('x', 1)")),
        (DATACLASS, Value("int", "30")),
        ("def f(age): return (__name__, input.__name__)", Value("tuple", '{"tuple": ["decision", "input"]}')),
    ],
)  # fmt: skip
def test_what_python_has_and_monty_lacks(executor: ProcessExecutor, source: str, outcome: Outcome) -> None:
    assert run(executor, source) == outcome


def test_packages_are_there_only_where_asked_for(executor: ProcessExecutor) -> None:
    source = "import numpy as np\ndef f(age): return np.mean([age, age]) > 25"
    assert run(executor, source) == Failed(
        "unsupported", "needs the package numpy: --packages lets it be imported"
    )
    late = "def f(age):\n    import numpy.linalg\n    return 1"
    assert run(executor, late) == Failed(
        "unsupported", "needs the package numpy: --packages lets it be imported"
    )
    pytest.importorskip("numpy")
    with python_executor(packages=True) as more:
        assert run(more, source) == Value("bool", "1")
        assert run(more, "import numpy as np\ndef f(age): return np.array([age, 1.5])") == Value(
            "list", "[30, 1.5]"
        )


def test_a_program_finds_nothing_of_its_surroundings(executor: ProcessExecutor) -> None:
    source = "import os, sys\ndef f(age): return [len(os.environ), sys.argv, sys.path[:1] == ['']]"
    found = run(executor, source)
    assert isinstance(found, Value)
    assert found.text in ('[0, [""], 0]', '[1, [""], 0]')  # LC_CTYPE, which Python itself sets


def test_what_holds_is_told() -> None:
    assert protections()[0] == "resource limits"
    if sys.platform == "linux":
        assert any("seccomp" in each for each in protections())


def test_a_busy_machine_ends_no_program(executor: ProcessExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock leaps at each look by more seconds than the program may take of a processor."""
    clock = itertools.count(0, 0.6)
    monkeypatch.setattr("fairlint.counterfactual.executors.process.time.monotonic", lambda: next(clock))
    source = "def f(age):\n    for _ in range(10**6): pass\n    return age"
    call = Call("arguments", ("age",))
    found = executor.run(Program(source, "f", call), [[30], [31]], Limits(seconds=0.5))
    assert found == (Value("int", "30"), Value("int", "31"))


DRIPS = """
    import os, sys, time
    frame = sys._getframe()
    while 'answer_to' not in frame.f_locals: frame = frame.f_back
    while True:
        os.write(frame.f_locals['answer_to'], b'x')
        time.sleep(0.02)
"""


@pytest.mark.parametrize(
    "body", ["while 1: pass", "import time; time.sleep(1000)", "L.acquire(); L.acquire()", DRIPS]
)
def test_a_program_that_does_not_end_is_asked_once(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    asked = process._answer_of_process

    def counted(*given: Any, **named: Any) -> bytes | Failed:
        started.append(1)
        return asked(*given, **named)

    monkeypatch.setattr(process, "_answer_of_process", counted)
    source = f"import threading\nL = threading.Lock()\ndef f(age):\n    {body}"
    program = Program(source, "f", Call("arguments", ("age",)))
    executor = python_executor(workers=1)
    started.clear()
    found = executor.run(program, [[30]], Limits(seconds=0.3))
    assert found == Failed("time", "takes longer than 0.3 s")
    assert len(started) == 1


@needs_process
def test_executors_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [choose(name).name for name in NAMES] == list(NAMES)
    assert choose().name == "monty"
    with pytest.raises(UsageError, match="no executor 'montey'; did you mean 'monty'"):
        choose("montey")
    with pytest.raises(UsageError, match="no packages"):
        choose("monty", packages=True)
    monkeypatch.setattr("fairlint.counterfactual.executors.choosing.find_spec", lambda _name: None)
    with pytest.raises(UsageError, match=r"pip install .fairlint\[counterfactual\]"):
        choose("monty")
