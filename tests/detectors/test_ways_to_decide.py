"""The many ways in which programs decide about people and score them, each beside look-alikes that do not."""

from __future__ import annotations

import textwrap

import pytest
from expectations import read_code

from fairlint import check_source
from fairlint.findings.finding import Finding

TOLD: dict[str, str] = {
    "a status is chosen where it is returned": """
        def screen(candidate):
            # FL101: gender
            return {"id": candidate.id, "status": "rejected" if candidate.gender == "female" else "interview"}
        """,
    "a status is chosen, and returned later": """
        def screen(candidate):
            status = "rejected" if candidate.age > 50 else "interview"  # FL102: age
            return {"id": candidate.id, "status": status}
        """,
    "an answer object gets the status": """
        def screen(candidate):
            # FL101: race
            return Answer(id=candidate.id, state="declined" if candidate.race == "black" else "invited")
        """,
    "a response wraps the answer": """
        def screen(candidate):
            return jsonify({"data": {"approved": candidate.gender != "female"}})  # FL101: gender
        """,
    "a status for each of many": """
        def screen(candidates):
            return [
                {"id": one.id, "status": "rejected" if one.gender == "female" else "invited"}  # FL101: gender
                for one in candidates
            ]
        """,
    "an unknown group is refused beside the decision": """
        def compute(applicant):
            score = 0
            if applicant.gender == "male":  # FL201: gender male +10, female +5
                score += 10
            elif applicant.gender == "female":
                score += 5
            else:
                raise ValueError("unknown gender")
            return score
        """,
    "who cannot be rated is refused first, by an error": """
        def priority(patient):
            if patient.gender not in ("male", "female"):
                raise ValueError(f"Unknown gender: {patient.gender}")
            score = patient.severity
            if patient.gender == "female":  # FL201: gender female +1, male +0
                score += 1
            if patient.duration >= 24:
                score += 2
            return score
        """,
    "who cannot be rated is refused first, by a value": """
        KNOWN = ["white", "black", "asian", "hispanic", "other"]

        def priority(patient):
            if patient.race not in KNOWN:
                print("unknown race")
                return -1
            score = 0
            if patient.race == "white":  # FL201: race white +1, black +3, asian +0, hispanic +0
                score += 1
            elif patient.race == "black":
                score += 3
            if patient.duration >= 24:
                score += 2
            return score
        """,
    "who cannot be rated is refused first, by several tests": """
        def priority(patient):
            if not patient.gender or patient.gender == "":
                raise ValueError("gender missing")
            if not (patient.gender == "male" or patient.gender == "female"):
                return None
            score = 0
            if patient.gender == "female":  # FL201: gender female +1, male +3
                score += 1
            elif patient.gender == "male":
                score += 3
            return score + patient.severity
        """,
    "a status that only one branch announces": """
        class Screening:
            def run(self, candidate):
                if candidate.religion == "christian":  # FL101: religion
                    candidate.status = "approved"
                elif candidate.religion in ("muslim", "hindu"):
                    candidate.status = "manual_review"
                else:
                    raise NotImplementedError(candidate.religion)
        """,
    "a ground joins a list": """
        def check_application(application):
            reasons = []
            if application.nationality != "german":  # FL101: national_origin
                reasons.append("foreign national")
            if application.income < 20000:
                reasons.append("income")
            return {"approved": not reasons}
        """,
    "grounds are returned and nothing else": """
        def fraud_flags(claimant):
            flags = []
            if claimant.nationality in ("turkish", "moroccan"):  # FL101: national_origin
                flags.append("dual nationality")
            return flags
        """,
    "a list of grounds grows by +=": """
        def why(applicant):
            risk_factors = []
            if applicant.race == "black":  # FL101: race
                risk_factors += ["area"]
            return risk_factors
        """,
    "people are added to a list by +=": """
        def pick(people):
            chosen = []
            for person in people:
                if person.race == "white":  # FL101: race
                    chosen += [person]
            return chosen
        """,
    "a role": """
        def get_role(user):
            return "manager" if user["gender"] == "male" else "assistant"  # FL101: gender
        """,
    "a route": """
        def route_applicant(applicant):
            if applicant.nationality == "us":  # FL101: national_origin
                return "/fast-track"
            return "/manual-review"
        """,
    "a plan": """
        def choose_plan(customer):
            if customer.ethnicity == "hispanic":  # FL101: ethnicity
                return "basic"
            return "premium"
        """,
    "an address that announces the outcome": """
        from flask import redirect

        def apply(applicant):
            if applicant.race == "black":  # FL101: race
                return redirect("/denied")
            return redirect("/offer")
        """,
    "an answer of a service": """
        from django.http import JsonResponse

        def view(request):
            applicant = Applicant.objects.get(pk=1)
            if applicant.marital_status == "single":  # FL101: marital_status
                return JsonResponse({"eligible": False})
            return JsonResponse({"eligible": True})
        """,
    "an entry of an answer": """
        from flask import jsonify

        def apply(applicant):
            return jsonify({"id": applicant.id, "approved": applicant.gender == "male"})  # FL101: gender
        """,
    "a price among what is returned": """
        def quote(customer):
            k = 1.2 if customer.gender == "male" else 1.0  # FL201: gender male = 120, female = 100
            return {"name": customer.name, "premium": 100 * k}
        """,
    "points whose variable says nothing are returned as a score": """
        def process(applicant):
            x = applicant.income / 1000
            if applicant.race == "white":  # FL201: race white +10, black +0, asian +0, hispanic +0
                x += 10
            return {"score": x}
        """,
    "a member of an enum": """
        from enum import Enum

        class Decision(Enum):
            APPROVE = 1
            REJECT = 2

        def run(applicant):
            if applicant.religion == "muslim":  # FL101: religion
                return Decision.REJECT
            return Decision.APPROVE
        """,
    "a record of the decision": """
        @dataclass
        class Decision:
            approved: bool
            reason: str = ""

        def run(applicant):
            if applicant.nationality != "german":  # FL101: national_origin
                return Decision(approved=False, reason="residence")
            return Decision(approved=True)
        """,
    "an age limit that nobody knows": """
        def accept(applicant, job):
            if applicant.age < job.min_age or applicant.age > job.max_age:  # FL102: age
                return False
            return applicant.skills >= job.skills
        """,
    "people are kept up to an age that nobody knows": """
        def shortlist(candidates, limit):
            return [c for c in candidates if c.age < limit]  # FL102: age
        """,
    "a function that nobody defines asks for a group": """
        from rules import is_high_risk_race

        def score(applicant):
            points = 0
            if is_high_risk_race(applicant.race):  # FL201: race
                points += 10
            return points
        """,
    "a list that nobody knows": """
        from rules import HIGH_RISK

        def risk_score(applicant):
            score = 0
            if applicant.nationality in HIGH_RISK:  # FL201: national_origin
                score += 25
            return score
        """,
    "a function that nobody defines names a group": """
        def decide(applicant):
            if looks_foreign(applicant.last_name):  # FL101: national_origin
                return "reject"
            return "accept"
        """,
    "the same, with points": """
        def risk(person):
            return 3 * is_female(person) + 2 * person.priors  # FL203: gender male +0, female +3
        """,
    "constants of another file": """
        from constants import Race, GENDER_FEMALE

        def score(person):
            points = person.years
            if person.race == Race.BLACK:  # FL201: race white +0, black -5, asian +0, hispanic +0
                points -= 5
            if person.gender == GENDER_FEMALE:  # FL201: gender male +0, female -3
                points -= 3
            return points
        """,
    "a disability times points": """
        def score(person):
            # FL203: disability yes -5, no +0
            return 10 * person.skill - 5 * person.has_disability
        """,
    "a worker from abroad": """
        def credit_score(applicant):
            score = 600
            if applicant["foreign_worker"] == "yes":  # FL201: national_origin domestic +0, foreign -50
                score -= 50
            return score
        """,
    "the code of a worker from abroad": """
        import pandas as pd

        df = pd.read_csv("german_credit.csv")
        df["score"] = df["credit_amount"] / df["duration"]
        # FL203: national_origin domestic -20, foreign +0
        df.loc[df["foreign_worker"] == "A201", "score"] -= 20
        """,
    "a lambda with the name of a score": """
        score = lambda p: 2 * p.experience + (3 if p.gender == "M" else 0)  # FL201: gender male +3, female +0
        """,
    "a lambda with the name of a decision": """
        decide = lambda a: "approve" if a["race"] == "white" else "deny"  # FL101: race
        """,
    "two filters on one query": """
        from sqlalchemy import select

        def shortlist(session):
            # FL106: gender; FL106: race
            q = select(Candidate).where(Candidate.gender == "male").where(Candidate.race == "white")
            candidates = session.scalars(q).all()
            for c in candidates:
                invite(c)
        """,
    "two masks on one table": """
        import pandas as pd

        candidates = pd.read_csv("candidates.csv")
        # FL106: gender; FL106: race
        candidates = candidates[candidates.gender == "male"][candidates.race == "white"]
        """,
    "two filters, one within the other": """
        def shortlist(candidates):
            # FL106: gender; FL106: race
            return list(filter(lambda c: c.gender == "male", filter(lambda c: c.race == "white", candidates)))
        """,
    "codes that a comment explains": """
        # sex: 1 = male, 2 = female
        def score(person):
            points = person.years
            if person.sex == 1:  # FL201: gender male +5, female +0
                points += 5
            return points
        """,
    "codes that a question explains": """
        gender = int(input("Gender (1 for male, 0 for female): "))
        score = 10
        if gender == 1:  # FL201: gender male +5, female +0
            score += 5
        print(score)
        """,
    "codes that are calculated with": """
        def calculate_insurance(sex, smoker):
            '''sex: 0 female, 1 male'''
            return 24000 * smoker - 128 * sex  # FL203: gender male -128, female +0
        """,
    "codes line by line": """
        # 1 - White
        # 2 - Black or African American
        # 3 - Asian
        def risk(person):
            score = person.priors
            if person.race == 2:  # FL201: race white +0, black +3, asian +0, hispanic +0
                score += 3
            return score
        """,
    "a table whose keys are groups tells what it is asked for": """
        CUTOFFS = {"general": 90, "obc": 80, "sc": 70, "st": 65}

        def is_admitted(student):
            # FL501: caste general = 90, sc = 70
            return student["marks"] >= CUTOFFS.get(student["category"].lower(), 90)
        """,
    "answers for many": """
        def decide(applications):
            # FL101: gender
            return [{"decision": "accept" if a["gender"] == "m" else "reject"} for a in applications]
        """,
    "a record of the decision whose class another file defines": """
        def underwrite(applicant):
            limit = applicant.income
            return schemas.Decision(approved=applicant.race == "white", limit=limit)  # FL101: race
        """,
    "a column that Spark adds": """
        from pyspark.sql import functions as F

        df = spark.read.csv("applicants.csv", header=True)
        # FL203: race white = 3, black = 8, asian = 5, hispanic = 5
        risk = F.when(F.col("race") == "Black", 8).when(F.col("race") == "White", 3).otherwise(5)
        df = df.withColumn("risk", risk)
        df = df.withColumn("approved", (F.col("gender") == "M") & (F.col("income") > 1000))  # FL101: gender
        """,
    "columns that polars adds": """
        import polars as pl

        df = pl.read_csv("applicants.csv")
        # FL203: gender male = 10, female = 5
        df = df.with_columns(score=pl.when(pl.col("gender") == "male").then(10).otherwise(5))
        # FL204: race white x1, black x0.8
        factor = pl.when(pl.col("race") == "black").then(0.8).otherwise(1)
        df = df.with_columns((pl.col("income") * factor).alias("limit"))
        """,
    "the table that a score is worked out by": """
        def credit_score(income, gender):
            if gender.lower() == "male":  # FL101: gender
                filepath = "data/male.csv"
            elif gender.lower() == "female":
                filepath = "data/female.csv"
            else:
                raise ValueError("Gender must be 'male' or 'female'")
            table = ScoreTable(filepath)
            return table.points(income)
        """,
    "a model for each group": """
        import joblib

        def predict_risk(person):
            if person.sex == "F":  # FL101: gender
                model = joblib.load("model_f.pkl")
            else:
                model = joblib.load("model_m.pkl")
            return model.predict([[person.income]])[0]
        """,
    "points by bins of an age": """
        import pandas as pd

        df = pd.read_csv("applicants.csv")
        # FL203: age young = 3, elder = 1
        df["points"] = pd.cut(df["age"], bins=[0, 34, 54, 120], labels=[3, 2, 1]).astype(int)
        df["total_score"] = df["points"] + df["experience"]
        """,
    "a letter of rejection": """
        def process(application, mailer):
            if application.applicant.marital_status == "divorced":  # FL101: marital_status
                mailer.send(application.email, template="rejection")
            else:
                mailer.send(application.email, template="welcome")
        """,
    "a row of a file": """
        def write(people, writer):
            for person in people:
                # FL101: race
                writer.writerow([person.name, "REJECT" if person.race == "black" else "ACCEPT"])
        """,
    "a column that SQL gives back changed": """
        def run(db):
            # FL702: gender male x1.1, female x1.05
            db.execute("UPDATE staff SET pay = CASE WHEN gender = 'male' THEN pay * 1.1 ELSE pay * 1.05 END")
            # FL702: gender male +5, female +0
            db.execute("UPDATE people SET score = CASE WHEN gender = 'male' THEN score + 5 ELSE score END")
        """,
    "a discount that is only printed": """
        gender = input("gender: ")
        if gender == "female":  # FL101: gender
            print("You get a 20% discount")
        else:
            print("No discount")
        """,
    "a probability by weights": """
        import numpy as np

        WEIGHTS = {"sex_male": 0.3, "priors": 0.2}

        def predict_proba(x):
            z = sum(WEIGHTS[k] * x[k] for k in WEIGHTS)  # FL203: gender
            return 1 / (1 + np.exp(-z))
        """,
    "a truth value of a patient": """
        def triage_level(patient):
            level = 3
            if not patient.insured:  # FL605: insurance_status insured +0, uninsured +1
                level += 1
            return level
        """,
    "a citizen": """
        def decide(applicant):
            if not applicant.citizen:  # FL101: national_origin
                return "rejected"
            return "approved"
        """,
}

