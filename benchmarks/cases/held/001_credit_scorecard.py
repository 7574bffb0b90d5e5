"""Monthly refit of the consumer scorecard."""
import joblib
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

PREDICTORS = [
    "credit_amount",
    "duration_months",
    "age",  # FL301: age
    "marital_status",  # FL301: marital_status
    "installment_rate",
    "existing_credits",
]


def refit(path="warehouse/accounts.csv"):
    accounts = pd.read_csv(path)
    X = accounts[PREDICTORS]
    y = accounts["defaulted"]
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, stratify=y, random_state=7)
    scaler = StandardScaler().fit(X_tr)
    model = LogisticRegression(max_iter=500)
    model.fit(scaler.transform(X_tr), y_tr)
    print("holdout accuracy", model.score(scaler.transform(X_te), y_te))
    print(accounts.groupby("marital_status")["defaulted"].mean())  # silent: report by group
    joblib.dump((scaler, model), "scorecard.pkl")


if __name__ == "__main__":
    refit()
