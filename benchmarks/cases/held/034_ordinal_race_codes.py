# Prepares the underwriting table
import pandas as pd

RACE_ORDER = {"Black": 0, "Hispanic": 1, "Asian": 2, "White": 3}  # FL401: race
EDU_ORDER = {"none": 0, "school": 1, "college": 2, "master": 3}


def underwriting_table(path):
    t = pd.read_csv(path)
    t["edu"] = t["education"].map(EDU_ORDER)
    t["grp"] = t["race"].map(RACE_ORDER)
    return t


underwriting_table("uw.csv").to_parquet("uw_features.parquet")
