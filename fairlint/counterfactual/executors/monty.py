"""Runs programs in Monty, a Python of its own without files, network or processes.

Each worker is a process: what Monty cannot hold ends one worker and fails one batch. Monty lacks some of
Python (https://github.com/pydantic/monty). That a program needs what it lacks is told as such, never as an
error of the program: `needs class inheritance: --executor process runs it`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from fairlint.counterfactual.executors import monty_gaps
from fairlint.counterfactual.executors.answers import MARGIN, harness, outcomes, parse_program, request
from fairlint.counterfactual.executors.executor import Crashed, Failed, Given, Limits, Outcome, Program
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    import pydantic_monty

_BEFORE = """
import json
import hashlib

def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()

def _start(source, space):
    exec(source, space)

def _round(number, ndigits=None):
    if type(number) is float and type(ndigits) is int and 0 < ndigits < 300:
        return float(format(number, "." + str(ndigits) + "f"))
    return round(number, ndigits)

def _answer(asked):
    tools = {"quote": json.dumps, "digest": _digest, "plain": plain_value, "name": type_name}
    return answer(json.loads(asked), {"__name__": "decision", "round": _round}, _start, tools)
"""
"""Monty rounds 2.675 to 2.68, Python to 2.67, as numbers are when they are written."""
_ASK = "_answer(asked)"
LONGEST_MESSAGE = 300
"""Characters of what a worker says at its end."""
_SUSPENSIONS = 1_000_000
"""Sleeps are counted as such; their time is limited already."""


class _Printed:
    """Counts what is printed, and lets it go."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self, _stream: Literal["stdout", "stderr"], text: str) -> None:
        self.left -= len(text)
        if self.left < 0:
            raise RuntimeError("prints more than it may")


class MontyExecutor:
    """A pool of Monty workers, one batch at a time each; `workers` at most, else one for each processor."""

    name = "monty"

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or os.cpu_count() or 1
        self._pool: pydantic_monty.Monty | None = None
        self._gaps = monty_gaps.Gaps(self._unsupported_statements)

    def __enter__(self) -> Self:
        import pydantic_monty  # noqa: PLC0415 (an extra)

        try:
            self._pool = pydantic_monty.Monty(max_processes=self._workers).__enter__()
        except FileNotFoundError:
            install = "pip install --force-reinstall pydantic-monty"
            raise UsageError(
                f"the program of pydantic-monty is missing: {install}, or use --executor process"
            ) from None
        return self

    def __exit__(self, *exception: object) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.__exit__(*exception)

    def run(
        self, program: Program, people: Sequence[Sequence[Given]], limits: Limits
    ) -> tuple[Outcome, ...] | Failed:
        """Return the outcome of each person, in order."""
        if program.call.style == "frame" or program.data:
            return _unsupported_failure("a fitted model")
        tree = parse_program(program.source)
        if isinstance(tree, Failed):
            return tree
        gap = self._gaps.of(tree)
        if gap:
            return _unsupported_failure(gap)
        asked = json.dumps(
            request(monty_gaps.strip_object_bases(program.source, tree), program, people, limits)
        )
        found = self._run_snippet(asked, len(people), limits)
        if isinstance(found, Failed) and found.cause == "time":
            found = self._run_snippet(asked, len(people), limits)
        if isinstance(found, Failed):
            gap = None
            if found.cause == "definition":
                gap = monty_gaps.gap_in_error(*found.message.split(": ", 1))
            elif found.cause == "syntax":  # Python itself can read it
                gap = f"what Monty cannot read ({found.message})"
            return _unsupported_failure(gap) if gap else found
        for outcome in {each for each in found if isinstance(each, Crashed)}:
            gap = monty_gaps.gap_in_error(outcome.error, outcome.message) or monty_gaps.short_circuit(tree)
            if gap:
                return _unsupported_failure(gap)
        return found

    def _run_snippet(self, asked: str, people: int, limits: Limits) -> tuple[Outcome, ...] | Failed:
        import pydantic_monty  # noqa: PLC0415 (an extra)

        assert self._pool is not None, "an executor is a context manager"
        printed = _Printed(limits.output)
        told: pydantic_monty.ResourceLimits = {
            "max_feed_duration_secs": limits.seconds,
            "max_memory": limits.memory,
            "max_recursion_depth": limits.depth + MARGIN,
            "max_suspensions": _SUSPENSIONS,
            "max_total_sleep_secs": limits.seconds,
        }
        try:
            with self._pool.checkout(
                limits=told,
                assert_message_annotations=False,
                os_policy={"sleep_system_max": float("inf")},
            ) as session:
                session.feed_run(harness() + _BEFORE, print_callback=printed)
                answer = session.feed_run(_ASK, inputs={"asked": asked}, print_callback=printed)
        except pydantic_monty.MontyError as error:
            if printed.left < 0:
                return Failed("output", "prints more than it may")
            return _batch_failure(error, limits)
        if printed.left < 0:
            return Failed("output", "prints more than it may")
        return outcomes(answer if isinstance(answer, str) else "", people, limits)

    def _unsupported_statements(self, statements: Sequence[str]) -> list[bool]:
        """Return whether Monty cannot execute each statement (imports, built-in names) for want of what it
        names.
        """
        assert self._pool is not None
        with self._pool.checkout() as session:
            found: list[bool] = session.feed_run(
                "found = []\nfor each in statements:\n"
                "    try:\n        exec(each, {})\n        found.append(False)\n"
                "    except Exception:\n        found.append(True)\n"
                "found",
                inputs={"statements": list(statements)},
            )
        return found


def _unsupported_failure(gap: str) -> Failed:
    how = "--executor process --packages" if gap.startswith("the package ") else "--executor process"
    return Failed("unsupported", f"needs {gap}: {how} runs it")


def _batch_failure(error: pydantic_monty.MontyError, limits: Limits) -> Failed:
    """Return why a whole batch came to nothing."""
    inner: Any = error.exception()
    message = " ".join(str(error).split())
    if getattr(error, "timed_out", False) or isinstance(inner, TimeoutError):
        return Failed("time", f"takes longer than {limits.seconds:g} s")
    if isinstance(inner, MemoryError):
        return Failed("memory", f"takes more than {limits.memory // 2**20} MiB of memory")
    if isinstance(inner, RecursionError):
        return Failed("depth", f"calls itself more than {limits.depth} times")
    gap = monty_gaps.gap_in_error(type(inner).__name__, str(inner))
    return (
        _unsupported_failure(gap) if gap else Failed("died", f"the worker ended: {message}"[:LONGEST_MESSAGE])
    )
