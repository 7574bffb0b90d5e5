"""Qualified names: what imports, aliases, constructors and annotations say of a name."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from fairlint import check_paths, check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding


def found(code: str) -> list[Finding]:
    report = check_source(dedent(code), path="rate.py", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return list(report.findings)


def points(head: str, amount: str, inside: str = "") -> dict[str, float]:
    """What a function that adds `amount` gives each group."""
    body = f"def rate(applicant{', np' if inside == 'np' else ''}):\n    score = applicant.years\n"
    body += f"    {inside if inside != 'np' else 'pass'}\n    score += {amount}\n    return score\n"
    tables = [one.points.by_group for one in found(f"{head}\n{body}") if one.points is not None]
    return {group: value for group, value in tables[0].items() if value} if tables else {}


EITHER = "try:\n    import cupy as xp\nexcept ImportError:\n    import numpy as xp"
FIVE = "5 if applicant.gender == 'male' else 0"


@pytest.mark.parametrize(
    ("head", "amount"),
    [
        ("import numpy as np", "np.where(applicant.gender == 'male', 5, 0)"),
        ("import numpy", "numpy.where(applicant.gender == 'male', 5, 0)"),
        ("import numpy as numeric", "numeric.where(applicant.gender == 'male', 5, 0)"),
        ("from numpy import where", "where(applicant.gender == 'male', 5, 0)"),
        ("from numpy import where as choose", "choose(applicant.gender == 'male', 5, 0)"),
        ("from numpy import *", "where(applicant.gender == 'male', 5, 0)"),
        ("import numpy as numeric\nchoose = numeric.where", "choose(applicant.gender == 'male', 5, 0)"),
        ("import jax.numpy as anything", "anything.where(applicant.gender == 'male', 5, 0)"),
        ("", "np.where(applicant.gender == 'male', 5, 0)"),
        (EITHER, "xp.where(applicant.gender == 'male', 5, 0)"),
        ("import functools as f\nimport operator as o", f"f.reduce(o.add, [{FIVE}, 0])"),
        ("import operator as o", "5 if o.eq(applicant.gender, 'male') else 0"),
        ("from tools import checks", "5 if applicant.gender.__eq__('male') else 0"),
        ("from operator import mul as times", "times(5, applicant.gender == 'male')"),
    ],
)  # fmt: skip
def test_a_library_is_known_under_every_name_that_an_import_gives_it(head: str, amount: str) -> None:
    assert points(head, amount) == {"male": 5.0}


def test_an_import_in_a_function_counts_there() -> None:
    assert points("", "n.where(applicant.gender == 'male', 5, 0)", "import numpy as n") == {"male": 5.0}


@pytest.mark.parametrize(
    ("head", "inside"),
    [
        ("import gridlib as np", ""),
        ("from gridlib import np", ""),
        ("import numpy as np", "np"),
        ("import numpy as np", "np = applicant.tools"),
        ("import numpy as np\nnp = load()", ""),
        ("def np(): ...", ""),
        ("class np: ...", ""),
    ],
)
def test_another_meaning_of_the_name_is_not_the_library(head: str, inside: str) -> None:
    assert points(head, "np.where(applicant.gender == 'male', 5, 0)", inside) == {}


HEAD = "import pandas as pd\napplicants = pd.read_csv('a.csv')\ny = applicants['hired']\n"
GIVEN = "fit(applicants[['name', 'gender']], y)\n"


IN_A_CLASS = """from sklearn.svm import SVC
class A:
    def __init__(self):
        self.m = SVC()
    def go(self):
        self.m."""


def features(head: str, receiver: str) -> list[tuple[str, str]]:
    code = f"{HEAD}{head}\n" + (f"{receiver}.{GIVEN}" if receiver else "")
    return [(one.rule, one.confidence) for one in found(code) if one.rule == "FL301"]


@pytest.mark.parametrize(
    ("head", "receiver"),
    [
        ("from sklearn.svm import SVC", "SVC()"),
        ("from sklearn.svm import SVC\nmodel = SVC()", "model"),
        ("from sklearn import svm as machines\nmodel = machines.SVC()", "model"),
        ("import sklearn.svm\nmodel = sklearn.svm.SVC()", "model"),
        ("from sklearn.svm import SVC\ndef make():\n    return SVC()\nmodel = make()", "model"),
        ("from sklearn.svm import SVC\ndef make():\n    m = SVC()\n    return m", "make()"),
        ("from sklearn.svm import SVC\ndef make(x) -> SVC:\n    return load(x)\nmodel = make(1)", "model"),
        (IN_A_CLASS + GIVEN, ""),
        ("from sklearn.svm import SVC\ndef train(model: SVC):\n    model." + GIVEN, ""),
        ("import sklearn.base as b\ndef train(model: 'b.BaseEstimator | None'):\n    model." + GIVEN, ""),
    ],
)  # fmt: skip
def test_the_type_of_a_receiver_is_known(head: str, receiver: str) -> None:
    assert features(head, receiver) == [("FL301", "high")]


@pytest.mark.parametrize(
    ("head", "receiver"),
    [
        ("def train(model):\n    model." + GIVEN, ""),
        ("from models import model", "model"),
        ("from .models import make\nmodel = make()", "model"),
    ],
)
def test_a_bare_name_is_weak_evidence_and_says_so(head: str, receiver: str) -> None:
    assert features(head, receiver) == [("FL301", "medium")]
    code = f"{HEAD}{head}\n" + (f"{receiver}.{GIVEN}" if receiver else "")
    (one,) = [one for one in found(code) if one.rule == "FL301"]
    reasons = [item.reason for item in one.use.evidence]
    assert "`model.fit` is known by its name alone: nothing says whose it is" in reasons


@pytest.mark.parametrize(
    ("head", "receiver"),
    [
        ("from gridlib import Sheet\nsheet = Sheet()", "sheet"),
        ("import gridlib\nsheet = gridlib.open('a.xls')", "sheet"),
        ("from gridlib import open_sheet\nsheet = open_sheet('a.xls')", "sheet"),
        ("import gridlib", "gridlib"),
        ("from gridlib import Sheet\ndef show(sheet: Sheet):\n    sheet." + GIVEN, ""),
    ],
)
def test_another_package_is_not_the_library(head: str, receiver: str) -> None:
    assert features(head, receiver) == []


@pytest.mark.parametrize(
    "load",
    [
        "model = joblib.load('m.pkl')",
        "model, size = joblib.load('m.pkl'), 3",
        "found = joblib.load('m.pkl')\n    model = found if found else None",
    ],
)
def test_a_variable_of_the_module_is_what_a_function_gives_it(load: str) -> None:
    head = f"import joblib\nmodel = None\ndef load():\n    global model\n    {load}\n"
    rate = "def rate():\n    return model.predict(applicants[['years', 'gender']])\n"
    uses = {one.rule: one.use for one in found(f"{HEAD}{head}{rate}")}
    assert "by-name" not in uses["FL301"].tags


def test_what_a_function_counts_is_no_constant() -> None:
    code = """
        bonus = 0

        def learn(rows):
            global bonus
            bonus = len(rows)

        def rate(applicant):
            score = applicant.years
            if applicant.gender == "male":
                score += bonus
            return score
        """
    (one,) = found(code)
    assert (one.rule, one.points) == ("FL201", None)


def test_a_module_of_the_project_hands_its_imports_on(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "tools.py").write_text("from numpy import where as choose\nGENDER = 'male'\n")
    (tmp_path / "rate.py").write_text(
        "from tools import choose, GENDER\n\n"
        "def rate(applicant):\n    score = applicant.years\n"
        "    score += choose(applicant.gender == GENDER, 5, 0)\n    return score\n"
    )
    report = check_paths([tmp_path / "rate.py"])
    (one,) = report.findings
    assert one.points is not None
    assert one.points.by_group["male"] == 5.0


@pytest.mark.parametrize("is_own", [True, False])
def test_a_module_of_the_project_that_is_not_followed_is_not_another_package(
    tmp_path: Path, *, is_own: bool
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / ("making.py" if is_own else "other.py")).write_text("def make(): return load()\n")
    (tmp_path / "train.py").write_text(f"{HEAD}from making import make\nmake().{GIVEN}")
    report = check_paths([tmp_path / "train.py"])
    assert [one.rule for one in report.findings] == (["FL301"] if is_own else [])


def test_an_import_in_a_function_is_that_of_this_function(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    for name, column in (("first", "religion"), ("second", "gender")):
        rows = f"{{'{column}': [1], 'years': [2]}}"
        (tmp_path / f"{name}.py").write_text(
            f"import pandas as pd\ndef load():\n    return pd.DataFrame({rows})\n"
        )
    parts = (
        f"def {name}_fit(y):\n    from {name} import load\n    LinearSVC().fit(load(), y)\n"
        for name in ("first", "second")
    )
    (tmp_path / "train.py").write_text("from sklearn.svm import LinearSVC\n" + "".join(parts))
    found = [one for one in check_paths([tmp_path / "train.py"]).findings if one.rule == "FL301"]
    told = {(one.path.rpartition("/")[2], one.use.attribute) for one in found}
    assert told == {("first.py", "religion"), ("second.py", "gender")}


@pytest.mark.parametrize("inside", [True, False])
def test_a_function_of_a_module_of_the_project_may_be_a_library_s(tmp_path: Path, *, inside: bool) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "ours.py").write_text("from anywhere import wls as ols\n")
    outer, inner = ("", "    import ours\n") if inside else ("import ours\n", "")
    (tmp_path / "train.py").write_text(
        f"import pandas as pd\nimport statsmodels\n{outer}def train():\n{inner}"
        "    people = pd.read_csv('people.csv')\n"
        "    return ours.ols('hired ~ tenure + gender', people).fit()\n"
    )
    settings = Settings(min_severity="note")
    (one,) = [one for one in check_paths([tmp_path / "train.py"], settings).findings if one.rule == "FL301"]
    assert (one.use.attribute, "by-name" in one.use.tags) == ("gender", True)
