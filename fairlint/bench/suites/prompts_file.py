"""Prompts of a user's file, in place of a suite's own, to be judged by the same suite.

A file holds one JSON object a line, an array of them, or one object with such an array under `prompts`, as
the notebook of the suite `btm` writes it. Each has `prompt` (or `text`), or `messages` as chats have them;
what else it may or must have, the suite decides: see `PromptForm`. `shuffle` is a list of texts that stand
in the prompt with commas between, such as attributes, or true for those behind `attributes:`: each sample has
them in an order of its own, as in published protocols. Other fields are passed over.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from fairlint.backends.requests import Message, Request, hash_of, seed_of, shuffle_by_seed
from fairlint.bench.judging.given_tests import check_given_test
from fairlint.bench.judging.protocols import groups_of
from fairlint.bench.suites.choosing import check_numbers
from fairlint.bench.suites.suite import EVERYTHING, PlacedEntry, PromptForm, Selection, Suite
from fairlint.support.documents import TooDeepError, read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record, replace

LARGEST = 100_000_000
"""Bytes of a file of prompts."""
ROLES = ("system", "user", "assistant")
LONGEST_NAME = 1_000
"""Characters of a subject, an attribute, a scenario."""
PROMPTS = ("prompt", "text")
"""Fields that hold a prompt of one turn."""


class Entry(Record):
    """One prompt of a file, checked."""

    place: str
    messages: tuple[Message, ...]
    subject: str
    scenario: str
    listed: str
    attributes: tuple[str, ...]
    header: str
    named: bool
    """Whether the file gives the subject."""
    shuffle: tuple[str, ...] = ()
    """What stands in another order in each sample."""
    turn: int = 0
    """How many prompts with the same text stand before it in the file."""
    tests: tuple[str, ...] = ()

    @property
    def prompt_hash(self) -> str:
        """The hash of its turns."""
        return hash_of(self.messages)


def read_prompts(path: Path, suite: Suite, selection: Selection = EVERYTHING) -> list[Request]:
    """Return the requests of a file of prompts, `samples` times each, those of the first `limit` prompts.

    `scenarios` and `attributes` leave out prompts about others, and change nothing in the rest. Prompts with
    other texts about the same subject are further samples of it, as where a list of attributes is shuffled
    from one prompt to the next. A request's seed depends on its text, its sample and `seed`, and neither on
    the file's name nor on the place in it; nor does the order of what is shuffled. Raises UsageError, which
    names the file and the line.
    """
    form = suite.prompt_form
    if form is None:
        raise UsageError(f"{suite.name} asks its own prompts alone: leave --prompts out")
    times = suite.samples if selection.samples is None else selection.samples
    try:
        check_numbers(times, selection.limit)
    except ValueError as error:
        raise UsageError(str(error)) from None
    known = suite.attributes() if form.attributes is None else form.attributes()
    entries = _distinct_entries(_read_entries(path, form, known), form)
    if not entries:
        raise UsageError(f"{path} holds no prompts; one a line is expected, such as {form.example}")
    chosen = [kept for one in entries if (kept := _narrow_entry(one, selection)) is not None]
    if not chosen:
        raise UsageError(f"{path} holds no prompts of this choice; it has {_contents_text(entries)}")
    asked = (
        one
        for part in islice(_requests_by_entry(chosen, suite.name, times, selection.seed), selection.limit)
        for one in part
    )
    prepared: Callable[[Request], Request] | None = getattr(suite, "prepared", None)
    return list(map(prepared, asked) if prepared is not None else asked)


def _requests_by_entry(
    entries: Sequence[Entry], suite: str, times: int, seed: int
) -> Iterator[list[Request]]:
    """Yield the requests of each entry."""
    before: Counter[tuple[object, ...]] = Counter()
    for one in entries:
        key = (one.scenario, one.attributes, one.listed, one.subject)
        first = before[key] * times
        before[key] += 1
        yield [
            _build_request(
                one, suite, first + sample, seed_of(suite, one.prompt_hash, one.turn, sample, seed)
            )
            for sample in range(times)
        ]


def _build_request(entry: Entry, suite: str, sample: int, seed: int) -> Request:
    entry = _in_order(entry, shuffle_by_seed(entry.shuffle, seed))
    return Request(
        suite=suite,
        scenario=entry.scenario,
        attribute=", ".join(entry.attributes),
        subject=entry.subject,
        stereotype=entry.listed,
        sample=sample,
        seed=seed,
        messages=entry.messages,
        prompt_hash=entry.prompt_hash,
        header=entry.header,
        attributes=entry.shuffle or entry.attributes,
        plain=not entry.header,
        tests=entry.tests,
    )


def _in_order(entry: Entry, order: tuple[str, ...]) -> Entry:
    """Return the entry with what is shuffled in another order, at its last place in the prompt."""
    if order == entry.shuffle:
        return entry
    was, now = ", ".join(entry.shuffle), ", ".join(order)
    *before, last = entry.messages
    messages = (*before, replace(last, content=now.join(last.content.rsplit(was, 1))))
    header = now.join(entry.header.rsplit(was, 1))
    return replace(entry, messages=messages, header=header, shuffle=order)


def _narrow_entry(entry: Entry, selection: Selection) -> Entry | None:
    """Return the entry with those of its attributes that are chosen; None where nothing of it is."""
    places, names = selection.scenarios, selection.attributes
    if places is not None and _plain_name(entry.scenario) not in map(_plain_name, _each(places)):
        return None
    if names is None:
        return entry
    wanted = set(map(_plain_name, _each(names)))
    asked = tuple(name for name in entry.attributes if _plain_name(name) in wanted)
    return replace(entry, attributes=asked) if asked else None


def _each(names: Iterable[str] | str) -> Iterable[str]:
    return [names] if isinstance(names, str) else names


def _contents_text(entries: Sequence[Entry]) -> str:
    scenarios = dict.fromkeys(one.scenario for one in entries)
    attributes = dict.fromkeys(name for one in entries for name in one.attributes)
    return f"the scenarios {', '.join(scenarios)} and the attributes {', '.join(attributes)}"


def _distinct_entries(entries: Iterator[Entry], form: PromptForm) -> list[Entry]:
    """Return the entries, each with its turn. Raises UsageError where one repeats another."""
    known: dict[tuple[object, ...], str] = {}
    texts: Counter[str] = Counter()
    found = []
    for one in entries:
        same = (one.scenario, one.listed, one.subject, *(() if form.numbered else one.attributes))
        key = same if form.numbered else (*same, one.prompt_hash)
        if key in known:
            what = f"the name {one.subject!r}" if form.numbered else "the prompt"
            hint = "give each prompt a name of its own" if form.numbered else "`samples` asks a prompt again"
            raise UsageError(f"{one.place}: {what} stands in {known[key]} already; {hint}")
        known[key] = one.place
        found.append(replace(one, turn=texts[one.prompt_hash]))
        texts[one.prompt_hash] += 1
    return found


# -------------------------------------------------------------------------------------------- one prompt


def _read_entries(path: Path, form: PromptForm, known: Sequence[str]) -> Iterator[Entry]:
    numbers: Counter[str] = Counter()
    entries = _iter_objects(path)
    if form.completed is not None:
        entries = form.completed(path, entries)
    for place, entry in entries:
        one = _read_entry(place, entry, form, known)
        if not one.named:
            numbers[one.scenario] += 1
            one = replace(one, subject=f"{one.scenario} {numbers[one.scenario]}")
        yield one


def _read_entry(place: str, told: Mapping[str, Any], form: PromptForm, known: Sequence[str]) -> Entry:
    messages = read_messages(place, told, form)
    fields = [name for name in form.subjects if told.get(name) is not None]
    if len(fields) > 1:
        raise _entry_error(place, f"`{fields[0]}` and `{fields[1]}` both name the subject", form)
    if not fields and not form.numbered:
        raise _entry_error(place, f"none of {_quote_names(form.subjects)}", form)
    subject = _require_short_name(place, told, fields[0], form) if fields else ""
    if form.known is not None:
        judged = {name.casefold(): name for name in form.known()}
        if subject.casefold() not in judged:
            raise UsageError(f"{place}: no topic {subject!r}; the suite has {', '.join(judged.values())}")
        subject = judged[subject.casefold()]
    scenario = next((name for name in ("scenario", "category") if told.get(name) is not None), "")
    implied = form.subjects[fields[0]] if fields else ""
    header = _require_text(place, told, "header", form) if told.get("header") is not None else ""
    if not messages[-1].content.endswith(header):
        raise _entry_error(place, "`header` is not the end of the prompt", form)
    return Entry(
        place=place,
        messages=messages,
        subject=subject,
        scenario=_require_short_name(place, told, scenario, form) if scenario else implied or form.scenario,
        listed=_require_short_name(place, told, form.listed, form)
        if told.get(form.listed) is not None
        else "",
        attributes=_read_attributes(place, told.get("attribute"), form, known),
        header=header,
        named=bool(fields),
        shuffle=_texts_to_shuffle(place, told.get("shuffle"), messages[-1].content, form),
        tests=_read_tests(place, told.get("tests"), form) if form.has_tests else (),
    )


def _read_tests(place: str, given: object, form: PromptForm) -> tuple[str, ...]:
    """Return the tests of an entry, each of which is Python."""
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        raise _entry_error(place, "`tests` is no list of texts", form)
    for number, text in enumerate(given, 1):
        try:
            check_given_test(text)
        except ValueError as error:
            raise UsageError(f"{place}: test {number} {error}") from None
    return tuple(given)


def _texts_to_shuffle(place: str, given: object, text: str, form: PromptForm) -> tuple[str, ...]:
    """Return what is to be shuffled: texts that stand in the prompt with commas between."""
    if given is None or given is False:
        return ()
    if given is True:
        given = _parse_attribute_list(text)
        if len(given) < 2:
            raise _entry_error(place, "`shuffle` finds no list behind `attributes:` in the prompt", form)
    if not isinstance(given, list) or not all(isinstance(one, str) and one for one in given):
        raise _entry_error(place, "`shuffle` is neither true nor a list of texts", form)
    if len(set(given)) < max(len(given), 2):
        raise _entry_error(place, "`shuffle` needs two texts or more, each another one", form)
    told = ", ".join(given)
    if told not in text:
        raise _entry_error(place, f"`shuffle` is not in the prompt as {told[:LONGEST_NAME]!r}", form)
    return tuple(given)


def read_messages(place: str, told: Mapping[str, Any], form: PromptForm) -> tuple[Message, ...]:
    """Return the turns of an entry. Raises UsageError where it has none, or what are no turns."""
    given = [name for name in (*PROMPTS, "messages") if told.get(name) is not None]
    if not given:
        raise _entry_error(place, f"none of {_quote_names((*PROMPTS, 'messages'))}", form)
    if len(given) > 1:
        raise _entry_error(place, f"both `{given[0]}` and `{given[1]}`", form)
    if given != ["messages"]:
        return (Message("user", _require_text(place, told, given[0], form)),)
    turns = told["messages"]
    if not isinstance(turns, list) or not turns or not all(isinstance(turn, dict) for turn in turns):
        raise _entry_error(place, "`messages` is no list of objects with `role` and `content`", form)
    found = []
    for number, turn in enumerate(turns, 1):
        role = turn.get("role")
        if role not in ROLES:
            raise _entry_error(
                place, f"turn {number} of `messages` has no `role` out of {_quote_names(ROLES)}", form
            )
        if role == "system" and number > 1:
            raise _entry_error(
                place, f"turn {number} of `messages` is the system's, which may only be first", form
            )
        found.append(
            Message(role, _require_text(f"{place}: turn {number} of `messages`", turn, "content", form))
        )
    if found[-1].role != "user":
        raise _entry_error(place, "the last turn of `messages` is not the user's", form)
    return tuple(found)


def _read_attributes(place: str, given: object, form: PromptForm, known: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes that are asked about: one that has groups, or some of the suite's, in
    its order.
    """
    if form.one_attribute:
        if not isinstance(given, str) or not given.strip():
            raise _entry_error(place, "no `attribute`" if given is None else "`attribute` is no text", form)
        if len(given) > LONGEST_NAME:
            raise _entry_error(place, f"`attribute` is longer than {LONGEST_NAME:,} characters", form)
        try:
            groups = groups_of(_plain_name(given))
        except ValueError:
            groups = ()
        if not groups:
            raise _entry_error(
                place, f"{given!r} is no attribute with groups; {', '.join(known)} are some", form
            )
        return (_plain_name(given),)
    if given is None:
        return tuple(known)
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise _entry_error(place, "`attribute` is neither a text nor a list of texts", form)
    asked = [_plain_name(name) for name in names]
    meant = {_plain_name(name): name for name in known}
    for name in asked:
        if name not in meant:
            raise _entry_error(
                place, f"{name[:LONGEST_NAME]!r} is no attribute of the suite: {', '.join(known)}", form
            )
    return tuple(name for plain, name in meant.items() if plain in asked)


