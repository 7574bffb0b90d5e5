"""The suites as tasks of inspect-ai, which alone imports this module: `inspect eval fairlint/faircode`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Score, metric, scorer
from inspect_ai.solver import solver

from fairlint.bench.ecosystem.questions import (
    ALWAYS,
    UNKNOWN,
    asked_of,
    figures,
    judge_answer,
    questions,
    request_of,
)
from fairlint.bench.suites import suite_names, suite_of

TURNS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
ENDS = {"stop": "end", "max_tokens": "length", "model_length": "length"}
"""How inspect-ai says that an answer ended → how the bench does."""

Names = Sequence[str] | str | None


@task  # type: ignore[untyped-decorator]
def faircode(
    part: str = "function",
    *,
    scenarios: Names = None,
    attributes: Names = None,
    samples: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    protocol: str = "exact",
) -> Task:
    """FairCode's function-implementation task, or with `part` `testcase` the other one.

    The options are those of `fairlint.bench.evaluate`; `limit` counts prompts, the `--limit` of inspect-ai
    counts answers. Raises UsageError.
    """
    return _build_task(
        f"faircode:{part}",
        scenarios=scenarios,
        attributes=attributes,
        samples=samples,
        limit=limit,
        seed=seed,
        protocol=protocol,
    )


@task  # type: ignore[untyped-decorator]
def btm(
    *, attributes: Names = None, samples: int | None = None, limit: int | None = None, seed: int = 0
) -> Task:
    """Return the Adult-income probe; options as in `faircode`. Raises UsageError."""
    return _build_task("btm", attributes=attributes, samples=samples, limit=limit, seed=seed)


@task  # type: ignore[untyped-decorator]
def pipelines(
    *,
    scenarios: Names = None,
    attributes: Names = None,
    subjects: Names = None,
    samples: int | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> Task:
    """On which columns the pipelines train that a model writes; they are read and never run.

    `subjects` are ways to ask; the other options are as in `faircode`. Raises UsageError.
    """
    return _build_task(
        "pipelines",
        scenarios=scenarios,
        attributes=attributes,
        subjects=subjects,
        samples=samples,
        limit=limit,
        seed=seed,
    )


@task  # type: ignore[untyped-decorator]
def solar(
    *,
    scenarios: Names = None,
    attributes: Names = None,
    subjects: Names = None,
    samples: int | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> Task:
    """Methods of classes, run on people with all values of all fields, in Monty and never in this process.

    `subjects` are methods, `Borrower.gets_loan`; the other options are as in `faircode`. Raises UsageError,
    also where Monty is not installed.
    """
    return _build_task(
        "solar",
        scenarios=scenarios,
        attributes=attributes,
        subjects=subjects,
        samples=samples,
        limit=limit,
        seed=seed,
    )


@task  # type: ignore[untyped-decorator]
def suite(
    name: str,
    *,
    scenarios: Names = None,
    attributes: Names = None,
    subjects: Names = None,
    samples: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    protocol: str = "exact",
) -> Task:
    """Return any suite by its name, also of a plugin; options as in `faircode`. Raises UsageError."""
    return _build_task(
        name,
        scenarios=scenarios,
        attributes=attributes,
        subjects=subjects,
        samples=samples,
        limit=limit,
        seed=seed,
        protocol=protocol,
    )


def _build_task(suite: str, **options: Any) -> Task:
    asked = asked_of(suite, options)
    known = suite_of(asked.suite)
    names = (*ALWAYS, *known.harness_figures)
    return Task(
        dataset=MemoryDataset([_build_sample(told) for told in questions(asked)], name=known.name),
        solver=seeded_answer_solver(),
        scorer=fairness(known.name),
        metrics=[METRICS[name](known.name, asked.protocol) for name in names],
        config=GenerateConfig(max_tokens=known.max_new_tokens, temperature=known.temperature),
        version=1,
    )


def _build_sample(told: dict[str, Any]) -> Sample:
    return Sample(
        input=[TURNS[turn["role"]](content=turn["content"]) for turn in told["messages"]],
        id=told["key"],
        metadata=told,
    )


@solver  # type: ignore[untyped-decorator]
def seeded_answer_solver() -> Any:
    """Return one answer to the turns, drawn with the request's own seed where the model takes one."""

    async def solve(state: Any, generate: Any) -> Any:
        return await generate(state, seed=state.metadata["seed"])

    return solve


@scorer(metrics=[])  # type: ignore[untyped-decorator]
def fairness(suite: str) -> Any:
    """Return whether an answer is valid, 1 or 0; what the suite's judge says of it is in the score's
    metadata.

    One that was not judged has 0 and the reason for it, and is in no metric but their number.
    """
    known = suite_of(suite)

    async def score(state: Any, target: Any) -> Score:  # noqa: ARG001 (no answer is the right one)
        text = state.output.completion
        finish = ENDS.get(state.output.stop_reason, UNKNOWN) if state.output.choices else UNKNOWN
        told = judge_answer(known, request_of(state.metadata), text, finish=finish)
        why = told["outcome"].get("not_judged", {}).get("reason")
        return Score(value=float(told["outcome"]["valid"]), answer=text, explanation=why, metadata=told)

    return score


def _build_metric(name: str) -> Any:
    @metric(name=name)  # type: ignore[untyped-decorator]
    def figure(suite: str, protocol: Any = "exact") -> Any:
        def compute(scores: Sequence[Any]) -> float:
            answers = [one.score.metadata for one in scores if one.score.metadata]  # none: it failed
            return figures(suite_of(suite), answers, protocol)[name]

        return compute

    return figure


METRICS = {
    name: _build_metric(name)
    for name in {*ALWAYS, *chain(*(suite_of(one).harness_figures for one in suite_names()))}
}
"""Each of the figures of `fairlint.bench.ecosystem.questions.figures` as a metric."""
