"""Bias testing and mitigation: the Adult-income probe of "Bias Testing and Mitigation in LLM-based Code
Generation" (arXiv 2309.14345).

A published notebook that follows the paper asks a small model three times for a function that says who earns
more than 50K, five seeds each, and counts the answers in which any of six attributes turns up. Prompts are
fairlint's own with the notebook's structure: `base` gives all keys and bars gender, race and region from the
decision, `clarity` gives only what may be used, `commentary` is `base` with comments. Age, education and
occupation may be used; `attributes=("gender", "race", "region")` asks about what may not.

What mitigates bias is in `btm_mitigations`, the tasks of the paper's own data set in `btm_dataset`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from fairlint import Settings
from fairlint.backends.requests import Message, Request, hash_of, seed_of
from fairlint.bench.asking import stopping
from fairlint.bench.judging import usage
from fairlint.bench.judging.protocols import USES_ALONE
from fairlint.bench.suites.btm_mitigations import (
    MITIGATIONS,
    apply_mitigation,
    asks_again,
    final_answers,
    next_request,
)
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
    Turn,
    attributes_of,
)
from fairlint.run_folders import record_shapes
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, replace

NAME = "btm"
SCENARIO = "income"
ATTRIBUTES = ("age", "region", "gender", "education", "occupation", "race")
"""Those of the paper, in its order."""
BARRED = ("gender", "race", "region")
"""Those that the suite's own prompts bar from the decision; they allow the others."""
SEEDS = (1, 2, 3, 4, 5)
"""The notebook's, which the first samples have in a run with the seed 0."""

MOST_PROMPTS = 12
"""Prompts whose figures are shown one by one."""

_LIFETIME = {"young": (1.0, 39.0), "middle": (40.0, 59.0), "elder": (60.0, 130.0)}
"""Ages from 1 on: in the checker's own bands people are of age, and no decision parts them at 18."""


class Texts(Record, slots=False):
    """The file of prompts."""

    prompts: tuple[tuple[str, str], ...]
    """Id and text."""
    settings: Settings
    """What the checker is told, so that it knows all six attributes and takes no age limit for lawful."""

    @cached_property
    def for_uses(self) -> Settings:
        """The same where no finding is wanted."""
        return replace(self.settings, ignore=USES_ALONE)


@cache
def texts() -> Texts:
    """Return what `data/btm.toml` says."""
    import tomllib  # noqa: PLC0415 (only who makes requests or judges needs it)

    data = tomllib.loads((files(__package__) / "data" / "btm.toml").read_text(encoding="utf-8"))
    return Texts(
        prompts=tuple((told["id"], told["text"].strip()) for told in data["prompts"]),
        settings=Settings(
            min_severity="note",
            attributes=data["attributes"],
            lawful_ages=(),
            age_bands=_LIFETIME,
            file_timeout=0,  # who judges limits both
            file_memory=0,
        ),
    )


class Btm(BaseSuite):
    """The suite, as `fairlint.bench.suites.suite.Suite` has it."""

    name: str = NAME
    title = "A function that predicts income: are age, gender, race, region… said, read, decided by"
    source = "Bias Testing and Mitigation in LLM-based Code Generation (arXiv 2309.14345), Adult-income probe"
    samples = len(SEEDS)
    max_new_tokens = 220
    temperature: float | None = 0.4
    settable = ("mitigation",)
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

    def __init__(self, mitigation: str = "") -> None:
        self.mitigation = mitigation
        self.settings: Mapping[str, Any] = {"mitigation": mitigation} if mitigation else {}

    @property
    def example_settings(self) -> Settings:
        """What the checker is told when it judges."""
        return texts().settings

    def with_settings(self, settings: Mapping[str, Any]) -> Btm:
        """Return the suite with settings of its own. Raises UsageError for one that is not known."""
        return suite(settings)

    def prepared(self, request: Request) -> Request:
        """Return a request for a task, be it of a user's file, as it is asked."""
        return apply_mitigation(request, self.mitigation)

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
            self.prepared(_build_request(prompt, text, asked, sample, selection.seed))
            for (prompt, text), sample in choice.each(texts().prompts)
        ]

    def finished(self, request: Request, text: str) -> int | None:
        """Return how many characters of a text are the whole answer: a function that has ended."""
        return stopping.whole_answer_end(request, text)

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return validity, the attributes that the published definition finds in prompt and answer, and what
        the answer does with each: see `fairlint.bench.judging.usage`.
        """
        attributes = attributes_of(kept)
        told = usage.judge(
            kept["text"],
            kept["asked"],
            attributes,
            texts().for_uses,
            function=asked_function(kept["asked"]),
            cut=kept.get("finish") == "length",
        )
        return told | _barred_part(kept["asked"]) | _off_task_part(kept, told)

    def unjudged(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of an answer that could not be judged."""
        told = usage.outcome_without_analysis(kept["text"], kept["asked"], attributes_of(kept))
        return told | _barred_part(kept["asked"])

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
        """Return the shares of answers, by attribute; those of both protocols stand side by side in each."""
        return rates_of(judged, protocol)


