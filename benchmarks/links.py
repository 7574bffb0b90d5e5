"""What following imports takes over whole trees, and a digest of everything that it says.

    python benchmarks/links.py TREE [TREE ...] [--list] [--checkout FOLDER]

For each tree: a digest of what is followed from every file (`Links`), one of what each result depends on,
the CPU seconds of `links` and of reading and searching altogether, and how many bytes were passed over for
each byte of a module. Two checkouts that agree print the same digests; `--list` prints one row a file.
Texts are hashed under seed 0, as the order of a set may say what else a result depends on.
Exit status: 1 where more than `MOST` bytes are passed over for each that is read.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MOST = 6.0
"""Bytes that may be passed over for each byte of a module."""
SCANS = {
    "fairlint.search.name_uses": ("_matches_after_name:1", "called_around:0", "prose_in:0"),
    "fairlint.project.module_index": ("digest:0", "places_of_loading:0"),
}
"""Module → functions that go through the whole of a text, each with the place of that argument."""
FACTS = (
    "asks", "data_files", "definitions", "hits", "hits_of_data", "imports", "is_folder_named", "is_test",
    "labels", "marks", "rows_at",
)  # fmt: skip
"""Facts of a module, each found in one pass over its text; nothing is read where they were packed before."""
INDEXES = ("_behind", "_places")
"""What `NameUses` finds of all names in one pass, when it pays."""


class Counted:
    """What has been read and passed over so far."""

    def __init__(self) -> None:
        self.read = 0
        self.passed = 0
        self.seconds = 0.0

    def counting(self, scan: Callable[..., Any], place: int) -> Callable[..., Any]:
        """As a function that goes through a text, and counts its bytes."""

        @functools.wraps(scan)
        def counted(*arguments: Any, **named: Any) -> Any:
            self.passed += len(arguments[place])
            return scan(*arguments, **named)

        return counted


def _shown(links: Any, root: Path) -> Any:
    """What is followed from a file, as values that are the same in every place and process."""
    if links is None:
        return None

    def place(path: str) -> str:
        return str(Path(path).relative_to(root)) if Path(path).is_relative_to(root) else path

    modules = [
        (
            place(one.path),
            hashlib.sha256(one.data).hexdigest(),
            sorted(name.decode("latin-1") for name in one.names),
            sorted(one.own),
            list(one.imports.items()),
        )
        for one in links.modules
    ]
    return (
        modules, list(links.imports.items()), links.uses, links.missing, links.circle, links.left_out,
    )  # fmt: skip


def _count_scans(counted: Counted, *, is_own: bool) -> None:
    """Make everything that goes through a text count, wherever it was imported.

    Raises SystemExit if this checkout has no function of such a name: it would not be counted.
    """
    wrapped: dict[int, Callable[..., Any]] = {}
    for module_name, functions in SCANS.items():
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue  # an older checkout
        for function in functions:
            name, _, place = function.partition(":")
            scan = getattr(module, name, None)
            if scan is not None:
                wrapped[id(scan)] = counted.counting(scan, int(place))
            elif is_own:
                raise SystemExit(f"links: {module_name} has no function {name}")
    for name, module in list(sys.modules.items()):
        if name.startswith(("fairlint.search", "fairlint.project")):
            for key, value in list(vars(module).items()):
                if id(value) in wrapped:
                    setattr(module, key, wrapped[id(value)])
    if is_own:
        _count_facts(counted)


def _count_facts(counted: Counted) -> None:
    """Make every fact of a module count when it is found, and every index of its names."""
    from fairlint.project.module_index import ModuleFacts  # noqa: PLC0415 (of the checkout that is measured)
    from fairlint.search.name_uses import NameUses  # noqa: PLC0415 (as above)

    def counting(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def found(facts: Any) -> Any:
            value = find(facts)
            if facts.has_text:
                counted.passed += len(facts.text)
            return value

        return found

    for name in FACTS:
        made = functools.cached_property(counting(vars(ModuleFacts)[name].func))
        made.__set_name__(ModuleFacts, name)
        setattr(ModuleFacts, name, made)

    def keep(uses: Any, name: str, value: Any) -> None:
        if name in INDEXES and value is not None:
            counted.passed += len(uses._data)
        object.__setattr__(uses, name, value)

    NameUses.__setattr__ = keep  # type: ignore[method-assign]


def _watch(project: Any, counted: Counted) -> None:
    """Make a project count what it reads, and time what it says."""
    read = project._read

    def reading(path: str, limit: int) -> bytes | None:
        data: bytes | None = read(path, limit)
        counted.read += len(data or b"")
        return data

    project._read = reading
    if hasattr(project, "links"):  # an older checkout
        project.links = _timed(project.links, counted)


def _timed(links: Callable[..., Any], counted: Counted) -> Callable[..., Any]:
    def timed(*arguments: Any) -> Any:
        begin = time.process_time()
        try:
            return links(*arguments)
        finally:
            counted.seconds += time.process_time() - begin

    return timed


def follow(tree: Path, counted: Counted, *, shows: bool) -> tuple[str, str, int]:
    """Follow the imports of every file of a tree; both digests, and how many files there are."""
    from fairlint.checking.checker import Checker  # noqa: PLC0415 (of the checkout that is measured)
    from fairlint.config import Settings  # noqa: PLC0415 (as above)
    from fairlint.sources.discovery import discover  # noqa: PLC0415 (as above)

    settings = Settings(root=str(tree.parent), cache_dir="", respect_gitignore=False)
    checker = Checker(settings, in_project=True)
    made = checker._project_of

    def making(language: Any) -> Any:
        project = made(language)
        _watch(project, counted)
        return project

    checker._project_of = making  # type: ignore[method-assign]
    files = discover([str(tree)], settings).files
    all_links, all_bases = hashlib.sha256(), hashlib.sha256()
    for file in files:
        found = checker.read(file)
        if getattr(found, "failed", False):
            raise SystemExit(f"links: {found}")
        counted.read += Path(file.path).stat().st_size
        links = getattr(found, "links", None)
        shown = json.dumps([file.shown, list(getattr(found, "hits", ())), _shown(links, tree)])
        all_links.update(shown.encode())
        basis = checker._looked_at(file.shown)
        seen = repr(None if basis is None else (basis.modules[0], basis.folders[0])).encode()
        all_bases.update(seen)
        if shows:
            both = (hashlib.sha256(one).hexdigest()[:12] for one in (shown.encode(), seen))
            print(*both, file.shown)
    return all_links.hexdigest()[:16], all_bases.hexdigest()[:16], len(files)


def main(arguments: list[str] | None = None) -> int:
    """Follow the imports of trees, and report."""
    parser = argparse.ArgumentParser(description="Measure what following imports takes.")
    parser.add_argument("trees", nargs="+", type=Path, metavar="TREE")
    parser.add_argument("--list", action="store_true", help="print the digests of each file")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="the fairlint that is measured")
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(options.checkout.resolve()))
    for module in SCANS:
        try:
            importlib.import_module(module)
        except ImportError:
            continue
    importlib.import_module("fairlint.project")
    counted = Counted()
    _count_scans(counted, is_own=options.checkout.resolve() == ROOT)
    try:
        following: Any = importlib.import_module("fairlint.project.links")
        following.follow_imports = _timed(following.follow_imports, counted)
    except ImportError:
        pass  # an older checkout
    met = True
    for tree in options.trees:
        counted.read, counted.passed, counted.seconds = 0, 0, 0.0
        begin = time.process_time()
        links, bases, files = follow(tree.resolve(), counted, shows=options.list)
        taken = time.process_time() - begin
        ratio = counted.passed / max(counted.read, 1)
        met &= ratio <= MOST
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{tree.name}, {files} files: links {links}, depends {bases}; CPU {counted.seconds:.2f} s of"
            f" {taken:.2f} s; {counted.read / 1e6:.1f} MB read, {ratio:.1f} passes; {most:.0f} MB at most",
            flush=True,
        )
    return 0 if met else 1


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    sys.exit(main())
