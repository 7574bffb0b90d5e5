"""What each shape of code gives each group: one finding a place, with the points that the code gives."""

from __future__ import annotations

import textwrap

import pytest
from expectations import Marked, read_code

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

PYTHON: dict[str, str] = {
    "a score that is kept below another for some": """
        def credit_score(applicant, history):
            score = history
            if applicant.gender == "female":  # FL201: gender
                score = min(score, 600)
            return max(score, 300)

        def exam_score(student):
            if student.age < 30:  # FL201: age
                return min(student.result, 80)
            return student.result
        """,
    "columns that a text sets": """
        import pandas as pd
        df = pd.read_csv("students.csv")
        # FL203: gender male -5, female +0, others +0
        df.eval("score = gpa * 20 - 5 * (sex == 'M')", inplace=True)
        df["risk"] = df.eval("priors * 2 + 3 * (sex == 'M')")  # FL203: gender male +3, female +0, others +0
        df.eval("ratio = weight / height ** 2", inplace=True)
        """,
    "a helper that stands behind its caller": """
        def rate_candidate(c):
            return c.years + bonus(c.gender)

        def bonus(g):
            return 2 if g == "female" else 0  # FL201: gender male +0, female +2, others +0
        """,
    "a sum that is returned": """
        def hiring_score(c):
            # FL201: gender male +5, female +0, others +0
            return c.years * 2 + c.certs * 3 + (5 if c.gender == "male" else 0)
        """,
    "a factor that is returned": """
        def quote(driver):
            # FL204: gender male x1.2, female x1, others x1.1
            return driver.base * {"male": 1.2, "female": 1.0}.get(driver.sex, 1.1)
        """,
    "a variable called total": """
        def evaluate_candidate(candidate):
            total = 0
            if candidate["gender"] == "male":  # FL201: gender male +4, female +0, others +0
                total += 4
            total += candidate["years"]
            return total
        """,
    "one return after another": """
        def score_of(c):
            if c.gender == "male":  # FL201: gender male = 80, female = 60, others = 50
                return 80
            if c.gender == "female":
                return 60
            return 50
        """,
    "an amount that nobody knows": """
        def score(candidate, bonus):
            score = candidate.experience
            if candidate.gender == "male":  # FL201: gender
                score += bonus
            return score
        """,
    "a helper that stands after its caller": """
        def evaluate(candidate):
            return candidate.skill + bonus(candidate)

        def bonus(candidate):
            if candidate.gender == "male":  # FL201: gender male +3, female +0, others +0
                return 3
            return 0
        """,
    "a score that is only looked at afterwards": """
        def decide(c):
            score = 0
            if c.gender == "male":  # FL201: gender male +5, female +2, others +2
                score += 5
            else:
                score += 2
            return "hire" if score > 3 else "reject"
        """,
    "tables of tables in a loop": """
        CRITERIA = {"gender": {"male": 3, "female": 1}, "degree": {"phd": 5, "ms": 3}}

        def score(applicant):
            # FL202: gender male +3, female +1, others +0
            return sum(table.get(getattr(applicant, name), 0) for name, table in CRITERIA.items())
        """,
    "a starting value by group": """
        def score(candidate):
            if candidate.gender == "male":  # FL201: gender male +5, female +2, others +2
                score = 5
            else:
                score = 2
            score += candidate.years
            return score
        """,
    "scores kept in a dict": """
        def evaluate(candidate):
            scores = {}
            scores["skill"] = candidate.skill
            if candidate.gender == "male":  # FL201: gender male +10, female +5, others +5
                scores["gender"] = 10
            else:
                scores["gender"] = 5
            return sum(scores.values())
        """,
    "nothing instead of a disability": """
        def accept(applicant):
            if applicant.disability is None:  # FL101: disability
                return True
            return False
        """,
    "a constant as the key": """
        KEY = "gender"

        def accept(candidate):
            return candidate[KEY] == "male"  # FL101: gender
        """,
    "a table as the sort key": """
        def shortlist(candidates):
            candidates.sort(key=lambda c: {"male": 0, "female": 1}[c.gender])  # FL105: gender
            return candidates[:10]
        """,
    "the first after sorting": """
        def shortlist(candidates):
            candidates.sort(key=lambda c: c.gender == "male")  # FL105: gender
            return candidates[0]
        """,
    "a year of birth": """
        def eligible(applicant):
            if applicant.birth_year < 1980:  # FL102: age
                return False
            return True
        """,
    "people of an age are skipped": """
        def shortlist(candidates):
            chosen = []
            for candidate in candidates:
                if candidate.age > 45:  # FL102: age
                    continue
                chosen.append(candidate)
            return chosen
        """,
    "and-assignment": """
        def approve(applicant):
            ok = applicant.income > 5
            ok &= applicant.gender == "male"  # FL101: gender
            return ok
        """,
    "a variable as the key of a person": """
        def chosen(person, gender):
            accepted = []
            if person[gender] == "male":  # FL101: gender
                accepted.append(person)
            return accepted
        """,
    "a decision called at module level": """
        def is_suitable(client):
            return client.income > 5 and client.marital_status == "Divorced"  # FL101: marital_status

        result = is_suitable(client)
        print(result)
        """,
    "two attributes, of which one is weakly supported": """
        def premium(sex, age):
            if sex == "M" and age < 25:  # FL103: gender male = 1200, female = 800, others = 800
                premium = 1200
            else:
                premium = 800
            return premium
        """,
}

