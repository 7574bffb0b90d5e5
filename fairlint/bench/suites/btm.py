"""Bias testing and mitigation: the Adult-income probe of "Bias Testing and Mitigation in LLM-based Code
Generation" (arXiv 2309.14345).

A published notebook that follows the paper asks a small model three times for a function that says who earns
more than 50K, five seeds each, and counts the answers in which any of six attributes turns up. Prompts are
fairlint's own with the notebook's structure: `base` gives all keys and bars gender, race and region from the
decision, `clarity` gives only what may be used, `commentary` is `base` with comments. Age, education and
occupation may be used; `attributes=("gender", "race", "region")` asks about what may not.

What mitigates bias is in `mitigated`, the tasks of the paper's own data set in `btm_dataset`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint import Settings
from fairlint.backends.requests import Message, Request, hash_of, seed_of
from fairlint.bench.asking import stopping
from fairlint.bench.judging import usage
from fairlint.bench.suites.btm_prompts import BARRED, KnownPrompt, known_prompt, texts
from fairlint.bench.suites.choosing import resolve_choice
from fairlint.bench.suites.suite import (
    EVERYTHING,
    USAGE,
    BaseSuite,
    Judged,
    Kept,
    PromptForm,
    ProtocolName,
    Selection,
    attributes_of,
)
from fairlint.counterfactual.executors.choosing import NAMES as EXECUTORS
from fairlint.counterfactual.executors.choosing import choose
from fairlint.run_folders import record_shapes
from fairlint.support.errors import UsageError

NAME = "btm"
SCENARIO = "income"
ATTRIBUTES = ("age", "region", "gender", "education", "occupation", "race")
"""Those of the paper, in its order."""
SEEDS = (1, 2, 3, 4, 5)
"""The notebook's, which the first samples have in a run with the seed 0."""

MOST_PROMPTS = 12
"""Prompts whose figures are shown one by one."""


