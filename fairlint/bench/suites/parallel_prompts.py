"""The same programming tasks in parallel prompts: in two natural languages, or in two styles of one.

The comparison by language is that of arXiv 2406.00602 and 2404.19368, that by style of the first part of
arXiv 2603.24359. A subject is a task, and the list a variant of its prompt. Each answer is run with the
task's tests in a sandbox, and read by the checker. The suite's own tasks are a small sample, made up for
fairlint; others come from a user's file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.backends.requests import Message, Request, hash_of, seed_of
from fairlint.bench.asking import stopping
from fairlint.bench.figures import task_variants as variants
from fairlint.bench.figures.bias import mean
from fairlint.bench.judging import decisions
from fairlint.bench.judging.given_tests import UNSUPPORTED, check_given_test, run_given_tests
from fairlint.bench.judging.protocols import NotJudgedError
from fairlint.bench.judging.usage import is_python, told_share
from fairlint.bench.suites.choosing import resolve_choice
from fairlint.bench.suites.function_task import asked_function
from fairlint.bench.suites.suite import (
    EVERYTHING,
    BaseSuite,
    Judged,
    Kept,
    PlacedEntry,
    PromptForm,
    ProtocolName,
    Selection,
)
from fairlint.counterfactual.executors.choosing import NAMES as EXECUTORS
from fairlint.counterfactual.executors.choosing import choose
from fairlint.run_folders import record_shapes
from fairlint.support.documents import read_toml
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.bench.report.suite_report import SuiteReport

NAME = "parallel-prompts"
WORDING = "wording"
SCENARIOS = ("language", "style", "prompts")
"""What variants differ in; `prompts` of a file that does not say it."""
EXAMPLE = '{"task": "add", "language": "zh", "prompt": "…", "tests": ["assert add(1, 2) == 3"]}'
MEASURES = {"passed": True, "parsed": True, "found": True}
"""What answers to two variants are compared by → whether it is a share."""

DEFINITIONS = {
    **variants.DEFINITIONS,
    "passed": "the share of answers whose code passes all tests of its task; run in a sandbox, and without "
    "those whose code needs what the sandbox lacks (`not_run`). An answer without Python passes none",
    "parsed": "the share of judged answers whose code is Python as a whole",
    "found": "the share of these in which fairlint finds anything",
    "not_run": "the number of answers whose code needs what the sandbox lacks; they are not in passed",
    "valid": "the share of answers whose code is Python as a whole",
    "not_judged": "the number of answers whose analysis broke or ended at a limit; they are in no figure",
}


class Task(Record):
    """A task in several variants."""

    name: str
    prompts: Mapping[tuple[str, str], str]
    """Scenario and variant → the prompt."""
    tests: tuple[str, ...]


class Texts(Record):
    """The file of tasks."""

    tasks: Mapping[str, Task]


@cache
def texts() -> Texts:
    """Return what `data/parallel_prompts.toml` says."""
    data = read_toml((files(__package__) / "data" / "parallel_prompts.toml").read_text(encoding="utf-8"))
    return Texts(
        tasks={
            told["name"]: Task(
                told["name"],
                {
                    **{("language", variant): text for variant, text in told["language"].items()},
                    ("style", "direct"): told["language"]["en"],
                    **{("style", variant): text for variant, text in told["style"].items()},
                },
                tuple(told["tests"]),
            )
            for told in data["tasks"]
        }
    )


def _complete_entries(path: Path, entries: Iterator[PlacedEntry]) -> Iterator[PlacedEntry]:
    """Yield entries with their variant and what it differs in. Raises UsageError for one that says neither,
    for tasks whose variants have other tests, and for tasks with one variant alone.
    """
    first: dict[tuple[str, str], PlacedEntry] = {}
    known: dict[tuple[str, str], set[str]] = {}
    for place, told in entries:
        named = [name for name in ("language", "style", "variant") if told.get(name) is not None]
        if len(named) != 1 or not isinstance(told[named[0]], str) or not told[named[0]].strip():
            raise UsageError(
                f"{place}: one of `language`, `style` and `variant` is expected, as in {EXAMPLE}"
            )
        scenario = named[0] if named[0] in SCENARIOS else told.get("scenario", SCENARIOS[-1])
        if scenario not in SCENARIOS:
            raise UsageError(f"{place}: no scenario {scenario!r}; there are {', '.join(SCENARIOS)}")
        task = (scenario, str(told.get("task")))
        place_of_first, one = first.setdefault(task, PlacedEntry(place, told))
        if one.get("tests") != told.get("tests"):
            raise UsageError(f"{place}: the task {task[1]!r} has other `tests` than at {place_of_first}")
        known.setdefault(task, set()).add(told[named[0]].strip())
        yield PlacedEntry(place, {**told, "scenario": scenario, "variant": told[named[0]]})
    for task, found in known.items():
        if len(found) < 2:
            raise UsageError(
                f"{first[task].place}: the task {task[1]!r} has one variant alone; {path.name} needs two of "
                "each"
            )


class ParallelPrompts(BaseSuite):
    """The suite, as `fairlint.bench.suites.suite.Suite` has it."""

    name = NAME
    title = "the same tasks in two languages or styles: does the code work, and what is found in it"
    source = "linguistic bias (arXiv 2406.00602, 2404.19368), gendered prompting (arXiv 2603.24359)"
    samples = 5
    max_new_tokens = 700
    temperature: float | None = None
    settable = ("executor",)
    runs_code = True
    harness_figures = ("passed", "parsed")
    outcome_shape = record_shapes.PARALLEL_PROMPTS
    prompt_form = PromptForm(
        subjects={"task": ""},
        listed="variant",
        example=EXAMPLE,
        scenario=SCENARIOS[-1],
        completed=_complete_entries,
        has_tests=True,
    )

    def __init__(self, executor: str = EXECUTORS[0]) -> None:
        self.executor = executor
        self.settings: Mapping[str, Any] = {} if executor == EXECUTORS[0] else {"executor": executor}

    @property
    def report(self) -> SuiteReport:
        """What each variant comes to, and how variants differ."""
        from fairlint.bench.suites.parallel_prompts_report import (  # noqa: PLC0415 (only reports need it)
            REPORT,
        )

        return REPORT

    def with_settings(self, settings: Mapping[str, Any]) -> ParallelPrompts:
        """Return the suite with an executor of its own. Raises UsageError for what is not known."""
        if others := set(settings) - {"executor"}:
            raise UsageError(f"{NAME} has no setting '{min(others)}' (known: executor)")
        executor = settings.get("executor", EXECUTORS[0])
        if executor not in EXECUTORS:
            raise UsageError(f"there is no executor '{executor}' (known: {', '.join(EXECUTORS)})")
        return ParallelPrompts(executor)

    def scenarios(self) -> tuple[str, ...]:
        """Return what variants differ in."""
        return SCENARIOS

    def attributes(self) -> tuple[str, ...]:
        """Return what prompts differ in: their wording."""
        return (WORDING,)

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """Return the requests of a choice, task by task, so that `limit` leaves variants together. Raises
        ValueError for a name that is not known, a number below 1, and where a file has to bring the prompts.
        """
        choice = resolve_choice(self, selection)
        prompts = [
            (task, scenario, variant)
            for task in texts().tasks.values()
            for scenario, variant in task.prompts
            if scenario in choice.scenarios
        ]
        if not prompts:
            raise ValueError(f"the suite has no {SCENARIOS[-1]} of its own: give a file with --prompts")
        return [_build_request(*prompt, sample, selection.seed) for prompt, sample in choice.each(prompts)]

    def finished(self, request: Request, text: str) -> int | None:
        """Return how many characters of a text are the whole answer, where it fills in a function."""
        return stopping.whole_answer_end(request, text) if request.header else None

    def ready(self) -> None:
        """Raise UsageError where the executor is not installed."""
        choose(self.executor)

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return whether the code of an answer is Python, how many of its tests it passes, run outside of
        this process, and by which rules fairlint finds something in it. Raises NotJudgedError where the tests
        that a run or a replay has are none.
        """
        code = decisions.code_of(kept, entry=asked_function(kept["given"]))
        is_whole = bool(code.strip()) and is_python(code)
        tests = kept.get("tests") or known_tests(kept)
        for number, text in enumerate(tests, 1):
            try:
                check_given_test(text)
            except ValueError as error:
                raise NotJudgedError("error", f"test {number} {error}") from None
        return {
            "valid": is_whole,
            "tests": run_given_tests(code if is_whole else "", tests, self.executor) if tests else None,
            "rules": decisions.found_rules(code) if is_whole else [],
        }

    def unjudged(self, kept: Kept) -> dict[str, Any]:  # noqa: ARG002 (nothing is known of it)
        """Return the outcome of an answer that could not be judged."""
        return {"valid": False, "tests": None, "rules": []}

    def biased(self, kept: Kept, judged: Judged) -> dict[str, bool]:
        """Return whether an answer passes its tests, by the variant."""
        passed = _values_of_code(judged)["passed"]
        return {} if passed is None else {f"{kept['scenario']}: {kept['list']}": bool(passed)}

    def planned_difference(self, requests: Sequence[Request]) -> float | None:
        """Return the least difference between two variants that these requests will show."""
        return variants.planned_difference_between(requests, list(MEASURES))

    def figures(
        self,
        judged: Sequence[tuple[Kept, Judged]],
        protocol: ProtocolName,  # noqa: ARG002 (there is one)
    ) -> dict[str, Any]:
        """Return the shares of answers that pass, parse and have findings, by variant, and how these
        differ.
        """
        return figures(judged)


