"""Programs, answers and notebooks whose shape could take an analysis more time than their size is worth.

    python benchmarks/bombs.py [NAME ...] [--doublings N] [--markdown]

Every shape is a function of a size that gives the name of a file and its text (`BOMBS`). Each is checked here
in a process of its own at its size, twice and four times that; told are CPU seconds, the memory at the peak,
by which power of the size the time grows, and what the report says. Exit status: 1 where a shape breaks the
analysis, or at its own size takes more than 5 s or 500 MB.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

MOST_SECONDS, MOST_MEGABYTES = 5.0, 500.0
MOST_SPACE = 6 << 30
"""Bytes that a process may have."""
TELLING = 0.3
"""Seconds below which the growth of time is that of the start."""
NUMBER = "§"
"""Stands for the number of a repetition, `NUMBER + "-"` for that of the one before."""

Made = tuple[str, str]
Make = Callable[[int], Made]


class Bomb(NamedTuple):
    """A shape, and the size at which it has to stay within the limits."""

    size: int
    make: Make

    def __call__(self, size: int) -> Made:
        """The name of the file and its text."""
        return self.make(size)


def numbered(text: str, number: int) -> str:
    """`text` as the repetition of this number."""
    return text.replace(NUMBER + "-", str(number - 1)).replace(NUMBER, str(number))


def lines(size: int, file: str, head: str, line: str | tuple[str, ...], tail: str = "") -> Bomb:
    """Lines below one another; several kinds of them take turns."""
    kinds = (line,) if isinstance(line, str) else line

    def make(count: int) -> Made:
        body = (numbered(kinds[number % len(kinds)], number) for number in range(1, count + 1))
        return file, "\n".join((head, *body, tail.replace(NUMBER, str(count)), ""))

    return Bomb(size, make)


def chain(  # noqa: PLR0917 (a shape is read from left to right)
    size: int, file: str, before: str, part: str, between: str, after: str = ""
) -> Bomb:
    """Parts beside one another on one line."""

    def make(count: int) -> Made:
        return (
            file,
            f"{before}{between.join(numbered(part, number) for number in range(1, count + 1))}{after}\n",
        )

    return Bomb(size, make)


def nest(  # noqa: PLR0917 (the same)
    size: int, file: str, before: str, opening: str, inside: str, closing: str, after: str = ""
) -> Bomb:
    """Something within itself, on one line."""

    def make(count: int) -> Made:
        opened = "".join(numbered(opening, number) for number in range(count))
        return file, f"{before}{opened}{inside}{closing * count}{after}\n"

    return Bomb(size, make)


def blocks(size: int, head: str, opening: str, inside: str, after: str = "") -> Bomb:
    """Python's blocks within one another; `after` follows each, outwards."""

    def make(count: int) -> Made:
        opened = [" " * number + numbered(opening, number) for number in range(count)]
        closed = [" " * number + after for number in reversed(range(count))] if after else []
        return "nested.py", "\n".join((head, *opened, " " * count + inside, *closed, ""))

    return Bomb(size, make)


def cells(size: int, *sources: str) -> Bomb:
    """A notebook whose cells take turns."""

    def make(count: int) -> Made:
        made: list[dict[str, object]] = [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
            for number in range(count)
            for text in [numbered(sources[number % len(sources)], number)]
        ]
        return "cells.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})

    return Bomb(size, make)


def modules(size: int, count_imported: Callable[[int, int], int]) -> Bomb:
    """A project of modules, each of which imports one; all in one text, divided by lines `#: NAME`."""

    def make(count: int) -> Made:
        texts = []
        for number in range(count):
            other = count_imported(number, count)
            imported = "" if other < 0 else f"from m{other} import rate{other}\n"
            called = "0" if other < 0 else f"rate{other}(p)"
            texts.append(
                f"#: m{number}.py\n{imported}\ndef rate{number}(p):\n    score = {called}\n"
                f"    if p.gender == 'male':\n        score += {number}\n    return score\n"
            )
        return "project.txt", "".join(texts)

    return Bomb(size, make)


DEF = "def rate(p):\n    score = 0"
RETURN = "    return score"
CFUN = "struct person { int gender; int race; int age; int x; };\nint rate(struct person *p)\n{\n    int score = 0;"
CEND = "    return score;\n}"
GROUPS = "male female white black asian hispanic".split()
PANDAS = "import pandas as pd\ndf = pd.read_csv('people.csv')"
ATTRIBUTES = "gender race age religion disability nationality marital_status pregnancy".split()

FRAME = """import json
import pandas as pd
T = {'male': 5, 'female': 3}
def g(q):
    return 5 if q == 'male' else 3
def rate(p, y, c):
    df = pd.read_csv('people.csv')"""
USES = """    model.fit(x, y)
    model.fit(df[x], y)
    client.chat.completions.create(messages=[{'role': 'user', 'content': x}])
    cursor.execute("SELECT * FROM people WHERE gender = '%s'" % x)
    score = T.get(x, 0) + T[x]
    df['gender'] = x
    df['c'] = df['gender'].map(x).fillna(x)
    user = User(gender=x)
    assert hire(x) == 1
    k = json.dumps(x), x.get('gender'), x[0], 'Hire {} people'.format(x)
    for q in x: score += q.gender == 'male'
    if p.gender in x or p.gender == x: score += 5
    best = sorted(people, key=x)
    return score if x else x"""
"""Whatever can be done with a value, so that each reader follows it as deep as it goes."""
STEPS = {
    "p.gender": (
        "x = x if c else 'male'", "x = 'male' if p.gender == 'm§' else x", "if c§: x = 'g§'", "x = T[x]", "x = g(x)",
        "x = {'male': x, 'female': §}[p.gender]", "x = x or 'male'", "x = not x", "x = x in ('male', 'female')",
        "x = f'{x} and {x}'", "x = x.replace('a', 'b')", "x = 'male {}'.format(x)", "x = x.a", "x = max(x, 1)",
        "x = (lambda q: x)(x)", "x = P(gender=x)", "x = -x", "x = x & (df['gender'] == 'g§')", "x, z = (x, x), x",
    ),
    "['gender', 'male']": (
        "x = [x]", "x = (x, x)", "x = x if c§ else ['g§']", "x.append('male')",
        "x = [q for q in x if q]", "x = sorted(x)", "x = list(x)", "x += ['g§']", "x = {'gender': x}",
        "x = {**x, 'k§': 1}", "x = ','.join([x])", "x = [{'role': 'user', 'content': x}]",
    ),
    "pd.read_csv('a.csv')": (
        "x = x[x['gender'] == 'g§']", "x = x.dropna()", "if c§: x = df", "x['c§'] = x['gender']", "x = x.assign(c§=x)",
        "x = pd.concat([x, df])", "x = x.merge(df)", "x = x.drop(columns=['c§'])", "x = x.fillna('male')",
        "x = Q(gender='g§') | x", "x = x.filter(gender='g§')",
    ),
}  # fmt: skip
"""What a variable begins as -> lines that make it a part of what it becomes."""

