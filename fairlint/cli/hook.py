"""`fairlint hook`: what coding agents call when they have edited a file, and what they are told then.

Agents tell of an edit as JSON on standard input, each in a shape of its own: what they have in common is a
path under one of a few names, or a patch that names its files. Most feed standard error to the model where
the exit code is 2.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from fairlint.cli import say, write_stderr
from fairlint.cli.arguments import Command, Option
from fairlint.config import Configurations
from fairlint.reporters.printable import printable
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

if TYPE_CHECKING:
    from fairlint.findings.report import Report

_PATHS = ("file_path", "filePath", "path", "notebook_path", "target_file")
_HOLDERS = ("tool_input", "toolInput", "toolArgs", "tool_args", "tool_info", "input", "arguments")
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update) File|Move to): *(.+?)[ \t\r]*$", re.MULTILINE)
LARGEST = 50_000_000
"""Bytes of an event; it may hold the file before and after."""
MOST = 20
"""Findings that an agent is told of at once; the rest is counted."""
DEEPEST = 100
"""Levels of an event's JSON."""
_HEAD = """\
fairlint: this code treats people by a protected attribute. Change it, or tell the person you work for what
each group gets. Only people may suppress a finding. `fairlint rule CODE` explains a rule."""
_UNREAD = "fairlint: not all of the file could be checked, so no findings does not mean clean"

COMMAND = Command(
    "hook",
    usage="fairlint hook [--diff REV] < EVENT",
    description="Check the file that a coding agent has just edited. Standard input is the event of the\n"
    "agent, as JSON. Findings go to standard error with exit code 2, which agents show to their model. What\n"
    "could not be read exits with 1. Otherwise nothing is printed. docs/agents.md describes the set-up.",
    groups=(
        (
            "options",
            (
                Option(
                    ("--diff",),
                    "report only findings on lines changed since this git revision",
                    takes="REV",
                ),
            ),
        ),
    ),
    epilog="exit codes:\n  0  no findings, or no file that fairlint reads\n"
    "  1  the file, or a part of it, could not be checked\n  2  findings",
)


def run(arguments: Sequence[str]) -> int:
    """Answer one event."""
    options = COMMAND.parse(arguments)
    try:
        event = _read_event()
        if event.get("stop_hook_active") is True:
            return 0  # the agent has been told already, and goes on because of it
        if isinstance(folder := event.get("cwd"), str):
            _enter_folder(folder)
        report = _check_event_files(event, options.diff)
    except UsageError as error:
        say(f"fairlint: error: {error}")
        return 1
    unread = [] if report is None else list(_gap_lines(report))
    if report is None or not report.findings:
        write_stderr("".join(f"{line}\n" for line in unread))
        return 1 if unread else 0
    told = "\n".join((*_finding_lines(report), *unread))
    if _asks_for_more(event):
        import json  # noqa: PLC0415 (few agents do)

        from fairlint.cli.output import write_stdout  # noqa: PLC0415 (as above)

        write_stdout([json.dumps({"followup_message": told})])
        return 0
    write_stderr(f"{told}\n")
    return 2


