"""Who is turned away, sent elsewhere, drawn by lot or shown by group; and look-alikes that are not."""

from __future__ import annotations

import textwrap

import pytest

from fairlint.checking.runner import check_source
from fairlint.config import Settings

Told = tuple[str, str, str]

TOLD: dict[str, tuple[str, list[Told]]] = {
    "a request ends": (
        """
        from flask import abort

        def open_account(customer):
            if customer.nationality == "Iranian":
                abort(403)
            return "ok"
        """,
        [("FL101", "national_origin", "error")],
    ),
    "an error that says no": (
        """
        from django.core.exceptions import PermissionDenied

        def enter(user):
            if user.gender == "female":
                raise PermissionDenied
            return render(user)
        """,
        [("FL101", "gender", "error")],
    ),
    "an answer that says no": (
        """
        def enter(user):
            if user.religion == "muslim":
                return HttpResponseForbidden()
            return render(user)
        """,
        [("FL101", "religion", "error")],
    ),
    "another page": (
        """
        from flask import redirect

        def dashboard(user):
            if user.race == "black":
                return redirect("/waiting")
            return redirect("/home")
        """,
        [("FL101", "race", "warning")],
    ),
    "a list that has to be empty": (
        """
        def check_applicant(applicant):
            missing = []
            if applicant.marital_status == "single":
                missing.append("must be married")
            if applicant.income < 5000:
                missing.append("income")
            return len(missing) == 0
        """,
        [("FL101", "marital_status", "error")],
    ),
    "a list that has to be empty, and is given along": (
        """
        def look_at(applicant):
            problems = []
            if applicant.race == "black":
                problems.append("area")
            return {"fine": not problems, "problems": problems}
        """,
        [("FL101", "race", "error")],
    ),
    "a list that is asked before a yes or no": (
        """
        def look_at(applicant):
            failed = []
            if applicant.gender == "female":
                failed.append("gender")
            if len(failed) > 0:
                return False
            return True
        """,
        [("FL101", "gender", "error")],
    ),
    "a lot": (
        """
        import random

        def pick(people):
            return random.choices(people, weights=[3 if p.gender == "male" else 1 for p in people], k=5)
        """,
        [("FL201", "gender", "error")],
    ),
    "a lot with probabilities": (
        """
        import numpy as np

        def pick(candidates):
            p = [0.8 if c.race == "white" else 0.2 for c in candidates]
            return np.random.choice(candidates, 5, p=p)
        """,
        [("FL201", "race", "error")],
    ),
    "what an unknown function makes of it": (
        """
        def decide(applicant):
            if not applicant.religion:
                return "accepted"
            if normalised(applicant.religion) == "muslim":
                return "rejected"
            return "accepted"
        """,
        [("FL101", "religion", "error")],
    ),
    "a condition that is stored": (
        """
        def look_at(citizen, rules):
            is_eligible = True
            if "gender" in rules and citizen.get("gender") != rules["gender"]:
                is_eligible = False
            return is_eligible
        """,
        [("FL101", "gender", "error")],
    ),
    "a stored condition that turns people away": (
        """
        def apply(candidate, job):
            if job.gender != "any" and candidate.gender != job.gender:
                raise PermissionDenied
            return save(candidate, job)
        """,
        [("FL101", "gender", "error")],
    ),
    "a stored condition that ends with no": (
        """
        def apply(candidate, job):
            if candidate.gender != job.gender:
                return "rejected"
            return "ok"
        """,
        [("FL101", "gender", "error")],
    ),
    "a column of a measure": (
        """
        import numpy as np

        def add_egfr(df):
            df["egfr"] = 175 * df["scr"] ** -1.154 * np.where(df["race"] == "black", 1.212, 1.0)
            return df
        """,
        [("FL204", "race", "error")],
    ),
    "rows of data": (
        """
        import pandas as pd

        def load(path):
            df = pd.read_csv(path)
            df = df[df["gender"] == "male"]
            return df
        """,
        [("FL106", "gender", "warning")],
    ),
    "rows of people": (
        """
        import pandas as pd

        def load(path):
            tenants = pd.read_csv(path)
            tenants = tenants[tenants["gender"] == "male"]
            return tenants
        """,
        [("FL106", "gender", "error")],
    ),
    "a function called after a measure": (
        """
        def fev1(height, age, race):
            factors = {"white": 1.0, "black": 0.88, "asian": 0.94}
            predicted = 4.3 * height - 0.029 * age - 2.49
            return predicted * factors[race]
        """,
        [("FL204", "race", "error")],
    ),
    "who may be shown to whoever lets a room": (
        """
        def find(tenants, gender=None):
            if gender:
                tenants = [t for t in tenants if t.gender == gender]
            return tenants
        """,
        [("FL106", "gender", "warning")],
    ),
    "the same in a loop": (
        """
        def landlord_search(tenants, religion=None):
            found = []
            for tenant in tenants:
                if religion and tenant.religion != religion:
                    continue
                found.append(tenant)
            return found
        """,
        [("FL106", "religion", "warning")],
    ),
    "who may be shown to whoever looks for a partner": (
        """
        def matches(session, filters):
            \"\"\"Profiles of the dating site.\"\"\"
            query = session.query(Profile)
            if filters.religion:
                query = query.filter(Profile.religion == filters.religion)
            return query.all()
        """,
        [("FL106", "religion", "warning")],
    ),
    "fees that are looked up": (
        """
        def fee_of(level):
            return ApplicationFee.objects.filter(nationality_type="Local").first()
        """,
        [("FL106", "national_origin", "warning")],
    ),
}

