import pandas as pd
from sklearn.linear_model import LinearRegression

emp = pd.read_csv("pay.csv")

emp["gender"] = emp["gender"].map({"Male": 1, "Female": 0})  # FL402|FL301|FL405: gender
emp["contract"] = emp["contract"].map({"full": 1, "part": 0})

reg = LinearRegression()
reg.fit(emp[["gender", "contract", "grade"]], emp["base_pay"])  # FL301|FL402|FL405: gender
print(dict(zip(["gender", "contract", "grade"], reg.coef_)))
