"""Texts that tell their reader to prefer or avoid a group of people: orders to a model, and adverts.

How groups are named is the vocabulary's (`vocabulary/prose.py`); all other words are data, in
`vocabulary/words/preferences.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from fairlint.support.records import Record, replace
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.phrases import expression
from fairlint.vocabulary.prose import Named

MOST = 12
"""Preferences that are told of one text."""
_AGE = "age"
_OF_AGE = 21
"""Up to here the law sets limits of age."""
_OLD = 40
_OLDEST = 80
_BEFORE = 60
_AROUND = 400
_FARTHEST = 140
"""Signs before a group's name in which a verb is looked for."""
_MOST_BETWEEN = 6
"""Words between the verb and the group."""
_FEW_GROUPS = 3
"""Core groups of an attribute of which two, named together, are as good as all."""
_BULLETS = " \t*-•–+0123456789.)"

TEMPLATES = {
    "verb": r"""
        (?: ^\s* | [.!?;:,\n"'`*>•)(\]}-]\s* | \d[.)]\s* | (?: \b<before_verb> | n['’]t )\s+ )
        (?: (?P<prefer><prefer>) | (?P<avoid><avoid>) | (?P<take><take>) )(?!\w)
        | (?<!\w)(?P<advert><advert>)(?!\w)
        """,
    "age limit": r"(?P<advert><age_limits>)\s*:?(?!\w)",
    "age": r"""
        (?: <over_age>\s+(?:<of_age>\s+)?(?P<over>\d\d)
          | <under_age>\s+(?:<of_age>\s+)?(?P<under>\d\d)
          | (?:aged?|between)\s+(?:between\s+)?(?P<low>\d\d)\s*(?:-|–|to|and)\s*(?P<high>\d\d) )
        (?!\s*<no_ages>) (?:\s+years?(?:\s+old|\s+of\s+age)?)?
        """,
    "only after": r"\s*(?:<applying>\s+)?(?P<verb><only_after>)\b",
    "only before": r"(?<!\w)(?P<verb>only|no)\s+$",
    "apply": r"\s+(?:<may>\s+)*<apply>\b",
    "share": r"""
        \s+<shall>\s+(?:(?:always|automatically)\s+)?
        (?P<verb> <get>\s+(?:\w+\s+){0,3}?<gains> | be\s+<treated> | be\s+<rated>\s+<place> )\b
        (?!\s+<as_others>)
        """,
    "case": r"\b<case>\s+(?:<of_the_case>\s+){0,3}$",
    "changed": r"""
        \s*,?\s*(?:(?:please|always|then)\s+)?
        (?P<verb> <change>\s+(?:(?:the|their|his|her|an?)\s+)?(?:\w+\s+){0,2}?<changed> )\b
        """,
    "negated": r"(?:\b<negations>|n['’]t)\s+(?:\w+\s+){0,2}$",
    "all before": r"\b<both_before>\b[\s\w]{0,20}$",
    "all after": r"^\s*<both_after>\b | ^[\s,]*<as_well>\s+(?:also\s+)?<all_others>\b",
    "as well": r"[\s,]*<as_well>\s+(?:also\s+)?",
    "exclusively": r"\b<exclusively>\s+(?:\w+\s+)?$",
    "rather": r"\b<rather_than>\b",
    "told": r"\b<others_who>\s+<were>\s*$ | \b<past>\s*$",
    "joined": r"\s*(?:<third_persons>)\s(?:(?!\b(?:<orders>)\b)[\s\S])*?\b(?:and|or|but)\s+(?:\w+ly\s+)?$",
    "things": r"\s*<things>\b",
    "things before": r"\b<things>\s+(?:for|of)\s+$",
    "list": r"""
        ^[ \t]*(?P<head>[^\n:]{4,80}\b<list_heads>):[ \t]*\n
        (?P<entries>(?:[ \t]*(?:[*•–+-]|\d+[.)])[^\n]*(?:\n|\Z))+)
        """,
    "about": r"(?<!\w)<about>(?!\w)",
    "research": r"(?<!\w)<research>(?!\w)",
}
"""What is looked for, with the names of lists of words in angle brackets."""
_CLAUSE = re.compile(r"[.!?:;]|\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.!?\n])")
_WORDS = re.compile(r"[\w'’-]+|[^\s\w]")


