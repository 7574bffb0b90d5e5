"""Fixes: each removes its finding, adds none, and leaves everything else as it was."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from fairlint import check_source
from fairlint.config import Settings
from fairlint.fixes import fixes_of
from fairlint.fixes.text import apply_edits

SETTINGS = Settings(min_severity="note")


def fixed(code: str, rule: str) -> list[str]:
    """What becomes of some code by each fix of a rule that is proposed for it."""
    report = check_source(code, path="a.py", settings=SETTINGS)
    fixes = fixes_of(report.sources["a.py"], report.findings)
    return [
        apply_edits(code.encode(), fixes[one.identity].edits).decode()
        for one in report.findings
        if one.rule == rule and one.identity in fixes
    ]


MODEL = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression

loans = pd.read_csv("loans.csv")
FEATURES = {}
LogisticRegression().fit(loans[FEATURES], loans["repaid"])
"""
LISTS = {
    '["income", "sex"]': '["income"]',
    '["income", "sex", ]': '["income", ]',
    '["sex", "income"]': '["income"]',
    '["debt", "sex", "income"]': '["debt", "income"]',
    '[\n    "income",\n    "sex",  # so it was\n    "debt",\n]': '[\n    "income",\n    "debt",\n]',
    '[\n    "income",  # a\n    "sex"  # b\n]': '[\n    "income",  # a\n]',
    '["income",  # a\n "sex"]': '["income",  # a\n ]',
    '["sex",\n "income"]': '[\n "income"]',
    '["debt", "sex",\n "income"]': '["debt",\n "income"]',
    '("debt", "sex", "income")': '("debt", "income")',
}


@pytest.mark.parametrize("before", LISTS)
def test_a_column_goes_out_of_its_list(before: str) -> None:
    assert fixed(MODEL.format(before), "FL301") == [MODEL.format(LISTS[before])]


@pytest.mark.parametrize("listed", ['["sex"]', '["income"] + ["sex"]'])
def test_the_last_column_stays(listed: str) -> None:
    assert fixed(MODEL.format(listed), "FL301") == []


AUDIT = """\
import pandas as pd
from fairlearn.metrics import MetricFrame
from sklearn.linear_model import LogisticRegression

loans = pd.read_csv("loans.csv")
X = loans[["income", "debt"{}]]
model = LogisticRegression().fit(X, loans["repaid"])
MetricFrame(metrics=rate, y_true=loans["repaid"], y_pred=model.predict(X), sensitive_features={}["sex"])
"""


def test_a_column_moves_from_the_features_to_the_audit() -> None:
    before = AUDIT.format(', "sex"', "X")
    report = check_source(before, path="a.py", settings=SETTINGS)
    fixes = [fix for one in report.findings for fix in fixes_of(report.sources["a.py"], [one]).values()]
    assert [one.title for one in fixes] == ["move the column `sex` out of `X` into `sensitive_features=`"]
    assert apply_edits(before.encode(), fixes[0].edits).decode() == AUDIT.format("", "loans")


def test_a_column_that_is_read_where_nobody_can_give_it_stays() -> None:
    code = (
        MODEL.format('["income", "sex"]') + "X = loans[FEATURES]\ntrain, test = split(X)\nprint({}['sex'])\n"
    )
    assert fixed(code.format("loans"), "FL301") != []
    assert fixed(code.format("test"), "FL301") == []


COMMENTS = {
    "    return 1  # fairlint: ignore[FL102] -- why\n": "    return 1\n",
    "    return 1  # fairlint: ignore[FL102] -- why  # noqa: X1\n": "    return 1  # noqa: X1\n",
    "    return 1  # noqa: X1  # fairlint: ignore[FL102] -- why\n": "    return 1  # noqa: X1\n",
    "    # fairlint: ignore[FL102] -- why\n    return 1\n": "    return 1\n",
}


@pytest.mark.parametrize("before", COMMENTS)
def test_a_comment_that_puts_nothing_aside_is_deleted(before: str) -> None:
    assert fixed(f"def total(prices):\n{before}", "FL904") == [f"def total(prices):\n{COMMENTS[before]}"]


SCORE = """\
def points(applicant):
    score = applicant.years
{}    return score
"""


