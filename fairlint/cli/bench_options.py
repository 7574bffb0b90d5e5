"""Options that several commands of the bench share."""

from __future__ import annotations

from typing import Any

from fairlint.cli import say
from fairlint.cli.arguments import Arguments, Option
from fairlint.config import Settings
from fairlint.config.table import read_memory, read_seconds
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

PROTOCOL = Option(
    ("--protocol",),
    "how points are counted: from the code, or as published",
    takes="NAME",
    choices=("exact", "published"),
)
FORMAT = Option(("--format",), "the output format", takes="FORMAT", choices=("text", "json"), default="text")
JUDGING = (
    Option(("--workers",), "processes that judge answers (default: one per core)", takes="N"),
    Option(("--judge-timeout",), "seconds to judge one answer; 0 for no limit", takes="S"),
    Option(
        ("--judge-memory",), "memory to judge one answer, for example 500MB; 0 for no limit", takes="SIZE"
    ),
)


def tell_unsafe(executor: str | None) -> None:
    """Says, in one line, where an executor runs code that nothing holds."""
    from fairlint.counterfactual.executors.choosing import warning  # noqa: PLC0415 (help needs none of it)

    if told := warning(executor or ""):
        say(f"fairlint: warning: {told}")


def limits_of(options: Arguments) -> Settings:
    """Return what judging one answer may take."""
    from fairlint.bench.judging.judging_all import LIMITS  # noqa: PLC0415 (help needs none of it)

    told: dict[str, Any] = {}
    for name, field, read in (
        ("--judge-timeout", "file_timeout", _parse_seconds),
        ("--judge-memory", "file_memory", read_memory),
    ):
        text = getattr(options, name.lstrip("-").replace("-", "_"))
        if text is not None:
            try:
                told[field] = read(text)
            except ValueError as error:
                raise UsageError(f"{name} {error}") from None
    return replace(LIMITS, **told)


def _parse_seconds(text: str) -> float:
    try:
        return read_seconds(float(text))
    except ValueError:
        raise ValueError(f"must be a number of seconds, 0 for no limit, not '{text}'") from None
