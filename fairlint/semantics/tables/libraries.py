"""Which libraries a file works with, and what is known of a call in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial

from fairlint.semantics.interpreter.file_state import FileState
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names import qualified_names
from fairlint.semantics.names.library import EVERYWHERE, FIELD, IN_TABLES, Entry, Found, Library, Named
from fairlint.semantics.values.paths import dotted_name
from fairlint.semantics.values.symbolic import Columns, Filtered, Opaque, Sorted, Value
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

_SIGNS = (b"pd.", b"np.", b".predict")
"""One of these stands wherever `_usual_pattern` matches, and is found in a fraction of the time."""
TABLES = "tables"
AUDITS = "audits"
NUMBERS = "numbers"
_OF_NUMBERS = frozenset(
    {
        "keeps", "compares", "joins", "negates", "computes", "extreme", "chooses", "rises", "sums",
        "asks of all", "picks", "parses", "nothing",
    }
)  # fmt: skip
"""What functions of numbers do, whose bare names (`add`, `select`) may be anybody's."""
LANGUAGE = "language"
PROMPTS = "prompts"
lexicon = partial(word_lists, "learning")
"""The words of `vocabulary/words/learning.toml`."""


def packages(program: FileState) -> Iterator[str]:
    """Yield the packages that a file imports, be it in a function; those of the file itself come first."""
    for module in program.definitions.imports:
        yield module.lstrip(".").partition(".")[0]
    if program.conventions.imported_later is not None:
        for found in re.finditer(program.conventions.imported_later, b"\n" + program.source.data):
            yield found[1].decode()
    held = (program.globals.get(name) for name in program.linked)
    for value in (*held, *program.modules.values()):  # `from store import risk_model`
        if type(value) is Opaque and value.type:
            yield qualified_names.package_of(value.type)


def about(program: FileState) -> frozenset[str]:
    """Return what the libraries of a file are about: tables, models, audits."""
    if program.about is None:
        found: set[str] = set()
        for library in imported_libraries(program):
            found |= library.about
        if TABLES not in found and _is_piece_of_one(program):
            found.add(TABLES)
        program.about = frozenset(found)
    return program.about


def tables_behind(program: FileState) -> tuple[str, ...]:
    """Return the libraries of tables that only the files import which are followed from this one."""
    own = {*packages(program)}
    names = (module.partition(".")[0] for module in program.behind)
    return tuple([name for name in dict.fromkeys(names) if name not in own and _is_of_tables(name, program)])


def _is_of_tables(package: str, program: FileState) -> bool:
    library = program.models.library(package)
    return library is not None and TABLES in library.about


@cache
def _usual_pattern() -> re.Pattern[bytes]:
    """Return what stands for a library of tables where nothing imports it: a piece of a program, or one that
    is handed a model.
    """
    return re.compile(
        rb"(?<![\w.])(?:(?P<alias>pd|np)\.\w|(?:model|clf|classifier|regressor|estimator)\.predict(?:_proba)?\()"
    )


def _is_piece_of_one(program: FileState) -> bool:
    if not any(sign in program.source.data for sign in _SIGNS):
        return False
    aliases = (found["alias"] for found in _usual_pattern().finditer(program.source.data))
    return any(alias is None or alias.decode() not in program.definitions.imported for alias in aliases)


def imported_libraries(program: FileState) -> tuple[Library, ...]:
    """Return the known libraries that a file imports."""
    if program.imported is None:
        found = (program.models.library(package) for package in dict.fromkeys(packages(program)))
        program.imported = tuple(library for library in found if library is not None)
    return program.imported


def is_imported(library: Library, program: FileState) -> bool:
    """Return whether a file imports a library, or one that has all of its names."""
    return any(library in program.models.with_alike(one) for one in imported_libraries(program))


def has_tables(frame: Frame) -> bool:
    """Return whether a file works with tables or models: elsewhere nothing is taken for one."""
    return TABLES in about(frame.program)


def in_reach(program: FileState) -> tuple[Library, ...]:
    """Return the libraries whose bare names may be meant: those imported, and those that are common."""
    if program.in_reach is None:
        found: dict[str, Library] = {}
        for library in imported_libraries(program):
            for one in program.models.with_alike(library):
                found.setdefault(one.name, one)
        for library in program.models.common(program.conventions.libraries):
            if library.common != IN_TABLES or TABLES in about(program):
                found.setdefault(library.name, library)
        program.in_reach = tuple(found.values())
    return program.in_reach


_OF_TEXTS = "builtins.str."
_CALLED = lazy_expression(rb"\b([A-Za-z]\w*)\s*\(")
"""The bare name of whatever is called or defined."""


