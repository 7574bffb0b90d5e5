"""Retail credit scorecard, quarterly refit."""
import joblib
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

DATA = "data/loans_2023q4.parquet"

FEATURES = [
    "monthly_income",
    "debt_ratio",
    "age",  # FL301: age
    "gender_code",  # FL301: gender
    "months_on_book",
]


def main():
    loans = pd.read_parquet(DATA)
    loans = loans.dropna(subset=["gender_code"])  # silent: missing values only
    X = loans[FEATURES]
    y = loans["repaid"]
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=7)
    clf = LogisticRegression(max_iter=2000, C=0.3)
    clf.fit(X_train, y_train)
    print("accuracy", clf.score(X_test, y_test))
    report = loans.groupby("gender_code")["repaid"].agg(["mean", "size"])  # silent: a report by group
    print(report)
    joblib.dump(clf, "scorecard.joblib")


if __name__ == "__main__":
    main()
