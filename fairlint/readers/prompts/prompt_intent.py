"""What a text asks its reader: to decide about somebody, or something else.

The words are data, in `lexicon/words/prompts.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal

from fairlint.lexicon.load import word_lists
from fairlint.lexicon.phrases import alternatives
from fairlint.readers.prompts.templates import MARK, compiled
from fairlint.records import Record

LONGEST = 20_000
_NEAR = 8
"""Words between what is asked and whom it concerns."""


class Ask(Record):
    """What is asked: the verb or noun as written, how sure it is, and the words it stands in."""

    verb: str
    weight: int
    sentence: str


class Speech(Record):
    """What a text does besides asking."""

    addresses: bool
    """It speaks to its reader as one speaks to a model."""
    plays: bool
    """It gives its reader the part of somebody who decides."""
    people: bool
    clinical: bool
    """It is about somebody's health, and nobody gets what another does not."""
    scarce: bool


@cache
def words() -> Mapping[str, frozenset[str]]:
    """The sections of `prompts.toml`."""
    return word_lists("prompts")


@cache
def expression(
    kind: Literal["question", "order", "either", "judge", "outcome", "who", "given"],
) -> re.Pattern[str]:
    """The expressions that find a request."""
    lists = words()
    sure, about, judge = (alternatives(lists[name]) for name in ("decide", "decide_about", "judge"))
    give = alternatives(lists["judge_give"])
    some = alternatives(lists["people"])
    whom = alternatives(lists["people_sure"])
    noun = alternatives(lists["outcome"])
    topic = alternatives(lists["outcome"] | lists["outcome_topic"])
    gap = rf"(?:[\w'’{MARK}$%-]+[\s,:\"'`*(]+){{0,{_NEAR}}}?"
    close = rf"(?:(?!(?:for|to|with|about|from|by|in|on|and)\s)[\w'’{MARK}-]+[\s,:\"'`*(]+){{0,5}}?"
    open_ = (
        r"(?:^|[.!?;:,\n\"'`*>•)\]}□-]\s*|\d[.)]\s*|\b(?:please|then|and|or|also|must|should|to|you\s+will|"
        r"will|you|now|carefully|only|just|can\s+you|could\s+you|would\s+you|"
        r"first|next|finally|always|help\s+me|let['’]s|i\s+want\s+you\s+to)\s+)"
    )
    asks = (
        r"(?:should|would|shall|could|can|do|does|did|is|are|will|may|must|whether|if|why|how\s+likely|"
        r"how\s+much|what|which|who|decide|deserve|deserves)"
    )
    match kind:
        case "question":
            source = (
                rf"\b{asks}\b(?P<said>[^.!?\n]{{0,120}}?\b(?P<verb>{sure}|{about}|reoffend|re-offend|repay))\b"
                rf"(?P<rest>[^.!?\n]{{0,160}})(?P<end>[.!?\n]|\Z)"
            )
        case "given":
            source = (
                rf"\b(?:should|would|shall|could|can|do|does|will|may|must|whether|if)\b[^.!?\n]{{0,80}}?"
                rf"\b(?P<verb>give|gets?|receives?|have|be\s+given|be\s+offered|obtain|trusted\s+with|entitled\s+to|worth)\b"
                rf"[^.!?\n]{{0,40}}?\b(?:{topic})(?!\w)[^.!?\n]{{0,60}}(?:[?.]|\Z)"
                rf"|\b(?:name|list|identify|find|show|return|tell\s+me|give\s+me|which|what)\s+(?:[\w-]+\s+){{0,4}}?{some}\s+"
                rf"(?:(?:we|you|i)\s+)?(?:should\s+|must\s+|would\s+|to\s+)+(?:be\s+)?(?P<other>{sure}|{about})\b"
            )
        case "order":
            near = rf"{close}(?P<whom>\b{some}\b|{MARK}|\b{topic}(?!\w))"
            asked = r"(?P<asked>(?:\s+(?:it|them|him|her|this|that))?\s*\?)?"
            source = rf"{open_}(?P<verb>{sure}|{about})\b{asked}(?:\s*:?\s*{near})?"
        case "either":
            yes = (
                r"(?:hire|hired|approved?|accept(?:ed)?|admit(?:ted)?|grant(?:ed)?|release|qualified|select(?:ed)?|"
                r"eligible|shortlist(?:ed)?|recommended|interview|promote|advance|invite|good|low[- ]risk)"
            )
            no = (
                r"(?:(?:do\s+|should\s+)?not\W|no[- _]?hire|don['’]?t|reject(?:ed)?|den(?:y|ied)|declined?|"
                r"refuse|detain|unqualified|"
                r"ineligible|waitlist(?:ed)?|bad|dismiss|fire|hold|pass|high[- ]risk)"
            )
            between = r"[\s\"'`)*,|/;:]{1,6}(?:or|and|vs\.?|versus|/|\||,)?[\s\"'`(*:|/]{0,6}(?:to\s+)?"
            source = (
                rf"\b(?P<verb>{yes})(?:(?:\s+(?:the|this|them|him|her|a|an|it))?\s+(?:{some}|loan|application|offer))?{between}{no}"
                rf"|\b(?P<other>reject|deny|detain)\w*{between}(?:{yes}|release)\b"
            )
        case "judge":
            source = (
                rf"{open_}(?:(?P<verb>{judge})\b\s+{gap}(?P<whom>\b{whom}\b|\b{noun}(?!\w))"
                rf"|(?P<them>{judge})\s+(?:it|them|him|her|each|how\s+(?:well|good|likely|suitable|reliable|promising|risky)\s+{gap}(?:{some}|{MARK}))\b"
                rf"|(?P<other>(?:decide|determine|rule|say|vote|predict|judge|assess)\s+(?:if|whether|on|about|upon|who|how))\b\s+{gap}\b{topic}(?!\w)"
                rf"|(?P<third>{give})\b\s+{gap}\b{noun}(?!\w))"
            )
        case "outcome":
            source = (
                r"\b(?:what|how|which|estimate|predict|calculate|determine|suggest|recommend|propose|set|give|assign|return|"
                r"provide|output|is|are|would|will)\b"
                rf"[^.!?\n]{{0,80}}?\b(?P<verb>{noun})(?!\w)[^.!?\n]{{0,160}}(?P<end>[.!?\n]|\Z)"
            )
        case _:
            source = (
                rf"\bwho\s+(?P<gets>gets|receives|should\s+(?:get|have|receive|be)|is\s+to\s+get|deserves|wins|goes\s+first)\b(?!\s+(?:what|which|who))[^.!?\n]{{0,80}}(?:\?|\Z|\n)"
                rf"|\b(?:which|who)\b[^.!?\n]{{0,60}}?\b(?P<verb>{sure}|{about}|best|better|stronger|most\s+(?:suitable|qualified|likely|"
                rf"promising|deserving)|preferred?|ideal)\b[^.!?\n]{{0,100}}\?"
                rf"|\b(?P<other>(?:best|better|stronger|top|most\s+(?:suitable|qualified|promising|deserving)))\s+(?:\w+\s+|{MARK}\s+)?{whom}"
            )
    return re.compile(source, re.IGNORECASE | re.MULTILINE)


