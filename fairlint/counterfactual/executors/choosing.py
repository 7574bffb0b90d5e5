"""An executor by its name."""

from __future__ import annotations

from importlib.util import find_spec

from fairlint.counterfactual.executors.executor import Executor
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError

UNSAFE = "process-unsafe"
"""Runs programs on systems that do not hold them, too."""
PYTHONS = ("process", UNSAFE)
"""Those that run Python itself, which can have packages."""
NAMES = ("monty", *PYTHONS)
"""The default first."""


def choose(name: str = NAMES[0], *, workers: int | None = None, packages: bool = False) -> Executor:
    """Return the executor of that name, not started yet; a UsageError says what is wrong, what is not
    installed, or what this system lacks to hold a program.

    There are `workers` processes at once at most, else one for each processor. `packages` lets programs
    import installed packages, which `PYTHONS` alone can.
    """
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) or f"; there are {', '.join(NAMES[:-1])} and {NAMES[-1]}"
        raise UsageError(f"there is no executor '{name}'{hint}")
    if name in PYTHONS:
        from fairlint.counterfactual.executors import process  # noqa: PLC0415 (as needed)

        is_unsafe = name == UNSAFE
        process.check(process.needs(unsafe=is_unsafe))
        return process.ProcessExecutor(workers, packages=packages, unsafe=is_unsafe)
    if packages:
        raise UsageError("--executor monty has no packages: --executor process does")
    if find_spec("pydantic_monty") is None:
        install = 'pip install "fairlint[counterfactual]"'
        raise UsageError(f"pydantic-monty is not installed: {install}, or use --executor process")
    from fairlint.counterfactual.executors.monty import MontyExecutor  # noqa: PLC0415 (an extra)

    return MontyExecutor(workers)


def warning(name: str) -> str:
    """Return what has to be told of an executor before it runs anything; empty where nothing has."""
    if name != UNSAFE:
        return ""
    from fairlint.counterfactual.executors import process  # noqa: PLC0415 (as needed)

    found = process.lacking()
    told = [why for one in process.NEEDED if (why := found[one])]
    return f"--executor {UNSAFE} runs code that this system does not hold: {'; '.join(told)}" if told else ""
