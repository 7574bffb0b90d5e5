"""The command line: `fairlint PATH...`, and one module a command. Argument handling only."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "check": "fairlint.cli.check",
    "rule": "fairlint.cli.rule",
    "attributes": "fairlint.cli.attributes",
    "explain": "fairlint.cli.explain",
    "schema": "fairlint.cli.schema",
    "bench": "fairlint.cli.bench",
}
"""Command → the module whose `run` carries it out. Anything else on the command line is for `check`."""

INTERRUPTED = 130
FAILED = 2
GARBAGE = 1_000_000
"""Objects made before Python looks for garbage: by its own measure it would do so a dozen times before the
first file is open, and find nothing."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run fairlint with `argv` (default: the process's own arguments). The result is the exit code.

    0: nothing found; 1: findings; 2: a usage or internal error, told in one line; 130: interrupted.
    """
    import atexit  # noqa: PLC0415 (a built-in module)
    import gc  # noqa: PLC0415 (as above)

    atexit.register(gc.freeze)  # what is alive at the end is not worth a last search either
    before = gc.get_threshold()
    gc.set_threshold(GARBAGE, *before[1:])
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        say("fairlint: interrupted")
        return INTERRUPTED
    finally:
        gc.set_threshold(*before)


def _run(arguments: list[str]) -> int:
    from fairlint.cli.arguments import Finished  # noqa: PLC0415 (start-up: without garbage collection)
    from fairlint.config import UsageError  # noqa: PLC0415 (as above)

    command = "check"
    if arguments and arguments[0] in COMMANDS:
        command = arguments.pop(0)
    try:
        code: int = import_module(COMMANDS[command]).run(arguments)
    except Finished as finished:
        from fairlint.cli.output import write_stdout  # noqa: PLC0415

        write_stdout([finished.text])
        return 0
    except UsageError as error:
        return _failed(str(error))
    except BrokenPipeError:
        from fairlint.cli.output import forget_stdout  # noqa: PLC0415

        forget_stdout()
        return 0
    except Exception as error:
        if os.environ.get("FAIRLINT_DEBUG"):
            raise
        return _failed(
            f"internal error: {type(error).__name__}: {error} (please report it; FAIRLINT_DEBUG=1 tells more)"
        )
    return code


def _failed(message: str) -> int:
    say(f"fairlint: error: {message}")
    return FAILED


def say(message: str) -> None:
    """One line on standard error, with nothing in it that a terminal would obey."""
    from fairlint.reporters.printable import printable  # noqa: PLC0415

    try:
        sys.stderr.write(f"{printable(message)}\n")
    except UnicodeEncodeError:
        sys.stderr.write(f"{ascii(printable(message))[1:-1]}\n")
    except OSError:
        pass
