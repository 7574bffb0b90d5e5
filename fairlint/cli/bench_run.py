"""The runs of `fairlint bench`, one after the other, and the reports on them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.backends import registry
from fairlint.backends.extras import need
from fairlint.backends.lazy_model import LazyModel
from fairlint.backends.model import ModelOptions, without_secrets
from fairlint.backends.names import slug
from fairlint.bench.asking.progress import Expected, Quiet, progress
from fairlint.bench.asking.running import cannot_resume, nothing_left
from fairlint.bench.asking.running import run as run_suite
from fairlint.bench.suites import line_shapes
from fairlint.cli import DEBUG, FAILED, INTERRUPTED, say
from fairlint.cli.arguments import Arguments
from fairlint.cli.bench_cluster import joined_cluster, judge_for
from fairlint.cli.bench_costs import costs_of, in_a_line, told_costs
from fairlint.cli.bench_options import tell_unsafe
from fairlint.cli.bench_plan import Asked, Failure, Job, Plan, check_unknown_models
from fairlint.cli.bench_show import comparison, figures, need_figures, tell_plugins, warn
from fairlint.cli.output import write_stdout
from fairlint.plugins.guard import PluginError
from fairlint.processes.signals import EndedBySignalError, signals_as_interrupt
from fairlint.reporters.printable import printable
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import read_run, write_text
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.bench.report import RunView
    from fairlint.bench.report.studies import Study

BELOW = 1
SUITES = "suites.html"
"""The page of all suites of a command."""
SECRET = {"--api-key": "KEY"}
"""Options whose value is never shown, and what stands for it."""
ADDRESS = "--base-url"
LIGHT = frozenset({"openai", "vllm"})
"""Backends with an extra of their own, of the same name."""


Report = Callable[["Sequence[RunView]"], None]
"""What reports on the runs that are done."""


def carry_out(plan: Plan, options: Arguments, arguments: Sequence[str], report: Report | None = None) -> int:
    """Return all runs, their reports, and the exit code. `arguments` are what to repeat to go on later;
    `report` reports on the runs, where they are not to be compared with each other.
    """
    if options.dry_run:
        write_stdout(told_costs(plan, options.format))
        return 0
    backends = {asked.found.backend for asked in plan.models} - {"replay"}
    if backends:  # a run that found out at its end would be a pity; answers that are kept cost nothing
        need_figures(next(iter(backends)) if len(backends) == 1 and backends <= LIGHT else "bench")
    if sys.stderr.isatty() and not options.quiet:
        need("tqdm", "bench")
    tell_unsafe(options.executor)
    again = command_to_go_on(arguments)
    course = Course(list(plan.unknown), [])
    code = 0
    try:
        with signals_as_interrupt(), joined_cluster(plan.options.cluster):
            for asked in _looked_up(plan, course):
                _answers_of(asked, plan, again, course, quiet=bool(options.quiet))
        if course.views and report is not None:
            report(course.views)
        elif course.views:
            _report_on_runs(plan, options, course.views)
        if plan.fail_under is not None:
            code = _check_least_validity(course.views, plan.fail_under)
    except KeyboardInterrupt as ended:
        signalled = ended if isinstance(ended, EndedBySignalError) else None  # as a cluster ends a job
        _tell_failures(course)
        how = f"ended by {signalled.name}" if signalled else "interrupted"
        say(f"fairlint: {how}: {_interruption_text(course, again)}")
        return signalled.code if signalled else INTERRUPTED
    _tell_failures(course)
    return FAILED if course.failed else code


def _tell_failures(course: Course) -> None:
    for one in course.failed:
        say(f"fairlint: error: failed: {one.what}: {one.why}")


def command_to_go_on(arguments: Sequence[str]) -> str:
    """Return the same command with `--resume`, as one types it, without keys and passwords."""
    words = ["fairlint", "bench"]
    before = ""
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if before in SECRET:
            words.append(SECRET[before])
        elif name in SECRET and equals:
            words.append(f"{name}={SECRET[name]}")
        elif before == ADDRESS:
            words.append(without_secrets(argument))
        elif argument not in {"--", "--resume"}:
            words.append(_redact_argument(argument))
        before = argument
    return printable(shlex.join([*words, "--resume"]))


def _redact_argument(argument: str) -> str:
    """Return an argument without the secrets of an address in it."""
    name, equals, value = argument.partition("=") if argument.startswith("-") else ("", "", argument)
    is_address = (name == ADDRESS and equals) or "://" in value
    return f"{name}{equals}{without_secrets(value)}" if is_address else argument


# ------------------------------------------------------------------------------------------------- the runs


class Course(Record, frozen=False, eq=False):
    """How far a command is."""

    failed: list[Failure]
    views: list[RunView]
    """The runs that are done."""
    job: Job | None = None
    """The run that was begun last, or is the next."""


def _looked_up(plan: Plan, course: Course) -> Sequence[Asked]:
    """Return the models that can be had, as far as that shows before anything is loaded; the others have
    failed.

    Raises ModelError where there are others, and they may not be left out.
    """
    needed = [asked for asked in plan.models if not _is_complete(asked, plan)]
    if served := [asked for asked in needed if asked.found.backend == "openai"]:
        from fairlint.backends.server_address import withheld  # noqa: PLC0415 (few ask a server)

        if told := withheld(plan.loading_of(served[0])):
            say(f"fairlint: {told}")
    wrong: dict[str | None, str] = {}
    for loading in _distinct([plan.loading_of(asked) for asked in needed]):
        texts = [asked.text for asked in needed if plan.loading_of(asked) == loading]
        wrong |= registry.look_up(texts, loading)
    unknown = [Failure(asked.name, wrong[asked.text]) for asked in plan.models if asked.text in wrong]
    everybody = len(unknown) == len(plan.models)
    check_unknown_models(unknown, len(plan.models), keep_going=plan.keep_going and not everybody)
    course.failed += unknown
    return [asked for asked in plan.models if asked.text not in wrong]


def _distinct(known: Sequence[ModelOptions]) -> list[ModelOptions]:
    return [one for place, one in enumerate(known) if one not in known[:place]]


def _answers_of(asked: Asked, plan: Plan, again: str, course: Course, *, quiet: bool) -> None:
    """Note the runs of one model, which is loaded once for all."""
    course.job = asked.jobs[0]
    with _contain_failure(asked.name, plan, course):

        def loading() -> None:
            if not quiet:
                costs = costs_of(asked, plan)
                told = in_a_line(costs, plan.prices, is_shared=bool(costs) and plan.cache is not None)
                say(f"fairlint: {asked.name}: {told}")
                if asked.found.backend != "replay":
                    say(f"fairlint: loading {asked.name}")

        model = registry.later(asked.text, plan.loading_of(asked), loading)
        try:
            if not _is_complete(asked, plan) and not _cannot_resume(model, asked, plan):
                _ = model.model  # what cannot be loaded fails once, and not in each of its runs
            for course.job in asked.jobs:
                with _contain_failure(course.job.label, plan, course):
                    course.views.append(_run_one_job(model, course.job, plan, again, quiet=quiet))
        finally:
            model.close()


def _is_complete(asked: Asked, plan: Plan) -> bool:
    """Return whether all runs of a model have come to their ends, so that it is not needed."""
    model = registry.later(asked.text, plan.loading_of(asked))
    return plan.resume and all(
        nothing_left(job.path, model, job.suite, job.choice, job.sampling) for job in asked.jobs
    )


def _cannot_resume(model: LazyModel, asked: Asked, plan: Plan) -> bool:
    """Return whether none of a model's runs can go on, so that it is not needed."""
    return plan.resume and all(
        cannot_resume(job.path, model, job.suite, job.choice, job.sampling) for job in asked.jobs
    )


