"""Which file an import means, and what is found across files."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from fairlint.checking import runner
from fairlint.checking.runner import check_paths, check_source
from fairlint.config import Settings
from fairlint.findings.report import NotAnalysed, Report
from fairlint.processes import parallel
from fairlint.project import module_graph
from fairlint.project.dependencies import LARGEST_MODULE
from fairlint.project.import_resolver import ImportResolver
from fairlint.project.module_graph import ModuleGraph
from fairlint.syntax.python import PYTHON
from fairlint.syntax.python.modules import imports_in

CONFIG = """\
NUMERIC = ["income", "years_employed"]
SENSITIVE = ["gender"]
FEATURES = NUMERIC + SENSITIVE
TARGET = "approved"
"""
TRAIN = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression
{imports}

def train(path):
    applicants = pd.read_csv(path)
    model = LogisticRegression()
    model.fit(applicants[{features}], applicants["approved"])
    return model
"""
RULES = """\
def bonus(value):
    if value == "male":
        return 5
    return 0
"""
SCORE = """\
{imports}

def score(applicant):
    points = applicant.years_experience
    points += {call}(applicant.gender)
    return points
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(here: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text, encoding="utf-8")


def places(report: Report, rule: str = "FL") -> list[tuple[str, int, str]]:
    assert not report.failed, report.not_analysed
    return [
        (finding.path, finding.start.line, finding.rule)
        for finding in report.findings
        if finding.rule.startswith(rule)
    ]


# What is followed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("imports", "features"),
    [
        ("from config import FEATURES", "FEATURES"),
        ("from config import FEATURES as columns", "columns"),
        ("from config import (  # what the model sees\n    TARGET,\n    FEATURES,\n)", "FEATURES"),
        ("from config import *", "FEATURES"),
        ("import config", "config.FEATURES"),
        ("import config as cfg", "cfg.FEATURES"),
        ("try:\n    from config import FEATURES\nexcept ImportError:\n    FEATURES = []", "FEATURES"),
    ],
)
def test_a_constant_of_another_file_reaches_the_model(here: Path, imports: str, features: str) -> None:
    write(here, {"config.py": CONFIG, "train.py": TRAIN.format(imports=imports, features=features)})

    for paths in (["."], ["train.py"]):
        report = check_paths(paths)
        assert places(report, "FL301") == [("config.py", 2, "FL301")]
        [finding] = report.findings
        assert {step.path for step in finding.flow} == {"config.py", "train.py"}


def test_an_import_inside_a_function_is_followed(here: Path) -> None:
    body = TRAIN.format(imports="", features="FEATURES").replace(
        "    applicants = pd", "    from config import FEATURES\n    applicants = pd"
    )
    write(here, {"config.py": CONFIG, "train.py": body})

    assert places(check_paths(["."]), "FL301") == [("config.py", 2, "FL301")]


@pytest.mark.parametrize("imports", ["from settings import Config", "from settings import Config as C"])
def test_a_field_of_a_class_is_followed(here: Path, imports: str) -> None:
    name = imports.rpartition(" ")[2]
    settings = 'class Config:\n    """Settings."""\n\n    FEATURES = ["income", "gender"]\n'
    write(
        here,
        {"settings.py": settings, "train.py": TRAIN.format(imports=imports, features=f"{name}.FEATURES")},
    )

    assert places(check_paths(["."]), "FL301") == [("settings.py", 4, "FL301")]


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("from rules import bonus", "bonus"),
        ("import rules", "rules.bonus"),
        ("lazy from rules import bonus", "bonus"),
        ("lazy import pkg.deep.rules as more", "more.bonus"),
        ("from pkg import bonus", "bonus"),
        ("from pkg.deep import bonus as extra", "extra"),
        ("import pkg.deep.rules", "pkg.deep.rules.bonus"),
        ("from pkg.deep import rules", "rules.bonus"),
        ("from names.rules import bonus", "bonus"),
        ("from library.rules import bonus", "bonus"),
    ],
)
def test_a_function_of_another_file_decides(here: Path, imports: str, call: str) -> None:
    write(
        here,
        {
            "rules.py": RULES,
            "pkg/__init__.py": "from .deep import bonus\n",
            "pkg/deep/__init__.py": "from pkg.deep.rules import bonus\n",
            "pkg/deep/rules.py": RULES,
            "names/rules.py": RULES,
            "src/library/__init__.py": "",
            "src/library/rules.py": RULES,
            "score.py": SCORE.format(imports=imports, call=call),
        },
    )

    [finding] = check_paths(["score.py"]).findings

    assert finding.path.endswith("rules.py")
    assert (finding.start.line, finding.rule) == (2, "FL201")
    assert finding.points is not None
    assert finding.points.by_group == {"male": 5, "female": 0}
    assert ("score.py", 5 + imports.count("\n")) in {(step.path, step.start.line) for step in finding.flow}
    assert finding.line_hash.endswith(":1")


def test_relative_imports_are_followed(here: Path) -> None:
    write(
        here,
        {
            "pkg/__init__.py": "",
            "pkg/rules.py": RULES,
            "pkg/a.py": SCORE.format(imports="from .rules import bonus", call="bonus"),
            "pkg/b.py": SCORE.format(imports="from . import rules", call="rules.bonus"),
            "pkg/sub/__init__.py": "",
            "pkg/sub/c.py": SCORE.format(imports="from ..rules import bonus", call="bonus"),
        },
    )

    for name in ("pkg/a.py", "pkg/b.py", "pkg/sub/c.py"):
        assert places(check_paths([name])) == [("pkg/rules.py", 2, "FL201")]


def test_a_table_without_a_protected_word_is_followed_through_the_function_that_reads_it(here: Path) -> None:
    table = 'POINTS = {"m": 3, "f": 1}\n\n\ndef bonus(value):\n    return POINTS[value]\n'
    write(
        here, {"rules.py": table, "score.py": SCORE.format(imports="from rules import bonus", call="bonus")}
    )

    [finding] = check_paths(["score.py"]).findings
    assert (finding.path, finding.start.line, finding.rule) == ("rules.py", 5, "FL202")


def test_what_a_module_calls_by_a_name_is_what_it_means_there(here: Path) -> None:
    rules = f"{RULES}\n\nSCALE = 2\n\n\ndef scaled(value):\n    return SCALE * bonus(value)\n"
    score = SCORE.format(imports="from rules import scaled", call="scaled")
    write(here, {"rules.py": rules, "score.py": f"SCALE = 100\n\n\ndef bonus(x):\n    return 0\n\n\n{score}"})

    [finding] = check_paths(["score.py"]).findings
    assert finding.points is not None
    assert finding.points.by_group["male"] == 10


def test_a_notebook_follows_what_it_imports(here: Path) -> None:
    import json

    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Score"},
        {"cell_type": "code", "metadata": {}, "source": "from rules import bonus", "outputs": []},
        {
            "cell_type": "code",
            "metadata": {},
            "source": SCORE.format(imports="", call="bonus").splitlines(keepends=True),
            "outputs": [],
        },
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    write(here, {"rules.py": RULES, "score.ipynb": json.dumps(notebook, indent=1)})

    [finding] = check_paths(["score.ipynb"]).findings

    assert (finding.path, finding.start.line, finding.cell) == ("rules.py", 2, None)
    steps = {(step.path, step.cell, step.start.line) for step in finding.flow}
    assert {("score.ipynb", 3, 5), ("rules.py", None, 2)} <= steps


# What is told, and where ------------------------------------------------------------------------------------


def test_what_several_files_tell_is_told_once(here: Path) -> None:
    write(here, {"rules.py": RULES})
    for name in ("a.py", "b.py", "c/d.py"):
        write(here, {name: SCORE.format(imports="from rules import bonus", call="bonus")})
    report = check_paths(["a.py", "b.py", "rules.py"])

    assert places(report) == [("rules.py", 2, "FL201")]
    assert report.points("gender")["male"] == 5
    assert places(check_paths(["b.py", "rules.py", "a.py"])) == places(report)
    assert report.findings == check_paths(["rules.py", "b.py", "a.py"]).findings


def test_a_module_that_tells_it_alone_needs_no_other(here: Path) -> None:
    rules = 'def bonus(applicant):\n    return 5 if applicant.gender == "male" else 0\n'
    score = "from rules import bonus\n\n\ndef score(applicant):\n    return 3 + bonus(applicant)\n"
    write(here, {"rules.py": rules, "score.py": score})

    alone = check_paths(["rules.py"])
    both = check_paths(["."])

    assert places(alone) == places(both) == [("rules.py", 2, "FL201")]
    assert alone.findings == both.findings
    assert places(check_paths(["score.py"])) in ([], [("rules.py", 2, "FL201")])


def test_the_rules_of_a_path_are_those_of_the_file_a_finding_is_in(here: Path) -> None:
    write(
        here, {"rules.py": RULES, "score.py": SCORE.format(imports="from rules import bonus", call="bonus")}
    )

    def found(**settings: object) -> list[tuple[str, int, str]]:
        return places(check_paths(["score.py"], Settings(**settings)))  # type: ignore[arg-type]

    assert found() == [("rules.py", 2, "FL201")]
    assert found(per_file_ignores={"rules.py": ("FL2",)}) == []
    assert found(per_file_ignores={"score.py": ("FL2",)}) == [("rules.py", 2, "FL201")]
    assert found(extend_exclude=("rules.py",)) == []


def test_the_frames_show_both_files(here: Path) -> None:
    from fairlint.reporters import ReportOptions, text

    write(
        here, {"rules.py": RULES, "score.py": SCORE.format(imports="from rules import bonus", call="bonus")}
    )
    told = "".join(text.report(check_paths(["score.py"]), ReportOptions()))

    assert '2 |     if value == "male":' in told
    assert "::: score.py:5:21" in told
    assert "5 |     points += bonus(applicant.gender)" in told


ASKING = """\
from openai import OpenAI

