"""Context: what the words around a mention say about whether it is a person's attribute."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from fairlint.support.records import Record, replace
from fairlint.vocabulary.model import ASKED, TYPED, Evidence, Mention, Surroundings
from fairlint.vocabulary.tables import table, texts
from fairlint.vocabulary.words import singular, split_words

_PROSE_LIMIT = 4000
_MOST_SIBLINGS = 200
_MOST_KEPT = 4096
_MANY_FACTS = 3
_AGENT_LENGTH = 5
_LONGEST_LINE = 160
_MOST_LINES = 80
_MOST_SEEN = 1_000
CLINICAL_DOMAIN = "health"
_SUBSCRIPTS = re.compile(r"\[[^\]]*\]|\([^)]*\)|->(?=$)")


class Bag(Record):
    """Some text's words for look-ups: single words with their singulars, and phrases in the running text."""

    words: frozenset[str]
    running: str

    def hits(self, lexicon: Lexicon, without: frozenset[str] = frozenset()) -> list[str]:
        """The entries of a lexicon that occur, less some words."""
        hits = [word for word in sorted(self.words & lexicon.words) if word not in without]
        if self.running and not lexicon.begin.isdisjoint(self.words):
            hits += [phrase for phrase, begins, whole in lexicon.sought
                     if begins in self.words and whole in self.running]  # fmt: skip
        return hits

    def holds(self, texts: Iterable[str]) -> bool:
        """Whether one of some words or phrases occurs."""
        return any(text in self.words or (" " in text and f" {text} " in self.running) for text in texts)


class Lexicon(Record, slots=False):
    """A list of words and phrases."""

    words: frozenset[str]
    phrases: tuple[str, ...]

    @cached_property
    def sought(self) -> tuple[tuple[str, str, str], ...]:
        """Each phrase with its first word, which most texts lack, and as it stands in a running text."""
        return tuple([(phrase, phrase.partition(" ")[0], f" {phrase} ") for phrase in self.phrases])

    @cached_property
    def begin(self) -> frozenset[str]:
        """The first words of the phrases."""
        return frozenset(begins for _, begins, _ in self.sought)

    @classmethod
    def read(cls, raw: object, where: str) -> Lexicon:
        """From a TOML list, or from what was made of one before."""
        if isinstance(raw, Mapping):
            return cls(frozenset(raw["words"]), tuple(raw["phrases"]))
        items = [" ".join(split_words(item)) for item in texts(raw, where) if item]
        return cls(
            frozenset(item for item in items if " " not in item),
            tuple(sorted({item for item in items if " " in item})),
        )


class World(Record):
    """A world in which the same words mean something else: games, caches, grammar."""

    name: str
    reason: str
    weight: int
    attributes: frozenset[str]
    exempt: frozenset[str]
    lexicon: Lexicon
    loose: Lexicon
    """Its words, and those that code about people uses as well."""
    alone: int
    """What a single word far away weighs."""
    names: frozenset[str]
    """The names that it takes its meaning from; empty for all."""
    of_models: bool
    """Whether its words say something of what a model is given, too."""


EMPTY = Bag(frozenset(), "")


@lru_cache(maxsize=4096)
def bag_of(text: str) -> Bag:
    """The words of one name or text."""
    if not text:
        return EMPTY
    words = split_words(text[:_PROSE_LIMIT])
    return Bag(frozenset(words) | frozenset(map(singular, words)), f" {' '.join(words)} ")


def join_bags(bags: Iterable[Bag]) -> Bag:
    """Several bags as one."""
    several = [bag for bag in bags if bag is not EMPTY]
    if not several:
        return EMPTY
    if len(several) == 1:
        return several[0]
    return Bag(frozenset().union(*(bag.words for bag in several)), "|".join(bag.running for bag in several))


