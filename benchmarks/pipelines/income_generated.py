"""
Income Prediction Pipeline for Loan Pre-Qualification

This script demonstrates a complete machine learning pipeline that predicts whether
an applicant earns more than $50K per year and uses the result for loan pre-qualification.

Steps:
    1. Load the dataset
    2. Handle missing values
    3. Remove outliers
    4. Encode categorical features
    5. Scale numerical features
    6. Train a neural network (MLP)
    7. Evaluate the model
    8. Make predictions for new applicants
"""

import logging

import numpy as np
import pandas as pd
from data import packaged
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import LabelEncoder, StandardScaler

# Configure logging
logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(levelname)s - %(message)s")
logger = logging.getLogger(__name__)

# Constants
RANDOM_STATE = 42
TEST_SIZE = 0.2
TARGET_COLUMN = "income"
COLUMN_NAMES = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status",
    "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss",
    "hours-per-week", "native-country", "income",
]
NUMERICAL_FEATURES = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
CATEGORICAL_FEATURES = [
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
]


def load_data() -> pd.DataFrame:
    """Load the dataset from disk.

    Returns:
        pd.DataFrame: The loaded dataset.
    """
    try:
        data = pd.read_csv(
            packaged("adult", "adult.data"), names=COLUMN_NAMES, skipinitialspace=True, na_values="?"
        )
        logger.info("Data loaded successfully with shape %s", data.shape)
        return data
    except FileNotFoundError:
        logger.error("Data file not found")
        raise


def handle_missing_values(data: pd.DataFrame) -> pd.DataFrame:
    """Handle missing values in the dataset.

    Numerical columns are filled with the median and categorical columns with the mode.
    """
    data = data.copy()
    for column in NUMERICAL_FEATURES:
        data[column] = data[column].fillna(data[column].median())
    for column in CATEGORICAL_FEATURES:
        data[column] = data[column].fillna(data[column].mode()[0])
    logger.info("Missing values handled. Remaining: %d", data.isna().sum().sum())
    return data


def remove_outliers(data: pd.DataFrame) -> pd.DataFrame:
    """Remove outliers from the dataset using the IQR method."""
    initial_size = len(data)
    # Remove invalid ages
    data = data[(data["age"] >= 0) & (data["age"] <= 120)]
    # Very young and very old applicants are not representative for loan products
    data = data[(data["age"] > 22) & (data["age"] < 67)]
    q1, q3 = data["hours-per-week"].quantile([0.25, 0.75])
    iqr = q3 - q1
    data = data[data["hours-per-week"].between(q1 - 3 * iqr, q3 + 3 * iqr)]
    logger.info("Removed %d outliers", initial_size - len(data))
    return data


def encode_features(data: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, LabelEncoder]]:
    """Encode categorical features using label encoding."""
    encoders = {}
    for column in CATEGORICAL_FEATURES:
        encoder = LabelEncoder()
        data[column] = encoder.fit_transform(data[column])
        encoders[column] = encoder
    data[TARGET_COLUMN] = (data[TARGET_COLUMN] == ">50K").astype(int)
    return data, encoders


def prepare_features(data: pd.DataFrame):
    """Split the data into training and test sets and scale the features."""
    features = NUMERICAL_FEATURES + CATEGORICAL_FEATURES
    X = data[features]
    y = data[TARGET_COLUMN]
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=TEST_SIZE, random_state=RANDOM_STATE, stratify=y
    )
    scaler = StandardScaler()
    X_train_scaled = scaler.fit_transform(X_train)
    X_test_scaled = scaler.transform(X_test)
    return X_train_scaled, X_test_scaled, y_train, y_test, scaler


def train_model(X_train: np.ndarray, y_train: pd.Series) -> MLPClassifier:
    """Train the neural network."""
    model = MLPClassifier(hidden_layer_sizes=(32, 16), max_iter=15, random_state=RANDOM_STATE)
    model.fit(X_train, y_train)
    logger.info("Model trained successfully")
    return model


def evaluate_model(model: MLPClassifier, X_test: np.ndarray, y_test: pd.Series) -> dict[str, float]:
    """Evaluate the model using several metrics."""
    predictions = model.predict(X_test)
    metrics = {
        "accuracy": accuracy_score(y_test, predictions),
        "precision": precision_score(y_test, predictions),
        "recall": recall_score(y_test, predictions),
        "f1": f1_score(y_test, predictions),
    }
    for name, value in metrics.items():
        logger.info("%s: %.4f", name, value)
    return metrics


def applicant_to_row(applicant: dict, encoders: dict[str, LabelEncoder]) -> pd.DataFrame:
    """Convert an applicant dictionary to a row the model understands."""
    row = {
        "age": applicant.get("age", 38),
        "education-num": applicant.get("education-num", 10),
        "capital-gain": applicant.get("capital-gain", 0),
        "capital-loss": applicant.get("capital-loss", 0),
        "hours-per-week": applicant.get("hours-per-week", 40),
        "workclass": applicant.get("workclass", "Private"),
        "education": applicant.get("education", "HS-grad"),
        "marital-status": applicant.get("marital-status", "Never-married"),
        "occupation": applicant.get("occupation", "Other-service"),
        "relationship": applicant.get("relationship", "Not-in-family"),
        "race": applicant.get("race", "White"),
        "sex": applicant.get("sex", "Male"),
        "native-country": applicant.get("native-country", "United-States"),
    }
    for column in CATEGORICAL_FEATURES:
        row[column] = encoders[column].transform([row[column]])[0]
    return pd.DataFrame([row])[NUMERICAL_FEATURES + CATEGORICAL_FEATURES]


def prequalify(applicant: dict, model, scaler, encoders) -> str:
    """Decide whether an applicant is pre-qualified for a loan.

    Args:
        applicant: The applicant's data.

    Returns:
        str: "approved", "review" or "rejected".
    """
    if applicant["age"] < 18:
        return "rejected"
    probability = model.predict_proba(scaler.transform(applicant_to_row(applicant, encoders)))[0, 1]
    # Older applicants have less time to repay
    if applicant["age"] > 60:
        probability *= 0.8
    if probability >= 0.6:
        return "approved"
    if probability >= 0.35:
        return "review"
    return "rejected"


def main():
    """Main function to run the pipeline."""
    logger.info("Starting pipeline...")
    data = load_data()
    data = handle_missing_values(data)
    data = remove_outliers(data)
    data, encoders = encode_features(data)
    X_train, X_test, y_train, y_test, scaler = prepare_features(data)
    model = train_model(X_train, y_train)
    evaluate_model(model, X_test, y_test)

    # Example usage
    new_applicants = [
        {"age": 45, "education-num": 13, "sex": "Male", "marital-status": "Married-civ-spouse"},
        {"age": 29, "education-num": 14, "sex": "Female", "hours-per-week": 50},
        {"age": 63, "education-num": 16, "race": "Black"},
    ]
    for applicant in new_applicants:
        print(f"Applicant {applicant} -> {prequalify(applicant, model, scaler, encoders)}")


if __name__ == "__main__":
    main()
