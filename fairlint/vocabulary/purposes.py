"""Purposes: for what code tells groups apart, and what would have to justify it (`purposes.toml`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, cached_property, lru_cache

from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record, field
from fairlint.vocabulary.attribute_table import table, texts
from fairlint.vocabulary.bags import EMPTY, Bag, Lexicon
from fairlint.vocabulary.load import purpose_tables
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.words import singular

NEEDED = 3
"""What the signs of a purpose have to come to."""
PATH = "path"
"""The place that is never enough: what a file is called says little about what it does."""
SHARED = "shared"
"""The place of other files that name the same model."""
WHOLE = ("said", "written", "label", SHARED)
"""The places of whole files."""
AROUND = ("names", "function", "parameters", "owners", "beside", "prose", "text")
"""The places of one function."""
PLACES = (*AROUND, "file", "calls", "imports", *WHOLE, PATH)
"""Where a sign may look; `doing` beside them is for `doings` alone."""
CLAIMS = frozenset({PATH, SHARED, "said", "prose"})
"""Where comments, texts, the names of files and other files tell what code is about."""
MADE_OF = ("formula", "coefficients", "bands", "regression", "asserts")
"""What code may be made of."""
_SHOWN = 40


class Scene(Record, slots=False):
    """What stands around one Use, as a purpose sees it. What is rarely asked for is made when it is."""

    bags: Mapping[str, Callable[[], Bag]]
    """Place → its words."""
    texts: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """Place → its text as it is written."""
    about: frozenset[str] = frozenset()
    """What the libraries of the file are about."""
    is_made_of: Callable[[str], bool] = lambda _: False
    may: Callable[[str], bool] = lambda _: False
    """Whether anything in the file may do something, in the words of what a callable of a library does."""

    @cached_property
    def _bags_by_place(self) -> dict[str, Bag]:
        return {}

    def bag(self, place: str) -> Bag:
        """Return the words of a place."""
        if place not in self._bags_by_place:
            make = self.bags.get(place)
            self._bags_by_place[place] = make() if make is not None else EMPTY
        return self._bags_by_place[place]

    def text(self, place: str) -> str:
        """Return the text of a place as it is written."""
        make = self.texts.get(place)
        return make() if make is not None else ""

    def without_claims(self, text: Callable[[], str]) -> Scene:
        """Return the scene without what an author may say of code that does something else. `text` is that of
        the place `text` without its comments.
        """
        bags = {place: make for place, make in self.bags.items() if place not in CLAIMS}
        return Scene(bags, {**self.texts, "text": text}, self.about, self.is_made_of, self.may)


@lru_cache(maxsize=64)
def _first_match(pattern: re.Pattern[str], text: str) -> str | None:
    """Return the first match of a pattern in a text, which the many Uses of one function have in common."""
    found = pattern.search(text)
    return found[0] if found else None


class Sign(Record):
    """What speaks for a purpose."""

    weight: int
    reason: str
    where: str = ""
    words: Lexicon | None = None
    pattern: re.Pattern[str] | None = None
    least: int = 1
    about: str = ""
    made_of: str = ""
    kinds: frozenset[str] = frozenset()
    """Those of Uses that it speaks of; none for all."""
    not_kinds: frozenset[str] = frozenset()
    not_where: tuple[str, ...] = ()
    """What nothing in the file may do."""

    def evidence(self, kind: str, scene: Scene) -> Evidence | None:
        """Return the sign's evidence, where it is there."""
        if kind in self.not_kinds or (self.kinds and kind not in self.kinds):
            return None
        if self.about:
            there = self.about in scene.about and not any(scene.may(deed) for deed in self.not_where)
            return Evidence(self.weight, self.reason) if there else None
        if self.made_of:
            return Evidence(self.weight, self.reason) if scene.is_made_of(self.made_of) else None
        if self.pattern is not None:
            found = _first_match(self.pattern, scene.text(self.where))
            return None if found is None else self._evidence_of_hits([found])
        hits = scene.bag(self.where).hits(self.words) if self.words is not None else []
        if not hits and self.least > 0:
            return None
        return (
            self._evidence_of_hits(hits)
            if len(_distinct_hits(frozenset(map(singular, hits)))) >= self.least
            else None
        )

    def _evidence_of_hits(self, hits: list[str]) -> Evidence:
        shown = " ".join(", ".join(hits[:3]).split())
        shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
        return Evidence(self.weight, f"{self.reason} ({shown})" if shown else self.reason)


