"""`fairlint mcp`: what coding agents start."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.cli.arguments import Command, Option
from fairlint.cli.long_lived import needs, needs_streams
from fairlint.config import UsageError

COMMAND = Command(
    "mcp",
    usage="fairlint mcp [--root DIR]...",
    description="Let a coding agent ask what fairlint finds, over the model context protocol on standard\n"
    "input and output. Its tools are check, explain, rule and fix: they read, and neither write nor run\n"
    'anything. It needs the protocol\'s package: pip install "fairlint[mcp]"',
    groups=(
        (
            "options",
            (
                Option(
                    ("--root",),
                    "a folder whose files may be asked about (default: the current one)",
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
