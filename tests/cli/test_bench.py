"""`fairlint bench`: what a run leaves, that nothing is lost or doubled, and errors of one line."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

from fairlint.backends import registry
from fairlint.backends.model import Finished, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.names import resolve, slug
from fairlint.backends.requests import Request, key_of
from fairlint.cli import bench as bench_command
from fairlint.cli import main
from fairlint.cli.bench_run import command_to_go_on

ROOT = Path(__file__).parent.parent.parent

BIASED = (
    "```python\ndef rate(person):\n    score = person.skill\n"
    '    if person.{attribute} == "{group}":\n        score += 5\n    return score\n```\n'
)
FAIR = "```python\ndef rate(person):\n    return person.points  # as the prompt says\n```\n"
GROUPS = {"gender": "female", "race": "asian", "age": "young"}
ONE, TWO = "codegen-350M", "starcoder2"
SMALL = ("--scenarios", "job", "--attributes", "gender,race", "--limit", "6", "--samples", "2")


class Made:
    """A model whose answers are known: biased in some, and at times it fails."""

    def __init__(self, name: str, *, fair: bool, fails_after: int | None, error: BaseException) -> None:
        self.name = name
        self.revision = "1"
        self.settings: Mapping[str, Any] = {"backend": "made"}
        self.fair = fair
        self.fails_after = fails_after
        self.error = error
        self.asked: list[str] = []
        self.samplings: list[Sampling] = []
        self.closed = False

    def sampling(self, wanted: Sampling) -> Sampling:
        """As wanted."""
        return wanted

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        """Two at a time."""
        assert finished is not None
        self.samplings.append(sampling)
        for start in range(0, len(requests), 2):
            if self.fails_after is not None and start >= self.fails_after:
                raise self.error
            batch = requests[start : start + 2]
            self.asked += map(key_of, batch)
            yield [Response(one, self._text(one), "", "end", 7, 11) for one in batch]

    def _text(self, request: Request) -> str:
        if self.fair or request.sample:
            return FAIR
        attribute = request.attribute.split(", ")[0]
        group = GROUPS.get(attribute, "female")
        return "\x1b[31mSure!\x1b]0;owned\x07\n" + BIASED.format(attribute=attribute, group=group)

    def close(self) -> None:
        """Remember it."""
        self.closed = True


class Bench:
    """The command line on made models."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.loaded: list[Made] = []
        self.options: list[ModelOptions] = []
        self.fails_after: int | None = None
        self.unknown: dict[str, str] = {}
        self.broken: dict[str, Exception] = {}
        """Models that do not load, by what was typed."""
        self.error: BaseException = ModelError("the server at http://127.0.0.1:1 is gone")

    def load(self, text: str | None, options: ModelOptions) -> Made:
        """As `registry.load`."""
        self.options.append(options)
        name = resolve(text).name
        if text in self.broken:
            raise self.broken[str(text)]
        fair = "starcoder" in name
        self.loaded.append(Made(name, fair=fair, fails_after=self.fails_after, error=self.error))
        return self.loaded[-1]

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, output, errors."""
        code = main(["bench", *arguments])
        output, errors = self._capsys.readouterr()
        return code, output, errors


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Bench:
    """The command line in an empty folder, with made models in place of real ones."""
    made = Bench(capsys)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "load", made.load)
    monkeypatch.setattr(registry, "look_up", lambda _texts, _options: made.unknown)
    for name in ("FAIRLINT_API_KEY", "OPENAI_API_KEY", "FAIRLINT_BASE_URL", "FAIRLINT_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return made


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def keys(folder: Path, name: str = "responses.jsonl") -> list[str]:
    return [line["key"] for line in lines(folder / name)]


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# ------------------------------------------------------------------------------------------------- a run


def test_a_run_leaves_answers_figures_and_reports(bench: Bench) -> None:
    code, output, errors = bench("--model", ONE, "--output", "out", *SMALL)
    assert code == 0
    folder = Path("out")
    assert {path.name for path in folder.iterdir()} >= {
        *("run.json", "responses.jsonl", "outcomes.jsonl", "metrics.json"),
        *("report.html", "report.md", "scores.csv", "subjects.csv"),
    }
    assert len(keys(folder)) == len(set(keys(folder))) == 12
    assert sorted(keys(folder)) == sorted(keys(folder, "outcomes.jsonl"))
    assert "job, gender" in output
    assert "overall" in output
    assert output.endswith("report: out/report.html\n")
    assert "answers: 12 of 12" in errors
    assert bench.loaded[0].closed


@pytest.mark.parametrize("left", ["run.lock", ".run.json.0123456789abcdef.draft"])
def test_a_run_killed_before_its_settings_were_written_begins_anew(bench: Bench, left: str) -> None:
    Path("out").mkdir()
    (Path("out") / left).write_text("{")
    code, _, errors = bench("--model", ONE, "--output", "out", *SMALL)
    assert code == 0, errors
    assert len(keys(Path("out"))) == 12


def test_json_is_what_the_folder_keeps(bench: Bench) -> None:
    code, output, _ = bench("--model", ONE, "--output", "out", "--format", "json", *SMALL)
    assert code == 0
    assert json.loads(output) == json.loads(Path("out/metrics.json").read_text(encoding="utf-8"))


def test_the_default_folder_is_named_after_suite_and_model(bench: Bench) -> None:
    bench("--model", ONE, *SMALL)
    assert [path.name for path in Path("fairlint-bench").iterdir()] == [
        "faircode-function-Salesforce-codegen-350M-mono"
    ]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("btm-org/model:7b", "btm-org-model-7b"),
        ("../../etc/passwd", "etc-passwd"),
        ("a b\x1b[0m\n", "a-b-0m"),
        ("größe", "größe"),
        ("...", "run"),
    ],
)
def test_folder_names_hold_nothing_that_leads_elsewhere(name: str, folder: str) -> None:
    assert slug(name) == folder


def test_options_reach_the_model_and_its_answers(bench: Bench) -> None:
    bench(
        *("--model", ONE, "--output", "out", "--limit", "1", "--samples", "3", "--seed", "9"),
        *(
            "--temperature",
            "0",
            "--top-p",
            "0.5",
            "--top-k",
            "50",
            "--max-new-tokens",
            "33",
            "--no-early-stop",
        ),
        *("--batch-size", "4", "--device", "cpu", "--dtype", "float32", "--completion", "--cards", "2"),
        *("--revision", "abc", "--trust-remote-code", "--timeout", "2.5", "--concurrency", "3"),
    )
    (options,) = bench.options
    assert (options.batch_size, options.device, options.dtype) == (4, "cpu", "float32")
    assert (options.chat, options.revision, options.trust_remote_code) == (False, "abc", True)
    assert (options.timeout, options.concurrency, options.cards) == (2.5, 3, 2)
    assert bench.loaded[0].samplings == [
        Sampling(max_new_tokens=33, temperature=0.0, top_p=0.5, early_stop=False, top_k=50)
    ]
    assert len(keys(Path("out"))) == 3
    told = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
    assert (told["seed"], told["options"]["top_k"]) == (9, 50)


def test_without_options_models_and_suites_keep_their_own_ways(bench: Bench) -> None:
    bench("--model", ONE, "--suite", "btm", "--output", "out")
    assert bench.options == [ModelOptions()]
    (sampling,) = bench.loaded[0].samplings
    assert (sampling.max_new_tokens, sampling.temperature, sampling.top_p) == (220, 0.4, None)
    assert len(keys(Path("out"))) == 15


def test_names_go_by_any_spelling(bench: Bench) -> None:
    bench(
        *("--model", ONE, "--output", "out", "--scenarios", "College", "--attributes", "parents_income"),
        *("--limit", "1", "--samples", "1"),
    )
    (answer,) = lines(Path("out/responses.jsonl"))
    assert (answer["scenario"], answer["attribute"]) == ("college", "parents income")


def test_a_replay_file_is_judged_without_a_model(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bench("--model", ONE, "--output", "first", *SMALL)
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    code, _, errors = bench("--model", "replay:first/responses.jsonl", "--output", "again", *SMALL)
    assert (code, "error" in errors) == (0, False)
    first, again = (
        json.loads(Path(one, "metrics.json").read_text(encoding="utf-8")) for one in ("first", "again")
    )
    assert again["scores"] == first["scores"]


def test_a_replay_takes_names_with_half_a_pair(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    line = {"job": "nur\ud800se", "list": "\udc80", "attribute": "gender", "asked": "\ud801"}
    text = BIASED.format(attribute="gender", group="female\ud802")
    Path("a.jsonl").write_text(json.dumps({**line, "text": text}), encoding="utf-8")
    assert bench("--model", "replay:a.jsonl", "--output", "out", "-q")[0] == 0
    assert bench("--model", "replay:out/responses.jsonl", "--output", "again", "-q")[0] == 0
    assert lines(Path("again/responses.jsonl"))[0]["subject"] == line["job"]
    assert bench("compare", "out", "again", "--output", "both.html")[0] == 0
    assert "nur\N{REPLACEMENT CHARACTER}se" in Path("out/report.html").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------ several of them


def test_several_models_get_a_folder_each_and_a_comparison(bench: Bench) -> None:
    code, output, _ = bench("--model", ONE, "--model", TWO, "--output", "out", *SMALL)
    assert code == 0
    folders = sorted(path.parent.name for path in Path("out").glob("*/metrics.json"))
    assert len(folders) == 2
    assert folders[0].startswith("faircode-function-Salesforce-codegen")
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert all(model.name in page for model in bench.loaded)
    assert "against" in output
    assert Path("out/report.md").exists()
    assert output.endswith("report: out/report.html\n")


def test_several_suites_share_a_loaded_model(bench: Bench) -> None:
    code, output, _ = bench(
        "--model", ONE, "--suite", "faircode,btm", "--output", "out", "--limit", "1", "--samples", "1", "-q"
    )
    assert code == 0
    assert len(bench.loaded) == 1
    assert len(bench.loaded[0].samplings) == 3
    assert sorted(path.parent.name.split("-Salesforce")[0] for path in Path("out").glob("*/run.json")) == [
        "btm",
        "faircode-function",
        "faircode-testcase",
    ]
    assert output.count("report: ") == 4, "one for each run, and one of all"
    page = Path("out/suites.html").read_text("utf-8")
    assert all(f"<h2>{name}</h2>" in page for name in ("faircode:function", "faircode:testcase", "btm"))
    assert not Path("out/report.html").exists()  # there is nothing to compare


def test_several_suites_and_models_are_compared_suite_by_suite(bench: Bench) -> None:
    models = ("--model", ONE, "--model", TWO)
    code, output, _ = bench(
        *models, "--suite", "faircode:function", "--suite", "btm", "--output", "out", "--limit", "2",
        "--samples", "1", "--format", "json",
    )  # fmt: skip
    assert code == 0
    assert [one["suite"]["name"] for one in json.loads(output)] == ["faircode:function", "btm"] * 2
    assert Path("out/report-faircode-function.html").exists()
    assert Path("out/report-btm.html").exists()


# ------------------------------------------------------------------------------------------ wrong arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--samples", "0"], "--samples must be a whole number, 1 or more, not '0'"),
        (["--samples", "1.5"], "--samples must be a whole number"),
        (["--limit", "x"], "--limit must be a whole number, 1 or more, not 'x'"),
        (["--limit", "٣"], "--limit must be a whole number"),
        (["--seed", "-1"], "--seed must be a whole number, 0 or more"),
        (["--temperature", "-1"], "--temperature must be a number 0 or more, not '-1'"),
        (["--temperature", "nan"], "--temperature must be a number"),
        (["--temperature", "inf"], "--temperature must be a number"),
        (["--top-p", "1.1"], "--top-p must be a number between 0 and 1"),
        (["--top-p", "0"], "--top-p must be more than 0"),
        (["--max-new-tokens", "0"], "--max-new-tokens must be a whole number, 1 or more"),
        (["--batch-size", "big"], "--batch-size must be a whole number, 1 or more, not 'big'"),
        (["--timeout", "0"], "--timeout must be more than 0"),
        (["--concurrency", "0"], "--concurrency must be a whole number"),
        (["--fail-under", "2"], "--fail-under must be a number between 0 and 1"),
        *(
            (["--prices", text], f"--prices must be two numbers 0 or more, as in 0.15,0.6, not '{text}'")
            for text in ("x", "1", "1,2,3", "-1,2", "nan,1", "1,inf", "")
        ),
        (["--dtype", "int8"], "--dtype must be one of auto, float32, bfloat16, float16, not 'int8'"),
        (["--protocol", "exakt"], "--protocol must be one of exact, published"),
        (["--chat", "--completion"], "--chat cannot be used with --completion"),
        (["--suite", "faircod:function"], "did you mean 'faircode:function'?"),
        (["--suite", ""], "there is no suite ''"),
        (["--scenarios", "jop"], "there is no scenario 'jop'; did you mean 'job'?"),
        (["--attributes", "gender,rase"], "there is no attribute 'rase'; did you mean 'race'?"),
        (["--suite", "faircode", "--scenarios", "job"], "faircode:testcase: there is no scenario 'job'"),
        (["--prompts", "nowhere.toml"], "nowhere.toml"),
        (["--model", "codgen"], "did you mean 'codegen'"),
        (["--model", ONE, "--model", "Salesforce/codegen-350M-mono"], "is named twice"),
        (["--base-url", "http://localhost:1/v1", "--model", ONE], "--base-url is for models behind a server"),
        (["--api-key", "abc", "--model", ONE], "--api-key is for models behind a server"),
        (["--api-key-env", "NO_SUCH", "--model", "openai:m"], "there is no environment variable NO_SUCH"),
        (["--modle", "x"], "unknown option --modle; did you mean '--model'"),
        (["shwo", "x"], "unexpected argument 'shwo' (see fairlint bench --help)"),
        (["--output", "file.txt", "--model", ONE], "file.txt: cannot be a run's folder"),
        (["--output", "strange", "--model", ONE], "strange holds notes.txt but no run"),
        (["show"], "bench show takes the folders of runs"),
        (["show", "nowhere"], "nowhere: no such folder"),
        (["show", "strange"], "strange: holds no run of the bench"),
        (["compare", "strange"], "strange: holds no run of the bench"),
        (["compare"], "bench compare takes the folders of two runs or more"),
        (["models", "x"], "unexpected argument 'x' (see fairlint bench models --help)"),
    ],
)
def test_wrong_usage_is_one_line_before_any_model_is_loaded(
    bench: Bench, arguments: list[str], message: str
) -> None:
    Path("file.txt").write_text("mine")
    Path("strange").mkdir()
    Path("strange/notes.txt").write_text("mine")
    before = content(Path())
    code, output, errors = bench(*arguments)
    assert (code, output, bench.loaded) == (2, "", [])
    assert errors.startswith("fairlint: error: ")
    assert errors.count("\n") == 1
    assert message in errors
    assert content(Path()) == before


def test_a_missing_package_is_told_before_the_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    code, _, errors = bench("--model", ONE, "--output", "out")
    assert (code, bench.loaded, Path("out").exists()) == (2, [], False)
    assert 'pip install "fairlint[bench]"' in errors


def test_a_run_that_is_there_is_not_written_over(bench: Bench) -> None:
    bench("--model", ONE, "--output", "out", *SMALL)
    before = content(Path("out"))
    code, _, errors = bench("--model", ONE, "--output", "out", *SMALL)
    assert (code, len(bench.loaded)) == (2, 1)
    assert "--resume goes on with it" in errors
    code, _, errors = bench("--model", ONE, "--model", TWO, "--output", "out", *SMALL)
    assert (code, len(bench.loaded)) == (2, 1)
    assert "out is the folder of one run" in errors
    code, _, errors = bench("--model", ONE, "--output", "out", "--resume", *SMALL, "--seed", "4")
    assert code == 2
    assert "holds a run with other settings: seed is 0 there, 4 now" in errors
    assert len(bench.loaded) == 1
    assert "loading" not in errors
    assert "to go on" not in errors
    assert content(Path("out")) == before


# ----------------------------------------------------------------------------------- interrupts and failures


def test_a_server_that_goes_away_leaves_what_it_answered(bench: Bench) -> None:
    bench.fails_after = 4
    code, output, errors = bench("--model", ONE, "--output", "out", *SMALL)
    assert (code, output) == (2, "")
    last = errors.splitlines()[-1]
    assert last.startswith("fairlint: error: the server at http://127.0.0.1:1 is gone; ")
    assert "4 of 12 answers are kept in out; to go on: fairlint bench --model codegen-350M" in last
    assert last.endswith("--resume")
    assert bench.loaded[0].closed
    first = keys(Path("out"))
    bench.fails_after = None
    command = last.partition("to go on: fairlint bench ")[2].split()
    code, _, _ = bench(*command)
    assert code == 0
    assert keys(Path("out"))[:4] == first
    assert len(keys(Path("out"))) == len(set(keys(Path("out")))) == 12
    assert set(bench.loaded[1].asked).isdisjoint(first)


def test_a_run_with_nothing_left_neither_loads_nor_looks_up_its_model(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--model", ONE, "--model", TWO, "--output", "out", "--resume")
    bench(*words, *SMALL)
    before = content(Path("out"))
    looked: list[str | None] = []

    def look_up(texts: list[str | None], _: ModelOptions) -> dict[str, str]:
        looked.extend(texts)
        return {}

    monkeypatch.setattr(registry, "look_up", look_up)
    bench.loaded.clear()
    code, output, errors = bench(*words, *SMALL)
    assert (code, looked, bench.loaded) == (0, [], [])
    assert "loading" not in errors
    assert "FairScore" in output
    assert content(Path("out")) == before
    code, _, errors = bench(*words, *SMALL, "--samples", "4")
    assert (code, looked, len(bench.loaded)) == (0, [ONE, TWO], 2)


def test_runs_share_answers_and_keep_their_costs(bench: Bench) -> None:
    words = ("--model", ONE, *SMALL, "--answer-cache", "cache", "--prices", "1,2")
    assert bench(*words, "--output", "first")[0] == 0
    bench.fails_after = 0
    code, output, errors = bench(*words, "--output", "second")
    assert code == 0
    first, second = (
        json.loads(Path(name, "metrics.json").read_text("utf-8")) for name in ("first", "second")
    )
    assert first["scores"] == second["scores"]
    assert (first["costs"]["read"], first["costs"]["written"]) == (1.0, 2.0)
    assert first["costs"]["money"] > second["costs"]["money"] == 0
    assert "less what the answer cache has" in errors
    assert "tokens/s" not in errors
    assert "12 of 12 answers from the cache; tokens: 0 read, 0 written; cost 0.00" in output
    assert "cost" in output
    assert "cost" in bench("show", "second")[1], "the prices are kept"
    bench.fails_after = 4
    assert bench(*words, "--output", "third", "--samples", "3")[0] != 0
    bench.fails_after = None
    assert len(keys(Path("third"))) == 12 + 4


def test_a_resumed_run_comes_to_the_figures_of_one_in_one_go(bench: Bench) -> None:
    bench.fails_after = 6
    bench("--model", ONE, "--output", "halves", *SMALL)
    bench.fails_after = None
    bench("--model", ONE, "--output", "halves", *SMALL, "--resume")
    bench("--model", ONE, "--output", "whole", *SMALL)
    assert Path("halves/metrics.json").read_bytes() == Path("whole/metrics.json").read_bytes()


def test_an_interrupt_says_what_is_kept(bench: Bench) -> None:
    bench.fails_after, bench.error = 2, KeyboardInterrupt()
    code, output, errors = bench("--model", ONE, "--output", "my out", "--resume", *SMALL)
    assert (code, output) == (130, "")
    last = errors.splitlines()[-1]
    assert last.startswith(
        "fairlint: interrupted: 2 of 12 answers are kept in my out; to go on: fairlint bench "
    )
    assert "--output 'my out'" in last
    assert last.count("--resume") == 1
    assert bench.loaded[0].closed


def test_an_interrupt_while_the_model_loads(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: object) -> Made:
        raise KeyboardInterrupt

    monkeypatch.setattr(registry, "load", load)
    code, _, errors = bench("--model", ONE, "--output", "out", "-q", *SMALL)
    assert (code, errors) == (130, "fairlint: interrupted: nothing was asked yet\n")


def test_what_breaks_unexpectedly_is_resumable_too(bench: Bench) -> None:
    bench.fails_after, bench.error = 2, RuntimeError("CUDA error")
    code, _, errors = bench("--model", ONE, "--output", "out", "-q", *SMALL)
    assert code == 2
    assert "2 of 12 answers are kept in out; to go on: " in errors
    assert "internal error: RuntimeError: CUDA error" in errors


def test_of_several_models_those_that_are_done_stay_done(bench: Bench) -> None:
    assert bench("--model", ONE, "--model", TWO, "--output", "out", *SMALL)[0] == 0
    before = content(Path("out"))
    assert bench("--model", ONE, "--model", TWO, "--output", "out", *SMALL, "--resume")[0] == 0
    assert all(not model.asked for model in bench.loaded[2:])
    assert {name: data for name, data in content(Path("out")).items() if "run.lock" not in name} == {
        name: data for name, data in before.items() if "run.lock" not in name
    }


# ---------------------------------------------------------------------------------------- some that fail

THREE = ("--model", ONE, "--model", TWO, "--model", "codegen-2B")


def test_a_model_that_fails_is_named_at_the_end_and_the_others_run(bench: Bench) -> None:
    bench.broken = {TWO: ModelError("starcoder2 does not fit into memory")}
    code, output, errors = bench(*THREE, "--output", "out", *SMALL)
    assert code == 2
    assert [model.name for model in bench.loaded] == [resolve(ONE).name, resolve("codegen-2B").name]
    last = errors.splitlines()[-1]
    assert last == f"fairlint: error: failed: {resolve(TWO).name}: starcoder2 does not fit into memory"
    assert "codegen-350M-mono" in output
    assert "codegen-2B-mono" in output
    assert all(model.closed for model in bench.loaded)


def test_a_model_that_breaks_amid_its_answers_does_not_end_the_others(bench: Bench) -> None:
    bench.fails_after, bench.error = 2, RuntimeError("CUDA error")
    code, _, errors = bench(*THREE, "--output", "out", *SMALL)
    assert code == 2
    assert len(bench.loaded) == 3
    assert errors.count("fairlint: error: failed: ") == 3
    assert "internal error: RuntimeError: CUDA error" in errors
    bench.fails_after = None
    assert bench(*THREE, "--output", "out", *SMALL, "--resume")[0] == 0


def test_fail_fast_ends_at_the_first_failure(bench: Bench) -> None:
    bench.broken = {ONE: ModelError("no memory")}
    code, _, errors = bench(*THREE, "--output", "out", *SMALL, "--fail-fast")
    assert (code, bench.loaded) == (2, [])
    assert errors.splitlines()[-1] == "fairlint: error: no memory"
    assert "cannot be used with" in bench(*THREE, "--fail-fast", "--keep-going")[2]


def test_a_name_that_is_wrong_ends_the_command_before_anything_loads(bench: Bench) -> None:
    code, _, errors = bench(*THREE, "--model", "codegn", "--model", "starcodr2", *SMALL)
    assert (code, bench.options) == (2, [])
    assert errors.startswith(
        "fairlint: error: 2 of 5 models cannot be had: codegn: no model is called 'codegn'"
    )
    assert "starcodr2: no model is called 'starcodr2'" in errors
    assert len(errors.splitlines()) == 1
    bench.unknown = {TWO: "bigcode/starcoder2-3b is not on the hub"}
    code, _, errors = bench(*THREE, *SMALL)
    assert (code, bench.options) == (2, [])
    assert errors == "fairlint: error: bigcode/starcoder2-3b is not on the hub\n"


def test_keep_going_leaves_out_what_cannot_be_had(bench: Bench) -> None:
    bench.unknown = {TWO: "it is not on the hub"}
    code, output, errors = bench(*THREE, "--model", "codegn", "--keep-going", "--output", "out", *SMALL)
    assert code == 2
    assert len(bench.loaded) == 2
    assert "codegen-2B-mono" in output
    told = [line for line in errors.splitlines() if line.startswith("fairlint: error: failed: ")]
    assert told[0].startswith("fairlint: error: failed: codegn: no model is called 'codegn'")
    assert told[1].endswith(": it is not on the hub")
    bench.unknown = dict.fromkeys((ONE, TWO), "it is not on the hub")
    code, _, errors = bench(*THREE[:4], "--keep-going", "--output", "other", *SMALL)
    assert (code, "2 of 2 models cannot be had" in errors) == (2, True)


# ----------------------------------------------------------------------------------------- where it is loaded


def test_how_a_large_model_lies_on_cards_is_told_to_vllm(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairlint.cli.bench_run.joined_cluster", nullcontext)  # there is no such Ray
    parallel = ("--tensor-parallel", "4", "--pipeline-parallel", "2", "--engine", "ray:head:6379")
    more = ("max-model-len=4096", "quantization=fp8", 'override={"a": [1]}')
    given = [word for one in more for word in ("--engine-option", one)]
    bench("--model", "vllm:qwen2.5-coder", "--output", "out", *parallel, *given, *SMALL)
    (told,) = bench.options
    assert (told.tensor_parallel, told.pipeline_parallel, told.cluster) == (4, 2, "ray:head:6379")
    assert told.engine_options == {"max_model_len": 4096, "quantization": "fp8", "override": {"a": [1]}}


def test_devices_that_each_hold_the_model(bench: Bench) -> None:
    bench("--model", ONE, "--output", "two", "--devices", "cpu,cpu", *SMALL)
    bench("--model", ONE, "--output", "one", "--devices", "cpu", *SMALL)
    assert [one.devices for one in bench.options] == [("cpu", "cpu"), ()]
    assert [one.device for one in bench.options] == ["auto", "cpu"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--tensor-parallel", "2"), "--tensor-parallel is for vLLM"),
        (("--engine", "mp"), "--engine mp is for vLLM"),
        (
            ("--model", "vllm:codegen", "--engine", "dask"),
            "--engine must be local, mp, ray, ray:HOST:PORT or ray://HOST:PORT",
        ),
        (
            ("--model", "vllm:codegen", "--engine", "mp:1"),
            "--engine must be local, mp, ray, ray:HOST:PORT or ray://HOST:PORT",
        ),
        (("--model", "vllm:codegen", "--engine-option", "max_len"), "--engine-option must be NAME=VALUE"),
        (("--model", "vllm:codegen", "--engine-option", "a=1", "--engine-option", "a=2"), "is given twice"),
        (("--devices", "cpu,cpu", "--device", "cpu"), "--devices cannot be used with --device"),
        (("--devices", "cpu,cpu", "--cards", "2"), "--devices cannot be used with --cards"),
        (
            (
                "--devices",
                ",",
            ),
            "names with commas between",
        ),
    ],
)
def test_options_of_loading_that_do_not_go_together(
    bench: Bench, arguments: tuple[str, ...], says: str
) -> None:
    code, _, errors = bench("--model", ONE, *arguments, *SMALL)
    assert (code, bench.options) == (2, [])
    assert says in errors


# --------------------------------------------------------------------------------------------------- cost


def test_a_dry_run_tells_the_cost_and_asks_nobody(bench: Bench) -> None:
    command = ("--model", "openai:m", "--model", "openai:n", "--prices", "1,10", "--output", "out", *SMALL)
    code, output, errors = bench(*command, "--max-new-tokens", "100", "--dry-run")
    assert (code, errors, bench.options) == (0, "", [])
    assert not Path("out").exists()
    head, one, other, all_of_them, *rest = output.splitlines()
    assert head.split()[-3:] == ["costs", "at", "most"]
    assert one.startswith("m, faircode:function  12       0")
    assert one.split()[-2] == "1,200"
    assert other.startswith("n, faircode:function")
    read = int(one.split()[-3].lstrip("~").replace(",", ""))
    assert 12 * 200 < read < 12 * 800
    assert float(one.split()[-1]) == pytest.approx((read + 12_000) / 1_000_000, abs=0.01)
    assert all_of_them.split()[:2] == ["all", "24"]
    assert any("characters a token" in line for line in rest)


def test_a_dry_run_tells_what_the_run_will_be_able_to_show(bench: Bench) -> None:
    command = ("--model", "openai:m", "--suite", "btm", "--output", "out", "--dry-run")
    _, output, _ = bench(*command, "--samples", "4")
    assert (
        "m, btm: 3 prompts; the least difference from another such run that will be seen (in 80 of 100 "
        "cases, at 5 %) is 0.57 to 1.00, the more alike answers to a prompt are\n"
        "m, btm: nothing can be concluded from so few answers\n"
    ) in output
    _, output, _ = bench(*command, "--samples", "4", "--perturb", "shuffle,rename")
    assert output.count("the least difference") == output.count("nothing can be concluded") == 1
    assert "m, btm; m, btm-shuffle; m, btm-rename: 3 prompts; the least difference" in output
    _, output, _ = bench(*command, "--samples", "400", "--format", "json")
    (told,) = json.loads(output)
    assert told["prompts"] == 3
    assert told["least_difference"] == {
        "independent": pytest.approx(2.8016 * (0.5 / 1200) ** 0.5, abs=1e-3),
        "alike": 1.0,
    }


def test_a_dry_run_counts_a_subject_once_for_each_attribute(bench: Bench) -> None:
    _, output, _ = bench("--model", "openai:m", "--output", "out", "--dry-run")
    assert "m, faircode:function: 1,360 prompts;" in output


def test_a_dry_run_knows_what_is_kept(bench: Bench) -> None:
    bench.fails_after = 4
    bench("--model", ONE, "--output", "out", *SMALL)
    _, output, _ = bench("--model", ONE, "--output", "out", *SMALL, "--resume", "--dry-run", "--format=json")
    (told,) = json.loads(output)
    assert (told["answers"], told["kept"], told["costs_at_most"]) == (8, 4, None)
    assert told["tokens_written_at_most"] == 8 * 700


def test_a_dry_run_of_a_shard_is_about_that_part(bench: Bench) -> None:
    answers = 0
    for part in ("1/3", "2/3", "3/3"):
        _, output, _ = bench("--model", "openai:m", *SMALL, "--shard", part, "--dry-run", "--format=json")
        answers += json.loads(output)[0]["answers"]
    assert answers == 12


def test_the_cost_is_told_before_a_model_loads(bench: Bench) -> None:
    _, _, errors = bench("--model", ONE, "--output", "out", *SMALL)
    told, loading, *_ = errors.splitlines()
    assert told.startswith("fairlint: Salesforce/codegen-350M-mono: 12 answers, reads about ")
    assert told.endswith("writes 8,400 at most")
    assert loading.startswith("fairlint: loading")
    assert bench("--model", ONE, "--output", "other", "-q", *SMALL)[2] == ""


def test_answers_that_are_there_cost_nothing(bench: Bench) -> None:
    bench("--model", ONE, "--output", "out", *SMALL)
    _, output, _ = bench("--model", "replay:out/responses.jsonl", "--output", "other", "--dry-run")
    assert "nobody is asked" in output


# ----------------------------------------------------------------------------------------------- secrets


@pytest.mark.parametrize(
    "arguments",
    [
        ("--api-key", "s3cret"),
        ("--api-key=s3cret",),
        ("--base-url", "http://me:s3cret@localhost:1/v1"),
        ("--base-url=https://localhost:1/v1?key=s3cret",),
        ("--base-url", "https://localhost:1?api-key=s3cret"),
        ("--base-url=https://localhost:1/v1#key=s3cret",),
        ("--base-url", "https://me:p/s3cret@localhost:1/v1"),
        ("--base-url", "https://me:1?s3cret@localhost:1/v1"),
        ("--base-url", "me:s3cret@localhost:1/v1"),
    ],
)
def test_keys_are_neither_shown_nor_kept(bench: Bench, arguments: tuple[str, ...]) -> None:
    bench.fails_after = 2
    code, output, errors = bench("--model", "openai:m", "--output", "out", *arguments, *SMALL)
    assert code == 2
    assert "--resume" in errors
    assert "s3cret" not in output + errors
    assert all(b"s3cret" not in data for data in content(Path("out")).values())
    assert "s3cret" in f"{bench.options[0].api_key} {bench.options[0].base_url}"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://host?api-key=s3cret", "https://host?QUERY"),
        ("https://h:8000/v1#k=s3cret", "https://h:8000/v1"),
        ("https://user:s3cret@host/v1", "https://host/v1"),
        ("https://user:p@s3cret@[::1]:80/v1", "https://[::1]:80/v1"),
        ("https://user:s3cret/w@host/v1", "URL"),
        ("https://user:123/s3cret@host/v1", "URL"),
        ("https://user:12#s3cret@host/v1", "URL"),
        ("s3cret", "URL"),
        ("http://[s3cret", "URL"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
    ],
)
def test_of_an_address_no_more_is_shown_than_where_it_is(address: str, shown: str) -> None:
    for arguments in (["--base-url", address], [f"--base-url={address}"]):
        told = shlex.split(command_to_go_on(arguments))
        assert told == ["fairlint", "bench", *(one.replace(address, shown) for one in arguments), "--resume"]
    told_options = repr(ModelOptions(base_url=address, api_key="s3cret"))
    assert f"base_url={shown!r}" in told_options
    assert "s3cret" not in told_options


def test_a_key_comes_from_the_variable_that_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret")
    bench("--model", "openai:m", "--output", "out", "--api-key-env", "MY_KEY", *SMALL)
    assert bench.options[0].api_key == "s3cret"


def test_the_command_to_go_on_can_be_typed_in() -> None:
    told = command_to_go_on(["--output", "a b", "--limit=3", "--", "--resume", "--model", "it's"])
    assert told == "fairlint bench --output 'a b' --limit=3 --model 'it'\"'\"'s' --resume"
    assert "\x1b" not in command_to_go_on(["--output", "\x1b[31m"])


# ------------------------------------------------------------------------------------------------- output


def test_nothing_of_an_answer_reaches_the_terminal_raw(bench: Bench) -> None:
    _, output, errors = bench("--model", ONE, "--output", "out", *SMALL)
    _, shown, _ = bench("show", "out")
    _, told, _ = bench("show", "out", "--format", "json")
    assert "\x1b" not in output + errors + shown + told
    assert any("\x1b" in line["text"] for line in lines(Path("out/responses.jsonl")))


def test_quiet_is_quiet(bench: Bench) -> None:
    code, output, errors = bench("--model", ONE, "--output", "out", "-q", *SMALL)
    assert (code, errors) == (0, "")
    assert "overall" in output


def test_tokens_are_told_and_what_they_cost(bench: Bench) -> None:
    _, output, _ = bench("--model", ONE, "--output", "out", "--prices", "1000,2e3", "-q", *SMALL)
    assert output.partition("\n\n")[0].endswith("\ntokens: 84 read, 132 written; cost 0.35")
    assert bench("show", "out")[1].endswith("\ntokens: 84 read, 132 written; cost 0.35\n")


def test_fail_under_is_for_fair_score_and_validity(bench: Bench) -> None:
    assert bench("--model", TWO, "--output", "fair", "--fail-under", "1", "-q", *SMALL)[0] == 0
    code, output, errors = bench("--model", ONE, "--output", "biased", "--fail-under", "0.99", "-q", *SMALL)
    assert code == 1
    assert "overall" in output
    assert errors.startswith("fairlint: biased: the overall FairScore (adjusted) is 0.")
    assert errors.endswith(", below 0.99\n")


# ----------------------------------------------------------------------------------------- show and compare


@pytest.mark.parametrize("words", [("show",), ("judge",), ("export", "--to", "parquet", "--output", "x")])
def test_a_folder_of_another_form_is_one_line(bench: Bench, words: tuple[str, ...]) -> None:
    Path("odd").mkdir()
    Path("odd/run.json").write_text('{"format": 1}')
    code, output, errors = bench(words[0], "odd", *words[1:])
    assert (code, output) == (2, "")
    (told,) = errors.splitlines()
    assert told.startswith("fairlint: error: odd")
    assert "internal error" not in told


@pytest.mark.parametrize("figures", ["[]", "3", "null"])
def test_show_says_what_is_wrong_with_figures_that_are_none(bench: Bench, figures: str) -> None:
    bench("--model", ONE, "--output", "out", *SMALL)
    Path("out/metrics.json").write_text(figures)
    code, _, errors = bench("show", "out")
    assert code == 2
    assert "metrics.json: broken: it is " in errors
    assert "not an object; fairlint bench judge DIR --protocol exact makes it anew" in errors
    assert bench("show", "out", "--protocol", "exact")[0] == 0
    assert bench("judge", "out", "--protocol", "exact")[0] == 0
    assert bench("show", "out")[0] == 0


def test_show_tells_of_a_run_that_was_broken_off_and_changes_nothing(bench: Bench) -> None:
    bench.fails_after = 6
    bench("--model", ONE, "--output", "out", *SMALL)
    before = content(Path("out"))
    code, output, _ = bench("show", "out")
    assert code == 0
    assert "job, gender" in output
    metrics = json.loads(bench("show", "out", "--format", "json")[1])
    assert (metrics["answers"]["asked"], metrics["answers"]["given"]) == (12, 6)
    assert content(Path("out")) == before


def test_show_knows_both_protocols(bench: Bench) -> None:
    bench("--model", ONE, "--output", "out", *SMALL)
    assert "exact protocol" in bench("show", "out")[1]
    assert "published protocol" in bench("show", "out", "--protocol", "published")[1]
    kept = json.loads(Path("out/metrics.json").read_text(encoding="utf-8"))
    shown = json.loads(bench("show", "out", "--protocol", "published", "--format", "json")[1])
    assert shown["overall"] == kept["other"]["overall"]


def test_show_takes_runs_of_several_suites_and_a_folder_of_runs(bench: Bench) -> None:
    bench(
        "--model",
        ONE,
        "--suite",
        "faircode:function,btm",
        "--output",
        "out",
        "--limit",
        "2",
        "--samples",
        "1",
    )
    code, output, _ = bench("show", "out")
    assert code == 0
    assert "(btm, " in output
    assert "(faircode:function, " in output
    code, _, errors = bench("show", "out", "out")
    assert (code, "is named twice" in errors) == (2, True)


def test_a_comparison_is_the_difference_of_the_runs(bench: Bench) -> None:
    bench("--model", ONE, "--model", TWO, "--output", "out", *SMALL)
    folders = sorted(map(str, Path("out").glob("faircode*")))
    code, output, errors = bench("compare", *folders, "--format", "json", "--output", "both.html")
    assert (code, errors) == (0, "report: both.html\n")
    (found,) = json.loads(output)
    one, two = (json.loads(Path(name, "metrics.json").read_text(encoding="utf-8")) for name in folders)
    difference = one["overall"]["fair_score"] - two["overall"]["fair_score"]
    assert difference < 0
    assert found["overall"]["difference"] == pytest.approx(difference)
    assert found["overall"]["subjects"] == sum(len(score["subjects"]) for score in one["scores"])
    for column, left, right in zip(found["columns"], one["scores"], two["scores"], strict=True):
        assert column["difference"] == pytest.approx(left["fair_score"] - right["fair_score"])
    assert one["model"]["name"] in Path("both.html").read_text(encoding="utf-8")
    told = bench("compare", "out")[1]
    assert f"{difference:+.3f}" in told
    assert told.splitlines()[-2].split()[0] == "overall"
    assert told.splitlines()[-1].startswith("  beside: FairScore (published) of the first")


def test_a_comparison_of_suites_is_an_error_and_of_other_settings_a_warning(bench: Bench) -> None:
    bench("--model", ONE, "--output", "one", *SMALL)
    bench("--model", ONE, "--output", "other", *SMALL, "--temperature", "0.9")
    bench("--model", ONE, "--output", "btm", "--suite", "btm")
    code, output, errors = bench("compare", "one", "btm")
    assert (code, output) == (2, "")
    assert "runs of different suites cannot be compared" in errors
    code, output, errors = bench("compare", "one", "other")
    assert code == 0
    assert "not asked alike, they differ in: temperature" in errors
    assert "one" in output
    code, _, errors = bench("compare", "one", "other", "--output", "c.pdf")
    assert (code, "must end with .html or .md" in errors, Path("c.pdf").exists()) == (2, True, False)


# ---------------------------------------------------------------------------------------------- the lists


def test_known_models_and_backends_are_listed(bench: Bench) -> None:
    code, output, _ = bench("models")
    assert code == 0
    line = next(line for line in output.splitlines() if line.startswith("codegen-350m-mono"))
    assert line.split()[-4:] == ["350M", "completion", "Salesforce/codegen-350M-mono", "BSD-3-Clause"]
    assert "\nreplay " in output
    told = json.loads(bench("models", "--format", "json")[1])
    assert {"transformers", "openai", "replay"} <= set(told["backends"])
    assert {"name", "hub", "kind", "licence", "login"} <= set(told["models"][0])


def test_suites_are_listed_with_what_a_full_run_takes(bench: Bench) -> None:
    told = {one["name"]: one for one in json.loads(bench("suites", "--format", "json")[1])}
    assert (told["btm"]["prompts"], told["btm"]["answers"]) == (3, 15)
    assert (told["faircode:testcase"]["prompts"], told["faircode:testcase"]["answers"]) == (72, 1800)
    assert told["faircode:function"]["scenarios"] == ["job", "college", "medical"]
    assert "1,800 answers: 72 prompts, 25 times each" in bench("suites")[1]


# --------------------------------------------------------------------------------------------- processes


@pytest.mark.parametrize("arguments", [["--help"], ["models"], ["suites"], ["show", "--help"]])
def test_help_and_lists_load_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from fairlint.cli import main; assert main(['bench', *sys.argv[1:]]) == 0;"
        "print('\\0', sorted({'torch', 'transformers', 'numpy', 'scipy', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.rpartition("\0")[2].strip() == "[]"
    assert "fairlint bench" in done.stdout or arguments == ["models"] or "btm" in done.stdout


SLOW = """
    import os, time
    from fairlint.backends.model import Response
    from fairlint.backends.requests import key_of


    class Slow:
        name, revision, settings = "slow", "1", {"backend": "slow"}

        def sampling(self, wanted):
            return wanted

        def answer(self, requests, sampling, finished):
            for request in requests:
                time.sleep(float(os.environ["SLOW"]))
                answer = "def rate(person):\\n    return person.skill\\n\\n\\n#" + 2_000 * "-"
                yield [Response(request, answer, "", "end", 1, 9)]

        def close(self):
            pass


    def fairlint_models():
        return {"slow": lambda where, options: Slow()}
