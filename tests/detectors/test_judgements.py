"""Judgements: who scores or decides, as the model of its library says, is given an attribute or a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint import check_paths


def told(folder: Path, model: str, code: str, name: str = "train.py") -> list[tuple[str, str, str]]:
    """What is told of a program where the user has a model of a library."""
    (folder / "ours.toml").write_text(model)
    (folder / "fairlint.toml").write_text('library-models = ["ours.toml"]\nmin-severity = "note"\n')
    (folder / name).write_text(code)
    report = check_paths([folder / name])
    assert not report.not_analysed
    return [(one.rule, one.use.attribute, one.confidence) for one in report.findings]


JUDGES = """package = "risk"
[functions]
score = "scores"
approve = { does = "decides", argument = 1 }
"log, report" = "stores"
load = "loads model"
[methods."*"]
rate = "scores"
[functions.connect]
does = "nothing"
returns = "Service"
[methods.Service]
grade = "scores"
"""
RECORD = "class Applicant:\n    name: str\n    gender: str\n    pay: int\n\n\n"
PEOPLE = "import pandas as pd\npeople = pd.read_csv('a.csv')\n"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("def f(applicant): return risk.score(applicant.gender, applicant.income)", "FL201"),
        ("def f(applicant): return risk.score(income=3, sex=applicant.gender)", "FL201"),
        ("def f(applicant): return risk.score(3, 5 if applicant.gender == 'male' else 0)", "FL201"),
        ("def f(applicant): return risk.score({'pay': 3, 'g': applicant.gender})", "FL201"),
        ("def f(applicant): return risk.approve(3, applicant.gender)", "FL101"),
        ("def f(applicant): return risk.Model().rate(applicant.gender)", "FL201"),
        ("def f(applicant):\n    if applicant.gender == 'male':\n        risk.score(3)", "FL101"),
        (f"{RECORD}def f(one: Applicant): return risk.score(one)", "FL201"),
        (f"{RECORD}def f(one: Applicant): return risk.score(vars(one))", "FL201"),
        (f"{RECORD}def f(several: list[Applicant]): return risk.score(several)", "FL201"),
        (f"{PEOPLE}risk.score(people[['tenure', 'gender']])", "FL201"),
        (f"{PEOPLE}risk.load('model').predict(people[['tenure', 'gender']])", "FL301"),
        (f"{PEOPLE}model = risk.load('m')\nmodel.predict(people[['tenure', 'gender']])", "FL301"),
        ("def f(person): return risk.connect().grade(person.gender)", "FL201"),
        ("def f(applicant): return risk.score(applicant.years)", ""),
        ("def f(applicant): return risk.score(5 if applicant.gender == 'male' else 5)", ""),
        ("def f(applicant): return risk.approve(applicant.gender, 3)", ""),
        ("def f(applicant): return risk.log(applicant.gender)", ""),
        ("def f(applicant):\n    if applicant.gender == 'male':\n        risk.report(3)", ""),
        (f"{RECORD}def f(one: Applicant): return risk.score(one.pay)", ""),
        (f"{PEOPLE}risk.score(people[['tenure', 'gender']].drop(columns=['gender']))", ""),
    ],
)
def test_what_scores_or_decides_is_told_what_it_is_given(tmp_path: Path, code: str, wanted: str) -> None:
    code = f"import risk\n{code}\n"
    found = {rule for rule, _, confidence in told(tmp_path, JUDGES, code) if confidence == "high"}
    assert found == ({wanted} if wanted else set())
    if wanted:
        assert wanted not in {rule for rule, *_ in told(tmp_path, "", code)}


def test_a_judgement_says_which_model_knows_it(tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text('library-models = ["ours.toml"]\n')
    (tmp_path / "ours.toml").write_text(JUDGES)
    (tmp_path / "rate.py").write_text("import risk\ndef f(person, it): return it.rate(person.gender)\n")
    (one,) = check_paths([tmp_path / "rate.py"]).findings
    reasons = [item.reason for item in one.use.evidence]
    assert "`it.rate` gives a score of the person it is given, says the model of `risk`" in reasons
    assert "`it.rate` is known by its name alone: nothing says whose it is" in reasons
    assert one.confidence == "medium"


C_JUDGES = 'language = "c"\n[functions]\nscore_of = "scores"\napprove = { does = "decides", argument = 1 }\n'
C_HEAD = "struct applicant { char gender[10]; int pay; };\n"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("int f(struct applicant *a) { return score_of(a->gender, a->pay); }", "FL201"),
        ("int f(struct applicant *a) { return score_of(a); }", "FL201"),
        ("void f(struct applicant a) { approve(3, &a); }", "FL101"),
        ("int f(struct applicant *a) { return score_of(a->pay); }", ""),
        ("void f(struct applicant a) { approve(&a, 3); }", ""),
    ],
)
def test_what_scores_or_decides_is_known_in_c(tmp_path: Path, code: str, wanted: str) -> None:
    found = told(tmp_path, C_JUDGES, f"{C_HEAD}{code}\n", "rate.c")
    assert found == ([(wanted, "gender", "high")] if wanted else [])


def test_the_place_is_the_person_who_is_given_or_the_column(tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text('library-models = ["ours.toml"]\n')
    (tmp_path / "ours.toml").write_text(JUDGES)
    (tmp_path / "rate.py").write_text(
        f"import risk\n{PEOPLE}def f(applicant):\n    return risk.score(applicant.gender)\n\n\n"
        "chosen = people[['tenure', 'gender']]\nrisk.score(chosen)\n"
    )
    by_person, by_column = check_paths([tmp_path / "rate.py"]).findings
    assert (by_person.start.line, by_column.start.line) == (5, 8)
    assert by_column.flow[-1].start.line == 9
    assert {one.use.kind for one in (by_person, by_column)} == {"score-update"}


def test_a_column_that_is_given_twice_is_told_once(tmp_path: Path) -> None:
    code = f"import risk\n{PEOPLE}chosen = people[['tenure', 'gender']]\n" + "risk.score(chosen)\n" * 2
    assert [rule for rule, *_ in told(tmp_path, JUDGES, code)] == ["FL201"]