class Purpose(Record):
    """A purpose, the signs of it, and the words that tell of another one."""

    name: str
    context: str
    effects: frozenset[str]
    attributes: frozenset[str]
    """Those that it looks at; none for all."""
    signs: tuple[Sign, ...]
    doings: Lexicon
    unless: Lexicon
    never: Lexicon
    unless_in_file: Lexicon

    def evidence(
        self, attribute: str, kind: str, effect: str, scene: Scene, worded: AbstractSet[int]
    ) -> tuple[Evidence, ...]:
        """Return what speaks for it; nothing where that is not enough, or another purpose is told of.

        `worded` are the signs that some of the scene's words may be, as `_signs_by_words` numbers them.
        """
        if effect not in self.effects or (self.attributes and attribute not in self.attributes):
            return ()
        found = self._found_signs(kind, scene, worded)
        if not _is_enough(found) or scene.bag("names").hits(self.never):
            return ()
        if _is_any(self.doings) and not scene.bag("doing").hits(self.doings):
            return ()
        places = {"names", "beside", "prose"}
        if not _is_enough([one for one in found if one[0].where not in WHOLE]):  # outdone where it stands
            whole = {sign.where for sign, _ in found if sign.where in WHOLE}
            places |= {*WHOLE} if SHARED in whole else {"label", "said", *whole}
        if _is_any(self.unless) and any(scene.bag(place).hits(self.unless) for place in places):
            return ()
        if _is_any(self.unless_in_file) and any(
            scene.bag(place).hits(self.unless_in_file) for place in ("said", "written")
        ):
            return ()
        return tuple(told for _, told in found)

    def _found_signs(self, kind: str, scene: Scene, worded: AbstractSet[int]) -> list[tuple[Sign, Evidence]]:
        """Return the signs that are there, or none where even all that may be there would not be enough.

        Words are looked for before patterns, which take longer.
        """
        found: dict[int, Evidence] = {}
        others: list[int] = []
        most = 0
        for place, sign in enumerate(self.signs):
            if sign.words is None:
                others.append(place)
                most += max(sign.weight, 0)
            elif id(sign) in worded or not sign.least:
                evidence = sign.evidence(kind, scene)
                if evidence is not None:
                    found[place] = evidence
                    most += sign.weight
        if most < NEEDED:
            return []
        for place in others:
            evidence = self.signs[place].evidence(kind, scene)
            if evidence is not None:
                found[place] = evidence
        return [(self.signs[place], found[place]) for place in sorted(found)]


def _distinct_hits(hits: frozenset[str]) -> list[str]:
    """Return those of some words and phrases that are no part of another: `height cm` is no more than one
    height.
    """
    return [one for one in hits if not any(f" {one} " in f" {other} " for other in hits if other != one)]


def _is_enough(found: Sequence[tuple[Sign, Evidence]]) -> bool:
    """Return whether signs come to what is needed, and are more than the name of a file."""
    return sum(told.weight for _, told in found) >= NEEDED and any(sign.where != PATH for sign, _ in found)


class FoundContext(Record):
    """The name of a context, and what speaks for it."""

    name: str = ""
    evidence: tuple[Evidence, ...] = ()


def context_of(attribute: str, kind: str, effect: str, scene: Scene) -> FoundContext:
    """Return the context for which most speaks; its name is empty where none has enough."""
    best = FoundContext()
    most = 0
    worded: set[int] = set()
    for place, by_word in _signs_by_words().items():
        for word in by_word.keys() & scene.bag(place).words:
            worded |= by_word[word]
    for purpose in purposes():
        evidence = purpose.evidence(attribute, kind, effect, scene, worded)
        weight = sum(item.weight for item in evidence)
        if weight > most:
            best, most = FoundContext(purpose.context, evidence), weight
    return best


