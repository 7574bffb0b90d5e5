#!/usr/bin/env bash
# jurity 2.1.0: a disparate impact of exactly 1, its ideal value, where one group alone is selected.
#
# When nobody of the privileged group is selected, DisparateImpact.get_score returns how many people of the other
# group are: a count, not a ratio. One selected person gives 1, the value that its description calls ideal and that
# lies within its bounds of 0.8 and 1.2, however large the groups are. A hundred selected people give 100. A warning
# is issued, and the number is returned all the same. Read the warning, or compare selection rates first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jurity==2.1.0 numpy==2.4.6 pandas==3.1.1
"$folder/venv/bin/python" -W ignore - <<'PY'
from importlib.metadata import version

from jurity.fairness import BinaryFairnessMetrics

print("jurity", version("jurity"))
metric = BinaryFairnessMetrics.DisparateImpact()
people = 1000
seen = {}
for selected in (1, 100, 1000):
    privileged = [0] * people
    others = [1] * selected + [0] * (people - selected)
    seen[selected] = metric.get_score(privileged + others, [0] * people + [1] * people)
    print(f"selected: 0 of {people} and {selected} of {people}: disparate impact {seen[selected]}")
print("ideal value", metric.ideal_value, "bounds", metric.lower_bound, metric.upper_bound)
assert seen == {1: 1, 100: 100, 1000: 1000}
assert metric.lower_bound <= seen[1] <= metric.upper_bound
PY