@cache
def _preference_pattern(name: str) -> re.Pattern[str]:
    """Compiled where it is first needed: most files have no such text."""
    return expression(TEMPLATES[name], word_lists("preferences"), re.MULTILINE if name == "list" else 0)


class Preference(Record):
    """A group that a text prefers or avoids: `verb` and `words` as written."""

    attribute: str
    group: str
    verb: str
    words: str
    is_work: bool
    """The text is about work, money, homes or schools."""


class _Said(Record):
    """How a group is spoken of: the sort of verb, the verb, and where it starts."""

    sort: str
    verb: str
    start: int
    is_age: bool = False
    """The group is one of ages, told in numbers."""


def preferences(flat: str, vocabulary: Vocabulary) -> Iterator[Preference]:
    """Yield what a text tells its reader to prefer or avoid; nothing where it only speaks about it."""
    written, flat = " ".join(flat.split()), _expand_lists(flat)
    seen: set[str] = set()
    for group, said in _statements_about_groups(flat, vocabulary):
        if group.attribute in seen or len(seen) >= MOST or not _means_it(said, group, flat, vocabulary):
            continue
        first = min(said.start, group.start)
        around = flat[max(0, first - _AROUND) : group.end + _AROUND]
        if _preference_pattern("research").search(around):
            continue
        is_work = _is_work(flat, first, group, vocabulary)
        if not is_work and (vocabulary.may_be_thing(group.noun) or (said.is_age and said.sort == "advert")):
            continue  # parts of a program, and what may be typed into a form
        whole = flat[first : group.end]
        seen.add(group.attribute)
        verb = " ".join(said.verb.lower().split())
        yield Preference(group.attribute, group.group, verb, _verbatim_suffix(whole, written), is_work)


def _expand_lists(flat: str) -> str:
    """Return each entry of a list says by itself what the line above the list begins to say."""

    def spelled(found: re.Match[str]) -> str:
        entries = (line.lstrip(_BULLETS) for line in found["entries"].splitlines())
        return "\n".join(f"{found['head']} {entry}" for entry in entries if entry)

    return _preference_pattern("list").sub(spelled, flat)


def _verbatim_suffix(words: str, text: str) -> str:
    """Of some words, as many of the last as the text has in one row."""
    parts = words.split()
    ends = (" ".join(parts[start:]) for start in range(len(parts)))
    return next((end for end in ends if end in text), " ".join(parts))


def _is_work(flat: str, first: int, group: Named, vocabulary: Vocabulary) -> bool:
    """Return whether the sentences around are about work, but for a noun that may stand for part of a
    program.
    """
    if vocabulary.may_be_thing(group.noun):
        blank = " " * (group.end - group.adjective_end)
        flat = f"{flat[: group.adjective_end]}{blank}{flat[group.end :]}"
    return _preference_pattern("about").search(_surrounding_sentences(flat, first, group.end)) is not None


def _surrounding_sentences(flat: str, start: int, end: int) -> str:
    """Return the sentence at a place, with the one before and the one after it."""
    before = [one for one in _SENTENCE.split(flat[max(0, start - _AROUND) : start]) if one.strip()][-2:]
    after = [one for one in _SENTENCE.split(flat[end : end + _AROUND]) if one.strip()][:2]
    return f"{''.join(before)}{flat[start:end]}{''.join(after)}"


# --------------------------------------------------------------------------------------- what is said of whom


def _statements_about_groups(flat: str, vocabulary: Vocabulary) -> Iterator[tuple[Named, _Said]]:
    """Yield the groups that a text names, each with what it says of them."""
    for group in vocabulary.prose.groups_in(flat):
        if (said := _verb_before(flat, group.start, "verb", "between", vocabulary)) is not None:
            yield group, said
        if match := _preference_pattern("only after").match(flat, group.end):
            yield group, _Said("only", match["verb"], group.start)
        elif match := _preference_pattern("share").match(flat, group.end) or _match_of_change(flat, group):
            yield replace(group, end=match.end()), _Said("share", match["verb"], group.start)
        elif said := _only_before(flat, group):
            yield group, said
    for match in _preference_pattern("age").finditer(flat) if _AGE in vocabulary.data.tables else ():
        if (aged := _age_group(match)) is not None:
            said = _verb_before(flat, match.start(), "verb", "whom", vocabulary) or _verb_before(
                flat, match.start(), "age limit", "whom", vocabulary
            )
            if said is not None:
                group = Named(_AGE, aged, match.start(), match.end(), match.end())
                yield group, replace(said, is_age=True)