def _parse_attribute_list(text: str) -> list[str]:
    """Return what stands behind the last `attributes:` or `attributes (` of a prompt, up to the end of the
    line or bracket, with a comma and a blank between; commas within brackets part nothing.

    >>> _parse_attribute_list("It has attributes (GPA, age (young, elder), race) and more.")
    ['GPA', 'age (young, elder)', 'race']
    """
    found = re.search(r"(?s).*\battributes(?::|[ \t]*(?=\())[ \t]*(\(?)", text)
    parts, depth = [""], 0
    for sign in text[found.end() :] if found else "":
        if sign == "\n" or (sign == ")" and not depth):
            break
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _plain_name(name: str) -> str:
    """Return a name as prompts have it: `parents income`."""
    return " ".join(name.lower().replace("_", " ").split())


def _require_text(place: str, told: Mapping[str, Any], field: str, form: PromptForm) -> str:
    """Return what a field says, which must be a text that is not empty."""
    value = told.get(field)
    if not isinstance(value, str) or not value.strip():
        raise _entry_error(place, f"`{field}` is {'empty' if isinstance(value, str) else 'no text'}", form)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _entry_error(place, f"`{field}` holds half of a surrogate pair", form) from None
    return value


def _require_short_name(place: str, told: Mapping[str, Any], field: str, form: PromptForm) -> str:
    """Return the same on one line, which is short."""
    value = " ".join(_require_text(place, told, field, form).split())
    if len(value) > LONGEST_NAME:
        raise _entry_error(place, f"`{field}` is longer than {LONGEST_NAME:,} characters", form)
    return value


