"""What a suite is: requests, a judge of answers, the figures that judged answers come to, and what else it
says of itself. All other modules read that, and none of them knows a suite by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from fairlint.backends.requests import Request
from fairlint.run_folders import record_shapes
from fairlint.support.errors import UsageError
from fairlint.support.records import Record
from fairlint.support.shapes import Shape

if TYPE_CHECKING:
    from fairlint import Settings
    from fairlint.bench.report.suite_report import SuiteReport

ProtocolName = Literal["exact", "published"]
PROTOCOLS: tuple[ProtocolName, ...] = ("exact", "published")

Kept = Mapping[str, Any]
"""A line of `responses.jsonl`: `key`, `suite`, `scenario`, `attribute`, `subject`, `list`, `sample`, `seed`,
`prompt` (its hash), `asked` (the last turn), `given`, `text`, `finish`, `prompt_tokens`, `new_tokens`; where
a suite asks on, also `turn` and `role` of the request; `perturbation` where its prompt was perturbed; `tests`
where its prompt has some."""

Judged = Mapping[str, Any]
"""A line of `outcomes.jsonl`: `key`, `valid`, and what else the suite tells of an answer, as JSON. Where the
answer could not be judged, `not_judged` says so with its `cause` and the `reason`."""

Names = Iterable[str] | str | None
"""Some names, or None for all."""

FAIRNESS = (
    *("fair_score_published", "fair_score_adjusted", "fair_score_without_rule"),
    *("refusal_rate", "entropy"),
)
USAGE = ("published", "echoed", "mentioned", "read", "used")


def attributes_of(kept: Kept) -> list[str]:
    """Return the attributes that an answer is about, where a request has several in its `attribute`."""
    told: str = kept["attribute"]
    return told.split(", ")


class Turn(Record):
    """A request with its answer and what came of that."""

    request: Request
    kept: Kept
    judged: Judged


class Selection(Record):
    """Which of a suite's own requests are made; what is left out changes nothing in the rest."""

    scenarios: Names = None
    attributes: Names = None
    samples: int | None = None
    """How often each prompt is asked; None: as often as the suite says."""
    limit: int | None = None
    """How many prompts at most."""
    seed: int = 0


EVERYTHING = Selection()


class PlacedEntry(NamedTuple):
    """An object of a file of prompts, and where it stands."""

    place: str
    entry: dict[str, Any]


class PromptForm(Record):
    """What the prompts of a user's file say beside their text."""

    subjects: Mapping[str, str]
    """Field that holds the subject → the scenario that this field stands for."""
    listed: str
    """The field for what `Request.stereotype` holds."""
    example: str
    """What an error shows."""
    scenario: str = "prompts"
    """The scenario of prompts that give none."""
    one_attribute: bool = False
    """Whether each prompt says which one attribute it asks about; else it may choose some of the suite's."""
    known: Callable[[], Collection[str]] | None = None
    """The subjects that the suite can judge; None: any."""
    attributes: Callable[[], Sequence[str]] | None = None
    """The attributes that a prompt may ask about; None: the suite's own."""
    completed: Callable[[Path, Iterator[PlacedEntry]], Iterator[PlacedEntry]] | None = None
    """What the suite makes of the entries of a file before they are checked; None: nothing. It raises
    UsageError, with the place, for what it cannot judge.
    """
    numbered: bool = False
    """Whether the subject is the prompt's own name, which no other has; prompts without one get a number."""
    has_tests: bool = False
    """Whether each prompt has `tests`, a list of Python texts that its answers are run with."""