_SCALE = (
    r"(?i)\b(?:from|between|of|scale(?:\s+of)?|\()\s*(?:0|1|zero|one)\s*(?:-|–|—|to|and|\.\.)\s*(?:4|5|6|7|10|20|100|1000|five|ten|hundred)\b"
    r"|\b(?:out\s+of|/)\s*(?:5|10|100)\b"
)
_GRADED = (
    r"(?i)\b(?:an?|the|your|overall|match|final|total|numeric|numerical)\s+(?:\w+\s+)?(?:score|rating|rank|grade|mark)\b"
    r"|\b(?:score|rating)\s*:"
)
_JOINED = r"(?<![.!?:;\n])[ \t]*\n[ \t]*(?=[a-z(])"
"""A sentence that goes on in the next line."""


MOST_READ = 1_000_000
"""Signs of the texts of one file that are looked through."""


def flattened(text: str) -> str:
    """Running text: lines that belong to one sentence are joined."""
    return re.sub(r"[ \t]+", " ", compiled(_JOINED).sub(" ", text[:LONGEST].replace("\r", "")))


def ask_of(flat: str) -> Ask | None:
    """What a text asks its reader to decide about somebody, None where it asks for no such thing."""
    lists = words()
    best: Ask | None = None
    some = _compiled("people")

    def offer(verb: str, weight: int, found: re.Match[str]) -> None:
        nonlocal best
        if best is None or weight > best.weight:
            best = Ask(" ".join(verb.lower().split()), weight, found[0])

    sure = re.compile(alternatives(lists["decide"]) + r"\Z", re.IGNORECASE)
    concerns = bool(some.search(flat)) or _concerns(flat)
    serious = bool(_compiled("people_sure").search(flat)) or _concerns(flat)  # "it" may be one of them
    for found in expression("either").finditer(flat):
        verb = found["verb"] or found["other"]
        offer(verb, 3 if concerns or sure.match(verb) else 1, found)
    for found in expression("question").finditer(flat):
        verb, is_sure = found["verb"], bool(sure.match(found["verb"]))
        asks = found["end"] == "?" or re.match(r"(?:whether|if|decide|should)\b", found[0], re.IGNORECASE)
        close = f"{found['said']} {verb} {found['rest'][:60]}"
        if asks and (is_sure or MARK in close or some.search(close) or _concerns(close)):
            offer(verb, 3 if is_sure or found["end"] == "?" else 2, found)
    for found in expression("order").finditer(flat):
        is_sure = bool(sure.match(found["verb"]))
        if (found["whom"] and found["whom"] != MARK) or (
            (is_sure and found["whom"]) or ((is_sure or serious) and found["asked"])
        ):
            offer(found["verb"], 3 if is_sure else 2, found)
    for found in expression("judge").finditer(flat):
        if serious or not found["them"]:
            offer(found["verb"] or found["other"] or found["third"] or found["them"], 2, found)
    for found in expression("given").finditer(flat):
        offer(found["verb"] or found["other"], 2, found)
    if concerns and has_scale(flat) and (graded := compiled(_GRADED).search(flat)):
        offer(graded[0], 2, graded)
    for found in expression("who").finditer(flat):
        if concerns or found["gets"]:
            offer(found["verb"] or found["gets"] or found["other"], 2, found)
    for found in expression("outcome").finditer(flat):
        if found["end"] == "?" or some.search(found[0]):
            offer(found["verb"], 2, found)
    return best