SILENT: dict[str, str] = {
    "people who are matched": """
        def pair(one, other):
            eligible = one.gender == other.gender
            return eligible
        """,
    "a request without a value ends": """
        from flask import abort

        def open_account(customer):
            if not customer.nationality:
                abort(400)
            return "ok"
        """,
    "a form that is filled in wrongly": """
        def check(form):
            errors = []
            if form.gender not in ("male", "female"):
                errors.append("invalid gender")
            if form.race == "x":
                errors.append("unknown race")
            return not errors
        """,
    "words that are joined": """
        def describe(person):
            found = []
            if person.gender == "male":
                found.append("he")
            if not found:
                return None
            return ", ".join(found)
        """,
    "a list that staff choose from": """
        def applications(request):
            queryset = Applicant.objects.all()
            is_refugee = (request.query_params.get("is_refugee") or "").lower()
            nationality = (request.query_params.get("nationality") or "").strip()
            if nationality and nationality.lower() != "all":
                queryset = queryset.filter(nationality__icontains=nationality)
            if is_refugee in ("true", "yes"):
                queryset = queryset.filter(is_refugee=True)
            elif is_refugee in ("false", "no"):
                queryset = queryset.filter(is_refugee=False)
            return queryset
        """,
    "how old a partner may be": """
        def matches(profiles, min_age=None):
            \"\"\"Profiles of the dating site.\"\"\"
            if min_age:
                profiles = [p for p in profiles if p.age >= min_age]
            return profiles
        """,
    "people whose date of birth is known": """
        class CandidatesView:
            def get(self, request):
                return UserProfile.objects.filter(user__is_active=True, user__dob__isnull=False)
        """,
    "rows that a library checks": """
        import pandera as pa

        class Persons(pa.DataFrameModel):
            @pa.dataframe_check(name="ages of those who do not work")
            def check_nonworker_age(cls, persons):
                return (~(persons.kind == 4)) | ((persons.age >= 18) & (persons.age < 65))
        """,
    "fields that are not filled in": """
        FIELDS = ["nationality", "city"]

        def missing_recommended_fields(profile):
            missing = []
            for field in FIELDS:
                value = getattr(profile, field)
                if value is None or value == []:
                    missing.append(field)
            return missing
        """,
    "keys that may be given": """
        def check_keys(user, attrs, caste_map):
            religion = None
            if attrs.get("religion_id") is not None:
                religion = int(attrs["religion_id"])
            elif user is not None:
                religion = int(user.religion_id) if user.religion_id else None
            allowed_keys = {religion}
            if [key for key in caste_map if key not in allowed_keys]:
                raise ValueError("invalid keys")
            attrs["keys"] = list(allowed_keys)
            return attrs
        """,
    "a code in a column of a table that is called after an outcome": """
        import pandas as pd

        bail = pd.read_csv("bail.csv")
        for row, gender in enumerate(bail["Gender"]):
            if gender == "M":
                bail["Gender"][row] = 0
            else:
                bail["Gender"][row] = 1
        """,
}


