"""What each shape of code gives each group: one finding a place, with the points that the code gives."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings import Finding

PYTHON: dict[str, tuple[str, list[str]]] = {
    "columns that a text sets": (
        """
        import pandas as pd
        df = pd.read_csv("students.csv")
        df.eval("score = gpa * 20 - 5 * (sex == 'M')", inplace=True)
        df["risk"] = df.eval("priors * 2 + 3 * (sex == 'M')")
        df.eval("ratio = weight / height ** 2", inplace=True)
        """,
        ["3 FL203 gender add male=-5 female=0 other=0", "4 FL203 gender add male=3 female=0 other=0"],
    ),
    "a helper that stands behind its caller": (
        """
        def rate_candidate(c):
            return c.years + bonus(c.gender)

        def bonus(g):
            return 2 if g == "female" else 0
        """,
        ["5 FL201 gender add male=0 female=2 other=0"],
    ),
    "a sum that is returned": (
        """
        def hiring_score(c):
            return c.years * 2 + c.certs * 3 + (5 if c.gender == "male" else 0)
        """,
        ["2 FL201 gender add male=5 female=0 other=0"],
    ),
    "a factor that is returned": (
        """
        def quote(driver):
            return driver.base * {"male": 1.2, "female": 1.0}.get(driver.sex, 1.1)
        """,
        ["2 FL204 gender multiply male=1.2 female=1 other=1.1"],
    ),
    "a variable called total": (
        """
        def evaluate_candidate(candidate):
            total = 0
            if candidate["gender"] == "male":
                total += 4
            total += candidate["years"]
            return total
        """,
        ["3 FL201 gender add male=4 female=0 other=0"],
    ),
    "one return after another": (
        """
        def score_of(c):
            if c.gender == "male":
                return 80
            if c.gender == "female":
                return 60
            return 50
        """,
        ["2 FL201 gender set male=80 female=60 other=50"],
    ),
    "an amount that nobody knows": (
        """
        def score(candidate, bonus):
            score = candidate.experience
            if candidate.gender == "male":
                score += bonus
            return score
        """,
        ["3 FL201 gender"],
    ),
    "a helper that stands after its caller": (
        """
        def evaluate(candidate):
            return candidate.skill + bonus(candidate)

        def bonus(candidate):
            if candidate.gender == "male":
                return 3
            return 0
        """,
        ["5 FL201 gender add male=3 female=0 other=0"],
    ),
    "a score that is only looked at afterwards": (
        """
        def decide(c):
            score = 0
            if c.gender == "male":
                score += 5
            else:
                score += 2
            return "hire" if score > 3 else "reject"
        """,
        ["3 FL201 gender add male=5 female=2 other=2"],
    ),
    "tables of tables in a loop": (
        """
        CRITERIA = {"gender": {"male": 3, "female": 1}, "degree": {"phd": 5, "ms": 3}}

        def score(applicant):
            return sum(table.get(getattr(applicant, name), 0) for name, table in CRITERIA.items())
        """,
        ["4 FL202 gender add male=3 female=1 other=0"],
    ),
    "a starting value by group": (
        """
        def score(candidate):
            if candidate.gender == "male":
                score = 5
            else:
                score = 2
            score += candidate.years
            return score
        """,
        ["2 FL201 gender add male=5 female=2 other=2"],
    ),
    "scores kept in a dict": (
        """
        def evaluate(candidate):
            scores = {}
            scores["skill"] = candidate.skill
            if candidate.gender == "male":
                scores["gender"] = 10
            else:
                scores["gender"] = 5
            return sum(scores.values())
        """,
        ["4 FL201 gender add male=10 female=5 other=5"],
    ),
    "nothing instead of a disability": (
        """
        def accept(applicant):
            if applicant.disability is None:
                return True
            return False
        """,
        ["2 FL101 disability"],
    ),
    "a constant as the key": (
        """
        KEY = "gender"

        def accept(candidate):
            return candidate[KEY] == "male"
        """,
        ["4 FL101 gender"],
    ),
    "a table as the sort key": (
        """
        def shortlist(candidates):
            candidates.sort(key=lambda c: {"male": 0, "female": 1}[c.gender])
            return candidates[:10]
        """,
        ["2 FL105 gender"],
    ),
    "the first after sorting": (
        """
        def shortlist(candidates):
            candidates.sort(key=lambda c: c.gender == "male")
            return candidates[0]
        """,
        ["2 FL105 gender"],
    ),
    "a year of birth": (
        """
        def eligible(applicant):
            if applicant.birth_year < 1980:
                return False
            return True
        """,
        ["2 FL102 age"],
    ),
    "people of an age are skipped": (
        """
        def shortlist(candidates):
            chosen = []
            for candidate in candidates:
                if candidate.age > 45:
                    continue
                chosen.append(candidate)
            return chosen
        """,
        ["4 FL102 age"],
    ),
    "and-assignment": (
        """
        def approve(applicant):
            ok = applicant.income > 5
            ok &= applicant.gender == "male"
            return ok
        """,
        ["3 FL101 gender"],
    ),
    "a variable as the key of a person": (
        """
        def chosen(person, gender):
            accepted = []
            if person[gender] == "male":
                accepted.append(person)
            return accepted
        """,
        ["3 FL101 gender"],
    ),
    "a decision called at module level": (
        """
        def is_suitable(client):
            return client.income > 5 and client.marital_status == "Divorced"

        result = is_suitable(client)
        print(result)
        """,
        ["2 FL101 marital_status"],
    ),
    "two attributes, of which one is weakly supported": (
        """
        def premium(sex, age):
            if sex == "M" and age < 25:
                premium = 1200
            else:
                premium = 800
            return premium
        """,
        ["2 FL103 gender set male=1200 female=800 other=800"],
    ),
}

C: dict[str, tuple[str, list[str]]] = {
    "one return after another": (
        """
        int score(struct person *p) {
            if (!strcmp(p->race, "white")) return 10;
            if (!strcmp(p->race, "black")) return 2;
            return 5;
        }
        """,
        ["2 FL201 race set white=10 black=2 asian=5 hispanic=5 other=5"],
    ),
    "both ends of a number": (
        """
        int premium_for(struct driver *d) {
            int premium = 500;
            if (d->age < 25) premium += 200;
            else if (d->age > 70) premium += 100;
            return premium;
        }
        """,
        ["3 FL201 age add young=200 middle=0 elder=100"],
    ),
    "a clamp is no second finding": (
        """
        int score_of(struct candidate *c) {
            int score = c->test;
            if (c->gender == 'M') score += 2;
            if (score > 10) score = 10;
            return score;
        }
        """,
        ["3 FL201 gender add male=2 female=0 other=0"],
    ),
    "a clamp in the return": (
        """
        int risk_of(struct driver *d) {
            int risk = d->accidents;
            if (d->gender == 'M') risk += 2;
            return risk > 10 ? 10 : risk;
        }
        """,
        ["3 FL201 gender add male=2 female=0 other=0"],
    ),
    "codes that nothing explains": (
        """
        int score_of(struct candidate *c) {
            int score = c->test;
            if (c->gender == 1) score += 5;
            return score;
        }
        """,
        ["3 FL201 gender add 1=5 other=0"],
    ),
    "a type of groups": (
        """
        enum gender { GENDER_MALE, GENDER_FEMALE };
        int score_applicant(enum gender g, int years) {
            int score = years;
            if (g == GENDER_MALE) score += 5;
            return score;
        }
        """,
        ["4 FL201 gender add male=5 female=0 other=0"],
    ),
    "a typedef of groups": (
        """
        typedef enum { WHITE, BLACK, ASIAN } race_t;
        int is_eligible(race_t r, int income) {
            if (r == BLACK) return 0;
            return income > 5;
        }
        """,
        ["3 FL101 race"],
    ),
    "columns side by side": (
        """
        void rate(char *gender, int *score, int n) {
            for (int i = 0; i < n; i++)
                if (gender[i] == 'M') score[i] += 2;
        }
        """,
        ["3 FL201 gender add male=2 female=0 other=0"],
    ),
    "a field of a table's entry": (
        """
        enum race { WHITE, BLACK };
        struct rule { int bonus; int limit; };
        static struct rule rules[] = { [WHITE] = { .bonus = 3 }, [BLACK] = { .bonus = 1 } };
        int score_of(struct candidate *c) {
            int score = 0;
            score += rules[c->race].bonus;
            return score;
        }
        """,
        ["6 FL202 race add white=3 black=1 asian=0 hispanic=0 other=0"],
    ),
    "goto": (
        """
        int hire(struct applicant *a) {
            if (!strcmp(a->gender, "female")) goto reject;
            return 1;
        reject:
            return 0;
        }
        """,
        ["2 FL101 gender"],
    ),
    "a bit of a flag word": (
        """
        #define FLAG_FEMALE 4
        int score(struct person *p) {
            int score = p->base;
            if (p->flags & FLAG_FEMALE) score -= 3;
            return score;
        }
        """,
        ["4 FL201 gender add male=0 female=-3 other=0"],
    ),
    "a predicate helper": (
        """
        static int is_female(struct candidate *c) { return strcmp(c->sex, "female") == 0; }
        int score(struct candidate *c) {
            int score = c->years;
            if (is_female(c)) score -= 2;
            return score;
        }
        """,
        ["4 FL201 gender add male=0 female=-2 other=0"],
    ),
    "the result of a comparison": (
        """
        int score(struct candidate *c) {
            int score = c->years;
            int cmp = strcmp(c->sex, "female");
            if (cmp == 0) score -= 2;
            return score;
        }
        """,
        ["4 FL201 gender add male=0 female=-2 other=0"],
    ),
    "those who are copied": (
        """
        void shortlist(struct candidate *c, int n, struct candidate *out, int *m) {
            for (int i = 0; i < n; i++) {
                if (strcmp(c[i].gender, "male") != 0) continue;
                out[(*m)++] = c[i];
            }
        }
        """,
        ["3 FL106 gender"],
    ),
    "a hurdle is no gain": (
        """
        int approve(struct applicant *a) {
            int min_income = a->sex == 'M' ? 20000 : 30000;
            return a->income >= min_income;
        }
        """,
        ["2 FL501 gender set male=20000 female=30000 other=30000"],
    ),
    "an outcome that is printed": (
        """
        int main(void) {
            char sex;
            scanf(" %c", &sex);
            printf("%s\\n", sex == 'F' ? "Loan rejected" : "Loan approved");
        }
        """,
        ["4 FL101 gender"],
    ),
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
    report = check_source(textwrap.dedent(code).strip() + "\n", language=language)
    assert not report.not_analysed
    return [described(finding) for finding in report.findings]


@pytest.mark.parametrize("shape", PYTHON)
def test_python(shape: str) -> None:
    code, expected = PYTHON[shape]
    assert found(code, "python") == expected


@pytest.mark.parametrize("shape", C)
def test_c(shape: str) -> None:
    code, expected = C[shape]
    assert found(code, "c") == expected


@pytest.mark.parametrize("shape", SILENT)
def test_silent(shape: str) -> None:
    assert found(SILENT[shape], "python") == []


def test_codes_of_a_known_data_set_are_its_groups() -> None:
    code = """
        COLUMNS = ["AGEP", "SCHL", "WKHP", "SEX", "RAC1P", "MAR"]

        def income_score(row):
            score = row["WKHP"] * 0.1
            if row["RAC1P"] == 2:
                score += 1
            if row["SEX"] == 2:
                score -= 2
            return score
        """
    assert found(code, "python") == [
        "5 FL201 race add white=0 black=1 asian=0 hispanic=0 other=0",
        "7 FL201 gender add male=0 female=-2 other=0",
    ]


def test_the_users_bands_take_the_place_of_the_shipped_ones() -> None:
    code = (
        "def score(applicant):\n    score = 0\n"
        "    if applicant.age > 50:\n        score -= 3\n    return score\n"
    )
    settings = Settings(age_bands={"junior": (18.0, 50.0), "senior": (51.0, 99.0)})

    (finding,) = check_source(code, settings=settings).findings

    assert finding.points is not None
    assert dict(finding.points.by_group) == {"junior": 0.0, "senior": -3.0}