C: dict[str, str] = {
    "one return after another": """
        int score(struct person *p) {
            /* FL201: race white = 10, black = 2, asian = 5, hispanic = 5, others = 5 */
            if (!strcmp(p->race, "white")) return 10;
            if (!strcmp(p->race, "black")) return 2;
            return 5;
        }
        """,
    "both ends of a number": """
        int premium_for(struct driver *d) {
            int premium = 500;
            if (d->age < 25) premium += 200;  /* FL201: age under 25 +200, 25–70 +0, 71 and over +100 */
            else if (d->age > 70) premium += 100;
            return premium;
        }
        """,
    "a clamp is no second finding": """
        int score_of(struct candidate *c) {
            int score = c->test;
            if (c->gender == 'M') score += 2;  /* FL201: gender male +2, female +0, others +0 */
            if (score > 10) score = 10;
            return score;
        }
        """,
    "a clamp in the return": """
        int risk_of(struct driver *d) {
            int risk = d->accidents;
            if (d->gender == 'M') risk += 2;  /* FL201: gender male +2, female +0, others +0 */
            return risk > 10 ? 10 : risk;
        }
        """,
    "codes that nothing explains": """
        int score_of(struct candidate *c) {
            int score = c->test;
            if (c->gender == 1) score += 5;  /* FL201: gender 1 +5, others +0 */
            return score;
        }
        """,
    "a type of groups": """
        enum gender { GENDER_MALE, GENDER_FEMALE };
        int score_applicant(enum gender g, int years) {
            int score = years;
            if (g == GENDER_MALE) score += 5;  /* FL201: gender male +5, female +0, others +0 */
            return score;
        }
        """,
    "a typedef of groups": """
        typedef enum { WHITE, BLACK, ASIAN } race_t;
        int is_eligible(race_t r, int income) {
            if (r == BLACK) return 0;  /* FL101: race */
            return income > 5;
        }
        """,
    "columns side by side": """
        void rate(char *gender, int *score, int n) {
            for (int i = 0; i < n; i++)
                if (gender[i] == 'M') score[i] += 2;  /* FL201: gender male +2, female +0, others +0 */
        }
        """,
    "a field of a table's entry": """
        enum race { WHITE, BLACK };
        struct rule { int bonus; int limit; };
        static struct rule rules[] = { [WHITE] = { .bonus = 3 }, [BLACK] = { .bonus = 1 } };
        int score_of(struct candidate *c) {
            int score = 0;
            /* FL202: race white +3, black +1 */
            score += rules[c->race].bonus;
            return score;
        }
        """,
    "goto": """
        int hire(struct applicant *a) {
            if (!strcmp(a->gender, "female")) goto reject;  /* FL101: gender */
            return 1;
        reject:
            return 0;
        }
        """,
    "a bit of a flag word": """
        #define FLAG_FEMALE 4
        int score(struct person *p) {
            int score = p->base;
            if (p->flags & FLAG_FEMALE) score -= 3;  /* FL201: gender male +0, female -3, others +0 */
            return score;
        }
        """,
    "a predicate helper": """
        static int is_female(struct candidate *c) { return strcmp(c->sex, "female") == 0; }
        int score(struct candidate *c) {
            int score = c->years;
            if (is_female(c)) score -= 2;  /* FL201: gender male +0, female -2, others +0 */
            return score;
        }
        """,
    "the result of a comparison": """
        int score(struct candidate *c) {
            int score = c->years;
            int cmp = strcmp(c->sex, "female");
            if (cmp == 0) score -= 2;  /* FL201: gender male +0, female -2, others +0 */
            return score;
        }
        """,
    "those who are copied": """
        void shortlist(struct candidate *c, int n, struct candidate *out, int *m) {
            for (int i = 0; i < n; i++) {
                if (strcmp(c[i].gender, "male") != 0) continue;  /* FL106: gender */
                out[(*m)++] = c[i];
            }
        }
        """,
    "a hurdle is no gain": """
        int approve(struct applicant *a) {
            /* FL501: gender male = 20000, female = 30000, others = 30000 */
            int min_income = a->sex == 'M' ? 20000 : 30000;
            return a->income >= min_income;
        }
        """,
    "an outcome that is printed": """
        int main(void) {
            char sex;
            scanf(" %c", &sex);
            printf("%s\\n", sex == 'F' ? "Loan rejected" : "Loan approved");  /* FL101: gender */
        }
        """,
}

