"""`--bundle`: what has to hold before a bundle of evidence can be written, and its writing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairlint.bundle import SUFFIX
from fairlint.cli import say
from fairlint.cli.arguments import Arguments
from fairlint.cli.output import write_bytes
from fairlint.support.errors import UsageError
from fairlint.support.files import leads_out, repository_of

if TYPE_CHECKING:
    from fairlint.findings.report import Report
    from fairlint.reporters import ReportOptions

# Path objects would take longer, as everywhere.
# ruff: noqa: PTH100, PTH109, PTH112, PTH120

_APART = ("add_ignore", "fix", "diff_fixes", "expiring", "show_settings", "show_files", "watch")
"""Options that leave no report, or not the whole one."""


def check(options: Arguments, paths: Sequence[str]) -> None:
    """Raise UsageError where a bundle is asked for and cannot be written."""
    file = options.bundle
    if not file.lower().endswith(SUFFIX):
        raise UsageError(f"--bundle writes a zip file, and '{file}' does not end in {SUFFIX}")
    for name in _APART:
        if getattr(options, name):
            raise UsageError(
                f"--bundle keeps the whole report of a run: it goes without --{name.replace('_', '-')}"
            )
    if "-" in paths:
        raise UsageError("--bundle is about files, and cannot be about standard input")
    if options.output and os.path.abspath(options.output) == os.path.abspath(file):
        raise UsageError(f"two reports would be written to {file}")
    folder = os.path.dirname(file)
    if folder and not os.path.isdir(folder):
        raise UsageError(f"--bundle {file}: there is no folder {folder}")
    if os.path.isdir(file):
        raise UsageError(f"--bundle {file}: that is a folder")
    here = os.path.realpath(os.getcwd())
    root = repository_of(here)
    if root != here:
        raise UsageError(f"--bundle names files from the root of the repository on: run it in {root}")
    for path in paths:
        if os.path.lexists(path) and leads_out(path, here):
            raise UsageError(f"--bundle names no path of this machine: {path} is not in the current folder")


def write(file: str, report: Report, options: ReportOptions) -> None:
    """Write the bundle, and say what it is known by."""
    from fairlint.bundle.making import bundle  # noqa: PLC0415 (few runs write one)
    from fairlint.bundle.packing import TooLargeError  # noqa: PLC0415 (as above)

    provenance = options.provenance
    if provenance is None:
        raise ValueError("a bundle needs a provenance")
    try:
        data = bundle(report, options, provenance)
    except TooLargeError as error:
        raise UsageError(f"{file}: cannot be written: {error}") from None
    write_bytes(file, data)
    if not options.quiet:
        say(f"fairlint: wrote {file}, SHA-256 {hashlib.sha256(data).hexdigest()}")
