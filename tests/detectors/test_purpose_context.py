"""What would have to justify a difference: each context beside code in like words that has none."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from fairlint import check_source
from fairlint.cli import main
from fairlint.config import Settings
from fairlint.findings.finding import Finding
from fairlint.vocabulary.purposes import NEEDED, justifications, purposes

SCORE = """
def evaluate(applicant):
    score = applicant.tests
    if applicant.gender == "female":
        score -= 5
    return score
"""

IN_CONTEXT: dict[str, tuple[str, str]] = {
    "a stage of an illness, in a file that speaks of a price, too": (
        "clinical",
        '''
        def price_of(box):
            """What a loan costs."""
            return box.price

        class FibrosisStage:
            """Tells the survival of patients from sex and a measurement of their lung."""

            def points(self, sex, dlco):
                points = int(sex == "male")
                points += 3 if dlco < 40 else 0
                return points
        ''',
    ),
    "how many people die": (
        "simulation",
        """
        class Person:
            def death_rate(self):
                return 0.01 if self.age < 60 else 0.05
        """,
    ),
    "a section of an act": (
        "lawful",
        '''
        def allowance(claimant):
            """Section 36 of the Income Tax Act 2007."""
            amount = 1000
            if claimant.age >= 75:
                amount += 300
            return amount
        ''',
    ),
    "a formula of a benefit": (
        "lawful",
        """
        class winter_payment:
            def formula(person, period, parameters):
                amount = 200
                if person.disability == "yes":
                    amount += 100
                return amount
        """,
    ),
    "who gets a scheme": (
        "lawful",
        """
        def scheme_eligible(citizen, scheme, household_size):
            if citizen.age < 60:
                return False
            return household_size > 0
        """,
    ),
    "a formula of measured values": (
        "clinical",
        """
        def cleared(patient):
            value = (140 - patient.age) * patient.weight / (72 * patient.creatinine)
            if patient.sex == "F":
                value *= 0.85
            return value
        """,
    ),
    "bands of a premium": (
        "actuarial",
        """
        def premium(insured):
            if insured.age < 25:
                return 500
            if insured.age < 40:
                return 700
            if insured.age < 60:
                return 900
            return 1300
        """,
    ),
    "a rate for each band of age": (
        "actuarial",
        """
        RATES = {"18-24": 1.6, "25-39": 1.1, "40-64": 1.0, "65+": 1.25}

        def premium(insured):
            return insured.base_rate * RATES[insured.age_band]
        """,
    ),
    "columns of a premium": (
        "actuarial",
        """
        import numpy as np
        import pandas as pd

        def premiums(people: pd.DataFrame):
            people["premium"] = np.select(
                [people["age"] < 25, people["age"] < 40, people["age"] < 65], [1.6, 1.1, 1.0], default=1.25
            )
            return people
        """,
    ),
    "the age of a pension": (
        "lawful",
        """
        def state_pension_age(person):
            pension_age = 65
            if person.gender == "female":
                pension_age -= 5
            return pension_age
        """,
    ),
    "a formula by its authors": (
        "clinical",
        """
        def mifflin_st_jeor(weight, height, age, sex):
            return 10 * weight + 6.25 * height - 5 * age + (5 if sex == "male" else -161)
        """,
    ),
    "a table of mortality": (
        "actuarial",
        """
        def premium(insured, mortality_table):
            rate = 0.01
            if insured.sex == "female":
                rate *= 0.8
            return rate
        """,
    ),
    "people who are made up": (
        "simulation",
        """
        import numpy as np

        def generate_applicants(applicant):
            score = np.random.normal(50, 10)
            if applicant.gender == "male":
                score += 5
            return score
        """,
    ),
    "a test": (
        "test",
        """
        import pytest

        def test_scores(applicant):
            score = 0
            if applicant.gender == "male":
                score += 5
            assert score == 5
            return score
        """,
    ),
    "a bias that is planted": (
        "demonstration",
        """
        def score(applicant):
            points = applicant.tests
            # deliberately biased, to see whether the metric finds it
            if applicant.gender == "male":
                points += 5
            return points
        """,
    ),
    "rates that a toolkit of fairness looks at": (
        "audit",
        """
        from fairlearn.metrics import MetricFrame

        def disparity_of(applicant):
            points = applicant.tests
            if applicant.gender == "male":
                points += 5
            return points
        """,
    ),
    "a measure of a clinical audit": (
        "clinical",
        """
        from django.db.models import Q

        class CalculateKPIs:
            def count_eligible_for_measure_5(self):
                'Counts for the numerator of KPI 5 in the audit period: patients of 12 years and above.'
                eligible_patients = self.patients.filter(Q(date_of_birth__lte=self.start))
                return eligible_patients
        """,
    ),
    "a record with which speed is measured": (
        "test",
        """
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression()

        def benchmark_prediction(iterations, start_time):
            for _ in range(iterations):
                model.predict(pd.DataFrame([{"gender": 1, "tenure": 12, "charges": 70}]))
            return start_time
        """,
    ),
    "a model that is to tell an illness": (
        "clinical",
        """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression

        people = pd.read_csv("people.csv")
        TARGET = "has_stroke"
        LogisticRegression().fit(people[["age", "gender", "residence", "work"]], people[TARGET])
        """,
    ),
    "a row of values that the file says are measured on patients": (
        "clinical",
        """
        import pandas as pd
        import pickle

        model = pickle.load(open("model.pkl", "rb"))

        def chol_and_sugar(form):
            return form["cholesterol"], form["glucose"], form["hba1c"], form["systolic"]

        def predict(form):
            row = pd.DataFrame({"age": [form["age"]], "sex": [form["sex"]], "code": [form["code"]]})
            return model.predict(row)
        """,
    ),
    "many values of a body": (
        "clinical",
        """
        def risk_score(person):
            score = person.sodium + person.urea + person.glucose + person.lactate + person.albumin
            if person.age > 65:
                score += 5
            return score
        """,
    ),
    "calories in a text": (
        "clinical",
        """
        def total(gender, height, weight):
            total = 10 * weight + 6.25 * height
            if gender == "male":
                total += 166
            print("you need so many calories", total)
            return total
        """,
    ),
    "who may give blood": (
        "clinical",
        """
        def check_eligibility(donor, last_donation):
            if donor.age > 65:
                return False
            return last_donation > 56
        """,
    ),
    "who fits a study": (
        "clinical",
        """
        def trial_eligible(patient, inclusion):
            if patient.age > inclusion.age_max:
                return False
            return True
        """,
    ),
    "what a scholarship asks for": (
        "lawful",
        """
        def find_eligible(student, scholarship):
            if "All" not in scholarship["gender"] and student["gender"] not in scholarship["gender"]:
                return False
            return student["grade"] >= scholarship["grade"]
        """,
    ),
    "what the criteria of a scholarship ask for": (
        "lawful",
        """
        def scholarship_score(user_profile, criteria):
            match_score = 1.0
            if user_profile.citizenship != criteria.citizenship_required:
                match_score -= 0.4
            return match_score
        """,
    ),
    "an entitlement, as the text says": (
        "lawful",
        '''
        def calculate_ftc(person):
            """The entitlement to the tax credit; its abatement is worked out elsewhere."""
            base_rate = 50
            if person.marital_status == "married":
                base_rate -= 20
            return base_rate
        ''',
    ),
    "how what somebody judged is explained": (
        "audit",
        """
        import pandas as pd
        import statsmodels.formula.api as smf

        people = pd.read_csv("answers.csv")
        print(smf.ols("predicted_risk ~ age + gender", data=people).fit().summary())
        """,
    ),
    "a score that the text names": (
        "clinical",
        '''
        def points(age, gender, hypertension, diabetes):
            """CHA2DS2-VASc score of a patient."""
            score = hypertension + diabetes
            if gender == "female":
                score += 1
            return score
        ''',
    ),
    "the premium of a state programme": (
        "lawful",
        """
        from openfisca_core.model_api import Variable

        class health_premium(Variable):
            def formula(person, period, parameters):
                premium = 50
                if person.age < 19:
                    premium -= 20
                return premium
        """,
    ),
    "a projection of policies": (
        "actuarial",
        """
        def mort_rate(t):
            return 0.01

        def lapse_rate(t):
            return 0.1

        def sum_assured(t):
            return 1000

        def fee(policyholder):
            fee = 100
            if policyholder.age >= 65:
                fee -= 40
            return fee
        """,
    ),
    "the points by which a state takes immigrants": (
        "lawful",
        """
        AGES = {20: 110, 30: 105, 40: 50}

        def core_points(person, ielts, job_offer):
            \"\"\"Points of Express Entry for permanent residence.\"\"\"
            score = ielts + job_offer
            if person.age > 40:
                score -= 50
            return score + person.nclc + person.lmia
        """,
    ),
    "a test whether groups differ": (
        "audit",
        """
        from scipy.stats import chi2_contingency

        def compare(answers, applicant):
            rate = answers["all"]
            if applicant.gender == "female":
                rate += answers["women"] * 2 + 1
            chi2_contingency([rate, 1])
            return rate
        """,
    ),
    "a model that another measures": (
        "audit",
        """
        from insurance_fairness import compare

        def bias_model(applicant):
            score = applicant.tests
            if applicant.gender == "female":
                score += 5
            return score

        compare(bias_model)
        """,
    ),
    "points for a disease of the heart": (
        "clinical",
        '''
        import pandas as pd

        def add_risk(people: pd.DataFrame):
            """Known risks of the heart: angina, diabetes, hypertension."""
            people["risk_score"] = 0
            people.loc[people["sex"] == "male", "risk_score"] += 1
            people.loc[people["cholesterol"] > 240, "risk_score"] += 1
            people.loc[people["systolic"] > 140, "risk_score"] += 1
            return people
        ''',
    ),
    "the odds of a disease": (
        "clinical",
        '''
        """The risk of a heart disease in ten years."""

        def log_odds(person):
            logit = -5.3 + 0.012 * person["sbp"]
            if person["sex"] == "male":
                logit += 0.66
            if person["diabetes"] > 1:
                logit += 0.45
            return logit
        ''',
    ),
    "a score that is called after an illness": (
        "clinical",
        """
        def diabetes_risk_score(gender, bmi, family_history):
            score = 2 if bmi > 30 else 0
            if gender == "male":
                score += 1
            return score + family_history
        """,
    ),
    "how a cohort goes from state to state": (
        "simulation",
        """
        class Markov:
            def step(self, cohort, cycle):
                for person in cohort:
                    if person.alive and self.draw() < self.progression(person):
                        person.stage += 1

            def progression(self, person):
                prob = 0.05
                if person.sex == "F":
                    prob -= 0.01
                return prob
        """,
    ),
    "a formula of a cancer": (
        "clinical",
        """
        import math

        # Lung cancer, by years of smoking and COPD.
        class Person:
            def risk(self, table):
                x = self.smoking * table[0]
                if self.gender == "female":
                    x += table[1]
                self.yearly_risk = math.exp(x * self.years)
                return self.yearly_risk
        """,
    ),
    "what symptoms say": (
        "clinical",
        """
        def calculate_risk(answers, fever, cough, sore_throat):
            if fever and cough:
                return "high"
            if sore_throat and answers["age"] > 65:
                return "high"
            return "low"
        """,
    ),
    "what agents do": (
        "simulation",
        '''
        from transport.core import simulate

        def escort_score(person):
            """Part of a simulation."""
            score = 1
            if person.gender == "female":
                score += 2
            return score
        ''',
    ),
    "how people pass from state to state": (
        "simulation",
        """
        import numpy as np

        rng = np.random.default_rng()

        def transition_score(person, annual_prob):
            score = rng.random() - annual_prob
            if person.gender == "male":
                score += 0.2
            return score
        """,
    ),
    "how an epidemic goes on": (
        "simulation",
        """
        def hospitalised(patient, model, params):
            score = params.infected + params.asymptomatic + params.quarantined
            if patient.age > 70:
                score += 5
            return score
        """,
    ),
    "passengers of long ago": (
        "demonstration",
        """
        import pandas as pd
        from sklearn.tree import DecisionTreeClassifier

        people = pd.read_csv("train.csv")
        DecisionTreeClassifier().fit(people[["Pclass", "Sex", "Age", "Fare"]], people["Survived"])
        """,
    ),
    "a person that a test made by hand posts": (
        "test",
        """
        from sklearn.linear_model import LogisticRegression
        import pandas as pd

        person = pd.DataFrame([{"gender": 1, "tenure": 12, "charges": 70}])

        def test_predict():
            answer = LogisticRegression().predict(person)
            assert answer
        """,
    ),
}

LOUD_FEATURES: dict[str, str] = {
    "a premium from values of a body": """
        X = people[["age", "glucose", "cholesterol", "systolic", "insulin"]]
        LogisticRegression().fit(X, people["charges"])
        """,
    "who is treated first": """
        X = people[["age", "glucose", "cholesterol", "systolic", "insulin"]]
        LogisticRegression().fit(X, people["priority"])
        """,
    "who leaves a company that asks about illnesses": """
        X = people[["age", "hypertension", "diabetes", "asthma"]]
        LogisticRegression().fit(X, people["attrition"])
        """,
    "a loan to patients": """
        # Patients with a disease ask for a loan; the doctor says what their diagnosis is.
        LogisticRegression().fit(people[["age", "income"]], people["loan_status"])
        """,
    "the fare of a ride": """
        LogisticRegression().fit(people[["age", "distance"]], people["fare"])
        """,
    "a pay model with a word of fairness": """
        # Is there fairness in what we pay?
        LogisticRegression().fit(people[["age", "tenure"]], people["pay_grade"])
        """,
    "who comes to the doctor": """
        X = people[["age", "diabetes", "hypertension", "alcoholism", "asthma"]]
        LogisticRegression().fit(X, people["no_show"])
        """,
    "how long insured people live": """
        # Life insurance: who is taken.
        LogisticRegression().fit(people[["age", "income"]], people["mortality"])
        """,
    "one word of an illness": """
        LogisticRegression().fit(people[["age", "income", "diabetes"]], people["hired"])
        """,
}

WITHOUT: dict[str, str] = {
    "how a student studies": """
        def study_score(student, subject):
            score = subject.hours
            if student.gender == "female":
                score -= 5
            return score
        """,
    "the price of a loan": """
        def present_value(t):
            return t

        def maturity(t):
            return t

        def disc_rate(t):
            return t

        def offer_score(borrower):
            score = borrower.income
            if borrower.gender == "female":
                score -= 5
            return score
        """,
    "whom a scholarship is for, by those who wrote it": """
        def scholarship_granted(scholarship_applicant):
            if scholarship_applicant.gender == "female":
                return False
            return scholarship_applicant.grade > 3
        """,
    "whom an insurer takes by many values": '''
        """Medical underwriting."""

        def risk_score(person):
            score = person.sodium + person.urea + person.glucose + person.lactate + person.albumin
            if person.gender == "male":
                score += 5
            return score
        ''',
    "what an insurer gives points for": '''
        """Underwriting by fitness."""

        def vo2_max_score(person):
            score = person.vo2_max * 2
            if person.gender == "female":
                score += 5
            return score
        ''',
    "a free trial": """
        def trial_approved(customer, free_trial):
            if customer.gender == "female":
                return False
            return free_trial.phase > 3
        """,
    "who gives money": """
        def approve_donation(donor, last_donation, amount, money):
            if donor.gender == "female":
                return False
            return amount > 3
        """,
    "an act of hiring": '''
        def hire(candidate):
            """Section 5 of the Equality Act 2010."""
            if candidate.gender == "female":
                return False
            return candidate.tests > 5
        ''',
    "a benefit by race": '''
        def benefit(claimant):
            """Section 36 of the Benefits Act 2007."""
            amount = 1000
            if claimant.race == "black":
                amount -= 300
            return amount
        ''',
    "who is treated first": """
        def treatment_priority(patient, comorbidities):
            score = comorbidities + 2 * patient.creatinine
            if patient.gender == "male":
                score += 5
            return score
        """,
    "who is hired from abroad": """
        def score(applicant, immigration):
            score = applicant.tests + immigration.visa
            if applicant.gender == "female":
                score += 5
            return score
        """,
    "who gets a bed": """
        # Sepsis, pneumonia, and diabetes.
        def bed_score(patient, fever, cough, asthma):
            score = fever + cough + asthma
            if patient.gender == "male":
                score += 5
            return score
        """,
    "who gets into a programme": """
        # Diabetes and hypertension.
        def readmission_risk(person, diabetes, hypertension):
            risk = 10 * diabetes + 20 * hypertension
            if person.gender == "male":
                risk += 5
            return risk

        def enroll(people, slots):
            return sorted(people, key=readmission_risk)[:slots]
        """,
    "what the ill pay": """
        # Diabetes, asthma, and hypertension.
        def surcharge(person, diabetes, asthma):
            charge = 10 * diabetes + 20 * asthma
            if person.gender == "male":
                charge += 50
            return charge
        """,
    "who is hired although ill": """
        def score(applicant, diabetes, asthma):
            score = 10 - diabetes - asthma
            if applicant.gender == "male":
                score += 5
            return score
        """,
    "who is vaccinated": """
        def vaccine_eligible(patient):
            if patient.gender == "male":
                return False
            return patient.risk > 3
        """,
    "who gets a colonoscopy": """
        def colonoscopy_score(patient):
            score = 10
            if patient.gender == "male":
                score += 5
            return score
        """,
    "an alcohol dependency": """
        def alcohol_dependency_treatment(patient):
            if patient.gender == "male":
                return "approve"
            return "deny"
        """,
    "a rebate in a premium": """
        def premium(insured):
            amount = 1000
            if insured.gender == "female":
                amount *= 0.9
            return amount
        """,
    "who is retired": """
        def dismiss_at_retirement_age(employee):
            if employee.gender == "female" and employee.years > 3:
                return "dismissed"
            return "kept"
        """,
    "an offer that is generated": """
        def generate_offer(applicant):
            salary = 50000
            if applicant.gender == "female":
                salary -= 5000
            return salary
        """,
    "the score of a test": """
        def test_score(applicant):
            score = applicant.answers
            if applicant.gender == "female":
                score -= 5
            return score
        """,
    "an audit of customers": """
        def audit_score(customer):
            score = customer.debts
            if customer.gender == "female":
                score -= 5
            return score
        """,
    "a measure that turns people away": """
        def decide_by_measure(patient):
            if patient.gender == "female":
                return "reject"
            return "accept"
        """,
    "a benchmark of applicants": """
        def benchmark_score(applicant):
            score = applicant.answers
            if applicant.gender == "female":
                score -= 5
            return score
        """,
}


def findings(code: str, path: str = "loans.py") -> tuple[Finding, ...]:
    report = check_source(textwrap.dedent(code), path=path, settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return report.findings


@pytest.mark.parametrize("name", IN_CONTEXT)
def test_a_context_makes_notes_of_findings(name: str) -> None:
    context, code = IN_CONTEXT[name]
    found = findings(code)
    assert {(one.severity, one.use.context.name) for one in found} == {("note", context)}
    assert all(one.message.endswith(f"({context}: {justifications()[context]})") for one in found)


@pytest.mark.parametrize("name", LOUD_FEATURES)
def test_a_model_about_what_people_get_has_no_context(name: str) -> None:
    code = """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression

        people = pd.read_csv("people.csv")
    """
    found = [
        one
        for one in findings(textwrap.dedent(code) + textwrap.dedent(LOUD_FEATURES[name]))
        if one.rule == "FL301"
    ]
    assert {(one.severity, one.use.context.name) for one in found} == {("warning", "")}


def test_one_height_is_no_more_than_one_value() -> None:
    code = """
        def fit_score(applicant, wanted):
            score = applicant.height_cm * wanted.height
            if applicant.gender == "female":
                score += 5
            return score
    """
    assert {one.use.context.name for one in findings(code)} == {""}


def test_medicine_fills_no_gaps() -> None:
    code = """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression

        people = pd.read_csv("people.csv")
        people["gender"] = people["gender"].fillna(people["gender"].mode()[0])
        X = people[["sodium", "urea", "glucose", "lactate", "albumin", "gender"]]
        LogisticRegression().fit(X, people["disease"])
    """
    told = {one.rule: (one.severity, one.use.context.name) for one in findings(code)}
    assert told["FL404"] == ("warning", "")
    assert told["FL301"] == ("note", "clinical")


@pytest.mark.parametrize("name", WITHOUT)
def test_a_word_alone_is_no_context(name: str) -> None:
    found = findings(WITHOUT[name])
    assert {(one.severity, one.use.context.name) for one in found} == {("error", "")}


@pytest.mark.parametrize(
    "path",
    [
        *("equity.py", "generate.py", "seed.py", "gap.py", "audit.py", "demo.py", "fairness/bias.py"),
        *("tests/a.py", "conftest.py", "clinical/egfr.py", "law/acts/benefits.py", "games/players.py"),
        *("faker.py", "report.py"),
    ],
)
def test_the_name_of_a_file_decides_nothing(path: str) -> None:
    assert [one.severity for one in findings(SCORE, path)] == ["error"]


def test_the_name_of_a_file_adds_to_what_speaks_for_a_context() -> None:
    code = IN_CONTEXT["people who are made up"][1]
    (before,), (after,) = findings(code), findings(code, "synthetic/people.py")
    assert after.use.context.weight == before.use.context.weight + 1
    assert "its path says so (synthetic)" in [one.reason for one in after.use.context.evidence]


def test_every_purpose_can_come_to_enough() -> None:
    assert {purpose.context for purpose in purposes()} == set(justifications())
    for purpose in purposes():
        assert sum(sign.weight for sign in purpose.signs if sign.where != "path") >= NEEDED


def test_an_auditor_is_shown_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "score.py"
    file.write_text(textwrap.dedent(IN_CONTEXT["a table of mortality"][1]))
    assert main([str(file), "--isolated"]) == 0
    assert "1 finding is a note for its context: 1 actuarial (--persona auditor)" in capsys.readouterr().out
    assert main([str(file), "--isolated", "--persona", "auditor"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("note[FL204]")
    assert "context: actuarial: " in shown
    assert main(["explain", f"{file}:4", "--isolated"]) == 0
    assert "actuarial: an insurer's statistics" in capsys.readouterr().out


def test_a_metric_in_the_file_excuses_neither_training_nor_a_live_score() -> None:
    code = """\
