#!/usr/bin/env bash
# fairlearn 0.15.0 and jurity 2.1.0: the same two pandas columns in another order give other groups in one of them.
#
# Predictions are often sorted by score before a report. jurity pairs predictions with memberships by their pandas
# index, and the figure stays. fairlearn pairs them by position and ignores the index: the same columns give other
# selection rates, without an error or a warning. Sort both, or take
# both from one data frame.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet fairlearn==0.15.0 jurity==2.1.0 numpy==2.4.6 pandas==3.1.1 scikit-learn==1.9.1
"$folder/venv/bin/python" - <<'PY'
from importlib.metadata import version

import pandas as pd
from fairlearn.metrics import MetricFrame, selection_rate
from jurity.fairness import BinaryFairnessMetrics

print("fairlearn", version("fairlearn"), "jurity", version("jurity"))
predicted = pd.Series([1, 0, 1, 0, 1, 1, 1, 0])
group = pd.Series([0, 0, 0, 1, 1, 1, 1, 0])
ordered = predicted.sort_values(kind="stable")


def by_fairlearn(values: pd.Series) -> float:
    """The selection rate of group 1 minus that of group 0."""
    rates = MetricFrame(
        metrics=selection_rate, y_true=values, y_pred=values, sensitive_features=group
    ).by_group
    return float(rates[1] - rates[0])


def by_jurity(values: pd.Series) -> float:
    """The same difference."""
    return float(BinaryFairnessMetrics.StatisticalParity().get_score(values, group))


print("as they are:  fairlearn", by_fairlearn(predicted), "jurity", by_jurity(predicted))
print("sorted:       fairlearn", by_fairlearn(ordered), "jurity", by_jurity(ordered))
assert by_fairlearn(predicted) == by_jurity(predicted) == by_jurity(ordered) == 0.25
assert by_fairlearn(ordered) == 0.75
PY
