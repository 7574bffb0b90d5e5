"""`fairlint fleet`: checks many repositories, and keeps what is found in a store that answers questions."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from fairlint.cli.arguments import Command
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError

SUBCOMMANDS: dict[str, str] = {
    "scan": "fairlint.cli.fleet_scan",
    "query": "fairlint.cli.fleet_query",
    "diff": "fairlint.cli.fleet_diff",
    "export": "fairlint.cli.fleet_export",
    "site": "fairlint.cli.fleet_site",
    "adopt": "fairlint.cli.fleet_adopt",
}
"""Word after `fleet` → the module whose function of that name carries it out."""

COMMAND = Command(
    "fleet",
    usage="fairlint fleet scan | query | diff | export | site | adopt [OPTION...]",
    description=(
        "Check many repositories, and keep what is found in a store of Parquet files.\n\n"
        "commands:\n"
        "  fairlint fleet scan     check the repositories, archives and packages of a list\n"
        "  fairlint fleet query    ask the store, in SQL or by a ready question\n"
        "  fairlint fleet diff     list what changed between two runs\n"
        "  fairlint fleet export   write SARIF, CSV or a plan of issues\n"
        "  fairlint fleet site     write a run as pages that open without a server\n"
        "  fairlint fleet adopt    write patches with which repositories begin to use fairlint"
    ),
    groups=(),
    epilog=(
        "examples:\n"
        "  fairlint fleet scan repositories.txt --store findings\n"
        "  fairlint fleet query --ask by-owner --store findings\n\n"
        "exit codes:\n"
        "  0    done; repositories that could not be checked are rows of the store\n"
        "  2    invalid usage, or the store or an engine failed\n"
        "  130  interrupted; the same command with --resume continues"
    ),
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Carry out the command that the first word names."""
    if arguments and arguments[0] in SUBCOMMANDS:
        module = import_module(SUBCOMMANDS[arguments[0]])
        code: int = getattr(module, arguments[0])(arguments[1:])
        return code
    options = COMMAND.parse(arguments)
    known = ", ".join(SUBCOMMANDS)
    if options.words:
        hint = did_you_mean(options.words[0], SUBCOMMANDS, most=1) or f"; there are {known}"
        raise UsageError(f"fairlint fleet has no command '{options.words[0]}'{hint}")
    raise UsageError(f"name a command: {known} (see fairlint fleet --help)")