def _concerns(text: str) -> bool:
    return bool(_compiled("outcome").search(text)) or bool(_compiled("outcome_topic").search(text))


def speech_of(flat: str) -> Speech:
    """What a text does besides asking."""
    scarce = bool(_compiled("clinical_scarce").search(flat))
    clinical = len({found[0].lower() for found in _compiled("clinical").finditer(flat)}) >= 1
    return Speech(
        addresses=bool(_compiled("address").search(flat)),
        plays=bool(_compiled("role").search(flat)),
        people=bool(_compiled("people").search(flat)),
        clinical=clinical,
        scarce=scarce,
    )


def has_scale(flat: str) -> bool:
    """Whether a number on a scale is asked for."""
    return bool(compiled(_SCALE).search(flat))


@cache
def _compiled(section: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){alternatives(words()[section])}(?!\w)", re.IGNORECASE)


def says(section: str, text: str) -> re.Match[str] | None:
    """The first words of a section that a text holds."""
    return _compiled(section).search(text)


def plays_no_part(flat: str, terms: Iterable[str]) -> bool:
    """Whether the text says that an attribute, called by one of `terms`, is to play no part."""
    what = alternatives((*map(re.escape, terms), *words()["ignore_what"]))
    ignore = alternatives(words()["ignore"])
    return bool(
        re.search(
            rf"(?<!\w){ignore}(?!\w)[^.!?\n]{{0,160}}?(?<!\w){what}(?!\w)"
            rf"|(?<!\w){what}(?!\w)[^.!?\n{MARK}:]{{0,80}}(?<!\w)(?:not|irrelevant|ignored|disregarded|never)(?!\w)",
            flat,
            re.IGNORECASE,
        )
    )
