"""Messages that are true: each word of them holds for the code they stand at."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

SETTINGS = Settings(min_severity="note")


def told(code: str, path: str = "rate.py") -> list[Finding]:
    return list(check_source(textwrap.dedent(code), path=path, settings=SETTINGS).findings)


def only(code: str, path: str = "rate.py") -> Finding:
    findings = told(code, path)
    assert len(findings) == 1, [finding.message for finding in findings]
    return findings[0]


# ------------------------------------------------------------------------------------------------ factors


FACTORS: dict[str, tuple[str, dict[str, float]]] = {
    "what both branches share": (
        """
        def credit_score(applicant):
            if applicant.gender == "female":
                return 141 * applicant.income * applicant.tenure * 1.159
            return 141 * applicant.income * applicant.tenure
        """,
        {"male": 1.0, "female": 1.159},
    ),
    "two factors of a longer product": (
        """
        def premium(customer):
            rate = 1.3 if customer.gender == "male" else 0.8
            return 120 * customer.km * rate * 7
        """,
        {"male": 1.3, "female": 0.8},
    ),
    "a division": (
        """
        def premium(customer):
            return 120 * customer.km / 1.25 if customer.gender == "female" else 120 * customer.km
        """,
        {"male": 1.0, "female": 0.8},
    ),
    "a factor of the others alone": (
        """
        def credit_limit(customer):
            limit = customer.income * 3
            if customer.gender == "male":
                return limit
            return limit * 0.6
        """,
        {"male": 1.0, "female": 0.6},
    ),
    "a divisor of a product": (
        """
        def premium(customer):
            rate = customer.km * 120
            if customer.gender == "female":
                rate = rate / 0.8
            return rate
        """,
        {"male": 1.0, "female": 1.25},
    ),
    "numbers that the code has": (
        """
        def premium(customer):
            return customer.km * 200 if customer.gender == "male" else customer.km * 150
        """,
        {"male": 200.0, "female": 150.0},
    ),
    "numbers that nobody wrote": (
        """
        def premium(customer):
            return 141 * customer.km * 1.2 ** 2 if customer.gender == "female" else 141 * customer.km
        """,
        {"male": 1.0, "female": 1.44},
    ),
}


@pytest.mark.parametrize("title", FACTORS)
def test_a_factor_is_what_the_groups_do_not_share(title: str) -> None:
    code, expected = FACTORS[title]
    finding = only(code)
    assert finding.rule == "FL204"
    assert finding.points is not None
    assert dict(finding.points.by_group) == pytest.approx(expected)


def test_a_factor_in_c_is_what_the_groups_do_not_share() -> None:
    finding = only(
        """
        #include <string.h>
        struct applicant { double income; const char *gender; };
        double credit_score(const struct applicant *a)
        {
            double score = 141.0 * a->income;
            return strcmp(a->gender, "female") == 0 ? score * 1.018 : score;
        }
        """,
        "rate.c",
    )
    assert "male ×1, female ×1.018" in finding.message


# --------------------------------------------------------------------------------------------------- ages


AGES: dict[str, tuple[str, str]] = {
    "cuts within a band": (
        """
        def stroke_score(applicant):
            score = 0
            if applicant.age >= 75:
                score += 2
            elif applicant.age >= 65:
                score += 1
            return score
        """,
        "under 65 +0, 65–74 +1, 75 and over +2, gap 2",
    ),
    "cuts at the edges of the bands": (
        """
        def rate_applicant(applicant):
            score = 0
            if applicant.age >= 55:
                score -= 3
            return score
        """,
        "young and middle +0, elder -3, gap 3",
    ),
    "a lower end": (
        """
        def rate_applicant(applicant):
            score = 0
            if 18 <= applicant.age <= 22:
                score -= 10
            return score
        """,
        "under 18, 23 and over +0; 18–22 -10, gap 10",
    ),
    "half a year": (
        """
        def rate_applicant(applicant):
            score = 0
            if applicant.age > 62.5:
                score -= 20
            return score
        """,
        "up to 62.5 +0, over 62.5 -20, gap 20",
    ),
    "one age": (
        """
        def rate_applicant(applicant):
            score = 0
            if applicant.age == 40:
                score += 4
            return score
        """,
        "under 40, 41 and over +0; exactly 40 +4, gap 4",
    ),
    "a limit of the law below": (
        """
        def hire(candidate):
            if candidate.age < 21 or candidate.age > 67:
                return False
            return candidate.skill > 3
        """,
        "21–67 → return candidate.skill > 3, 68 and over → return False",
    ),
}


@pytest.mark.parametrize("title", AGES)
def test_ages_are_told_by_the_cuts_of_the_code(title: str) -> None:
    code, message = AGES[title]
    assert only(code).message.endswith(message)


def test_points_of_a_report_stay_by_band() -> None:
    report = check_source(textwrap.dedent(AGES["cuts within a band"][0]))
    assert report.points("age") == {"young": 0.0, "middle": 0.0, "elder": 1.0}


# --------------------------------------------------------------------------------------------- conditions


CONDITIONS: dict[str, tuple[str, str]] = {
    "around it": (
        """
        def rate(candidate):
            score = 0
            if candidate.has_degree:
                score += 2 if candidate.gender == "male" else 0
            return score
        """,
        "male +2, female +0, gap 2, where `candidate.has_degree`",
    ),
    "beside it": (
        """
        def rate(candidate):
            score = 0
            if candidate.years > 3 and candidate.gender == "male":
                score += 2
            return score
        """,
        "male +2, female +0, gap 2, where `candidate.years > 3`",
    ),
    "that does not hold": (
        """
        def rate(candidate):
            score = 0
            if candidate.has_degree:
                score += 1
            else:
                if candidate.gender == "male":
                    score += 2
            return score
        """,
        "male +2, female +0, gap 2, where `not candidate.has_degree`",
    ),
    "of another arm": (
        """
        def rate(candidate):
            score = 0
            if candidate.years > 9:
                score += 1
            elif candidate.has_degree:
                if candidate.gender == "male":
                    score += 2
            return score
        """,
        "male +2, female +0, gap 2, where `candidate.has_degree`",
    ),
    "of the amount": (
        """
        def rate(candidate):
            score = 0
            if candidate.gender == "male":
                if candidate.years > 5:
                    score += 4
                else:
                    score += 1
            return score
        """,
        "male up to +4, female +0, gap up to 4",
    ),
    "of two amounts": (
        """
        def rate(candidate):
            score = 0
            if candidate.gender == "male":
                if candidate.years > 5:
                    score += 9
                else:
                    score += 1
            else:
                if candidate.years > 5:
                    score += 2
                else:
                    score += 3
            return score
        """,
        "for instance male +9, female +2, gap up to 7",
    ),
    "none": (
        """
        def rate(candidate):
            score = 0
            if candidate.gender == "male":
                score += 2
            return score
        """,
        "male +2, female +0, gap 2",
    ),
    "whether the attribute is given": (
        """
        def rate(candidate):
            score = 0
            if "gender" in candidate and candidate["gender"] == "male":
                score += 2
            return score
        """,
        "male +2, female +0, gap 2",
    ),
}


@pytest.mark.parametrize("title", CONDITIONS)
def test_points_under_another_condition_say_so(title: str) -> None:
    code, message = CONDITIONS[title]
    assert only(code).message == f"`score` depends on gender: {message}"


def test_conditional_points_can_be_left_out() -> None:
    report = check_source(textwrap.dedent(CONDITIONS["around it"][0]))
    assert report.points("gender") == {"male": 2.0, "female": 0.0}
    assert report.points("gender", conditional=False) == {"male": 0.0, "female": 0.0}


def test_the_finding_begins_at_the_comparison() -> None:
    finding = only(CONDITIONS["beside it"][0])
    assert (finding.start.line, finding.start.column) == (4, 32)


# ------------------------------------------------------------------------------------------------- groups


GROUPS: dict[str, tuple[str, str]] = {
    "a part of a religion": (
        """
        def rate(applicant):
            score = 0
            if applicant.religion == "catholic":
                score += 5
            elif applicant.religion == "protestant":
                score += 3
            return score
        """,
        "catholic +5, protestant +3, 7 others +0, gap 5",
    ),
    "a country beside foreigners": (
        """
        def rate(applicant):
            score = 0
            if applicant.nationality == "Germany":
                score += 5
            elif applicant.nationality == "foreign":
                score -= 5
            return score
        """,
        "german +5, foreign -5, others +0, gap 10",
    ),
    "a country alone": (
        """
        def rate(applicant):
            score = 0
            if applicant.nationality == "Germany":
                score += 5
            return score
        """,
        "german +5, others +0, gap 5",
    ),
    "foreigners alone": (
        """
        def rate(applicant):
            score = 0
            if applicant.nationality == "foreign":
                score -= 5
            return score
        """,
        "domestic +0, foreign -5, gap 5",
    ),
    "a minority": (
        """
        def rate(applicant):
            score = 0
            if applicant.race == "minority":
                score += 5
            return score
        """,
        "minority +5, others +0, gap 5",
    ),
    "others alone": (
        """
        def rate(applicant):
            score = 0
            if applicant.gender in ("male", "female"):
                score += 5
            return score
        """,
        "male and female +5, others +0",
    ),
}


@pytest.mark.parametrize("title", GROUPS)
def test_groups_are_those_of_the_code(title: str) -> None:
    code, message = GROUPS[title]
    assert only(code).message.endswith(f": {message}")


def test_no_gap_is_told_where_one_amount_is_known() -> None:
    finding = only(
        """
        import pandas as pd
        people = pd.read_csv("applicants.csv")
        people.loc[people["gender"] == "male", "score"] = 5
        """
    )
    assert finding.message.endswith("gender: male = 5, others keep what they have")
    assert "gap 0" not in finding.message


# -------------------------------------------------------------------------------------- several attributes


JOINED = """
def admit(applicant):
    if applicant.experience > 2 and applicant.race == "black" and applicant.age < 25:
        return "reject"
    return "accept"