client = OpenAI()
SYSTEM = "You are a recruiter. Should we hire this candidate? Answer yes or no."
{more}

def ask(text):
    messages = [{{"role": "system", "content": SYSTEM}}, {{"role": "user", "content": text}}]
    return client.chat.completions.create(model="any", messages=messages)
"""
PERSON = """\
from pydantic import BaseModel

class Candidate(BaseModel):
    name: str
    gender: str

def text_of(candidate):
    return f"Gender: {candidate.gender}, skills: {candidate.skills}"
"""
BADGE = "Write a name badge for them."


ASKED_HERE = """\
from openai import OpenAI
from asking import SYSTEM
client = OpenAI()

def decide(x):
    messages = [{"role": "user", "content": f"{SYSTEM} Gender: {x.gender}"}]
    return client.chat.completions.create(messages=messages)
"""
RECORD = """\
from people import Candidate

def decide(x: Candidate):
    return ask(x.model_dump_json())
"""


@pytest.mark.parametrize(
    ("main", "more"),
    [
        ("from asking import ask\n\ndef decide(x):\n    return ask(f'Gender: {x.gender}')\n", ""),
        (ASKED_HERE, ""),
        (ASKING, "from people import text_of\n\ndef decide(x):\n    return ask(text_of(x))\n"),
        (ASKING, RECORD),
    ],
    ids=["the one who asks", "what is asked", "the words for a person", "the record of a person"],
)
def test_a_prompt_is_put_together_across_files(here: Path, main: str, more: str) -> None:
    """Whichever of them names somebody."""
    for task, rules in (("", ["FL701"]), (BADGE, [])):
        files = {"asking.py": ASKING.format(more=""), "people.py": PERSON}
        files["main.py"] = main.format(more=more) if more else main
        if task:
            question = "You are a recruiter. Should we hire this candidate? Answer yes or no."
            files = {name: text.replace(question, task) for name, text in files.items()}
        write(here, files)
        assert [finding.rule for finding in check_paths(["."]).findings] == rules


def test_text_alone_follows_nothing(here: Path) -> None:
    write(here, {"rules.py": RULES})
    score = SCORE.format(imports="from rules import bonus", call="bonus")

    assert places(check_source(score, path="score.py")) == []
    assert places(check_source(score, path="score.py", in_project=True)) == [("rules.py", 2, "FL201")]


def test_a_file_that_names_nobody_is_looked_at_where_a_model_learns(here: Path) -> None:
    write(here, {"config.py": CONFIG, "report.py": "from config import FEATURES\nprint(FEATURES)\n"})
    report = check_paths(["report.py"])
    assert (places(report), report.uses) == ([], ())


SERVICE = """\
import joblib
import pandas as pd


