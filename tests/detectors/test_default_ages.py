"""An age that nobody gave is a default as a group is, where what stands beside it is a person's."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import Settings, check_source

ALL = Settings(min_severity="note")

TOLD: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "a record of any name": (
        """
        from dataclasses import dataclass

        @dataclass
        class Enrolment:
            label: str
            age: int = 33
            religion: str = ""
        """,
        [("FL403", "age")],
    ),
    "a getter": (
        """
        class Entry:
            def __init__(self, raw):
                self.age = raw.get("age", 28)
                self.nationality = raw["nationality"]
        """,
        [("FL403", "age")],
    ),
    "where it cannot be read": (
        """
        def load(raw):
            try:
                age = int(raw["age"])
            except ValueError:
                age = 50
            return {"age": age, "gender": raw["gender"]}
        """,
        [("FL403", "age")],
    ),
    "a parameter": (
        "def costs(age=29, *, sex=None, smokes=False):\n    return age, sex, smokes\n",
        [("FL403", "age")],
    ),
    "a table with a group for everybody else": (
        """
        SEXES = {"f": "female", "w": "female"}

        def member(raw):
            return {"sex": SEXES.get(raw["sex"].lower(), "male"), "team": raw["team"]}
        """,
        [("FL404", "gender")],
    ),
}

SILENT: dict[str, str] = {
    "a cache": "def load(cache, age=30, size=3):\n    return cache.load(age, size)\n",
    "whisky": "class Whisky:\n    age: int = 12\n    cask: str = 'oak'\n",
    "nobody is assumed": """
        def load(raw):
            return {"age": raw.get("age"), "gender": raw.get("gender")}
        """,
    "what a table does not hold stays open": """
        SEXES = {"f": "female", "m": "male"}

        def member(raw):
            return {"sex": SEXES.get(raw["sex"].lower(), "unknown")}
        """,
}


@pytest.mark.parametrize("case", TOLD)
def test_a_default_is_told(case: str) -> None:
    code, told = TOLD[case]
    found = [
        (one.rule, one.use.attribute) for one in check_source(textwrap.dedent(code), settings=ALL).findings
    ]
    assert found == told


@pytest.mark.parametrize("case", SILENT)
def test_nothing_is_told(case: str) -> None:
    assert check_source(textwrap.dedent(SILENT[case]), settings=ALL).findings == ()
