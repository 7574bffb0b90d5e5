"""Reads: an attribute is tested, and nothing that matters to anybody hangs on it."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import Report, check_source
from fairlint.config import Settings


def report(code: str) -> Report:
    found = check_source(
        textwrap.dedent(code).lstrip("\n"), path="visits.py", settings=Settings(min_severity="note")
    )
    assert not found.not_analysed
    return found


def reads(code: str) -> list[tuple[str, str]]:
    """What is read, and what comes of it."""
    return [(use.attribute, use.effect) for _, use in report(code).uses if use.kind == "read"]


def test_a_test_that_nothing_depends_on_is_a_note_at_its_place() -> None:
    found = report(
        """
        def visits_of(person):
            if person.religion == "muslim":
                pass
            return person.visits
        """
    )
    (note,) = found.findings
    assert (note.rule, note.severity, note.start.line) == ("FL104", "note", 2)
    assert note.message == (
        'religion is tested here and nothing is seen to depend on it: `person.religion == "muslim"`'
    )


@pytest.mark.parametrize(
    ("code", "effect"),
    [
        (
            """
            def greet(person):
                if person.gender == "male":
                    print("Hello Sir")
            """,
            "show",
        ),
        (
            """
            def check(person):
                if not person.gender:
                    raise ValueError("no gender")
                return person.visits
            """,
            "check",
        ),
        (
            """
            def fee_of(person):
                if person.gender == "male":
                    fee = 5
                else:
                    fee = 5
                return fee
            """,
            "store",
        ),
        (
            """
            import pandas as pd
            people = pd.read_csv("people.csv")
            people["rank"] = people.groupby("gender")["visits"].rank()
            """,
            "store",
        ),
    ],
)
def test_what_is_shown_checked_or_kept_is_recorded_and_silent(code: str, effect: str) -> None:
    assert reads(code) == [("gender", effect)]
    assert report(code).findings == ()


def test_a_test_that_decides_is_no_mere_read() -> None:
    code = """
        def fee_of(person):
            if person.gender == "male":
                fee = 5
            else:
                fee = {other}
            return fee
        """
    assert reads(code.format(other=5)) == [("gender", "store")]
    assert reads(code.format(other=9)) == []
    assert [one.rule for one in report(code.format(other=9)).findings] == ["FL201"]


@pytest.mark.parametrize(("age", "is_by_law"), [(18, True), (47, False)])
def test_a_limit_that_the_law_sets_is_no_decision_of_the_code(age: int, is_by_law: bool) -> None:
    code = f"""
        def answer_to(person):
            reached = person.age >= {age}
            return reached
        """
    uses = [use for _, use in report(code).uses]
    assert [("by-law" in use.tags, use.kind) for use in uses] == [
        (is_by_law, "read" if is_by_law else "decision")
    ]
    assert bool(report(code).findings) is not is_by_law
