"""The Vocabulary: attributes, their names and groups, and the weighing of what stands around a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from fairlint.support.records import Record, replace
from fairlint.vocabulary import keyword_automaton
from fairlint.vocabulary.attribute_table import AttributeTable, Words, table, texts
from fairlint.vocabulary.bags import bag_of
from fairlint.vocabulary.context import Context
from fairlint.vocabulary.groups import UNKNOWN, Groups, Ranges
from fairlint.vocabulary.model import Attribute, Evidence, Group, Mention, Strength, Surroundings
from fairlint.vocabulary.names import Around, Index, Names, index_of
from fairlint.vocabulary.prose import Nouns, Prose, Row, forms_of
from fairlint.vocabulary.words import singular, split_words

PERSON_WEIGHT = 3
"""From this sum of evidence on, a mention is taken for a person's attribute."""
_STRENGTH_OF_GRADE: Mapping[str, Strength] = {
    "strong": "strong",
    "likely": "ambiguous",
    "ambiguous": "ambiguous",
    "proxy": "proxy",
}
_MEMO = 20_000
_FARTHEST_OWNER = 90
"""Bytes before a field in which its owner is looked for."""


class Data(Record):
    """What a vocabulary is built from: the attributes' tables, names.toml and context.toml."""

    tables: Mapping[str, AttributeTable]
    names: Mapping[str, object]
    context: Mapping[str, object]


