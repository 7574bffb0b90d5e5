"""Classes of values: what a program asks of a column, and that people of one class get the same outcome."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from trusted_executor import TrustedExecutor

from fairlint.counterfactual.executors.executor import Call, CallStyle, Limits, Program
from fairlint.counterfactual.population import Cell
from fairlint.counterfactual.value_classes import value_classes
from fairlint.counterfactual.value_reads import Reads, reads

SEXES = ("male", "female", "Female", "other", None)
AGES = (17, 18, 25, 30.0, 64, 65, "65", None)
RACES = ("White", "Black", "white ", "Asian", "")
COLUMNS: dict[str, tuple[Cell, ...]] = {"sex": SEXES, "age": AGES, "race": RACES}


def program(body: str, style: CallStyle = "mapping", around: str = "") -> Program:
    head = {"mapping": "p", "object": "p", "arguments": "sex, age, race"}[style]
    inner = "".join(f"    {line}\n" for line in body.splitlines())
    return Program(f"{around}\ndef decide({head}):\n{inner}", "decide", Call(style, tuple(COLUMNS)))


def groups(found: Reads, column: str) -> list[set[Cell]]:
    values = COLUMNS[column]
    classes = value_classes(found, column, values)
    return [{values[place] for place in range(len(values)) if classes[place] == one} for one in set(classes)]


def is_opaque(body: str, column: str = "sex", style: CallStyle = "mapping", around: str = "") -> bool:
    return reads(program(body, style, around)).is_opaque(column)


def test_a_column_that_is_never_read_is_one_class() -> None:
    found = reads(program("return p['age'] >= 18"))
    assert not found.is_read("sex")
    assert groups(found, "sex") == [set(SEXES)]


def test_values_are_told_apart_by_the_literals_they_are_compared_with() -> None:
    found = reads(program("if p['sex'] == 'female': return 1\nreturn p['sex'] in ('other', 'x')"))
    assert sorted(map(len, groups(found, "sex"))) == [1, 1, 3]
    assert {"male", "Female", None} in groups(found, "sex")


@pytest.mark.parametrize(
    ("body", "together"),
    [
        ("return 18 <= p['age'] < 65", {18, 25, 30.0, 64}),
        ("return p['age'] not in range(18, 30)", {17, 30.0, 64, 65, "65", None}),
        ("age = p['age']\nif age is None: return 0\nreturn 1", {17, 18, 25, 30.0, 64, 65, "65"}),
        (
            "match p['age']:\n  case 18 | 25: return 1\n  case None: return 2\n  case x: return x == 65",
            {18, 25},
        ),
        ("return bool(p.get('age'))", {17, 18, 25, 30.0, 64, 65, "65"}),
        ("return isinstance(p['age'], int)", {17, 18, 25, 64, 65}),
    ],
)
def test_numbers_that_no_limit_parts_are_together(body: str, together: set[Cell]) -> None:
    assert together in groups(reads(program(body)), "age")


@pytest.mark.parametrize(
    ("body", "together"),
    [
        ("return p['sex'].lower() == 'female'", {"female", "Female"}),
        ("sex = p['sex']\nsex = sex.lower()\nreturn sex == 'female'", {"male", "other"}),
        ("return {'female': 1, 'male': 1, 'other': 2}.get(p['sex'], 0)", {"Female", None}),
        ("return 'male' in p['sex']", {"male", "female", "Female"}),
        ("return any(word in p['sex'] for word in ('fem', 'x'))", {"male", "Female", "other"}),
        ("return p['sex'].startswith('f')", {"male", "Female", "other"}),
        ("return str(p['sex']).lower() == 'female'", {"female", "Female"}),
        ("return len(p['sex']) > 4", {"female", "Female", "other"}),
        ("return getattr(p, 'sex', None) == 'male'", {"female", "Female", "other", None}),
        ("a, b = p['sex'], p['age']\nreturn a == 'male' and b > 3", {"female", "Female", "other", None}),
        ("return (p['sex'] or p['race']) == 'White'", {"male", "female", "Female", "other"}),
        ("return 1 if (x := p['sex']) == 'male' else 2 if x == 'female' else 3", {"Female", "other", None}),
    ],
)
def test_what_is_asked_of_a_text(body: str, together: set[Cell]) -> None:
    found = reads(program(body))
    assert not found.is_opaque("sex")
    assert together in groups(found, "sex")


def test_texts_of_other_scripts_are_classes_of_their_own_where_their_case_is_changed() -> None:
    found = reads(program("return p['sex'].lower() == 'x'"))
    assert value_classes(found, "sex", ("a", "b", "É", "Ö")) == (0, 0, 2, 3)


@pytest.mark.parametrize(
    "around",
    [
        "OLD = ('male', 'other')",
        "OLD = {'male': 3, 'other': 4}",
        "OLD = frozenset({'male', 'other'})\ndef f(): return len(OLD)",
    ],
)
def test_literals_by_a_name(around: str) -> None:
    found = reads(program("return p['sex'] in OLD", around=around))
    assert {"male", "other"} in groups(found, "sex")


@pytest.mark.parametrize(
    "around",
    [
        "OLD = ['male', 'other']\nOLD.append('female')",
        "OLD = ['male', 'other']\nOLD = []",
        "OLD = ['male', 'other']\nNEW = OLD",
        "def f(OLD=['male']): return OLD\nOLD = ['male']",
        "OLD = make()",
        "from lists import OLD",
    ],
)
def test_names_that_may_hold_something_else(around: str) -> None:
    assert is_opaque("return p['sex'] in OLD", around=around)


def test_functions_of_the_program_are_followed() -> None:
    around = "def points(sex, limit):\n    if sex == 'male':\n        return limit\n    return 0"
    found = reads(program("return points(p['sex'], limit=3) > 1", around=around))
    assert {"female", "Female", "other", None} in groups(found, "sex")
    assert not found.is_read("race")


@pytest.mark.parametrize(
    "body",
    [
        "return p['sex']",
        "return [p['sex']]",
        "return f\"{p['sex']}\"",
        "return p['sex'] + 'x' == 'malex'",
        "return p['sex'] == p['race']",
        "return hash(p['sex']) > 3",
        "x = [p['sex']]\nreturn x[0] == 'male'",
        "return p['sex'][0] == 'm'",
        "for letter in p['sex']:\n  if letter == 'm': return 1",
        "return p['sex'].replace('m', 'n') == 'x'",
        "return p['sex'] is 'male'",
        "return any(x == p['sex'] for x in ['male'])",
        "sex = p['sex']\nsex += 'x'\nreturn sex == 'malex'",
        "class A:\n  sex = p['sex']\nreturn A.sex == 'male'",
        "f = lambda: p['sex']\nreturn f() == 'male'",
        "return p",
        "return sorted(p.items())",
        "key = 'sex'\nreturn p[key + ''] == 'male'",
        "q = dict(p)\nreturn q['sex'] == 'male'",
        "p['sex'] = 'male'\nreturn p['sex'] == 'male'",
        "return locals()['p']['sex'] == 'male'",
        "return eval(\"p['sex']\") == 'male'",
        "import sys\nreturn 1",
        "return getattr(p, '__dict__')['sex'] == 'male'",
        "return '{0.__class__}'.format(p)",
        "raise ValueError(p['sex'])",
        "match p:\n  case {'sex': 'male'}: return 1",
        "lower = p['sex'].lower\nreturn lower() == 'male'",
        "def inner(): return p['sex']\nreturn inner() == 'male'",
        "def inner(x: p['sex']): return 1\nreturn str(inner.annotations)",
        "yield p['sex']",
        "word = 'e'\nfor word in ('fem', 'x'): pass\nreturn word in p['sex']",
    ],
)
def test_whatever_else_is_done_makes_a_column_opaque(body: str) -> None:
    assert is_opaque(body)


PEOPLE = """
def find_people(people, dimension):
    chosen = []
    for person in people:
        if person[dimension] == 'male' and person.get('age') == 65:
            chosen.append(person)
    return chosen
