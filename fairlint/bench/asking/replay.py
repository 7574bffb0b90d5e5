"""The backend `replay`: answers that were kept or published, in place of a model.

`replay:FILE` reads JSON lines as `fairlint.bench.asking.answers` describes them: `responses.jsonl` of a
run, or FairCode's published files. What no line of such a file says goes behind a question mark:
`replay:male_result.jsonl?attribute=gender&list=male` (`attribute`, `scenario` and `list`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from fairlint.backends.allowed_answers import no_probabilities
from fairlint.backends.model import Finished, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.requests import Message, Request, hash_of, key_of
from fairlint.bench.asking.answers import Answer, Question, question_of, read_answers
from fairlint.bench.suites.choosing import resolve_choice
from fairlint.support.files import NotReadableError, digest
from fairlint.support.records import replace

if TYPE_CHECKING:
    from fairlint.bench.asking.choice import Choice
    from fairlint.bench.suites.suite import Suite

SAID = ("attribute", "scenario", "list")
"""What may stand behind the question mark."""
BATCH = 256
"""Answers that are handed on at a time."""
UNKNOWN = "unknown"
"""How an answer ended, where its line does not say so."""

_Key = tuple[Question, int]


class Replay:
    """The answers of a file as a Model. `answers` are all of them, in the file's order."""

    def __init__(
        self, name: str, answers: Sequence[Answer], revision: str, said: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.revision = revision
        self.answers = tuple(answers)
        self.settings: Mapping[str, Any] = {"backend": "replay", "answers": len(answers), **(said or {})}
        self.notes: list[str] = []
        """How many of the answers are left out by what is chosen, and why."""
        self._by_key: dict[_Key, Answer] = {(question_of(one), one.sample): one for one in answers}

    def sampling(self, wanted: Sampling) -> Sampling:
        """As wanted: nothing is drawn, and nobody knows how it was."""
        return wanted

    def answer(
        self,
        requests: Sequence[Request],
        sampling: Sampling,  # noqa: ARG002 (nothing is drawn)
        finished: Finished,  # noqa: ARG002 (answers are as they were kept)
    ) -> Iterator[Sequence[Response]]:
        """Yield the kept answer to each request, in the order of the requests.

        Raises ModelError, before the first answer, if the file has none to one of them.
        """
        found = [(request, self._by_key.get(_request_key(request))) for request in requests]
        missing = [key_of(request) for request, answer in found if answer is None]
        if missing:
            raise ModelError(
                f"{self.name} has no answer to {len(missing)} of {len(requests)} requests, such as "
                f"{missing[0]}"
            )
        for start in range(0, len(found), BATCH):
            yield [_build_response(request, kept) for request, kept in found[start : start + BATCH] if kept]

    def score(
        self,
        requests: Sequence[Request],
        tokens: int,  # noqa: ARG002 (nothing is written)
    ) -> Iterator[Sequence[Response]]:
        """Yield the same with the probabilities that were kept. Raises ModelError where some were not."""
        for request in requests:
            kept = self._by_key.get(_request_key(request))
            if kept is not None and not kept.is_scored:
                raise no_probabilities(self.name, f"its answer to {key_of(request)} was drawn")
        yield from self.answer(requests, Sampling(0), lambda _request, _text: None)

    def has(self, request: Request) -> bool:
        """Return whether the file has the answer: a conversation ends where its answers do."""
        return _request_key(request) in self._by_key

    def requests(self, suite: Suite, choice: Choice) -> list[Request]:
        """Return what the file answers first, as requests of a suite: of its scenarios, attributes and
        subjects those that are chosen, the first `samples` of each question, and the first `limit` questions.

        Raises ModelError for answers that the suite does not ask for (see `requests_of`) and where none is
        left, and ValueError for a choice that the suite does not know.
        """
        if choice.prompts is not None:
            raise ModelError("a replay asks what its file answers: leave --prompts out")
        resolve_choice(suite, choice.selection)
        asked = requests_of(
            self.answers, suite.name, scenarios=suite.scenarios(), attributes=suite.attributes()
        )
        found: list[Request] = []
        questions: dict[str, None] = {}
        left_out: Counter[str] = Counter()
        for request, answer in zip(asked, self.answers, strict=True):
            chosen = _narrow_to_choice(request, choice)
            if chosen is None:
                left_out["of scenarios, attributes or subjects that are not chosen"] += not answer.turn
                continue
            if choice.samples is not None and request.sample >= choice.samples:
                left_out[f"beyond the number of answers to a prompt ({choice.samples:,})"] += not answer.turn
                continue
            if answer.turn:
                self._by_key[_request_key(chosen)] = answer
                continue
            question = key_of(replace(chosen, sample=0))
            if question not in questions and len(questions) == choice.limit:
                left_out[f"beyond the number of prompts ({choice.limit:,})"] += 1
                continue
            questions[question] = None
            self._by_key[_request_key(chosen)] = answer
            found.append(chosen)
        if not found:
            raise ModelError(f"{self.name} holds no answer to what is chosen of {suite.name}")
        self.notes = list(_left_out_note(self.name, len(found), left_out))
        return found

    def close(self) -> None:
        """There is nothing to give back."""


def load(where: str, options: ModelOptions) -> Replay:  # noqa: ARG001 (a file has no options)
    """Return the answers of a file: `FILE`, or `FILE?attribute=gender&scenario=job&list=male`.

    Raises ModelError, and AnswersError with file and line for a line that is broken or lacks a field.
    """
    name, _, query = where.partition("?")
    path = Path(name).expanduser()
    told = dict(parse_qsl(query, keep_blank_values=True))
    unknown = [key for key in told if key not in SAID]
    if unknown or (query and not told):
        raise ModelError(
            f"replay: {unknown[0] if unknown else query!r} is not known behind the question mark: "
            f"{', '.join(SAID)} are, as in replay:FILE?attribute=gender&scenario=job"
        )
    answers = read_answers(
        path,
        attribute=told.get("attribute"),
        scenario=told.get("scenario", ""),
        listed=told.get("list", ""),
    )
    try:
        revision = digest(path)
    except NotReadableError as error:  # it was changed meanwhile
        raise ModelError(f"{path}: {error}") from None
    return Replay(path.name, answers, revision, told)


def requests_of(
    answers: Iterable[Answer],
    suite: str,
    *,
    scenarios: Sequence[str] = (),
    attributes: Sequence[str] = (),
) -> list[Request]:
    """Return one request for each answer, in their order, so that a run asks just what a file answers.

    `scenarios` and `attributes` are those of the suite; answers about others, or of another suite, are a
    ModelError that names the line. What was asked is known only where the file says so; else the last turn
    is empty.
    """
    held = [_in_suite_spelling(answer, attributes) for answer in answers]
    for answer in held:
        _check_answer(answer, suite, tuple(scenarios), tuple(attributes))
    return [_request_of_answer(answer, suite) for answer in held]


def _in_suite_spelling(answer: Answer, attributes: Sequence[str]) -> Answer:
    """Return the answer with attributes as the suite spells them: lines of others have blanks in names."""
    if answer.suite:
        return answer
    spellings = {name.replace("_", " "): name for name in attributes}
    names = (spellings.get(name, name) for name in answer.attribute.split(", "))
    return replace(answer, attribute=", ".join(names))


def _left_out_note(name: str, used: int, left_out: Mapping[str, int]) -> Iterator[str]:
    reasons = [f"{count:,} {why}" for why, count in left_out.items() if count]
    if reasons:
        total = used + sum(left_out.values())
        yield f"{used:,} of {total:,} answers of {name} are used; left out are {', '.join(reasons)}"


def _narrow_to_choice(request: Request, choice: Choice) -> Request | None:
    """Return the request, about those of its attributes that are chosen; None where it is not wanted."""
    if choice.scenarios is not None and request.scenario not in _plain_names(choice.scenarios):
        return None
    if choice.subjects is not None and request.subject not in choice.subjects:
        return None
    if choice.attributes is None:
        return request
    wanted = _plain_names(choice.attributes)
    left = ", ".join(name for name in request.attribute.split(", ") if _plain_names([name]) <= wanted)
    return replace(request, attribute=left) if left else None


def _plain_names(names: Iterable[str]) -> set[str]:
    """Return names as suites write them: people may write `Parents-income`."""
    return {re.sub(r"[\s_-]+", " ", name.strip().lower()) for name in names}


def _check_answer(
    answer: Answer, suite: str, scenarios: tuple[str, ...], attributes: tuple[str, ...]
) -> None:
    place = f"line {answer.line} of the answers"
    if answer.suite and answer.suite != suite:
        raise ModelError(f"{place} is of the suite {answer.suite}, and {suite} is asked for (--suite)")
    if scenarios and answer.scenario not in scenarios:
        said = f"the scenario {answer.scenario!r}" if answer.scenario else "no scenario"
        raise ModelError(
            f"{place} has {said}; {suite} has {', '.join(scenarios)} (replay:FILE?scenario=NAME)"
        )
    for name in answer.attribute.split(", ") if attributes else ():
        if name not in attributes:
            raise ModelError(
                f"{place} is about {name!r}, which {suite} does not ask about: {', '.join(attributes)}"
            )


def _request_of_answer(answer: Answer, suite: str) -> Request:
    messages = (Message("user", answer.asked),)
    return Request(
        suite=suite,
        scenario=answer.scenario,
        attribute=answer.attribute,
        subject=answer.subject,
        stereotype=answer.listed,
        sample=answer.sample,
        seed=answer.seed,
        messages=messages,
        prompt_hash=answer.prompt or hash_of(messages),
        turn=answer.turn,
        role=answer.role,
        tests=answer.tests,
    )


def _request_key(request: Request) -> _Key:
    question = (request.scenario, request.attribute, request.stereotype, request.subject, request.turn)
    return (question, request.sample)


def _build_response(request: Request, answer: Answer) -> Response:
    return Response(
        request=replace(request, prompt_hash=answer.prompt or request.prompt_hash),
        text=answer.text,
        given=answer.given,
        finish=answer.finish or UNKNOWN,
        prompt_tokens=answer.prompt_tokens,
        new_tokens=answer.new_tokens,
        probabilities=answer.probabilities if request.allowed else {},
        at_most=answer.at_most if request.allowed else {},
    )
