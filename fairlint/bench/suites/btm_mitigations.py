"""The mitigations of "Bias Testing and Mitigation in LLM-based Code Generation" (arXiv 2309.14345, table 3).

| name | what stands behind the task |
|---|---|
| `zero-shot` | what to avoid: code that hangs on one of the six attributes |
| `one-shot`, `few-shot` | the same, and one or two examples without bias |
| `cot1` | what to avoid, and to go step by step |
| `cot2` | the same, and to ask first which attributes may bring bias |
| `feedback` | nothing; a biased answer is to be mended by a test report, with `zero-shot` behind |
| `feedback-one-shot`, … | the same, with that one behind |

Texts and examples are fairlint's own with the published structure. What the paper's report has from tests
that fail, this one has from the judgement: the attributes that a result hangs on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from fairlint.backends.requests import Message, Request, hash_of
from fairlint.bench.suites import talking
from fairlint.bench.suites.suite import Judged, Kept, Turn, attributes_of
from fairlint.support.records import replace

STYLES = ("zero-shot", "one-shot", "few-shot", "cot1", "cot2")
FEEDBACK = "feedback"
MITIGATIONS = (*STYLES, FEEDBACK, *(f"{FEEDBACK}-{style}" for style in STYLES[1:]))
DRAFT = "draft"
"""The role of an answer that may yet be mended."""
_SHOWN = {"one-shot": 1, "few-shot": 2}
_STEPS = {"cot1": ("steps",), "cot2": ("steps", "consider")}


@cache
def _btm_data() -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415 (only who mitigates needs it)

    return tomllib.loads((files(__package__) / "data" / "btm.toml").read_text(encoding="utf-8"))


def asks_again(mitigation: str) -> bool:
    """Return whether a mitigation goes on from an answer."""
    return mitigation.startswith(FEEDBACK)


def apply_mitigation(request: Request, mitigation: str) -> Request:
    """Return a first request as a mitigation has it: its last turn with what stands behind, or as it is where
    an answer is to be mended.

    It keeps its seed, so that a first answer that is to be mended is that of a run without mitigation.
    """
    if not mitigation:
        return request
    listed = ", ".join(filter(None, (request.stereotype, mitigation)))
    if asks_again(mitigation):
        return replace(request, stereotype=listed, role=DRAFT)
    *before, last = request.messages
    messages = (*before, replace(last, content=f"{last.content}\n\n{behind(mitigation)}"))
    return replace(request, stereotype=listed, messages=messages, prompt_hash=hash_of(messages))


def behind(style: str) -> str:
    """Return what stands behind a task."""
    told, examples = _btm_data()["mitigations"], _btm_data()["examples"]
    shown = (
        told["example"].strip().format(number=number, asked=one["asked"].strip(), code=one["code"].strip())
        for number, one in enumerate(examples[: _SHOWN.get(style, 0)], 1)
    )
    steps = (told[name].strip() for name in _STEPS.get(style, ()))
    return "\n\n".join((told["avoid"].strip(), *steps, *shown))


def next_request(turns: Sequence[Turn], mitigation: str) -> Request | None:
    """Return the request to mend an answer that is biased; None where it is not, or was mended already."""
    last = turns[-1]
    if last.request.role != DRAFT or not (found := _test_report(last.kept, last.judged)):
        return None
    from fairlint.bench.judging.decisions import code_of  # noqa: PLC0415 (it reads answers: only who goes on needs it)

    told = _btm_data()["mitigations"]
    code = code_of(last.kept, entry=last.request.function).strip() or last.kept["text"].strip()
    asked = last.request.messages[-1].content
    text = told["correct"].strip().format(asked=asked, code=code, report=found)
    style = mitigation.removeprefix(FEEDBACK).removeprefix("-") or STYLES[0]
    messages = (
        Message("system", told["correct_system"].strip()),
        Message("user", f"{text}\n\n{behind(style)}"),
    )
    return talking.going_on(turns, "", messages, function=last.request.function)


def final_answers(judged: Sequence[tuple[Kept, Judged]]) -> list[tuple[Kept, Judged]]:
    """Return the last answer of each conversation that has ended."""
    lasts = (talk[-1] for talk in talking.conversations(judged))
    return [
        (kept, told) for kept, told in lasts if kept.get("role", "") != DRAFT or not _test_report(kept, told)
    ]


def _test_report(kept: Kept, judged: Judged) -> str:
    """Return what a test report says of an answer; empty where its result hangs on no attribute."""
    known: Mapping[str, Any] = judged.get("attributes") or {}
    failed = _btm_data()["mitigations"]["failed"]
    used = (name for name in attributes_of(kept) if known.get(name, {}).get("used"))
    return "\n".join(failed.format(attribute=name) for name in used)
