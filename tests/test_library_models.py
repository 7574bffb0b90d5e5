"""Models of libraries: the shipped files, a user's own, a plugin's, and libraries that nobody knew."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from expectations import Block, read_page

from fairlint import check_paths, check_source
from fairlint.config import Settings, load_settings
from fairlint.library_models import loading
from fairlint.plugins import manager as plugins
from fairlint.semantics.names.library import DOES, KEYS
from fairlint.support.errors import UsageError

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "fairlint" / "library_models"
FILES = sorted(FOLDER.glob("*.toml"))
TABLE = "people = {read}\nX = people[['tenure', 'gender']]\ny = people['hired']\n"


def blocks() -> list[Block]:
    return [
        block
        for path in FILES
        for block in read_page(tomllib.loads(path.read_text("utf-8")).get("examples", ""), path.stem)
    ]


def test_there_are_shipped_models() -> None:
    assert len(FILES) > 100


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_model_is_well_formed(path: Path) -> None:
    data = tomllib.loads(path.read_text("utf-8"))
    told = loading.read(path.stem, data)
    own = f"fairlint.library_models.{path.stem}" if path.with_suffix(".py").exists() else told["python"]
    module = loading._function_loader(own)
    for entries in told["entries"].values():
        for _, name, _, given in entries:
            if "python" in given:
                assert module is not None, f"{name} names a function, and there is no module"
                assert callable(module(given["python"]))
    for package in told["like"]:
        assert (FOLDER / f"{package}.toml").exists()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_model_has_an_example(path: Path) -> None:
    assert list(read_page(tomllib.loads(path.read_text("utf-8"))["examples"], path.stem))


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.id)
def test_the_examples_of_a_model(block: Block) -> None:
    report = check_source(block.code, path=block.path, settings=Settings(min_severity="note"))
    found = {(finding.start.line, finding.rule, finding.use.attribute) for finding in report.findings}
    wanted = {(one.line, one.rule, one.attribute) for one in block.expected}
    assert {one for one in found if one[:2] in {(line, rule) for line, rule, _ in wanted}} == wanted
    if not wanted:
        assert found == set()


def test_every_word_of_the_vocabulary_is_explained() -> None:
    page = (ROOT / "docs" / "library-models.md").read_text("utf-8")
    assert [word for word in (*DOES, *KEYS) if f"| `{word}` |" not in page] == []


# ------------------------------------------------------------------------------------------ a user's own


def told(folder: Path, model: str, code: str, name: str = "train.py") -> list[tuple[str, str, str]]:
    """What is told of a program where the user has a model of a library."""
    (folder / "ours.toml").write_text(model)
    (folder / "fairlint.toml").write_text('library-models = ["ours.toml"]\nmin-severity = "note"\n')
    (folder / name).write_text(code)
    report = check_paths([folder / name])
    assert not report.not_analysed
    return [(one.rule, one.use.attribute, one.confidence) for one in report.findings]


RISK = 'package = "risk"\nabout = ["tables", "models"]\n'


def test_a_company_tells_what_its_own_package_does(tmp_path: Path) -> None:
    code = "import risk\n" + TABLE.format(read="risk.load('a.csv')") + "risk.Model().teach(X, y)\n"
    assert told(tmp_path, "", code) == []
    model = RISK + '[functions]\nload = "reads table"\n[methods."*"]\nteach = "learns"\n'
    assert ("FL301", "gender", "high") in told(tmp_path, model, code)


def test_a_users_file_adds_to_a_shipped_model(tmp_path: Path) -> None:
    head = "import pandas as pd\nfrom sklearn.svm import SVC\n" + TABLE.format(read="pd.read_csv('a.csv')")
    code = head + "SVC().teach_at_once(X, y)\n"
    assert told(tmp_path, "", code) == []
    model = 'package = "sklearn"\n[methods."*"]\nteach_at_once = "learns"\n'
    assert ("FL301", "gender", "high") in told(tmp_path, model, code)
    assert ("FL301", "gender", "high") in told(tmp_path, model, head + "SVC().fit(X, y)\n")


def test_a_piece_of_a_program_uses_the_usual_name_of_a_package(tmp_path: Path) -> None:
    code = "def f(applicant): return rk.score(applicant.gender)\n"
    model = 'package = "risk"\n[functions]\nscore = "scores"\n'
    assert told(tmp_path, model, code) == []
    assert ("FL201", "gender", "high") in told(tmp_path, f'usual = {{ rk = "risk" }}\n{model}', code)


ASKED = "f'Should we hire this candidate? Gender: {person.gender}'"
ASKS = "from openai import OpenAI\n"


@pytest.mark.parametrize(
    ("code", "how"),
    [
        (f"{ASKS}def f(person): return OpenAI().responses.create(input={ASKED})", "model"),
        (f"{ASKS}def f(person, it: OpenAI): return it.responses.create(input={ASKED})", "model"),
        (f"{ASKS}def f(person): return OpenAI().responses.create(input='Hi', metadata={ASKED})", ""),
        (f"{ASKS}def f(person, it): return it.create(input={ASKED})", "alone"),
        (f"def f(person, chat): return chat.complete({ASKED})", "name says"),
        (f"from ours import think\ndef f(person): return think({ASKED})", ""),
        (f"from risk import think\ndef f(person): return think({ASKED})", "model"),
        (f"from risk import think\ndef f(person): return think('Hi', note={ASKED})", ""),
        (f"from risk import Ask, think\ndef f(person): return think(Ask({ASKED}))", "model"),
    ],
)
def test_what_asks_a_language_model_is_said_by_its_library(tmp_path: Path, code: str, how: str) -> None:
    model = (
        'package = "risk"\n[functions]\nAsk = "holds text"\nthink = { does = "asks model", argument = 0 }\n'
    )
    (tmp_path / "ours.toml").write_text(model)
    (tmp_path / "fairlint.toml").write_text('library-models = ["ours.toml"]\n')
    (tmp_path / "screen.py").write_text(f"{code}\n")
    found = check_paths([tmp_path / "screen.py"]).findings
    assert [one.rule for one in found] == (["FL701"] if how else [])
    reasons = "; ".join(item.reason for one in found for item in one.use.evidence)
    assert {
        "model": "says the model of" in reasons and "alone" not in reasons,
        "alone": "known by its name alone" in reasons,
        "name says": "as its name says" in reasons,
        "": True,
    }[how]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("functions = 5", "'functions' must be a table"),
        ("[functions]\nload = 5", "'functions.load' must say what it does: a text, a list, or a table"),
        (f"[functions]\nload = '{'x' * 5_000}'", f"'functions.load' does '{'x' * 60}…', which is not in the"),
        ('[functions]\nload = "reads tables"', "'functions.load' does 'reads tables', which is not in the"),
        (
            '[functions]\nload = { does = "learns", feature = 0 }',
            "'functions.load' has an unknown key",
        ),
        (
            '[methods.A]\nfit = { does = "learns", features = 1.5 }',
            "'methods.A.fit.features' must be",
        ),
        (
            'about = ["people"]',
            "'about' has no 'people'; known are actuaries, audits, causes, charts, language, models, ",
        ),
        ("until = { gone = '2' }", "'until' names 'gone', of which nothing is said"),
        ("until = 'gone'", "'until' must be a table"),
        ("usual = ['gl']", "'usual' must be a table"),
        ('common = "always"', "'common' must be 'everywhere' or 'tables'"),
        ("colour = 1", "unknown key 'colour'"),
        ("[functions]\nload = {}", "'functions.load' says nothing"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_error(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(UsageError) as error:
        told(tmp_path, text, "pass\n")
    assert str(error.value).startswith(f"{tmp_path / 'ours.toml'}: {problem}")
    assert "\n" not in str(error.value)


def test_a_file_that_is_missing_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text('library-models = ["none.toml"]\n')
    with pytest.raises(UsageError, match=r"none\.toml: cannot be read"):
        check_paths([tmp_path], load_settings([tmp_path]))


@pytest.mark.parametrize(
    "model",
    [
        'package = "risk"\npython = "trap"\n[functions]\nload = "reads table"\n',
        'package = "risk"\n[functions]\nload = { does = "reads table", python = "go" }\n',
        'package = "pandas"\n[methods.DataFrame]\nfillna = { python = "go" }\n',
    ],
)
def test_a_file_that_comes_with_the_code_names_no_code_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    (tmp_path / "trap.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    (tmp_path / "ours.toml").write_text(model)
    (tmp_path / "fairlint.toml").write_text('library-models = ["ours.toml"]\n')
    (tmp_path / "uses.py").write_text("import risk\nrisk.load('a.csv').gender\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match=r"ours\.toml: 'python' names code to run"):
        check_paths([tmp_path])
    assert not (tmp_path / "sprung").exists()


# ---------------------------------------------------------------------------------- libraries nobody knew

DASK = "import dask.dataframe as dd\nfrom sklearn.svm import SVC\n" + TABLE.format(
    read="dd.read_csv('a.csv')"
)
H2O = """import h2o
from h2o.estimators import H2OGradientBoostingEstimator

