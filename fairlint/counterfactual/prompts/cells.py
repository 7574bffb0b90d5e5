"""The cells of each case: who is shown, by what, in which words; and texts that differ in length alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from fairlint.backends.requests import Message
from fairlint.counterfactual.prompts.languages import names_sex, rewrite_text, said_in, sex_of
from fairlint.counterfactual.prompts.mitigations import Mitigation
from fairlint.counterfactual.prompts.names import Names, groups_with_names
from fairlint.counterfactual.prompts.observations import Arm
from fairlint.counterfactual.prompts.prompt import Prompt, UnsureError
from fairlint.counterfactual.prompts.proxies import Proxy
from fairlint.support.records import Record
from fairlint.vocabulary import default_vocabulary

NAMED = ("gender", "race")
"""Attributes that names show."""
FULL = {"name", "fullname", "applicantname", "candidatename", "personname", "customername", "patientname"}
FIRST, LAST = {"firstname", "givenname", "forename"}, {"lastname", "surname", "familyname"}
NAME = "name"
"""What the linter calls a person's name among attributes."""
TITLE_NAMES = {"title": "title", "salutation": "title", "honorific": "title", "pronoun": "pronoun"}


class Cell(Record):
    """One question of a case."""

    case: str
    channel: str
    groups: tuple[tuple[str, str], ...]
    arm: Arm
    draw: int
    messages: tuple[Message, ...]
    name: str = ""
    """First name of the person, where one is shown."""
    mitigation: str = ""
    """By which the prompt is changed; empty where it is as it is."""


class Slots(Record):
    """What the placeholders of a prompt are for."""

    attributes: Mapping[str, str]
    """Placeholder → the attribute that it says."""
    names: Mapping[str, str]
    """Placeholder → `full`, `first` or `last`."""
    titles: Mapping[str, str]
    """Placeholder → `title` or `pronoun`."""

    @property
    def personal(self) -> set[str]:
        """All placeholders that a cell fills."""
        return {*self.attributes, *self.names, *self.titles}


class Plan(Record):
    """Which attributes are varied, among which groups, and how often each case is asked."""

    groups: Mapping[str, tuple[str, ...]]
    names: tuple[Names, ...]
    draws: int = 4
    """Names of each group in a case."""
    repeats: int = 1
    """Questions of each group in a case where no name shows it."""
    language: str = "en"
    """That of the prompt and its cases."""
    proxies: tuple[Proxy, ...] = ()


class LeftOut(Record):
    """A case that takes no part in a channel, and why."""

    case: str
    channel: str
    why: str


def plain_name(name: str) -> str:
    """Return a name without case, signs and the object that it belongs to."""
    return re.sub(r"[\W_]+", "", name.rpartition(".")[2]).lower()


def slots_of(prompt: Prompt) -> Slots:
    """Return what the placeholders are for, as the linter knows it, or by their names."""
    attributes: dict[str, str] = {}
    names: dict[str, str] = {}
    titles: dict[str, str] = {}
    for placeholder in prompt.placeholders:
        plain = plain_name(placeholder)
        known = prompt.known.get(placeholder)
        kind = next((kind for kind, called in _NAME_KINDS.items() if plain in called), None)
        if known == NAME:
            names[placeholder] = kind or "full"
        elif known is not None:
            attributes |= {placeholder: known} if known else {}
        elif kind is not None:
            names[placeholder] = kind
        elif plain in TITLE_NAMES:
            titles[placeholder] = TITLE_NAMES[plain]
        elif (attribute := attribute_of(placeholder)) is not None:
            attributes[placeholder] = attribute
    return Slots(attributes, names, titles)


_NAME_KINDS = {"full": FULL, "first": FIRST, "last": LAST}


def is_personal(placeholder: str) -> bool:
    """Return whether a placeholder is for what the audit says of a person, by its name."""
    plain = plain_name(placeholder)
    known = (TITLE_NAMES, *_NAME_KINDS.values())
    return any(plain in names for names in known) or attribute_of(placeholder) is not None


def column_of(placeholder: str, columns: Mapping[str, str], prompt: Prompt) -> str | None:
    """Return the column with a placeholder's values; `columns` are by their plain names. Of what is said of
    something else than the person, the whole name has to be the column's.
    """
    whole = columns.get(plain_name(placeholder.replace(".", "_")))
    is_of_others = prompt.known.get(placeholder) == ""
    return whole if whole or is_of_others else columns.get(plain_name(placeholder))


def attribute_of(name: str) -> str | None:
    """Return the protected attribute that a name stands for; ethnicity counts as race."""
    vocabulary = default_vocabulary()
    for mention in vocabulary.mentions(name.rpartition(".")[2]):
        if vocabulary.attribute(mention.attribute).kind == "protected":
            return canonical_attribute(mention.attribute)
    return None


