"""Texts that tell their reader to prefer or avoid a group of people: orders to a model, and adverts.

The words are data, in `lexicon/words/prompts.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from fairlint.lexicon.phrases import alternatives
from fairlint.readers.prompts.prompt_intent import says, words
from fairlint.records import Record

MOST = 12
"""Preferences that are told of one text."""
_OF_AGE = 21
"""Up to here the law sets limits of age."""
_OLD = 40
_OLDEST = 80
_BEFORE = 60
_AROUND = 400
_FARTHEST = 140
"""Signs before a group's name in which a verb is looked for."""
_HEAD = (
    r"(?:^\s*|[.!?;:,\n\"'`*>•)(\]}-]\s*|\d[.)]\s*|\b(?:please|always|only|must|should|shall|will|would|strongly|generally|also|and|then|we|i|"
    r"you|or|but|slightly|heavily|highly|really|do|to|not|never|n['’]t|clearly|company\s+policy\s+is\s+to|instead|rather|usually|"
    r"automatically|simply|just|client|company|employer|team|firm|manager|landlord|boss)\s+)"
)
_NOT = (
    r"(?:\bnot|n['’]t|\bnever|\bno|\bwithout|\bavoid|\bnor|\brefrain\s+from|\bcannot|\bstop|\brather\s+than|\binstead\s+of|\bdont)\s+"
    r"(?:\w+\s+){0,2}$"
)
_BOTH = (
    r"^[\s,]*(?:and|or|as\s+well\s+as|&|/|nor|alongside)\s+(?:also\s+)?(?:(?:wo)?men|(?:fe)?males?|girls|boys|ladies|gentlemen|old\w*|young\w*|others?|"
    r"white|black|everyone|anyone(?!\s+(?:who|with|from|that|over|above|under)\b)|all|non-\w+)\b|^\s*(?:equally|alike|fairly|the\s+same)\b"
)
_OTHERS = r"\b(?:both|either|all|equally|regardless|same|between)\b[\s\w]{0,20}$"


@cache
def _compiled(source: str) -> re.Pattern[str]:
    """Compiled where it is first needed: most files have no such text."""
    return re.compile(source, re.IGNORECASE)


_VERB_PIECES = (
    "prefer favour favor priorit privileg give lean boost weight rank rate scor point ideal avoid "
    "reject exclud refus declin discard skip filter screen weed penal grade disqual steer turn deny "
    "eliminat black lay$off fire deduct subtract courag sceptic wary don $not $no$ hire hiring recruit "
    "select choose pick accept admit approv short promot employ consider interview invit rent lend "
    "recommend grant includ allow serve insur advanc forward appoint looking seek search must should "
    "has$to require suit open only age vacanc job position opportun increas award lower want need "
    "lenient generous forgiv indulg easy$on benefit$of blind$eye strict harsh tough hard extra"
)
_GROUP_PIECES = (
    "men man male guy boy girl lady ladies wife wives women young youth gen$z millenn digital graduates "
    "old elder aging ageing mature senior retire pension boomer white cauca black afric asia hispan "
    "latin minorit colo arab roma gyps immigr foreign migr refugee nativ citizen born american europ "
    "british german french indian chinese mexic nigeri pakis turk poli christ cathol protest muslim "
    "islam jew hindu disab handic autis neuro deaf blind able wheel pregnan mother father parent famil "
    "kid child single marri gay lesb homo queer lgbt straight hetero veteran speaker tongue english "
    "accent over above under below past than between waitress host trans femin mascu crafts housewi "
    "aged"
)
"""Pieces of the words of `prompts.toml`, with `$` for a blank."""
VERBS = tuple(piece.replace("$", " ") for piece in _VERB_PIECES.split())
GROUPS = tuple(piece.replace("$", " ") for piece in _GROUP_PIECES.split())


class Preference(Record):
    """A group that a text prefers or avoids: `verb` and `words` as written."""

    attribute: str
    group: str
    verb: str
    words: str
    is_work: bool
    """The text is about work, money, homes or schools."""


class _Found(Record):
    """A group as a text names it: from where to where, with the noun that its adjective needs."""

    attribute: str
    group: str
    start: int
    end: int
    is_number: bool = False


@cache
def _groups() -> tuple[tuple[tuple[str, str], ...], re.Pattern[str]]:
    """The attributes and groups, and one expression for their words: `a3` by itself, `b3` with a noun."""
    lists = words()
    names = dict.fromkeys(
        name.partition("_")[2] for name in lists if name.startswith(("group_", "groupnoun_"))
    )
    keys = tuple(name for name in names if name != "people")
    arms = [
        rf"(?P<{sort}{at}>{alternatives(lists[section])})"
        for at, name in enumerate(keys)
        for sort, section in (("a", f"group_{name}"), ("b", f"groupnoun_{name}"))
        if section in lists
    ]
    pairs = tuple((name.split("__")[0], name.split("__")[1]) for name in keys)
    return pairs, re.compile(rf"(?<![\w-])(?:{'|'.join(arms)})(?![\w'’])", re.IGNORECASE)


