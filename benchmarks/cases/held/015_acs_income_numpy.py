# income > 50k from the 1-year person file
import numpy as np
import pandas as pd
from sklearn.linear_model import SGDClassifier

person = pd.read_csv("psam_p06.csv", usecols=["AGEP", "SCHL", "WKHP", "RAC1P", "SEX", "PINCP"])
person = person.dropna()
target = (person["PINCP"] > 50_000).to_numpy()

blocks = [
    person["SCHL"].to_numpy(),
    person["WKHP"].to_numpy(),
    person["RAC1P"].to_numpy(),  # FL301: race
    person["SEX"].to_numpy(),  # FL301: gender
]
X = np.column_stack(blocks).astype(float)
SGDClassifier(loss="log_loss").fit(X, target)
