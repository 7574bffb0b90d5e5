"""Executes everything in one file symbolically and keeps what came of it: the facts that detectors read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.groups.site_search import find_sites
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.interpreter import expressions, reads
from fairlint.semantics.interpreter.assignments import execute_assign
from fairlint.semantics.interpreter.bodies import execute_body, execute_statements
from fairlint.semantics.interpreter.definitions import function_frame
from fairlint.semantics.interpreter.file_state import STEPS, Evaluator, FileState
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.inlining import apply, inline
from fairlint.semantics.interpreter.statements import HANDLERS, labels_of
from fairlint.semantics.interpreter.variables import Variables
from fairlint.semantics.names import effects, imports
from fairlint.semantics.names.call_reachability import LONGEST_KEY, Interest, names_attribute
from fairlint.semantics.names.library import Models
from fairlint.semantics.names.registering import registration_statements
from fairlint.semantics.names.scopes import WITHOUT_DEFINITIONS, Definitions, definitions
from fairlint.semantics.names.syntax_index import SyntaxIndex
from fairlint.semantics.names.window_labels import beside_fields
from fairlint.semantics.tables.libraries import has_tables, names_that
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.facts import Facts
from fairlint.semantics.values.marks import marked_name
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Opaque,
    Protected,
    Sequence,
    Table,
    TooLong,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.records import Record, field
from fairlint.syntax import tree
from fairlint.syntax.conventions import Conventions
from fairlint.syntax.source import Source
from fairlint.syntax.tree import Function, Gap, Node, Tree
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.words import split_words


class Execution(Record, frozen=False):
    """One file, executed."""

    source: Source
    vocabulary: Vocabulary
    tree: Tree
    program: FileState
    """What all walks through the file shared."""
    events: list[Event]
    """Everything that happens, in the order in which it was met."""
    sites: list[Site]
    """The places that tell groups apart, in source order."""
    functions: dict[str, Function]
    """Every function by its qualified name."""
    gaps: list[Gap] = field(default_factory=list)
    """What could not be read."""
    _syntax: SyntaxIndex | None = None

    @property
    def body(self) -> tuple[Node, ...]:
        """The statements of the file itself."""
        return self.tree.body

    @property
    def definitions(self) -> Definitions:
        """What the file defines and imports."""
        return self.program.definitions

    @property
    def dependence(self) -> Dependence:
        """Which attributes a value depends on."""
        return self.program.dependence

    @property
    def facts(self) -> Facts:
        """The calls that were evaluated, and what each expression came to."""
        return self.program.facts

    @property
    def aside(self) -> list[Event]:
        """What happens at the level of classes, and in lambdas that nothing calls."""
        return self.program.aside

    @property
    def syntax(self) -> SyntaxIndex:
        """Where the nodes of the file stand; made when they are first asked for."""
        if self._syntax is None:
            self._syntax = SyntaxIndex(self.body)
        return self._syntax

    @property
    def columns_read(self) -> Mapping[str, Mapping[str, Node]]:
        """Protected columns that the code reads, and where, by the table they are in."""
        return self.program.columns_read

    @property
    def renamed(self) -> Mapping[str, tuple[str, Node]]:
        """New names of columns, with the names they had and where they got the new ones."""
        return self.program.renamed


EVALUATOR = Evaluator(
    expressions.evaluate, inline, apply, execute_assign, expressions.bind, expressions.scope, HANDLERS
)


def execute(
    source: Source,
    parsed: Tree,
    vocabulary: Vocabulary,
    models: Models,
    steps: int = STEPS,
    *,
    everything: bool = False,
) -> Execution:
    """Execute a file: the modules it imports, its own level and that of its classes, then its functions.

    Those that have to do with no attribute are left out, unless `everything` is asked for.
    """
    found = definitions(parsed)
    knowing = Dependence(vocabulary)
    program = FileState(source, vocabulary, found, EVALUATOR, models, knowing, budget=steps, body=parsed.body)
    program.forms, program.loses_changes, program.data = parsed.forms, parsed.loses_changes, parsed.data
    events = program.events
    functions: dict[str, Function] = {}
    _register_functions(parsed.body, "", functions)
    followed = imports.bring_in(program, parsed, lambda module, its: _execute_level(module, its, []))
    for function in followed:
        functions.setdefault(function.name, function)
    _execute_level(program, parsed, events)
    known = imports.with_functions(found, followed)
    held = _visible_values(program)
    telling = _telling_names(program, held)
    loads = everything or any(one.tells for one in parsed.data)
    program.interest = Interest(known, vocabulary, telling, _parts_of_texts(held), loads=loads)
    for part in parsed.body:
        if isinstance(part, Function):
            _execute_function(program, part, "", events)
    for type_ in (*found.classes, *found.local_classes):
        for part in type_.body:
            if isinstance(part, Function):
                _execute_function(program, part, type_.name, events)
    _execute_lambdas(program)
    _execute_named_lambdas(program, events)
    sites = find_sites(events, program.dependence)
    _name_cut_texts(program)
    return Execution(
        source, vocabulary, parsed, program, events, sites, functions, _gap_of_step_limit(program, steps)
    )


def _name_cut_texts(program: FileState) -> None:
    """Say where texts were put together of which only the beginning is known."""
    made = ((event.node, event.value) for event in program.events if event.kind == "assign")
    for node, value in (*made, *program.facts.values.values()):
        if isinstance(value, TooLong) and value.key == marked_name(node):
            program.facts.cut(node, text_values.LEFT_OUT)


def _gap_of_step_limit(program: FileState, steps: int) -> list[Gap]:
    """Return where the evaluation stopped because the file takes more steps than a file may."""
    if program.stopped_at is None:
        return []
    span = program.source.first_line(program.stopped_at.span)
    reason = f"the file takes more than {steps:,} steps (the setting file-steps)"
    return [
        Gap(
            span,
            f"the analysis stopped here: {reason}",
            "limit",
        )
    ]


def _execute_level(program: FileState, parsed: Tree, events: list[Event]) -> None:
    """Execute the statements of a module itself and of its classes."""
    top = Frame(program, "", Variables(), events)
    top.calls = ()
    top.variables = program.globals
    levels: dict[int, Frame] = {}
    for part in parsed.body:
        if isinstance(part, tree.Type):  # what stands below it may read its fields
            levels[id(part)] = _class_level(program, part)
        elif isinstance(part, Function):
            execute_statements(tuple(registration_statements(part, program.definitions)), top)
        else:
            top.alive = True  # a `return` out here belongs to a function that was cut off
            execute_statements([part], top)
    program.globals.update(top.variables)
    _share_globals(program)
    own = program.definitions
    registered = [type_ for type_ in own.local_classes if own.types.get(type_.name) is type_]
    for type_ in (*own.classes, *registered):
        _class_values(program, type_, levels.get(id(type_)) or _class_level(program, type_))


def _share_globals(program: FileState) -> None:
    """Give the module's variables what functions give them: `global model; model = load()`.

    None or a number that stands there before is no constant then.
    """
    shares, own = program.conventions.shares, program.definitions
    if shares is None or shares[0] not in program.source.data:
        return
    for function in (*own.functions.values(), *own.methods.values()):
        names = [name for statement in function.body for name in _globals_of(statement, shares[1])]
        names = [name for name in names if isinstance(program.globals.get(name), Const | Opaque | None)]
        if not names:
            continue
        inner = function_frame(function, Frame(program, "", Variables(), []), "")
        execute_body(function.body, inner)
        for name in names:
            if (value := _nonconstant_value(inner.variables.get(name))) is not None:
                program.globals[name] = value
            elif name in program.globals:
                del program.globals[name]


def _globals_of(statement: Node, kind: str) -> list[str]:
    return [
        part.id
        for outer in tree.walk(statement)
        if isinstance(outer, tree.Other) and outer.kind == kind
        for part in outer.children
        if isinstance(part, tree.Name)
    ]


def _nonconstant_value(value: Value | None) -> Value | None:
    """Return what a variable holds that a function gave a value: of several, the one that is no constant."""
    ends = () if value is None else either(value)
    return next((one for one in ends if not isinstance(one, Const)), None)


def _visible_values(program: FileState) -> list[tuple[str, Value]]:
    """Return what the variables, constants and fields that functions see hold, by their bare names."""
    held = [*program.globals.items()]
    held.extend((name.rpartition(".")[2], member) for name, member in program.definitions.members.items())
    held.extend((name.rpartition(".")[2], value) for name, value in program.modules.items())
    for values in program.class_values.values():
        held.extend((program.conventions.own_name(name) or name, value) for name, value in values.items())
    return held


def _parts_of_texts(held: list[tuple[str, Value]]) -> dict[str, str]:
    """Return the short texts among what is held."""
    return {
        name: value.value
        for name, value in held
        if isinstance(value, Const) and isinstance(value.value, str) and len(value.value) <= LONGEST_KEY
    }


def _telling_names(program: FileState, held: list[tuple[str, Value]]) -> frozenset[str]:
    """Return the names of what is protected or names an attribute, and the classes that have a protected
    field.
    """
    mentions, own = program.vocabulary.mentions, program.definitions
    records = {name for name, its in own.fields.items() if any(map(mentions, its))}
    records |= {name for name in own.types if any(map(mentions, own.made_with(name)))}
    records |= {name for name in own.types.keys() - records if any(map(mentions, own.fields_of(name)))}
    telling = {name for name, value in held if program.tells(value) or program.is_made_of(value)}
    telling |= names_that("gives fields", program) if records else set()  # `vars(self)` reads them all
    if any(mentions(name) for form in program.forms for name in form.fields):
        telling |= names_that("gives form", program)
    if any(mentions(word) for text in beside_fields(program).values() for word in split_words(text)):
        telling |= names_that("gives typed", program)
    return frozenset(telling | records | set(_prepared_fields(program)))


def _prepared_fields(program: FileState) -> Iterator[str]:
    """Yield the fields that a test's preparation gives something that names an attribute: `self.person`."""
    conventions = program.conventions
    for (_, name), method in program.definitions.methods.items():
        for part in tree.walk(method) if name in conventions.prepares else ():
            if isinstance(part, tree.Assign) and names_attribute(part, program.vocabulary):
                for target in part.targets:
                    yield from filter(None, map(conventions.own_name, _access_paths(target)))


