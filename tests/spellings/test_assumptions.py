"""A group, column or code is the same one however the code spells it: defaults, imputations, encodings."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from spelled import c, python

import fairlint
from fairlint.config import Settings

NAMED = "TITLES = {'race': 'Race', 'gender': 'Gender'}\n"
"""What names no attribute anywhere is not looked at: a name that is put together stands whole elsewhere."""
RULES = {"FL401", "FL402", "FL403", "FL404"}

PYTHON: dict[str, tuple[str | int, str]] = {
    "FL403 a look-up, the group": (
        "White",
        """
        def read(row):
            return row.get("race", <X>)
        """,
    ),
    "FL403 a look-up, the field": (
        "race",
        """
        def read(row):
            del row["gender"]
            return row.get(<X>, "White")
        """,
    ),
    "FL403 a parameter": ("male", "def quote(income, gender=<X>): ..."),
    "FL403 a field of a data class": (
        "male",
        """
        from dataclasses import dataclass

        @dataclass
        class Borrower:
            income: float
            gender: str = <X>
        """,
    ),
    "FL403 a field of pydantic": (
        "male",
        """
        from pydantic import BaseModel, Field

        class Borrower(BaseModel):
            income: float
            gender: str = Field(default=<X>)
        """,
    ),
    "FL403 an option, the group": (
        "male",
        """
        import argparse

        parser = argparse.ArgumentParser(description="score one loan applicant")
        parser.add_argument("--gender", default=<X>)
        """,
    ),
    "FL403 an option, its name": (
        "--gender",
        """
        import argparse

        parser = argparse.ArgumentParser(description="score one loan applicant")
        parser.add_argument(<X>, default="male")
        """,
    ),
    "FL403 an option of a command": (
        "male",
        """
        import click

        @click.command()
        @click.option("--gender", default=<X>)
        def quote_premium(gender, income):
            return premium(gender, income)
        """,
    ),
    "FL403 or": (
        "male",
        """
        def read(applicant):
            gender = applicant["gender"] or <X>
            return gender
        """,
    ),
    "FL403 a choice": (
        "male",
        """
        def read(applicant):
            return <X> if applicant.gender is None else applicant.gender
        """,
    ),
    "FL404 if not": (
        "male",
        """
        def clean(applicant):
            if not applicant.gender:
                applicant.gender = <X>
            return applicant
        """,
    ),
    "FL404 what counts as missing": (
        "unknown",
        """
        def clean(applicant):
            if applicant.gender == <X>:
                applicant.gender = "male"
            return applicant
        """,
    ),
    "FL404 fillna, the group": (
        "White",
        """
        import pandas as pd
        df["race"] = df["race"].fillna(<X>)
        """,
    ),
    "FL404 fillna, the column": (
        "race",
        """
        import pandas as pd
        df[<X>] = df[<X>].fillna("White")
        """,
    ),
    "FL404 fillna by a table": (
        "race",
        """
        import pandas as pd
        df = df.fillna({<X>: "White"})
        """,
    ),
    "FL404 np.where": (
        "White",
        """
        import numpy as np
        import pandas as pd
        df["race"] = np.where(df["race"].isna(), <X>, df["race"])
        """,
    ),
    "FL404 under a mask": (
        "race",
        """
        import pandas as pd
        df.loc[df[<X>].isna(), <X>] = "White"
        """,
    ),
    "FL404 an imputer, the column": (
        "race",
        """
        import pandas as pd
        from sklearn.impute import SimpleImputer
        out = SimpleImputer(strategy="most_frequent").fit_transform(df[["income", <X>]])
        """,
    ),
    "FL404 an imputer, its strategy": (
        "most_frequent",
        """
        import pandas as pd
        from sklearn.impute import SimpleImputer
        out = SimpleImputer(strategy=<X>).fit_transform(df[["income", "race"]])
        """,
    ),
    "FL401 a table, a group": (
        "White",
        """
        import pandas as pd
        df["race"] = df["race"].map({<X>: 2, "Black": 1, "Asian": 0})
        """,
    ),
    "FL401 a table, the column": (
        "race",
        """
        import pandas as pd
        df[<X>] = df[<X>].map({"White": 2, "Black": 1, "Asian": 0})
        """,
    ),
    "FL401 a table, a code": (
        2,
        """
        import pandas as pd
        df["race"] = df["race"].map({"White": <X>, "Black": 1, "Asian": 0})
        """,
    ),
    "FL401 an encoder": (
        "race",
        """
        import pandas as pd
        from sklearn.preprocessing import LabelEncoder
        df["code"] = LabelEncoder().fit_transform(df[<X>])
        """,
    ),
    "FL401 branches, a group": (
        "White",
        """
        def encode_race(race):
            if race == <X>:
                return 2
            if race == "Black":
                return 1
            return 0
        """,
    ),
    "FL401 branches, a code": (
        2,
        """
        def encode_race(race):
            if race == "White":
                return <X>
            if race == "Black":
                return 1
            return 0
        """,
    ),
    "FL402 a table": (
        "Male",
        """
        import pandas as pd
        df["sex"] = df["sex"].map({<X>: 1, "Female": 0})
        """,
    ),
    "FL402 a cast": (
        "Male",
        """
        import pandas as pd
        df["sex"] = (df["sex"] == <X>).astype(int)
        """,
    ),
    "FL402 np.where, the code": (
        1,
        """
        import numpy as np
        import pandas as pd
        df["sex"] = np.where(df["sex"] == "Male", <X>, 0)
        """,
    ),
    "FL402 dummies": (
        "gender",
        """
        import pandas as pd
        df = pd.get_dummies(df, columns=[<X>, "city"], drop_first=True)
        """,
    ),
}

GENDER = ("enum gender { UNKNOWN, MALE, FEMALE };\n", "MALE")
RACE = ("enum race { RACE_BLACK = 1, RACE_WHITE };\n", "RACE_WHITE")
CODE = ("enum codes { FIRST = 2 };\n", "FIRST")

C: dict[str, tuple[str | int, tuple[str, str], str]] = {
    "FL403 a field": (
        "male",
        GENDER,
        """
        struct applicant { <GENDER>; int income; };
        void complete(struct applicant *a)
        {
            if (!a->gender)
                a->gender = <X>;
        }
        """,
    ),
    "FL403 a choice": (
        "male",
        GENDER,
        """
        struct applicant { <GENDER>; int income; };
        void complete(struct applicant *a)
        {
            a->gender = a->gender ? a->gender : <X>;
        }
        """,
    ),
    "FL403 a record that is made": (
        "male",
        GENDER,
        """
        struct applicant { <GENDER>; int income; };
        void applicant_init(struct applicant *a)
        {
            a->gender = <X>;
            a->income = 0;
        }
        """,
    ),
    "FL401 a code": (
        2,
        CODE,
        """
        #include <string.h>
        int encode_race(const char *race)
        {
            if (strcmp(race, "White") == 0)
                return <X>;
            if (strcmp(race, "Black") == 0)
                return 1;
            return 0;
        }
        """,
    ),
    "FL401 a group": (
        "White",
        RACE,
        """
        #include <string.h>
        int encode_race(<RACE>)
        {
            if (<IS_X>)
                return 2;
            if (<IS_BLACK>)
                return 1;
            return 0;
        }
        """,
    ),
}

Told = tuple[str, str, tuple[str, ...], dict[str, float]]


def told(code: str, path: str) -> list[Told]:
    """What is said of assumed and coded groups: rule, attribute, groups, codes."""
    report = fairlint.check_source(code, path=path, settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return [
        (
            finding.rule,
            finding.use.attribute,
            finding.use.groups,
            dict(finding.points.by_group) if finding.points is not None else {},
        )
        for finding in report.findings
        if finding.rule in RULES
    ]


def differing(case: str, spelled: dict[str, list[Told]]) -> dict[str, list[Told]]:
    """What is told of spellings that are not told of like the literal."""
    wanted = spelled["literal"]
    assert [rule for rule, *_ in wanted] == [case.partition(" ")[0]]
    return {name: found for name, found in spelled.items() if found != wanted}


@pytest.mark.parametrize("case", PYTHON)
def test_python(case: str) -> None:
    value, code = PYTHON[case]
    code = NAMED + dedent(code).lstrip("\n")

    found = {
        name: told(setup + code.replace("<X>", written), "prepare.py")
        for name, (setup, written) in python(value).items()
    }

    assert differing(case, found) == {}


@pytest.mark.parametrize("case", C)
def test_c(case: str) -> None:
    value, enum, code = C[case]
    found = {}
    for name, (setup, written) in c(value, enum).items():
        by_enum = written == enum[1] and isinstance(value, str)
        is_white, is_black = (
            (f"race == {written}", "race == RACE_BLACK")
            if by_enum
            else (f"strcmp(race, {written}) == 0", 'strcmp(race, "Black") == 0')
        )
        type_ = "enum {0} {0}" if by_enum else "const char *{0}"
        text = (
            dedent(code).replace("<X>", written).replace("<IS_X>", is_white).replace("<IS_BLACK>", is_black)
        )
        for attribute in ("gender", "race"):
            text = text.replace(f"<{attribute.upper()}>", type_.format(attribute))
        found[name] = told(setup + text, "prepare.c")

    assert differing(case, found) == {}
