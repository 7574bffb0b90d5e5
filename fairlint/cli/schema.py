"""`fairlint schema`: the JSON Schema of `--format json`."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.cli.arguments import Command
from fairlint.cli.output import write_stdout

COMMAND = Command(
    "schema",
    usage="fairlint schema",
    description="Print the JSON Schema of the reports that --format json writes.",
    groups=(),
)


def run(arguments: Sequence[str]) -> int:
    """Print the schema."""
    COMMAND.parse(arguments)
    from fairlint.reporters.json import schema  # noqa: PLC0415

    write_stdout([schema()])
    return 0