@pytest.mark.parametrize(
    ("named", "left"),
    [("FL201, FL102", "FL201"), ("FL102, FL201", "FL201"), ("FL201,FL102,FL204", "FL201,FL204")],
)
def test_a_rule_that_puts_nothing_aside_goes_out_of_its_brackets(named: str, left: str) -> None:
    branch = '    if applicant.gender == "male":  # fairlint: ignore[{}] -- why\n        score += 5\n'
    report = check_source(SCORE.format(branch.format(named)), path="a.py", settings=SETTINGS)
    unused = [one for one in report.findings if one.use.detail == "FL102"]
    (fix,) = fixes_of(report.sources["a.py"], unused).values()
    changed = apply_edits(SCORE.format(branch.format(named)).encode(), fix.edits).decode()
    assert changed == SCORE.format(branch.format(left))
    assert fix.applicability == "safe"


UPDATES = {
    'if applicant.gender == "male":\n    score += 5': "",
    'if applicant.gender == "male":\n    score += 5\nelse:\n    score += 2': "",
    'if applicant.gender == "male" and applicant.years > 3:\n    score = score + 5': "",
    'if applicant.gender == "male":\n    if applicant.years > 3:\n        score += 5': "",
    'match applicant.race:\n    case "black":\n        score += 2\n    case _:\n        pass': "",
    'score += 5 * (applicant.gender == "male")': "",
    'score -= 20 if applicant.gender == "male" else 0': "",
    'score *= {"male": 1.2}.get(applicant.gender, 1.0)': "",
    'score = score + 5 * (applicant.gender == "male")': "",
    'score = applicant.tests + 5 * (applicant.gender == "male")': "score = applicant.tests",
    'score = 5 * (applicant.gender == "male") + applicant.tests': "score = applicant.tests",
    'score += applicant.tests - 2 * (applicant.gender == "male")': "score += applicant.tests",
}


def inside(block: str) -> str:
    """A program with some statements in its function."""
    return SCORE.format("".join(f"    {line}\n" for line in block.splitlines()))


@pytest.mark.parametrize("before", UPDATES)
def test_what_a_group_gets_is_left_out(before: str) -> None:
    report = check_source(inside(before), path="a.py", settings=SETTINGS)
    (fix,) = fixes_of(report.sources["a.py"], report.findings).values()
    assert apply_edits(inside(before).encode(), fix.edits).decode() == inside(UPDATES[before])
    assert fix.applicability == "unsafe"


@pytest.mark.parametrize(
    "block",
    [
        'if applicant.gender == "male":\n    score += 5\n    print("more")',
        'if applicant.gender == "male":\n    score += bonus()',
        'if applicant.gender == "male" or applicant.years > 3:\n    score += 5',
        'if applicant.gender == "male":\n    score += 5\nelif applicant.years > 3:\n    score += 2',
        'if applicant.years > 3:\n    score += 5\nelif applicant.gender == "male":\n    score += 2',
        'if applicant.gender == "male":\n    score = 5',
        'score += 1; score += 5 * (applicant.gender == "male")',
        'score += applicant.tests * (applicant.gender == "male")',
    ],
)
def test_what_does_something_else_stays(block: str) -> None:
    report = check_source(inside(block), path="a.py", settings=SETTINGS)
    assert report.findings
    assert fixes_of(report.sources["a.py"], report.findings) == {}


def test_a_block_that_would_be_empty_passes() -> None:
    before = 'if applicant.years:\n    if applicant.gender == "male":\n        score += 5  # more\n\n'
    report = check_source(inside(before), path="a.py", settings=SETTINGS)
    (fix,) = fixes_of(report.sources["a.py"], report.findings).values()
    assert apply_edits(inside(before).encode(), fix.edits).decode() == inside(
        "if applicant.years:\n    pass\n\n"
    )


DEFAULTS = {
    'def quote(income, gender="male"):\n    return rate(income, gender)\n': [
        "def quote(income, gender):\n    return rate(income, gender)\n"
    ],
    'def quote(income, *, years=1, gender: str = "male"):\n    return rate(income, gender)\n': [
        "def quote(income, *, years=1, gender: str):\n    return rate(income, gender)\n"
    ],
    'def quote(income, years=1, gender="male"):\n    return rate(income, gender)\n': [
        "def quote(income, years=1, gender=None):\n    return rate(income, gender)\n"
    ],
    "def quote(income, years=1, gender: str = 'male'):\n    return rate(income, gender)\n": [
        "def quote(income, years=1, gender: str = 'unknown'):\n    return rate(income, gender)\n"
    ],
    'def quote(income, gender="male"):\n    return rate(income, gender)\n\n\nprint(quote(2000))\n': [
        "def quote(income, gender=None):\n    return rate(income, gender)\n\n\nprint(quote(2000))\n"
    ],
    'def read(row):\n    return {"income": row["income"], "race": row.get("race", \'White\')}\n': [
        'def read(row):\n    return {"income": row["income"], "race": row.get("race", \'unknown\')}\n'
    ],
    'def read(row):\n    return {"income": row["income"], "sex": row.get("sex") or "M"}\n': [
        'def read(row):\n    return {"income": row["income"], "sex": row.get("sex") or None}\n'
    ],
}


