"""Rewrites a text about one person for the other sex, by what each word does in it, or not at all.

Swapping tokens turns *his* into *hers* where *her* is meant, and changes the sex of people the text only
mentions. Here the place of a word decides; a text for which that is not sure has no rewrite.
"""

from __future__ import annotations

import re

PLAIN = {
    "he": "she",
    "him": "her",
    "himself": "herself",
    "mr": "ms",
    "sir": "madam",
    "husband": "wife",
    "man": "woman",
    "boy": "girl",
    "male": "female",
    "gentleman": "lady",
    "chairman": "chairwoman",
    "salesman": "saleswoman",
    "businessman": "businesswoman",
    "waiter": "waitress",
    "widower": "widow",
    "father": "mother",
    "fatherhood": "motherhood",
    "boyfriend": "girlfriend",
}
"""What a man is called, and what a woman is."""
BACK = {woman: man for man, woman in PLAIN.items()} | {"mrs": "mr", "miss": "mr", "hers": "his"}
RELATIVES = {"father", "mother"}
"""Behind a possessive they are somebody else, who keeps a sex."""
MEN, WOMEN = {*PLAIN, "his"}, {*BACK, "her"}
PRONOUNS = ({"he", "him", "his", "himself"}, {"she", "her", "hers", "herself"})
ENDS_PHRASE = frozenset(
    (
        "to for with in on at and or but as from by when because that who whom a an the this these than if "
        "while after before is was are were will would can could has had have did does not of about into"
    ).split()
)
"""Words that no noun phrase goes on with: a pronoun before them stands alone."""
TWO_OBJECTS = frozenset(
    (
        "gave give gives offered offer offers told tell tells asked ask asks sent send sends made make "
        "makes called call calls paid pay pays taught teach teaches showed show shows let lets helped help "
        "helps saw see sees had have has hired hire got get gets wish wished bought buy found find finds kept"
    ).split()
)
"""Verbs behind which *her* may be the object although a noun follows."""
_WORD = re.compile(r"[A-Za-z]+|[^A-Za-z]+")
_ENGLISH = frozenset("the and of to in a is with for has was at on".split())
_OTHERS = frozenset(
    (
        "der die das und ist mit für ein eine le la les et est avec pour une des el los las y es con para "
        "del un"
    ).split()
)


def is_gendered(text: str) -> bool:
    """Report whether a text names the sex of anybody in a word that is known here."""
    words = {one.lower() for one in _WORD.findall(text)}
    return not words.isdisjoint(MEN | WOMEN)


def rewrite_for(text: str, gender: str) -> str | None:
    """Return the text about a person of that sex; None where it is not sure what the text would be.

    >>> rewrite_for("He led his team; the plan was his. Ask him.", "female")
    'She led her team; the plan was hers. Ask her.'
    >>> rewrite_for("Her manager praised her.", "male")
    'His manager praised him.'
    >>> rewrite_for("They gave her good marks.", "male") is None
    True
    """
    if gender not in {"female", "male"}:
        return None if is_gendered(text) else text
    parts = _WORD.findall(text)
    words = {one.lower() for one in parts}
    if _seems_foreign(words):
        return None
    if not is_gendered(text):
        return text
    if not words.isdisjoint(PRONOUNS[0]) and not words.isdisjoint(PRONOUNS[1]):
        return None  # two people, and nobody says who is whose
    done: list[str] = []
    for place, part in enumerate(parts):
        new = _rewritten_word(parts, place, gender)
        if new is None:
            return None
        done.append(_with_case(part, new))
    return "".join(done)


def _seems_foreign(words: set[str]) -> bool:
    return len(words & _OTHERS) > len(words & _ENGLISH)


def _rewritten_word(parts: list[str], place: int, gender: str) -> str | None:
    """Return the word at a place for a person of that sex; None where that is not sure."""
    word = parts[place].lower()
    if word in RELATIVES:
        return _rewritten_relative(parts, place, gender)
    if gender == "female":
        if word == "his":
            return "hers" if _stands_alone(parts, place) else "her"
        return PLAIN.get(word, parts[place])
    if word == "her":
        if _stands_alone(parts, place):
            return "him"
        return None if _neighbour(parts, place, -1) in TWO_OBJECTS else "his"
    return BACK.get(word, parts[place])


def _rewritten_relative(parts: list[str], place: int, gender: str) -> str | None:
    before, after = _neighbour(parts, place, -1), _neighbour(parts, place, 1)
    if before in {"his", "her", "their", "my", "whose"}:
        return parts[place]
    if after == "of" or before in {"a", "single", "working"}:
        return "mother" if gender == "female" else "father"
    return None


def _stands_alone(parts: list[str], place: int) -> bool:
    """Return whether a pronoun has no noun behind it."""
    between = parts[place + 1] if place + 1 < len(parts) else ""
    if between.strip() or place + 2 >= len(parts):  # a sign, or the end
        return not between.strip().startswith(("-", '"', "'", "“", "(")) or place + 2 >= len(parts)
    return parts[place + 2].lower() in ENDS_PHRASE


def _neighbour(parts: list[str], place: int, step: int) -> str:
    """Return the next word in a direction, unless a sign stands between."""
    between, word = place + step, place + 2 * step
    if 0 <= word < len(parts) and not parts[between].strip():
        return parts[word].lower()
    return ""


def _with_case(old: str, new: str) -> str:
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new.capitalize() if old[:1].isupper() and new.islower() else new
