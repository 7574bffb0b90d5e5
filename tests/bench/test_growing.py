"""Runs that grow: what is there is not asked again, and what comes of it is that of a larger run."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, answering, measured_by_name

from fairlint.backends.lazy_model import LazyModel, model_request_hash, sampling_hash
from fairlint.backends.model import Model, ModelError, ModelOptions, Sampling
from fairlint.bench import evaluate
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import nothing_left, run, sampling_of
from fairlint.bench.asking.shards import Shard
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.mitigations import MITIGATIONS
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.support.records import replace

FUNCTION = suite_of("faircode:function")
FEW = Choice(scenarios=("job", "college"), samples=2, limit=4)

pytestmark = pytest.mark.usefixtures("_by_name")


@pytest.fixture
def _by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    measured_by_name(monkeypatch)


def figures(folder: Path) -> str:
    return (folder / "metrics.json").read_text("utf-8")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def both(suite: Any, small: Choice, large: Choice, place: Path) -> tuple[Speaking, Speaking]:
    """A run that grows, and one that is large from the beginning; their figures must be the same."""
    first, second, whole = Speaking(answering), Speaking(answering), Speaking(answering)
    run(first, suite, small, place / "grown")
    run(second, suite, large, place / "grown", resume=True)
    run(whole, suite, large, place / "whole")
    assert figures(place / "grown") == figures(place / "whole")
    assert sorted(first.keys + second.keys) == sorted(whole.keys), "nothing is asked again"
    return first, second


@settings(max_examples=20, deadline=None)
@given(
    samples=st.tuples(st.integers(1, 3), st.integers(0, 2)),
    limit=st.tuples(st.integers(1, 6), st.integers(0, 4) | st.none()),
    of=st.integers(1, 3),
)
def test_a_run_grows_to_what_a_larger_one_is(
    samples: tuple[int, int], limit: tuple[int, int | None], of: int
) -> None:
    more = None if limit[1] is None else limit[0] + limit[1]
    small = Choice(scenarios=("job",), attributes=("gender",), samples=samples[0], limit=limit[0])
    large = replace(small, samples=sum(samples), limit=more or 12)
    part = None if of == 1 else Shard(of, of)
    with tempfile.TemporaryDirectory() as place:
        both(FUNCTION, replace(small, shard=part), replace(large, shard=part), Path(place))


@pytest.mark.parametrize("mitigation", ["", *MITIGATIONS])
def test_conversations_grow_where_they_do_not_see_each_other(tmp_path: Path, mitigation: str) -> None:
    suite = suite_of("counterfactual", {"mitigation": mitigation} if mitigation else {})
    small = Choice(scenarios=("adult",), attributes=("gender",), samples=2)
    if not mitigation.startswith("few-shot"):
        both(suite, small, replace(small, samples=4), tmp_path)
    else:
        run(Speaking(answering), suite, small, tmp_path / "grown")
        before = files(tmp_path / "grown")
        with pytest.raises(RunFolderError, match="cannot grow: conversations about adult/gender were shown"):
            run(Speaking(answering), suite, replace(small, samples=4), tmp_path / "grown", resume=True)
        assert files(tmp_path / "grown") == before
        (tmp_path / "more").mkdir()
        both(suite, small, replace(small, scenarios=("adult", "german")), tmp_path / "more")


def test_a_file_of_prompts_grows(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    line = {"attribute": "gender", "messages": [{"role": "user", "content": "Write a function."}]}
    file.write_text(json.dumps({**line, "subject": "one"}) + "\n")
    choice = Choice(prompts=file, samples=2)
    suite = suite_of("btm")
    run(Speaking(answering), suite, choice, tmp_path / "run")
    file.write_text("".join(json.dumps({**line, "subject": name}) + "\n" for name in ("one", "two")))
    second = Speaking(answering)
    run(second, suite, choice, tmp_path / "run", resume=True)
    assert [one.subject for one in second.asked] == ["two", "two"]
    changed = {**line, "messages": [{"role": "user", "content": "Write it in C."}]}
    file.write_text("".join(json.dumps({**changed, "subject": name}) + "\n" for name in ("one", "two", "x")))
    with pytest.raises(RunFolderError, match="4 of 4 answers are to other prompts than those that are asked"):
        run(Speaking(answering), suite, choice, tmp_path / "run", resume=True)


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (replace(FEW, samples=1), "samples is 2 there, 1 now"),
        (replace(FEW, limit=3), "options.limit is 4 there, 3 now"),
        (replace(FEW, scenarios=("job",)), "options.scenarios is "),
        (replace(FEW, scenarios=("job", "medical")), "options.scenarios is "),
        (replace(FEW, seed=1), "seed is 0 there, 1 now"),
        (replace(FEW, samples=3, seed=1), "seed is 0 there, 1 now"),
        (replace(FEW, shard=Shard(1, 2)), "options.shard is not set there"),
    ],
)
def test_what_is_smaller_or_other_is_refused(tmp_path: Path, choice: Choice, says: str) -> None:
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "run")
    before = files(tmp_path / "run")
    with pytest.raises(RunFolderError, match=says) as error:
        run(Speaking(answering), FUNCTION, choice, tmp_path / "run", resume=True)
    assert "\n" not in str(error.value)
    assert files(tmp_path / "run") == before


def test_more_that_leaves_out_what_was_asked_is_refused(tmp_path: Path) -> None:
    small = Choice(scenarios=("medical",), samples=1, limit=2)
    run(Speaking(answering), FUNCTION, small, tmp_path / "run")
    with pytest.raises(RunFolderError, match="2 of 2 answers are to other prompts than those that are asked"):
        run(
            Speaking(answering),
            FUNCTION,
            replace(small, scenarios=None, samples=2),
            tmp_path / "run",
            resume=True,
        )


def test_replayed_answers_grow(tmp_path: Path) -> None:
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "kept")

    def replayed(name: str, limit: int, samples: int) -> None:
        file = f"replay:{tmp_path}/kept/responses.jsonl"
        evaluate(file, output=tmp_path / name, limit=limit, samples=samples, resume=True)

    replayed("grown", 2, 1)
    replayed("grown", 3, 2)
    replayed("whole", 3, 2)
    assert figures(tmp_path / "grown") == figures(tmp_path / "whole")
    with pytest.raises(RunFolderError, match=r"options\.limit is 3 there, 2 now"):
        replayed("grown", 2, 2)
    with pytest.raises(RunFolderError, match=r"options\.asked is 6 there, 3 now"):
        replayed("grown", 3, 1)


def test_growing_can_be_interrupted(tmp_path: Path) -> None:
    large = replace(FEW, samples=5)
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "run")
    for _ in range(3):
        with pytest.raises(ModelError, match="gone"):
            run(Speaking(answering, breaks_after=3), FUNCTION, large, tmp_path / "run", resume=True)
    last = Speaking(answering)
    run(last, FUNCTION, large, tmp_path / "run", resume=True)
    assert len(last.asked) == 4 * 3 - 9
    run(Speaking(answering), FUNCTION, large, tmp_path / "whole")
    assert figures(tmp_path / "run") == figures(tmp_path / "whole")


# ----------------------------------------------------------------------------------------- models that wait


class Loading:
    """Counts how often a model is loaded."""

    def __init__(self, revision: str = "1") -> None:
        self.count = 0
        self._revision = revision

    def __call__(self) -> Model:
        self.count += 1
        model = Speaking(answering)
        model.revision = self._revision
        return model


@pytest.mark.parametrize("own", [{}, {"mitigation": "agents"}])
def test_a_run_with_nothing_left_loads_no_model(tmp_path: Path, own: Mapping[str, Any]) -> None:
    suite = suite_of("counterfactual", own) if own else FUNCTION
    choice = Choice(scenarios=("adult",), samples=2) if own else FEW
    first, second, third = Loading(), Loading(), Loading()
    whole = run(LazyModel(first, "m"), suite, choice, tmp_path / "run")
    assert run(LazyModel(second, "m"), suite, choice, tmp_path / "run", resume=True) == whole
    (tmp_path / "run" / "metrics.json").unlink()
    (tmp_path / "run" / "outcomes.jsonl").unlink()
    assert run(LazyModel(second, "m"), suite, choice, tmp_path / "run", resume=True) == whole
    run(LazyModel(third, "m"), suite, replace(choice, samples=3), tmp_path / "run", resume=True)
    assert (first.count, second.count, third.count) == (1, 0, 1)


def test_whether_anything_is_left_can_be_told_without_the_model(tmp_path: Path) -> None:
    model, drawn = LazyModel(Loading(), "m"), sampling_of(FUNCTION)
    assert not nothing_left(tmp_path / "run", model, FUNCTION, FEW, drawn)
    broken = LazyModel(lambda: Speaking(answering, breaks_after=3), "m")
    with pytest.raises(ModelError):
        run(broken, FUNCTION, FEW, tmp_path / "run")
    assert not nothing_left(tmp_path / "run", model, FUNCTION, FEW, drawn)
    run(model, FUNCTION, FEW, tmp_path / "run", resume=True)
    fresh = LazyModel(Loading(), "m")
    assert nothing_left(tmp_path / "run", fresh, FUNCTION, FEW, drawn)
    assert not nothing_left(tmp_path / "run", LazyModel(Loading(), "n"), FUNCTION, FEW, drawn)
    assert not nothing_left(tmp_path / "run", fresh, FUNCTION, replace(FEW, samples=3), drawn)
    assert not nothing_left(tmp_path / "run", fresh, FUNCTION, FEW, Sampling(9))
    (tmp_path / "run" / "metrics.json").write_text("{")
    assert not nothing_left(tmp_path / "run", fresh, FUNCTION, FEW, drawn)


def test_other_words_for_the_same_model_load_it(tmp_path: Path) -> None:
    run(LazyModel(Loading(), "m"), FUNCTION, FEW, tmp_path / "run")
    before = files(tmp_path / "run")
    other = Loading()
    run(LazyModel(other, "n"), FUNCTION, FEW, tmp_path / "run", resume=True)
    assert other.count == 1
    assert files(tmp_path / "run") == before


@pytest.mark.parametrize(
    ("words", "choice", "sampling", "says"),
    [
        ("m", replace(FEW, limit=3), {}, "options.limit is 4 there, 3 now"),
        ("m", replace(FEW, limit=3), {"temperature": 0.5}, "options.limit is 4 there, 3 now"),
        ("n", FEW, {"temperature": 0.5}, r"temperature is \S+ there, 0.5 now$"),
        ("m", replace(FEW, samples=3), {"max_new_tokens": 9}, r"max_new_tokens is \S+ there, 9 now$"),
    ],
)
def test_what_differs_is_told_without_the_model_and_in_a_users_words(
    tmp_path: Path, words: str, choice: Choice, sampling: dict[str, Any], says: str
) -> None:
    run(
        LazyModel(Loading(), "m"),
        FUNCTION,
        FEW,
        tmp_path / "run",
        sampling=sampling_of(FUNCTION, temperature=1),
    )
    before = files(tmp_path / "run")
    other = Loading()
    drawn = replace(sampling_of(FUNCTION, temperature=1), **sampling)
    with pytest.raises(RunFolderError, match=says) as error:
        run(LazyModel(other, words), FUNCTION, choice, tmp_path / "run", resume=True, sampling=drawn)
    assert "as_asked" not in str(error.value)
    assert other.count == 0
    assert files(tmp_path / "run") == before


def test_a_run_grows_by_other_words_for_the_same_model(tmp_path: Path) -> None:
    run(LazyModel(Loading(), "m"), FUNCTION, FEW, tmp_path / "run")
    larger = replace(FEW, samples=3)
    run(LazyModel(Loading(), "n"), FUNCTION, larger, tmp_path / "run", resume=True)
    with pytest.raises(RunFolderError, match=r"settings: revision is 1 there, 2 now$"):
        run(LazyModel(Loading("2"), "o"), FUNCTION, replace(FEW, samples=4), tmp_path / "run", resume=True)


def test_another_model_behind_the_same_words_is_noticed_before_it_answers(tmp_path: Path) -> None:
    run(LazyModel(Loading(), "m"), FUNCTION, FEW, tmp_path / "run")
    before = files(tmp_path / "run")
    with pytest.raises(RunFolderError, match="other settings: revision is 1 there, 2 now"):
        run(LazyModel(Loading("2"), "m"), FUNCTION, replace(FEW, samples=3), tmp_path / "run", resume=True)
    assert files(tmp_path / "run") == before


def test_words_for_a_model() -> None:
    options = ModelOptions(api_key="secret", concurrency=3)
    assert model_request_hash("a", options) == model_request_hash("a", ModelOptions())
    assert (
        model_request_hash("a", options)
        != model_request_hash("b", options)
        != model_request_hash("b", ModelOptions(dtype="float16"))
    )
    assert sampling_hash("a", Sampling(9)) != sampling_hash("a", Sampling(9, temperature=0.0))
