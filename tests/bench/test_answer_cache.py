"""Answers that runs share, and prompts and costs that are kept with a run."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, answering

from fairlint import UsageError
from fairlint.backends.answer_cache import AnswerCache, key_of_answer
from fairlint.backends.model import ModelError, Response, Sampling
from fairlint.backends.requests import chat
from fairlint.bench import evaluate
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.kept_prompts import prompts_of
from fairlint.bench.asking.running import run, sampling_of
from fairlint.bench.asking.watching import Silent, Written, nothing_yet
from fairlint.bench.runs.judged_runs import judge_again, metrics_of
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Selection
from fairlint.processes import parallel
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import read_run
from fairlint.support.records import replace

FUNCTION = suite_of("faircode:function")
FEW = Choice(samples=2, limit=4)


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)


def figures(folder: Path) -> Any:
    """What a run came to, but for what its answers took."""
    told = json.loads((folder / "metrics.json").read_text("utf-8"))
    told["answers"].pop("cached", None)
    return told


# ------------------------------------------------------------------------------------------- shared answers


def test_runs_share_answers(tmp_path: Path) -> None:
    plain, first, second = Speaking(answering), Speaking(answering), Speaking(answering)
    run(plain, FUNCTION, FEW, tmp_path / "plain")
    run(first, FUNCTION, FEW, tmp_path / "one", cache=AnswerCache(tmp_path / "cache"))
    more = replace(FEW, samples=3)
    run(second, FUNCTION, more, tmp_path / "two", cache=AnswerCache(tmp_path / "cache"))
    assert figures(tmp_path / "one") == figures(tmp_path / "plain")
    assert len(first.asked) == 8
    assert [one.sample for one in second.asked] == [2] * 4
    run(Speaking(answering), FUNCTION, more, tmp_path / "three")
    assert figures(tmp_path / "two") == figures(tmp_path / "three")


def test_conversations_share_answers(tmp_path: Path) -> None:
    suite = suite_of("counterfactual")
    choice = Choice(scenarios=("adult",), attributes=("gender",), subjects=("model-driven",), samples=2)
    first, second = Speaking(answering), Speaking(answering)
    run(first, suite, choice, tmp_path / "one", cache=AnswerCache(tmp_path / "cache"))
    again = run(second, suite, choice, tmp_path / "two", cache=AnswerCache(tmp_path / "cache"))
    assert again["answers"]["cached"]["answers"] == again["answers"]["cached"]["of"] == 4
    assert figures(tmp_path / "one") == figures(tmp_path / "two")
    assert len(first.asked) == 4
    assert second.asked == []


def test_what_an_answer_depends_on_is_in_its_key() -> None:
    model, (request, *_) = Speaking(answering), FUNCTION.requests(Selection(samples=1, limit=1))
    drawn = sampling_of(FUNCTION)

    def key(**changes: Any) -> str:
        other = Speaking(answering)
        for name in ("name", "revision", "settings"):
            setattr(other, name, changes.get(name, getattr(model, name)))
        return key_of_answer(
            other,
            changes.get("sampling", drawn),
            changes.get("suite", FUNCTION),
            changes.get("request", request),
        )

    said = replace(request, messages=(*request.messages[:-1], replace(request.messages[-1], content="x")))
    others = [
        key(name="other"),
        key(revision="2"),
        key(settings={"backend": "speaking", "dtype": "float16"}),
        key(sampling=replace(drawn, temperature=0.1)),
        key(sampling=replace(drawn, early_stop=False)),
        key(suite=suite_of("btm")),
        key(request=replace(request, seed=request.seed + 1)),
        key(request=replace(request, header="")),
        key(request=said),
    ]
    assert len({key(), *others}) == len(others) + 1
    assert key() == key(request=replace(request, sample=7, subject="another"))


def test_an_interrupted_run_has_shared_what_it_got(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        run(
            Speaking(answering, breaks_after=5),
            FUNCTION,
            FEW,
            tmp_path / "one",
            cache=AnswerCache(tmp_path / "cache"),
        )
    second = Speaking(answering)
    run(second, FUNCTION, FEW, tmp_path / "two", cache=AnswerCache(tmp_path / "cache"))
    assert len(second.asked) == 3


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"key": "x"}', "\udcff"])
def test_what_cannot_be_read_is_not_there(tmp_path: Path, content: str) -> None:
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "one", cache=AnswerCache(tmp_path / "cache"))
    entries = sorted((tmp_path / "cache").rglob("*.json"))
    good = json.loads(entries[1].read_text())
    entries[0].write_text(content, errors="surrogateescape")
    entries[1].write_text(json.dumps(good | {"text": 3}))
    second = Speaking(answering)
    run(second, FUNCTION, FEW, tmp_path / "two", cache=AnswerCache(tmp_path / "cache"))
    assert len(second.asked) == 2
    assert figures(tmp_path / "one") == figures(tmp_path / "two")


def test_many_write_at_once(tmp_path: Path) -> None:
    def work(number: int) -> None:
        model = Speaking(answering)
        run(model, FUNCTION, FEW, tmp_path / str(number), cache=AnswerCache(tmp_path / "cache"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({json.dumps(figures(tmp_path / str(number))) for number in range(6)}) == 1
    assert len(list((tmp_path / "cache").rglob("*.json"))) == 8
    assert not list((tmp_path / "cache").rglob("*.draft"))


def test_a_cache_that_takes_no_more_costs_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    cache = AnswerCache(tmp_path / "cache")
    monkeypatch.setattr(os, "replace", full)
    (request, *_) = FUNCTION.requests(Selection(samples=1, limit=1))
    (batch,) = Speaking(answering).answer([request], Sampling(9), FUNCTION.finished)
    cache.put("ab" * 32, batch[0])
    assert cache.notes == ["the answer cache took no more answers (No space left on device)"]
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_what_cannot_be_a_cache_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"--answer-cache \S+file: cannot be written"):
        AnswerCache(tmp_path / "file")
    with pytest.raises(UsageError, match="needs to know which model answers: give a name and a revision"):
        evaluate(lambda _: "", limit=1, samples=1, answer_cache=tmp_path / "cache", output=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    metrics = evaluate(
        lambda _: "", limit=1, samples=1, answer_cache=tmp_path / "cache", name="a", revision="1"
    )
    assert metrics["answers"]["given"] == 1


def test_what_came_from_the_cache_is_neither_paid_nor_speed(tmp_path: Path) -> None:
    class Watching(Silent):
        def __init__(self) -> None:
            self.done, self.came = -1, 0

        def answering(self, *, total: int, done: int, written: Written = nothing_yet) -> None:
            self.done = done

        def answered(self, responses: Sequence[Response]) -> None:
            self.came += len(responses)

    run(Speaking(answering), FUNCTION, FEW, tmp_path / "one", cache=AnswerCache(tmp_path / "cache"))
    watch, path = Watching(), tmp_path / "two"
    more, cache = replace(FEW, samples=3), AnswerCache(tmp_path / "cache")
    metrics = run(Speaking(answering), FUNCTION, more, path, cache=cache, prices=(2.0, 10.0), watch=watch)
    assert (watch.done, watch.came) == (8, 4)
    assert metrics["answers"]["cached"] == {"answers": 8, "of": 12, "prompt_tokens": 24, "new_tokens": 32}
    assert metrics["costs"]["money"] == pytest.approx((12 * 2 + 16 * 10) / 1e6)
    for again in (metrics_of(path), judge_again(path)):
        assert (again["costs"], again["answers"]) == (metrics["costs"], metrics["answers"])


# --------------------------------------------------------------------------------------------- kept prompts


@pytest.mark.parametrize("name", ["faircode:function", "counterfactual"])
def test_a_folder_tells_all_that_was_asked(tmp_path: Path, name: str) -> None:
    suite = suite_of(name)
    model = Speaking(answering)
    choice = FEW if name != "counterfactual" else Choice(subjects=("model-driven",), samples=2)
    run(model, suite, choice, tmp_path / "run")
    kept = dict(prompts_of(read_run(tmp_path / "run")))
    assert kept == {one.prompt_hash: chat(one) for one in model.asked}
    assert {line["prompt"] for line in read_run(tmp_path / "run").responses()} == set(kept)
    before = (tmp_path / "run" / "requests.jsonl").read_bytes()
    run(Speaking(answering), suite, choice, tmp_path / "run", resume=True)
    assert (tmp_path / "run" / "requests.jsonl").read_bytes() == before


def test_a_run_without_kept_prompts_gets_them(tmp_path: Path) -> None:
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "run")
    file = tmp_path / "run" / "requests.jsonl"
    before = file.read_bytes()
    file.unlink()
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "run", resume=True)
    assert file.read_bytes() == before


def test_a_prompt_that_was_changed_is_noticed(tmp_path: Path) -> None:
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "run")
    file = tmp_path / "run" / "requests.jsonl"
    first, *more = file.read_text("utf-8").splitlines()
    others: tuple[Any, ...] = ([{"role": "user", "content": "Be nice."}], 3, [{}])
    for other in others:
        told = json.dumps({**json.loads(first), "messages": other})
        file.write_text("\n".join([told, *more, ""]), "utf-8")
        with pytest.raises(
            RunFolderError, match=r"requests.jsonl:1: (not the prompt that was asked|broken line: `messages)"
        ):
            run(Speaking(answering), FUNCTION, FEW, tmp_path / "run", resume=True)


def test_replayed_answers_have_the_prompts_that_are_known(tmp_path: Path) -> None:
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "run")
    evaluate(f"replay:{tmp_path}/run/responses.jsonl", output=tmp_path / "again")
    assert (tmp_path / "again" / "requests.jsonl").read_text() == ""


# ----------------------------------------------------------------------------------------------------- costs


def test_costs_are_kept_with_the_figures(tmp_path: Path) -> None:
    path = tmp_path / "run"
    metrics = run(Speaking(answering), FUNCTION, FEW, path, prices=(2.0, 10.0))
    assert metrics["costs"] == {
        "read": 2.0,
        "written": 10.0,
        "money": pytest.approx((24 * 2 + 32 * 10) / 1e6),
    }
    assert metrics_of(path)["costs"] == judge_again(path)["costs"] == metrics["costs"]
    larger = run(Speaking(answering), FUNCTION, replace(FEW, samples=4), path, resume=True)
    assert larger["costs"]["money"] == pytest.approx(2 * metrics["costs"]["money"])
    cheaper = run(
        Speaking(answering), FUNCTION, replace(FEW, samples=4), path, resume=True, prices=(0.0, 0.0)
    )
    assert cheaper["costs"] == {"read": 0.0, "written": 0.0, "money": 0.0}
    assert "costs" not in run(Speaking(answering), FUNCTION, FEW, tmp_path / "free")
