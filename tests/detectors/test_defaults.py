"""Which defaults and fillings assume a group, in how many ways they are written, and which assume nothing."""

from __future__ import annotations

import textwrap

import pytest
from expectations import read_code

from fairlint import check_source
from fairlint.config import Settings


def told(code: str, language: str = "python", path: str = "") -> list[str]:
    """What is said of assumed groups."""
    return compared(code, language, path)[0]


def compared(code: str, language: str = "python", path: str = "") -> tuple[list[str], list[str]]:
    """What is said of assumed groups, and what the comments of a program expect: warnings if they say nothing."""
    marked = read_code(textwrap.dedent(code).lstrip("\n"))
    report = check_source(
        marked.code,
        path=path or f"intake.{'py' if language == 'python' else 'c'}",
        language=language,
        settings=Settings(min_severity="note"),
    )
    assert not report.not_analysed
    return (
        [
            f"{finding.start.line} {finding.rule} {finding.severity}: {finding.use.attribute}"
            for finding in report.findings
            if finding.rule in {"FL403", "FL404"}
        ],
        [f"{one.line} {one.rule} {one.severity or 'warning'}: {one.attribute}" for one in marked.expected],
    )


DEFAULTS: dict[str, str] = {
    "a yes or no for one of two groups": """
        class Applicant(db.Model):
            first_name = db.Column(db.String(80))
            birth_date = db.Column(db.Date)
            gender = db.Column(db.Boolean, nullable=False, default=False)  # FL403: gender
        """,
    "an age": """
        from dataclasses import dataclass

        @dataclass
        class Applicant:
            income: int
            age: int = 35  # FL403: age

        def read_applicant(row):
            return row["income"], row.get("age", 40), row.get("sex", "")  # FL403: age
        """,
    "a parameter": 'def quote(income, age, gender="male"): ...  # FL403: gender',
    "a parameter with the member of an enum": """
        from enum import Enum

        class Sex(Enum):
            MALE = "m"
            FEMALE = "f"

        def approve_loan(income, credit_score, sex: Sex = Sex.MALE): ...  # FL403: gender
        """,
    "a parameter with a constant": """
        USUAL_RACE = "White"

        def approve_loan(income, credit_score, *, race=USUAL_RACE): ...  # FL403: race
        """,
    "a parameter of a web service": """
        from fastapi import FastAPI, Query

        app = FastAPI()

        @app.get("/premium")
        # FL403: marital_status
        def premium(income: int, marital_status: str = Query("married", max_length=20)): ...
        """,
    "a look-up": 'race = applicant.get("race", "Caucasian")  # FL403: race',
    "a look-up of an attribute": 'sex = getattr(employee, "sex", "M")  # FL403: gender',
    "a look-up under another name": 'gender = applicant.get("g", "male")  # FL403: gender',
    "a value that is taken out": 'applicant_race = applicant.pop("race", "White")  # FL403: race',
    "an environment variable": """
        import os

        applicant_gender = os.environ.get("APPLICANT_GENDER", "female")  # FL403: gender
        """,
    "or": 'payload["sex"] = applicant.get("sex") or "M"  # FL403: gender',
    "or, for a variable": 'gender = input("Gender of the applicant: ").strip() or "male"  # FL403: gender',
    "or, for an argument": """
        applicant = Applicant(income=income, religion=form["religion"] or "Christian")  # FL403: religion
        """,
    "a choice": 'gender = applicant["gender"] if applicant["gender"] else "male"  # FL403: gender',
    "a choice by None": 'race = "White" if applicant.race is None else applicant.race  # FL403: race',
    "argparse": """
        import argparse

        parser = argparse.ArgumentParser(description="score one loan applicant")
        parser.add_argument("--income", type=float)
        parser.add_argument("-g", "--gender", choices=["male", "female"], default="male")  # FL403: gender
        parser.add_argument("--sex-of-coapplicant", dest="coapplicant_sex", default="female")  # FL403: gender
        """,
    "set_defaults": """
        import argparse

        parser = argparse.ArgumentParser(description="score one loan applicant")
        parser.set_defaults(income=0, gender="male")  # FL403: gender
        """,
    "a data class": """
        from dataclasses import dataclass, field

        @dataclass
        class Borrower:
            income: float
            credit_score: int
            gender: str = "male"  # FL403: gender
            race: str = field(default="White")  # FL403: race
            tags: list = field(default_factory=list)
        """,
    "Django": """
        from django.db import models

        class Employee(models.Model):
            salary = models.DecimalField(max_digits=9, decimal_places=2)
            # FL403: gender
            sex = models.CharField(max_length=1, choices=[("M", "Male"), ("F", "Female")], default="M")
            ethnicity = models.CharField(max_length=20, blank=True, default="")
        """,
    "SQLAlchemy": """
        from sqlalchemy import Column, Integer, String

        class Tenant(Base):
            __tablename__ = "tenants"
            income = Column(Integer)
            # FL403: marital_status
            marital_status = Column(String(20), nullable=False, server_default="single")
        """,
    "pydantic": """
        from pydantic import BaseModel, Field

        class Applicant(BaseModel):
            income: float
            # FL403: national_origin
            nationality: str = Field(default="American", description="as in the passport")
            religion: str | None = None
        """,
    "a schema": """
        APPLICANT = {
            "type": "object",
            "properties": {
                "income": {"type": "number"},
                "race": {"type": "string", "default": "White"},  # FL403: race
            },
        }
        """,
    "a table of defaults": """
        APPLICANT_DEFAULTS = {"income": 0, "credit_score": 600, "gender": "male"}  # FL403: gender
        """,
    "what is done where a key is missing": """
        def read_applicant(row):
            try:
                race = row["race"]
            except KeyError:
                race = "White"  # FL403: race
            return Applicant(row["income"], race)
        """,
    "a variable that may be given another value": """
        import sys

        applicant_income = float(sys.argv[1])
        gender = "male"  # FL403: gender
        if len(sys.argv) > 2:
            gender = sys.argv[2]
        """,
    "a flag of a class that is called after another group": """
        from dataclasses import dataclass

        @dataclass
        class Insured:
            premium: float
            is_female: bool = True  # FL403: gender
    """,
    "a flag that is set": "def quote_premium(income, age, is_male=True): ...  # FL403: gender",
}

