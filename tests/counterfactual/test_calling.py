"""Which function of a program decides, and how it takes a person."""

from __future__ import annotations

import ast

import pytest

from fairlint import UsageError
from fairlint.counterfactual.calling import Calling, calls, entries
from fairlint.counterfactual.column_names import columns_by_name, words
from fairlint.counterfactual.definitions import definitions
from fairlint.counterfactual.population import Column

COLUMNS = (
    Column("age", (20, 30), attribute="age"),
    Column("marital-status", ("Single", "Married"), attribute="marital_status"),
    Column("sex", ("Male", "Female"), attribute="gender"),
    Column("race", ("White", "Black"), attribute="race"),
    Column("hours_per_week", (20, 40)),
    Column("salary", (1, 2)),
)
NAMES = tuple(column.name for column in COLUMNS)


def called(source: str, entry: str | None = None, **options: object) -> Calling:
    return calls(source, COLUMNS, entry, data="adult", **options)  # type: ignore[arg-type]


def error(source: str, entry: str | None = None) -> str:
    with pytest.raises(UsageError) as found:
        called(source, entry)
    assert "\n" not in str(found.value)
    return str(found.value)


# ------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("age", "age"),
        ("Age", "age"),
        ("AGE", "age"),
        ("marital_status", "marital-status"),
        ("maritalStatus", "marital-status"),
        ("Marital Status", "marital-status"),
        ("maritalstatus", "marital-status"),
        ("gender", "sex"),
        ("Gender", "sex"),
        ("Sex", "sex"),
        ("hoursPerWeek", "hours_per_week"),
        ("hours", None),
        ("income", None),
        ("is_male", None),
        ("spouse_age", None),
        ("ethnicity", None),
        ("wage", None),
        ("", None),
    ],
)
def test_which_column_a_name_means(name: str, column: str | None) -> None:
    assert columns_by_name(COLUMNS)(name) == column


def test_the_vocabulary_knows_columns_without_an_attribute() -> None:
    assert columns_by_name([Column("Sex", ("M", "F"))])("gender") == "Sex"
    assert columns_by_name([Column("gender", ("M", "F"))])("sex") == "gender"
    assert columns_by_name([Column("is_male", (True, False))])("gender") is None


def test_a_name_that_means_two_columns_means_none() -> None:
    both = [Column("birth sex", ("M",), attribute="gender"), Column("sex now", ("M",), attribute="gender")]
    assert columns_by_name(both)("gender") is None
    assert columns_by_name(both)("birth_sex") == "birth sex"


def test_the_words_of_names() -> None:
    assert (
        words("maritalStatus") == words("Marital-status") == words("MARITAL_STATUS") == ("marital", "status")
    )
    assert words("GPAScore2") == ("gpa", "score", "2")
    assert words("年齢") == ("年齢",)


# ------------------------------------------------------------------------------------------- parameters


def test_each_column_is_an_argument() -> None:
    found = called("def decide(age, gender, maritalStatus='Single'):\n    return age > 25\n")
    assert found.program.call.style == "arguments"
    assert found.program.call.names == ("age", "gender", "maritalStatus")
    assert found.columns == ("age", "sex", "marital-status")
    assert (found.program.entry, found.line) == ("decide", 1)


def test_a_parameter_that_is_no_column_keeps_its_default() -> None:
    assert called("def decide(age, threshold=3): return age > threshold").columns == ("age",)


def test_a_parameter_that_is_no_column_is_named() -> None:
    assert error("def decide(age, income): return age > income") == (
        "parameter 'income' of decide is no column of adult "
        "(columns: age, marital-status, sex, race, hours_per_week, salary)"
    )
    assert "parameter 'spouse_age'" in error("def decide(spouse_age): return spouse_age > 3")
    assert "parameter 'text' of reverse" in error("def reverse(text): return text[::-1]")
    assert "parameter 'rest' of decide can only" in error("def decide(*, rest): return rest['age']")


def test_two_parameters_of_one_column_are_named() -> None:
    assert error("def decide(sex, gender): return sex == gender") == (
        "parameters 'sex' and 'gender' of decide are both column 'sex'"
    )


def test_all_columns_come_as_keywords() -> None:
    found = called("def decide(age, **rest): return rest['Gender'] == 'Male' and age > 3")
    assert found.program.call.style == "arguments"
    assert dict(zip(found.program.call.names, found.columns, strict=True)) == {
        "age": "age", "Gender": "sex", "marital-status": "marital-status", "race": "race",
        "hours_per_week": "hours_per_week", "salary": "salary",
    }  # fmt: skip


