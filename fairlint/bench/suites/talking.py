"""Conversations of the suite `counterfactual`: what is said next, made of what was answered before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fairlint.backends.requests import Message, Request, hash_of, seed_of
from fairlint.bench.suites.counterfactual_texts import Task, texts
from fairlint.bench.suites.mitigations import CODE, SHOWS_OTHERS
from fairlint.bench.suites.suite import Judged, Kept, Turn
from fairlint.support.records import replace

Talk = list[tuple[Kept, Judged]]
Shown = tuple[str, str]
"""What was asked, and what is answered."""

SHOWN = 3
"""Examples that few-shot prompts show: one without the attribute, two in which it is inert."""


def conversations(judged: Sequence[tuple[Kept, Judged]]) -> list[Talk]:
    """Return the answers of each conversation, in order of turns; the conversations in the order in which
    they begin.
    """
    found: dict[tuple[Any, ...], Talk] = {}
    for pair in judged:
        kept = pair[0]
        place = tuple(kept[name] for name in ("scenario", "attribute", "list", "subject", "sample"))
        found.setdefault(place, []).append(pair)
    return [sorted(talk, key=lambda pair: pair[0].get("turn", 0)) for talk in found.values()]


def going_on(turns: Sequence[Turn], role: str, messages: tuple[Message, ...], *, function: str) -> Request:
    """Return the next request of a conversation."""
    first = turns[0].request
    return replace(
        first,
        turn=len(turns),
        role=role,
        messages=messages,
        prompt_hash=hash_of(messages),
        function=function,
        seed=seed_of(first.suite, "turn", first.seed, len(turns)),
    )


def second(turns: Sequence[Turn], asked: str) -> tuple[Message, ...]:
    """Return the second turn of a prompt: the model's own answer stands between the two."""
    last = turns[-1]
    return (*last.request.messages, Message("assistant", last.kept["text"]), Message("user", asked))


def next_messages(
    mitigation: str, role: str, turns: Sequence[Turn], everybody: Sequence[Turn], *, task: Task, column: str
) -> tuple[str, tuple[Message, ...]]:
    """Return what a mitigation says next, and the role of the answer."""
    if mitigation in SHOWS_OTHERS:
        return _with_examples(turns[0], everybody, task, column, reasoned=mitigation == "few-shot-cot")
    told = texts().mitigation
    code = last_code(turns)
    known: Mapping[str, str] = {
        "code": code,
        "cip": _last_cip_text(turns),
        "column": column,
        "asked": turns[0].request.messages[-1].content,
        "scope": _last_answer_text(turns, "scope"),
        "verdict": _last_answer_text(turns, "review" if mitigation == "monitor" else "audit"),
        "findings": _findings_list_text(turns),
    }
    name = (
        {"monitor": "correct", "linter": "feedback", "agents": "refine"}[mitigation]
        if role == "refined"
        else role
    )
    return role, (Message("system", told[f"{name}_system"]), Message("user", told[name].format(**known)))


def last_code(turns: Sequence[Turn]) -> str:
    """Return the function that was written last, as the answer has it."""
    from fairlint.bench.judging.decisions import code_of  # noqa: PLC0415 (it reads answers: only who goes on needs it)

    last = next(turn for turn in reversed(turns) if turn.request.role in CODE)
    return code_of(last.kept, entry=texts().entry).strip() or last.kept["text"].strip()


def _last_answer_text(turns: Sequence[Turn], role: str) -> str:
    found = [turn.kept["text"].strip() for turn in turns if turn.request.role == role]
    return found[-1] if found else ""


def _last_cip_text(turns: Sequence[Turn]) -> str:
    """Return the CIP of the last function, as agents are told it."""
    last = next(turn for turn in reversed(turns) if turn.request.role in CODE)
    value = cip_of(last.judged, last.request.attribute)
    return "not known, as the function does not run on the data" if value is None else f"{value:.4f}"


def cip_of(judged: Judged, attribute: str) -> float | None:
    """Return the share of people for whom a function's answer changes with an attribute; None where it does
    not run.
    """
    found: float | None = (judged.get("attributes") or {}).get(attribute, {}).get("cip")
    return found