class Rater:
    def __init__(self):
        self.model = joblib.load("model.joblib")

    def chance(self, applicant):
        return self.model.predict_proba(pd.DataFrame([applicant]))[0, 1]


def rate(applicant):
    return Rater().chance(applicant)
"""
ROUTE = """\
from fastapi import FastAPI
from service import {name}

app = FastAPI()


@app.post("/rate")
def answer(body: dict):
    applicant = {{"income": body["income"], "gender": body["gender"]}}
    return {call}(applicant)
"""


@pytest.mark.parametrize(("name", "call"), [("Rater", "Rater().chance"), ("rate", "rate")])
def test_a_row_goes_into_a_model_of_another_file(here: Path, name: str, call: str) -> None:
    write(here, {"service.py": SERVICE, "route.py": ROUTE.format(name=name, call=call)})
    report = check_paths(["."])
    assert places(report, "FL301") == [("route.py", 9, "FL301")]
    assert {step.path for step in report.findings[0].flow} == {"route.py", "service.py"}


def test_a_row_that_another_file_makes_of_a_record_goes_into_a_model(here: Path) -> None:
    pipeline = """\
import pandas as pd


class Form:
    def __init__(self, gender, income):
        self.gender = gender
        self.income = income

    def as_frame(self):
        return pd.DataFrame({"gender": [self.gender], "income": [self.income]})


