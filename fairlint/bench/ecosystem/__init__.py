"""The suites inside other harnesses: tasks for lm-evaluation-harness and for inspect-ai.

`lm_eval_task` and `inspect_task` are imported by these harnesses alone, which are there by then. What they
share is in `questions`, which needs neither.
"""