"""


def people_program(old: str = "", new: str = "") -> Program:
    extra: tuple[tuple[str, Cell], ...] = (("dimension", "sex"),)
    return Program(PEOPLE.replace(old, new), "find_people", Call("people", tuple(COLUMNS), extra))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("return chosen", "return [one for one in people if one[dimension] == 'male']"),
        ("return chosen", "return len(chosen) > 0"),
        ("return chosen", "return chosen if chosen else people"),
    ],
)
def test_people_who_are_chosen_out_of_a_list(old: str, new: str) -> None:
    found = reads(people_program(old, new))
    assert not found.is_read("race")
    assert {"female", "Female", "other", None} in groups(found, "sex")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return chosen", "return chosen, people"),
        ("return chosen", "return [chosen]"),
        ("return chosen", "return sorted(chosen, key=str)"),
        ("return chosen", "return chosen[0]"),
        ("chosen.append(person)", "chosen.append(person['race'])"),
        ("chosen.append(person)", "chosen.append([person])"),
        ("chosen = []", "chosen = others = []"),
        ("return chosen", "def inner():\n        return chosen\n    return [inner()]"),
        ("return chosen", "return [person['race'] for person in people]"),
        ("chosen.append(person)", "chosen.extend(person)"),
    ],
)
def test_people_who_go_elsewhere_are_not_followed(old: str, new: str) -> None:
    assert reads(people_program(old, new)).is_opaque("race")


def test_a_dimension_that_may_be_another_is_not_followed() -> None:
    assert reads(people_program("return chosen", "return find_people(people, 'race')")).is_opaque("age")


@pytest.mark.parametrize("told", ["p", "p['sex']", "f'{p} {p[\"sex\"]}'", "'sex', p['sex']"])
def test_what_is_only_printed_is_not_looked_at_by_the_program(told: str) -> None:
    body = f"print({told})\nreturn p['age'] == 65"
    assert not is_opaque(body)
    assert is_opaque(body, around="def print(*told): raise ValueError(told)")
    assert is_opaque(body.replace(")", ", file=p['sex'])", 1))


def test_formats_may_fail_where_something_is_printed() -> None:
    assert is_opaque("print(f'{p[\"sex\"]:.2f}')\nreturn 1")


def test_one_column_may_be_opaque_and_another_not() -> None:
    found = reads(program("print([p['race']])\nreturn p['sex'] == 'male'"))
    assert found.is_opaque("race")
    assert not found.is_opaque("sex")


def test_arguments_and_fields() -> None:
    arguments = reads(program("return sex == 'male' and not race", "arguments"))
    fields = reads(program("return p.sex == 'male' and not p.race", "object"))
    for found in (arguments, fields):
        assert {"male"} in groups(found, "sex")
        assert {""} in groups(found, "race")
        assert not found.is_read("age")


CLASS = """
@dataclass
class Person:
    sex: str
    age: int
    race: str

    def is_old(self):
        return self.age >= 65

    def decide(self):
        return self.sex == "male" or self.is_old()
