"""Monty and Python itself give the same outcomes wherever both run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from executors_agree import alike, calling, codes, compared, people
from hypothesis import event, given, settings
from hypothesis import strategies as st
from python_executor import python_executor

from fairlint.counterfactual.executors.executor import (
    Call,
    CallStyle,
    Crashed,
    Failed,
    Limits,
    Program,
    Value,
)
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.counterfactual.executors.process import ProcessExecutor

SAMPLES = Path(__file__).resolve().parents[3] / "shared" / "samples"
LIMITS = Limits(seconds=20, memory=256 * 2**20)
ROWS = [(30, "Male"), (20, "Female"), (45.5, ""), (0, "x"), (True, None), (-7, "30")]


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[MontyExecutor, ProcessExecutor]]:
    with MontyExecutor(workers=1) as monty, python_executor() as process:
        yield monty, process


# ---------------------------------------------------------------------------------------- random programs

NAMES = st.sampled_from(
    ["age", "sex", "points", "helper(age)", "len(str(sex))", "LIMIT", "TABLE.get(sex, 0)"]
)
LITERALS = st.sampled_from(
    [
        "0",
        "1",
        "2",
        "-3",
        "25",
        "2.5",
        "1e16",
        "True",
        "None",
        "''",
        "'Male'",
        "'é'",
        "()",
        "[1, 2]",
        "{'a': 1}",
    ]
)
OPERATORS = st.sampled_from(["+", "-", "*", "/", "//", "%", "and", "or", "==", "!=", "<", ">=", "in", "is"])


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} {} {})".format, inner, OPERATORS, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("(not {})".format, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("({}, {})".format, inner, inner),
        st.builds("{{'a': {}, 'b': {}}}".format, inner, inner),
        st.builds("str({})".format, inner),
        st.builds("f'{{{}}}'".format, st.sampled_from(["age", "sex", "points", "age!r", "LIMIT:>5"])),
        st.builds("sum([x for x in [1, 2, 3] if x != {}])".format, inner),
        st.builds("round({}, 2)".format, inner),
        st.builds("max({}, {})".format, inner, inner),
        st.builds("(lambda y: (y, {}))({})".format, inner, inner),
        st.builds("({})[0]".format, inner),
        st.builds("({}).lower()".format, inner),
        st.builds("sorted([{}, {}])".format, inner, inner),
    )


EXPRESSIONS = st.recursive(st.one_of(NAMES, LITERALS), grown, max_leaves=8)


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def grown_block(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    return st.one_of(
        st.builds(lambda a, b: [*a, *b], inner, inner),
        st.builds(
            lambda c, a, b: [f"if {c}:", *indented(a), "else:", *indented(b)], EXPRESSIONS, inner, inner
        ),
        st.builds(lambda a: ["for step in range(3):", *indented(a)], inner),
        st.builds(
            lambda a, b: ["try:", *indented(a), "except (TypeError, ValueError) as error:", *indented(b)],
            inner,
            inner,
        ),
        st.builds(lambda c, a: [f"while {c}:", *indented([*a, "break"])], EXPRESSIONS, inner),
    )


BLOCKS = st.recursive(
    st.one_of(
        st.builds(lambda e: [f"points = {e}"], EXPRESSIONS),
        st.builds(lambda e: [f"points += {e}"], EXPRESSIONS),
        st.builds(lambda e: [f"return {e}"], EXPRESSIONS),
        st.builds(lambda e: [f"notes.append({e})"], EXPRESSIONS),
        st.just(["raise ValueError('no')"]),
    ),
    grown_block,
    max_leaves=6,
)
HEAD = "LIMIT = 25\nTABLE = {'Male': 1, 'Female': 2}\ndef helper(x):\n    return x if x else LIMIT\n"
TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner), st.tuples(inner, inner), st.dictionaries(TEXTS, inner)),
    max_leaves=20,
)
ALL = """
def attempt(g, age, sex):
    try:
        return ['value', g(age, sex)]
    except Exception as error:
        return ['error', type(error).__name__]
