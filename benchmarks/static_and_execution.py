"""What the linter says of functions against what their execution shows.

    python benchmarks/static_and_execution.py FILE... [--mutants 2] [--list disagreements.jsonl]

FILE holds answers of models, one JSON object a line with `text` or `code`. Of each function that can be
called with a person, and of mutants of it, each attribute is told by the linter: *used* (a finding says that
it decides or scores), *read* (seen, and no such finding), *not read*, and of these *proved* (nothing in the
text can look at it at all). Then people are made of the values that the function names, and each attribute is
given each other value, every person by themselves. `--list` writes the disagreements: used and never changes,
not read and changes, proved and changes. Answers are read where they are and go nowhere else.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fairlint
from fairlint.counterfactual.calling import Calling, calls
from fairlint.counterfactual.executors.executor import Executor, Limits
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.counterfactual.guessing import attribute_of
from fairlint.counterfactual.independence import report_of
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.population import Cell, Column, Origin, Population
from fairlint.counterfactual.trial_people import named_columns
from fairlint.counterfactual.value_reads import Reads, reads

ALWAYS: Mapping[str, tuple[Cell, ...]] = {
    "gender": ("male", "female", "nonbinary"),
    "race": ("white", "black", "asian", "hispanic"),
    "age": (20, 45, 70),
}
"""Attributes that each function is asked about, with values beside those that it names."""
AGE_WORDS = ("young", "middle", "elder")
ROWS = 40
VALUES = 10
SHOWN = {True: "changes", False: "same", None: "not compared"}
DECIDING = frozenset({"decide", "score", "learn"})
UNKNOWN: tuple[tuple[Cell, ...], ...] = ((2, 5, 9), ("advanced", "none"), (True, False))
"""What columns hold of which the function names no value: each is tried by itself."""


@dataclass
class Verdict:
    """One attribute of one function."""

    attribute: str
    told: str
    shown: str
    function: str
    kind: str
    rules: tuple[str, ...]


# ------------------------------------------------------------------------------------------------- functions


def answers(paths: Sequence[str]) -> Iterator[str]:
    """The Python code in models' answers."""
    for path in paths:
        for line in Path(path).read_text("utf-8").splitlines():
            told = json.loads(line)
            source = fairlint.read_response(told.get("text") or told.get("code") or "")
            if source.language == "python":
                yield source.data.decode("utf-8")


_ATTRIBUTES: dict[str, str | None] = {}


def attribute(name: str) -> str | None:
    """The protected attribute that a field is."""
    if name not in _ATTRIBUTES:
        _ATTRIBUTES[name] = attribute_of(Column(name, ("a",)))
    return _ATTRIBUTES[name]


def columns_of(names: Sequence[str]) -> tuple[Column, ...]:
    """A column for each field, and for each attribute of ALWAYS that no field is."""
    known = [Column(name, ("a",), attribute=attribute(name)) for name in names]
    there = {column.attribute for column in known}
    return (*known, *(Column(name, ("a",), attribute=name) for name in ALWAYS if name not in there))


def filled(column: Column, found: Reads, names: Sequence[str], unknown: tuple[Cell, ...]) -> Column:
    """The column with the values that the function names, and others."""
    tests = [test for name in names for test in found.tests.get(name, ())]
    literals = [one for test in tests for one in test.literals if one is not None]
    texts = [one for one in literals if isinstance(one, str)]
    numbers = [one + step for one in literals if isinstance(one, int | float) for step in (-1, 0, 1)]
    usual = ALWAYS.get(column.attribute or "", ())
    if column.attribute == "age" and texts:
        usual = (*AGE_WORDS, *(usual if numbers else ()))
    if column.attribute is None:
        usual = () if literals else unknown
        texts, numbers = (texts, []) if len(texts) > len(numbers) / 3 else ([], numbers)
    elif not usual and not literals:
        usual = ("one", "other")
    plain = [*texts, *numbers, *usual, *(["anything else"] if texts else [])]
    distinct = list({(one == 1 and isinstance(one, bool), one): one for one in plain}.values())
    return Column(column.name, tuple(dict.fromkeys(distinct))[:VALUES] or ("a",), attribute=column.attribute)


