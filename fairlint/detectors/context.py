"""What the detectors share about an executed file: its names, and the belief that a site is about people."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import islice

from fairlint.config import Settings
from fairlint.detectors.handed_records import handed_records
from fairlint.findings.levels import NOTE_WEIGHT
from fairlint.semantics.execution import Execution
from fairlint.semantics.groups.group_terms import GroupTerms, Steps
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.timeline import Timeline
from fairlint.semantics.names.qualified_names import package_of
from fairlint.semantics.names.scopes import type_name
from fairlint.semantics.tables.libraries import may_be, tables_behind
from fairlint.semantics.values.events import Guard, guards_of
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Opaque, Operation, Protected, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Function, Node, Span
from fairlint.vocabulary.model import Attribute, Evidence, Mention, Surroundings

TYPE_CHECKING = False  # importing typing at run time takes long
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from fairlint.analyses.assumptions.attribute_reads import Reader
    from fairlint.detectors.detector import ObserveSite
    from fairlint.detectors.file_index import FileText
    from fairlint.findings.uses import Use
    from fairlint.semantics.names.library import Found

    Told = TypeVar("Told")

MAX_SIBLINGS = 80
MAX_TEXTS = 12
"""Texts of a function that count as prose about it."""
TELLS_NOTHING = frozenset({"click"})
"""Modules whose names are words of a world (user interfaces), and that all worlds import."""
LEAST_STEPS = 10_000
"""Steps to compare groups, however low `file-steps` is set."""
LEAST_TEXT_STEPS = 1_000
"""Steps to read texts, however low."""
COMPARED_STEPS, TEXT_STEPS = 2, 2
"""Steps to compare groups, and to read texts, for each one of `file-steps`: a statement takes longer."""
SPEAKS_AGAINST = -2
MOST_COMPARED = 100
"""Parts of a test among which what an attribute is compared with is looked for."""
MOST_TO_COME = 6
"""The most that group values and the effect can add to the evidence of a name and its surroundings."""


class Neighbourhood(Record, frozen=False):
    """What stands in one function: names, prose, and the class around it."""

    siblings: tuple[str, ...]
    members: tuple[str, ...]
    """Of the siblings, those that are fields of the class around, and that the function does not name."""
    prose: str
    fields: Mapping[str, tuple[str, ...]]
    """What is read of each object, by its path."""


class Context:
    """One executed file, as detectors see it: what happens in it, and what stands around a use."""

    def __init__(
        self, execution: Execution, settings: Settings | None = None, *, uses_only: bool = False
    ) -> None:
        self.execution = execution
        self.settings = settings or Settings()
        self.uses_only = uses_only
        """Whether no rule judges the Uses, so that nobody asks for their contexts."""
        self.source = execution.source
        self.vocabulary = execution.vocabulary
        self.definitions = execution.definitions
        self.events = execution.events
        self.facts = execution.facts
        self.dependence = execution.dependence
        self.functions = execution.functions
        self.body = execution.body
        self.conventions = execution.definitions.conventions
        self._neighbourhoods: dict[str, Neighbourhood] = {}
        self._surroundings: dict[tuple[str, str, str, str], Surroundings] = {}
        self._bare: dict[str, Function | None] = {}
        """Functions that are asked for by their own name alone."""
        self._written: FileText | None = None
        self._found: dict[object, Any] = {}
        self._guards: dict[Site, list[Guard]] = {}
        self.most_steps = max(LEAST_STEPS, self.settings.file_steps * COMPARED_STEPS)
        """Values and tests that may be evaluated to compare groups, all places together."""
        self.steps = Steps(self.most_steps)
        self.most_text_steps = max(LEAST_TEXT_STEPS, self.settings.file_steps * TEXT_STEPS)
        self._text_steps = self.most_text_steps
        self.namings: dict[Site, GroupTerms] = {}
        self.accounts: dict[tuple[ObserveSite, Site], Use | None] = {}

    @cached_property
    def timeline(self) -> Timeline:
        """The events by function, loop and target."""
        return Timeline(self.events)

    @cached_property
    def reader(self) -> Reader:
        """Which attributes, groups and numbers the expressions of the file are."""
        from fairlint.analyses.assumptions.attribute_reads import Reader  # noqa: PLC0415 (few files come to it)

        return Reader(self.execution)

    def may_read(self, node: Node, steps: int) -> bool:
        """Count steps for reading a text of the file at `node`, as SQL or as a prompt; False where those of
        the file are spent, which the report says once.
        """
        had, self._text_steps = self._text_steps, self._text_steps - steps
        if had >= 0 > self._text_steps:
            taken = f"{self.most_text_steps:,} steps (from the setting file-steps)"
            self.facts.cut(node, f"to read the texts of this file takes more than {taken}: not all were")
        return self._text_steps >= 0

    def once(self, find: Callable[[str, Context], Told], function: str) -> Told:
        """Return what `find` says about a function, which it is asked once."""
        key = (find, function)
        if key not in self._found:
            self._found[key] = find(function, self)
        found: Told = self._found[key]
        return found

    def once_of(
        self, find: Callable[[Site, GroupTerms, Context], Told], site: Site, naming: GroupTerms
    ) -> Told:
        """Return what `find` says about a site, which it is asked once."""
        key = (find, site)
        if key not in self._found:
            self._found[key] = find(site, naming, self)
        found: Told = self._found[key]
        return found

    def once_at(self, find: Callable[[Site, Context], Told], site: Site) -> Told:
        """As `once_of`, for what needs no naming."""
        key = (find, site)
        if key not in self._found:
            self._found[key] = find(site, self)
        found: Told = self._found[key]
        return found

    def guards(self, site: Site) -> list[Guard]:
        """Return the conditions on the ways to the events of a site, each once."""
        known = self._guards.get(site)
        if known is None:
            known = self._guards[site] = guards_of(site.events)
            self.steps.spend(len(known))  # many sites may stand behind the same
        return known

    @property
    def written(self) -> FileText:
        """The texts and names of the file."""
        if self._written is None:
            from fairlint.detectors.file_index import FileText  # noqa: PLC0415 (it needs a Context)

            self._written = FileText(self)
        return self._written

    # -------------------------------------------------------------------------------------------- libraries

    def known(self, node: Node) -> Found | None:
        """Return what the model of a library says of a call that was met."""
        found = self.execution.program.found.get(id(node))
        return None if found is None else found[1]

    def does(self, node: Node) -> tuple[str, ...]:
        """Return what a call does, in the words of `library.DOES`; empty where nothing is known of it."""
        found = self.known(node)
        return () if found is None else found.entry.does

    def may_be(self, call: tree.Call) -> tuple[Found, ...]:
        """Return what a call may be; where nothing says whose it is, all that its bare name says."""
        return may_be(call, self._qualified_callee(call), self.execution.program)

    def may(self, call: tree.Call, *does: str) -> bool:
        """Return whether a call may do one of some things, by its bare name at worst."""
        return any(not set(does).isdisjoint(found.entry.does) for found in self.may_be(call))

    def is_of_library(self, call: tree.Call) -> bool:
        """Return whether a call is known to be one of a library that has a model."""
        package = package_of(self._qualified_callee(call))
        return bool(package) and self.execution.program.models.library(package) is not None

    def _qualified_callee(self, call: tree.Call) -> str:
        made = self.facts.calls_at(call)
        return made[-1].qualified if made else ""

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """The packages that the file imports."""
        return tuple(dict.fromkeys(module.partition(".")[0] for module in self.definitions.imports))

    def audits(self, *packages: str) -> bool:
        """Return whether one of some packages measures what is done to groups."""
        return self._are_about("audits", packages)

    def draws(self, call: tree.Call) -> bool:
        """Return whether a call is one of a library of charts."""
        return self._are_about("charts", (package_of(self._qualified_callee(call)),))

    def _are_about(self, what: str, packages: Iterable[str]) -> bool:
        found = map(self.execution.program.models.library, packages)
        return any(library is not None and what in library.about for library in found)

    # -------------------------------------------------------------------------------------------- naming

    def attribute(self, name: str) -> Attribute:
        """Return the attribute, with the user's bands."""
        attribute = self.vocabulary.attribute(name)
        bands = self.settings.age_bands if name == "age" else {}
        return replace(attribute, bands=dict(bands), core_groups=tuple(bands)) if bands else attribute

    def lawful_limits(self, attribute: str, around: Surroundings) -> frozenset[float]:
        """Return the limits of an attribute that the law sets there, or the user's in their place."""
        own = self.settings.lawful_ages if attribute == "age" else None
        around = replace(around, prose="") if self.settings.untrusted else around
        return frozenset(self.vocabulary.lawful_limits(attribute, around) if own is None else own)

    # -------------------------------------------------------------------------------------------- belief

    def function_of(self, site: Site) -> str:
        """Return the qualified name of the function that the site's first event stands in."""
        return site.events[0].function if site.events else ""

    def neighbourhood(self, function: str) -> Neighbourhood:
        """Return the names and the prose of a function; of the module's own statements for the empty name."""
        found = self._neighbourhoods.get(function)
        if found is None:
            found = self._neighbourhoods[function] = self._look_around(function)
        return found

    def function_named(self, name: str) -> Function | None:
        """Return the function of a qualified name; a bare one stands for the only method or inner function of
        it.
        """
        if name in self.functions or not name or "." in name:
            return self.functions.get(name)
        if name not in self._bare:
            same = [one for key, one in self.functions.items() if key.rpartition(".")[2] == name]
            self._bare[name] = same[0] if len(same) == 1 else None
        return self._bare[name]

    def nodes_of(self, function: str) -> Sequence[Node]:
        """Return all nodes in the body of a function, as `tree.walk` gives them; none where there is no such
        function.
        """
        return self.once(_nodes_of_body, function)

    def _look_around(self, function: str) -> Neighbourhood:
        node = self.function_named(function)
        names: dict[str, None] = {}
        fields: dict[str, dict[str, None]] = {}
        texts: list[str] = []
        members: tuple[str, ...] = ()
        prose = ""
        if node is not None:
            prose = node.docstring
            for parameter in node.parameters:
                names.setdefault(parameter.name)
            nodes: tuple[Node, ...] = node.body
            owner = function.rpartition(".")[0]
            members = tuple(name for name in self.definitions.fields.get(owner, {}) if name not in names)
            names.update(dict.fromkeys(members))
            if (type_ := self.definitions.types.get(owner)) is not None:
                prose = f"{prose}\n{type_.docstring}"
        else:
            nodes = tuple(part for part in self.body if not isinstance(part, Function | tree.Type))
        own: set[str] = set()
        for statement in nodes:
            for part in tree.walk(statement):
                found = dict.fromkeys(_names_in(part))
                names.update(found)
                own.update(found)
                if found and (owner := _owner_path(part)):
                    fields.setdefault(owner, {}).update(found)
                if len(texts) < MAX_TEXTS and (text := _text_of(part)) is not None and _is_telling(text):
                    texts.append(text)
            if len(names) > MAX_SIBLINGS:
                break
        for name in self.definitions.imported:  # a library's words say nothing about whose data this is
            names.pop(name, None)
        kept = {path: tuple(found)[:MAX_SIBLINGS] for path, found in fields.items()}
        members = tuple(name for name in members if name not in own)
        prose = "\n".join((prose, *texts))
        return Neighbourhood(tuple(names)[:MAX_SIBLINGS], members, prose, kept)

    def surroundings(self, read: Protected, function: str, values: tuple[str, ...]) -> Surroundings:
        """Return what stands around one read."""
        return self.around(read.mention, function, values, receiver=read.receiver, type_=read.type)

    def around(
        self,
        mention: Mention,
        function: str,
        values: tuple[str, ...] = (),
        *,
        receiver: str = "",
        type_: str = "",
    ) -> Surroundings:
        """Return what stands around one mention in a function (qualified name; empty for the module
        itself).
        """
        told = self._standing_around(mention.identifier, function, receiver, type_)
        told = replace(told, values=values) if values else told
        if self.settings.untrusted:  # what is only said may speak for a person, and not against one
            bare = replace(told, prose="", path="")
            return max(told, bare, key=lambda one: self._mention_weight(mention, one))
        return told

    def _standing_around(self, identifier: str, function: str, receiver: str, type_: str) -> Surroundings:
        """Return what stands around a name, whatever it is compared with; found once for the many reads of
        one name.
        """
        key = (identifier, function, receiver, type_)
        known = self._surroundings.get(key)
        if known is None:
            known = self._surroundings[key] = self._find_around(*key)
        return known

    def _find_around(self, identifier: str, function: str, receiver: str, type_: str) -> Surroundings:
        around = self.neighbourhood(function)
        siblings = around.siblings
        struct = self.definitions.fields.get(type_name(type_), {})
        siblings = tuple(dict.fromkeys((*(name for name in siblings if name != identifier), *struct)))
        class_ = "" if receiver else function.rpartition(".")[0]
        own = self.definitions.fields_of(class_) if class_ in self.definitions.types else ()
        return Surroundings(
            receiver=receiver,
            receiver_type=type_,
            function=function,
            siblings=siblings,
            members=around.members,
            fields=tuple(dict.fromkeys((*around.fields.get(receiver, ()), *struct, class_, *own))),
            prose=around.prose,
            path=self.source.path,
            imports=self._telling_imports,
            passed=bool(receiver) and receiver in self.once(handed_records, function),
        )

    def _mention_weight(self, mention: Mention, around: Surroundings) -> int:
        return sum(item.weight for item in self.vocabulary.weigh(mention, around))

    @cached_property
    def _telling_imports(self) -> tuple[str, ...]:
        """What the file imports and what says something; what works with tables may stand in another file."""
        own = [name for name in self.definitions.imports if name.partition(".")[0] not in TELLS_NOTHING]
        return (*own, *tables_behind(self.execution.program))

    def is_person(self, receiver: str, mention: Mention, *, surely: bool = False) -> bool:
        """Return whether what something is read from is a person or a record of one; `surely`, no mere
        record.
        """
        return self._weight_of_surroundings(mention, Surroundings(receiver=receiver)) > (1 if surely else 0)

    def _weight_of_surroundings(self, mention: Mention, around: Surroundings) -> int:
        """Return what some surroundings speak for a person, besides the name itself."""
        return self._mention_weight(mention, around) - self._mention_weight(mention, Surroundings())

    def believe(self, site: Site, values: tuple[str, ...]) -> tuple[Evidence, ...]:
        """Return the evidence that the site is about a person: that of its best-supported read."""
        function = self.function_of(site)
        best: tuple[Evidence, ...] = ()
        limits = _limit_names(site.test)
        weighed: dict[tuple[Mention, str, str, str], tuple[Evidence, ...]] = {}
        """What was found for reads that differ by their place alone."""
        for read in list(site.reads.values())[:4]:
            for place in dict.fromkeys((function, self._enclosing_function(read, function))):
                key = (read.mention, read.receiver, read.type, place)
                evidence = weighed.get(key)
                if evidence is None:
                    around = self.surroundings(read, place, values)
                    around = replace(around, limits=limits) if limits else around
                    evidence = weighed[key] = self.vocabulary.weigh(read.mention, around)
                if not best or sum(item.weight for item in evidence) > sum(item.weight for item in best):
                    best = evidence
                if sum(min(item.weight, 0) for item in evidence) <= SPEAKS_AGAINST:
                    break  # what speaks so loud against a person is not outvoted elsewhere
        return best

    def _enclosing_function(self, read: Protected, function: str) -> str:
        """Return where a read stands that another function's events depend on, as a lambda in a table of
        rules.
        """
        known = self.function_named(function)
        span = read.node.span
        if known is None or (known.span.start <= span.start and span.end <= known.span.end):
            return function
        return self.function_at(span)

    def credible(self, site: Site) -> bool:
        """Return whether the site could be about a person, whatever groups the code names there."""
        return sum(item.weight for item in self.believe(site, ())) + MOST_TO_COME >= NOTE_WEIGHT

    def domain(self, site: Site) -> str:
        """hiring, credit, ... where the words around the site say so."""
        read = next(iter(site.reads.values()))
        return self.vocabulary.domain_of(self.surroundings(read, self.function_of(site), ()))

    def function_at(self, span: Span) -> str:
        """Return the qualified name of the innermost function around a span, empty for the module itself."""
        return self._function_places.around(span)

    @cached_property
    def _function_places(self) -> _Places:
        return _Places(self.functions)