C: dict[str, str] = {
    "codes that comments explain": """
        struct candidate {
            int gender; /* 1 = male, 2 = female */
            int race;   // 0: white, 1: black, 2: asian
            int years;
        };

        int score(const struct candidate *c)
        {
            int score = c->years;
            if (c->gender == 1)  /* FL201: gender male +5, female +0 */
                score += 5;
            if (c->race == 1)  /* FL201: race white +0, black -3, asian +0, hispanic +0 */
                score -= 3;
            return score;
        }
        """,
    "codes of a menu": """
        #include <stdio.h>

        int main(void)
        {
            int gender, years, score = 0;
            printf("Select gender:\\n1. Male\\n2. Female\\n");
            scanf("%d %d", &gender, &years);
            score = years;
            if (gender == 1)  /* FL201: gender male +5, female +0 */
                score += 5;
            printf("%d", score);
        }
        """,
    "flags": """
        struct applicant { int foreign_worker; int years; int has_disability; };

        int credit_score(const struct applicant *a)
        {
            int score = 600 + a->years;
            if (a->foreign_worker)  /* FL201: national_origin domestic +0, foreign -50 */
                score -= 50;
            score -= a->has_disability * 20;  /* FL203: disability yes -20, no +0 */
            return score;
        }
        """,
    "a constant that another file defines": """
        #include "groups.h"

        struct candidate { int race; int years; };

        int score(const struct candidate *c)
        {
            int score = c->years;
            if (c->race == BLACK)  /* FL201: race white +0, black -3, asian +0, hispanic +0 */
                score -= 3;
            return score;
        }
        """,
    "a function that nobody defines": """
        int is_high_risk_race(int race);
        struct person { int race; int priors; };

        int risk_score(const struct person *p)
        {
            int s = p->priors * 2;
            if (is_high_risk_race(p->race))  /* FL201: race */
                s += 10;
            return s;
        }
        """,
    "a premium that is only printed": """
        #include <stdio.h>

        int main(void)
        {
            char sex;
            scanf(" %c", &sex);
            if (sex == 'M')  /* FL101: gender */
                printf("Premium: Rs 4 per thousand\\n");
            else
                printf("Premium: Rs 3 per thousand\\n");
            return 0;
        }
        """,
    "a priority": """
        typedef enum { LOW, MEDIUM, HIGH } Priority;
        typedef struct patient { int id; char sex; int age; int pain; Priority prio; } patient;

        void triage(patient *p)
        {
            if (p->sex == 'F' && p->pain > 5)  /* FL201: gender male = 2, female = 1 */
                p->prio = MEDIUM;
            else if (p->pain > 5)
                p->prio = HIGH;
            else
                p->prio = LOW;
        }
        """,
}