"""


def test_a_finding_about_several_attributes_lists_them_all() -> None:
    finding = only(JOINED)
    assert finding.use.attributes == ("race", "age")
    assert (finding.start.line, finding.start.column, finding.end.column) == (3, 37, 85)


@pytest.mark.parametrize(("jurisdiction", "expected"), [("us", 1), ("all", 1)])
def test_it_is_told_where_one_of_them_is_protected(jurisdiction: str, expected: int) -> None:
    settings = Settings(min_severity="note", jurisdiction=jurisdiction)
    assert len(check_source(JOINED, settings=settings).findings) == expected


# ----------------------------------------------------------------------------- variables without a reader


FORGOTTEN: dict[str, str] = {
    "read by nobody": """
        def rate(applicant):
            bonus = 0
            if applicant.gender == "male":
                bonus = 5
            return applicant.years
        """,
    "added to and read by nobody": """
        def rate(applicant):
            score = 0
            if applicant.gender == "male":
                score += 5
            return applicant.years > 3
        """,
    "given another value": """
        def rate(applicant):
            score = 5 if applicant.gender == "male" else 1
            score = applicant.years * 3
            return score
        """,
}
REMEMBERED: dict[str, str] = {
    "returned": """
        def rate(applicant):
            score = 5 if applicant.gender == "male" else 1
            return score
        """,
    "named in a text": """
        def rate(applicant):
            score = 5 if applicant.gender == "male" else 1
            return "{score}".format(**locals())
        """,
    "everybody's": """
        def rate(applicant):
            global score
            score = 5 if applicant.gender == "male" else 1
        """,
    "a file's own": """
        applicant = load()
        score = 5 if applicant.gender == "male" else 1
        """,
    "given another value at times": """
        def rate(applicant):
            score = 5 if applicant.gender == "male" else 1
            if applicant.years > 3:
                score = 7
            return score
        """,
    "given another value that holds it": """
        def rate(applicant):
            score = 5 if applicant.gender == "male" else 1
            score = score * 3
            return score
        """,
}


@pytest.mark.parametrize("title", FORGOTTEN)
def test_a_variable_that_reaches_no_score_is_none(title: str) -> None:
    assert [finding.rule for finding in told(FORGOTTEN[title]) if finding.severity != "note"] == []


@pytest.mark.parametrize("title", REMEMBERED)
def test_a_variable_that_is_read_is_a_score(title: str) -> None:
    assert [finding.rule for finding in told(REMEMBERED[title]) if finding.severity == "error"] == ["FL201"]


@pytest.mark.parametrize(("declared", "expected"), [("int total_score = 0;", 0), ("", 1)])
def test_in_c_a_name_that_is_not_declared_is_everybodys(declared: str, expected: int) -> None:
    code = f"""
        #include <string.h>
        struct applicant {{ int years; const char *gender; }};
        int total_score;
        int rate(const struct applicant *a)
        {{
            {declared}
            if (strcmp(a->gender, "male") == 0)
                total_score = 5;
            return a->years;
        }}
        """
    assert len([one for one in told(code, "rate.c") if one.severity != "note"]) == expected


# ----------------------------------------------------------------------------------------------- raw values


RAW = {
    "as a number": "score += applicant.age * 2",
    "by a test": "score += 5 if applicant.age < limit else 0",
    "by a table": "score += limit[applicant.age]",
}


@pytest.mark.parametrize("how", RAW)
def test_a_raw_value_says_how_it_enters(how: str) -> None:
    finding = only(f"def rate(applicant, limit):\n    score = 10\n    {RAW[how]}\n    return score\n")
    assert finding.message.startswith(f"age enters `score` {how}: ")


def test_a_missing_value_is_no_limit() -> None:
    code = """
        def hire(candidate):
            if candidate.age is None:
                return "reject"
            return "accept" if candidate.skill > 3 else "reject"
        """
    assert [finding.rule for finding in told(code) if finding.rule == "FL102"] == []


def test_the_attribute_itself_is_told_by_its_group() -> None:
    finding = only("def may_apply(person):\n    return person.years > 3 and person.has_disability\n")
    assert finding.message.endswith("yes → return True, no → return False")


def test_who_asks_for_a_credit_by_job_and_savings_is_not_hired() -> None:
    columns = [
        "age",
        "job",
        "employment",
        "credit_history",
        "credit_amount",
        "savings_account",
        "checking_account",
    ]
    code = f"""
