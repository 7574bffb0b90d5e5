"""What editors offer to do about findings: edits that fix them, and a comment that puts one aside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lsprotocol import types

from fairlint.server.diagnostics import Finding, range_of


class Target:
    """The text that edits are for. Without `versioned`, its version cannot be named."""

    def __init__(self, uri: str, version: int | None, *, versioned: bool) -> None:
        self._uri = uri
        self._version = version
        self._versioned = versioned

    def edit(self, edits: Sequence[types.TextEdit]) -> types.WorkspaceEdit:
        """Edits of this text; where the editor can tell, only of the version that was checked."""
        if not self._versioned:
            return types.WorkspaceEdit(changes={self._uri: edits})
        named = types.OptionalVersionedTextDocumentIdentifier(self._uri, self._version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(named, list(edits))])


def fix(
    proposal: Mapping[str, Any], target: Target, diagnostics: Sequence[types.Diagnostic]
) -> types.CodeAction:
    """Return a fix: `title`, `applicability`, and `edits`, each a `range` with the `text` to put there."""
    safe = proposal["applicability"] == "safe"
    return types.CodeAction(
        title=proposal["title"] if safe else f"{proposal['title']} (look at what it changes)",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=list(diagnostics),
        is_preferred=True if safe else None,
        edit=target.edit([types.TextEdit(range_of(one["range"]), one["text"]) for one in proposal["edits"]]),
    )


def put_aside(
    finding: Finding, target: Target, diagnostics: Sequence[types.Diagnostic]
) -> types.CodeAction | None:
    """Return the comment that puts a finding aside, without the reason, which only a person knows.

    Until there is one, the comment is a finding itself.
    """
    comment = finding["ignore"]
    if comment is None:
        return None
    line = comment["line"]
    return types.CodeAction(
        title=f"Put {finding['rule']} aside here, and say why",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=list(diagnostics),
        edit=target.edit([types.TextEdit(range_of([[line, 0], [line, 0]]), comment["text"])]),
    )


def of_finding(finding: Finding, diagnostics: Iterable[types.Diagnostic]) -> list[types.Diagnostic]:
    """Return the diagnostics that tell of a finding."""
    return [
        one
        for one in diagnostics
        if isinstance(one.data, dict) and one.data.get("identity") == finding["identity"]
    ]
