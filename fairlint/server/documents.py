"""The texts that an editor has open, with lines and columns as its protocol counts them.

The protocol knows three ends of lines and three units of columns. The library's own documents know more ends
of lines (form feeds, U+2028), and so put a change elsewhere than the editor did.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lsprotocol import types
from pygls.uris import to_fs_path, uri_scheme

_LINE_END = re.compile(r"\r\n|\n|\r")
WIDTHS = {"utf-8": (0x80, 0x800, 0x10000), "utf-16": (0x10000,), "utf-32": ()}
"""Unit of columns → the characters from which on one more is needed."""
_UNTITLED = "untitled"
Change = types.TextDocumentContentChangeEvent


@dataclass
class Buffer:
    """One text. `path` is where it stands, or would if it were saved."""

    uri: str
    path: str
    text: str
    version: int | None = None
    language: str = ""

    def change(self, changes: Iterable[Change], units: str) -> None:
        """Do what was done in the editor."""
        for one in changes:
            if isinstance(one, types.TextDocumentContentChangePartial):
                start = offset_of(self.text, one.range.start, units)
                end = offset_of(self.text, one.range.end, units)
                self.text = self.text[:start] + one.text + self.text[max(start, end) :]
            else:
                self.text = one.text

    def line(self, number: int) -> str:
        """Return a line by its number from 0, without its end."""
        start, end = _line_bounds(self.text, number)
        return self.text[start:end]


@dataclass
class Notebook:
    """The cells of a notebook in order: whether each is code, and the address of its text."""

    uri: str
    path: str
    version: int | None = None
    cells: list[tuple[bool, str]] = field(default_factory=list)


class Documents:
    """All that is open."""

    def __init__(self) -> None:
        self.units = "utf-16"
        self.buffers: dict[str, Buffer] = {}
        self.notebooks: dict[str, Notebook] = {}

    def open(self, item: types.TextDocumentItem) -> Buffer | None:
        """Take a text; None where it is no file's."""
        path = path_of(item.uri)
        if path is None:
            return None
        buffer = Buffer(item.uri, path, item.text, item.version, item.language_id)
        self.buffers[item.uri] = buffer
        return buffer

    def open_notebook(
        self, notebook: types.NotebookDocument, texts: Iterable[types.TextDocumentItem]
    ) -> Notebook | None:
        """As above, for a notebook."""
        path = path_of(notebook.uri)
        if path is None:
            return None
        kept = Notebook(notebook.uri, path, notebook.version, [_cell_entry(cell) for cell in notebook.cells])
        self.notebooks[notebook.uri] = kept
        self.add_cells(kept, texts)
        return kept

    def add_cells(self, notebook: Notebook, texts: Iterable[types.TextDocumentItem]) -> None:
        """Take the texts of cells."""
        for item in texts:
            self.buffers[item.uri] = Buffer(
                item.uri, notebook.path, item.text, item.version, item.language_id
            )

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> Notebook | None:
        """Do what was done to a notebook in the editor."""
        notebook = self.notebooks.get(params.notebook_document.uri)
        if notebook is None:
            return None
        notebook.version = params.notebook_document.version
        cells = params.change.cells
        if cells is None:
            return notebook
        for data in cells.data or ():
            notebook.cells = [
                _cell_entry(data) if uri == data.document else (code, uri) for code, uri in notebook.cells
            ]
        if cells.structure is not None:
            array = cells.structure.array
            after = array.start + array.delete_count
            notebook.cells[array.start : after] = [_cell_entry(cell) for cell in array.cells or ()]
            self.add_cells(notebook, cells.structure.did_open or ())
            for closed in cells.structure.did_close or ():
                self.buffers.pop(closed.uri, None)
        for text in cells.text_content or ():
            buffer = self.buffers.get(text.document.uri)
            if buffer is not None:
                buffer.change(text.changes, self.units)
                buffer.version = text.document.version
        return notebook

    def close_notebook(self, uri: str) -> None:
        """Forget a notebook with its cells."""
        notebook = self.notebooks.pop(uri, None)
        for _, cell in notebook.cells if notebook is not None else ():
            self.buffers.pop(cell, None)

    def notebook_with(self, cell: str) -> Notebook | None:
        """Return the notebook that a cell is of."""
        return next(
            (one for one in self.notebooks.values() if any(uri == cell for _, uri in one.cells)), None
        )

    def notebook_text(self, notebook: Notebook) -> str:
        """Return the notebook as its file would be, without what fairlint does not read."""
        texts = [(code, self.buffers.get(uri)) for code, uri in notebook.cells]
        spoken = Counter(one.language for code, one in texts if code and one is not None and one.language)
        language = spoken.most_common(1)[0][0] if spoken else ""
        cells = [
            {
                "cell_type": "code" if code else "markdown",
                "metadata": {"vscode": {"languageId": one.language}}
                if one is not None and one.language
                else {},
                "source": one.text if one is not None else "",
            }
            for code, one in texts
        ]
        metadata = {"kernelspec": {"language": language}} if language else {}
        return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells})


def _cell_entry(cell: types.NotebookCell) -> tuple[bool, str]:
    return cell.kind == types.NotebookCellKind.Code, cell.document


def path_of(uri: str) -> str | None:
    """Return the path of a file, or of a text that has none yet; None for what is neither."""
    scheme = uri_scheme(uri)
    if scheme == _UNTITLED:
        return uri.removeprefix(f"{_UNTITLED}:").lstrip("/") or _UNTITLED
    path = to_fs_path(uri) if scheme == "file" else None
    return os.path.abspath(path) if path else None  # noqa: PTH100 (paths are texts here)


def offset_of(text: str, place: types.Position, units: str) -> int:
    """Return where a place is in the text; what is beyond the end of a line or of the text is there."""
    start, end = _line_bounds(text, place.line)
    left = place.character
    widths = WIDTHS[units]
    for at in range(start, end):
        if left <= 0:
            return at
        left -= 1 + sum(ord(text[at]) >= wide for wide in widths)
    return end


def end_of(text: str, units: str) -> Sequence[int]:
    """Return the last line, and the columns that it has."""
    lines = _LINE_END.split(text)
    widths = WIDTHS[units]
    return [len(lines) - 1, sum(1 + sum(ord(char) >= wide for wide in widths) for char in lines[-1])]


def _line_bounds(text: str, number: int) -> tuple[int, int]:
    """Return where a line begins and ends, its number from 0."""
    start = 0
    ends = _LINE_END.finditer(text)
    for _ in range(number):
        found = next(ends, None)
        if found is None:
            return len(text), len(text)
        start = found.end()
    found = next(ends, None)
    return start, len(text) if found is None else found.start()