@contextmanager
def _contain_failure(what: str, plan: Plan, course: Course) -> Iterator[None]:
    """Keep what goes wrong within from the runs that are not concerned, and tells it."""
    if plan.fail_fast or len(plan.jobs) == 1:
        yield
        return
    try:
        yield
    except (UsageError, RunFolderError, PluginError) as error:
        why = str(error)
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        why = f"internal error: {type(error).__name__}: {error} (please report it; {DEBUG}=1 tells more)"
    else:
        return
    course.failed.append(Failure(what, why))
    say(f"fairlint: failed: {what}: {why}; what is left goes on")


def _run_one_job(model: LazyModel, job: Job, plan: Plan, again: str, *, quiet: bool) -> RunView:
    from fairlint.bench.report import write_reports  # noqa: PLC0415 (after `need`)

    watch = Quiet() if quiet else progress(printable(job.label), expected=_expected_amount(plan, job))
    try:
        try:
            run_suite(
                model,
                job.suite,
                job.choice,
                job.path,
                sampling=job.sampling,
                resume=plan.resume,
                protocol=plan.protocol,
                workers=plan.workers,
                limits=plan.limits,
                cache=plan.cache,
                prices=plan.prices,
                watch=watch,
                judge=judge_for(plan.options.cluster),
            )
        finally:
            watch.close()
        view = write_reports(job.path)
        tell_plugins(view)
        return view
    except (UsageError, RunFolderError) as error:
        if not watch.begun:
            raise UsageError(str(error)) from error
        raise UsageError(f"{error}; {_resume_hint(job, again)}") from error
    except Exception:
        if watch.begun:
            say(f"fairlint: {_resume_hint(job, again)}")
        raise


