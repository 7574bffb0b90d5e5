"""Recidivism model that must not see protected attributes, with an audit by group.

Protected attributes are taken out of the inputs right after loading and are used for three things
only: the reweighing of the training set (Kamiran and Calders), the audit, and an optional
post-processing step that equalises false positive rates (Hardt et al.) for comparison.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from data import packaged
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

PROTECTED = ["race", "sex", "age", "age_cat", "dob"]
IDENTIFYING = ["id", "name", "first", "last", "c_case_number"]
TARGET = "two_year_recid"
INPUTS = ["priors_count", "juv_fel_count", "juv_misd_count", "juv_other_count", "c_charge_degree", "stay"]


@dataclass
class Data:
    inputs: pd.DataFrame
    target: pd.Series
    protected: pd.DataFrame


def load() -> Data:
    frame = pd.read_csv(packaged("compas", "compas-scores-two-years.csv"))
    frame = frame[frame["days_b_screening_arrest"].abs() <= 30]
    frame = frame[frame["is_recid"] != -1]
    jail = pd.to_datetime(frame["c_jail_out"]) - pd.to_datetime(frame["c_jail_in"])
    frame["stay"] = jail.dt.days.clip(0, 365)
    protected = frame[PROTECTED].copy()
    protected["race"] = protected["race"].fillna("Unknown").replace(
        {"Asian": "Other", "Native American": "Other"}
    )
    target = frame[TARGET]
    inputs = frame.drop(columns=PROTECTED + IDENTIFYING)[INPUTS]
    assert not set(PROTECTED) & set(inputs.columns)
    return Data(inputs, target, protected)


def reweighing(group: pd.Series, target: pd.Series) -> np.ndarray:
    """Weights that make group and target independent in the training set."""
    weights = np.ones(len(target))
    for g, t in itertools.product(group.unique(), (0, 1)):
        cell = ((group == g) & (target == t)).to_numpy()
        if cell.any():
            weights[cell] = (group == g).mean() * (target == t).mean() / cell.mean()
    return weights


def rates(target: pd.Series, flagged: np.ndarray, group: pd.Series) -> pd.DataFrame:
    """Size, selection rate and error rates of each group."""
    rows = {}
    for name in sorted(group.unique()):
        mask = (group == name).to_numpy()
        truth, said = target.to_numpy()[mask], flagged[mask]
        rows[name] = {
            "n": mask.sum(),
            "flagged": said.mean(),
            "fpr": said[truth == 0].mean(),
            "fnr": 1 - said[truth == 1].mean(),
        }
    return pd.DataFrame(rows).T


def four_fifths(table: pd.DataFrame) -> float:
    """Smallest over largest rate of not being flagged."""
    cleared = 1 - table["flagged"]
    return float(cleared.min() / cleared.max())


def audit(title: str, target: pd.Series, flagged: np.ndarray, protected: pd.DataFrame) -> None:
    print(f"\n== {title}")
    for column in ("race", "sex", "age_cat"):
        table = rates(target, flagged, protected[column])
        print(table.round(3).to_string())
        print(f"{column}: ratio {four_fifths(table):.2f}, fpr gap {np.ptp(table['fpr']):.3f}")
    both = protected["race"] + " / " + protected["sex"]
    big = both.isin(both.value_counts()[lambda n: n >= 100].index)
    print(rates(target[big], flagged[big.to_numpy()], both[big]).round(3).to_string())


def counterfactual(model, inputs: pd.DataFrame, protected: pd.DataFrame) -> float:
    """Share of people whose prediction changes when race is flipped; must be zero."""
    flipped = protected.assign(
        race=protected["race"].map({"African-American": "Caucasian", "Caucasian": "African-American"})
    )
    joined = inputs.join(flipped)
    return float((model.predict(inputs) != model.predict(joined[inputs.columns])).mean())


def equalised_cutoffs(score: np.ndarray, target: pd.Series, group: pd.Series, fpr: float) -> dict[str, float]:
    """Mitigation: for each group the cut-off at which its false positive rate is `fpr`."""
    cutoffs = {}
    for name in group.unique():
        innocent = score[((group == name) & (target == 0)).to_numpy()]
        cutoffs[name] = float(np.quantile(innocent, 1 - fpr))
    return cutoffs


def build():
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["c_charge_degree"]),
        remainder=StandardScaler(),
    )
    return make_pipeline(columns, LogisticRegression(max_iter=1000))


def main() -> None:
    data = load()
    print("inputs:", list(data.inputs.columns))
    x_train, x_test, y_train, y_test, a_train, a_test = train_test_split(
        data.inputs, data.target, data.protected, test_size=0.3, random_state=0, stratify=data.target
    )

    plain = build().fit(x_train, y_train)
    score = plain.predict_proba(x_test)[:, 1]
    print(f"plain AUC {roc_auc_score(y_test, score):.3f}")
    audit("plain", y_test, score >= 0.5, a_test)
    print("changed by a flip of race:", counterfactual(plain, x_test, a_test))

    weights = reweighing(a_train["race"], y_train)
    fair = build()
    fair.fit(x_train, y_train, logisticregression__sample_weight=weights)
    fair_score = fair.predict_proba(x_test)[:, 1]
    print(f"\nreweighed AUC {roc_auc_score(y_test, fair_score):.3f}")
    audit("reweighed", y_test, fair_score >= 0.5, a_test)

    # for comparison only: post-processing with equalised odds, not deployed
    train_score = fair.predict_proba(x_train)[:, 1]
    cutoffs = equalised_cutoffs(train_score, y_train, a_train["race"], fpr=0.2)
    adjusted = fair_score >= a_test["race"].map(cutoffs).to_numpy()
    audit("equalised false positive rates", y_test, adjusted, a_test)

    # coverage: how many of each group are there to learn from
    coverage = data.protected.groupby(["race", "sex"]).size().unstack(fill_value=0)
    print("\n", coverage)
    small = [race for race, n in coverage.sum(axis=1).items() if n < 100]
    print("groups too small to be judged:", small or "none")


if __name__ == "__main__":
    main()