def _verb_before(flat: str, end: int, pattern: str, between: str, vocabulary: Vocabulary) -> _Said | None:
    """Return the first verb of the sentence after which only such words follow as may stand before
    a group.
    """
    start = max(0, end - _FARTHEST)
    at = max(start, *(flat.rfind(mark, start, end) for mark in ".!?\n"))  # the end of the sentence before
    while match := _preference_pattern(pattern).search(flat, at, end):
        if match.lastgroup and _leads_to(flat[match.end() : end], between, vocabulary):
            return _Said(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))
        at = match.start() + 1
    return None


def _leads_to(words: str, between: str, vocabulary: Vocabulary) -> bool:
    allowed = word_lists("preferences")[between]
    found = [word.lower() for word in _WORDS.findall(words) if word.lower() not in {",", "and", "or"}]
    return len(found) <= _MOST_BETWEEN and all(
        word in allowed or vocabulary.prose.is_adjective(word) for word in found
    )


def _only_before(flat: str, group: Named) -> _Said | None:
    only = _preference_pattern("only before").search(flat, max(0, group.start - 10), group.start)
    if only is None or not _preference_pattern("apply").match(flat, group.end):
        return None
    return _Said("only", only["verb"], only.start())


def _match_of_change(flat: str, group: Named) -> re.Match[str] | None:
    before = _preference_pattern("case").search(flat, max(0, group.start - 30), group.start)
    return _preference_pattern("changed").match(flat, group.end) if before else None


def _age_group(match: re.Match[str]) -> str | None:
    numbers = [int(match[name]) for name in ("over", "under", "low", "high") if match[name]]
    if max(numbers) <= _OF_AGE or max(numbers) > _OLDEST:
        return None
    if match["over"]:
        return "elder" if numbers[0] >= _OLD else "middle"
    return "young" if max(numbers) <= _OLD else "middle"


def _means_it(said: _Said, group: Named, flat: str, vocabulary: Vocabulary) -> bool:
    """Return whether the words around do not turn what is said into something else."""
    before = re.split(r"[.!?\n]", flat[max(0, said.start - _BEFORE) : said.start])[-1]
    clause = _CLAUSE.split(flat[max(0, said.start - _AROUND) : said.start])[-1]
    if _preference_pattern("joined").match(clause):
        return False  # "they harm some and favor others" tells what a person does
    after = flat[group.end : group.end + _BEFORE]
    end = re.search(r"[.!?\n]", flat[group.end :])
    if end is not None and end[0] == "?":
        return False
    if _preference_pattern("all before").search(before) or _are_all(group, flat, vocabulary):
        return False
    if _preference_pattern("things").match(after):
        return False
    if said.sort == "advert" and _preference_pattern("told").search(before):
        return False
    if said.sort == "only" and _preference_pattern("things before").search(before):
        return False
    negated = bool(_preference_pattern("negated").search(before))
    match said.sort:
        case "prefer" | "avoid":
            return not negated
        case "take" if not negated:
            whole = flat[said.start : group.end] + after
            return bool(
                _preference_pattern("exclusively").search(before)
                or _preference_pattern("rather").search(whole)
            )
        case "advert" if negated:
            return said.verb.lower().startswith(("must", "should", "has"))
        case "only" if negated:
            return said.verb.lower() == "no"
    return True


def _are_all(group: Named, flat: str, vocabulary: Vocabulary) -> bool:
    """Return whether others are named with a group, so that nobody is left over: "men and women"."""
    after = flat[group.end : group.end + _BEFORE]
    if _preference_pattern("all after").match(after):
        return True
    joined = _preference_pattern("as well").match(flat, group.end)
    core = vocabulary.attribute(group.attribute).core_groups
    if joined is None or len(core) > _FEW_GROUPS:
        return False
    word = re.compile(r"\w+").match(flat, joined.end())
    return word is not None and vocabulary.prose.other_group_at(flat, *word.span(), group)
