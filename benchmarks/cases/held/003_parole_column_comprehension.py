# Parole violation model, statewide extract 2019-2023
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

LAYOUT = [
    "inmate_id",
    "offense_level",
    "months_served",
    "race",  # FL301: race
    "prior_violations",
    "violated",
]
SKIP = {"inmate_id", "violated"}

extract = pd.read_csv("parole.txt", sep="|", header=None, names=LAYOUT)
cols = [c for c in LAYOUT if c not in SKIP]
forest = RandomForestClassifier(n_estimators=400, n_jobs=-1)
forest.fit(extract[cols], extract["violated"])

order = np.argsort(forest.feature_importances_)[::-1]
for i in order:
    print(f"{cols[i]:<20}{forest.feature_importances_[i]:.4f}")
