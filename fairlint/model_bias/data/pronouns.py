"""Code in which a pronoun is about to stand: professions times modifiers, as in CodeGenBias.

CodeGenBias (arXiv 2410.07820) has 320 professions and 13 modifiers. Its prompts were not at hand. What comes
with fairlint (`pronouns.toml`) has its form and its professions, but modifiers and text of its own. Prompts
of the paper, or others, come in a user's file:

- TOML with `modifiers` (a list of names), `template` (a text with `$profession` and perhaps `$modifier` and
  `$plural`), and perhaps `professions` (a list of names);
- CSV with the columns `profession`, `modifier` and `prompt`, and perhaps `split` (train, dev or test).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

from fairlint.config.toml_files import read_bytes, read_toml_file
from fairlint.model_bias.data.ideal_shares import professions
from fairlint.model_bias.data.places import Place
from fairlint.model_bias.data.records import FEMALE, MALE, Option, Origin
from fairlint.model_bias.data.rows import COMMA, columns, rows
from fairlint.model_bias.data.sources import Text, read
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

FILE = Path(__file__).parent / "pronouns.toml"
COLUMNS = ("profession", "modifier", "prompt")
SPLIT, SPLITS = "split", ("train", "dev", "test")
HOLES = ("profession", "modifier", "plural")
HE, SHE = "he", "she"
OPTIONS = (Option(MALE, HE), Option(FEMALE, SHE))


class PronounItem(Record):
    """A prompt behind which a pronoun is to stand."""

    id: str
    """Such as `nurse.best`."""
    profession: str
    modifier: str
    split: str
    """One of SPLITS; empty where the file says none."""
    prompt: str
    options: tuple[Option, ...]
    """`he` and `she`, with nothing between the prompt and them."""


class Pronouns(Record):
    """The prompts of all professions and modifiers."""

    items: tuple[PronounItem, ...]
    origin: Origin


def load_pronouns(source: Path | None = None) -> Pronouns:
    """Return the prompts that come with fairlint, or those of a user's file (TOML, or else CSV).

    Raises UsageError, with the file and the line or the key, for a file of another form, and UnavailableError
    where the professions are to be Bolukbasi's and their package is not installed.
    """
    if source is not None and source.suffix.lower() != ".toml":
        return _read_table(read(source))
    path = source or FILE
    origin = Origin(str(source or "fairlint"), hashlib.sha256(read_bytes(path)).hexdigest())
    return Pronouns(_build_items(Place(path, "", read_toml_file(path))), origin)


def plural_of(name: str) -> str:
    """Return the regular plural of a profession's last word.

    >>> [plural_of(name) for name in ("nurse", "deputy", "fireman", "attorney", "coach")]
    ['nurses', 'deputies', 'firemen', 'attorneys', 'coaches']
    """
    if name.endswith("man"):
        return f"{name[:-3]}men"
    if re.search(r"[^aeiou]y$", name):
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"


def _build_items(whole: Place) -> tuple[PronounItem, ...]:
    modifiers = _names_in(whole.at("modifiers"))
    template = _read_template(whole.at("template"))
    people = _names_in(whole.at("professions")) if whole.has("professions") else professions()
    return tuple(
        PronounItem(
            id=f"{profession}.{modifier}",
            profession=profession,
            modifier=modifier,
            split="",
            prompt=template.substitute(
                profession=profession, modifier=modifier, plural=plural_of(profession)
            ),
            options=OPTIONS,
        )
        for profession in people
        for modifier in modifiers
    )


def _names_in(place: Place) -> Sequence[str]:
    """Return names that code may have."""
    found = place.texts()
    for entry in place.entries():
        if not entry.text().isidentifier():
            raise entry.wrong("a name that code may have")
    return found


def _read_template(place: Place) -> Template:
    text = place.text()
    template = Template(text)
    if not template.is_valid() or not {"profession"} <= set(template.get_identifiers()) <= set(HOLES):
        raise place.wrong("a text with $profession, and $modifier and $plural as its only other places")
    if text != text.rstrip():
        raise place.wrong("a text that ends in no space")
    return template


def _read_table(table: Text) -> Pronouns:
    with_split = SPLIT in columns(table, COMMA)
    wanted = (*COLUMNS, SPLIT) if with_split else COLUMNS
    items: list[PronounItem] = []
    lines: dict[str, int] = {}
    for line, (profession, modifier, prompt, *rest) in rows(table, COMMA, wanted):
        where = f"{table.path}: line {line}"
        if not profession.strip():
            raise UsageError(f"{where}, profession is empty")
        if not prompt.strip() or prompt != prompt.rstrip():
            raise UsageError(f"{where}, prompt is empty or ends in a space: {HE} or {SHE} has to follow it")
        split = rest[0].strip() if with_split else ""
        if with_split and split not in SPLITS:
            raise UsageError(f"{where}, {SPLIT}: '{split}' is none of {', '.join(SPLITS)}")
        id_ = f"{profession.strip()}.{modifier.strip()}"
        if id_ in lines:
            raise UsageError(f"{where}, modifier: '{modifier}' of {profession} is in line {lines[id_]}, too")
        lines[id_] = line
        items.append(PronounItem(id_, profession.strip(), modifier.strip(), split, prompt, OPTIONS))
    return Pronouns(tuple(items), table.origin)
