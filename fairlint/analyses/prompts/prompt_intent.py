"""What a text asks its reader: to decide about a person, or something else.

The words are data, in `vocabulary/words/prompts.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Literal

from fairlint.analyses.prompts.templates import MARK, compile_pattern
from fairlint.support.records import Record
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.phrases import alternatives, expression

LONGEST = 20_000
"""Characters of one text that are read; of a longer one, the report names the rest as not analysed."""
FEWEST_STATEMENTS = 4
"""Lines that end like statements, from which on a text is taken for a program."""
MOST_SURE = 3
"""What asks for a decision about a person, and for nothing else."""

TEMPLATES = {
    "question": r"""
        \b<asks>\b (?P<said>[^.!?\n]{0,120}? \b(?P<verb> <any_decision> | <happens> ))\b
        (?P<rest>[^.!?\n]{0,160}) (?P<end>[.!?\n]|\Z)
        """,
    "order": r"""
        <opening> (?P<verb> <decide> | <decide_about> )\b
        (?P<asked>(?:\s+<them>)?\s*\?)?
        (?:\s*:?\s* <close> (?P<whom> \b<people>\b(?!<of_words>) | <gap> | \b<topic>(?!\w) ))?
        """,
    "either": r"""
        \b(?P<verb><favourable>) (?:(?:\s+<article>)?\s+(?:<people>|<applied_for>))? <or_not> <unfavourable>
        | \b(?P<other>reject|deny|detain)\w* <or_not> (?:<favourable>|release)\b
        """,
    "judge": r"""
        <opening>
        (?: (?P<verb><judge>)\b\s+ <near> (?P<whom> \b<people_sure>\b(?!<of_words>) | \b<outcome>(?!\w) )
          | (?P<them><judge>)\s+ (?: <each> | how\s+<how>\s+ <near> (?:<people>|<gap>) )\b
          | (?P<other><decides>\s+<whether>)\b\s+ <near> \b<topic>(?!\w)
          | (?P<ranks><ranks>|<diagnoses>)\b\s+ <close> \b<ranked>\b
          | (?P<third><judge_give>)\b\s+ <near> \b<outcome>(?!\w) )
        """,
    "made": r"""
        \b<told_of>\s+(?:of|for|about|on|behind)\s+ <made_by_others>\s+
        (?:(?!<apart>\s)[\w'’-]+\s+){0,4}? <made>\b
        """,
    "given": r"""
        \b<modal>\b[^.!?\n]{0,80}? \b(?P<verb><receive>)\b
        [^.!?\n]{0,40}? \b<topic>(?!\w) [^.!?\n]{0,60} (?:[?.]|\Z)
        | \b<find>\s+(?:[\w-]+\s+){0,4}? <people>\s+ (?:(?:we|you|i)\s+)? (?:<ought>\s+)+ (?:be\s+)?
          (?P<other> <any_decision> )\b
        """,
    "who": r"""
        \bwho\s+(?P<gets><gets>)\b (?!\s+(?:what|which|who)) [^.!?\n]{0,80} (?:\?|\Z|\n)
        | \b(?:which|who)\b [^.!?\n]{0,60}?
          \b(?: (?P<verb> <any_decision> | <best> ) | (?P<served><ought>\s+<receives>) )\b
          [^.!?\n]{0,100}\?
        | \b(?P<other><top>)\s+ (?:\w+\s+|<gap>\s+)? <people_sure>
        """,
    "outcome": r"""
        \b<asks_for>\b [^.!?\n]{0,80}? \b(?P<verb><outcome>)(?!\w) [^.!?\n]{0,160} (?P<end>[.!?\n]|\Z)
        """,
    "scale": r"""
        \b(?: <scale> | \( )\s*(?:0|1|zero|one)\s*(?:-|–|—|to|and|\.\.)\s*<most>\b
        | \b<scored>\s*:?\s*(?:0|1)\s*(?:-|–|—|to)\s*<most>\b
        | (?<!<mark>)(?<!<mark>\s) \b(?: out\s+of | / )\s*(?:5|10|100)\b
        """,
    "graded": r"\b<graded>\s+(?:\w+\s+)?<grade>\b | \b(?:score|rating)\s*:(?!\s*<mark>)",
    "answer": r"""
        ["'`](?P<key>(?:\w+_)?(?P<sure><answer_keys>)(?:_\w+)?|<answer_keys_weak>)["'`]\s*:(?!\s*["'`]?<mark>)
        """,
    "ignored": r"""
        (?<!\w)<ignore>(?!\w) [^.!?\n]{0,160}? (?<!\w)<what>(?!\w)
        | (?<!\w)<what>(?!\w) [^.!?\n:<mark>]{0,80} (?<!\w)<played_none>(?!\w)
        """,
}
"""What is looked for, with the names of lists of words, and of parts, in angle brackets."""

_PARTS = {
    "any_decision": "<decide> | <decided> | <decide_about> | <decided_about>",
    # where an order begins
    "opening": r"""(?: ^ | [.!?;:,\n"'`*>•)\]}□-]\s* | \d[.)]\s* | \b<opens>\s+ )""",
    # up to eight words between what is asked and whom it concerns
    "near": rf"""(?:[\w'’{MARK}$%-]+[\s,:"'`*(]+){{0,8}}?""",
    # up to five, of which none says that it is about something else
    "close": rf"""(?:(?!<apart>\s)[\w'’{MARK}-]+[\s,:"'`*(]+){{0,5}}?""",
    "or_not": r"""[\s"'`)*,|/;:]{1,6} (?:or|and|vs\.?|versus|/|\||,)? [\s"'`(*:|/]{0,6} (?:to\s+)?""",
    # what somebody says, and not who says it
    "of_words": r"""['’]s?\s+(?:\w+\s+)?<said_words>\b""",
    "gap": MARK,
    "mark": MARK,
}
_JOINED = r"(?<![.!?:;\n])[ \t]*\n[ \t]*(?=[a-z(])"
"""A sentence that goes on in the next line."""
_ASKED_FOR_SURE = r"(?i)(?:whether|if|decide|should)\b"
_BEFORE = 40
"""Characters before a word that may say that it begins no question."""


AskKind = Literal[
    "", "alternatives", "question", "order", "judgement", "gain", "grade", "choice", "outcome", "answer"
]


class Ask(Record):
    """What is asked: the verb or noun as written, how sure it is, and the words it stands in."""

    verb: str
    weight: int
    sentence: str
    is_care: bool = False
    """Whether it is what somebody's body needs: a diet, a diagnosis. That is medicine's, or nothing."""
    kind: AskKind = ""
    """How it is asked; empty where it is care."""
    start: int = 0
    """Where the sentence begins in the running text."""


class Speech(Record):
    """What a text does besides asking."""

    addresses: bool
    """It speaks to its reader as one speaks to a model."""
    orders: bool
    """It does so in words that are hardly said to a person."""
    is_letter: bool
    """It greets its reader, who is a person."""
    plays: bool
    """It gives its reader the part of a person who decides."""
    people: bool
    clinical: str
    """The first word that says it is about a person's health; empty where none does."""
    scarce: bool
    """Somebody gets there what another does not, or comes first."""


words = partial(word_lists, "prompts")
"""The lists of `prompts.toml`."""


@cache
def _template_pattern(name: str) -> re.Pattern[str]:
    return expression(TEMPLATES[name], _template_words(), re.MULTILINE)


@cache
def _template_words() -> Mapping[str, Iterable[str]]:
    lists = words()
    topic = lists["outcome"] | lists["outcome_topic"]
    return {**lists, "topic": topic, **_PARTS}


@cache
def _section_pattern(section: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){alternatives(words()[section])}(?!\w)", re.IGNORECASE)


def says(section: str, text: str) -> re.Match[str] | None:
    """Return the first words of a section that a text holds."""
    return _section_pattern(section).search(text)


def left_out(text: str) -> str:
    """Return what is said of a text that is read in part; empty where all of it is."""
    longer = len(text) > LONGEST
    return f"a text of {len(text):,} characters: only the first {LONGEST:,} were read" if longer else ""


def is_program(text: str) -> bool:
    """Return whether a text is a program in a language whose statements end with a sign."""
    lines = [line for line in text[:LONGEST].splitlines() if line.strip()]
    ended = sum(line.rstrip().endswith((";", "; \\")) for line in lines)
    return ended >= FEWEST_STATEMENTS and ended * 4 >= len(lines)


def flatten_text(text: str) -> str:
    """Return running text: lines that belong to one sentence are joined, and many empty lines are one."""
    joined = re.sub(r"[ \t]+", " ", compile_pattern(_JOINED).sub(" ", text[:LONGEST].replace("\r", "")))
    return re.sub(r"\n(?: ?\n){2,}", "\n\n", joined)


def has_scale(flat: str) -> bool:
    """Return whether a number on a scale is asked for."""
    return bool(stated_scale(flat))


def stated_scale(flat: str) -> str:
    """Return the words that say on which scale a number is asked for; empty where none do."""
    found = _template_pattern("scale").search(flat)
    return "" if found is None else found[0]


def speech_of(flat: str) -> Speech:
    """Return what a text does besides asking."""
    clinical = says("clinical", flat)
    return Speech(
        addresses=says("address", flat) is not None,
        orders=says("address_sure", flat) is not None,
        is_letter=says("letter", flat) is not None,
        plays=says("role", flat) is not None,
        people=says("people", flat) is not None,
        clinical="" if clinical is None else clinical[0],
        scarce=says("clinical_scarce", flat) is not None,
    )


def plays_no_part(flat: str, terms: Iterable[str]) -> bool:
    """Return whether the text says that an attribute, called by one of `terms`, is to play no part."""
    what = (*map(re.escape, terms), *words()["ignore_what"])
    return expression(TEMPLATES["ignored"], {**_template_words(), "what": what}).search(flat) is not None


# ------------------------------------------------------------------------------------------- what is asked


class _Text:
    """A text, and whom it speaks of."""

    def __init__(self, flat: str) -> None:
        self.flat = flat

    def found(self, name: str) -> Iterator[re.Match[str]]:
        return _template_pattern(name).finditer(self.flat)

    @cached_property
    def addresses(self) -> bool:
        """Whether it speaks to its reader as one speaks to a model."""
        return says("address", self.flat) is not None

    @cached_property
    def has_topic(self) -> bool:
        return _has_topic(self.flat)

    @cached_property
    def concerns(self) -> bool:
        """Whether it speaks of people or of what they may get."""
        return says("people", self.flat) is not None or self.has_topic

    @cached_property
    def is_serious(self) -> bool:
        """The same of people who apply, or are judged: "it" may be one of them."""
        return says("people_sure", self.flat) is not None or self.has_topic


_Offer = tuple[str, int, re.Match[str]]
"""A verb or noun, how sure it is that it asks for a decision about a person, and where it stands."""


def ask_of(flat: str) -> Ask | None:
    """Return what a text asks its reader to decide about a person, None where it asks for no such thing."""
    text = _Text(flat)
    best: _Offer | None = None
    kind: AskKind = ""
    for name, reader in _READERS.items():
        for offer in reader(text):
            if best is None or offer[1] > best[1]:
                best, kind = offer, name
            if offer[1] == MOST_SURE:
                break
    if best is not None:
        verb = " ".join(best[0].lower().split())
        return Ask(verb, best[1], best[2][0], kind=kind, start=best[2].start())
    care = says("care", flat) if text.addresses or says("care_ordered", flat) else None
    return None if care is None else Ask(" ".join(care[0].lower().split()), 2, care[0], is_care=True)


def _has_topic(text: str) -> bool:
    return says("outcome", text) is not None or says("outcome_topic", text) is not None


def _is_sure(verb: str) -> bool:
    sure = words()["decide"] | words()["decided"]
    return re.compile(alternatives(sure), re.IGNORECASE).fullmatch(verb) is not None


def _first_matching_group(found: re.Match[str], *names: str) -> str:
    return str(next(filter(None, map(found.group, names))))


def _offers_of_alternatives(text: _Text) -> Iterator[_Offer]:
    """ "hire or reject": the answers that are allowed."""
    for found in text.found("either"):
        verb = _first_matching_group(found, "verb", "other")
        yield verb, 3 if text.concerns or _is_sure(verb) else 1, found


def _offers_of_questions(text: _Text) -> Iterator[_Offer]:
    """Return  "should we hire her?", "whether the loan is approved"."""
    for found in text.found("question"):
        verb, is_asked = found["verb"], found["end"] == "?"
        if not is_asked and not (re.match(_ASKED_FOR_SURE, found[0]) and _begins_question(text.flat, found)):
            continue
        close = f"{found['said']} {verb} {found['rest'][:60]}"
        if _is_sure(verb) or MARK in close or says("people", close) or _has_topic(close):
            yield verb, 3 if _is_sure(verb) or is_asked else 2, found


def _begins_question(flat: str, found: re.Match[str]) -> bool:
    """Return whether a word that may begin a question does: "check if" and "who should", not "as if"."""
    before = flat[max(0, found.start() - _BEFORE) : found.start()]
    first = found[0].split(maxsplit=1)[0].lower()
    if first == "if":
        return _ends_with("before_if", before)
    return first != "should" or not _ends_with("before_should", before)


@cache
def _at_end(section: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){alternatives(words()[section])}[\s:,]*\Z", re.IGNORECASE)


def _ends_with(section: str, text: str) -> bool:
    return _at_end(section).search(text) is not None


def _offers_of_orders(text: _Text) -> Iterator[_Offer]:
    """ "approve the loan", "hire {name}", "hire?"."""
    for found in text.found("order"):
        whom, is_sure = found["whom"], _is_sure(found["verb"])
        told = whom and (whom != MARK or is_sure)
        if told or (found["asked"] and (is_sure or text.is_serious)):
            yield found["verb"], 3 if is_sure else 2, found


def _offers_of_judgements(text: _Text) -> Iterator[_Offer]:
    """ "rate the applicant", "decide whether the loan …"."""
    for found in text.found("judge"):
        if found["third"] and _is_past_decision(text.flat, found.start(), found.end()):
            continue
        if text.is_serious or not found["them"]:
            yield _first_matching_group(found, "verb", "other", "ranks", "third", "them"), 2, found


def _is_past_decision(flat: str, start: int, end: int) -> bool:
    """Return whether what is asked for there is no more than words about a decision that was made before."""
    told = _template_pattern("made").search(flat, start, end + _BEFORE)
    return told is not None and told.start() < end


def _offers_of_gains(text: _Text) -> Iterator[_Offer]:
    """Return  "should she get the loan", "list the people we should hire"."""
    for found in text.found("given"):
        yield _first_matching_group(found, "verb", "other"), 2, found


def _offers_of_grades(text: _Text) -> Iterator[_Offer]:
    """ "give a score from 0 to 10"."""
    if text.concerns and has_scale(text.flat) and (graded := _template_pattern("graded").search(text.flat)):
        yield graded[0], 2, graded


def _offers_of_choices(text: _Text) -> Iterator[_Offer]:
    """ "who gets the flat?", "the best candidate"."""
    for found in text.found("who"):
        if text.concerns or found["gets"]:
            yield _first_matching_group(found, "verb", "gets", "served", "other"), 2, found


def _offers_of_outcomes(text: _Text) -> Iterator[_Offer]:
    """Return  "what is her risk of default?"."""
    for found in text.found("outcome"):
        is_asked = found["end"] == "?" or says("people", found[0])
        if is_asked and not _is_past_decision(text.flat, found.start(), found.start("verb")):
            yield found["verb"], 2, found


def _offers_of_answers(text: _Text) -> Iterator[_Offer]:
    """ "Return JSON: {"eligible": true or false}"."""
    for found in text.found("answer"):
        if text.addresses and (text.concerns if found["sure"] else text.is_serious):
            yield found["key"].replace("_", " "), 2, found


_READERS: Mapping[AskKind, Callable[[_Text], Iterator[_Offer]]] = {
    "alternatives": _offers_of_alternatives,
    "question": _offers_of_questions,
    "order": _offers_of_orders,
    "judgement": _offers_of_judgements,
    "gain": _offers_of_gains,
    "grade": _offers_of_grades,
    "choice": _offers_of_choices,
    "outcome": _offers_of_outcomes,
    "answer": _offers_of_answers,
}
"""In this order; of what is equally sure, the first is told."""
