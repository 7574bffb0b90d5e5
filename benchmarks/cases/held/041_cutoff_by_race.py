import numpy as np
import pandas as pd
import joblib

CUTOFF = {"White": 0.45, "Black": 0.6, "Asian": 0.5}


def decide(applicants: pd.DataFrame) -> pd.Series:
    model = joblib.load("approve.joblib")
    p = model.predict_proba(applicants[["income", "dti", "utilisation"]])[:, 1]
    approved = p >= applicants["race"].map(CUTOFF).to_numpy()  # FL501: race
    return pd.Series(np.where(approved, "approve", "reject"), index=applicants.index)


def acceptance_table(applicants, outcome):
    return pd.crosstab(applicants["race"], outcome, normalize="index")  # silent: acceptance rates per group
