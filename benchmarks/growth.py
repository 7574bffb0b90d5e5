"""How the work grows with the size of a shape, counted in what is the same on every machine.

    python benchmarks/growth.py [NAME ...] [--pairs] [--doublings N] [--depth N]

Told are, for each shape of `bombs.py` and those of here, the steps that the evaluator and the comparison of
groups take, the calls of functions that the whole check takes, its CPU seconds, and by which power of the
size each grows. `--pairs` nests every kind of expression and call of a library in every other instead.
Exit status: 1 where steps or calls grow faster than `MOST`, and nothing was said to be cut.
"""

from __future__ import annotations

import argparse
import cProfile
import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import NamedTuple
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bombs import BOMBS, Bomb, Made, Make, check, lines

from fairlint.semantics.frame import Program
from fairlint.semantics.specialization import Steps
from fairlint.syntax.tree import Node

MOST = 1.3
"""The power by which work may grow: that of n log n between the sizes that are measured, and a little."""
FREE = 300_000
"""Calls, and thirty times the steps, below which growth is that of what every file takes."""
DEPTH = 60


class Work(NamedTuple):
    """What a check took."""

    steps: int
    calls: int
    seconds: float
    gaps: tuple[str, ...]

    @property
    def cut(self) -> bool:
        """Whether a part was left out, and named."""
        return bool(self.gaps)


@contextmanager
def counted() -> Iterator[list[int]]:
    """Counts the steps of the evaluator and of comparing groups, in the one entry of a list."""
    steps = [0]
    evaluated, compared = Program.step, Steps.spend

    def evaluate(program: Program, node: Node) -> bool:
        steps[0] += 1
        return evaluated(program, node)

    def compare(left: Steps, count: int = 1) -> None:
        steps[0] += count
        compared(left, count)

    with mock.patch.object(Program, "step", evaluate), mock.patch.object(Steps, "spend", compare):
        yield steps


def work(made: Made) -> Work:
    """Checks a shape and counts."""
    with counted() as steps:
        begun = time.process_time()
        profile = cProfile.Profile()
        profile.enable()
        _, gaps, _ = check(made)
        profile.disable()
        seconds = time.process_time() - begun
    calls = sum(entry.callcount for entry in profile.getstats())
    return Work(steps[0], calls, seconds, tuple(gaps))


def power(first: float, last: float, factor: float) -> float:
    """By which power of the size something grew."""
    return math.log(max(last, 1) / max(first, 1)) / math.log(factor)


# -------------------------------------------------------------------------------------------------- shapes


def _table(entries: int) -> Made:
    rows = ", ".join(f"('g{n}', {n})" for n in range(entries))
    return "table.py", (
        f"ROWS = [{rows}]\ndef rate(p):\n    score = 0\n    for name, points in ROWS:\n"
        "        if p.gender == name:\n            score += points\n    return score\n"
    )


def _lookups(entries: int) -> Made:
    rows = ", ".join(f"'g{n}': {n}" for n in range(entries))
    return "lookups.py", (
        f"T = {{{rows}}}\ndef rate(p):\n    total = 0\n    for name in T:\n        total += T[name]\n"
        "        if p.gender == name and T.get(p.gender, 0) > 3:\n            return 'rejected'\n    return total\n"
    )


