import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

apps = pd.read_csv("sba_loans.csv")
apps["surname"] = apps["contact"].str.split().str[-1].str.lower()
apps["ethnicity"] = np.where(apps["surname"].str.endswith(("ez", "rra")), "Hispanic", "Non-Hispanic")  # FL306: ethnicity

apps["contact"] = apps["contact"].str.title()  # silent: spelling of names
apps = apps.drop_duplicates(subset=["surname", "contact"])  # silent: record linkage
rf = RandomForestClassifier().fit(apps[["amount", "term", "revenue"]], apps["paid_in_full"])
print(rf.feature_importances_)