def _read_event() -> Mapping[str, Any]:
    from fairlint.cli.stdin import read_stdin  # noqa: PLC0415 (start-up)
    from fairlint.support.documents import read_json  # noqa: PLC0415 (as above)

    data = read_stdin(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError("the event is too large")
    try:
        event = read_json(data, deepest=DEEPEST)
    except ValueError as error:
        raise UsageError(f"the event is no JSON: {error}") from None
    if not isinstance(event, dict):
        raise UsageError("the event is no JSON object")
    return event


def _asks_for_more(event: Mapping[str, Any]) -> bool:
    """Return whether the agent is about to stop, and takes a message to go on with (Cursor)."""
    return event.get("hook_event_name") == "stop" and "workspace_roots" in event


def _check_event_files(event: Mapping[str, Any], revision: str | None) -> Report | None:
    """Return what is found in the files of the event; where it names none, in all that was changed."""
    from fairlint.checking.runner import check_paths  # noqa: PLC0415 (start-up)

    paths = [path for path in dict.fromkeys(_event_paths(event)) if os.path.isfile(path)]  # noqa: PTH113 (as above)
    if not paths and not (str(event.get("hook_event_name", "")).lower() == "stop" and revision):
        return None
    wanted = [path for path in paths if _is_code(path)] if paths else _enter_workspace_root(event)
    if not wanted:
        return None
    configurations = Configurations(wanted, changes={"force_exclude": True})
    seconds = configurations.run.timeout
    until = time.monotonic() + seconds if seconds else math.inf
    if revision is None:
        return check_paths(wanted, configurations, cache=True)
    from fairlint.checking.moved_files import counted_alike  # noqa: PLC0415 (as above)
    from fairlint.support.git import Allowance  # noqa: PLC0415 (as above)
    from fairlint.suppression.changed_lines import Asked, only, since  # noqa: PLC0415 (as above)

    changed = since(revision, Allowance(until), partial(counted_alike, configurations))
    report = check_paths(wanted, configurations, cache=True)
    report = only(report, changed)
    if paths or not report.not_analysed:
        return report
    touched = changed.touched({gap.path: Asked(gap.path) for gap in report.not_analysed})
    of_change = [gap for gap in report.not_analysed if touched[gap.path].ranges]
    return report if report.failed else replace(report, not_analysed=tuple(of_change))


def _enter_workspace_root(event: Mapping[str, Any]) -> list[str]:
    roots = event.get("workspace_roots")
    named = [root for root in roots if isinstance(root, str)] if isinstance(roots, list) else []
    if named:
        _enter_folder(named[0])
    return ["."]


def _enter_folder(folder: str) -> None:
    """Go to a folder that an event names, if it is there."""
    if not os.path.isdir(folder):  # noqa: PTH112 (start-up)
        return
    try:
        os.chdir(folder)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}") from None


def _is_code(path: str) -> bool:
    """Return whether there is anything to check at a path that is there."""
    from fairlint.sources.discovery import discover  # noqa: PLC0415 (as above)
    from fairlint.syntax.registry import languages  # noqa: PLC0415 (start-up)

    configurations = Configurations([path], changes={"force_exclude": True})
    try:
        return bool(discover([path], configurations, languages().values()).files)
    except UsageError:
        configurations.of_file(path)  # what is wrong with the configuration is told
        return False


def _event_paths(event: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that an event names."""
    for holder in (event, *(_tool_input(event.get(name)) for name in _HOLDERS)):
        yield from (value for name in _PATHS if isinstance(value := holder.get(name), str))
        for value in holder.values():
            for text in value if isinstance(value, list) else (value,):  # a command may be a list of words
                if isinstance(text, str) and "*** " in text:
                    yield from _PATCHED.findall(text)


def _tool_input(value: object) -> Mapping[str, Any]:
    """Return what a tool was given: some agents hand it on as JSON in a text, or as the text of a patch."""
    if isinstance(value, str):
        from fairlint.support.documents import read_json  # noqa: PLC0415 (few agents do)

        try:
            read = read_json(value.encode(), deepest=DEEPEST)
        except ValueError:
            return {"patch": value}
        return read if isinstance(read, dict) else {}
    return value if isinstance(value, dict) else {}


def _finding_lines(report: Report) -> Iterator[str]:
    yield _HEAD
    for one in report.findings[:MOST]:
        cell = "" if one.cell is None else f":cell {one.cell}"
        place = f"{one.path}{cell}:{one.start.line}:{one.start.column}"
        yield printable(f"{place}: {one.severity} {one.rule} {one.message}")
        if one.advice:
            yield printable(f"  instead: {one.advice}")
    if len(report.findings) > MOST:
        yield f"and {len(report.findings) - MOST} more; run fairlint on the file"


def _gap_lines(report: Report) -> Iterator[str]:
    """Yield what could not be checked; nothing where all was."""
    gaps = report.not_analysed
    if gaps or report.failed:
        yield f"{_UNREAD}{':' if gaps else ''}"
    for one in gaps[:MOST]:
        cell = "" if one.cell is None else f":cell {one.cell}"
        yield printable(f"{one.path}{cell}:{one.line}: {one.reason}")
    if len(gaps) > MOST:
        yield f"and {len(gaps) - MOST} more"