@cache
def _noun() -> re.Pattern[str]:
    filler = r"(?:[\w-]+(?:,\s*|\s+(?:and\s+)?)){0,3}?"
    nouns = alternatives(words()["group_people"])
    return re.compile(rf",?\s+(?:and\s+|or\s+)?{filler}{nouns}(?![\w'’])", re.IGNORECASE)


def _named_groups(flat: str) -> Iterator[_Found]:
    pairs, expression = _groups()
    for match in expression.finditer(flat):
        name = match.lastgroup or ""
        attribute, group = pairs[int(name[1:])]
        end = match.end()
        if name[0] == "b":
            noun = _noun().match(flat, end)
            if noun is None and not (
                (attribute == "age" and _compiled(_TRAIT).match(flat, end))
                or (
                    _compiled(_IS).search(flat[max(0, match.start() - 20) : match.start()])
                    and _compiled(_STOPS).match(flat, end)
                )
            ):
                continue
            end = end if noun is None else noun.end()
        yield _Found(attribute, group, match.start(), end)


_IS = r"\b(?:is|are|being|they['’]re|seems?|looks?|sounds?)\s+$"
_STOPS = r"\s*(?:[.,;:!\n)]|$|\s(?:and|or|but|from|by|over)\b)"
"""What a group's adjective may stand between, as in "who are pregnant."."""
_TRAIT = r",?\s+(?:and|&|energetic|dynamic|fresh|ambitious|attractive)\b"
"""After these, "young" says what somebody is to be like."""

_AGED = (
    r"(?:(?:over|above|older\s+than|past)\s+(?:the\s+age\s+of\s+|age\s+)?(?P<over>\d\d)"
    r"|(?:under|below|younger\s+than|less\s+than|not\s+older\s+than|no\s+older\s+than|up\s+to)\s+(?:the\s+age\s+of\s+|age\s+)?(?P<under>\d\d)"
    r"|(?:aged?|between)\s+(?:between\s+)?(?P<low>\d\d)\s*(?:-|–|to|and)\s*(?P<high>\d\d))(?!\s*(?:%|percent|k\b|hours|days|minutes|points|"
    r"months|weeks|employees|people|kg|lbs|miles|km|characters|words|years?\s+of|\d|[.,]\d))(?:\s+years?(?:\s+old|\s+of\s+age)?)?"
)


_BETWEEN = (
    r"(?:\s+(?:the|a|an|any|only|more|mainly|primarily|mostly|all|hiring|selecting|recruiting|choosing|those|who\s+are|who\s+is|for|from|"
    r"being|of|out|our|new|energetic|dynamic|attractive|fit|good-looking|well-groomed|motivated|ambitious|skilled|smart|strong|talented|to|"
    r"enthusiastic|qualified|experienced|healthy|fresh|cheerful|friendly|single|candidates|applicants|applications|people|anyone|resumes|cvs|"
    r"young|younger|older|old|white|black|asian|hispanic|male|female|single|married|native|foreign|american|european|straight|strong|tall|"
    r"recommending|inviting|promoting|considering|approving|offering|giving|lending|renting|accepting|admitting|insuring|employing|"
    r"to|jobs|money|flats|homes|"
    r"with|another|someone|somebody|who|are|is|loans?|mainly|if|they|he|she|candidate|applicant|person|employee|tenant|whose|name|names|"
    r"sounds?|seems?|that|which|them),?(?:\s+(?:and|or))?){0,6}\s*$"
)
_WHOM = (
    r"(?:\s+(?:the|any|all|candidates?|applicants?|anyone|everyone|people|those|employees|tenants|workers|who|is|are|persons?|drivers|a|an|"
    r"of|from)){0,6}\s*$"
)
_ONLY_AFTER = (
    r"\s*(?:candidates?\s+|applicants?\s+|applications?\s+|staff\s+)?"
    r"(?P<verb>only|preferred|need\s+apply|wanted|required)\b"
)
_ONLY_BEFORE = r"(?<!\w)(?P<verb>only|no)\s+$"
_APPLY = (
    r"\s+(?:(?:may|should|can|need|will|are|must|be|is|to|please)\s+)*(?:apply|applying|considered|accepted|allowed|eligible|hired|"
    r"qualify|wanted)\b"
)
_AGE_LIMIT = (
    r"(?P<advert>must\s+be|should\s+be|looking\s+for|seeking|age\s+limit|maximum\s+age|max\s+age|ideal\s+age|preferred\s+age|wanted)"
    rf"\s*:?{_WHOM}"
)