def _expected_amount(plan: Plan, job: Job) -> Expected:
    """Return how long answers may be, and how many more the model is asked for after these."""
    (model,) = (asked for asked in plan.models if job in asked.jobs)
    if model.found.backend == "replay":
        return Expected(are_kept=True)
    own = model.jobs
    tokens = job.sampling.max_new_tokens
    later = own[own.index(job) + 1 :]
    return Expected(tokens, sum(len(one.asked) * one.sampling.max_new_tokens / tokens for one in later))


def _resume_hint(job: Job, again: str) -> str:
    """Return how much of a run there is, and how to go on with it."""
    try:
        known = read_run(job.path, line_shapes)
        total = known.settings["options"]["asked"]
        count = sum(not one.get("turn") for one in known.responses())
    except (RunFolderError, KeyError, TypeError):
        return f"{job.path} can be gone on with: {again}"
    return f"{count:,} of {total:,} answers are kept in {job.path}; to go on: {again}"


def _interruption_text(course: Course, again: str) -> str:
    """Return what there is after an interrupt."""
    job = course.job
    if job is not None and (job.path / "run.json").exists():
        return _resume_hint(job, again)
    if job is not None and course.views:
        return f"{job.label} had not begun; to go on: {again}"
    return "nothing was asked yet"


# ---------------------------------------------------------------------------------------------- the reports


def _report_on_runs(plan: Plan, options: Arguments, views: Sequence[RunView]) -> None:
    from fairlint.bench.report.studies import comparable, studies  # noqa: PLC0415 (after `need`)

    by_suite = studies(views) if comparable() else {}
    if len(views) > 1 and not by_suite:
        say(
            "fairlint: warning: the runs are not compared, for numpy and scipy are not installed: "
            'pip install "fairlint[bench]", then fairlint bench compare'
        )
    several = {suite: one for suite, one in by_suite.items() if len(one.views) > 1}
    files = [
        _write_comparison(plan.folder, suite, one, alone=len(by_suite) == 1) for suite, one in several.items()
    ]
    if len(by_suite) > 1:
        files.append(_write_page_of_suites(plan.folder / SUITES, by_suite))
    if options.format == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (text is the rule)

        warn(views)
        metrics: list[Any] = [view.metrics for view in views]
        write_stdout(encode_json(metrics[0] if len(metrics) == 1 else metrics))
        return
    write_stdout(figures(views, plan.prices, by_suite))
    for one in several.values():
        write_stdout(["\n", *comparison(one, alone=False)])
    reports = [view.path / "report.html" for view in views] + files
    write_stdout(["\n", *(f"report: {printable(str(path))}\n" for path in reports)])


def _write_comparison(folder: Path, suite: str, known: Study, *, alone: bool) -> Path:
    """Write a report on several runs of one suite beside their folders, and its figures."""
    from fairlint.bench.report.studies import write_study  # noqa: PLC0415 (after `need`)

    part = "" if alone else f"-{slug(suite)}"
    page, why = write_study(folder, f"report{part}", known, f"{part[1:]}-" if part else "")
    if why:
        say(f"fairlint: warning: no files of figures: {why}")
    return page


def _write_page_of_suites(path: Path, by_suite: Mapping[str, Study]) -> Path:
    """Write one page of all suites."""
    from fairlint.bench.report.studies import page_of_suites  # noqa: PLC0415 (after `need`)

    try:
        write_text(path, page_of_suites(by_suite, path.parent))
    except RunFolderError as error:
        raise UsageError(str(error)) from error
    return path


def _check_least_validity(views: Sequence[RunView], least: float) -> int:
    """Return whether a figure is below what was asked for; each that is gets a line.

    Answers that were not judged count as not valid here: nobody passes by what could not be looked at.
    """
    from fairlint.bench.figures.both_scores import score_name  # noqa: PLC0415 (as above)
    from fairlint.bench.report.run_notes import unjudged_note  # noqa: PLC0415 (as above)
    from fairlint.bench.runs.view import sound  # noqa: PLC0415 (after `need`)

    code = 0
    for view in views:
        metrics = view.metrics
        if told := unjudged_note(view):
            say(f"fairlint: {view.path}: {told} Here they count as not valid.")
        shares: dict[str, float | None] = {"the share of valid answers": sound(view)}
        if not metrics["usage"] and not metrics.get("bias"):
            name = score_name(metrics["protocol"])
            shares[f"the overall {name}"] = (metrics["overall"] or {}).get("fair_score")
        for what, value in shares.items():
            if value is None or value < least:
                shown = "not known" if value is None else f"{value:.4f}"
                say(f"fairlint: {view.path}: {what} is {shown}, below {least:g}")
                code = BELOW
    return code
