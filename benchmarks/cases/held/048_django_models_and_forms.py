from django import forms
from django.core.exceptions import ValidationError
from django.db import models


class Patient(models.Model):
    GENDERS = [("f", "female"), ("m", "male"), ("x", "diverse"), ("u", "unknown")]  # silent: choices of a schema
    gender = models.CharField(max_length=1, choices=GENDERS, default="u")  # silent: schema, default unknown
    ethnicity = models.CharField(max_length=40, blank=True)  # silent: schema
    birth_date = models.DateField(null=True)  # silent: schema

    class Meta:
        ordering = ["birth_date"]  # silent: order of a list view


class PatientForm(forms.ModelForm):
    class Meta:
        model = Patient
        fields = ["gender", "ethnicity", "birth_date"]  # silent: form fields

    def clean_gender(self):
        value = self.cleaned_data["gender"]
        if value not in dict(Patient.GENDERS):  # silent: validation
            raise ValidationError("unknown code")
        return value