@cache
def _verbs(between: str) -> re.Pattern[str]:
    """A verb right before a group's name; its own name says of which sort it is."""
    lists = words()
    sorts = (("prefer", "prefer"), ("avoid", "prefer_avoid"), ("take", "prefer_take"))
    arms = "|".join(rf"(?P<{sort}>{alternatives(lists[section])})" for sort, section in sorts)
    advert = alternatives(lists["prefer_advert"])
    return re.compile(rf"(?:{_HEAD}(?:{arms})|(?<!\w)(?P<advert>{advert})){between}", re.IGNORECASE)


class _Said(Record):
    """How a group is spoken of: the sort of verb, the verb, and where it starts."""

    sort: str
    verb: str
    start: int


def _verb_before(expression: re.Pattern[str], flat: str, end: int) -> _Said | None:
    start = max(0, end - _FARTHEST)
    window = flat[start:end]
    cut = max(window.rfind(mark) for mark in ".!?\n")
    start, window = start + cut + 1, window[cut + 1 :]
    found = None
    for match in expression.finditer(window):
        found = match
    if found is None or found.lastgroup is None:
        return None
    return _Said(found.lastgroup, found[found.lastgroup], start + found.start(found.lastgroup))


def may_prefer(flat: str) -> bool:
    """A quick look at a text: whether it holds pieces of a verb and of a group's name."""
    low = f" {flat.lower()} "
    return any(piece in low for piece in VERBS) and any(piece in low for piece in GROUPS)


def preferences(flat: str) -> Iterator[Preference]:
    """What a text tells its reader to prefer or avoid; nothing where it only speaks about it."""
    if not may_prefer(flat):
        return
    written, flat = " ".join(flat.split()), _listed(flat)
    seen: set[str] = set()
    for group, said in _said(flat):
        if group.attribute in seen or len(seen) >= MOST or not _means_it(said, group, flat):
            continue
        first = min(said.start, group.start)
        around = flat[max(0, first - _AROUND) : group.end + _AROUND]
        if says("prefer_research", around):
            continue
        is_work = says("prefer_about", _sentences(flat, first, group.end)) is not None
        if group.is_number and said.sort == "advert" and not is_work:
            continue  # what may be typed into a form
        whole = flat[first : group.end]
        seen.add(group.attribute)
        verb = " ".join(said.verb.lower().split())
        yield Preference(group.attribute, group.group, verb, _as_written(whole, written), is_work)


def _listed(flat: str) -> str:
    """Each entry of a list says by itself what the line above the list begins to say."""

    def spelled(found: re.Match[str]) -> str:
        entries = (line.lstrip(_BULLETS) for line in found["entries"].splitlines())
        return "\n".join(f"{found['head']} {entry}" for entry in entries if entry)

    return _compiled(_LIST).sub(spelled, flat)


def _as_written(words: str, text: str) -> str:
    """Of some words, as many of the last as the text has in one row."""
    parts = words.split()
    ends = (" ".join(parts[start:]) for start in range(len(parts)))
    return next((end for end in ends if end in text), " ".join(parts))


_BULLETS = " \t*-•–+0123456789.)"
_LIST = (
    r"(?m)^[ \t]*(?P<head>[^\n:]{4,80}\b(?:be|for|want|prefer|avoid|reject|exclude|are|to)):[ \t]*\n"
    r"(?P<entries>(?:[ \t]*(?:[*•–+-]|\d+[.)])[^\n]*(?:\n|\Z)){1,20})"
)
"""A list of what somebody has to be, with the line above it."""


def _sentences(flat: str, start: int, end: int) -> str:
    """The sentence at a place, with the one before and the one after it."""
    before = [
        one for one in _compiled(_SENTENCE).split(flat[max(0, start - _AROUND) : start]) if one.strip()
    ][-2:]
    after = [one for one in _compiled(_SENTENCE).split(flat[end : end + _AROUND]) if one.strip()][:2]
    return f"{''.join(before)}{flat[start:end]}{''.join(after)}"


_SENTENCE = r"(?<=[.!?\n])"


def _said(flat: str) -> Iterator[tuple[_Found, _Said]]:
    for group in _named_groups(flat):
        said = _verb_before(_verbs(_BETWEEN), flat, group.start)
        if said is not None:
            yield group, said
        if match := _compiled(_ONLY_AFTER).match(flat, group.end):
            yield group, _Said("only", match["verb"], group.start)
        elif match := _compiled(_SHARE).match(flat, group.end) or _changed(flat, group):
            whole = _Found(group.attribute, group.group, group.start, match.end())
            yield whole, _Said("share", match["verb"], group.start)
        elif (
            only := _compiled(_ONLY_BEFORE).search(flat[max(0, group.start - 10) : group.start])
        ) and _compiled(_APPLY).match(flat, group.end):
            yield group, _Said("only", only["verb"], group.start - len(only[0]))
    for match in re.finditer(_AGED, flat, re.IGNORECASE):
        aged = _aged(match)
        if aged is None:
            continue
        said = _verb_before(_verbs(_WHOM), flat, match.start()) or _verb_before(
            _compiled(_AGE_LIMIT), flat, match.start()
        )
        if said is not None:
            yield _Found("age", aged, match.start(), match.end(), is_number=True), said


