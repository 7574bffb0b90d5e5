"""What the modules of a project say across files: which tell something, ask a model, make rows.

What each text says by itself is found once (`module_index`). Here are the questions that lead from one file
to the next; each is answered once for a name, with a mark for circles. A module is read where some import
leads to it, and kept for the next file that imports it.
"""

# Path objects would take longer than the work itself.
# ruff: noqa: PTH120

from __future__ import annotations

import gc
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from typing import TYPE_CHECKING

from fairlint.project.data_files import DataFile, candidates
from fairlint.project.dependencies import LARGEST_MODULE, NOTHING_SEEN, Observed
from fairlint.project.import_resolver import ImportResolver, submodule
from fairlint.project.module_index import ALL, ROWS, WORTH, ModuleFacts, ModuleIndex
from fairlint.search.name_uses import within
from fairlint.support.digests import NOTHING, digest_of_digests
from fairlint.syntax.outline import Imported, Spans

if TYPE_CHECKING:
    import re

    from fairlint.syntax.language import Language
    from fairlint.syntax.tokens import Tokens

LONGEST_WAY = 6
"""Modules that hand a name on to each other."""
FARTHEST = 2
"""Names that stand between one that is imported and one that tells something."""
FARTHEST_OF_FUNCTIONS = 1
MOST_KNOWN = 10_000_000
"""Bytes of files after which what is known of them is forgotten, and found anew where it is asked for."""
_QUOTES = frozenset(b"'\"")


