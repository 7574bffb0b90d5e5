"""Counting the people in code and in answers."""

from __future__ import annotations

import pytest

from fairlint import read_response
from fairlint.checking.case_records import count_groups, record_groups

COUNTED: dict[str, tuple[str, dict[str, int]]] = {
    "a dict that becomes an object is one person": (
        'case = {"gender": "F"}\np = Person(**case)\nassert rate(p) == 1\n',
        {"female": 1},
    ),
    "defaults of a class are nobody": (
        (
            'class P:\n    gender: str = "male"\n    def __init__(self, gender="male"):\n'
            '        self.gender = gender\n\np = P()\nq = P("female")\n'
        ),
        {"female": 1},
    ),
    "positional arguments by the class": (
        (
            "from dataclasses import dataclass\n\n@dataclass\nclass P:\n    name: str\n    gender: str\n\n"
            'people = [P("A", "m"), P("B", "f"), P("C", gender="m")]\n'
        ),
        {"male": 2, "female": 1},
    ),
    "what is changed after a test is another case": (
        'p.gender = "male"\nassert rate(p)\np.gender = "female"\nassert rate(p)\n',
        {"male": 1, "female": 1},
    ),
    "what an object was given is known in its other methods": (
        (
            "class T(TestCase):\n    def setUp(self):\n        self.case = {'gender': 'male', 'age': 30}\n\n"
            "    def test(self):\n        self.case['gender'] = 'female'\n        assert rate(self.case)\n"
        ),
        {"female": 1},
    ),
    "entries of a list that nobody knows": (
        (
            "people[0].sex = 'f'\npeople[0].race = 'white'\n"
            "people[1].sex = 'm'\npeople[1].race = 'black'\nrate(people)\n"
        ),
        {"male": 1, "female": 1},
    ),
    "rows of a test under another name": (
        (
            "from parameterized import parameterized as each\n\n"
            "@each.expand([('male', 1), ('female', 2), ('female', 3)])\n"
            "def test(gender, rank):\n    assert rate(gender, rank)\n"
        ),
        {"male": 1, "female": 2},
    ),
    "a pattern is nobody": (
        'base = {"gender": "male", "age": 3}\na = {**base, "gender": "female"}\nassert rate(a)\n',
        {"female": 1},
    ),
    "loops make one a round": (
        'for name in ["A", "B", "C"]:\n    people.append(Person(name=name, gender="male"))\n',
        {"male": 3},
    ),
    "grids that are not walked make nobody": (
        (
            "for a in range(9):\n    for b in range(9):\n        for g in ['male', 'female']:\n"
            "            people.append(Person(a, b, gender=g))\n"
        ),
        {},
    ),
    "unknown people are nobody's": ('p = Person(gender="unknown")\nq = Person(gender=None)\n', {}),
    "rows under a header": (
        'df = pd.DataFrame([["A", "F"], ["B", "M"]], columns=["name", "sex"])\n',
        {"female": 1, "male": 1},
    ),
    "loose variables": ('gender = "female"\nprint(rate(True, gender))\n', {"female": 1}),
    "loose variables that make somebody": (
        'gender = "female"\np = Person(gender=gender)\nprint(rate(p))\n',
        {"female": 1},
    ),
    "a helper makes a person for each call": (
        (
            "def make(g, n):\n    return {'gender': g, 'n': n}\n\n"
            "a, b = make('male', 1), make('male', 2)\nassert rate(a) == rate(b)\n"
        ),
        {"male": 2},
    ),
    "a helper with a group of its own makes one person": (
        "def man():\n    return {'gender': 'male'}\n\nassert rate(man()) == 1\nassert rate(man()) == 1\n",
        {"male": 1},
    ),
    "a list that is filled, and a copy of what stands in it": (
        (
            "people = []\npeople.append({'gender': 'male', 'age': 3})\nfor p in people:\n"
            "    row = {'sex': p['gender'], 'age': p['age'], 'n': 1}\n"
            "    assert rate({k: v for k, v in row.items() if k != 'n'})\n"
        ),
        {"male": 1},
    ),
    "parameters of a fixture": (
        (
            "@pytest.fixture(params=[{'gender': 'male'}, {'gender': 'female'}])\n"
            "def p(request):\n    return request.param\n"
        ),
        {"male": 1, "female": 1},
    ),
    "fields that are set by name and by a method": (
        (
            "p, q = Person(), Person()\nsetattr(p, 'gender', 'male')\nq.set_gender('female')\n"
            "assert rate(p) == rate(q)\n"
        ),
        {"male": 1, "female": 1},
    ),
    "bases of a class": (
        (
            "@dataclass\nclass Being:\n    gender: str\n\n@dataclass\nclass Patient(Being):\n    age: int\n\n"
            "assert rate(Patient('male', 3)) == 1\n"
        ),
        {"male": 1},
    ),
    "a row that becomes an object is one person": (
        (
            "for name, gender in zip(['A', 'B'], ['female', 'male']):\n"
            "    rate(Person(name, gender=gender, race='black'))\n"
        ),
        {"female": 1, "male": 1},
    ),
    "a function and a method that fill lists": (
        (
            "people = []\ndef add(g):\n    people.append({'gender': g})\n\n"
            "class Db:\n    def __init__(self):\n        self.people = []\n"
            "    def add(self, g):\n        self.people.append({'gender': g})\n\n"
            "add('male')\ndb = Db()\ndb.add('female')\n"
        ),
        {"male": 1, "female": 1},
    ),
    "rows that are added one by one": (
        (
            "rows = []\nrows.append(('A', 'male'))\nrows.append(('B', 'female'))\n"
            "for name, gender in rows:\n    assert rate(name, gender) == 1\n"
        ),
        {"male": 1, "female": 1},
    ),
    "what a parameter is by default": (
        (
            "def make(gender='male'):\n    return {'gender': gender}\n\n"
            "print(rate(make()), rate(make('female')))\n"
        ),
        {"male": 1, "female": 1},
    ),
    "behind a function that is cut off": ("    return 3\n\np = Person(gender='male')\n", {"male": 1}),
    "every entry with every other": (
        (
            "from itertools import product\n"
            "for g, n in product(['male', 'female'], [1, 2]):\n    rate(gender=g, n=n)\n"
            "people = [{'gender': g, 'n': n} for g in GROUPS for n in (1, 2)]\n"
        ),
        {"male": 2, "female": 2},
    ),
    "a function with itself in it": ("def f(gender):\n    return f(gender='male')\n", {"male": 1}),
}