class Pipeline:
    def predict(self, rows):
        return load("model.pkl").predict(load("prepare.pkl").transform(rows))
"""
    route = """\
from flask import request
from pipeline import Form, Pipeline


def answer():
    rows = Form(gender=request.form["gender"], income=request.form["income"]).as_frame()
    return Pipeline().predict(rows)
"""
    write(here, {"pipeline.py": pipeline, "route.py": route})
    assert places(check_paths(["."]), "FL301") == [("pipeline.py", 10, "FL301")]


@pytest.mark.parametrize(("given", "found"), [("Applicant", [("records.py", 6, "FL301")]), ("dict", [])])
def test_a_record_of_another_file_goes_into_a_model_by_all_its_fields(
    here: Path, given: str, found: list[tuple[str, int, str]]
) -> None:
    record = """\
from pydantic import BaseModel


class Applicant(BaseModel):
    income: int
    gender: str
"""
    route = f"""\
import joblib
import pandas as pd
from records import Applicant

model = joblib.load("model.joblib")


def answer(applicant: {given}):
    return model.predict(pd.DataFrame([applicant.model_dump()]))
"""
    write(here, {"records.py": record, "route.py": route})
    assert places(check_paths(["."]), "FL301") == found


def test_a_record_goes_through_a_route_into_a_model_of_another_module(here: Path) -> None:
    record = """\
from pydantic import BaseModel, Field


class Applicant(BaseModel):
    income: int
    gender: str = Field(..., example="Male")
"""
    service = """\
import joblib
import pandas as pd

model = joblib.load("model.joblib")


def rated(row):
    return model.predict(pd.DataFrame([row]))
"""
    route = """\
from records import Applicant
from service import rated


def answer(applicant: Applicant):
    return rated(applicant.model_dump())
"""
    write(here, {"records.py": record, "service.py": service, "route.py": route})
    assert places(check_paths(["."]), "FL301") == [("records.py", 6, "FL301")]


def test_a_record_is_handed_to_a_service_of_another_module(here: Path) -> None:
    record = """\
from pydantic import BaseModel


class Applicant(BaseModel):
    income: int
    gender: str
"""
    service = """\
import joblib
import pandas as pd


class Service:
    def __init__(self):
        self.model = joblib.load("model.joblib")

    def predict(self, given):
        return self.model.predict(pd.DataFrame([given.dict()]))
"""
    route = """\
from records import Applicant
from service import Service

service = Service()


def answer(applicant: Applicant):
    return service.predict(applicant)
"""
    write(here, {"records.py": record, "service.py": service, "route.py": route})
    assert places(check_paths(["."]), "FL301") == [("records.py", 6, "FL301")]


def test_columns_reach_a_model_through_a_module_between(here: Path) -> None:
    steps = """\
import config
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder


def prepared():
    return ColumnTransformer([("codes", OneHotEncoder(), config.FEATURES)])
"""
    train = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from steps import prepared


def train(path):
    people = pd.read_csv(path)
    make_pipeline(prepared(), LogisticRegression()).fit(people.drop(columns=["hired"]), people["hired"])
"""
    write(here, {"config.py": CONFIG, "steps.py": steps, "train.py": train})
    assert places(check_paths(["."]), "FL301") == [("config.py", 2, "FL301")]


