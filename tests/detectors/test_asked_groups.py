"""Groups that a language model is asked to guess, and those that a model's answer is called after."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

ASKS = """
from openai import OpenAI

client = OpenAI()

def ask(given, gender):
    prompt = {prompt}
    return client.chat.completions.create(model="m", messages=[{{"role": "user", "content": prompt}}])
"""


def told(code: str) -> list[str]:
    """The attributes that are guessed, in order."""
    found = check_source(textwrap.dedent(code)).findings
    return sorted({one.use.attribute for one in found if one.rule == "FL306"})


@pytest.mark.parametrize(
    ("prompt", "guessed"),
    [
        ('f"Guess the gender of {given.first_name}"', ["gender"]),
        ('"Estimate the age and the gender of the person in the photo"', ["age", "gender"]),
        ('"What is the gender of the person in this picture?"', ["gender"]),
        (
            'f"From this bio, infer the gender and the ethnicity of the author: {given}"',
            ["ethnicity", "gender"],
        ),
        ('"For each name below, tell me whether it is male or female:" + given', ["gender"]),
        ('\'{"name": "as written", "gender": "female or male, guessed from the name"}\'', ["gender"]),
        ('"Do not guess the gender from the name."', []),
        ('"Detect gender bias in the speech of the speaker."', []),
        ('f"Predict the salary of somebody called {given.name} with gender {given.gender}"', []),
        ('"Identify the product in the image and the best shop for its age"', []),
        ('\'{"name": "as written", "gender": "as stated in the form, never inferred"}\'', []),
        ('"Is the verb in this speech singular or plural, and its gender male or neuter?"', []),
        ('"What is the name of the gender studies course in the picture of the campus?"', []),
    ],
)
def test_orders_to_guess(prompt: str, guessed: list[str]) -> None:
    assert told(ASKS.format(prompt=prompt)) == guessed


@pytest.mark.parametrize(
    ("text", "guessed"),
    [
        ("Gender inferred from the first name", ["gender"]),
        ("Best guess by the photo", ["gender"]),
        ("Gender as written in the CV", []),
        ("Never guess it from the name", []),
        ("Inferred by the rules below", []),
    ],
)
def test_fields_of_an_answer_that_are_guessed(text: str, guessed: list[str]) -> None:
    as_class = f"""
from pydantic import BaseModel, Field

class Lead(BaseModel):
    company: str = Field(description="Name of the company")
    gender: str = Field(description={text!r})
"""
    as_schema = f"""
SCHEMA = {{"properties": {{"gender": {{"type": "string", "description": {text!r}}}}}}}
"""
    assert told(as_class) == told(as_schema) == guessed


ANSWERS: dict[str, tuple[str, list[str]]] = {
    "the highest score is kept": (
        """
        import numpy as np
        def look(net, photo):
            scores = net(photo)
            ethnicity_pred = np.argmax(scores[:7])
            gender_pred = np.argmax(scores[7:9])
            return ethnicity_pred, gender_pred
        """,
        ["ethnicity", "gender"],
    ),
    "how likely a group is": (
        """
        import torch
        def look(net, name):
            prob_female = torch.sigmoid(net(name)).item()
            return {"name": name, "gender": "female" if prob_female >= 0.5 else "male"}
        """,
        ["gender"],
    ),
    "several answers at once": (
        """
        from cameras import Estimator
        estimator = Estimator()
        def look(photo):
            age, gender = estimator.predict(photo)
            return age, gender
        """,
        ["age", "gender"],
    ),
    "a field that is given an answer": (
        """
        import joblib
        model = joblib.load("model.joblib")
        def enrich(face, person):
            person["gender"] = "M" if model.predict(face)[0] > 0.5 else "F"
        """,
        ["gender"],
    ),
    "a stored model": (
        """
        import pickle
        model = pickle.load(open("gender_model.pkl", "rb"))
        def look(letters):
            return model.predict(letters)[0]
        """,
        ["gender"],
    ),
    "labels that are chosen from": (
        """
        from transformers import pipeline
        sort = pipeline("zero-shot-classification")
        def look(bio):
            gender = sort(bio, candidate_labels=["male", "female"])
            return gender
        """,
        ["gender"],
    ),
    "pictures that show whom": (
        """
        def look(net, photo, gender):
            shown = ["a photo of a man", "a photo of a woman"]
            return shown[net(photo, shown).argmax()]
        """,
        ["gender"],
    ),
}


@pytest.mark.parametrize(("code", "guessed"), ANSWERS.values(), ids=ANSWERS)
def test_answers_of_models(code: str, guessed: list[str]) -> None:
    assert told(code) == guessed


SILENT: dict[str, str] = {
    "an encoder that is stored": """
        import joblib
        gender_encoder = joblib.load("models/gender_encoder.joblib")
        age_scaler = joblib.load("age_model_scaler.joblib")
        """,
    "the page with the highest score": """
        import numpy as np
        def look(net, image, gender):
            page_pred = np.argmax(net(image))
            return page_pred
        """,
    "how likely it rains": """
        def look(person, prob_rain):
            return "umbrella" if prob_rain > 0.5 else person.gender
        """,
    "columns that are taken apart": """
        def look(rows):
            age, gender = rows.split(",")
            return gender, age
        """,
    "a group that is asked for": """
        def look(form):
            age, gender = form.ask("Age and gender?")
            return age, gender
        """,
    "a likelihood that decides nothing of a group": """
        def look(prob_female, sample):
            if prob_female > 1:
                raise ValueError("no probability")
            return sample
        """,
    "labels about something else": """
        from transformers import pipeline
        sort = pipeline("zero-shot-classification")
        def look(review, gender):
            return sort(review, candidate_labels=["good", "bad"])
        """,
    "pictures of things": """
        def look(net, photo, gender):
            shown = ["a photo of a cat", "a photo of a dog"]
            return shown[net(photo, shown).argmax()]
        """,
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_what_only_looks_like_a_guess_is_silent(code: str) -> None:
    assert told(code) == []


def test_coefficients_of_a_picture_are_no_medicine() -> None:
    code = """
def look(net, image, scale):
    blob = blob_from(image, 1.0, (78.4263377603, 87.7689143744, 114.895847746))
    height = 0.0172 * scale + 1.2136 * blob.height - 4.3221
    gender = ["Male", "Female"][net.forward(blob)[0].argmax()]
    return gender, height
"""
    found = [one for one in check_source(code).findings if one.rule == "FL306"]
    assert [(one.use.attribute, one.severity) for one in found] == [("gender", "warning")]


def test_a_long_order_is_read_to_a_client_that_another_library_makes() -> None:
    code = f"""
import instructor
from openai import OpenAI

client = instructor.from_openai(OpenAI())

def ask(names, answer):
    prompt = "Classify the ethnicity of each name. {"Names of the north are short. " * 100}" + names
    return client.chat.completions.create(model="m", response_model=answer, messages=[{{"content": prompt}}])
"""
    assert told(code) == ["ethnicity"]
