"""`fairlint server`: what editors start."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.cli.arguments import Command
from fairlint.cli.long_lived import needs, needs_streams
from fairlint.support.errors import UsageError

COMMAND = Command(
    "server",
    usage="fairlint server",
    description="Run the language server on standard input and output. It reports findings while a file is\n"
    "edited. Editors start it: docs/editors/ says how.\n"
    'It needs an extra: pip install "fairlint[server]"',
    groups=(),
)


def run(arguments: Sequence[str]) -> int:
    """Serve until the editor ends."""
    COMMAND.parse(arguments)
    needs_streams()
    with needs("pygls", "server"):
        from fairlint.server.lsp import serve  # noqa: PLC0415 (an extra)
        from fairlint.server.messages import TooLargeError  # noqa: PLC0415 (as above)
    try:
        return serve()
    except TooLargeError as error:
        raise UsageError(str(error)) from None
