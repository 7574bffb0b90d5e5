"""What may make an effect smaller: the same prompt with an instruction, without the attribute, with criteria.

Each is a change of the prompt, so the people, the placebos and the order of questions stay what they are.
Redaction does what the rule about prompts advises (FL701): the attribute is left out, people have numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.backends.requests import Message
from fairlint.counterfactual.prompts.grammars.grammar import ENGLISH
from fairlint.counterfactual.prompts.languages import names_sex, rewrite_text, said_in
from fairlint.counterfactual.prompts.prompt import Prompt
from fairlint.counterfactual.prompts.templates import Part, Template, Turn
from fairlint.support.documents import read_toml
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, replace

if TYPE_CHECKING:
    from fairlint.counterfactual.prompts.cells import Slots

AS_IT_IS = "none"
"""The prompt without any change, as options and reports name it."""
ALL = "all"
SHOWN_BY_NAMES = ("gender", "race")
_WORD = re.compile(r"[^\W\d_]+")
_HOLE = "\0"
_ONLY_LABELS = re.compile(rf"\W*(?:[\w '/()-]*[:=]\s*{_HOLE}[\s,;.|]*)+")
"""A line that says nothing but what is left out, such as `Gender: {gender}`."""


class Mitigation(Record):
    """A changed prompt, and what is hidden in the texts of the cases."""

    name: str
    title: str
    template: Template
    hidden: frozenset[str] = frozenset()
    """Words that the texts of no case may show, in small letters."""
    is_redacted: bool = False
    hides_gender: bool = False
    own_names: tuple[str, ...] = ()
    """Placeholders with the name of the person of a case, whose words are hidden too."""
    language: str = ENGLISH
    """That of the prompt."""

    def fill(self, filled: Mapping[str, str], case: Mapping[str, str], number: str) -> tuple[Message, ...]:
        """Return the messages for a person of a case: `filled` for that person, `case` as it was given."""
        if not self.is_redacted:
            return self.template.fill(filled)
        own = {
            word.lower()
            for name in self.own_names
            for word in _WORD.findall(case.get(name, ""))
            if word[1:]  # an initial is no word of its own
        }
        values = {name: self._redacted(text, own) for name, text in filled.items()}
        person = _texts(self.language)["person"]
        return self.template.fill(values | {_PERSON: person.format(number=number), _NUMBER: number})

    def _redacted(self, text: str, own: Collection[str]) -> str:
        mark = _texts(self.language)["mark"]
        agreeing = _agreeing_words(text, self.language) if self.hides_gender else frozenset()
        places = count()

        def shown(found: re.Match[str]) -> str:
            place, word = next(places), found[0].lower()
            is_sex = self.hides_gender and (place in agreeing or names_sex(word, self.language))
            return mark if is_sex or word in self.hidden or word in own else found[0]

        return _WORD.sub(shown, text)


def _agreeing_words(text: str, language: str) -> frozenset[int]:
    """Return which words of a text are others about the other sex: in German articles and adjectives, too."""
    if language == ENGLISH:
        return frozenset()  # its words show a sex by themselves
    both = [rewrite_text(text, gender, language) for gender in ("female", "male")]
    words = [_WORD.findall(one) for one in both if one is not None]
    if len(words) != len(both) or len(words[0]) != len(words[1]):
        return frozenset()
    return frozenset(place for place, (one, other) in enumerate(zip(*words, strict=True)) if one != other)


_PERSON, _NUMBER = "\0person", "\0number"
"""Placeholders of redacted prompts; no prompt has one of that name."""


def mitigation_names() -> tuple[str, ...]:
    """Return the names of all mitigations."""
    return tuple(_data()["titles"])


def chosen_mitigations(given: Sequence[str]) -> list[str]:
    """Return the names that options choose, each once. Raises UsageError for one that is not known."""
    names = [name.strip() for one in given for name in one.split(",") if name.strip()]
    known = mitigation_names()
    unknown = [one for one in names if one not in {*known, ALL, AS_IT_IS}]
    if unknown:
        raise UsageError(f"--mitigation {unknown[0]}: choose from {', '.join((*known, ALL))}")
    return [one for one in known if ALL in names or one in names]


def mitigations_of(  # noqa: PLR0917 (all that a prompt is changed by)
    names: Sequence[str],
    prompt: Prompt,
    slots: Slots,
    groups: Mapping[str, Sequence[str]],
    criteria: Sequence[str] = (),
    language: str = ENGLISH,
) -> tuple[Mitigation, ...]:
    """Return the mitigations of a prompt, in its language. `groups` are those of the attributes that are
    varied.

    Raises UsageError where nobody says what the criteria are, and for a prompt that a function writes.
    """
    if not names:
        return ()
    if not isinstance(prompt, Template):
        raise UsageError(
            f"{prompt.path}: --mitigation changes a written prompt, and no function that writes one"
        )
    return tuple(_MAKERS[name](_Asked(prompt, slots, groups, criteria, language)) for name in names)


class _Asked(Record):
    """What mitigations are made for."""

    template: Template
    slots: Slots
    groups: Mapping[str, Sequence[str]]
    criteria: Sequence[str]
    language: str


def _instruction(asked: _Asked) -> Mitigation:
    texts = _texts(asked.language)
    named = [_attribute_word(one, asked.language) for one in asked.groups]
    line = texts["instruction"].format(attributes=_listed(named, texts["attributes-join"]))
    return _made("instruction", asked, _with_line(asked.template, line))


def _criteria(asked: _Asked) -> Mitigation:
    template, texts = asked.template, _texts(asked.language)
    named = list(asked.criteria) or [
        _title(one) for one in template.placeholders if one not in asked.slots.personal
    ]
    if not named:
        raise UsageError(
            f"{template.path}: nothing but the person is filled in, so nobody says what the criteria are: "
            "name them, one a line, in a file for --criteria"
        )
    line = texts["criteria"].format(criteria=_listed(named, texts["criteria-join"]))
    return _made("criteria", asked, _with_line(template, line))


def _redaction(asked: _Asked) -> Mitigation:
    template, slots, groups, texts = asked.template, asked.slots, asked.groups, _texts(asked.language)
    not_stated = (Part(said_in(asked.language).not_stated),)
    hides_names = any(one in groups for one in SHOWN_BY_NAMES)
    holes: dict[str, Sequence[Part]] = {
        name: not_stated for name, attribute in slots.attributes.items() if attribute in groups
    }
    if "gender" in groups:
        holes |= dict.fromkeys(slots.titles, not_stated)
    lines = frozenset(holes)
    if hides_names:
        known: Mapping[str, Sequence[Part]] = {
            "full": (Part(_PERSON, is_placeholder=True),),
            "first": (Part(texts["first-name"]),),
            "last": (Part(_NUMBER, is_placeholder=True),),
        }
        holes |= {name: known[kind] for name, kind in slots.names.items()}
    words = {group.lower() for some in groups.values() for group in some} - set(texts["kept"].split())
    turns = tuple(
        Turn(
            turn.role,
            tuple(
                new
                for line in _lines_of(turn.parts)
                if not _is_left_out(line, lines)
                for part in line
                for new in (holes.get(part.text, (part,)) if part.is_placeholder else (part,))
            ),
        )
        for turn in template.turns
    )
    return replace(
        _made("redaction", asked, replace(template, turns=turns)),
        hidden=frozenset(words),
        is_redacted=True,
        hides_gender="gender" in groups,
        own_names=tuple(slots.names) if hides_names else (),
    )


def _made(name: str, asked: _Asked, template: Template) -> Mitigation:
    return Mitigation(name, _data()["titles"][name], template, language=asked.language)


_MAKERS: Mapping[str, Callable[[_Asked], Mitigation]] = {
    "instruction": _instruction,
    "redaction": _redaction,
    "criteria": _criteria,
}


@cache
def _data() -> dict[str, Any]:
    return read_toml(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _texts(language: str) -> Mapping[str, str]:
    found: Mapping[str, str] = _data()["texts"][language]
    return found


def _attribute_word(attribute: str, language: str) -> str:
    """Return what an attribute is called in a language; its name where no word is known."""
    return str(_data()["attributes"].get(language, {}).get(attribute) or _title(attribute))


def _title(name: str) -> str:
    """Return a name as people write it."""
    return name.rpartition(".")[2].replace("_", " ")


def _listed(names: Sequence[str], word: str) -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first and word else ", ".join(names)


def _lines_of(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield the parts of each line, with its end."""
    line: list[Part] = []
    for part in parts:
        if part.is_placeholder:
            line.append(part)
            continue
        for text in part.text.splitlines(keepends=True):
            line.append(Part(text))
            if text.endswith("\n"):
                yield line
                line = []
    if line:
        yield line


def _is_left_out(line: Sequence[Part], hidden: Collection[str]) -> bool:
    """Return whether a line has labels alone beside what is hidden."""
    holes = [part.text for part in line if part.is_placeholder]
    if not holes or not all(one in hidden for one in holes):
        return False
    return (
        _ONLY_LABELS.fullmatch("".join(_HOLE if part.is_placeholder else part.text for part in line))
        is not None
    )


def _with_line(template: Template, text: str) -> Template:
    """Return the prompt with a further line before the last, which says how to answer."""
    places = [place for place, turn in enumerate(template.turns) if turn.role == "user"]
    at = places[-1] if places else len(template.turns) - 1
    turn = template.turns[at]
    lines = list(_lines_of(turn.parts))
    filled = [
        place
        for place, line in enumerate(lines)
        if any(part.is_placeholder or part.text.strip() for part in line)
    ]
    lines.insert(filled[-1] if filled else 0, [Part(f"{text}\n")])
    changed = Turn(turn.role, tuple(part for line in lines for part in line))
    return replace(template, turns=(*template.turns[:at], changed, *template.turns[at + 1 :]))
