"""Code that handles an attribute and decides nothing by it, each beside code in like words that does."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

SILENT: dict[str, str] = {
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
}

TOLD: dict[str, tuple[str, int, str]] = {
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
}


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