def _quote_names(names: Sequence[str] | Mapping[str, str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _entry_error(place: str, what: str, form: PromptForm) -> UsageError:
    return UsageError(f"{place}: {what}; expected is an object such as {form.example}")


# -------------------------------------------------------------------------------------------- the file


def _iter_objects(path: Path) -> Iterator[PlacedEntry]:
    """Yield each object of a file, with what the file says for all."""
    try:
        text = read_file(path, LARGEST).decode("utf-8-sig")
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    whole = _parse_whole_file(text, path)
    shared: dict[str, Any] = {}
    if isinstance(whole, dict) and "prompts" in whole:
        shared = {"attribute": whole["sensitive_attrs"]} if "sensitive_attrs" in whole else {}
        whole = whole["prompts"]
        if not isinstance(whole, list):
            raise UsageError(f"{path}: `prompts` is no list")
    if isinstance(whole, list):
        for number, entry in enumerate(whole, 1):
            place = f"{path}: prompt {number}"
            yield PlacedEntry(place, {**shared, **_require_object(place, entry)})
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{path}:{number}"
            try:
                entry = read_json(line)
            except ValueError as error:
                raise UsageError(f"{place}: not JSON ({error})") from None
            yield PlacedEntry(place, {**shared, **_require_object(place, entry)})


def _parse_whole_file(text: str, path: Path) -> object:
    """Return what the file is as one piece of JSON; None where it is none."""
    try:
        return read_json(text)
    except TooDeepError as error:
        if text.lstrip().partition("\n")[0].rstrip().endswith("}"):  # lines, of which one is broken
            return None
        raise UsageError(f"{path}:{error.line}: {error}") from None
    except ValueError:
        return None


def _require_object(place: str, entry: object) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise UsageError(f"{place}: an object was expected, not {json.dumps(entry)[:40]}")
    return entry