SILENT_DEFAULTS: dict[str, str] = {
    "no age, or that of no person": """
        def read_applicant(row, max_age=65):
            return int(row.get("age", 0)), row.get("age", -1), row.get("age", 999)

        def cached(key, age=60): ...
        """,
    "a class of one group": """
        from dataclasses import dataclass

        @dataclass
        class FemaleApplicant:
            income: float
            is_female: bool = True
    """,
    "whether a column is to be shown": """
        class Shown(BaseModel):
            first_name: bool = Field(default=True)
            birth_date: bool = Field(default=True)
            gender: bool = Field(default=False)
        """,
    "nothing": """
        def quote(income, gender=None, race="", religion="unknown", sex="prefer not to say"): ...
    """,
    "what is no group": 'def quote(income, gender="any", race="all", sex="both"): ...',
    "a flag that is not set": "def quote(income, is_male=False, disabled=False, married=False): ...",
    "no disability": 'def quote(income, disability="none", veteran="no"): ...',
    "constants that are chosen from": """
        from django.db import models
        class Hostel(models.Model):
            GENDER_MALE = "male"
            GENDER_FEMALE = "female"
            GENDER_M = "M"
            tenant_gender = models.CharField(max_length=10, choices=[(GENDER_MALE, "Male"), (GENDER_FEMALE, "Female")])
    """,
    "a pronoun": 'def pronoun(gender="male"): ...',
    "a name generator": """
        class NameGenerator:
            def first_name(self, gender="female"):
                return self.pool[gender].pop()
    """,
    "a voice": 'def synthesize_speech(text, gender="female", speed=1.0): ...',
    "a size": 'def shoe_size(us, gender="men"): ...',
    "a group's own class": """
        class Woman(Person):
            gender: str = "female"
    """,
    "an enum": """
        from enum import Enum

        class Gender(Enum):
            gender = "male"
    """,
    "a table by group": 'label = labels.get("female", "F")',
    "a number": 'sex = applicant.get("sex", 0)',
    "a choice of groups": 'gender = "male" if applicant.is_male else "female"',
    "the race of a marathon": """
        def results(race="10k", category="men"):
            return [runner for runner in load(race) if runner.category == category]
    """,
    "a race of threads": """
        def detect(race="white", lock=None, thread=None, mutex=None): ...
    """,
    "unknown for unknown": 'gender = applicant.get("gender") or "not specified"',
    "one sample after another": """
        gender = "male"
        if second:
            gender = "female"
        print(premium(gender))
    """,
    "a comparison": 'ok = applicant.gender == "male" or "x"',
}

