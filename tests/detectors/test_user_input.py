"""Who is looked for by what somebody has typed is shown; who is looked for by anything else is chosen."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings

FAST = "from fastapi import Depends, FastAPI\napp = FastAPI()\n"
HEAD = {
    "fast": FAST,
    "routed": "from main import app\n",
    "flask": "from flask import Flask, request as asked\napp = Flask(__name__)\n",
    "django": "from django.http import HttpRequest\n",
    "none": "",
    "other": "from gridlib import Sheet\napp = Sheet()\n",
}


@pytest.mark.parametrize(
    ("head", "top", "by", "is_told"),
    [
        ("fast", "@app.get('/')\ndef page(it: str):", "it", False),
        ("fast", "@app.get('/')\ndef page(gender: str = 'any'):", "gender", False),
        ("fast", "@app.get('/')\ndef page(it: Search):", "it.gender", False),
        ("fast", "@app.get('/')\ndef page(it=Depends(user)):", "it.wanted", True),
        ("fast", "@app.get('/')\ndef page(it: Annotated[User, Depends(user)]):", "it.wanted", True),
        ("fast", "@app.get('/')\ndef page(it: Annotated[str, Query(max_length=9)]):", "it", False),
        ("fast", "def page(it: str):", "it", True),
        ("fast", "@app.middleware('http')\ndef page(it: str):", "it", True),
        ("routed", "@app.post('/')\ndef page(it: str):", "it", True),  # no framework is imported
        ("flask", "@app.route('/<it>')\ndef page(it):", "it", False),
        ("flask", "def page():", "asked.form['g']", False),
        ("flask", "def page():", "asked.get_json()['g']", False),
        ("flask", "def page():", "asked.json['g']", False),
        ("flask", "def page():", "asked.user_agent", True),
        ("django", "def page(asked: HttpRequest):", "asked.GET['g']", False),
        ("django", "def page(asked: HttpRequest):", "asked.user.department", True),
        ("none", "def page(request):", "request.POST['g']", False),
        ("none", "def page(it):", "it.POST['g']", True),
        ("none", "def page(args):", "args.get('g', type=str)", False),
        ("none", "def page(settings):", "settings.get('g')", True),
        ("other", "@app.route('/<it>')\ndef page(it):", "it", True),
    ],
)
def test_what_is_typed_is_known_by_its_framework(head: str, top: str, by: str, is_told: bool) -> None:
    kept = f"    staff = everybody()\n    staff = [one for one in staff if one.gender == {by}]\n"
    report = check_source(f"{HEAD[head]}{top}\n{kept}    return staff\n")
    assert not report.findings  # nobody knows which group is left out: no more than a note
    assert [use.kind for _, use in report.uses if use.effect == "decide"] == ["filter"] * is_told


def test_what_is_typed_of_oneself_decides() -> None:
    code = f"{FAST}@app.post('/')\ndef apply(gender: str, years: int):\n    score = years\n"
    code += "    if gender == 'male':\n        score += 5\n    return score\n"
    assert [one.rule for one in check_source(code).findings] == ["FL201"]


SHOWN = """import pandas as pd
import streamlit as st

def narrowed(rows, sex):
    if sex == "Male":
        rows = rows[rows.sex == "male"]
    return rows

people = pd.read_csv("people.csv")
sex = {}
st.bar_chart(narrowed(people, sex)["income"])
"""


def test_a_view_that_a_function_narrows_by_what_somebody_chose_is_silent() -> None:
    assert check_source(SHOWN.format('st.radio("Sex", ("All", "Male"))')).findings == ()
    found = check_source(SHOWN.format('people.iloc[0]["sex"]')).findings
    assert {one.rule for one in found} == {"FL106"}


def test_what_a_person_is_asked_says_what_is_held() -> None:
    code = """
        answer = input("Please enter your gender: ").lower()
        bonus = 0
        if answer == "male":
            bonus = 40
        print("Your bonus is", bonus)
    """
    (finding,) = check_source(textwrap.dedent(code), settings=Settings(min_severity="note")).findings
    assert (finding.rule, finding.use.attribute) == ("FL201", "gender")
    other = textwrap.dedent(code).replace("your gender", "the name of your male colleague")
    assert not check_source(other, settings=Settings(min_severity="note")).findings


@pytest.mark.parametrize("asked", ["Enter age, sex, marital status ", "Age; sex and marital status: "])
def test_what_is_typed_in_at_once_is_what_was_asked_for_in_that_order(asked: str) -> None:
    code = f"""\
#include <stdio.h>
int main(void) {{
    int a; char s, m;
    printf("{asked}");
    scanf("%d %c %c", &a, &s, &m);
    if (m == 'M') printf("You are insured\\n");
    else printf("You are not insured\\n");
    return 0;
}}
"""
    [one] = check_source(code, path="insured.c").findings
    assert (one.rule, one.use.attribute) == ("FL101", "marital_status")
    assert not check_source(code.replace(asked, "Enter two codes, and a letter, "), path="a.c").findings