def test_the_people_of_a_test_are_not_followed_into_a_model(here: Path) -> None:
    test = """\
from service import rate


def test_rate():
    applicant = {"income": 3, "gender": "F"}
    assert rate(applicant) > 0
"""
    write(here, {"service.py": SERVICE, "test_service.py": test})
    assert places(check_paths(["."]), "FL301") == []


def test_what_another_file_does_with_a_row_besides_is_silent(here: Path) -> None:
    shown = "import pandas as pd\n\n\ndef rate(applicant):\n    print(pd.DataFrame([applicant]))\n"
    write(here, {"service.py": shown, "route.py": ROUTE.format(name="rate", call="rate")})
    assert places(check_paths(["."])) == []


# Bad input --------------------------------------------------------------------------------------------------


def test_a_relative_import_of_nothing_is_named(here: Path) -> None:
    text = SCORE.format(imports="from .gone import bonus\nfrom . import compiled, nothing", call="bonus")
    write(here, {"pkg/__init__.py": "", "pkg/compiled.pyx": "", "pkg/score.py": text})

    assert check_paths(["pkg"]).not_analysed == (
        NotAnalysed("pkg/score.py", 1, "imports .gone, which is not there", "import"),
    )


def test_a_package_of_the_project_without_the_module_is_named(here: Path) -> None:
    text = SCORE.format(imports="import numpy\nimport torch.nn\nfrom pkg.gone import bonus", call="bonus")
    write(here, {"pkg/__init__.py": "", "torch/notes.txt": "", "score.py": text})

    assert check_paths(["score.py"]).not_analysed == (
        NotAnalysed("score.py", 3, "imports pkg.gone, which is not there", "import"),
    )


def test_an_import_that_may_fail_is_silent(here: Path) -> None:
    text = SCORE.format(
        imports="try:\n    from .gone import bonus\nexcept ImportError:\n    bonus = int", call="bonus"
    )
    write(here, {"pkg/__init__.py": "", "pkg/score.py": text})

    assert check_paths(["pkg"]).not_analysed == ()


def test_a_circle_of_imports_is_named_and_the_rest_checked(here: Path) -> None:
    score = SCORE.format(imports="from b import bonus", call="bonus")
    write(here, {"a.py": f"{score}\nWEIGHT = 2\n", "b.py": f"import os\nfrom a import WEIGHT\n\n{RULES}"})

    report = check_paths(["."])

    assert report.not_analysed == (
        NotAnalysed("a.py", 1, "a cycle of imports: a.py → b.py → a.py", "import"),
    ) or report.not_analysed == (
        NotAnalysed("a.py", 1, "a cycle of imports: a.py → b.py → a.py", "import"),
        NotAnalysed("b.py", 2, "a cycle of imports: b.py → a.py → b.py", "import"),
    )
    assert places(report) == [("b.py", 5, "FL201")]


def test_a_circle_that_python_can_go_is_silent(here: Path) -> None:
    write(
        here,
        {
            "pkg/__init__.py": "from pkg.rules import bonus\nfrom pkg.score import score\n",
            "pkg/rules.py": f"import pkg\n\n\n{RULES}",
            "pkg/score.py": SCORE.format(imports="from pkg import bonus", call="bonus"),
        },
    )

    report = check_paths(["."])
    assert report.not_analysed == ()
    assert places(report) == [("pkg/rules.py", 5, "FL201")]


def test_names_that_are_handed_round_for_ever_end(here: Path) -> None:
    write(
        here,
        {
            "a.py": SCORE.format(imports="from b import *", call="bonus"),
            "b.py": "from c import *\n",
            "c.py": "from b import *\nfrom a import *\n",
        },
    )
    assert places(check_paths(["."])) == []


@pytest.mark.parametrize(
    "text",
    ["\0binary", "x = (\n" * 500, "A" * (LARGEST_MODULE + 1), "def bonus(value):\n  if value == 'male'\n"],
)
def test_modules_that_cannot_be_read_do_no_harm(here: Path, text: str) -> None:
    write(here, {"rules.py": text, "score.py": SCORE.format(imports="from rules import bonus", call="bonus")})
    check = check_paths(["score.py"])
    assert not check.failed
    assert check.files == 1


