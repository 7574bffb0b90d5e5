"""Python's amounts are what Python computes: each program here is executed, too."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace

import pytest

from fairlint import check_source

HEAD = (
    "import math\nfrom collections import ChainMap, Counter, OrderedDict, defaultdict\n"
    "from types import MappingProxyType\n"
)


def told(code: str) -> list[dict[str, float] | None]:
    """What each finding about a score says that the groups get."""
    found = [
        one for one in check_source(code, path="rate.py").findings if one.rule in {"FL201", "FL202", "FL205"}
    ]
    return [None if one.points is None else dict(one.points.by_group) for one in found]


def real(code: str) -> dict[str, float]:
    """What they get."""
    names: dict[str, object] = {}
    exec(compile(code, "rate.py", "exec"), names)
    score = names["score"]
    assert callable(score)
    return {group: score(SimpleNamespace(gender=group, years=1)) for group in ("male", "female")}


CHANGED = {
    "setdefault": "d = {'male': 5}; d.setdefault('female', 3)",
    "setdefault of what is there": "d = {'male': 5, 'female': 1}; d.setdefault('female', 3)",
    "update": "d = {'male': 5}; d.update({'female': 3, 'male': 7})",
    "update by name": "d = {'male': 5}; d.update({'female': 3}, male=9)",
    "update by pairs": "d = {'male': 5, 'female': 1}; d.update([('female', 3)])",
    "|=": "d = {'male': 5}; d |= {'female': 3}",
    "an entry": "d = {'male': 5}; d['female'] = 3",
    "an entry more": "d = {'male': 5, 'female': 1}; d['female'] += 3",
    "an entry times": "d = {'male': 5, 'female': 1}; d['male'] *= 3",
    "dict over a dict": "a = {'male': 5, 'female': 1}; d = dict(a, male=7)",
    "spread": "a = {'male': 5, 'female': 1}; d = {**a, 'male': 7}",
    "spread over": "a = {'male': 5, 'female': 1}; d = {'male': 7, **a}",
    "pop": "d = {'male': 5, 'female': 1, 'x': 2}; d['male'] += d.pop('x')",
    "del": "d = {'male': 5, 'female': 1}; del d['female']; d.setdefault('female', 8)",
    "clear": "d = {'male': 5, 'female': 1}; d.clear(); d.update(male=1, female=2)",
    "popitem": "d = {'male': 5, 'female': 1, 'x': 1}; d.popitem()",
    "defaultdict": "d = defaultdict(int, {'male': 5})",
    "Counter": "d = Counter({'male': 5})",
    "Counter by name": "d = Counter(male=5)",
    "ChainMap": "d = ChainMap({'male': 5}, {'male': 1, 'female': 2})",
    "OrderedDict": "d = OrderedDict(male=5, female=2)",
    "a proxy": "d = MappingProxyType({'male': 5, 'female': 2})",
    "a copy": "a = {'male': 5, 'female': 1}; d = a.copy(); d['male'] = 9",
    "what was copied": "d = {'male': 5, 'female': 1}; a = d.copy(); a['male'] = 9",
    "another name": "a = {'male': 5, 'female': 1}; d = a; a['male'] = 9",
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_a_table_is_what_became_of_it(change: str) -> None:
    body = f"    score = 0\n    {change}\n    score += d[person.gender]\n    return score\n"
    code = f"{HEAD}def score(person):\n{body}"
    assert told(code) == [pytest.approx(real(code))]


def test_a_table_that_got_unseen_entries_has_no_amounts() -> None:
    for change in ("d.update(load())", "d.pop(name())", "d |= load()"):
        code = f"def score(person):\n    score = 0\n    d = {{'male': 5, 'female': 1}}\n    {change}\n"
        assert told(f"{code}    score += d[person.gender]\n    return score\n") in ([None], [])


ATOMS = (
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "2.5",
    "0.5",
    "True",
    "int('11', 2)",
    "float('2.5')",
    "len('ab')",
)
SIGNS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "==", "and", "or")
CALLS = (
    "abs",
    "round",
    "int",
    "float",
    "bool",
    "math.floor",
    "math.ceil",
    "math.trunc",
    "sum",
    "max",
    "divmod",
)


def expression(choose: random.Random, depth: int) -> str:
    def inner() -> str:
        return expression(choose, depth - 1)

    kind = choose.randrange(10) if depth else 10
    if kind < 5:
        return f"({inner()} {choose.choice(SIGNS)} {inner()})"
    if kind < 6:
        return f"{choose.choice(['-', '+', '~', 'not '])}{inner()}".join("()")
    if kind < 9:
        name = choose.choice(CALLS)
        given = {
            "sum": f"[{inner()}, {inner()}]",
            "max": f"{inner()}, {inner()}",
            "divmod": f"{inner()}, {inner()}",
        }
        return f"{name}({given.get(name) or inner()})" + ("[0]" if name == "divmod" else "")
    return choose.choice(ATOMS) if kind == 10 else f"({inner()} if {inner()} else {inner()})"


@pytest.mark.parametrize("seed", range(2))
def test_an_amount_is_what_python_computes_or_there_is_none(seed: int) -> None:
    choose = random.Random(seed)
    computed: dict[str, float] = {}
    while len(computed) < 150:
        amount = expression(choose, choose.choice((1, 2, 3)))
        try:
            computed[amount] = float(eval(amount, {"math": math}))
        except (ArithmeticError, TypeError, ValueError):
            continue
    functions = "".join(
        f"def score{place}(person):\n    score = 0\n    if person.gender == 'male':\n"
        f"        score += {amount}\n    return score\n"
        for place, amount in enumerate(computed)
    )
    amounts = list(computed.items())
    found = check_source(f"import math\n{functions}", path="rate.py").findings
    heads = {5 * place + 5: place for place in range(len(amounts))}
    wrong = []
    compared = 0
    for one in found:
        if one.points is None or one.points.at_most:
            continue
        amount, wanted = amounts[heads[(one.start.line - 2) // 5 * 5 + 5]]
        compared += 1
        if one.points.by_group["male"] != pytest.approx(wanted, rel=1e-6, abs=1e-9):
            wrong.append((amount, one.points.by_group["male"], wanted))
    assert compared > len(amounts) / 4
    assert wrong == []


@pytest.mark.parametrize("given", ["points(2)", "points(times=4)", "-points(1, 9)", "points(2) + 1"])
def test_what_a_function_makes_of_numbers_is_an_amount_in_a_table_too(given: str) -> None:
    code = (
        f"def points(times, each=6):\n    return times * each\n\n\n"
        f"TABLE = {{'male': {given}, 'female': 5}}\n\n\n"
        "def score(person):\n    score = 0\n    score += TABLE[person.gender]\n    return score\n"
    )
    assert told(code) == [real(code)]
