"""Does the credit model change its mind when only the group changes?"""
import itertools

import pandas as pd

GENDERS = ["male", "female", "nonbinary"]  # silent: values tried by the audit
RACES = ["white", "black", "asian", "hispanic"]  # silent: values tried by the audit


def flips(applicant: dict):
    for g, r in itertools.product(GENDERS, RACES):
        yield {**applicant, "gender": g, "race": r}  # silent: counterfactual flip


def flip_rate(model, applicants: list[dict]) -> float:
    changed = 0
    for a in applicants:
        outcomes = {int(v) for v in model.predict(pd.DataFrame(list(flips(a))))}  # silent: audit prediction
        changed += len(outcomes) > 1
    return changed / len(applicants)