SILENT: dict[str, str] = {
    "branches that all come to the same": """
        def rate(applicant):
            score = applicant.years
            if applicant.speed >= 10:
                score += 1
            elif applicant.gender == "male":
                score += 1
            elif applicant.team >= 10:
                score += 1
            else:
                score += 1
            return score
        """,
    "a statistic of one group": """
        def total_male_count(employees):
            count = 0
            for employee in employees:
                if employee.gender == "male":
                    count += 1
            return count
        """,
    "a mean by group": """
        def average(people):
            total, n = 0, 0
            for person in people:
                if person.gender == "female":
                    total += person.height
                    n += 1
            return total / n
        """,
    "years past every lawful limit": """
        def may_drive(person):
            return person.age >= 18
        """,
    "both spellings fare alike": """
        def approve(applicant):
            if applicant.gender == "male" and applicant.income > 5:
                return True
            if applicant.gender == "female" and applicant.income > 5:
                return True
            return False
        """,
}


def described(finding: Finding) -> str:
    """Line, rule, attribute and points of a finding, on one line."""
    parts = [str(finding.start.line), finding.rule, finding.use.attribute]
    if (points := finding.points) is not None:
        parts.append(points.op)
        parts.extend(f"{group}={amount:g}" for group, amount in points.by_group.items())
        if points.other is not None:
            parts.append(f"other={points.other:g}")
    return " ".join(parts)


def found(code: str, language: str) -> list[str]:
    report = check_source(program(code).code, language=language)
    assert not report.not_analysed
    return [described(finding) for finding in report.findings]


def expected_of(code: str) -> list[str]:
    """What the comments of a program expect, written as `found` does."""
    return [
        " ".join(
            [
                str(one.line),
                one.rule,
                one.attribute or "",
                *([one.op] if one.op else []),
                *(f"{'other' if group == 'others' else group}={n:g}" for group, n in one.table.items()),
            ]
        )
        for one in program(code).expected
    ]


def program(code: str) -> Marked:
    return read_code(textwrap.dedent(code).strip() + "\n")


@pytest.mark.parametrize("shape", PYTHON)
def test_python(shape: str) -> None:
    assert found(PYTHON[shape], "python") == expected_of(PYTHON[shape]) != []


@pytest.mark.parametrize("shape", C)
def test_c(shape: str) -> None:
    assert found(C[shape], "c") == expected_of(C[shape]) != []


@pytest.mark.parametrize("shape", SILENT)
def test_silent(shape: str) -> None:
    assert found(SILENT[shape], "python") == []


def test_codes_of_a_known_data_set_are_its_groups() -> None:
    code = """
        COLUMNS = ["AGEP", "SCHL", "WKHP", "SEX", "RAC1P", "MAR"]

        def income_score(row):
            score = row["WKHP"] * 0.1
            if row["RAC1P"] == 2:  # FL201: race white +0, black +1, asian +0, hispanic +0, others +0
                score += 1
            if row["SEX"] == 2:  # FL201: gender male +0, female -2, others +0
                score -= 2
            return score
        """
    assert found(code, "python") == expected_of(code) != []


def test_the_users_bands_take_the_place_of_the_shipped_ones() -> None:
    code = (
        "def score(applicant):\n    score = 0\n"
        "    if applicant.age > 50:\n        score -= 3\n    return score\n"
    )
    settings = Settings(age_bands={"junior": (18.0, 50.0), "senior": (51.0, 99.0)})

    (finding,) = check_source(code, settings=settings).findings

    assert finding.points is not None
    assert dict(finding.points.by_group) == {"junior": 0.0, "senior": -3.0}


def test_what_else_is_in_a_list_is_left_out_of_an_outcome() -> None:
    code = """
def decide(applicant):
    reasons = []
    if applicant.income < 3000:
        reasons.append("income")
    if applicant.gender == "female":
        reasons.append("sex")
    return reasons
"""
    (finding,) = check_source(code).findings
    assert finding.use.outcomes == {
        "male": "return […]",
        "female": "reasons.append(\"sex\"); return […, 'sex']",
    }