def people(columns: Sequence[Column], seed: int) -> Population:
    """People with values at random."""
    chance = random.Random(seed)
    rows = dict.fromkeys(tuple(chance.choice(column.values) for column in columns) for _ in range(ROWS))
    return Population(
        name="made",
        columns=tuple(columns),
        rows=tuple(rows),
        weights=(1,) * len(rows),
        favourable=None,
        label=None,
        origin=Origin("made", len(rows), {}),
    )


# ------------------------------------------------------------------------------------------------- both sides


def told_by_linter(source: str) -> tuple[dict[str, str], dict[str, list[str]], bool]:
    """Attribute → `used` or `read`, attribute → rules, whether all could be analysed."""
    report = report_of(source)
    told = {one: "read" for _, use in report.uses for one in use.attributes}
    rules: dict[str, list[str]] = {}
    for finding in report.findings:
        if finding.use.effect in DECIDING and finding.use.kind != "read":
            for one in finding.use.attributes:
                told[one] = "used"
                rules.setdefault(one, []).append(f"{finding.rule} line {finding.start.line}")
    return told, rules, not report.not_analysed and not report.failed


_EXECUTOR = MontyExecutor(1)
"""Of each process, as long as it lives."""


def started() -> None:
    """Begins a process."""
    _EXECUTOR.__enter__()


def verdicts(work: tuple[str, str, int]) -> list[Verdict] | str:
    """What both sides say of each attribute of one function; else why it cannot be run."""
    kind, code, seed = work
    executor = _EXECUTOR
    tree = ast.parse(code)
    plain = columns_of(named_columns(tree))
    try:
        calling = calls(code, plain)
    except fairlint.UsageError as error:
        return str(error).split("'")[0]
    asked = [column for column in plain if column.attribute is not None]
    told, rules, is_whole = told_by_linter(calling.program.source)
    changed, proved = shown_by_execution(calling, plain, asked, executor, seed)
    if changed is None:
        return "it never runs"
    return [
        Verdict(
            str(column.attribute),
            (told.get(str(column.attribute)) or ("proved" if proved[column.name] else "not read"))
            if is_whole
            else "not analysed",
            SHOWN[changed[column.name]],
            calling.program.source,
            kind,
            tuple(rules.get(str(column.attribute), ())),
        )
        for column in asked
    ]


def shown_by_execution(
    calling: Calling, plain: Sequence[Column], asked: Sequence[Column], executor: Executor, seed: int
) -> tuple[dict[str, bool | None] | None, dict[str, bool]]:
    """Whether each column changes an outcome, each value tried by itself, and whether it is proved not to.

    None of a column of which no two values have outcomes that can be compared.
    """
    found = reads(calling.program)
    changed = {column.name: False for column in asked}
    proved = {column.name: True for column in asked}
    compared = {column.name: False for column in asked}
    answered = False
    for unknown in UNKNOWN:
        names: dict[str, list[str]] = {}
        for name, column in zip(calling.program.call.names, calling.columns, strict=True):
            names.setdefault(column, []).append(name)
        made = people([filled(column, found, names.get(column.name, ()), unknown) for column in plain], seed)
        measured = measure(
            calling.program,
            made,
            executor,
            columns=calling.columns,
            attributes=[column.name for column in asked],
            by_classes=False,
            limits=Limits(seconds=5),
        )
        if measured.cause in {"random", "state"}:
            return None, proved
        if measured.cause == "returns nothing":
            continue
        answered = answered or measured.answered > 0
        for changes in measured.attributes:
            changed[changes.column] |= any(share.part for share in changes.moved)
            compared[changes.column] |= any(share.whole for share in changes.moved)
            proved[changes.column] &= changes.proved
    shown = {name: changed[name] if compared[name] else None for name in changed}
    return (shown if answered else None), proved


# ---------------------------------------------------------------------------------------------------- mutants


class _Negated(ast.NodeTransformer):
    """== for !=, and the other way."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        swapped: dict[type, ast.cmpop] = {ast.Eq: ast.NotEq(), ast.NotEq: ast.Eq(), ast.In: ast.NotIn()}
        node.ops = [swapped.get(type(how), how) if _protected(node) else how for how in node.ops]
        return node


class _Keys(ast.NodeTransformer):
    """person["age"] for person.age."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            return ast.Subscript(node.value, ast.Constant(node.attr), node.ctx)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [self.visit(one) for one in node.args]
        return node


