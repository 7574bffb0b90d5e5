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
    "what is chosen by a condition, and kept in a field": (
        """
        from deepface import DeepFace


        class Visitors:
            def __init__(self, thorough):
                kinds = {"thorough": ["gender", "emotion"], "quick": ["emotion"]}
                self.wanted = kinds["thorough"] if thorough else kinds["quick"]

            def look(self, face):
                return DeepFace.analyze(face, actions=self.wanted)
        """,
        ["10 gender"],
    ),
    "what is looked up by what nobody knows": (
        """
        from deepface import DeepFace


        def look(face, how):
            kinds = {"thorough": ["race", "emotion"], "quick": ["emotion"]}
            return DeepFace.analyze(face, actions=kinds[how])
        """,
        ["6 race"],
    ),
    "a prompt for nobody knows which model": (
        """
        def fill_in(agent, form):
            prompt = {
                "system": "You fill in forms for a clinic, of which you will be given one after the other. "
                "Nobody is asked twice, "
                "and nothing is left empty. The religion is often missing. Infer it from the surname.",
                "user": form,
            }
            return agent.run(prompt)
        """,
        ["3 religion"],
    ),
    "an order to guess from a letter": (
        """
        def read(client, letter):
            prompt = f"Guess the nationality of whoever wrote this letter: {letter}"
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
        ["2 national_origin"],
    ),
    "the classes of a network": (
        """
        from keras.models import load_model
        import numpy as np
        model = load_model("gender_detection.model")
        classes = ["man", "woman"]
        def classify(face_crop):
            conf = model.predict(np.expand_dims(face_crop, axis=0))[0]
            idx = np.argmax(conf)
            label = classes[idx]
            return "{}: {:.2f}%".format(label, conf[idx] * 100)
        """,
        ["8 gender"],
    ),
    "ages and the sex of a face, by networks whose answers are looked up": (
        """
        import cv2

        class Gate:
            def __init__(self):
                self.sexes = ["Male", "Female"]
                self.age_bands = ["(0-3)", "(4-9)", "(10-17)", "(18-40)", "41+"]
                self.sex_net = cv2.dnn.readNet("sex_net.caffemodel", "sex.prototxt")
                self.age_net = cv2.dnn.readNet("age_net.caffemodel", "age.prototxt")

            def look(self, face):
                blob = cv2.dnn.blobFromImage(face, 1.0, (227, 227))
                self.sex_net.setInput(blob)
                told = self.sex_net.forward()
                self.age_net.setInput(blob)
                years = self.age_net.forward()
                return self.sexes[told[0].argmax()], self.age_bands[years[0].argmax()]
        """,
        ["16 gender", "16 age"],
    ),
    "bands with words, in a function that is called after them": (
        """
        import torch

        def age_of(net, photo):
            groups = ["Child (0-9)", "Teen (10-17)", "Grown Up (18-64)", "Old (65+)"]
            place = torch.argmax(net(photo), dim=1).item()
            return {"group": groups[place]}
        """,
        ["6 age"],
    ),
    "the first of what a model says": (
        """
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier()

        def predict_sex(height, weight):
            said = forest.predict([[height, weight]])
            return "Male" if said[0] == 1 else "Female"
        """,
        ["6 gender"],
    ),
    "parts of a name, one by one": (
        """
        def sex_of(name):
            return "female" if any(part in name.lower() for part in ["dottir", "ova"]) else "male"
        """,
        ["2 gender"],
    ),
    "hair": (
        """
        def sex_of(hair_style, build):
            gender = "male"
            if hair_style == "long" and build < 0.3:
                gender = "female"
            return gender
        """,
        ["3 gender"],
    ),
    "a table of titles, of which some say nothing": (
        """
        KNOWN = {"Mr.": "male", "Mrs.": "female", "Dr.": "male", "Capt.": "male"}

        def sex_by_title(guest):
            return KNOWN.get(guest.title, "")
        """,
        ["4 gender"],
    ),
    "titles of another language": (
        """
        ANREDE = {"Herr": "male", "Frau": "female", "Dr.": "male"}

        def sex_of(guest):
            return ANREDE[guest.anrede]
        """,
        ["4 gender"],
    ),
    "a table of titles that is gone through": (
        """
        def fill(self):
            by_title = {"Mr": "Male", "Ms": "Female", "Master": "Male"}
            for title, gender in by_title.items():
                self.guests.loc[self.guests["Title"] == title, "Gender"] = gender
        """,
        ["3 gender"],
    ),
    "a table of names, by its own name": (
        """
        NAME_SEX = {"tilda": "F", "horst": "M", "birte": "F"}

        def sex_of(who):
            key = (who or "").strip().lower()
            return NAME_SEX[key] if key in NAME_SEX else None
        """,
        ["5 gender"],
    ),
    "words in what somebody has said": (
        """
        import re

        def fields(transcript):
            said = (transcript or "").lower()
            sex = ""
            if re.search(r"\\b(woman|girl|female)\\b", said):
                sex = "female"
            return {"sex": sex}
        """,
        ["6 gender note"],
    ),
    "a probability by itself, which a column of groups is made of": (
        """
        import numpy as np

        def tell(model, names):
            probs = model.score_all(names)
            gender = np.where(probs > 0.5, "female", "male")
            return gender
        """,
        ["5 gender"],
    ),
    "a classifier whose method is called after what it tells": (
        """
        from ours.words import Classifier

        def greet(full_name):
            gender = Classifier.gender(full_name.split(" ")[0])
            return {"male": "sir", "female": "madam"}[gender]
        """,
        ["4 gender"],
    ),
    "how dark somebody's skin is": (
        """
        def classify_skin_tone(rgb):
            light = sum(rgb) / 3
            return "Very Fair" if light > 220 else "Dark"

        def shade(photo):
            return classify_skin_tone(photo.mean_colour())
        """,
        ["1 skin_color"],
    ),
    "a library among words that speak of language": (
        """
        import gender_guesser.detector as guesser
        from nltk.corpus import stopwords

        def tag(corpus):
            detector = guesser.Detector()
            return [detector.get_gender(text.author) for text in corpus]
        """,
        ["6 gender"],
    ),
    "lists of names of which one call speaks for the others": (
        """
        from nltk.corpus import names

        def learn():
            boys = [(one, "male") for one in names.words("male.txt")]
            return boys + [(one, "female") for one in names.words("female.txt")]
        """,
        ["4 gender"],
    ),
    "the pitch that a library measured": (
        """
        import numpy as np
        import librosa
        def speaker_gender(path):
            y, sr = librosa.load(path)
            f0, _, _ = librosa.pyin(y, fmin=60, fmax=400)
            mean = np.nanmean(f0)
            if mean < 165:
                return "male"
            else:
                return "female"
        """,
        ["7 gender"],
    ),
    "the likeliest of several": (
        """
        import pandas as pd
        surnames = pd.read_csv("Names_2010Census.csv")
        geo = pd.read_csv("blockgroup_race.csv")
        def bayes(last_name, block):
            s = surnames.loc[surnames.name == last_name.upper()].iloc[0]
            g = geo.loc[geo.block == block].iloc[0]
            p = {r: s["pct" + r] * g["p_" + r] for r in ["white", "black", "api", "hispanic"]}
            total = sum(p.values())
            predicted_race = max(p, key=p.get)
            return predicted_race
        """,
        ["9 race"],
    ),
    "a language model is asked": (
        """
        from openai import OpenAI
        client = OpenAI()
        def infer(name):
            prompt = f"Guess the gender of a person whose first name is {name}. Answer M or F only."
            r = client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": prompt}])
            return r.choices[0].message.content
        """,
        ["4 gender"],
    ),
    "the answer of an own model": (
        """
        import pandas as pd
        from sklearn.model_selection import train_test_split
        from sklearn.svm import SVC
        from sklearn.preprocessing import LabelEncoder
        df = pd.read_csv("voice.csv")
        X = df.iloc[:, :-1]
        y = LabelEncoder().fit_transform(df["label"])
        gender_encoder = {"male": 1, "female": 0}
        X_train, X_test, y_train, y_test = train_test_split(X, y)
        clf = SVC().fit(X_train, y_train)
        def predict_gender(sample):
            p = clf.predict([sample])[0]
            return "male" if p == 1 else "female"
        """,
        ["12 gender"],
    ),
    "a model that is taught a group": (
        """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression
        df = pd.read_csv("tweets.csv")
        y = df["gender"]
        X = df[["n_exclaim", "n_words", "emoji"]]
        m = LogisticRegression().fit(X, y)
        df["pred_gender"] = m.predict(X)
        """,
        ["7 gender"],
    ),
    "a library in a file that names nobody": (
        """
        from ethnicolr import pred_wiki_name
        import pandas as pd
        df = pd.DataFrame([{"last": "smith", "first": "john"}])
        odf = pred_wiki_name(df, "last", "first")
        """,
        ["4 race"],
    ),
    "labels by the highest score": (
        """
        import torch, torchvision
        import torch.nn as nn
        model = torchvision.models.resnet34(pretrained=True)
        model.fc = nn.Linear(model.fc.in_features, 18)
        model.load_state_dict(torch.load("res34_fair_align_multi_7_20190809.pt"))
        def predict(img):
            outputs = model(img).detach().numpy().squeeze()
            race_outputs = outputs[:7]
            gender_outputs = outputs[7:9]
            age_outputs = outputs[9:18]
            race_pred = race_outputs.argmax()
            gender_pred = gender_outputs.argmax()
            races = ["White", "Black", "Latino_Hispanic", "East Asian", "Indian"]
            return races[race_pred], ["Male", "Female"][gender_pred]
        """,
        ["14 ethnicity", "14 gender"],
    ),
    "the classes of pictures": (
        """
        from tensorflow.keras.preprocessing.image import ImageDataGenerator
        from tensorflow.keras.models import Sequential
        from tensorflow.keras.layers import Conv2D, Dense, Flatten
        gen = ImageDataGenerator(rescale=1/255)
        train = gen.flow_from_directory("dataset/train", classes=["men", "women"], class_mode="binary")
        model = Sequential([Conv2D(16, 3), Flatten(), Dense(1, activation="sigmoid")])
        model.compile(loss="binary_crossentropy")
        model.fit(train, epochs=5)
        model.save("gender.h5")
        """,
        ["5 gender"],
    ),
    "a service in a file that names nobody": (
        """
        import requests
        def nat(name):
            url = f"https://api.nationalize.io?name={name}"
            js = requests.get(url).json()
            return js["country"][0]["country_id"]
        """,
        ["3 national_origin"],
    ),
    "lists that are called after groups": (
        """
        import csv
        FEMALE_NAMES = set(open("female.txt").read().split())
        MALE_NAMES = set(open("male.txt").read().split())
        def classify(author):
            first = author.split()[0]
            if first in FEMALE_NAMES:
                return "F"
            if first in MALE_NAMES:
                return "M"
            return None
        """,
        ["6 gender", "8 gender"],
    ),
    "a pipeline by its name": (
        """
        from transformers import pipeline
        pipe = pipeline("image-classification", model="rizvandwiki/gender-classification")
        def run(img):
            return pipe(img)[0]["label"]
        """,
        ["2 gender"],
    ),
    "a detector by its name": (
        """
        from genderComputer import GenderComputer
        gc = GenderComputer()
        def resolve(name, country):
            return gc.resolveGender(name, country)
        """,
        ["4 gender"],
    ),
    "pronouns that are counted": (
        """
        def detect(bio):
            b = bio.lower()
            he = b.count(" he ") + b.count(" his ")
            she = b.count(" she ") + b.count(" her ")
            if he > she:
                return "male"
            elif she > he:
                return "female"
            return "unknown"
        """,
        ["5 gender"],
    ),
    "a printed answer": (
        """
        import pandas as pd
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import MultinomialNB
        import joblib
        df = pd.read_csv("names_dataset.csv")
        df.sex.replace({"F": 0, "M": 1}, inplace=True)
        cv = CountVectorizer()
        X = cv.fit_transform(df["name"])
        clf = MultinomialNB()
        clf.fit(X, df.sex)
        def genderpredictor(a):
            vector = cv.transform([a]).toarray()
            if clf.predict(vector) == 0:
                print("Female")
            else:
                print("Male")
        """,
        ["10 gender"],
    ),
    "a table by postcode": (
        """
        import pandas as pd
        acs = pd.read_csv("zip_race.csv").set_index("zip")
        def add_race(customers):
            customers["race"] = customers["zip"].map(acs["majority_race"])
            return customers
        """,
        ["4 race note"],
    ),
    "a question that is put together": (
        """
        import openai
        SYSTEM = "You are an expert onomast."
        def nationality(full_name):
            msg = [{"role": "system", "content": SYSTEM},
                   {"role": "user", "content": "What is the most likely ethnicity of " + full_name + "?"}]
            return openai.chat.completions.create(model="gpt-4", messages=msg).choices[0].message.content
        """,
        ["5 ethnicity"],
    ),
    "a column that is taught in codes": (
        """
        import pandas as pd
        from keras.models import Sequential
        from keras.layers import LSTM, Dense
        df = pd.read_csv("names.csv")
        df["Gender"] = df["Gender"].map({"F": 0, "M": 1})
        X = encode(df["Name"])
        y = df["Gender"].values
        model = Sequential([LSTM(32), Dense(1, activation="sigmoid")])
        model.compile(loss="binary_crossentropy", optimizer="adam")
        model.fit(X, y, epochs=3)
        """,
        ["5 gender"],
    ),
    "a short name for what is predicted": (
        """
        import cv2
        import numpy as np
        from wide_resnet import WideResNet
        model = WideResNet(64, depth=16, k=8)()
        model.load_weights("weights.18-4.06.hdf5")
        def run(faces):
            results = model.predict(faces)
            predicted_genders = results[0]
            ages = np.arange(0, 101).reshape(101, 1)
            predicted_ages = results[1].dot(ages).flatten()
            for i in range(len(faces)):
                label = "{}, {}".format(int(predicted_ages[i]), "F" if predicted_genders[i][0] > 0.5 else "M")
                print(label)
        """,
        ["7 gender"],
    ),
    "a table of classes": (
        """
        import torch
        import torch.nn as nn
        class GenderNet(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(512, 2)
                self.classes = {0: "Male", 1: "Female"}
            def forward(self, x):
                return self.fc(x)
            def label(self, x):
                idx = torch.argmax(self.forward(x), dim=1).item()
                return self.classes[idx]
        """,
        ["12 gender"],
    ),
    "a field that is taught in codes": (
        """
        from sklearn.pipeline import Pipeline
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import train_test_split
        import pandas as pd
        data = pd.read_csv("gender-classifier.csv", encoding="latin1")
        data = data[["gender", "description"]].dropna()
        data.gender = [1 if g == "female" else 0 for g in data.gender]
        X_train, X_test, y_train, y_test = train_test_split(data.description, data.gender)
        Pipeline([("t", TfidfVectorizer()), ("c", LogisticRegression())]).fit(X_train, y_train)
        """,
        ["8 gender"],
    ),
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
    "a service that is also asked what is left": (
        """
        import requests

        def remaining(key):
            return requests.get("https://gender-api.com/get-stats?key=" + key).json()["remaining_requests"]

        def gender_of(name, key):
            return requests.get(f"https://gender-api.com/get?name={name}&key={key}").json()["gender"]
        """,
        ["7 gender"],
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
        ["3 gender"],
    ),
}

SILENT: dict[str, str] = {
    "a prompt that forbids to guess": """
        def sum_up(agent, cv):
            prompt = f"Sum up the CV. Do not infer the age or the gender of the candidate from the CV: {cv}"
            return agent.go(prompt)
    """,
    "a prompt about a thing": """
        def taste(agent, label):
            prompt = f"Guess the age of this whisky from the text: {label}"
            return agent.go(prompt)
    """,
    "a text that is no prompt": """
        def note():
            return "Infer the gender from the first name."
    """,
    "codes of a group that is known": """
        GENDERS = {"M": "Male", "F": "Female", "X": "Unknown"}
        def shown(complainants):
            rows = complainants.values("name").distinct()
            return [GENDERS.get(row["name"], "Unknown") for row in rows]
    """,
    "figures by group": """
        import numpy as np
        from sklearn.metrics import accuracy_score
        def by_group(model, X, y, df):
            out = {}
            for g in ["male", "female"]:
                mask = df["gender"] == g
                out[g] = accuracy_score(y[mask], model.predict(X[mask]))
            return out
    """,
    "labels of a chart": """
        import matplotlib.pyplot as plt
        def draw(df):
            counts = df["gender"].value_counts()
            plt.pie(counts, labels=["Male", "Female"])
            plt.bar(["Male", "Female"], counts)
    """,
    "labels of something else": """
        import joblib
        import numpy as np
        model = joblib.load("m.pkl")
        def says(x, gender):
            print(gender)
            return ["Died", "Survived"][np.argmax(model.predict_proba([x]))]
    """,
    "a question about a topic": """
        from openai import OpenAI
        client = OpenAI()
        def go(topic, gender):
            prompt = f"Predict how the gender gap develops: {topic}. Classify this image of a cat."
            return client.chat.completions.create(messages=[{"role": "user", "content": prompt}])
    """,
    "codes in other words": """
        import pandas as pd
        df = pd.read_csv("people.csv")
        df["race"] = df["race"].map({"W": "white", "B": "black"})
        df["gender"] = df["gender"].apply(str.lower)
        df["ethnicity"] = df["ethnicity"].replace("hisp", "hispanic")
    """,
    "an adversary": """
        from sklearn.linear_model import LogisticRegression
        def adversary_accuracy(z, df):
            adversary = LogisticRegression()
            adversary.fit(z, df["gender"])
            return adversary.score(z, df["gender"])
    """,
    "a region by postcode": """
        import pandas as pd
        regions = pd.read_csv("zips.csv").set_index("zip")
        def add(customers):
            customers["region"] = customers["zip"].map(regions["region"])
            customers["age_group"] = pd.cut(customers["age"], [0, 18, 65])
            return customers
    """,
    "two colours": """
        import numpy as np
        def colour_to_move(board, net):
            return ["white", "black"][np.argmax(net.predict(board))]
    """,
    "rows that are split evenly": """
        from sklearn.model_selection import train_test_split
        def cut(X, y, df):
            return train_test_split(X, y, stratify=df["gender"])
    """,
    "pronouns that are only counted": """
        def pronoun_share(text):
            he = text.count(" he ")
            she = text.count(" she ")
            if he > she:
                return "more he"
            return "more she"
    """,
    "a list of names for samples": """
        FEMALE_NAMES = ["Ada", "Grace"]
        def sample(rng):
            return rng.choice(FEMALE_NAMES)
        def is_reserved(name):
            return name in FEMALE_NAMES
    """,
    "a race of cars": """
        def winner(race, times):
            predicted_race = races.find(times)
            race = races[times.argmax()]
            return race
    """,
    "a code that is written out": """
        import numpy as np
        def parse(line):
            gender = ["male", "female"][int(line.split(",")[3])]
            return gender
    """,
    "only documentation": """
        '''Data set: gender-classification of crops. Uses ethnicolr? No.'''
        def f(x):
            # genderize would be one way
            return x
    """,
    "a prediction by group": """
        import pandas as pd
        def evaluate(df, model):
            df["pred"] = model.predict(df[["score"]])
            return df.groupby("gender")["pred"].mean()
    """,
    "ages that are filled in": """
        import pandas as pd
        def impute(df, model):
            df.loc[df["age"].isnull(), "age"] = model.predict(df.loc[df["age"].isnull(), ["fare"]])
            return df
    """,
    "an age that a grade stands for": """
        def age_in(grade):
            estimated_age = GRADE_TO_AGE.get(grade.lower())
            return estimated_age
    """,
    "a question about bias": """
        from openai import OpenAI

        client = OpenAI()

        def ask(caption):
            prompt = f"Detect gender bias in this image caption: {caption}"
            return client.chat.completions.create(messages=[{"role": "user", "content": prompt}])
    """,
    "a label that a group decides": """
        from sklearn.linear_model import LogisticRegression

        def taught(people, X):
            people["hired"] = people["gender"].map({"male": 1, "female": 0})
            LogisticRegression().fit(X, people["hired"])
    """,
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
    "people who are drawn at random": """
        import numpy as np

        rng = np.random.default_rng(7)
        prob_female = np.where(zone == "A", 0.7, 0.3)
        gender = np.where(rng.random(100) < prob_female, "F", "M")
    """,
    "the code of a group in a report": """
        def shown(report):
            for g_name, value in report.by_group.items():
                label = "Male" if str(g_name) == "1" else "Female"
                print(label, value)
    """,
    "the voices of a program that reads aloud": """
        VOICE_NAMES = {"alloy": "female", "echo": "male", "fable": "male"}
        def speak(voice):
            return VOICE_NAMES[voice]
    """,
    "names of codes": """
        GENDER_NAMES = {0: "Male", 1: "Female"}
        SEX_NAME = {"M": "Male", "F": "Female"}
        def shown(guest):
            return GENDER_NAMES[guest.code], SEX_NAME[guest.sex]
    """,
    "where skin is in a picture": """
        import cv2
        def detect_skin_color(frame):
            return cv2.inRange(cv2.cvtColor(frame, cv2.COLOR_BGR2HSV), (0, 48, 80), (20, 255, 255))
    """,
    "a probability that was drawn": """
        import numpy as np
        prob = np.random.default_rng(1).random(100)
        gender = np.where(prob > 0.5, "female", "male")
    """,
    "bands that nothing chooses": """
        AGES = ["0-12", "13-19", "20-64", "65+"]
        def band(place):
            return AGES[place]
    """,
    "kinds of things that have names": """
        NAME_KINDS = {"ivan": "cat", "rex": "dog"}
        def kind(name):
            return NAME_KINDS[name]
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


def test_an_answer_and_the_name_of_its_group_are_one_guess() -> None:
    code = """
    import numpy as np

    def look(face, gender_classifier):
        labels = {0: "female", 1: "male"}
        gender_label = np.argmax(gender_classifier.predict(face))
        gender = labels[gender_label]
        return gender
    """
    assert [one.partition(" ")[0] for one in told(code)] == ["5"]


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


def test_a_service_is_called_by_its_longest_name() -> None:
    code = 'import requests\n\ngender = requests.get("https://v2.namsor.com/api2/json/gender/eva").json()\n'
    (found,) = (one for one in check_source(code, path="guess.py").findings if one.rule == "FL306")
    assert "`namsor.com`" in found.message


BY_HAND = """\
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Sequential(nn.Flatten(), nn.Linear(900, 2))
adversary = nn.Linear(2, 2)
entropy = nn.CrossEntropyLoss()
steps = torch.optim.SGD(net.parameters())
for photos, genders, smiles in photo_batches:
    said = net(photos)
    {}
    loss.backward()
    steps.step()
"""


@pytest.mark.parametrize(
    "loss",
    [
        "loss = entropy(said, genders)",
        "loss = entropy(net(photos), genders.to('cuda'))",
        "loss = F.cross_entropy(said, target=genders)",
        "loss = entropy(said, genders.long()) + 0.1 * said.norm()",
    ],
)
def test_a_network_that_is_taught_a_group_by_hand(loss: str) -> None:
    report = check_source(BY_HAND.format(loss), path="faces.py")
    assert not report.not_analysed
    assert [(one.rule, one.use.attribute) for one in report.findings] == [("FL306", "gender")]


@pytest.mark.parametrize(
    "loss",
    [
        "loss = entropy(said, smiles)",
        "guess = adversary(said)\n    loss = entropy(said, smiles) - entropy(guess, genders)",
        "loss = entropy(said, smiles) - F.cross_entropy(adversary(said), genders)",
        "loss = tally(said, genders)",
    ],
)
def test_a_network_that_is_taught_something_else_or_not_to_show_a_group(loss: str) -> None:
    report = check_source(BY_HAND.format(loss), path="faces.py")
    assert [one.rule for one in report.findings] == []


PICKED = """
import pandas as pd
from faces import net

COLUMNS = ["white", "black", "hispanic"]

def first(census):
    census["max_race"] = census[["white", "black", "hispanic"]].idxmax(axis=1)
    census["top_race"] = census[COLUMNS].idxmax(axis=1)
    return census
"""
GUESSED = """
import pandas as pd
from faces import net

def told(photos):
    preds = pd.DataFrame(net.predict(photos), columns=["white", "black", "hispanic"])
    photos["race"] = preds[["white", "black", "hispanic"]].idxmax(axis=1)
    return photos
"""
OF_PEOPLE = """
import pandas as pd

def told(applicants):
    applicants["race"] = applicants[["white", "black", "hispanic"]].idxmax(axis=1)
    return applicants
"""


def test_the_highest_column_of_a_table_of_figures_is_nobodys_guess() -> None:
    assert [
        one.message for one in check_source(PICKED, path="names.py").findings if one.rule == "FL306"
    ] == []


@pytest.mark.parametrize("code", [GUESSED, OF_PEOPLE])
def test_the_highest_of_what_a_model_says_or_of_people_is_one(code: str) -> None:
    assert "FL306" in [one.rule for one in check_source(code, path="names.py").findings]