FILLINGS: dict[str, str] = {
    "a constant": 'df["race"] = df["race"].fillna("White")  # FL404: race',
    "a constant in place": 'df.gender.fillna("Male", inplace=True)  # FL404: gender',
    "a constant of an enum of answers": """
        df["Married"] = df["Married"].fillna(value="Yes")  # FL404: marital_status
        """,
    "the mode": 'df["sex"] = df["sex"].fillna(df["sex"].mode()[0])  # FL404: gender',
    "the mode by another name": """
        most_common = df["race"].mode().iloc[0]
        df["race"] = df["race"].fillna(most_common)  # FL404: race
        """,
    "the top of the counts": """
        df["race"] = df["race"].fillna(df["race"].value_counts().idxmax())  # FL404: race
        """,
    "the row before": 'df["ethnicity"] = df["ethnicity"].ffill()  # FL404: ethnicity',
    "the row behind": 'df["race"] = df["race"].fillna(method="bfill")  # FL404: race',
    "several columns": """
        for column in ["Gender", "Married", "Dependents"]:
            df[column].fillna(df[column].mode()[0], inplace=True)  # FL404: gender; FL404: marital_status
        """,
    "a list of columns": """
        CATEGORIES = ["workclass", "race"]
        df[CATEGORIES] = df[CATEGORIES].fillna(df[CATEGORIES].mode().iloc[0])  # FL404: race
        """,
    "a table": 'df = df.fillna({"income": 0, "religion": "Christian"})  # FL404: religion',
    "a whole frame": """
        print(df["race"].nunique())
        df = df.fillna(df.mode().iloc[0])  # FL404: race
        """,
    "a helper": """
        def impute(frame, column):
            frame[column] = frame[column].fillna(frame[column].mode()[0])  # FL404: race
            return frame

        df = impute(df, "race")
        df = impute(df, "income")
        """,
    "a lambda": """
        df["gender"] = df["gender"].apply(lambda g: "Male" if pd.isnull(g) else g)  # FL404: gender
        """,
    "a function that is applied": """
        def tidy(value):
            if pd.isna(value):
                return "White"  # FL404: race
            return value

        df["race"] = df["race"].apply(tidy)
        """,
    "within groups": """
        df["sex"] = df.groupby("job")["sex"].transform(lambda s: s.fillna(s.mode()[0]))  # FL404: gender
        """,
    "a mask": 'df.loc[df["race"].isna(), "race"] = "White"  # FL404: race',
    "a mask by name": """
        missing = df.race.isnull()
        df.loc[missing, "race"] = "White"  # FL404: race
        """,
    "a mask of unknown": 'df.loc[df["race"].isin(["?", "Unknown"]), "race"] = "White"  # FL404: race',
    "np.where": 'df["sex"] = np.where(df["sex"].isna(), "Male", df["sex"])  # FL404: gender',
    "where": 'df["sex"] = df["sex"].where(df["sex"].notna(), "Male")  # FL404: gender',
    "replace": 'df["race"] = df["race"].replace("?", "White")  # FL404: race',
    "replace with a table": 'df["race"] = df["race"].replace({"Unknown": "White"})  # FL404: race',
    "by chance": 'df["race"] = df["race"].fillna(np.random.choice(["White", "Black"]))  # FL404: race',
    "an imputer": """
        from sklearn.impute import SimpleImputer

        imputer = SimpleImputer(strategy="most_frequent")
        df[["race", "income"]] = imputer.fit_transform(df[["race", "income"]])  # FL404: race
        """,
    "an imputer of neighbours": """
        from sklearn.impute import KNNImputer

        df[["sex", "age"]] = KNNImputer(n_neighbors=5).fit_transform(df[["sex", "age"]])  # FL404: gender
        """,
    "an imputer in a pipeline": """
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import Pipeline

        categorical = ["workclass", "native-country"]  # FL404: national_origin
        fill = Pipeline([("fill", SimpleImputer(strategy="most_frequent")), ("code", OneHotEncoder())])
        prepare = ColumnTransformer([
            ("numbers", SimpleImputer(strategy="median"), ["age", "hours-per-week"]),
            ("words", fill, categorical),
        ])
        """,
    "polars": """
        people = people.with_columns(
            pl.col("race").fill_null("White"),  # FL404: race
            pl.col("age").fill_null(strategy="mean"),
            pl.col("gender").fill_null(pl.col("gender").mode().first()),  # FL404: gender
        )
        """,
    "polars by when": """
        people = people.with_columns(
            # FL404: gender
            pl.when(pl.col("sex").is_null()).then(pl.lit("male")).otherwise(pl.col("sex")).alias("sex")
        )
        """,
    "Spark": """
        people = people.na.fill({"gender": "male", "income": 0})  # FL404: gender
        people = people.fillna("White", subset=["race"])  # FL404: race
        people = people.withColumn("sex", F.coalesce(F.col("sex"), F.lit("M")))  # FL404: gender
        # FL404: gender
        people = people.withColumn("sex", F.when(F.col("sex").isNull(), "F").otherwise(F.col("sex")))
        """,
    "if not": """
        def clean_applicant(applicant):
            if not applicant.gender:
                applicant.gender = "male"  # FL404: gender
            if applicant.race in (None, "", "unknown"):
                applicant.race = "White"  # FL404: race
            return applicant
        """,
    "what is no known group": """
        def clean_applicant(applicant):
            gender = applicant["gender"].lower()
            if gender not in ("male", "female"):
                gender = "male"  # FL404: gender
            return gender
        """,
    "a column of one group": """
        df["gender"] = df["gender"].combine_first(pd.Series("male", index=df.index))  # FL404: gender
        """,
    "other names of the groups": """
        df["gender"] = df["gender"].map({"M": "male", "F": "female"}).fillna("male")  # FL404: gender
        """,
    "what is not in a list": """
        df["gender"] = df["gender"].where(df["gender"].isin(["M", "F"]), "M")  # FL404: gender
        """,
}