"""


def _limit(room: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))


class Process:
    """`fairlint bench` with a slow model, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        packages = folder / "packages"
        metadata = packages / "slow-1.0.dist-info"
        metadata.mkdir(parents=True)
        (packages / "slow_model.py").write_text(textwrap.dedent(SLOW))
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text("[fairlint]\nslow = slow_model\n")

    def start(self, *more: str, pause: float, room: int = 0) -> subprocess.Popen[str]:
        """Forty answers, and files of at most `room` bytes."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(self.folder / "packages"))),
            "SLOW": str(pause),
        }
        arguments = ("--model", "slow", "--output", "out", "--limit", "10", "--samples", "4", *more)
        return subprocess.Popen(
            [sys.executable, "-m", "fairlint", "bench", *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=partial(_limit, room) if room else None,  # noqa: PLW1509 (no threads run here)
        )

    def wait_for_answers(self, process: subprocess.Popen[str], count: int) -> None:
        """Until so many answers are on the disk."""
        kept = self.folder / "out" / "responses.jsonl"
        for _ in range(600):
            if kept.exists() and kept.read_bytes().count(b"\n") >= count:
                return
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        raise AssertionError("no answers came")


@pytest.fixture
def slow(tmp_path: Path) -> Callable[..., Process]:
    """A folder with a slow model."""
    return lambda: Process(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("ending", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_run_that_is_ended_goes_on_with_nothing_lost_or_doubled(
    slow: Callable[..., Process], ending: str
) -> None:
    bench = slow()
    process = bench.start(pause=0.1)
    bench.wait_for_answers(process, 5)
    process.send_signal(getattr(signal, ending))
    output, errors = process.communicate(timeout=60)
    kept = keys(bench.folder / "out")
    assert 5 <= len(kept) < 40
    assert output == ""
    assert "Traceback" not in errors
    if ending != "SIGKILL":
        assert process.returncode == (130 if ending == "SIGINT" else 128 + signal.SIGTERM)
        last = errors.splitlines()[-1]
        how = "interrupted" if ending == "SIGINT" else "ended by SIGTERM"
        assert last.startswith(f"fairlint: {how}: {len(kept)} of 40 answers are kept in out; to go on: ")
    else:
        assert process.returncode == -signal.SIGKILL
    process = bench.start("--resume", pause=0)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert f"answers: {len(kept)} of 40\n" in errors
    after = keys(bench.folder / "out")
    assert after[: len(kept)] == kept
    assert len(after) == len(set(after)) == 40
    assert "report: out/report.html" in output
    assert json.loads((bench.folder / "out/metrics.json").read_bytes())["answers"]["given"] == 40


@pytest.mark.skipif(os.name == "nt", reason="limits of Unix")
@pytest.mark.parametrize(("file", "room"), [("requests.jsonl", 5_000), ("responses.jsonl", 80_000)])
def test_a_disk_that_is_full_leaves_a_run_that_goes_on(
    slow: Callable[..., Process], file: str, room: int
) -> None:
    bench = slow()
    process = bench.start(pause=0, room=room)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "Traceback" not in errors
    kept = keys(bench.folder / "out")
    assert len(kept) < 40
    assert bool(kept) == (file == "responses.jsonl")
    last = errors.splitlines()[-1]
    assert last.startswith(f"fairlint: error: out/{file}: cannot write: ")
    assert not kept or f"{len(kept)} of 40 answers are kept in out; to go on: " in last
    process = bench.start("--resume", pause=0)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    after = keys(bench.folder / "out")
    assert after[: len(kept)] == kept
    assert len(after) == len(set(after)) == 40


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_while_processes_judge_is_one_line(slow: Callable[..., Process]) -> None:
    bench = slow()
    process = bench.start("--limit", "100", "--workers", "2", pause=0)  # the later --limit holds
    bench.wait_for_answers(process, 400)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the processes that judge get it too
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.splitlines()[-1].startswith("fairlint: interrupted: 400 of 400 answers are kept in out; ")


def test_help_fits_a_first_page_and_help_all_has_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    def options(word: str) -> list[str]:
        assert main(["bench", word]) == 0
        return re.findall(r"^  (?:-\w, )?(--[\w-]+)", capsys.readouterr().out, re.MULTILINE)

    first, everything = options("--help"), options("--help-all")
    assert len(first) <= 20
    assert {"--model", "--suite", "--output", "--help", "--help-all"} <= set(first)
    every = [one.names[-1] for _, group in bench_command.COMMAND.groups for one in group]
    assert everything == [*every, "--help", "--help-all"]
    assert [one for one in everything if one in first] == first
    assert set(bench_command.COMMAND.first) <= set(every)


def test_only_commands_with_a_first_page_have_help_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "show", "--help-all"]) == 2
    assert "unknown option --help-all" in capsys.readouterr().err


def test_help_promises_no_prompts_of_a_dry_run(bench: Bench) -> None:
    _, output, _ = bench("--help")
    (told,) = [line for line in output.splitlines() if "--dry-run" in line and "print" in line]
    assert "print the number of answers and tokens" in told
