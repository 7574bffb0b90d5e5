"""From the paths of a report to the URIs of SARIF: relative to the repository's root where possible."""

from __future__ import annotations

import os
from urllib.parse import quote_from_bytes

_SAFE = "/-._~"


def repository_root(folder: str) -> str:
    """Return the nearest folder at or above `folder` that holds a `.git`; `folder` itself where none does."""
    current = os.path.realpath(folder)
    while True:
        if os.path.lexists(os.path.join(current, ".git")):  # noqa: PTH118 (names need not be valid text)
            return current
        parent = os.path.dirname(current)  # noqa: PTH120
        if parent == current:
            return os.path.realpath(folder)
        current = parent


def in_repository(path: str, folder: str) -> str:
    """Return a path that was reported in a folder, relative to its repository's root where it lies inside."""
    root = repository_root(folder)
    return _resolve_path(path, folder, root).removeprefix(_folder_prefix(root)).replace(os.sep, "/")


def _folder_prefix(root: str) -> str:
    return root if root.endswith(os.sep) else root + os.sep


def _resolve_path(path: str, folder: str, root: str) -> str:
    """Return the absolute path of what was reported in a folder; of a link within the repository, what it
    leads to, if there is anything.

    GitHub cannot show a result in a file that is a link.
    """
    whole = os.path.normpath(os.path.join(os.path.realpath(folder), path))  # noqa: PTH118 (as above)
    real = os.path.realpath(whole)
    return real if real.startswith(_folder_prefix(root)) and os.path.lexists(real) else whole


def _quote_path(path: str) -> str:
    return quote_from_bytes(os.fsencode(path.replace(os.sep, "/")), _SAFE)


def file_uri(path: str, *, folder: bool = False) -> str:
    """Return the `file:` URI of an absolute path; that of a folder ends in a slash."""
    quoted = _quote_path(path)
    slash = "" if quoted.startswith("/") else "/"
    return f"file://{slash}{quoted}" + ("/" if folder and not quoted.endswith("/") else "")


def location(path: str, *, working_folder: str, root: str) -> dict[str, str]:
    """SARIF's `artifactLocation` of a reported path."""
    absolute = _resolve_path(path, working_folder, root)
    prefix = _folder_prefix(root)
    if absolute.startswith(prefix):
        return {"uri": _quote_path(absolute[len(prefix) :]), "uriBaseId": "%SRCROOT%"}
    return {"uri": file_uri(absolute)}


def folder_location(folder: str, *, root: str) -> dict[str, str]:
    """SARIF's `artifactLocation` of a folder; that of the root itself has an empty path."""
    real = os.path.realpath(folder)
    if real == root or real.startswith(_folder_prefix(root)):
        below = _quote_path(real[len(_folder_prefix(root)) :])
        return {"uri": f"{below}/" if below else "./", "uriBaseId": "%SRCROOT%"}
    return {"uri": file_uri(real, folder=True)}
