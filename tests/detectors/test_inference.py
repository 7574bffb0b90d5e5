"""What guesses somebody's group, and what only asks for it, shows it or makes up names."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings


def told(code: str, path: str = "enrich.py") -> list[str]:
    """What is said of guesses: line, attribute, and the severity where it is no warning."""
    text = textwrap.dedent(code).lstrip("\n")
    report = check_source(text, path=path, language="python", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return [
        f"{finding.start.line} {finding.use.attribute}"
        + ("" if finding.severity == "warning" else f" {finding.severity}")
        for finding in report.findings
        if finding.rule == "FL306"
    ]


GUESSES: dict[str, tuple[str, list[str]]] = {
    "a name under another name": (
        """
        def sex_of(person):
            n = person.first_name.lower()
            return "female" if n.endswith("a") else "male"

        def group_of(person):
            ending = person.first_name[-1]
            return {"gender": "female" if ending in "aei" else "male"}
        """,
        ["3 gender", "7 gender"],
    ),
    "a test that is kept before": (
        """
        def label(person):
            is_female = person.first_name.endswith("a")
            if is_female:
                gender = "female"
            else:
                gender = "male"
            return gender
        """,
        ["2 gender"],
    ),
    "a pitch that is kept before": (
        """
        def voice_of(sample):
            limit = 165
            height = sample.pitch
            return {"gender": "male" if height < limit else "female"}
        """,
        ["4 gender"],
    ),
    "an option of one letter": (
        """
        def parse(answer):
            first = answer[0]
            if first == "f":
                gender = "female"
            else:
                gender = "male"
            return gender
        """,
        [],
    ),
    "gender_guesser": (
        """
        import gender_guesser.detector as gender

        detector = gender.Detector()
        people["gender"] = people["first_name"].apply(detector.get_gender)
        found = [detector.get_gender(name) for name in names]
        """,
        ["4 gender", "5 gender"],
    ),
    "gender_guesser in a class": (
        """
        from gender_guesser.detector import Detector

        class Enricher:
            def __init__(self):
                self.detector = Detector(case_sensitive=False)

            def gender(self, customer):
                return self.detector.get_gender(customer.first_name)
        """,
        ["8 gender"],
    ),
    "genderize": (
        """
        from genderize import Genderize

        gender = Genderize().get(["James", "Eva"])
        """,
        ["3 gender"],
    ),
    "a service": (
        """
        import requests

        def gender_of(name):
            answer = requests.get("https://api.genderize.io", params={"name": name})
            return answer.json()["gender"]
        """,
        ["4 gender"],
    ),
    "ethnicolr": (
        """
        from ethnicolr import pred_fl_reg_name

        df = pred_fl_reg_name(df, "last", "first")
        print(df["race"].value_counts())
        """,
        ["3 race"],
    ),
    "surgeo": (
        """
        import surgeo

        model = surgeo.SurgeoModel()
        df["race"] = model.get_probabilities(df["surname"], df["zcta"])
        """,
        ["4 race"],
    ),
    "DeepFace": (
        """
        from deepface import DeepFace

        WANTED = ["emotion", "gender"]
        found = DeepFace.analyze(img_path="visitor.jpg", actions=WANTED)
        """,
        ["4 gender"],
    ),
    "DeepFace without a list": (
        """
        from deepface import DeepFace

        found = DeepFace.analyze("visitor.jpg")
        print(found[0]["dominant_gender"])
        """,
        ["3 gender"],
    ),
    "a service that looks at faces": (
        """
        import boto3

        client = boto3.client("rekognition")

        def look(photo):
            found = client.detect_faces(Image={"Bytes": photo}, Attributes=["GENDER", "EMOTIONS"])
            return found["FaceDetails"][0]["Gender"]["Value"]
        """,
        ["6 gender"],
    ),
    "a model by its name": (
        """
        from transformers import pipeline

        classify = pipeline("image-classification", model="someone/gender-classification-v2")
        gender = classify("visitor.jpg")
        """,
        ["3 gender"],
    ),
    "a model by its file": (
        """
        import cv2

        gender_net = cv2.dnn.readNetFromCaffe("deploy_gender.prototxt", "gender_net.caffemodel")
        gender = gender_net.forward()
        """,
        ["3 gender"],
    ),
    "what is read of a face": (
        """
        from insightface.app import FaceAnalysis

        app = FaceAnalysis()

        def look(photo):
            found = app.get(photo)
            return [(face.gender, face.bbox) for face in found]
        """,
        ["6 gender"],
    ),
    "a name's end": (
        """
        def guess(customer):
            if customer["first_name"].lower().endswith("a"):
                customer["gender"] = "female"
            else:
                customer["gender"] = "male"
            return customer
        """,
        ["2 gender"],
    ),
    "a name's last letter": (
        """
        def add_gender(customer):
            customer.gender = "female" if customer.first_name[-1] in "aei" else "male"
        """,
        ["2 gender"],
    ),
    "a list of names": (
        """
        WOMEN = {"anna", "maria", "jane"}

        def sex_of(applicant):
            first_name = applicant["name"].split()[0].lower()
            if first_name in WOMEN:
                return "female"
            return "male"
        """,
        ["5 gender"],
    ),
    "a table of names": (
        """
        NAMES = {"james": "male", "mary": "female", "anna": "female"}

        def add_gender(applicant):
            applicant["gender"] = NAMES.get(applicant["first_name"].lower(), "unknown")
        """,
        ["4 gender"],
    ),
    "a title": (
        """
        import pandas as pd

        df["sex"] = df["title"].map({"Mr": "male", "Mrs": "female", "Miss": "female"})
        """,
        ["3 gender"],
    ),
    "a voice": (
        """
        def listen(recording):
            pitch = mean_pitch(recording)
            gender = "female" if pitch > 165 else "male"
            return gender
        """,
        ["3 gender"],
    ),
    "a pronoun": (
        """
        def read_bio(bio):
            words = bio.lower().split()
            if "she" in words or "her" in words:
                return {"gender": "female"}
            gender = "unknown"
            if "he" in words:
                gender = "male"
            return {"gender": gender}
        """,
        ["3 gender", "6 gender"],
    ),
    "a function of another file": (
        """
        from enrichment import infer_ethnicity

        df["ethnicity"] = df["surname"].map(lambda surname: infer_ethnicity(surname))
        """,
        ["3 ethnicity"],
    ),
    "a function whose way is not known": (
        """
        def predict_gender_from_name(name):
            vector = embed(name)
            gender = MODEL.predict(vector)[0]
            return gender
        """,
        ["1 gender"],
    ),
}

SILENT: dict[str, str] = {
    "it is asked for": """
        def ask(form):
            gender = form["gender"] or "prefer not to say"
            return {"gender": gender, "name": form["name"]}
    """,
    "it is read": """
        def get_gender(person):
            return person.gender

        def detect_gender_column(columns):
            return next(column for column in columns if "gender" in column.lower())
    """,
    "an age from a birth date": """
        from datetime import date

        def determine_age(birth_date):
            return (date.today() - birth_date).days // 365
    """,
    "a pronoun for a group": """
        def pronoun(gender):
            return "she" if gender == "female" else "he"
    """,
    "a salutation for a title": """
        def greet(title, name):
            if title == "Mr":
                return f"Dear Mr {name}"
            return f"Dear {name}"
    """,
    "the gender of a noun": """
        def noun_gender(noun):
            if noun.endswith("ung"):
                return "feminine"
            return "masculine"
    """,
    "names that are made up": """
        FEMALE_NAMES = ["Anna", "Maria"]

        def fake_person(gender):
            names = FEMALE_NAMES if gender == "female" else ["Paul"]
            return {"name": names[0], "gender": gender}
    """,
    "the emotion of a face": """
        from deepface import DeepFace

        gender = None
        found = DeepFace.analyze("visitor.jpg", actions=["emotion"])
    """,
    "a method of another package": """
        from mailer import Detector
        import gender_guesser

        detector = Detector()
        gender = detector.get_gender(form)
    """,
    "another package's pipeline": """
        from makeflow import pipeline

        gender = pipeline("someone/gender-classification-v2")
    """,
    "other pictures of another package": """
        import deepface
        from wells import Client

        gender = None
        found = Client().analyze("core.jpg", actions=["gender"])
    """,
    "what a field of nobody's face holds": """
        import deepface

        def show(face, form):
            form.race = face.race
    """,
    "the race of threads": """
        def detect_race(trace, lock):
            return any(event.name == "race" for event in trace)
    """,
    "a model that learns from gender": """
        import joblib

        model = joblib.load("churn_model.pkl")
        churn = model.predict(customers[["gender", "tenure"]])
    """,
    "who counts": """
        def count(people):
            return sum(1 for person in people if person.gender == "female")
    """,
}


@pytest.mark.parametrize(("code", "wanted"), GUESSES.values(), ids=GUESSES)
def test_guesses_are_told(code: str, wanted: list[str]) -> None:
    assert told(code) == wanted


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_other_ways_to_a_group_are_silent(code: str) -> None:
    assert told(code) == []


def test_a_guess_for_an_audit_is_a_note() -> None:
    code = """
    from surgeo import SurgeoModel

    def audit_lending(decisions):
        model = SurgeoModel()
        decisions["race"] = model.get_probabilities(decisions["surname"], decisions["zcta"])
        return decisions.groupby("race")["approved"].mean()
    """
    assert told(code) == ["5 race note"]


def test_a_method_of_nobody_knows_what_is_weak_evidence() -> None:
    code = """
    import gender_guesser

    def enrich(person, detector):
        person["gender"] = detector.get_gender(person["first_name"])
    """
    (finding,) = check_source(textwrap.dedent(code), path="enrich.py", language="python").findings
    assert (finding.rule, finding.confidence) == ("FL306", "medium")
    assert any("known by its name alone" in one.reason for one in finding.use.evidence)


def test_a_test_that_guesses_gets_a_note() -> None:
    code = 'import pytest\n\n\ndef guess_gender(first_name):\n    return "male"\n'
    report = check_source(code, path="tests/test_guess.py", settings=Settings(min_severity="note"))
    assert [(one.severity, one.use.context.name) for one in report.findings] == [("note", "test")]
    assert told('def guess_gender(first_name):\n    return "male"\n', "tests/test_guess.py") != []
