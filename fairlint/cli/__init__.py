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
    "laws": "fairlint.cli.laws",
    "explain": "fairlint.cli.explain",
    "schema": "fairlint.cli.schema",
    "baseline": "fairlint.cli.baseline",
    "statistics": "fairlint.cli.statistics",
    "verify": "fairlint.cli.verify",
    "clean": "fairlint.cli.clean",
    "bench": "fairlint.cli.bench",
    "fleet": "fairlint.cli.fleet",
    "counterfactual": "fairlint.cli.counterfactual",
    "model": "fairlint.cli.model",
    "server": "fairlint.cli.server",
    "mcp": "fairlint.cli.mcp",
    "hook": "fairlint.cli.hook",
    "daemon": "fairlint.cli.daemon",
    "completion": "fairlint.cli.completion",
    "man": "fairlint.cli.manual",
}
"""Command → the module whose `run` carries it out. Anything else on the command line is for `check`."""

_MEANT = {
    "help": "fairlint --help",
    "version": "fairlint --version",
    "rules": "fairlint rule --all",
    "lint": "fairlint PATH",
    "scan": "fairlint PATH",
    "init": "fairlint --show-settings",
}
"""Commands of other tools → what serves here."""
NEAR = 0.7
"""How alike a word and a command have to be for the command to be suggested."""
INTERRUPTED = 130
FAILED = 2
DEBUG = "FAIRLINT_DEBUG"
"""The variable with which an internal error shows where it came about."""
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
        return _run_command(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        say("fairlint: interrupted")
        return INTERRUPTED
    finally:
        gc.set_threshold(*before)


def _run_command(arguments: list[str]) -> int:
    from fairlint.support.errors import UsageError  # noqa: PLC0415 (start-up: without garbage collection)

    command = "check"
    if arguments and arguments[0] in COMMANDS:
        command = arguments.pop(0)
    elif arguments and (meant := _command_hint(arguments[0])):
        return _report_failure(f"{arguments[0]}: no such command, file or folder{meant}")
    try:
        code = _carried_out(COMMANDS[command], arguments)
        return code if command == "check" else max(code, _tell_of_plugins())
    except UsageError as error:
        _tell_of_plugins()
        return _report_failure(str(error))
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11, amid the making of a class
            raise error.__cause__ from None
        if isinstance(error, FileNotFoundError) and not _is_somewhere():
            return _report_failure("the current folder is no longer there")
        if os.environ.get(DEBUG):
            raise
        return _report_failure(
            f"internal error: {type(error).__name__}: {error} (please report it; {DEBUG}=1 tells more)"
        )


def _command_hint(word: str) -> str:
    """Return what a first word that names no file was probably meant to be; empty for all others."""
    if not word.isalpha() or os.path.lexists(word):
        return ""
    if word.lower() in _MEANT:
        return f"; did you mean '{_MEANT[word.lower()]}'?"
    from fairlint.support.did_you_mean import did_you_mean  # noqa: PLC0415 (only where something is wrong)

    return did_you_mean(word, COMMANDS, most=1, least=NEAR)


def _carried_out(module: str, arguments: list[str]) -> int:
    from fairlint.cli.arguments import ExitWithText  # noqa: PLC0415 (start-up: without garbage collection)
    from fairlint.plugins.guard import PluginError  # noqa: PLC0415 (as above)

    try:
        code: int = import_module(module).run(arguments)
    except PluginError as error:
        return _report_failure(str(error))
    except ExitWithText as finished:
        from fairlint.cli.output import write_stdout  # noqa: PLC0415

        write_stdout([finished.text])
        return 0
    return code


def _tell_of_plugins() -> int:
    """Say what went wrong with plugins, where no report has: 2 where there is anything."""
    plugins = sys.modules.get("fairlint.plugins.manager")
    told = [] if plugins is None else plugins.troubles()
    for _, line in told:
        say(f"fairlint: {line}")
    return FAILED if told else 0


def _report_failure(message: str) -> int:
    say(f"fairlint: error: {message}")
    return FAILED


def _is_somewhere() -> bool:
    """Return whether there is a current folder; it may have been removed."""
    try:
        os.getcwd()  # noqa: PTH109 (start-up)
    except OSError:
        return False
    return True


def say(message: str) -> None:
    """One line on standard error, with nothing in it that a terminal would obey."""
    from fairlint.reporters.printable import printable  # noqa: PLC0415

    write_stderr(f"{printable(message)}\n")


def write_stderr(text: str) -> None:
    """Write to standard error. Where that is closed or broken, the exit code has to do."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
    except UnicodeEncodeError:
        from fairlint.reporters import signs  # noqa: PLC0415 (few terminals lack anything)

        sys.stderr.write(signs.plain(text))
    except OSError:
        pass
