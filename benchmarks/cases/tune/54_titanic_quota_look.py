import pandas as pd
from sklearn.ensemble import RandomForestClassifier

titanic = pd.read_csv("titanic/train.csv")

features = ["Pclass", "Sex", "SibSp", "Parch"]  # FL301|FL405: gender
X = pd.get_dummies(titanic[features])
model = RandomForestClassifier(n_estimators=100, max_depth=5, random_state=1)
model.fit(X, titanic["Survived"])

women = titanic.loc[titanic.Sex == "female"]["Survived"]  # silent: one group's rate
men = titanic.loc[titanic.Sex == "male"]["Survived"]  # silent: one group's rate
print("women:", women.mean(), "men:", men.mean())