"""


def test_methods() -> None:
    found = reads(Program(CLASS, "Person.decide", Call("method", tuple(COLUMNS))))
    assert {"male"} in groups(found, "sex")
    assert {17, 18, 25, 30.0, 64} in groups(found, "age")
    assert not found.is_read("race")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def is_old(self):", "@property\n    def is_old(self):"),
        ("class Person:", "class Person(Base):"),
        ("def is_old(self):", "def __post_init__(self):"),
        ("def is_old(self):", "def age(self):"),
    ],
)
def test_classes_that_do_more_are_not_looked_through(old: str, new: str) -> None:
    found = reads(Program(CLASS.replace(old, new), "Person.decide", Call("method", tuple(COLUMNS))))
    assert found.is_opaque("race")


def test_people_who_are_made_by_the_program() -> None:
    source = CLASS + "\ndef decides(person):\n    return person.sex == 'male' and person.is_old()\n"
    made = "\ndef entry(sex, age, race):\n    return decides(Person(sex=sex, age=age, race=race))\n"
    found = reads(Program(source + made, "entry", Call("arguments", tuple(COLUMNS))))
    assert {"male"} in groups(found, "sex")
    assert {17, 18, 25, 30.0, 64} in groups(found, "age")
    assert not found.is_opaque("race")
    mixed = made.replace("race=race", "race=sex")
    assert reads(Program(source + mixed, "entry", Call("arguments", tuple(COLUMNS)))).is_opaque("sex")
    own = "def dataclass(made):\n    return made\n"
    assert reads(Program(own + source + made, "entry", Call("arguments", tuple(COLUMNS)))).is_opaque("sex")


def test_a_lambda_with_a_name_is_a_function() -> None:
    found = reads(Program("decide = lambda p: p['sex'] == 'male'", "decide", Call("mapping", tuple(COLUMNS))))
    assert {"female", "Female", "other", None} in groups(found, "sex")
    source = "def other(p): pass\ndecide = other\ndecide = lambda p: p['sex'] == 'male'"
    assert reads(Program(source, "decide", Call("mapping", tuple(COLUMNS)))).is_opaque("sex")


@pytest.mark.parametrize(
    "source", ["def decide(p:", "decide = list(map(str, 'm'))", "def decide(*p): pass", ""]
)
def test_what_is_no_plain_function_is_opaque(source: str) -> None:
    assert reads(Program(source, "decide", Call("mapping", tuple(COLUMNS)))).is_opaque("sex")


def test_numbers_of_any_size_end() -> None:
    found = reads(program("return p['age'] in range(0, 99999999999999999999, 5)"))
    assert {25, 30.0, 65} in groups(found, "age")
    assert {17, 18, 64, "65", None} in groups(found, "age")
    huge = hex(16**5000)
    assert is_opaque(f"return p['age'] == {huge} or p['age'] < -{huge}", "age")


def test_warnings_of_the_parser_are_not_told() -> None:
    assert is_opaque("return p['sex'] is 'male' or '\\d'")


def test_calls_within_calls_end() -> None:
    around = "def f(x):\n    return 1"
    nested = "f(" * 60 + "p['sex']" + ", 1)" * 60
    assert is_opaque(f"return {nested}", around=around)


# whether people of one class get the same outcome, for programs of a grammar

AROUND = """
TABLE = {'male': 1, 'Black': 2, 30: 3}

