"""Context: what the words around a mention say about whether it is a person's attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from fairlint.support.expressions import lazy_expression
from fairlint.vocabulary.attribute_table import table, texts
from fairlint.vocabulary.bags import Bag, Lexicon, World, bag_of, join_bags, words_in
from fairlint.vocabulary.model import Surroundings
from fairlint.vocabulary.words import singular, split_words

MOST_SIBLINGS = 200
_MOST_SEEN = 1_000
CLINICAL_DOMAIN = "health"
_SUBSCRIPTS = lazy_expression(r"\[[^\]]*\]|\([^)]*\)|->(?=$)")


class Context:
    """The lexicons of context.toml and the weighing of what stands around a mention."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self.weights = {
            key: value for key, value in table(raw["weights"], "weights").items() if isinstance(value, int)
        }
        self.flag_beside = frozenset(texts(table(raw["flags"], "flags")["beside"], "flags.beside"))
        shared = Lexicon.read(table(raw["shared"], "shared")["names"], "shared.names")
        self.shared = shared.words.union(shared.phrases)
        persons = table(raw["persons"], "persons")
        self.sure = Lexicon.read(persons["sure"], "persons.sure")
        self.likely = Lexicon.read(persons["likely"], "persons.likely")
        self.record = Lexicon.read(persons["record"], "persons.record")
        self.occupation = Lexicon.read(persons["occupation"], "persons.occupation")
        self.not_person = Lexicon.read(persons["not_person"], "persons.not_person")
        self.conditions = Lexicon.read(persons["conditions"], "persons.conditions").words
        self.titles = Lexicon.read(persons["titles"], "persons.titles")
        self.programs = Lexicon.read(persons["programs"], "persons.programs")
        self.served = Lexicon.read(persons["served"], "persons.served")
        self.makers = Lexicon.read(persons["makers"], "persons.makers")
        self._users = Lexicon.read(persons["users"], "persons.users")
        self.suffixes = tuple(texts(persons["suffixes"], "persons.suffixes"))
        self.behind = Lexicon.read(persons["behind"], "persons.behind").words
        self.codeish_lexicon = Lexicon.read(table(raw["codeish"], "codeish")["words"], "codeish.words")
        fields = table(raw["fields"], "fields")
        words, phrases, skills = (
            Lexicon.read(fields[key], f"fields.{key}") for key in ("words", "phrases", "skills")
        )
        self.fields = Lexicon(words.words | skills.words, (*phrases.phrases, *skills.phrases))
        self.of_things = Lexicon.read(fields["of_things"], "fields.of_things").words
        self.of_programs = Lexicon.read(fields["of_programs"], "fields.of_programs").words
        self.weak_facts = self.of_things | self.of_programs
        self.parts = self.codeish | self.of_programs
        self.things = Lexicon.read(fields["things"], "fields.things").words
        self.verbs = Lexicon.read(table(raw["verbs"], "verbs")["words"], "verbs.words")
        self.telling = Lexicon.read(table(raw["telling"], "telling")["words"], "telling.words")
        self.verdicts = Lexicon.read(table(raw["verdicts"], "verdicts")["words"], "verdicts.words")
        clinical = Lexicon.read(table(raw["clinical"], "clinical")["words"], "clinical.words")
        self.weak_groups = frozenset(texts(table(raw["weak_groups"], "weak_groups")["names"], "weak_groups"))
        self.domains = {
            name: Lexicon.read(words, f"domains.{name}")
            for name, words in table(raw["domains"], "domains").items()
        }
        health = self.domains[CLINICAL_DOMAIN]
        self.domains[CLINICAL_DOMAIN] = Lexicon(
            health.words | clinical.words, tuple(sorted({*health.phrases, *clinical.phrases}))
        )
        self.hints = {
            name: Lexicon.read(words, f"domain_hints.{name}")
            for name, words in table(raw["domain_hints"], "domain_hints").items()
        }
        self.worlds = tuple(
            _parse_world(name, table(entry, f"worlds.{name}"))
            for name, entry in table(raw["worlds"], "worlds").items()
        )
        self._data_set_order = {
            name: tuple(texts(columns, f"data_set_order.{name}"))
            for name, columns in table(raw["data_set_order"], "data_set_order").items()
        }
        self.table_modules = frozenset(texts(table(raw["tables"], "tables")["modules"], "tables.modules"))
        self._data_set_columns = {
            name: tuple(texts(columns, f"data_sets.{name}"))
            for name, columns in table(raw["data_sets"], "data_sets").items()
        }
        self._data_set_files = {
            name: tuple(texts(marks, f"data_set_files.{name}"))
            for name, marks in table(raw["data_set_files"], "data_set_files").items()
        }
        self.data_sets = {name: frozenset(columns) for name, columns in self._data_set_columns.items()}
        self.data_sets_folded = {
            name: frozenset(normalize_column(column) for column in columns if not column.isupper())
            for name, columns in self.data_sets.items()
        }
        self.words_of_worlds = words_in(one for world in self.worlds for one in (world.lexicon, world.loose))
        """Without one of these, nothing tells of another world."""
        self._words_of_domains = {name: words_in([words]) for name, words in self.domains.items()}
        self.field_words: dict[str, frozenset[str]] = {}
        self._data_sets_seen: dict[tuple[str, ...], str | None] = {}

    @property
    def persons(self) -> frozenset[str]:
        """Single words that name a person."""
        return self.sure.words | self.likely.words | (self.occupation.words - self.codeish_lexicon.words)

    @property
    def codeish(self) -> frozenset[str]:
        """Nouns for people that code also uses for its own parts."""
        return self.codeish_lexicon.words

    @property
    def somebodies(self) -> frozenset[str]:
        """Single words that name a person and hardly ever a part of a program: whose fields are a
        person's.
        """
        return (self.sure.words | self.likely.words) - self.codeish_lexicon.words - self._users.words

    def is_somebody(self, receiver: str) -> bool:
        """Return whether a receiver's last word is such a word."""
        words = split_words(_SUBSCRIPTS.sub("", receiver).rpartition(".")[2])
        while words and words[-1].isdigit():
            words = words[:-1]
        return bool(words) and not self.somebodies.isdisjoint((words[-1], singular(words[-1])))

    def data_set_of(self, columns: Iterable[str], is_attribute: Callable[[str], bool]) -> str | None:
        """Return the known data set that at least three of the columns belong to, two of which are no
        attribute.
        """
        several = tuple(dict.fromkeys(columns))
        if several not in self._data_sets_seen:
            if len(self._data_sets_seen) >= _MOST_SEEN:
                self._data_sets_seen.clear()
            self._data_sets_seen[several] = self._best_data_set(several, is_attribute)
        return self._data_sets_seen[several]

    def _best_data_set(self, several: tuple[str, ...], is_attribute: Callable[[str], bool]) -> str | None:
        folded = {column: normalize_column(column) for column in several}
        best: tuple[int, str] | None = None
        for name, known in self.data_sets.items():
            known_folded = self.data_sets_folded[name]
            spelt = {folded[one]: one for one in several if one in known or folded[one] in known_folded}
            hits = list(spelt.values())  # `Name` and `name` are one column
            if len(hits) < 3 or sum(not is_attribute(column) for column in hits) < 2:
                continue
            if best is None or len(hits) > best[0]:
                best = (len(hits), name)
        return best[1] if best else None

    def data_set_called(self, text: str) -> str | None:
        """Return the known data set that a call which reads one names: `read_csv("adult.csv")`."""
        lower = text.lower().replace("'", '"')
        return next(
            (name for name, marks in self._data_set_files.items() if any(mark in lower for mark in marks)),
            None,
        )

    def data_set_marks(self) -> tuple[bytes, ...]:
        """Return the texts by which `data_set_called` knows the data sets."""
        return tuple(mark.encode() for marks in self._data_set_files.values() for mark in marks)

    def order_of(self, data_set: str) -> tuple[str, ...]:
        """Return the columns of a known data set's file by their places; empty where nobody can count on
        them.
        """
        return self._data_set_order.get(data_set, ())

    def columns_of(self, data_set: str) -> tuple[str, ...]:
        """Return the columns of a known data set, in their usual order."""
        return self._data_set_columns[data_set]

    def domains_in(self, *bags: Bag) -> list[tuple[str, Lexicon]]:
        """Return the domains of which anything may occur in some texts."""
        words = frozenset().union(*(bag.words for bag in bags))
        return [
            (name, self.domains[name])
            for name, known in self._words_of_domains.items()
            if not known.isdisjoint(words)
        ]

    def domain_of(self, around: Surroundings) -> str:
        """hiring, credit, ..., or an empty text where nothing tells."""
        named = join_bags(map(bag_of, (around.receiver, around.receiver_type, around.function)))
        siblings = join_bags(map(bag_of, around.siblings[:MOST_SIBLINGS]))
        prose, path = bag_of(around.prose), join_bags(map(bag_of, (around.path, *around.imports)))
        best, domain = 0, ""
        for name, lexicon in self.domains_in(named, siblings, prose, path):
            hint = self.hints.get(name)
            hinted, told = _split_hits(named.hits(lexicon), hint)
            also_hinted, beside = _split_hits(siblings.hits(lexicon), hint)
            score = (
                int(hinted or also_hinted)
                + 3 * told
                + 2 * beside
                + len(prose.hits(lexicon))
                + 2 * len(path.hits(lexicon))
            )
            if score > best:
                best, domain = score, name
        return domain