def known_tests(kept: Kept) -> tuple[str, ...]:
    """Return the tests of the suite's own task that an answer is about; none of another, as replays may
    have.
    """
    task = texts().tasks.get(kept["subject"])
    is_own = task is not None and (kept["scenario"], kept["list"]) in task.prompts
    return task.tests if task is not None and is_own else ()


def _build_request(task: Task, scenario: str, variant: str, sample: int, seed: int) -> Request:
    messages = (Message("user", task.prompts[scenario, variant]),)
    return Request(
        suite=NAME,
        scenario=scenario,
        attribute=WORDING,
        subject=task.name,
        stereotype=variant,
        sample=sample,
        seed=seed_of(NAME, scenario, task.name, sample, seed),
        messages=messages,
        prompt_hash=hash_of(messages),
        plain=True,
        tests=task.tests,
    )


# ---------------------------------------------------------------------------------------------------- figures


def figures(judged: Sequence[tuple[Kept, Judged]]) -> dict[str, Any]:
    """Return the parts of `metrics.json`."""
    answers = variants.variant_answers(judged, _values_of_code)
    rows = variants.variant_rows(answers, tuple(MEASURES), counts=("not_run",))
    return {
        "scores": [], "scenarios": [], "overall": None, "usage": [], "other": None,
        "definitions": DEFINITIONS,
        "bias": {
            "overall": _overall_row(judged),
            "variants": rows,
            "differences": variants.difference_rows(answers, MEASURES),
        },
    }  # fmt: skip


def _values_of_code(told: Judged) -> dict[str, int | None]:
    tests = told["tests"]
    is_run = tests is not None and tests["cause"] != UNSUPPORTED
    return {
        "passed": int(tests["passed"] == tests["tests"]) if is_run else None,
        "parsed": int(told["valid"]),
        "found": int(bool(told["rules"])) if told["valid"] else None,
        "not_run": int(tests is not None and not is_run),
    }


def _overall_row(judged: Sequence[tuple[Kept, Judged]]) -> dict[str, Any]:
    known = [(kept["subject"], _values_of_code(told)) for kept, told in judged if not told.get("not_judged")]
    passed = [(task, one["passed"]) for task, one in known if one["passed"] is not None]
    return {
        "answers": len(judged),
        "not_judged": len(judged) - len(known),
        **{name: mean(value for _, one in known if (value := one[name]) is not None) for name in MEASURES},
        **told_share((task, bool(one)) for task, one in passed),
        "not_run": sum(one["not_run"] or 0 for _, one in known),
    }


SUITE = ParallelPrompts()