def f(age, sex):
    return [attempt(g, age, sex) for g in [f0, f1, f2, f3, f4, f5, f6, f7]]
"""


@settings(max_examples=40, deadline=None)
@given(st.lists(BLOCKS, min_size=8, max_size=8))
def test_random_programs(both: tuple[MontyExecutor, ProcessExecutor], blocks: list[list[str]]) -> None:
    """Eight functions in one batch, as starting a process is what takes the time."""
    functions = [
        "\n".join(
            [
                f"def f{place}(age, sex):",
                *indented(["points = 0", "notes = []", *block, "return points, notes"]),
            ]
        )
        for place, block in enumerate(blocks)
    ]
    source = "\n".join([HEAD, *functions, ALL])
    program = Program(source, "f", Call("arguments", ("age", "sex")))
    one, other = (each.run(program, ROWS, LIMITS) for each in both)
    event("unsupported" if isinstance(one, Failed) and one.cause == "unsupported" else type(one).__name__)
    if not (isinstance(one, Failed) and one.cause == "unsupported"):
        assert alike(one, other), (source, one, other)


@settings(max_examples=30, deadline=None)
@given(VALUES)
def test_values(both: tuple[MontyExecutor, ProcessExecutor], value: object) -> None:
    program = Program(f"def f(age): return {written(value)}", "f", Call("arguments", ("age",)))
    one, other = (each.run(program, [[1]], LIMITS) for each in both)
    assert one == other
    assert isinstance(one, tuple)
    assert isinstance(one[0], Value)


def written(value: object) -> str:
    """A value as code."""
    match value:
        case float():
            return f"float('{value}')"
        case list():
            return f"[{', '.join(map(written, value))}]"
        case tuple():
            return f"({', '.join(map(written, value))},)"
        case dict():
            return "{" + ", ".join(f"{key!r}: {written(item)}" for key, item in value.items()) + "}"
        case _:
            return repr(value)


def test_one_program_in_each_way(both: tuple[MontyExecutor, ProcessExecutor]) -> None:
    ways: list[tuple[CallStyle, str]] = [
        ("arguments", "def f(age, sex): return sex * age"),
        ("mapping", "def f(p): return [k for k in p], sorted(p.values(), key=str), len(p), p"),
        ("object", "def f(p): return list(p), p.age, p['sex'], p.get('x', 3), 'age' in p, sorted(p.keys())"),
        ("people", "def f(people): return [p for p in people if p['age']]"),
        ("people", "def f(people): return [p for p in people if p['age']], len(people)"),
        ("people", "def f(people): return len(people)"),
    ]
    for style, source in ways:
        program = Program(source, "f", Call(style, ("age", "sex")))
        one, other = (each.run(program, ROWS, LIMITS) for each in both)
        assert alike(one, other), (style, one, other)
        assert isinstance(one, tuple)
        assert not any(isinstance(each, Crashed) for each in one[:2])


# ----------------------------------------------------------------------------------- code of real answers


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not at hand")
@pytest.mark.parametrize("name", ["faircode_responses", "small_model_and_control_code", "uapi_labelled"])
def test_answers_of_models(name: str) -> None:
    told, different, _ = compared([SAMPLES / f"{name}.jsonl"], count=6, every=50, seed=1)
    assert different == []
    assert told["alike"] > 5


def test_people_are_made_up_of_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"text": "Sure:\\n```python\\ndef f(p):\\n    return p.gpa > 3.5 and p[\'sex\']\\n```\\n"}\n'
    )
    (code,) = codes(path)
    found = calling(code)
    assert found is not None
    assert {"gpa", "sex"} <= set(found.columns)
    rows = people(found, code, 5, 0)
    assert len(rows) == 5
    assert rows == people(found, code, 5, 0)
    assert {len(row) for row in rows} == {len(found.columns)}
