"""Runs in parts: every request in one of them, and put together as if there had been one."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import SUITES, Speaking, answering, measured_by_name

from fairlint import UsageError
from fairlint.backends.model import ModelError
from fairlint.backends.requests import key_of
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.asking.shards import Shard, group_of, requests_in, shard_of
from fairlint.bench.runs import merging
from fairlint.bench.runs.judged_runs import judge_again
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.mitigations import MITIGATIONS
from fairlint.bench.suites.suite import Selection
from fairlint.cli.bench import run as bench
from fairlint.processes import parallel
from fairlint.run_folders import jsonl, run_folder
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.support.records import replace

FUNCTION = suite_of("faircode:function")
FEW = Choice(samples=3, limit=6)
SLOW = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def _by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    measured_by_name(monkeypatch)


def parts(suite: Any, choice: Choice, of: int, place: Path) -> list[Path]:
    """All shards, each asked by a model of its own."""
    for part in range(1, of + 1):
        run(Speaking(answering), suite, replace(choice, shard=Shard(part, of)), place / str(part))
    return [place / str(part) for part in range(1, of + 1)]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def figures(folder: Path) -> str:
    return (folder / "metrics.json").read_text("utf-8")


def lines(file: Path) -> list[str]:
    return sorted(file.read_text("utf-8").splitlines())


def merge(paths: list[Path], output: Path, **more: Any) -> list[Path]:
    return merging.merge(merging.runs_of(paths), output, **more)


# -------------------------------------------------------------------------------------------- what is in them


@given(of=st.integers(1, 40), seed=st.integers(0, 3), samples=st.integers(1, 5))
@pytest.mark.parametrize("name", SUITES)
@settings(max_examples=5, deadline=None)
def test_each_request_is_in_one_part_and_stays_there(name: str, of: int, seed: int, samples: int) -> None:
    suite = suite_of(name)
    asked = suite.requests(Selection(samples=samples, limit=9, seed=seed))
    larger = suite.requests(Selection(samples=samples + 2, limit=12, seed=seed))
    found = [requests_in(Shard(part, of), asked, suite) for part in range(1, of + 1)]
    grown = [requests_in(Shard(part, of), larger, suite) for part in range(1, of + 1)]
    assert sorted(key_of(one) for part in found for one in part) == sorted(map(key_of, asked))
    for few, many in zip(found, grown, strict=True):
        assert set(map(key_of, few)) <= set(map(key_of, many))
    assert requests_in(None, asked, suite) == asked


def test_the_samples_of_a_prompt_take_turns() -> None:
    asked = FUNCTION.requests(Selection(samples=8, limit=5))
    for part in range(1, 5):
        assert len(requests_in(Shard(part, 4), asked, FUNCTION)) == len(asked) / 4


@pytest.mark.parametrize("mitigation", MITIGATIONS)
def test_conversations_that_are_shown_each_other_stay_together(mitigation: str) -> None:
    suite = suite_of("counterfactual", {"mitigation": mitigation})
    asked = suite.requests(Selection(samples=6))
    for part in range(1, 4):
        inside = {key_of(one) for one in requests_in(Shard(part, 3), asked, suite)}
        groups = {group_of(one, suite) for one in asked if key_of(one) in inside} - {""}
        assert all(key_of(one) in inside for one in asked if group_of(one, suite) in groups)
    assert bool(group_of(asked[0], suite)) is (mitigation in {"few-shot", "few-shot-cot"})


def test_a_suite_that_does_not_say_who_is_shown_whom_is_not_split() -> None:
    class Gossip:
        name = "gossip"

        def follow(self, *_: Any) -> None: ...

    asked = FUNCTION.requests(Selection(samples=2, limit=3))
    sizes = [len(requests_in(Shard(part, 3), asked, Gossip())) for part in (1, 2, 3)]  # type: ignore[arg-type]
    assert sorted(sizes) == [0, 0, 6]


@pytest.mark.parametrize("text", ["", "1", "0/4", "5/4", "1/0", "a/b", "1/4/2", "-1/4", "1/10000000"])
def test_what_is_no_part(text: str) -> None:
    with pytest.raises(ValueError, match="must be a part and the number of parts, as in 1/8 or 8/8, not"):
        shard_of(text)
    with pytest.raises(UsageError, match="--shard must be a part"):
        bench(["--shard", text, "--limit", "1"])


# ----------------------------------------------------------------------------------------------- put together


@SLOW
@given(of=st.integers(1, 16), samples=st.integers(1, 3), limit=st.integers(1, 5), order=st.randoms())
def test_any_split_gives_the_figures_of_one_run(of: int, samples: int, limit: int, order: Any) -> None:
    choice = Choice(samples=samples, limit=limit, seed=samples)
    with tempfile.TemporaryDirectory() as where:
        place = Path(where)
        run(Speaking(answering), FUNCTION, choice, place / "whole")
        paths = parts(FUNCTION, choice, of, place)
        order.shuffle(paths)
        assert merge(paths, place / "merged") == [place / "merged"]
        assert figures(place / "merged") == figures(place / "whole")
        for name in ("responses.jsonl", "outcomes.jsonl", "run.json"):
            assert lines(place / "merged" / name) == lines(place / "whole" / name)


@settings(parent=SLOW, max_examples=14)
@given(of=st.integers(1, 16), mitigation=st.sampled_from(("", *MITIGATIONS)), samples=st.integers(1, 4))
def test_any_split_of_conversations_gives_the_figures_of_one_run(
    of: int, mitigation: str, samples: int
) -> None:
    suite = suite_of("counterfactual", {"mitigation": mitigation} if mitigation else {})
    choice = Choice(scenarios=("adult", "german"), attributes=("gender", "age"), samples=samples, limit=9)
    with tempfile.TemporaryDirectory() as where:
        place = Path(where)
        run(Speaking(answering), suite, choice, place / "whole")
        merge(parts(suite, choice, of, place), place / "merged")
        assert figures(place / "merged") == figures(place / "whole")
        assert lines(place / "merged" / "responses.jsonl") == lines(place / "whole" / "responses.jsonl")


def test_costs_are_merged(tmp_path: Path) -> None:
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "whole", prices=(1.0, 3.0))
    for part in (1, 2):
        shard = replace(FEW, shard=Shard(part, 2))
        run(Speaking(answering), FUNCTION, shard, tmp_path / str(part), prices=(1.0, 3.0))
    merge([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")
    assert figures(tmp_path / "merged") == figures(tmp_path / "whole")
    assert '"money"' in figures(tmp_path / "merged")
    run(Speaking(answering), FUNCTION, shard, tmp_path / "2", prices=(0.0, 0.0), resume=True)
    merge([tmp_path / "1", tmp_path / "2"], tmp_path / "other")
    assert "costs" not in figures(tmp_path / "other")


def test_what_was_merged_is_a_run_like_any_other(tmp_path: Path) -> None:
    paths = parts(FUNCTION, FEW, 4, tmp_path)
    (merged,) = merge(paths, tmp_path / "merged")
    never = Speaking(answering, breaks_after=0)
    assert json.dumps(run(never, FUNCTION, FEW, merged, resume=True)) == json.dumps(
        json.loads(figures(merged))
    )
    assert never.asked == []
    assert {"report.html", "report.md", "scores.csv"} <= set(files(merged))


def test_parts_asked_by_the_command_line(tmp_path: Path) -> None:
    run(Speaking(answering), FUNCTION, FEW, tmp_path / "kept")
    asked = [
        "--model",
        f"replay:{tmp_path}/kept/responses.jsonl",
        "--samples",
        "3",
        "--limit",
        "6",
        "--quiet",
    ]
    assert bench([*asked, "--output", str(tmp_path / "whole")]) == 0
    for part in ("1/2", "2/2"):
        assert bench([*asked, "--shard", part, "--output", str(tmp_path / "parts")]) == 0
    names = sorted(path.name for path in (tmp_path / "parts").iterdir())
    assert names == [f"faircode-function-responses.jsonl-{part}-of-2" for part in (1, 2)]
    assert bench([*asked, "--shard", "1/2", "--output", str(tmp_path / "parts"), "--resume"]) == 0
    assert bench(["merge", str(tmp_path / "parts"), "--output", str(tmp_path / "merged")]) == 0
    assert figures(tmp_path / "merged") == figures(tmp_path / "whole")


def test_shards_of_several_models_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Other(Speaking):
        name = "others/model"

    for model, folder in ((Speaking, "a"), (Other, "b")):
        run(model(answering), FUNCTION, FEW, tmp_path / folder)
        for part in (1, 2, 3):
            where = tmp_path / "shards" / f"{folder}-{part}"
            run(model(answering), FUNCTION, replace(FEW, shard=Shard(part, 3)), where)
    assert bench(["merge", str(tmp_path / "shards"), "--output", str(tmp_path / "out")]) == 0
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == [
        "faircode-function-others-model", "faircode-function-speaking",
    ]  # fmt: skip
    assert figures(out / "faircode-function-speaking") == figures(tmp_path / "a")
    assert figures(out / "faircode-function-others-model") == figures(tmp_path / "b")
    told = capsys.readouterr().out
    assert "speaking" in told
    assert "others/model" in told


# -------------------------------------------------------------------------------------------- what is refused


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shards")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "can_be_fresh", lambda: False)
        parts(FUNCTION, FEW, 3, place)
        run(Speaking(answering), FUNCTION, FEW, place / "whole")
        run(Speaking(answering), FUNCTION, replace(FEW, seed=1, shard=Shard(2, 3)), place / "seeded")
        with pytest.raises(ModelError):
            run(
                Speaking(answering, breaks_after=2),
                FUNCTION,
                replace(FEW, shard=Shard(2, 3)),
                place / "broken-off",
            )
        shutil.copytree(place / "broken-off", place / "judged-early")
        judge_again(place / "judged-early")
        shutil.copytree(place / "2", place / "again")
        shutil.copytree(place / "2", place / "judged")
        old = json.loads(figures(place / "judged")) | {"fairlint": "0.0.1"}
        (place / "judged" / "metrics.json").write_text(json.dumps(old))
        shutil.copytree(place / "2", place / "published")
        run(
            Speaking(answering),
            FUNCTION,
            replace(FEW, shard=Shard(2, 3)),
            place / "published",
            resume=True,
            protocol="published",
        )
        shutil.copytree(place / "2", place / "odd")
        told = json.loads((place / "odd" / "run.json").read_text())
        told["options"]["shard"] = {"part": "2"}
        (place / "odd" / "run.json").write_text(json.dumps(told))
        (place / "strangers").mkdir()
        (place / "strangers" / "thesis.tex").write_text("mine")
    return place


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("1", "2"), r"speaking, faircode:function: shard 3/3 is missing"),
        (("1",), r"shard 2/3, 3/3 is missing"),
        (("1", "2", "3", "again"), r"2 and \S+again are both shard 2/3"),
        (("1", "whole"), r"whole: holds a whole run, not a shard of one: there is nothing to merge"),
        (("1", "seeded", "3"), r"1 and \S+seeded are shards of other settings: seed is 0 in the first, 1 in"),
        (
            ("1", "broken-off", "3"),
            r"broken-off: shard 2/3 is not finished \(2 of \d answers\): --resume goes",
        ),
        (("1", "judged-early", "3"), r"judged-early: shard 2/3 is not finished \(2 of \d answers\)"),
        (("1", "judged", "3"), r"judged: judged by fairlint 0.0.1, and this is .* fairlint bench judge"),
        (("1", "published", "3"), r"follow exact in \S+, published in \S+: name one with --protocol"),
        (("1", "odd", "3"), r"odd/run\.json: .*: `options\.shard\.of` is missing"),
        (("1", "strangers"), r"strangers: holds no run"),
        (("1", "nowhere"), r"nowhere: no such folder"),
        (("1", "2", "3", "3"), r"3 is named twice"),
    ],
)
def test_what_does_not_belong_together_is_refused_in_a_line(
    shards: Path, tmp_path: Path, names: tuple[str, ...], says: str
) -> None:
    before = files(shards)
    with pytest.raises(UsageError, match=says) as error:
        bench(["merge", *(str(shards / name) for name in names), "--output", str(tmp_path / "out")])
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []
    assert files(shards) == before


def test_nothing_is_written_over(shards: Path, tmp_path: Path) -> None:
    paths = [str(shards / name) for name in "123"]
    before = files(shards)
    for output, says in (
        (shards / "strangers", "holds thesis.tex"),
        (shards / "whole", "holds metrics.json"),
    ):
        with pytest.raises(UsageError, match=says):
            bench(["merge", *paths, "--output", str(output)])
    with pytest.raises(UsageError, match="needs --output"):
        bench(["merge", *paths])
    with pytest.raises(UsageError, match="takes the folders of shards"):
        bench(["merge"])
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file is there already: --output names another place"):
        bench(["merge", *paths, "--output", str(tmp_path / "file")])
    assert files(shards) == before


def test_the_protocol_can_be_named(shards: Path, tmp_path: Path) -> None:
    paths = [str(shards / name) for name in ("1", "published", "3")]
    (tmp_path / "out").mkdir()
    code = bench(["merge", *paths, "--output", str(tmp_path / "out"), "--protocol", "published"])
    assert (code, json.loads(figures(tmp_path / "out"))["protocol"]) == (0, "published")


@pytest.mark.parametrize("after", range(8))
def test_a_full_disk_leaves_nothing(
    shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """The disk is full at each of the places where something is brought to it."""
    left = [after]

    def full(_: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")

    for module in (jsonl, run_folder):
        monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises((UsageError, RunFolderError), match="No space left on device") as error:
        merge([shards / name for name in "123"], tmp_path / "out")
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_merge_left_is_in_nobody_s_way(shards: Path, tmp_path: Path) -> None:
    left = tmp_path / ".out.making" / "out"
    left.mkdir(parents=True)
    (left / "run.json").write_text("half of")
    merge([shards / name for name in "123"], tmp_path / "out")
    assert figures(tmp_path / "out") == figures(shards / "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_two_merges_into_one_folder(shards: Path, tmp_path: Path) -> None:
    workshop = tmp_path / ".out.making"
    workshop.mkdir()
    with run_folder.writing_alone(workshop), pytest.raises(RunFolderError, match="writes to this run folder"):
        merge([shards / name for name in "123"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
