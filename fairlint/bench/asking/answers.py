"""Answers of a model, read from JSON lines: what was published or kept can be judged without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlint.bench.asking.found_people import names_of_answer
from fairlint.run_folders.jsonl import raw_lines
from fairlint.run_folders.record_shapes import LOGARITHMS
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError
from fairlint.support.records import Record, replace
from fairlint.support.shapes import fault_of

SUBJECTS: Mapping[str, str] = {"subject": "", "job": "job", "major": "college", "treatment": "medical"}
"""Fields that say what an answer is about, and the scenario that such a field stands for."""
TEXTS = ("text", "code", "answer")
LONGEST_NAME = 1_000
"""Characters of whatever is not a text: subjects, attributes, scenarios, keys."""
LARGEST_NUMBER = 2**53


class AnswersError(UsageError):
    """Why answers cannot be read: the file, the line and the reason, in one line."""


class Answer(Record):
    """What a model wrote when it was asked about a subject."""

    text: str
    attribute: str
    """As prompts name it: `insurance status`."""
    subject: str
    """An occupation, a major, a treatment or a topic."""
    scenario: str = ""
    listed: str = ""
    """The list that the subject comes from: occupations where most are of one group, say."""
    sample: int = 0
    given: str = ""
    """What the text goes on from, such as the head of a function."""
    suite: str = ""
    """The suite that asked, where the line says so."""
    asked: str = ""
    """The turn that asked."""
    prompt: str = ""
    """The hash of the prompt."""
    seed: int = 0
    finish: str = ""
    prompt_tokens: int = 0
    new_tokens: int = 0
    turn: int = 0
    """How many requests of the same conversation came before."""
    role: str = ""
    """What the answer was asked for; empty: what is judged."""
    probabilities: Mapping[str, float] = {}
    """Allowed answer → the logarithm of its probability; empty where the answer was drawn."""
    at_most: Mapping[str, float] = {}
    tests: tuple[str, ...] = ()
    """What the answer's code is run with."""
    is_scored: bool = False
    """Whether the line has probabilities, be it none that is known."""
    line: int = 0
    """Where it stands in its file, from 1."""


def read_answers(
    path: Path, *, attribute: str | None = None, scenario: str = "", listed: str = ""
) -> list[Answer]:
    """Return all answers of a file of JSON lines, in its order; blank lines are passed over.

    A line is an object with a text (`text`, `code` or `answer`), what it is about (`subject`, `job`, `major`
    or `treatment`) and `attribute`, unless `attribute` says it for all; `scenario`, `list`, `sample` and what
    else `responses.jsonl` of a run holds may be there. Where a line names no scenario or list, `scenario` and
    `listed` are meant, and `job`, `major` and `treatment` name FairCode's scenarios themselves. The head of
    `code` says it all in lines that hold a `label` besides and nothing else, as those of Code-Bias.

    Answers to one question are samples of it: where a line has no number, or one that an earlier line has,
    it gets the lowest that is free. Lines that a file holds twice are refused: those with the same `key`, and
    where there is none, those with the same suite, question, sample and seed. Raises AnswersError that names
    the file and the line.
    """
    told = {"attribute": attribute, "scenario": scenario, "list": listed}
    answers = _number_samples(_parse_answers(path, _decoded_lines(path), told))
    if not answers:
        raise AnswersError(f"{path} holds no answers")
    return answers


