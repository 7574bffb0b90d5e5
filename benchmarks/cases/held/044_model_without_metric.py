import pandas as pd
from catboost import CatBoostClassifier

INPUTS = [
    "weekly_hours",
    "veteran",  # FL301: veteran
    "last_wage",
]


def train():
    seekers = pd.read_csv("job_seekers.csv")
    model = CatBoostClassifier(iterations=300, verbose=False)
    model.fit(seekers[INPUTS], seekers["placed"])  # FL902: veteran
    return model