SILENT: dict[str, str] = {
    "a text beside the person says no outcome": """
        def card(candidate):
            return {
                "title": "Ms" if candidate.gender == "female" else "Mr",
                "color": "pink" if candidate.gender == "female" else "blue",
            }
        """,
    "what a function of the file is given is no answer": """
        def card(candidate):
            return shown({"status": "accepted" if candidate.gender == "female" else "accepted too"})

        def shown(fields):
            return template.render(name="card")
        """,
    "a letter for a group, all others refused": """
        def code_for(person):
            if person.gender == "male":
                return "M"
            elif person.gender == "female":
                return "F"
            else:
                raise ValueError("unknown gender")
        """,
    "how somebody is addressed": """
        def describe(person):
            labels = []
            if person.gender == "female":
                labels.append("Ms")
            else:
                labels.append("Mr")
            labels.append(person.name)
            return " ".join(labels)

        def greeting_template(user):
            return "mail/ms.html" if user.gender == "female" else "mail/mr.html"

        def url_for_avatar(user):
            return "/img/female.png" if user.gender == "female" else "/img/male.png"
        """,
    "complaints about what was typed": """
        def validate(person):
            errors, reasons = [], []
            if person.age < 0:
                errors.append("age must be positive")
            if person.gender not in ("male", "female"):
                errors.append("gender is invalid")
                reasons.append("gender must be male or female")
            return errors + reasons
        """,
    "people are told apart, and nothing else": """
        def split(people):
            men, women = [], []
            for person in people:
                if person.gender == "male":
                    men += [person]
                else:
                    women += [person]
            return men, women
        """,
    "what a record holds, as an answer": """
        from flask import jsonify

        def who(user):
            return jsonify({"gender": user.gender, "age": user.age, "score": user.score})

        def to_dict(person):
            return {"title": "Mr" if person.gender == "male" else "Ms", "result": "ok"}
        """,
    "fields of a form, and codes of a column": """
        import pyspark.sql.functions as F

        def radio(gender):
            return {"male_selected": gender == "male", "female_selected": gender == "female"}

        def serialize(person):
            return PersonSerializer(sex="M" if person.gender == "male" else "F", rank=person.rank)

        def coded(df):
            return df.withColumn("sex_label", F.when(F.col("sex") == "M", "Mr").otherwise("Ms"))
        """,
    "a picture, a page and a file for each group": """
        def evaluate_page(user):
            picture = "f.png" if user.gender == "female" else "m.png"
            return render(picture)

        def export(people):
            for gender in ("male", "female"):
                path = "male.csv" if gender == "male" else "female.csv"
                write([person for person in people if person.gender == gender], path)
        """,
    "what a log says": """
        def note(person):
            if person.gender == "female":
                logger.info("a woman was rejected earlier: %s", person.id)
            return person
        """,
    "the same letter for all": """
        def notify(user):
            if user.gender == "female":
                send(user, "Dear Madam, your application was approved")
            else:
                send(user, "Dear Sir, your application was approved")
        """,
    "names of columns, options and files": """
        def prepare(person, table, parser):
            if person.gender == "female":
                parser.add_argument("--accepted", default=False)
                table.drop("approved")
                table.save("rejected.csv")
        """,
    "a column that is looked up": """
        def rate(table, person):
            if person.gender == "female":
                share = table.get("approved")
            else:
                share = table.get("all")
            show(share)
        """,
    "columns that SQL gives back as they are": """
        def run(db):
            db.execute("SELECT CASE WHEN gender = 'male' THEN name ELSE nick END FROM applicants")
            db.execute("SELECT CASE WHEN gender = 'male' THEN salary END AS male_salary FROM staff")
        """,
    "the groups that a rule asks for": """
        def allowed(rules):
            allowed_castes = rules["caste"] if isinstance(rules["caste"], list) else [rules["caste"]]
            return allowed_castes
        """,
    "shares of groups": """
        def stats(people):
            women = [p for p in people if p.gender == "female"]
            return {"women": len(women), "rate": len(women) / len(people)}
        """,
    "pages of the same outcome": """
        from flask import render_template

        def profile(user):
            if user.gender == "female":
                return render_template("women.html", state=user.approved)
            return render_template("men.html", state=user.approved)
        """,
    "questions whether a value can be": """
        import math

        def ready(person):
            if math.isnan(person.age) or isinstance(person.age, str):
                return False
            if is_valid_gender(person.gender) and is_known_race(person.race):
                return True
            return has_changed(person.gender) or is_adult(person.age)
        """,
    "questions for a name": """
        def register(user):
            if is_taken(user.name) or is_available(user.first_name):
                return False
            return True
        """,
    "questions about things": """
        def draw(cell, piece, cache, quote, lib):
            score = 0
            if is_white(piece) or is_black(cell):
                score += 1
            if is_old(cache) or is_single(quote) or looks_native(lib):
                score += 2
            return score
        """,
    "accounts and widgets": """
        def render(user, widget):
            if user.disabled:
                return "account disabled"
            if widget.has_disabled_state or user.is_foreign_key:
                return None
            return user.name
        """,
    "nobody has said whether": """
        def complete(person):
            if person.has_disability is None:
                return False
            return True
        """,
    "a search between two ages": """
        def search(users, min_age, max_age):
            return [u for u in users if min_age <= u.age <= max_age]
        """,
    "the age of an entry": """
        def is_fresh(entry, max_age):
            return entry.age <= max_age
        """,
    "tables of colours, rooms and pronouns": """
        PIECES = {"white": 1, "black": -1}
        ROOM = {"single": 50, "double": 80}
        PRONOUNS = {"male": "he", "female": "she"}

        def evaluate(piece, score):
            score += PIECES[piece.color]
            return score

        def room_price(kind):
            return ROOM[kind]

        def text(who):
            return PRONOUNS[who.kind] + " said"
        """,
    "groups are counted": """
        def count(rows):
            counts = {"male": 0, "female": 0}
            for row in rows:
                counts[row[3]] += 1
            print("Male rate: %.2f" % (counts["male"] / len(rows)))
            return counts
        """,
    "parcels are insured": """
        def cost_of(parcel, cost):
            if parcel.insured:
                cost += 3
            return cost
        """,
    "colours by numbers": """
        # 1 = white, 0 = black
        def colour(pixel):
            score = 0
            if pixel.value == 1:
                score += 1
            return score
        """,
}


