"""What one text says by itself: its imports, its top-level names, what stands in it. Each is found once.

Nothing here knows a path or another file, so a text that was met before needs no further look at it.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from fairlint.project.data_files import FILES, data_file_names, folder_test, places_of_loading
from fairlint.search.name_uses import NameUses, fields_of, prose_in
from fairlint.support.digests import NOTHING, digest
from fairlint.syntax.language import Language
from fairlint.syntax.outline import Imported, Spans
from fairlint.syntax.tokens import WORD, Tokens

TYPE_CHECKING = False  # importing typing would take as long as the rest
if TYPE_CHECKING:
    from typing import Any

    from fairlint.project.kept_facts import Form, KeptFacts

LOOKED_THROUGH = 100_000
"""Bytes of first texts that are searched expression by expression: one for all pays later on."""
ROWS, SPEAKS, FILES_NAMED, WORTH = "rows", "speaks", "files", "worth"
"""Marks: what stands in a text, as its language writes it."""
ALL = "*"
"""What is imported where it is all that a module has."""
_OF_TEXT = (
    "_bindings",
    "definitions",
    "imported",
    "imports",
    "is_folder_named",
    "labels",
    "names_used",
    "prose",
    "rows_at",
)
"""What is forgotten together with the text, and found again where it is asked for."""
_KEPT = frozenset(("asks", "data_files", "hits", "hits_of_data", "is_intact", "is_test", "marks"))
"""What stays, and is kept for later runs as it is."""
_PACKED = ("definitions", "imports", "rows_at")
"""What stays in fewer bytes, and is kept for later runs so."""

Search = Callable[[bytes, "Tokens | None"], Sequence[int]]
Definitions = tuple[Mapping[bytes, Spans], Mapping[bytes, bytes], Mapping[bytes, tuple[int, int]]]


class ModuleFacts:
    """What a text says. Everything is found when it is first asked for."""

    def __init__(self, index: ModuleIndex, digest_of_text: bytes, known: Form | None = None) -> None:
        """`known` has what an earlier run has found."""
        self._index = index
        self.name = digest_of_text
        """What the index knows it by."""
        self.digest = digest_of_text
        """What a result that uses it depends on: nothing holds that uses a text which has changed since."""
        self.load: Callable[[], bytes | None] = lambda: None
        """Reads the text again."""
        self.folder = ""
        """Where it was met first."""
        self._text: bytes | None = None
        small, packed = known or ({}, {})
        self._packed: dict[str, bytes] = packed
        self._earlier = len(small) + len(packed)
        """How many facts an earlier run has found."""
        self.__dict__.update(small)

    @property
    def text(self) -> bytes:
        """The text, read again if it was forgotten."""
        if self._text is None:
            text = self.load()
            if text is None or digest(text) != self.name:
                self.digest = NOTHING
            self._text = text or b""
            self._index.keep_text(self)
        return self._text

    @property
    def has_text(self) -> bool:
        """Whether the text is at hand."""
        return self._text is not None

    def give_text(self, text: bytes) -> None:
        """Have the text at hand."""
        if self._text is None:
            self._text = text

    def is_about(self, text: bytes) -> bool:
        """Report whether the text at hand is this very object."""
        return self._text is text

    def forget_text(self) -> None:
        """Keep what is small, and in fewer bytes what is not."""
        found = self.__dict__
        for name in _PACKED:
            if name in found and name not in self._packed:
                value: Any = found[name]
                if name == "imports":
                    value = [(one.module, one.names, one.bound, one.offset, one.is_certain) for one in value]
                with suppress(ValueError):  # a plugin's language may give mappings of its own
                    self._packed[name] = marshal.dumps(value)
        for name in _OF_TEXT:
            found.pop(name, None)
        self._text = None

    def form_to_keep(self) -> Form:
        """Return what a later run need not find again."""
        return {name: value for name, value in self.__dict__.items() if name in _KEPT}, self._packed

    def has_new_facts(self) -> bool:
        """Return whether any of that is new."""
        return sum(name in _KEPT for name in self.__dict__) + len(self._packed) > self._earlier

    def _unpacked(self, name: str) -> Any:
        """Return a fact that was packed; None where it was not."""
        packed = self._packed.get(name)
        return None if packed is None else marshal.loads(packed)  # noqa: S302 (own)

    @cached_property
    def hits(self) -> Sequence[int]:
        """Where it may name a protected attribute."""
        return tuple(self._index.search(self.text, self._index.tokens))

    @cached_property
    def hits_of_data(self) -> Sequence[int]:
        """The same, for a file of data."""
        return tuple(self._index.search(self.text, None))

    @cached_property
    def is_intact(self) -> bool:
        """Whether it certainly has no syntax error."""
        return self._index.is_intact(self.text)

    @cached_property
    def marks(self) -> frozenset[str]:
        """What stands in it."""
        return self._index.marks_in(self.text)

    @cached_property
    def asks(self) -> bool:
        """Whether it asks a language model to decide about somebody, by its words."""
        return SPEAKS in self.marks and self._index.asks(self.text)

    @cached_property
    def is_test(self) -> bool:
        """Whether it tests something: the people in it are made up."""
        return self._index.tests is not None and self._index.tests.search(self.text) is not None

    @cached_property
    def data_files(self) -> frozenset[str]:
        """The names of files of data that it may load."""
        return data_file_names(self.text) if FILES_NAMED in self.marks else frozenset()

    @cached_property
    def is_folder_named(self) -> Callable[[bytes], bool]:
        """Says whether it names a folder."""
        return folder_test(self.text)

    def places_of_loading(self) -> list[int]:
        """Return where it names files of data, and where it may load them."""
        return places_of_loading(self.text)

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        """Its import statements."""
        known = self._unpacked("imports")
        if known is not None:
            return tuple([Imported(*one) for one in known])
        return tuple(self._index.modules.imports(self.text))

    @cached_property
    def imported(self) -> frozenset[bytes]:
        """The names that its imports bind."""
        return frozenset(alias.encode() for one in self.imports for _, alias in one.names)

    def bindings(self, name: str) -> Sequence[tuple[str, str]]:
        """Return the modules, as written, from which a name may be imported, each with its name there."""
        by_name = self._bindings
        bound, of_all = by_name.get(name, ()), by_name.get(ALL, ())
        pairs = sorted([*bound, *of_all]) if bound and of_all else bound or of_all
        return [(module, imported) for _, module, imported in pairs]

    @cached_property
    def _bindings(self) -> Mapping[str, list[tuple[int, str, str]]]:
        """By the name that is bound: the place among all imported names, the module, and the name there."""
        found: dict[str, list[tuple[int, str, str]]] = {}
        pairs = ((one.module, imported, alias) for one in self.imports for imported, alias in one.names)
        for place, (module, imported, alias) in enumerate(pairs):
            found.setdefault(ALL if imported == ALL else alias, []).append((place, module, imported))
        return found

    @cached_property
    def definitions(self) -> Definitions:
        """Its top-level names with their stretches, their kinds, and the methods of the types."""
        known: Definitions | None = self._unpacked("definitions")
        return known or self._index.modules.names(self.text, self._index.tokens)

    @cached_property
    def rows_at(self) -> Sequence[int]:
        """Where it hands something to a model, or makes a row of it."""
        known: Sequence[int] | None = self._unpacked("rows_at")
        if known is not None:
            return known
        return self._index.places_of_rows(self.text) if ROWS in self.marks else ()

    @cached_property
    def prose(self) -> Sequence[tuple[int, int]]:
        """Where its texts stand that are too long for names."""
        return prose_in(self.text, self._index.tokens)

    @cached_property
    def labels(self) -> Sequence[tuple[int, int]]:
        """Where it says what an array's columns are called."""
        labels = self._index.modules.labels
        return () if labels is None else [found.span() for found in labels.finditer(self.text)]

    @cached_property
    def names_used(self) -> NameUses:
        """What stands behind its names."""
        return NameUses(self.text)

    def words(self, spans: Iterable[tuple[int, int]]) -> set[bytes]:
        """Return the words in some stretches."""
        return set().union(*(WORD.findall(self.text, start, end) for start, end in spans))

    def fields_of(self, name: bytes) -> set[bytes]:
        """Return the fields that are read of a name."""
        return {word for word, _ in fields_of(name, self.text)}


