"""Which lines a change touches, so that a run tells only what stands on them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchSet

from fairlint.config import UsageError
from fairlint.files import repository_of
from fairlint.findings import Finding, FlowStep, Report
from fairlint.records import replace
from fairlint.support.git import GitError, asked

Lines = Mapping[str, Iterable[range]]
"""The real path of a file → the lines in it that are new."""
WHOLE = range(1, 1 << 62)
"""All lines of a file."""

NOTHING = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree without files, which every git knows: what a first commit differs from."""


def since(revision: str) -> Lines:
    """What differs from a revision of the repository around the current folder, new files included.

    A UsageError where there is no git, no repository, or no such revision.
    """
    root = repository_of(os.getcwd())  # noqa: PTH109 (start-up)
    if revision.startswith("-"):
        raise UsageError(f"--diff needs a revision, not '{revision}'")
    options = ("--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    prefixes = ("--src-prefix=a/", "--dst-prefix=b/")
    try:
        if revision == "HEAD" and not asked(root, "rev-list", "--all", "--max-count=1"):
            revision = NOTHING
        text = asked(root, "diff", *options, *prefixes, revision, "--")
        others = asked(root, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    except GitError as error:
        raise UsageError(f"--diff {revision}: {error}") from None
    changed = dict(in_diff(text, root))
    for name in filter(None, others):
        changed[os.path.realpath(os.path.join(root, name))] = (WHOLE,)  # noqa: PTH118 (as above)
    return changed


def in_diff(text: str, folder: str) -> Lines:
    """What a unified diff changes in files below a folder; a UsageError where it is none."""
    try:
        patch = PatchSet(StringIO(text, newline="\n"))
    except (UnidiffParseError, ValueError) as error:
        raise UsageError(f"the diff cannot be read: {' '.join(str(error).split())}") from None
    changed: dict[str, list[range]] = {}
    for file in patch:
        if file.is_removed_file:
            continue
        path = os.path.realpath(os.path.join(folder, file.path))  # noqa: PTH118 (as above)
        changed.setdefault(path, []).extend(found for hunk in file for found in _touched(hunk))
    return changed


def only(report: Report, changed: Lines) -> Report:
    """What of a report stands on changed lines, with any of its places or stations."""
    kept = tuple(one for one in report.findings if _is_touched(one, changed))
    aside = tuple(one for one in report.suppressed if _is_touched(one.finding, changed))
    return replace(report, findings=kept, suppressed=aside, unchanged=len(report.findings) - len(kept))


def _is_touched(finding: Finding, changed: Lines) -> bool:
    places: list[Finding | FlowStep] = [finding, *finding.flow]
    return any(_touches(place, changed) for place in places)


def _touches(place: Finding | FlowStep, changed: Lines) -> bool:
    start, end = place.region or (place.start, place.end)
    ranges = changed.get(os.path.realpath(place.path), ())
    return any(one.start <= end.line and start.line < one.stop for one in ranges)


def _touched(hunk: Hunk) -> Iterator[range]:
    """The lines that a hunk adds; where it only removes some, those beside them."""
    numbers = [line.target_line_no for line in hunk if line.is_added and line.target_line_no]
    if not numbers:
        yield range(hunk.target_start, hunk.target_start + 2)
    for number in numbers:
        yield range(number, number + 1)
