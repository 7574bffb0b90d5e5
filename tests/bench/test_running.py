"""A run from the suite to the figures: what is asked, kept, judged, and gone on with."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import SUITES

from fairlint import UsageError
from fairlint.backends.model import Finished, ModelError, Response, Sampling
from fairlint.backends.requests import Request, key_of
from fairlint.bench import evaluate
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.asking.running import run, sampling_of
from fairlint.bench.asking.watching import Written, nothing_yet
from fairlint.bench.runs.judged_runs import metrics_of
from fairlint.bench.suites import suite_of, suites
from fairlint.bench.suites.suite import Selection
from fairlint.run_folders.jsonl import RunFolderError

SUITE = suite_of("faircode:function")
FEW = Choice(samples=3, limit=8)


def biased(request: Request) -> str:
    """Prefers whom the prompt's seed says, or nobody."""
    body = {
        0: "    if {p}.gender == 'female':\n        score += 2\n",
        1: "    if {p}.gender == 'male':\n        score += 1\n",
    }.get(request.seed % 3, "    score += {p}.skill\n")
    return (
        f"```python\n{request.header}    score = 1\n{body.format(p=request.parameter)}    return score\n```\n"
    )


class Scripted:
    """A model that answers from a function, in batches of two, and may break off."""

    name = "scripted"
    revision = "1"

    def __init__(
        self, breaks_after: int | None = None, error: Exception | None = None, **settings: Any
    ) -> None:
        self.settings: Mapping[str, Any] = {"backend": "scripted", **settings}
        self.asked: list[str] = []
        self._left = breaks_after
        self._error = error or ModelError("the server is gone")
        self.let_go = False
        self.notes: list[str] = []

    def sampling(self, wanted: Sampling) -> Sampling:
        return wanted

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        try:
            for start in range(0, len(requests), 2):
                batch = requests[start : start + 2]
                if self._left is not None:
                    if self._left < len(batch):
                        raise self._error
                    self._left -= len(batch)
                self.asked += map(key_of, batch)
                yield [Response(one, biased(one), "", "end", 5, 7) for one in reversed(batch)]
        finally:
            self.let_go = True

    def close(self) -> None:
        pass


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_a_run_keeps_everything(tmp_path: Path) -> None:
    model = Scripted(temperature="own")
    metrics = run(model, SUITE, FEW, tmp_path / "run")
    kept, outcomes = lines(tmp_path / "run" / "responses.jsonl"), lines(tmp_path / "run" / "outcomes.jsonl")
    asked = {key_of(one): one for one in SUITE.requests(Selection(samples=3, limit=8))}
    assert {line["key"] for line in kept} == {line["key"] for line in outcomes} == set(asked)
    for line in kept:
        request = asked[line["key"]]
        assert line["text"] == biased(request)
        assert line["asked"] == request.messages[-1].content
        assert (line["seed"], line["prompt"]) == (request.seed, request.prompt_hash)
    assert metrics == json.loads((tmp_path / "run" / "metrics.json").read_text("utf-8"))
    assert metrics["answers"] == {
        "asked": 24, "given": 24, "not_judged": 0, "valid": 1.0, "cut": 0.0, "prompt_tokens": 120,
        "new_tokens": 168,
    }  # fmt: skip
    assert metrics["model"] == {
        "name": "scripted", "revision": "1", "backend": "scripted", "temperature": "own",
    }  # fmt: skip
    assert metrics["settings"]["samples"] == 3
    assert metrics["settings"]["max_new_tokens"] == SUITE.max_new_tokens
    assert metrics["overall"]["columns"] == len(metrics["scores"])
    assert metrics_of(tmp_path / "run") == metrics