def canonical_attribute(name: str) -> str:
    """Return the attribute under which people are compared: that of names."""
    return {"ethnicity": "race", "sex": "gender"}.get(name, name)


def cells_of(
    prompt: Prompt,
    slots: Slots,
    plan: Plan,
    cases: Sequence[Mapping[str, str]],
    mitigations: Sequence[Mitigation] = (),
) -> tuple[list[Cell], list[LeftOut]]:
    """Return the cells of all cases, those of each mitigation included, and the cases that are left out of a
    channel.

    `cases` have the placeholders that are not personal, and the text of names where there is one.
    """
    cells: list[Cell] = []
    left: list[LeftOut] = []
    for number, values in enumerate(cases):
        case = str(number + 1)
        for channel, blocks in _blocks(slots, plan, number, values).items():
            for block in blocks:
                try:
                    filled = [_values_of(person, slots, plan.language, values) for person in block]
                    texts = [prompt.fill(one) for one in filled]
                except UnsureError as error:
                    left.append(LeftOut(case, channel, str(error)))
                    continue
                cells += _block_cells(case, channel, plan.language, block, texts)
                for each in mitigations:
                    changed = [each.fill(one, values, case) for one in filled]
                    cells += _block_cells(case, channel, plan.language, block, changed, each.name)
    return cells, list(dict.fromkeys(left))


class _Person(Record):
    """One way of showing a person in a block."""

    groups: tuple[tuple[str, str], ...]
    draw: int
    gender: str = ""
    """Of pronouns and titles; empty where they are left as they are."""
    first: str = ""
    last: str = ""
    shown: tuple[tuple[str, str], ...] = ()
    """Attribute and the group that its placeholder says."""
    proxy: tuple[str, str] = ("", "")
    """A placeholder and its value that hints at the group."""


def _blocks(
    slots: Slots, plan: Plan, number: int, values: Mapping[str, str]
) -> Mapping[str, list[list[_Person]]]:
    """Return the people of each channel, in blocks that are compared with each other."""
    found: dict[str, list[list[_Person]]] = {}
    for attribute, groups in plan.groups.items():
        if attribute in slots.attributes.values():
            found.setdefault("explicit", []).append(
                [
                    _Person(
                        ((attribute, group),),
                        draw,
                        gender=sex_of(group) if attribute == "gender" else "",
                        shown=((attribute, group),),
                    )
                    for group in groups
                    for draw in range(plan.repeats)
                ]
            )
    both = [one for one in NAMED if one in plan.groups and one in slots.attributes.values()]
    if len(both) == len(NAMED):  # crossed, so that combinations have answers of their own
        found["explicit"] = [block for block in found["explicit"] if block[0].groups[0][0] not in NAMED] + [
            _crossed(plan)
        ]
    if slots.names and any(one in plan.groups for one in NAMED):
        found["name"] = [_named_people(plan, number)]
    if "gender" in plan.groups and (slots.titles or _is_about_a_sex(slots, plan.language, values)):
        found["title"] = [
            [
                _Person((("gender", group),), draw, gender=sex_of(group))
                for group in plan.groups["gender"]
                for draw in range(plan.repeats)
                if sex_of(group) in {"female", "male"}
            ]
        ]
    found |= _proxy_blocks(plan, number)
    return {channel: [block for block in blocks if block] for channel, blocks in found.items()}


def _proxy_blocks(plan: Plan, number: int) -> Mapping[str, list[list[_Person]]]:
    """Return the people of whom a proxy hints at the group, if there are proxies."""
    blocks = [_people_by_proxy(some, plan, number) for some in _compared_proxies(plan)]
    return {"proxy": blocks} if blocks else {}


def _compared_proxies(plan: Plan) -> list[list[Proxy]]:
    """Return the lists of each placeholder and attribute."""
    found: dict[tuple[str, str], list[Proxy]] = {}
    for one in plan.proxies:
        if one.attribute in plan.groups:
            found.setdefault((one.placeholder, one.attribute), []).append(one)
    return list(found.values())


def _people_by_proxy(lists: Sequence[Proxy], plan: Plan, number: int) -> list[_Person]:
    """Return people of whom one placeholder hints at the group, and nothing else says it."""
    return [
        _Person(
            ((one.attribute, one.group),),
            draw,
            proxy=(one.placeholder, one.value(number * plan.draws + draw)),
        )
        for one in lists
        for draw in range(plan.draws)
    ]


def _crossed(plan: Plan) -> list[_Person]:
    return [
        _Person(pair, draw, gender=sex_of(pair[0][1]), shown=pair)
        for gender, race in product(plan.groups["gender"], plan.groups["race"])
        for pair in ((("gender", gender), ("race", race)),)
        for draw in range(plan.repeats)
    ]


