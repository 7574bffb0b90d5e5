"""What the modules of a project say across files: which tell something, ask a model, make rows.

What each text says by itself is found once (`module_index`). Here are the questions that lead from one file
to the next; each is answered once for a name, with a mark for circles. A module is read where some import
leads to it, and kept for the next file that imports it.
"""

# Path objects would take longer than the work itself.
# ruff: noqa: PTH120

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING

from fairlint.project.data_files import DataFile, candidates
from fairlint.project.dependencies import LARGEST_MODULE, NOTHING_SEEN, Observed
from fairlint.project.import_resolver import ImportResolver, submodule
from fairlint.project.module import LONGEST_WAY, Module
from fairlint.project.module_index import ALL, WORTH, ModuleFacts, ModuleIndex
from fairlint.support.digests import NOTHING, digest_of_digests
from fairlint.syntax.outline import Imported

if TYPE_CHECKING:
    import re

    from fairlint.project.kept_facts import KeptFacts
    from fairlint.syntax.language import Language
    from fairlint.syntax.tokens import Tokens

MOST_KNOWN = 10_000_000
"""Bytes of files after which what is known of them is forgotten, and found anew where it is asked for."""


class ModuleGraph:
    """The modules below one folder, and what they say of each other."""

    def __init__(  # noqa: PLR0917 (all that it is told of a run)
        self,
        root: str,
        language: Language,
        read: Callable[[str, int], bytes | None],
        search: Callable[[bytes, Tokens | None], Sequence[int]],
        finds: Callable[[str], re.Pattern[bytes]] | None = None,
        gives_models: Callable[[str], bool] = lambda _: False,
        asks: Callable[[bytes], bool] = lambda _: False,
        set_search: Callable[[Iterable[str]], Callable[[bytes], list[int]]] | None = None,
        kept: KeptFacts | None = None,
    ) -> None:
        """`read(path, limit)` gives a file as UTF-8, or None; `search` finds where protected names stand.

        `language` is one with modules and tokens. `finds` makes a quick search of a regular expression, and
        `set_search` one of several. `gives_models` says of a package whether what it gives may be asked about
        people, `asks` of a text whether it may ask to decide about one. `kept` has what earlier runs have
        found in texts.
        """
        self.language = language
        self.index = ModuleIndex(language, search, asks, finds, set_search, kept=kept)
        self.resolver = ImportResolver(root, language)
        self.gives_models = gives_models
        self.asks = asks
        self._read = read
        self._facts_at: dict[str, ModuleFacts] = {}
        """What the modules say that were read at any time, by their paths."""
        self._known: dict[str, Module | None] = {}
        self._forget()

    def _forget(self) -> None:
        self._begun = 0
        self.index.forget_texts(all_of_them=True)
        self.resolver.forget()
        self._hits: dict[tuple[str, bytes], Sequence[int]] = {}
        for module in self._known.values():
            if module is not None:
                module.forget_others()
        self._known.clear()
        self._read_so_far: dict[int, tuple[int, Observed]] = {}
        """Files, as a number → how many had been read when these were looked at, and what was seen."""
        self._looked_into: dict[int, Observed] = {}

    def begin(self, data: bytes) -> None:
        """Another file is looked at. What is known of earlier ones may be forgotten here, and only here."""
        self._begun += len(data)
        if self._begun > MOST_KNOWN:
            self._forget()
        else:
            self.index.forget_texts(all_of_them=False)

    def dependencies_of(self, path: str) -> tuple[Observed, Observed]:
        """Return all that may have had a part in what was said of the file at `path`: the files that its
        imports lead to, however far, and the folders where they were looked for, with a digest of the
        contents.

        What is known of a module stays known for the next file that imports it. So what that was learned from
        is not what was asked for this file alone, but all that was ever asked for one that it leads to.
        """
        files, folders = self.resolver.closure.all_from(path)
        known, modules = self._read_so_far.get(files, (-1, NOTHING_SEEN))
        if known != len(self._known):
            read = tuple(at for at in self.resolver.closure.files.paths(files) if at in self._known)
            found = (self._known[at] for at in read)
            digests = [NOTHING if one is None else one.facts.digest for one in found]
            modules = read, digest_of_digests(digests)
            self._read_so_far[files] = len(self._known), modules
        if folders not in self._looked_into:
            paths = self.resolver.closure.folders.paths(folders)
            self._looked_into[folders] = paths, digest_of_digests(map(self.resolver.digest_of, paths))
        return modules, self._looked_into[folders]

    def real(self, path: str) -> str:
        """Return the path that a file has here, whichever way it was named."""
        return self.resolver.real(path)

    def own_packages(self, path: str, data: bytes) -> frozenset[str]:
        """Return the packages and modules of the project, by their first name, that a file imports."""
        return self.resolver.own_packages(path, self.index.facts_of(data).imports)

    def hits(self, path: str, data: bytes) -> Sequence[int]:
        """Return where a module may name a protected attribute; every file is searched once."""
        self.index.enter_folder(os.path.dirname(path))
        return self.hits_of(path, self.index.facts_of(data))

    def hits_of(self, path: str, facts: ModuleFacts) -> Sequence[int]:
        """As `hits`, for a module."""
        key = (path, facts.name)  # it may have been changed since it was read as a module
        if key not in self._hits:
            found = facts.hits
            if any(one.tells for one in self._data_files(path, facts, path)):
                found = sorted({*found, *facts.places_of_loading()})
            self._hits[key] = found
        return self._hits[key]

    def is_intact(self, data: bytes) -> bool:
        """Return whether a source certainly has no syntax error."""
        return self.index.facts_of(data).is_intact

    def loads_any(self, path: str, data: bytes) -> bool:
        """Return whether a module may load a file of data that names a protected attribute."""
        return any(one.tells for one in self._data_files(path, self.index.facts_of(data), path))

    def data_files(self, path: str, data: bytes, importer: str = "") -> tuple[DataFile, ...]:
        """Return the files of data that a module may load; what is said of the `importer` depends on them,
        too.
        """
        return self._data_files(path, self.index.facts_of(data), importer or path)

    def _data_files(self, path: str, facts: ModuleFacts, importer: str) -> tuple[DataFile, ...]:
        resolver = self.resolver
        resolver.ask_from(os.path.dirname(importer))
        if not facts.data_files:
            return ()
        found = candidates(facts.data_files, facts.is_folder_named, path, resolver.root, resolver.entries)
        for one, _ in found:
            resolver.closure.note(importer, one)
        return tuple([DataFile(one, *self._data_of(one, up)) for one, up in found])

    def _data_of(self, path: str, above: int) -> tuple[bytes | None, int, bool]:
        known = self.module(path)
        return (None, above, False) if known is None else (known.data, above, bool(known.facts.hits_of_data))

    def module(self, path: str) -> Module | None:
        """Return the module in a file; None if it cannot be read or is too large."""
        if path not in self._known:
            facts = self._facts_at.get(path)
            if facts is None and (data := self._read(path, LARGEST_MODULE)) is not None:
                self.index.enter_folder(os.path.dirname(path))
                facts = self._facts_at[path] = self.index.facts_of(data, keeps=True)
                facts.load = partial(self._read, path, LARGEST_MODULE)
            self._known[path] = None if facts is None else Module(self, path, facts)
        return self._known[path]

    def checked_module(self, path: str, data: bytes, hits: Sequence[int]) -> Module:
        """Return the module that is checked: with this text, whatever was read from its file."""
        own, facts = self._known.get(path), self.index.facts_of(data, keeps=True)
        if own is None or own.facts is not facts:
            own = Module(self, path, facts, hits)
        if len(data) <= LARGEST_MODULE:
            self._known.setdefault(path, own)
        return own

    def is_worth_it(self, data: bytes) -> bool:
        """Return whether a source that names nobody is looked at all the same."""
        return WORTH in self.index.facts_of(data).marks

    def target(self, module: Module, name: bytes, way: int = 0) -> tuple[Module, bytes] | None:
        """Return where a name that `module` imports is made, however many modules hand it on."""
        if name not in module.targets:
            module.targets[name] = None  # for the circles
            module.targets[name] = self._target(module, name, way)
        return module.targets[name]

    def kind(self, module: Module, name: bytes) -> bytes:
        """As that of the module in which the name is made."""
        if name not in module.names and (target := self.target(module, name)) is not None:
            module, name = target
        return module.kind(name)

    def _target(self, module: Module, name: bytes, way: int) -> tuple[Module, bytes] | None:
        if way > LONGEST_WAY:
            return None
        text = name.decode("utf-8", "replace")
        for written, imported in module.facts.bindings(text):
            found = self.module_at(module, written)
            if found is None:
                continue
            wanted = name if imported == ALL else imported.encode()
            if wanted in found.names:
                return found, wanted
            if imported == ALL and way:
                continue  # all of all of a package is too much to go through for every name
            if (further := self.target(found, wanted, way + 1)) is not None:
                return further
        return None

    def brought_in(
        self,
        importer: Module,
        one: Imported,
        wanted: AbstractSet[bytes] = frozenset(),
        among: AbstractSet[bytes] | None = None,
    ) -> Iterator[tuple[str, Module, bytes, str]]:
        """Yield what an import statement brings in, as far as it leads to files here and may tell something.

        For each: the module as written, the module, the name in it (empty for the module itself), and what it
        is called here. What is `wanted` by its name here is given whatever it may tell. Where it is said
        `among` which names, no other is.
        """
        found = self.module_at(importer, one.module)
        if not one.names:
            if found is not None:
                yield one.module, found, b"", one.bound
            return
        for name, alias in one.names:
            known = name.encode()
            called = alias.encode()
            if among is not None and name != "*" and called not in among:
                continue
            may_tell = found is None or name == "*" or called in wanted or found.tells(known)
            may_tell = may_tell or (found is not None and importer.asks_model(called, found, known))
            may_tell = may_tell or (found is not None and importer.prompts_with(found, known))
            if not may_tell and not self.resolver.may_hold(importer.path, one.module, name):
                continue  # asked first, for most modules tell nothing and need not be looked into
            below = submodule(one.module, name)
            if not may_tell and self.resolver.find(importer.path, below) is None:
                continue
            if found is not None and (
                name == "*" or known in found.names or self.target(found, known) is not None
            ):
                yield one.module, found, known, alias
            elif (module := self.module_at(importer, below)) is not None:
                yield below, module, b"", alias

    def meant(self, importer: Module, one: Imported) -> Iterator[Module]:
        """Yield the modules that an import statement may mean."""
        if (found := self.module_at(importer, one.module)) is not None:
            yield found
        for name, _ in one.names:
            if (found := self.module_below(importer, one.module, name)) is not None:
                yield found

    def module_at(self, importer: Module, written: str) -> Module | None:
        """Return the module that an import means by its name as it is written."""
        if written not in importer.leads_to:
            path = self.resolver.find(importer.path, written)
            found = self.module(path) if path is not None and path != importer.path else None
            importer.leads_to[written] = found
        return importer.leads_to[written]

    def module_below(self, importer: Module, written: str, name: str) -> Module | None:
        """Return the module `name` in the package that an import means by its name as it is written."""
        if not self.resolver.may_hold(importer.path, written, name):
            return None
        return self.module_at(importer, submodule(written, name))