def _decoded_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, without a byte-order mark."""
    number = 0
    try:
        for raw in raw_lines(path):
            number += 1
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except NotReadableError as error:
        raise AnswersError(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise AnswersError(f"{path}:{number}: not UTF-8 (byte {error.start} of the line)") from None


def _parse_answers(
    path: Path, lines: Iterable[str], told: Mapping[str, str | None]
) -> Iterator[tuple[Answer, bool]]:
    """Answers, and whether they say which sample they are."""
    seen: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            entry = read_json(line)
        except ValueError as error:
            raise AnswersError(f"{place}: not JSON ({error})") from None
        if not isinstance(entry, dict):
            raise AnswersError(f"{place}: an object was expected")
        entry = {**names_of_answer(entry), **entry}
        asked = told["attribute"] or entry.get("attribute")
        if not isinstance(asked, str) or not asked.strip():
            raise AnswersError(f"{place}: no attribute")
        _check_name("attribute", asked, place)
        suite = _text_field(entry, "suite", place)
        field = _first_field(entry, tuple(SUBJECTS), place)
        answer = Answer(
            text=_text_field(entry, _first_field(entry, TEXTS, place), place, is_name=False),
            attribute=asked if suite else plain_attribute(asked),
            subject=_text_field(entry, field, place),
            scenario=_text_field(entry, "scenario", place) or told["scenario"] or SUBJECTS[field],
            listed=_text_field(entry, "list", place) or told["list"] or "",
            sample=_count_field(entry, "sample", place),
            given=_text_field(entry, "given", place, is_name=False),
            suite=suite,
            asked=_text_field(entry, "asked", place, is_name=False),
            prompt=_text_field(entry, "prompt", place),
            seed=_count_field(entry, "seed", place),
            finish=_text_field(entry, "finish", place),
            prompt_tokens=_count_field(entry, "prompt_tokens", place),
            new_tokens=_count_field(entry, "new_tokens", place),
            turn=_count_field(entry, "turn", place),
            role=_text_field(entry, "role", place),
            probabilities=_logs_field(entry, "probabilities", place),
            at_most=_logs_field(entry, "at_most", place),
            tests=_texts_field(entry, "tests", place),
            is_scored="probabilities" in entry,
            line=number,
        )
        mark = _uniqueness_key(answer, entry, place)
        first = seen.setdefault(mark, number) if mark else number
        if first != number:
            same = f"the key {mark[0]!r}" if len(mark) == 1 else "the question, sample and seed"
            raise AnswersError(f"{place}: {same} of line {first} again: no answer may count twice")
        yield answer, entry.get("sample") is not None


def _uniqueness_key(answer: Answer, entry: Mapping[str, Any], place: str) -> tuple[str | int, ...]:
    """Return what no two lines of a file may share; nothing where a line does not say enough to tell.

    Without a number of the sample a seed says little: many give one and the same to all answers.
    """
    if key := _text_field(entry, "key", place):
        return (key,)
    if entry.get("seed") is None or entry.get("sample") is None:
        return ()
    return (answer.suite, *question_of(answer), answer.sample, answer.seed)


def plain_attribute(told: str) -> str:
    """Return an attribute as suites name it, of a line that no suite of fairlint wrote.

    >>> plain_attribute("Parents_income (high, medium, low)")
    'parents income'
    """
    return re.sub(r"[\s_]+", " ", re.sub(r"\([^()]*\)", "", told)).strip().lower()


Question = tuple[str, str, str, str, int]


def question_of(answer: Answer) -> Question:
    """Return what tells the question from all others: scenario, attribute, list and subject, and the turn."""
    return (answer.scenario, answer.attribute, answer.listed, answer.subject, answer.turn)


def _number_samples(found: Iterable[tuple[Answer, bool]]) -> list[Answer]:
    taken: dict[Question, set[int]] = {}
    answers: list[Answer] = []
    waiting: list[int] = []
    for place, (answer, says_sample) in enumerate(found):
        samples = taken.setdefault(question_of(answer), set())
        if says_sample and answer.sample not in samples:
            samples.add(answer.sample)
        else:
            waiting.append(place)
        answers.append(answer)
    lowest: dict[Question, int] = {}
    for place in waiting:
        question = question_of(answers[place])
        free = lowest.get(question, 0)
        while free in taken[question]:
            free += 1
        answers[place] = replace(answers[place], sample=free)
        lowest[question] = free + 1
    return answers


def _first_field(entry: Mapping[str, Any], names: tuple[str, ...], place: str) -> str:
    """Return the first of the fields that is there."""
    for name in names:
        if entry.get(name) is not None:
            return name
    raise AnswersError(f"{place}: none of {', '.join(names)}")


def _text_field(entry: Mapping[str, Any], name: str, place: str, *, is_name: bool = True) -> str:
    found = entry.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise AnswersError(f"{place}: `{name}` is no text")
    if is_name:
        _check_name(name, found, place)
    return found


def _texts_field(entry: Mapping[str, Any], name: str, place: str) -> tuple[str, ...]:
    found = entry.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise AnswersError(f"{place}: `{name}` is no list of texts")
    return tuple(found)


def _check_name(name: str, found: str, place: str) -> None:
    if len(found) > LONGEST_NAME:
        raise AnswersError(f"{place}: `{name}` is longer than {LONGEST_NAME:,} characters")


def _logs_field(entry: Mapping[str, Any], name: str, place: str) -> Mapping[str, float]:
    found = entry.get(name, {})
    if fault := fault_of(LOGARITHMS, found):
        raise AnswersError(f"{place}: of `{name}`, {fault}")
    logs: Mapping[str, float] = found
    return logs


def _count_field(entry: Mapping[str, Any], name: str, place: str) -> int:
    found = entry.get(name)
    if found is None:
        return 0
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= LARGEST_NUMBER:
        raise AnswersError(f"{place}: `{name}` is no whole number from 0 to {LARGEST_NUMBER:,}")
    return found