@pytest.mark.parametrize("before", DEFAULTS)
def test_a_group_is_no_default(before: str) -> None:
    assert fixed(before, "FL403") == DEFAULTS[before]


FORM = """\
from django import forms


class Person(forms.Form):
    gender = forms.ChoiceField(choices=[("M", "male"), ("F", "female"), ("X", "other")]{})
"""
TABLE = """\
from sqlalchemy import Enum, String
from sqlalchemy.orm import Mapped, mapped_column


class Customer(Base):
    {}
"""
LIMITED = {
    FORM.format(', initial="M"'): [FORM.format("")],
    TABLE.format('gender: Mapped[str] = mapped_column(String(9), default="male")'): [],
    TABLE.format('gender: Mapped[str] = mapped_column(String(2), server_default="M")'): [],
    TABLE.format('gender: Mapped[str] = mapped_column(Enum("M", "F"), server_default="M")'): [],
    TABLE.format('gender: Mapped[str | None] = mapped_column(String(9), default="male")'): [
        TABLE.format("gender: Mapped[str | None] = mapped_column(String(9))")
    ],
    TABLE.format('gender = Column(String(9), nullable=False, default="male")'): [],
    TABLE.format('gender = Column(String(9), default="male")'): [TABLE.format("gender = Column(String(9))")],
    'class Person(models.Model):\n    gender = models.CharField(max_length=9, default="male")\n': [],
    'class Person(models.Model):\n    gender = models.CharField(max_length=9, null=True, default="male")\n': [
        "class Person(models.Model):\n    gender = models.CharField(max_length=9, null=True)\n"
    ],
    'class Person(SQLModel, table=True):\n    gender: str = Field(max_length=9, default="male")\n': [],
    'class Person(BaseModel):\n    gender: str = Field(max_length=9, default="male")\n': [
        "class Person(BaseModel):\n    gender: str = Field(max_length=9)\n"
    ],
    'class Person(BaseModel):\n    gender: Literal["male", "female"] = "male"\n': [],
    'class Person(BaseModel):\n    gender: str = "male"\n': [
        'class Person(BaseModel):\n    gender: str = "unknown"\n'
    ],
}


@pytest.mark.parametrize("before", LIMITED)
def test_no_fix_leaves_the_choices_or_takes_what_inserts_need(before: str) -> None:
    report = check_source(before, path="a.py", settings=SETTINGS)
    found = [one for one in report.findings if one.rule == "FL403"]
    assert found
    fixes = fixes_of(report.sources["a.py"], found).values()
    assert [apply_edits(before.encode(), fix.edits).decode() for fix in fixes] == LIMITED[before]


GAPS = {
    'df["race"] = df["race"].fillna("White")': 'df["race"] = df["race"].fillna("Unknown")',
    'df["sex"] = df["sex"].fillna(df["sex"].mode()[0])': 'df["sex"] = df["sex"].fillna("Unknown")',
    "df.loc[df['race'].isna(), 'race'] = 'White'": "df.loc[df['race'].isna(), 'race'] = 'Unknown'",
}
READ = 'import pandas as pd\n\ndf = pd.read_csv("applicants.csv")\n{}\n'


@pytest.mark.parametrize("before", GAPS)
def test_gaps_stay_apart(before: str) -> None:
    assert fixed(READ.format(before), "FL404") == [READ.format(GAPS[before])]


def test_the_name_of_a_column_is_no_group() -> None:
    code = """\
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

WORDS = ["gender", "town"]
loans = pd.read_csv("loans.csv")
filled = ColumnTransformer([("words", SimpleImputer(strategy="most_frequent"), WORDS)])
Pipeline([("filled", filled), ("model", LogisticRegression())]).fit(loans[WORDS], loans["repaid"])
"""
    report = check_source(code, path="a.py", settings=SETTINGS)
    assert "FL404" in [one.rule for one in report.findings]
    assert fixed(code, "FL404") == []


def test_columns_that_a_loop_fills_are_left() -> None:
    loop = 'for name in ["race", "town"]:\n    df[name] = df[name].fillna(df[name].mode()[0])'
    report = check_source(READ.format(loop), path="a.py", settings=SETTINGS)
    assert "FL404" in [one.rule for one in report.findings]
    assert fixed(READ.format(loop), "FL404") == []


