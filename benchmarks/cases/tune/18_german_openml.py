from sklearn.compose import ColumnTransformer, make_column_selector as selector
from sklearn.datasets import fetch_openml
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

bunch = fetch_openml("credit-g", version=1, as_frame=True)
frame = bunch.frame

X = frame.drop(columns=["class"])  # FL301|FL302: age; FL301|FL302: national_origin
y = frame["class"].eq("good")

pipe = Pipeline([
    ("prep", ColumnTransformer([
        ("cat", OneHotEncoder(handle_unknown="ignore"), selector(dtype_include="category")),
        ("num", StandardScaler(), selector(dtype_include="number")),
    ])),
    ("lr", LogisticRegression(max_iter=500)),
])
pipe.fit(X, y)
print(frame["age"].describe())  # silent: a summary of the column
