"""What the runs of `fairlint bench` will take, told before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fairlint.backends import registry
from fairlint.backends.cost import CHARACTERS, Cost, cost_of, counter, total
from fairlint.backends.names import LOADS_WEIGHTS
from fairlint.bench.asking.choice import requests_of
from fairlint.bench.suites import line_shapes
from fairlint.cli.bench_cluster import cluster_lines
from fairlint.cli.bench_lists import table
from fairlint.cli.bench_plan import Asked, Job, Plan
from fairlint.reporters.printable import printable
from fairlint.run_folders.jsonl import KEY, RunFolderError
from fairlint.run_folders.run_folder import read_run

Prices = tuple[float, float] | None


def costs_of(asked: Asked, plan: Plan, *, counted: bool = False) -> list[Cost]:
    """Return the cost of each run of a model; nothing where it only repeats what is there (replay).

    `counted`: by the model's own tokenizer, where that is on this machine.
    """
    if asked.found.backend == "replay":
        return []
    is_here = counted and asked.found.backend in LOADS_WEIGHTS
    count = counter(asked.found.where, chat=plan.options.chat) if is_here else None
    return [
        cost_of(
            job.asked,
            job.sampling,
            kept=_keys_of_earlier_run(job) if plan.resume else (),
            count=count,
            asks_on=hasattr(job.suite, "follow"),
        )
        for job in asked.jobs
    ]


def _keys_of_earlier_run(job: Job) -> frozenset[str]:
    """Return the keys of the answers that an earlier run has."""
    try:
        return frozenset(one[KEY] for one in read_run(job.path, line_shapes).responses())
    except (RunFolderError, OSError):
        return frozenset()


def in_a_line(costs: Sequence[Cost], prices: Prices, *, is_shared: bool = False) -> str:
    """Return what a model's runs take. `is_shared`: an answer cache may have some answers, which
    shows later.
    """
    if not costs:
        return "answers that are there: nobody is asked"
    found = total(costs)
    told = [answer_count(found.answers)]
    if found.kept:
        told.append(f"{found.kept:,} are kept")
    told.append(f"reads about {found.read:,} tokens")
    told.append(f"writes {found.written:,} at most")
    if prices is not None:
        told.append(f"costs {found.money(prices):,.2f} at most")
    if found.asks_on:
        told.append("and asks on")
    if is_shared:
        told.append("less what the answer cache has")
    return ", ".join(told)


def told_costs(plan: Plan, form: str) -> Iterator[str]:
    """Yield all runs of a plan and their sum, as a table or as JSON."""
    rows = [
        (job, cost)
        for asked in plan.models
        for job, cost in zip(asked.jobs, costs_of(asked, plan, counted=True), strict=False)
    ]
    kept = list(_lines_of_kept_answers(plan))
    if form == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (text is the rule)

        yield from encode_json([_cost_object(job, cost, plan.prices) for job, cost in rows])
        return
    yield from _cost_table(plan, rows, kept)


def _lines_of_kept_answers(plan: Plan) -> Iterator[str]:
    """Yield what each replay answers. Raises UsageError for answers that its run would refuse."""
    for asked in plan.models:
        if asked.found.backend != "replay":
            continue
        model = registry.load(asked.text, plan.loading_of(asked))
        for job in asked.jobs:
            count = len(requests_of(job.suite, job.choice, model))
            yield f"{printable(job.label)}: {answer_count(count)} that are there: nobody is asked\n"
            yield from (
                f"{printable(job.label)}: {printable(told)}\n" for told in getattr(model, "notes", ())
            )


def _cost_table(plan: Plan, rows: Sequence[tuple[Job, Cost]], kept: Sequence[str]) -> Iterator[str]:
    heads = ["run", "answers", "kept", "tokens read", "written at most"]
    sums = [("all", total([cost for _, cost in rows]))] if len(rows) > 1 else []
    lines = [
        [
            label,
            f"{cost.answers:,}",
            f"{cost.kept:,}",
            f"{'' if cost.is_counted else '~'}{cost.read:,}",
            f"{cost.written:,}",
            *([] if plan.prices is None else [f"{cost.money(plan.prices):,.2f}"]),
        ]
        for label, cost in [*((job.label, cost) for job, cost in rows), *sums]
    ]
    if lines:
        yield from table([heads + ([] if plan.prices is None else ["costs at most"]), *lines])
    yield from kept
    if any(not cost.is_counted for _, cost in rows):
        yield f"~ at {CHARACTERS:g} characters a token: no tokenizer of the model is on this machine\n"
    if any(cost.asks_on for _, cost in rows):
        yield "What is asked on from an answer is not in these figures.\n"
    if plan.cache is not None:
        yield "What the answer cache has is still in these figures: that shows when the model is there.\n"
    yield from (f"{line}\n" for line in power_lines([job for job, _ in rows]))
    yield from (f"{line}\n" for line in cluster_lines(plan))
    yield "No model was asked. The time is estimated after the first answers.\n"


def answer_count(count: int) -> str:
    """Return a number of answers in words."""
    return f"{count:,} {'answer' if count == 1 else 'answers'}"


class Power(NamedTuple):
    """What a run will be able to show, before anybody is asked."""

    prompts: int
    independent: float
    """The least difference from another such run, where answers to one prompt are independent."""
    alike: float
    """The same where all answers to one prompt say the same."""


def power_of(job: Job) -> Power | None:
    """Return what a run will be able to show; None where that is not computable here."""
    from fairlint.statistics.clusters import least_difference, planned_units  # noqa: PLC0415 (numpy)
    from fairlint.statistics.intervals import computable  # noqa: PLC0415 (as above)

    prompts = len({(one.scenario, one.attribute, one.stereotype, one.subject) for one in job.asked})
    if not prompts or not computable():
        return None
    least = [least_difference(planned_units(prompts, len(job.asked), alike)) for alike in (0.0, 1.0)]
    return Power(prompts, *least)


def power_lines(jobs: Sequence[Job]) -> Iterator[str]:
    """Yield what runs will be able to show, for people; what holds of several is said once."""
    known: dict[str, list[str]] = {}
    for job in jobs:
        for line in _power_texts(job):
            known.setdefault(line, []).append(job.label)
    yield from (f"{'; '.join(labels)}: {line}" for line, labels in known.items())


def _power_texts(job: Job) -> Iterator[str]:
    from fairlint.bench.runs.view import NOTHING_SEEN  # noqa: PLC0415 (numpy)

    found = power_of(job)
    if found is None:
        return
    least = f"{found.independent:.2f} to {found.alike:.2f}"
    if f"{found.independent:.2f}" == f"{found.alike:.2f}":
        least = f"{found.alike:.2f}"
    prompts = f"{found.prompts:,} {'prompt' if found.prompts == 1 else 'prompts'}"
    yield (
        f"{prompts}; the least difference from another such run that will be "
        f"seen (in 80 of 100 cases, at 5 %) is {least}, the more alike answers to a prompt are"
    )
    if found.independent > NOTHING_SEEN:
        yield "nothing can be concluded from so few answers"
    if hasattr(job.suite, "planned_difference"):
        within = job.suite.planned_difference(job.asked)
        yield (
            "so few tasks can show no difference between variants"
            if within is None
            else f"between two variants of all tasks, a difference of {within:.2f} will be seen "
            "(in 80 of 100 cases, at 5 % by Holm over all comparisons)"
        )


def _cost_object(job: Job, cost: Cost, prices: Prices) -> dict[str, Any]:
    power = power_of(job)
    return {
        "run": job.label,
        "suite": job.suite.name,
        "answers": cost.answers,
        "kept": cost.kept,
        "tokens_read": cost.read,
        "tokens_read_are": "counted" if cost.is_counted else "estimated",
        "tokens_written_at_most": cost.written,
        "asks_on": cost.asks_on,
        "prompts": None if power is None else power.prompts,
        "least_difference": None
        if power is None
        else {"independent": round(power.independent, 4), "alike": round(power.alike, 4)},
        **(
            {"least_difference_of_variants": job.suite.planned_difference(job.asked)}
            if hasattr(job.suite, "planned_difference")
            else {}
        ),
        "costs_at_most": None if prices is None else round(cost.money(prices), 4),
    }
