"""What both executors promise: every kind of outcome, every way to call, every limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from python_executor import python_executor

from fairlint.counterfactual.executors.executor import (
    Call,
    CallStyle,
    Crashed,
    Executor,
    Failed,
    Incomparable,
    Limits,
    Outcome,
    Program,
    Value,
)
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.counterfactual.population import Cell
from fairlint.support.records import replace

PEOPLE: Sequence[Sequence[Cell]] = ((30, "Male"), (20, "Female"))
FINE = Limits(seconds=20, memory=128 * 2**20, depth=100, output=100_000)
QUICK = replace(FINE, seconds=0.5)
YES, NO = Value("bool", "1"), Value("bool", "0")


@pytest.fixture(scope="module", params=[MontyExecutor, python_executor], ids=["monty", "process"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with request.param() as started:
        yield started


def run(
    executor: Executor,
    source: str,
    *,
    entry: str = "f",
    style: CallStyle = "arguments",
    people: Sequence[Sequence[Cell]] = PEOPLE,
    extra: tuple[tuple[str, Cell], ...] = (),
    limits: Limits = FINE,
) -> tuple[Outcome, ...] | Failed:
    program = Program(source, entry, Call(style, ("age", "sex"), extra))
    return executor.run(program, people, limits)


def value_of(executor: Executor, expression: str) -> Outcome:
    found = run(executor, f"def f(age, sex):\n    return {expression}\n", people=PEOPLE[:1])
    assert isinstance(found, tuple)
    return found[0]


CLASS = """
class Applicant:
    def __init__(self, age, sex, limit=25):
        self.age, self.limit = age, limit
"""
STUBBORN = """
def f(age, sex):
    while True:
        try:
            while True: pass
        except BaseException: pass
