#!/usr/bin/env bash
# fairlearn 0.15.0 with pandas 3.1.1: a missing prediction counts as a rejection.
#
# A model, or a merge, that leaves some predictions empty gives NaN, None or <NA>. selection_rate compares each with
# the positive label, so that a missing one is a person who was not selected: the group with more gaps has the lower
# rate, without an error or a warning, and count says that nobody is missing. A column of pandas' dtype "boolean"
# raises a TypeError. Drop or count missing predictions by group before any rate.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet fairlearn==0.15.0 numpy==2.4.6 pandas==3.1.1 scikit-learn==1.9.1
"$folder/venv/bin/python" -W error - <<'PY'
from importlib.metadata import version

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, count, selection_rate

print("fairlearn", version("fairlearn"), "pandas", version("pandas"))
group = list("aaaabbbb")
truth = [1] * 8
# Of those who have a prediction, everybody is selected; three of group a have none.
kinds = {
    "float64": np.array([1, np.nan, np.nan, np.nan, 1, 1, 1, 1]),
    "Int64": pd.array([1, None, None, None, 1, 1, 1, 1], dtype="Int64"),
    "object": pd.Series([1, None, None, None, 1, 1, 1, 1], dtype=object),
}
for kind, predicted in kinds.items():
    frame = MetricFrame(
        metrics={"rate": selection_rate, "count": count},
        y_true=truth,
        y_pred=predicted,
        sensitive_features=group,
    )
    print(kind, frame.by_group.to_dict("index"))
    assert frame.by_group["rate"].to_dict() == {"a": 0.25, "b": 1.0}
    assert frame.by_group["count"].to_dict() == {"a": 4, "b": 4}
try:
    predicted = pd.array([True, None, None, None, True, True, True, True], dtype="boolean")
    MetricFrame(metrics=selection_rate, y_true=truth, y_pred=predicted, sensitive_features=group).by_group
except TypeError as error:
    print("boolean", type(error).__name__, error)
else:
    raise SystemExit("a boolean column is taken now")
PY