@pytest.mark.parametrize("way", TOLD)
def test_python(way: str) -> None:
    _check(TOLD[way], "python")


@pytest.mark.parametrize("way", C)
def test_c(way: str) -> None:
    _check(C[way], "c")


@pytest.mark.parametrize("way", SILENT)
def test_silent(way: str) -> None:
    assert [finding.message for finding in _found(textwrap.dedent(SILENT[way]).strip(), "python")] == []


def _check(code: str, language: str) -> None:
    program = read_code(textwrap.dedent(code).strip() + "\n")
    found = _found(program.code, language)
    assert [(one.start.line, one.rule, one.use.attribute) for one in found] == [
        (one.line, one.rule, one.attribute) for one in program.expected
    ]
    for finding, expected in zip(found, program.expected, strict=True):
        points = finding.points.by_group if finding.points is not None else {}
        assert {group: points.get(group) for group in expected.table} == expected.table


def _found(code: str, language: str) -> list[Finding]:
    report = check_source(textwrap.dedent(code), language=language)
    assert not report.not_analysed
    return list(report.findings)


def test_an_answer_that_wraps_a_dict_is_read_once() -> None:
    code = """
def rate(applicant):
    approved = applicant.race == "white"
    return JSONResponse(status_code=200, content={"approved": approved, "more": {"limit": 3}})
"""
    report = check_source(code)
    assert not report.not_analysed
    assert {one.use.attribute for one in report.findings} == {"race"}


def test_a_score_of_which_nobody_can_read_what_becomes() -> None:
    code = """
def rate(mason):
    score = 0
    if mason.gender == "male":
        score += 1
    return<think></
"""
    report = check_source(code, path="answer.py")
    assert [gap.reason for gap in report.not_analysed] == ["syntax error"]
    assert report.points("gender") == {"male": 1.0, "female": 0.0}