def test_a_folder_with_hundreds_of_modules_is_bounded(here: Path) -> None:
    imports = "\n".join(f"from m{n} import bonus{n}" for n in range(200))
    calls = "".join(f"    points += bonus{n}(applicant.gender)\n" for n in range(200))
    write(here, {f"m{n}.py": RULES.replace("bonus", f"bonus{n}") for n in range(200)})
    write(
        here, {"score.py": f"{imports}\n\ndef score(applicant):\n    points = 0\n{calls}    return points\n"}
    )

    assert not check_paths(["score.py"]).failed


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_several_processes_find_the_same(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here, {"rules.py": RULES, "config.py": CONFIG})
    for n in range(6):
        write(here, {f"s{n}.py": SCORE.format(imports="from rules import bonus", call="bonus")})
        write(here, {f"t{n}.py": TRAIN.format(imports="from config import FEATURES", features="FEATURES")})
    alone = check_paths(["."])
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "BATCH", 400)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "_process_count", lambda: 2)

    assert check_paths(["."]) == alone
    assert {finding.path for finding in alone.findings} == {"rules.py", "config.py"}


# Looking up -------------------------------------------------------------------------------------------------


def test_import_statements_are_read_as_written() -> None:
    text = b"""\
import os, numpy as np  # tools
import a.b.c
from . import rules
from ..up import (
    one,  # first
    two as second,
)
from x import a, \\
    b
if True:
    from y import z
lazy from w import v
lazy import u as t
"""
    found = [(one.module, one.names, one.bound, one.is_certain) for one in imports_in(text)]
    assert found == [
        ("os", (), "os", True),
        ("numpy", (), "np", True),
        ("a.b.c", (), "a.b.c", True),
        (".", (("rules", "rules"),), "", True),
        ("..up", (("one", "one"), ("two", "second")), "", True),
        ("x", (("a", "a"), ("b", "b")), "", True),
        ("y", (("z", "z"),), "", False),
        ("w", (("v", "v"),), "", True),
        ("u", (), "t", True),
    ]


def test_files_are_looked_for_in_the_project_alone(here: Path) -> None:
    write(
        here,
        {
            "out.py": "",
            "in/root/app/main.py": "",
            "in/root/lib.py": "",
            "in/root/app/json.py": "",
            "in/root/pkg/__init__.py": "",
            "in/root/pkg/mod/x.py": "",
        },
    )
    root = here / "in" / "root"
    project = ImportResolver(str(root), PYTHON)
    main = str(root / "app" / "main.py")

    assert project.find(main, "lib") == str(root / "lib.py")
    assert project.find(main, "pkg") == str(root / "pkg" / "__init__.py")
    assert project.find(main, "pkg.mod.x") == str(root / "pkg" / "mod" / "x.py")
    assert project.find(main, "pkg.mod") is None
    assert project.find(main, "out") is None
    assert project.find(main, "json") is None  # Python's own comes first in what is no script's folder
    assert project.find(main, "..lib") == str(root / "lib.py")


