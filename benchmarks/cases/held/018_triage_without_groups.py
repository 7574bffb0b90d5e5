"""Readmission model. Protected columns never reach the estimator."""
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from fairlearn.metrics import MetricFrame, selection_rate, false_negative_rate

SENSITIVE = ["race", "gender"]  # silent: list of columns kept out of X
TARGET = "readmitted_30d"


def split(frame):
    X = frame.drop(columns=SENSITIVE + [TARGET])  # silent: columns are dropped
    return X, frame[TARGET], frame[SENSITIVE]


def run(path):
    X, y, groups = split(pd.read_parquet(path))
    model = HistGradientBoostingClassifier().fit(X, y)
    frame = MetricFrame(
        metrics={"selected": selection_rate, "fnr": false_negative_rate},
        y_true=y,
        y_pred=model.predict(X),
        sensitive_features=groups,  # silent: audit input
    )
    print(frame.by_group)
    return frame.difference()
