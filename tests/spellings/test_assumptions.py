"""A group, column or code is the same one however the code spells it: defaults, imputations, encodings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from spelled import c, python

import fairlint
from fairlint.config import Settings

NAMED = "TITLES = {{'race': 'Race', 'gender': 'Gender'}}\n"
"""What names no attribute anywhere is not looked at, so a name that is put together stands somewhere else, too."""
RULES = {"FL401", "FL402", "FL403", "FL404"}

PYTHON: dict[str, tuple[str | int, str]] = {
    "FL403 a look-up, the group": ("White", "def read(row):\n    return row.get('race', {X})\n"),
    "FL403 a look-up, the field": (
        "race",
        "def read(row):\n    del row['gender']\n    return row.get({X}, 'White')\n",
    ),
    "FL403 a parameter": ("male", "def quote(income, gender={X}): ...\n"),
    "FL403 a field of a class": (
        "male",
        "from dataclasses import dataclass\n@dataclass\nclass Borrower:\n    income: float\n    gender: str = {X}\n",
    ),
    "FL403 a field of pydantic": (
        "male",
        "from pydantic import BaseModel, Field\n"
        "class Borrower(BaseModel):\n    income: float\n    gender: str = Field(default={X})\n",
    ),
    "FL403 an option, the group": (
        "male",
        "import argparse\nparser = argparse.ArgumentParser(description='score one loan applicant')\n"
        "parser.add_argument('--gender', default={X})\n",
    ),
    "FL403 an option, its name": (
        "--gender",
        "import argparse\nparser = argparse.ArgumentParser(description='score one loan applicant, by gender')\n"
        "parser.add_argument({X}, default='male')\n",
    ),
    "FL403 or": (
        "male",
        "def read(applicant):\n    gender = applicant['gender'] or {X}\n    return gender\n",
    ),
    "FL403 a choice": (
        "male",
        "def read(applicant):\n    return {X} if applicant.gender is None else applicant.gender\n",
    ),
    "FL404 if not": (
        "male",
        "def clean(applicant):\n    if not applicant.gender:\n        applicant.gender = {X}\n    return applicant\n",
    ),
    "FL404 what counts as missing": (
        "unknown",
        "def clean(applicant):\n    if applicant.gender == {X}:\n        applicant.gender = 'male'\n"
        "    return applicant\n",
    ),
    "FL404 fillna, the group": ("White", "import pandas as pd\ndf['race'] = df['race'].fillna({X})\n"),
    "FL404 fillna, the column": ("race", "import pandas as pd\ndf[{X}] = df[{X}].fillna('White')\n"),
    "FL404 fillna by a table": ("race", "import pandas as pd\ndf = df.fillna({{{X}: 'White'}})\n"),
    "FL404 np.where": (
        "White",
        "import numpy as np\nimport pandas as pd\ndf['race'] = np.where(df['race'].isna(), {X}, df['race'])\n",
    ),
    "FL404 under a mask": (
        "race",
        "import pandas as pd\ndf.loc[df[{X}].isna(), {X}] = 'White'\n",
    ),
    "FL404 an imputer, the column": (
        "race",
        "from sklearn.impute import SimpleImputer\nimport pandas as pd\n"
        "out = SimpleImputer(strategy='most_frequent').fit_transform(df[['income', {X}]])\n",
    ),
    "FL404 an imputer, its strategy": (
        "most_frequent",
        "from sklearn.impute import SimpleImputer\nimport pandas as pd\n"
        "out = SimpleImputer(strategy={X}).fit_transform(df[['income', 'race']])\n",
    ),
    "FL401 a table, a group": (
        "White",
        "import pandas as pd\ndf['race'] = df['race'].map({{{X}: 2, 'Black': 1, 'Asian': 0}})\n",
    ),
    "FL401 a table, the column": (
        "race",
        "import pandas as pd\ndf[{X}] = df[{X}].map({{'White': 2, 'Black': 1, 'Asian': 0}})\n",
    ),
    "FL401 a table, a code": (
        2,
        "import pandas as pd\ndf['race'] = df['race'].map({{'White': {X}, 'Black': 1, 'Asian': 0}})\n",
    ),
    "FL401 an encoder": (
        "race",
        "import pandas as pd\nfrom sklearn.preprocessing import LabelEncoder\n"
        "df['code'] = LabelEncoder().fit_transform(df[{X}])\n",
    ),
    "FL401 branches, a group": (
        "White",
        "def encode_race(race):\n    if race == {X}:\n        return 2\n"
        "    if race == 'Black':\n        return 1\n    return 0\n",
    ),
    "FL401 branches, a code": (
        2,
        "def encode_race(race):\n    if race == 'White':\n        return {X}\n"
        "    if race == 'Black':\n        return 1\n    return 0\n",
    ),
    "FL402 a table": ("Male", "import pandas as pd\ndf['sex'] = df['sex'].map({{{X}: 1, 'Female': 0}})\n"),
    "FL402 a cast": ("Male", "import pandas as pd\ndf['sex'] = (df['sex'] == {X}).astype(int)\n"),
    "FL402 np.where, the code": (
        1,
        "import numpy as np\nimport pandas as pd\ndf['sex'] = np.where(df['sex'] == 'Male', {X}, 0)\n",
    ),
    "FL402 dummies": (
        "gender",
        "import pandas as pd\ndf = pd.get_dummies(df, columns=[{X}, 'city'], drop_first=True)\n",
    ),
}

GROUP = ("enum gender { UNKNOWN, MALE, FEMALE };\n", "MALE")
RACE = ("enum race { RACE_BLACK = 1, RACE_WHITE };\n", "RACE_WHITE")

C: dict[str, tuple[str | int, tuple[str, str], str]] = {
    "FL403 a field": (
        "male",
        GROUP,
        "#include <string.h>\nstruct applicant {{ {FIELD} int income; }};\n"
        "void complete(struct applicant *a)\n{{\n    if (!a->gender)\n        a->gender = {X};\n}}\n",
    ),
    "FL403 a choice": (
        "male",
        GROUP,
        "struct applicant {{ {FIELD} int income; }};\n"
        "void complete(struct applicant *a)\n{{\n    a->gender = a->gender ? a->gender : {X};\n}}\n",
    ),
    "FL403 a record that is made": (
        "male",
        GROUP,
        "struct applicant {{ {FIELD} int income; }};\n"
        "void applicant_init(struct applicant *a)\n{{\n    a->gender = {X};\n    a->income = 0;\n}}\n",
    ),
    "FL401 a code": (
        2,
        ("enum codes { FIRST = 2 };\n", "FIRST"),
        "#include <string.h>\nint encode_race(const char *race)\n{{\n"
        '    if (strcmp(race, "White") == 0)\n        return {X};\n'
        '    if (strcmp(race, "Black") == 0)\n        return 1;\n    return 0;\n}}\n',
    ),
    "FL401 a group": (
        "White",
        RACE,
        "#include <string.h>\nint encode_race({FIELD})\n{{\n"
        "    if ({TEST})\n        return 2;\n"
        "    if ({OTHER})\n        return 1;\n    return 0;\n}}\n",
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


@pytest.mark.parametrize("case", PYTHON)
def test_python(case: str) -> None:
    value, code = PYTHON[case]
    spelled = {
        name: told(setup + (NAMED + code).format(X=written), "prepare.py")
        for name, (setup, written) in python(value).items()
    }

    wanted = spelled["literal"]
    assert [rule for rule, *_ in wanted] == [case.partition(" ")[0]]
    assert {name: found for name, found in spelled.items() if found != wanted} == {}


@pytest.mark.parametrize("case", C)
def test_c(case: str) -> None:
    value, enum, code = C[case]
    spelled = {}
    for name, (setup, written) in c(value, enum).items():
        by_enum = name == "member of an enum" and isinstance(value, str)
        attribute = "gender" if "gender" in code else "race"
        field = f"enum {attribute} {attribute}" if by_enum else f"const char *{attribute}"
        test, other = f"strcmp(race, {written}) == 0", 'strcmp(race, "Black") == 0'
        if by_enum:
            test, other = f"race == {written}", "race == RACE_BLACK"
        semicolon = ";" if "struct" in code else ""
        text = code.format(FIELD=field + semicolon, X=written, TEST=test, OTHER=other)
        spelled[name] = told(setup + text, "prepare.c")

    wanted = spelled["literal"]
    assert [rule for rule, *_ in wanted] == [case.partition(" ")[0]]
    assert {name: found for name, found in spelled.items() if found != wanted} == {}
