from dataclasses import dataclass, field

import joblib
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier


class DrivingPremiumModel:
    """Wraps the risk classifier behind the quote endpoint."""

    NUMERIC = ("km_per_year", "car_age_years", "driver_age")  # FL301: age
    FLAGS = ("garage", "is_married")  # FL301: marital_status

    def __init__(self, n=200):
        self.clf = AdaBoostClassifier(n_estimators=n)

    def _matrix(self, df: pd.DataFrame):
        return df[list(self.NUMERIC) + list(self.FLAGS)].astype(float)

    def train(self, df: pd.DataFrame):
        self.clf.fit(self._matrix(df), df["had_claim"])
        joblib.dump(self.clf, "premium.pkl")


@dataclass
class QuoteRequest:
    km_per_year: int
    gender: str | None = None  # silent: a field without a group as default
    extras: list[str] = field(default_factory=list)
