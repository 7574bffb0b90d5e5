"""Validators that turn a group away decide; those that ask whether a value can be do not."""

from __future__ import annotations

import pytest

from fairlint import check_source
from fairlint.findings.finding import Finding

CLASSES = {
    "a form of Django": """\
from django import forms
class Entry(forms.Form):
    gender = forms.CharField()
    def clean_gender(self):
        gender = self.cleaned_data["gender"]
        if {0}:
            raise forms.ValidationError("This house is for men")
        return gender
""",
    "a whole form": """\
from django import forms
class Entry(forms.Form):
    def clean(self):
        gender = super().clean().get("gender")
        if {0}:
            raise forms.ValidationError("This house is for men")
""",
    "a model of pydantic": """\
from pydantic import BaseModel, field_validator
class Guest(BaseModel):
    gender: str
    @field_validator("gender")
    @classmethod
    def checked(cls, gender):
        if {0}:
            raise ValueError("This house is for men")
        return gender
""",
    "a serializer": """\
from rest_framework import serializers
class Guest(serializers.Serializer):
    def validate_gender(self, gender):
        if {0}:
            raise serializers.ValidationError("This house is for men")
        return gender
""",
}
CHECKS = (
    "gender not in ('male', 'female')",
    "gender not in GENDERS",
    "gender is None",
    "gender == 'unknown'",
    "gender == 'male' and self.data['pregnant']",
)


def findings(code: str) -> list[Finding]:
    return [
        one for one in check_source(code, path="rooms.py").findings if one.severity in {"warning", "error"}
    ]


@pytest.mark.parametrize("name", CLASSES)
def test_a_validator_that_refuses_a_group_decides(name: str) -> None:
    [one] = findings(CLASSES[name].format("gender == 'female'"))
    assert (one.rule, one.use.attribute) == ("FL101", "gender")
    assert "female → raise" in one.message


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("test", CHECKS)
def test_one_that_asks_whether_a_value_can_be_does_not(name: str, test: str) -> None:
    assert not findings(CLASSES[name].format(test))


@pytest.mark.parametrize(
    ("decorator", "parameters"),
    [
        ("from pydantic import field_validator\n\nclass A:\n    @field_validator('religion')", "cls, v"),
        ("from pydantic import validator\n\nclass A:\n    @validator('religion')", "cls, v, values"),
        ("from marshmallow import validates\n\nclass A:\n    @validates('religion')", "self, v"),
        ("from sqlalchemy.orm import validates\n\nclass A:\n    @validates('religion')", "self, key, v"),
    ],
)
def test_the_field_that_a_validator_is_for_names_what_it_is_given(decorator: str, parameters: str) -> None:
    body = "        if v == 'muslim':\n            raise ValueError('no room')\n"
    code = f"{decorator}\n    def checked({parameters}):\n{body}"
    [one] = findings(code)
    assert one.use.attribute == "religion"
    several = code.replace("('religion')", "('religion', 'city')")
    assert not findings(several), "nobody knows which of the two it is given"


def test_a_group_that_goes_on_is_not_told_the_end_of_others() -> None:
    code = """\
def admit(person):
    if person["gender"] == "female":
        raise ValueError("women are not admitted")
    if person["gender"] not in ("male", "female"):
        raise ValueError("no such gender")
"""
    [one] = findings(code)
    assert 'male → goes on, female → raise ValueError("women are not admitted")' in one.message


def test_groups_of_many_early_ends_are_told_their_own() -> None:
    names = ("muslim", "jewish", "hindu", "sikh", "christian", "buddhist")
    code = "def admit(person):\n" + "".join(
        f"    if person.religion == {name!r}:\n        return 'hall {place}'\n"
        for place, name in enumerate(names)
    )
    told = [one.message for one in findings(code)]
    for message in told:
        for place, name in enumerate(names):
            assert f"{name} → return 'hall {place}'" in message or f"{name} → " not in message, message


@pytest.mark.parametrize("name", ["test_gender", "load_gender", "format_gender"])
def test_a_method_that_checks_no_field_is_given_anything(name: str) -> None:
    code = CLASSES["a serializer"].replace("validate_gender(self, gender)", f"{name}(self, value)")
    assert not findings(code.format("value == 'female'").replace("return gender", "return value"))
