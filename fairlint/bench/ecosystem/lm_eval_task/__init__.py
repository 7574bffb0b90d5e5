"""The class that all tasks of lm-evaluation-harness name; their files are made by `lm_eval_tasks`."""