class Suite(Protocol):
    """A benchmark: data, and what asks and judges with it. `BaseSuite` has what few suites have of their
    own.
    """

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

    @property
    def settings(self) -> Mapping[str, Any]:
        """What its requests and its judgement depend on beside its name, as JSON; empty where nothing is
        set.
        """

    @property
    def settable(self) -> tuple[str, ...]:
        """The names of the settings that it can be asked for with."""

    @property
    def runs_code(self) -> bool:
        """Whether its judge runs what answers hold, outside of this process."""

    @property
    def prompt_form(self) -> PromptForm | None:
        """What a file of prompts says for it; None where its judgement hangs on what its own prompts ask."""

    @property
    def harness_figures(self) -> tuple[str, ...]:
        """The figures that other harnesses show of it, by their names in `metrics.json`."""

    @property
    def outcome_shape(self) -> Shape:
        """What a line of its `outcomes.jsonl` has to be."""

    @property
    def response_shape(self) -> Shape:
        """What a line of its `responses.jsonl` has to be: more where it judges what was asked, too."""

    @property
    def report(self) -> SuiteReport | None:
        """What reports show of the part `bias` of its figures; None where it has none, or leaves it to
        fairlint to write it as a table.
        """

    @property
    def example_settings(self) -> Settings | None:
        """What the checker is told to show where an answer uses an attribute, without the text that the
        answer goes on from; None: nothing in particular, and with that text.
        """

    def with_settings(self, settings: Mapping[str, Any]) -> Suite:
        """Return the suite with settings of its own. Raises UsageError for one that is not known, or no value
        of it.
        """

    def scenarios(self) -> Sequence[str]:
        """Return its scenarios, in order."""

    def attributes(self) -> Sequence[str]:
        """Return the protected attributes it asks about, in order."""

    def requests(self, selection: Selection = EVERYTHING) -> Sequence[Request]:
        """Return the requests of a selection. `limit` counts prompts.

        Raises ValueError, in one line, for a name that is not known or a number below 1.
        """

    def finished(self, request: Request, text: str) -> int | None:
        """Return how many characters of a text (given and written) are the whole answer; None: more is to
        come.
        """

    def ready(self) -> None:
        """Raise UsageError where what it runs code in is not installed."""

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of one answer, by both protocols, without its key. The text is read and never
        run in this process: where a suite runs it, a sandbox does.

        Raises NotJudgedError where the analysis broke, or ended at a limit.
        """

    def unjudged(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of an answer that could not be judged: what published extractions find in its
        text.
        """

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
        """Return what judged answers come to: some of the parts of `metrics.json` (see
        `bench/runs/results.py`).

        A suite with the part `bias` has `biased(kept, judged)` besides: attribute → whether the answer is
        biased by it, for the comparison of runs.
        """


class BaseSuite:
    """What most suites have in common: no settings, no code that is run, no end of an answer that shows."""

    name: str
    settings: Mapping[str, Any] = MappingProxyType({})
    settable: tuple[str, ...] = ()
    runs_code = False
    prompt_form: PromptForm | None = None
    harness_figures: tuple[str, ...] = FAIRNESS
    outcome_shape: Shape = record_shapes.OUTCOME
    response_shape: Shape = record_shapes.RESPONSE

    @property
    def report(self) -> SuiteReport | None:
        """None."""
        return None

    @property
    def example_settings(self) -> Settings | None:
        """None."""
        return None

    def with_settings(self, settings: Mapping[str, Any]) -> Suite:
        """Raise UsageError: there are no settings but those that every suite of its kind takes."""
        if self.settable:
            known = ", ".join(self.settable)
            raise UsageError(f"{self.name} has no setting '{min(settings)}' (known: {known})")
        raise UsageError(f"the suite {self.name} takes no settings of its own")

    def finished(self, request: Request, text: str) -> int | None:  # noqa: ARG002 (see below)
        """Never before the model ends."""
        return None

    def ready(self) -> None:
        """Nothing needs to be installed."""

    def unjudged(self, kept: Kept) -> dict[str, Any]:  # noqa: ARG002 (nothing is known of it)
        """Return the outcome of an answer that could not be judged."""
        return {"valid": False}


def check_ready(suite: Suite) -> None:
    """Raise UsageError where a suite could not judge any answer, before a model is asked for one."""
    suite.ready()


class Varying(Suite, Protocol):
    """A suite that asks the same tasks in several variants."""

    def planned_difference(self, requests: Sequence[Request]) -> float | None:
        """Return the least difference between two variants that these requests will show in 80 of 100 cases;
        None where they are too few to show any.
        """


class Conversing(Suite, Protocol):
    """A suite that asks on: what an answer comes to decides what is asked next."""

    def follow(self, turns: Sequence[Turn], everybody: Sequence[Turn]) -> Request | None:
        """Return what is asked next in a conversation with these turns; None where it has come to its end.

        `everybody` are the turns of all conversations so far that go together with this one, for a suite that
        shows models what was answered before. The result has the next number as its `turn`, and depends on
        these arguments alone, so that a run that goes on later asks the same.
        """

    def together(self, request: Request) -> str:
        """Return a name that a first request shares with those whose answers may be shown in its
        conversation; empty where it is shown its own alone. Without this method all are taken to go together.
        """

    def counted(self, judged: Sequence[tuple[Kept, Judged]]) -> list[tuple[Kept, Judged]]:
        """Of each conversation that has come to its end the answer that counts, in the order given."""
