"""Names that nodes, tasks and organisms have as well are a person's where anything says so."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.uses import Use

NOTES = Settings(min_severity="note")


def findings(code: str, path: str = "part.py") -> list[tuple[str, str]]:
    report = check_source(dedent(code), path=path, settings=NOTES)
    return [(one.rule, one.use.attribute) for one in report.findings]


def uses(code: str) -> list[Use]:
    report = check_source(dedent(code), path="part.py", settings=NOTES)
    return [one for _, one in report.uses]


OF_THINGS = {
    "children of a node of a query": """
        class JoinPromoter:
            def update(self, query):
                to_promote = set()
                for table, votes in self.votes.items():
                    if votes < self.num_children:
                        to_promote.add(table)
                query.promote_joins(to_promote)
    """,
    "keys of a graph": """
        def order(graph, walk):
            dependencies, dependents = walk(graph)
            result = {}
            for key in graph:
                if len(dependents[key]) > 1:
                    result[key] = 1
            return result
    """,
    "tasks that wait": """
        def skipped(keys, dependents, age):
            kept = []
            for key in keys:
                if not dependents[key]:
                    continue
                kept.append(key)
            return kept
    """,
    "one side of a relationship": """
        class Relationship:
            def check(self, cascade):
                if cascade.orphans and not self.single_parent:
                    raise ValueError("only on one side of a relationship")
    """,
    "a file in one piece": """
        class Header:
            is_single = True

            def offset(self, given):
                if self.is_single:
                    raise ValueError("header and data are in one file")
                return given
    """,
    "a vector of a search": """
        def repair(solution_genotype, low, high):
            y = solution_genotype
            y = y - 2 * (y < low) + 2 * (y > high)
            return y
    """,
}


@pytest.mark.parametrize("name", OF_THINGS)
def test_by_themselves_they_say_nothing_of_a_person(name: str) -> None:
    assert findings(OF_THINGS[name]) == []


OF_PEOPLE = {
    "a receiver": """
        def rank(employee):
            score = 10
            if employee.num_children > 2:
                score -= 3
            return score
    """,
    "a class": """
        class Applicant:
            def priority(self):
                if self.dependents > 2:
                    return "low"
                return "high"
    """,
    "a function": """
        def approve_applicant(num_children):
            if num_children > 2:
                return False
            return True
    """,
    "other facts": """
        def loan_points(income, savings, dependents):
            points = income // 1000 + savings // 1000
            if dependents > 2:
                points -= 5
            return points
    """,
    "what it is about": """
        class Quote:
            def premium(self):
                if self.dependents > 2:
                    return self.base * 1.2
                return self.base
    """,
    "the tenant's flag": """
        def housing_points(tenant):
            points = 10
            if tenant.is_single:
                points -= 3
            return points
    """,
    "genes of an applicant": """
        def points(applicant):
            score = 10
            if applicant.genotype == "positive":
                score -= 3
            return score
    """,
    "a name that is all there is, where a score changes": """
        def value(num_children):
            score = 10
            if num_children > 2:
                score -= 3
            return score
    """,
}


@pytest.mark.parametrize("name", OF_PEOPLE)
def test_a_person_near_by_is_enough(name: str) -> None:
    assert len(findings(OF_PEOPLE[name])) == 1


def test_the_same_in_c() -> None:
    node = "struct item { int num_children; };\nint empty(struct item *i) { return i->num_children == 0; }\n"
    person = """
        struct applicant { int num_children; int income; };
        int approve(struct applicant *a) { if (a->num_children > 2) return 0; return 1; }
    """
    assert findings(node, "item.c") == []
    assert [attribute for _, attribute in findings(person, "loan.c")] == ["family_status"]


PARTS = """
    class Context:
        def is_enabled(self, value, {beside}):
            return not self.find_record(value).is_disabled
"""


@pytest.mark.parametrize("beside", ["policy", "promote, position", "min_leaf_degree, leafs_degree, coverage"])
def test_a_part_of_a_program_is_no_fact_about_a_person(beside: str) -> None:
    assert findings(PARTS.format(beside=beside)) == []


@pytest.mark.parametrize("beside", ["degree, salary", "policy, deductible, mileage", "employee_position"])
def test_such_parts_beside_a_fact_are_facts(beside: str) -> None:
    assert [rule for rule, _ in findings(PARTS.format(beside=beside))] == ["FL101"]


CLASS = """
    class {name}:
        def select(self):
            if self.kids > 2:
                return "rejected"
            return "accepted"
"""


@pytest.mark.parametrize("name", ["JoinPromoter", "TokenStealer", "QueryBrooder"])
def test_what_does_something_to_parts_of_programs_is_no_person(name: str) -> None:
    code = CLASS.format(name=name)
    (use,) = (one for one in uses(code) if one.attribute == "family_status")
    assert not any("is a person" in reason.reason for reason in use.evidence)


@pytest.mark.parametrize("name", ["Roofer", "DatabaseAdministrator", "NetworkEngineer", "HairStylist"])
def test_who_works_is_a_person(name: str) -> None:
    code = CLASS.format(name=name)
    (use,) = (one for one in uses(code) if one.attribute == "family_status")
    assert any("is a person" in reason.reason for reason in use.evidence)
