"""What is said to models so that their answers are free of bias, and which suites carry it.

The names are those of "Bias Testing and Mitigation in LLM-based Code Generation" (arXiv 2309.14345, table 3).

| name | what stands behind the task |
|---|---|
| `zero-shot` | what to avoid: code that hangs on protected attributes |
| `one-shot`, `few-shot` | the same, and one or two examples without bias |
| `cot1` | what to avoid, and to go step by step |
| `cot2` | the same, and to ask first which attributes may bring bias |
| `feedback` | nothing; a biased answer is to be mended by a test report, with `zero-shot` behind |
| `feedback-one-shot`, … | the same, with that one behind |

Texts and examples are data, `data/mitigations.toml`: fairlint's own with the published structure. What the
paper's report has from tests that fail, this one has from the judgement: by which attributes the answer is
biased.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from fairlint.support.documents import read_toml

FEEDBACK = "feedback"
_SHOWN = {"one-shot": 1, "few-shot": 2}
_STEPS = {"cot1": ("steps",), "cot2": ("steps", "consider")}


@cache
def _suite_texts() -> Mapping[str, Mapping[str, Any]]:
    """Suite → its texts, with those that all share where it has none of its own."""
    data = read_toml((files(__package__) / "data" / "mitigations.toml").read_text(encoding="utf-8"))
    shared = data.pop("shared")
    return {name: {**shared, **data.get(told.get("like"), told)} for name, told in data.items()}


def mitigated_suites() -> tuple[str, ...]:
    """Return the suites that carry any of these mitigations."""
    return tuple(_suite_texts())


def styles_of(suite: str) -> tuple[str, ...]:
    """Return what may stand behind the tasks of a suite."""
    return tuple(name for name in _suite_texts()[suite]["names"] if name != FEEDBACK)


def mitigations_of(suite: str) -> tuple[str, ...]:
    """Return the mitigations of a suite."""
    named = tuple(_suite_texts()[suite]["names"])
    styles = styles_of(suite)[1:] if FEEDBACK in named else ()
    return (*named, *(f"{FEEDBACK}-{style}" for style in styles))


def asks_again(mitigation: str) -> bool:
    """Return whether a mitigation goes on from an answer."""
    return mitigation.startswith(FEEDBACK)


def is_listed(suite: str) -> bool:
    """Return whether the keys of a suite's answers name the mitigation."""
    return bool(_suite_texts()[suite].get("listed"))


def mends_own_prompts_only(suite: str) -> bool:
    """Return whether answers to prompts of a user's file cannot be mended."""
    return bool(_suite_texts()[suite].get("mends_own_prompts_only"))


@cache
def behind(suite: str, style: str) -> str:
    """Return what stands behind a task."""
    told = _suite_texts()[suite]
    shown = (
        told["example"].strip().format(number=number, asked=one["asked"].strip(), code=one["code"].strip())
        for number, one in enumerate(told.get("examples", ())[: _SHOWN.get(style, 0)], 1)
    )
    steps = (told[name].strip() for name in _STEPS.get(style, ()))
    return "\n\n".join((told["avoid"].strip(), *steps, *shown))


@cache
def example_functions(suite: str) -> frozenset[str]:
    """Return the names of the functions that examples define; none for a suite without mitigations."""
    shown = _suite_texts().get(suite, {}).get("examples", ())
    return frozenset(name for one in shown for name in re.findall(r"^def (\w+)", one["code"], re.MULTILINE))


class Correction(NamedTuple):
    """What is said to have code mended."""

    system: str
    user: str


def correction_of(suite: str, *, asked: str, code: str, attributes: list[str]) -> Correction:
    """Return what is said to have code mended that is biased by some attributes."""
    told = _suite_texts()[suite]
    report = "\n".join(told["failed"].format(attribute=name) for name in attributes)
    text = told["correct"].strip().format(asked=asked, code=code, report=report)
    return Correction(told["correct_system"].strip(), text)
