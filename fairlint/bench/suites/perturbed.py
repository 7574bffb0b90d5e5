"""A suite whose prompts are perturbed, and whose answers are judged as those to its own prompts.

The setting `perturb` of a suite names the perturbation. Requests keep their keys, samples and seeds, so that
an answer has a counterpart in the run of the plain prompts. What a perturbation does not change is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from fairlint.backends.requests import Message, Request, hash_of
from fairlint.bench.suites.perturbations import (
    PERTURBATIONS,
    own_length,
    own_names,
    perturbed_suites,
    text_perturbation,
)
from fairlint.bench.suites.suite import EVERYTHING, Conversing, Judged, Kept, Selection, Suite, Turn
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

PERTURB = "perturb"
"""The setting that names the perturbation."""


class PerturbedSuite:
    """A suite as `fairlint.bench.suites.suite.Suite` has it: all but prompts and names is that of its own."""

    prompt_form = None

    def __init__(self, own: Suite, kind: str) -> None:
        self._own = own
        self._kind = kind
        self.settings: Mapping[str, Any] = {**own.settings, PERTURB: kind}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """Return the requests of a selection that the perturbation changes.

        Raises ValueError, in one line, where it changes none.
        """
        plain = self._own.requests(selection)
        found = [perturb_request(one, self._kind) for one in plain]
        changed = [
            one
            for one, own in zip(found, plain, strict=True)
            if one.messages != own.messages or own.role  # what follows may be changed
        ]
        if not changed:
            raise ValueError(f"the perturbation {self._kind} changes nothing in what is asked: leave it out")
        return changed

    def finished(self, request: Request, text: str) -> int | None:
        """Return how many characters of a text are the whole answer."""
        if self._kind != "rename":
            return self._own.finished(request, text)
        name = self._own.name
        end = self._own.finished(_own_request(request), own_names(name, text))
        return None if end is None else own_length(name, text, end)

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of one answer, read with the names of the suite's own prompts."""
        return self._own.judge(self.own_answer(kept))

    def unjudged(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of an answer that could not be judged."""
        return self._own.unjudged(self.own_answer(kept))

    def own_answer(self, kept: Kept) -> Kept:
        """Return an answer with the names that the suite's own prompts have."""
        return with_own_names({**kept, "suite": self._own.name, "perturbation": self._kind})

    def biased(self, kept: Kept, judged: Judged) -> dict[str, bool]:
        """Return attribute → whether the answer is biased by it, of a suite that measures bias."""
        found: dict[str, bool] = cast("Any", self._own).biased(self.own_answer(kept), judged)
        return found


class PerturbedTalk(PerturbedSuite):
    """The same of a suite that asks on: `fairlint.bench.suites.suite.Conversing`."""

    def follow(self, turns: Sequence[Turn], everybody: Sequence[Turn]) -> Request | None:
        """Return what is asked next in a conversation, perturbed as what was asked before."""
        own = [self._own_turn(turn) for turn in turns]
        found = cast("Conversing", self._own).follow(own, [self._own_turn(turn) for turn in everybody])
        if found is None:
            return None
        before = {
            message: asked
            for turn, one in zip(own, turns, strict=True)
            for message, asked in zip(turn.request.messages, one.request.messages, strict=True)
        }
        return perturb_request(found, self._kind, before)

    def _own_turn(self, turn: Turn) -> Turn:
        request = _own_request(turn.request) if self._kind == "rename" else turn.request
        return Turn(request, self.own_answer(turn.kept), turn.judged)


def with_own_names(kept: Kept) -> Kept:
    """Return an answer to renamed attributes with the names that its suite has; any other one as it is."""
    if kept.get("perturbation") != "rename":
        return kept
    texts = {name: kept[name] for name in ("asked", "given", "text") if name in kept}
    return {**kept, **{name: own_names(kept["suite"], text) for name, text in texts.items()}}


def with_perturbation(suite: Suite, kind: str) -> Suite:
    """Return a suite with perturbed prompts. Raises UsageError for a perturbation that is not known, and for
    a suite that has none.
    """
    if kind not in PERTURBATIONS:
        raise UsageError(f"there is no perturbation '{kind}' (known: {', '.join(PERTURBATIONS)})")
    if suite.name not in perturbed_suites():
        known = ", ".join(perturbed_suites())
        raise UsageError(f"the prompts of {suite.name} have no perturbations ({known} do)")
    made = PerturbedTalk if hasattr(suite, "follow") else PerturbedSuite
    return cast("Suite", made(suite, kind))


def perturb_request(request: Request, kind: str, before: Mapping[Message, Message] | None = None) -> Request:
    """Return a request with perturbed texts. `before` has what the suite's own conversation said already, and
    what was said in its place.
    """
    perturb = text_perturbation(request.suite, kind, request.seed)
    known = before or {}
    turns = list(request.messages)
    order_alone = kind == "shuffle"
    messages = []
    for place, message in enumerate(turns):
        is_answer = message.role == "assistant" and kind != "rename"
        is_shown = order_alone and place < len(turns) - 1  # examples stay as they are
        text = message.content if is_answer or is_shown else perturb(message.content)
        messages.append(known.get(message) or Message(message.role, text))
    return replace(
        request,
        messages=tuple(messages),
        prompt_hash=hash_of(messages),
        header=perturb(request.header),
        perturbation=kind,
    )


def _own_request(request: Request) -> Request:
    """Return a request with renamed texts as the suite itself has it."""
    messages = tuple(
        Message(message.role, own_names(request.suite, message.content)) for message in request.messages
    )
    return replace(request, messages=messages, header=own_names(request.suite, request.header))
