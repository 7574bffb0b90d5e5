import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

# Adult census income
NAMES = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status",
    "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss",
    "hours-per-week", "native-country", "income",
]
adult = pd.read_csv("adult.data", names=NAMES, na_values="?", skipinitialspace=True)
adult = adult.dropna(subset=["native-country"])  # silent: missing-value clean-up

skip = {"fnlwgt", "income"}
feature_cols = [c for c in adult.columns if c not in skip]  # FL301|FL302: race; FL301|FL302: gender; FL301|FL302: age; FL301|FL302: marital_status; FL301|FL302: national_origin
X = pd.get_dummies(adult[feature_cols])
y = adult["income"].str.contains(">50K")

search = GridSearchCV(LogisticRegression(max_iter=300), {"C": [0.1, 1, 10]}, cv=3)
search.fit(X, y)
