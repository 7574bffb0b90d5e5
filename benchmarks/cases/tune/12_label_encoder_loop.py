from sklearn.preprocessing import LabelEncoder
from sklearn.naive_bayes import GaussianNB
import pandas as pd

employees = pd.read_excel("hr_export.xlsx")
target = "promoted"

to_encode = ["department", "contract", "gender", "sexual_orientation"]  # FL301|FL405: gender; FL301|FL405: sexual_orientation
for c in to_encode:
    le = LabelEncoder()
    employees[c] = le.fit_transform(employees[c].astype(str))

X = employees[to_encode + ["tenure_months", "last_review"]]
y = employees[target]
GaussianNB().fit(X, y)

# who sits where: headcount for the works council
headcount = employees.pivot_table(index="department", columns="gender", values=target, aggfunc="count")  # silent: headcount table
headcount.to_html("headcount.html")