class Context:
    """The lexicons of context.toml and the weighing of what stands around a mention."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self.weights = {
            key: value for key, value in table(raw["weights"], "weights").items() if isinstance(value, int)
        }
        self._flag_beside = frozenset(texts(table(raw["flags"], "flags")["beside"], "flags.beside"))
        persons = table(raw["persons"], "persons")
        self._sure = Lexicon.read(persons["sure"], "persons.sure")
        self._likely = Lexicon.read(persons["likely"], "persons.likely")
        self._record = Lexicon.read(persons["record"], "persons.record")
        self._occupation = Lexicon.read(persons["occupation"], "persons.occupation")
        self._not_person = Lexicon.read(persons["not_person"], "persons.not_person")
        self._conditions = Lexicon.read(persons["conditions"], "persons.conditions").words
        self._titles = Lexicon.read(persons["titles"], "persons.titles")
        self._programs = Lexicon.read(persons["programs"], "persons.programs")
        self._users = Lexicon.read(persons["users"], "persons.users")
        self._suffixes = tuple(texts(persons["suffixes"], "persons.suffixes"))
        self._behind = Lexicon.read(persons["behind"], "persons.behind").words
        self._codeish = Lexicon.read(table(raw["codeish"], "codeish")["words"], "codeish.words")
        fields = table(raw["fields"], "fields")
        words, phrases, skills = (
            Lexicon.read(fields[key], f"fields.{key}") for key in ("words", "phrases", "skills")
        )
        self._fields = Lexicon(words.words | skills.words, (*phrases.phrases, *skills.phrases))
        self._of_things = Lexicon.read(fields["of_things"], "fields.of_things").words
        self._things = Lexicon.read(fields["things"], "fields.things").words
        self._verbs = Lexicon.read(table(raw["verbs"], "verbs")["words"], "verbs.words")
        self._telling = Lexicon.read(table(raw["telling"], "telling")["words"], "telling.words")
        self._verdicts = Lexicon.read(table(raw["verdicts"], "verdicts")["words"], "verdicts.words")
        clinical = Lexicon.read(table(raw["clinical"], "clinical")["words"], "clinical.words")
        self.weak_groups = frozenset(texts(table(raw["weak_groups"], "weak_groups")["names"], "weak_groups"))
        self._domains = {
            name: Lexicon.read(words, f"domains.{name}")
            for name, words in table(raw["domains"], "domains").items()
        }
        health = self._domains[CLINICAL_DOMAIN]
        self._domains[CLINICAL_DOMAIN] = Lexicon(
            health.words | clinical.words, tuple(sorted({*health.phrases, *clinical.phrases}))
        )
        self._hints = {
            name: Lexicon.read(words, f"domain_hints.{name}")
            for name, words in table(raw["domain_hints"], "domain_hints").items()
        }
        self._worlds = tuple(
            _parse_world(name, table(entry, f"worlds.{name}"))
            for name, entry in table(raw["worlds"], "worlds").items()
        )
        self._data_set_order = {
            name: tuple(texts(columns, f"data_set_order.{name}"))
            for name, columns in table(raw["data_set_order"], "data_set_order").items()
        }
        self._table_modules = frozenset(texts(table(raw["tables"], "tables")["modules"], "tables.modules"))
        self._data_set_columns = {
            name: tuple(texts(columns, f"data_sets.{name}"))
            for name, columns in table(raw["data_sets"], "data_sets").items()
        }
        self._data_set_files = {
            name: tuple(texts(marks, f"data_set_files.{name}"))
            for name, marks in table(raw["data_set_files"], "data_set_files").items()
        }
        self._data_sets = {name: frozenset(columns) for name, columns in self._data_set_columns.items()}
        self._data_sets_folded = {
            name: frozenset(_normalize_column(column) for column in columns if not column.isupper())
            for name, columns in self._data_sets.items()
        }
        self._field_words: dict[str, frozenset[str]] = {}
        self._data_sets_seen: dict[tuple[str, ...], str | None] = {}

    @property
    def persons(self) -> frozenset[str]:
        """Single words that name a person."""
        return self._sure.words | self._likely.words | (self._occupation.words - self._codeish.words)

    @property
    def codeish(self) -> frozenset[str]:
        """Nouns for people that code also uses for its own parts."""
        return self._codeish.words

    @property
    def somebodies(self) -> frozenset[str]:
        """Single words that name a person and hardly ever a part of a program: whose fields are a
        person's.
        """
        return (self._sure.words | self._likely.words) - self._codeish.words - self._users.words

    def is_somebody(self, receiver: str) -> bool:
        """Whether a receiver's last word is such a word."""
        words = split_words(_SUBSCRIPTS.sub("", receiver).rpartition(".")[2])
        while words and words[-1].isdigit():
            words = words[:-1]
        return bool(words) and not self.somebodies.isdisjoint((words[-1], singular(words[-1])))

    def data_set_of(self, columns: Iterable[str], is_attribute: Callable[[str], bool]) -> str | None:
        """The known data set that at least three of the columns belong to, two of which are no attribute."""
        several = tuple(dict.fromkeys(columns))
        if several not in self._data_sets_seen:
            if len(self._data_sets_seen) >= _MOST_SEEN:
                self._data_sets_seen.clear()
            self._data_sets_seen[several] = self._best_data_set(several, is_attribute)
        return self._data_sets_seen[several]

    def _best_data_set(self, several: tuple[str, ...], is_attribute: Callable[[str], bool]) -> str | None:
        folded = {column: _normalize_column(column) for column in several}
        best: tuple[int, str] | None = None
        for name, known in self._data_sets.items():
            known_folded = self._data_sets_folded[name]
            spelt = {folded[one]: one for one in several if one in known or folded[one] in known_folded}
            hits = list(spelt.values())  # `Name` and `name` are one column
            if len(hits) < 3 or sum(not is_attribute(column) for column in hits) < 2:
                continue
            if best is None or len(hits) > best[0]:
                best = (len(hits), name)
        return best[1] if best else None

    def data_set_called(self, text: str) -> str | None:
        """The known data set that a call which reads one names: `read_csv("adult.csv")`."""
        lower = text.lower().replace("'", '"')
        return next(
            (name for name, marks in self._data_set_files.items() if any(mark in lower for mark in marks)),
            None,
        )

    def data_set_marks(self) -> tuple[bytes, ...]:
        """The texts by which `data_set_called` knows the data sets."""
        return tuple(mark.encode() for marks in self._data_set_files.values() for mark in marks)

    def order_of(self, data_set: str) -> tuple[str, ...]:
        """The columns of a known data set's file by their places; empty where nobody can count on them."""
        return self._data_set_order.get(data_set, ())

    def columns_of(self, data_set: str) -> tuple[str, ...]:
        """The columns of a known data set, in their usual order."""
        return self._data_set_columns[data_set]

    def domain_of(self, around: Surroundings) -> str:
        """hiring, credit, ..., or an empty text where nothing tells."""
        named = join_bags(map(bag_of, (around.receiver, around.receiver_type, around.function)))
        siblings = join_bags(map(bag_of, around.siblings[:_MOST_SIBLINGS]))
        prose, path = bag_of(around.prose), join_bags(map(bag_of, (around.path, *around.imports)))
        best, domain = 0, ""
        for name, lexicon in self._domains.items():
            hint = self._hints.get(name)
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

    def _words_of(self, domain: str, around: Surroundings) -> list[str]:
        """The words around that are a field's own, the nearest first."""
        near = (around.receiver, around.receiver_type, around.function, *around.siblings[:_MOST_SIBLINGS])
        far = (around.prose, around.path, *around.imports)
        return [word for bag in map(bag_of, (*near, *far)) for word in bag.hits(self._domains[domain])]

    def weigh(
        self,
        mention: Mention,
        around: Surroundings,
        *,
        groups: tuple[str, ...],
        attributes: Callable[[str], frozenset[str]],
        title: str,
        not_of: frozenset[str],
        not_values: frozenset[str],
        beside: tuple[str, ...] = (),
    ) -> tuple[Evidence, ...]:
        """The reasons for and against.

        `groups` are those that `around.values` spell, `attributes` says what a sibling names, `not_of`
        and `not_values` are the attribute's own words for what is no person, and no value of a person.
        Of `beside`, where there are any, one has to stand near.
        """
        weights = self.weights
        evidence: list[Evidence] = []
        if mention.weight:
            evidence.append(Evidence(mention.weight, _name_reason(mention, title)))
        telling = [group for group in groups if group not in self.weak_groups]
        if telling:
            evidence.append(Evidence(weights["group"], f"the code compares it with the group '{telling[0]}'"))
        elif mention.strength == "proxy" and around.values:
            evidence.append(Evidence(weights["values"], f"compared with '{_shorten_text(around.values[0])}'"))
        named = len(evidence)
        own = frozenset(mention.words) | frozenset(split_words(mention.identifier))
        person = self._person_evidence(mention, around, own)
        evidence += person
        evidence += self._no_person(mention, around, own, not_of, not_values)
        if beside:
            evidence.append(self._company_evidence(mention, around, beside))
        evidence += self._fields_evidence(mention, around, own, attributes)
        aims, judged = self._aim_evidence(around, own)
        evidence += self._flag_of_person(mention, around, attributes)
        evidence += aims
        speaking = [item.weight for item in evidence[named:] if item.weight > 0]
        evidence += judged
        sure = any(item.weight >= weights["sure_person"] for item in person) or any(
            item.weight == weights["data_set"] and "data set" in item.reason for item in evidence
        )
        spoken = any(item.weight >= weights["about"] for item in (*person, *aims))
        spoken = spoken or any(module.partition(".")[0] in self._table_modules for module in around.imports)
        spoken_for = max(speaking, default=0) >= weights["about"] or sum(speaking) > weights["about"]
        believed = bool(telling) or mention.group is not None or spoken_for
        if speaking:  # then the names that the function itself uses may lower it, and nothing farther away
            around = replace(around, path="", prose="", function="", imports=())
        evidence += self._other_worlds(mention, around, own, sure=sure, spoken=spoken, believed=believed)
        return tuple(evidence)

    def _person_evidence(self, mention: Mention, around: Surroundings, own: frozenset[str]) -> list[Evidence]:
        weights = self.weights
        if around.receiver == ASKED:
            return [Evidence(weights["likely_person"], "the question asks its reader for it")]
        found: list[Evidence] = []
        if around.receiver_type == TYPED:
            found.append(Evidence(weights["record"], "the program asks for it"))
            around = replace(around, receiver_type="")
        receiver = around.receiver.rpartition(".")[2] or around.receiver
        rest = "_".join(word for word in split_words(mention.identifier) if word not in mention.words)
        best, noun = max(
            (self._person_weight(receiver), f"receiver `{_shorten_text(receiver)}`"),
            (self._person_weight(rest, agents=False), f"`{rest}`"),
            (self._person_weight(around.receiver_type), f"its type `{_shorten_text(around.receiver_type)}`"),
            key=lambda item: item[0],
        )
        if best:
            text = "is a person" if best > weights["record"] else "may hold data about a person"
            found.append(Evidence(best, f"{noun} {text}"))
        about = self._function_topic(around.function, own if not best else frozenset())
        if about:
            weight = weights["about_again" if best >= weights["likely_person"] else "about"]
            shown = _shorten_text(around.function)
            found.append(Evidence(weight, f"function `{shown}` is about a person ({about})"))
        elif not best and (hits := bag_of(around.prose).hits(self._sure, own)):
            found.append(Evidence(1, f"its text speaks of a person ({hits[0]})"))
        return found

    def _no_person(
        self,
        mention: Mention,
        around: Surroundings,
        own: frozenset[str],
        not_of: frozenset[str],
        not_values: frozenset[str],
    ) -> list[Evidence]:
        """The reason against a person that what is read from, or compared with, gives by itself."""
        weights = self.weights
        holder = join_bags((bag_of(around.receiver), bag_of(around.receiver_type)))
        if things := sorted((holder.words & not_of) - self._record.words - own):
            return [Evidence(weights["not_of"], f"`{things[0]}` is no person")]
        if mention.group is not None and (asking := self._asks_for(around.receiver)):
            reason = f"`{_shorten_text(asking)}` holds what people have to be, and no person"
            return [Evidence(weights["not_beside"], reason)]
        if other := [value for value in around.values[:20] if bag_of(value).holds(not_values)]:
            return [Evidence(weights["not_of"], f"'{_shorten_text(other[0])}' says nothing about a person")]
        return []

    def _asks_for(self, receiver: str) -> str:
        """What is read from, where it holds conditions: `rules` of `rules["is_woman"]`."""
        name = receiver.rpartition(".")[2]
        words = split_words(name)
        return name if words and singular(words[-1]) in self._conditions else ""

    def _person_weight(self, name: str, *, agents: bool = True) -> int:
        weights = self.weights
        if not name:
            return 0
        bag = bag_of(name)
        if bag.hits(self._sure):
            return weights["sure_person"]
        likely = bag.hits(self._likely)
        if any(word not in self._codeish.words for word in likely):
            return weights["likely_person"]
        occupation = bag.hits(self._occupation)
        if any(word not in self._codeish.words for word in occupation):
            return weights["likely_person"]
        if likely or occupation:
            return weights["record"]
        words = self._words_to_noun(split_words(name)) if agents else ()
        if self._is_agent(words):
            return weights["likely_person"]
        return weights["record"] if self._is_trade_title(words) or bag.hits(self._record) else 0

    def _words_to_noun(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The words up to the noun that a name is about: `supervisors_of_cleaners` is about supervisors."""
        end = next((at for at, word in enumerate(words) if at and word in self._behind), len(words))
        return words[:end]

    def _is_agent(self, words: tuple[str, ...]) -> bool:
        """Whether the last word looks like a person who does something: roofer, stylist, technician."""
        if not words:
            return False
        head = singular(words[-1])
        return (
            len(head) > _AGENT_LENGTH
            and head.endswith(self._suffixes)
            and head not in self._not_person.words
            and words[-1] not in self._not_person.words
        )

    def _is_trade_title(self, words: tuple[str, ...]) -> bool:
        """Whether a noun that programs go by, too, stands behind a trade: a sales agent, no web agent."""
        if len(words) < 2 or singular(words[-1]) not in self._titles.words:
            return False
        trade = words[:-1]
        return self._programs.words.isdisjoint((*trade, *map(singular, trade)))

    def _function_topic(self, function: str, own: frozenset[str]) -> str:
        if not function:
            return ""
        bag = bag_of(function)
        for lexicon in (self._sure, self._likely, self._occupation):
            for hit in bag.hits(lexicon, own):
                if hit not in self._verbs.words and (lexicon is self._sure or hit not in self._codeish.words):
                    return hit
        words = split_words(function)
        verbs = [at for at, word in enumerate(words) if word in self._verbs.words]
        named = self._words_to_noun(words[verbs[0] + 1 :]) if verbs else ()
        if self._is_agent(named) or self._is_trade_title(named):
            return named[-1]
        return ""

    def _company_evidence(self, mention: Mention, around: Surroundings, beside: tuple[str, ...]) -> Evidence:
        """Whether one of the words stands near without which a name means something else."""
        near = (around.receiver, around.receiver_type, around.function, *around.siblings[:_MOST_SIBLINGS])
        shown = _shorten_text(mention.identifier)
        for name in near:
            if name in {ASKED, TYPED} or (name != mention.identifier and bag_of(name).holds(beside)):
                return Evidence(self.weights["about"], f"`{shown}` appears with `{_shorten_text(name)}`")
        return Evidence(self.weights["not_beside"], f"nothing near says that `{shown}` is a person's")

    def _flag_of_person(
        self, mention: Mention, around: Surroundings, attributes: Callable[[str], frozenset[str]]
    ) -> list[Evidence]:
        """What says that a flag which may be a thing's is a person's: `is_black` beside `sex`."""
        if mention.group is None or mention.weight != self.weights["ambiguous"]:
            return []
        wanted, medicine = self._flag_beside - {mention.attribute}, self._domains[CLINICAL_DOMAIN]
        for name in (*around.siblings[:_MOST_SIBLINGS], around.function):
            if name != mention.identifier and (attributes(name) & wanted or bag_of(name).hits(medicine)):
                shown = _shorten_text(mention.identifier)
                return [Evidence(self.weights["likely"], f"`{shown}` appears with `{_shorten_text(name)}`")]
        return []

    def _fields_evidence(
        self,
        mention: Mention,
        around: Surroundings,
        own: frozenset[str],
        attributes: Callable[[str], frozenset[str]],
    ) -> list[Evidence]:
        siblings = around.siblings[:_MOST_SIBLINGS]
        if not siblings:
            return []
        weights = self.weights
        data_set = self.data_set_of((*siblings, mention.identifier), lambda name: bool(attributes(name)))
        if data_set is not None and self._is_data_set_column(mention, data_set):
            return [Evidence(weights["data_set"], f"appears with columns of the data set {data_set}")]
        facts: list[str] = []
        for sibling in siblings:
            if sibling == mention.identifier:
                continue
            if self._names_field(sibling, own) or attributes(sibling) - {mention.attribute}:
                facts.append(sibling)
                if len(facts) == _MANY_FACTS:
                    break
        if not facts:
            return []
        many = len(facts) == _MANY_FACTS
        weight = weights["many_fields" if many else "few_fields"]
        return [Evidence(weight, f"appears with facts about a person ({', '.join(facts)})")]

    def _names_field(self, sibling: str, own: frozenset[str]) -> bool:
        """Whether a name is that of a fact about a person, by other words than some."""
        known = self._field_words.get(sibling)
        if known is None:
            if len(self._field_words) >= _MOST_KEPT:
                self._field_words.clear()
            words = bag_of(sibling)
            is_of_a_thing = sibling.startswith("__") or not words.words.isdisjoint(self._things)
            known = frozenset(words.hits(self._fields)) - (self._of_things if is_of_a_thing else frozenset())
            self._field_words[sibling] = known
        return not known <= own

    def _is_data_set_column(self, mention: Mention, data_set: str) -> bool:
        if mention.identifier in self._data_sets[data_set]:
            return True
        known = self._data_sets_folded[data_set]
        column = _normalize_column(mention.identifier)
        return column in known or any(column.startswith(f"{name}_") for name in known)

    def _aim_evidence(
        self, around: Surroundings, own: frozenset[str]
    ) -> tuple[list[Evidence], list[Evidence]]:
        """What the code is about; and that it judges, which is said of things, too."""
        weights = self.weights
        found: list[Evidence] = []
        function, kind = bag_of(around.function), bag_of(around.receiver_type)
        siblings = join_bags(map(bag_of, around.siblings[:_MOST_SIBLINGS]))
        text = join_bags(map(bag_of, (around.prose, around.path)))
        telling = [hit for bag in (function, kind, siblings) for hit in bag.hits(self._telling, own)]
        told, verdict = ("", "") if telling else self._telling_words(around.prose, own)
        if telling or verdict:
            word = self._domain_word(telling[0] if telling else told, around)
            found.append(Evidence(weights["telling"], f"the code is about {word}"))
        elif told:
            found.append(Evidence(weights["domain"], f"its text is about {self._domain_word(told, around)}"))
        else:
            for name, lexicon in self._domains.items():
                near = function.hits(lexicon) or kind.hits(lexicon) or siblings.hits(lexicon)
                far = text.hits(lexicon)
                if near or len(far) > 1:
                    about = self._told_field(name, (near or far)[0], around)
                    found.append(Evidence(weights["domain"], f"the code is about {about}"))
                    break
        judged: list[Evidence] = []
        if hits := function.hits(self._verbs):
            judged = [Evidence(weights["verb"], f"the function is named after an assessment ({hits[0]})")]
        elif verdict:
            judged = [Evidence(weights["verb"], f"its text gives a verdict ({verdict})")]
        return found, judged

    def _telling_words(self, prose: str, own: frozenset[str]) -> tuple[str, str]:
        """A telling word in the text, best one with a verdict on the same line: "Loan rejected"."""
        told = ""
        for line in prose[:_PROSE_LIMIT].splitlines()[:_MOST_LINES]:
            if len(line) > _LONGEST_LINE:
                continue
            bag = bag_of(line)
            if telling := bag.hits(self._telling, own):
                told = told or telling[0]
                if verdicts := bag.hits(self._verdicts):
                    return telling[0], verdicts[0]
        return told, ""

    def _domain_word(self, word: str, around: Surroundings) -> str:
        bag = bag_of(word)
        for name, lexicon in self._domains.items():
            if bag.hits(lexicon):
                return self._told_field(name, word, around)
        return f"people ({word})"

    def _told_field(self, domain: str, word: str, around: Surroundings) -> str:
        """A field and the word that tells it; another field, where this word only hints at its own."""
        hint = self._hints.get(domain)
        if hint is not None and word in hint.words and (other := self.domain_of(around)) not in ("", domain):
            domain, word = other, self._words_of(other, around)[0]
        return f"{domain} ({word})"

    def _other_worlds(
        self,
        mention: Mention,
        around: Surroundings,
        own: frozenset[str],
        *,
        sure: bool,
        spoken: bool,
        believed: bool,
    ) -> list[Evidence]:
        """The reasons against.

        Where anything speaks for a person, these are facts about the object that is read and what it is
        compared with alone: what merely stands near by is no reason.
        """
        values = join_bags(bag_of(value) for value in around.values[:20] if len(value) <= 30)
        compared = join_bags((values, *map(bag_of, around.limits[:20])))
        near = join_bags((bag_of(around.receiver), bag_of(around.receiver_type), compared))
        far, path = join_bags(map(bag_of, around.fields[:_MOST_SIBLINGS])), EMPTY
        if not believed:
            near = join_bags((near, bag_of(around.function), *map(bag_of, around.imports)))
            others = frozenset(around.members)
            siblings = [name for name in around.siblings[:_MOST_SIBLINGS] if name not in others]
            far, path = join_bags(map(bag_of, (*siblings, around.prose))), bag_of(around.path)
        found: list[Evidence] = []
        for world in self._worlds:
            if world.attributes and mention.attribute not in world.attributes:
                continue
            if mention.attribute in world.exempt or (around.in_model and not world.of_models):
                continue
            if world.names and world.names.isdisjoint(mention.words):
                continue
            lexicon = world.lexicon if spoken else world.loose
            near_hits = near.hits(lexicon, own)
            far_hits = [hit for hit in far.hits(lexicon, own) if hit not in near_hits]
            hits = [*near_hits, *far_hits]
            named = [hit for hit in path.hits(lexicon, own) if hit not in hits]
            weight = -1 if named else 0  # what a file is called is not enough by itself
            if hits:
                hits += named
                distinct = len({singular(hit) for hit in hits})
                distinct += bool(compared.hits(lexicon, own))  # what it is compared with says what it is
                weight = self._world_weight(world, len(near_hits), distinct, sure)
            if weight:
                found.append(Evidence(weight, f"{world.reason} ({', '.join((hits or named)[:3])})"))
        return found

    @staticmethod
    def _world_weight(world: World, near: int, distinct: int, sure: bool) -> int:
        if not distinct:
            return 0
        if sure:
            return 0 if not near and distinct < 2 else -1
        if not near and distinct < 2:
            return world.alone
        return round(world.weight * (1 + 0.5 * min(distinct - 1, 2)))


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


def _normalize_column(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_").replace(".", "_")


def _name_reason(mention: Mention, title: str) -> str:
    shown = _shorten_text(mention.identifier)
    if mention.weight < 0 and mention.strength == "proxy":
        return f"`{shown}` is at most a proxy ({title})"
    if mention.weight < 0:
        return f"`{shown}` names a person's {title} only where a person is near"
    if mention.group is not None:
        return f"`{shown}` names the group '{mention.group}' ({title})"
    return f"`{shown}` names a person's {title}"


def _shorten_text(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."


def _split_hits(hits: Sequence[str], hint: Lexicon | None) -> tuple[int, int]:
    """How many words only hint at a field, and how many are its own."""
    hinted = 0 if hint is None else sum(word in hint.words for word in hits)
    return hinted, len(hits) - hinted
