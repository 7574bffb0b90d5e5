"""What may make an effect smaller: the same prompt with an instruction, without the attribute, with criteria.

Each is a change of the prompt, so the people, the placebos and the order of questions stay what they are.
Redaction does what the rule about prompts advises (FL701): the attribute is left out, people have numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fairlint.backends.requests import Message
from fairlint.counterfactual.prompts.gendered_words import is_gendered
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
        told = _data()["redaction"]
        return self.template.fill(values | {_PERSON: told["person"].format(number=number), _NUMBER: number})

    def _redacted(self, text: str, own: Collection[str]) -> str:
        mark = _data()["redaction"]["mark"]

        def shown(found: re.Match[str]) -> str:
            word = found[0].lower()
            if word in self.hidden or word in own or (self.hides_gender and is_gendered(word)):
                return mark
            return found[0]

        return _WORD.sub(shown, text)


_PERSON, _NUMBER = "\0person", "\0number"
"""Placeholders of redacted prompts; no prompt has one of that name."""


def mitigation_names() -> tuple[str, ...]:
    """Return the names of all mitigations."""
    return tuple(_data())


def chosen_mitigations(given: Sequence[str]) -> list[str]:
    """Return the names that options choose, each once. Raises UsageError for one that is not known."""
    names = [name.strip() for one in given for name in one.split(",") if name.strip()]
    known = mitigation_names()
    unknown = [one for one in names if one not in {*known, ALL, AS_IT_IS}]
    if unknown:
        raise UsageError(f"--mitigation {unknown[0]}: choose from {', '.join((*known, ALL))}")
    return [one for one in known if ALL in names or one in names]


def mitigations_of(
    names: Sequence[str],
    prompt: Prompt,
    slots: Slots,
    groups: Mapping[str, Sequence[str]],
    criteria: Sequence[str] = (),
) -> tuple[Mitigation, ...]:
    """Return the mitigations of a prompt. `groups` are those of the attributes that are varied.

    Raises UsageError where nobody says what the criteria are, and for a prompt that a function writes.
    """
    if not names:
        return ()
    if not isinstance(prompt, Template):
        raise UsageError(
            f"{prompt.path}: --mitigation changes a written prompt, and no function that writes one"
        )
    template = prompt
    return tuple(_MAKERS[name](template, slots, groups, criteria) for name in names)


def _instruction(
    template: Template, _: Slots, groups: Mapping[str, Sequence[str]], __: Sequence[str]
) -> Mitigation:
    told = _data()["instruction"]
    text = told["text"].format(attributes=_listed([_title(one) for one in groups], "or"))
    return Mitigation("instruction", told["title"], _with_line(template, text))


def _criteria(
    template: Template, slots: Slots, _: Mapping[str, Sequence[str]], given: Sequence[str]
) -> Mitigation:
    told = _data()["criteria"]
    named = list(given) or [_title(one) for one in template.placeholders if one not in slots.personal]
    if not named:
        raise UsageError(
            f"{template.path}: nothing but the person is filled in, so nobody says what the criteria are: "
            "name them, one a line, in a file for --criteria"
        )
    text = told["text"].format(criteria=_listed(named, "and"))
    return Mitigation("criteria", told["title"], _with_line(template, text))


def _redaction(
    template: Template, slots: Slots, groups: Mapping[str, Sequence[str]], __: Sequence[str]
) -> Mitigation:
    told = _data()["redaction"]
    hides_names = any(one in groups for one in SHOWN_BY_NAMES)
    holes: dict[str, Sequence[Part]] = {
        name: (Part(told["not-stated"]),)
        for name, attribute in slots.attributes.items()
        if attribute in groups
    }
    if "gender" in groups:
        holes |= dict.fromkeys(slots.titles, (Part(told["not-stated"]),))
    lines = frozenset(holes)
    if hides_names:
        known: Mapping[str, Sequence[Part]] = {
            "full": (Part(_PERSON, is_placeholder=True),),
            "first": (Part(told["first-name"]),),
            "last": (Part(_NUMBER, is_placeholder=True),),
        }
        holes |= {name: known[kind] for name, kind in slots.names.items()}
    kept = set(told["kept"].split())
    words = {group.lower() for some in groups.values() for group in some} - kept
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
    return Mitigation(
        "redaction",
        told["title"],
        replace(template, turns=turns),
        frozenset(words),
        is_redacted=True,
        hides_gender="gender" in groups,
        own_names=tuple(slots.names) if hides_names else (),
    )


_MAKERS: Mapping[str, Callable[[Template, Slots, Mapping[str, Sequence[str]], Sequence[str]], Mitigation]] = {
    "instruction": _instruction,
    "redaction": _redaction,
    "criteria": _criteria,
}


@cache
def _data() -> dict[str, dict[str, str]]:
    return read_toml(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _title(name: str) -> str:
    """Return a name as people write it."""
    return name.rpartition(".")[2].replace("_", " ")


def _listed(names: Sequence[str], word: str) -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


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
