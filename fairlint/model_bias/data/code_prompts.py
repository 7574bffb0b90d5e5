"""Code that is about to score a person, and how it may go on: `code_prompts.toml`, put together.

Three questions are asked of the same functions. `named`: which group stands behind `== '`? `points`: how many
points does a group get? `asked`: is it a protected attribute that the function asks for?
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Literal

from fairlint.config.toml_files import read_bytes, read_toml_file
from fairlint.model_bias.data.occupations import shares
from fairlint.model_bias.data.places import Place
from fairlint.model_bias.data.records import NEUTRAL, Option, Origin, Women
from fairlint.model_bias.data.sources import UnavailableError
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field_names

FILE = Path(__file__).parent / "code_prompts.toml"
Question = Literal["named", "points", "asked"]


class CodeItem(Record):
    """The beginning of a function, and ways to go on."""

    id: str
    """Such as `named.dictionary.gender.nurse`."""
    question: Question
    """`named`: options are groups, in all their spellings. `points`: options are numbers, each with what
    comes behind it, so that no number begins another; `int(option.label)` is the points. `asked`: options are
    names of attributes, labelled with the protected attribute or `neutral`; the options are a choice of what
    may follow, so only their shares among one another mean something.
    """
    template: str
    language: str
    """`python` or `c`."""
    occupation: str
    attribute: str
    """As the linter calls it; empty for `asked`."""
    group: str
    """Whose points these are; empty but for `points`."""
    prompt: str
    options: tuple[Option, ...]
    women: Women | None
    """Who works in the occupation; None where there is no table."""


class Code(Record):
    """The items of all templates, occupations and attributes."""

    items: tuple[CodeItem, ...]
    origin: Origin
    notes: tuple[str, ...]
    """What is missing, in one line each."""

    def of(
        self, question: Question, attribute: str | None = None, language: str | None = None
    ) -> tuple[CodeItem, ...]:
        """Return the items of one question, and perhaps of one attribute and one language."""
        return tuple(
            item
            for item in self.items
            if item.question == question
            and attribute in {None, item.attribute}
            and language in {None, item.language}
        )


class _Style(Record):
    id: str
    language: str
    head: str
    named: str
    points: str
    ending: str
    asked: str


class _Attribute(Record):
    attribute: str
    name: str
    groups: Mapping[str, tuple[str, ...]]


class _Table(Record):
    occupations: tuple[str, ...]
    points: tuple[int, ...]
    asked: tuple[Option, ...]
    attributes: tuple[_Attribute, ...]
    templates: tuple[_Style, ...]


def load_code(source: Path | None = None) -> Code:
    """Return the prompts that come with fairlint, or those of a user's file of the same form.

    The shares of women are WinoGender's, or of a table of the same name beside the user's file. Where there
    is none and the published one cannot be had, a note says so. Raises UsageError for a file of another form.
    """
    path = source or FILE
    table = _read_table(path)
    notes: tuple[str, ...] = ()
    women: Mapping[str, Women] = {}
    try:
        women = shares(source)
    except UnavailableError as error:
        notes = (f"no shares of women in occupations: {error}",)
    items = tuple(
        item
        for style in table.templates
        for occupation in table.occupations
        for item in _build_items(table, style, occupation, women.get(occupation))
    )
    origin = Origin(str(source or "fairlint"), hashlib.sha256(read_bytes(path)).hexdigest())
    return Code(items, origin, notes)


def _build_items(table: _Table, style: _Style, occupation: str, women: Women | None) -> Iterator[CodeItem]:
    def made(
        question: Question, prompt: str, options: tuple[Option, ...], attribute: str = "", group: str = ""
    ) -> CodeItem:
        names = (question, style.id, attribute, group, occupation)
        return CodeItem(
            id=".".join(filter(None, names)),
            question=question,
            template=style.id,
            language=style.language,
            occupation=occupation,
            attribute=attribute,
            group=group,
            prompt=prompt,
            options=options,
            women=women,
        )

    numbers = _number_options(table, style)
    for told in table.attributes:
        values = {"occupation": occupation, "name": told.name}
        spellings = tuple(Option(group, word) for group, words in told.groups.items() for word in words)
        yield made("named", _fill_template(style.head + style.named, values), spellings, told.attribute)
        for group, words in told.groups.items():
            prompt = _fill_template(style.head + style.points, {**values, "group": words[0]})
            yield made("points", prompt, numbers, told.attribute, group)
    yield made("asked", _fill_template(style.head + style.asked, {"occupation": occupation}), table.asked)


def _number_options(table: _Table, style: _Style) -> tuple[Option, ...]:
    return tuple(Option(str(number), f" {number}{style.ending}") for number in table.points)


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    return Template(template).substitute(values)


# ------------------------------------------------------------------------------------------ reading the file


def _read_table(path: Path) -> _Table:
    whole = Place(path, "", read_toml_file(path))
    occupations = whole.at("occupations")
    words = tuple(occupations.text().split())
    if len(set(words)) < len(words):
        raise occupations.wrong("a text of different words")
    made = _Table(
        occupations=words,
        points=tuple(dict.fromkeys(entry.number() for entry in whole.at("points").entries())),
        asked=_parse_question_options(whole.at("asked")),
        attributes=tuple(_parse_attribute(entry) for entry in whole.at("attributes").entries()),
        templates=tuple(_parse_style(entry) for entry in whole.at("templates").entries()),
    )
    for key, named in (
        ("attributes", [one.attribute for one in made.attributes]),
        ("templates", [one.id for one in made.templates]),
    ):
        if len(set(named)) < len(named):
            raise whole.at(key).wrong("a list of different names")
    for style in made.templates:
        _check_distinct(whole.at("points"), list(_number_options(made, style)))
    return made


def _parse_question_options(place: Place) -> tuple[Option, ...]:
    options = [
        Option(label, name) for label, entry in place.at("protected").table() for name in entry.texts()
    ]
    options += [Option(NEUTRAL, name) for name in place.at("neutral").texts()]
    _check_distinct(place, options)
    return tuple(options)


def _parse_attribute(place: Place) -> _Attribute:
    groups = {name: entry.texts() for name, entry in place.at("groups").table()}
    if len(groups) < 2 or len({len(words) for words in groups.values()}) > 1:
        raise place.at("groups").wrong("a table of several groups with as many spellings each")
    _check_distinct(place, [Option(group, word) for group, words in groups.items() for word in words])
    return _Attribute(place.at("attribute").text(), place.at("name").text(), groups)


def _check_distinct(place: Place, options: list[Option]) -> None:
    """Note what begins another option would be scored as a part of it."""
    for one in options:
        for other in options:
            if one is not other and other.text.startswith(one.text):
                raise UsageError(f"{place.path}: {place.name}: '{one.text}' is how '{other.text}' begins")


def _parse_style(place: Place) -> _Style:
    names = field_names(_Style)
    made = _Style(**{name: place.at(name).text(may_be_blank=name == "ending") for name in names})
    known = {"head": "occupation", "named": "name", "points": "name group", "asked": "", "ending": ""}
    for name, holes in known.items():
        text = getattr(made, name)
        try:
            _fill_template(text, dict.fromkeys(("occupation", *holes.split()), "x"))
        except (KeyError, ValueError):
            raise place.at(name).wrong(
                f"a text with {_hole_names(holes)} as its only places to fill in"
            ) from None
        if name in {"named", "points", "asked"} and text != text.rstrip():
            raise place.at(name).wrong("a text that ends in no space")
    return made


def _hole_names(holes: str) -> str:
    return " and ".join(f"${name}" for name in ("occupation", *holes.split()))
