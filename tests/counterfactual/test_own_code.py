"""`fairlint counterfactual`: one's own function, run and read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairlint.cli import bench, counterfactual, main
from fairlint.counterfactual.executors import process
from fairlint.counterfactual.executors.choosing import NAMES
from fairlint.counterfactual.executors.confinement import READING

PAGE = Path(__file__).parents[2] / "docs" / "counterfactual-code.md"
CODE = '''\
"""Decides on loans."""

LIMIT = 2


def approve(person):
    score = 0
    if person["income"] >= 30:
        score += 2
    if person["gender"] == "male":
        score += 1
    if person["race"] == "african american":
        score -= 2
    return score >= LIMIT


def alike(income):
    return income >= 30


def lottery(person):
    import random
    return random.random()


def nothing(person):
    person["income"]


def named(person):
    return GROUPS[person["gender"]] > 0


GROUPS = {"male": 1, "female": 0}


class Applicant:
    def __init__(self, income, gender):
        self.income = income
        self.gender = gender

    def invited(self):
        return self.income > 10 and self.gender != "female"
'''
PEOPLE = """\
income,gender,race
29,male,White
29,female,Black
40,male,White
10,female,White
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "loans.py").write_text(CODE)
    (tmp_path / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["counterfactual", *arguments, "--data", "people.csv"])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.usefixtures("folder")
def test_the_share_of_changed_people_is_told_with_whom_it_concerns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # by hand: gender is worth one point, and 2 are needed: nobody's 29 or 10 comes to 2 by one point alone,
    # so nothing changes; income 40 has 2 already
    code, out, _ = told(capsys, "loans.py:approve", "--format", "json")
    assert code == 0
    document = json.loads(out)
    assert document["rates"]["gender"]["cip"] == 0.0
    assert document["executable"] is True


@pytest.mark.usefixtures("folder")
def test_a_table_by_group_changes_everybody(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, "loans.py:named", "--format", "json")
    assert code == 1
    rates = json.loads(out)["rates"]
    assert (rates["gender"]["cip"], rates["race"]["cip"]) == (1.0, 0.0)
    assert rates["race"]["proved"] is True


@pytest.mark.usefixtures("folder")
def test_what_is_never_read_is_proved_alike(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, "loans.py:alike")
    assert code == 0
    assert out.count("proved alike") == 2


@pytest.mark.usefixtures("folder")
def test_a_method_of_a_class_that_is_made_of_columns(capsys: pytest.CaptureFixture[str]) -> None:
    # income above 10: two men at 29 and 40, a woman at 29: three of four change with the gender
    code, out, _ = told(capsys, "loans.py:Applicant.invited", "--format", "json")
    assert code == 1
    assert json.loads(out)["rates"]["gender"]["cip"] == 0.75


@pytest.mark.usefixtures("folder")
def test_findings_of_the_linter_carry_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, "loans.py:Applicant.invited", "--format", "sarif")
    assert code == 1
    messages = [one["message"]["text"] for one in json.loads(out)["runs"][0]["results"]]
    assert any("another gender changes the outcome of 75.0 % of 4 people" in one for one in messages)


@pytest.mark.usefixtures("folder")
def test_a_lambda_with_a_name_is_a_function(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "short.py").write_text("approve = lambda p: p['gender'] == 'male'\n")
    code, out, _ = told(capsys, "short.py:approve")
    assert code == 1
    assert "short.py:1 approve" in out
    assert "biased        FL101:1" in out or "biased  FL101:1" in out


@pytest.mark.usefixtures("folder")
def test_what_has_no_value_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "late.py").write_text("def approve(p):\n    return lambda: p['gender'] == 'male'\n")
    assert "what it returns (function) has no value to compare" in told(capsys, "late.py:approve")[1]


@pytest.mark.usefixtures("folder")
def test_parameters_without_a_name_for_callers_are_given(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "place.py").write_text("def approve(gender, /):\n    return gender == 'male'\n")
    code, out, _ = told(capsys, "place.py:approve")
    assert code == 1
    assert "place.py:1 approve" in out


@pytest.mark.usefixtures("folder")
def test_groups_are_told_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    # invited: both men, the woman at 29 and the one at 10 not; by race 2 of 3 and none of 1
    _, out, _ = told(capsys, "loans.py:Applicant.invited", "--format", "json")
    document = json.loads(out)
    assert document["groups"]["gender"] == {
        "rates": [
            {"group": "female", "selected": 0, "people": 2, "rate": 0.0},
            {"group": "male", "selected": 2, "people": 2, "rate": 1.0},
        ],
        "left_out": 0,
        "disparate_impact": 0.0,
        "difference": 1.0,
        "four_fifths": False,
    }
    assert document["labels"] is None, "these data have no label"
    _, out, _ = told(capsys, "loans.py:alike")
    rows = [line.split() for line in out.splitlines()]
    # income of 30 or more: a man at 40 alone
    assert ["gender", "female", "0.0", "%", "male", "50.0", "%", "0.000", "below", "four", "fifths"] in rows
    assert "labels:" not in out


