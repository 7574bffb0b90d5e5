"""What the programs of oracle.py are made of, whatever their language: choices, groups and people."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

GROUPS: Mapping[str, tuple[str, ...]] = {
    "gender": ("female", "male", "nonbinary"),
    "race": ("black", "white", "asian", "hispanic"),
    "religion": ("muslim", "christian", "jewish", "hindu"),
}
"""Attribute → its groups, as fairlint calls them."""
OTHERS: Mapping[str, str] = {"gender": "agender", "race": "multiracial", "religion": "sikh"}
"""Attribute → a group that no program names."""
NAMES: Mapping[str, frozenset[str]] = {"race": frozenset({"race", "ethnicity"})}
"""Attribute → what a finding may call it, where that is more than one name."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    "gender": ("gender", "sex"),
    "race": ("race", "ethnicity"),
    "religion": ("religion",),
    "age": ("age",),
}
AGES = tuple(range(16, 91))
DEPARTMENTS = ("sales", "finance", "support", "research", "law")
"""Values of the field that is neutral, in the place of groups."""
DISTANCES = AGES
TWINS = ("", "", "", "same", "neutral")
"""A program as it is, as most are; one in which all groups get the same; one that tests a neutral field."""
SUBJECTS = (
    ("score_candidate", "candidate"),
    ("decide_loan", "applicant"),
    ("assess_tenant", "tenant"),
    ("admit_student", "student"),
    ("screen_employee", "employee"),
)
PLAIN = 0.5
"""The least share of plain amounts, as they are in most code."""
YEARS = (0, 4, 9)
"""Years of experience: each other thing that a person may be."""
Lines = list[str]
Key = str | int
"""A group by its canonical name, or an age."""


@dataclass
class Outcome:
    """What the sides of a program come to."""

    values: list[str]
    """What each side gets, in code; the first is everybody else's."""
    put: Callable[[str], Lines]
    """Statements that give somebody a value."""
    before: Lines = field(default_factory=list)
    result: str = ""
    """What is handed back."""
    overwrites: bool = False
    """Whether a later value takes the place of an earlier one."""
    only: bool = False
    """Whether there is nothing to give but to one side."""
    module: Lines = field(default_factory=list)
    parameters: tuple[str, ...] = ()
    neutral: str = ""
    """The value that gives nothing."""
    are_expressions: bool = True
    """Whether the values can stand where an expression can."""

    def side(self, number: int) -> Lines:
        """What happens to a side."""
        value = self.values[number]
        if value == self.neutral or (self.only and not value):
            return []
        return self.put(value)


@dataclass(frozen=True)
class Spec:
    """A program by the choices that it is made of; `seed` is what its numbers and names come from."""

    language: str
    seed: int
    choices: tuple[tuple[str, str], ...]

    def __getitem__(self, part: str) -> str:
        return dict(self.choices)[part]

    def with_choice(self, part: str, option: str) -> Spec:
        """Another option for one part."""
        changed = tuple((one, option if one == part else old) for one, old in self.choices)
        return Spec(self.language, self.seed, changed)

    def __str__(self) -> str:
        return " ".join(f"{part}={option}" for part, option in self.choices if option)


@dataclass(frozen=True)
class Person:
    """Who is handed to a program: `world` numbers those who differ in the attribute alone."""

    world: int
    key: Key
    row: Mapping[str, Any]


@dataclass(frozen=True)
class Program:
    """A program, how it is called, and with whom."""

    spec: Spec
    text: str
    drive: str
    """What calls it with a person, in its language."""
    attribute: str
    people: tuple[Person, ...]
    numeric: bool
    """Whether what comes of it is a number."""
    entry: str
    """The function that is called."""
    names: tuple[str, ...] = ()
    """Of C: what it declares beside the fields of its struct."""
    raises: frozenset[str] = field(default_factory=frozenset)
    """The exceptions that are an outcome."""
    aliases: Mapping[str, Key] = field(default_factory=dict)
    """What code calls a group → the group."""


class InvalidError(Exception):
    """Choices that do not go together."""


def require(holds: bool) -> None:
    """Raises InvalidError where a choice does not go with another."""
    if not holds:
        raise InvalidError


FIXED = ("attribute", "outcome")
"""Parts of which each option is as likely as another, whatever goes with it."""


def draw(
    chance: random.Random, parts: Mapping[str, Sequence[str]], fixed: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Choices at random, which may not go together."""
    return tuple((part, fixed.get(part) or _drawn(chance, part, options)) for part, options in parts.items())


def _drawn(chance: random.Random, part: str, options: Sequence[str]) -> str:
    return options[0] if part == "amount" and chance.random() < PLAIN else chance.choice(options)


def simpler(spec: Spec, parts: Mapping[str, Sequence[str]]) -> Iterator[Spec]:
    """The same program with one part as simple as it can be."""
    for part, options in parts.items():
        if part != "twin" and spec[part] != options[0]:
            yield spec.with_choice(part, options[0])


def people(
    keys: Sequence[Key], raw: Mapping[Key, Any], tested: str, attribute: str, fields: Sequence[str]
) -> tuple[Person, ...]:
    """Everybody in each world: all that differs between two in one is `attribute`.

    `tested` is the field that the program tests, `fields` are the one of the attribute and the neutral one.
    """
    own, neutral = fields
    found = []
    for world, years in enumerate(YEARS):
        base = {"years": years, "income": 1000, "id": 7, "email": "a@example.org"}
        for key in keys:
            if tested == own:
                found.append(Person(world, key, {**base, own: raw[key], neutral: next(iter(DEPARTMENTS))}))
            else:
                values = list(raw.values())
                for place, value in enumerate(values[:: max(1, len(values) // 6)]):
                    row = {**base, own: key, neutral: value}
                    found.append(Person(world + len(YEARS) * place, key, row))
    if attribute == "age" and tested != own:
        return tuple(one for one in found if int(one.key) % 10 == 5)
    return tuple(found)


def indented(lines: Sequence[str], depth: int = 1) -> list[str]:
    """Lines, further right."""
    return ["    " * depth + line if line else line for line in lines]
