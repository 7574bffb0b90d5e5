"""Fixes: changes of Python files that remove findings. libcst is imported when one is asked for.

Which fixes a rule has stands on its page. Each kind of fix is a module here, with a function `draft` that
says what it would change for one finding, or None. What is drafted is a proposal: `checking.py` asks the
checker whether it does what it should.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from fairlint.findings.finding import Edit, Finding, Fix, Identity
from fairlint.sources.notebooks import JsonPlaces
from fairlint.syntax.source import Source

if TYPE_CHECKING:
    from fairlint.fixes.code import Code
    from fairlint.fixes.editing import Change, Draft

KINDS: Mapping[str, str] = {
    "delete-comment": "fairlint.fixes.comments",
    "delete-update": "fairlint.fixes.updates",
    "drop-column": "fairlint.fixes.columns",
    "drop-encoded": "fairlint.fixes.encoded",
    "drop-too": "fairlint.fixes.dropping",
    "decide-alike": "fairlint.fixes.outcomes",
    "keep-gaps": "fairlint.fixes.gaps",
    "no-default": "fairlint.fixes.defaults",
    "one-cutoff": "fairlint.fixes.cutoffs",
}
"""The kinds of fixes that pages name → the module that makes them."""

MOST = 300
"""Findings of one file for which a fix is drafted: each looks through the whole file."""


def fixes_of(
    source: Source, findings: Iterable[Finding], notebook: bytes | None = None
) -> dict[Identity, Fix]:
    """Return what would remove findings of one file, by their identities; most have none.

    `findings` are those that a check of `source` gave. Nothing is read or written, and nothing is checked: a
    proposal may add another finding. `notebook` is the text of the notebook that a source was read from, as
    UTF-8 without a byte-order mark: edits are places in it. Without that its cells have no fixes.
    """
    own = [one for one in findings if one.path == source.path and one.remedies]
    if not own or (notebook is None and any(part.cell is not None for part in source.parts)):
        return {}
    from fairlint.fixes.code import Code  # noqa: PLC0415 (libcst is loaded here)
    from fairlint.fixes.text import NotFixableError  # noqa: PLC0415 (as above)

    others = (part.start for part in source.parts if part.path != source.path)
    try:
        code = Code(source.data[: next(others, len(source.data))])
    except NotFixableError:
        return {}
    places = None if notebook is None else JsonPlaces(notebook)
    fixes: dict[Identity, Fix] = {}
    for finding in own[:MOST]:
        fix = _first_applicable_fix(source, code, finding, places)
        if fix is not None:
            fixes.setdefault(finding.identity, fix)
    return fixes


def _first_applicable_fix(
    source: Source, code: Code, finding: Finding, places: JsonPlaces | None
) -> Fix | None:
    """Return the first fix of a finding's rule that its code allows."""
    for remedy in finding.remedies:
        module = KINDS.get(remedy.kind)
        draft: Draft | None = None if module is None else import_module(module).draft(code, finding)
        if draft is None:
            continue
        edits = [_edit_in_file(source, change, places) for change in draft.changes]
        known = sorted((edit for edit in edits if edit is not None), key=lambda edit: edit.start)
        if len(known) == len(edits):
            return Fix(draft.title, remedy.applicability, tuple(known))
    return None


def _edit_in_file(source: Source, change: Change, places: JsonPlaces | None) -> Edit | None:
    """Return where a change of the code stands in its file; None where it is in more than one cell."""
    start, end = change.start, change.end
    part = source.part(start)
    if places is None or part is None or part.cell is None:
        return Edit(start, end, change.text, source.position(start), source.position(end))
    if source.part(max(end - 1, start)) != part:
        return None
    found = places.edit(part.cell, start - part.start, end - part.start, change.text)
    if found is None:
        return None
    return Edit(found.start, found.end, found.text, places.place(found.start), places.place(found.end))
