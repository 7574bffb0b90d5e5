"""The tasks of lm-evaluation-harness: a YAML file for each suite, and the class that all of them name."""
