"""A suite whose prompts say what to avoid, or whose biased answers are asked to be mended.

The setting `mitigation` of a suite names the mitigation; what is said is in `prompt_mitigations`. Samples and
seeds stay, so that each answer has a counterpart in the run without mitigation. `counterfactual` and
`pipelines` have mitigations of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from fairlint.backends.requests import Message, Request, hash_of
from fairlint.bench.suites import talking
from fairlint.bench.suites.prompt_mitigations import (
    FEEDBACK,
    asks_again,
    behind,
    correction_of,
    is_listed,
    mends_own_prompts_only,
    mitigations_of,
    styles_of,
)
from fairlint.bench.suites.suite import (
    EVERYTHING,
    Judged,
    Kept,
    PromptForm,
    ProtocolName,
    Selection,
    Suite,
    Turn,
    attributes_of,
)
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

MITIGATION = "mitigation"
"""The setting that names the mitigation."""
DRAFT = "draft"
"""The role of an answer that may yet be mended."""


class MitigatedSuite:
    """A suite as `fairlint.bench.suites.suite.Suite` has it: all but what is asked is that of its own."""

    def __init__(self, own: Suite, mitigation: str) -> None:
        self._own = own
        self._mitigation = mitigation
        self.settings: Mapping[str, Any] = {MITIGATION: mitigation, **own.settings}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """Return the first requests of a selection, with what the mitigation says."""
        return [self._mitigated(one) for one in self._own.requests(selection)]

    def prepared(self, request: Request) -> Request:
        """Return a request of a user's file as it is asked."""
        own = getattr(self._own, "prepared", None)
        return self._mitigated(request if own is None else own(request))

    def _mitigated(self, request: Request) -> Request:
        """Return a first request as the mitigation has it. Where an answer is to be mended it stays as it is:
        the first answer is that of a run without mitigation.
        """
        if is_listed(self._own.name):
            told = ", ".join(filter(None, (request.stereotype, self._mitigation)))
            request = replace(request, stereotype=told)
        if asks_again(self._mitigation):
            return replace(request, role=DRAFT)
        *before, last = request.messages
        return _with_messages(request, *before, self._with_style(last, request, self._mitigation))

    def _with_style(self, message: Message, request: Request, style: str) -> Message:
        """Return a turn with what a style says behind the task, and before the head of the answer."""
        said, text = behind(self._own.name, style), message.content
        head = request.header
        if not head or not text.endswith(head):
            return replace(message, content=f"{text}\n\n{said}")
        return replace(message, content=f"{text.removesuffix(head).rstrip()}\n\n{said}\n\n{head}")


class MendingSuite(MitigatedSuite):
    """The same where answers are asked to be mended: `fairlint.bench.suites.suite.Conversing`."""

    @property
    def prompt_form(self) -> PromptForm | None:
        """What a file of prompts says, where answers to such prompts can be mended."""
        return None if mends_own_prompts_only(self._own.name) else self._own.prompt_form

    def follow(self, turns: Sequence[Turn], everybody: Sequence[Turn]) -> Request | None:  # noqa: ARG002
        """Return the request to mend a biased answer; None where it is not biased, or was mended already."""
        last = turns[-1]
        if last.request.role != DRAFT or not (biased := self._biased_by(last.kept, last.judged)):
            return None
        from fairlint.bench.judging.decisions import code_of  # noqa: PLC0415 (it reads answers: only who goes on needs it)

        first = last.request
        code = code_of(last.kept, entry=first.function).strip() or last.kept["text"].strip()
        asked = first.messages[-1].content
        told = correction_of(self._own.name, asked=asked, code=code, attributes=biased)
        style = self._mitigation.removeprefix(FEEDBACK).removeprefix("-") or styles_of(self._own.name)[0]
        messages = (
            Message("system", told.system),
            self._with_style(Message("user", told.user), first, style),
        )
        return talking.going_on(turns, "", messages, function=first.function)

    def together(self, request: Request) -> str:  # noqa: ARG002 (each conversation stands alone)
        """Nothing: no answer is shown in another conversation."""
        return ""

    def counted(self, judged: Sequence[tuple[Kept, Judged]]) -> list[tuple[Kept, Judged]]:
        """Return the last answer of each conversation that has ended."""
        lasts = (talk[-1] for talk in talking.conversations(judged))
        return [
            (kept, told)
            for kept, told in lasts
            if kept.get("role", "") != DRAFT or not self._biased_by(kept, told)
        ]

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
        """Return what the answers that count come to."""
        return self._own.figures(self.counted(judged), protocol)

    def _biased_by(self, kept: Kept, judged: Judged) -> list[str]:
        """Return the attributes that were asked about and by which an answer is biased."""
        if judged.get("not_judged"):
            return []
        told: Mapping[str, bool] = cast("Any", self._own).biased(kept, judged)
        return [name for name in attributes_of(kept) if told.get(name)]


def _with_messages(request: Request, *messages: Message) -> Request:
    return replace(request, messages=messages, prompt_hash=hash_of(messages))


def with_mitigation(suite: Suite, mitigation: str) -> Suite:
    """Return a suite with a mitigation. Raises UsageError for one that it does not carry."""
    known = mitigations_of(suite.name)
    if mitigation not in known:
        raise UsageError(f"{suite.name} has no mitigation '{mitigation}' (known: {', '.join(known)})")
    return cast("Suite", (MendingSuite if asks_again(mitigation) else MitigatedSuite)(suite, mitigation))