class ModuleIndex:
    """The facts of all texts of one language under one vocabulary, by what is in the texts."""

    def __init__(
        self,
        language: Language,
        search: Search,
        asks: Callable[[bytes], bool],
        finds: Callable[[str], re.Pattern[bytes]] | None = None,
        set_search: Callable[[Iterable[str]], Callable[[bytes], list[int]]] | None = None,
        *,
        kept: KeptFacts | None = None,
    ) -> None:
        """`search` finds where protected names stand, and `asks` says of a text whether it may ask to decide
        about a person. `finds` makes a quick search of an expression, and `set_search` one of several. `kept`
        has what earlier runs have found.
        """
        assert language.modules is not None
        assert language.tokens is not None
        self.tokens = language.tokens
        self.modules = language.modules()
        self.search = search
        self.asks = asks
        outline = None if language.outline is None else language.outline()
        self.tests = None if outline is None or outline.tests is None else re.compile(outline.tests)
        worth = b"|".join(map(re.escape, self.modules.worth_alone))
        signs = {ROWS: self.modules.rows, SPEAKS: self.modules.speaks, FILES_NAMED: FILES, WORTH: worth}
        self._signs = {mark: sign for mark, sign in signs.items() if sign}
        self._finds = finds
        self._set_search = set_search
        self._rows: re.Pattern[bytes] | None = None
        self._matches: Callable[[bytes], list[int]] | None = None
        self._left = LOOKED_THROUGH
        self.is_intact = language.is_intact or (lambda _: False)
        self._kept_facts = kept
        self._known: dict[bytes, Form] = {}
        """What earlier runs have found, by the digests of texts that were not met yet in this one."""
        self._folder = ""
        self._folders: set[str] = set()
        """Folders whose facts of earlier runs are known."""
        self._facts: dict[bytes, ModuleFacts] = {}
        self._last: ModuleFacts | None = None
        self._kept: set[bytes] = set()
        """Digests of the texts that are at hand until all are forgotten."""
        self._passing: set[bytes] = set()
        """Those of the other texts that are at hand."""

    def facts_of(self, text: bytes, *, keeps: bool = False) -> ModuleFacts:
        """Return the facts of a text; `keeps` says that the text is needed until all are forgotten."""
        if self._last is not None and self._last.is_about(text):
            known = self._last
        else:
            name = digest(text)
            found = self._facts.get(name)
            if found is None:
                found = self._facts[name] = ModuleFacts(self, name, self._known.pop(name, None))
                found.folder = self._folder
            found.give_text(text)
            self._last = known = found
        if keeps:
            self.keep_text(known)
        elif known.name not in self._kept:
            self._passing.add(known.name)
        return known

    def enter_folder(self, folder: str) -> None:
        """Note where the next texts stand; what earlier runs have found of those in the folder is known
        then.
        """
        self._folder = folder
        if self._kept_facts is not None and folder not in self._folders:
            self._folders.add(folder)
            self._known.update(self._kept_facts.of_folder(folder))

    def keep_facts(self) -> None:
        """Keep what was found of all texts for later runs, folder by folder where any of it is new."""
        if self._kept_facts is None:
            return
        self.forget_texts(all_of_them=True)
        forms: dict[str, list[tuple[bytes, Form]]] = {}
        changed: set[str] = set()
        for facts in self._facts.values():
            if facts.digest == NOTHING:  # the text changed during the run
                continue
            form, is_new = facts.form_to_keep(), facts.has_new_facts()
            forms.setdefault(facts.folder, []).append((facts.name, form))
            if is_new:
                changed.add(facts.folder)
        for folder in sorted(changed):
            self._kept_facts.keep(folder, forms[folder])

    def keep_text(self, facts: ModuleFacts) -> None:
        """Keep a text that was read again until all are forgotten."""
        self._kept.add(facts.name)
        self._passing.discard(facts.name)

    def forget_texts(self, *, all_of_them: bool) -> None:
        """Forget the texts, or those that nobody keeps, with whatever takes more memory than it is worth."""
        for names in (self._passing, self._kept) if all_of_them else (self._passing,):
            for name in names:
                self._facts[name].forget_text()
            names.clear()
        self._last = None

    def marks_in(self, text: bytes) -> frozenset[str]:
        """Return what stands in a text."""
        if self._matches is None and self._set_search is not None:
            self._left -= len(text)
            if self._left < 0:
                self._matches = self._set_search([sign.decode() for sign in self._signs.values()])
        if self._matches is None:
            return frozenset(mark for mark, sign in self._signs.items() if re.search(sign, text))
        names = tuple(self._signs)
        return frozenset(names[place] for place in self._matches(text))

    def places_of_rows(self, text: bytes) -> list[int]:
        """Return where a text hands something to a model, or makes a row of it."""
        if self._rows is None:
            sign = self._signs[ROWS]
            if self._finds is None or self._matches is None:
                return [found.start() for found in re.finditer(sign, text)]
            self._rows = self._finds(sign.decode())
        return [found.start() for found in self._rows.finditer(text)]
