"""Runs the programs of oracle.py outside this process, many at once, each on all of its people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from oracle_grammar import Key, Program

from fairlint.counterfactual.executors.executor import Call, Crashed, Failed, Limits, Value
from fairlint.counterfactual.executors.executor import Program as Called
from fairlint.counterfactual.executors.process import NEEDED, ProcessExecutor, lacking

BATCH = Limits(seconds=30, memory=512 * 1024 * 1024)
ALONE = Limits(seconds=2, memory=256 * 1024 * 1024)
HARNESS = '''\
import builtins, contextlib, io, json, types
PROGRAMS = json.loads({programs!r})
class Log:
    """What stands for a database or a mail server."""
    def __init__(self):
        self.told = []
    def execute(self, *given):
        self.told.append(repr(given))
    def send(self, *given):
        self.told.append(repr(given))
def judge(number):
    text, drive, rows, raises = PROGRAMS[number]
    space = {{"__name__": "decision", "__builtins__": dict(vars(builtins))}}
    exec(compile(text, "<program>", "exec", dont_inherit=True), space)
    calls = {{"json": json, "types": types}}
    exec(compile(drive, "<drive>", "exec", dont_inherit=True), calls)
    kinds, places = [], []
    for row in rows:
        log, printed = Log(), io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                result = calls["drive"](space, dict(row), log)
        except Exception as error:
            if type(error).__name__ not in raises:
                raise
            result = "raises " + type(error).__name__
        is_number = isinstance(result, (int, float)) and not isinstance(result, bool)
        if not is_number and not isinstance(result, (str, bool, type(None))):
            raise TypeError("a result of the type " + type(result).__name__)
        text = json.dumps([result, printed.getvalue(), log.told])
        came = [text, result if is_number else None, repr(result) if isinstance(result, (str, bool)) else None]
        if came not in kinds:
            kinds.append(came)
        places.append(kinds.index(came))
    return [kinds, places]
'''
"""Runs inside the sandbox: it executes a program once and calls it with each of its people."""


@dataclass(frozen=True)
class Came:
    """What came of one person: all that could be seen, and the number or the value that was handed back."""

    text: str
    number: float | None
    value: str | None
    """In Python's words."""


Measured = dict[int, dict[Key, Came]]
"""World → who differs in the attribute alone → what came of them."""


def run_python(programs: Sequence[Program]) -> list[Measured | str]:
    """What came of each program, or why nothing did."""
    with ProcessExecutor(1, unsafe=any(lacking()[one] for one in NEEDED)) as executor:
        found = _batch(executor, programs, BATCH)
        if isinstance(found, list):
            return found
        alone = (_batch(executor, [program], ALONE) for program in programs)
        return [one if isinstance(one, str) else one[0] for one in alone]


def _batch(executor: ProcessExecutor, programs: Sequence[Program], limits: Limits) -> list[Measured | str] | str:
    texts = [
        (one.text, one.drive, [person.row for person in one.people], sorted(one.raises)) for one in programs
    ]
    source = HARNESS.format(programs=json.dumps(texts))
    called = Called(source, "judge", Call("arguments", ("number",)))
    found = executor.run(called, [(number,) for number in range(len(programs))], limits)
    if isinstance(found, Failed):
        return f"{found.cause}: {found.message}"
    return [_measured(program, outcome) for program, outcome in zip(programs, found, strict=True)]


def _measured(program: Program, outcome: object) -> Measured | str:
    if isinstance(outcome, Crashed):
        return f"{outcome.error}: {outcome.message}"
    if not isinstance(outcome, Value) or outcome.kind != "list":
        return "no outcomes"
    told = json.loads(outcome.text)
    if not isinstance(told, list):
        return "too many different outcomes"
    kinds, places = told
    return by_world(program, [kinds[place] for place in places])


def by_world(program: Program, told: Sequence[Sequence[object]]) -> Measured | str:
    """Outcomes in the order of the people, by world and group."""
    if len(told) != len(program.people):
        return "not everybody has an outcome"
    measured: Measured = {}
    for person, (text, number, value) in zip(program.people, told, strict=True):
        measured.setdefault(person.world, {})[person.key] = Came(str(text), number, value)  # type: ignore[arg-type]
    return measured
