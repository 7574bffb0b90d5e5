"""The prompt that is tested: its turns, and the placeholders in them.

A prompt comes from a text or Jinja file with placeholders, a JSON list of messages, or from the place of a
finding in Python code. Nothing of it is executed: of Jinja, only placeholders are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from fairlint.analyses.prompts.placed_texts import PlacedText, texts_at
from fairlint.analyses.prompts.templates import MARK
from fairlint.backends.requests import Message
from fairlint.library_models.loading import shipped_models
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.support.records import Record, field
from fairlint.syntax.depth import deep_calls
from fairlint.syntax.registry import languages
from fairlint.syntax.source import Source
from fairlint.vocabulary import default_vocabulary

_BRACES = re.compile(r"\{\{|\}\}|\{\s*([A-Za-z_][\w.]*)\s*\}")
_JINJA = re.compile(r"\{\{-?\s*([A-Za-z_][\w.]*)\s*-?\}\}")
_LOGIC = re.compile(r"\{[%#]|\{\{")
_PLACE = re.compile(r"(?P<path>.+\.py):(?P<line>\d+)")


class Part(Record):
    """A stretch of a prompt: its own text, or a placeholder."""

    text: str
    is_placeholder: bool = False


class Turn(Record):
    """One message of the prompt."""

    role: str
    parts: tuple[Part, ...]


class Template(Record):
    """A prompt with placeholders, and where it stands."""

    path: str
    line: int
    turns: tuple[Turn, ...]
    last_line: int = 0
    known: Mapping[str, str] = field(default_factory=dict)
    """Placeholder → the attribute that the linter knows it to hold, `name`, or nothing of a person."""
    finding_lines: frozenset[int] = frozenset()

    @property
    def placeholders(self) -> list[str]:
        """The names of all placeholders, each once, in their order."""
        parts = (part for turn in self.turns for part in turn.parts)
        return list(dict.fromkeys(part.text for part in parts if part.is_placeholder))

    @property
    def wording(self) -> str:
        """The text of all turns, with a mark in each gap."""
        return "\n".join(
            "".join(MARK if part.is_placeholder else part.text for part in turn.parts) for turn in self.turns
        )

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the messages with these values in the placeholders."""
        return tuple(
            Message(
                turn.role,
                "".join(values[part.text] if part.is_placeholder else part.text for part in turn.parts),
            )
            for turn in self.turns
        )


def load_template(place: str) -> Template:
    """Return the prompt at a place: `prompt.txt`, `prompt.j2`, `messages.json` or `screen.py:41`.

    Raises UsageError in one line for what cannot be read or has no placeholder.
    """
    found = _PLACE.fullmatch(place)
    if found is not None:
        template = _template_in_code(found["path"], int(found["line"]))
    elif place.endswith(".py"):
        raise UsageError(f"{place}: name the line of the prompt, as {place}:41")
    else:
        template = _template_in_file(place)
    if not template.placeholders:
        raise UsageError(f"{place}: the prompt has no placeholder for a person, such as {{name}}")
    return template


def _read_text(path: str) -> str:
    try:
        return read_file(path, LARGEST_SETTINGS).decode("utf-8-sig")
    except (NotReadableError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None


def _template_in_file(path: str) -> Template:
    text = _read_text(path)
    kind = Path(path).suffix.lower()
    if kind == ".json":
        return Template(path, 1, tuple(_turns_in_json(path, text)))
    if kind in {".j2", ".jinja", ".jinja2"}:
        if _LOGIC.search(_JINJA.sub("", text)):
            raise UsageError(f"{path}: only placeholders of Jinja are read, no tags, filters or comments")
        return Template(path, 1, (Turn("user", tuple(_split(_JINJA, text))),))
    return Template(path, 1, (Turn("user", tuple(_split(_BRACES, text))),))


def _turns_in_json(path: str, text: str) -> Iterator[Turn]:
    try:
        told = read_json(text.encode("utf-8"))
    except ValueError as error:
        raise UsageError(f"{path}: no JSON: {error}") from None
    if not isinstance(told, list) or not told:
        raise UsageError(f"{path}: a list of messages is expected, each with a role and a content")
    for one in told:
        texts = isinstance(one, dict) and [one.get("role"), one.get("content")]
        if not texts or not all(isinstance(each, str) for each in texts):
            raise UsageError(f"{path}: a message has a role and a content, both texts")
        yield Turn(str(one["role"]), tuple(_split(_BRACES, one["content"])))


def _split(pattern: re.Pattern[str], text: str) -> Iterator[Part]:
    """Yield the parts of a text; doubled braces are braces."""
    last = 0
    for found in pattern.finditer(text):
        if found.start() > last:
            yield Part(text[last : found.start()])
        name = found[1]
        yield Part(found[0][0]) if name is None else Part(name, is_placeholder=True)
        last = found.end()
    if last < len(text):
        yield Part(text[last:])


# -------------------------------------------------------------------------------------------------- in code


def _template_in_code(path: str, line: int) -> Template:
    """Return the text with holes that stands at a line, or that a finding at that line is about."""
    source = Source(path, _read_text(path).encode(), "python")
    with deep_calls():
        tree = languages()["python"].tree(source.data)
        found = texts_at(source, tree, line, default_vocabulary(), shipped_models())
    for text in found:
        parts = _parts_of(text)
        if any(part.is_placeholder for part in parts):
            return Template(path, text.line, (Turn("user", parts),), text.last_line)
    raise UsageError(f"{path}:{line}: no text with placeholders stands there: an f-string, a sum or format()")


def _parts_of(text: PlacedText) -> tuple[Part, ...]:
    """Return the parts of a text; places by name are placeholders where nothing is filled in."""
    if any(part.is_hole for part in text.parts):
        return tuple(Part(part.text, is_placeholder=part.is_hole) for part in text.parts)
    return tuple(part for stretch in text.parts for part in _split(_BRACES, stretch.text))