people = h2o.import_file("people.csv")
model = H2OGradientBoostingEstimator()
model.train(x=["tenure", "gender"], y="hired", training_frame=people)
"""
SIUBA = """from siuba import _, filter, mutate, select
from siuba.data import people
from sklearn.svm import SVC

X = select(people, "tenure", "gender")
SVC().fit(X, people["hired"])
"""
SIUBA_MODEL = """package = "siuba"
about = ["tables"]

[functions]
select = { does = "selects columns", argument = 0 }
"""


def test_dask_is_like_pandas() -> None:
    report = check_source(DASK + "SVC().fit(X.persist().compute(), y)\n")
    assert "FL301" in {one.rule for one in report.findings}


def test_h2o_is_told_its_columns_by_name() -> None:
    assert [(one.rule, one.use.attribute) for one in check_source(H2O).findings] == [("FL301", "gender")]


def test_siuba_is_one_file(tmp_path: Path) -> None:
    assert ("FL301", "gender", "high") not in told(tmp_path, "", SIUBA)
    assert ("FL301", "gender", "high") in told(tmp_path, SIUBA_MODEL, SIUBA)


C_CODE = """
struct applicant { char gender[10]; int score; };

int rate(struct applicant *a)
{
    if (same_word(a->gender, "male"))
        a->score += 5;
    return a->score;
}
"""
C_MODEL = 'language = "c"\n[functions]\nsame_word = { does = "compares", op = "==" }\n'


def test_a_c_library_is_one_file(tmp_path: Path) -> None:
    def points(model: str) -> list[float]:
        (tmp_path / "ours.toml").write_text(model)
        (tmp_path / "fairlint.toml").write_text('library-models = ["ours.toml"]\nmin-severity = "note"\n')
        (tmp_path / "rate.c").write_text(C_CODE)
        found = check_paths([tmp_path / "rate.c"]).findings
        return [one.points.by_group.get("male", 0.0) for one in found if one.points is not None]

    assert points("") == []
    assert points(C_MODEL) == [5.0]


def test_a_plugin_brings_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"package": "risk", "about": ["tables"], "functions": {"load": "reads table"}}
    (tmp_path / "more.toml").write_text('package = "risk"\n[methods."*"]\nteach = "learns"\n')
    before = plugins._offers_of_plugins
    offered: list[Any] = [table, tmp_path / "more.toml"]
    monkeypatch.setattr(
        plugins,
        "_offers_of_plugins",
        lambda hook, manager: (
            [("example", lambda: offered)] if hook == "fairlint_library_models" else before(hook, manager)
        ),
    )
    code = "import risk\n" + TABLE.format(read="risk.load('a.csv')") + "risk.Model().teach(X, y)\n"
    assert "FL301" in {one.rule for one in check_source(code).findings}
    offered[:] = [{"functions": {"load": "reads"}, "colour": 1}]
    assert "FL301" not in {one.rule for one in check_source(code).findings}
    ((plugin, told),) = plugins.troubles()
    assert plugin == "example"
    assert "unknown key 'colour'" in told


HIRE = "def shortlist({given}):\n{made}    people = people.{method}\n    return people\n"


@pytest.mark.parametrize(
    "method", ["query(\"gender == 'male'\")", "exclude(gender='M')", "filter(lambda one: one.gender == 'M')"]
)
@pytest.mark.parametrize(
    ("imported", "made", "rules"),
    [
        ("import gridlib\n", "    people = gridlib.Sheet('people.csv')\n", []),
        ("from gridlib import Sheet\n", "    people = Sheet('people.csv')\n", []),
        (
            "from gridlib import Sheet\n",
            "    people: Sheet = load()\n    people = people.sorted()\n",
            [],
        ),
        ("", "", ["FL106"]),
    ],
)
def test_a_method_of_another_package_is_of_no_known_library(
    imported: str, made: str, rules: list[str], method: str
) -> None:
    code = imported + HIRE.format(given="" if made else "people", made=made, method=method)
    assert [one.rule for one in check_source(code).findings] == rules


@pytest.mark.parametrize(
    ("imported", "made"),
    [
        ("import frappe", "frappe.qb.from_(people).select(people.id)"),
        ("from pypika import Query", "Query.from_(people).select(people.id)"),
        ("import geopandas", "geopandas.read_file(people)"),
        ("import databricks.koalas as ks", "ks.read_csv(people)"),
    ],
)
def test_queries_and_tables_of_other_packages_are_like_those_known(imported: str, made: str) -> None:
    method = "where" if "from_" in made else "filter"
    code = f'{imported}\n\ndef shortlist(people):\n    found = {made}.{method}(people.gender == "male")\n'
    assert [one.rule for one in check_source(f"{code}    return found\n").findings] == ["FL106"]


@pytest.mark.parametrize(
    "expression",
    [
        'row.get("gender") == "male"',
        'table.values.row.get("gender") == "male"',
        'gridlib.load().get("gender").strip().lower() == "male"',
    ],
)
def test_what_texts_and_dicts_do_is_known_of_whatever_acts_like_them(expression: str) -> None:
    code = f"import gridlib\ndef rate(row, score, table):\n    if {expression}:\n        score += 5\n"
    found = check_source(f"{code}    return score\n").findings
    assert [one.rule for one in found] == ["FL201"]


@pytest.mark.parametrize(
    ("imported", "base", "rules"),
    [
        ("import dspy", "dspy.Signature", ["FL701"]),
        ("from dspy import Signature as Asked\nimport dspy", "Asked", ["FL701"]),
        ("from inspect import Signature\nimport dspy", "Signature", []),
        ("from gridlib import Signature\nimport dspy", "Signature", []),
    ],
)
def test_a_class_is_a_prompt_where_its_library_says_so(imported: str, base: str, rules: list[str]) -> None:
    code = f'{imported}\nclass Admit({base}):\n    """Decide whether the student should be admitted."""\n'
    code += "    race: str = dspy.InputField()\n    answer: bool = dspy.OutputField()\n"
    assert [one.rule for one in check_source(code).findings] == rules


@pytest.mark.parametrize(
    ("read", "dropped", "rules"),
    [
        ("import polars as pl\npeople = pl.read_csv('p.csv')", "people.drop('gender')", []),
        ("import pandas as pd\npeople = pd.read_csv('p.csv')", "people.drop(columns='gender')", []),
        ("import pandas as pd\npeople = pd.read_csv('p.csv')", "people[people.columns.drop('gender')]", []),
        ("import sklearn\nfrom ours import people", "people.drop('gender')", []),
    ],
)
def test_what_a_drop_names_is_said_by_its_library(read: str, dropped: str, rules: list[str]) -> None:
    code = (
        f"{read}\nfrom sklearn.svm import SVC\npeople['gender'].hist()\nSVC().fit({dropped}, people['y'])\n"
    )
    assert [one.rule for one in check_source(code).findings if one.rule == "FL301"] == rules


@pytest.mark.parametrize(("imported", "rules"), [("from risk import", ["FL301"]), ("from ours import", [])])
def test_a_known_class_learns_whatever_its_name_says(tmp_path: Path, imported: str, rules: list[str]) -> None:
    model = 'package = "risk"\nabout = ["tables"]\n[methods."*"]\nteach = "learns"\n'
    code = f"import pandas as pd\n{imported} load_scaler, Scaler\n{TABLE.format(read='pd.read_csv(f)')}"
    made = "Scaler()" if rules else "load_scaler()"
    found = told(tmp_path, model, f"{code}{made}.teach(X, y)\n")
    assert [one[0] for one in found if one[0] != "FL902"] == rules


LEARNS = """
import pandas as pd
{}
from sklearn.svm import SVC
people = pd.read_csv("people.csv")
model = SVC().fit(people[["tenure", "gender"]], people["hired"])
{}
"""


@pytest.mark.parametrize(
    ("imported", "measures", "denied"),
    [
        ("import oxonfair", "oxonfair.group_metrics", False),
        ("from fairret.statistic import TruePositiveRate", "TruePositiveRate()", False),
        ("from jurity.fairness import BinaryFairnessMetrics", "BinaryFairnessMetrics()", False),
        ("import dalex", "dalex.Explainer(model, people).model_fairness(people['gender'], 'male')", False),
        ("import dalex", "dalex.Explainer(model, people).model_parts()", True),
        ("", "people.assign(p=model.predict(people)).groupby('gender')['p'].mean()", False),
        ("", "pd.crosstab(people['gender'], model.predict(people))", False),
        ("", "people['hired'].mean()", True),
    ],
)
def test_no_audit_is_denied_that_a_library_or_the_code_makes(
    imported: str, measures: str, denied: bool
) -> None:
    report = check_source(LEARNS.format(imported, measures), settings=Settings(min_severity="note"))
    assert ("FL902" in {one.rule for one in report.findings}) == denied
