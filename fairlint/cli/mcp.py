"""`fairlint mcp`: what coding agents start."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.cli.arguments import Command, Option
from fairlint.cli.long_lived import needs, needs_streams
from fairlint.support.errors import UsageError

COMMAND = Command(
    "mcp",
    usage="fairlint mcp [--root DIR]...",
    description="Run a Model Context Protocol server for coding agents on standard input and output. Its\n"
    "tools are check, explain, rule and fix. They only read: nothing is written or run.\n"
    'It needs an extra: pip install "fairlint[mcp]"',
    groups=(
        (
            "options",
            (
                Option(
                    ("--root",),
                    "a folder that tools may read (default: the current one)",
                    takes="DIR",
                    repeats=True,
                ),
            ),
        ),
    ),
)


def run(arguments: Sequence[str]) -> int:
    """Serve until the agent ends."""
    from pathlib import Path  # noqa: PLC0415 (start-up)

    options = COMMAND.parse(arguments)
    roots = [Path(name).resolve() for name in options.root or ["."]]
    for root in roots:
        if not root.is_dir():
            raise UsageError(f"--root {root}: no such folder")
    needs_streams()
    with needs("mcp", "mcp"):
        from fairlint.mcp.tools import serve  # noqa: PLC0415 (an extra)
    serve(roots)
    return 0