SILENT_FILLINGS: dict[str, str] = {
    "unknown": 'df["race"] = df["race"].fillna("Unknown")',
    "missing": 'df[["race", "sex"]] = df[["race", "sex"]].fillna("Missing")',
    "a code for missing": 'df["gender"] = df["gender"].fillna(-1)',
    "an age": """
        df["age"] = df["age"].fillna(df["age"].median())
        df["age"] = df.groupby("sex")["age"].transform(lambda s: s.fillna(s.median()))
        df["age"] = df["age"].ffill()
    """,
    "other columns": """
        df["income"] = df["income"].fillna(df["income"].mode()[0])
        df["education"] = df["education"].ffill()
        print(df["race"].nunique())
        df[["job"]] = df[["job"]].fillna("none")
    """,
    "rows are dropped": 'df = df.dropna(subset=["race", "sex"])',
    "missing is made missing": 'df["race"] = df["race"].replace("?", np.nan)',
    "a group is renamed": 'df["race"] = df["race"].replace({"Caucasian": "White"})',
    "an imputer with a word for missing": """
        from sklearn.impute import SimpleImputer

        df[["race"]] = SimpleImputer(strategy="constant", fill_value="missing").fit_transform(df[["race"]])
    """,
    "an imputer of numbers": """
        from sklearn.impute import SimpleImputer

        df[["age", "income"]] = SimpleImputer(strategy="most_frequent").fit_transform(df[["age", "income"]])
    """,
    "a whole frame whose columns nobody knows": "df = df.fillna(df.mode().iloc[0])",
    "a test of a group": """
        df.loc[df["race"] == "Caucasian", "race"] = "White"
    """,
}

C: dict[str, str] = {
    "a text": """
        #include <string.h>
        struct applicant { char gender[8]; int income; };
        void complete(struct applicant *a)
        {
            if (strlen(a->gender) == 0)
                strcpy(a->gender, "male");  /* FL403: gender */
        }
        """,
    "a pointer": """
        const char *race_or_white(const char *applicant_race)
        {
            return applicant_race ? applicant_race : "White";  /* FL403: race */
        }
        """,
    "an enum": """
        enum gender { UNKNOWN, MALE, FEMALE };
        struct borrower { enum gender gender; double income; };
        void complete_borrower(struct borrower *borrower)
        {
            borrower->gender = borrower->gender == UNKNOWN ? MALE : borrower->gender;  /* FL403: gender */
        }
        """,
    "a variable of defaults": """
        enum gender { UNKNOWN, MALE, FEMALE };
        struct borrower { enum gender gender; double income; };
        static const struct borrower default_borrower = { .gender = MALE, .income = 0 };  /* FL403: gender */
        """,
    "a variable": """
        #include <stdlib.h>
        double premium(int age, char gender);
        int main(int argc, char **argv)
        {
            char gender = 'M';  /* FL403: gender */
            int age = atoi(argv[1]);
            if (argc > 2)
                gender = argv[2][0];
            return premium(age, gender) > 100;
        }
        """,
    "unknown": """
        #include <string.h>
        struct applicant { char gender[20]; int income; };
        void complete(struct applicant *a)
        {
            if (a->gender[0] == '\\0')
                strcpy(a->gender, "unknown");
        }
        """,
    "two groups of a flag": """
        struct person { int is_male; };
        const char *gender_of(const struct person *p)
        {
            const char *gender;
            if (p->is_male)
                gender = "male";
            else
                gender = "female";
            return gender;
        }
        """,
}

