"""A prompt that a function of one's own returns, for a person: `screen.py:invite_prompt`.

The function is run in the sandbox, never in this process, once for each person that the audit shows, and a
second time in another order: a prompt that changes by itself could not be compared. What it adds to a person
is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.backends.requests import Message
from fairlint.counterfactual.calling import Calling, calls
from fairlint.counterfactual.column_names import columns_by_name
from fairlint.counterfactual.executors.answers import parse_program
from fairlint.counterfactual.executors.choosing import choose
from fairlint.counterfactual.executors.executor import Crashed, Failed, Incomparable, Limits, Outcome, Value
from fairlint.counterfactual.own_code.functions import head_of
from fairlint.counterfactual.population import Cell, Column
from fairlint.counterfactual.prompts.cells import is_personal
from fairlint.counterfactual.prompts.languages import not_stated_texts, said_in
from fairlint.counterfactual.prompts.prompt import UnsureError
from fairlint.sources.reading import to_utf8
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.support.records import Record, replace
from fairlint.syntax.python.own_tree import names_of_data

_PLACE = re.compile(r"(?P<path>.+\.py):(?P<entry>[^\W\d]\w*(?:\.[^\W\d]\w*)?)")
LONGEST_PROMPT = 400_000
"""Characters of a prompt as JSON."""
_BATCH = 150
"""Calls of one batch: as many of the longest prompts as it may return."""


class Sandbox(Record):
    """Where a function is run, as `fairlint counterfactual FILE.py:FUNCTION` has it."""

    executor: str = "monty"
    packages: bool = False
    seconds: float | None = None


class PromptFunction(Record):
    """A function that writes a prompt for a person; `texts` holds what it wrote, or why it wrote nothing."""

    path: str
    entry: str
    line: int
    last_line: int
    calling: Calling
    numbers: frozenset[str]
    """Columns in which every case has a number."""
    sandbox: Sandbox
    texts: Mapping[tuple[str, ...], tuple[Message, ...] | str]

    @property
    def placeholders(self) -> list[str]:
        """What it is handed of a person: columns of the cases, and what the audit makes up."""
        return list(dict.fromkeys(self.calling.columns))

    @property
    def known(self) -> Mapping[str, str]:
        """Nothing but what names say."""
        return {}

    @property
    def finding_lines(self) -> frozenset[int]:
        """Any in the function."""
        return frozenset()

    @property
    def wording(self) -> str:
        """The first prompt that it wrote."""
        first = next((one for one in self.texts.values() if not isinstance(one, str)), ())
        return "\n".join(message.content for message in first)

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return what was written for a person."""
        written = self.texts[self.key_of(values)]
        if isinstance(written, str):
            raise UnsureError(written)
        return written

    def key_of(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """Return what tells a person from others."""
        return tuple(values.get(name, said_in("en").not_stated) for name in self.placeholders)


def names_function(place: str) -> bool:
    """Return whether a place is that of a function: `screen.py:invite_prompt`, `screen.py:Screen.prompt`."""
    return _PLACE.fullmatch(place) is not None


def load_function(
    place: str, rows: Sequence[Mapping[str, str]], cases: str, sandbox: Sandbox
) -> PromptFunction:
    """Return the function at a place, and how it takes a person; it is not run.

    Raises UsageError in one line where it is not there or needs what is no column of the cases and says
    nothing of a person.
    """
    found = _PLACE.fullmatch(place)
    assert found is not None, "names_function says so"
    path, entry = found["path"], found["entry"]
    try:
        text = to_utf8(read_file(path, LARGEST_SETTINGS)).decode("utf-8", "replace")
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    head = head_of(text, entry, path)
    columns = [Column(name, ()) for name in rows[0]]
    calling = calls(text, [*columns, *_made_up_columns(text, columns)], entry, data=cases)
    if not any(map(is_personal, calling.columns)):
        raise UsageError(
            f"{place}: no parameter says who the person is ({', '.join(calling.columns)}): a name, a title "
            "or a protected attribute is needed"
        )
    numbers = frozenset(name for name in rows[0] if all(_is_number(row[name]) for row in rows))
    return PromptFunction(path, entry, head.line, head.last, calling, numbers, sandbox, {})


def _made_up_columns(text: str, columns: Sequence[Column]) -> list[Column]:
    """Return what the file calls names, titles or attributes of a person, where the cases have none."""
    module = parse_program(text)
    if isinstance(module, Failed):
        return []
    column_of = columns_by_name(columns)
    return [
        Column(name, ()) for name in names_of_data(module) if is_personal(name) and column_of(name) is None
    ]


def _is_number(text: str) -> bool:
    return not isinstance(_number_in(text), str)


def _number_in(text: str) -> Cell:
    """Return the number that a text writes as Python does; the text where it writes none so."""
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if str(value) == text:
            return value
    return text


# ------------------------------------------------------------------------------------------------ running


def write_prompts(function: PromptFunction, people: Sequence[Mapping[str, str]]) -> PromptFunction:
    """Return the function with what it writes for these people.

    Raises UsageError in one line where it cannot be run, raises for somebody whose group is stated, returns
    no prompt, or returns another one for the same person.
    """
    wanted = list(dict.fromkeys(function.key_of(one) for one in people))
    fresh = [key for key in wanted if key not in function.texts]
    if not fresh:
        return function
    place = f"{function.path}:{function.entry}"
    written = _outcomes(function, fresh, as_numbers=True)
    if function.numbers and any(isinstance(one, Crashed) for one in written):
        as_texts = _outcomes(function, fresh, as_numbers=False)
        if sum(isinstance(one, Crashed) for one in as_texts) < sum(
            isinstance(one, Crashed) for one in written
        ):
            function, written = replace(function, numbers=frozenset()), as_texts
    again = _outcomes(function, fresh[::-1], as_numbers=True)[::-1]
    for one, other in zip(written, again, strict=True):
        if one != other and not (isinstance(one, Crashed) and isinstance(other, Crashed)):
            raise UsageError(f"{place} gives another prompt for the same person each time: fix what changes")
    texts = {}
    for key, outcome in zip(fresh, written, strict=True):
        texts[key] = _messages_of(outcome)
        if isinstance(texts[key], str) and not_stated_texts().isdisjoint(key):
            person = dict(zip(function.placeholders, key, strict=True))
            shown = ", ".join(f"{name} {value!r}" for name, value in person.items() if is_personal(name))
            raise UsageError(f"{place}, for {shown or 'a case'}: {texts[key]}")
    return replace(function, texts={**function.texts, **texts})


def _outcomes(
    function: PromptFunction, keys: Sequence[tuple[str, ...]], *, as_numbers: bool
) -> list[Outcome]:
    """Return what the function returns for each person, run in batches that start afresh."""
    columns = function.placeholders
    places = [columns.index(name) for name in function.calling.columns]
    numeric = [as_numbers and name in function.numbers for name in function.calling.columns]
    rows = [
        [
            _number_in(key[place]) if is_number else key[place]
            for place, is_number in zip(places, numeric, strict=True)
        ]
        for key in keys
    ]
    sandbox = function.sandbox
    limits = Limits(text=LONGEST_PROMPT)
    if sandbox.seconds is not None:
        limits = replace(limits, seconds=sandbox.seconds)
    found: list[Outcome] = []
    with choose(sandbox.executor, packages=sandbox.packages) as running:
        for start in range(0, len(rows), _BATCH):
            came = running.run(function.calling.program, rows[start : start + _BATCH], limits)
            if isinstance(came, Failed):
                raise UsageError(f"{function.path}:{function.entry}: {came.message}")
            found += came
    return found


# ---------------------------------------------------------------------------------------------- reading it


def _messages_of(outcome: Outcome) -> tuple[Message, ...] | str:
    """Return the prompt that a function returned, or why it is none."""
    if isinstance(outcome, Crashed):
        return f"raises {outcome.error}: {' '.join(outcome.message.split())}".rstrip(": ")
    if isinstance(outcome, Incomparable):
        return f"returns {outcome.type}, which is no text and no list of messages"
    assert isinstance(outcome, Value)
    try:
        told = _plain_value(read_json(outcome.text))
    except (ValueError, TypeError):  # a program may forge its answer
        return "returns what cannot be read"
    if isinstance(told, str):
        told = [{"role": "user", "content": told}]
    if isinstance(told, dict) and "digest" in told:
        return f"returns more than {LONGEST_PROMPT:,} characters"
    messages = [_message_of(one) for one in told] if isinstance(told, list) else []
    if not messages or None in messages:
        return f"returns {outcome.kind}, which is no text and no list of messages with a role and a content"
    found = tuple(one for one in messages if one is not None)
    if not any(one.content.strip() for one in found):
        return "returns an empty text"
    if any("\ud800" <= sign <= "\udfff" for one in found for sign in one.content):
        return "returns a text with half a character (a lone surrogate)"
    return found


def _plain_value(told: Any) -> Any:
    """Return what a canonical text stands for, with tuples as lists."""
    match told:
        case list():
            return [_plain_value(one) for one in told]
        case {"tuple": list() as items}:
            return [_plain_value(one) for one in items]
        case {"dict": list() as pairs}:
            return {key: _plain_value(held) for key, held in pairs if isinstance(key, str)}
        case _:
            return told


def _message_of(told: Any) -> Message | None:
    """Return a message; its content is a text, or a list of parts that are texts."""
    match told:
        case {"role": str() as role, "content": str() as content}:
            return Message(role, content)
        case {"role": str() as role, "content": list() as parts} if parts:
            texts = [one.get("text") for one in parts if isinstance(one, dict) and one.get("type") == "text"]
            if len(texts) == len(parts) and all(isinstance(text, str) for text in texts):
                return Message(role, "".join(map(str, texts)))
            return None
        case _:
            return None
