import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

numeric = ["years_experience", "typing_wpm", "age", "certificates"]  # FL301: age
categorical = ["degree_field", "gender", "job_family"]  # FL301|FL405: gender


def pipeline():
    prep = ColumnTransformer(
        [
            ("num", StandardScaler(), numeric),
            ("cat", OneHotEncoder(handle_unknown="ignore"), categorical),
        ]
    )
    return Pipeline([("prep", prep), ("clf", GradientBoostingClassifier())])


resumes = pd.read_parquet("resumes.parquet")
train_x, test_x, train_y, test_y = train_test_split(
    resumes[numeric + categorical], resumes["hired"], test_size=0.25
)
clf = pipeline().fit(train_x, train_y)
print(clf.score(test_x, test_y))
