"""Code that handles an attribute and decides nothing by it, each beside code in like words that does."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

SILENT: dict[str, str] = {
    "what an insurer's product called disability comes to": """
        class Quotes:
            def without_income(self, data, home, disability):
                if not data["income"]:
                    disability = "declined"
                if not data["house"]:
                    home = "declined"
                return home, disability
        """,
    "a product called health, in one line": """
        def cover(applicant, health):
            health = "ineligible" if applicant["debts"] > 3 else health
            return health
        """,
    "a formula that says of a person what its class is called": """
        class divorced(Variable):
            def formula(person, period):
                marital_status = person("marital_status", period)
                return marital_status == 3
        """,
    "whether there are women at all": """
        def quota(male_users, female_users):
            if female_users:
                return 5
            return 10
        """,
    "how much of a profile is filled in, rounded and cut": """
        def filled(profile):
            done = sum(10 for field in ("birth_date", "town") if getattr(profile, field, None) is not None)
            return round(max(min(done, 15), 5) / 3)

        def save(profile):
            profile.score = filled(profile)
            return profile
        """,
    "rows of people that cannot have lived so long": """
        import pandas as pd

        def select_applicants(applicants):
            return applicants[(applicants["age"] >= 18) & (applicants["age"] < 110)]
        """,
    "what was not given, where a list of results is kept under a name for outcomes": """
        def approve_sources(patient):
            diagnosis = patient.diagnosis.strip() if patient.diagnosis else ""
            if not diagnosis:
                return []
            return look_up(diagnosis) or []

        def find(patient):
            result = approve_sources(patient)
            return result
        """,
    "a row that is empty": """
        def load(cursor, sheet, rows):
            fields = ["first_name", "last_name", "dob", "insurance_status"]
            for row in rows:
                patient = {}
                for letter, name in zip("ABCD", fields):
                    patient[name] = sheet[letter + row].value
                values = [patient[name] for name in fields]
                if values == [""] * len(values):
                    continue
                cursor.execute("INSERT INTO patients VALUES (%s, %s, %s, %s)", values)
        """,
    "a diagnosis that is asked for before it is handed on": """
        def approve(patient):
            if not patient.get("diagnosis"):
                raise ValueError("Application denied: no diagnosis")
            return find(patient["diagnosis"])
        """,
    "a person who is asked for a diagnosis and then handed on": """
        def approve(patient):
            if not patient.diagnosis:
                return []
            return find(patient)
        """,
    "a record of a class that is called after a group": """
        def admit(request, transfer):
            refugee = None
            if request.user.is_authenticated:
                refugee = Refugee.objects.filter(account_user=request.user).first()
            if not refugee:
                return "rejected"
            return "admitted"
        """,
    "whether a field of a form is shown": """
        def should_show_field(form, name):
            if name == "maiden_name":
                return form.gender == "female"
            return True
        """,
    "a band that is kept where its code is known": """
        def decide(self, applicant):
            value = applicant.age_group if applicant.age_group in self.categories else "other"
            return self.table[value]
        """,
    "a match of two people": """
        def approve_match(person, partner):
            if partner.gender != person.looking_for:
                return "rejected"
            return "approved"
        """,
    "who is like somebody": """
        def suggest(candidate, records):
            selected = []
            for record in records:
                if record.gender == candidate.gender:
                    selected.append(record)
            return selected
        """,
    "a record is looked up": """
        def find_patient(records, patient):
            for record in records:
                if record["gender"] == patient["gender"] and record["age"] == patient["age"]:
                    return record
            return None
        """,
    "lines of a document": """
        def render_admission_note(data, patient_gender=None) -> str:
            parts = []
            parts.append(section("complaint", data["complaint"]))
            if (patient_gender or "").strip() in {"x", "female"}:
                parts.append(section("menstrual history", data["menstrual"]))
            parts.append(section("family", data["family"]))
            return "; ".join(parts)
        """,
    "what was met before": """
        def candidate_keywords(procedure, diagnosis):
            keywords = []
            seen = set()
            for raw in (procedure, diagnosis):
                if not raw:
                    continue
                lowered = raw.strip().lower()
                if lowered in seen:
                    continue
                seen.add(lowered)
                keywords.append(lowered)
            return keywords
        """,
    "one of each": """
        def unique_candidates(people):
            seen = []
            candidates = []
            for p in people:
                if p.gender in seen:
                    continue
                seen.append(p.gender)
                candidates.append(p)
            return candidates
        """,
    "a gap in a template": """
        def evaluate_template(denial):
            diagnosis = "{diagnosis}"
            if denial.diagnosis is not None and denial.diagnosis != "" and denial.diagnosis != "UNKNOWN":
                diagnosis = denial.diagnosis
            result = "{gender}"
            if denial.gender and denial.gender != "unknown":
                result = denial.gender
            return diagnosis, result
        """,
    "what was worked out before": """
        def citations_result(denial):
            ml_result = []
            if denial.context and (not denial.diagnosis or denial.candidate_diagnosis == denial.diagnosis):
                ml_result = denial.context
            else:
                ml_result = generate(denial)
            return ml_result
        """,
    "a picture is selected": """
        def select_avatar(profile):
            avatar = "default.png"
            if profile.gender == "female":
                avatar = "female.png"
            elif profile.gender == "male":
                avatar = "male.png"
            return avatar
        """,
    "a place is assigned": """
        def assign_bathroom(guest):
            if guest.gender == "female":
                return "B"
            return "A"
        """,
    "people are counted": """
        def evaluate_counts(students):
            result = {"boys": 0, "girls": 0}
            for s in students:
                if s.gender == "M":
                    result["boys"] += 1
                else:
                    result["girls"] += 1
            return result
        """,
    "a greeting is selected": """
        def select_greeting(customer):
            greeting = "Dear Sir or Madam"
            if customer.gender == "f":
                greeting = "Dear Ms " + customer.last_name
            elif customer.gender == "m":
                greeting = "Dear Mr " + customer.last_name
            return greeting
        """,
    "two lists in one": """
        def select_team(players):
            team = []
            for p in players:
                if p.gender == "F":
                    team.append(("women", p))
                else:
                    team.append(("men", p))
            return team
        """,
    "a profile is complete": """
        def get_profile_completion(user):
            score = 0
            if user.name:
                score += 20
            if user.gender:
                score += 20
            if user.birth_date:
                score += 20
            if user.religion is not None:
                score += 20
            return score
        """,
    "two records of one person": """
        def match_confidence(a, b):
            score = 0
            if a.last_name == b.last_name:
                score += 40
            if a.birth_date == b.birth_date:
                score += 40
            if a.gender == b.gender:
                score += 10
            return score
        """,
    "a figure of a group": """
        def explore(df):
            selected = df[df["race"] == "Black"]
            print(selected["score"].mean())
            selected.describe()
        """,
    "the size of a group": """
        def count_women(people):
            selected = [p for p in people if p.gender == "female"]
            return len(selected)
        """,
    "codes join a list": """
        def to_features(data):
            features = []
            features.append(1 if data["sex"] == "male" else 0)
            features.append({"low": 0, "high": 1}[data["class"]])
            return np.array(features)
        """,
    "codes join a list that is called after people": """
        def prepare_input(data):
            candidates = []
            candidates.append(1 if data["sex"] == "male" else 0)
            return candidates
        """,
    "a flag is handed on": """
        class Dependency:
            def value(self):
                return self.member.disabled or self.member.long_term_disability or self.member.blind
        """,
    "a flag under its own name": """
        class Spm:
            def _disabled_dependent(self, member):
                if not member.is_dependent():
                    return False
                if not (member.disabled or member.long_term_disability):
                    return False
                if member.income > 100:
                    return False
                return True
        """,
    "whoever is not of age": """
        def can_show_ads(profile):
            if profile.is_minor:
                return False
            return True
        """,
    "a rationale is kept": """
        def explain(application, result):
            line = f"no visa {application.id}"
            if application.nationality == "cuban":
                line = f"visa {application.id}"
            code = application.code
            result.rationale_by_code[code] = line
            return result
        """,
    "a column of an attribute is recoded": """
        df.loc[df.Age_at_Release == "18-22", "Age_at_Release"] = 18
        df.loc[df.Age_at_Release == "48 or older", "Age_at_Release"] = 48
        print(df.arrest_count, df.race)
        """,
    "employees are looked up by the name that a user has typed": """
        def report(filters, employees):
            query = select(employees)
            if filters.get("employee"):
                query = query.where(employee.first_name == filters.get("employee"))
            return query
        """,
    "a search box": """
        def search(queryset, value):
            parts = value.split()
            first_name = parts[0]
            last_name = " ".join(parts[1:])
            if first_name and last_name:
                queryset = queryset.filter(employee_first_name__icontains=first_name)
            return queryset
        """,
    "columns are dropped by a step of a pipeline": """
        from sklearn.compose import ColumnTransformer, make_column_transformer

        unwanted = ["age", "race"]
        prepare = make_column_transformer((encoder, ["city"]), ("drop", unwanted))
        other = ColumnTransformer([("none", "drop", ["age"])], remainder="passthrough")
        """,
    "a function that is called has a variable of its own": """
        def overlapping(employee):
            Salary = make_table("salary")
            return select(Salary)

        def validate(employee):
            if not employee.disabled:
                overlapping(employee)
        """,
    "the income of a household is not that of anybody's parents": """
        def grant(person):
            if person.household_income < 20000:
                return 300
            return 0
        """,
    "words of what was given": """
        def keywords_of_claim(patient, procedure):
            out = []
            for raw in (procedure, patient.diagnosis):
                if not raw:
                    continue
                cleaned = raw.strip()
                out.append(cleaned)
            return out
        """,
    "how many people are old": """
        class Household:
            def n65(self):
                unit = self.dataframe(["age_head", "age_spouse", "elderly_dependents"])
                return (
                    (unit["age_head"] >= 65).astype(int)
                    + (unit["age_spouse"] >= 65).astype(int)
                    + unit["elderly_dependents"]
                )
        """,
    "somebody who is found by a birthday": """
        from sqlalchemy import select

        class PatientQuery:
            async def find_weak_candidates(self, name, birth_date, limit):
                if not name or not birth_date:
                    return []
                result = await self.db.execute(
                    select(Patient)
                    .where(Patient.name == name, Patient.birth_date == birth_date)
                    .order_by(Patient.created_at.desc())
                    .limit(limit)
                )
                return [self.answer(patient) for patient in result.scalars().all()]
        """,
    "a column of people who are sorted for a plot": """
        import matplotlib.pyplot as plt

        def decline(people):
            candidate = people[people["education"] == "high"]
            candidate = candidate.sort_values("age")
            plt.bar(candidate["age"], candidate["score"].diff())
        """,
    "the first rows of an employee table that somebody looks at": """
        import pandas as pd

        employees = pd.read_csv("employees.csv")
        employees.sort_values("Age", ascending=False).head(10)
        print(employees.sort_values("Age").head())
        oldest = employees.nlargest(5, "Age")
        print(oldest[["Name", "Age"]])
        employees = employees.sort_values(["Gender", "Salary"])
        employees.head()
        """,
    "a part of the samples by sex": """
        sex_of = {}
        for row in rows:
            sample, sex = row[1], row[2]
            sex_of[sample] = sex

        def select_sex(found, sex):
            out = []
            for one in found:
                if sex_of[one[0]] == sex:
                    out.append(one)
            return out

        men = select_sex(data, "M")
        women = select_sex(data, "F")
        """,
    "what is missing is asked for": """
        def is_eligible(**answers):
            def number(name):
                value = answers.get(name)
                return int(value) if value is not None else None

            age, income, household_size = number("age"), number("income"), number("household_size")
            missing = []
            if household_size is None:
                missing.append("How many people live in your household?")
            if income is None or household_size is None:
                return False, missing
            return True, missing
        """,
    "a birthday that was given, or another": """
        def given(properties, name, default):
            value = properties.pop(name) if properties and name in properties else default
            return str(value)

        def create_insuree(insuree, properties):
            return {"dob": given(properties, "dob", insuree.date_of_birth)}
        """,
    "factors of claims": """
        import pandas as pd

        class DevelopmentPattern:
            pattern_name: str

            @classmethod
            def from_age_to_age_factors(cls, name, factors, tail=1.0):
                '''How insurance claims of policyholders develop.'''
                return cls(name, [factor * tail for factor in factors])
        """,
    "what was given is handed on": """
        def write(patient):
            out = []
            if patient.diagnosis:
                out.append({"name": patient.diagnosis, "primary": True})
            return out
        """,
    "fields that have to be there, one by one": """
        REQUIRED = {"Number_of_Dependents": int, "Salary": float}

        def check_loan_application(data):
            errors = []
            for field in REQUIRED:
                if field not in data:
                    errors.append(f"Missing required field: {field}")
                elif data[field] is None:
                    errors.append(f"Field {field} cannot be None")
                elif not isinstance(data[field], REQUIRED[field]):
                    errors.append(f"Field {field} must be a number")
            if data["Salary"] < 0:
                errors.append("Salary")
            return errors
        """,
    "a function that gives a flag as it is": """
        class Pregnant:
            def __init__(self, member):
                self.member = member

            def value(self):
                return self.member.pregnant or False

            def amount(self):
                return 1 if self.member.pregnant else 0
        """,
    "what is shown where nothing was given": """
        def show(self):
            def get_field(name):
                value = self.user.metadata.get(name) or "skip"
                return "Empty" if value == "skip" else value

            return {"gender": get_field("gender"), "status": get_field("relationship_status")}
        """,
    "both groups are drawn again and put together": """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression
        from sklearn.utils import resample

        people = pd.read_csv("people.csv")
        men = people[people["sex"] == "male"]
        women = resample(people[people["sex"] == "female"], replace=True, n_samples=len(men))
        both = pd.concat([men, women])
        LogisticRegression().fit(both[["priors_count"]], both["two_year_recid"])
        """,
    "both codes are drawn again and put together": """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression

        people = pd.read_csv("people.csv")
        first = people[people["race"] == 1].sample(n=100, replace=True)
        second = people[people["race"] == 0].sample(n=100, replace=True)
        both = pd.concat([first, second])
        LogisticRegression().fit(both[["priors_count"]], both["two_year_recid"])
        """,
    "columns of what was measured for groups": """
        import pandas as pd

        results = pd.read_csv("results_of_people.csv")
        results["sum_differences"] = results["statistical_parity_sex"] + results["equalized_odds_race"]
        """,
    "what a column may hold": """
        from sklearn.linear_model import LogisticRegression

        ordinal_features = {}
        ordinal_features["Comaker_Relationship"] = ["Friend", "Sibling", "Parent", "Spouse"]
        """,
    "a program that a page shows": """
        import openai

        EXAMPLE = f'''
        import { useState } from "react";
        // decide whether to accept the applicant's answer; you are an expert
        const [disability, setDisability] = useState(null);
        const accept = (applicant) => { setDisability(applicant.disability); };
        setLoading(true);
        export default accept;
        {applicant.disability}
        '''
        openai.chat.completions.create(model="m", messages=[{"role": "user", "content": EXAMPLE}])
        """,
    "a program among the texts of a page": """
        import openai

        INTRODUCTION = '''
        You are an expert. Decide whether the applicant is accepted.
        The first page says what the library does.
        The second page says how it is installed.
        The third page says whom to ask.
        The fourth page lists what changed.
        Answer yes or no.
        The fifth page is an example.
        The sixth page is an index.
        The seventh page lists who has written it.
        The eighth page says what it costs.
        The ninth page is about colours.
        The tenth page is about sounds.
        The next page is about shapes.
        The one behind it is about names.
        The last page is empty.
        '''
        EXAMPLE = '''
        import { useState } from "react";
        const [disability, setDisability] = useState({disability});
        setLoading(true);
        export default accept;
        '''
        openai.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": INTRODUCTION + EXAMPLE.format(disability=disability)}],
        )
        """,
    "an account that is disabled": """
        from fastapi import Depends, HTTPException
        from fastapi.security import OAuth2PasswordBearer

        class User:
            username: str
            full_name: str
            disabled: bool

        async def get_current_active_user(current_user: User = Depends(get_current_user)):
            if current_user.disabled:
                raise HTTPException(status_code=400, detail="Inactive user")
            return current_user
        """,
    "what people of a group gave": """
        import pandas as pd

        people = pd.read_csv("contributions_of_people.csv")
        people["hispanic_amount"] = people.amount * people.hispanic
        """,
    "a page with children": """
        def details(page_details, body):
            if not page_details["has_children"]:
                total_messages = body["total_messages"]
                if total_messages > body["message"]:
                    page_details["next_prompt"] = "Next"
            return page_details
        """,
    "codes of what is audited": """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import LabelEncoder

        people = pd.read_csv("adult.csv")
        sensitive_attrs = pd.DataFrame({"race": people["race"]})
        sensitive_attrs["race"] = LabelEncoder().fit_transform(sensitive_attrs["race"])
        """,
    "a code that gets its name": """
        import pandas as pd

        people = pd.read_csv("people.csv")
        people.loc[people["sex"] == 0, "gender"] = "Female"
        people.loc[people["sex"] == 1, "gender"] = "Male"
        """,
}

TOLD: dict[str, tuple[str, int, str]] = {
    "a formula whose class is called after an outcome and a group": (
        """
        class eligible_widow(Variable):
            def formula(person, period):
                marital_status = person("marital_status", period)
                return marital_status == 3
        """,
        5,
        "marital_status",
    ),
    "a disability, where another variable is given the outcome": (
        """
        def rate(applicant, disability):
            cover = "standard"
            if disability:
                cover = "declined"
            return cover
        """,
        4,
        "disability",
    ),
    "whether somebody is among the women": (
        """
        def score(self, key):
            points = 0
            if key in self.female_members:
                points -= 5
            return points
        """,
        4,
        "gender",
    ),
    "a group of one person": (
        """
        def grant(applicant):
            if applicant.female_applicant:
                return "reject"
            return "accept"
        """,
        3,
        "gender",
    ),
    "who is ill is refused, and the rest of the record goes on": (
        """
        def approve(customer):
            if customer["disability"]:
                raise ValueError("Application denied")
            return customer["score"] > 600
        """,
        3,
        "disability",
    ),
    "a field of the record that decides, and another behind it": (
        """
        def admit(person):
            if person.disability:
                return False
            return person.score > 600
        """,
        3,
        "disability",
    ),
    "a flag that is no record": (
        """
        def admit(person):
            refugee = person.refugee
            if not refugee:
                return "rejected"
            return "admitted"
        """,
        4,
        "national_origin",
    ),
    "a person is compared with what a job asks for": (
        """
        def allowed(candidate, job):
            if job.required_nationality and candidate.nationality != job.required_nationality:
                return False
            return True
        """,
        3,
        "national_origin",
    ),
    "a ward is assigned": (
        """
        def assign_ward(patient):
            if patient.religion == "muslim":
                return "B"
            return "A"
        """,
        3,
        "religion",
    ),
    "applicants are evaluated": (
        """
        def evaluate_applicant(applicant):
            if applicant.gender == "female":
                return "B"
            return "A"
        """,
        3,
        "gender",
    ),
    "grounds are joined": (
        """
        def decide(applicant):
            reasons = []
            if applicant.gender == "female":
                reasons.append(note("gender"))
            return "rejected: " + ", ".join(reasons) if reasons else "approved"
        """,
        4,
        "gender",
    ),
    "a figure is printed of those who are kept": (
        """
        def pick(df):
            selected = df[df["gender"] == "male"]
            print(selected["score"].mean())
            return selected.head(5)
        """,
        3,
        "gender",
    ),
    "another column is set by an attribute": (
        """
        df.loc[df.Age_at_Release == "18-22", "risk_score"] = 18
        df.loc[df.Age_at_Release == "48 or older", "risk_score"] = 48
        print(df.arrest_count, df.race)
        """,
        2,
        "age",
    ),
    "a column of one attribute is set by another": (
        """
        df.loc[df.gender == "F", "credit_score_age"] = 40
        print(df.income, df.race)
        """,
        2,
        "gender",
    ),
    "names that somebody has written": (
        """
        def accept(applicant):
            if applicant.first_name in ("Mohammed", "Ali"):
                return False
            return True
        """,
        3,
        "name",
    ),
    "columns that a step takes": (
        """
        from sklearn.compose import make_column_transformer

        wanted = ["age", "income", "race"]
        prepare = make_column_transformer((encoder, wanted))
        model = make_pipeline(prepare, LogisticRegression()).fit(applicants, applicants["hired"])
        """,
        4,
        "age",
    ),
    "what a function gives back becomes the score": (
        """
        def price(customer):
            premium = 100
            if customer.gender == "male":
                premium = surcharge(customer)
            return premium

        def surcharge(customer):
            premium = 300
            return premium * 2
        """,
        4,
        "gender",
    ),
    "who is ill is refused": (
        """
        def hire(applicant):
            if applicant.diagnosis:
                return "rejected"
            return "hired"
        """,
        3,
        "health",
    ),
    "who is ill pays more": (
        """
        def price(applicant):
            premium = 100
            if applicant.diagnosis:
                premium += 50
                print(applicant.diagnosis)
            return premium
        """,
        4,
        "health",
    ),
    "whose gender is given is looked at": (
        """
        def decide_loan(applicant):
            if not applicant.gender:
                raise ValueError("missing")
            if applicant.gender == "female":
                return "rejected"
            return "approved"
        """,
        5,
        "gender",
    ),
    "a flag decides by the function's name": (
        """
        def is_eligible(member):
            return 1 if member.pregnant else 0
        """,
        3,
        "pregnancy",
    ),
    "the first of people who are sorted": (
        """
        def shortlist(applicants):
            ranked = applicants.sort_values("age")
            return ranked["id"].head(3)
        """,
        3,
        "age",
    ),
    "parts of a table that leave some out": (
        """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression

        people = pd.read_csv("people.csv")
        some = pd.concat([people[people["age"] > 40], people[people["age"] > 60]])
        LogisticRegression().fit(some[["priors_count"]], some["two_year_recid"])
        """,
        6,
        "age",
    ),
    "the first rows that are taken": (
        """
        import pandas as pd

        employees = pd.read_csv("employees.csv")
        print(employees.head())
        chosen = employees.sort_values("Age").head(3)
        print(chosen)
        invite(chosen)
        """,
        6,
        "age",
    ),
    "a printed shortlist": (
        """
        def shortlist(candidates):
            print(candidates.sort_values("age").head(3))
        """,
        3,
        "age",
    ),
    "one code alone": (
        """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression

        people = pd.read_csv("people.csv")
        some = people[people["race"] == 1].sample(n=100, replace=True)
        LogisticRegression().fit(some[["priors_count"]], some["two_year_recid"])
        """,
        6,
        "race",
    ),
    "the columns of one kind": (
        """
        from sklearn.linear_model import LogisticRegression

        feature_lists = {}
        feature_lists["numeric"] = ["age", "income", "loan_amount"]
        """,
        5,
        "age",
    ),
    "a person who is disabled": (
        """
        def hire(applicant):
            if applicant.disabled:
                raise ValueError("rejected")
            return "hired"
        """,
        3,
        "disability",
    ),
    "who has children": (
        """
        def assess(applicant):
            score = 10
            if applicant["has_children"]:
                score -= 5
            return score
        """,
        4,
        "family_status",
    ),
    "codes of a table for a model": (
        """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import LabelEncoder

        people = pd.read_csv("adult.csv")
        people["race"] = LabelEncoder().fit_transform(people["race"])
        """,
        7,
        "race",
    ),
    "people of one sex are shortlisted": (
        """
        def shortlist(candidates):
            chosen = []
            for candidate in candidates:
                if candidate.sex == "male":
                    chosen.append(candidate)
            return chosen
        """,
        5,
        "gender",
    ),
    "a missing code is filled": (
        """
        import pandas as pd

        people = pd.read_csv("people.csv")
        people.loc[people["gender"] == "", "gender"] = "Female"
        """,
        5,
        "gender",
    ),
}
C_SILENT = """
struct rank { const char *m; const char *f; };
struct role { struct rank rank[9]; };