CUTOFFS = {
    'limit = 60 if person.gender == "male" else 70': "limit = 60",
    'limit = 70 if person.gender == "male" else 60.5': "limit = 60.5",
    'if person.gender == "male":\n        limit = 60\n    else:\n        limit = 70': "limit = 60",
    'limit = {"male": 60, "female": 70}[person.gender]': "limit = 60",
    "limit = LIMITS[person.gender]": "limit = min(LIMITS.values())",
}
PASSES = """\
LIMITS = {{"male": 60, "female": 70}}


def passes(person, score):
    {}
    return score >= limit
"""


@pytest.mark.parametrize("before", CUTOFFS)
def test_one_cutoff_stays(before: str) -> None:
    assert fixed(PASSES.format(before), "FL501") == [PASSES.format(CUTOFFS[before])]


@pytest.mark.parametrize(
    "before", ["limit = 60 if person.gender == 'male' else other", "limit = limits[person.gender]"]
)
def test_cutoffs_that_nobody_knows_are_left(before: str) -> None:
    assert fixed(PASSES.format(before), "FL501") == []


DROPS = {
    'people.drop(columns=["repaid"])': 'people.drop(columns=["repaid", "sex"])',
    "people.drop(['repaid',], axis=1)": "people.drop(['repaid', 'sex',], axis=1)",
    'people.drop("repaid", axis=1)': 'people.drop(["repaid", "sex"], axis=1)',
}
PEOPLE = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression

people = pd.read_csv("people.csv")
print(people.groupby("sex").size())
LogisticRegression().fit({}, people["repaid"])
"""


@pytest.mark.parametrize("before", DROPS)
def test_a_column_that_stays_is_dropped_with_the_others(before: str) -> None:
    assert fixed(PEOPLE.format(before), "FL302") == [PEOPLE.format(DROPS[before])]


def test_names_of_columns_are_no_choice() -> None:
    code = MODEL.format('["income", "sex", "repaid"]').replace('"loans.csv"', '"loans.csv", names=FEATURES')
    assert fixed(code.replace("loans = ", "FEATURES = []\nloans = "), "FL301") == []


def test_what_may_be_right_has_no_fix() -> None:
    code = (
        "def metabolic_rate(sex, weight_kg, height_cm, age):\n"
        "    bmr = 10 * weight_kg + 6.25 * height_cm - 5 * age\n"
        '    if sex == "male":\n        bmr += 5\n    else:\n        bmr -= 161\n    return bmr\n'
    )
    report = check_source(code, path="a.py", settings=SETTINGS)
    told = [one for one in report.findings if one.rule == "FL201"]
    assert [one.use.context.name for one in told] == ["clinical"]
    assert fixes_of(report.sources["a.py"], report.findings) == {}


@pytest.mark.parametrize(
    "code",
    [
        inside('if applicant.gender == "male":\n    score += 5') + "x = (\n",
        inside('if applicant.gender == "male":\n    score += 5') + f"x = {'-' * 200}1\n",
        inside('if applicant.gender == "male":\n    score += 5') + "print 1\n",
    ],
)
def test_code_that_python_cannot_read_is_left(code: str) -> None:
    report = check_source(code, path="a.py", settings=SETTINGS)
    assert "FL201" in [one.rule for one in report.findings]
    assert fixes_of(report.sources["a.py"], report.findings) == {}


def test_c_has_the_advice_alone() -> None:
    code = """\
struct person { char gender; int score; };
int points(struct person *p)
{
    int score = 0;
    if (p->gender == 'F')
        score -= 5;
    return score;
}
"""
    report = check_source(code, path="a.c", settings=SETTINGS)
    (finding,) = report.findings
    assert finding.advice
    assert finding.remedies == ()
    assert fixes_of(report.sources["a.c"], report.findings) == {}


DECISION = """\
def invite(candidate, jobs):
    fits = candidate.years > 3
    {}
    return fits and jobs > 0
