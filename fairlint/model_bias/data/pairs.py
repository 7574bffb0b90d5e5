"""Pairs for locating: two prompts of equally many tokens, at whose end a model tells the groups apart.

An item's own prompt is the clean one. In the corrupted one another occupation stands in its place, in which
mostly the other gender works. So every token has its counterpart, and what a part of the model computes in
one run can be put into the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, Protocol

from fairlint.model_bias.data.code_prompts import CodeItem
from fairlint.model_bias.data.records import FEMALE, MALE, Option, Skipped, Women
from fairlint.model_bias.data.winogender import WinoGenderItem
from fairlint.support.records import Record

METRIC = "logit(male) - logit(female) of the two answers, at the last token of the prompt"
Direction = Literal["male to female", "female to male"]
HALF = 50.0
"""Percent of women below which an occupation is of the male type, and above which of the female one."""
NOT_GENDER = "its options are not male and female"
NO_SHARE = "the share of women in the occupation is not known"
NO_TYPE = "as many women as men work in the occupation"
NOT_NAMED = "the prompt does not name the occupation"
NOT_ONE = "an answer is not one token"
NO_PARTNER = "no occupation of the other type has as many tokens"
_VOWELS = "aeiou"


class Tokenizer(Protocol):
    """What is needed of a tokenizer, such as transformers'."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Return the tokens of a text."""


class Pair(Record):
    """Two prompts of equally many tokens that differ in the occupation."""

    id: str
    """The item's, and the other occupation: `nurse.patient.0 > carpenter`."""
    kind: Literal["pronoun", "code"]
    direction: Direction
    """`male to female`: the clean prompt names an occupation of the male type, the corrupted one of the
    female type."""
    metric: str
    """Always METRIC: a model that goes by who works there has more of it for the male type."""
    clean: str
    corrupted: str
    clean_tokens: tuple[int, ...]
    """Without special tokens: whoever runs a model puts its own in front of both."""
    corrupted_tokens: tuple[int, ...]
    male: int
    female: int
    """The token of each answer, the same behind both prompts."""
    clean_women: Women
    corrupted_women: Women


class Pairs(Record):
    """Pairs, and the items of which none was made; `records.reasons(skipped)` counts them."""

    pairs: tuple[Pair, ...]
    skipped: tuple[Skipped, ...]


Item = WinoGenderItem | CodeItem


def pairs(items: Sequence[Item], tokenizer: Tokenizer) -> Pairs:
    """At most one pair of each item, in their order, under a tokenizer.

    The other occupation is one of the items'. Of those of the other type that keep the number of tokens, it
    is the one whose share of women is nearest to the mirror image of the item's own (80 % for 20 %), and the
    first by name of such. So the most typed occupations are compared with the most typed, and those near half
    with those near half: `clean_women` and `corrupted_women` say how far apart a pair is. Two items may make
    the same pair in opposite directions. What cannot be made a pair is in `skipped`, with the reason.
    """
    found = {item.occupation: item.women for item in items}
    known = [women for _, women in sorted(found.items()) if women is not None]

    @cache
    def tokens(text: str) -> tuple[int, ...]:
        return tuple(tokenizer.encode(text, add_special_tokens=False))

    def answer(prompt: str, text: str) -> int | None:
        """Return the one token that a text adds to a prompt; None where it adds several, or changes
        others.
        """
        whole = tokens(prompt + text)
        return whole[-1] if whole[:-1] == tokens(prompt) else None

    def made(item: Item) -> Pair | str:
        options = _answers_of_options(item.options)
        if options is None:
            return NOT_GENDER
        women = item.women
        if women is None or women.bls == HALF:
            return NO_TYPE if women else NO_SHARE
        if not _name_pattern(item.occupation).search(item.prompt):
            return NOT_NAMED
        male, female = (answer(item.prompt, text) for text in options)
        if male is None or female is None or male == female:
            return NOT_ONE
        for other in _partner_occupations(women, known):
            prompt = _replace_occupation(item.prompt, item.occupation, other.occupation)
            if prompt is None or len(tokens(prompt)) != len(tokens(item.prompt)):
                continue
            if [answer(prompt, text) for text in options] == [male, female]:
                return Pair(
                    id=f"{item.id} > {other.occupation}",
                    kind="pronoun" if isinstance(item, WinoGenderItem) else "code",
                    direction="male to female" if women.bls < HALF else "female to male",
                    metric=METRIC,
                    clean=item.prompt,
                    corrupted=prompt,
                    clean_tokens=tokens(item.prompt),
                    corrupted_tokens=tokens(prompt),
                    male=male,
                    female=female,
                    clean_women=women,
                    corrupted_women=other,
                )
        return NO_PARTNER

    results = [(item.id, made(item)) for item in items]
    return Pairs(
        tuple(result for _, result in results if isinstance(result, Pair)),
        tuple(Skipped(id_, result) for id_, result in results if isinstance(result, str)),
    )


def _answers_of_options(options: Sequence[Option]) -> tuple[str, str] | None:
    """Return what says male and what says female: the first spelling of each."""
    first: dict[str, str] = {}
    for option in options:
        first.setdefault(option.label, option.text)
    return (first[MALE], first[FEMALE]) if {MALE, FEMALE} <= first.keys() else None


def _partner_occupations(women: Women, known: Sequence[Women]) -> list[Women]:
    """Return the occupations of the other type, that with the mirrored share first."""
    others = [one for one in known if one.bls != HALF and (one.bls < HALF) != (women.bls < HALF)]
    return sorted(others, key=lambda one: abs(one.bls - (2 * HALF - women.bls)))


@cache
def _name_pattern(occupation: str) -> re.Pattern[str]:
    """Return the occupation as a word of its own, be it within a name such as `score_nurse`."""
    return re.compile(rf"(?<![^\W_]){re.escape(occupation)}(?![^\W_])")


def _replace_occupation(prompt: str, occupation: str, other: str) -> str | None:
    """Return the prompt about another occupation; None where it would read wrongly.

    That is where the other occupation is there already, or `a` would have to become `an`.
    """
    if _name_pattern(other).search(prompt):
        return None
    if (occupation[0] in _VOWELS) != (other[0] in _VOWELS) and re.search(
        rf"(?i)\ban? {re.escape(occupation)}\b", prompt
    ):
        return None
    return _name_pattern(occupation).sub(lambda _: other, prompt)
