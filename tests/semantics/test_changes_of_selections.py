"""A statement that changes all rows of a selection does to them what it sets."""

from __future__ import annotations

import pytest

from fairlint import check_source

SELECTED = {
    "keywords": "Member.objects.filter(gender='male').update(fee=20)",
    "a dict of names": "session.query(Member).filter(Member.gender == 'male').update({'fee': 20}, False)",
    "a dict of columns": "session.query(Member).filter(Member.gender == 'male').update({Member.fee: 20})",
    "values": "session.execute(update(Member).where(Member.gender == 'male').values({'fee': 20}))",
}


@pytest.mark.parametrize("name", SELECTED)
def test_what_a_selection_is_set_to_is_told_by_its_column(name: str) -> None:
    code = f"from sqlalchemy import update\n\ndef charge(session):\n    {SELECTED[name]}\n"
    [one] = check_source(code, path="fees.py").findings
    assert one.use.attribute == "gender"
    assert "`Member.fee` is computed from gender: male = 20" in one.message


def test_what_says_nothing_about_an_outcome_is_silent() -> None:
    change = "session.query(Member).filter(Member.gender == 'f').update({'salutation': 'Ms'})"
    assert not check_source(f"def name(session):\n    {change}\n", path="fees.py").findings
