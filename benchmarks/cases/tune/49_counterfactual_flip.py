"""How often does the decision change when only a protected value changes?"""
from itertools import product

import pandas as pd

VARIANTS = [
    {"gender": g, "race": r}  # silent: counterfactual variants
    for g, r in product(["male", "female", "nonbinary"], ["white", "black", "asian"])
]


def flip_rate(model, applicants: pd.DataFrame) -> float:
    changed = 0
    for _, row in applicants.iterrows():
        app = row.to_dict()
        base = model.decide(app)
        outcomes = [model.decide({**app, **v}) for v in VARIANTS]  # silent: counterfactual flips
        changed += any(o != base for o in outcomes)
    return changed / len(applicants)


def swap(df: pd.DataFrame) -> pd.DataFrame:
    out = df.copy()
    out["gender"] = out["gender"].map({"male": "female", "female": "male"})  # silent: flipped for the test
    return out


def assert_stable(model, applicants, limit=0.01):
    rate = flip_rate(model, applicants)
    assert rate <= limit, f"{rate:.1%} of the decisions hang on a protected value"
