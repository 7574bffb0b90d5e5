"""The modules that are worth following from one file, and the names in them that matter."""

# Path objects would take longer than the work itself.
# ruff: noqa: PTH119

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from fairlint.project.module import LONGEST_WAY, Module
from fairlint.project.module_graph import ModuleGraph
from fairlint.search.name_uses import called_around, fields_of
from fairlint.support.records import Record, field
from fairlint.syntax.outline import Imported

MOST_MODULES = 12
MOST_BYTES = 400_000
"""Of all modules that are followed from one file."""


class Link(Record):
    """A module that is followed."""

    path: str
    data: bytes
    names: frozenset[bytes]
    """Its top-level names that matter: those that are wanted of it, and what these refer to."""
    own: frozenset[str]
    """The first names of the project's modules that it imports."""
    imports: Mapping[str, int]
    """Its own imports: the module as written → its place among all that are followed."""


class Links(Record, frozen=False):
    """All that is followed from one file."""

    modules: list[Link] = field(default_factory=list)
    imports: dict[str, int] = field(default_factory=dict)
    """The file's own imports: the module as written → its place in `modules`."""
    uses: list[int] = field(default_factory=list)
    """Where the file uses what tells something."""
    missing: list[tuple[int, str]] = field(default_factory=list)
    """(offset, what is imported and not there)."""
    circle: tuple[int, str] | None = None
    """(offset of the import, the modules of a circle)."""
    left_out: list[tuple[int, str]] = field(default_factory=list)
    """(offset of the import, a module that is not followed: it, or all together, are too large)."""


def follow_imports(graph: ModuleGraph, path: str, data: bytes, hits: Sequence[int]) -> Links | None:
    """Return what is worth following from the file at `path`; None where nothing is."""
    if not hits and not graph.is_worth_it(data):
        return None
    return _Follower(graph, graph.checked_module(path, data, hits)).links()


class _Followed(Record, frozen=False):
    """A module that is followed: what is wanted of it so far, and the names by which it imports others."""

    module: Module
    wanted: set[bytes]
    imports: dict[str, int] = field(default_factory=dict)

    def link(self) -> Link:
        """Return what is left of it for others."""
        names = frozenset(self.module.closure(self.wanted))
        return Link(self.module.path, self.module.data, names, self.module.own, self.imports)


