import pandas as pd
from sklearn.linear_model import LinearRegression

RACE_ORDER = {"White": 3, "Asian": 2, "Hispanic": 1, "Black": 0}  # FL401|FL301: race
GRADE_ORDER = {"A": 3, "B": 2, "C": 1, "D": 0}  # silent: grades are ordered


def prepare(frame):
    frame = frame.copy()
    frame["race_num"] = frame["race"].map(RACE_ORDER)
    frame["grade_num"] = frame["grade"].map(GRADE_ORDER)
    return frame[["race_num", "grade_num", "attendance"]]  # FL301|FL401|FL405: race


students = pd.read_csv("graduation.csv")
lr = LinearRegression()
lr.fit(prepare(students), students["gpa_final"])
