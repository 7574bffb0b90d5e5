"""Shares of groups in occupations: a plain CSV, and the form of the BLS's table."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint import UsageError
from fairlint.model_bias.data.employed import load

BLS = """\
HOUSEHOLD DATA,,,,,,
ANNUAL AVERAGES,,,,,,
"11. Employed persons by detailed occupation, sex, race, and Hispanic or Latino ethnicity",,,,,,
[Numbers in thousands],,,,,,
Occupation,1999,,,,,
,"Total
employed",Percent of total employed,,,,
,,Women,White,"Black or
African
American",Asian,"Hispanic
or Latino"
"Total, 16 years and over","1,000",40.0,80.0,10.0,5.0,20.0
"Kite and balloon makers",120,25.5,70.1,20.0,2.0,–
Lighthouse keepers,3,–,–,–,–,–
,,,,,,
"NOTE: Numbers are made up.",,,,,,
"""
"""In the form of table 11 of the annual averages, with made-up occupations and numbers."""


def written(folder: Path, text: str) -> str:
    file = folder / "table.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_plain_file(tmp_path: Path) -> None:
    found = load(written(tmp_path, "occupation,Female,male,note\nkite makers,0.25,0.75,\nwardens,,,\n"))
    assert found.shares == {"kite makers": {"female": 0.25, "male": 0.75}, "wardens": {}}
    assert found.source == "table.csv"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_case_and_separators_of_a_plain_file_do_not_matter(tmp_path: Path, separator: str) -> None:
    text = "Occupation, FEMALE,Male\nkite makers,0.25,0.75\n".replace(",", separator)
    assert load(written(tmp_path, text)).shares == {"kite makers": {"female": 0.25, "male": 0.75}}


def test_rounded_shares_and_hispanic_people_of_any_race_may_sum_to_more(tmp_path: Path) -> None:
    text = "occupation,white,black,asian,hispanic\nx,0.34,0.33,0.34,0.5\n"
    assert load(written(tmp_path, text)).shares["x"]["hispanic"] == 0.5


def test_a_column_women_makes_no_table_of_percentages(tmp_path: Path) -> None:
    found = load(written(tmp_path, "Occupation,Women\nChildcare workers,0.94\n"))
    assert found.source == "table.csv"
    assert found.shares == {"Childcare workers": {"women": 0.94}}


def test_the_table_of_the_bls(tmp_path: Path) -> None:
    found = load(written(tmp_path, BLS))
    assert list(found.shares) == ["Total, 16 years and over", "Kite and balloon makers"]
    assert found.shares["Kite and balloon makers"] == pytest.approx(
        {"female": 0.255, "male": 0.745, "white": 0.701, "black": 0.2, "asian": 0.02}
    )
    assert found.source == "table.csv (BLS)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "job,female\nx,0.5\n",
            "line 1 has 'job', 'female': a plain CSV has there 'occupation' and a column",
        ),
        ("job,women\nx,0.9\n", "line 1 has 'job', 'women': a plain CSV has there 'occupation' and a column"),
        ("job,women,white\nx,0.9,0.5\n", "('female', 'male', 'white', 'black'...)"),
        ("", "line 1 has nothing"),
        ("occupation,Female,female\nx,0.5,0.5\n", "line 1 has the column 'female' twice"),
        ("occupation;female\nx;0,5\n", "line 2, female: '0,5' is no share between 0 and 1"),
        ("occupation\nx\n", "line 1 has no column of a group beside 'occupation'"),
        ("occupation,female\n", "has no rows"),
        ("occupation,female\nx,25\n", "line 2, female: '25' is no share between 0 and 1"),
        ("occupation,female\nx,nan\n", "line 2, female: 'nan' is no share"),
        ("occupation,female\nx,0.5\nx,0.6\n", "line 3: 'x' is in line 2, too"),
        ("occupation,female\nCook,0.5\nx,0.1\ncooks,0.6\n", "line 4: 'cooks' is in line 2, too"),
        ("occupation,female,male\nx,0.9,0.9\n", "line 2: female 0.9 + male 0.9 is more than 1"),
        ("occupation,white,black\nx,0.9,0.2\n", "line 2: white 0.9 + black 0.2 is more than 1"),
        ("occupation,female\nx\n", "line 2 has 1 cells, not 2"),
        (BLS.replace("25.5", "about 25"), "line 13, female: 'about 25' is no percentage"),
        (
            "Occupation,Women,White,Black or African American,Hispanic or Latino\nx,0.9,0.5,0.1,0.1\n",
            "line 2: no percentage from here on is above 1; shares from 0 to 1 belong in a plain CSV",
        ),
        (BLS.partition('"Total, 16')[0], "has no occupations behind its header"),
    ],
)
def test_wrong_forms(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(written(tmp_path, text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