"""


@pytest.mark.parametrize(
    ("style", "source", "entry"),
    [
        ("arguments", "def f(age, sex): return age > 25", "f"),
        ("arguments", "def f(*, sex, age, limit=25): return age > limit", "f"),
        ("arguments", "def f(**person): return person['age'] > 25", "f"),
        ("mapping", "def f(p): return p['age'] > 25 and 'age' in p", "f"),
        ("mapping", "def f(p): return p.get('age', 0) > p.get('limit', 25)", "f"),
        ("object", "def f(p): return p.age > 25", "f"),
        ("object", "def f(p): return p.age > 25 and p['age'] > 25 and p.get('sex') == p.sex", "f"),
        ("method", CLASS + "    def ok(self): return self.age > self.limit", "Applicant.ok"),
        ("mapping", "class Bank:\n    def ok(self, p): return p['age'] > 25", "Bank.ok"),
        ("people", "def f(people): return [p for p in people if p['age'] > 25]", "f"),
        ("people", "def f(people): return [p['sex'] for p in people if p['age'] > 25]", "f"),
        ("people", "def f(people): return {p['sex']: p for p in people if p['age'] > 25}", "f"),
    ],
)
def test_every_way_to_call(executor: Executor, style: CallStyle, source: str, entry: str) -> None:
    assert run(executor, source, style=style, entry=entry) == (YES, NO)


def test_scores_of_people_in_a_list_are_compared_as_they_are(executor: Executor) -> None:
    source = "def rate(people): return [p['age'] for p in people]"
    outcomes = run(executor, source, entry="rate", style="people")
    assert not isinstance(outcomes, Failed)
    assert [one.kind for one in outcomes if isinstance(one, Value)] == ["list", "list"]
    assert outcomes[0] != outcomes[1]


def test_scores_of_people_in_a_table_are_compared_and_not_the_names(executor: Executor) -> None:
    for source, outcomes in (
        ("return {p['sex']: p['age'] for p in people}", (Value("list", "[30]"), Value("list", "[20]"))),
        ("return {'in': [1 for p in people if p['age'] > 25], 'out': []}",
         (Value("list", "[[1], []]"), Value("list", "[[], []]"))),
    ):  # fmt: skip
        body = f"def rate(people): {source}"
        assert run(executor, body, entry="rate", style="people") == outcomes


def test_other_arguments_are_the_same_in_each_call(executor: Executor) -> None:
    source = "def find(people, by): return [p for p in people if p[by] == 'Male']"
    assert run(executor, source, entry="find", style="people", extra=(("by", "sex"),)) == (YES, NO)
    source = CLASS + "    def ok(self, least): return self.age > least"
    assert run(executor, source, entry="Applicant.ok", style="method", extra=(("least", 25),)) == (YES, NO)


@pytest.mark.parametrize(
    "expressions",
    [
        ["1", "1.0", "True", "2 - 1"],
        ["0", "0.0", "-0.0", "False"],
        ["float('nan')", "float('inf') - float('inf')"],
        ["{1, 2, 3}", "{3, 2, 1.0}", "frozenset([2, 1, 3])"],
        ["{'a': 1, 'b': [2]}", "{'b': [2.0], 'a': True}", "dict([('b', [2]), ('a', 1)])"],
        ["(1, 'x')", "tuple([1, 'x'])"],
        ["'é\\u2028'", "'\\xe9' + chr(0x2028)"],
        ["10**400", "10**200 * 10**200"],
        ["1e300", "int(1e300)"],
        ["'a' * 5000", "''.join(['a'] * 5000)"],
    ],
)
def test_what_python_calls_equal_is_one_outcome(executor: Executor, expressions: list[str]) -> None:
    found = {value_of(executor, each).text for each in expressions}  # type: ignore[union-attr]
    assert len(found) == 1


def test_what_python_tells_apart_are_different_outcomes(executor: Executor) -> None:
    expressions = [
        "None", "0", "1", "0.1", "'0'", "'1'", "''", "'None'", "'null'", "float('nan')", "'NaN'",
        "float('inf')", "[]", "[1]", "[1, 2]", "[2, 1]", "(1,)", "(1, 2)", "{1}", "{1: 1}", "{'1': 1}",
        "[[1]]", "['1']", "{}",
        "set()", "()", "[[]]", "'a' * 5000", "'a' * 5001", "10**5000", "10**5000 + 1", "'[1]'",
    ]  # fmt: skip
    texts = [value_of(executor, each).text for each in expressions]  # type: ignore[union-attr]
    assert len(set(texts)) == len(expressions)


@pytest.mark.parametrize(
    ("expression", "kind", "text"),
    [
        ("None", "none", "null"),
        ("True", "bool", "1"),
        ("3", "int", "3"),
        ("2.5", "float", "2.5"),
        ("2.0", "float", "2"),
        ("'yes'", "str", '"yes"'),
        ("[1, None]", "list", "[1, null]"),
        ("(1,)", "tuple", '{"tuple": [1]}'),
        ("{'b', 'a'}", "set", '{"set": ["a", "b"]}'),
        ("{'b': 1, 'a': 2}", "dict", '{"dict": [["a", 2], ["b", 1]]}'),
    ],
)
def test_the_text_of_a_value(executor: Executor, expression: str, kind: str, text: str) -> None:
    assert value_of(executor, expression) == Value(kind, text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expression", "name"),
    [("f", "function"), ("lambda: 1", "function"), ("len", "builtin_function_or_method"), ("int", "type")],
)
def test_what_has_no_value_is_not_comparable(executor: Executor, expression: str, name: str) -> None:
    assert value_of(executor, expression) == Incomparable(name)
    assert value_of(executor, f"[1, ({expression},)]") == Incomparable(name)


def test_objects_are_not_comparable(executor: Executor) -> None:
    found = run(executor, "class Decision: pass\ndef f(age, sex): return Decision()")
    assert found == (Incomparable("Decision"), Incomparable("Decision"))


def test_deep_and_wide_values_are_not_comparable(executor: Executor) -> None:
    deep = "def f(age, sex):\n    x = []\n    for _ in range(10000): x = [x]\n    return x"
    assert run(executor, deep, people=PEOPLE[:1]) == (Incomparable("too large a value"),)
    wide = "def f(age, sex):\n    x = [1, 2]\n    for _ in range(40): x = [x, x]\n    return x"
    assert run(executor, wide, people=PEOPLE[:1]) == (Incomparable("too large a value"),)
    ring = "def f(age, sex):\n    x = []\n    x.append(x)\n    return x"
    assert run(executor, ring, people=PEOPLE[:1]) == (Incomparable("too large a value"),)


def test_an_exception_is_told_of_its_person_alone(executor: Executor) -> None:
    found = run(executor, "def f(age, sex):\n    if age > 25: raise ValueError('too old')\n    return 1")
    assert found == (Crashed("ValueError", "too old"), Value("int", "1"))


def test_an_exit_is_an_exception_too(executor: Executor) -> None:
    found = run(executor, "def f(age, sex):\n    raise SystemExit('enough')")
    assert found == (Crashed("SystemExit", "enough"),) * 2


def test_recursion_without_end_is_an_exception(executor: Executor) -> None:
    found = run(executor, "def f(age, sex): return f(age, sex)")
    assert isinstance(found, tuple)
    assert isinstance(found[0], Crashed)
    assert found[0].error == "RecursionError"


def test_calls_within_calls_up_to_the_limit(executor: Executor) -> None:
    source = "def g(n): return n and g(n - 1)\ndef f(age, sex): return g(90)"
    assert run(executor, source) == (Value("int", "0"),) * 2


def test_a_wrong_number_of_arguments_is_an_exception(executor: Executor) -> None:
    found = run(executor, "def f(age): return 1")
    assert isinstance(found, tuple)
    assert isinstance(found[0], Crashed)
    assert found[0].error == "TypeError"


@pytest.mark.parametrize(
    ("source", "cause", "message"),
    [
        ("def f(:", "syntax", "line 1: "),
        ("x = 1 +\n", "syntax", "line 1: "),
        ("def f(): pass\0", "syntax", "null bytes"),
        ("(" * 5000, "syntax", ""),
        ("-" * 50000 + "1", "syntax", "too deeply"),
        ("#" * 600_000, "syntax", "longer than"),
        ("x = undefined\ndef f(age, sex): return 1", "definition", "NameError: name 'undefined'"),
        ("1 / 0", "definition", "ZeroDivisionError"),
        ("def g(n): return g(n)\ng(1)", "depth", "too deeply"),
        ("def g(age, sex): return 1", "missing", "the code defines no 'f'"),
        ("def f(age, sex): return 'a' * 10**10", "memory", "memory"),
        ("x = 'a' * 10**10", "memory", "memory"),
        ("def f(age, sex):\n    x = []\n    while True: x.append('a' * 10**6 + sex)", "memory", "memory"),
        ("def f(age, sex):\n    while True: pass", "time", "0.5 s"),
        ("while True: pass", "time", "0.5 s"),
        (STUBBORN, "time", "0.5 s"),
        ("def f(age, sex):\n    for _ in range(3000): print('x' * 100)", "output", "more than it may"),
    ],
)
def test_what_fails_as_a_whole(executor: Executor, source: str, cause: str, message: str) -> None:
    found = run(executor, source, limits=QUICK if cause == "time" else FINE)
    assert isinstance(found, Failed), found
    assert found.cause == cause, found
    assert message in found.message
    assert "\n" not in found.message
    assert run(executor, "def f(age, sex): return age > 25") == (YES, NO)


def test_values_count_against_the_output(executor: Executor) -> None:
    people = [(age, "x") for age in range(60)]
    found = run(executor, "def f(age, sex): return 'a' * 3000 + str(age)", people=people)
    assert isinstance(found, Failed)
    assert found.cause == "output"


def test_what_is_printed_goes_nowhere(executor: Executor, capfd: pytest.CaptureFixture[str]) -> None:
    source = "print('defined')\ndef f(age, sex):\n    print('called', age)\n    return age > 25"
    assert run(executor, source) == (YES, NO)
    assert capfd.readouterr() == ("", "")


def test_a_changed_argument_does_not_reach_the_next_call(executor: Executor) -> None:
    source = "def f(p):\n    p['age'] = p['age'] + p.get('more', 0)\n    p['more'] = 100\n    return p['age']"
    assert run(executor, source, style="mapping") == (Value("int", "30"), Value("int", "20"))
    source = "def f(p):\n    p.age += getattr(p, 'more', 0)\n    p.more = 100\n    return p.age"
    assert run(executor, source, style="object") == (Value("int", "30"), Value("int", "20"))


def test_each_batch_has_a_namespace_of_its_own(executor: Executor) -> None:
    source = "count = 0\ndef f(age, sex):\n    global count\n    count += 1\n    return count"
    for _ in range(3):
        assert run(executor, source) == (Value("int", "1"), Value("int", "2"))


def test_what_the_harness_uses_may_be_called_the_same(executor: Executor) -> None:
    source = (
        "str = repr = type = list = dict = len = sorted = zip = isinstance = json = answer = outcome = None\n"
        "def canonical(*a): raise ValueError\n"
        "def f(age, sex): return {'a': [1, sex]}\n"
    )
    found = run(executor, source, people=PEOPLE[:1])
    assert found == (Value("dict", '{"dict": [["a", [1, "Male"]]]}'),)


def test_names_that_are_no_identifiers(executor: Executor) -> None:
    program = Program("def f(p): return p['marital-status']", "f", Call("mapping", ("marital-status",)))
    assert executor.run(program, [["Single"]], FINE) == (Value("str", '"Single"'),)
    program = Program("def f(p): return getattr(p, 'a b')", "f", Call("object", ("a b",)))
    assert executor.run(program, [[None]], FINE) == (Value("none", "null"),)


def test_cells_arrive_as_they_are(executor: Executor) -> None:
    source = "def f(age, sex): return [type(sex).__name__, sex]"
    cells: list[Cell] = [None, True, 3, 2.5, "é\n\"'", "", float("inf"), 10**30]
    names = ["NoneType", "bool", "int", "float", "str", "str", "float", "int"]
    found = run(executor, source, people=[(1, cell) for cell in cells])
    assert isinstance(found, tuple)
    for outcome, cell, name in zip(found, cells, names, strict=True):
        assert isinstance(outcome, Value)
        assert outcome.text.startswith(f'["{name}", '), cell


def test_nobody_is_a_batch_too(executor: Executor) -> None:
    assert run(executor, "def f(age, sex): return 1", people=[]) == ()


def test_the_program_is_not_the_main_one(executor: Executor) -> None:
    source = "if __name__ == '__main__':\n    1 / 0\ndef f(age, sex): return age > 25"
    assert run(executor, source) == (YES, NO)


def test_several_threads_at_once(executor: Executor) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def one(number: int) -> tuple[Outcome, ...] | Failed:
        return run(executor, f"def f(age, sex): return age + {number}", people=PEOPLE[:1])

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(one, range(12)))
    assert found == [(Value("int", str(30 + number)),) for number in range(12)]


def test_many_people(executor: Executor) -> None:
    people = [(number % 90, "x") for number in range(20_000)]
    found = run(executor, "def f(age, sex): return age > 25", people=people, limits=Limits(seconds=30))
    assert found == tuple(YES if age > 25 else NO for age, _ in people)