def _named_people(plan: Plan, number: int) -> list[_Person]:
    """People whom names show; what is not compared is balanced over draws, in one order for all groups."""
    asked = [one for one in NAMED if one in plan.groups]
    people = []
    labels = {sex_of(group): group for group in plan.groups.get("gender", ())}
    if len(asked) == len(NAMED):
        wanted = [one for one in plan.names if one.gender in labels and one.race in plan.groups["race"]]
        for names, draw in product(wanted, range(plan.draws)):
            first, last = names.full_name(number * plan.draws + draw)
            pair = (("gender", labels[names.gender]), ("race", names.race))
            people.append(_Person(pair, draw, names.gender, first, last))
        return people
    (attribute,) = asked
    for named, lists in groups_with_names(plan.names, attribute).items():
        group = labels.get(named, named) if attribute == "gender" else named
        if group not in plan.groups[attribute]:
            continue
        for draw in range(plan.draws):
            place = number * plan.draws + draw
            names = lists[place % len(lists)]
            first, last = names.full_name(place // len(lists))
            people.append(_Person(((attribute, group),), draw, names.gender, first, last))
    return people


def _is_about_a_sex(slots: Slots, language: str, values: Mapping[str, str]) -> bool:
    return any(names_sex(text, language) for name, text in values.items() if name not in slots.personal)


def _block_cells(  # noqa: PLR0917 (what a question is made of)
    case: str,
    channel: str,
    language: str,
    people: Sequence[_Person],
    texts: Sequence[tuple[Message, ...]],
    mitigation: str = "",
) -> Iterator[Cell]:
    """Yield the questions of a block: everybody, a rewrite as long as each, and one of them again."""
    fillers = said_in(language).fillers

    def asked(person: _Person, arm: Arm, messages: tuple[Message, ...], shown: _Person) -> Cell:
        named = shown.first or shown.proxy[1]
        return Cell(case, channel, person.groups, arm, person.draw, messages, named, mitigation)

    for person, messages in zip(people, texts, strict=True):
        yield asked(person, "group", messages, person)
    for draw in dict.fromkeys(person.draw for person in people):
        here = [place for place, person in enumerate(people) if person.draw == draw]
        shortest = min(here, key=lambda place: _length(texts[place]))
        for place in here:
            wanted = _length(texts[place]) - _length(texts[shortest])
            yield asked(
                people[place], "rewrite", _lengthened(texts[shortest], wanted, fillers), people[shortest]
            )
    yield asked(people[0], "again", texts[0], people[0])


def _values_of(person: _Person, slots: Slots, language: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return what fills the placeholders. Raises UnsureError where a text cannot be rewritten for the sex."""
    filled: dict[str, str] = {}
    said = said_in(language)
    for name, text in values.items():
        if name in slots.personal or not person.gender:
            filled[name] = text
            continue
        rewritten = rewrite_text(text, person.gender, language)
        if rewritten is None:
            raise UnsureError(f"{name}: not sure how it reads about somebody {person.gender}")
        filled[name] = rewritten
    shown = dict(person.shown)
    for name, attribute in slots.attributes.items():
        is_hidden = not person.shown and attribute in dict(person.groups)
        filled[name] = shown.get(
            attribute, said.not_stated if is_hidden else values.get(name, said.not_stated)
        )
    for name, kind in slots.names.items():
        filled[name] = _shown_name(person, kind, values.get(name, "")) or said.applicant
    for name, kind in slots.titles.items():
        filled[name] = said.titles[kind].get(person.gender, values.get(name) or said.not_stated)
    placeholder, hint = person.proxy
    return filled | {placeholder: hint} if hint else filled


def _shown_name(person: _Person, kind: str, own: str) -> str:
    """Return the person's name; initials of the case's own, if any, where no name shows the group."""
    if person.first:
        return {"full": f"{person.first} {person.last}", "first": person.first, "last": person.last}[kind]
    return " ".join(f"{part[0].upper()}." for part in own.split() if part[0].isalpha())


def _length(messages: Sequence[Message]) -> int:
    return sum(len(message.content) for message in messages)


def _lengthened(messages: tuple[Message, ...], wanted: int, fillers: Sequence[str]) -> tuple[Message, ...]:
    """Return the same with so many more characters that say nothing of a person, before the last line."""
    added = ""
    for filler in fillers:
        while len(filler) <= wanted - len(added) and filler not in added:
            added += filler
    added += " " * (wanted - len(added))
    *before, last = messages
    end = len(last.content.rstrip())
    head, line, tail = last.content[:end].rpartition("\n")
    content = (
        f"{head}{added}{line}{tail}" if line else f"{added.lstrip()}{' ' * (added != added.lstrip())}{tail}"
    )
    return (*before, Message(last.role, content + last.content[end:]))