@cache
def justifications() -> Mapping[str, str]:
    """Return what would have to justify a difference, by context."""
    return {name: str(said) for name, said in table(purpose_tables()["contexts"], "contexts").items()}


@cache
def purposes() -> tuple[Purpose, ...]:
    """Return the purposes of purposes.toml, those of a context in the order of the contexts."""
    found = list(_read_purposes(purpose_tables()))
    order = list(justifications())
    return tuple(sorted(found, key=lambda purpose: order.index(purpose.context)))


@cache
def _signs_by_words() -> Mapping[str, Mapping[str, frozenset[int]]]:
    """Return, for each place, the signs that a word may be one of: alone, or as the first of a phrase."""
    found: dict[str, dict[str, set[int]]] = {}
    for sign in (sign for purpose in purposes() for sign in purpose.signs):
        for word in sign.words.words | sign.words.begin if sign.words is not None else ():
            found.setdefault(sign.where, {}).setdefault(word, set()).add(id(sign))
    return {
        place: {word: frozenset(signs) for word, signs in by_word.items()} for place, by_word in found.items()
    }


def _read_purposes(raw: Mapping[str, object]) -> Iterator[Purpose]:
    known = justifications()
    lists = table(raw["lists"], "lists")
    for name, entry in raw.items():
        if name in {"contexts", "lists"}:
            continue
        values = table(entry, name)
        if values["context"] not in known:
            raise ValueError(f"{name}: no such context")
        signs = table(values["signs"], f"{name}.signs")
        yield Purpose(
            name,
            str(values["context"]),
            _set_of_texts(values, "effects"),
            _set_of_texts(values, "attributes"),
            tuple(
                _parse_sign(table(sign, f"{name}.signs.{key}"), f"{name}.{key}")
                for key, sign in signs.items()
            ),
            *(
                Lexicon.read(_resolve_list(values.get(key, ""), lists), f"{name}.{key}")
                for key in ("doings", "unless", "never", "unless_in_file")
            ),
        )


def _parse_sign(values: Mapping[str, object], where: str) -> Sign:
    weight, least = values["weight"], values.get("least", 1)
    place, made_of, about = (str(values.get(key, "")) for key in ("where", "made_of", "about"))
    if not isinstance(weight, int) or not isinstance(least, int):
        raise ValueError(f"{where}: expected numbers for weight and least")
    if not (about or made_of in MADE_OF or place in PLACES):
        raise ValueError(f"{where}: looks nowhere")
    pattern = values.get("pattern")
    return Sign(
        weight,
        str(values["reason"]),
        place,
        _words_of_sign(values, where),
        lazy_expression(str(pattern)) if pattern is not None else None,
        least,
        about,
        made_of,
        _set_of_texts(values, "kinds"),
        _set_of_texts(values, "not_kinds"),
        tuple(sorted(_set_of_texts(values, "not_where"))),
    )


def _resolve_list(words: object, lists: Mapping[str, object]) -> object:
    """Return the list that one word names, or the words themselves."""
    alone: Sequence[str] = words["words"] if isinstance(words, Mapping) else ()
    return lists.get(alone[0], words) if len(alone) == 1 else words


def _words_of_sign(values: Mapping[str, object], where: str) -> Lexicon | None:
    """Return the words of a sign with those of the lists that it names."""
    lists = table(purpose_tables()["lists"], "lists")
    given = [lists[name] for name in sorted(_set_of_texts(values, "lists"))]
    given += [values["words"]] if "words" in values else []
    read = [Lexicon.read(words, where) for words in given]
    if not read:
        return None
    phrases = {phrase for one in read for phrase in one.phrases}
    return Lexicon(frozenset().union(*(one.words for one in read)), tuple(sorted(phrases)))


def _set_of_texts(values: Mapping[str, object], key: str) -> frozenset[str]:
    return frozenset(texts(values.get(key, ""), key)) - {""}


def _is_any(lexicon: Lexicon) -> bool:
    return bool(lexicon.words or lexicon.phrases)
