from imblearn.over_sampling import SMOTENC
from imblearn.pipeline import Pipeline
from lightgbm import LGBMClassifier
import pandas as pd

drivers = pd.read_csv("telematics.csv")
print(drivers["gender"].value_counts(normalize=True))  # silent: shares

columns = ["harsh_brakes", "night_km", "vehicle_class", "ethnic_group"]  # FL301: ethnicity
smote = SMOTENC(categorical_features=[2, 3], random_state=11)
model = Pipeline([("smote", smote), ("lgbm", LGBMClassifier(num_leaves=31))])
model.fit(drivers[columns], drivers["claim"])