BOMBS: dict[str, Bomb] = {
    # --- branches below one another
    "plain ifs over three attributes": lines(
        90, "ifs.py", DEF,
        tuple(f"    if p.{one}:\n        score += §" for one in ("age", "race", "other")),
        "    return 'hired' if score > 40 else 'rejected'",
    ),
    "ifs over three attributes, with other things": lines(
        90, "ifs.py", DEF,
        ("    if p.age > §:\n        score += 1", "    if p.race == 'black':\n        score -= 1",
         "    if p.other > §:\n        score += 2"),
        "    return 'hired' if score > 40 else 'rejected'",
    ),
    "ifs over one attribute": lines(
        600, "ifs.py", DEF, "    if p.gender == 'male':\n        score += §", RETURN
    ),
    "ifs over an attribute and something": lines(
        600, "ifs.py", DEF, "    if p.gender == 'male' and p.x§ > 3:\n        score += §", RETURN
    ),
    "ifs with else": lines(
        300, "ifs.py", DEF,
        "    if p.gender == 'male':\n        score += §\n    else:\n        score -= §", RETURN,
    ),
    "early returns": lines(300, "returns.py", DEF, "    if p.age > §:\n        return §", RETURN),
    "early returns by group": lines(
        300, "returns.py", DEF, "    if p.gender == 'g§':\n        return §", RETURN
    ),
    "early returns by other things": lines(
        300, "returns.py", DEF, "    if p.x§ > 3:\n        return p.gender == 'male'", RETURN
    ),
    "raises": lines(300, "raises.py", DEF, "    if p.age < §:\n        raise ValueError(§)", RETURN),
    "continues": lines(
        300, "continues.py", "def pick(people):\n    kept = []\n    for p in people:",
        "        if p.race == 'r§':\n            continue", "        kept.append(p)\n    return kept",
    ),
    "elif": lines(
        1000, "elif.py", f"{DEF}\n    if p.gender == 'a':\n        score = 1",
        "    elif p.gender == 'g§':\n        score = §", RETURN,
    ),
    "elif over ages": lines(
        300, "elif.py", f"{DEF}\n    if p.age < 0:\n        score = 1",
        "    elif p.age < §:\n        score = §", RETURN,
    ),
    "elif over other things": lines(
        1000, "elif.py", f"{DEF}\n    if p.gender == 'male':\n        score = 1",
        "    elif p.x§ > 3:\n        score = §", RETURN,
    ),
    "cases of match": lines(
        1000, "match.py", f"{DEF}\n    match p.gender:", "        case 'g§':\n            score = §", RETURN
    ),
    "many limits of an age": lines(
        300, "limits.py", DEF, "    if p.age > §.5:\n        score += §", RETURN
    ),
    "many attributes at once": lines(
        300, "attributes.py", DEF,
        tuple(f"    if p.{one} == 'g§' and p.{other} == 'h§':\n        score += §"
              for one, other in zip(ATTRIBUTES, ATTRIBUTES[3:] + ATTRIBUTES[:3], strict=True)),
        RETURN,
    ),
    "conditional assignments": lines(
        300, "assigned.py", DEF, "    score = score + 1 if p.gender == 'male' else score + 2", RETURN
    ),
    "flags from flags": lines(
        500, "flags.py", "def rate(p):\n    f0 = p.gender == 'male'", "    f§ = f§- and p.x§ > 3",
        "    return 'hired' if f§ else 'rejected'",
    ),
    # --- flat scripts
    "flat script of updates": lines(
        1000, "flat.py", "gender = input()\nscore = 0", "if gender == 'male': score = score + §", "print(score)"
    ),
    "flat script of assignments": lines(
        1000, "flat.py", "gender = input()", "score§ = 5 if gender == 'male' else §"
    ),
    "flat script of tests": lines(
        1000, "flat.py", "gender = input()\nage = 3\nother = 2",
        ("if gender == 'male': x = §", "if age > §: y = x", "z = x + y if other else §"),
        "score = x",
    ),
    "flat script of calls": lines(1000, "flat.py", "gender = input()", "apply§(gender == 'male', §)"),
    "flat script of prints": lines(
        2000, "flat.py", "gender = input()", "print('gender', gender, §, f'{gender} wanted')"
    ),
    # --- functions
    "small functions": lines(
        2000, "functions.py", "",
        "def f§(p):\n    s = 0\n    if p.gender == 'male':\n        s += §\n    return s\n",
    ),
    "functions that call the one before": lines(
        1000, "calls.py", "def f0(p):\n    return 5 if p.gender == 'male' else 3",
        "def f§(p):\n    return f§-(p) + §\n",
    ),
    "functions that call the one before twice": lines(
        200, "calls.py", "def f0(p):\n    return 5 if p.gender == 'male' else 3",
        "def f§(p):\n    return f§-(p) + f§-(p) * 2\n",
    ),
    "functions that call one": lines(
        1000, "calls.py", "def bonus(p, k):\n    return k if p.gender == 'male' else 3",
        "def f§(p):\n    return bonus(p, §)\n",
    ),
    "one function that calls many": lines(
        1000, "calls.py", f"def bonus(p, k):\n    return k if p.gender == 'male' else 3\n{DEF}",
        "    score += bonus(p, §)", RETURN,
    ),
    "functions in a ring": Bomb(500, lambda count: ("ring.py", "".join(
        f"def f{n}(p):\n    return f{(n + 1) % count}(p) + (p.gender == 'male')\n" for n in range(count)))),
    "recursion with another constant": lines(
        200, "recursion.py", "def rate(p, k):\n    if k > 9000:\n        return 0",
        "    if p.gender == 'male':\n        return rate(p, k + §) + §", "    return rate(p, k * 2)",
    ),
    "globals read by functions": lines(
        1000, "globals.py", "", "LIMIT§ = §\ndef f§(p):\n    return p.gender == 'male' and p.x > LIMIT§\n"
    ),
    "globals written by functions": lines(
        300, "globals.py", "total = 0",
        "def f§(p):\n    global total\n    if p.gender == 'male':\n        total += §\n",
    ),
    "parameters": chain(1000, "parameters.py", "def rate(p, ", "x§=p.gender", ", ", "):\n    return x0"),
    "keywords": chain(2000, "keywords.py", "gender = 1\nx = dict(", "k§=gender", ", ", ")"),
    "decorators": lines(1000, "decorators.py", "", "@decide§(gender='male')", f"{DEF}\n{RETURN}"),
    "methods": lines(
        1000, "methods.py", "class Rater:",
        "    def f§(self, p):\n        return self.f§-(p) + (5 if p.gender == 'male' else 0)\n",
    ),
    "classes that inherit": lines(
        500, "classes.py", "class C0:\n    def rate(self, p):\n        return p.gender == 'male'\n",
        "class C§(C§-):\n    def rate(self, p):\n        return super().rate(p)\n", "print(C§().rate(1))",
    ),
    "classes without a method of theirs": lines(
        1000, "classes.py", "class C0:\n    def rate(self, p):\n        return p.gender == 'male'\n",
        "class C§(C§-):\n    pass\n", "def f(p):\n    return C§().rate(p)",
    ),
    "a class of many bases": chain(
        1000, "bases.py", "", "class B§:\n    gender = 'male'\n", "",
        f"class All({', '.join(f'B{n}' for n in range(1000))}):\n    pass",
    ),
    "fields of an object": lines(
        1000, "fields.py", "class P:\n    def __init__(self, gender):",
        "        self.x§ = 5 if gender == 'male' else §", "    def rate(self):\n        return self.x1",
    ),
    "imports": lines(3000, "imports.py", "", "from gender§ import score§ as rate§"),
    "modules in a chain": modules(300, lambda number, _: number - 1),
    "modules in a circle": modules(300, lambda number, count: (number + 1) % count),
    # --- sums that grow by lines
    "s = s + x": lines(1600, "sum.py", f"{DEF}\n    if p.gender == 'male':\n        score += 5",
                       "    score = score + p.x§", RETURN),
    "s += x": lines(1600, "sum.py", f"{DEF}\n    if p.gender == 'male':\n        score += 5",
                    "    score += p.x§", RETURN),
    "s = s*2 + x": lines(700, "sum.py", f"{DEF}\n    if p.gender == 'male':\n        score += 5",
                         "    score = score * 2 + p.x§", RETURN),
    "s = s*s + s": lines(100, "sum.py", f"{DEF}\n    if p.gender == 'male':\n        score += 5",
                         "    score = score * score + score", RETURN),
    "s = x - s": lines(700, "sum.py", f"{DEF}\n    if p.gender == 'male':\n        score += 5",
                       "    score = p.x§ - score", RETURN),
    "s = min(s, x)": lines(700, "sum.py", f"{DEF}\n    if p.gender == 'male':\n        score += 5",
                           "    score = min(score, p.x§)", RETURN),
    "s = max(s, s)": lines(100, "sum.py", f"{DEF}\n    if p.gender == 'male':\n        score += 5",
                           "    score = max(score, score + 1)", RETURN),
    "s = f(s)": lines(700, "sum.py", f"{DEF}\n    if p.gender == 'male':\n        score += 5",
                      "    score = scaled(score)", RETURN),
    "a, b = b, a + b": lines(
        200, "swap.py", "def rate(p):\n    a = 5 if p.gender == 'male' else 0\n    b = 1",
        "    a, b = b, a + b", "    return a",
    ),
    "booleans of booleans": lines(
        500, "booleans.py", "def rate(p):\n    ok = p.gender == 'male'", "    ok = (ok and p.x§) or not ok",
        "    return 'hired' if ok else 'rejected'",
    ),
    "comparisons of comparisons": lines(
        200, "compared.py", "def rate(p):\n    ok = p.gender == 'male'", "    ok = (ok == p.x§) != ok",
        "    return 'hired' if ok else 'rejected'",
    ),
    "powers": lines(200, "powers.py", "def rate(p):\n    score = 10 if p.gender == 'male' else 9",
                    "    score = score ** score", RETURN),
    # --- things that double by lines
    "cols = cols + cols": lines(
        26, "columns.py", f"{PANDAS}\ncols = ['gender', 'age']", "cols = cols + cols",
        "model.fit(df[cols], df['y'])",
    ),
    "cols += cols": lines(
        26, "columns.py", f"{PANDAS}\ncols = ['gender', 'age']", "cols += cols", "model.fit(df[cols], df['y'])"
    ),
    "cols.extend(cols)": lines(
        26, "columns.py", f"{PANDAS}\ncols = ['gender', 'age']", "cols.extend(cols)",
        "model.fit(df[cols], df['y'])",
    ),
    "cols = [*cols, *cols]": lines(
        26, "columns.py", f"{PANDAS}\ncols = ['gender', 'age']", "cols = [*cols, *cols]",
        "model.fit(df[cols], df['y'])",
    ),
    "cols = cols * 2": lines(
        40, "columns.py", f"{PANDAS}\ncols = ['gender', 'age']", "cols = cols * 2",
        "model.fit(df[cols], df['y'])",
    ),
    "text = text + text": lines(
        40, "text.py", "def ask(gender):\n    text = f'hire {gender} people'", "    text = text + text",
        "    return client.chat.completions.create(messages=[{'role': 'user', 'content': text}])",
    ),
    "known text = text + text": lines(
        40, "text.py", "def ask(gender):\n    text = 'hire male people'", "    text = text + text",
        "    return client.chat.completions.create(messages=[{'role': 'user', 'content': text}])",
    ),
    "text in an f-string twice": lines(
        40, "text.py", "def ask(gender):\n    text = f'hire {gender} people'", "    text = f'{text} and {text}'",
        "    return client.chat.completions.create(messages=[{'role': 'user', 'content': text}])",
    ),
    "text by join and replace": lines(
        40, "text.py", "def ask(gender):\n    text = f'hire {gender} people'",
        ("    text = text.replace('e', 'ee')", "    text = ' '.join([text, text])", "    text = '%s %s' % (text, text)",
         "    text = '{} {}'.format(text, text)"),
        "    return client.chat.completions.create(messages=[{'role': 'user', 'content': text}])",
    ),
    "text times a number": lines(
        1, "text.py", "gender = 'male' * 10**10\nlist = ['male'] * 10**10", "other = 'female ' * 9999999999",
        "score = 9**9**9 if gender == 'male' else 1 << 10**10",
    ),
    "a list in itself twice": lines(
        200, "shared.py", "def rate(p):\n    a = [p.gender == 'male', 'female']", "    a = [a, a]",
        "    return 'hired' if a else 'rejected'",
    ),
    "a dict in itself twice": lines(
        200, "shared.py", "def rate(p):\n    d = {'male': 5, 'female': 3}", "    d = {'male': d, 'female': d}",
        "    return d[p.gender]",
    ),
    "a dict and all its entries": lines(
        300, "merged.py", "d = {'male': 5}", "d = {**d, 'g§': §}",
        "def rate(p):\n    return d[p.gender]",
    ),
    "an object in itself twice": lines(
        200, "shared.py", "from dataclasses import dataclass\n@dataclass\nclass Two:\n    gender: str\n    b: object\n"
        "a = Two('male', 1)", "a = Two(a, a)", "def f(p):\n    return a.gender == p.gender",
    ),
    "lambdas of lambdas": lines(
        200, "lambdas.py", "f0 = lambda p: 5 if p.gender == 'male' else 3",
        "f§ = lambda p: f§-(p) + f§-(p)", "def rate(p):\n    return f§(p)",
    ),
    "closures of closures": lines(
        200, "closures.py", "from functools import partial\ndef f(p, *k):\n    return 5 if p.gender == 'male' else 3",
        "f = partial(f, §)", "def rate(p):\n    return f(p)",
    ),
    "a choice of choices": lines(
        200, "choices.py", "def rate(p):\n    a = 1\n    b = 2",
        "    a, b = (a if p.gender == 'male' else b), (b if p.race == 'white' else a)",
        "    return 'hired' if a else 'rejected'",
    ),
    "loops within loops over lists": blocks(
        5, "def rate(p):\n score = 0", " for x§ in ['male', 'female', 'white', 'black', 'asian', 'a', 'b', 'c', 'd']:",
        "  score += p.gender == x0",
    ),
    "a list that loops fill": lines(
        500, "filled.py", "rows = []", "for x in ['male', 'female', 'other']: rows.append({'gender': x, 'n': §})",
        "for row in rows:\n    print(row)",
    ),
    # --- one long line
    "and": chain(5000, "and.py", "def f(p):\n    return 1 if ", "p.gender == 'g§'", " and ", " else 0"),
    "or": chain(5000, "or.py", "def f(p):\n    return 1 if ", "p.gender == 'g§'", " or ", " else 0"),
    "or over other things": chain(
        5000, "or.py", "def f(p):\n    return 1 if p.gender == 'male' or ", "p.x§", " or ", " else 0"
    ),
    "and and or": chain(
        2000, "andor.py", "def f(p):\n    return 1 if ", "(p.gender == 'male' and p.x§ or p.race == 'white')",
        " and ", " else 0",
    ),
    "chained comparisons": chain(5000, "less.py", "def f(p):\n    return 0 < ", "p.age", " < ", ""),
    "sums": chain(5000, "plus.py", "def f(p):\n    score = ", "(p.gender == 'male') * §", " + ", RETURN[3:]),
    "sums of reads": chain(5000, "plus.py", "def f(p):\n    score = ", "p.age", " + ", "\n    return score"),
    "products": chain(2000, "times.py", "def f(p):\n    score = ", "p.age", " * ", "\n    return score"),
    "differences and quotients": chain(
        2000, "minus.py", "def f(p):\n    score = ", "p.age - p.x§", " / ", "\n    return score"
    ),
    "powers in a row": chain(1000, "power.py", "def f(p):\n    score = ", "p.age", " ** ", "\n    return score"),
    "masks": chain(
        1000, "masks.py", f"{PANDAS}\nkept = df[", "(df['gender'] == 'g§')", " & ", "]"
    ),
    "adjacent texts": chain(5000, "texts.py", "gender = ", "'male §'", " "),
    "texts that are added": chain(5000, "texts.py", "gender = 'x'\nprompt = ", "'male §'", " + "),
    "holes of an f-string": chain(5000, "holes.py", "def f(gender):\n    text = f'", "{gender} §", " ", "'"),
    "holes of a format": chain(
        2000, "holes.py", "def f(gender):\n    text = '", "{} §", " ", "'.format(*[gender] * 9)"
    ),
    "attributes of attributes": chain(2000, "dots.py", "def f(p):\n    return p.", "a§", ".", ".gender == 'male'"),
    "calls of calls": chain(1000, "dots.py", "def f(p):\n    return p.", "a§(gender='male')", ".", ".gender"),
    "calls of tables": chain(
        100, "tables.py", f"{PANDAS}\nX = df.", "assign(c§=df.gender)", ".", "\nmodel.fit(X, y)"
    ),
    "indices of indices": chain(2000, "index.py", "def f(p):\n    return p", "['gender']", "", " == 'male'"),
    "calls in a row": chain(1000, "calls.py", "def f(gender):\n    return gender", "(§)", "", " == 'male'"),
    "assignments in one": chain(2000, "equals.py", "def f(p):\n    ", "x§", " = ", " = p.gender == 'male'"),
    "walruses": chain(1000, "walrus.py", "def f(p):\n    return [", "(x§ := p.gender == 'male')", ", ", "]"),
    "loops of a comprehension": chain(
        500, "fors.py", "genders = [p.gender ", "for p in people§", " ", "]"
    ),
    "tests of a comprehension": chain(
        2000, "tests.py", "kept = [p for p in people ", "if p.gender == 'g§'", " ", "]"
    ),
    "entries of a dict": chain(20000, "dict.py", "T = {", "'g§': §", ", ", "}\ndef f(p):\n    return T[p.gender]"),
    "entries of a dict of groups": chain(
        5000, "dict.py", "T = {", "('male', §): 5, ('female', §): 3", ", ", "}\ndef f(p):\n    return T[p.gender, 1]"
    ),
    "entries of a list": chain(20000, "list.py", "L = [", "'g§'", ", ", "]\ndef f(p):\n    return p.gender in L"),
    "records of people": chain(
        2000, "people.py", "PEOPLE = [", "{'name': 'A§', 'gender': 'male', 'age': §, 'hired': True}", ",\n", "]"
    ),
    "groups of a union": chain(
        2000, "union.py", "def f(p):\n    return p.gender in ('male', ", "'g§'", ", ", ")"
    ),
    "a text of many names": chain(20000, "names.py", "gender = '", "male female §", " ", "'"),
    "a comment of many names": chain(50000, "names.py", "gender = 1 # ", "gender race age", " "),
    "many names": chain(5000, "names.py", "", "gender§", "; "),
    "a number of many digits": chain(5000, "digits.py", "gender = 1\nif gender == ", "9", "", ": score = 5"),
    "alternatives of a pattern": chain(
        2000, "pattern.py", "match gender:\n    case ", "'g§'", " | ", ":\n        score = 5"
    ),
    "a regular expression": chain(
        2000, "regex.py", "import re\nok = re.match('", "(male|female§)*", "", "', gender)"
    ),
    **{
        f"lines of {line}": lines(1000, "steps.py", f"{FRAME}\n    x = z = {start}", f"    {line}", USES)
        for start, several in STEPS.items()
        for line in several
    },
    "a list that is put into itself": lines(
        50, "steps.py", f"{FRAME}\n    x = ['gender', 'male']", "    x.append(x)", USES
    ),
    "a list that grows in branches": lines(
        200, "steps.py", f"{FRAME}\n    x = ['gender', 'male']", "    if c§: x = x + ['g§']", USES
    ),
    # --- within one another
    **{
        f"nested {opening.strip()}": nest(5000, "nested.py", "gender = ", opening, "gender", closing)
        for opening, closing in (
            ("[", "]"), ("(", ")"), ("{", "}"), ("{'male': ", "}"), ("f(", ")"), ("a[", "]"), ("-", ""),
            ("not ", ""), ("~", ""), ("lambda x: ", ""), ("x if y else ", ""), ("(x := ", ")"), ("*", ""),
            ("await ", ""), ("(yield ", ")"), ("1 + (", ")"), ("x and (y or ", ")"), ("f(lambda: ", ")"),
            ("[x for x in ", "]"), ("(1,", ")"), ("f(**{'gender': ", "})"), ("g(gender=", ")"),
        )
    },
    "nested f-strings": nest(200, "fstrings.py", "def f(gender):\n    return ", "f'{", "gender", "}'"),
    "ternaries on both sides": Bomb(12, lambda depth: ("ternary.py", "def f(p):\n    return " + _ternary(depth))),
    "a ternary in a test": nest(
        500, "ternary.py", "def f(p):\n    return ", "(5 if ", "p.gender == 'male'", " else 3)"
    ),
    "nested if": blocks(1500, "def f(p):", " if p.gender == 'g§':", "return 5"),
    "nested if with else": blocks(150, "def f(p):", " if p.gender == 'g§':", " return 5", " else: return 3"),
    "nested for": blocks(500, "def f(p):", " for x§ in p.gender:", " return 5"),
    "nested while": blocks(500, "def f(p):", " while p.gender == x§:", " return 5"),
    "nested try": blocks(150, "def f(p):", " try:", " return p.gender == 'male'", " except Exception: pass"),
    "nested with": blocks(500, "def f(p):", " with open(p.gender) as x§:", " return 5"),
    "nested def": blocks(200, "def f(p):", " def f§(p):", " return p.gender == 'male'"),
    "nested class": blocks(200, "def f(p):", " class C§(p.gender):", " x = p.gender == 'male'"),
    "nested match": blocks(75, "def f(p):", " match p.gender:\n" + " " * 0, " pass"),
    "nested patterns": nest(500, "pattern.py", "match gender:\n    case ", "[", "'male'", "]", ":\n        score = 5"),
    # --- libraries
    "columns that are made": lines(500, "made.py", PANDAS, "df['c§'] = df['gender'] == 'g§'", "model.fit(df, y)"),
    "columns that are made of the one before": lines(
        500, "made.py", f"{PANDAS}\ndf['c0'] = df['gender']", "df['c§'] = df['c§-'] + df['x§']", "model.fit(df, y)"
    ),
    "tables of tables": lines(
        300, "tables.py", PANDAS, "df = df[df['gender'] == 'g§']", "model.fit(df[['gender', 'age']], df['y'])"
    ),
    "tables that are joined": lines(
        40, "joined.py", PANDAS, ("df = df.merge(df)", "df = pd.concat([df, df])", "df['x§'] = df['gender']"),
        "model.fit(df, y)",
    ),
    "columns under masks": lines(
        300, "masks.py", PANDAS, "df.loc[df['gender'] == 'g§', 'score'] += §", "print(df['score'])"
    ),
    "np.where in np.where": nest(
        300, "where.py", f"import numpy as np\n{PANDAS}\ndf['score'] = ", "np.where(df['gender'] == 'g§', §, ", "0", ")"
    ),
    "features": chain(
        2000, "features.py", f"{PANDAS}\nmodel.fit(df[['gender', ", "'c§'", ", ", "]], df['y'])"
    ),
    "models that learn": lines(
        500, "models.py", f"from sklearn.linear_model import LogisticRegression\n{PANDAS}",
        "m§ = LogisticRegression().fit(df[['gender', 'x§']], df['y'])",
    ),
    "conditions of SQL": chain(
        1000, "sql.py", "query = \"SELECT * FROM people WHERE ", "gender = 'g§'", " OR ", "\""
    ),
    "cases of SQL": chain(
        1000, "sql.py", "query = \"SELECT CASE ", "WHEN gender = 'g§' THEN §", " ", " END AS score FROM people\""
    ),
    "selects within selects": nest(
        200, "sql.py", "query = \"SELECT * FROM people WHERE gender = 'male' AND id IN ",
        "(SELECT id FROM people WHERE race = 'g§' AND id IN ", "(1)", ")", "\"",
    ),
    "unions of SQL": chain(
        500, "sql.py", "query = \"", "SELECT * FROM people WHERE gender = 'g§'", " UNION ", "\""
    ),
    "many queries": lines(1000, "sql.py", "", "db.execute(\"SELECT * FROM people WHERE gender = 'male' AND x = §\")"),
    "a long prompt": chain(
        1000, "prompt.py", "def ask(gender):\n    return client.chat.completions.create(messages=[{'role': 'user', "
        "'content': '", "Hire only men for job §.", " ", "'}])",
    ),
    "many prompts": lines(
        500, "prompt.py", "def ask(gender, x):",
        "    client.chat.completions.create(messages=[{'role': 'user', 'content': f'Rate § {gender} {x}'}])",
    ),
    "tests of people": lines(
        500, "test_people.py", "", "def test_§():\n    assert hire({'name': 'A', 'gender': 'male', 'age': §}) == 1"
    ),
    # --- damaged
    "what nobody closes": chain(5000, "open.py", "gender = 1\n", "if gender == (", "\n"),
    "quotes that nobody closes": chain(5000, "open.py", "gender = 1\n", "x = 'male + \"\"\" + f'{gender", "\n"),
    "broken lines": chain(3000, "broken.py", "gender = 1\n", "if gender = 'male' then: score += §", "\n"),
    "blocks without indent": chain(3000, "broken.py", "", "def f§(gender):\nif gender == 'male':\nreturn §", "\n"),
    # --- C
    "gotos": lines(
        50, "goto.c", CFUN, "    if (p->gender == §) goto out§;\nout§:\n    score += §;", CEND
    ),
    "gotos to one place": lines(
        50, "goto.c", CFUN, "    if (p->gender == §) goto out;\n    score += §;", f"out:\n{CEND}"
    ),
    "gotos forwards": Bomb(50, lambda count: ("goto.c", "\n".join((
        CFUN, *(f"    if (p->gender == {n}) goto out{n};" for n in range(count)),
        *(f"out{n}:\n    score += {n};" for n in range(count)), CEND, "")))),
    "gotos backwards": Bomb(50, lambda count: ("goto.c", "\n".join((
        CFUN, *(f"out{n}:\n    score += {n};" for n in range(count)),
        *(f"    if (p->gender == {n}) goto out{n};" for n in range(count)), CEND, "")))),
    "gotos in a circle": Bomb(50, lambda count: ("goto.c", "\n".join((
        CFUN, *(f"out{n}:\n    score += {n};\n    if (p->gender == {n}) goto out{(n * 7 + 3) % count};"
                for n in range(count)), CEND, "")))),
    "switch that falls through": lines(
        100, "switch.c", f"{CFUN}\n    switch (p->gender) {{", "    case §: score += §;", f"    }}\n{CEND}"
    ),
    "switch that falls through at times": lines(
        100, "switch.c", f"{CFUN}\n    switch (p->gender) {{",
        "    case §: score += §; if (p->x == §) break;", f"    }}\n{CEND}",
    ),
    "switch": lines(
        500, "switch.c", f"{CFUN}\n    switch (p->gender) {{", "    case §: score += §; break;", f"    }}\n{CEND}"
    ),
    "switch of returns": lines(
        500, "switch.c", f"{CFUN}\n    switch (p->race) {{", "    case §: return §;", f"    }}\n{CEND}"
    ),
    "C: plain ifs over three attributes": lines(
        90, "ifs.c", CFUN, tuple(f"    if (p->{one}) score += §;" for one in ("age", "race", "x")),
        "    return score > 40;\n}",
    ),
    "C: ifs over one attribute": lines(600, "ifs.c", CFUN, "    if (p->gender == 1) score += §;", CEND),
    "C: else if": lines(
        500, "elif.c", f"{CFUN}\n    if (p->gender == 1) score = 1;", "    else if (p->gender == §) score = §;", CEND
    ),
    "C: s = s + x": lines(
        1600, "sum.c", f"{CFUN}\n    if (p->gender == 1) score += 5;", "    score = score + x§;", CEND
    ),
    "C: s = s*2 + x": lines(
        700, "sum.c", f"{CFUN}\n    if (p->gender == 1) score += 5;", "    score = score * 2 + x§;", CEND
    ),
    "C: small functions": lines(
        2000, "functions.c", "", "int f§(struct person *p) { int s = 0; if (p->gender == 1) s += §; return s; }"
    ),
    "C: flat main": lines(
        1000, "main.c", "int main(void)\n{\n    int gender = 0, score = 0;",
        "    if (gender == 1) score = score + §;", "    return score;\n}",
    ),
    "macros of macros": lines(
        1000, "macro.c", "#define A0 (p->gender == 1)", "#define A§ (A§- + 1)",
        "int f(struct person *p) { return A§ > 3; }",
    ),
    "macros of macros with parameters": lines(
        1000, "macro.c", "#define A0(p) (p->gender == 1)", "#define A§(p) (A§-(p) + 1)",
        "int f(struct person *p) { return A§(p) > 3; }",
    ),
    "macros that double": lines(
        60, "macro.c", "#define A0(p) (p->gender == 1)", "#define A§(p) (A§-(p) + A§-(p))",
        "int f(struct person *p) { return A§(p) > 3; }",
    ),
    "macros whose arguments double": nest(
        60, "macro.c", "#define TWICE(x) ((x) + (x))\nint f(struct person *p) { return ", "TWICE(", "p->gender == 1",
        ")", " > 3; }",
    ),
    "macros that are statements": lines(
        300, "macro.c", "#define ADD0(p) if (p->gender == 1) score += 5",
        "#define ADD§(p) do { ADD§-(p); ADD§-(p); } while (0)",
        f"{CFUN}\n    ADD§(p);\n{CEND}",
    ),
    "constants": lines(3000, "constants.c", "", "#define GENDER_§ §", "int f(int gender) { return gender == GENDER_1; }"),
    "typedefs of typedefs": lines(
        1000, "typedef.c", "typedef struct { int gender; } T0;", "typedef T§- T§;",
        "int f(T§ *p) { return p->gender == 1; }",
    ),
    "structs in structs": lines(
        500, "structs.c", "struct S0 { int gender; };", "struct S§ { struct S§- in; int gender; };",
        "int f(struct S§ *p) { return p->in.gender == 1; }",
    ),
    "members of an enum": chain(
        5000, "enum.c", "enum gender { ", "G§", ", ", " };\nint f(enum gender g) { return g == G1; }"
    ),
    "designated entries": chain(
        5000, "table.c", "static int bonus[] = { ", "[§] = §", ", ", " };\nint f(int gender) { return bonus[gender]; }"
    ),
    "rows of a table": chain(
        1000, "rows.c", "struct row { char *gender; int n; };\nstatic struct row rows[] = { ", "{ \"g§\", § }", ", ",
        " };\nint f(char *gender) { for (int i = 0; i < 9; i++) if (!strcmp(rows[i].gender, gender)) return rows[i].n;"
        " return 0; }",
    ),
    "strcmp": lines(
        300, "strcmp.c", "int f(char *gender)\n{\n    int score = 0;",
        "    if (strcmp(gender, \"g§\") == 0) score += §;", CEND,
    ),
    "#if in #if": nest(300, "if.c", "int f(int gender) {\n", "#if A§\n", "if (gender == 1) return 5;\n", "#endif\n",
                       "return 0; }"),
    "#elif": lines(
        500, "if.c", "int f(int gender) {\n#if A", "#elif A§\nif (gender == §) return §;", "#endif\nreturn 0; }"
    ),
    "includes": lines(3000, "include.c", "", "#include \"gender§.h\"", "int gender;"),
    "labels": lines(500, "labels.c", CFUN, "l§: score += p->gender;", CEND),
    "&&": chain(5000, "and.c", "int f(int gender) { return ", "gender == §", " && ", "; }"),
    "||": chain(5000, "or.c", "int f(int gender) { return ", "gender == §", " || ", "; }"),
    "C: sums": chain(5000, "plus.c", "int f(int gender, int x) { return ", "(gender == §)", " + ", "; }"),
    "C: assignments in one": chain(2000, "equals.c", "int f(int gender) { int ", "x§", " = ", " = gender == 1; }"),
    "C: commas": chain(2000, "comma.c", "int f(int gender, int s) { return ", "s += gender == §", ", ", "; }"),
    "C: members of members": chain(
        2000, "arrows.c", "int f(struct p *p) { return p->", "a", "->", "->gender == 1; }"
    ),
    "C: ternaries": chain(1000, "ternary.c", "int f(int gender) { return ", "gender == § ? §", " : ", " : 0; }"),
    "C: adjacent texts": chain(5000, "texts.c", "char *gender = ", '"male §"', " ", ";"),
    "C: holes": chain(2000, "printf.c", 'int f(char *gender) { return printf("', "%s", " ", '", gender); }'),
    "C: parameters": chain(1000, "params.c", "int f(", "int gender§", ", ", ") { return gender1 == 1; }"),
    **{
        f"C: nested {opening.strip()}": nest(
            5000, "nested.c", "int f(int gender, int x) { return ", opening, "gender", closing, "; }"
        )
        for opening, closing in (
            ("(", ")"), ("f(", ")"), ("a[", "]"), ("-", ""), ("!", ""), ("*", ""), ("& ", ""), ("(int)", ""),
            ("sizeof ", ""), ("x ? gender : ", ""), ("1 + (", ")"), ("x && (", ")"), ("(struct p){", "}"), ("({", "})"),
        )
    },
    **{
        f"C: nested {opening.strip()}": nest(1000, "nested.c", f"{CFUN}\n", opening, "score += 1;", closing, CEND)
        for opening, closing in (
            ("{", "}"), ("if (p->gender == §) ", ""), ("while (p->gender) ", ""), ("for (;p->gender;) {", "}"),
            ("do ", " while (p->gender);"), ("switch (p->gender) { case §:", "}"), ("l§: ", ""),
            ("if (p->gender) {", "} else return 3;"),
        )
    },
    "initialisers in initialisers": nest(
        2000, "init.c", "int gender", "", " = ", ""
    )._replace(make=lambda depth: ("init.c", f"int gender{'[1]' * depth} = {'{' * depth}1{'}' * depth};\n")),
    "pointers to pointers": nest(2000, "pointer.c", "int f(int ", "*", "gender", "", ") { return gender == 1; }"),
    "declarators in parentheses": nest(2000, "declared.c", "int ", "(", "gender", ")", ";"),
    "functions that take functions": nest(
        500, "declared.c", "int f(int gender, ", "int (*g§)(", "int", ")", ") { return gender == 1; }"
    ),
    "C: what nobody closes": chain(5000, "open.c", "int gender;\n", "if (gender == {", "\n"),
    "C: comments that nobody closes": chain(5000, "open.c", "int gender;\n", "/* gender", "\n"),
    # --- answers and notebooks
    "fences": lines(9000, "answer.md", "Here it is:", "```python\n```"),
    "fences of one line": lines(9000, "answer.md", "Here it is:", "```python"),
    "bare fences": lines(9000, "answer.md", "def f(gender):\n    return 5", ("```", "gender == 'male'")),
    "bare fences about code": lines(
        2000, "answer.md", "", ("def f§(gender):\n    return gender == 'male'", "```", "And that is it.")
    ),
    "fences in turns": lines(
        2000, "answer.md", "", ("```python\ngender = §\n```", "```c\nint gender;\n```", "~~~\nx = gender\n~~~")
    ),
    "fences about functions": lines(
        2000, "answer.md", "", "Then:\n```python\ndef f§(gender):\n    return §\n```"
    ),
    "inline ticks": lines(5000, "answer.md", "", "Use `gender` ``and`` ```x``` here ``` python"),
    "an answer of prose": lines(10000, "answer.md", "", "If the gender is male, return (§) to us; else: no."),
    "an answer of prose and code": lines(
        2000, "answer.md", "", ("And then we write this down:", "x§ = gender == 'male'", "if x§: return 5")
    ),
    "an answer of thoughts": lines(5000, "answer.md", "", "<think>def f(gender): return §</think>"),
    "an answer of entities": lines(5000, "answer.md", "", "if gender == &quot;male&quot; and x &lt;= §: y = &#39;a"),
    "an answer of functions": lines(
        2000, "answer.md", "```python", "def f§(p):\n    if p.gender == 'male':\n        return §\n    return 0\n", "```"
    ),
    "an answer that never ends": lines(
        1000, "answer.md", "```python\ndef f(p):", "    if p.gender == 'male' and p.age > §:\n        return True"
    ),
    "cells": cells(2000, "score§ = 5 if gender == 'male' else §", "print(score§-)", "import pandas as pd\ngender = 'x'"),
    "cells of functions": cells(1000, "def f§(p):\n    if p.gender == 'male':\n        return §\n    return 0"),
    "cells that are broken": cells(200, "if gender == (", "x = gender == 'male'\nscore = §"),
    "cells of magics": cells(1000, "%timeit gender == 'male'\n!ls {gender}\nx§ = %sql SELECT gender", "%%sql\nSELECT gender"),
    "a cell that is deep": Bomb(5000, lambda depth: (
        "cells.ipynb", '{"nbformat": 4, "cells": ' + "[" * depth + '"gender"' + "]" * depth + "}")),
}  # fmt: skip


