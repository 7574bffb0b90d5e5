"""Requests and their outcomes as plain data, which harnesses keep in data sets and logs of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fairlint.backends.kept_answers import kept_of
from fairlint.backends.model import Response
from fairlint.backends.requests import Message, Request, chat, key_of
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.figures.both_scores import KEYS, score_by
from fairlint.bench.judging.judging_all import judge_kept_answer as outcome_of
from fairlint.bench.suites import suite_of, suites
from fairlint.bench.suites.suite import FAIRNESS, PROTOCOLS, ProtocolName, Suite, check_ready
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field_names

TEXTS = ("asked", "given", "text")
"""What is judged and then not needed any more."""
UNKNOWN = "unknown"
"""How an answer ended, where a harness does not say it."""

ALWAYS = ("valid", "not_judged")
"""The figures that come with each suite's own."""
HIGHER = frozenset({*FAIRNESS, "pass_at_attribute", "answered", "parsed", "passed", "valid"})
"""Those that a fairer model, or one that answers at all, has more of."""

LISTS = ("scenarios", "attributes", "subjects")
CHOICES = (*LISTS, "samples", "limit", "seed", "prompts")


class Asked(Record):
    """A suite, what is chosen of it, and the protocol that its figures follow."""

    suite: str
    choice: Choice
    protocol: ProtocolName


def asked_of(suite: str, options: Mapping[str, Any]) -> Asked:
    """Return what options of a harness mean: those of CHOICES, as `evaluate` takes them, and `protocol`.

    Raises UsageError for a suite, an option or a protocol that is not known, for a value that is of the wrong
    kind, and where what the suite runs code in is not installed.
    """
    (one, *more) = suites(suite)
    if more:
        raise UsageError(f"'{suite}' is several suites: {', '.join(each.name for each in (one, *more))}")
    if hasattr(one, "follow"):
        raise UsageError(f"{one.name} asks on from a model's answers, which `fairlint bench` does")
    check_ready(one)
    told = {name: value for name, value in options.items() if value is not None}
    unknown = [name for name in told if name not in (*CHOICES, "protocol")]
    if unknown:
        raise UsageError(f"there is no option '{unknown[0]}' (known: {', '.join((*CHOICES, 'protocol'))})")
    protocol = told.pop("protocol", "exact")
    if protocol not in PROTOCOLS:
        raise UsageError(f"there is no protocol '{protocol}' (known: {', '.join(PROTOCOLS)})")
    return Asked(
        one.name, Choice(**{name: _check_option(name, value) for name, value in told.items()}), protocol
    )


def _check_option(name: str, given: Any) -> Any:
    if name == "prompts":
        return Path(str(given))
    if name in LISTS:
        return tuple(map(str, [given] if isinstance(given, str) else given))
    if isinstance(given, bool) or not isinstance(given, int):
        raise UsageError(f"'{name}' has to be a whole number, not {given!r}")
    return given


def questions(asked: Asked) -> list[dict[str, Any]]:
    """Return the requests of a choice, in order, as JSON objects with the fields of `Request` and the `key`.

    Raises UsageError where the suite does not know what is chosen.
    """
    return [question(request) for request in requests_of(suite_of(asked.suite), asked.choice)]


def question(request: Request) -> dict[str, Any]:
    """Return a request as a JSON object; `request_of` makes it a request again."""
    told = {name: getattr(request, name) for name in field_names(request)}
    told |= {"messages": chat(request), "attributes": list(request.attributes), "tests": list(request.tests)}
    return {"key": key_of(request), **told}


def request_of(told: Mapping[str, Any]) -> Request:
    """Return the request that `question` has told of; what else is in there is passed over."""
    fields = {name: told[name] for name in field_names(Request) if name not in {"allowed", "tests"}}
    fields["messages"] = tuple(Message(turn["role"], turn["content"]) for turn in told["messages"])
    fields["attributes"] = tuple(told["attributes"])
    for name in ("allowed", "tests"):  # data sets of earlier versions lack them
        fields[name] = tuple(told.get(name, ()))
    return Request(**fields)


def judge_answer(
    suite: Suite, request: Request, text: str, *, given: str = "", finish: str = UNKNOWN
) -> dict[str, Any]:
    """Return what an answer comes to, as a JSON object: what it is about, how it ended, and the suite's
    `outcome`.

    `given` is what the text goes on from. As in the bench, what follows the whole answer does not count, and
    an answer whose analysis breaks or takes too long has `not_judged` in its outcome.
    """
    end = suite.finished(request, given + text)
    if end is not None:
        text, finish = text[: max(0, end - len(given))], "complete"
    kept = kept_of(Response(request, text, given, finish))
    told = {name: value for name, value in kept.items() if name not in TEXTS}
    return {**told, "outcome": outcome_of(suite, kept)}


def figures(
    suite: Suite, answers: Iterable[Mapping[str, Any]], protocol: ProtocolName = "exact"
) -> dict[str, float]:
    """Return the figures of `judged` answers over all: those of ALWAYS, and the suite's `harness_figures`.

    Those of FAIRNESS are means over the attributes' columns (both FairScores, and that of `protocol`
    without the rule for unclear answers), those of USAGE shares of the answers in which it
    holds of any attribute, those of pipelines shares of the pipelines, and those of solar shares of the
    methods that run and of their fields; `not_judged` is a number, and all others leave these answers out:
    see `definitions` in `metrics.json`. NaN where there is nothing to tell.
    """
    pairs = [(one, one["outcome"]) for one in answers]
    made: Mapping[str, Any] = suite.figures(pairs, protocol) if pairs else {}
    bias = made.get("bias") or {}
    anything: Mapping[str, Any] = (
        made.get("overall") or bias.get("overall") or next(iter(made.get("usage") or ()), {})
    )
    plain = {
        "fair_score_without_rule": (anything.get("without_rule") or anything).get("fair_score"),
        **{f"fair_score_{key}": score_by(anything, name) for name, key in KEYS.items()},
    }
    known = {name: {**plain, **anything}.get(name) for name in suite.harness_figures}
    counted = [bool(told["valid"]) for _, told in pairs if not told.get("not_judged")]
    known["valid"] = sum(counted) / len(counted) if counted else None
    known["not_judged"] = float(len(pairs) - len(counted)) if pairs else None
    return {name: math.nan if value is None else value for name, value in known.items()}
