import pandas as pd
from sklearn.preprocessing import LabelEncoder
from sklearn.ensemble import ExtraTreesClassifier

data = pd.read_csv("loan_train.csv")

le = LabelEncoder()
TEXT = ["Gender", "Married", "Self_Employed", "Property_Area"]  # FL301|FL405: gender; FL301|FL405: marital_status
for col in TEXT:
    data[col] = le.fit_transform(data[col].astype(str))

X = data[TEXT + ["ApplicantIncome", "LoanAmount", "Credit_History"]]
y = data["Loan_Status"].map({"Y": 1, "N": 0})

clf = ExtraTreesClassifier(200, random_state=0)
clf.fit(X, y)