def test_other_arguments_are_given_by_name() -> None:
    found = called("def decide(age, threshold): return age > threshold", extra={"threshold": 30})
    assert found.program.call.extra == (("threshold", 30),)
    assert found.columns == ("age",)


# ---------------------------------------------------------------------------------------------- records


@pytest.mark.parametrize(
    ("body", "style", "name"),
    [
        ("return p['Gender'] == 'Male'", "mapping", "Gender"),
        ("return p.get('Gender', '') == 'Male'", "mapping", "Gender"),
        ("return 'Gender' in p", "mapping", "Gender"),
        ("return p.pop('Gender')", "mapping", "Gender"),
        ("row = dict(p)\n    return row['Gender']", "mapping", "Gender"),
        ("match p:\n        case {'Gender': 'Male'}: return 1", "mapping", "Gender"),
        ("return helper(1, p)", "mapping", "Gender"),
        ("return p.gender == 'Male'", "object", "gender"),
        ("return getattr(p, 'gender', None)", "object", "gender"),
        ("q = p\n    return q.gender", "object", "gender"),
        ("return [p[k] for k in ('sex', 'gpa') if hasattr(p, k)]", "object", "sex"),
        ("return [getattr(p, k) for k in ('sex', 'race')]", "object", "sex"),
        ("return vars(p)['sex'] == 'Male'", "object", "sex"),
        ("return p.age > 3 and p['gender']", "object", "gender"),
        ("return p.age > 3 and p.get('gender')", "object", "gender"),
        ("return [v for k, v in p.items()]", "mapping", "sex"),
        ("return model.predict(p)", "mapping", "sex"),
        ("return True", "mapping", "sex"),
    ],
)
def test_one_record(body: str, style: str, name: str) -> None:
    source = f"def helper(n, row):\n    return row['Gender']\ndef decide(p):\n    {body}\n"
    found = called(source)
    assert found.program.entry == "decide"
    assert found.program.call.style == style
    assert dict(zip(found.program.call.names, found.columns, strict=True))[name] == "sex"
    assert set(found.columns) == set(NAMES)


def test_a_column_that_is_read_under_two_names_comes_under_both() -> None:
    found = called("def decide(p): return p['Sex'] or p['gender']")
    pairs = set(zip(found.program.call.names, found.columns, strict=True))
    assert {("Sex", "sex"), ("gender", "sex")} <= pairs
    assert ("sex", "sex") not in pairs


def test_what_is_read_and_is_no_column_is_told() -> None:
    assert called("def decide(p): return p['income'] > p.get('age')").unknown == ("income",)
    assert called("def decide(p): return p.gpa").unknown == ("gpa",)


# ---------------------------------------------------------------------------------------------- classes

DATACLASS = """
from dataclasses import dataclass, field
@dataclass
class Applicant:
    age: int
    Gender: str = field(repr=False)
    notes: list = field(default_factory=list)
    limit: int = 25
    total: int = field(init=False, default=0)
    def points(self):
        return 1
    def decide(self) -> bool:
        return self.age > self.limit
"""


def test_a_method_of_an_object_that_is_made_of_the_columns() -> None:
    found = called(DATACLASS)
    assert found.program.entry == "Applicant.decide"
    assert found.program.call.style == "method"
    assert found.program.call.names == ("age", "Gender")
    assert found.columns == ("age", "sex")
    assert called(DATACLASS, "Applicant.points").program.entry == "Applicant.points"
    assert called(DATACLASS, "Applicant").program.entry == "Applicant.decide"