"""
IF = 'if candidate.gender == "female":'
GUARDS = {
    f"{IF}\n        return False": "",
    f"{IF}\n        return False\n    elif candidate.gender == 'male':\n        return True": "",
    'if candidate.religion in ("muslim", "jewish"):\n        raise ValueError("no")': "",
    f"{IF}\n        fits = False": "",
    f"{IF}\n        fits = False\n    else:\n        fits = jobs  # for all": "fits = jobs  # for all",
    'fits = False if candidate.gender == "female" else jobs > 2': "fits = jobs > 2",
    'return (False if candidate.gender == "female" else (jobs > 2))': "return ((jobs > 2))",
}


@pytest.mark.parametrize("branch", GUARDS)
def test_a_branch_that_asks_for_the_group_alone_goes(branch: str) -> None:
    kept = GUARDS[branch]
    expected = DECISION.format(kept) if kept else DECISION.replace("    {}\n", "")
    assert fixed(DECISION.format(branch), "FL101") == [expected]


LEFT = [
    'if candidate.gender == "female" and jobs > 1:\n        return False',  # another condition
    f"{IF}\n        fits = notify(candidate)",  # it does something
    f"{IF}\n        print(jobs)\n        return False",  # as this does
    f"{IF}\n        fits = False\n    else:\n        fits = True",  # a constant is left
    'fits = False if candidate.gender == "female" else True',
    f"{IF}\n        return False\n    elif jobs > 3:\n        return True",
]


@pytest.mark.parametrize("branch", LEFT)
def test_other_branches_stay(branch: str) -> None:
    assert fixed(DECISION.format(branch), "FL101") == []


def test_nothing_is_left_that_all_get_alike() -> None:
    code = f"def invite(candidate):\n    {IF}\n        return False\n    return True\n"
    assert fixed(code, "FL101") == []


CODED = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression

people = pd.read_csv("people.csv")
people = {}
LogisticRegression().fit(people.drop(columns=["approved"]), people["approved"])
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'pd.get_dummies(people, columns=["race", "city"])',
            'pd.get_dummies(people.drop(columns=["race"]), columns=["city"])',
        ),
        ("pd.get_dummies(people, columns=['race'], drop_first=True)", "people.drop(columns=['race'])"),
    ],
)
def test_a_column_is_dropped_before_it_is_coded(before: str, after: str) -> None:
    assert fixed(CODED.format(before), "FL405") == [CODED.format(after)]


@pytest.mark.parametrize("more", ['print(people["race_White"])\n', "print(people.race)\n"])
def test_a_coded_column_that_somebody_asks_for_stays(more: str) -> None:
    assert fixed(CODED.format('pd.get_dummies(people, columns=["race", "city"])') + more, "FL405") == []


WRITTEN_BACK = """\
import pandas as pd
from sklearn.preprocessing import LabelEncoder
from sklearn.linear_model import LogisticRegression

people = pd.read_csv("people.csv")
coder = LabelEncoder()
{}
people["city"] = coder.fit_transform(people["city"])  # stays
LogisticRegression().fit(people.drop(columns=["approved"]), people["approved"])
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'people["race"] = coder.fit_transform(people["race"])',
            'people.drop(columns=["race"], inplace=True)',
        ),
        (
            "people['gender'] = people['gender'].map({'m': 1, 'f': 0})  # codes",
            "people.drop(columns=['gender'], inplace=True)  # codes",
        ),
        (
            'people["race"] = people["race"].astype("category").cat.codes',
            'people.drop(columns=["race"], inplace=True)',
        ),
    ],
)
def test_a_column_that_is_coded_in_its_place_is_dropped(before: str, after: str) -> None:
    assert fixed(WRITTEN_BACK.format(before), "FL405") == [WRITTEN_BACK.format(after)]


@pytest.mark.parametrize(
    "more",
    [
        'print(people["race"])\n',
        "print(coder.classes_)\n",
        "print(people.iloc[:, 2:5])\n",
    ],
)
def test_a_column_that_the_program_needs_elsewhere_stays(more: str) -> None:
    code = WRITTEN_BACK.format('people["race"] = coder.fit_transform(people["race"])') + more
    assert fixed(code, "FL405") == []


IMPUTED = """\
import pandas as pd
from sklearn.impute import SimpleImputer

people = pd.read_csv("people.csv")
{}
"""


OF_RACE = """\
imputer = SimpleImputer({})
people[["race"]] = imputer.fit_transform(people[["race"]])"""
AT_ONCE = "people[['race']] = SimpleImputer({}).fit_transform(people[['race']])"


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        (OF_RACE, 'strategy="most_frequent"', 'strategy="constant", fill_value="Unknown"'),
        (AT_ONCE, "strategy='most_frequent'", "strategy='constant', fill_value='Unknown'"),
    ],
)
def test_an_imputer_of_one_column_keeps_its_gaps_apart(code: str, before: str, after: str) -> None:
    assert fixed(IMPUTED.format(code.format(before)), "FL404") == [IMPUTED.format(code.format(after))]


@pytest.mark.parametrize(
    "more",
    [
        'people[["debt"]] = imputer.fit_transform(people[["debt"]])',
        "impute_all(imputer)",
        'imputer = other("x")',
    ],
)
def test_an_imputer_of_more_than_one_column_stays(more: str) -> None:
    before = OF_RACE.format('strategy="most_frequent"')
    assert fixed(IMPUTED.format(f"{before}\n{more}"), "FL404") == []