def _roles(entries: int) -> Made:
    """A big table of records in C, as games have them, and functions that go through it."""
    rows = "\n".join(
        f'    {{ "Role{n}", {n % 7}, {n % 3}, {{ {n}, {n + 1}, {n + 2} }}, ROLE_MALE{" | ROLE_ELF" * (n % 2)} }},'
        for n in range(entries)
    )
    used = "\n".join(
        f"int ok_{n}(int rolenum, int gender, int race)\n{{\n    if (roles[rolenum].race != race) return 0;\n"
        f"    if (gender == {n % 2} && (roles[rolenum].allow & ROLE_MALE)) return {n};\n    return 1;\n}}"
        for n in range(entries // 8)
    )
    return "role.c", (
        "#define ROLE_MALE 1\n#define ROLE_ELF 2\nstruct role { const char *name; int race; int gender; int attr[3];"
        f" int allow; }};\nconst struct role roles[] = {{\n{rows}\n    {{ 0, 0, 0, {{ 0, 0, 0 }}, 0 }}\n}};\n{used}\n"
    )


def _ways(count: int) -> Made:
    tests = " and ".join(f"p.x{n} > {n}" if n % 3 else f"not p.flag{n}" for n in range(count))
    return (
        "ways.py",
        f"def decide(p):\n    if p.gender == 'female' and {tests}:\n        return 'no'\n    return 'yes'\n",
    )


SHAPES: dict[str, Bomb] = {
    **{
        f"a loop over {entries} entries": Bomb(1, lambda times, entries=entries: _table(entries * times))  # type: ignore[misc]
        for entries in (20, 200, 500)
    },
    "a loop over a table and its entries": Bomb(250, _lookups),
    "roles, races and genders": Bomb(800, _roles),
    "a decision behind conditions": Bomb(60, _ways),
    "functions of one name": lines(
        400,
        "same.py",
        "",
        "def rate(p):\n    s = 0\n    if p.gender == 'male':\n        s += §\n    return s\n",
    ),
    "a chain of assigned columns": BOMBS["calls of tables"]._replace(size=400),
}

KINDS: dict[str, tuple[str, str]] = {
    "list": ("[", "]"), "tuple": ("(", ", 1)"), "set": ("{", "}"), "dict": ("{'male': ", "}"), "key": ("{", ": 5}"),
    "index": ("T[", "]"), "minus": ("-(", ")"), "not": ("(not ", ")"), "sum": ("(1 + ", ")"), "product": ("(2 * ", ")"),
    "and": ("(x and ", ")"), "or": ("(y or ", ")"), "equal": ("('male' == ", ")"), "in": ("('male' in ", ")"),
    "less": ("(3 < ", ")"), "test": ("(5 if ", " else 3)"), "branch": ("(", " if p.gender == 'male' else 3)"),
    "lambda": ("(lambda q: ", ")(x)"), "call": ("g(", ")"), "keyword": ("P(gender=", ")"), "field": ("(", ").a"),
    "comprehension": ("[q for q in ", "]"), "element": ("[", " for q in x]"), "walrus": ("(w := ", ")"),
    "star": ("[*", "]"), "method": ("x.pick(", ")"), "of a method": ("(", ").pick(x)"), "get": ("T.get(", ", 0)"),
    "text": ("f'{", "}'"), "format": ("'{} a'.format(", ")"), "join": ("', '.join([", "])"), "percent": ("('%s' % ", ")"),
    "sorted": ("sorted(", ")"), "max": ("max(1, ", ")"), "sum of": ("sum(", ")"), "str": ("str(", ")"),
    "where": ("np.where(df['gender'] == 'male', ", ", 0)"), "mask": ("df[", "]"), "map": ("df['gender'].map(", ")"),
    "fillna": ("df.fillna(", ")"), "assign": ("df.assign(c=", ")"), "concat": ("pd.concat([df, ", "])"),
    "merge": ("df.merge(", ")"), "frame": ("pd.DataFrame({'gender': ", "})"), "fit": ("model.fit(", ", y)"),
    "ask": ("client.chat.completions.create(messages=[{'role': 'user', 'content': ", "}])"),
    "query": ("cursor.execute('SELECT * FROM people WHERE gender = %s', (", ",))"), "dumps": ("json.dumps(", ")"),
    "partial": ("partial(g, ", ")()"), "Q": ("Q(gender=", ")"),
}  # fmt: skip
"""What holds an expression: what stands before and behind it."""
HEAD = (
    "import json\nimport numpy as np\nimport pandas as pd\nfrom functools import partial\n"
    "df = pd.read_csv('people.csv')\nT = {'male': 5, 'female': 3}\ndef g(q):\n    return 5 if q == 'male' else 3\n"
    "def rate(p, x, y):\n    score = "
)


def pair(one: str, other: str, depth: int) -> Made:
    """Two kinds of expressions in one another, so deep."""
    kinds = [KINDS[one], KINDS[other]]
    text = "p.gender"
    for at in range(depth):
        before, behind = kinds[at % 2]
        if "'" in text and before == "f'{":
            before, behind = "str(", ")"  # an f-string holds no quotes of its own kind before Python 3.12
        text = f"{before}{text}{behind}"
    return "pair.py", f"{HEAD}{text}\n    return score\n"


def shapes() -> dict[str, Bomb]:
    """All shapes that are repeated."""
    return {**BOMBS, **SHAPES}


def grown(make: Make, sizes: list[int]) -> tuple[list[Work], bool]:
    """What each size takes, and whether that grows too fast: measured over the largest sizes, where what every
    file takes counts least.
    """
    taken = [work(make(size)) for size in sizes]
    first, last = taken[-2], taken[-1]
    factor = sizes[-1] / sizes[-2]
    fast = max(
        power(first.steps, last.steps, factor) if last.steps > FREE // 30 else 0.0,
        power(first.calls, last.calls, factor) if last.calls > FREE else 0.0,
    )
    return taken, fast > MOST and not last.cut


def _tell(name: str, sizes: list[int], taken: list[Work], fast: bool) -> None:
    factor = sizes[-1] / sizes[-2]
    powers = [
        f"{power(getattr(taken[-2], kind), getattr(taken[-1], kind), factor):.1f}"
        for kind in ("steps", "calls")
    ]
    print(
        f"{'FAST ' if fast else ''}{name:44} {sizes[-1]:>6} steps {'/'.join(str(one.steps) for one in taken)} ^{powers[0]}"
        f" calls {'/'.join(str(one.calls) for one in taken)} ^{powers[1]}"
        f" {taken[-1].seconds:.2f} s {taken[-1].gaps[:1] or ''}",
        flush=True,
    )


def measured(options: argparse.Namespace) -> Iterator[tuple[str, Make, list[int]]]:
    """Each shape with its sizes."""
    if options.pairs:
        for one, other in product(KINDS, KINDS):
            sizes = [options.depth // 4, options.depth // 2, options.depth]
            yield f"{one} in {other}", lambda depth, one=one, other=other: pair(one, other, depth), sizes  # type: ignore[misc]
        return
    for name, bomb in shapes().items():
        largest = 8 if name.startswith("a loop over") else max(bomb.size, 8)
        sizes = [max(2, largest >> times) for times in reversed(range(options.doublings + 1))]
        if not options.names or any(one in name for one in options.names):
            yield name, bomb.make, sizes


def main() -> int:
    """Measures and reports."""
    parser = argparse.ArgumentParser(description="Tell how the work grows with the size of a shape.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of the names of shapes; all without")
    parser.add_argument("--pairs", action="store_true", help="nest every kind of expression in every other")
    parser.add_argument("--doublings", type=int, default=3, help="how often the smallest size is doubled")
    parser.add_argument("--depth", type=int, default=DEPTH, help="how deep pairs are nested")
    options = parser.parse_args()
    for warm in ("list", "assign", "ask", "query", "where"):  # what is loaded late is loaded before it counts
        check(pair(warm, "branch", 3))
    too_fast = 0
    for name, make, sizes in measured(options):
        taken, fast = grown(make, sizes)
        too_fast += fast
        if fast or not options.pairs:
            _tell(name, sizes, taken, fast)
    print(f"{too_fast} grow too fast", file=sys.stderr)
    return 1 if too_fast else 0


if __name__ == "__main__":
    sys.exit(main())
