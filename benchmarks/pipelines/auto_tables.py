"""Mini AutoML: give it a table and a target, get the best of some models.

Column types are found by dtype; nobody has to write feature lists any more.
"""

import argparse
import time

import numpy as np
import pandas as pd
from data import packaged
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

TEXT = ["object", "string"]
MAX_LEVELS = 60


def adult():
    names = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status",
             "occupation", "relationship", "race", "sex", "capital_gain", "capital_loss",
             "hours_per_week", "native_country", "income"]
    df = pd.read_csv(packaged("adult", "adult.data"), names=names, skipinitialspace=True, na_values="?")
    df = df.sample(6000, random_state=0)
    y = (df["income"] == ">50K").astype(int)
    X = df.drop(columns=["income", "fnlwgt"])
    return X, y


def german():
    names = [f"V{i}" for i in range(1, 21)] + ["credit_risk"]
    df = pd.read_csv(packaged("german", "german.data"), sep=" ", names=names)
    return df.drop(columns="credit_risk"), (df["credit_risk"] == 2).astype(int)


def compas():
    df = pd.read_csv(packaged("compas", "compas-scores-two-years.csv"))
    y = df.pop("two_year_recid")
    # everything known after the fact leaks the target
    leaks = [c for c in df.columns if c.startswith(("r_", "vr_", "c_jail", "v_"))] + [
        "is_recid", "is_violent_recid", "violent_recid", "event", "start", "end", "in_custody", "out_custody",
        "decile_score", "decile_score.1", "score_text",
    ]
    X = df.drop(columns=leaks + ["id", "name", "first", "last"])
    return X, y


TABLES = {"adult": adult, "german": german, "compas": compas}


class TypeFinder:
    """Sorts the columns of a table into kinds."""

    def __init__(self, frame: pd.DataFrame):
        self.numeric = frame.select_dtypes(include="number").columns.tolist()
        text = frame.select_dtypes(include=TEXT).columns
        dates = [c for c in text if self._is_date(frame[c])]
        self.dates = dates
        self.categorical = [c for c in text if c not in dates and frame[c].nunique() <= MAX_LEVELS]
        self.dropped = [c for c in text if c not in dates and c not in self.categorical]

    @staticmethod
    def _is_date(column: pd.Series) -> bool:
        sample = column.dropna().head(50)
        if sample.empty or not sample.str.match(r"^\d{4}-\d{2}-\d{2}").all():
            return False
        return bool(pd.to_datetime(sample, errors="coerce").notna().all())

    def __str__(self):
        return (f"{len(self.numeric)} numeric, {len(self.categorical)} categorical, "
                f"{len(self.dates)} dates, dropped {self.dropped}")


def expand_dates(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Dates become numbers."""
    frame = frame.copy()
    for column in columns:
        stamp = pd.to_datetime(frame.pop(column), errors="coerce")
        frame[f"{column}_year"] = stamp.dt.year
        frame[f"{column}_month"] = stamp.dt.month
    return frame


def preprocessors():
    """One for linear models, one for trees."""
    numbers = make_column_selector(dtype_include=np.number)
    words = make_column_selector(dtype_exclude=np.number)
    linear = ColumnTransformer([
        ("n", Pipeline([("i", SimpleImputer()), ("v", VarianceThreshold()), ("s", StandardScaler())]), numbers),
        ("c", Pipeline([
            ("i", SimpleImputer(strategy="most_frequent")),
            ("o", OneHotEncoder(handle_unknown="ignore", min_frequency=20)),
        ]), words),
    ])
    trees = ColumnTransformer([
        ("n", SimpleImputer(strategy="median"), numbers),
        ("c", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), words),
    ])
    return linear, trees


def candidates(seed: int):
    linear, trees = preprocessors()
    yield "baseline", Pipeline([("p", trees), ("m", DummyClassifier())])
    yield "logistic", Pipeline([("p", linear), ("m", LogisticRegression(max_iter=500, C=0.5))])
    yield "extra trees", Pipeline([
        ("p", trees), ("m", ExtraTreesClassifier(100, min_samples_leaf=3, n_jobs=2, random_state=seed)),
    ])
    yield "boosting", Pipeline([
        ("p", trees), ("m", HistGradientBoostingClassifier(max_iter=60, random_state=seed)),
    ])


def run(name: str, seed: int) -> dict:
    X, y = TABLES[name]()
    kinds = TypeFinder(X)
    print(f"\n{name}: {X.shape[0]} rows, {kinds}")
    X = expand_dates(X.drop(columns=kinds.dropped), kinds.dates)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)

    best_name, best_score, best = None, -1.0, None
    for label, pipeline in candidates(seed):
        begin = time.perf_counter()
        score = cross_val_score(pipeline, X_train, y_train, cv=3, scoring="roc_auc").mean()
        print(f"  {label:<12} {score:.4f}  ({time.perf_counter() - begin:.1f} s)")
        if score > best_score:
            best_name, best_score, best = label, score, pipeline

    best.fit(X_train, y_train)
    probability = best.predict_proba(X_test)[:, 1]
    importance = permutation_importance(
        best, X_test.head(500), y_test.head(500), n_repeats=2, random_state=seed, scoring="roc_auc"
    )
    top = pd.Series(importance.importances_mean, index=X.columns).nlargest(5)
    return {
        "table": name,
        "model": best_name,
        "cv": round(best_score, 4),
        "test": round(roc_auc_score(y_test, probability), 4),
        "balanced": round(balanced_accuracy_score(y_test, probability > 0.5), 4),
        "top": ", ".join(top.index),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    board = pd.DataFrame([run(name, args.seed) for name in args.tables])
    print("\n", board.to_string(index=False))


if __name__ == "__main__":
    main()