def _access_paths(node: Node) -> Iterator[str]:
    """Yield the access paths of a field and of what it is read of."""
    while isinstance(node, tree.Field | tree.Index):
        yield path_of(node) or ""
        node = node.value


def _register_functions(body: Iterable[Node], owner: str, functions: dict[str, Function]) -> None:
    """Every function by its qualified name."""
    for node in body:
        match node:
            case Function(name=name):
                qualified = f"{owner}.{name}" if owner else name
                functions.setdefault(qualified, node)
                _register_functions(node.body, qualified, functions)
            case tree.Type(name=name):
                _register_functions(node.body, name, functions)
            case _ if type(node) not in WITHOUT_DEFINITIONS:
                _register_functions(tree.children(node), owner, functions)


def _execute_function(program: FileState, function: Function, owner: str, events: list[Event]) -> None:
    outer = Frame(program, owner, Variables(), events, owner=owner)
    is_told = any(isinstance(one, tree.Call) and one.arguments for one in function.decorators)
    matters = bool(function.body) and outer.matters(function.name, ())
    if matters or is_told:
        inner = function_frame(function, outer, owner)
        inner.note(function, UNKNOWN)
    if matters:
        inner.run, inner.labels = program.next_run(), labels_of(function.body)
        program.begin(len(events))
        execute_body(function.body, inner)


