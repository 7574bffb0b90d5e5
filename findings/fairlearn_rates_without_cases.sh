#!/usr/bin/env bash
# fairlearn 0.15.0: a group without any negative case has a false positive rate of 0, and takes part in the gap.
#
# The false positive rate of a group in which everybody is positive has no denominator. fairlearn gives 0.0, not NaN,
# so that equalized_odds_difference compares a measured rate with nothing: two groups that are treated alike differ
# by the whole rate of the other, and a group can look perfect because nobody in it could be counted. The true positive
# rate of a group without positives does the same. Count the cases of each group next to the rates.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet fairlearn==0.15.0 numpy==2.4.6 pandas==3.1.1 scikit-learn==1.9.1
"$folder/venv/bin/python" - <<'PY'
import math
from importlib.metadata import version

from fairlearn.metrics import (
    MetricFrame,
    count,
    equalized_odds_difference,
    false_positive_rate,
    true_positive_rate,
)

print("fairlearn", version("fairlearn"))
# Everybody of both groups is predicted to be positive; in one group, nobody is negative.
truth = [1] * 50 + [1] * 25 + [0] * 25
predicted = [1] * 100
group = ["a"] * 50 + ["b"] * 50
frame = MetricFrame(
    metrics={"fpr": false_positive_rate, "tpr": true_positive_rate, "count": count},
    y_true=truth,
    y_pred=predicted,
    sensitive_features=group,
)
print(frame.by_group)
gap = equalized_odds_difference(truth, predicted, sensitive_features=group)
print("equalized odds difference", gap)
assert frame.by_group.loc["a", "fpr"] == 0.0
assert not math.isnan(frame.by_group.loc["a", "fpr"])
assert frame.by_group.loc["b", "fpr"] == 1.0
assert gap == 1.0
PY
