"""Runs the programs of oracle.py outside this process, many at once, each on all of its people."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from oracle_grammar import Key, Program

from fairlint.counterfactual.executors import confinement
from fairlint.counterfactual.executors.executor import Call, Crashed, Failed, Limits, Value
from fairlint.counterfactual.executors.executor import Program as Called
from fairlint.counterfactual.executors.process import NEEDED, ProcessExecutor, lacking

BATCH = Limits(seconds=4, memory=512 * 1024 * 1024)
ALONE = Limits(seconds=1, memory=256 * 1024 * 1024)
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
                if not isinstance(error, (KeyError, ValueError)):
                    raise
                result = None
                printed = io.StringIO("crash")
            else:
                result = "raises " + type(error).__name__
        is_number = isinstance(result, (int, float)) and not isinstance(result, bool)
        if not is_number and not isinstance(result, (str, bool, type(None))):
            raise TypeError("a result of the type " + type(result).__name__)
        text = json.dumps([result, printed.getvalue(), log.told])
        text = "crash" if printed.getvalue() == "crash" else text
        value = repr(result) if isinstance(result, (str, bool)) else None
        came = [text, result if is_number else None, value]
        if came not in kinds:
            kinds.append(came)
        places.append(kinds.index(came))
    return [kinds, places]
'''
"""Runs inside the sandbox: it executes a program once and calls it with each of its people."""


CRASH = "crash"
"""What is seen of a person for whom a table has no entry: no outcome that could be compared."""


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


def _batch(
    executor: ProcessExecutor, programs: Sequence[Program], limits: Limits
) -> list[Measured | str] | str:
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


# --------------------------------------------------------------------------------------------------- C

CHILD = Path(__file__).with_name("oracle_child.py")
COMPILING = 120
"""Seconds that a compiler may take for a batch."""
FLAGS = ("-std=gnu17", "-O0", "-w", "-shared", "-fPIC")
WAITING = 60
"""Seconds after which a process is ended that neither computes nor ends; CPU time has limits of its own."""
NEXT, RESULT, PROGRAM = "\x1e", "\x1f", "\x1d"


def compiler() -> str | None:
    """The C compiler that is at hand."""
    return shutil.which("gcc")


def run_c(programs: Sequence[Program]) -> list[Measured | str]:
    """What came of each program, or why nothing did."""
    with tempfile.TemporaryDirectory(prefix="fairlint-oracle-") as name:
        folder = Path(name)
        found = _compiled(folder, programs, BATCH)
        if isinstance(found, list):
            return found
        alone = (_compiled(folder, [program], ALONE) for program in programs)
        return [one if isinstance(one, str) else one[0] for one in alone]


def _compiled(folder: Path, programs: Sequence[Program], limits: Limits) -> list[Measured | str] | str:
    gcc = compiler()
    if gcc is None:
        return "there is no gcc"
    (folder / "programs.c").write_text(_together(programs), "utf-8")
    command = [gcc, *FLAGS, "-o", "programs.so", "programs.c"]
    made = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=COMPILING,
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
    )  # fmt: skip
    if made.returncode:
        return "does not compile: " + next(
            (one for one in made.stderr.splitlines() if "error" in one), "no error"
        )
    return _called(folder / "programs.so", programs, limits)


def _together(programs: Sequence[Program]) -> str:
    """All programs in one text: what each declares has its number behind its name."""
    parts = []
    for number, program in enumerate(programs):
        text = "\n".join(line for line in program.text.splitlines() if not line.startswith("#include"))
        macros = [line.split()[1].split("(")[0] for line in text.splitlines() if line.startswith("#define ")]
        renamed = [name for name in program.names if name not in macros]
        parts += [f"#define {name} {name}_{number}" for name in renamed]
        parts += [text, program.drive, *(f"#undef {name}" for name in (*renamed, *macros))]
    headers = [f"#include <{name}.h>" for name in ("ctype", "math", "stdio", "stdlib", "string", "strings")]
    cases = [f"case {number}: drive_{number}(); break;" for number in range(len(programs))]
    judge = ["void judge(int number)", "{", "switch (number) {", *cases, "}", f'printf("{PROGRAM}");', "}"]
    return "\n".join([*headers, *parts, *judge]) + "\n"


def _called(library: Path, programs: Sequence[Program], limits: Limits) -> list[Measured | str] | str:
    """What the compiled programs print, in a process that is confined as Python's are."""
    given = (str(limits.seconds), str(limits.memory), *map(str, range(len(programs))))
    command = [sys.executable, "-I", "-S", str(CHILD), confinement.__file__, str(library), *given]
    with tempfile.TemporaryDirectory(prefix="fairlint-oracle-") as empty:
        try:
            done = subprocess.run(
                command,
                cwd=empty,
                env={},
                capture_output=True,
                stdin=subprocess.DEVNULL,
                check=False,
                timeout=WAITING,
            )
        except subprocess.TimeoutExpired:
            return "time: does not end"
    if done.returncode:
        return f"died: it ended with status {done.returncode}"
    parts = done.stdout.decode("utf-8", "replace").split(PROGRAM)[:-1]
    if len(parts) != len(programs):
        return "died: not every program has answered"
    return [
        by_world(program, _answered(program, part)) for program, part in zip(programs, parts, strict=True)
    ]


def _answered(program: Program, text: str) -> list[tuple[str, float | None, str | None]]:
    found: list[tuple[str, float | None, str | None]] = []
    for one in text.split(NEXT)[:-1]:
        printed, _, result = one.rpartition(RESULT)
        number = float(result) if program.numeric else None
        found.append((json.dumps([result, printed]), number, None if number is not None else repr(result)))
    return found