@pytest.mark.usefixtures("folder")
def test_labels_of_the_data_are_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, *lines = PEOPLE.splitlines()
    paid = [f"{line},{label}" for line, label in zip(lines, ("yes", "yes", "yes", "no"), strict=True)]
    (folder / "people.csv").write_text("\n".join((f"{head},paid", *paid)))
    (folder / "people.toml").write_text(
        '[label]\ncolumn = "paid"\nfavourable = "yes"\n\n[columns.gender]\nattribute = "gender"\n'
    )
    arguments = ("loans.py:alike", "--data-config", "people.toml")
    document = json.loads(told(capsys, *arguments, "--format", "json")[1])
    assert document["labels"] == {
        "accuracy": 0.5, "balanced_accuracy": pytest.approx(2 / 3), "hits": pytest.approx(1 / 3),
        "rejections": 1.0,
    }  # fmt: skip
    assert (
        "labels: 50.0 % of people get what the data say; 33.3 % of those with the favourable label, "
        "100.0 % of the others"
    ) in told(capsys, *arguments)[1]


@pytest.mark.usefixtures("folder")
def test_the_favourable_outcome_is_guessed_or_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "words.py").write_text(
        'def road(income):\n    return "left" if income > 10 else "right"\n\n'
        'def word(income):\n    return "granted" if income > 10 else "denied"\n'
    )
    assert "--favourable VALUE" in told(capsys, "words.py:road")[1]
    assert 'selected: "left"' in told(capsys, "words.py:road", "--favourable", "left")[1]
    assert 'selected: "granted"' in told(capsys, "words.py:word")[1]


def test_an_attribute_that_fairlint_has_no_name_for_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pay.csv").write_text("sex,income\nmale,1\nfemale,2\nmale,3\n", "utf-8")
    (tmp_path / "pay.toml").write_text('[columns.income]\nattribute = "salary"\n', "utf-8")
    (tmp_path / "pay.py").write_text("def rich(income):\n    return income > 1\n", "utf-8")
    where = ("--data", str(tmp_path / "pay.csv"), "--data-config", str(tmp_path / "pay.toml"))
    assert main(["counterfactual", f"{tmp_path / 'pay.py'}:rich", *where]) == 1
    assert "100.0 %" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_the_threshold_is_settable(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "loans.py:Applicant.invited", "--threshold", "0.8")[0] == 0
    assert told(capsys, "loans.py:Applicant.invited", "--threshold", "0.75")[0] == 0  # as in fairlint bench
    assert told(capsys, "loans.py:Applicant.invited", "--threshold", "0.74")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("loans.py:aprove",), "no function 'aprove'; did you mean 'approve'?"),
        (("loans.py:xyz",), "no function 'xyz' (there: approve, alike"),
        (("loans.py",), "names no function"),
        (("nowhere.py:approve",), "nowhere.py"),
        (("loans.py:approve", "--threshold", "2"), "--threshold is a share"),
        (("loans.py:approve", "--attribute", "shoe"), "shoe"),
        (("loans.py:approve", "--time-limit", "soon"), "--time-limit"),
        (("loans.py:approve", "--format", "yaml"), "--format 'yaml' is not known"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_wrong_is_one_line(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = told(capsys, *arguments)
    assert code == 2
    assert not out
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.usefixtures("folder")
def test_without_data_it_says_what_data_there_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["counterfactual", "loans.py:approve"]) == 2
    assert "adult, german or compas" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("function", "said"), [("lottery", "different outcomes when asked again"), ("nothing", "returns nothing")]
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_compared_is_said(
    function: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = told(capsys, f"loans.py:{function}")
    assert code == 2
    assert said in out


def test_the_page_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = PAGE.read_text()
    _, code, *_ = page.split("```python\n")
    _, shown, *_ = page.split("```text\n")
    (tmp_path / "loans.py").write_text(code.partition("```")[0])
    monkeypatch.chdir(tmp_path)
    assert main(["counterfactual", "loans.py:approve", "--data", "adult"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(shown.partition("```")[0])


@pytest.mark.usefixtures("folder")
def test_where_a_system_holds_no_program_one_line_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {**process.lacking(), READING: "there is no Landlock here"}
    monkeypatch.setattr(process, "_missing_guarantees", lambda: found)
    Path("own.py").write_text("def approve(gender):\n    return True\n")
    asked = ["counterfactual", "own.py:approve", "--data", "people.csv", "--executor"]
    assert main([*asked, "process"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "there is no Landlock here; --executor process-unsafe runs it" in told.err
    assert main([*asked, "process-unsafe"]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("fairlint: warning: --executor process-unsafe runs code that this system")
    assert told.err.count("\n") == 1
    assert "run by    process-unsafe" in told.out


def test_the_command_line_offers_all_executors() -> None:
    for command in (counterfactual.COMMAND, bench.COMMAND):
        (option,) = (one for _, options in command.groups for one in options if "--executor" in one.names)
        assert option.choices == NAMES