def _aged(match: re.Match[str]) -> str | None:
    numbers = [int(match[name]) for name in ("over", "under", "low", "high") if match[name]]
    if max(numbers) <= _OF_AGE or max(numbers) > _OLDEST:
        return None
    if match["over"]:
        return "elder" if numbers[0] >= _OLD else "middle"
    return "young" if max(numbers) <= _OLD else "middle"


def _means_it(said: _Said, group: _Found, flat: str) -> bool:
    """Whether the words around do not turn what is said into something else."""
    before = re.split(r"[.!?\n]", flat[max(0, said.start - _BEFORE) : said.start])[-1]
    after = flat[group.end : group.end + _BEFORE]
    end = re.search(r"[.!?\n]", flat[group.end :])
    if end is not None and end[0] == "?":
        return False
    if _compiled(_BOTH).search(after) or _compiled(_OTHERS).search(before) or _things().match(after):
        return False
    if said.sort == "advert" and _compiled(_TOLD).search(before):
        return False
    if said.sort == "only" and _things_before().search(before):
        return False
    negated = bool(_compiled(_NOT).search(before))
    if said.sort in {"prefer", "avoid"}:
        return not negated
    if said.sort == "take" and not negated:
        whole = flat[said.start : group.end] + after
        return bool(_compiled(_ALWAYS).search(before) or _compiled(_RATHER).search(whole))
    if said.sort == "advert" and negated:
        return said.verb.lower().startswith(("must", "should", "has"))
    return not (said.sort == "only" and negated and said.verb.lower() != "no")


_SHARE = (
    r"\s+(?:should|must|shall|will|are\s+to|always)\s+(?:always\s+|automatically\s+)?"
    r"(?P<verb>(?:get|receive|be\s+given|have)\s+(?:\w+\s+){0,3}?"
    r"(?:points?|scores?|bonus|priority|preference|salary|salaries|ratings?|rank|pay|offers?|loans?)"
    r"|be\s+(?:preferred|rejected|hired|excluded|avoided|penali[sz]ed|prioriti[sz]ed|favou?red|downgraded|declined|"
    r"(?:rated|ranked|scored)\s+(?:lower|higher|first|last)))\b(?!\s+(?:equally|fairly|too|as\s+well))"
)
"""What a group is to get, told of the group itself."""


def _changed(flat: str, group: _Found) -> re.Match[str] | None:
    before = flat[max(0, group.start - 30) : group.start]
    return _compiled(_CHANGED).match(flat, group.end) if _compiled(_FOR).search(before) else None


_FOR = (
    r"\b(?:for|if|when|with)\s+"
    r"(?:(?:the|an?|any|all|applicant|candidate|customer|person|client|caller|they|is|are|from)\s+){0,3}$"
)
_CHANGED = (
    r"\s*,?\s*(?:please\s+|always\s+|then\s+)?(?P<verb>(?:lower|raise|increase|decrease|reduce|halve|double|cut|cap|deduct|subtract|add)"
    r"\s+(?:the\s+|their\s+|his\s+|her\s+|an?\s+)?(?:\w+\s+){0,2}?(?:limits?|scores?|points?|premiums?|prices?|rates?|ratings?|rents?|"
    r"deposits?|salary|salaries|offers?|bonus|budget|priority|grades?))\b"
)
"""What is changed for a group: "for customers of foreign origin, lower the limit"."""
_ALWAYS = r"\b(?:only|always|exclusively|mainly|preferably)\s+(?:\w+\s+)?$"
_RATHER = r"\bonly\b|\bover\b|\brather\s+than\b|\binstead\s+of\b|\bfirst\b"


_TOLD = (
    r"\b(?:he|she|they|who|it|that|which)\s+(?:is|are|was|were|had\s+been|has\s+been)\s*$"
    r"|\b(?:was|were|been)\s*$"
)
"""Somebody else wants it: a story, no advert."""


@cache
def _things_before() -> re.Pattern[str]:
    return re.compile(rf"\b{alternatives(words()['prefer_things'])}\s+(?:for|of)\s+$", re.IGNORECASE)


@cache
def _things() -> re.Pattern[str]:
    return re.compile(rf"\s*{alternatives(words()['prefer_things'])}\b", re.IGNORECASE)
