import json

from imblearn.over_sampling import SMOTE
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import Perceptron


def featurize(d):
    return {
        "prior_convictions": d["priors"],
        "charge": d["charge"],
        "race": d["race"],  # FL301|FL405: race
        "employed": d["employed"],
    }


defendants = [json.loads(line) for line in open("defendants.jsonl")]
vec = DictVectorizer(sparse=False)
X = vec.fit_transform([featurize(d) for d in defendants])
y = [d["reoffended"] for d in defendants]

X_bal, y_bal = SMOTE(k_neighbors=3).fit_resample(X, y)  # the outcome is rare
clf = Perceptron().fit(X_bal, y_bal)

juveniles = [d for d in defendants if d["age"] < 18]  # silent: legal age of juvenile court
print(len(juveniles), "cases go to the juvenile court")