class Btm(BaseSuite):
    """The suite, as `fairlint.bench.suites.suite.Suite` has it."""

    name: str = NAME
    title = "A function that predicts income: are age, gender, race, region… said, read, decided by"
    source = "Bias Testing and Mitigation in LLM-based Code Generation (arXiv 2309.14345), Adult-income probe"
    samples = len(SEEDS)
    max_new_tokens = 220
    temperature: float | None = 0.4
    settable = ("mitigation", "execute", "executor")
    harness_figures = USAGE
    outcome_shape = record_shapes.USAGE
    response_shape = record_shapes.ASKED_RESPONSE
    prompt_form = PromptForm(
        subjects={"prompt_id": "", "id": "", "subject": ""},
        listed="list",
        example='{"prompt": "…", "id": "base"}',
        scenario=SCENARIO,
        numbered=True,
    )

    bars: Sequence[str] = BARRED
    """The attributes that the suite's own prompts bar from the decision."""

    def __init__(self, runs_in: str = "") -> None:
        """`runs_in` names the executor that functions are run in, to tell whether outcomes change; where it
        is empty they are only read.
        """
        self._runs_in = runs_in
        self.settings: Mapping[str, Any] = {"execute": True, "executor": runs_in} if runs_in else {}

    @property
    def example_settings(self) -> Settings:
        """What the checker is told when it judges."""
        return texts().settings

    def with_settings(self, settings: Mapping[str, Any]) -> Btm:
        """Return the suite with settings of its own. Raises UsageError for one that is not known."""
        return suite(settings)

    def scenarios(self) -> tuple[str, ...]:
        """Income, the only one."""
        return (SCENARIO,)

    def attributes(self) -> tuple[str, ...]:
        """Return the six attributes of the paper."""
        return ATTRIBUTES

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """Return the requests of a choice, in the notebook's order: all samples of a prompt, then the next
        prompt.

        All prompts name all attributes; `attributes` says which are judged. In a run with the seed 0 the
        first five samples have the notebook's seeds, 1 to 5, in each prompt. Raises ValueError for a name
        that is not known and a number below 1.
        """
        choice = resolve_choice(self, selection)
        asked = ", ".join(choice.attributes)
        return [
            _build_request(prompt, text, asked, sample, selection.seed)
            for (prompt, text), sample in choice.each(texts().prompts)
        ]

    def finished(self, request: Request, text: str) -> int | None:
        """Return how many characters of a text are the whole answer: a function that has ended."""
        return stopping.whole_answer_end(request, text)

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return validity, the attributes that the published definition finds in prompt and answer, and what
        the answer does with each: see `fairlint.bench.judging.usage`.

        An answer without its prompt is judged with the suite's own where `known_prompt` finds which it was.
        """
        known = self.known_prompt(kept)
        kept = _with_prompt(kept, known)
        told = usage.judge(
            kept["text"],
            kept["asked"],
            attributes_of(kept),
            texts().settings,
            function=asked_function(kept["asked"]),
            cut=kept.get("finish") == "length",
        )
        return told | _prompt_part(known) | _off_task_part(kept, told) | self._executed_part(kept)

    def _executed_part(self, kept: Kept) -> dict[str, Any]:
        """Return what running the function shows, as an outcome holds it; nothing where it is only read."""
        if not self._runs_in:
            return {}
        from fairlint.bench.judging import decisions, trying  # noqa: PLC0415 (only where functions are run)

        function = asked_function(kept["asked"])
        code = decisions.code_of({**kept, "given": ""}, entry=function)
        tried = trying.tried_record(code, function, attributes_of(kept), self._runs_in, texts().settings)
        return {"executed": tried}

    def ready(self) -> None:
        """Raise UsageError where functions are to be run and their executor is not installed."""
        if self._runs_in:
            choose(self._runs_in)

    def unjudged(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of an answer that could not be judged."""
        known = self.known_prompt(kept)
        asked = _with_prompt(kept, known)["asked"]
        told = usage.outcome_without_analysis(kept["text"], asked, attributes_of(kept))
        lost = {"executed": {"changes": {}, "cause": "not judged"}} if self._runs_in else {}
        return told | _prompt_part(known) | lost

    def biased(self, kept: Kept, judged: Judged) -> dict[str, bool]:  # noqa: ARG002 (the outcome says all)
        """Return attribute → whether a score or an outcome hangs on it."""
        return {name: bool(told["used"]) for name, told in (judged.get("attributes") or {}).items()}

    def known_prompt(self, kept: Kept) -> KnownPrompt | None:
        """Return the suite's own prompt that an answer was given to, if it is known."""
        return known_prompt(kept)

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
        """Return the shares of answers, by attribute; those of both protocols stand side by side in each."""
        return rates_of(judged, protocol, self.bars)


def _with_prompt(kept: Kept, known: KnownPrompt | None) -> Kept:
    """Return an answer with the text of its prompt, as far as it is known."""
    return kept if known is None else {**kept, "asked": known.text}


def _off_task_part(kept: Kept, told: Judged) -> dict[str, str]:
    """Return why a function is no answer to its prompt, as an outcome holds it; nothing of one that is."""
    if not told["valid"] or any(one["used"] for one in told["attributes"].values()):
        return {}
    from fairlint.bench.judging import decisions, task  # noqa: PLC0415 (only judging needs it)

    function = asked_function(kept["asked"])
    reason = task.off_task(decisions.code_of({**kept, "given": ""}, entry=function), function, kept["asked"])
    return {"off_task": reason} if reason else {}


def _prompt_part(known: KnownPrompt | None) -> dict[str, Any]:
    """Return what an outcome says of attributes that its prompt bars; nothing of a prompt that is not the
    suite's own.
    """
    if known is None:
        return {}
    return {"barred": list(BARRED)} | ({"prompt_by_name": True} if known.by_name else {})


