"""Files of data that code names and loads: which of the project's files may be meant.

Code names them in many ways (`Path(__file__).parent / "data" / "rules.json"`, `"configs/params.yaml"`). What
all have in common is the file's own name, and that the folders which it stands in are named, too. Which of
the files that are found here a call means, the evaluator says.
"""

# Path objects would take longer than the work itself.
# ruff: noqa: PTH116, PTH118, PTH120

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from fairlint.support.expressions import lazy_expression
from fairlint.support.files import too_large
from fairlint.support.records import Record

MOST = 12
"""Files of data that are looked at for one source."""
MOST_BYTES = 400_000
"""Of all of them."""
HIGHEST = 5
"""Folders above a source in which they are looked for."""
MOST_FOLDERS = 60
"""Folders that are looked into for one source."""
DEEPEST = 3
"""Folders in one another below one of these."""
_NAMED = lazy_expression(rb"""(?<![\w.-])(\w[\w.-]*\.(?:json|ya?ml|toml|csv|tsv))["']""")
_ENDING = lazy_expression(rb"""\.(?:json|ya?ml|toml|csv|tsv)["']""")
_ENDINGS = (b".json", b".yaml", b".yml", b".toml", b".csv", b".tsv")
_OF_NAMES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
LONGEST = 1_000
"""Bytes before an ending that may be a name; no file has a longer one."""
_CONFIGURED = lazy_expression(rb"""\bconfig_name[ \t]*=[ \t]*["']([\w-]+)["']""")
"""A file of YAML that is named without its ending: `@hydra.main(config_name="train")`."""
_PLAIN = lazy_expression(rb"[\w-]+")
_FOLDER = lazy_expression(rb"""["'/}.]([\w-]+)(?=["'/])""")
"""A plain name, as `_has_folder_name` would find it."""
FILES = rb"""\.(?:json|ya?ml|toml|csv|tsv)["']|config_name"""
"""What stands in every source that names a file of data. It means the same to RE2."""
_LOADS = lazy_expression(rb"(?i)\b\w*(?:load|read|open|config|param|setting|rule|yaml|json|main)\w*[ \t]*\(")
"""How what loads a file of data is called, or what is handed its name."""

Entries = Callable[[str], Mapping[str, bool]]


class DataFile(Record):
    """A file of data that a source may load."""

    path: str
    data: bytes | None
    """Its text as UTF-8; None where that cannot be read."""
    above: int = 0
    """How many folders above the source it was found."""
    tells: bool = False
    """Whether it names a protected attribute."""


def places_of_loading(data: bytes) -> list[int]:
    """Return where a source names files of data, and where it may load them."""
    named = (found.start(1) for one in (_NAMED, _CONFIGURED) for found in one.finditer(data))
    return sorted({*named, *_load_places(data)})


def _load_places(data: bytes) -> Iterator[int]:
    return (found.start() for found in _LOADS.finditer(data))


def data_file_names(data: bytes) -> frozenset[str]:
    """Return the names of the files of data that a source names, if it may load any."""
    wanted = set[str]()
    if any(ending in data for ending in _ENDINGS):  # much quicker than the expression
        wanted.update(_names_with_ending(data))
    if b"config_name" in data:
        wanted.update(f"{found[1].decode()}.yaml" for found in _CONFIGURED.finditer(data))
    return frozenset(wanted) if wanted and next(_load_places(data), None) is not None else frozenset()


def _names_with_ending(data: bytes) -> Iterator[str]:
    """Return what `_NAMED` finds, which would try every word."""
    for found in _ENDING.finditer(data):
        before = data[max(found.start() - LONGEST, 0) : found.start()]
        name = before[len(before.rstrip(_OF_NAMES)) :]
        if name and name[:1] not in {b".", b"-"}:
            yield (name + found[0][:-1]).decode()


@lru_cache(maxsize=4096)
def _is_plain(name: bytes) -> bool:
    return _PLAIN.fullmatch(name) is not None


def folder_test(data: bytes) -> Callable[[bytes], bool]:
    """Return what says whether a source names a folder: alone in a text, or as a part of a path or package.

    The source is looked through once, whatever is asked later.
    """
    named: frozenset[bytes] | None = None

    def is_named(name: bytes) -> bool:
        nonlocal named
        if not _is_plain(name):
            return _has_folder_name(name, data)
        if named is None:
            named = frozenset(_FOLDER.findall(data))
        return name in named

    return is_named


def candidates(
    wanted: AbstractSet[str], is_named: Callable[[bytes], bool], path: str, root: str, entries: Entries
) -> list[tuple[str, int]]:
    """Return the files of `wanted` that the source at `path` may mean, with how many folders above it.

    The nearest come first. `entries` gives the names in a folder, each with whether it is a folder itself,
    and `is_named` says whether the source names a folder. A name is looked for in the source's folder and in
    folders there that it names, and the same further up, as far as `root`.
    """
    if not wanted:
        return []
    found: list[tuple[str, int]] = []
    folder, left = os.path.dirname(path), [MOST_FOLDERS]
    for above in range(HIGHEST + 1):
        here = [
            os.path.join(below, name)
            for below in _named_below(folder, is_named, entries, DEEPEST, left)
            for name, is_folder in entries(below).items()
            if not is_folder and name in wanted
        ]
        known = {one for one, _ in found}
        found += [(one, above) for one in sorted(here, key=_depth_key) if one not in known]
        whole = f"{folder}{os.sep}"
        if len(found) >= MOST or whole == root or not whole.startswith(root):
            break  # at the root, or outside of it
        folder = os.path.dirname(folder)
    return found[:MOST]


def why_unread(path: str, largest: int) -> str:
    """Return why nothing is known of what is in a file, in one clause."""
    if os.path.realpath(path) != path:
        return "a link leads out of the project"
    try:
        is_large = os.stat(path).st_size > largest
    except OSError:
        is_large = False
    return too_large(largest) if is_large else "it is no text, or cannot be read"


def _depth_key(path: str) -> tuple[int, str]:
    return path.count(os.sep), path


def _named_below(
    folder: str, is_named: Callable[[bytes], bool], entries: Entries, depth: int, left: list[int]
) -> Iterator[str]:
    """Yield a folder, and those in it that a source names."""
    left[0] -= 1
    if left[0] < 0:
        return
    yield folder
    for name, is_folder in entries(folder).items():
        if is_folder and depth and is_named(name.encode("utf-8", "surrogateescape")):
            yield from _named_below(os.path.join(folder, name), is_named, entries, depth - 1, left)


def _has_folder_name(name: bytes, data: bytes) -> bool:
    at = data.find(name)
    while at >= 0:
        before, after = data[at - 1 : at], data[at + len(name) : at + len(name) + 1]
        if before in {b'"', b"'", b"/", b"}", b"."} and after in {b'"', b"'", b"/"}:
            return True
        at = data.find(name, at + 1)
    return False
