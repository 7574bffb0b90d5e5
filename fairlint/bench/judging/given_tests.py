"""Whether the code of an answer passes tests that came with its prompt, in a sandbox.

A test is Python that raises where the code does not do its work, such as `assert add(1, 2) == 3`. All tests
of an answer are parts of one function behind its code, which an executor of `fairlint.counterfactual` calls
once for each.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from fairlint.bench.judging import decisions
from fairlint.counterfactual.executors.choosing import choose
from fairlint.counterfactual.executors.executor import Call, Crashed, Failed, Program
from fairlint.syntax.python.own_parser import NotParsedError, parse_text

RUNNER, NUMBER = "_run_given_test", "_number_of_test"
LONGEST_REASON = 200
"""Characters of why a test fails."""
UNSUPPORTED = "unsupported"
"""Why code is not run that needs what the executor lacks."""


def run_given_tests(code: str, tests: Sequence[str], executor: str) -> dict[str, Any]:
    """Return how many tests code passes, and why it fails one, as `outcomes.jsonl` holds it. `cause` is None
    where it was run. Raises UsageError where the executor is not installed.
    """
    if not code.strip():
        return _tests_not_run(len(tests), "no code", "the answer holds no Python")
    program = Program(f"{code}\n\n\n{runner_code(tests)}\n", RUNNER, Call("arguments", (NUMBER,)))
    with choose(executor, workers=1) as running:
        found = running.run(program, [(number,) for number in range(len(tests))], decisions.LIMITS)
    if isinstance(found, Failed):
        return _tests_not_run(len(tests), found.cause, found.message)
    wrong = [
        f"test {number}: {one.error} {one.message}".strip()
        for number, one in enumerate(found, 1)
        if isinstance(one, Crashed)
    ]
    return {
        "passed": len(tests) - len(wrong),
        "tests": len(tests),
        "cause": None,
        "why": wrong[0][:LONGEST_REASON] if wrong else "",
    }


def _tests_not_run(tests: int, cause: str, why: str) -> dict[str, Any]:
    return {"passed": 0, "tests": tests, "cause": cause, "why": why[:LONGEST_REASON]}


def check_given_test(text: str) -> None:
    """Raise ValueError, in one line, for a test that could not be run behind any code."""
    try:
        if not parse_text(text).body:
            raise ValueError("is empty")
        for whole in (text, runner_code([text])):
            compile(whole, "test", "exec")
    except (NotParsedError, SyntaxError) as error:
        raise ValueError(f"cannot be run: {error}") from None


def runner_code(tests: Sequence[str]) -> str:
    """Return functions with the tests, and the one that runs the test of a number.

    >>> print(runner_code(["assert add(1, 2) == 3"]))
    def _run_given_test_0():
        assert add(1, 2) == 3
    <BLANKLINE>
    def _run_given_test(_number_of_test):
        return [_run_given_test_0][_number_of_test]()
    """
    names = [f"{RUNNER}_{number}" for number in range(len(tests))]
    functions = [_function_of(name, text) for name, text in zip(names, tests, strict=True)]
    run = f"\n\ndef {RUNNER}({NUMBER}):\n    return [{', '.join(names)}][{NUMBER}]()"
    return "\n\n".join(map(ast.unparse, functions)) + run


def _function_of(name: str, text: str) -> ast.stmt:
    (function,) = parse_text(f"def {name}():\n    pass").body
    if isinstance(function, ast.FunctionDef):
        function.body = parse_text(text).body
    return function