const char *rank_of(struct role *role, int level, int female)
{
    for (int i = level; i >= 0; i--) {
        if (female && role->rank[i].f)
            return role->rank[i].f;
        if (role->rank[i].m)
            return role->rank[i].m;
    }
    return "player";
}
"""
C_PLACE = """
double produce(double *table, int from, int to, double a)
{
    double *tableIndex = table + from * 3;
    double sum = 0;
    for (int i = 1; i < to - from; i++, tableIndex += 3)
        sum += *(tableIndex + 2) * a;
    return sum;
}

double patient_risk(int age, double *table, double a)
{
    return produce(table, age, 90, a);
}
"""
C_TOLD = """
int rank_of(int level, int female)
{
    if (female)
        return level * 3;
    return level * 5;
}
"""


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_told(name: str) -> None:
    report = check_source(textwrap.dedent(SILENT[name]))
    assert [(found.start.line, found.rule, found.message) for found in report.findings] == []


@pytest.mark.parametrize("name", TOLD)
def test_its_twin_is_told(name: str) -> None:
    code, line, attribute = TOLD[name]
    found = {(one.start.line, one.use.attribute) for one in check_source(textwrap.dedent(code)).findings}
    assert (line, attribute) in found


def test_a_score_that_is_set_is_compared_with_what_it_was_before() -> None:
    code, _, _ = TOLD["what a function gives back becomes the score"]
    (found,) = check_source(textwrap.dedent(code)).findings
    assert found.points is not None
    assert dict(found.points.by_group) == {"male": 600.0, "female": 100.0}


SELF_CHECK = """
#include <stdio.h>
#include <stdlib.h>
struct person {{ char sex; int id; }};
void admit_to_ward(struct person *p)
{{
    if (p->sex == 'M') {{
        printf("{said}\\n", p->id);
        fflush(stdout);
        exit(1);
    }}
    give_bed(p);
}}
"""


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("ERROR: person %d is a man in births()", False),
        ("BUG: %d got here", False),
        ("ERROR: %d is not eligible", True),
        ("ERROR: person %d cannot stay", True),
        ("Person %d leaves", True),
    ],
)
def test_a_program_that_checks_itself_turns_nobody_away(said: str, is_told: bool) -> None:
    found = check_source(SELF_CHECK.format(said=said), path="ward.c").findings
    assert bool(found) is is_told


def test_an_error_about_what_somebody_typed_in_turns_them_away() -> None:
    code = """
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char sex;
    printf("Enter your sex: ");
    scanf(" %c", &sex);
    if (sex == 'M') {
        printf("ERROR: women live here");
        exit(1);
    }
    printf("You have a room in the hostel");
    return 0;
}
"""
    assert check_source(code, path="hostel.c").findings


def test_the_members_of_a_group_are_no_yes_or_no() -> None:
    code = """
        class Service:
            def potential_partners(self, key):
                if key in self.female_profiles:
                    return self.male_profiles
                elif key in self.male_profiles:
                    return self.female_profiles
                return None
    """
    found = check_source(textwrap.dedent(code), path="dating.py").findings
    assert [(one.severity, "True" in one.message) for one in found] == [("warning", False)]


def test_who_is_among_the_members_of_a_group_is_of_it() -> None:
    code, _, _ = TOLD["whether somebody is among the women"]
    (found,) = check_source(textwrap.dedent(code)).findings
    assert found.points is not None
    assert dict(found.points.by_group) == {"male": 0.0, "female": -5.0}


def test_what_is_compared_with_nothing_known_is_a_note() -> None:
    code = "def allowed(candidate, job):\n    if candidate.nationality != job.wanted:\n        return False\n"
    report = check_source(f"{code}    return True\n")
    assert not report.findings
    code = "def fit(team, candidate):\n    score = 0\n    if candidate.nationality in team.known:\n"
    scored = check_source(f"{code}        score += 1\n    return score\n")
    assert all(one.rule != "FL201" for one in scored.findings)
    assert [use.kind for _, use in report.uses if "unnamed" in use.tags] == ["decision"]


C_ROOM = """
typedef struct { char name[40]; int age; char gender; int marks; } Student;
int room(Student *s)
{
    int room_no;
    if (s->gender == 'F') room_no = 200 + s->marks; else room_no = 100 + s->marks;
    return room_no;
}
"""


def test_the_name_of_a_rank_and_a_place_in_a_table_are_no_scores() -> None:
    assert not check_source(C_SILENT, path="rank.c").findings
    assert not check_source(C_PLACE, path="risk.c").findings
    assert not check_source(C_ROOM, path="room.c").findings
    assert [one.rule for one in check_source(C_TOLD, path="rank.c").findings] == ["FL204"]


@pytest.mark.parametrize("nothing", ['(None, "")', '(None, "", [])', "[None, {}]"])
def test_that_a_value_is_given_makes_no_group(nothing: str) -> None:
    code = f"""
        def accept(request, person):
            if person.gender not in {nothing}:
                return enrol(person)
            return Response({{"error": "incomplete"}}, status=409)
    """
    assert not check_source(textwrap.dedent(code), path="forms.py").findings