import pandas as pd
from sklearn.svm import SVC
people = pd.read_csv("people.csv")
SVC().fit(people[{columns}], people["risk"])
"""
    (finding,) = [one for one in check_source(code).findings if one.rule == "FL301"]
    assert finding.use.domain == "credit"
    assert "Regulation B" in finding.advice
    hired = check_source(code.replace("credit_", "hire_").replace("_account", "")).findings
    assert {one.use.domain for one in hired if one.rule == "FL301"} == {"hiring"}


def test_regions_of_the_codes_own_are_not_told_beside_town_and_country() -> None:
    code = """
        def premium(applicant):
            table = {"northeast": 500, "northwest": 300}
            premium = 100
            premium += table.get(applicant.home_region, 0)
            return premium
        """
    (found,) = (one for one in told(code) if one.rule == "FL601")
    assert found.use.points is not None
    assert set(found.use.points.by_group) == {"northeast", "northwest"}


# --------------------------------------------------------------------------------- names of nameless values


LETTER = "thank you for your application for a loan with our bank, which our desk has looked at: it is"


def test_places_in_a_text_are_told_as_the_code_fills_them() -> None:
    finding = only(
        """
        def answer(applicant):
            sort = applicant.marital_status
            if sort == "divorced":
                return ("L7", f"A loan is denied: '{sort}' and {len(applicant.name)} on our list", [sort])
            return None
        """
    )
    assert (
        "A loan is denied: '{sort}' and {len(applicant.name)} on our list" in finding.use.outcomes["divorced"]
    )
    assert "A loan is denied: '{sort}'" in finding.message


@pytest.mark.parametrize(
    "returned",
    [
        f'Letter(sender="the desk", address=applicant.address, text="{LETTER} WORD")',
        f'f"Dear {{applicant.name}}, {LETTER} WORD"',
        f'{{"of": applicant.name, "text": "{LETTER} so", "is": "WORD", "until": applicant.ends_on}}',
    ],
)
def test_what_differs_is_never_cut_off(returned: str) -> None:
    finding = only(
        f"""
        def decide(applicant):
            if applicant.gender == "male":
                return {returned.replace("WORD", "approved")}
            return {returned.replace("WORD", "rejected")}
        """
    )
    male, _, female = finding.message.partition("female")
    assert ("approved" in male, "rejected" in female) == (True, True), finding.message
    assert "…" in male


def test_a_text_of_hundreds_of_characters_tells_what_is_put_into_it() -> None:
    finding = only(
        f"""
        def decide(applicant):
            word = "approved" if applicant.gender == "male" else "rejected"
            return f"Dear {{applicant.name}}, {LETTER * 6} {{word}}"
        """
    )
    assert "approved" in finding.use.outcomes["male"]
    assert "{applicant.name}" in finding.use.outcomes["male"]


def test_acts_that_differ_behind_thousands_of_characters_are_two() -> None:
    rows = ", ".join(f"row_{number}=applicant.row_{number}" for number in range(400))
    finding = only(
        f"""
        def decide(applicant):
            if applicant.gender == "male":
                return Answer({rows}, approved=True, {rows})
            return Answer({rows}, approved=False, {rows})
        """
    )
    assert finding.rule == "FL101"
    assert "\x02" not in repr(finding.use)


@pytest.mark.parametrize("key", ["is_female", "is_black", "swedish_citizen", "is_chinese_national"])
def test_an_entry_of_one_person_that_names_a_group_says_whether_they_are_of_it(key: str) -> None:
    finding = only(
        f"""
        def rate(candidate):
            score = candidate["points"]
            if candidate["{key}"]:
                score += 10
            return score
        """
    )
    assert finding.rule == "FL201"
    assert finding.use.points is not None
    assert sorted(set(finding.use.points.by_group.values()) | {finding.use.points.other or 0}) == [0, 10]


def test_yes_to_a_marital_status_is_married() -> None:
    (finding,) = check_source(
        textwrap.dedent(
            """
            #include <stdio.h>
            int main(void)
            {
                char martialstatus;
                scanf(" %c", &martialstatus);
                if (martialstatus == 'Y') printf("The loan is approved");
                else printf("The loan is rejected");
                return 0;
            }
            """
        ),
        path="loan.c",
        settings=SETTINGS,
    ).findings
    assert finding.use.attribute == "marital_status"
    assert "approved" in finding.use.outcomes["married"]
    assert "rejected" in finding.use.outcomes["single"]
    assert "y" not in finding.use.outcomes


@pytest.mark.parametrize("form", ["int({})", "float({})", "round({})", "+({})"])
def test_a_truth_value_of_which_a_number_is_made_is_one(form: str) -> None:
    given = form.format("p.gender == 'male'")
    code = f"def score(p):\n    flag = {given}\n    return flag\n"
    messages = [one.message for one in check_source(code, path="rate.py").findings]
    assert [one for one in messages if one.endswith("male → return 1, female → return 0")]
    plain = "def score(p):\n    return p.gender == 'male'\n"
    (found,) = check_source(plain, path="rate.py").findings
    assert found.message.endswith("male → return True, female → return False")


def test_a_comparison_of_c_gives_1_or_0() -> None:
    code = "int admit(const struct applicant *p) { return p->sex == 'm'; }\n"
    (found,) = check_source(code, path="a.c").findings
    assert found.message.endswith("male → return 1, female → return 0")


def test_what_is_done_with_everybody_is_not_told_of_each_group() -> None:
    finding = only(
        """
        def screen(applicants):
            status, told = "pending", []
            for one in applicants:
                if one.gender == "female":
                    status = "rejected"
                else:
                    status = "accepted"
                told.append(status)
                inform(one)
            print("done")
        """
    )
    assert "rejected" in finding.use.outcomes["female"]
    assert "told.append" not in finding.message
    assert "inform" not in finding.message
