"""One's own decision, read and run: findings that carry what counterfactual people showed."""
