"""Kamiran/Calders reweighing before training, as documented in the model card."""
from aif360.algorithms.preprocessing import Reweighing
from aif360.datasets import BinaryLabelDataset
from aif360.metrics import BinaryLabelDatasetMetric
from sklearn.linear_model import LogisticRegression

PRIV = [{"sex": 1}]  # silent: privileged group of the audit
UNPRIV = [{"sex": 0}]  # silent: unprivileged group of the audit


def train(frame):
    ds = BinaryLabelDataset(
        df=frame,
        label_names=["repaid"],
        protected_attribute_names=["sex"],  # silent: names the audited column
    )
    before = BinaryLabelDatasetMetric(ds, unprivileged_groups=UNPRIV, privileged_groups=PRIV)
    print("mean difference before", before.mean_difference())
    fair = Reweighing(UNPRIV, PRIV).fit_transform(ds)  # silent: known mitigation
    plain = [c for c in fair.feature_names if c != "sex"]  # silent: the column is left out
    x = fair.convert_to_dataframe()[0][plain]
    return LogisticRegression().fit(x, fair.labels.ravel(), sample_weight=fair.instance_weights)