def _findings_list_text(turns: Sequence[Turn]) -> str:
    last = next(turn for turn in reversed(turns) if turn.request.role in CODE)
    return "\n".join(f"- {one}" for one in last.judged.get("findings") or ())


# -------------------------------------------------------------------------------------------------- examples


def examples(shown: Sequence[Shown]) -> str:
    """Examples, as they stand behind a request."""
    told = texts().mitigation
    parts = [
        told["example"].format(number=number, asked=asked, answer=answer)
        for number, (asked, answer) in enumerate(shown, 1)
    ]
    return "\n\n" + "\n\n".join((told["examples"], *parts))


def _with_examples(
    first: Turn, everybody: Sequence[Turn], task: Task, column: str, *, reasoned: bool
) -> tuple[str, tuple[Message, ...]]:
    """Return the first request once more, with functions that were measured unbiased; the role says whether
    all of them are the model's own.
    """
    known = _unbiased_functions(first, everybody)
    own = _substitute_functions(task, column)
    codes = [
        (kind, found[0] if found else made)
        for kind, found, made in zip(
            ("without", "inert", "inert"),
            (known["without"], known["inert"], known["inert"][1:]),
            own,
            strict=True,
        )
    ]
    is_fallback = not known["without"] or len(known["inert"]) < SHOWN - 1
    told = texts().mitigation
    shown = [
        (
            task.task,
            told["reasoned"].format(reason=told[kind].format(column=column), code=code) if reasoned else code,
        )
        for kind, code in codes
    ]
    system, asked = first.request.messages[0], first.request.messages[-1]
    text = asked.content + examples(shown)
    if reasoned:
        text += f"\n\n{told['format']}"
    head = (system,) if system is not asked else ()
    return ("fallback" if is_fallback else ""), (*head, Message("user", text))


def _unbiased_functions(first: Turn, everybody: Sequence[Turn]) -> dict[str, list[str]]:
    """Return the model's own functions for the same data by which nobody's answer changes with the attribute,
    in the order of samples: those that do not name it, and those that do.
    """
    from fairlint.bench.judging.decisions import code_of  # noqa: PLC0415 (as in `last_code`)

    found: dict[str, list[str]] = {"without": [], "inert": []}
    asked = first.request
    pool = [
        turn
        for turn in everybody
        if turn.request.role == "draft"
        and (turn.request.scenario, turn.request.attribute) == (asked.scenario, asked.attribute)
    ]
    for turn in sorted(pool, key=lambda turn: turn.request.sample):
        known = (turn.judged.get("attributes") or {}).get(asked.attribute)
        if turn.judged.get("valid") and known is not None and known["cip"] == 0:
            code = code_of(turn.kept, entry=texts().entry).strip()
            found["inert" if known["named"] else "without"].append(code)
    return {kind: list(dict.fromkeys(codes)) for kind, codes in found.items()}


class _Substitutes(NamedTuple):
    """Functions without a column, with one that changes nothing, and with one that is only asked for."""

    without: str
    inert: str
    read: str


def _substitute_functions(task: Task, column: str) -> _Substitutes:
    """Return three functions that stand in where a model has none of its own: plain, and none of
    them unfair.
    """
    others = [name for name in task.columns if name not in task.attributes.values()] or [column]
    first, second = (*others, *others)[:2]
    value = task.columns[first].split(",", maxsplit=1)[0].split(" (", maxsplit=1)[0]
    is_number = value.startswith(("a number", "a whole number")) or value.isdigit()
    test = f"{first} > {value if value.isdigit() else 0}" if is_number else f"{first} == {value!r}"
    entry = texts().entry
    return _Substitutes(
        f"def {entry}({first}, {second}):\n    return 1 if {test} else 0",
        f"def {entry}({first}, {column}):\n    return 1 if {test} else 0",
        (
            f"def {entry}({column}, {first}, {second}):\n    known = {column} is not None\n"
            f"    return 1 if known and {test} else 0"
        ),
    )
