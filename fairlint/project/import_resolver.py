"""Which file an import means, found on disk by the names in folders.

Files are found on disk, not among those of the run: what is said of a file must not depend on which others
are checked with it. Nothing is followed beyond the project's folder.
"""

# Path objects would take longer than the work itself.
# ruff: noqa: PTH118, PTH120

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from fairlint.project.import_closure import ImportClosure
from fairlint.support.digests import digest_of_names
from fairlint.support.files import names_in
from fairlint.syntax.language import Language
from fairlint.syntax.outline import Imported

MOST_FOLDERS = 12
"""Folders above a file in which a package is looked for."""


def submodule(module: str, name: str) -> str:
    """Return how the module `name` in the package `module` is written: `.` and `rules` are `.rules`."""
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


class ImportResolver:
    """Finds the files that imports mean, below one folder, and notes what each answer depends on."""

    def __init__(self, root: str, language: Language) -> None:
        """`language` is one with modules."""
        assert language.modules is not None
        self._standard = language.conventions.standard
        self._suffix = language.suffixes[0]
        self._package = language.modules().package + self._suffix
        """The file that makes a folder a package."""
        self.root = os.path.realpath(root).rstrip(os.sep) + os.sep
        self.forget()

    def forget(self) -> None:
        """Forget everything that was looked up."""
        self.closure = ImportClosure()
        self._real: dict[str, str] = {}
        self._folder_of: dict[str, str] = {}
        self._folders: dict[str, Mapping[str, bool]] = {}
        self._above: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._starts: dict[tuple[str, str], str | None] = {}
        self._inside: dict[tuple[str, str], Mapping[str, bool]] = {}
        self._digests: dict[str, bytes] = {}
        self._asking = ""
        """The folder of files for which something is looked up."""
        self._consulted: dict[str, set[str]] = {}
        """Such folders, each with those whose names were asked for."""
        self._consulted_here: set[str] = set()

    def find(self, importer: str, module: str) -> str | None:
        """Return the file that `module`, as written in the file `importer`, means; None if there is none."""
        folder = self._folder_of.get(importer)
        if folder is None:
            folder = self._folder_of[importer] = os.path.dirname(importer)
        key = (folder, module)
        if key not in self._found:
            self.ask_from(folder)
            where = self._start(folder, module)
            self._found[key] = None if where is None else self._descend(*where)
        found = self._found[key]
        if found is not None:
            self.closure.note(importer, found)
        return found

    def may_hold(self, importer: str, module: str, name: str) -> bool:
        """Report whether `find` may find a module `name` below one as written: hardly any name of an import
        is one. The names in the same folders say so that `find` looks at for the module above.
        """
        folder = self._folder_of.get(importer)
        if folder is None:
            folder = self._folder_of[importer] = os.path.dirname(importer)
        inside = self._inside.get((folder, module))
        if inside is None:
            self.ask_from(folder)
            inside = self._inside[folder, module] = self._names_below(folder, module)
        return name in inside or name + self._suffix in inside

    def _names_below(self, folder: str, module: str) -> Mapping[str, bool]:
        """Return the names in the folder that a module is as a package; none where there is none."""
        where = self._start(folder, module)
        if where is None:
            return {}
        above, parts = where
        for part in parts:
            if not self.entries(above).get(part):
                return {}
            above = _joined(above, part)
        return self.entries(above)

    def ask_from(self, folder: str) -> None:
        """Look up everything from here on for files in a folder."""
        if folder != self._asking:
            self._asking = folder
            self._consulted_here = self._consulted.setdefault(folder, set())

    def own_packages(self, path: str, imports: Iterable[Imported]) -> frozenset[str]:
        """Return the packages and modules of the project, by their first name, that a file imports."""
        folder = os.path.dirname(path)
        self.ask_from(folder)
        written = {one.module.lstrip(".").partition(".")[0] for one in imports}
        return frozenset(name for name in written if name and self._start(folder, name) is not None)

    def is_missing(self, importer: str, one: Imported) -> bool:
        """Report whether a relative import, or one of a package of this project, leads to nothing."""
        if not one.is_certain or self.find(importer, one.module) is not None:
            return False
        folder = os.path.dirname(importer)
        self.ask_from(folder)
        where = self._start(folder, one.module)
        if where is None:
            return False
        folder, parts = where
        if not one.module.startswith(".") and self._package not in self.entries(
            os.path.join(folder, parts[0])
        ):
            return False  # a folder that is called like a library
        for part in parts[:-1]:
            folder = os.path.join(folder, part)
        # it may be made of C, or when the project is built
        return bool(parts) and not any(entry.partition(".")[0] == parts[-1] for entry in self.entries(folder))

    def _start(self, folder: str, module: str) -> tuple[str, Sequence[str]] | None:
        """Return the folder in which the first part of a module's name is looked up, and the parts."""
        bare = module.lstrip(".")
        parts = bare.split(".") if bare else []
        key = (folder, module[: len(module) - len(bare)] or parts[0])
        if key not in self._starts:
            self._starts[key] = self._folder_of_first(*key)
        found = self._starts[key]
        return None if found is None else (found, parts)

    def _folder_of_first(self, folder: str, first: str) -> str | None:
        """Return the folder in which the first part of a module's name is looked up; dots name one."""
        if first.startswith("."):
            for _ in first[1:]:
                folder = os.path.dirname(folder)
            return folder
        if first in self._standard:
            return None
        for above in self._search_path(folder):
            entries = self.entries(above)
            if first in entries or first + self._suffix in entries:
                return above
        return None

    def _search_path(self, folder: str) -> tuple[str, ...]:
        """Return the folders in which absolute imports are looked up: those above, each with its `src`."""
        known = self._above.get(folder)
        if known is None:
            outside = not f"{folder}{os.sep}".startswith(self.root)
            found: list[str] = []
            own = folder
            for _ in range(MOST_FOLDERS):
                entries = self.entries(folder)
                if folder == own or self._package not in entries:
                    found.append(folder)
                if entries.get("src"):
                    found.append(os.path.join(folder, "src"))
                at_end = f"{folder}{os.sep}" == self.root or ".git" in entries
                if at_end or (outside and folder != own and self._package not in entries):
                    break
                above = os.path.dirname(folder)
                if above == folder:
                    break
                folder = above
            if self._package in self.entries(own):
                found = [*found[1:], own]  # a module of a package is run as such, rather than as a script
            known = self._above[own] = tuple(found)
        return known

    def _descend(self, folder: str, parts: Sequence[str]) -> str | None:
        for part in parts[:-1]:
            if not self.entries(folder).get(part):
                return None
            folder = _joined(folder, part)
        if parts:
            entries = self.entries(folder)
            if entries.get(parts[-1]):
                inner = _joined(folder, parts[-1])
                if self._package in self.entries(inner) or parts[-1] + self._suffix not in entries:
                    folder = inner
                    parts = ()
        name = parts[-1] + self._suffix if parts else self._package
        return _joined(folder, name) if self.entries(folder).get(name) is False else None

    def entries(self, folder: str) -> Mapping[str, bool]:
        """Return the names in a folder, each with whether it is one itself."""
        if folder not in self._consulted_here:
            self._consulted_here.add(folder)
            self.closure.consulted(self._asking, folder)
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = names_in(folder)
        return known

    def digest_of(self, folder: str) -> bytes:
        """Return the digest of the names in a folder that was consulted."""
        if folder not in self._digests:
            self._digests[folder] = digest_of_names(self._folders[folder])
        return self._digests[folder]

    def real(self, path: str) -> str:
        """Return the path that a file has here, whichever way it was named."""
        folder, name = os.path.split(path)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        return os.path.join(self._real[folder], name)


def _joined(folder: str, name: str) -> str:
    """As `os.path.join`, for a name without separators."""
    return f"{folder}{name}" if folder.endswith(os.sep) else f"{folder}{os.sep}{name}"
