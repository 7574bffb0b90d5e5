"""What a suite is: requests, a judge of answers, and the figures that judged answers come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from fairlint.backends.requests import Request
from fairlint.support.records import Record

ProtocolName = Literal["exact", "published"]
PROTOCOLS: tuple[ProtocolName, ...] = ("exact", "published")

Kept = Mapping[str, Any]
"""A line of `responses.jsonl`: `key`, `suite`, `scenario`, `attribute`, `subject`, `list`, `sample`, `seed`,
`prompt` (its hash), `asked` (the last turn), `given`, `text`, `finish`, `prompt_tokens`, `new_tokens`; where
a suite asks on, also `turn` and `role` of the request."""

Judged = Mapping[str, Any]
"""A line of `outcomes.jsonl`: `key`, `valid`, and what else the suite tells of an answer, as JSON. Where the
answer could not be judged, `not_judged` says so with its `cause` and the `reason`."""


def attributes_of(kept: Kept) -> list[str]:
    """The attributes that an answer is about, where a request has several in its `attribute`."""
    told: str = kept["attribute"]
    return told.split(", ")


class Turn(Record):
    """A request with its answer and what came of that."""

    request: Request
    kept: Kept
    judged: Judged


class Suite(Protocol):
    """A benchmark: data, and what asks and judges with it."""

    name: str
    title: str
    """One line for `fairlint bench suites`."""
    source: str
    """The paper or program it follows."""
    samples: int
    """How often each prompt is asked where nobody says otherwise."""
    max_new_tokens: int
    temperature: float | None
    """None is the model's own."""

    def scenarios(self) -> Sequence[str]:
        """Its scenarios, in order."""

    def attributes(self) -> Sequence[str]:
        """The protected attributes it asks about, in order."""

    def requests(
        self,
        *,
        scenarios: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        samples: int | None = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> Sequence[Request]:
        """The requests of a choice; what is left out changes nothing in the rest. `limit` counts prompts.

        Raises ValueError, in one line, for a name that is not known or a number below 1.
        """

    def finished(self, request: Request, text: str) -> int | None:
        """How many characters of a text (given and written) are the whole answer; None: more is to come."""

    def judge(self, kept: Kept) -> dict[str, Any]:
        """The outcome of one answer, by both protocols, without its key. The text is read and never run in
        this process: where a suite runs it (`Running`), a sandbox does.

        Raises NotJudgedError where the analysis broke, or ended at a limit.
        """

    def unjudged(self, kept: Kept) -> dict[str, Any]:
        """The outcome of an answer that could not be judged: what published extractions find in its text."""

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
        """What judged answers come to: some of the parts of `metrics.json` (see `bench/runs/results.py`)."""


class Running(Suite, Protocol):
    """A suite whose judge runs what answers hold, outside of this process."""

    def ready(self) -> None:
        """Raises UsageError where what it runs code in is not installed."""


def check_ready(suite: Suite) -> None:
    """Raises UsageError where a suite could not judge any answer, before a model is asked for one."""
    ready = getattr(suite, "ready", None)
    if ready is not None:
        ready()


class Conversing(Suite, Protocol):
    """A suite that asks on: what an answer comes to decides what is asked next."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What its requests and its judgement depend on beside its name, as JSON; empty where nothing is
        set.
        """

    def follow(self, turns: Sequence[Turn], everybody: Sequence[Turn]) -> Request | None:
        """What is asked next in a conversation with these turns; None where it has come to its end.

        `everybody` are the turns of all conversations so far that go together with this one, for a suite that
        shows models what was answered before. The result has the next number as its `turn`, and depends on
        these arguments alone, so that a run that goes on later asks the same.
        """

    def together(self, request: Request) -> str:
        """A name that a first request shares with those whose answers may be shown in its conversation;
        empty where it is shown its own alone. Without this method all are taken to go together.
        """

    def counted(self, judged: Sequence[tuple[Kept, Judged]]) -> list[tuple[Kept, Judged]]:
        """Of each conversation that has come to its end the answer that counts, in the order given."""
