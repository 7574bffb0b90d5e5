"""The language server: what an editor says, and what it is told."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from fairlint.server import actions, diagnostics
from fairlint.server.documents import Buffer, Documents, Notebook, path_of
from fairlint.server.messages import Messages, TooLargeError
from fairlint.server.schedule import Schedule
from fairlint.server.workspace import Workspace, of_text, of_workspace
from fairlint.support.about import __version__
from fairlint.worker.process import Answer, Worker

_CODE = re.compile(r"\b[A-Z]{2,}[0-9]{3,}\b")
_WATCHED = ("**/fairlint.toml", "**/pyproject.toml", "**/fairlint-baseline.jsonl", "**/*.{py,pyi,c,h,ipynb}")
_LINE_END = 1_000_000
"""A column that is behind every line: what is offered is offered anywhere on it."""
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[types.NotebookDocumentFilterWithNotebook(notebook="*")], save=True
)
_SETTINGS = {"minSeverity": "min_severity", "config": "config"}
"""What an editor's settings may say → what a job calls it."""


@dataclass
class CheckedText:
    """What is known of a text: the answer about it, and the version it was about."""

    version: int | None
    folder: str
    answer: Answer
    diagnostics: dict[str, list[types.Diagnostic]] = field(default_factory=dict)
    """By the address that they are shown at."""

    @property
    def findings(self) -> list[Mapping[str, Any]]:
        """The findings as the worker tells them."""
        return list(self.answer.get("findings", ()))


class KnownText(NamedTuple):
    """What is known of a text, and whether that is of what it is now."""

    checked: CheckedText
    is_current: bool


