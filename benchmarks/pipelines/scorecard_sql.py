"""Branch scorecard: applications from the database, points by hand, a model as second opinion.

The bank's rules of 2016 (points) and a gradient boosting model vote together; see `decide`.
"""

import csv
import sqlite3

import pandas as pd
from data import packaged
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.model_selection import train_test_split

DDL = """
CREATE TABLE application (
    id INTEGER PRIMARY KEY,
    checking TEXT, duration INTEGER, history TEXT, purpose TEXT, amount REAL, savings TEXT,
    employment TEXT, installment_rate INTEGER, personal_status TEXT, debtors TEXT,
    residence INTEGER, property TEXT, age INTEGER, plans TEXT, housing TEXT, credits INTEGER,
    job TEXT, dependents INTEGER, phone TEXT, foreign_worker TEXT, outcome INTEGER
);
CREATE TABLE person_code (code TEXT PRIMARY KEY, gender TEXT, marital_status TEXT);
CREATE INDEX by_outcome ON application (outcome);
"""

PERSON_CODES = [
    ("A91", "male", "divorced"),
    ("A92", "female", "married"),
    ("A93", "male", "single"),
    ("A94", "male", "married"),
    ("A95", "female", "single"),
]


def fill(db: sqlite3.Connection) -> None:
    db.executescript(DDL)
    db.executemany("INSERT INTO person_code VALUES (?, ?, ?)", PERSON_CODES)
    with open(packaged("german", "german.data"), newline="") as f:
        rows = [(i, *row) for i, row in enumerate(csv.reader(f, delimiter=" "), 1)]
    marks = ", ".join("?" * 22)
    db.executemany(f"INSERT INTO application VALUES ({marks})", [r[:22] for r in rows])
    db.commit()


REPORT = """
SELECT gender, COUNT(*) AS n, AVG(amount) AS mean_amount,
       SUM(CASE WHEN outcome = 2 THEN 1 ELSE 0 END) * 1.0 / COUNT(*) AS bad_rate
FROM application JOIN person_code ON code = personal_status
GROUP BY gender
ORDER BY gender
"""

APPLICANTS = """
SELECT a.*, p.gender, p.marital_status,
       amount / duration AS monthly,
       CASE WHEN savings IN ('A63', 'A64') THEN 1 ELSE 0 END AS saver
FROM application AS a
JOIN person_code AS p ON p.code = a.personal_status
WHERE duration BETWEEN 4 AND 60
"""

CAMPAIGN = """
SELECT id, amount, checking
FROM application JOIN person_code ON code = personal_status
WHERE outcome = 1 AND age < 40 AND gender = 'male' AND housing = 'A152'
ORDER BY amount DESC
LIMIT 20
"""

EMPLOYMENT_POINTS = {"A71": -10, "A72": 0, "A73": 5, "A74": 8, "A75": 12}
MARITAL_POINTS = {"married": 6, "divorced": -2, "single": 0}
HOUSING_POINTS = {"A151": 0, "A152": 8, "A153": 2}


def points(row) -> int:
    """Points of the old scorecard."""
    score = 40
    score += EMPLOYMENT_POINTS[row.employment]
    score += HOUSING_POINTS.get(row.housing, 0)
    score += MARITAL_POINTS.get(row.marital_status, 0)
    if row.checking == "A14":
        score += 15
    elif row.checking == "A11":
        score -= 12
    if row.history in ("A33", "A34"):
        score += 5
    if row.duration > 36:
        score -= 10
    elif row.duration <= 12:
        score += 6
    if row.age < 25:
        score -= 8
    elif row.age < 35:
        score -= 2
    else:
        score += 4
    if row.saver:
        score += 7
    if row.foreign_worker == "A201":
        score -= 3
    if row.monthly > 400:
        score -= 6
    if row.dependents > 1:
        score -= 2
    return score


def salutation(row) -> str:
    """First line of the letter."""
    return "Dear Mr" if row.gender == "male" else "Dear Ms"


def decide(row) -> str:
    """Points and model together."""
    if row.age > 70:
        return "refuse"
    if row.points >= 60 and row.p_bad < 0.35:
        return "grant"
    limit = 0.5 if row.gender == "female" else 0.45
    if row.p_bad > limit:
        return "refuse"
    return "officer"


def interest(row) -> float:
    """Yearly rate in percent, by risk."""
    rate = 4.5 + 6 * row.p_bad
    if row.amount > 10_000:
        rate *= 1.05
    if row.purpose == "A43":
        rate += 0.25
    return round(rate, 2)


def model_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Inputs of the model: money matters only."""
    money = ["duration", "amount", "installment_rate", "credits", "monthly", "saver", "residence"]
    coded = pd.get_dummies(frame[["checking", "history", "savings", "purpose", "employment"]])
    return pd.concat([frame[money], coded], axis=1)


def main() -> None:
    db = sqlite3.connect(":memory:")
    fill(db)
    print(pd.read_sql_query(REPORT, db).round(3))

    frame = pd.read_sql_query(APPLICANTS, db)
    frame["bad"] = (frame.pop("outcome") == 2).astype(int)
    print(len(frame), "applications,", frame.bad.sum(), "bad")

    frame["points"] = frame.apply(points, axis=1)
    print(frame.groupby("bad").points.describe().round(1))
    print("points AUC:", round(roc_auc_score(1 - frame.bad, frame.points), 3))

    X = model_frame(frame)
    train, test = train_test_split(frame.index, test_size=0.3, random_state=5, stratify=frame.bad)
    model = GradientBoostingClassifier(n_estimators=120, max_depth=3, learning_rate=0.06, random_state=5)
    model.fit(X.loc[train], frame.bad[train])
    frame["p_bad"] = model.predict_proba(X)[:, 1]
    print("model AUC:", round(roc_auc_score(frame.bad[test], frame.p_bad[test]), 3))

    new = frame.loc[test].copy()
    new["decision"] = new.apply(decide, axis=1)
    new["rate"] = new.apply(interest, axis=1)
    new["letter"] = new.apply(salutation, axis=1)
    print(new.decision.value_counts())
    print(confusion_matrix(new.bad, new.decision == "refuse"))
    print(pd.crosstab(new.gender, new.decision, normalize="index").round(3))
    print(new[["letter", "amount", "points", "p_bad", "decision", "rate"]].head(8).to_string())

    granted = new[new.decision == "grant"]
    print("volume:", granted.amount.sum(), "expected loss:", (granted.amount * granted.p_bad * 0.6).sum().round())

    letters = db.execute(CAMPAIGN).fetchall()
    print("campaign goes to", len(letters), "customers")
    db.close()


if __name__ == "__main__":
    main()
