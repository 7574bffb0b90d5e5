"""People who are gathered first, in a list or table that is empty at the start, are met later on."""

from __future__ import annotations

import pytest

from fairlint import check_source

GATHERED = [
    "people = []\n    for row in source:\n        people.append(row)\n    for p in people:",
    "people = []\n    people.append(load(source))\n    for p in people:",
    "people = list()\n    people.append(load(source))\n    for p in people:",
    "people = []\n    people.extend(source)\n    for p in people:",
    "people = []\n    people += source.all()\n    for p in people:",
    "people = {}\n    for row in source:\n        people[row.id] = row\n    for p in people.values():",
    "people = {}\n    for row in source:\n        people[row.id] = row\n    for _, p in people.items():",
    "people = [row for row in source]\n    for p in people:",
]


@pytest.mark.parametrize("gathered", GATHERED)
def test_points_for_people_who_were_gathered_are_told(gathered: str) -> None:
    code = f'def rate(source):\n    {gathered}\n        if p.gender == "male":\n            p.score += 5\n'

    (finding,) = check_source(code).findings

    assert finding.rule == "FL201"
    assert finding.use.points is not None
    assert dict(finding.use.points.by_group) == {"male": 5, "female": 0}


def test_whom_a_comprehension_keeps_of_people_who_were_gathered_is_told() -> None:
    code = (
        "def choose(applicants):\n    people = []\n    for row in applicants:\n        people.append(row)\n"
        '    chosen = [p for p in people if p.race == "white"]\n    return chosen\n'
    )

    assert [finding.rule for finding in check_source(code).findings] == ["FL106"]
