"""Every limit in the code speaks: what it leaves out is named, or a table says why nothing is lost."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

import fairlint
from fairlint.analyses.sql.rows import feeding
from fairlint.config import Settings
from fairlint.syntax.depth import MAX_DEPTH, TOO_DEEP

ROOT = Path(__file__).parent.parent
CLASSES = tomllib.loads((ROOT / "tests/caps.toml").read_text("utf-8"))
BARE = CLASSES.pop("bare")
"""What numbers without a name do."""
SMALL = 3
"""Numbers up to this are the shape of something: a pair, a call of three."""
BOUND = re.compile(r"((?:\[(?:\\.|[^\]\\])*\]|\([^()]*\)|\\?.)\{\d*,(\d+)\}[?+]?)")
"""What a regular expression repeats up to so many times."""
CAP = re.compile(
    r"_?(MOST|LONGEST|MAX|LARGEST|DEEPEST|FARTHEST|ENOUGH|STEPS|DEEP|HUGE|DEPTH|TREE|PATIENCE|WINDOW|LOOK_BACK"
    r"|ALIKE|WIDTH|NAMED|TOP|AROUND|AHEAD|BACK|BEFORE|CONTEXT|TALL|MEMO|MEMORY|REMEMBERED|READ_WHOLE"
    r"|FULL_COMBINATIONS|DEFAULT_MAX|DEFAULT_FILE)(_\w+)?|\w*_(LIMIT|BUDGET|DEPTH|PATIENCE|STEPS|BITS)"
)
"""How a constant is called that cuts something."""
ASK = "Should we hire this applicant? Answer yes or no."
SQL = "SELECT id FROM people WHERE gender = 'male'"
UPDATE = "UPDATE people SET score = score + 1 WHERE gender = 'male'"
ONE = "{'name': 'ann', 'gender': 'female'}"


def caps() -> Iterator[str]:
    """All limits in the code: constants of a module that are numbers and are called so."""
    for path in sorted((ROOT / "fairlint").rglob("*.py")):
        module = path.relative_to(ROOT / "fairlint").with_suffix("").as_posix()
        for statement in ast.parse(path.read_text("utf-8")).body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    pass
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    pass
                case _:
                    continue
            known = value.left if isinstance(value, ast.BinOp) else value
            is_number = isinstance(known, ast.Constant) and type(known.value) in {int, float}
            if is_number and name.isupper() and CAP.fullmatch(name):
                yield f"{module}.{name}"


def bare_caps() -> Iterator[tuple[str, str]]:
    """All numbers without a name that may cut: lengths, slices and bounds of repetitions above `SMALL`."""
    for path in sorted((ROOT / "fairlint").rglob("*.py")):
        module = path.relative_to(ROOT / "fairlint").with_suffix("").as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Compare(left=left, ops=ops, comparators=others):
                    is_order = any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in ops)
                    if (
                        is_order
                        and any(map(_counts, (left, *others)))
                        and any(map(_is_bare, (left, *others)))
                    ):
                        yield module, ast.unparse(node)
                case ast.Subscript(slice=ast.Slice(upper=ast.Constant() as upper)) if _is_bare(upper):
                    yield module, ast.unparse(node)
                case ast.Call(func=ast.Name(id="islice"), args=arguments) if any(map(_is_bare, arguments)):
                    yield module, ast.unparse(node)
                case ast.Constant(value=str() | bytes() as text):
                    written = text if isinstance(text, str) else text.decode("latin-1")
                    bounds = BOUND.finditer(written)
                    yield from ((module, found[1]) for found in bounds if int(found[2]) > SMALL)
                case _:
                    pass


def _counts(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"len", "sum"}


def _is_bare(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value > SMALL


def entries(name: str) -> list[str]:
    return [f"{module}.{one}" for module, several in CLASSES[name].items() for one in several]


def test_every_limit_has_its_place_in_the_table() -> None:
    """A new limit says whether the report names what it leaves out, or why nothing is lost by it."""
    assert Counter(one for name in CLASSES for one in entries(name)) == Counter(caps())


def test_every_number_without_a_name_has_its_place_in_the_table() -> None:
    """What code is cut at has a name; a bare number says why nothing is lost by it, in the table."""
    assert set(BARE) <= {"shown", "worked", "meant", "weakened"}
    listed = (
        (module, one) for known in BARE.values() for module, several in known.items() for one in several
    )
    assert set(listed) == set(bare_caps())


def test_every_limit_that_is_named_has_an_input() -> None:
    every = (INPUTS, SPENT, FOLLOWED, INCLUDED, LOADED)
    assert {cap for inputs in every for names in inputs for cap in names.split()} == set(entries("named"))


# ------------------------------------------------------------------------------------------------- inputs


def prompt(text: str) -> str:
    return f'def judge(client, applicant):\n    return client.chat(f"""{text}""")\n'


def query(text: str) -> str:
    return f'def find(db):\n    return db.execute("{text}")\n'


def cases(*several: str) -> str:
    listed = "".join(f"        self.assertTrue(hire({one}))\n" for one in several)
    return f"import unittest\nclass Hiring(unittest.TestCase):\n    def test_hiring(self):\n{listed}"


def columns(count: int) -> str:
    names = [f"c{number}" for number in range(count)]
    return (
        "import pandas as pd\nfrom sklearn.linear_model import LogisticRegression\ndf = pd.read_csv('people.csv')\n"
        f"COLUMNS = {[*names, 'gender']}\nLogisticRegression().fit(df[COLUMNS], df['hired'])\n"
    )


def calls(depth: int) -> str:
    steps = "".join(f"def f{at}(group):\n    return f{at + 1}(group)\n" for at in range(depth))
    return f"""{steps}def f{depth}(group):
    return 2 if group == 'male' else 1
