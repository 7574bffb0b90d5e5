"""Reweighing after Kamiran and Calders: each group and outcome gets its expected share."""
import pandas as pd
from fairlearn.metrics import equalized_odds_difference
from sklearn.linear_model import LogisticRegression


def reweighing(df: pd.DataFrame, group: str, label: str) -> pd.Series:
    p_group = df[group].value_counts(normalize=True)
    p_label = df[label].value_counts(normalize=True)
    p_joint = df.groupby([group, label]).size() / len(df)
    return df.apply(
        lambda r: p_group[r[group]] * p_label[r[label]] / p_joint[r[group], r[label]], axis=1
    )


loans = pd.read_csv("loans.csv")
w = reweighing(loans, "race", "repaid")  # silent: known mitigation
X = loans.drop(columns=["race", "sex", "repaid"])  # silent: the columns are dropped
clf = LogisticRegression().fit(X, loans["repaid"], sample_weight=w)
gap = equalized_odds_difference(loans["repaid"], clf.predict(X), sensitive_features=loans["race"])  # silent: audit
print(f"{gap:.3f}")
