import pandas as pd
from sklearn.linear_model import LogisticRegression

members = pd.read_csv("gym_credit.csv")
members["gender"] = members["gender"].map({"Male": 1, "Female": 0})  # FL402|FL405|FL301: gender
members["smoking_area"] = members["smoking_area"].map({"yes": 1, "no": 0})  # silent: not a person's group

cols = [
    "gender",  # FL301|FL402|FL405: gender
    "visits_per_month",
    "smoking_area",
]
LogisticRegression().fit(members[cols], members["paid_on_time"])

labels = {0: "Frauen", 1: "Männer"}  # silent: labels of a chart
ax = members.groupby("gender")["visits_per_month"].mean().rename(index=labels).plot.bar()
ax.figure.savefig("visits.png")
