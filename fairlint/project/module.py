"""What the names of one module have to do with protected attributes, models and rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING

from fairlint.project.module_index import ALL, ROWS, ModuleFacts
from fairlint.search.name_uses import within
from fairlint.syntax.outline import Imported, Spans

if TYPE_CHECKING:
    from fairlint.project.module_graph import ModuleGraph

LONGEST_WAY = 6
"""Modules that hand a name on to each other."""
FARTHEST = 2
"""Names that stand between one that is imported and one that tells something."""
FARTHEST_OF_FUNCTIONS = 1
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

    def forget_others(self) -> None:
        """Forget the modules that it imports: those that import each other would stay otherwise."""
        self.targets.clear()
        self.leads_to.clear()
        self.__dict__.pop("_bound_modules", None)

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
        """Return whether what is called `name` here may have to do with a protected attribute.

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
        """Return whether the methods of a class give its fields lists with quoted hits: `self.columns =
        ["age"]`.
        """
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
        """Return whether these stretches do more with a class than to make one or to name it as a type."""
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
        """Return whether a name may come from a module that tells something: most do not, and are let be."""
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
        """Return whether this file asks a model by what another module calls so: what that got of a library
        of models, what hands its rows to one or makes them, or a record that is a row.
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
        """Return whether this file and what another one has under a name may put a prompt together.

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
        """Return whether a top-level name is what a library of models gives: `risk = joblib.load(path)`."""
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
        """Return whether a class lists a field that may be protected, or names, `far` steps away, one that
        does.
        """
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
        """Return whether a function or class, or what it calls, hands something to a model or makes a row of
        it.
        """
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
        """Return the top-level names, imported ones included, that make a name what it is."""
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
        """Return the top-level names that the methods of a class use which makes rows or asks a model."""
        span = self._methods.get(name) if self.kind(name) == b"class" and self.makes_rows(name) else None
        words = () if span is None else self.facts.words((span,))
        return frozenset(word for word in words if word in self.names or word in self.imported)

    @cached_property
    def _bound_modules(self) -> Mapping[bytes, Module]:
        """The modules that its imports bind as such: `import config`, `from package import config`."""
        found: dict[bytes, Module] = {}
        for one in self.imports:
            if not one.names and (module := self._graph.module_at(self, one.module)) is not None:
                found[one.bound.encode()] = module
            for name, alias in one.names:
                if (module := self._graph.module_below(self, one.module, name)) is not None:
                    found[alias.encode()] = module
        return found

    def _may_import(self, name: bytes) -> bool:
        """Return whether one of its imports may bind a name."""
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