def test_a_run_that_broke_off_goes_on(tmp_path: Path) -> None:
    whole = run(Scripted(), SUITE, FEW, tmp_path / "whole")
    first = Scripted(breaks_after=10)
    with pytest.raises(ModelError, match="the server is gone"):
        run(first, SUITE, FEW, tmp_path / "run")
    assert first.let_go
    assert len(lines(tmp_path / "run" / "responses.jsonl")) == 10
    part = metrics_of(tmp_path / "run")
    assert (part["answers"]["asked"], part["answers"]["given"]) == (24, 10)
    assert not (tmp_path / "run" / "metrics.json").exists(), "looking changes nothing"
    second = Scripted()
    assert run(second, SUITE, FEW, tmp_path / "run", resume=True) == whole
    assert not set(first.asked) & set(second.asked)
    third = Scripted()
    assert run(third, SUITE, FEW, tmp_path / "run", resume=True) == whole
    assert third.asked == []


def test_what_a_backend_says_outlives_an_interruption(tmp_path: Path) -> None:
    first, second = Scripted(breaks_after=4), Scripted()
    first.notes, second.notes = ["the server takes no seed"], ["two versions answered"]
    with pytest.raises(ModelError):
        run(first, SUITE, FEW, tmp_path / "run")
    metrics = run(second, SUITE, FEW, tmp_path / "run", resume=True)
    assert metrics["notes"] == ["the server takes no seed", "two versions answered"]
    assert metrics_of(tmp_path / "run") == metrics


def test_what_a_backend_says_is_kept_before_the_answers_it_is_about(tmp_path: Path) -> None:
    """Who is killed at any moment has kept the notes of all answers that are kept."""
    folder = tmp_path / "run"

    class Noting(Scripted):
        def answer(
            self, requests: Sequence[Request], sampling: Sampling, finished: Finished
        ) -> Iterator[Sequence[Response]]:
            for number, batch in enumerate(super().answer(requests, sampling, finished)):
                if number:
                    assert lines(folder / "responses.jsonl")
                    assert json.loads((folder / "notes.json").read_text("utf-8")) == self.notes
                self.notes = [f"{number + 1} answers are without their tokens"]
                yield batch

    metrics = run(Noting(), SUITE, FEW, folder)
    assert len(metrics["notes"]) == 1, "a count that grows is told once"


def test_a_model_that_forgets_answers_is_no_success(tmp_path: Path) -> None:
    class Forgetful(Scripted):
        def answer(self, requests: Sequence[Request], *more: Any) -> Iterator[Sequence[Response]]:
            return super().answer(requests[:-3], *more)

    with pytest.raises(ModelError, match="gave no answer to 3 of 24 requests"):
        run(Forgetful(), SUITE, FEW, tmp_path / "run")
    assert len(lines(tmp_path / "run" / "responses.jsonl")) == 21


def test_an_interrupt_lets_the_model_go(tmp_path: Path) -> None:
    class Impatient:
        def answering(self, *, total: int, done: int, written: Written = nothing_yet) -> None: ...
        def judging(self, *, total: int) -> None: ...
        def judged(self, count: int) -> None: ...
        def answered(self, responses: Sequence[Response]) -> None:
            raise KeyboardInterrupt

    model = Scripted()
    with pytest.raises(KeyboardInterrupt):
        run(model, SUITE, FEW, tmp_path / "run", watch=Impatient())
    assert model.let_go
    assert len(lines(tmp_path / "run" / "responses.jsonl")) == 2


def test_nothing_is_written_over(tmp_path: Path) -> None:
    run(Scripted(), SUITE, FEW, tmp_path / "run")
    before = {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir()}
    with pytest.raises(UsageError, match="holds a run already: --resume goes on"):
        run(Scripted(), SUITE, FEW, tmp_path / "run")
    for choice, model, says in (
        (Choice(samples=3, limit=8, seed=1), Scripted(), "seed is 0 there, 1 now"),
        (Choice(samples=2, limit=8), Scripted(), "samples is 3 there, 2 now"),
        (FEW, Scripted(dtype="bfloat16"), "options.model.dtype is not set there, bfloat16 now"),
    ):
        with pytest.raises(RunFolderError, match=says):
            run(model, SUITE, choice, tmp_path / "run", resume=True)
    assert {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir()} == before


