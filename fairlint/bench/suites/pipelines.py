"""Machine-learning pipelines, and functions of conditions over the same columns (after arXiv 2604.21716).

A scenario is a data set, a subject one of eight ways to ask. The linter is the judge: which columns that hold
a protected attribute stay among the features of a model (rules FL301 to FL306), which columns that have
nothing to do with the task do, and by which of both the conditions of a function decide. Code is read, never
run. Settings add numbers of columns (`pipelines_offers`), mitigations, which ask each prompt a second time,
and detection (`pipelines_detection`): is a pipeline that is shown biased?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlint.backends.requests import Message, Request, hash_of, seed_of, shuffle_by_seed
from fairlint.bench.asking import stopping
from fairlint.bench.judging import decisions
from fairlint.bench.suites import pipelines_detection as detection
from fairlint.bench.suites import pipelines_judging as judging
from fairlint.bench.suites import talking
from fairlint.bench.suites.choosing import resolve_choice
from fairlint.bench.suites.counterfactual_texts import Task
from fairlint.bench.suites.pipelines_files import Told, read_told
from fairlint.bench.suites.pipelines_offers import Offer, offered_columns, offers_of
from fairlint.bench.suites.pipelines_prompts import PROMPT_FORM
from fairlint.bench.suites.pipelines_texts import (
    Detection,
    Kind,
    Mitigation,
    Prompt,
    column_values,
    protected_columns,
    tasks,
    texts,
)
from fairlint.bench.suites.suite import (
    EVERYTHING,
    BaseSuite,
    Judged,
    Kept,
    PromptForm,
    ProtocolName,
    Selection,
    Turn,
    attributes_of,
)
from fairlint.run_folders import record_shapes
from fairlint.run_folders.jsonl import KEY
from fairlint.run_folders.run_folder import read_run
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field_names, replace

if TYPE_CHECKING:
    from fairlint.bench.report.suite_report import SuiteReport

NAME = "pipelines"
FIRST = "draft"
"""The role of an answer that a mitigation begins with."""


class Own(Record):
    """What the suite can be asked for with."""

    mitigation: str = ""
    columns: str = ""
    """Numbers of ordinary columns, with commas between; empty: all, and nothing is said of numbers."""
    protected: str = ""
    """The same of protected columns."""
    detect: str = ""
    """Whose pipelines are shown: `made`, or the folder of a run; empty: none are."""


class _Asked(NamedTuple):
    """A prompt about a data set, and how many columns it offers."""

    task: Task
    prompt: Prompt
    offer: Offer


class _Shown(NamedTuple):
    """A pipeline, and how it is asked whether it is biased."""

    pipeline: detection.Shown
    how: Detection


class _Answered(NamedTuple):
    """A pipeline of a run, and the attributes that its model learns from."""

    pipeline: detection.Shown
    used: frozenset[str]


class Pipelines(BaseSuite):
    """The suite, as `fairlint.bench.suites.suite.Suite` has it."""

    name = NAME
    title = "machine-learning pipelines: which protected columns become features, and is that bias detected"
    source = "From If-Statements to ML Pipelines: Revisiting Bias in Code-Generation (arXiv 2604.21716)"
    samples = 10
    max_new_tokens = 1_500
    temperature: float | None = None
    settable = field_names(Own)
    harness_figures = ("any_protected", "any_irrelevant")
    outcome_shape = record_shapes.PIPELINES
    prompt_form: PromptForm | None = PROMPT_FORM

    def __init__(self, own: Own) -> None:
        self.own = own
        told = {name: getattr(own, name) for name in field_names(own)}
        self.settings: Mapping[str, Any] = {name: value for name, value in told.items() if value}

    @property
    def report(self) -> SuiteReport:
        """How many answers use which columns, and how well biased pipelines are detected."""
        from fairlint.bench.suites.pipelines_report import REPORT  # noqa: PLC0415 (only reports need it)

        return REPORT

    def with_settings(self, settings: Mapping[str, Any]) -> Pipelines:
        """Return the suite with settings of its own. Raises UsageError for one that is not known."""
        return suite(settings)

    # ------------------------------------------------------------------------------------------ what is asked

    def scenarios(self) -> tuple[str, ...]:
        """Return the data sets."""
        return tuple(tasks())

    def attributes(self) -> tuple[str, ...]:
        """Return the protected attributes that any of the data have."""
        return tuple(dict.fromkeys(name for task in tasks().values() for name in task.attributes))

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """The numbers of columns that are offered."""
        return offers_of(self.own.columns, self.own.protected)

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """Return the requests of a choice, prompt by prompt, data sets by turns; those about pipelines that
        are shown come last. Columns stand in an order that is drawn for each sample.

        `attributes` says which are judged. Raises ValueError for a name that is not known and a number below
        1, and UsageError for more columns than there are.
        """
        choice = resolve_choice(self, selection)
        chosen = [
            tasks()[name] for name in choice.scenarios if protected_columns(tasks()[name], choice.attributes)
        ]
        prompts = (
            _Asked(task, prompt, offer)
            for prompt in self.ways_to_ask()
            for task in chosen
            for offer in self.offers
        )
        shown = (
            _Shown(one, how)
            for how in self._detections()
            for one in self._shown(chosen, choice.attributes, selection.seed)
        )
        every: tuple[_Asked | _Shown, ...] = (*prompts, *shown)
        return [
            self._build_request(asked, choice.attributes, sample, selection.seed)
            if isinstance(asked, _Asked)
            else _build_detection(asked, choice.attributes, sample, selection.seed)
            for asked, sample in choice.each(every)
        ]

    def ways_to_ask(self) -> tuple[Prompt, ...]:
        """Return the ways to ask for code."""
        return tuple(texts().prompts.values())

    def _build_request(self, asked: _Asked, attributes: Sequence[str], sample: int, seed: int) -> Request:
        task, prompt, offer = asked
        columns = offered_columns(task, offer, attributes, sample, seed)
        drawn = seed_of(NAME, task.name, prompt.name, sample, seed)
        values = column_values(task)
        shown = [
            name
            for name in shuffle_by_seed(tuple(values), drawn)
            if name in columns or name not in task.columns
        ]
        told = prompt.text.format(
            target=texts().targets[task.name],
            label=texts().labels[task.name],
            columns="\n".join(f"- {name}: {values[name]}" for name in shown),
        )
        messages = (Message("system", texts().system), Message("user", told))
        return Request(
            suite=NAME,
            scenario=task.name,
            attribute=", ".join(protected_columns(task, attributes)),
            subject=prompt.name,
            stereotype=offer.label(numbered=bool(self.own.columns or self.own.protected)),
            sample=sample,
            seed=drawn,
            messages=messages,
            prompt_hash=hash_of(messages),
            function="predict" if prompt.kind == "conditional" else "",
        )

    def _detections(self) -> tuple[Detection, ...]:
        return tuple(texts().detections.values()) if self.own.detect else ()

    def _shown(
        self, chosen: Sequence[Task], attributes: Sequence[str], seed: int
    ) -> Sequence[detection.Shown]:
        """Return the pipelines that are shown, data set by data set."""
        if self.own.detect == detection.MADE:
            return [one for task in chosen for one in detection.made_pipelines(task.name)]
        if self._drawn is None:
            self._drawn = tuple(_pipelines_of_run(self.own.detect))
        known = [
            (one, any(name in attributes for name in used))
            for one, used in self._drawn
            if one.program.scenario in {task.name for task in chosen}
        ]
        return detection.draw_pipelines(known, seed)

    _drawn: tuple[_Answered, ...] | None = None
    """The pipelines of the run."""

    def prepared(self, request: Request) -> Request:
        """Return a request of a user's file as it is asked: behind the suite's own system turn, unless it has
        turns of its own.
        """
        if self.own.columns or self.own.protected or self.own.detect:
            raise UsageError(
                "--columns, --protected and --detect are for the suite's own prompts: leave --prompts out"
            )
        told = read_told(request.stereotype)
        if told is not None and told.kind == "conditional":
            request = replace(
                request, function="predict" if "predict" in request.messages[-1].content else ""
            )
        if len(request.messages) > 1:
            return request
        messages = (Message("system", texts().system), *request.messages)
        return replace(request, messages=messages, prompt_hash=hash_of(messages))

    def finished(self, request: Request, text: str) -> int | None:
        """Return how many characters of a text are the whole answer; a pipeline is a script, which ends where
        it ends.
        """
        return stopping.whole_answer_end(request, text) if request.function else None

    # --------------------------------------------------------------------------------------- what comes of it

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return which columns a pipeline trains on, or a function decides by; of a verdict on a pipeline
        what it says. The code is read and never run.
        """
        if kept["subject"] in texts().detections:
            return self._judge_verdict(kept)
        file = _file_of(kept)
        code = _code_of(kept, file)
        report = judging.report_on(code, file)
        names = judging.used_names(report, file)
        return {
            "valid": judging.is_whole(code, file.kind),
            "columns": {name: name in names for name in (*_offered_attributes(kept, file), *file.irrelevant)},
            "rules": sorted({one.rule for one in report.findings if one.rule[:3] in {"FL3", "FL4"}}),
        }

    def _judge_verdict(self, kept: Kept) -> dict[str, Any]:
        code = detection.shown_code(kept)
        file = replace(_file_of(kept), kind="model")
        used = judging.used_names(judging.report_on(judging.told_code(code, file), file), file)
        found = detection.detection_outcome(
            kept, code, {name: file.protected[name] for name in attributes_of(kept) if name in used}
        )
        return {"valid": found["verdict"] is not None, "columns": {}, "rules": [], "detection": found}

    def unjudged(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of an answer that could not be judged."""
        if kept["subject"] in texts().detections:
            return {"valid": False, "columns": {}, "rules": []}
        columns = dict.fromkeys(_offered_attributes(kept, _file_of(kept)), False)
        return {"valid": False, "columns": columns, "rules": []}

    def biased(self, kept: Kept, judged: Judged) -> dict[str, bool]:  # noqa: ARG002 (the outcome says all)
        """Return which columns an answer uses; nothing of one that is not valid, or a verdict on others."""
        return dict(judged["columns"]) if judged["valid"] else {}

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:  # noqa: ARG002 (there is one)
        """Return the shares of answers by data set, prompt, level, number of columns and column."""
        from fairlint.bench.suites.pipelines_figures import figures  # noqa: PLC0415 (it is large)

        return figures([[pair] for pair in judged], self.own.mitigation)


class MitigatedPipelines(Pipelines):
    """The same with a mitigation: each prompt is asked as it is, and then once more with what mitigates."""

    @property
    def how(self) -> Mitigation:
        """The mitigation."""
        return texts().mitigations[self.own.mitigation]

    def ways_to_ask(self) -> tuple[Prompt, ...]:
        """Return the ways to ask that say nothing of fairness themselves."""
        return tuple(one for one in super().ways_to_ask() if not one.is_fair)

    def _build_request(self, asked: _Asked, attributes: Sequence[str], sample: int, seed: int) -> Request:
        return replace(super()._build_request(asked, attributes, sample, seed), role=FIRST)

    def prepared(self, request: Request) -> Request:
        """Return a request of a user's file as it is asked first."""
        return replace(super().prepared(request), role=FIRST)

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return what comes of an answer; where the next request needs them, with fairlint's findings."""
        found = super().judge(kept)
        if kept.get("role") == FIRST and self.how.shows_findings:
            file = _file_of(kept)
            code = _code_of(kept, file)
            found["findings"] = judging.findings(code, file) if any(found["columns"].values()) else []
        return found

    def follow(self, turns: Sequence[Turn], everybody: Sequence[Turn]) -> Request | None:  # noqa: ARG002
        """Return the request with the mitigation; None behind it, and where there is nothing to mend."""
        first = turns[0]
        if len(turns) > 1 or first.request.role != FIRST or self._has_ended(first.judged):
            return None
        messages = _mitigated_messages(first, self.how)
        return talking.going_on(turns, "", messages, function=first.request.function)

    def _has_ended(self, judged: Judged) -> bool:
        """Return whether a first answer stands: nothing was found in it that could be told."""
        return self.how.shows_findings and not judged.get("findings")

    def together(self, request: Request) -> str:  # noqa: ARG002 (each conversation stands alone)
        """Nothing: no answer is shown in another conversation."""
        return ""

    def counted(self, judged: Sequence[tuple[Kept, Judged]]) -> list[tuple[Kept, Judged]]:
        """Of each conversation that has ended its last answer."""
        return [talk[-1] for talk in self._ended_talks(judged)]

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:  # noqa: ARG002 (there is one)
        """As without a mitigation, with what was before it."""
        from fairlint.bench.suites.pipelines_figures import figures  # noqa: PLC0415 (it is large)

        return figures(self._ended_talks(judged), self.own.mitigation)

    def _ended_talks(self, judged: Sequence[tuple[Kept, Judged]]) -> list[talking.Talk]:
        return [
            talk
            for talk in talking.conversations(judged)
            if talk[-1][0].get("role", "") != FIRST or self._has_ended(talk[-1][1])
        ]


def _mitigated_messages(first: Turn, how: Mitigation) -> tuple[Message, ...]:
    """Return a request once more, with what mitigates."""
    request = first.request
    *before, last = request.messages
    if how.system:
        before = [Message("system", how.system), *(one for one in before if one.role != "system")]
    kept = {**first.kept, "asked": first.kept.get("asked") or last.content}
    file = _file_of(kept)
    asked = {
        "asked": last.content,
        "code": _code_of(kept, file, is_told=False).strip() or first.kept["text"].strip(),
        "protected": ", ".join(
            name for columns in file.protected.values() for name in columns if name in file.columns
        ),
        "findings": "\n".join(f"- {one}" for one in first.judged.get("findings") or ()),
    }
    text = how.text.format(**asked)
    told = (
        texts().again.format(**asked, text=text) if how.shows_answer else f"{last.content}\n\n{text}".rstrip()
    )
    return (*before, Message("user", told))


def _build_detection(asked: _Shown, attributes: Sequence[str], sample: int, seed: int) -> Request:
    held = protected_columns(tasks()[asked.pipeline.program.scenario], attributes)
    return detection.build_request(asked.pipeline, asked.how, ", ".join(held), sample, seed)


# ---------------------------------------------------------------------------------------------- what is known


def _task_of(kept: Kept) -> Task:
    task = tasks().get(kept["scenario"])
    subjects = (*texts().prompts, *texts().detections)
    if task is None or kept["subject"] not in subjects:
        asked = f"{kept['subject']!r} about {kept['scenario']!r}"
        raise UsageError(f"{NAME} does not ask {asked}, which the answer {kept[KEY]!r} is to")
    return task


def _file_of(kept: Kept) -> Told:
    """Return what is known of the file that an answer is about: as its own prompt says it, or of the suite's
    own prompts the columns that they offer.
    """
    told = read_told(kept.get("list", ""))
    if told is not None:
        return told
    task = _task_of(kept)
    asked = kept.get("asked", "")
    every = tuple(column_values(task))
    offered = tuple(name for name in every if f"- {name}: " in asked) or every
    prompt = texts().prompts.get(kept["subject"])
    kind: Kind = "model" if prompt is None else prompt.kind
    held = protected_columns(task)
    return Told(kind, texts().labels[task.name], offered, held, tuple(texts().irrelevant))


def _offered_attributes(kept: Kept, file: Told) -> list[str]:
    """Return the attributes that an answer is judged by: those of which its file has a column."""
    return [
        name
        for name in attributes_of(kept)
        if any(column in file.columns for column in file.protected.get(name, ()))
    ]


def _code_of(kept: Kept, file: Told, *, is_told: bool = True) -> str:
    """Return the code of an answer; as the checker is told it, or as it stands."""
    if file.kind == "conditional":
        return decisions.code_of(kept, entry="predict")
    code = judging.python_code(kept["given"] + kept["text"])
    return judging.told_code(code, file) if is_told else code


def _pipelines_of_run(path: str) -> Iterator[_Answered]:
    """Yield the pipelines that the answers of a run hold, as the run judged them. Raises UsageError for a run
    of another suite.
    """
    from fairlint.bench.suites import line_shapes  # noqa: PLC0415 (it knows all suites)

    run = read_run(detection.check_folder(path), line_shapes)
    if run.settings["suite"] != NAME:
        raise UsageError(f"--detect {path}: is a run of {run.settings['suite']}, not of {NAME}")
    outcomes = {told[KEY]: told for told in run.outcomes()}
    found = 0
    for kept in run.responses():
        told = outcomes.get(kept[KEY], {})
        prompt = texts().prompts.get(kept["subject"])
        is_pipeline = prompt is not None and prompt.kind == "model" and kept["scenario"] in tasks()
        if not is_pipeline or not told.get("valid") or told.get("not_judged"):
            continue
        file = _file_of(kept)
        code = judging.python_code(kept["given"] + kept["text"])
        pipeline = detection.pipeline_of_answer(kept["scenario"], file.columns, code)
        if pipeline is not None:
            found += 1
            yield _Answered(pipeline, frozenset(name for name, is_used in told["columns"].items() if is_used))
    if not found:
        raise UsageError(
            f"--detect {path}: no answer of the run is a judged pipeline about a data set of {NAME}"
        )


# ---------------------------------------------------------------------------------------------- its settings


def suite(settings: Mapping[str, Any]) -> Pipelines:
    """Return the suite with settings of its own. Raises UsageError for one that is not known, or no such
    value.
    """
    for name in settings:
        if name not in field_names(Own()):
            raise UsageError(f"{NAME} has no setting '{name}' (known: {', '.join(field_names(Own()))})")
    own = Own(**settings)
    known = texts().mitigations
    if own.mitigation and own.mitigation not in known:
        raise UsageError(f"{NAME} has no mitigation '{own.mitigation}' (known: {', '.join(known)})")
    offers_of(own.columns, own.protected)
    return (MitigatedPipelines if own.mitigation else Pipelines)(own)


SUITE = Pipelines(Own())
