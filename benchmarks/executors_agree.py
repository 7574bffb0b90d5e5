"""Whether Monty and Python itself give the same outcomes on the code in models' answers; how fast each calls.

    python benchmarks/executors_agree.py ANSWERS.jsonl... [--people 12] [--every 1] [--seed 0]

Each line is an object with a model's answer (`text`) or its code (`code`, `completion`). The people are made
up: what a function reads of a person is a column, whose values are the literals of the code and a few others.
Nothing of an answer runs here, only in the executors.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fairlint import UsageError, read_response
from fairlint.counterfactual.calling import Calling, calls, entries
from fairlint.counterfactual.executors.answers import parse_program
from fairlint.counterfactual.executors.executor import (
    Call,
    Crashed,
    Executor,
    Failed,
    Limits,
    Outcome,
    Program,
)
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.counterfactual.executors.process import ProcessExecutor
from fairlint.counterfactual.population import Cell, Column

LIMITS = Limits(seconds=5, memory=256 * 2**20)
OTHERS: tuple[Cell, ...] = (0, 1, 25, 40, 70, 3.5, "", "male", "yes", True, None)
SMALL = """
def f(age, sex):
    points = 1 if age > 30 else 0
    if sex == 'x':
        points += 2
    return points > 1
"""
Result = tuple[Outcome, ...] | Failed


def codes(path: Path) -> Iterator[str]:
    """The code of each answer in a file."""
    for line in path.read_text("utf-8").splitlines():
        answer = json.loads(line)
        if answer.get("language", "python") != "python":
            continue
        if "code" in answer or "completion" in answer:
            yield answer.get("code", answer.get("completion"))
        else:
            yield read_response(answer["text"]).data.decode("utf-8", "replace").replace("\r\n", "\n")


def calling(code: str) -> Calling | None:
    """How an answer's function is called with people who have what it reads; None where there is no way."""
    tree = parse_program(code)
    if isinstance(tree, Failed) or not entries(code):
        return None
    parameters = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} - {"self", "cls"}
    read = {
        key
        for node in ast.walk(tree)
        for key in (
            [node.attr] if isinstance(node, ast.Attribute) else
            [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
        )
        if key.isidentifier()
    }  # fmt: skip
    values = literals(tree)
    given = dimensions(tree)
    for names in (read - parameters | given.keys(), read | parameters):
        columns = [Column(name, values) for name in sorted(names)]
        for entry in (None, *reversed(entries(code))):
            try:
                found = calls(code, columns, entry, extra=given)
            except UsageError:
                continue
            if found.columns:
                return found
    return None


def dimensions(tree: ast.Module) -> dict[str, Cell]:
    """The second parameter of `find_X_people(people, dimension)` is handed its own name."""
    return {
        node.args.args[1].arg: node.args.args[1].arg
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("find_") and len(node.args.args) == 2
    }


def literals(tree: ast.Module) -> tuple[Cell, ...]:
    """What may stand in a column: the texts and numbers of the code, and a few others."""
    found = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str | int | float)
        and len(str(node.value)) < 40
    ]
    near = [value + step for value in found if isinstance(value, int | float) for step in (-1, 1)]
    return tuple({repr(value): value for value in (*found, *near, *OTHERS)}.values())


def people(found: Calling, code: str, count: int, seed: int) -> list[list[Cell]]:
    """So many people, the same in each run."""
    tree = parse_program(code)
    assert not isinstance(tree, Failed)
    draw = random.Random(f"{seed} {code}")
    values = literals(tree)
    return [[draw.choice(values) for _ in found.columns] for _ in range(count)]


def alike(one: Result, other: Result) -> bool:
    """Whether two results are the same; messages of exceptions may differ."""
    if isinstance(one, Failed) or isinstance(other, Failed):
        return isinstance(one, Failed) and isinstance(other, Failed) and one.cause == other.cause
    return [_compared(each) for each in one] == [_compared(each) for each in other]


def _compared(outcome: Outcome) -> object:
    return outcome.error if isinstance(outcome, Crashed) else outcome


def speed(executor: Executor, count: int) -> float:
    """Calls a second of a small function, in one batch."""
    program = Program(SMALL, "f", Call("arguments", ("age", "sex")))
    rows = [(number % 90, "x" if number % 2 else "y") for number in range(count)]
    start = time.perf_counter()
    assert not isinstance(executor.run(program, rows, Limits(seconds=60)), Failed)
    return count / (time.perf_counter() - start)


def batches(executor: Executor, count: int) -> float:
    """Seconds for a batch of one person."""
    program = Program("def f(age): return age > 30", "f", Call("arguments", ("age",)))
    start = time.perf_counter()
    for _ in range(count):
        executor.run(program, [(20,)], LIMITS)
    return (time.perf_counter() - start) / count


def compared(
    files: Sequence[Path], *, count: int, every: int, seed: int
) -> tuple[Counter[str], list[tuple[str, Result, Result]], Counter[str]]:
    """How many answers are alike, those that are not, and what Monty lacks."""
    told: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    different: list[tuple[str, Result, Result]] = []
    with MontyExecutor() as monty, ProcessExecutor() as process, ThreadPoolExecutor(4) as threads:

        def both(code: str) -> tuple[str, Result, Result] | None:
            found = calling(code)
            if found is None:
                return None
            rows = people(found, code, count, seed)
            run = (found.program, rows, LIMITS)
            return code, monty.run(*run), process.run(*run)

        answers = [code for path in files for code in codes(path)][::every]
        told["answers"] = len(answers)
        for result in threads.map(both, answers):
            if result is None:
                told["nothing to call"] += 1
                continue
            _, one, other = result
            if isinstance(one, Failed) and one.cause == "unsupported":
                told["not in Monty"] += 1
                lacking[one.message] += 1
            elif alike(one, other):
                told["alike"] += 1
                if not isinstance(one, Failed) and not all(isinstance(each, Crashed) for each in one):
                    told["alike, with a value for somebody"] += 1
            else:
                told["different"] += 1
                different.append(result)
    return told, different, lacking


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--people", type=int, default=12)
    parser.add_argument("--every", type=int, default=1, help="every n-th answer only")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    told, different, lacking = compared(
        options.files, count=options.people, every=options.every, seed=options.seed
    )
    for name, number in told.items():
        print(f"{number:6} {name}")
    for message, number in lacking.most_common(15):
        print(f"{number:6}   {message}")
    for code, one, other in different[:10]:
        print(f"--- different\n{code}\nmonty:   {_shown(one, other)}\nprocess: {_shown(other, one)}")
    with MontyExecutor() as monty, ProcessExecutor() as process:
        for executor in (monty, process):
            rate = speed(executor, 100_000)
            each = 1000 * batches(executor, 20)
            print(f"{executor.name}: {rate:,.0f} calls/s in one batch, {each:.0f} ms a batch of one")
    sys.exit(bool(different))


def _shown(one: Result, other: Result) -> str:
    if isinstance(one, Failed) or isinstance(other, Failed):
        return str(one)[:300]
    return str(
        [each for each, theirs in zip(one, other, strict=True) if _compared(each) != _compared(theirs)]
    )[:300]


if __name__ == "__main__":
    main()
