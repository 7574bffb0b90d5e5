"""Where a score is told that first asks if there is a value: where it goes by the value."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

PLACES: dict[str, str] = {
    "a guard for what is missing around the test": """
        def rate(applicant):
            score = 10
            if applicant and applicant.age and applicant.is_open:
                if applicant.age > 50:  # here
                    score -= 3
            return score
        """,
    "a guard for a group that nobody has given": """
        def match(student, wanted):
            score = 0
            if wanted and student.citizenship:
                if student.citizenship != wanted:  # here
                    score -= 5
            return score
        """,
    "the same, and what is made of the score later": """
        def match(student, wanted):
            score = 0
            passed = True
            if wanted and student.citizenship:
                if student.citizenship != wanted:  # here
                    passed = False
                else:
                    score += 5
            return {"passed": passed, "score": min(1.0, score)}

        def search(student, jobs):
            found = []
            for job in jobs:
                if match(student, job.wanted)["passed"]:
                    found.append(job)
            return found
        """,
    "a helper that gives nothing for what is missing": """
        import re

        def age_from_birth(dob):
            if not dob or dob in ("", "N/A", "?"):
                return None
            found = re.match(r"([0-9]+)-", dob)
            if not found:
                return None
            return 2026 - int(found.group(1))

        def score_applicant(applicant):
            score = 10.0
            age = age_from_birth(applicant.dob)
            if age is not None:
                if age < 25:  # here
                    score += 5
            return score
        """,
    "a number that is multiplied where it is given": """
        def rate(applicant):
            score = 10
            if applicant.age:
                score -= applicant.age * 2  # here
            return score
        """,
    "a number with what stands in for it": """
        def rate(applicant):
            score = 10
            score += (applicant.age or 0) + 2  # here
            return score
        """,
}

SILENT: dict[str, str] = {
    "how much of a profile is filled in": """
        def steps(profile):
            religion = bool(profile and (profile.religion or profile.address or profile.caste.strip()))
            return {"religion": religion, "photo": bool(profile.photo)}

        def sync(profile, user):
            value = bool(steps(profile)["religion"])
            if user.religion_done != value:
                user.religion_done = value

        def percentage(profile):
            done = steps(profile)
            total = (done["religion"] + done["photo"]) / 2 * 100
            return total >= 85
        """,
}


@pytest.mark.parametrize("case", PLACES)
def test_a_score_is_told_where_it_goes_by_the_value(case: str) -> None:
    code = textwrap.dedent(PLACES[case])
    wanted = [line for line, text in enumerate(code.splitlines(), start=1) if "# here" in text]
    found = [
        code.count("\n", 0, one.use.span.start) + 1
        for one in check_source(code).findings
        if one.severity != "note"
    ]
    assert found == wanted


@pytest.mark.parametrize("case", SILENT)
def test_what_is_given_is_no_score(case: str) -> None:
    found = check_source(textwrap.dedent(SILENT[case])).findings
    assert [one for one in found if one.severity != "note"] == []
