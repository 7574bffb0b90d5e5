"""`fairlint schema`: the JSON Schemas of what fairlint writes and of what it is told."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.cli.arguments import Command, Option
from fairlint.cli.output import write_stdout
from fairlint.rules.loading import load_rules

COMMAND = Command(
    "schema",
    usage="fairlint schema [--config | --data-config | --audit]",
    description="Print the JSON Schema of --format json, or of a file that fairlint reads.",
    groups=(
        (
            "options",
            (
                Option(("--config",), "the schema of fairlint.toml and tool.fairlint, for editors"),
                Option(("--data-config",), "the schema of data descriptions for fairlint counterfactual"),
                Option(("--audit",), "the schema of fairlint counterfactual --prompt --format json"),
            ),
        ),
    ),
    epilog="examples:\n  fairlint schema > report.schema.json\n"
    "  fairlint schema --config > fairlint.schema.json",
)


def run(arguments: Sequence[str]) -> int:
    """Print a schema."""
    options = COMMAND.parse(arguments)
    if options.config:
        from fairlint.config.schema import schema  # noqa: PLC0415 (few ask for one)
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (as above)

        write_stdout(encode_json(schema((rule.code, rule.name) for rule in load_rules())))
        return 0
    if options.data_config:
        from fairlint.counterfactual import description  # noqa: PLC0415 (as above)
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (as above)

        write_stdout(encode_json(description.schema()))
        return 0
    if options.audit:
        from fairlint.counterfactual.prompts import document  # noqa: PLC0415 (as above)

        write_stdout([document.schema()])
        return 0
    from fairlint.reporters import json  # noqa: PLC0415 (as above)

    write_stdout([json.schema()])
    return 0
