"""The tasks of lm-evaluation-harness: a YAML file for each suite, made where the harness is told to look."""

from __future__ import annotations

from pathlib import Path

from fairlint.bench.suites import suite_names, suite_of
from fairlint.bench.suites.suite import Suite
from fairlint.support import whole_files
from fairlint.support.downloads import data_folder

TASK = """\
task: {task}
{tag}class: !function fairlint.bench.ecosystem.lm_eval_task.task.SuiteTask
metadata:
  version: 1
  fairlint_suite: "{suite}"
"""
TAG = "tag: fairlint\n"
"""Of the suites that are asked together, as `--tasks fairlint`."""


def lm_eval_tasks() -> dict[str, str]:
    """Task → its file, of all suites that ask no further than one answer, those of plugins included."""
    offered = [suite for suite in map(suite_of, suite_names()) if not hasattr(suite, "follow")]
    return {task_name(one.name): _task_text(one) for one in offered}


def task_name(suite: str) -> str:
    """Return what the task of a suite is called."""
    return f"fairlint_{suite.replace(':', '_')}"


def _task_text(suite: Suite) -> str:
    """Return the file of a suite; one that runs code or has to be downloaded is asked only by its
    own name.
    """
    needs_more = suite.runs_code or hasattr(suite, "prompts")
    return TASK.format(task=task_name(suite.name), tag="" if needs_more else TAG, suite=suite.name)


def lm_eval_folder() -> Path:
    """Return the folder with the files of all tasks, as they are now, in the user's cache.

    Raises UsageError where there is no such folder.
    """
    folder = data_folder().with_name("lm-eval")
    folder.mkdir(parents=True, exist_ok=True)
    tasks = {f"{name}.yaml": text for name, text in lm_eval_tasks().items()}
    for file in folder.glob("fairlint_*.yaml"):
        if file.name not in tasks:
            file.unlink(missing_ok=True)
    for name, text in tasks.items():
        whole_files.write_text(folder / name, text)
    return folder
