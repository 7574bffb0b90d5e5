"""Answers of a model, read from JSON lines: what was published or kept can be judged without a model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from fairlint.records import Record

SUBJECTS = ("subject", "job", "major", "treatment")
TEXTS = ("text", "code", "answer")


class AnswersError(Exception):
    """Why answers cannot be read: the file, the line and the reason, in one line."""


class Answer(Record):
    """What a model wrote when it was asked for a function about a subject."""

    text: str
    attribute: str
    """As prompts name it: `insurance status`."""
    subject: str
    """An occupation, a major or a treatment."""
    scenario: str = ""
    listed: str = ""
    """The list that the subject comes from: occupations where most are of one group, say."""
    sample: int = 0


def read_answers(path: Path, *, attribute: str | None = None, scenario: str = "") -> list[Answer]:
    """All answers of a file of JSON lines, in its order; blank lines are passed over.

    A line is an object with a text (`text`, `code` or `answer`), what it is about (`subject`, `job`, `major`
    or `treatment`) and `attribute`, unless `attribute` says it for all; `scenario`, `list` and `sample` may
    be there. Raises AnswersError that names the file and the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise AnswersError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise AnswersError(f"{path} is not UTF-8 (byte {error.start})") from None
    answers = list(_answers(path, lines, attribute, scenario))
    if not answers:
        raise AnswersError(f"{path} holds no answers")
    return answers


def _answers(path: Path, lines: Iterable[str], attribute: str | None, scenario: str) -> Iterator[Answer]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise AnswersError(f"{path}:{number}: not JSON ({error})") from None
        if not isinstance(entry, dict):
            raise AnswersError(f"{path}:{number}: an object was expected")
        asked = attribute or entry.get("attribute")
        if not isinstance(asked, str):
            raise AnswersError(f"{path}:{number}: no attribute")
        sample = entry.get("sample", 0)
        if not isinstance(sample, int):
            raise AnswersError(f"{path}:{number}: `sample` is no whole number")
        yield Answer(
            text=_text(entry, TEXTS, f"{path}:{number}"),
            attribute=asked,
            subject=_text(entry, SUBJECTS, f"{path}:{number}"),
            scenario=str(entry.get("scenario", scenario)),
            listed=str(entry.get("list", "")),
            sample=sample,
        )


def _text(entry: dict[str, object], names: tuple[str, ...], place: str) -> str:
    for name in names:
        found = entry.get(name)
        if isinstance(found, str):
            return found
        if found is not None:
            raise AnswersError(f"{place}: `{name}` is no text")
    raise AnswersError(f"{place}: none of {', '.join(names)}")