class Server(LanguageServer):
    """One editor's server."""

    def __init__(self) -> None:
        super().__init__("fairlint", __version__, notebook_document_sync=_NOTEBOOKS)
        self.documents = Documents()
        self.worker = Worker()
        self.schedule = Schedule(self.check)
        self.settings: dict[str, Any] = {}
        self.told: dict[str, CheckedText] = {}
        self.troubles: set[str] = set()
        """What the editor's user has been told is wrong."""
        self.is_over = False
        self.whole = Workspace(self)

    # ------------------------------------------------------------------------------------------- checks

    async def check(self, uri: str) -> None:
        """Check a text or a notebook, and shows what is found."""
        one = self.documents.notebooks.get(uri) or self.documents.buffers.get(uri)
        if one is None:
            return
        version, folder = one.version, self.folder_of(one.path)
        answer = await self.worker.ask(self._check_job(one, folder))
        if (self.documents.notebooks.get(uri) or self.documents.buffers.get(uri)) is not one:
            return
        if one.version != version:
            return  # a check of what it is now is on its way
        if "error" in answer:
            answer = self.told_trouble(answer)
        told = CheckedText(version, folder, answer)
        told.diagnostics = self._diagnostics_by_address(uri, told)
        before = self.told.get(uri)
        self.told[uri] = told
        cells = [cell for _, cell in one.cells] if isinstance(one, Notebook) else [uri]
        self.show({*cells, *told.diagnostics, *(before.diagnostics if before is not None else ())})

    def _check_job(self, one: Buffer | Notebook, folder: str) -> dict[str, Any]:
        return {
            "do": "check",
            "path": str(Path(folder) / one.path),
            "text": one.text if isinstance(one, Buffer) else self.documents.notebook_text(one),
            "language": one.language if isinstance(one, Buffer) else "",
            "folder": folder,
            "units": self.documents.units,
            **self.settings,
        }

    def told_trouble(self, answer: Answer) -> Answer:
        """Say once what a person has to put right; the rest is shown where the text begins."""
        error = str(answer["error"])
        if answer.get("cause") == "usage":
            if error not in self.troubles:
                self.troubles.add(error)
                warning = types.ShowMessageParams(types.MessageType.Warning, f"fairlint: {error}")
                self.window_show_message(warning)
            return {}
        logging.getLogger(__name__).warning("%s", error)
        cause = answer.get("cause", "error")
        return {"not_analysed": [{"path": "", "cell": None, "line": 1, "reason": error, "cause": cause}]}

    def _diagnostics_by_address(self, uri: str, told: CheckedText) -> dict[str, list[types.Diagnostic]]:
        """Return what is to be shown, by the address of the text or the cell."""
        found: dict[str, list[types.Diagnostic]] = {}
        rules = told.answer.get("rules", {})

        def locate(path: str, cell: int | None) -> str:
            return self.address(told.folder, path, cell)

        for finding in told.findings:
            where = locate(finding["path"], finding["cell"])
            shown = diagnostics.diagnostic(finding, rules.get(finding["rule"]), locate)
            found.setdefault(where, []).append(shown)
        for gap in told.answer.get("not_analysed", ()):
            lost = diagnostics.gap_diagnostic(gap)
            if lost is not None:
                where = locate(gap["path"], gap["cell"]) if gap["path"] else self._first_cell(uri)
                found.setdefault(where, []).append(lost)
        return found

    def show(self, addresses: Iterable[str]) -> None:
        """Show what all checks together tell of these addresses."""
        for address in sorted(addresses):
            buffer = self.documents.buffers.get(address)
            own = self.told.get(address)
            all_told = [*([own] if own else []), *(one for uri, one in self.told.items() if uri != address)]
            shown = [item for one in all_told for item in one.diagnostics.get(address, ())]
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    uri=address,
                    diagnostics=diagnostics.without_twins(shown),
                    version=buffer.version if buffer is not None else None,
                )
            )

    def close(self, uri: str, addresses: Iterable[str]) -> None:
        """Forget a text: what it alone told is shown no more."""
        self.schedule.drop(uri)
        told = self.told.pop(uri, None)
        self.show({*addresses, *(told.diagnostics if told is not None else ())})

    async def fixes(self, uri: str, findings: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the fixes of findings of a text; a notebook has none."""
        buffer = self.documents.buffers.get(uri)
        wanted = [one["identity"] for one in findings if one["fixable"]]
        if buffer is None or not wanted or self.documents.notebook_with(uri) is not None:
            return []
        job = {**self._check_job(buffer, self.folder_of(buffer.path)), "do": "fixes", "identities": wanted}
        return list((await self.worker.ask(job)).get("fixes", ()))

    # ------------------------------------------------------------------------------------------- places

    def folder_of(self, path: str) -> str:
        """Return the folder from which the command line would check a file: the innermost open one
        around it.
        """
        roots = [path_of(one.uri) for one in self.workspace.folders.values()]
        folders = [folder for folder in (*roots, self.workspace.root_path) if folder]
        if not Path(path).is_absolute():
            return folders[0] if folders else str(Path.cwd())
        around = [folder for folder in folders if Path(path).is_relative_to(folder)]
        return max(around, key=len, default=str(Path(path).parent))

    def address(self, folder: str, path: str, cell: int | None) -> str:
        """Return the address of a path of a report, as the editor writes it where it has the text open."""
        whole = diagnostics.absolute(folder, path)
        if cell is not None:
            for notebook in self.documents.notebooks.values():
                if self._whole(notebook.path) == whole and cell <= len(notebook.cells):
                    return notebook.cells[cell - 1][1]
        for uri, buffer in self.documents.buffers.items():
            if self._whole(buffer.path) == whole and self.documents.notebook_with(uri) is None:
                return uri
        return from_fs_path(whole) or whole

    def _whole(self, path: str) -> str:
        return diagnostics.absolute(self.folder_of(path), path)

    def _first_cell(self, uri: str) -> str:
        notebook = self.documents.notebooks.get(uri)
        return notebook.cells[0][1] if notebook is not None and notebook.cells else uri

    def folders(self) -> list[str]:
        """Return the open folders, without those in others."""
        roots = {path_of(one.uri) for one in self.workspace.folders.values()} or {
            self.workspace.root_path or ""
        }
        found = sorted(folder for folder in roots if folder)
        return [one for one in found if not any(Path(one).is_relative_to(two) for two in found if two != one)]

    def open_paths(self) -> list[str]:
        """Return the paths of the texts that are open."""
        return [self._whole(buffer.path) for buffer in self.documents.buffers.values()]

    def open_texts(self) -> list[str]:
        """Return the addresses of what is checked: texts and notebooks, not their cells."""
        cells = {cell for one in self.documents.notebooks.values() for _, cell in one.cells}
        return [*(uri for uri in self.documents.buffers if uri not in cells), *self.documents.notebooks]

    def about(self, uri: str) -> KnownText | None:
        """Return what is known of a text or a cell."""
        notebook = self.documents.notebook_with(uri)
        one = notebook or self.documents.buffers.get(uri)
        told = self.told.get(one.uri) if one is not None else None
        return None if told is None or one is None else KnownText(told, told.version == one.version)

    def findings_at(self, uri: str, asked: types.Range) -> list[Mapping[str, Any]]:
        """Return the findings of a text or a cell at a place; none where they are of an older version."""
        known = self.about(uri)
        if known is None or not known.is_current:
            return []
        told = known.checked
        return [
            one
            for one in told.findings
            if self.address(told.folder, one["path"], one["cell"]) == uri
            and diagnostics.touches(one["range"], asked)
        ]


# ----------------------------------------------------------------------------------------------- the start


def initialize(ls: Server, params: types.InitializeParams) -> None:
    """Take what the editor can do, and its settings."""
    ls.documents.units = str(getattr(ls.workspace.position_encoding, "value", ls.workspace.position_encoding))
    ls.settings = _read_settings(params.initialization_options)


async def register_file_watchers(ls: Server, _: types.InitializedParams) -> None:
    """Ask to be told of changed files."""
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace is not None else None
    if watching is None or not watching.dynamic_registration:
        return
    patterns = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
    await ls.client_register_capability_async(
        types.RegistrationParams(
            [
                types.Registration(
                    id="fairlint-files",
                    method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                    register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=patterns),
                )
            ]
        )
    )


async def shutdown(ls: Server, _: None = None) -> None:
    """End what is at work."""
    ls.is_over = True
    ls.schedule.drop_all()
    await ls.whole.end()
    await ls.worker.end()


def _read_settings(said: object) -> dict[str, Any]:
    """Return what an editor's settings say, in the words of jobs; what nobody knows is left out."""
    if isinstance(said, Mapping) and isinstance(said.get("fairlint"), Mapping):
        said = said["fairlint"]
    if not isinstance(said, Mapping):
        return {}
    return {
        _SETTINGS[key]: value
        for key, value in said.items()
        if key in _SETTINGS and isinstance(value, str) and value
    }


# ----------------------------------------------------------------------------------------------- texts


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Note that a text was opened."""
    if ls.documents.open(params.text_document) is not None:
        ls.schedule.soon(params.text_document.uri, 0)


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Somebody types."""
    buffer = ls.documents.buffers.get(params.text_document.uri)
    if buffer is not None:
        buffer.change(params.content_changes, ls.documents.units)
        buffer.version = params.text_document.version
        ls.schedule.soon(buffer.uri)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Note that a text is on disk: others may import it."""
    ls.whole.changed()
    ls.schedule.all_soon(ls.open_texts())
    if params.text_document.uri in ls.documents.buffers:
        ls.schedule.soon(params.text_document.uri, 0)


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Note that a text was closed."""
    uri = params.text_document.uri
    if ls.documents.buffers.pop(uri, None) is not None:
        ls.close(uri, [uri])


def did_open_notebook(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    """Note that a notebook was opened."""
    if ls.documents.open_notebook(params.notebook_document, params.cell_text_documents) is not None:
        ls.schedule.soon(params.notebook_document.uri, 0)


def did_change_notebook(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
    """Somebody types in a cell, or moves some."""
    notebook = ls.documents.change_notebook(params)
    if notebook is not None:
        ls.schedule.soon(notebook.uri)


def did_save_notebook(ls: Server, params: types.DidSaveNotebookDocumentParams) -> None:
    """Note that a notebook is on disk."""
    ls.whole.changed()
    if params.notebook_document.uri in ls.documents.notebooks:
        ls.schedule.soon(params.notebook_document.uri, 0)


def did_close_notebook(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    """Note that a notebook was closed."""
    uri = params.notebook_document.uri
    notebook = ls.documents.notebooks.get(uri)
    if notebook is not None:
        cells = [cell for _, cell in notebook.cells]
        ls.documents.close_notebook(uri)
        ls.close(uri, cells)


def handle_file_changes(ls: Server, _: types.DidChangeWatchedFilesParams) -> None:
    """Note configuration, or what is imported, may be another now."""
    ls.troubles.clear()
    ls.whole.changed()
    ls.schedule.again(ls.open_texts())


def handle_settings_change(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    """Note that the editor's settings are others."""
    if isinstance(params.settings, Mapping) and "fairlint" in params.settings:
        ls.settings = _read_settings(params.settings)
    handle_file_changes(ls, types.DidChangeWatchedFilesParams([]))


# ----------------------------------------------------------------------------------------------- questions


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """Return the page of the rule of a finding, or of one that is named at this place."""
    uri, place = params.text_document.uri, params.position
    found = ls.findings_at(uri, types.Range(place, place))
    known = ls.about(uri)
    rules = {} if known is None else known.checked.answer.get("rules", {})
    texts = [diagnostics.hover_text(found, rules)] if found else []
    code = _code_at(ls, uri, place)
    if code:
        texts.insert(0, (await ls.worker.ask({"do": "rule", "rule": code})).get("page", ""))
    told = "\n\n---\n\n".join(filter(None, texts))
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, told)) if told else None


def _code_at(ls: Server, uri: str, place: types.Position) -> str:
    """Return the code of a rule that a comment names at this place."""
    buffer = ls.documents.buffers.get(uri)
    line = buffer.line(place.line) if buffer is not None else ""
    if "fairlint:" not in line or not line.isascii():
        return ""
    return next((one[0] for one in _CODE.finditer(line) if one.start() <= place.character <= one.end()), "")


async def code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return what can be done about the findings at a place."""
    only = params.context.only
    if only and not any(str(types.CodeActionKind.QuickFix.value).startswith(kind) for kind in only):
        return []
    uri = params.text_document.uri
    buffer = ls.documents.buffers.get(uri)
    start, end = params.range.start.line, params.range.end.line
    found = ls.findings_at(uri, types.Range(types.Position(start, 0), types.Position(end, _LINE_END)))
    if buffer is None or not found:
        return []
    version = buffer.version
    target = actions.Target(uri, version, versioned=_takes_versions(ls.client_capabilities))
    proposed = await ls.fixes(uri, found)
    if buffer.version != version:
        return []  # somebody went on typing
    offered: list[types.CodeAction | None] = []
    for finding in found:
        about = actions.of_finding(finding, params.context.diagnostics)
        own = [one for one in proposed if one["identity"] == finding["identity"]]
        offered += [actions.fix(one, target, about) for one in own]
        offered.append(actions.put_aside(finding, target, about))
    return [one for one in offered if one is not None]


def _takes_versions(client: types.ClientCapabilities) -> bool:
    edit = client.workspace.workspace_edit if client.workspace is not None else None
    return bool(edit is not None and edit.document_changes)


# ----------------------------------------------------------------------------------------------- together


def make() -> Server:
    """Return a server that knows what to do."""
    server = Server()
    for name, handler in (
        (types.INITIALIZE, initialize),
        (types.INITIALIZED, register_file_watchers),
        (types.SHUTDOWN, shutdown),
        (types.TEXT_DOCUMENT_DID_OPEN, did_open),
        (types.TEXT_DOCUMENT_DID_CHANGE, did_change),
        (types.TEXT_DOCUMENT_DID_SAVE, did_save),
        (types.TEXT_DOCUMENT_DID_CLOSE, did_close),
        (types.NOTEBOOK_DOCUMENT_DID_OPEN, did_open_notebook),
        (types.NOTEBOOK_DOCUMENT_DID_CHANGE, did_change_notebook),
        (types.NOTEBOOK_DOCUMENT_DID_SAVE, did_save_notebook),
        (types.NOTEBOOK_DOCUMENT_DID_CLOSE, did_close_notebook),
        (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, handle_file_changes),
        (types.WORKSPACE_DID_CHANGE_CONFIGURATION, handle_settings_change),
        (types.TEXT_DOCUMENT_HOVER, hover),
    ):
        server.feature(name)(handler)
    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)(code_action)
    asked = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier=diagnostics.SOURCE
    )
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, asked)(of_text)
    server.feature(types.WORKSPACE_DIAGNOSTIC)(of_workspace)
    return server


def serve() -> int:
    """Talks over standard input and output until the editor ends that. 1 where it did so without a word.

    A TooLargeError says that it has announced more than is read.
    """
    server = make()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(2, sys.stdout.fileno())  # whatever is printed is no message, and standard error may be closed
    messages = Messages(sys.stdin.buffer)
    server.start_io(cast("BinaryIO", messages), answers)
    if messages.refused:
        raise TooLargeError(messages.refused)
    return 0 if server.is_over else 1