TABLES = "import numpy as np, pandas as pd, polars as pl, pyspark.sql.functions as F\n"


@pytest.mark.parametrize("code", DEFAULTS.values(), ids=DEFAULTS)
def test_a_group_that_is_a_default_is_told(code: str) -> None:
    got, wanted = compared(code)
    assert got == wanted != []


@pytest.mark.parametrize("code", SILENT_DEFAULTS.values(), ids=SILENT_DEFAULTS)
def test_a_default_that_assumes_nothing_is_silent(code: str) -> None:
    assert told(code) == []


@pytest.mark.parametrize("code", FILLINGS.values(), ids=FILLINGS)
def test_a_gap_that_is_filled_with_a_group_is_told(code: str) -> None:
    got, wanted = compared(TABLES + textwrap.dedent(code).lstrip("\n"))
    assert got == wanted != []


@pytest.mark.parametrize("code", SILENT_FILLINGS.values(), ids=SILENT_FILLINGS)
def test_other_fillings_are_silent(code: str) -> None:
    assert told(TABLES + textwrap.dedent(code).lstrip("\n")) == []


@pytest.mark.parametrize("code", C.values(), ids=C)
def test_c(code: str) -> None:
    got, wanted = compared(code, "c")
    assert got == wanted


@pytest.mark.parametrize(
    "path", ["tests/people.py", "test_intake.py", "app/fakers/person.py", "conftest.py", "fixtures/person.py"]
)
def test_a_file_of_made_up_people_takes_more_than_its_name(path: str) -> None:
    code = 'def applicant(income=10, gender="male"): ...\n'
    weak = 'def f(applicant):\n    return applicant.get("race", "White")\n'
    assert told(code, path=path) == told(code) == ["1 FL403 warning: gender"]
    assert (told(weak), told(weak, path=path)) == (["2 FL403 warning: race"], ["2 FL403 note: race"])
    assert told(f"import pytest\n{code}", path="tests/people.py") == ["2 FL403 note: gender"]


def test_the_way_names_what_is_assumed() -> None:
    code = 'MODE = "White"\ndef f(applicant):\n    return applicant.get("race", MODE)\n'
    report = check_source(code, path="intake.py", language="python")
    (finding,) = report.findings
    assert finding.message == "race defaults to white: `race`"
    assert [step.message for step in finding.flow] == ["race is named here", "'white' is assumed"]


def test_names_that_go_in_circles_end() -> None:
    code = """
    import pandas as pd
    a = b
    b = a
    gender = str(gender)
    race = [race]
    df["race"] = df["race"].fillna(a)
    def f(x, gender=a):
        gender = str(gender)
        if gender in race or not gender:
            gender = f(f(gender))
        return gender
    """
    assert told(code) == []


@pytest.mark.parametrize(
    ("head", "confidence"),
    [
        ("import pandas as pd\ndf = pd.read_csv('people.csv')", "high"),
        ("import pandas as pd\nfrom loading import df", "medium"),
        ("from loading import df", "medium"),
        ("from gridlib import Sheet\ndf = Sheet()", ""),
    ],
)
def test_whose_method_fills_a_gap_is_known_or_said(head: str, confidence: str) -> None:
    fills = "df['race'] = df['race'].fillna('White')"
    report = check_source(
        f"{head}\n{fills}\nprint(df['age'], df['income'])\n",
        path="work.py",
        settings=Settings(min_severity="note"),
    )
    told = [one for one in report.findings if one.rule == "FL404"]
    assert [one.confidence for one in told] == ([confidence] if confidence else [])
    for one in told:
        reasons = " ".join(item.reason for item in one.use.evidence)
        assert ("known by its name alone" in reasons) == (confidence == "medium")
