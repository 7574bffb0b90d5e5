"""What is found in the files of the open folders that nobody has open: told when the editor asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import from_fs_path

from fairlint.server import diagnostics
from fairlint.worker.process import Worker

if TYPE_CHECKING:
    from fairlint.server.lsp import Server

PATIENCE = 3600.0
"""Seconds that a check of all folders may take."""
SOON = 2.0
"""Seconds after a change in which more of them are waited for."""


class Workspace:
    """Checks all folders, in a process of its own, so that nobody who types waits for it.

    Texts that are open are told about as they change, and left out here: what is both pushed and asked for
    would be shown twice. An answer is given again until something has changed.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._worker = Worker(PATIENCE)
        self._turn = asyncio.Lock()
        self._changes = 1
        """How many changes there were of which somebody has told."""
        self._checked = 0
        """After how many of them the folders were checked."""
        self._found: dict[str, list[types.Diagnostic]] = {}

    def changed(self) -> None:
        """Note a file, the configuration or the editor's settings may be others now."""
        self._changes += 1

    async def end(self) -> None:
        """End what is at work."""
        await self._worker.end()

    async def report(self, known: Mapping[str, str]) -> types.WorkspaceDiagnosticReport:
        """Return what is found in each file that is not open; of `known` ones, whether it is the same."""
        async with self._turn:
            if self._checked != self._changes:
                await asyncio.sleep(SOON if self._checked else 0)
                await self._check_folders()
        opened = {self._server.address("", path, None) for path in self._server.open_paths()}
        shown = {uri: found for uri, found in self._found.items() if uri not in opened}
        mark = str(self._checked)
        items: list[
            types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport
        ]
        items = []
        for uri in sorted({*shown, *known}):
            own = f"{mark} {'open' if uri in opened else ''}".strip()
            if known.get(uri) == own:
                items.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=own))
            else:
                found = shown.get(uri, [])
                items.append(types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=found, result_id=own))
        return types.WorkspaceDiagnosticReport(items=items)

    async def _check_folders(self) -> None:
        changes, found = self._changes, dict[str, list[types.Diagnostic]]()
        for folder in self._server.folders():
            job = {"do": "check", "path": folder, "folder": folder, "units": self._server.documents.units}
            answer = await self._worker.ask({**job, **self._server.settings, "keep": True})
            self._add_diagnostics(
                folder, self._server.told_trouble(answer) if "error" in answer else answer, found
            )
        self._checked, self._found = (
            changes,
            {uri: diagnostics.without_twins(all_) for uri, all_ in found.items()},
        )

    def _add_diagnostics(
        self, folder: str, answer: Mapping[str, Any], found: dict[str, list[types.Diagnostic]]
    ) -> None:
        def locate(path: str, _: int | None) -> str:
            whole = diagnostics.absolute(folder, path)
            return from_fs_path(whole) or whole

        rules = answer.get("rules", {})
        for finding in answer.get("findings", ()):
            if finding["cell"] is None:  # cells have addresses only where a notebook is open
                shown = diagnostics.diagnostic(finding, rules.get(finding["rule"]), locate)
                found.setdefault(locate(finding["path"], None), []).append(shown)
        for gap in answer.get("not_analysed", ()):
            lost = diagnostics.gap_diagnostic(gap) if gap["path"] and gap["cell"] is None else None
            if lost is not None:
                found.setdefault(locate(gap["path"], None), []).append(lost)


async def of_workspace(
    ls: Server, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """Return what is found in the files that are not open."""
    return await ls.whole.report({one.uri: one.value for one in params.previous_result_ids})


def of_text(ls: Server, _: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    """Nothing: what is open is told about without being asked for."""
    del ls
    return types.RelatedFullDocumentDiagnosticReport(items=[])