class _Follower:
    """Gathers what is worth following from one file."""

    def __init__(self, graph: ModuleGraph, own: Module) -> None:
        self._graph = graph
        self._own = own
        self._links = Links()
        self._found: list[_Followed] = []
        self._place: dict[str, int] = {}
        self._size = 0
        self._around_hits = called_around(own.data, own.hits)

    def links(self) -> Links | None:
        own, links = self._own, self._links
        for one in own.imports:
            for written, module, name, alias in self._graph.brought_in(own, one, self._around_hits):
                if module.path == own.path:
                    continue
                wanted = self._wanted(module, name, alias)
                if not wanted:
                    continue
                self._add(module, wanted, links.imports, written)
            if own.hits and self._graph.resolver.is_missing(own.path, one):
                links.missing.append((one.offset, one.module))
            path = self._graph.resolver.find(own.path, one.module) if own.hits else None
            if path is not None and path != own.path and self._graph.module(path) is None:
                links.left_out.append((one.offset, one.module))
        if not (self._found or links.missing or links.left_out):
            return None
        done: dict[int, set[bytes]] = {}
        while todo := [at for at, link in enumerate(self._found) if done.get(at) != link.wanted]:
            for at in todo:
                done[at] = set(self._found[at].wanted)
                self._follow(self._found[at])
        links.modules.extend(link.link() for link in self._found)
        links.uses.sort()
        links.circle = self._circle() if self._own.hits else None
        return links

    def _wanted(self, module: Module, name: bytes, alias: str) -> set[bytes]:
        """Return the names of a module that the file uses and that may tell something; notes where
        it does.
        """
        own = self._own.facts
        called = alias.encode()
        if name and name != b"*":
            if not self._is_worth(module, name, called):
                return set()
            places = [(name, at) for at in own.names_used.uses_of(called)]
            if len(places) < 2:  # the import alone
                return set()
        elif name:
            offered = module.names.keys() | module.imported
            known = [word for word in offered & own.words(((0, len(own.text)),)) if word[:1] != b"_"]
            worth = [word for word in known if self._is_worth(module, word, word)]
            places = [(word, at) for word in worth for at in own.names_used.uses_of(word)]
        else:
            places = list(fields_of(called, own.text))
        words = {word for word, _ in places}
        wanted = words if name else {word for word in words if self._is_worth(module, word, word)}
        telling = {word for word in wanted if module.tells(word) or module.is_record(word)}
        telling |= {word for word in wanted - telling if self._own.prompts_with(module, word)}
        self._links.uses.extend(at for word, at in places if word in telling)
        return wanted

    def _is_worth(self, module: Module, name: bytes, called: bytes) -> bool:
        """Return whether a name tells something, or is a function that is called where something is told."""
        if called in self._around_hits and module.kind(name) == b"def":
            return True
        if self._own.prompts_with(module, name):
            return True
        if not module.tells(name):
            return self._own.asks_model(called, module, name)
        if name not in module.names:
            module, name = self._graph.target(module, name) or (module, name)
        if module.kind(name) == b"class" and not self._own.hits:
            if module.holds_lists(name) and self._own.facts.names_used.has_call_or_access(called):
                return True
            return self._own.facts.names_used.has_field(called) or self._own.asks_model(called, module, name)
        return module.path != self._own.path

    def _add(self, module: Module, wanted: set[bytes], imports: dict[str, int], written: str) -> None:
        place = self._place.get(module.path)
        if place is None:
            if len(self._found) >= MOST_MODULES or self._size + len(module.data) > MOST_BYTES:
                own = (one.offset for one in self._own.imports if one.module == written)
                self._links.left_out.append((next(own, 0), written))
                return
            place = self._place[module.path] = len(self._found)
            self._found.append(_Followed(module, set()))
            self._size += len(module.data)
        self._found[place].wanted |= wanted
        imports[written] = place

    def _follow(self, link: _Followed) -> None:
        """Add the modules that what is wanted of a module comes from."""
        names = link.module.closure(link.wanted)
        models = {word for word in link.wanted if link.module.makes_model(word)}
        models |= {word for word in names & link.module.imported if link.module.makes_rows(word)}
        for one in link.module.imports:
            for written, module, name, alias in self._graph.brought_in(link.module, one, models, names):
                if module.path == self._own.path:
                    continue
                if name == b"*":
                    wanted = {word for word in names - link.module.names.keys() if module.tells(word)}
                elif alias.encode() not in names:
                    continue
                elif name:
                    wanted = {name} if alias.encode() in models or module.tells(name) else set()
                else:
                    used = link.module.facts.fields_of(alias.encode())
                    wanted = {word for word in used if module.tells(word)}
                if wanted:
                    self._add(module, wanted, link.imports, written)

    def _circle(self) -> tuple[int, str] | None:
        """Return the first circle of imports around the file in which names are asked for before they are
        made.
        """
        seen: set[str] = set()
        for one in self._own.imports:
            if one.is_certain and (way := self._way(self._own, one, [self._own.path], seen)):
                return one.offset, " → ".join(os.path.basename(path) for path in way)
        return None

    def _way(self, module: Module, one: Imported, passed: list[str], seen: set[str]) -> list[str]:
        """Return the way on from an import statement, back to the file, if Python could not go it either."""
        path = self._graph.resolver.find(module.path, one.module) if one.names else None
        if path is None or path in seen or len(passed) > LONGEST_WAY:
            return []
        found = self._own if path == self._own.path else self._graph.module(path)
        if found is None:
            return []
        made = [span for name, _ in one.names for span in found.names.get(name.encode(), [])]
        if not made:
            return []
        first = min(start for start, _ in made)
        if path == self._own.path:
            back = self._own_import(passed[1]) if len(passed) > 1 else None
            return [*passed, path] if back is not None and back < first else []
        seen.add(path)
        for further in found.imports:
            before = further.is_certain and further.offset < first
            if before and (way := self._way(found, further, [*passed, path], seen)):
                return way
        return []

    def _own_import(self, path: str) -> int | None:
        """Return where the file imports a module first."""
        offsets = (
            one.offset
            for one in self._own.imports
            if self._graph.resolver.find(self._own.path, one.module) == path
        )
        return min(offsets, default=None)
