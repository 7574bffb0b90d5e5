"""Which file an import means, and what of that file is worth following.

Files are found on disk, not among those of the run: what is said of a file must not depend on which others
are checked with it. Everything here works on bytes; a module is read once a run, and only where some import
leads to it. Nothing is followed beyond the project's folder or into what is too large.
"""

# Path objects would take longer than the work itself.
# ruff: noqa: PTH118, PTH119, PTH120

from __future__ import annotations

import gc
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from fairlint.basis import NOTHING_SEEN, Seen
from fairlint.data_files import DataFile, candidates, places_of_loading
from fairlint.reach import Reach
from fairlint.search.name_uses import (
    WORD,
    called_around,
    calls_method_of,
    fields_of,
    has_field,
    is_asked,
    prose_in,
    uses_of,
    within,
)
from fairlint.support.digests import NOTHING, digest, digest_of_all, digest_of_names
from fairlint.support.files import names_in
from fairlint.support.records import Record, field
from fairlint.syntax.language import Language
from fairlint.syntax.outline import Imported, Spans
from fairlint.syntax.tokens import Tokens

LARGEST = 200_000
"""Bytes of a module that is followed."""
MOST_MODULES = 12
MOST_BYTES = 400_000
"""Of all modules that are followed from one file."""
MOST_FOLDERS = 12
"""Folders above a file in which a package is looked for."""
LONGEST_WAY = 6
"""Modules that hand a name on to each other."""
FARTHEST = 2
"""Names that stand between one that is imported and one that tells something."""
FARTHEST_OF_FUNCTIONS = 1
WORTH_ALONE = (
    b".fit", b".predict", b".train(", b"Matrix(", b"Dataset(", b"Pool(", b"Assembler(", b"from_formula(",
    b"(formula", b"train_test_split(", b"read_csv(", b"read_parquet(", b"read_excel(", b"read_sql",
    b".execute(", b"completions", b".invoke(", b".generate(", b"messages=", b"contents=", b".model_dump(",
    b".dict(", b"asdict(", b"astuple(",
)  # fmt: skip
"""What stands where a model learns or is asked, or a data base: such a file counts for its imports, too."""

ROWS = (
    rb"\.[ \t]*(?:fit|predict|predict_proba)[ \t]*\(|\bDataFrame[ \t]*\("
    rb"|\b(?:get_dummies|ColumnTransformer)[ \t]*\(|\w\[[ \t]*\w*(?:columns|cols|features)[ \t]*\]"
)
"""What stands in a function that hands what it is given to a model, or makes a row of it, or chooses columns,
or codes them.
"""
SPEAKS = rb"""(?i)prompt|completions|\.invoke\(|\.generate\w*\(|["']role["'][ \t]*:"""
"""What stands where a language model is asked."""
LABELS = rb"\b(?:feature|column|target|class)_names[ \t]*=[ \t]*\[[^\[\]]*\]"
"""What an array's columns are called."""
FIELD_LISTS = re.compile(rb"\.\w+[ \t]*(?::[^=\n]*)?=[ \t]*[\[({][^\])}]*")
"""A list that a method gives a field of its object."""
MOST_KNOWN = 10_000_000
"""Bytes of files after which what is known of them is forgotten, and found anew where it is asked for."""
LOOKED_THROUGH = 100_000
"""Bytes of first files that are looked through as they are: compiling an expression pays later on."""

_WORTH = b"|".join(map(re.escape, WORTH_ALONE))
_QUOTES = frozenset(b"'\"")


def submodule(module: str, name: str) -> str:
    """How the module `name` in the package `module` is written: `.` and `rules` are `.rules`."""
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


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


