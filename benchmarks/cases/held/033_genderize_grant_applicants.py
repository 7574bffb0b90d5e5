import pandas as pd
from genderize import Genderize

apps = pd.read_csv("grant_applicants.csv")
first = apps["full_name"].str.split().str[0].fillna("").tolist()

answers = []
for start in range(0, len(first), 10):
    answers += Genderize().get(first[start : start + 10])  # FL306: gender

apps["panel_gender"] = [a["gender"] for a in answers]
apps["title_length"] = apps["project_title"].str.len()
apps.to_parquet("grant_applicants_panel.parquet")
