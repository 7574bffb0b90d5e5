from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.metrics import equalized_odds_difference
from sklearn.ensemble import GradientBoostingClassifier


def postprocess(X, y, groups):
    base = GradientBoostingClassifier().fit(X, y)
    opt = ThresholdOptimizer(
        estimator=base,
        constraints="equalized_odds",
        predict_method="predict_proba",
        prefit=True,
    )
    opt.fit(X, y, sensitive_features=groups["race"])  # silent: equalised odds mitigation
    pred = opt.predict(X, sensitive_features=groups["race"], random_state=3)  # silent: equalised odds mitigation
    gap = equalized_odds_difference(y, pred, sensitive_features=groups["race"])  # silent: fairness metric
    print(f"equalised odds gap after: {gap:.3f}")
    return opt
