import numpy as np
import pandas as pd
from tensorflow import keras

df = pd.read_csv("train_u6lujuX_CVtuZ9i.csv")  # the loan prediction practice set
df["LoanAmount"] = df["LoanAmount"].fillna(df["LoanAmount"].median())
df["Credit_History"] = df["Credit_History"].fillna(0)
df["Gender"] = df["Gender"].fillna("Male")  # FL404: gender
df["Married"] = df["Married"].fillna(df["Married"].mode()[0])  # FL404: marital_status
df["Self_Employed"] = df["Self_Employed"].fillna("No")

y = (df["Loan_Status"] == "Y").astype(int).to_numpy()
cols = ["Gender", "Married", "ApplicantIncome", "LoanAmount", "Credit_History"]  # FL301|FL405: gender; FL301|FL405: marital_status
X = pd.get_dummies(df[cols]).to_numpy(dtype=np.float32)

net = keras.Sequential([
    keras.layers.Input(shape=(X.shape[1],)),
    keras.layers.Dense(32, activation="relu"),
    keras.layers.Dropout(0.2),
    keras.layers.Dense(1, activation="sigmoid"),
])
net.compile(optimizer="adam", loss="binary_crossentropy", metrics=["AUC"])
net.fit(X, y, epochs=30, batch_size=64, validation_split=0.2)