def test_a_function_that_takes_such_an_object() -> None:
    found = called(DATACLASS + "def accept(a: Applicant):\n    return a.decide()\n")
    assert found.program.call.style == "arguments"
    assert found.program.call.names == ("age", "Gender")
    tree = ast.parse(found.program.source)
    names = [each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    assert names == ["Applicant", "accept", found.program.entry]


def test_a_class_with_a_constructor_of_its_own() -> None:
    source = (
        "class A:\n    def __init__(self, age, sex='x', n=3): self.a = age\n    def go(self): return self.a"
    )
    found = called(source)
    assert (found.program.entry, found.program.call.style, found.columns) == (
        "A.go",
        "method",
        ("age", "sex"),
    )
    assert "parameter 'model' of B.__init__" in error(
        "class B:\n    def __init__(self, model): pass\n    def go(self): pass"
    )


def test_a_method_that_takes_the_person() -> None:
    source = "class Bank:\n    def _points(self): return 1\n    def decide(self, p): return p['age'] > 3"
    found = called(source)
    assert (found.program.entry, found.program.call.style) == ("Bank.decide", "mapping")
    found = called("class Bank:\n    @staticmethod\n    def decide(age, sex): return age > 3")
    assert (found.program.entry, found.columns) == ("Bank.decide", ("age", "sex"))
    for parameter in ("p", "p=None"):
        found = called(f"class Bank:\n    @staticmethod\n    def decide({parameter}): return p['age'] > 3")
        assert (found.program.entry, found.program.call.style) == ("Bank.decide", "mapping")


def test_fields_of_a_base() -> None:
    source = (
        "from dataclasses import dataclass\n@dataclass\nclass Person:\n    age: int\n"
        "@dataclass\nclass Applicant(Person):\n    sex: str = ''\n    def ok(self): return self.age > 3\n"
    )
    assert called(source).columns == ("age", "sex")


@pytest.mark.parametrize(
    ("classes", "columns"),
    [
        ("class P:\n    def __init__(self, age): pass\nclass A(P):\n    sex: str\n", ("age",)),
        (
            (
                "class P:\n    def __init__(self, age): pass\nclass Q:\n    def __init__(self, model): pass\n"
                "class A(P, Q):\n"
            ),
            ("age",),
        ),
        (
            (
                "class Q:\n    def __init__(self, age): pass\nclass P(Q):\n    x = 1\n"
                "class R:\n    def __init__(self, model): pass\nclass A(P, R):\n"
            ),
            ("age",),
        ),
        (
            "class P:\n    def __init__(self, model): pass\n@dataclass\nclass A(P):\n    sex: str\n",
            ("sex",),
        ),
    ],
)
def test_a_class_is_made_by_the_constructor_that_python_finds(classes: str, columns: tuple[str, ...]) -> None:
    found = called(f"from dataclasses import dataclass\n{classes}    def ok(self): return 1\n")
    assert (found.program.call.style, found.columns) == ("method", columns)


# ----------------------------------------------------------------------------------------------- people


def test_people_out_of_a_list() -> None:
    source = "def find_good(people, gender):\n    return [p for p in people if p[gender] == 'x' and p['Age']]"
    found = called(source)
    assert found.program.call.style == "people"
    assert found.program.call.extra == (("gender", "sex"),)
    pairs = set(zip(found.program.call.names, found.columns, strict=True))
    assert {("Age", "age"), ("age", "age"), ("sex", "sex")} <= pairs
    source = "def find(people, dim):\n    for p in people:\n        if p[dim]: return [p]"
    assert "parameter 'dim' of find" in error(source)
    found = called(source, extra={"dim": "race"})
    assert found.program.call.extra == (("dim", "race"),)


def test_people_by_annotation() -> None:
    assert called("def find(them: list[dict]): return helper(them)").program.call.style == "people"


# ------------------------------------------------------------------------------------- which function


def test_the_last_function_that_takes_a_person_and_is_no_helper() -> None:
    source = (
        "def points(p): return p['age']\n"
        "def decide(p): return points(p) > 3\n"
        "def show(text): print(text + 'x')\n"
        "def main():\n    people = [{'age': 3}]\n    for p in people: show(decide(p))\n"
        "main()\n"
    )
    assert called(source).program.entry == "decide"
    assert called(source, "points").program.entry == "points"


def test_a_lambda_is_a_function() -> None:
    assert called("decide = lambda p: p['age'] > 3").program.entry == "decide"


def test_a_function_that_is_not_there_is_named() -> None:
    assert (
        error("def decide(age): pass", "decides") == "the code defines no 'decides'; did you mean 'decide'?"
    )
    assert error("def decide(age): pass", "xyz") == "the code defines no 'xyz' (it defines decide)"
    assert error("x = 1") == "the code defines no function"
    assert error("def f(:").startswith("the code does not parse: line 1: ")


def test_the_functions_of_a_program() -> None:
    assert entries(DATACLASS + "def f(): pass\n") == ("f", "Applicant.points", "Applicant.decide")
    assert entries("def f(:") == ()


# ----------------------------------------------------------------------------------------- definitions


def kept(source: str, entry: str = "f") -> list[str]:
    text = definitions(source, ast.parse(source), entry)
    assert text.count("\n") == source.count("\n")
    return [line for line in text.split("\n") if line.replace("pass", "").strip("; ")]


@pytest.mark.parametrize(
    "example",
    [
        "print(f(1))",
        "person = input()",
        "person = {'age': f(3)}",
        "for person in [1, 2]:\n    print(f(person))",
        "if __name__ == '__main__':\n    LIMIT = 4\n    f(3)",
        "import numpy as np",
        "def unused(x):\n    return np.array(x)",
        "class Unused(Base):\n    pass",
        "@given(1)\ndef test(x):\n    assert f(x)",
        "with open('x') as file:\n    data = file.read()",
        "'''A text.'''",
        "assert f(1)",
        "x = f(1)\nx.update(3); print(x)",
    ],
)
def test_examples_are_left_out(example: str) -> None:
    needed = "LIMIT = 3\ndef f(person):\n    return person > LIMIT"
    assert kept(f"{needed}\n{example}\n") == needed.split("\n")
    assert kept(f"{example}\n{needed}\n") == needed.split("\n")


@pytest.mark.parametrize(
    "needed",
    [
        "import math\ndef f(x):\n    return math.exp(x)",
        "from math import exp as e\ndef f(x):\n    return e(x)",
        "from __future__ import annotations\ndef f(x: Unknown): return 1",
        "TABLE = {}\nTABLE['a'] = 1\nTABLE.update(b=2)\ndef f(x):\n    return TABLE[x]",
        "A = 1\nB = A + 1\ndef g():\n    return B\ndef f(x):\n    return g()",
        "try:\n    import json\nexcept ImportError:\n    json = None\ndef f(x):\n    return json",
        "def make(n):\n    def inner(x):\n        return x + n\n    return inner\nf = make(3)",
        "count = 0\ndef f(x):\n    global count\n    count += 1\n    return count",
        "R = []\ndef rule(g):\n    R.append(g)\n@rule\ndef r(x):\n    1\ndef f(x):\n    return R[0](x)",
        "class Base:\n    x = 1\nclass A(Base):\n    def g(self): return 1\ndef f(x):\n    return A().g()",
        "LIMIT = 5\ndef f(x, y=LIMIT):\n    return x > y",
        "a = [1]\ndef f(x):\n    return [a for a in x] + a",
        "match [3, 4]:\n    case [low, *others]:\n        ...\ndef f(x):\n    return x > low",
        "import random\nrandom.seed(3)\ndef f(x):\n    return random.random()",
        "def f(x):\n    return eval('h(x)')\ndef h(x):\n    return 1",
    ],
)
def test_what_the_entry_needs_is_kept(needed: str) -> None:
    assert kept(needed) == needed.split("\n")


def test_lines_stay_where_they_are() -> None:
    source = (
        "x = 1\nprint(\n  x)\n\n@dec\ndef g():\n    pass\n\né = 2; print(é); y = 3\ndef f(p):\n    return y\n"
    )
    text = definitions(source, ast.parse(source), "f")
    assert text.split("\n").index("def f(p):") == source.split("\n").index("def f(p):")
    assert "y = 3" in text
    ast.parse(text)


PERSON = "@dataclass\nclass Person:\n    age: int\n    sex: str\n\n"


@pytest.mark.parametrize(
    "kind", ["Person", "'Person'", "Person | None", "Optional[Person]", "'None | Person'"]
)
@pytest.mark.parametrize("default", ["", " = None"])
def test_a_person_of_a_class_may_be_missing(kind: str, default: str) -> None:
    found = called(f"{PERSON}def decide(p: {kind}{default}):\n    return p.sex == 'Male'\n")
    assert set(found.columns) == {"age", "sex"}
    assert "class Person" in found.program.source, "it is kept, though only a text names it"
    assert found.program.call.style == "arguments"


def test_a_person_with_a_default_is_handed_in_where_it_is_read() -> None:
    assert called("def decide(p=None): return p and p['sex'] == 'Male'").columns == NAMES
    assert called("def decide(limit=3): return limit > 2").columns == ()


@pytest.mark.parametrize(
    ("source", "entry", "said"),
    [
        ("def decide(*args): return args[0] > 20", "decide", "by place alone (*args)"),
        (
            "def decide(p):\n    yield p['sex'] == 'Male'",
            "decide",
            "is a generator, whose values nobody takes",
        ),
        ("def decide(p): return (x for x in [p['sex']])", "decide", "is a generator"),
        (
            "def decide(limit=3, age=20, /): return age > limit",
            "decide",
            "behind 'limit', which is no column",
        ),
        ("async def decide(p): return p['sex'] == 'Male'", "decide", "is async, which is not run"),
        (f"{PERSON}    @property\n    def good(self): return self.age > 3", "Person.good", "is a property"),
        (
            "class Scorer:\n    def __init__(self, weights): pass\n    def decide(self, p): return p.age\n",
            "Scorer.decide",
            "parameter 'weights' of Scorer.__init__ is no column of adult",
        ),
    ],
)
def test_what_there_is_no_way_to_call_is_said(source: str, entry: str, said: str) -> None:
    assert said in error(source, entry)


BY_PLACE = "class Made:\n    def __init__(self, sex, /, age): self.found = (age, sex)\n"


def outcome(source: str, entry: str, **cells: object) -> object:
    """What a program gives for a person of whom some columns are known."""
    found = called(source, entry)
    space: dict[str, object] = {}
    exec(found.program.source, space)
    assert found.program.call.style == "arguments"
    function = space[found.program.entry]
    assert callable(function)
    of_column = dict(zip(found.columns, found.program.call.names, strict=True))
    return function(**{of_column[column]: cells.get(column) for column in found.columns})


@pytest.mark.parametrize(
    ("source", "entry"),
    [
        ("def decide(age, sex, /): return (age, sex)", "decide"),
        ("def decide(sex, /, age): return (age, sex)", "decide"),
        ("def decide(age, /, *, gender, limit=1): return (age, gender)", "decide"),
        ("def decide(age, sex, limit=1, /): return (age, sex)", "decide"),
        ("def decide(age, /, **more): return (age, more.get('sex'))", "decide"),
        ("def decide(sex, /, **m): return (m['age'], sex) + tuple(m[k] for k in ('x',) if k in m)", "decide"),
        ("decide = lambda age, sex, /: (age, sex)", "decide"),
        ("class Bank:\n    def decide(self, sex, age, /): return (age, sex)", "Bank.decide"),
        ("class Bank:\n    @staticmethod\n    def decide(sex, age, /): return (age, sex)", "Bank.decide"),
        (f"{BY_PLACE}    def decide(self): return self.found", "Made.decide"),
        (
            f"{BY_PLACE}class P(Made):\n    def decide(self): return self.found",
            "P.decide",
        ),
        (
            f"{BY_PLACE}def decide(p: Made): return p.found",
            "decide",
        ),
    ],
)
def test_what_goes_by_place_alone_is_given_by_place(source: str, entry: str) -> None:
    assert outcome(source, entry, age=30, sex="Male") == (30, "Male")


@pytest.mark.parametrize(
    ("body", "sign"),
    [
        ("return df[df['sex'] == 'Male']", "df[df['sex'] == 'Male']"),
        ("return df[~(df['age'] > 3)]", "df[~(df['age'] > 3)]"),
        ("return df[['sex', 'age']]", "df[['sex', 'age']]"),
        ("return (df['sex'] == 'Male').mean()", "(df['sex'] == 'Male').mean"),
        ("d = df.copy()\n    d['out'] = d['sex'].map({})\n    return d", "d['sex'].map"),
        ("return [r['sex'] for _, r in df.iterrows()]", "df.iterrows"),
        ("return df.loc[0, 'sex']", "df.loc"),
    ],
)
def test_a_data_frame_is_no_person(body: str, sign: str) -> None:
    assert f"takes a data frame ({sign}): let it take one person" in error(f"def decide(df):\n    {body}\n")


@pytest.mark.parametrize(
    "kind", ["pd.DataFrame", "'pd.DataFrame'", "DataFrame | None", "Optional[DataFrame]"]
)
def test_what_is_said_to_be_a_data_frame_is_one(kind: str) -> None:
    assert f"takes a data frame (df: {kind})" in error(f"def decide(df: {kind}):\n    return df['sex']")


def test_a_person_is_no_data_frame() -> None:
    for body in (
        "return p['sex'].lower().replace('m', 'M') == 'Male'",
        "return p[key] > 3",
        "return {'Male': 1}[p['sex']]",
        "if isinstance(p, pd.DataFrame):\n        return p.loc[0, 'sex']\n    return p['sex']",
        "def each():\n        yield p['sex']\n    return list(each())",
        "return sum(x for x in [p['age']])",
    ):
        assert set(called(f"def decide(p):\n    {body}\n").columns) == set(NAMES)
    assert called("def decide(p: dict[str, pd.DataFrame]): return p['sex']").columns == NAMES
