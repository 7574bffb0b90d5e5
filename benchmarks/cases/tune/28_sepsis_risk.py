"""Sepsis early warning for the intensive care unit."""
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier

VITALS = ["heart_rate", "resp_rate", "lactate", "temperature"]
PATIENT = ["age", "sex"]  # silent: clinical risk model, a note at most

icu = pd.read_parquet("icu_stays.parquet")
icu = icu[icu["age"] >= 18]  # silent: adult ward
model = GradientBoostingClassifier().fit(icu[VITALS + PATIENT], icu["sepsis_48h"])


def creatinine_clearance(patient, creatinine):
    """Cockcroft-Gault in ml/min."""
    value = (140 - patient.age) * patient.weight_kg / (72 * creatinine)  # silent: medical formula
    if patient.sex == "female":  # silent: medical formula
        value *= 0.85
    return value


def pregnancy_warning(patient, drug):
    if patient.pregnant and drug.teratogenic:  # silent: contraindication
        return f"{drug.name} is contraindicated in pregnancy"
    return None
