#!/usr/bin/env bash
# aedt-audit 0.3.0: two groups with selection rates of 90 % and 30 % have no adverse impact if the score has few values.
#
# Under the rules of New York's Local Law 144, the scoring rate is the share of a group that scores above the median
# of all. With stars from 1 to 5, the median can be the best score. Then nobody is above it: every group has a rate of
# 0, impact ratios are NaN, and NaN < 0.8 is False, so adverse_impact_eeoc says False for all, with a p-value of 1. No
# warning is issued. Count how many people share the median score before any scoring rate, and read a missing
# impact ratio as "not measured". The same people, counted as selected from five stars on, are flagged.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet aedt-audit==0.3.0 numpy==2.4.6 pandas==3.1.1
"$folder/venv/bin/python" -W error - <<'PY'
from importlib.metadata import version

import pandas as pd
from aedt_audit import four_fifths, scoring_rates, selection_rates, significance

print("aedt-audit", version("aedt-audit"))
people = pd.DataFrame([
    {"sex": sex, "stars": stars}
    for sex, best in (("men", 900), ("women", 300))
    for stars in [5] * best + [2] * (1000 - best)
])
people["selected"] = people.stars == 5
columns = ["sex", "rate", "impact_ratio", "adverse_impact_eeoc", "p_value"]

scored = significance(four_fifths(scoring_rates(people, by=["sex"], score="stars")))
print("scoring rates, median", people.stars.median())
print(scored[columns].to_string(index=False))
assert scored["rate"].tolist() == [0, 0]
assert scored["impact_ratio"].isna().all()
assert not scored["adverse_impact_eeoc"].any()
assert scored["p_value"].tolist() == [1, 1]

chosen = significance(four_fifths(selection_rates(people, by=["sex"], outcome="selected")))
print("selection rates of the same people")
print(chosen[columns].to_string(index=False))
assert chosen.set_index("sex")["rate"].to_dict() == {"men": 0.9, "women": 0.3}
assert chosen.set_index("sex")["adverse_impact_eeoc"].to_dict() == {"men": False, "women": True}
PY