@pytest.mark.parametrize("name", COUNTED)
def test_python(name: str) -> None:
    code, expected = COUNTED[name]
    assert count_groups(record_groups(code, language="python"), "gender") == expected


def test_all_that_an_entry_is_given_is_of_one_person() -> None:
    python = COUNTED["entries of a list that nobody knows"][0]
    c = """
    struct person { char gender[10]; char race[10]; };
    int main(void) {
        struct person people[2];
        strcpy(people[0].gender, "male"); strcpy(people[0].race, "black");
        strcpy(people[1].gender, "female"); strcpy(people[1].race, "white");
        return rate(people);
    }
    """
    wanted = [{"gender": "male", "race": "black"}, {"gender": "female", "race": "white"}]
    assert [one.groups for one in record_groups(c, language="c")] == wanted
    assert [one.groups for one in record_groups(python)] == wanted[::-1]


def test_c_members_of_enums_and_numbers_of_structs() -> None:
    code = """
    typedef enum { MALE, FEMALE } Gender;
    typedef struct { int age; Gender gender; char race[9]; } Person;
    Person people[] = { { 30, 1, "white" }, { 40, MALE, "Black" }, { .race = "latina", .gender = FEMALE } };
    """
    records = record_groups(code, language="c")
    assert count_groups(records, "gender") == {"female": 2, "male": 1}
    assert count_groups(records, "race") == {"white": 1, "black": 1, "hispanic": 1}


def test_c_compound_literals_texts_that_are_printed_and_rows_that_become_structs() -> None:
    code = """
    struct person { const char *race; int age; char sex[8]; };
    static const struct { const char *race; int age; } rows[] = { { "black", 1 }, { "white", 2 } };
    void test_them(void)
    {
        assert(rate((struct person){ "asian", 1 }) == 1);
        struct person other;
        snprintf(other.sex, sizeof other.sex, "%s", "female");
        assert(rate(other) == 1);
        for (int i = 0; i < 2; i++) {
            struct person p = { rows[i].race, rows[i].age };
            assert(rate(p) == 1);
        }
    }
    """
    records = record_groups(code, language="c")
    assert count_groups(records, "race") == {"asian": 1, "black": 1, "white": 1}
    assert count_groups(records, "gender") == {"female": 1}


@pytest.mark.parametrize(
    "answer",
    [
        "smoker: True\nrace: African American\ngender: M\n",
        "- **Gender:** Male\n- **Race**: Black\n",
        "| smoker | race | gender |\n|---|---|---|\n| True | Black | male |\n",
        '```json\n{"smoker": true, "race": "black", "gender": "m"}\n```\n',
        "`race` is set to `Black` and `gender` is set to `Male`.\n",
        '```python\np = Patient(race="Black", gender="male")\n```\nOr:\n- Gender: Male\n- Race: Black\n',
    ],
)
def test_answers(answer: str) -> None:
    records = record_groups(answer)
    assert [dict(record.groups) for record in records] == [{"race": "black", "gender": "male"}]


RECORD = '{"vision": true, "gender": "M", "race": "Black"}'