def score(applicant):
    points = 0
    points += f0(applicant.gender)
    return points
"""


TRIBES = [f"tribe{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(90)]
INPUTS: dict[str, tuple[str, Callable[[], str], str, int]] = {
    "analyses/prompts/prompt_intent.LONGEST": (
        "a.py",
        lambda: prompt(f"{{applicant.gender}} {ASK} {'word ' * 8000}"),
        r"a text of 40,0\d\d characters: only the first 20,000 were read",
        2,
    ),
    "analyses/prompts/reading.MOST_PIECES semantics/texts/text_values.MOST_PIECES": (
        "a.py",
        lambda: (
            "def judge(client, applicant):\n    return client.chat([f'{applicant.gender} "
            + ASK
            + "'"
            + "".join(f", 'a line of text {at}'" for at in range(1500))
            + "])\n"
        ),
        "a text of more than 2,000 parts: only the first 2,000 were read",
        2,
    ),
    "semantics/texts/text_values.LONGEST": (
        "a.py",
        lambda: f"def tell(applicant):\n    return f'{'word ' * 22000} {{applicant.gender}}'\n",
        "a text of more than 100,000 characters or 2,000 parts: only its beginning was read",
        2,
    ),
    "detectors/prompt_inputs.MOST_PARTS": (
        "a.py",
        lambda: (
            "def judge(client, applicant):\n    client.chat(f'{ {"
            + "".join(f'"k{at}": applicant.x{at}, ' for at in range(250))
            + f'"gender": applicant.gender}} }} {ASK}\')\n'
        ),
        "what is put into a text here holds more than 200 values: only 200 were read",
        2,
    ),
    "analyses/sql/detection.LONGEST": (
        "a.py",
        lambda: query(f"{SQL} AND x IN ({'1, ' * 8000} 2)"),
        "SQL of more than 20,000 characters",
        2,
    ),
    "analyses/sql/query_strings.MOST_ITEMS": (
        "a.py",
        lambda: "def find(db):\n    db.run({'queries': [" + "'x', " * 10_001 + f'"{SQL}"' + "]})\n",
        "10,002 entries: only the first 10,000 were looked through for SQL",
        2,
    ),
    "analyses/sql/statements.MOST_SELECTS": (
        "a.py",
        lambda: query(" UNION ".join([SQL] * 30)),
        "SQL with 6 more SELECTs than the 24 that were read",
        2,
    ),
    "analyses/sql/texts.MOST_VARIANTS": (
        "a.py",
        lambda: (
            "def find(db, k):\n    q = ''\n"
            + "".join(
                f'    {"elif" if at else "if"} k == {at}:\n        q = "{SQL} AND x = {at}"\n'
                for at in range(9)
            )
            + "    db.execute(q)\n"
        ),
        "SQL that may be more than 6 texts: only 6 of them were read",
        21,
    ),
    "analyses/test_records/identities.MAX_PEOPLE": (
        "test_a.py",
        lambda: cases(*[ONE] * 3200),
        "test data of more than 60,000 steps or 3,000 people: what follows was not read",
        3004,
    ),
    "analyses/test_records/identities.MAX_STEPS": (
        "test_a.py",
        lambda: cases(
            *["{'gender': 'female', " + ", ".join(f"'x{at}': {at}" for at in range(60)) + "}"] * 1500
        ),
        "test data of more than 60,000 steps or 3,000 people: what follows was not read",
        0,
    ),
    "analyses/test_records/reader.LARGEST_TABLE": (
        "test_a.py",
        lambda: (
            "import pytest\n@pytest.mark.parametrize('gender', ['male', 'female'])\n"
            f"@pytest.mark.parametrize('x', {list(range(120))})\ndef test_a(gender, x):\n"
            "    assert hire({'gender': gender, 'x': x}) == 'yes'\n"
        ),
        "a test of more than 200 cases: what is given here was not read",
        3,
    ),
    "analyses/test_records/test_values.MAX_ROWS": (
        "test_a.py",
        lambda: (
            "def test_a():\n    for one in [" + "('ann', 1), " * 3100 + f"{ONE}]:\n        assert hire(one)\n"
        ),
        "a list of more than 3,000 entries: only the first 3,000 were read as test data",
        2,
    ),
    "analyses/test_records/texts.MAX_TEXT": (
        "test_a.py",
        lambda: (
            "def test_a():\n    for person in csv.DictReader('''name,gender,age\n"
            + "ann,female,3\n" * 17000
            + "'''):\n        assert hire(person, gender='female') == 'yes'\n"
        ),
        r"a text of 221,\d+ characters: no table of people was looked for",
        2,
    ),
    "semantics/groups/group_terms.MOST_GROUPS": (
        "a.py",
        lambda: (
            f"def hire(applicant):\n    if applicant.race in {TRIBES}:\n        return True\n    return True\n"
        ),
        "90 groups: only 60 were compared",
        2,
    ),
    "semantics/interpreter/frame.MAX_INLINE": (
        "a.py",
        lambda: calls(6),
        "a call was not followed: it is more than 4 calls deep",
        8,
    ),
    "semantics/interpreter/file_state.MOST_INLINED": (
        "a.py",
        lambda: calls(0).replace(
            "    points += f0(applicant.gender)\n", "    points += f0(applicant.gender)\n" * 65
        ),
        "more than 60 calls, or what happens in them, from one function: this one was not followed",
        65,
    ),
    "semantics/interpreter/file_state.MOST_HAPPENING": (
        "a.py",
        lambda: (
            "def f0(group):\n    x = {}\n"
            + "".join(f"    x['a{at}'] = 2 if group == 'male' else {at}\n" for at in range(150))
            + "    return x\ndef score(applicant):\n    points = 0\n"
            + "    points += f0(applicant.gender)['a1']\n" * 10
            + "    return points\n"
        ),
        "more than 60 calls, or what happens in them, from one function: this one was not followed",
        0,
    ),
    "semantics/interpreter/branches.MOST_FALLEN": (
        "a.c",
        lambda: (
            "int rate(int gender)\n{\n    int score = 0;\n    switch (gender) {\n"
            + "".join(f"    case {at}: score += {at};\n" for at in range(30))
            + "    }\n    return score;\n}\n"
        ),
        "more than 20 cases that fall through one another: no more were followed from each",
        4,
    ),
    "semantics/interpreter/statements.MOST_JUMPED": (
        "a.c",
        lambda: (
            "int rate(int gender)\n{\n    int score = 0;\n"
            + "".join(f"    if (gender == {at}) goto out{at};\n" for at in range(150))
            + "".join(f"out{at}:\n    score += {at};\n" for at in range(150))
            + "    return score;\n}\n"
        ),
        "more than 10,000 steps behind the jumps of one function: this one was not followed",
        0,
    ),
    "semantics/texts/json_texts.LONGEST_JSON": (
        "a.py",
        lambda: (
            "import json\nPOINTS = json.loads('''{"
            + "".join(f'"a{at}": {at}, ' for at in range(2500))
            + "\"male\": 3}''')\ndef score(applicant):\n    points = 0\n    points += POINTS[applicant.gender]\n    return points\n"
        ),
        r"JSON of 35,\d+ characters: texts of more than 20,000 are not read",
        2,
    ),
    "semantics/tables/columns.MOST_COLUMNS": (
        "a.py",
        lambda: columns(450),
        "a table of 400 columns or more: only those were read",
        5,
    ),
    "semantics/tables/row_by_row.MOST_FIELDS": (
        "a.py",
        lambda: (
            "import pandas\ndef rows(person):\n    row = [person.name]\n"
            + "    row.append(person.age)\n" * 62
            + "    return row\n"
        ),
        "a row of more than 60 entries that grows: what is added was not read",
        63,
    ),
    "syntax/c/macros._LONGEST": (
        "a.c",
        lambda: (
            f"#define SCORE(g) ({'1 + ' * 6000}((g) == MALE ? 2 : 1))\nint score(struct person *applicant) {{\n"
            "  int points = 0;\n  points += SCORE(applicant->gender);\n  return points;\n}\n"
        ),
        "a macro too long to be read",
        1,
    ),
    "config/settings.DEFAULT_FILE_NESTING syntax/depth.MAX_DEPTH": (
        "a.py",
        lambda: (
            f"def hire(a):\n    return {'[' * (MAX_DEPTH + 9)}a.gender == 'male'{']' * (MAX_DEPTH + 9)}\n"
        ),
        re.escape(TOO_DEEP),
        2,
    ),
    "syntax/lowering.MAX_CHAIN": (
        "a.py",
        lambda: f"def hire(applicant):\n    return applicant.gender {'+ x ' * 500}\n",
        "too many parts in one chain",
        2,
    ),
    "syntax/lowering.MAX_ITEMS syntax/lowering.MAX_ITEMS_OF_HUGE syntax/lowering.HUGE": (
        "a.py",
        lambda: f"def hire(applicant):\n    x = [{'0,' * 200_005}]\n    return applicant.gender == 'male'\n",
        "too many items in one list",
        2,
    ),
}
"""For each limit a file that meets it, what is said of it, and the line; 0 is any."""
SPENT = {
    "config/settings.DEFAULT_FILE_STEPS semantics/interpreter/file_state.STEPS semantics/names/imports.MODULE_BUDGET": "the file takes more than",
    "semantics/groups/group_terms.MOST_STEPS": "to compare the groups takes more than",
}
"""What is a setting, which a test makes small."""
FOLLOWED = {
    "project/dependencies.LARGEST_MODULE": (1, 250_000),
    "project/links.MOST_BYTES": (4, 150_000),
    "project/links.MOST_MODULES": (14, 100),
}
"""How many modules a file imports, and how large they are."""
INCLUDED = {
    "project/header_files.LARGEST": (1, 250_000),
    "project/header_files.MOST_BYTES": (4, 150_000),
    "project/header_files.MOST": (30, 100),
    "project/header_files.DEEPEST": (8, 100),
}
"""The same of headers, each of which includes the next."""
LOADED = {
    "project/data_files.MOST_BYTES": (4, f'["{"x" * 150_000}"]', "all such files are too large"),
    "syntax/data/places.MOST_VALUES": (1, f"[{'1, ' * 6_000}1]", "more than 5,000 values"),
    "syntax/data/places.DEEPEST": (1, "[" * 50 + "]" * 50, "nested too deeply"),
}
"""How many files of data a file loads, what is in each, and what is said of the last."""


@pytest.mark.parametrize("cap", INPUTS)
def test_what_a_limit_leaves_out_is_named(cap: str) -> None:
    path, source, reason, line = INPUTS[cap]

    gaps = fairlint.check_source(source(), path=path, settings=Settings(file_timeout=0)).not_analysed

    assert {gap.cause for gap in gaps} == {"limit"}
    told = [gap for gap in gaps if re.fullmatch(reason, gap.reason)]
    assert told
    assert line in {0, told[0].line}
    assert len({(gap.line, gap.reason) for gap in gaps}) == len(gaps)


@pytest.mark.parametrize("source", [prompt(f"{{applicant.gender}} {ASK}"), query(SQL), calls(2), columns(50)])
def test_ordinary_code_meets_no_limit(source: str) -> None:
    assert fairlint.check_source(source, path="a.py").not_analysed == ()


@pytest.mark.parametrize("reason", SPENT.values())
def test_spent_steps_are_named(reason: str) -> None:
    """The evaluation stops, and so do comparisons, which have twice as many."""
    tests = "".join(
        f"    if applicant.gender == 'male' and x.a{at} > {at}:\n        points += {at}\n" for at in range(80)
    )
    source = f"def score(applicant, x):\n    points = 0\n{tests}    return points\n"
    told = [
        fairlint.check_source(source, path="a.py", settings=Settings(file_steps=one)) for one in (100, 1200)
    ]

    assert any(reason in gap.reason for report in told for gap in report.not_analysed)


@pytest.mark.parametrize(("modules", "size"), FOLLOWED.values())
def test_a_module_that_is_not_followed_is_named(modules: int, size: int, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'app'\n")
    imports = used = ""
    for at in range(modules):
        filler = "x = 1  # nothing\n" * (size // 17)
        (tmp_path / f"rules{at}.py").write_text(
            f"GENDER_POINTS{at} = {{'male': 2, 'female': {at}}}\n{filler}"
        )
        imports += f"from rules{at} import GENDER_POINTS{at}\n"
        used += f"    points += GENDER_POINTS{at}[applicant.gender]\n"
    path = tmp_path / "score.py"
    path.write_text(f"{imports}def score(applicant):\n    points = 0\n{used}    return points\n")

    gaps = [gap for gap in fairlint.check_paths([path]).not_analysed if gap.cause == "limit"]

    assert gaps
    assert all("which is not followed" in gap.reason for gap in gaps)


@pytest.mark.parametrize(("headers", "size"), INCLUDED.values())
def test_a_header_that_is_not_read_is_named(headers: int, size: int, tmp_path: Path) -> None:
    deep = headers == INCLUDED["project/header_files.DEEPEST"][0]
    for at in range(headers):
        text = f'#include "r{at + 1}.h"\n' if deep else f"#define BONUS{at} {at}\n"
        (tmp_path / f"r{at}.h").write_text(text + "/* nothing */\n" * (size // 14))
    included = "".join(f'#include "r{at}.h"\n' for at in range(1 if deep else headers))
    (tmp_path / "score.c").write_text(
        f"{included}int score(struct person *p) {{ return p->gender == MALE ? BONUS1 : 0; }}\n"
    )

    gaps = [gap for gap in fairlint.check_paths([tmp_path / "score.c"]).not_analysed if gap.cause == "limit"]

    assert gaps
    assert all("which is not read" in gap.reason for gap in gaps)


@pytest.mark.parametrize(("files", "text", "reason"), LOADED.values())
def test_a_file_of_data_that_is_not_read_is_named(files: int, text: str, reason: str, tmp_path: Path) -> None:
    code = "import json\ndef score(applicant):\n    points = 2 if applicant.gender == 'male' else 1\n"
    for at in range(files):
        (tmp_path / f"rules{at}.json").write_text(text)
        code += f"    points += json.load(open('rules{at}.json'))\n"
    path = tmp_path / "score.py"
    path.write_text(f"{code}    return points\n")

    gaps = [gap for gap in fairlint.check_paths([path]).not_analysed if gap.cause == "limit"]

    assert gaps
    assert gaps[-1].line == 3 + files
    assert reason in gaps[-1].reason


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        pytest.param(
            "def find(db):\n" + "".join(f'    db.execute("{UPDATE} AND x = {at}")\n' for at in range(40)),
            "query",
            id="SQL",
        ),
        pytest.param(
            "def judge(client, applicant):\n"
            + "".join(f'    client.chat(f"""{at} {{applicant.gender}} {ASK}""")\n' for at in range(40)),
            "prompt",
            id="prompts",
        ),
        pytest.param(
            "def judge(client):\n"
            + "".join(
                f'    client.chat("""{at} Hire men only and never women for job {at}.""")\n'
                for at in range(40)
            ),
            "prompt",
            id="orders",
        ),
    ],
)
def test_thousands_of_queries_and_prompts_are_cut(source: str, kind: str) -> None:
    """They take steps of the file as its code does; what stands before is read."""
    whole = fairlint.check_source(source, path="a.py")
    cut = fairlint.check_source(source, path="a.py", settings=Settings(file_steps=1_500))
    told = [gap for gap in cut.not_analysed if gap.reason.startswith("to read the texts of this file")]

    assert whole.not_analysed == ()
    assert [gap.reason for gap in told] == [
        "to read the texts of this file takes more than 3,000 steps (from the setting file-steps): not all were"
    ]
    assert 2 < told[0].line < 41
    read, all_ = ([use for _, use in one.uses if use.kind == kind] for one in (cut, whole))
    assert 0 < len(read) < len(all_) == 40


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{'word ' * 5000}. Hire men only, and never women.", id="an order behind the end"),
        pytest.param(f"{'word ' * 3998}Hire men only, and never women.", id="an order across the end"),
    ],
)
def test_what_a_long_prompt_says_at_its_end_is_missed_aloud(text: str) -> None:
    gaps = fairlint.check_source(
        f'def judge(client):\n    client.chat("""{text}""")\n', path="a.py"
    ).not_analysed

    assert [(gap.line, gap.cause) for gap in gaps] == [(2, "limit")]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE people " + "JOIN other ON a = b " * 60 + "SET score = 1 WHERE gender = 'male'",
        f"CREATE TABLE v AS /* {'why ' * 60} */ SELECT CASE WHEN gender = 'male' THEN 2 ELSE 1 END AS score FROM people",
        f"CREATE TABLE v /* {'why ' * 1200} */ AS SELECT CASE WHEN gender = 'm' THEN 2 ELSE 1 END AS score FROM people",
    ],
    ids=["joins before SET", "a comment behind AS", "a comment before AS"],
)
def test_long_heads_of_statements_are_read(sql: str) -> None:
    report = fairlint.check_source(f'def find(db):\n    db.execute("{sql}")\n', path="a.py")
    assert [use.kind for _, use in report.uses] == ["query"]


def test_a_long_condition_is_named() -> None:
    text = "gender = 'male' AND x IN (" + "1, " * 8000 + "2)"
    source = f'def find(spark):\n    people = spark.table("people")\n    return people.where("{text}")\n'
    gaps = fairlint.check_source(source, path="a.py").not_analysed
    assert [gap.reason for gap in gaps] == ["SQL of more than 20,000 characters"]


def test_a_long_list_of_orders_is_read_to_its_end() -> None:
    listed = "".join(f"- people of skill {at}\\n" for at in range(30))
    text = f"You choose applicants for a job.\\nWe want people who are:\\n{listed}- men\\n"
    source = f'def judge(client):\n    client.chat("Hire men only.")\n    client.chat("{text}")\n'
    assert [use.kind for _, use in fairlint.check_source(source, path="a.py").uses] == ["prompt"] * 2


def test_a_long_union_is_read_to_its_first_select() -> None:
    """It nests to the left, so that the first of 15 stood deeper than was looked."""
    query = sqlglot.parse_one(" UNION ".join(f"SELECT id FROM t{at}" for at in range(15)))
    tables = [one.select.find(exp.Table) for one in feeding(query, {})]

    assert [table.name for table in tables if table is not None] == [f"t{at}" for at in range(15)]


def test_the_pages_say_each_limit() -> None:
    usage, fixed = ((ROOT / f"docs/{name}.md").read_text("utf-8") for name in ("usage", "limits"))
    limits = usage[usage.index("## Limits") : usage.index("## Notebooks")] + fixed
    modules = {
        one: import_module(f"fairlint.{one.rpartition('.')[0].replace('/', '.')}") for one in entries("named")
    }

    assert [
        one for one, module in modules.items() if f"{getattr(module, one.rpartition('.')[2]):,}" not in limits
    ] == []
