import numpy as np
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
from sklearn.linear_model import LogisticRegression


def mitigate(X, y, A_gender):
    """Equalised odds, before and after training."""
    inner = LogisticRegression(solver="liblinear")
    grad = ExponentiatedGradient(inner, EqualizedOdds(), eps=0.02)
    grad.fit(X, y, sensitive_features=A_gender)  # silent: known mitigation

    post = ThresholdOptimizer(estimator=inner, constraints="equalized_odds", prefit=False)
    post.fit(X, y, sensitive_features=A_gender)  # silent: known mitigation
    return grad, post


def gap(y_pred, gender):
    rates = {g: float(np.mean(y_pred[gender == g])) for g in ("female", "male")}  # silent: selection rates
    return max(rates.values()) - min(rates.values())