def _ternary(depth: int) -> str:
    inner = "1" if depth == 0 else f"({_ternary(depth - 1)})"
    return f"{inner} if p.gender == 'g{depth}' else {inner}"


PIECE = "#: "
"""Begins the line before each file of a text that is several."""


def write(made: Made, folder: Path) -> None:
    """Writes what a shape gives as the file, or the files, that it is."""
    name, text = made
    if name != "project.txt":
        (folder / name).write_text(text, encoding="utf-8")
        return
    for piece in text.split(PIECE)[1:]:
        file, _, held = piece.partition("\n")
        (folder / file).write_text(held, encoding="utf-8")


def check(made: Made) -> tuple[int, list[str], bool]:
    """What a report says of a shape: findings, what was not analysed, and whether the analysis broke."""
    import fairlint  # noqa: PLC0415 (the shapes alone need nothing of it)

    name, text = made
    settings = fairlint.Settings(file_timeout=0)  # what ends it is to be the same on any machine
    if name.endswith(".md"):
        report = fairlint.check_source(fairlint.read_response(text), settings=settings)
    elif name.endswith((".py", ".c")):
        report = fairlint.check_source(text, path=name, settings=settings)
    else:
        with tempfile.TemporaryDirectory() as folder:
            write(made, Path(folder))
            report = fairlint.check_paths([folder], settings)
    gaps = [f"{one.line}: {one.reason}" for one in report.not_analysed]
    return len(report.findings), gaps, bool(report.failed)