def _told(code: str) -> list[Told]:
    report = check_source(textwrap.dedent(code).strip() + "\n", path="work.py")
    assert not report.not_analysed
    found = [(one.rule, one.use.attribute, one.severity) for one in report.findings]
    return [one for one in found if one[2] != "note"]


@pytest.mark.parametrize("name", TOLD)
def test_it_is_told(name: str) -> None:
    code, told = TOLD[name]
    assert _told(code) == told


@pytest.mark.parametrize("name", SILENT)
def test_its_twin_is_not(name: str) -> None:
    assert _told(SILENT[name]) == []


def test_a_partner_s_gender_is_a_note() -> None:
    code = """
def matches(profiles, gender=None):
    \"\"\"Profiles of the dating site.\"\"\"
    if gender:
        profiles = [p for p in profiles if p.gender == gender]
    return profiles
"""
    report = check_source(code, settings=Settings(min_severity="note"))
    assert [(one.rule, one.severity) for one in report.findings] == [("FL106", "note")]


def test_who_may_be_turned_away_later_goes_on() -> None:
    code = """
def check_eligibility(donor):
    if donor.age > 65:
        return False, "too old"
    if donor.last_time:
        if donor.today - donor.last_time < 56:
            return False, "too early"
    if donor.tired:
        return False, "tired"
    return True, None
"""
    (found,) = check_source(code).findings
    assert found.use.outcomes == {"under 66": "goes on", "66 and over": 'return False, "too old"'}


def test_a_record_that_is_handed_on_is_asked_where_its_key_stands() -> None:
    code = """
def fits(rules, citizen):
    if "age_min" in rules and citizen.get("age", 0) < rules["age_min"]:
        return False
    return True


def offer(scheme, citizen):
    if fits(scheme["rules"], {"age": citizen["age"], "income": 3}):
        approve(citizen)
    if fits(scheme["others"], {"age": citizen["age"], "income": 4}):
        approve(citizen)
"""
    found = check_source(code, settings=Settings(min_severity="note")).findings
    assert [one.start.line for one in found if one.rule == "FL102"] == [3]


def test_a_part_of_a_table_is_nothing_that_people_get() -> None:
    code = """
import pandas as pd

df_test = pd.read_csv("test.csv")
df_test = df_test[df_test["gender"] != "FEMALE"]
"""
    assert [one.message.partition(":")[0] for one in check_source(code).findings] == [
        "people are kept or left out by gender"
    ]


def test_what_people_get_is_told_as_that() -> None:
    report = check_source(
        'def fee():\n    return ApplicationFee.objects.filter(nationality_type="Local").first()\n'
    )
    assert [one.message.partition(":")[0] for one in report.findings] == [
        "what people get is chosen by national origin"
    ]


KEPT = """
def keep(people, row):
    entry = {"name": row["name"]}
    sex = row["sex"]
    if sex == 1:
        entry["sex"] = "m"
    elif sex == 2:
        entry["sex"] = "f"
    else:
        raise ValueError(f"unknown code {sex}")
    people.append(entry)
    return people
"""
HIRED = """
def hire(candidate):
    if candidate.gender == "male":
        return "hired"
    raise ValueError("invalid candidate")
"""


@pytest.mark.parametrize(("code", "rules"), [(KEPT, []), (HIRED, ["FL101"])])
def test_a_code_that_is_none_is_an_error_of_the_data(code: str, rules: list[str]) -> None:
    report = check_source(code, settings=Settings(min_severity="note"))
    assert [finding.rule for finding in report.findings] == rules