def _nodes_of_body(function: str, context: Context) -> Sequence[Node]:
    node = context.function_named(function)
    return [part for statement in node.body for part in tree.walk(statement)] if node is not None else ()


def _limit_names(test: Value) -> tuple[str, ...]:
    """Return the names of what an attribute is compared with: `ttl` of `age > ttl`."""
    found: dict[str, None] = {}
    for part in islice(walk(test), MOST_COMPARED):
        if isinstance(part, Operation) and any(isinstance(one, Protected) for one in part.arguments):
            found.update((one.key, None) for one in part.arguments if isinstance(one, Opaque))
            labels = (one.label for one in part.arguments if isinstance(one, Const))
            found.update((label, None) for label in labels if label)
    return tuple(found)


class _Places:
    """Where functions stand, to find the one around a place."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        named = sorted(functions.items(), key=lambda item: (item[1].span.start, -item[1].span.end))
        self._names = [name for name, _ in named]
        self._spans = [function.span for _, function in named]
        self._starts = [span.start for span in self._spans]
        self._outer: list[int] = []
        """For each function the place of the one around it, or -1."""
        open_: list[int] = []
        for place, span in enumerate(self._spans):
            while open_ and self._spans[open_[-1]].end < span.end:
                open_.pop()
            self._outer.append(open_[-1] if open_ else -1)
            open_.append(place)

    def around(self, span: Span) -> str:
        """Return the name of the innermost function around a span, or nothing."""
        place = bisect_right(self._starts, span.start) - 1
        while place >= 0 and self._spans[place].end < span.end:
            place = self._outer[place]
        return self._names[place] if place >= 0 else ""


def _text_of(node: Node | None) -> str | None:
    return node.value if isinstance(node, tree.Literal) and isinstance(node.value, str) else None


def _names_in(part: Node) -> Iterable[str]:
    """Return what a part of the code names: a variable, a field, keys, columns that are listed."""
    match part:
        case tree.Field(name=name) | tree.Name(id=name):
            return (name,)
        case tree.Index(index=key) | tree.Call(function=tree.Field(name="get"), arguments=(key, *_)):
            listed: Iterable[Node | None] = (key,)
        case tree.Collection(kind=kind, items=items):
            listed = (item.key if kind == "dict" else item.value for item in items)
        case _:
            return ()
    return [text for one in listed if (text := _text_of(one)) is not None]


def _owner_path(part: Node) -> str:
    """Return the path of what a part of the code reads a field or an entry of."""
    match part:
        case tree.Field(value=value) | tree.Index(value=value):
            return path_of(value) or ""
        case tree.Call(function=tree.Field(name="get", value=value)):
            return path_of(value) or ""
        case _:
            return ""


def _is_telling(text: str) -> bool:
    """Return whether a text constant may say what the code is about: a sentence, a prompt, a file's name."""
    return len(text) <= 100 and (
        " " in text.strip() or text.endswith((".csv", ".json", ".xlsx", ".parquet", ".tsv"))
    )
