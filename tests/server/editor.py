"""An editor for tests: a client that starts `fairlint server` and talks to it over real pipes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).parent.parent.parent
LATE = 90.0
"""Seconds that an answer may take on a machine that is busy with other things."""
_Result = TypeVar("_Result")


class Editor:
    """One editor with one folder open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shown: dict[str, list[types.Diagnostic]] = {}
        self.versions: dict[str, int | None] = {}
        self.messages: list[str] = []
        self.registered: list[str] = []
        self.news = asyncio.Event()
        self.client = LanguageClient("tests", "1")
        self.capabilities: types.ServerCapabilities
        self._listen()

    def _listen(self) -> None:
        for name, handler in (
            (types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, self._published),
            (types.WINDOW_SHOW_MESSAGE, self._message),
            (types.CLIENT_REGISTER_CAPABILITY, self._register),
        ):
            self.client.feature(name)(partial(handler))

    def _published(self, params: types.PublishDiagnosticsParams) -> None:
        self.shown[params.uri] = list(params.diagnostics)
        self.versions[params.uri] = params.version
        self.news.set()

    def _message(self, params: types.ShowMessageParams) -> None:
        self.messages.append(params.message)
        self.news.set()

    def _register(self, params: types.RegistrationParams) -> None:
        self.registered += [one.method for one in params.registrations]
        self.news.set()

    async def start(
        self, options: Mapping[str, Any] | None = None, *units: types.PositionEncodingKind
    ) -> None:
        """Starts the server and shakes hands."""
        await self.client.start_io(
            sys.executable, "-P", "-m", "fairlint", "server", cwd=self.folder, env=environment()
        )
        result = await self.client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(
                    notebook_document=types.NotebookDocumentClientCapabilities(
                        types.NotebookDocumentSyncClientCapabilities()
                    ),
                    general=types.GeneralClientCapabilities(position_encodings=list(units) or None),
                    workspace=types.WorkspaceClientCapabilities(
                        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                            dynamic_registration=True
                        ),
                        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
                    ),
                ),
                process_id=os.getpid(),
                root_uri=self.folder.as_uri(),
                workspace_folders=[types.WorkspaceFolder(self.folder.as_uri(), "here")],
                initialization_options=options,
            )
        )
        self.capabilities = result.capabilities
        self.client.initialized(types.InitializedParams())

    async def stop(self) -> int:
        """Says goodbye; the exit code of the server."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        return await asyncio.wait_for(self.process.wait(), LATE)

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The server."""
        process = self.client._server
        assert process is not None
        return process

    def uri(self, name: str) -> str:
        """The address of a file of the folder."""
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, *, version: int = 1, language: str = "python") -> str:
        """Opens a file with a text, saved or not."""
        uri = self.uri(name)
        item = types.TextDocumentItem(uri, language, version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, version: int, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Changes an open file."""
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, list(changes)))

    def rewrite(self, uri: str, version: int, text: str) -> None:
        """Changes an open file to another text."""
        self.type(uri, version, types.TextDocumentContentChangeWholeDocument(text))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits until something holds."""

        async def wait() -> None:
            while not holds():
                self.news.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.news.wait(), 0.2)

        await asyncio.wait_for(wait(), LATE)

    async def told(self, uri: str, version: int | None) -> list[types.Diagnostic]:
        """What is shown of a version of a text, as soon as it is."""
        await self.until(lambda: uri in self.shown and self.versions[uri] == version)
        return self.shown[uri]

    def rules(self, uri: str) -> list[tuple[str, int]]:
        """The rules that are shown, with their lines from 1."""
        return [(str(one.code), one.range.start.line + 1) for one in self.shown[uri]]

    async def actions(self, uri: str, line: int, column: int = 0) -> list[types.CodeAction]:
        """What is offered at a place."""
        place = types.Position(line, column)
        here = [one for one in self.shown.get(uri, ()) if one.range.start.line <= line <= one.range.end.line]
        asked = types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            types.Range(place, place),
            types.CodeActionContext(here),
        )
        offered = await asyncio.wait_for(self.client.text_document_code_action_async(asked), LATE)
        return [one for one in offered or () if isinstance(one, types.CodeAction)]

    async def workspace(self, known: Mapping[str, str] | None = None) -> types.WorkspaceDiagnosticReport:
        """What is told of the files that are not open, beside what is known."""
        ids = [types.PreviousResultId(uri, value) for uri, value in (known or {}).items()]
        asked = types.WorkspaceDiagnosticParams(ids)
        return await asyncio.wait_for(self.client.workspace_diagnostic_async(asked), LATE)

    async def hover(self, uri: str, line: int, column: int) -> str:
        """What is shown at a place."""
        asked = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, column))
        told = await asyncio.wait_for(self.client.text_document_hover_async(asked), LATE)
        return "" if told is None else getattr(told.contents, "value", "")


def environment() -> dict[str, str]:
    """Where the server finds this fairlint."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def with_editor(
    folder: Path,
    play: Callable[[Editor], Coroutine[Any, Any, _Result]],
    options: Mapping[str, Any] | None = None,
    *units: types.PositionEncodingKind,
) -> _Result:
    """Plays a scene with an editor, which ends well."""

    async def scene() -> _Result:
        editor = Editor(folder)
        await editor.start(options, *units)
        try:
            result = await play(editor)
            assert await editor.stop() == 0
        finally:
            if editor.process.returncode is None:
                editor.process.kill()
        return result

    return asyncio.run(scene())


def edited(text: str, edits: list[types.TextEdit]) -> str:
    """A text of one-unit characters after edits."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    for edit in sorted(
        edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True
    ):
        start = starts[edit.range.start.line] + edit.range.start.character
        end = starts[edit.range.end.line] + edit.range.end.character
        text = text[:start] + edit.new_text + text[end:]
    return text


def edits_of(action: types.CodeAction) -> list[types.TextEdit]:
    """The edits of the one document that an action changes."""
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    return [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
