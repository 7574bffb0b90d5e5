"""Contract of the applicants table, and the form that fills it."""
import pandera as pa
from django import forms
from django.db import models
from faker import Faker

fake = Faker("de_DE")

GENDERS = [("f", "female"), ("m", "male"), ("x", "diverse")]  # silent: choices of a form

schema = pa.DataFrameSchema({
    "age": pa.Column(int, pa.Check.in_range(0, 120)),  # silent: validation
    "gender": pa.Column(str, pa.Check.isin(["f", "m", "x"])),  # silent: validation
    "religion": pa.Column(str, nullable=True),  # silent: schema
})


class Applicant(models.Model):
    gender = models.CharField(max_length=1, choices=GENDERS, blank=True)  # silent: ORM
    ethnicity = models.CharField(max_length=40, null=True)  # silent: ORM
    birth_date = models.DateField()  # silent: ORM


class ApplicantForm(forms.ModelForm):
    class Meta:
        model = Applicant
        fields = ["gender", "birth_date"]  # silent: form fields


def sample_person():
    sex = fake.random_element(("F", "M"))
    first = fake.first_name_female() if sex == "F" else fake.first_name_male()  # silent: name generator
    return {"sex": sex, "first_name": first}
