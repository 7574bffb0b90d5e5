"""Options that several commands of the bench share."""

from __future__ import annotations

from fairlint.cli.arguments import Option

PROTOCOL = Option(
    ("--protocol",),
    "points by what code does, or as published",
    takes="NAME",
    choices=("exact", "published"),
)
FORMAT = Option(("--format",), "how", takes="FORMAT", choices=("text", "json"), default="text")
