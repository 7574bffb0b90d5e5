"""Mitigations of the suite `counterfactual`: which roles a conversation goes through, and when it has ended.

| name | after a first function |
|---|---|
| `few-shot` | the task again with three functions that were measured unbiased: one without the attribute, two in which it is inert |
| `cot` | nothing before: the prompt asks for `[Reasoning]`, then `[Code]` |
| `few-shot-cot` | both |
| `agents` | an auditor who is told the CIP, and a refiner, by turns; the auditor ends it (arXiv 2606.00049, 3.6.4) |
| `monitor` | one who reads the task first, then reviews the code, and has it corrected (after arXiv 2605.00382) |
| `linter` | fairlint's findings, which the model is to mend |
| `repair` | nobody is asked: fairlint's own fixes |
"""  # noqa: E501 (a table)

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

MITIGATIONS = ("few-shot", "cot", "few-shot-cot", "agents", "monitor", "linter", "repair")
EACH_ATTRIBUTE = frozenset({"few-shot", "few-shot-cot", "agents"})
"""Those that are about one protected attribute at a time."""
SHOWS_OTHERS = frozenset({"few-shot", "few-shot-cot"})
"""Those whose prompts show what the model wrote in other conversations."""
BASELINE = "selected"
"""The prompt that mitigations begin with, as in the paper."""
ROUNDS = 5
"""How often code is written anew at most."""

CODE = frozenset({"", "draft", "refined", "fallback"})
"""Roles whose answers are functions: what counts in the end, what a mitigation begins with, what it writes
anew,
and an answer to examples not all of which are the model's own."""
FINAL = frozenset({"", "fallback"})

ROLES: Mapping[str, frozenset[str]] = {
    "few-shot": frozenset({"draft"}),
    "few-shot-cot": frozenset({"draft"}),
    "agents": frozenset({"draft", "audit", "refined"}),
    "monitor": frozenset({"draft", "scope", "review", "refined"}),
    "linter": frozenset({"draft", "refined"}),
    "repair": frozenset({"draft"}),
}
"""Mitigation → what is asked for in its conversations, beside FINAL and the first turn of two."""

Steps = Sequence[tuple[str, Mapping[str, Any]]]
"""The roles of a conversation so far, each with what came of its answer."""


def first_role(mitigation: str, *, two_turns: bool) -> str:
    """Return what the first answer is for."""
    if two_turns:
        return "attributes"
    return "" if mitigation in {"", "cot"} else "draft"


def roles_of(mitigation: str) -> frozenset[str]:
    """Return what answers may be for."""
    return FINAL | {"attributes"} | ROLES.get(mitigation, frozenset())


def next_role(mitigation: str, steps: Steps) -> str | None:
    """Return what is asked next; None where a conversation has ended."""
    role, judged = steps[-1]
    if role == "attributes":
        return ""
    if role in FINAL:
        return None
    return _NEXT[mitigation](role, judged, sum(one == "refined" for one, _ in steps))


def _final_role(_role: str, _judged: Mapping[str, Any], _rounds: int) -> str | None:
    return ""


def _no_next_role(_role: str, _judged: Mapping[str, Any], _rounds: int) -> str | None:
    return None


def _role_after_audit(role: str, judged: Mapping[str, Any], rounds: int) -> str | None:
    """By turns; what was written in the last round is not audited, as nothing could follow."""
    if role == "audit":
        return None if judged.get("verdict") == "unbiased" else "refined"
    return "audit" if rounds < ROUNDS else None


def _role_in_monitoring(role: str, judged: Mapping[str, Any], rounds: int) -> str | None:
    if role == "review":
        return None if judged.get("verdict") == "ok" else "refined"
    if role == "draft":
        return "scope"
    return "review" if rounds < ROUNDS else None


def _role_after_linting(_role: str, judged: Mapping[str, Any], rounds: int) -> str | None:
    return "refined" if judged.get("findings") and rounds < ROUNDS else None


_NEXT: Mapping[str, Callable[[str, Mapping[str, Any], int], str | None]] = {
    "few-shot": _final_role,
    "few-shot-cot": _final_role,
    "agents": _role_after_audit,
    "monitor": _role_in_monitoring,
    "linter": _role_after_linting,
    "repair": _no_next_role,
}


# -------------------------------------------------------------------------------------------------- verdicts

_VERDICTS = {
    "audit": (
        ("unbiased", "not biased", "no bias", "isn't biased"),
        ("biased", "bias"),
        "unbiased",
        "biased",
    ),
    "review": (("no violation", "not a violation"), ("violation",), "ok", "violation"),
}


def verdict(role: str, text: str) -> str | None:
    """Return what an auditor (`unbiased`, `biased`) or a reviewer (`ok`, `violation`) says; None where nobody
    can tell.

    What is named first counts, as both are asked to begin with it.

    >>> verdict("audit", "**UNBIASED**. The answer never changes."), verdict("review", "Violation: line 3")
    ('unbiased', 'violation')
    """
    import re  # noqa: PLC0415 (only judging needs it)

    good, bad, is_good, is_bad = _VERDICTS[role]
    words = "|".join(map(re.escape, (*good, *bad)))
    also = r"|\bok\b" if role == "review" else ""
    found = re.search(rf"\b(?:{words})\b{also}", text.lower())
    if found is None:
        return None
    return is_good if found[0] in (*good, "ok") else is_bad
