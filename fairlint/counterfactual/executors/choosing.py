"""An executor by its name."""

from __future__ import annotations

from importlib.util import find_spec

from fairlint.config import UsageError
from fairlint.counterfactual.executors.executor import Executor
from fairlint.nearest import did_you_mean

NAMES = ("monty", "process")
"""The default first."""


def choose(name: str = NAMES[0], *, workers: int | None = None, packages: bool = False) -> Executor:
    """The executor of that name, not started yet; a UsageError says what is wrong or not installed.

    There are `workers` processes at once at most, else one for each processor. `packages` lets programs
    import installed packages, which `process` alone can.
    """
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) or f"; there are {' and '.join(NAMES)}"
        raise UsageError(f"there is no executor '{name}'{hint}")
    if name == "process":
        from fairlint.counterfactual.executors.process import ProcessExecutor  # noqa: PLC0415 (as needed)

        return ProcessExecutor(workers, packages=packages)
    if packages:
        raise UsageError("--executor monty has no packages: --executor process does")
    if find_spec("pydantic_monty") is None:
        install = 'pip install "fairlint[counterfactual]"'
        raise UsageError(f"pydantic-monty is not installed: {install}, or use --executor process")
    from fairlint.counterfactual.executors.monty import MontyExecutor  # noqa: PLC0415 (an extra)

    return MontyExecutor(workers)
