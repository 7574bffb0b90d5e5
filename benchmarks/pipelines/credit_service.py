"""Credit risk model for consumer loans.

Trains a classifier on the German credit data, picks the cut-off that costs least and writes a report.

    python credit_service.py --report report.json
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from data import packaged
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectPercentile, mutual_info_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

logger = logging.getLogger("credit")

COLUMNS = [
    "checking_status",
    "duration",
    "credit_history",
    "purpose",
    "credit_amount",
    "savings",
    "employment_since",
    "installment_rate",
    "personal_status_sex",
    "other_debtors",
    "residence_since",
    "property",
    "age",
    "other_installments",
    "housing",
    "existing_credits",
    "job",
    "people_liable",
    "telephone",
    "foreign_worker",
    "class",
]
TARGET = "class"

# The internal risk policy of 2019 forbids sex and marital status as inputs.
FORBIDDEN = frozenset({"personal_status_sex"})


@dataclass(frozen=True)
class FeatureConfig:
    """Which columns the model may see."""

    numeric: tuple[str, ...] = (
        "duration",
        "credit_amount",
        "installment_rate",
        "residence_since",
        "age",
        "existing_credits",
    )
    categorical: tuple[str, ...] = (
        "checking_status",
        "credit_history",
        "purpose",
        "savings",
        "employment_since",
        "other_debtors",
        "property",
        "housing",
        "job",
        "telephone",
        "foreign_worker",
    )

    @property
    def all(self) -> list[str]:
        return [*self.numeric, *self.categorical]


@dataclass(frozen=True)
class Config:
    """Everything that changes a run."""

    features: FeatureConfig = field(default_factory=FeatureConfig)
    test_size: float = 0.25
    folds: int = 4
    seed: int = 7
    cost_bad_accepted: float = 5.0
    cost_good_refused: float = 1.0
    model: str = "forest"


class SchemaError(ValueError):
    """The data are not what this module was written for."""


def validate(frame: pd.DataFrame, features: FeatureConfig) -> None:
    """Check columns and ranges before anything is learnt."""
    missing = [name for name in features.all if name not in frame]
    if missing:
        raise SchemaError(f"columns missing: {missing}")
    forbidden = FORBIDDEN.intersection(features.all)
    if forbidden:
        raise SchemaError(f"columns that policy forbids: {sorted(forbidden)}")
    if not frame["age"].between(18, 120).all():
        raise SchemaError("age out of range")
    if not frame["foreign_worker"].isin(["A201", "A202"]).all():
        raise SchemaError("unknown code in foreign_worker")
    if (frame["credit_amount"] <= 0).any():
        raise SchemaError("credit_amount must be positive")


def load(path: Path) -> pd.DataFrame:
    """Read the raw file; `bad` is 1 for those who did not repay."""
    frame = pd.read_csv(path, sep=" ", names=COLUMNS)
    frame["bad"] = (frame.pop(TARGET) == 2).astype(int)
    logger.info("%d rows, %.1f%% bad", len(frame), 100 * frame["bad"].mean())
    return frame


class Winsorizer(TransformerMixin, BaseEstimator):
    """Cut off the tails of each column at given quantiles."""

    def __init__(self, low: float = 0.01, high: float = 0.99) -> None:
        self.low = low
        self.high = high

    def fit(self, X, y=None):
        self.bounds_ = np.nanquantile(np.asarray(X, dtype=float), [self.low, self.high], axis=0)
        return self

    def transform(self, X):
        return np.clip(np.asarray(X, dtype=float), self.bounds_[0], self.bounds_[1])

    def get_feature_names_out(self, names=None):
        return np.asarray(names)


def build_pipeline(config: Config) -> Pipeline:
    """Preprocessing, selection and classifier in one object."""
    numeric = Pipeline(
        [("impute", SimpleImputer(strategy="median")), ("tails", Winsorizer()), ("scale", StandardScaler())]
    )
    categorical = Pipeline(
        [
            ("impute", SimpleImputer(strategy="constant", fill_value="missing")),
            ("onehot", OneHotEncoder(handle_unknown="ignore", min_frequency=10)),
        ]
    )
    columns = ColumnTransformer(
        [
            ("num", numeric, list(config.features.numeric)),
            ("cat", categorical, list(config.features.categorical)),
        ],
        sparse_threshold=0.0,
    )
    if config.model == "forest":
        classifier = RandomForestClassifier(
            n_estimators=150, min_samples_leaf=5, n_jobs=2, random_state=config.seed
        )
    else:
        classifier = LogisticRegression(C=0.3, max_iter=2000)
    return Pipeline(
        [
            ("columns", columns),
            ("select", SelectPercentile(mutual_info_classif, percentile=70)),
            ("classifier", classifier),
        ]
    )


def cheapest_cutoff(probability: np.ndarray, bad: np.ndarray, config: Config) -> float:
    """The cut-off on the probability of default that costs least."""
    candidates = np.linspace(0.05, 0.95, 91)
    costs = [
        config.cost_bad_accepted * ((probability < cut) & (bad == 1)).sum()
        + config.cost_good_refused * ((probability >= cut) & (bad == 0)).sum()
        for cut in candidates
    ]
    return float(candidates[int(np.argmin(costs))])


@dataclass
class Report:
    """What a run found."""

    auc: float
    cutoff: float
    cost_per_applicant: float
    confusion: list[list[int]]
    acceptance_by_group: dict[str, float]


def evaluate(model: Pipeline, test: pd.DataFrame, cutoff: float, config: Config) -> Report:
    """Figures on data that the model has not seen."""
    probability = model.predict_proba(test[config.features.all])[:, 1]
    refused = probability >= cutoff
    matrix = confusion_matrix(test["bad"], refused)
    cost = config.cost_good_refused * matrix[0, 1] + config.cost_bad_accepted * matrix[1, 0]
    sex = test["personal_status_sex"].map(
        {"A91": "male", "A92": "female", "A93": "male", "A94": "male", "A95": "female"}
    )
    by_group = {group: float(1 - refused[(sex == group).to_numpy()].mean()) for group in sorted(sex.unique())}
    return Report(
        auc=float(roc_auc_score(test["bad"], probability)),
        cutoff=cutoff,
        cost_per_applicant=float(cost / len(test)),
        confusion=matrix.tolist(),
        acceptance_by_group=by_group,
    )


def train(config: Config) -> Report:
    """One run from file to report."""
    frame = load(packaged("german", "german.data"))
    validate(frame, config.features)
    training, test = train_test_split(
        frame, test_size=config.test_size, stratify=frame["bad"], random_state=config.seed
    )
    pipeline = build_pipeline(config)
    folds = StratifiedKFold(config.folds, shuffle=True, random_state=config.seed)
    inputs = training[config.features.all]
    out_of_fold = cross_val_predict(pipeline, inputs, training["bad"], cv=folds, method="predict_proba")
    cutoff = cheapest_cutoff(out_of_fold[:, 1], training["bad"].to_numpy(), config)
    pipeline.fit(inputs, training["bad"])
    return evaluate(pipeline, test, cutoff, config)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["forest", "logistic"], default="forest")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    report = train(Config(model=options.model, seed=options.seed))
    text = json.dumps(asdict(report), indent=2)
    if options.report:
        options.report.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
