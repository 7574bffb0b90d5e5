import pandas as pd
from aif360.algorithms.preprocessing import Reweighing
from aif360.datasets import BinaryLabelDataset
from aif360.metrics import BinaryLabelDatasetMetric

privileged = [{"sex": 1}]  # silent: aif360 groups
unprivileged = [{"sex": 0}]  # silent: aif360 groups

df = pd.read_csv("hiring_rounds.csv")
data = BinaryLabelDataset(
    df=df,
    label_names=["hired"],
    protected_attribute_names=["sex"],  # silent: audit configuration
    favorable_label=1,
    unfavorable_label=0,
)

before = BinaryLabelDatasetMetric(data, unprivileged, privileged)
print("disparate impact before:", before.disparate_impact())

rw = Reweighing(unprivileged_groups=unprivileged, privileged_groups=privileged)
fair = rw.fit_transform(data)  # silent: reweighing
after = BinaryLabelDatasetMetric(fair, unprivileged, privileged)
print("disparate impact after:", after.disparate_impact())
