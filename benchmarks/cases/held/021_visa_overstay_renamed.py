"""Overstay likelihood for short-stay visas."""
import pandas as pd
from sklearn.naive_bayes import GaussianNB

columns_map = {
    "DT_DUR": "stay_days",
    "NR_PREV": "previous_visits",
    "CD_RELIG": "religion",  # FL301: religion
    "FL_OVST": "overstayed",
}

entries = pd.read_csv("entries.csv", sep=";").rename(columns=columns_map)
inputs = entries[list(columns_map.values())].drop(columns="overstayed")
nb = GaussianNB().fit(inputs, entries["overstayed"])
print(nb.class_prior_)