def call_entries(node: tree.Call, base: Value | None, frame: Frame) -> Iterator[Found]:
    """Yield what is known of a call; `base` is the value that a method is called on.

    A name that is resolved is looked up. One that is not is looked for among the names of the libraries in
    reach: what is found is known by its name alone, and may be of any of them, the imported ones first. The
    methods of a table are those of a table.
    """
    program = frame.program
    called = qualified_names.qualified_name(node.function, frame)
    if not called and isinstance(node.function, tree.Name):
        called = qualified_names.star_import_name(
            node.function.id, frame
        ) or qualified_names.instance_call_name(node.function, frame)
    elif not called:  # `self.loss(said, groups)`
        called = qualified_names.instance_call_name(node.function, frame)
    name = getattr(node.function, "name", "") or getattr(node.function, "id", "")
    if called:
        every = list(program.models.find_all(called))
        yield from every[:1]
        if every or not called.startswith(_OF_TEXTS):
            yield from (found for found in every[1:] if not found.entry.does)
            if base is not None:
                yield from _of_language(name, program)
            return  # a text has no such method: it is one that a library has wrapped
    if isinstance(node.function, tree.Field):
        methods = _matching_entries(_of_bare_name(name, True, program), node)
        if methods:
            by_name = not (has_tables(frame) and _is_of_table(node.function.value, base, frame))
            yield from (Found(entry, library, by_name) for entry, library in methods)
        if methods or not _is_of_import(node.function, program):
            return
    for entry, library in _of_bare_name(name, False, program):
        yield Found(entry, library, by_name=not program.conventions.libraries)


def _of_language(name: str, program: FileState) -> Iterator[Found]:
    """Yield what a method gives of whatever acts as a text, a list or a dict, be it of any package."""
    for library in program.models.common(program.conventions.libraries):
        if LANGUAGE in library.about:
            yield from (Found(entry, library) for entry in library.methods(name) if not entry.does)


def texts_do(name: str, program: FileState) -> frozenset[str]:
    """Return what a method of the language's own texts does, in the words of `library.DOES`."""
    of_language = (
        one for one in program.models.common(program.conventions.libraries) if LANGUAGE in one.about
    )
    entries = (entry for library in of_language for entry in library.methods(name))
    return frozenset([word for entry in entries for word in entry.does])


def _of_bare_name(name: str, is_method: bool, program: FileState, *, anywhere: bool = False) -> Named:
    """Return what the libraries in reach, or all common ones, call so; of functions, the most
    common first.
    """
    key = (name, is_method, anywhere)
    found = program.of_bare_name.get(key)
    if found is None:
        several = _common_libraries(program) if anywhere else in_reach(program)
        libraries = [library for library in several if name in library.entries]
        if not is_method:
            libraries.sort(key=lambda one: one.common != EVERYWHERE)
        named = [(one, library) for library in libraries for one in _named_entries(library, name, is_method)]
        named.sort(key=lambda one: not one[0].does)  # what says nothing to others comes last
        found = program.of_bare_name[key] = tuple(
            _distinct_entries(
                (entry, library) for entry, library in named if is_method or not _is_anybodys(entry, library)
            )
        )
    return found


def _matching_entries(named: Named, node: tree.Call) -> Named:
    """Of what libraries call so, what a call may be by what it is written on, as `client.messages.create`, or
    by a keyword.
    """
    if all(not _written_on(entry) for entry, _ in named):
        return named
    assert isinstance(node.function, tree.Field)
    words = set(split_words(dotted_name(node.function.value)))
    keys = {key for key, _ in node.keywords}
    return tuple(
        (entry, library)
        for entry, library in named
        if not (on := _written_on(entry))
        or on in words
        or not keys.isdisjoint((*entry.places("keywords"), *entry.places("argument")))
    )


def _written_on(entry: Entry) -> str:
    """Return the word that a method of one type has to be called on where nothing says of which it is."""
    owner = entry.name.split(".")[-2] if entry.is_method else "*"
    return "" if owner == "*" else split_words(owner)[-1]


def _distinct_entries(named: Iterable[tuple[Entry, Library]]) -> Iterator[tuple[Entry, Library]]:
    """Of entries that say the same, the first: forty libraries teach a model by `fit`."""
    seen: list[tuple[Entry, Library]] = []
    for entry, library in named:
        if not any(
            entry.does == other.does
            and entry.given == other.given
            and _written_on(entry) == _written_on(other)
            and (library.function is None or library is where)
            for other, where in seen
        ):
            seen.append((entry, library))
            yield entry, library


def _is_anybodys(entry: Entry, library: Library) -> bool:
    """Return whether a function's bare name may be one of many: `add`, `select`."""
    return NUMBERS in library.about and _OF_NUMBERS.issuperset(entry.does)


def _is_of_table(receiver: tree.Node, base: Value | None, frame: Frame) -> bool:
    """Return whether something is a table, or a column of one: `people["race"].str`."""
    while not isinstance(base, Columns | Filtered | Sorted):
        match receiver:
            case tree.Call(function=tree.Field(value=inner)) | tree.Field(value=inner):
                receiver = inner
            case tree.Index(value=inner):
                receiver = inner
            case _:
                return False
        known = frame.variables.last_value_of(receiver)
        base = frame.evaluate(receiver) if known is None else known
    return True


