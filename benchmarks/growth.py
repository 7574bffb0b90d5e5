"""How the work grows with the size of a shape, counted in what is the same on every machine.

    python benchmarks/growth.py [NAME ...] [--pairs] [--doublings N] [--depth N]

Told are, for each shape of `bombs.py` and those of here, the steps that the evaluator and the comparison of
groups take, the calls of functions that the whole check takes, its CPU seconds, and by which power of the
size each grows. `--pairs` nests every kind of expression and call of a library in every other instead.
Exit status: 1 where steps or calls grow faster than `MOST`, and nothing was said to be cut.
"""

from __future__ import annotations

import argparse
import gc
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

from bombs import ATTRIBUTES, BOMBS, Bomb, Made, Make, check, lines

from fairlint.semantics.groups.group_terms import Steps
from fairlint.semantics.interpreter.file_state import FileState
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
    evaluated, compared = FileState.step, Steps.spend

    def evaluate(program: FileState, node: Node) -> bool:
        steps[0] += 1
        return evaluated(program, node)

    def compare(left: Steps, count: int = 1) -> None:
        steps[0] += count
        compared(left, count)

    with mock.patch.object(FileState, "step", evaluate), mock.patch.object(Steps, "spend", compare):
        yield steps


def work(made: Made) -> Work:
    """Checks a shape and counts."""
    calls = 0

    def count(_frame: object, event: str, _of: object) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += 1

    collects = gc.isenabled()
    gc.disable()  # what others have the collector call is not the check's
    with counted() as steps:
        begun = time.process_time()
        sys.setprofile(count)
        try:
            _, gaps, _ = check(made)
        finally:
            sys.setprofile(None)
            if collects:
                gc.enable()
        seconds = time.process_time() - begun
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


def _called(count: int) -> Made:
    """A long chain that encodes a group, in a function that others call."""
    chain = "".join(f"    elif p.race == 'g{n % 12}':\n        return {n}\n" for n in range(count))
    used = "".join(f"def f{n}(p):\n    score = code(p) + {n}\n    return score\n" for n in range(4))
    return (
        "called.py",
        f"def code(p):\n    if p.race == 'white':\n        return -1\n{chain}    return 0\n{used}",
    )


def _returns_called(count: int) -> Made:
    """Early returns by group, in a function that others call."""
    tests = "".join(f"    if p.race == 'g{n % 12}':\n        return {n}\n" for n in range(count))
    used = "".join(f"def f{n}(p):\n    score = code(p) + {n}\n    return score\n" for n in range(4))
    return "called.py", f"def code(p):\n{tests}    return 0\n{used}"


def _imported(count: int) -> Made:
    """Modules that one module imports."""
    pieces = [
        f"#: m{n}.py\ndef rate{n}(p):\n    return {n} if p.gender == 'male' else 0\n" for n in range(count)
    ]
    names = "".join(f"from m{n} import rate{n}\n" for n in range(count))
    total = " + ".join(f"rate{n}(p)" for n in range(count))
    return "project.txt", f"{''.join(pieces)}#: main.py\n{names}def rate(p):\n    return {total}\n"


SHAPES: dict[str, Bomb] = {
    "an elif chain that is called": Bomb(600, _called),
    "early returns that are called": Bomb(400, _returns_called),
    "early returns by eight attributes": lines(
        1200,
        "returns.py",
        "def rate(p):",
        tuple(f"    if p.{a} == 'g§':\n        return §" for a in ATTRIBUTES),
        "    return 0",
    ),
    "early returns with acts": lines(
        1200,
        "returns.py",
        "def rate(p):",
        "    if p.race == 'g§':\n        hire(p, §)\n        return §",
        "    return 0",
    ),
    "early returns between updates": lines(
        1200,
        "returns.py",
        "def rate(p):\n    score = 0",
        "    if p.gender == 'g§':\n        return §\n    score += §",
        "    return score",
    ),
    "continues between acts": lines(
        1200,
        "continues.py",
        "def rate(people):\n    for p in people:",
        "        if p.race == 'g§':\n            continue\n        out.append(p)",
    ),
    "returns in a loop": lines(
        1200, "loop.py", "def f(p):\n    while True:", "        if p.race == 'g§':\n            return §"
    ),
    "a script that mixes": lines(
        4000,
        "flat.py",
        "score = 0\ngender = input()\nrace = input()",
        (
            "if gender == 'g§': score += §",
            "x§ = f(§)",
            "if race == 'white' and x§-: result = 'approved'",
            "print(score)",
            "if race == 'g§': decision = 'rejected'",
        ),
    ),
    "a loop that mixes": lines(
        2000,
        "flat.py",
        "people = load()\nfor p in people:\n    score = 0",
        (
            "    if p.gender == 'g§': score += §",
            "    if p.race == 'g§': continue",
            "    if score > §: hired.append(p)",
        ),
    ),
    "tries": lines(
        1200,
        "tries.py",
        "def rate(p):\n    score = 0",
        "    try:\n        if p.gender == 'g§': score += §\n    except E§:\n        return §",
        "    return score",
    ),
    "C: early returns": lines(
        1200,
        "returns.c",
        "struct person { int gender; int race; int age; };\nint rate(struct person *p)\n{",
        (
            "    if (p->race == §) return §;",
            "    if (p->gender == §) return -§;",
            "    if (p->x > §) { hire(p); return 1; }",
        ),
        "    return 0;\n}",
    ),
    "modules that one imports": Bomb(300, _imported),
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
