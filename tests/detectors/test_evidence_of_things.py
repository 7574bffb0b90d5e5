"""What speaks against a person is a fact about the thing that is read, or about what it is compared with."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

NOTES = Settings(min_severity="note")


def told(code: str, path: str = "rating.py") -> list[Finding]:
    return list(check_source(dedent(code), path=path, settings=NOTES).findings)


STEP = """
    def {0}(state):
        age = state["age"]
        salary = state["monthly_salary"]
        if age > 61:
            verdict = "rejected"
        else:
            verdict = "approved"
        return verdict
"""


@pytest.mark.parametrize(
    "name", ["loan_check", "loan_check_node", "loan_cache_step", "loan_tree_walk", "loan_page"]
)
def test_what_a_function_is_called_besides_says_nothing_against(name: str) -> None:
    assert [(one.rule, one.severity) for one in told(STEP.format(name))] == [("FL102", "warning")]


@pytest.mark.parametrize("limit", ["ttl", "self.ttl", "MAX_STALE", "cache.lifetime_seconds"])
def test_what_an_age_is_compared_with_says_whose_it_is(limit: str) -> None:
    code = f"""
        MAX_STALE = 60

        class Store:
            def evaluate(self, age, cache, ttl):
                if age > {limit}:
                    return "rejected"
                return "approved"
    """
    assert told(code) == []


def test_a_member_of_the_class_that_another_method_uses_says_nothing_against() -> None:
    code = """
        class Quotes:
            def __init__(self):
                self._cached_pages = {}

            def factor(self, drivers):
                main_driver = drivers[0]
                if main_driver.age < 24:
                    return 1.4
                return 1.0

            def price(self, base, drivers):
                return base * self.factor(drivers)
    """
    assert [one.rule for one in told(code, "cache.py")] == ["FL204"]


@pytest.mark.parametrize("name", ["Citizen", "CitizenRecord", "Applicant", "VeteranForm", "Widow"])
def test_a_class_named_after_a_group_has_defaults_of_other_attributes(name: str) -> None:
    code = f"""
        from pydantic import BaseModel

        class {name}(BaseModel):
            full_name: str = ""
            yearly_income: float = 0.0
            gender: str = "Male"
            religion: str = "Hindu"
    """
    assert [(one.rule, one.use.attribute) for one in told(code)] == [
        ("FL403", "gender"),
        ("FL403", "religion"),
    ]


def test_a_class_named_after_a_group_assumes_nothing_by_that_group() -> None:
    code = """
        from pydantic import BaseModel

        class Woman(BaseModel):
            full_name: str = ""
            gender: str = "female"
            religion: str = "Hindu"
    """
    assert [one.use.attribute for one in told(code)] == ["religion"]


def test_a_metric_in_the_file_does_not_excuse_training_on_a_group() -> None:
    code = '''
        import pandas as pd
        from sklearn.tree import DecisionTreeClassifier

        def learn(path):
            rows = pd.read_csv(path)
            return DecisionTreeClassifier().fit(rows[["salary", "gender", "tenure"]], rows["promoted"])

        def demographic_parity(model, rows):
            """The difference of selection rates, for our fairness report."""
            given = model.predict(rows[["salary", "gender", "tenure"]])
            return given[rows["gender"] == "male"].mean() - given[rows["gender"] == "female"].mean()
    '''
    first = next(one for one in told(code) if one.rule == "FL301")
    assert (first.severity, first.use.attribute, first.start.line) == ("warning", "gender", 7)


def test_the_mortality_of_patients_is_no_insurers() -> None:
    code = '''
        class Prognosis:
            """Stages of heart failure of patients in a ward, by their mortality."""

            MORTALITY = {1: 0.04, 2: 0.11}

            def severity(self, sex, fraction):
                points = 2 if sex == "male" else 0
                return points + (1 if fraction < 40 else 0)
    '''
    assert [(one.severity, one.use.context.name) for one in told(code)] == [("note", "clinical")]


@pytest.mark.parametrize("comment", ["# the mortality table is elsewhere", "# see the actuary's loss ratios"])
def test_a_comment_makes_no_actuary(comment: str) -> None:
    code = f"""
        def price(base, driver):
            {comment}
            if driver.gender == "male":
                base *= 1.3
            return base
    """
    plain = [(one.rule, one.severity) for one in told(code.replace(comment, "# nothing"))]
    assert [(one.rule, one.severity) for one in told(code)] == plain == [("FL204", "error")]


@pytest.mark.parametrize(
    "asked",
    ["applicant.gender.lower()", "str.lower(applicant.gender)", "str.strip(str.lower(applicant.gender))"],
)
def test_a_method_of_texts_may_be_called_as_a_function(asked: str) -> None:
    code = f"""
        def points(applicant):
            score = 0
            if {asked} == "male":
                score += 3
            return score
    """
    (found,) = told(code)
    assert found.points is not None
    assert found.points.by_group == {"male": 3.0, "female": 0.0}


WHITE, ASIAN = (f'strcmp(a->race, "{race}") == 0' for race in ("white", "asian"))
CHAIN = {
    "straight": f"if ({WHITE}) f[1] = 3; else if ({ASIAN}) f[1] = 2; else f[1] = 1;",
    "negated": f"if (!({WHITE})) {{ {{ if ({ASIAN}) f[1] = 2; else f[1] = 1; }} }} else {{ f[1] = 3; }}",
    "inner negated": f"if ({WHITE}) f[1] = 3; else if (!({ASIAN})) f[1] = 1; else f[1] = 2;",
}


@pytest.mark.parametrize("name", CHAIN)
def test_codes_are_the_same_whichever_half_stands_first(name: str) -> None:
    head = "#include <string.h>\nstruct applicant { char race[24]; };\n"
    code = f"{head}void extract_features(const struct applicant *a, double *f)\n{{\n    {CHAIN[name]}\n}}\n"
    (found,) = told(code, "codes.c")
    assert (found.rule, sorted(found.use.groups)) == ("FL401", ["asian", "white"])


@pytest.mark.parametrize("name", ["complete_form", "complete_form_graph", "complete_game_form", "list_form"])
def test_a_default_of_a_person_is_one_whatever_the_function_is_called(name: str) -> None:
    code = f"""
        def {name}(applicant):
            return applicant.get("gender", "male"), applicant.get("income")
    """
    assert [one.rule for one in told(code)] == ["FL403"]


def test_gaps_of_a_column_are_filled_whatever_the_function_is_called() -> None:
    code = """
        import pandas as pd

        def statistics_graph(path):
            people = pd.read_csv(path)
            people["gender"] = people["gender"].fillna("male")
            return people
    """
    assert [one.rule for one in told(code)] == ["FL404"]
