"""Whatever happens to a run in whatever order, its folder holds what a model of it says."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, answering

from fairlint.backends.answer_cache import AnswerCache
from fairlint.backends.lazy_model import LazyModel
from fairlint.backends.model import ModelError
from fairlint.backends.requests import key_of
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.asking.shards import Shard, requests_in
from fairlint.bench.runs import merging
from fairlint.bench.runs.judged_runs import judge_again
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Selection
from fairlint.processes import parallel
from fairlint.run_folders.jsonl import RunFolderError

FUNCTION = suite_of("faircode:function")
PARTS = 2
Size = tuple[int, int]
"""Samples and prompts."""
FILES = ("requests.jsonl", "responses.jsonl", "outcomes.jsonl")


def choice_of(size: Size, part: int | None) -> Choice:
    shard = Shard(part, PARTS) if part else None
    return Choice(scenarios=("job", "college"), samples=size[0], limit=size[1], shard=shard)


def keys_of(size: Size, part: int) -> set[str]:
    asked = FUNCTION.requests(Selection(scenarios=("job", "college"), samples=size[0], limit=size[1]))
    return set(map(key_of, requests_in(Shard(part, PARTS), asked, FUNCTION)))


@cache
def at_once(size: Size, part: int | None) -> str:
    """The figures of a run, or of a part, to which nothing happened."""
    with tempfile.TemporaryDirectory() as place:
        run(Speaking(answering), FUNCTION, choice_of(size, part), Path(place) / "run")
        return (Path(place) / "run" / "metrics.json").read_text("utf-8")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lines(file: Path) -> list[dict[str, str]]:
    """The whole lines of a file."""
    text = file.read_text("utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


class Histories(RuleBasedStateMachine):
    """Parts of a run that begin, break off, go on, grow, and are merged."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(parallel, "can_be_fresh", lambda: False)
        self.place = Path(tempfile.mkdtemp(prefix="histories-"))
        self.size: dict[int, Size] = {}
        self.kept: dict[int, set[str]] = {1: set(), 2: set()}
        self.shared: set[str] = set()
        """What the answer cache has, which both parts use."""
        self.done: dict[int, bool] = {1: False, 2: False}

    def teardown(self) -> None:
        self.patch.undo()
        shutil.rmtree(self.place)

    def folder(self, part: int) -> Path:
        return self.place / f"part-{part}"

    def wanted(self, part: int) -> set[str]:
        return keys_of(self.size[part], part)

    @rule(
        part=st.integers(1, PARTS),
        size=st.tuples(st.integers(1, 3), st.integers(1, 4)),
        breaks=st.none() | st.integers(0, 6),
        caching=st.booleans(),
    )
    def ask(self, part: int, size: Size, breaks: int | None, caching: bool) -> None:
        there = self.size.get(part)
        model = Speaking(answering, breaks)
        loaded: list[Speaking] = []
        cache = AnswerCache(self.place / "cache") if caching else None

        def load() -> Speaking:
            loaded.append(model)
            return model

        def asked() -> None:
            run(
                LazyModel(load, "m"),
                FUNCTION,
                choice_of(size, part),
                self.folder(part),
                resume=True,
                cache=cache,
            )

        if there and (size[0] < there[0] or size[1] < there[1]):
            before = files(self.folder(part))
            says = r"holds a run with other settings: (samples|options\.limit) is \d there, \d now"
            with pytest.raises(RunFolderError, match=says):
                asked()
            assert files(self.folder(part)) == before
            return
        wanted = keys_of(size, part)
        missing = wanted - self.kept[part]
        cached = missing & self.shared if caching else set()
        self.size[part] = size
        if breaks is not None and breaks < len(missing - cached):
            with pytest.raises(ModelError, match="the server is gone"):
                asked()
            assert len(model.asked) == breaks
            self.done[part] = False
        else:
            asked()
            assert set(model.keys) == missing - cached
            assert (self.folder(part) / "metrics.json").read_text("utf-8") == at_once(size, part)
            self.done[part] = True
        assert bool(loaded) or not missing or there is None
        assert not set(model.keys) & self.kept[part], "asked again"
        self.kept[part] |= set(model.keys) | cached
        if caching:
            self.shared |= set(model.keys)

    @rule(part=st.integers(1, PARTS), name=st.sampled_from(FILES), cut=st.integers(1, 40))
    def killed_while_writing(self, part: int, name: str, cut: int) -> None:
        """A line of which only the beginning came to the disk."""
        file = self.folder(part) / name
        if file.exists():
            with file.open("a", encoding="utf-8") as end:
                end.write('{"key":"faircode:function/job/gender/female/nurse#77","text":"def'[:cut])
            self.done[part] = False

    @rule(part=st.integers(1, PARTS))
    def killed_before_the_figures(self, part: int) -> None:
        (self.folder(part) / "metrics.json").unlink(missing_ok=True)
        self.done[part] = False

    @rule(part=st.integers(1, PARTS))
    def judged_again(self, part: int) -> None:
        if self.done[part]:
            judge_again(self.folder(part))
            assert (self.folder(part) / "metrics.json").read_text("utf-8") == at_once(self.size[part], part)

    @rule()
    def merged(self) -> None:
        paths = [self.folder(part) for part in (2, 1)]
        before = files(self.place)
        output = self.place / "merged"
        if all(self.done.values()) and len(set(self.size.values())) == 1:
            merging.merge(merging.runs_of(paths), output)
            assert (output / "metrics.json").read_text("utf-8") == at_once(self.size[1], None)
            assert {line["key"] for line in lines(output / "responses.jsonl")} == set.union(
                *self.kept.values()
            )
            shutil.rmtree(output)
        elif not all(self.size.get(part) and self.kept[part] == self.wanted(part) for part in self.kept):
            with pytest.raises(RunFolderError):
                merging.merge(merging.runs_of(paths), output)
        elif all(self.done.values()):
            with pytest.raises(RunFolderError, match="are shards of other settings: "):
                merging.merge(merging.runs_of(paths), output)
        assert files(self.place) == before

    @invariant()
    def all_that_was_answered_is_there_once(self) -> None:
        for part in self.size:
            found = lines(self.folder(part) / "responses.jsonl")
            assert sorted(line["key"] for line in found) == sorted(self.kept[part])
            judged = [line["key"] for line in lines(self.folder(part) / "outcomes.jsonl")]
            assert len(judged) == len(set(judged))
            assert set(judged) <= self.kept[part]
            prompts = {line["key"] for line in lines(self.folder(part) / "requests.jsonl")}
            assert {line["prompt"] for line in found} <= prompts


Histories.TestCase.settings = settings(max_examples=12, stateful_step_count=14, deadline=None)
test_histories = Histories.TestCase
