"""Who is left out by a rule of the code is told; who is looked for is shown.

What is looked for are criteria that may be left out, and what somebody has typed.
"""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings

SEARCHED: dict[str, str] = {
    "people who work there": """
        def list_employees(jobs, args):
            query = Employee.query
            gender = args.get("gender")
            if gender:
                query = query.filter(Employee.gender == gender)
            return query.all()
        """,
    "a form and a query": """
        def search_people(form):
            query = Person.query
            if form.age:
                query = query.filter(Person.age == form.age)
            if form.gender:
                query = query.filter(Person.gender == form.gender)
            return query.all()
        """,
    "a choice that may be left out": """
        def matching(people, wanted):
            results = [p for p in people if not wanted or p.race == wanted]
            return results
        """,
    "parameters that may be left out": """
        def filter_candidates(candidates, gender=None, min_age=None, max_age=None):
            if gender:
                candidates = [c for c in candidates if c.gender == gender]
            if min_age:
                candidates = [c for c in candidates if c.age >= min_age]
            if max_age is not None:
                candidates = [c for c in candidates if c.age <= max_age]
            return candidates
        """,
    "a select": """
        def list_players(session, nationality: str | None = None, max_age: int | None = None):
            stmt = select(Player)
            if nationality:
                stmt = stmt.where(Player.nationality == nationality)
            if max_age:
                stmt = stmt.where(Player.age <= max_age)
            return session.scalars(stmt).all()
        """,
    "a loop that skips": """
        def select_profiles(profiles, filters):
            selected = []
            for profile in profiles:
                if filters.get("gender") and profile["gender"] != filters["gender"]:
                    continue
                if filters.get("min_age") and profile["age"] < filters["min_age"]:
                    continue
                if "religion" in filters and profile["religion"] != filters["religion"]:
                    continue
                selected.append(profile)
            return selected
        """,
    "a word for no choice": """
        def get_candidates(df, gender, age_range):
            if gender != "All":
                df = df[df["gender"] == gender]
            if age_range:
                df = df[(df["age"] >= age_range[0]) & (df["age"] <= age_range[1])]
            return df
        """,
    "fields of criteria": """
        def find_eligible(customers, criteria):
            eligible = customers
            if criteria.age:
                eligible = [x for x in eligible if x.age == criteria.age]
            if criteria.gender:
                eligible = filter(lambda x: x.gender == criteria.gender, eligible)
            return list(eligible)
        """,
    "what is typed at a prompt": """
        def search_menu(students):
            wanted = input("Gender: ")
            selected = [s for s in students if s.gender == wanted]
            print(selected)
        """,
    "the cleaned data of a form": """
        class CandidateList(ListView):
            def get_queryset(self):
                candidates = Candidate.objects.all()
                form = SearchForm(self.request.GET)
                if form.is_valid():
                    if form.cleaned_data["gender"]:
                        candidates = candidates.filter(gender=form.cleaned_data["gender"])
                    if form.cleaned_data["min_age"]:
                        candidates = candidates.filter(age__gte=form.cleaned_data["min_age"])
                    if form.cleaned_data.get("nationality"):
                        wanted = form.cleaned_data["nationality"]
                        candidates = candidates.filter(nationality__icontains=wanted)
                return candidates
        """,
    "all of them": """
        def evaluate(records, sex="all"):
            selected = records
            if sex != "all":
                selected = [r for r in records if r.sex == sex]
            return len(selected)
        """,
    "a request": """
        def select_by(request):
            selected = Member.objects.all()
            gender = request.GET.get("gender", "")
            ethnicity = request.GET.get("ethnicity", "")
            if gender in ("male", "female"):
                selected = selected.filter(gender=gender)
            if ethnicity and ethnicity != "All":
                selected = selected.filter(ethnicity=ethnicity)
            return render(request, "x.html", {"selected": selected})
        """,
    "a menu": """
        def candidates_menu(candidates):
            choice = input("1 gender, 2 age: ")
            if choice == "1":
                gender = input("gender? ")
                candidates = [c for c in candidates if c.gender == gender]
            elif choice == "2":
                low = int(input("from age? "))
                candidates = [c for c in candidates if c.age >= low]
            for c in candidates:
                print(c)
        """,
}
CHOSEN: dict[str, str] = {
    "whom a recruiter looks for": """
        def find_candidates(recruiter, args):
            query = Candidate.query
            gender = args.get("gender")
            if gender:
                query = query.filter(Candidate.gender == gender)
            return query.all()
        """,
    "the years in which those were born whom an employer looks for": """
        from sqlalchemy import extract

        def find_applicants(job, args):
            query = Applicant.query
            year = args.get("year")
            if year:
                query = query.filter(extract("year", Applicant.date_of_birth) >= year)
            return query.all()
        """,
    "a limit in a query": """
        def shortlist(db):
            query = db.query(Candidate)
            query = query.filter(Candidate.age < 40)
            return query.limit(10).all()
        """,
    "a group in a query": """
        def shown_candidates(session):
            shortlist = session.query(Candidate).filter(Candidate.gender == "male").all()
            return shortlist
        """,
    "a group, where a job asks for it": """
        def screen_candidates(candidates, job):
            if job.male_only:
                candidates = [c for c in candidates if c.gender == "male"]
            return candidates
        """,
    "a limit that is there from the start": """
        def pick(candidates, max_age=40):
            selected = [c for c in candidates if c.age <= max_age]
            return selected
        """,
    "a loop that skips a group": """
        def choose(applicants):
            selected = []
            for a in applicants:
                if a.gender == "female":
                    continue
                selected.append(a)
            return selected
        """,
    "one person is turned away": """
        def hire(candidate, job):
            if job.max_age and candidate.age > job.max_age:
                return "rejected"
            return "hired"
        """,
    "what a job asks for": """
        def shortlist(candidates, job):
            if job.required_gender:
                candidates = [c for c in candidates if c.gender == job.required_gender]
            return candidates
        """,
    "a group beside what is searched": """
        def shortlist(candidates, wanted=None):
            if wanted:
                candidates = [c for c in candidates if c.skill == wanted and c.gender == "male"]
            return candidates
        """,
}


def _told(code: str) -> list[str]:
    found = check_source(textwrap.dedent(code)).findings
    return [f"{one.rule}: {one.message}" for one in found if one.severity != "note"]


def test_who_is_kept_by_group_is_told_at_the_test() -> None:
    code = "def shortlist(people):\n    return [one for one in people if one.{by}]\n"
    (found,) = check_source(code.format(by="gender == 'male'")).findings
    assert (found.rule, found.severity, found.start.line) == ("FL106", "error", 2)
    assert found.message == "people are kept or left out by gender: `one.gender == 'male'`"
    assert check_source(code.format(by="tests > 3")).findings == ()


def test_all_groups_side_by_side_leave_nobody_out() -> None:
    code = """
        def counts(people):
            men = [one for one in people if one.gender == "male"]
            women = [one for one in people if one.gender == "female"]
            return len(men), len(women)
        """
    assert _told(code) == []


@pytest.mark.parametrize("name", SEARCHED)
def test_what_somebody_searches_for_is_no_rule(name: str) -> None:
    assert _told(SEARCHED[name]) == []


@pytest.mark.parametrize("name", CHOSEN)
def test_a_rule_of_the_code_is_told(name: str) -> None:
    assert len(_told(CHOSEN[name])) == 1


# ----------------------------------------------------------------------------------- what somebody has typed


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