def _execute_lambdas(program: FileState) -> None:
    """Evaluate the lambdas that name an attribute and that nothing calls, for what they call themselves."""
    for made, function in list(program.lambdas.values()):
        if id(made.function) in program.applied or not names_attribute(made.function, program.vocabulary):
            continue
        assert isinstance(made.function, tree.Lambda)
        frame = Frame(program, function, Variables(made.closure), program.aside, owner=made.owner)
        for parameter in made.function.parameters:
            frame.variables[parameter.name] = Opaque(parameter.name)
        expressions.evaluate(made.function.body, frame)


def _execute_named_lambdas(program: FileState, events: list[Event]) -> None:
    """Evaluate the lambdas that have the name of a score or an outcome, as functions of this name."""
    of_classes = (
        (program.conventions.own_name(name) or name, value)
        for values in program.class_values.values()
        for name, value in values.items()
    )
    for name, value in [*program.globals.items(), *of_classes]:
        if not isinstance(value, Closure) or not isinstance(made := value.function, tree.Lambda):
            continue
        if not names_attribute(made, program.vocabulary) or effects.classify_target(name) not in {
            "score",
            "outcome",
        }:
            continue
        frame = Frame(program, name, Variables(value.closure), events)
        for parameter in made.parameters:
            read = reads.read_by_identifier(parameter.name, parameter, frame)
            frame.variables[parameter.name] = read or Opaque(parameter.name)
        frame.run = program.next_run()
        frame.emit("return", tree.Return(made.body.span, made.body), frame.evaluate(made.body))