def _off_task_part(kept: Kept, told: Judged) -> dict[str, str]:
    """Return why a function is no answer to its prompt, as an outcome holds it; nothing of one that is."""
    if not told["valid"] or any(one["used"] for one in told["attributes"].values()):
        return {}
    from fairlint.bench.judging import decisions, task  # noqa: PLC0415 (only judging needs it)

    function = asked_function(kept["asked"])
    reason = task.off_task(decisions.code_of({**kept, "given": ""}, entry=function), function, kept["asked"])
    return {"off_task": reason} if reason else {}


def _barred_part(asked: str) -> dict[str, list[str]]:
    """Return what an outcome says of attributes that its prompt bars; nothing of a user's own prompt."""
    return {"barred": list(BARRED)} if any(text in asked for _, text in texts().prompts) else {}


def rates_of(judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
    """Return the parts of `metrics.json`."""
    return {
        "scores": [],
        "scenarios": [],
        "overall": None,
        "usage": usage.rates(
            [told for _, told in judged], ATTRIBUTES, [usage.prompt_of(kept) for kept, _ in judged]
        ),
        "usage_parts": list(_part_rates(judged)),
        "other": {
            "protocol": "exact" if protocol == "published" else "published",
            "overall": None,
            "scores": [],
        },
    }


def _part_rates(judged: Sequence[tuple[Kept, Judged]]) -> Iterator[dict[str, Any]]:
    """Yield the first rate of each prompt where there are few, else of each category."""
    prompts = {usage.prompt_of(kept) for kept, _ in judged}
    parts: dict[tuple[str, str], list[tuple[Kept, Judged]]] = {}
    for kept, told in judged:
        prompt = kept.get("subject", "") if len(prompts) <= MOST_PROMPTS else ""
        parts.setdefault((kept.get("scenario", ""), prompt), []).append((kept, told))
    for (scenario, prompt), ones in parts.items() if len(parts) > 1 else ():
        rates = usage.rates(
            [told for _, told in ones], ATTRIBUTES, [usage.prompt_of(kept) for kept, _ in ones]
        )
        yield {"scenario": scenario, "prompt": prompt, **rates[0]}


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


class Mending:
    """What a suite has whose answers are asked to be mended: `fairlint.bench.suites.suite.Conversing`."""

    mitigation: str

    def follow(self, turns: Sequence[Turn], everybody: Sequence[Turn]) -> Request | None:  # noqa: ARG002
        """Return the request to mend a biased answer."""
        return next_request(turns, self.mitigation)

    def together(self, request: Request) -> str:  # noqa: ARG002 (each conversation stands alone)
        """Nothing: no answer is shown in another conversation."""
        return ""

    def counted(self, judged: Sequence[tuple[Kept, Judged]]) -> list[tuple[Kept, Judged]]:
        """Return the last answer of each conversation that has ended."""
        return final_answers(judged)

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
        """As without a mitigation, of the answers that count."""
        return rates_of(final_answers(judged), protocol)


class _MendingBtm(Mending, Btm):
    pass


def mitigation_of(name: str, settings: Mapping[str, Any]) -> str:
    """Return the mitigation that settings name. Raises UsageError for one, or a setting, that is
    not known.
    """
    for other in settings:
        if other != "mitigation":
            raise UsageError(f"{name} has no setting '{other}' (known: mitigation)")
    mitigation: str = settings.get("mitigation", "")
    if mitigation not in {"", *MITIGATIONS}:
        raise UsageError(f"{name} has no mitigation '{mitigation}' (known: {', '.join(MITIGATIONS)})")
    return mitigation


def suite(settings: Mapping[str, Any]) -> Btm:
    """Return the suite with a `mitigation`. Raises UsageError for one that is not known."""
    mitigation = mitigation_of(NAME, settings)
    return (_MendingBtm if asks_again(mitigation) else Btm)(mitigation)


SUITE = Btm()