def may_be(node: tree.Call, qualified: str, program: FileState) -> tuple[Found, ...]:
    """Return what a call may be: what the model of its library knows, else all that its bare name says
    anywhere.
    """
    sure = _certain_entries(node, qualified, program)
    if sure is not None:
        return sure
    several = _matching_entries(_of_bare_name(*_callee_name(node), program, anywhere=True), node)
    return tuple([Found(entry, library, by_name=True) for entry, library in several])


def may_do(node: tree.Call, qualified: str, program: FileState) -> frozenset[str]:
    """Return what a call may do, in the words of `library.DOES`."""
    sure = _certain_entries(node, qualified, program)
    if sure is not None:
        return frozenset([word for found in sure for word in found.entry.does])
    key = _callee_name(node)
    deeds = program.deeds_of_name.get(key)
    if deeds is None:
        several = _of_bare_name(*key, program, anywhere=True)
        fitting = _matching_entries(several, node)
        deeds = frozenset([word for entry, _ in fitting for word in entry.does])
        if len(fitting) == len(several):
            program.deeds_of_name[key] = deeds
    return deeds


def class_does(written: tree.Node, program: FileState) -> frozenset[str]:
    """Return what a class, or a function that the level of a class calls, does by what it is called there."""
    top = Frame(program, "", program.globals, [])
    return may_do(tree.Call(written.span, written, ()), qualified_names.qualified_name(written, top), program)


def _certain_entries(node: tree.Call, qualified: str, program: FileState) -> tuple[Found, ...] | None:
    """Return what the model of its library knows of a call; None where its bare name has to say it."""
    met = program.found.get(id(node))
    if qualified and not qualified.startswith(_OF_TEXTS):
        found = program.models.find(qualified) if met is None else met[1]
        return () if found is None else (found,)
    if met is not None and isinstance(node.function, tree.Name) and not met[1].by_name:
        return (met[1],)
    return None


def _callee_name(node: tree.Call) -> tuple[str, bool]:
    """Return the bare name of what is called, and whether it is a method's."""
    name = getattr(node.function, "name", "") or getattr(node.function, "id", "")
    return name, isinstance(node.function, tree.Field)


def _common_libraries(program: FileState) -> tuple[Library, ...]:
    """Return the libraries of which something may be whose bare name alone is known."""
    if program.anywhere is None:
        common = program.models.common(program.conventions.libraries)
        program.anywhere = tuple(dict.fromkeys((*in_reach(program), *common)))
    return program.anywhere


def field_gives(name: str, program: FileState) -> frozenset[str]:
    """Return what a field of this name gives, in the words of `library.DOES`."""
    found = program.of_fields.get(name)
    if found is None:
        common = program.models.field_gives(name, program.conventions.libraries)
        others = in_reach(program) if imported_libraries(program) else ()  # else only common ones
        entries = (entry for library in others for entry in library.fields(name))
        found = program.of_fields[name] = common.union([word for entry in entries for word in entry.does])
    return found


def names_that(does: str, program: FileState) -> frozenset[str]:
    """Return the bare names of functions, methods and fields in reach that do something."""
    return frozenset(
        name.removeprefix(FIELD)
        for library in _common_libraries(program)
        for name, entries in library.entries.items()
        if any(does in entry.does for _, entry in entries)
    )


def may_call(does: str, program: FileState) -> bool:
    """Return whether a file calls what does something by its bare name, be it in a function not followed."""
    names = names_that(does, program)
    return any(name.decode() in names for name in _CALLED.findall(program.source.data))


def owners_of_field(name: str, does: str, program: FileState) -> frozenset[str]:
    """Return the words that fields of this name have to be written on to do this: `request` for `form`."""
    fields = (entry for library in _common_libraries(program) for entry in library.fields(name))
    return frozenset([_written_on(entry) for entry in fields if does in entry.does])


def _is_of_import(function: tree.Field, program: FileState) -> bool:
    """Return whether a function is called by the module of the project that it may be in: `ours.ols(...)`."""
    return isinstance(function.value, tree.Name) and function.value.id in program.definitions.imported


def _named_entries(library: Library, name: str, is_method: bool) -> Iterator[Entry]:
    """Yield the entries of this bare name: all of one type, and one of any class."""
    found = list(library.methods(name) if is_method else library.functions(name))
    yield from (entry for entry in found if _written_on(entry))
    of_any = (entry for entry in found if not _written_on(entry))
    if (entry := min(of_any, key=lambda one: one.name.count("."), default=None)) is not None:
        yield entry


def is_of_numbers(called: str, program: FileState) -> bool:
    """Return whether a function is one of numbers, which decides nothing about anybody."""
    library = program.models.library(called.partition(".")[0]) if called else None
    return library is not None and NUMBERS in library.about
