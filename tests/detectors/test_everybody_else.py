"""Who is made a member of a group because no test has named another."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings


def told(code: str, language: str = "python") -> list[str]:
    report = check_source(
        textwrap.dedent(code).lstrip("\n"),
        path=f"records.{'py' if language == 'python' else 'c'}",
        language=language,
        settings=Settings(min_severity="note"),
    )
    assert not report.not_analysed
    return [f"{one.start.line} {one.rule}: {one.message}" for one in report.findings]


MADE: dict[str, tuple[str, str]] = {
    "an entry of a record": (
        """
        def import_member(line):
            member = {}
            member["gender"] = "male" if line["gender"] in ("m", "M") else "female"
            return member
        """,
        "3 FL404: missing gender becomes female, and so does everyone who is not male",
    ),
    "a list in which numbers say the same": (
        """
        def import_sample(line, sample):
            told = line["sex"]
            sample["sex"] = "m" if told in [1, "m", "male"] else "f"
        """,
        "3 FL404: missing gender becomes female, and so does everyone who is not male",
    ),
    "a keyword, asked the other way round": (
        """
        def import_member(line):
            return Member(sex="male" if line.sex != "F" else "female")
        """,
        "2 FL404: missing gender becomes male, and so does everyone who is not female",
    ),
    "branches": (
        """
        def import_member(member):
            if member.race == "Black":
                race = "black"
            elif member.race == "Asian":
                race = "asian"
            else:
                race = "white"
            return race
        """,
        "2 FL404: missing race becomes white, and so does everyone who is not black or asian",
    ),
    "the last return": (
        """
        def canonical_gender(gender):
            if gender == "f":
                return "female"
            return "male"
        """,
        "2 FL404: missing gender becomes male, and so does everyone who is not female",
    ),
    "a column": (
        """
        import numpy as np
        import pandas as pd

        people = pd.read_csv("people.csv")
        people["gender"] = np.where(people["gender"] == "W", "female", "male")
        """,
        "5 FL404: missing gender becomes male",
    ),
    "each value of a column": (
        """
        import pandas as pd

        people = pd.read_csv("people.csv")
        people["sex"] = people["sex"].map(lambda sex: "male" if sex == "m" else "female")
        """,
        "4 FL404: missing gender becomes female",
    ),
}


@pytest.mark.parametrize(("code", "said"), MADE.values(), ids=MADE.keys())
def test_who_is_in_no_named_group_is_made_a_member_of_one(code: str, said: str) -> None:
    assert [one for one in told(code) if one.startswith(said)], told(code)


def test_texts_that_a_function_of_c_copies() -> None:
    code = """
        #include <string.h>

        struct member { char sex[8]; };

        void fill(struct member *m, const char *sex_text)
        {
            if (!strcmp(sex_text, "m"))
                strcpy(m->sex, "male");
            else
                strcpy(m->sex, "female");
        }
        """
    (found,) = told(code, "c")
    assert found.startswith("7 FL404: missing gender becomes female")


SILENT: dict[str, str] = {
    "others have turned back before": """
        def import_member(member):
            if member.sex not in ("F", "M"):
                raise ValueError(member.sex)
            member.sex = "female" if member.sex == "F" else "male"
        """,
    "others are told apart": """
        def canonical_gender(gender):
            if gender == "f":
                return "female"
            elif gender == "m":
                return "male"
            return "unknown"
        """,
    "the missing ones stay missing": """
        def import_member(member):
            if member.sex:
                member.sex = "female" if member.sex == "F" else "male"
        """,
    "a word to show": """
        def show(member):
            gender_label = "Female" if member.gender == "F" else "Male"
            print(gender_label)
        """,
    "all others": """
        def import_member(member):
            member.ethnicity = "hispanic" if member.ethnicity == "Hispanic" else "non-hispanic"
        """,
    "another thing": """
        def room_of(member):
            room = "female" if member.gender == "F" else "male"
            return room
        """,
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT.keys())
def test_who_is_known_or_kept_apart_is_made_a_member_of_nothing(code: str) -> None:
    assert [one for one in told(code) if "FL404" in one] == []
