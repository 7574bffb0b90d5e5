"""Which codes rank groups or leave room for two only, in how many ways they are written, and which do neither."""

from __future__ import annotations

import textwrap

import pytest
from expectations import Marked, read_code

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

TABLES = "import numpy as np, pandas as pd, polars as pl, sklearn\n"


def found(code: str, path: str = "prepare.py") -> list[Finding]:
    """What is said of encodings."""
    text = program(code).code
    report = check_source(text, path=path, language="python", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return [finding for finding in report.findings if finding.rule in {"FL401", "FL402"}]


def told(code: str) -> list[str]:
    """The same in short."""
    return [f"{one.start.line} {one.rule} {one.severity}: {one.use.attribute}" for one in found(code)]


def wanted(code: str) -> list[str]:
    """What the comments of a program expect: the severity of the rule if they say nothing."""
    usual = {"FL401": "warning", "FL402": "note"}
    return [
        f"{one.line} {one.rule} {one.severity or usual[one.rule]}: {one.attribute}"
        for one in program(code).expected
    ]


def program(code: str) -> Marked:
    return read_code(TABLES + textwrap.dedent(code).lstrip("\n"))


RANKED: dict[str, str] = {
    "a table": 'df["race"] = df["race"].map({"White": 2, "Black": 1, "Asian": 0})  # FL401: race',
    "a table of two that is no yes and no": """
        df["race"] = df["race"].map({"White": 2, "Black": 0})  # FL401: race
        """,
    "a table by name": """
        ORDER_OF_FAITHS = {"Christian": 3, "Muslim": 2, "Hindu": 1}
        df["religion_code"] = df["religion"].str.strip().map(ORDER_OF_FAITHS)  # FL401: religion
        """,
    "replace": 'df["race"] = df["race"].replace({"White": 2, "Black": 1, "Asian": 0})  # FL401: race',
    "replace with two lists": """
        # FL401: marital_status
        df["marital_status"] = df["marital_status"].replace(["single", "married", "divorced"], [0, 1, 2])
        """,
    "replace of a frame": """
        # FL401: ethnicity
        df = df.replace({"ethnicity": {"Hispanic": 1, "Black": 2, "White": 3}, "income": {"-": 0}})
        """,
    "tables in a loop": """
        # FL401: race
        CODES = {"race": {"White": 0, "Black": 1, "Asian": 2}, "workclass": {"Private": 0, "Gov": 1}}
        for column, table in CODES.items():
            df[column] = df[column].map(table)
        """,
    "a lambda with a table": """
        df["race"] = df["race"].apply(lambda r: {"White": 2, "Black": 1, "Asian": 0}[r])  # FL401: race
        """,
    "a table's get": """
        table = {"White": 2, "Black": 1, "Asian": 0}
        df["race_code"] = df["race"].map(table.get)  # FL401: race
        df["race2"] = df["race"].apply(lambda r: table.get(r, -1))  # FL401: race
        """,
    "np.select": """
        tests = [df["race"] == "White", df["race"] == "Black", df["race"] == "Asian"]
        df["race_code"] = np.select(tests, [3, 2, 1], default=0)  # FL401: race
        """,
    "np.where in np.where": """
        df["race"] = np.where(df["race"] == "White", 2, np.where(df["race"] == "Black", 1, 0))  # FL401: race
        """,
    "branches of a function that is applied": """
        def number(value):
            if value == "White":  # FL401: race
                return 2
            elif value == "Black":
                return 1
            else:
                return 0

        df["race"] = df["race"].apply(number)
        """,
    "one return after another": """
        def encode_religion(religion):
            if religion == "Christian":  # FL401: religion
                return 0
            if religion == "Muslim":
                return 1
            return 2
        """,
    "a match": """
        def encode_marital_status(status, marital_status):
            match marital_status:  # FL401: marital_status
                case "single":
                    return 0
                case "married":
                    return 1
                case _:
                    return 2
        """,
    "a list of features": """
        RACES = {"White": 0, "Black": 1, "Asian": 2}

        def features(applicant):
            return [applicant.income, applicant.years, RACES[applicant.race]]  # FL401: race
        """,
    "a label encoder": """
        from sklearn.preprocessing import LabelEncoder

        encoder = LabelEncoder()
        df["race"] = encoder.fit_transform(df["race"])  # FL401: race
        """,
    "label encoders of a loop": """
        from sklearn.preprocessing import LabelEncoder

        encoders = {}
        for column in ["workclass", "native-country", "race"]:  # FL401: national_origin; FL401: race
            encoders[column] = LabelEncoder()
            df[column] = encoders[column].fit_transform(df[column])
        """,
    "a label encoder that is applied": """
        from sklearn.preprocessing import LabelEncoder

        df[["race", "job"]] = df[["race", "job"]].apply(LabelEncoder().fit_transform)  # FL401: race
        """,
    "an ordinal encoder of a pipeline": """
        from sklearn.compose import make_column_transformer
        from sklearn.preprocessing import OrdinalEncoder, StandardScaler

        numbers = ["income"]
        words = ["religion", "job"]  # FL401: religion
        prepare = make_column_transformer((StandardScaler(), numbers), (OrdinalEncoder(), words))
        """,
    "codes of a category": 'df["race"] = df["race"].astype("category").cat.codes  # FL401: race',
    "factorize": """
        df["race"] = pd.factorize(df["race"])[0]  # FL401: race
        df["religion"], names = df["religion"].factorize()  # FL401: religion
        """,
    "an ordered category": """
        df["race"] = pd.Categorical(df["race"], categories=["Black", "White"], ordered=True)  # FL401: race
        """,
    "an ordered type": """
        order = pd.CategoricalDtype(["Black", "Asian", "White"], ordered=True)
        df["race"] = df["race"].astype(order)  # FL401: race
        """,
    "polars": """
        # FL401: race
        people = people.with_columns(pl.col("race").replace_strict({"White": 2, "Black": 1, "Asian": 0}))
        people = people.with_columns(
            pl.when(pl.col("religion") == "Christian").then(2)  # FL401: religion
            .when(pl.col("religion") == "Muslim").then(1)
            .otherwise(0).alias("religion")
        )
        """,
    "Spark": """
        from pyspark.ml.feature import StringIndexer
        from pyspark.sql import functions as F

        index = StringIndexer(inputCol="race", outputCol="race_index")  # FL401: race
        people = people.withColumn(
            # FL401: religion
            "faith", F.when(F.col("religion") == "Hindu", 2).when(F.col("religion") == "Sikh", 1).otherwise(0)
        )
        """,
    "an enum's numbers": """
        from enum import IntEnum

        class Race(IntEnum):
            WHITE = 3
            BLACK = 2
            ASIAN = 1

        df["race"] = df["race"].map(lambda r: Race[r.upper()].value)  # FL401: race
        """,
    "three genders": """
        df["gender"] = df["gender"].map({"male": 0, "female": 1, "nonbinary": 2})  # FL401: gender
        """,
    "the codes of a Categorical": 'df["race"] = pd.Categorical(df["race"]).codes  # FL401: race',
    "two lists": """
        df["race"] = df["race"].map(dict(zip(["White", "Asian", "Black"], range(3))))  # FL401: race
        """,
    "keywords": 'df["race"] = df["race"].map(dict(White=2, Asian=1, Black=0))  # FL401: race',
    "in a group or not": 'df["race"] = df["race"].map({"White": 1, "Black": 0})  # FL401 note: race',
}

BINARY: dict[str, str] = {
    "a table": 'df["Gender"] = df["Gender"].map({"Male": 1, "Female": 0})  # FL402: gender',
    "a table by letters": 'df["Sex"] = df["Sex"].replace({"M": 0, "F": 1}).astype(int)  # FL402: gender',
    "a chain of replace": """
        df["gender"] = df["gender"].replace("Male", 1).replace("Female", 0)  # FL402: gender
        """,
    "np.where": 'df["male"] = np.where(df["sex"] == "Male", 1, 0)  # FL402: gender',
    "a choice": 'row["gender"] = 1 if applicant["gender"] == "Male" else 0  # FL402: gender',
    "a lambda": 'df["sex"] = df["sex"].apply(lambda s: 1 if s == "male" else 0)  # FL402: gender',
    "a cast": 'df["sex"] = (df["sex"] == "M").astype(int)  # FL402: gender',
    "a cast of eq": 'df["sex"] = df["sex"].eq("M").astype("int8")  # FL402: gender',
    "int": 'features = [applicant.income, int(applicant.gender == "male")]  # FL402: gender',
    "times one": 'df["sex"] = (df["sex"] == "M") * 1  # FL402: gender',
    "a list of codes": 'df["sex"] = [1 if s == "Male" else 0 for s in df["sex"]]  # FL402: gender',
    "groups that a table tells from another attribute": """
        df["who"] = df["personal_status_sex"].map({"A91": "male", "A92": "female", "A93": "male"})
        kept = {"who": df["who"].values, "age": df["age"].values}
        for one in ["who", "age"]:
            codes = pd.Series(kept[one][rows]).map({"male": 1, "female": 0})  # FL402: gender
        """,
    "an encoder that a function may have loaded": """
        loaded = None
        def load(path):
            global loaded
            loaded = joblib.load(path)
        def prepare(path):
            df = pd.read_csv(path)
            if loaded is not None:
                for col in ["gender", "town"]:  # FL402: gender
                    if col not in loaded:
                        df[col] = sklearn.preprocessing.LabelEncoder().fit_transform(df[col])
        """,
    "the first dummy is dropped": """
        df = pd.get_dummies(df, columns=["gender", "city"], drop_first=True)  # FL402: gender
        """,
    "a label encoder": """
        from sklearn.preprocessing import LabelEncoder

        df["gender"] = LabelEncoder().fit_transform(df["gender"])  # FL402: gender
        """,
}

SILENT: dict[str, str] = {
    "bands of an age": 'df["age_group"] = df["age_group"].map({"young": 0, "middle": 1, "elder": 2})',
    "degrees": 'df["education"] = df["education"].map({"bachelor": 1, "master": 2, "phd": 3})',
    "yes and no": """
        df["Married"] = df["Married"].map({"Yes": 1, "No": 0})
        df["disability"] = df["disability"].map({"Yes": 1, "No": 0})
    """,
    "one column a group": """
        df = pd.get_dummies(df, columns=["race", "gender"])
        df["race_white"] = (df["race"] == "White").astype(int)
    """,
    "an unknown with a code": 'df["gender"] = df["gender"].map({"male": 0, "female": 1, "unknown": 2})',
    "words": 'df["race"] = df["race"].map({"White": "white", "Caucasian": "white", "B": "black"})',
    "a mask": """
        privileged = (df["sex"] == "Male").astype(int)
        sensitive_features = df["race"].map({"White": 0, "Black": 1, "Asian": 2})
        df["protected_group"] = np.where(df["sex"] == "Female", 1, 0)
    """,
    "figures": """
        women = (df["sex"] == "Female").astype(int).sum()
        share = np.mean([1 if s == "Female" else 0 for s in df["sex"]])
        men = sum(1 if person.gender == "male" else 0 for person in people)
    """,
    "colours and places of a plot": """
        colors = df["race"].map({"White": 0, "Black": 1, "Asian": 2})
        x_position = {"White": 0, "Black": 1, "Asian": 2}[applicant.race]
    """,
    "the key of a row": """
        RACE_IDS = {"White": 1, "Black": 2, "Asian": 3}
        def insert(cursor, person):
            race_id = RACE_IDS[person["race"]]
            cursor.execute("INSERT INTO people (name, race_id) VALUES (?, ?)", (person["name"], race_id))
    """,
    "an order to sort by": """
        df["sort_order"] = df["race"].map({"White": 0, "Black": 1, "Asian": 2})
    """,
    "a question": """
        def is_male(person):
            return 1 if person.gender == "male" else 0
    """,
    "the plug of a cable": 'df["gender"] = df["gender"].map({"plug": 1, "socket": 0})',
    "chess": """
        def value(piece):
            return {"white": 1, "black": -1}[piece.color]
    """,
}


@pytest.mark.parametrize("code", RANKED.values(), ids=RANKED)
def test_ranked_groups_are_told(code: str) -> None:
    assert told(code) == wanted(code) != []


@pytest.mark.parametrize("code", BINARY.values(), ids=BINARY)
def test_two_codes_for_gender_are_noted(code: str) -> None:
    assert told(code) == wanted(code) != []


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_other_codes_are_silent(code: str) -> None:
    assert told(code) == []


def test_the_table_of_codes_is_told() -> None:
    code = """
    TABLE = {"White": 2, "Black": 1, "Asian": 0}
    df["race"] = df["race"].map(TABLE)
    """
    (finding,) = found(code)
    assert finding.message == "race becomes ranked numbers: white = 2, black = 1, asian = 0"
    assert [(step.start.line, step.message) for step in finding.flow] == [
        (2, "the table of codes"),
        (3, "groups become numbers here"),
    ]
    assert finding.points is not None
    assert dict(finding.points.by_group) == {"white": 2, "black": 1, "asian": 0}


def test_a_score_is_told_as_a_score_only() -> None:
    code = """
    def score_applicant(applicant):
        score = applicant.years
        score += {"White": 3, "Black": 1, "Asian": 2}[applicant.race]
        return score
    """
    assert told(code) == []


def test_an_audit_gets_a_note_at_most() -> None:
    code = """
    from aif360.datasets import BinaryLabelDataset

    df["race"] = df["race"].map({"White": 3, "Black": 1, "Asian": 2})  # FL401 note: race
    """
    assert told(code) == wanted(code) != []
