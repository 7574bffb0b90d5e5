import pandas as pd
from tensorflow import keras

raw = pd.read_csv("salaries.csv")
raw["level"] = raw["job_title"].str.extract(r"(\d)").astype("float32")

X = raw[["is_female", "level", "tenure_years", "overtime_hours"]].to_numpy()  # FL301: gender
y = raw["salary"].to_numpy()

model = keras.Sequential(
    [
        keras.layers.Input(shape=(4,)),
        keras.layers.Normalization(),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mae")
model.fit(X, y, epochs=30, batch_size=128, validation_split=0.2)
print(raw.pivot_table(values="salary", index="is_female", columns="level", aggfunc="median"))  # silent: pay-gap report
