#!/usr/bin/env bash
# c4fairness 0.1.2: with 20 clusters, a gap in a fair coin is significant in about nine of ten data sets.
#
# extreme_pair_gap_p (columns <F>_gap_sig and error_gap_sig of an overview) tests the cluster with the most against the
# cluster with the least, as if these two had been chosen before the data were seen. The more clusters, the wider is the
# widest gap by chance alone: at 5 %, it is called significant in about 10 % of data sets with 3 clusters, 25 % with
# 5 and over 80 % with 20. The test over all clusters beside it, omnibus_separability_p, keeps its 5 %. Read that one
# first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet c4fairness==0.1.2 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 scikit-learn==1.9.1
"$folder/venv/bin/python" - <<'PY'
from importlib.metadata import version

import numpy as np
from c4fairness import extreme_pair_gap_p, omnibus_separability_p

print("c4fairness", version("c4fairness"))
draw = np.random.default_rng(0)
datasets, people = 300, 100
alarms = {}
for clusters in (2, 3, 5, 10, 20):
    labels = np.repeat(np.arange(clusters), people)
    found = np.zeros(2)
    for _ in range(datasets):
        coin = draw.integers(0, 2, size=labels.size)
        found += (
            extreme_pair_gap_p(coin, labels, "binary") < 0.05,
            omnibus_separability_p(coin, labels, "binary", "chi2") < 0.05,
        )
    alarms[clusters] = found / datasets
    print(f"{clusters:2} clusters: widest gap {alarms[clusters][0]:.0%}, all clusters {alarms[clusters][1]:.0%}")
assert alarms[2][0] < 0.08
assert 0.15 < alarms[5][0] < 0.35
assert alarms[20][0] > 0.8
assert all(over_all < 0.1 for _, over_all in alarms.values())
PY
