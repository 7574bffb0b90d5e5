import pickle

import pandas as pd
from sklearn.ensemble import RandomForestClassifier


class LongTermUnemploymentModel:
    target = "unemployed_12m"
    base = ["last_wage", "months_insured", "courses"]
    demographics = ["gender", "disability_status"]  # FL301: gender; FL301: disability

    def __init__(self, trees=300):
        self.model = RandomForestClassifier(n_estimators=trees, class_weight="balanced")

    @property
    def inputs(self):
        return [*self.base, *self.demographics]

    def train(self, frame: pd.DataFrame):
        prepared = frame[self.inputs].apply(lambda s: s.astype("category").cat.codes)
        self.model.fit(prepared, frame[self.target])
        return self

    def save(self, path):
        with open(path, "wb") as fh:
            pickle.dump(self.model, fh)