class Module:
    """One file that something imports: its top-level names and where they stand."""

    def __init__(
        self, graph: ModuleGraph, path: str, facts: ModuleFacts, hits: Sequence[int] | None = None
    ) -> None:
        self.path = path
        self.facts = facts
        self.targets: dict[bytes, tuple[Module, bytes] | None] = {}
        """Where the names that it imports are made, as far as was asked."""
        self.leads_to: dict[str, Module | None] = {}
        """The modules that its imports mean, as they are written, as far as was asked."""
        self._graph = graph
        self._hits = hits
        self._references: dict[bytes, frozenset[bytes]] = {}
        self._telling: dict[tuple[bytes, int], bool] = {}
        self._telling_elsewhere: dict[tuple[str, int], bool] = {}
        self._records: dict[tuple[bytes, int], bool] = {}
        self._rows: dict[tuple[bytes, int], bool] = {}
        self._models: dict[bytes, bool] = {}

    @property
    def data(self) -> bytes:
        """Its text."""
        return self.facts.text

    @property
    def hits(self) -> Sequence[int]:
        """Where it may name a protected attribute."""
        if self._hits is None:
            self._hits = self._graph.hits_of(self.path, self.facts)
        return self._hits

    @property
    def imports(self) -> Sequence[Imported]:
        """Its import statements."""
        return self.facts.imports

    @property
    def imported(self) -> AbstractSet[bytes]:
        """The names that its imports bind."""
        return self.facts.imported

    @property
    def own(self) -> frozenset[str]:
        """The first names of the project's modules that it imports."""
        return self._graph.resolver.own_packages(self.path, self.imports)

    @cached_property
    def names(self) -> Mapping[bytes, Spans]:
        """Every top-level name with the stretches that make it what it is."""
        return self.facts.definitions[0]

    @cached_property
    def _kinds(self) -> Mapping[bytes, bytes]:
        return self.facts.definitions[1]

    @cached_property
    def _methods(self) -> Mapping[bytes, tuple[int, int]]:
        return self.facts.definitions[2]

    def kind(self, name: bytes) -> bytes:
        """`def`, `class`, or nothing for a constant."""
        return self._kinds.get(name, b"") if name in self.names else b""

    def tells(self, name: bytes, far: int = FARTHEST) -> bool:
        """Whether what is called `name` here may have to do with a protected attribute.

        It names one, or is made, at most `far` steps away, of what does. A class has to name one itself.
        """
        known = self._telling.get((name, far))
        if known is None:
            self._telling[name, far] = False  # for the circles
            known = self._telling[name, far] = self._is_telling_name(name, far)
        return known

    def _is_telling_name(self, name: bytes, far: int) -> bool:
        spans = self.names.get(name) if self.hits or self._leads_on else None
        if spans is None:
            if (bound := self._bound_modules.get(name)) is not None:
                used = self.facts.fields_of(name)
                return any(bound.tells(word, far + 1) for word in used)  # the module's name is no step
            if not self._may_tell_elsewhere(name.decode("utf-8", "replace")):
                return False
            target = self._graph.target(self, name)
            return target is not None and target[0].tells(target[1], far)
        kind = self._kinds.get(name)
        is_constant = self._graph.language.conventions.is_constant(name.decode("utf-8", "replace"))
        hits = self.hits if kind is None and is_constant else self._quoted_hits  # `PROMPT`, `QUERY`
        if any(bisect_left(hits, start) < bisect_left(hits, end) for start, end in spans):
            return True
        if kind == b"class":
            return self.holds_lists(name)
        if far == 0:
            return False
        far = min(far, FARTHEST_OF_FUNCTIONS) if kind == b"def" else far
        return any(
            other != name and self.tells(other, far - 1) and self._is_read(other, spans)
            for other in self._referenced_names(name)
        )

    def holds_lists(self, name: bytes) -> bool:
        """Whether the methods of a class give its fields lists with quoted hits: `self.columns = ["age"]`."""
        span = self._methods.get(name)
        written = self._graph.index.modules.field_lists
        if span is None or written is None or not self._quoted_hits:
            return False
        lists = written.finditer(self.data, *span)
        return any(
            bisect_left(self._quoted_hits, found.start()) < bisect_left(self._quoted_hits, found.end())
            for found in lists
        )

    def _is_read(self, name: bytes, spans: Sequence[tuple[int, int]]) -> bool:
        """Whether these stretches do more with a class than to make one or to name it as a type."""
        if self._graph.kind(self, name) != b"class":
            return True
        return any(name + b"." in self.data[start:end] for start, end in spans)

    @cached_property
    def _quoted_hits(self) -> Sequence[int]:
        """The hits that begin a short text: columns and groups.

        A function that reads `person.gender` is told about where it stands; what only labels the columns of
        an array does not choose any.
        """
        begun = [hit for hit in self.hits if not _QUOTES.isdisjoint(self.data[max(hit - 1, 0) : hit + 1])]
        if not begun:
            return ()
        prose, labels = self.facts.prose, self.facts.labels
        return [hit for hit in begun if not within(prose, hit) and not within(labels, hit)]

    @cached_property
    def _leads_on(self) -> bool:
        """Whether a module that it imports may name a protected attribute."""
        return any(module.hits for one in self.imports for module in self._graph.meant(self, one))

    def _may_tell_elsewhere(self, name: str, way: int = 0) -> bool:
        """Whether a name may come from a module that tells something: most do not, and are let be."""
        known = self._telling_elsewhere.get((name, way))
        if known is None:
            known = self._telling_elsewhere[name, way] = self._is_told_elsewhere(name, way)
        return known

    def _is_told_elsewhere(self, name: str, way: int) -> bool:
        for written, imported in self.facts.bindings(name):
            module = self._graph.module_at(self, written)
            if module is None:
                continue
            if module.hits or module._leads_on:
                return True
            further = way < LONGEST_WAY and not (imported == ALL and way)
            if further and module._may_tell_elsewhere(name if imported == ALL else imported, way + 1):
                return True
        return False

    def asks_model(self, called: bytes, module: Module, name: bytes) -> bool:
        """Whether this file asks a model by what another module calls so: what that got of a library of
        models, what hands its rows to one or makes them, or a record that is a row.
        """
        if (self._has_rows or self._leads_to_rows) and module.is_record(name):
            return True
        is_model, has_rows = module.makes_model(name), module.makes_rows(name)  # both are rare
        if not (is_model or has_rows) or not (self.hits or self._leads_on or self._has_records):
            return False
        if is_model and self.facts.names_used.calls_method_of(called):
            return True
        return has_rows and not self.facts.is_test and self.facts.names_used.has_call_or_access(called)

    def prompts_with(self, module: Module, name: bytes) -> bool:
        """Whether this file and what another one has under a name may put a prompt together.

        One of the two writes down who somebody is, the other what is to be decided.
        """
        if not (self.hits or self.speaks):
            return False
        if name not in module.names:
            module, name = self._graph.target(module, name) or (module, name)
        spans = module.names.get(name, ())
        if self.speaks:
            hits = module.hits
            if any(bisect_left(hits, start) < bisect_left(hits, end) for start, end in spans):
                return True
        if not self.hits or module.kind(name):
            return False
        return any(self._graph.asks(module.data[start:end]) for start, end in spans)

    @property
    def speaks(self) -> bool:
        """Whether it asks a language model to decide about somebody, by its words."""
        return self.facts.asks

    def makes_model(self, name: bytes) -> bool:
        """Whether a top-level name is what a library of models gives: `risk = joblib.load(path)`."""
        known = self._models.get(name)
        if known is None:
            known = self._models[name] = self._makes_model(name)
        return known

    def _makes_model(self, name: bytes) -> bool:
        if not self._of_models and not self._may_import(name):
            return False
        if name not in self.names:
            target = self._graph.target(self, name)
            return target is not None and target[0] is not self and target[0].makes_model(target[1])
        spans = () if self.kind(name) or not self._of_models else self.names[name]
        return any(not self._of_models.isdisjoint(self.facts.words((span,))) for span in spans)

    def is_record(self, name: bytes, far: int = FARTHEST) -> bool:
        """Whether a class lists a field that may be protected, or names, `far` steps away, one that does."""
        known = self._records.get((name, far))
        if known is None:
            known = self._records[name, far] = self._is_record(name, far)
        return known

    def _is_record(self, name: bytes, far: int) -> bool:
        if name not in self.names:
            target = self._graph.target(self, name)
            return target is not None and target[0] is not self and target[0].is_record(target[1], far)
        if self.kind(name) != b"class":
            return False
        if any(
            bisect_left(self.hits, start) < bisect_left(self.hits, end) for start, end in self.names[name]
        ):
            return True
        return far > 0 and any(
            other != name and self.is_record(other, far - 1) for other in self._referenced_names(name)
        )

    def makes_rows(self, name: bytes, far: int = FARTHEST_OF_FUNCTIONS) -> bool:
        """Whether a function or class, or what it calls, hands something to a model or makes a row of it."""
        known = self._rows.get((name, far))
        if known is None:
            known = self._rows[name, far] = self._makes_rows(name, far)
        return known

    def _makes_rows(self, name: bytes, far: int) -> bool:
        if not self._has_rows and not self._leads_to_rows:
            return False
        if name not in self.names:
            target = self._graph.target(self, name)
            return target is not None and target[0] is not self and target[0].makes_rows(target[1], far)
        if not self.kind(name):  # `service = Service()`
            made = (
                other for other in self._referenced_names(name) if self._graph.kind(self, other) == b"class"
            )
            return any(other != name and self.makes_rows(other, far) for other in made)
        whole = [*self.names[name], *filter(None, [self._methods.get(name)])]
        if any(bisect_left(self._rows_at, start) < bisect_left(self._rows_at, end) for start, end in whole):
            return True
        return far > 0 and any(
            other != name and self.makes_rows(other, far - 1) for other in self._referenced_names(name)
        )

    @property
    def _rows_at(self) -> Sequence[int]:
        """Where it hands something to a model, or makes a row of it."""
        return self.facts.rows_at

    @cached_property
    def _has_rows(self) -> bool:
        return ROWS in self.facts.marks

    @cached_property
    def _leads_to_rows(self) -> bool:
        return any(module._has_rows for one in self.imports for module in self._graph.meant(self, one))

    @cached_property
    def _has_records(self) -> bool:
        """Whether it imports a record that has a field which may be protected."""
        return any(
            module.is_record(name.encode())
            for one in self.imports
            if (module := self._graph.module_at(self, one.module)) is not None
            for name, _ in one.names
        )

    @cached_property
    def _of_models(self) -> frozenset[bytes]:
        """What it calls libraries of models, and what it imports of them."""
        of_models = [one for one in self.imports if self._graph.gives_models(one.module)]
        called = {one.bound for one in of_models} | {alias for one in of_models for _, alias in one.names}
        return frozenset(name.partition(".")[0].encode() for name in called)

    def _referenced_names(self, name: bytes) -> frozenset[bytes]:
        """The top-level names, imported ones included, that make a name what it is."""
        known = self._references.get(name)
        if known is None:
            spans = self.names.get(name, ())
            words = self.facts.words(spans)
            known = self._references[name] = frozenset(words & self._known_names)
        return known

    @cached_property
    def _known_names(self) -> AbstractSet[bytes]:
        """All that it calls something at its top level, imported names included."""
        return self.names.keys() | self.imported | self._bound_modules.keys()

    def _used_by_methods(self, name: bytes) -> frozenset[bytes]:
        """The top-level names that the methods of a class use which makes rows or asks a model."""
        span = self._methods.get(name) if self.kind(name) == b"class" and self.makes_rows(name) else None
        words = () if span is None else self.facts.words((span,))
        return frozenset(word for word in words if word in self.names or word in self.imported)

    @cached_property
    def _bound_modules(self) -> Mapping[bytes, Module]:
        """The modules that its imports bind as such: `import config`, `from package import config`."""
        found: dict[bytes, Module] = {}
        for one in self.imports:
            named = [(submodule(one.module, name), alias) for name, alias in one.names]
            for written, called in named or [(one.module, one.bound)]:
                if (module := self._graph.module_at(self, written)) is not None:
                    found[called.encode()] = module
        return found

    def _may_import(self, name: bytes) -> bool:
        """Whether one of its imports may bind a name."""
        return name in self.imported or b"*" in self.imported

    def closure(self, names: set[bytes]) -> set[bytes]:
        """`names`, and all top-level names that these refer to, a few steps far."""
        found = set(names)
        new = set(names)
        for _ in range(FARTHEST + 1):
            new = {
                word for name in new for word in self._referenced_names(name) | self._used_by_methods(name)
            } - found
            if not new:
                break
            found |= new
        return found


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
    ) -> None:
        """`read(path, limit)` gives a file as UTF-8, or None; `search` finds where protected names stand.

        `language` is one with modules and tokens. `finds` makes a quick search of a regular expression, and
        `set_search` one of several. `gives_models` says of a package whether what it gives may be asked about
        people, `asks` of a text whether it may ask to decide about one.
        """
        self.language = language
        self.index = ModuleIndex(language, search, asks, finds, set_search)
        self.resolver = ImportResolver(root, language)
        self.gives_models = gives_models
        self.asks = asks
        self._read = read
        self._facts_at: dict[str, ModuleFacts] = {}
        """What the modules say that were read at any time, by their paths."""
        self._forget()

    def _forget(self) -> None:
        self._begun = 0
        self.index.forget_texts(all_of_them=True)
        self.resolver.forget()
        self._hits: dict[tuple[str, bytes], Sequence[int]] = {}
        self._known: dict[str, Module | None] = {}
        self._read_so_far: dict[int, tuple[int, Observed]] = {}
        """Files, as a number → how many had been read when these were looked at, and what was seen."""
        self._looked_into: dict[int, Observed] = {}

    def begin(self, data: bytes) -> None:
        """Another file is looked at. What is known of earlier ones may be forgotten here, and only here."""
        self._begun += len(data)
        if self._begun > MOST_KNOWN:
            self._forget()
            gc.collect(0)  # modules that import each other would stay
        else:
            self.index.forget_texts(all_of_them=False)

    def dependencies_of(self, path: str) -> tuple[Observed, Observed]:
        """All that may have had a part in what was said of the file at `path`: the files that its imports
        lead to, however far, and the folders where they were looked for, with a digest of the contents.

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
        """Where a module may name a protected attribute; every file is searched once."""
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

    def loads_any(self, path: str, data: bytes) -> bool:
        """Whether a module may load a file of data that names a protected attribute."""
        return any(one.tells for one in self._data_files(path, self.index.facts_of(data), path))

    def data_files(self, path: str, data: bytes, importer: str = "") -> tuple[DataFile, ...]:
        """The files of data that a module may load; what is said of the `importer` depends on them, too."""
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
        """The module in a file; None if it cannot be read or is too large."""
        if path not in self._known:
            facts = self._facts_at.get(path)
            if facts is None and (data := self._read(path, LARGEST_MODULE)) is not None:
                facts = self._facts_at[path] = self.index.facts_of(data, keeps=True)
                facts.load = partial(self._read, path, LARGEST_MODULE)
            self._known[path] = None if facts is None else Module(self, path, facts)
        return self._known[path]

    def checked_module(self, path: str, data: bytes, hits: Sequence[int]) -> Module:
        """The module that is checked: with this text, whatever was read from its file."""
        own, facts = self._known.get(path), self.index.facts_of(data, keeps=True)
        if own is None or own.facts is not facts:
            own = Module(self, path, facts, hits)
        if len(data) <= LARGEST_MODULE:
            self._known.setdefault(path, own)
        return own

    def is_worth_it(self, data: bytes) -> bool:
        """Whether a source that names nobody is looked at all the same."""
        return WORTH in self.index.facts_of(data).marks

    def target(self, module: Module, name: bytes, way: int = 0) -> tuple[Module, bytes] | None:
        """Where a name that `module` imports is made, however many modules hand it on."""
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
        """What an import statement brings in, as far as it leads to files here and may tell something.

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
            below = submodule(one.module, name)
            called = alias.encode()
            if among is not None and name != "*" and called not in among:
                continue
            may_tell = found is None or name == "*" or called in wanted or found.tells(known)
            may_tell = may_tell or (found is not None and importer.asks_model(called, found, known))
            may_tell = may_tell or (found is not None and importer.prompts_with(found, known))
            if not may_tell and self.resolver.find(importer.path, below) is None:
                continue  # asked first, for most modules tell nothing and need not be looked into
            if found is not None and (
                name == "*" or known in found.names or self.target(found, known) is not None
            ):
                yield one.module, found, known, alias
            elif (module := self.module_at(importer, below)) is not None:
                yield below, module, b"", alias

    def meant(self, importer: Module, one: Imported) -> Iterator[Module]:
        """The modules that an import statement may mean."""
        if (found := self.module_at(importer, one.module)) is not None:
            yield found
        for name, _ in one.names:
            if (found := self.module_at(importer, submodule(one.module, name))) is not None:
                yield found

    def module_at(self, importer: Module, written: str) -> Module | None:
        """The module that an import means by its name as it is written."""
        if written not in importer.leads_to:
            path = self.resolver.find(importer.path, written)
            found = self.module(path) if path is not None and path != importer.path else None
            importer.leads_to[written] = found
        return importer.leads_to[written]
