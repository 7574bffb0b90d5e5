"""What comes back from a process is read within bounds, whatever it is."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from typing import Any

import pytest
from hostile_programs import PROGRAMS
from python_executor import needs_process

from fairlint.counterfactual.executors import harness, process
from fairlint.counterfactual.executors.answers import LONGEST_OUTCOME, largest, outcomes
from fairlint.counterfactual.executors.executor import (
    Call,
    Crashed,
    Failed,
    Incomparable,
    Limits,
    Program,
    Value,
)

MANY = 3_000_000
LIMITS = Limits()
FORGED = {
    "lists": b'{"outcomes": [' + b"[]," * MANY + b"[]]}",
    "lists in a list": b"[" + b"[]," * MANY + b"[]]",
    "lists in lines": b"[]\n" * MANY,
    "lists in long lines": (b"[]," * 3000 + b"[]\n") * 1000,
    "brackets": b"[" * MANY,
    "brackets in a line": b"[" * MANY + b"\n",
    "tables in lines": b'{"a":1}\n' * MANY,
    "more outcomes than people": b'["value","int","1"]\n' * MANY,
    "outcomes in one line": b"[" + b'["value","int","1"],' * MANY + b"[]]\n0",
    "empty lines": b"\n" * MANY,
    "commas": b'["value","int","1"]' + b"," * MANY + b"\n0",
    "too many numbers": b'["value","int","1"]\n' + b"0 " * MANY,
    "a long number": b'["value","int","1"]\n' + b"0" * MANY,
    "spaces": b'["value","int","1"]\n' + b" " * MANY,
    "a long failure": b'["failed","died","' + b"x" * MANY + b'"]',
}


@pytest.mark.parametrize("name", list(FORGED))
@pytest.mark.parametrize("people", [1, 20_000])
def test_a_forged_answer_takes_little(name: str, people: int) -> None:
    answer = FORGED[name]
    tracemalloc.start()
    try:
        found = outcomes(answer, people, LIMITS)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(found, Failed)
    assert most < 3 * 2**20 + people * 500


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"0", b"0 0", b"[]", b"{}", b"null", b'["failed"]', b'["failed","odd","x"]',
        b'["failed","died",1]',
        b'["value","int","1"]', b'["value","int","1"]\n', b'["value","int","1"]\n1 0',
        b'["value","int","1"]\n-1 0',
        b'["value","int","1"]\n0.0 0', b'["value","int","1"]\n0', b'["value","int",1]\n0 0',
        b'["value","odd","1"]\n0 0', b'["value",[],"1"]\n0 0', b'["odd","1"]\n0 0', b'[null]\n0 0',
        b'["crashed","E"]\n0 0', b'["value","int","1"]\n[0, 0]', b'\xff\n0 0',
    ],
)  # fmt: skip
def test_what_is_no_answer(answer: bytes) -> None:
    assert outcomes(answer, 2, LIMITS) == Failed("died", "the process gave no answer that can be read")


def test_the_longest_outcomes_are_read() -> None:
    tools: dict[str, Any] = {"quote": json.dumps, "digest": hash, "plain": harness.plain_value}
    tools["name"] = lambda _value: "\U0001f600" * 1000
    kept = [
        harness.outcome("\0" * 4095, tools),
        harness.outcome('"' * (harness.LONGEST // 2 - 1), tools),
        harness.outcome(object(), tools),
        harness.crash(ValueError("\U0001f600" * 1000), tools),
    ]
    lines = [harness.json_array(one, tools["quote"]) for one in kept]
    assert max(map(len, lines)) < LONGEST_OUTCOME
    read = outcomes("\n".join([*lines, "0 1 2 3"]), 4, LIMITS)
    assert not isinstance(read, Failed)
    assert [type(one) for one in read] == [Value, Value, Incomparable, Crashed]
    assert [len(one.text) for one in read if isinstance(one, Value)][1] == harness.LONGEST


def test_an_answer_may_be_as_long_as_its_people_and_its_limits() -> None:
    few, many = largest(2, LIMITS), largest(10**6, LIMITS)
    assert few < 50_000
    assert 2 * LIMITS.output < many < 2 * LIMITS.output + 2 * 10**7
    assert outcomes(b" " * (few + 1), 2, LIMITS) == Failed("output", "returns more than it may")


ASKS = """
import resource, sys
sys.path[:0] = {path!r}
from fairlint.counterfactual.executors.executor import Call, Failed, Limits, Program, Value
from fairlint.counterfactual.executors.process import ProcessExecutor
call, limits = Call("arguments", ("age", "sex")), Limits(seconds=60)
with ProcessExecutor(workers=1) as executor:
    if {most}:
        pages = int(open("/proc/self/statm").read().split()[0])
        most = pages * resource.getpagesize() + {most}
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    found = executor.run(Program({source!r}, "f", call), [(0, "")] * 20_000, limits)
    fine = executor.run(Program("def f(age, sex): return age > 25", "f", call), [(30, "")], limits)
print(isinstance(found, Failed) and found.cause, fine == (Value("bool", "1"),))
status = open("/proc/self/status").read()  # what getrusage says is no less than its parent had taken
print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


@needs_process
@pytest.mark.parametrize(("most", "cause"), [(0, "died"), (50 * 2**20, "memory")])
def test_a_program_that_forges_an_answer_fails_alone(most: int, cause: str) -> None:
    """In a process of its own, which has a limit of memory or is measured: the forged text has 120 MB."""
    text = ASKS.format(path=sys.path, most=most, source=PROGRAMS["a forged answer"])
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told, taken = done.stdout.splitlines()
    assert told == f"{cause} True"
    assert int(taken) < 500


def test_no_memory_for_an_answer_is_one_failed_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_given: object, **_named: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(process, "_answer_of_process", none_left)
    program = Program("def f(age): return 1", "f", Call("arguments", ("age",)))
    found = process.ProcessExecutor().run(program, [[1]], LIMITS)
    assert isinstance(found, Failed)
    assert found.cause == "memory"