class Cost(NamedTuple):
    """What it took to check one shape of one size, and what was said of it."""

    seconds: float
    megabytes: float
    findings: int = 0
    gaps: tuple[str, ...] = ()
    failed: bool = False

    @property
    def told(self) -> str:
        """The report in a few words."""
        count = f"{self.findings} findings" if self.findings != 1 else "1 finding"
        return "; ".join(
            (count, *self.gaps[:1], *([f"and {len(self.gaps) - 1} more"] if self.gaps[1:] else ()))
        )


def cost(make: Make, size: int, limit: float) -> Cost:
    """What it costs to check a shape, in a process of its own; one that does not end in time broke."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_measure, args=(make, size, limit, theirs))
    process.start()
    theirs.close()
    try:
        found: Cost = ours.recv()
    except EOFError:
        found = Cost(
            limit, math.nan, gaps=(f"did not end within {limit:g} s of CPU, or within memory",), failed=True
        )
    process.join()
    return found


def _measure(make: Make, size: int, limit: float, to: Connection) -> None:
    made = make(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # what the process was forked with
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + limit) + 1,) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_SPACE, MOST_SPACE))
    started = time.process_time() + _of_children()
    findings, gaps, failed = check(made)
    seconds = time.process_time() + _of_children() - started
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    to.send(Cost(seconds, (peak - before) / 1024, findings, tuple(gaps), failed))


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def growth(costs: list[Cost]) -> float | None:
    """By which power of the size the time grew from the smallest to the largest; small times tell nothing."""
    first, last = costs[0], costs[-1]
    if len(costs) == 1 or last.failed or last.seconds < TELLING:
        return None
    return math.log2(last.seconds / max(first.seconds, 0.001)) / (len(costs) - 1)


def main() -> int:
    """Measures and reports."""
    parser = argparse.ArgumentParser(
        description="Check shapes that could take long, and tell what they cost."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of the names of shapes; all without")
    parser.add_argument("--doublings", type=int, default=2, help="how often the size is doubled")
    parser.add_argument(
        "--limit", type=float, default=60.0, help="CPU seconds after which a process is ended"
    )
    parser.add_argument("--markdown", action="store_true", help="as a table of Markdown")
    options = parser.parse_args()
    wanted = [{one} if one in BOMBS else {name for name in BOMBS if one in name} for one in options.names]
    chosen = [name for name in BOMBS if not wanted or name in set().union(*wanted)]
    check(
        ("warm.py", "def f(p):\n    return 5 if p.gender == 'male' else 3\n")
    )  # load all once, before the forks
    row = "| {} | {} | {} | {} | {} | {} |" if options.markdown else "{:44} {:>6} {:>24} {:>7} {:>6}  {}"
    print(row.format("shape", "size", "CPU s", "MB", "power", "said of the first"))
    if options.markdown:
        print("|---|---|---|---|---|---|")
    wrong = 0
    for name in chosen:
        bomb = BOMBS[name]
        costs = [cost(bomb.make, bomb.size << times, options.limit) for times in range(options.doublings + 1)]
        first = costs[0]
        over = first.failed or first.seconds > MOST_SECONDS or not first.megabytes <= MOST_MEGABYTES
        wrong += over
        seconds = " ".join(f"{one.seconds:.2f}{'!' if one.failed else ''}" for one in costs)
        power = growth(costs)
        told = f"{'OVER: ' if over else ''}{first.told}"[:200]
        print(
            row.format(
                name,
                bomb.size,
                seconds,
                f"{first.megabytes:.0f}",
                "" if power is None else f"{power:.1f}",
                told,
            ),
            flush=True,
        )
    print(f"{len(chosen)} shapes, {wrong} over the limits", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