import pandas as pd
from fairlearn.metrics import demographic_parity_difference
from sklearn.linear_model import LogisticRegression

loans = pd.read_csv("loans.csv")
X = loans[["income", "gender"]]
model = LogisticRegression().fit(X, loans["approved"])
print(demographic_parity_difference(loans["approved"], model.predict(X), sensitive_features=loans["gender"]))


def decide(applicant):
    score = model.predict_proba([[applicant.income, applicant.gender]])[0][1]
    if applicant.gender == "female":
        score -= 0.1
    return "approved" if score > 0.5 else "rejected"
"""
    told = {one.rule: one.severity for one in check_source(code, path="loans.py").findings}
    assert told["FL301"] == "warning"
    assert told["FL201"] == "error"


LOADER = """\
import pandas as pd
from aif360.datasets import StandardDataset

COLUMNS = ["income", "debt", "sex", "race", "repaid"]


class LoanDataset(StandardDataset):
    def __init__(self, path):
        self.rows = pd.read_csv(path, names=COLUMNS)
        self.rows = self.rows[["income", "debt", "sex", "race"]]
"""


def test_a_loader_of_a_toolkit_that_teaches_no_model_is_part_of_an_audit() -> None:
    told = findings(LOADER)
    assert told
    assert {(one.rule, one.severity, one.use.context.name) for one in told} == {("FL301", "note", "audit")}


@pytest.mark.parametrize(
    "taught",
    [
        "\n\ndef main(x, y):\n    return LogisticRegression().fit(x, y)\n",
        "\n\ndef learn(net, batches):\n    for x, y in batches:\n        net.partial_fit(x, y)\n",
        "\n\ndef risk(model, person):\n    return model.predict_proba(person)\n",
        "\nfrom torch.utils.data import DataLoader\n",
    ],
)
def test_a_toolkit_excuses_no_columns_where_the_file_may_have_a_model(taught: str) -> None:
    told = findings(LOADER + taught)
    assert {one.severity for one in told if one.rule == "FL301"} == {"warning"}