def test_no_expression_is_compiled_for_a_name_that_is_imported(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling one takes longer than to search a file."""
    compiled: list[object] = []
    compile_ = re._compiler.compile  # type: ignore[attr-defined]

    def noting(*arguments: object) -> object:
        compiled.append(arguments)
        return compile_(*arguments)

    monkeypatch.setattr(re._compiler, "compile", noting)  # type: ignore[attr-defined]
    counts = []
    for size in (2, 80):
        names = [f"make_{size}_{number}" for number in range(size)]
        rows = "".join(f"def {name}(model, rows):\n    return model.predict(rows)\n\n" for name in names)
        calls = "".join(f"    points += {name}(model, people)\n" for name in names)
        head = "def score(model, person):\n    people = [person.gender]\n    points = 0"
        score = f"from rows import {', '.join(names)}\n\n{head}\n{calls}    return points\n"
        write(here, {"rows.py": rows, "score.py": score})
        check_paths(["score.py"])  # loads what it needs
        re.purge()
        compiled.clear()
        check_paths(["score.py"])
        counts.append(len(compiled))
    monkeypatch.undo()
    assert counts[1] <= counts[0] + 5


def test_sarif_and_json_name_the_file_of_every_step(here: Path) -> None:
    import json

    from fairlint.reporters import ReportOptions, sarif
    from fairlint.reporters import json as json_report

    write(
        here, {"rules.py": RULES, "score.py": SCORE.format(imports="from rules import bonus", call="bonus")}
    )
    report = check_paths(["score.py"])
    options = ReportOptions()

    [run] = json.loads("".join(sarif.report(report, options)))["runs"]
    [result] = run["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "rules.py"
    [flow] = result["codeFlows"][0]["threadFlows"]
    artifacts = [artifact["location"]["uri"] for artifact in run["artifacts"]]
    steps = [step["location"]["physicalLocation"] for step in flow["locations"]]
    named = [(step["artifactLocation"]["uri"], step["region"]["startLine"]) for step in steps]
    assert {("score.py", 5), ("rules.py", 2)} <= set(named)
    assert [artifacts[step["artifactLocation"]["index"]] for step in steps] == [path for path, _ in named]
    assert flow["locations"][-1]["importance"] == "essential"

    [told] = json.loads("".join(json_report.report(report, options)))["findings"]
    assert (told["path"], told["cell"], told["line"]) == ("rules.py", None, 2)
    assert {"score.py", "rules.py"} == {step["path"] for step in told["flow"]}


def test_every_use_is_shown_where_it_is(here: Path) -> None:
    from fairlint.reporters import ReportOptions, uses

    write(
        here, {"rules.py": RULES, "score.py": SCORE.format(imports="from rules import bonus", call="bonus")}
    )
    told = "".join(uses.report(check_paths(["score.py"]), ReportOptions()))

    assert told.startswith("rules.py:2:8: score-update of gender")
    assert "--> score.py:5:21: gender is read here" in told


@pytest.mark.parametrize(
    ("store", "use", "called"),
    [
        ("import joblib\nrisk = joblib.load('risk.pkl')\n", "from store import risk", "risk"),
        ("from joblib import load\nrisk = load('risk.pkl')\n", "from store import risk as it", "it"),
        ("import joblib\nrisk = joblib.load('risk.pkl')\n", "import store", "store.risk"),
        ("from sklearn.svm import SVC\nrisk = SVC()\n", "from store import risk", "risk"),
        ("from kept import risk\n", "from store import risk", "risk"),
        ("import gridlib\nrisk = gridlib.load('risk.pkl')\n", "from store import risk", ""),
        ("import joblib\nrisk = joblib\n\n\ndef load():\n    return 5\n", "from store import load", ""),
    ],
)
def test_a_model_that_another_module_has_is_known_by_its_library(
    here: Path, store: str, use: str, called: str
) -> None:
    kept = "import joblib\nrisk = joblib.load('risk.pkl')\n"
    rows = "[[applicant.gender, applicant.years]]"
    asks = f"def price(applicant):\n    return {called or 'risk'}.predict({rows})\n"
    write(here, {"store.py": store, "kept.py": kept, "app.py": f"{use}\n\n\n{asks}"})
    found = [one for one in check_paths([here / "app.py"]).findings if one.rule == "FL301"]
    assert [one.confidence for one in found] == (["high"] if called else [])


def test_what_is_known_of_earlier_files_may_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).parent.parent.parent / "fixtures" / "project"
    before = check_paths([folder])
    forgotten: list[bool] = []
    forget = ModuleGraph._forget

    def counted(self: ModuleGraph) -> None:
        forgotten.append(True)
        forget(self)

    monkeypatch.setattr(ModuleGraph, "_forget", counted)
    monkeypatch.setattr(module_graph, "MOST_KNOWN", 1)
    assert check_paths([folder]) == before
    assert before.findings
    assert len(forgotten) > before.files


@pytest.mark.parametrize(
    ("package", "made", "told"),
    [
        ("lifelines", "CoxPHFitter()", [("FL301", "use.py", 5)]),
        ("lifelines", "known", [("FL301", "use.py", 5)]),
        ("coxlib", "CoxPHFitter()", []),
    ],
)
def test_a_library_in_its_own_repository_is_the_library(
    here: Path, package: str, made: str, told: list[tuple[str, str, int]]
) -> None:
    fitter = """\
class CoxPHFitter:
    def fit(self, table, duration, event=None, formula=None):
        model = self._made(table[duration])
        model.fit(table)
        return self
"""
    use = f"""\
import pandas as pd
from {package} import CoxPHFitter
staff = pd.read_csv("staff.csv")
known = CoxPHFitter()
{made}.fit(staff, "tenure", "left", formula="pay + gender")
"""
    write(here, {f"{package}/__init__.py": f"from {package}.cox import CoxPHFitter\n"})
    write(here, {f"{package}/cox.py": fitter, "use.py": use})
    found = [one for one in check_paths(["use.py"]).findings if one.severity != "note"]
    assert [(one.rule, one.path, one.start.line) for one in found] == told