def _parse_world(name: str, entry: Mapping[str, object]) -> World:
    where = f"worlds.{name}"
    weight, alone = entry["weight"], entry.get("alone", -1)
    if not isinstance(weight, int) or not isinstance(alone, int):
        raise ValueError(f"{where}: expected numbers for weight and alone")
    words = Lexicon.read(entry["words"], f"{where}.words")
    vague = Lexicon.read(entry.get("vague", ""), f"{where}.vague")
    return World(
        name,
        str(entry["reason"]),
        weight,
        frozenset(texts(entry.get("attributes", []), f"{where}.attributes")),
        frozenset(texts(entry.get("except", []), f"{where}.except")),
        words,
        Lexicon(words.words | vague.words, tuple(sorted({*words.phrases, *vague.phrases}))),
        alone,
        frozenset(texts(entry.get("only_of", []), f"{where}.only_of")),
        bool(entry.get("of_models", True)),
    )


def normalize_column(name: str) -> str:
    """Return a column's name without case and signs."""
    return name.lower().replace("-", "_").replace(" ", "_").replace(".", "_")


def shorten_text(text: str) -> str:
    """Return a text as a reason quotes it, shortened."""
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."


def _split_hits(hits: Sequence[str], hint: Lexicon | None) -> tuple[int, int]:
    """Return how many words only hint at a field, and how many are its own."""
    hinted = 0 if hint is None else sum(word in hint.words for word in hits)
    return hinted, len(hits) - hinted
