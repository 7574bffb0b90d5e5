"""Rewrites a text about one person for the other sex, sentence by sentence, or not at all.

A sentence is about the person if it begins with a pronoun, a title and a name, or a verb without a subject
where the language has that. What agrees with the person has to be known: what stands behind a copula, a noun
that says what the person is, its article and adjectives. A sentence about something else has to say nothing
of a sex. Wherever that is not sure, the text has no rewrite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fairlint.counterfactual.prompts.grammars.grammar import Grammar
from fairlint.support.records import Record

_PART = re.compile(r"[^\W_]+['’]?|[\W_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_END = re.compile(r"[.!?;:\n]")
_ABBREVIATED = frozenset({"dr", "prof", "dra", "profa"})


class _NotSureError(Exception):
    """Nobody can say how the text reads about somebody of the other sex."""


def rewrite_in(text: str, gender: str, grammar: Grammar) -> str | None:
    """Return the text about a person of that sex; None where it is not sure what the text would be."""
    if gender not in {"female", "male"}:
        return None if shows_sex(text, grammar) else text
    parts = _PART.findall(text)
    seen: set[str] = set()
    before: _Sentence | None = None
    try:
        for places in _sentences(parts, grammar):
            sentence = _Sentence(parts, places, gender, grammar)
            seen |= sentence.rewrite(before)
            before = sentence if places else before
    except _NotSureError:
        return None
    return None if len(seen) > 1 else "".join(parts)


def shows_sex(text: str, grammar: Grammar) -> bool:
    """Return whether a text names a sex in a word that is known here."""
    words = [_plain(one) for one in _PART.findall(text)]
    tables = [grammar.tables[name] for name in ("subjects", "titles", "pairs")]
    return any(word in table or word in table.values() for word in words for table in tables)


def _plain(part: str) -> str:
    return part.lower().replace("’", "'")


def _sentences(parts: list[str], grammar: Grammar) -> Iterator[list[int]]:
    """Yield the places of the words of each sentence."""
    titles = {*grammar.tables["titles"], *grammar.tables["titles"].values(), *_ABBREVIATED}
    found: list[int] = []
    for place, part in enumerate(parts):
        if part[0].isalnum():
            found.append(place)
        elif _END.search(part) and not (
            part.startswith(".") and found and _plain(parts[found[-1]]) in titles
        ):
            yield found
            found = []
    yield found


class _Ending(Record):
    """A noun for what the person is, by which a word ends."""

    sex: str
    """Whose of the two it is."""
    man: str
    woman: str


class _Sentence:
    """One sentence, whose words are rewritten in the parts of the text."""

    def __init__(self, parts: list[str], places: list[int], gender: str, grammar: Grammar) -> None:
        self.parts, self.places = parts, places
        self.words = [_plain(parts[place]) for place in places]
        self.gender, self.grammar = gender, grammar
        self.sexes: set[str] = set()
        """Of the words that say what the person is, before they are rewritten."""
        self.settled: set[int] = set()
        """Words that have been dealt with."""
        self.is_about = self.is_titled = self.has_predicate = False

    def rewrite(self, before: _Sentence | None) -> set[str]:
        """Rewrite the sentence, which follows another, in its parts; the result is what sexes it named."""
        if not self.words:
            return set()
        begin = self._subject()
        self.is_about = begin is not None
        if begin is not None and not self.is_titled and before is not None:
            self._check_antecedent(before, begin)
        if begin is None:
            self._check_other()
        else:
            self._rewrite_rest(begin)
        self._check_leftovers(is_about=begin is not None)
        return self.sexes

    def _check_antecedent(self, before: _Sentence, begin: int) -> None:
        """Raise where the sentence may be about something that the one before it speaks of."""
        if not before.is_about and not before.words[0].isdigit():
            raise _NotSureError
        things = [self.grammar.sets[f"things-{sex}"] for sex in self.sexes or {"male", "female"}]
        names_things = any(word in each for word in before.words for each in things)
        if names_things and any(self._in("copulas", at) for at in (begin, begin + 1)):
            raise _NotSureError

    # ------------------------------------------------------------------------------------------ words

    def _in(self, name: str, at: int) -> bool:
        return at < len(self.words) and self.words[at] in self.grammar.sets.get(name, frozenset())

    def _sex_in(self, table: str, at: int) -> str:
        """Return whose word of a table stands at a place; empty where none does, or one of both."""
        if at >= len(self.words):
            return ""
        men = self.grammar.tables[table]
        word = self.words[at]
        if word in men:
            return "either" if men[word] == word else "male"
        return "female" if word in men.values() else ""

    def _between(self, at: int) -> str:
        """Return what stands between a word and the one before."""
        return (
            "".join(self.parts[self.places[at - 1] + 1 : self.places[at]]) if 0 < at < len(self.words) else ""
        )

    def _swap(self, table: str, at: int, sex: str) -> None:
        """Write the word of the table that fits the person."""
        self.settled.add(at)
        if sex == "either":
            return
        self.sexes.add(sex)
        if sex != self.gender:
            men: Mapping[str, str] = self.grammar.tables[table]
            other = men if sex == "male" else {woman: man for man, woman in men.items()}
            self._write(at, other[self.words[at]])

    def _write(self, at: int, new: str) -> None:
        old = self.parts[self.places[at]]
        if old.isupper() and len(old) > 1:
            new = new.upper()
        self.parts[self.places[at]] = new[:1].upper() + new[1:] if old[:1].isupper() else new

    # ---------------------------------------------------------------------------------------- subjects

    def _subject(self) -> int | None:
        """Rewrite the person at the head; the result is where the rest begins, None where it is of others."""
        at = 0
        if self._in("openers", 0):
            at = 1
        elif self.words[0].isdigit() or (
            self._in("before-years", 0) and self.words[1:2] and self.words[1].isdigit()
        ):
            at = 1 if self.words[0].isdigit() else 2
        if self.grammar.has_capital_nouns and at and self._sex_in("subjects", at + 1):
            if not self._in("singular", at):
                raise _NotSureError
            self._swap("subjects", at + 1, self._sex_in("subjects", at + 1))
            return at
        if sex := self._sex_in("subjects", at):
            return self._pronoun(at, sex)
        title = at + 1 if self._in("articles", at) and self._sex_in("titles", at + 1) else at
        if sex := self._sex_in("titles", title):
            return self._titled(at, title, sex)
        if not self.grammar.tables["subjects"].keys() & {"er", "il"} and self._in("verbs", at):
            return at  # a verb without a subject
        return None

    def _pronoun(self, at: int, sex: str) -> int:
        if self.grammar.has_capital_nouns and not self._in("singular", at + 1):
            raise _NotSureError
        if self._in("impersonal", at + 1) or self._in("impersonal", at + 2):
            raise _NotSureError
        self._swap("subjects", at, sex)
        return at + 1

    def _titled(self, at: int, title: int, sex: str) -> int:
        name = title + 1
        if name >= len(self.words) or not self.parts[self.places[name]][0].isupper():
            raise _NotSureError
        if title != at:
            self._swap("determiners", at, self._sex_in("determiners", at) or "")
        self.is_titled = True
        self._swap("titles", title, sex)
        self._settle_dot(title)
        while name < len(self.words) and self.parts[self.places[name]][0].isupper():
            self.settled.add(name)
            name += 1
        if self.grammar.has_capital_nouns and not self._in("singular", name):
            raise _NotSureError
        return name

    def _settle_dot(self, title: int) -> None:
        """Write the dot that French has behind `M.` only."""
        if self.grammar.name != "fr":
            return
        behind = self.places[title] + 1
        word, between = self.parts[self.places[title]], self.parts[behind]
        if word == "Mme" and between.startswith("."):
            self.parts[behind] = between[1:]
        elif word == "M" and not between.startswith("."):
            self.parts[behind] = f".{between}"

    # -------------------------------------------------------------------------------------- what is said

    def _rewrite_rest(self, begin: int) -> None:
        """Rewrite what is said of the person."""
        at, is_new_clause = begin, False
        while at < len(self.words):
            if at in self.settled:
                at += 1
                continue
            self._check_word(at)
            joined = self._in("joins", at - 1) if at else False
            if sex := self._sex_in("subjects", at):
                if not joined or is_new_clause:
                    raise _NotSureError
                at = self._pronoun(at, sex)
                continue
            if joined or "," in self._between(at):
                self._check_joined(at)
                is_name = self._is_capital(at) and not self.grammar.has_capital_nouns
                is_new_clause = is_new_clause or is_name or self._in("articles", at)
            if is_new_clause and self._in("clitics", at) and not joined and "," not in self._between(at):
                raise _NotSureError
            if self._possessive(at):
                at += 1
            elif self._in("copulas", at) or self._in("as-words", at):
                if is_new_clause:  # of somebody else, perhaps
                    raise _NotSureError
                self.has_predicate = True
                at = self._predicate(at + 1)
            else:
                at += 1

    def _check_joined(self, at: int) -> None:
        """Raise where what goes on behind a conjunction may say what the person is, too."""
        if not self.has_predicate:
            return
        while self._in("adverbs", at):
            at += 1
        known = ("verbs", "singular", "copulas", "prepositions", "articles", "joins")
        if self.grammar.has_capital_nouns:
            for behind in range(at, len(self.words)):
                if any(self._in(name, behind) for name in known) or "," in self._between(behind + 1):
                    return
                if (
                    self._is_capital(behind)
                    and behind not in self.settled
                    and not self._in("neutral", behind)
                ):
                    raise _NotSureError
            return
        if at < len(self.words) and not (
            any(self._in(name, at) for name in known)
            or self._sex_in("subjects", at)
            or self.words[at].isdigit()
            or self._is_capital(at)
            or at in self.settled
        ):
            raise _NotSureError

    def _check_word(self, at: int) -> None:
        word = self.words[at]
        if (
            self._in("unsure", at)
            or (self._in("relatives", at) and "," in self._between(at))
            or self._sex_in("titles", at)
            or re.search(self.grammar.risky["anywhere"], word)
        ):
            raise _NotSureError

    def _possessive(self, at: int) -> bool:
        """Rewrite a possessive that can only be the person's: no noun stands before it."""
        for man, woman in self.grammar.tables["possessives"].items():
            for sex, stem in (("male", man), ("female", woman)):
                if re.fullmatch(rf"{stem}(?:e|em|en|er|es)?", self.words[at]) is None:
                    continue
                before = range(len(self.words))[:at]
                nouns = [one for one in before if one not in self.settled and self._is_capital(one) and one]
                if nouns or not self._noun_behind(at) or self._is_capital(at):
                    raise _NotSureError
                self.sexes.add(sex)
                self.settled.add(at)
                if sex != self.gender:
                    self._write(at, (woman if sex == "male" else man) + self.words[at][len(stem) :])
                return True
        return False

    def _noun_behind(self, at: int) -> bool:
        """Return whether a noun follows a word, with nothing but adjectives between."""
        for behind in range(at + 1, len(self.words)):
            if self._between(behind).strip():
                return False
            if self._is_capital(behind):
                return True
            if self._in("prepositions", behind) or self._in("joins", behind):
                return False
        return False

    def _is_capital(self, at: int) -> bool:
        return self.parts[self.places[at]][0].isupper()

    def _predicate(self, at: int) -> int:
        return self._german_predicate(at) if self.grammar.has_capital_nouns else self._agreeing_predicate(at)

    def _agreeing_predicate(self, at: int) -> int:
        """Rewrite adjectives, participles and nouns behind a copula; the result is where they end."""
        while self._in("adverbs", at):
            at += 1
        if at >= len(self.words) or self._in("prepositions", at) or self._in("copulas", at):
            return at
        if self._sex_in("determiners", at):
            return self._noun_phrase(at)
        return self._agreeing_words(at)

    def _noun_phrase(self, at: int) -> int:
        noun = at + 1
        if self._in("neutral", noun):
            return self._past_phrase(noun)
        while self._in("invariable", noun) and self._sex_in("pairs", noun + 1):
            noun += 1
        if not (self._sex_in("pairs", noun) or self._in("invariable", noun)):
            raise _NotSureError
        self._swap("determiners", at, self._sex_in("determiners", at))
        return self._agreeing_words(noun)

    def _past_phrase(self, at: int) -> int:
        """Return where a noun phrase ends that agrees with its noun alone: `une personne motivée`."""
        while at < len(self.words) and not (self._in("prepositions", at) or self._in("joins", at)):
            self.settled.add(at)
            at += 1
            if "," in self._between(at):
                break
        return at

    def _agreeing_words(self, at: int) -> int:
        """Rewrite words that agree, one after the other; none that is not known may follow."""
        while True:
            if sex := self._sex_in("pairs", at):
                self._swap("pairs", at, sex)
            elif not self._in("invariable", at):
                raise _NotSureError
            self.settled.add(at)
            at += 1
            while self._in("adverbs", at) and "," not in self._between(at):
                at += 1
            if at >= len(self.words) or self._in("prepositions", at) or self.words[at].isdigit():
                return at
            if self._in("joins", at) or "," in self._between(at):
                at += self._in("joins", at)
                while self._in("adverbs", at):
                    at += 1
                goes_on = self._sex_in("pairs", at) or self._in("invariable", at)
                if not goes_on:
                    if self._in("verbs", at) or self._in("copulas", at) or self._sex_in("subjects", at):
                        return at
                    raise _NotSureError

    def _german_predicate(self, at: int) -> int:
        """Rewrite the noun that says what the person is, where there is one in the clause."""
        depends = False
        for noun in range(at, len(self.words)):
            if "," in self._between(noun) or self._in("joins", noun):
                return noun
            if noun in self.settled:
                continue
            self._check_word(noun)
            if self._in("prepositions", noun) or self._possessive(noun):
                depends = True
            elif self.words[noun].isdigit():
                depends = False  # `seit 2015 Leiter`
            if not self._is_capital(noun):
                continue
            if not depends and not self._in("neutral", noun):
                self._german_noun(at, noun)
                return noun + 1  # what follows belongs to the noun: `Leiter der Abteilung`
            depends = False
        return len(self.words)

    def _german_noun(self, at: int, noun: int) -> None:
        """Rewrite a noun with its article and adjectives, which stand right before it."""
        ending = self._ending(self.words[noun])
        sex, man, woman = ending.sex, ending.man, ending.woman
        first = noun
        while first > at and not self._ends_phrase(first - 1):
            first -= 1
            if self._sex_in("determiners", first):
                break
        if any(self._sex_in("determiners", place) for place in range(at, first)) or self._is_one_of(first):
            raise _NotSureError
        self.sexes.add(sex)
        self.settled.update(range(first, noun + 1))
        for place in range(first, noun):
            article = self._sex_in("determiners", place)
            if article and place == first:
                if article != sex:
                    raise _NotSureError
                self._swap("determiners", place, article)
            else:
                self._german_adjective(place, sex, is_weak=self.words[first] in {"der", "die"})
        if sex != self.gender:
            word = self.words[noun]
            stem, new = (word[: -len(man)], woman) if sex == "male" else (word[: -len(woman)], man)
            self._write(noun, stem + new)

    def _ends_phrase(self, at: int) -> bool:
        is_word = not self.words[at].isdigit() and not self._is_capital(at)
        return at in self.settled or self._in("adverbs", at) or not is_word

    def _is_one_of(self, at: int) -> bool:
        """Return whether a noun phrase is part of another: `einer der Leiter`."""
        return at > 0 and self.words[at] in {"der", "die"} and self.words[at - 1].startswith("eine")

    def _german_adjective(self, at: int, sex: str, *, is_weak: bool) -> None:
        """Rewrite the ending of an adjective before a noun."""
        word = self.words[at]
        if is_weak:
            if not word.endswith("e"):
                raise _NotSureError
        elif sex == "male":
            if not word.endswith("er"):
                raise _NotSureError
            if self.gender == "female":
                self._write(at, word[:-1])
        elif not word.endswith("e"):
            raise _NotSureError
        elif self.gender == "male":
            self._write(at, f"{word}r")

    def _ending(self, word: str) -> _Ending:
        """Return whose noun a word is or ends with, and the man's and the woman's."""
        found = [
            _Ending(sex, man, woman)
            for man, woman in self.grammar.tables["pairs"].items()
            for sex, noun in (("male", man), ("female", woman))
            if word.endswith(noun)
        ]
        if not found:
            raise _NotSureError
        return max(found, key=lambda one: len(one.woman if one.sex == "female" else one.man))

    # -------------------------------------------------------------------------------------- what is left

    def _check_other(self) -> None:
        """Raise where a sentence that is not about the person may say somebody's sex."""
        is_counted = self.words[0].isdigit()
        if re.search(self.grammar.risky["first"], self.words[0]) and not is_counted:
            raise _NotSureError
        for at in range(len(self.words)):
            self._check_word(at)
            if self.grammar.has_capital_nouns and not self._is_nobody(at):
                raise _NotSureError
            is_clitic = self._in("clitics", at) and not is_counted
            if (
                self._sex_in("subjects", at)
                or is_clitic
                or self._in("as-words", at)
                or self._in("copulas", at)
            ):
                raise _NotSureError
            for man, woman in self.grammar.tables["possessives"].items():
                if re.fullmatch(rf"(?:{man}|{woman})(?:e|em|en|er|es)?", self.words[at]):
                    raise _NotSureError

    def _is_nobody(self, at: int) -> bool:
        """Return whether a word is no noun for a person as far as its place and its ending say: one behind a
        preposition is not what the sentence is about.
        """
        names = ("prepositions", "openers", "adverbs", "numbers", "neutral")
        word = self.words[at]
        if not self._is_capital(at) or any(self._in(name, at) for name in names):
            return True
        if word.endswith(tuple(self.grammar.sets["thing-endings"])):
            return True
        if at == 0:
            return bool(self._sex_in("determiners", at))
        before = at - 1
        while before > 0 and not (self._is_capital(before) or self._in("prepositions", before)):
            if _YEAR.fullmatch(self.words[before]):  # `seit 2010 Friseur`
                return False
            before -= 1
        return self._in("prepositions", before)

    def _check_leftovers(self, *, is_about: bool) -> None:
        """Raise where a word that may say what the person is was not dealt with."""
        for at, word in enumerate(self.words):
            if at in self.settled:
                continue
            known = self._sex_in("pairs", at) or (
                self.grammar.has_capital_nouns and self._is_capital(at) and self._is_pair_ending(word)
            )
            is_of_others = at and (self._in("articles", at - 1) or self._in("prepositions", at - 1))
            if known and known != "either" and not (is_about and is_of_others):
                raise _NotSureError

    def _is_pair_ending(self, word: str) -> bool:
        try:
            self._ending(word)
        except _NotSureError:
            return False
        return True
