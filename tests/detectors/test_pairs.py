"""Two people who are compared with one another are told; wishes, searches and records of one are not."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

Told = list[tuple[str, str, str]]

TOLD: dict[str, tuple[str, Told]] = {
    "flatmates of one gender": (
        """
        def share_flat(user, other_user):
            if user.gender != other_user.gender:
                return "not suitable"
            return "suitable"
        """,
        [("FL101", "gender", "warning")],
    ),
    "an error": (
        """
        class FlatmateFinder:
            def invite(self, host, guest):
                ours = host["religion"].strip().lower()
                theirs = (guest.get("religion") or "").lower()
                if ours != theirs:
                    raise PermissionError("Only people of your own religion may be invited.")
                self.invitations.append((host, guest))
        """,
        [("FL101", "religion", "warning")],
    ),
    "points": (
        """
        def affinity(employee, mentor):
            score = 0
            if employee["race"] == mentor["race"]:
                score += 15
            return score
        """,
        [("FL201", "race", "warning")],
    ),
    "who is gone past": (
        """
        def suggestions(user, everybody):
            shown = []
            for u in everybody:
                if u["caste"] != user["caste"]:
                    continue
                shown.append(u)
            return shown
        """,
        [("FL106", "caste", "warning")],
    ),
}

SILENT: dict[str, str] = {
    "what somebody would like": """
        def suitable(user, member):
            return member.gender == user.preferred_gender and user.gender in member.looking_for
        """,
    "two records of one person": """
        def same_patient(patient, other_patient):
            if patient.gender != other_patient.gender:
                return False
            return patient.dob == other_patient.dob
        """,
    "equality": """
        class Employee:
            def __eq__(self, employee):
                return self.gender == employee.gender and self.name == employee.name
        """,
    "what has changed": """
        def changes(user, stored_user):
            if user.gender != stored_user.gender:
                return ["gender"]
            return []
        """,
    "what is searched": """
        def search(form, users):
            return [user for user in users if user.gender == form.gender]
        """,
}


@pytest.mark.parametrize("case", TOLD)
def test_two_people_are_told(case: str) -> None:
    code, told = TOLD[case]
    report = check_source(textwrap.dedent(code), path="matching.py")
    assert [(one.rule, one.use.attribute, one.severity) for one in report.findings] == told
    assert all(one.use.points is None for one in report.findings)


def test_it_is_said_what_two_of_one_group_and_of_two_get() -> None:
    report = check_source(textwrap.dedent(TOLD["flatmates of one gender"][0]))
    assert report.findings[0].use.outcomes == {
        "same gender": 'return "suitable"',
        "different gender": 'return "not suitable"',
    }


@pytest.mark.parametrize("case", SILENT)
def test_nothing_is_told(case: str) -> None:
    assert check_source(textwrap.dedent(SILENT[case])).findings == ()


def test_two_people_in_c() -> None:
    code = """
    #include <string.h>
    struct tenant { char gender[8]; int floor; };
    int may_share(struct tenant *tenant, struct tenant *other) {
        if (strcmp(tenant->gender, other->gender) != 0) return 0;
        return tenant->floor == other->floor;
    }
    """
    report = check_source(textwrap.dedent(code), path="rooms.c")
    assert [(one.rule, one.use.attribute) for one in report.findings] == [("FL101", "gender")]