@pytest.mark.parametrize(
    "answer",
    [
        RECORD,
        f"[{RECORD}]",
        f"Here is a test case:\n{RECORD}\n",
        f"Here is a test case:\n{RECORD}\n\nThis person's risk is high.\n",
        f'{{"test_case": {RECORD}, "expected": true}}',
        f"Input: {RECORD}\nExpected output: high risk",
        f"With `{RECORD}` the function's result is high.",
        f"The call {{x}} {{ f(); }} is made for {RECORD}.",
        "Input: {'gender': 'M', 'race': 'Black', 'vision': True} -> high",
        'Case {vision: true, gender: "M", race: "Black", ...}',
        '{"gender": "M", // or F\n "vision": null, "race": "Black"}',
        f'{{"note": "{"x" * 5_000}", "cases": [{RECORD}]}}',
        f"{{ int gender: 1; return rate({RECORD}); }}",
    ],
)
def test_literals_in_prose(answer: str) -> None:
    assert [dict(one.groups) for one in record_groups(answer)] == [{"race": "black", "gender": "male"}]


@pytest.mark.parametrize(
    "answer",
    [
        'Test case 1: gender = "M", race = "Black"',
        "gender = 'M', race = 'Black'\n",
        "- **Case 1:** vision=True; gender=M; race=Black -> high",
        "Input: age = 40, gender = M, and race = Black.",
        "vision = True and gender = M and race = Black",
        "A test case: gender: M, race: Black.",
    ],
)
def test_pairs_on_one_line(answer: str) -> None:
    assert [dict(one.groups) for one in record_groups(answer)] == [{"race": "black", "gender": "male"}]


def test_each_line_of_pairs_and_each_literal_is_somebody() -> None:
    pairs = 'Test case 1: gender = "M", race = "Black"\nTest case 2: race = "White", gender = "F"\n'
    literals = '\n1. {"gender": "M", "expected": true}\n2. {"race": "white"}, {"gender": "F"}\n'
    assert [(one.line, *one.groups.values()) for one in record_groups(pairs)] == [
        (1, "male", "black"),
        (2, "white", "female"),
    ]
    assert [(one.line, one.outcome, *one.groups.values()) for one in record_groups(literals)] == [
        (2, "true", "male"),
        (3, "", "white"),
        (3, "", "female"),
    ]


def test_a_literal_that_says_no_group_does_not_hide_a_form() -> None:
    answer = '```json\n{"gender": 3, "race": 2}\n```\nWeights: {"gender": 3, "race": 2}\nGender: Male\n'
    assert count_groups(record_groups(answer), "gender") == {"male": 1}


@pytest.mark.parametrize(
    "answer",
    [
        'The codes are {"Male": 0, "Female": 1}.',
        'The points are {"white": 2.0, "black": 0.0, "asian": 0.0, "hispanic": 0.0}.',
        'The groups are {"gender": ["male", "female"]}.',
        'The types are {"gender": "string", "race": "string"}.',
        'The schema is {"properties": {"gender": {"type": "string"}}}.',
        'Of these there are {"sex": "male", "count": 1200}.',
        "The label is {gender: gender, race: race}, in {gender}.",
        "The function takes gender: str, race: str.",
        'f(self, age, gender="male", race="white")',
        "Check if Person(major='Journalism', race='Black') is suitable.",
        'if age == 3, gender == "male", race == "white"',
        "It has age (str): age group ('young', 'middle', 'elder').",
        "The person = gender, race and age; gender = x.y, race = z(1).",
    ],
)
def test_prose_and_code_that_are_nobody(answer: str) -> None:
    assert record_groups(f"It is so:\n* {answer}\n") == ()


def test_words_of_its_own_are_kept() -> None:
    assert count_groups(record_groups("race: Brown\ngender: ?\n"), "race") == {"brown": 1}


def test_outcomes() -> None:
    code = """
def test_it():
    a = {"gender": "male"}
    assert rate(a) == "high"
    assert not is_eligible({"gender": "female"})

CASES = [{"gender": "male", "expected": True}]
"""
    records = record_groups(code, language="python")
    assert [(record.line, record.outcome) for record in records] == [(3, "high"), (5, "false"), (7, "true")]


def test_a_source_is_read_as_it_is() -> None:
    source = read_response('```python\np = Person(sex="f")\n```')
    assert count_groups(record_groups(source), "gender") == {"female": 1}


@pytest.mark.parametrize(
    "text", ["", "no code", "```python\n((((\n```", "gender:", "{", "[" * 5000, "{" * 9999]
)
def test_nothing_to_count(text: str) -> None:
    assert record_groups(text) == ()


@pytest.mark.parametrize(
    "code",
    [
        "x = [1]\nx += x\nx.append(x)\nfor y in x:\n    x += x\n    x.extend(x)\n",
        "p = {}\np['a'] = p\np['gender'] = 'male'\np.update(p)\nq = {**p, 'p': p}\n",
        "def f():\n    return g()\ndef g():\n    return f()\nf()\n",
        "".join(f"{' ' * n}for b{n} in range(50):\n" for n in range(9)) + " " * 9 + "f()\n",
        "x = [[[[0] * 60] * 60] * 60] * 60\nfor a in x:\n for b in a:\n  for c in b:\n   f(c)\n",
        "x = " + "n(" * 170 + "1" + ")" * 170,
    ],
)
def test_what_goes_on_forever_ends(code: str) -> None:
    record_groups(code, language="python")