class _Dropped(ast.NodeTransformer):
    """Without branches on protected attributes."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if _protected(node.test):
            return node.orelse or [ast.Pass()]
        self.generic_visit(node)
        return node


class _Expressions(ast.NodeTransformer):
    """`score += 2 if condition else 0` for a branch that does it."""

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.If(body=[ast.AugAssign() as update], orelse=[]):
                return ast.AugAssign(
                    update.target, update.op, ast.IfExp(node.test, update.value, ast.Constant(0))
                )
        return node


class _Inert(ast.NodeTransformer):
    """No points in branches on protected attributes."""

    def visit_If(self, node: ast.If) -> ast.AST:
        if _protected(node.test):
            for one in ast.walk(node):
                if isinstance(one, ast.AugAssign) and isinstance(one.value, ast.Constant):
                    one.value = ast.Constant(0)
        return node


def _protected(node: ast.AST) -> bool:
    return any(attribute(name) for name in named_columns(node))


def _renamed(tree: ast.Module) -> ast.Module:
    """One protected field under the name of another."""
    swap = {"gender": "race", "race": "gender", "age": "gender"}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if name in swap:
                node.attr = swap[name]
            case ast.Constant(value=str(name)) if name in swap:
                node.value = swap[name]
    return tree


MUTATIONS: Mapping[str, Callable[[ast.Module], Any]] = {
    "negated": _Negated().visit,
    "keys": _Keys().visit,
    "dropped": _Dropped().visit,
    "expressions": _Expressions().visit,
    "inert": _Inert().visit,
    "renamed": _renamed,
}


def mutants(code: str, count: int, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Up to so many mutants of a function, each with its kind."""
    tree = ast.parse(code)
    plain = ast.unparse(tree)
    seen = {plain}
    for kind in chance.sample(list(MUTATIONS), len(MUTATIONS)):
        if len(seen) > count:
            return
        try:
            text = ast.unparse(ast.fix_missing_locations(MUTATIONS[kind](copy.deepcopy(tree))))
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        if text not in seen:
            seen.add(text)
            yield kind, text


def main() -> int:
    """Prints the table; 1 where the linter and execution disagree more than they may."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--mutants", type=int, default=2)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--most", type=int, default=10**9, help="answers that are read")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    told = parser.parse_args()
    chance = random.Random(told.seed)
    work: list[tuple[str, str]] = []
    causes: Counter[str] = Counter()
    for code in [one for _, one in zip(range(told.most), answers(told.files), strict=False)]:
        try:
            ast.parse(code)
        except (SyntaxError, ValueError):
            causes["it does not parse"] += 1
            continue
        work.append(("as written", code))
        work += mutants(code, told.mutants, chance)
    table: Counter[tuple[bool, str, str]] = Counter()
    disagreements: list[Verdict] = []
    functions = 0
    with ProcessPoolExecutor(told.processes, initializer=started) as processes:
        asked = ((kind, code, told.seed) for kind, code in work)
        for number, found in enumerate(processes.map(verdicts, asked, chunksize=8)):
            if number % 500 == 0:
                print(f"{number} of {len(work)}", file=sys.stderr, flush=True)
            if isinstance(found, str):
                causes[found] += 1
                continue
            functions += 1
            for one in found:
                table[one.kind == "as written", one.told, one.shown] += 1
                if (one.told, one.shown) in {
                    ("used", "same"),
                    ("not read", "changes"),
                    ("proved", "changes"),
                }:
                    disagreements.append(one)
    print(f"{functions} of {len(work)} functions run; of the others: {dict(causes.most_common(8))}")
    for is_written in (True, False):
        print("as written:" if is_written else "mutants:")
        for says in ("used", "read", "not read", "proved", "not analysed"):
            counts = [f"{shown} {table[is_written, says, shown]:6}" for shown in SHOWN.values()]
            print(f"    {says:12} {'   '.join(counts)}")
    if told.list:
        told.list.write_text("".join(json.dumps(vars(one)) + "\n" for one in disagreements), "utf-8")
    used = [sum(table[one, "used", shown] for one in (True, False)) for shown in ("changes", "same")]
    proved = sum(table[one, "proved", "changes"] for one in (True, False))
    share = used[0] / max(sum(used), 1)
    print(f"used and changes: {used[0]} of {sum(used)} ({share:.4f}); proved and changes: {proved}")
    return int(proved > 0 or used[0] < 0.995 * sum(used))


if __name__ == "__main__":
    sys.exit(main())
