#!/usr/bin/env bash
# bias-amplification 0.2.1: a model that sees an activity more often, with the same share of women, "amplifies bias".
#
# BA_MALS is described as a comparison of P(attribute | task) before and after. It compares how often both occur together
# in all pictures. If the people who are predicted to cook are 60 % women as in the truth, nothing is amplified, but twice
# as many predictions give a positive figure and half as many a negative one: a model that predicts less looks like one
# that removes bias. Compare shares within each task, or models that predict each task equally often.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6 pandas==3.1.1 scikit-learn==1.9.1
"$folder/venv/bin/pip" install --quiet --no-deps bias-amplification==0.2.1
"$folder/venv/bin/python" - <<'PY'
from importlib.metadata import version

import torch
from bias_amplification.metrics.CoOccurMetrics import BA_MALS

print("bias-amplification", version("bias-amplification"))
people = 1000
women = torch.arange(people) < people // 2
attribute = torch.stack([women, ~women], dim=1).float()


def tasks(times: float) -> torch.Tensor:
    """Cooking by 60 women and 40 men and driving by 40 and 60, `times` as often; a picture may show both."""
    shown = torch.zeros(people, 2)
    for column, (of_women, of_men) in enumerate(((60, 40), (40, 60))):
        shown[: int(of_women * times), column] = 1
        shown[people // 2 : people // 2 + int(of_men * times), column] = 1
    return shown


truth = tasks(1)
seen = {}
for times in (0.5, 1, 2, 4):
    predicted = tasks(times)
    share = (attribute.T @ predicted / predicted.sum(0))[0]
    assert torch.allclose(share, torch.tensor([0.6, 0.4]))
    seen[times] = float(BA_MALS().computeBiasAmp(attribute, truth, predicted)[0])
    print(f"{times:3} times as many predictions, women {share[0]:.0%} and {share[1]:.0%}: amplification {seen[times]:+.3f}")
assert seen[1] == 0
assert seen[0.5] < 0 < seen[2] < seen[4]
PY