class Module:
    """One file that something imports: its top-level names and where they stand."""

    def __init__(self, project: Project, path: str, data: bytes, hits: Sequence[int] | None = None) -> None:
        self.path = path
        self.data = data
        self.targets: dict[bytes, tuple[Module, bytes] | None] = {}
        """Where the names that it imports are made, as far as was asked."""
        self.leads_to: dict[str, Module | None] = {}
        """The modules that its imports mean, as they are written, as far as was asked."""
        self._project = project
        self._hits = hits
        self._names: Mapping[bytes, Spans] | None = None
        self._kinds: Mapping[bytes, bytes] = {}
        self._methods: Mapping[bytes, tuple[int, int]] = {}
        self._imports: list[Imported] | None = None
        self._references: dict[bytes, frozenset[bytes]] = {}
        self._telling: dict[tuple[bytes, int], bool] = {}
        self._records: dict[tuple[bytes, int], bool] = {}
        self._rows: dict[tuple[bytes, int], bool] = {}
        self._models: dict[bytes, bool] = {}

    @cached_property
    def digest(self) -> bytes:
        """That of its text."""
        return digest(self.data)

    @property
    def hits(self) -> Sequence[int]:
        """Where it may name a protected attribute."""
        if self._hits is None:
            self._hits = self._project.hits(self.path, self.data)
        return self._hits

    @cached_property
    def hits_of_data(self) -> Sequence[int]:
        """The same, of a file of data."""
        return self._project.mentions_in(self.data)

    @property
    def imports(self) -> list[Imported]:
        """Its import statements."""
        if self._imports is None:
            self._imports = list(self._project.modules.imports(self.data))
        return self._imports

    @property
    def own(self) -> frozenset[str]:
        """The first names of the project's modules that it imports."""
        return self._project.own_packages(self.path, self.data)

    @property
    def names(self) -> Mapping[bytes, Spans]:
        """Every top-level name with the stretches that make it what it is."""
        if self._names is None:
            found = self._project.modules.names(self.data, self._project.tokens)
            self._names, self._kinds, self._methods = found
        return self._names

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
            known = self._telling[name, far] = self._tells(name, far)
        return known

    def _tells(self, name: bytes, far: int) -> bool:
        spans = self.names.get(name) if self.hits or self._leads_on else None
        if spans is None:
            if (bound := self._bound.get(name)) is not None:
                used = {word for word, _ in fields_of(name, self.data)}
                return any(bound.tells(word, far + 1) for word in used)  # the module's name is no step
            if not self._may_tell_elsewhere(name.decode("utf-8", "replace")):
                return False
            target = self._project.target(self, name)
            return target is not None and target[0].tells(target[1], far)
        kind = self._kinds.get(name)
        is_constant = self._project.language.conventions.is_constant(name.decode("utf-8", "replace"))
        hits = self.hits if kind is None and is_constant else self._quoted  # `PROMPT`, `QUERY`
        if any(bisect_left(hits, start) < bisect_left(hits, end) for start, end in spans):
            return True
        if kind == b"class":
            return self.holds_lists(name)
        if far == 0:
            return False
        far = min(far, FARTHEST_OF_FUNCTIONS) if kind == b"def" else far
        return any(
            other != name and self.tells(other, far - 1) and self._is_read(other, spans)
            for other in self._refers(name)
        )

    def holds_lists(self, name: bytes) -> bool:
        """Whether the methods of a class give its fields lists with quoted hits: `self.columns = ["age"]`."""
        span = self._methods.get(name)
        lists = () if span is None or not self._quoted else FIELD_LISTS.finditer(self.data, *span)
        return any(
            bisect_left(self._quoted, found.start()) < bisect_left(self._quoted, found.end())
            for found in lists
        )

    def _is_read(self, name: bytes, spans: Sequence[tuple[int, int]]) -> bool:
        """Whether these stretches do more with a class than to make one or to name it as a type."""
        if self._project.kind(self, name) != b"class":
            return True
        return any(name + b"." in self.data[start:end] for start, end in spans)

    @cached_property
    def _quoted(self) -> Sequence[int]:
        """The hits that begin a short text: columns and groups.

        A function that reads `person.gender` is told about where it stands; what only labels the columns of
        an array does not choose any.
        """
        labels = [found.span() for found in re.finditer(LABELS, self.data)] if self.hits else []
        begun = [hit for hit in self.hits if not _QUOTES.isdisjoint(self.data[max(hit - 1, 0) : hit + 1])]
        prose = prose_in(self.data, self._project.tokens) if begun else []
        return [hit for hit in begun if not within(prose, hit) and not within(labels, hit)]

    @cached_property
    def _leads_on(self) -> bool:
        """Whether a module that it imports may name a protected attribute."""
        return any(module.hits for one in self.imports for module in self._project.meant(self, one))

    def _may_tell_elsewhere(self, name: str, way: int = 0) -> bool:
        """Whether a name may come from a module that tells something: most do not, and are let be."""
        for one in self.imports:
            for imported, alias in one.names:
                if alias != name and imported != "*":
                    continue
                module = self._project.module_at(self, one.module)
                if module is None:
                    continue
                if module.hits or module._leads_on:
                    return True
                further = way < LONGEST_WAY and not (imported == "*" and way)
                if further and module._may_tell_elsewhere(name if imported == "*" else imported, way + 1):
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
        if is_model and calls_method_of(called, self.data):
            return True
        return has_rows and not self._tests and is_asked(called, self.data)

    @cached_property
    def _tests(self) -> bool:
        """Whether it tests something: the people in it are made up."""
        outline = self._project.language.outline
        tests = None if outline is None else outline().tests
        return tests is not None and re.search(tests, self.data) is not None

    def prompts_with(self, module: Module, name: bytes) -> bool:
        """Whether this file and what another one has under a name may put a prompt together.

        One of the two writes down who somebody is, the other what is to be decided.
        """
        if not (self.hits or self.speaks):
            return False
        if name not in module.names:
            module, name = self._project.target(module, name) or (module, name)
        spans = module.names.get(name, ())
        if self.speaks:
            hits = module.hits
            if any(bisect_left(hits, start) < bisect_left(hits, end) for start, end in spans):
                return True
        if not self.hits or module.kind(name):
            return False
        return any(self._project.asks(module.data[start:end]) for start, end in spans)

    @cached_property
    def speaks(self) -> bool:
        """Whether it asks a language model to decide about somebody, by its words."""
        return self._project.holds(SPEAKS, self.data) and self._project.asks(self.data)

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
            target = self._project.target(self, name)
            return target is not None and target[0] is not self and target[0].makes_model(target[1])
        spans = () if self.kind(name) or not self._of_models else self.names[name]
        return any(not self._of_models.isdisjoint(WORD.findall(self.data, *span)) for span in spans)

    def is_record(self, name: bytes, far: int = FARTHEST) -> bool:
        """Whether a class lists a field that may be protected, or names, `far` steps away, one that does."""
        known = self._records.get((name, far))
        if known is None:
            known = self._records[name, far] = self._is_record(name, far)
        return known

    def _is_record(self, name: bytes, far: int) -> bool:
        if name not in self.names:
            target = self._project.target(self, name)
            return target is not None and target[0] is not self and target[0].is_record(target[1], far)
        if self.kind(name) != b"class":
            return False
        if any(
            bisect_left(self.hits, start) < bisect_left(self.hits, end) for start, end in self.names[name]
        ):
            return True
        return far > 0 and any(
            other != name and self.is_record(other, far - 1) for other in self._refers(name)
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
            target = self._project.target(self, name)
            return target is not None and target[0] is not self and target[0].makes_rows(target[1], far)
        if not self.kind(name):  # `service = Service()`
            made = (other for other in self._refers(name) if self._project.kind(self, other) == b"class")
            return any(other != name and self.makes_rows(other, far) for other in made)
        whole = [*self.names[name], *filter(None, [self._methods.get(name)])]
        if any(bisect_left(self._rows_at, start) < bisect_left(self._rows_at, end) for start, end in whole):
            return True
        return far > 0 and any(
            other != name and self.makes_rows(other, far - 1) for other in self._refers(name)
        )

    @cached_property
    def _rows_at(self) -> Sequence[int]:
        """Where it hands something to a model, or makes a row of it."""
        return self._project.places_of(ROWS, self.data) if self._has_rows else ()

    @cached_property
    def _has_rows(self) -> bool:
        return self._project.holds(ROWS, self.data)

    @cached_property
    def _leads_to_rows(self) -> bool:
        return any(module._has_rows for one in self.imports for module in self._project.meant(self, one))

    @cached_property
    def _has_records(self) -> bool:
        """Whether it imports a record that has a field which may be protected."""
        return any(
            module.is_record(name.encode())
            for one in self.imports
            if (module := self._project.module_at(self, one.module)) is not None
            for name, _ in one.names
        )

    @cached_property
    def _of_models(self) -> frozenset[bytes]:
        """What it calls libraries of models, and what it imports of them."""
        of_models = [one for one in self.imports if self._project.gives_models(one.module)]
        called = {one.bound for one in of_models} | {alias for one in of_models for _, alias in one.names}
        return frozenset(name.partition(".")[0].encode() for name in called)

    def _refers(self, name: bytes) -> frozenset[bytes]:
        """The top-level names, imported ones included, that make a name what it is."""
        known = self._references.get(name)
        if known is None:
            spans = self.names.get(name, ())
            words = set().union(*(WORD.findall(self.data, start, end) for start, end in spans))
            known = self._references[name] = frozenset(words & self._known_names)
        return known

    @cached_property
    def _known_names(self) -> AbstractSet[bytes]:
        """All that it calls something at its top level, imported names included."""
        return self.names.keys() | self.imported | self._bound.keys()

    def _used_by_methods(self, name: bytes) -> frozenset[bytes]:
        """The top-level names that the methods of a class use which makes rows or asks a model."""
        span = self._methods.get(name) if self.kind(name) == b"class" and self.makes_rows(name) else None
        words = () if span is None else WORD.findall(self.data, *span)
        return frozenset(word for word in words if word in self.names or word in self.imported)

    @cached_property
    def _bound(self) -> Mapping[bytes, Module]:
        """The modules that its imports bind as such: `import config`, `from package import config`."""
        found: dict[bytes, Module] = {}
        for one in self.imports:
            named = [(submodule(one.module, name), alias) for name, alias in one.names]
            for written, called in named or [(one.module, one.bound)]:
                if (module := self._project.module_at(self, written)) is not None:
                    found[called.encode()] = module
        return found

    def _may_import(self, name: bytes) -> bool:
        """Whether one of its imports may bind a name."""
        return name in self.imported or b"*" in self.imported

    @cached_property
    def imported(self) -> set[bytes]:
        """The names that its imports bind."""
        return {alias.encode() for one in self.imports for _, alias in one.names}

    def closure(self, names: set[bytes]) -> set[bytes]:
        """`names`, and all top-level names that these refer to, a few steps far."""
        found = set(names)
        new = set(names)
        for _ in range(FARTHEST + 1):
            new = {word for name in new for word in self._refers(name) | self._used_by_methods(name)} - found
            if not new:
                break
            found |= new
        return found


class Project:
    """Looks up imports below one folder."""

    def __init__(  # noqa: PLR0917 (all that it is told of a run)
        self,
        root: str,
        language: Language,
        read: Callable[[str, int], bytes | None],
        search: Callable[[bytes, Tokens | None], Sequence[int]],
        finds: Callable[[str], re.Pattern[bytes]] | None = None,
        gives_models: Callable[[str], bool] = lambda _: False,
        asks: Callable[[bytes], bool] = lambda _: False,
    ) -> None:
        """`read(path, limit)` gives a file as UTF-8, or None; `search` finds where protected names stand.

        `language` is one with modules and tokens. `finds` makes a quick search of a regular expression,
        `gives_models` says of a package whether what it gives may be asked about people, `asks` of a text
        whether it may ask to decide about one.
        """
        assert language.modules is not None
        assert language.tokens is not None
        self.language = language
        self.tokens = language.tokens
        self.modules = language.modules()
        self._suffix = language.suffixes[0]
        self._package = self.modules.package + self._suffix
        """The file that makes a folder a package."""
        self._finds = finds
        self.gives_models = gives_models
        self.asks = asks
        self._search = search
        self._looked_through: dict[bytes, int] = {}
        """Signs, as expressions → how many bytes have been looked through for them."""
        self._searches: dict[bytes, re.Pattern[bytes]] = {}
        self._root = os.path.realpath(root).rstrip(os.sep) + os.sep
        self._read = read
        self._forget()

    def _forget(self) -> None:
        self._begun = 0
        self._hits: dict[tuple[str, int], Sequence[int]] = {}
        self._real: dict[str, str] = {}
        self._folder_of: dict[str, str] = {}
        self._folders: dict[str, Mapping[str, bool]] = {}
        self._above: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, Module | None] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._digests: dict[str, bytes] = {}
        self._asking = ""
        """The folder of files for which something is looked up."""
        self._reach = Reach()
        self._read_so_far: dict[int, tuple[int, Seen]] = {}
        """Files, as a number → how many had been read when these were looked at, and what was seen."""
        self._looked_into: dict[int, Seen] = {}

    def begin(self, data: bytes) -> None:
        """Another file is looked at. What is known of earlier ones may be forgotten here, and only here."""
        self._begun += len(data)
        if self._begun > MOST_KNOWN:
            self._forget()
            gc.collect(0)  # modules that import each other would stay

    # ------------------------------------------------------------------------------------------- files

    def find(self, importer: str, module: str) -> str | None:
        """The file that `module`, as written in the file `importer`, means; None where there is none."""
        folder = self._folder_of.get(importer)
        if folder is None:
            folder = self._folder_of[importer] = os.path.dirname(importer)
        key = (folder, module)
        if key not in self._found:
            self._ask_from(folder)
            self._found[key] = self._find(folder, module)
        found = self._found[key]
        if found is not None:
            self._reach.note(importer, found)
        return found

    def _ask_from(self, folder: str) -> None:
        """What is looked up from here on is for files in a folder."""
        self._asking = folder

    def own_packages(self, path: str, data: bytes) -> frozenset[str]:
        """The packages and modules of the project, by their first name, that a file imports."""
        folder = os.path.dirname(path)
        self._ask_from(folder)
        written = {one.module.lstrip(".").partition(".")[0] for one in self.modules.imports(data)}
        return frozenset(name for name in written if name and self._start(folder, name) is not None)

    def _find(self, folder: str, module: str) -> str | None:
        where = self._start(folder, module)
        return None if where is None else self._descend(*where)

    def _start(self, folder: str, module: str) -> tuple[str, Sequence[str]] | None:
        """The folder in which the first part of a module's name is looked up, and the parts."""
        bare = module.lstrip(".")
        parts = bare.split(".") if bare else []
        if len(bare) < len(module):
            for _ in range(len(module) - len(bare) - 1):
                folder = os.path.dirname(folder)
            return folder, parts
        if parts[0] in self.language.conventions.standard:
            return None
        for above in self._search_path(folder):
            entries = self._entries(above)
            if parts[0] in entries or parts[0] + self._suffix in entries:
                return above, parts
        return None

    def _search_path(self, folder: str) -> tuple[str, ...]:
        """The folders in which absolute imports are looked up: those above, each with its `src`."""
        known = self._above.get(folder)
        if known is None:
            outside = not f"{folder}{os.sep}".startswith(self._root)
            found: list[str] = []
            own = folder
            for _ in range(MOST_FOLDERS):
                entries = self._entries(folder)
                if folder == own or self._package not in entries:
                    found.append(folder)
                if entries.get("src"):
                    found.append(os.path.join(folder, "src"))
                at_end = f"{folder}{os.sep}" == self._root or ".git" in entries
                if at_end or (outside and folder != own and self._package not in entries):
                    break
                above = os.path.dirname(folder)
                if above == folder:
                    break
                folder = above
            if self._package in self._entries(own):
                found = [*found[1:], own]  # a module of a package is run as such, rather than as a script
            known = self._above[own] = tuple(found)
        return known

    def _descend(self, folder: str, parts: Sequence[str]) -> str | None:
        for part in parts[:-1]:
            if not self._entries(folder).get(part):
                return None
            folder = os.path.join(folder, part)
        if parts:
            entries = self._entries(folder)
            if entries.get(parts[-1]):
                inner = os.path.join(folder, parts[-1])
                if self._package in self._entries(inner) or parts[-1] + self._suffix not in entries:
                    folder = inner
                    parts = ()
        name = parts[-1] + self._suffix if parts else self._package
        return os.path.join(folder, name) if self._entries(folder).get(name) is False else None

    def _entries(self, folder: str) -> Mapping[str, bool]:
        """The names in a folder, each with whether it is one itself."""
        self._reach.consulted(self._asking, folder)
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = names_in(folder)
        return known

    def leaned_on(self, path: str) -> tuple[Seen, Seen]:
        """All that may have had a part in what was said of the file at `path`: the files that its imports
        lead to, however far, and the folders where they were looked for, with a digest of the contents.

        What is known of a module stays known for the next file that imports it. So what that was learned from
        is not what was asked for this file alone, but all that was ever asked for one that it leads to.
        """
        files, folders = self._reach.all_from(path)
        known, modules = self._read_so_far.get(files, (-1, NOTHING_SEEN))
        if known != len(self._known):
            read = tuple(at for at in self._reach.files.paths(files) if at in self._known)
            found = (self._known[at] for at in read)
            modules = read, digest_of_all(NOTHING if one is None else one.digest for one in found)
            self._read_so_far[files] = len(self._known), modules
        if folders not in self._looked_into:
            paths = self._reach.folders.paths(folders)
            self._looked_into[folders] = paths, digest_of_all(map(self._digest_of, paths))
        return modules, self._looked_into[folders]

    def _digest_of(self, folder: str) -> bytes:
        if folder not in self._digests:
            self._digests[folder] = digest_of_names(self._folders[folder])
        return self._digests[folder]

    def real(self, path: str) -> str:
        """The path that a file has here, whichever way it was named."""
        folder, name = os.path.split(path)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        return os.path.join(self._real[folder], name)

    def hits(self, path: str, data: bytes) -> Sequence[int]:
        """Where a module may name a protected attribute; every file is searched once."""
        key = (path, hash(data))  # it may have been changed since it was read as a module
        if key not in self._hits:
            found = self._search(data, self.tokens)
            if self.loads_any(path, data):
                found = sorted({*found, *places_of_loading(data)})
            self._hits[key] = found
        return self._hits[key]

    def mentions_in(self, data: bytes) -> Sequence[int]:
        """Where a file of data may name a protected attribute."""
        return self._search(data, None)

    def loads_any(self, path: str, data: bytes) -> bool:
        """Whether a module may load a file of data that names a protected attribute."""
        return any(one.tells for one in self.data_files(path, data))

    def data_files(self, path: str, data: bytes, importer: str = "") -> tuple[DataFile, ...]:
        """The files of data that a module may load; what is said of the `importer` hangs on them, too."""
        self._ask_from(os.path.dirname(importer or path))
        found = candidates(data, path, self._root, self._entries)
        for one, _ in found:
            self._reach.note(importer or path, one)
        return tuple(DataFile(one, *self._data_of(one, up)) for one, up in found)

    def _data_of(self, path: str, above: int) -> tuple[bytes | None, int, bool]:
        known = self.module(path)
        return (None, above, False) if known is None else (known.data, above, bool(known.hits_of_data))

    def module(self, path: str) -> Module | None:
        """The module in a file; None if it cannot be read or is too large."""
        if path not in self._known:
            data = self._read(path, LARGEST)
            self._known[path] = None if data is None else Module(self, path, data)
        return self._known[path]

    # ------------------------------------------------------------------------------------------- names

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
        for one in module.imports:
            for imported, alias in one.names:
                if alias != text and imported != "*":
                    continue
                found = self.module_at(module, one.module)
                if found is None:
                    continue
                wanted = name if imported == "*" else imported.encode()
                if wanted in found.names:
                    return found, wanted
                if imported == "*" and way:
                    continue  # all of all of a package is too much to go through for every name
                if (further := self.target(found, wanted, way + 1)) is not None:
                    return further
        return None

    def links(self, path: str, data: bytes, hits: Sequence[int]) -> Links | None:
        """What is worth following from the file at `path`; None where nothing is."""
        if not hits and not self._is_worth_it(data):
            return None
        own = self._known.get(path)
        if own is None or own.data != data:
            own = Module(self, path, data, hits)
        if len(data) <= LARGEST:
            self._known.setdefault(path, own)
        return _Follower(self, own).links()

    def _is_worth_it(self, data: bytes) -> bool:
        """Whether a source that names nobody is looked at all the same."""
        quick = self._quick(_WORTH, data)
        found = any(word in data for word in WORTH_ALONE) if quick is None else quick.search(data)
        return bool(found)

    def holds(self, sign: bytes, data: bytes) -> bool:
        """Whether an expression stands in some bytes: one that means the same to RE2."""
        return (self._quick(sign, data) or re.compile(sign)).search(data) is not None

    def places_of(self, sign: bytes, data: bytes) -> list[int]:
        """Where an expression stands in some bytes, as above."""
        return [found.start() for found in (self._quick(sign, data) or re.compile(sign)).finditer(data)]

    def _quick(self, expression: bytes, data: bytes) -> re.Pattern[bytes] | None:
        """What looks for an expression in a fraction of the time, as soon as that pays."""
        if self._finds is None:
            return None
        if expression not in self._searches:
            looked_through = self._looked_through.get(expression, 0) + len(data)
            self._looked_through[expression] = looked_through
            if looked_through < LOOKED_THROUGH:
                return None
            self._searches[expression] = self._finds(expression.decode())
        return self._searches[expression]

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
            if not may_tell and self.find(importer.path, below) is None:
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
            path = self.find(importer.path, written)
            found = self.module(path) if path is not None and path != importer.path else None
            importer.leads_to[written] = found
        return importer.leads_to[written]

    def is_missing(self, importer: Module, one: Imported) -> bool:
        """Whether a relative import, or one of a package of this project, leads to nothing."""
        if not one.is_certain or self.find(importer.path, one.module) is not None:
            return False
        folder = os.path.dirname(importer.path)
        self._ask_from(folder)
        where = self._start(folder, one.module)
        if where is None:
            return False
        folder, parts = where
        if not one.module.startswith(".") and self._package not in self._entries(
            os.path.join(folder, parts[0])
        ):
            return False  # a folder that is called like a library
        for part in parts[:-1]:
            folder = os.path.join(folder, part)
        # it may be made of C, or when the project is built
        return bool(parts) and not any(
            entry.partition(".")[0] == parts[-1] for entry in self._entries(folder)
        )