def helper(value):
    return value == 'male' or value == 30

def ask(who, value):
    return who['race'] == value
"""
SHAPES = """
{atom} {order} {literal} | {literal} {order} {atom} | {literal} < {atom} <= {other} | {atom} | not {atom} |
{atom} in ({literal}, {other}) | {atom} not in [{literal}] | {atom} in {{{literal}: 1}} | {atom} is None |
{atom} in range(18, 65) | {literal} in {atom} | {{{literal}: 2, {other}: 3}}.get({atom}, 1) == 2 |
{{{literal}: 2}}[{atom}] == 2 | {atom} in TABLE | isinstance({atom}, str) | helper({atom}) | bool({atom}) |
len({atom}) > 4 | str({atom}).startswith('fe') | ask(p, {literal}) | {atom} == {second} |
hash({atom}) == 2 | p == {literal}
"""
LITERALS: dict[str, some.SearchStrategy[str]] = {
    "sex": some.sampled_from(["male", "female", "Female", "f", "m"]).map(repr),
    "race": some.sampled_from(["White", "white", "Black", "a", ""]).map(repr),
    "age": some.sampled_from(["18", "30", "64.5", "65", "0"]),
}


def atoms(column: str) -> some.SearchStrategy[str]:
    """How a column is got at."""
    plain = [f"p['{column}']", f"p.get('{column}')", f"{column}_alias", f"p.get('{column}', '')"]
    texts = ["{}.lower()", "{}.strip()", "str({})", "{}", "({} or 'male')", "{}.title()"]
    shapes = ["{}", "abs({})", "int({})", "float({})"] if column == "age" else texts
    return some.builds(
        lambda shape, atom: shape.format(atom), some.sampled_from(shapes), some.sampled_from(plain)
    )


@some.composite
def questions(draw: some.DrawFn) -> str:
    column = draw(some.sampled_from(sorted(COLUMNS)))
    atom, literal, other = draw(atoms(column)), draw(LITERALS[column]), draw(LITERALS[column])
    order = draw(some.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
    shape = draw(some.sampled_from([one.strip() for one in SHAPES.split("|")]))
    return shape.format(atom=atom, order=order, literal=literal, other=other, second=draw(atoms(column)))


def conditions() -> some.SearchStrategy[str]:
    return some.recursive(
        questions(),
        lambda inner: some.builds(
            lambda one, how, other: f"({one} {how} {other})", inner, some.sampled_from(["and", "or"]), inner
        ),
        max_leaves=3,
    )


@some.composite
def programs(draw: some.DrawFn) -> Program:
    lines = ["score = 0", *(f"{column}_alias = p['{column}']" for column in COLUMNS)]
    for _ in range(draw(some.integers(1, 4))):
        condition = draw(conditions())
        column = draw(some.sampled_from(sorted(COLUMNS)))
        literal = draw(LITERALS[column])
        lines += draw(
            some.sampled_from(
                [
                    [f"if {condition}:", "    score += 1", f"elif {draw(conditions())}:", "    score += 2"],
                    [f"score += 3 if {condition} else 1"],
                    [f"{column}_alias = {draw(atoms(column))}"],
                    [f"match {draw(atoms(column))}:", f"    case {literal} | None:", "        score += 5",
                     "    case seen if seen:", "        score += 7"],
                    ["try:", f"    score += bool({condition})", "except Exception as error:",
                     "    return str(error)"],
                    [f"if {condition}:", "    return score"],
                ]
            )
        )  # fmt: skip
    lines.append(
        draw(
            some.sampled_from(
                ["return score", "return score > 2", "return sex_alias", "return bool(age_alias)"]
            )
        )
    )
    return program("\n".join(lines), around=AROUND)


@settings(max_examples=60, deadline=None)
@given(programs())
def test_people_of_one_class_get_the_same_outcome(some_program: Program) -> None:
    found = reads(some_program)
    people = list(itertools.product(*COLUMNS.values()))
    run = TrustedExecutor().run(some_program, people, Limits())
    assert isinstance(run, tuple)
    by_person = dict(
        zip(itertools.product(*(range(len(values)) for values in COLUMNS.values())), run, strict=True)
    )
    classes = [value_classes(found, name, values) for name, values in COLUMNS.items()]
    for person, outcome in by_person.items():
        alike = tuple(of[place] for of, place in zip(classes, person, strict=True))
        assert outcome == by_person[alike], (some_program.source, person, alike)
