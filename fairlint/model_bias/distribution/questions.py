"""What a model is asked about groups and professions: words, templates, professions, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.config.toml_files import read_toml_file
from fairlint.model_bias.data.occupations import shares
from fairlint.model_bias.distribution.codes import code_of, default_codes
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

SHIPPED = Path(__file__).parent / "questions.toml"
PERSON, ARTICLE, PROFESSION = "{person}", "{article}", "{profession}"
PARTS = ("train", "test")
KEYS = ("groups", "templates", "professions", "codes")
VOWELS = "aeiou"


class Group(Record):
    """A group, and the words that name a person of it."""

    name: str
    words: tuple[str, ...]


class Template(Record):
    """A sentence with places for a person and a profession."""

    text: str
    part: str
    """`train` or `test`."""


class Questions(Record):
    """All that a model is asked."""

    groups: tuple[Group, ...]
    professions: tuple[str, ...]
    templates: tuple[Template, ...]
    source: str
    """Which file said so."""
    codes: Mapping[str, str] = {}
    """Profession → its code in the occupational classification, where it has one."""

    def of(self, part: str) -> tuple[Template, ...]:
        """Return the templates of a part."""
        return tuple(one for one in self.templates if one.part == part)


def load(path: Path | None = None) -> Questions:
    """Return the questions of a TOML file, or those that are shipped.

    Tables `groups` (name = [words]) and `templates` (train, test = [sentences]); `professions` = [names],
    without which WinoGender's 60 are taken; if need be a table `codes` (profession = code).

    Raises UsageError, in one line, for fewer than two groups, groups with unequally many words, a template
    without a slot, and what is there twice.
    """
    file = path or SHIPPED
    told = read_toml_file(file)
    name = "the shipped questions" if path is None else str(path)
    for key in told:
        if key not in KEYS:
            raise UsageError(f"{name}: unknown key '{key}' (known: {', '.join(KEYS)})")
    groups = tuple(
        Group(group, _parse_texts(name, f"groups.{group}", words))
        for group, words in _table_at_key(name, "groups", told).items()
    )
    if len(groups) < 2:
        raise UsageError(f"{name}: [groups] needs two groups at least")
    sizes = {len(one.words) for one in groups}
    if len(sizes) > 1:
        raise UsageError(f"{name}: groups need equally many words, and these have {_sizes_text(groups)}")
    every = [word for one in groups for word in one.words]
    if double := next((word for word in every if every.count(word) > 1), None):
        raise UsageError(f"{name}: '{double}' is a word of two groups, or there twice")
    professions = tuple(shares())
    if "professions" in told:
        professions = _parse_texts(name, "professions", told["professions"])
    codes = {**default_codes(), **_parse_codes(name, told.get("codes", {}))}
    return Questions(
        groups,
        professions,
        _parse_templates(name, _table_at_key(name, "templates", told)),
        name,
        {one: codes[one] for one in professions if one in codes},
    )


def _parse_codes(name: str, told: object) -> dict[str, str]:
    if not isinstance(told, dict) or not all(isinstance(one, str) for one in told.values()):
        raise UsageError(f"{name}: [codes] must be profession = code")
    return {one: code_of(code, f"{name}: codes.{one}") for one, code in told.items()}


def _sizes_text(groups: Sequence[Group]) -> str:
    return ", ".join(f"{one.name} {len(one.words)}" for one in groups)


def _table_at_key(name: str, key: str, told: Mapping[str, Any]) -> Mapping[str, Any]:
    found = told.get(key)
    if not isinstance(found, dict):
        raise UsageError(f"{name}: there is no table [{key}]")
    return found


def _parse_texts(name: str, key: str, found: object) -> tuple[str, ...]:
    if (
        not isinstance(found, list)
        or not found
        or not all(isinstance(one, str) and one.strip() for one in found)
    ):
        raise UsageError(f"{name}: {key} must be a list of texts")
    if len(set(found)) < len(found):
        raise UsageError(f"{name}: {key} has the same text twice")
    return tuple(one.strip() for one in found)


def _parse_templates(name: str, told: Mapping[str, Any]) -> tuple[Template, ...]:
    made = []
    for part, texts in told.items():
        if part not in PARTS:
            raise UsageError(f"{name}: [templates] has '{part}' (known: {', '.join(PARTS)})")
        for text in _parse_texts(name, f"templates.{part}", texts):
            for slot in (PERSON, PROFESSION):
                if text.count(slot) != 1:
                    raise UsageError(f"{name}: the template '{text}' needs {slot} once")
            if text.index(PERSON) > text.index(PROFESSION):
                raise UsageError(f"{name}: in '{text}', {PERSON} must stand before {PROFESSION}")
            made.append(Template(text, part))
    for part in PARTS:
        if not any(one.part == part for one in made):
            raise UsageError(f"{name}: [templates] has none for {part}")
    return tuple(made)


class SentenceParts(NamedTuple):
    """A sentence in parts."""

    before: str
    person: str
    between: str
    profession: str
    rest: str


def fill_template(template: Template, person: str, profession: str) -> SentenceParts:
    """Return the sentence that a template makes about a person of a profession."""
    article = "an" if profession[:1].casefold() in VOWELS else "a"
    text = template.text.replace(ARTICLE, article)
    before, _, behind = text.partition(PERSON)
    between, _, rest = behind.partition(PROFESSION)
    if not before:
        person = person[:1].upper() + person[1:]
    return SentenceParts(before, person, between, profession, rest)


def some_of(names: Sequence[str]) -> str:
    """Return a few names for a message, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(f"'{one}'" for one in names[:3]) + more
