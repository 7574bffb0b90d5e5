"""What people are allotted by group, and what somebody at the screen is asked, are told."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import Settings, check_source

ALL = Settings(min_severity="note")

TOLD: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "beds": (
        """
        def allot(guest, beds):
            allotted = None
            for bed in beds:
                if guest["gender"] == "F" and bed.startswith("W"):
                    allotted = bed
                    break
            return allotted
        """,
        [("FL101", "gender")],
    ),
    "shifts": (
        """
        def plan(nurse):
            if nurse.sex == "male":
                nurse.shift = "night"
            else:
                nurse.shift = "day"
        """,
        [("FL101", "gender")],
    ),
    "a ticket": (
        """
        a = int(input("Enter your age: "))
        if a > 65:
            print("Sorry, you are not eligible for this trip")
        else:
            print("You are eligible")
        """,
        [("FL102", "age")],
    ),
}

SILENT: dict[str, str] = {
    "memory": """
        def allocate(size, gender=None):
            return bytearray(size)
        """,
    "pictures": """
        def show(user):
            user.avatar = "a.png" if user.gender == "male" else "b.png"
        """,
}


@pytest.mark.parametrize("case", TOLD)
def test_it_is_told(case: str) -> None:
    code, told = TOLD[case]
    found = check_source(textwrap.dedent(code), settings=ALL).findings
    assert [(one.rule, one.use.attribute) for one in found] == told


@pytest.mark.parametrize("case", SILENT)
def test_nothing_is_told(case: str) -> None:
    assert check_source(textwrap.dedent(SILENT[case]), settings=ALL).findings == ()


def test_nobody_is_better_off_where_a_text_turns_it_round() -> None:
    code = """
    def seat_for(passenger, seats):
        for seat in seats:
            if seat.side == ("left" if passenger.gender == "female" else "right"):
                seat.passenger = passenger
                return seat
        return None
    """
    found = check_source(textwrap.dedent(code), settings=ALL).findings
    assert all(not one.use.outcomes for one in found)