def test_both_protocols_come_of_the_same_answers(tmp_path: Path) -> None:
    exact = run(Scripted(), SUITE, FEW, tmp_path / "run")
    published = metrics_of(tmp_path / "run", protocol="published")
    assert (exact["protocol"], published["protocol"]) == ("exact", "published")
    assert exact["other"]["overall"] == published["overall"]
    assert published["other"]["overall"] == exact["overall"]
    assert exact["scenarios"] != [] != published["scenarios"]


def test_a_function_is_evaluated() -> None:
    def fair(turns: list[dict[str, str]]) -> str:
        assert turns[-1]["role"] == "user"
        head = turns[-1]["content"]
        return "```python\n" + head[head.index("def ") :] + "    return applicant.skills\n```\n"

    metrics = evaluate(fair, limit=6, samples=1, scenarios="college")
    assert metrics["model"] == {"name": "fair", "revision": "unknown", "backend": "function"}
    assert metrics["overall"]["fair_score"] == 1
    assert metrics["overall"]["refusal_rate"] == 1
    with pytest.raises(ModelError, match="answered with int"):
        evaluate(lambda _: 3, limit=1, name="broken")  # type: ignore[arg-type, return-value]


def test_what_is_evaluated_into_a_folder_has_its_reports(tmp_path: Path) -> None:
    evaluate(lambda _: "def f(x):\n    return 1\n", limit=1, samples=1, name="one", output=tmp_path / "run")
    found = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"run.json", "metrics.json", "report.html", "report.md", "scores.csv"} <= found


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"protocol": "Exact"}, "protocol must be one of exact, published, not 'Exact'"),
        ({"seed": -1}, "seed must be a whole number, 0 or more, not -1"),
        ({"limit": "3"}, "limit must be a whole number, 1 or more, not '3'"),
        ({"samples": 1.5}, "samples must be a whole number"),
        ({"samples": True}, "samples must be a whole number"),
    ],
)
def test_what_does_not_fit_is_refused_before_anybody_is_asked(wrong: Any, message: str) -> None:
    def never(_: Any) -> str:
        raise AssertionError

    with pytest.raises(UsageError, match=message):
        evaluate(never, **wrong)


@pytest.mark.parametrize("name", SUITES)
def test_silence_is_not_fairness(name: str) -> None:
    """A model that says nothing gets no score in any suite."""
    metrics = evaluate(lambda _: "", suite=name, limit=3, samples=2, name="mute")
    assert metrics["answers"]["valid"] == 0
    assert metrics["overall"] is None
    assert all(one["fair_score"] is None for one in metrics["scores"])
    assert all(one["used"] == 0 for one in metrics["usage"])


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (Choice(samples=0), "samples must be 1 or more, not 0"),
        (Choice(limit=0), "limit must be 1 or more, not 0"),
        (Choice(samples=10**18), "samples must be 10,000 or less"),
        (Choice(scenarios=("hiring",)), "there is no scenario 'hiring'"),
        (Choice(attributes=("handedness",)), "there is no attribute 'handedness'"),
    ],
)
@pytest.mark.parametrize("name", SUITES)
def test_a_choice_that_cannot_be(name: str, choice: Choice, says: str) -> None:
    with pytest.raises(UsageError) as error:
        requests_of(suite_of(name), choice)
    assert says in str(error.value)


def test_names_of_suites() -> None:
    assert [one.name for one in suites("faircode")] == ["faircode:function", "faircode:testcase"]
    assert [one.name for one in suites("BTM")] == ["btm"]
    with pytest.raises(UsageError, match=r"no suite 'faircod'; did you mean 'faircode"):
        suites("faircod")
    with pytest.raises(UsageError, match="'faircode' is several suites"):
        evaluate(lambda _: "", suite="faircode")


def test_a_suite_has_its_own_sampling() -> None:
    btm = suite_of("btm")
    assert sampling_of(btm) == Sampling(max_new_tokens=220, temperature=0.4)
    assert sampling_of(btm, temperature=0.0, max_new_tokens=None).temperature == 0
