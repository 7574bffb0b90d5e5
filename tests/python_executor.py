"""The executor that runs Python itself, on systems that hold programs and on those that limit them only."""

from __future__ import annotations

import pytest

from fairlint.counterfactual.executors.confinement import LIMITS
from fairlint.counterfactual.executors.process import NEEDED, ProcessExecutor, lacking

HOLDS = not any(lacking()[one] for one in NEEDED)
needs_process = pytest.mark.skipif(not HOLDS, reason="this system does not hold programs: see SECURITY.md")


def python_executor(workers: int | None = None, *, packages: bool = False) -> ProcessExecutor:
    """As much as the system has; for the harmless programs of tests."""
    if lacking()[LIMITS]:
        pytest.skip(lacking()[LIMITS])
    return ProcessExecutor(workers, packages=packages, unsafe=not HOLDS)