def rates_of(
    judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName, bars: Sequence[str]
) -> dict[str, Any]:
    """Return the parts of `metrics.json`; `bars` are the attributes that the suite's own prompts bar."""
    rates = _rates(judged, bars)
    tried = _executed_figures(judged)
    return {
        "scores": [],
        "scenarios": [],
        "overall": None,
        "usage": rates,
        "usage_parts": list(_part_rates(judged, bars)),
        **tried,
        "other": {
            "protocol": "exact" if protocol == "published" else "published",
            "overall": None,
            "scores": [],
        },
        "definitions": usage.definitions_of(rates) | tried.get("definitions", {}),
    }


def _executed_figures(judged: Sequence[tuple[Kept, Judged]]) -> dict[str, Any]:
    """Return what running functions shows; nothing where they were only read."""
    if not any("executed" in told for _, told in judged):
        return {}
    from fairlint.bench.figures import executed  # noqa: PLC0415 (only where functions are run)

    barred = {tuple(told.get("barred", ())) for _, told in judged}
    held_back = barred.pop() if len(barred) == 1 else ()
    rows = executed.executed_rows(judged, ATTRIBUTES, held_back)
    return {"executed": rows, "definitions": executed.DEFINITIONS}


def _rates(judged: Sequence[tuple[Kept, Judged]], bars: Sequence[str]) -> list[dict[str, Any]]:
    prompts = [usage.prompt_of(kept) for kept, _ in judged]
    return usage.rates([told for _, told in judged], ATTRIBUTES, prompts, bars)


def _part_rates(judged: Sequence[tuple[Kept, Judged]], bars: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the first rate of each prompt where there are few, else of each category."""
    prompts = {usage.prompt_of(kept) for kept, _ in judged}
    parts: dict[tuple[str, str], list[tuple[Kept, Judged]]] = {}
    for kept, told in judged:
        prompt = kept.get("subject", "") if len(prompts) <= MOST_PROMPTS else ""
        parts.setdefault((kept.get("scenario", ""), prompt), []).append((kept, told))
    for (scenario, prompt), ones in parts.items() if len(parts) > 1 else ():
        yield {"scenario": scenario, "prompt": prompt, **_rates(ones, bars)[0]}


def _build_request(prompt: str, text: str, asked: str, sample: int, seed: int) -> Request:
    known = seed == 0 and sample < len(SEEDS)
    messages = (Message("user", text),)
    return Request(
        suite=NAME,
        scenario=SCENARIO,
        attribute=asked,
        subject=prompt,
        stereotype="",
        sample=sample,
        seed=SEEDS[sample] if known else seed_of(NAME, SCENARIO, prompt, sample, seed),
        messages=messages,
        prompt_hash=hash_of(messages),
        function=asked_function(text),
        plain=True,
    )


def asked_function(prompt: str) -> str:
    """Return the name of the function that a prompt asks for, as in `name(record)`; empty where there is
    none.
    """
    found = re.search(r"`(\w+)\(", prompt)
    return found.group(1) if found else ""


def executor_of(name: str, settings: Mapping[str, Any]) -> str:
    """Return the executor that settings have functions run in; empty where they are only read.

    Raises UsageError for a setting, or a value, that is not known.
    """
    known = Btm.settable
    for other in settings:
        if other not in known:
            raise UsageError(f"{name} has no setting '{other}' (known: {', '.join(known)})")
    executor: str = settings.get("executor", EXECUTORS[0])
    if executor not in EXECUTORS:
        raise UsageError(f"there is no executor '{executor}' (known: {', '.join(EXECUTORS)})")
    if "executor" in settings and not settings.get("execute"):
        raise UsageError(f"{name} runs functions in an executor only with --execute")
    return executor if settings.get("execute") else ""


def suite(settings: Mapping[str, Any]) -> Btm:
    """Return the suite, and where `execute` is set with functions that are run in the `executor` (monty, if
    none). Raises UsageError for what is not known.
    """
    return Btm(executor_of(NAME, settings))


SUITE = Btm()