class _Followed(Record, frozen=False):
    """A module that is followed: what is wanted of it so far, and the names by which it imports others."""

    module: Module
    wanted: set[bytes]
    imports: dict[str, int] = field(default_factory=dict)

    def link(self) -> Link:
        """What is left of it for others."""
        names = frozenset(self.module.closure(self.wanted))
        return Link(self.module.path, self.module.data, names, self.module.own, self.imports)


class _Follower:
    """Gathers what is worth following from one file."""

    def __init__(self, project: Project, own: Module) -> None:
        self._project = project
        self._own = own
        self._links = Links()
        self._found: list[_Followed] = []
        self._place: dict[str, int] = {}
        self._size = 0
        self._around_hits = called_around(own.data, own.hits)

    def links(self) -> Links | None:
        own, links = self._own, self._links
        for one in own.imports:
            for written, module, name, alias in self._project.brought_in(own, one, self._around_hits):
                if module.path == own.path:
                    continue
                wanted = self._wanted(module, name, alias)
                if not wanted:
                    continue
                self._add(module, wanted, links.imports, written)
            if own.hits and self._project.is_missing(own, one):
                links.missing.append((one.offset, one.module))
            path = self._project.find(own.path, one.module) if own.hits else None
            if path is not None and path != own.path and self._project.module(path) is None:
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
        """The names of a module that the file uses and that may tell something; notes where it does."""
        data = self._own.data
        called = alias.encode()
        if name and name != b"*":
            if not self._is_worth(module, name, called):
                return set()
            places = [(name, at) for at in uses_of(called, data)]
            if len(places) < 2:  # the import alone
                return set()
        elif name:
            offered = module.names.keys() | module.imported
            known = [word for word in offered & set(WORD.findall(data)) if word[:1] != b"_"]
            worth = [word for word in known if self._is_worth(module, word, word)]
            places = [(word, at) for word in worth for at in uses_of(word, data)]
        else:
            places = list(fields_of(called, data))
        words = {word for word, _ in places}
        wanted = words if name else {word for word in words if self._is_worth(module, word, word)}
        telling = {word for word in wanted if module.tells(word) or module.is_record(word)}
        telling |= {word for word in wanted - telling if self._own.prompts_with(module, word)}
        self._links.uses.extend(at for word, at in places if word in telling)
        return wanted

    def _is_worth(self, module: Module, name: bytes, called: bytes) -> bool:
        """Whether a name tells something, or is a function that is called where something is told."""
        if called in self._around_hits and module.kind(name) == b"def":
            return True
        if self._own.prompts_with(module, name):
            return True
        if not module.tells(name):
            return self._own.asks_model(called, module, name)
        if name not in module.names:
            module, name = self._project.target(module, name) or (module, name)
        if module.kind(name) == b"class" and not self._own.hits:
            if module.holds_lists(name) and is_asked(called, self._own.data):
                return True
            return has_field(called, self._own.data) or self._own.asks_model(called, module, name)
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
        """Adds the modules that what is wanted of a module comes from."""
        names = link.module.closure(link.wanted)
        models = {word for word in link.wanted if link.module.makes_model(word)}
        models |= {word for word in names & link.module.imported if link.module.makes_rows(word)}
        for one in link.module.imports:
            for written, module, name, alias in self._project.brought_in(link.module, one, models, names):
                if module.path == self._own.path:
                    continue
                if name == b"*":
                    wanted = {word for word in names - link.module.names.keys() if module.tells(word)}
                elif alias.encode() not in names:
                    continue
                elif name:
                    wanted = {name} if alias.encode() in models or module.tells(name) else set()
                else:
                    used = {word for word, _ in fields_of(alias.encode(), link.module.data)}
                    wanted = {word for word in used if module.tells(word)}
                if wanted:
                    self._add(module, wanted, link.imports, written)

    def _circle(self) -> tuple[int, str] | None:
        """The first circle of imports around the file in which names are asked for before they are made."""
        seen: set[str] = set()
        for one in self._own.imports:
            if one.is_certain and (way := self._way(self._own, one, [self._own.path], seen)):
                return one.offset, " → ".join(os.path.basename(path) for path in way)
        return None

    def _way(self, module: Module, one: Imported, passed: list[str], seen: set[str]) -> list[str]:
        """The way on from an import statement, back to the file, if Python could not go it either."""
        path = self._project.find(module.path, one.module) if one.names else None
        if path is None or path in seen or len(passed) > LONGEST_WAY:
            return []
        found = self._own if path == self._own.path else self._project.module(path)
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
        """Where the file imports a module first."""
        offsets = (
            one.offset for one in self._own.imports if self._project.find(self._own.path, one.module) == path
        )
        return min(offsets, default=None)