def _class_level(program: FileState, type_: tree.Type) -> Frame:
    """Execute the level of a class, which gives values to `self.x`; gives the frame it was executed in."""
    frame = Frame(program, type_.name, Variables(), program.aside, owner=type_.name)
    if type_.kind == "class":
        execute_body([part for part in type_.body if not isinstance(part, Function | tree.Type)], frame)
    own = program.conventions.own
    program.class_values[type_.name] = {
        own(name): value for name, value in frame.variables.items() if _is_lasting_value(value, program)
    }
    return frame


def _class_values(program: FileState, type_: tree.Type, frame: Frame) -> None:
    """Add what the constructor gives to `self.x`, as far as it tells groups apart or is a table."""
    level = program.class_values[type_.name]
    own_name = program.conventions.own_name
    constructor = program.definitions.methods.get((type_.name, program.conventions.constructor))
    if constructor is not None and constructor.body:
        inner = function_frame(constructor, frame, type_.name)
        inner.events = []
        execute_body(constructor.body, inner)
        level.update(
            {
                path: value
                for path, value in inner.variables.items()
                if own_name(path) and _is_lasting_value(value, program)
            }
        )
    if type_.kind == "class":
        _add_prepared_fields(program, type_, level, with_tables=has_tables(frame))


def _add_prepared_fields(
    program: FileState, type_: tree.Type, level: dict[str, Value], *, with_tables: bool
) -> None:
    """Add the tables and lists of columns that other methods than the constructor leave in `self.x`, and the
    lines that they add to a text or list of lines there.
    """
    conventions = program.conventions
    for part in type_.body:
        if not isinstance(part, Function) or part.name == conventions.constructor or not part.body:
            continue
        growing = _growing_fields(part, level)
        if not (growing or (with_tables and _sets_fields(part, conventions))):
            continue
        frame = Frame(program, type_.name, Variables(), [], owner=type_.name)
        inner = function_frame(part, frame, type_.name)
        execute_body(part.body, inner)
        for path, value in inner.variables.items():
            name = conventions.own_name(path)
            if name and isinstance(value, Columns | Sequence) and level.get(conventions.own(name)) is None:
                level[conventions.own(name)] = value
            elif path in growing and (isinstance(value, Sequence) or text_values.is_text(value)):
                level[path] = value


def _sets_fields(method: Function, conventions: Conventions) -> bool:
    """Return whether a method gives a field of its object a value."""
    return any(
        isinstance(target, tree.Field | tree.Index) and conventions.own_name(path_of(target) or "")
        for statement in method.body
        for part in tree.walk(statement)
        if isinstance(part, tree.Assign)
        for one in part.targets
        for target in tree.walk(one)
    )


def _growing_fields(method: Function, level: Mapping[str, Value]) -> set[str]:
    """Return the texts and lists of texts among the fields of an object to which a method adds something."""
    known = {
        path for path, value in level.items() if text_values.is_text(value) or text_values.is_list(value)
    }
    found: set[str] = set()
    for statement in method.body if known else ():
        for part in tree.walk(statement):
            match part:
                case tree.Call(function=tree.Field(value=target, name="append" | "extend" | "insert")):
                    found.add(path_of(target) or "")
                case tree.Assign(targets=(target,), op="+"):
                    found.add(path_of(target) or "")
                case _:
                    pass
    return found & known


def _is_lasting_value(value: Value, program: FileState) -> bool:
    """Return whether a field keeps what it got: tables, queries and constants with a name do, counters do
    not.
    """
    if text_values.is_prose(value):
        return True
    if isinstance(value, Opaque | Protected):
        return isinstance(value, Protected) or (type(value) is Opaque and bool(value.type))
    if program.dependence.on_any(value):
        return True
    if isinstance(value, Choice):  # `self.actions = ALL if thorough else FEW`
        return all(isinstance(one, Table | Sequence) for one in either(value))
    return type(value).__name__ in {"Table", "Sequence", "Closure", "Columns"} or bool(
        getattr(value, "label", "")
    )
