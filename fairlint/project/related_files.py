"""Other files of a project that name the same model: what trains it, and what asks it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

from fairlint.support.documents import read_json
from fairlint.support.expressions import lazy_expression
from fairlint.support.files import FILE, FOLDER, kinds_in

LARGEST = 1_000_000
"""Bytes of a file that is read."""
MOST = 2
"""Files that are kept."""
MOST_LOOKED_AT = 40
"""Files and folders that are looked at on each level."""
HIGHEST = 2
"""Folders above a file in which they are looked for."""
DEEPEST = 2
"""Folders below each of those."""
LONGEST = 30_000
"""Bytes of each that are kept."""
NOTEBOOK = ".ipynb"
SUFFIXES = (".py", NOTEBOOK)
_MODEL = lazy_expression(
    rb"""["'](?:[^"'\n]*[/\\])?([\w.-]+\.(?:pkl|pickle|joblib|sav|h5|hdf5|keras|pt|pth|onnx|cbm|bst))\\?["']"""
)
_SKIPPED = frozenset({"node_modules", "venv", "env", "site-packages", "__pycache__"})

Read = Callable[[str, int], "bytes | None"]
Names = Callable[[str], Mapping[str, str]]


def texts_of(data: bytes, path: str, root: str, read: Read, names: Names = kinds_in) -> tuple[bytes, ...]:
    """Return the code of files of the project that name a model file which `data` names, the nearest alone.

    `path` is the file's own, `root` the project's folder; what lies outside is not looked at. `read` gives a
    file, `names` what is in a folder.
    """
    wanted = models_in(data)
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    folder = os.path.dirname(path)  # noqa: PTH120 (paths are texts here)
    for _ in range(HIGHEST + 1 if wanted else 0):
        if not f"{folder}{os.sep}".startswith(inside):
            break
        found = [
            text for text in _texts_below(folder, path, read, names) if not wanted.isdisjoint(models_in(text))
        ]
        if found:
            return tuple(text[:LONGEST] for text in found[:MOST])
        folder = os.path.dirname(folder)  # noqa: PTH120 (as above)
    return ()


def models_in(data: bytes) -> frozenset[bytes]:
    """Return the names of the files with models that some code names."""
    return frozenset(found[1] for found in _MODEL.finditer(data))


def _texts_below(folder: str, path: str, read: Read, names: Names) -> Iterator[bytes]:
    for place in _files_below(folder, names):
        data = read(place, LARGEST) if place != path else None
        if data is not None:
            yield _code_of(data) if place.endswith(NOTEBOOK) else data


def _files_below(folder: str, names: Names) -> Iterator[str]:
    """Yield the files of code in a folder and below, those on top first; as many as may be looked at."""
    level, left = [folder], MOST_LOOKED_AT
    for _ in range(DEEPEST + 1):
        below: list[str] = []
        for one in level:
            for name, kind in _code_in(names(one)):
                left -= 1
                if left < 0:
                    return
                if kind == FOLDER:
                    below.append(f"{one}{os.sep}{name}")
                elif kind == FILE:
                    yield f"{one}{os.sep}{name}"
        level = below


def _code_in(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what may be code in a folder, or hold some, in order."""
    return sorted(
        (name, kind)
        for name, kind in names.items()
        if not name.startswith(".") and name not in _SKIPPED and (kind == FOLDER or name.endswith(SUFFIXES))
    )


def _code_of(data: bytes) -> bytes:
    """Return the sources of a notebook's cells, whatever they hold; nothing for what is none."""
    try:
        notebook = read_json(data)
    except ValueError:
        return b""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    sources = (
        [cell.get("source") for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []
    )
    texts = ("".join(map(str, one)) if isinstance(one, list) else str(one) for one in sources)
    return "\n".join(texts).encode("utf-8", "replace")
