"""What the options of `fairlint check` set: configurations, rules, limits and the cache."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fairlint.cli.arguments import Arguments, build_configurations
from fairlint.config import Configurations
from fairlint.support.errors import UsageError

STDIN = "-"


def configurations_of_options(options: Arguments, paths: Sequence[str]) -> Configurations:
    """Return the configurations of a run, as its options say."""
    start = [options.stdin_filename or "."] if STDIN in paths else paths
    baseline = options.baseline and os.path.abspath(options.baseline)  # noqa: PTH100 (start-up)
    return build_configurations(
        options,
        start,
        untrusted=bool(options.untrusted),
        select=_split_rules("--select", options.select),
        ignore=_split_rules("--ignore", options.ignore),
        min_severity=options.min_severity,
        min_confidence=options.min_confidence,
        fail_on=_parse_failing_rules(options.fail_on),
        persona=options.persona,
        force_exclude=options.force_exclude,
        baseline="" if options.no_baseline else baseline,
        suppressions=False if options.no_suppressions else None,
        respect_gitignore=False if options.no_gitignore else None,
        file_timeout=_parse_limit("--file-timeout", options.file_timeout),
        file_steps=_parse_limit("--file-steps", options.file_steps),
        file_memory=_parse_limit("--file-memory", options.file_memory),
        file_nesting=_parse_limit("--file-nesting", options.file_nesting),
        timeout=_parse_limit("--timeout", options.timeout),
        jobs=_parse_limit("--jobs", options.jobs),
        cache_dir=_cache_folder(options),
    )


def _parse_failing_rules(text: str | None) -> tuple[str, ...] | None:
    """Return what --fail-on names."""
    if text is None:
        return None
    from fairlint.config.table import read_fail_on  # noqa: PLC0415 (few runs set it)

    try:
        return read_fail_on([one.strip() for one in text.split(",")])
    except ValueError as error:
        raise UsageError(f"--fail-on {error}") from None


def _cache_folder(options: Arguments) -> str | None:
    """Return the folder of results that somebody names here; None where nobody does."""
    named: str | None = options.cache_dir
    if named == "":
        raise UsageError("--cache-dir needs the name of a folder; --no-cache keeps nothing")
    if named and options.no_cache:
        raise UsageError("--cache-dir cannot be used with --no-cache")
    if options.no_cache:
        return ""
    return named and os.path.abspath(named)  # noqa: PTH100 (start-up)


def _parse_limit(option: str, text: str | None) -> Any:
    """Return a limit as the configuration file has it: a number, or a text such as '5 MB'."""
    if text is None:
        return None
    from fairlint.config.table import READERS  # noqa: PLC0415 (few runs set one)

    value: float | str = text
    for number in (float, int):
        with suppress(ValueError):
            value = number(text)
    try:
        return READERS[option.removeprefix("--")](value)
    except ValueError as error:
        raise UsageError(f"{option} {error}") from None


def _split_rules(option: str, values: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the rules that an option names."""
    if values is None:
        return None
    rules = tuple(item for value in values for item in (part.strip() for part in value.split(",")) if item)
    if not rules:
        raise UsageError(f"{option} needs rules: codes, beginnings of codes or names, with commas")
    return rules