class Vocabulary:
    """Who is protected: everything fairlint knows about words, and nothing about code.

    Immutable from outside. Its indexes are built when first needed; two threads that build one do no harm.
    """

    def __init__(
        self,
        load: Callable[[], Data],
        pattern: Callable[[], str] | None = None,
        index: Index | None = None,
        forms: Mapping[str, Sequence[Row]] | None = None,
    ) -> None:
        """`pattern`, `index` and `forms` may be given ready-made, where they fit what `load` gives."""
        self._load = load
        self._ready_pattern = pattern
        self._ready_index = index
        self._ready_forms = forms
        self._made: dict[str, Attribute] = {}
        self._memo: dict[str, tuple[Mention, ...]] = {}
        self._owned_memo: dict[tuple[str, str], tuple[Mention, ...]] = {}
        self._named: dict[str, frozenset[str]] = {}
        self._given: Mapping[str, tuple[Mention, ...]] = {}
        """Identifiers that name an attribute in one file."""

    def extended(self, tables: Sequence[Mapping[str, object]]) -> Vocabulary:
        """Return a vocabulary with each table's `attributes` added, extended, renamed or switched off, in
        order.

        A malformed table is a ValueError that names the offending key.
        """
        from fairlint.vocabulary.tables import extend  # noqa: PLC0415 (only where somebody adds tables)

        data = self._loaded_tables
        missing = tuple(texts(table(data.names["missing"], "missing")["spellings"], "missing.spellings"))
        for item in tables:
            data = replace(data, tables=extend(data.tables, item, missing))
        return Vocabulary(lambda: data)

    def at_home(self, country: str) -> Vocabulary:
        """Return the vocabulary as seen from a country, given by its two letters: its people are at home."""
        from fairlint.vocabulary.countries import at_home  # noqa: PLC0415 (few name a country)

        data = replace(self._loaded_tables, tables=at_home(self._loaded_tables.tables, country))
        return Vocabulary(lambda: data)

    @cached_property
    def attributes(self) -> Mapping[str, Attribute]:
        """All attributes by their canonical name."""
        names = [self.renamed.get(name, name) for name in self._attribute_tables]
        return MappingProxyType({name: self.attribute(name) for name in names})

    def attribute(self, name: str) -> Attribute:
        """Return one attribute; a KeyError where there is none of that name."""
        found = self._made.get(name)
        if found is None:
            key = self._key(name)
            found = self._made[name] = _build_attribute(name, self._attribute_tables[key])
        return found

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """The attributes that somebody renamed, each with what reports call it."""
        if self._ready_index is not None:
            return {}  # as it was shipped
        return {name: entry.name for name, entry in self._attribute_tables.items() if entry.name != name}

    def _key(self, name: str) -> str:
        """Return what an attribute is called within, by either of its names."""
        if name in self._attribute_tables:
            return name
        return next((key for key, shown in self.renamed.items() if shown == name), name)

    def names_of(self, attribute: str) -> dict[str, tuple[str, ...]]:
        """Return how code names an attribute, for people to read: names by how sure, columns, flags,
        look-alikes.

        A KeyError where there is none of that name; what is empty is left out.
        """
        entry = self._attribute_tables[self._key(attribute)]
        sorts: dict[str, list[str]] = {grade: [] for grade in _STRENGTH_OF_GRADE}
        for words, grade in entry.names.items():
            sorts[grade].append(" ".join(words))
        sorts["columns"] = sorted(entry.columns)
        sorts["of a person"] = [" ".join(words) for words in entry.generic]
        sorts["flags"] = [" ".join(words) for words in entry.flags]
        sorts["not"] = sorted(" ".join(words) for words in entry.nots)
        return {sort: tuple(dict.fromkeys(names)) for sort, names in sorts.items() if names}

    def naming(self, names: Mapping[str, Mention]) -> Vocabulary:
        """Return the same vocabulary, in which some identifiers more name an attribute."""
        found = object.__new__(type(self))  # the module copy is not loaded here (start-up)
        found.__dict__.update(self.__dict__)
        found._memo = {}
        found._owned_memo = {}
        found._given = {name: (mention,) for name, mention in names.items()}
        return found

    def mentions(self, identifier: str) -> tuple[Mention, ...]:
        """Return the attributes that an identifier, key or column names; empty for most."""
        found = self._memo.get(identifier)
        if found is None:
            found = self._names.find(identifier) or self._given.get(identifier, ())
            if len(self._memo) >= _MEMO:
                self._memo.clear()
            self._memo[identifier] = found
        return found

    def mentions_of(self, identifier: str, receiver: str) -> tuple[Mention, ...]:
        """As `mentions`, and where that is empty, what the identifier means as a field of a person.

        `receiver` is what stands before it: `zip` names an attribute in `applicant.zip`, and nowhere else.
        """
        found = self.mentions(identifier)
        if found or not receiver:
            return found
        key = (identifier, receiver)
        owned = self._owned_memo.get(key)
        if owned is None:
            owned = self._names.find_generic(identifier)
            if owned and not self._context.is_somebody(receiver):
                owned = ()
            if len(self._owned_memo) >= _MEMO:
                self._owned_memo.clear()
            self._owned_memo[key] = owned
        return owned

    def is_owned(self, data: bytes, start: int, end: int) -> bool:
        """Return whether a word in some bytes is such a field of a person: `zip` in `person->zip`."""
        word = data[start:end].decode("utf-8", "replace")
        if not self._names.find_generic(word):
            return False
        owner = keyword_automaton.OWNER.search(data, max(0, start - _FARTHEST_OWNER), start)
        return owner is not None and self._context.is_somebody(owner[1].decode("ascii"))

    def group_of(self, attribute: str, value: str | float | bool, data_set: str | None = None) -> str | None:
        """Return the canonical group of `attribute` that a value spells, None where it is no known spelling.

        Numbers mean a group only within a `data_set`; True and False are yes and no where those are groups.
        """
        return self._group_index.of(attribute, value, data_set)

    @property
    def telling(self) -> Mapping[str, Sequence[tuple[str, Sequence[str]]]]:
        """The names that mean an attribute by values alone, each with attributes and such values."""
        return self.index.told_by

    @cached_property
    def telling_values(self) -> frozenset[str]:
        """Those values, in small letters and in capitals."""
        values = {value for each in self.telling.values() for _, several in each for value in several}
        return frozenset(one for value in values for one in (value, value.upper()))

    def groups_in(self, text: str) -> tuple[tuple[str, str], ...]:
        """Return the (attribute, group) pairs that a literal denotes without any attribute's name near by."""
        return self._group_index.in_text(text)

    def range_in(self, attribute: str, text: str) -> tuple[float, float] | None:
        """Return the lowest and the highest number of the range that a text names ("Age 50 to 54"), if it
        does.
        """
        return self._group_index.range_in(attribute, text)

    def is_missing(self, attribute: str, group: str) -> bool:
        """Return whether a group that `group_of` gave is "unknown" or its like, and no group of people."""
        return self._group_index.is_missing(attribute, group)

    def weigh(self, mention: Mention, surroundings: Surroundings) -> tuple[Evidence, ...]:
        """Return the reasons to believe, or not, that a mention is about a person; without those from its
        effect.
        """
        from fairlint.vocabulary.weighing import weigh_mention  # noqa: PLC0415 (most files mention nothing)

        entry = self._attribute_tables.get(mention.attribute)
        return weigh_mention(
            self._context,
            mention,
            surroundings,
            groups=self._groups_among(mention.attribute, surroundings.values) if entry else (),
            attributes=self._strong_attributes,
            title=entry.title if entry else mention.attribute,
            not_of=entry.not_of if entry else frozenset(),
            not_values=entry.not_values if entry else frozenset(),
            beside=entry.beside.get(" ".join(mention.words), ()) if entry else (),
        )

    def is_person_attribute(self, identifier: str, surroundings: Surroundings) -> tuple[Mention, ...]:
        """Return the mentions in an identifier that its surroundings make a person's attributes."""
        return tuple(
            mention
            for mention in self.mentions_of(identifier, surroundings.receiver)
            if sum(item.weight for item in self.weigh(mention, surroundings)) >= PERSON_WEIGHT
        )

    def domain_of(self, surroundings: Surroundings) -> str:
        """hiring, credit, housing, education, health, justice, insurance, public, dating, or empty."""
        return self._context.domain_of(surroundings)

    def data_set_of(self, columns: Iterable[str]) -> str | None:
        """Return the known data set that at least three of the columns belong to."""
        return self._context.data_set_of(columns, lambda name: bool(self.mentions(name)))

    def data_set_called(self, text: str) -> str | None:
        """Return the known data set that a call which reads a table names, by the file or the loader."""
        return self._context.data_set_called(text)

    def data_set_marks(self) -> tuple[bytes, ...]:
        """Texts, in lower case, by which `data_set_called` knows the data sets."""
        return self._context.data_set_marks()

    def order_of(self, data_set: str) -> tuple[str, ...]:
        """Return the columns of a known data set's file by their places; empty where nobody can count on
        them.
        """
        return self._context.order_of(data_set)

    def columns_of(self, data_set: str) -> tuple[str, ...]:
        """Return the columns of a known data set, in their usual order; a KeyError for any other."""
        return self._context.columns_of(data_set)

    def protected_in(self, attribute: str, jurisdiction: str = "all", domain: str = "all") -> bool:
        """Return whether the use of an attribute is barred or strict there; `all` asks for any.

        An empty domain is an unknown one: what is a lawful factor elsewhere is then not protected. What was
        switched off is protected nowhere, and what names no law, as users' own, everywhere.
        """
        entry = self._attribute_tables.get(self._key(attribute))
        if entry is None:
            return False
        if jurisdiction != "all" and entry.laws and jurisdiction not in entry.laws:
            return False
        if domain == "all" or not entry.domains:
            return True
        return domain in entry.domains if domain else not entry.needs_domain

    def laws_of(self, attribute: str) -> list[str]:
        """Return what an attribute's table says of laws, of all jurisdictions; nothing of what was switched
        off.
        """
        entry = self._attribute_tables.get(self._key(attribute))
        return [] if entry is None else [law for laws in entry.laws.values() for law in laws]

    def lawful_limits(self, attribute: str, surroundings: Surroundings | None = None) -> tuple[float, ...]:
        """Numbers that the law itself sets; more of them where the words around speak of, say, pensions."""
        entry = self._attribute_tables[self._key(attribute)]
        if surroundings is None or not entry.limits_among:
            return entry.limits
        around = (surroundings.function, surroundings.prose, surroundings.receiver, *surroundings.siblings)
        if any(bag_of(text).holds(entry.limit_words) for text in around):
            return (*entry.limits, *entry.limits_among)
        return entry.limits

    def prefilter_pattern(self) -> str:
        """Return one expression for a file's raw bytes (RE2's syntax, LATIN1 mode).

        Where it does not match, no identifier in the file has a mention.
        """
        if self._ready_pattern is not None:
            return self._ready_pattern()
        owned = keyword_automaton.Owned(self._context.somebodies, frozenset(self._names.generic()))
        return keyword_automaton.pattern(self._word_sequences(), self._names.columns(), owned)

    @cached_property
    def spans(self) -> Callable[[bytes], list[tuple[int, int]]]:
        """The expression, compiled: gives the stretches of some bytes that may mention an attribute.

        They are in order. A stretch may take in the characters beside a name; names that touch may be one.
        """
        return keyword_automaton.spans_in(self.prefilter_pattern())

    def offsets(self, data: bytes) -> list[int]:
        """Return where the stretches of `spans` start."""
        return [start for start, _ in self.spans(data)]

    @cached_property
    def _loaded_tables(self) -> Data:
        return self._load()

    @property
    def _attribute_tables(self) -> Mapping[str, AttributeTable]:
        return self._loaded_tables.tables

    @cached_property
    def index(self) -> Index:
        """All names, flags and columns."""
        return index_of(self._attribute_tables) if self._ready_index is None else self._ready_index

    @cached_property
    def forms(self) -> Mapping[str, Sequence[Row]]:
        """How running text names the groups of all attributes."""
        if self._ready_forms is not None:
            return self._ready_forms
        return forms_of(self._attribute_tables, self._context.weak_groups, self._prose_nouns)

    @cached_property
    def prose(self) -> Prose:
        """Finds groups of people in running text."""
        return Prose(self.forms, self._prose_nouns)

    def may_be_thing(self, noun: str) -> bool:
        """Return whether a noun for people is one for parts of programs as well: clients, workers, agents."""
        words = {noun, singular(noun)}
        return not (words.isdisjoint(self._context.codeish) and words.isdisjoint(self._prose_nouns.unsure))

    @cached_property
    def _prose_nouns(self) -> Nouns:
        return Nouns.read(self._loaded_tables.context["prose"])

    @property
    def data(self) -> Data:
        """What the vocabulary was built from."""
        return self._loaded_tables

    @cached_property
    def _surrounding_words(self) -> Around:
        return Around.read(self._loaded_tables.names["names"])

    @cached_property
    def _context(self) -> Context:
        return Context(self._loaded_tables.context)

    @cached_property
    def _group_index(self) -> Groups:
        around = self._surrounding_words
        ranges = Ranges.read(self._loaded_tables.names["ranges"])
        return Groups(
            self._attribute_tables,
            around.constant_before,
            around.group_after,
            ranges,
            self.index.distinctive,
            choosing=around.choosing,
            beside_choosing=around.beside_choosing,
        )

    @cached_property
    def _names(self) -> Names:
        context = self._context
        return Names(
            self._attribute_tables,
            self._group_index,
            self._surrounding_words,
            persons=context.persons,
            weights=context.weights,
            index=self.index,
        )

    def _word_sequences(self) -> set[Words]:
        found: set[Words] = set()
        beside = (*self._surrounding_words.flag_opens, *self._surrounding_words.flag_persons)
        for words, needs_company in self._names.sequences():
            if not needs_company:
                found.add(words)
                continue
            for word in beside:
                found.add((word, *words))
            for word in self._surrounding_words.flag_persons:
                found.add((*words, word))
            if words[-1] in self._surrounding_words.belonging:
                found.update((word, *words) for word in self._surrounding_words.peoples)
        return found

    def _groups_among(self, attribute: str, values: tuple[str, ...]) -> tuple[str, ...]:
        found = dict.fromkeys(self.group_of(attribute, value) for value in values[:50])
        return tuple(group for group in found if group is not None and group != UNKNOWN)

    def _strong_attributes(self, name: str) -> frozenset[str]:
        """Attributes that a sibling names clearly enough to speak for a person."""
        known = self._named.get(name)
        if known is None:
            known = frozenset(
                mention.attribute for mention in self.mentions(name) if mention.strength != "proxy"
            )
            if len(self._named) >= _MEMO:
                self._named.clear()
            self._named[name] = known
        return known


def _build_attribute(name: str, entry: AttributeTable) -> Attribute:
    own = entry.names.get(split_words(name)) or entry.names.get(split_words(entry.name))
    grades = [own] if own else [grade for grade in _STRENGTH_OF_GRADE if grade in entry.names.values()]
    groups = {name: Group(name, frozenset(spellings)) for name, spellings in entry.groups.items()}
    groups.setdefault(UNKNOWN, Group(UNKNOWN, frozenset(entry.missing), missing=True))
    return Attribute(
        name=name,
        title=entry.title,
        kind=entry.kind,
        strength=_STRENGTH_OF_GRADE[grades[0]] if grades else "ambiguous",
        groups=MappingProxyType(groups),
        core_groups=entry.core,
        coarse_groups=frozenset(entry.coarse),
        form=entry.form,
        bands=MappingProxyType(entry.bands),
        domains=entry.domains,
        laws=MappingProxyType(entry.laws),
        data_sets=MappingProxyType({name: MappingProxyType(codes) for name, codes in entry.codes.items()}),
        proxy_for=entry.proxy_for,
        ordered=entry.ordered,
        identifies=entry.identifies,
        lawful_limits=entry.limits,
        note=entry.note,
    )
