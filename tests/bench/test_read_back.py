"""Folders and files that somebody else may have written: what is wrong is one line that names the place."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

import mutated_runs
from talking_models import Speaking, answering

from fairlint import UsageError
from fairlint.backends.answer_cache import AnswerCache
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.leaderboard.site import STATE, update
from fairlint.bench.report import write_reports
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Selection
from fairlint.cli import main
from fairlint.processes import parallel
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import read_run

ROOT = Path(__file__).parent.parent.parent
HUGE = 10**400
Told = Callable[..., str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "can_be_fresh", lambda: False)
        run(Speaking(answering), suite_of("faircode:function"), Choice(samples=2, limit=3), place / "run")
        write_reports(place / "run")
        update(place / "site", [place / "run"])
    return place


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "run", tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Told:
    """The one line of the error that a command ends in."""
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)

    def ran(*arguments: str | Path) -> str:
        capsys.readouterr()
        assert main([*map(str, arguments)]) == 2
        lines = capsys.readouterr().err.splitlines()
        (line,) = [one for one in lines if one.startswith("fairlint: error: ")]
        assert "internal error" not in line
        return line

    return ran


def changed(file: Path, change: Callable[[Any], None], *, line: int = 0) -> None:
    """Change a document, or a line of a file of lines."""
    if file.suffix == ".jsonl":
        lines = file.read_text("utf-8").splitlines()
        record = json.loads(lines[line])
        change(record)
        lines[line] = json.dumps(record)
        file.write_text("".join(f"{one}\n" for one in lines), "utf-8")
        return
    document = json.loads(file.read_text("utf-8"))
    change(document)
    file.write_text(json.dumps(document), "utf-8")


def put(*way: Any) -> Callable[[Any], None]:
    """Sets the value at the end of a way of keys."""
    *keys, last, value = way

    def change(document: Any) -> None:
        for key in keys:
            document = document[key]
        document[last] = value

    return change


def without(*way: Any) -> Callable[[Any], None]:
    *keys, last = way

    def change(document: Any) -> None:
        for key in keys:
            document = document[key]
        del document[last]

    return change


@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("run.json", put("options", "x"), 'run.json: not the settings of a run: `options` is "x", not'),
        ("run.json", put("options", "asked", "x"), 'suite: `options.asked` is "x", not a whole number'),
        ("run.json", put("options", "asked", HUGE), "`options.asked` is a whole number of more"),
        ("run.json", without("options", "asked"), "`options.asked` is missing"),
        ("run.json", put("options", "model", ["x"]), "`options.model` is a list, not an object"),
        ("run.json", put("options", "suite", {"data": 5}), "`options.suite.data` is 5, not a text"),
        ("run.json", put("options", "shard", {"part": 3, "of": 2, "asked": 1}), "part` is 3, of 2 parts"),
        ("run.json", put("model", None), "`model` is null, not a text"),
        ("run.json", put("temperature", float("nan")), "NaN is not JSON"),
        ("run.json", put("suite", "nobody's"), "run of the suite nobody's, which is not installed"),
        ("responses.jsonl", without("text"), "responses.jsonl:2: broken line: `text` is missing"),
        ("responses.jsonl", without("given"), "responses.jsonl:2: broken line: `given` is missing"),
        ("responses.jsonl", put("sample", "x"), 'responses.jsonl:2: broken line: `sample` is "x", not'),
        ("responses.jsonl", put("prompt_tokens", HUGE), "`prompt_tokens` is a whole number of more than 15"),
        ("responses.jsonl", put("turn", None), "`turn` is null, not a whole number"),
        ("outcomes.jsonl", put("outcomes", 0, "points", "x"), '`outcomes[0].points` is "x", not an object'),
        ("outcomes.jsonl", put("outcomes", 0, "points", {"male": "x"}), '[0].points.male` is "x", not'),
        ("outcomes.jsonl", put("outcomes", 0, "points", {"male": HUGE}), "points.male` is a whole number of"),
        ("outcomes.jsonl", put("outcomes", 0, "points", {"a": float("inf")}), "Infinity is not JSON"),
        ("outcomes.jsonl", put("outcomes", 0, "attribute", "mood"), "is about 'mood', which is no attribute"),
        ("outcomes.jsonl", put("not_judged", "x"), '`not_judged` is "x", not an object or null'),
        ("metrics.json", put("protocol", 7), "`protocol` is 7, not"),
        ("metrics.json", put("answers", "x"), "metrics.json: broken: `answers` is"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_run_is_told_with_its_place(
    folder: Path, told: Told, file: str, change: Callable[[Any], None], says: str
) -> None:
    changed(folder / file, change, line=1)
    line = told("bench", "show", folder, "--format", "json")
    assert says in line
    assert str(folder) in line or "is no attribute" in line


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put("answers", "asked", "x"), '`answers.asked` is "x", not a whole number'),
        (put("answers", "asked", -1), "`answers.asked` is -1"),
        (put("answers", "given", HUGE), "`answers.given` is a whole number of more than 15 digits"),
        (put("scores", 0, "strength", 7), "`scores[0].strength` is 7, not a number from 0"),
        (put("scores", 0, "fair_score", None), "`scores[0].fair_score` is null, and others are not"),
        (put("overall", {"fair_score": None}), "`overall.refusal_rate` is missing"),
        (without("answers", "valid"), "`answers.valid` is missing"),
        (without("scores", 0, "lists", 0, "subjects"), "`scores[0].lists[0].subjects` is missing"),
        (without("scores", 0, "subjects", 0, "points"), "`scores[0].subjects[0].points` is missing"),
    ],
)
def test_what_is_wrong_in_figures_is_told_with_its_place(
    folder: Path, tmp_path: Path, told: Told, change: Callable[[Any], None], says: str
) -> None:
    changed(folder / "metrics.json", change)
    line = told("bench", "leaderboard", folder, "--output", tmp_path / "site")
    assert says in line
    assert line.startswith(f"fairlint: error: {folder / 'metrics.json'}: ")


def test_numbers_beyond_all_numbers_are_told(folder: Path, tmp_path: Path, told: Told) -> None:
    text = (folder / "metrics.json").read_text()
    for number, says in (
        ("1e999", "1e999 is too large"),
        ("9" * 5_000, "has too many digits"),
        ("NaN", "NaN"),
    ):
        (folder / "metrics.json").write_text(text.replace('"asked": 6', f'"asked": {number}', 1))
        assert says in told("bench", "leaderboard", folder, "--output", tmp_path / "site")


@pytest.mark.parametrize("name", ["seed", "asked", "prompt"])
def test_an_export_tells_what_an_answer_lacks(folder: Path, tmp_path: Path, told: Told, name: str) -> None:
    pytest.importorskip("pyarrow")
    changed(folder / "responses.jsonl", without(name), line=1)
    for form in ("parquet", "lm-eval"):
        line = told("bench", "export", folder, "--to", form, "--output", tmp_path / form)
        assert f"`{name}` is missing" in line
        assert "responses.jsonl: the answer '" in line
        assert not (tmp_path / form).exists()


@pytest.mark.parametrize("model", ["..", ".", "a\ud800", "a\0b", "é" * 150])
@pytest.mark.parametrize("form", ["lm-eval", "model-card"])
def test_a_models_name_leads_nowhere(folder: Path, tmp_path: Path, told: Told, model: str, form: str) -> None:
    pytest.importorskip("huggingface_hub")
    changed(folder / "run.json", put("model", model))
    line = told("bench", "export", folder, "--to", form, "--output", tmp_path / "out")
    assert "its name makes no name of a file" in line
    assert not (tmp_path / "out").exists()


def test_what_options_say_of_a_backend_is_not_the_models_name(folder: Path) -> None:
    changed(folder / "run.json", put("options", "model", {"name": 5, "backend": "x"}))
    changed(folder / "run.json", put("options", "seed", "x"))
    assert main(["bench", "judge", str(folder), "-q"]) == 0
    metrics = json.loads((folder / "metrics.json").read_text())
    assert (metrics["model"]["name"], metrics["model"]["backend"]) == ("speaking", "x")
    assert metrics["settings"]["seed"] == 0


@pytest.mark.slow
def test_judging_a_broken_record_prints_no_traceback(folder: Path) -> None:
    changed(folder / "responses.jsonl", without("text"))
    changed(folder / "responses.jsonl", without("given"), line=1)
    command = [sys.executable, "-P", "-m", "fairlint", "bench", "judge", str(folder), "-q"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "responses.jsonl:1: broken line: `text` is missing" in line


def test_a_suite_that_judges_what_was_asked_needs_it(tmp_path: Path, told: Told) -> None:
    run(Speaking(answering), suite_of("btm"), Choice(samples=1, limit=1), tmp_path / "btm")
    changed(tmp_path / "btm" / "responses.jsonl", without("asked"))
    assert "responses.jsonl:1: broken line: `asked` is missing" in told("bench", "judge", tmp_path / "btm")


def test_a_run_that_goes_on_reads_its_lines_like_anybody(folder: Path) -> None:
    changed(folder / "responses.jsonl", put("sample", []), line=2)
    with pytest.raises(
        RunFolderError, match=r"responses.jsonl:3: broken line: `sample` is a list, not a whole"
    ):
        run(
            Speaking(answering),
            suite_of("faircode:function"),
            Choice(samples=2, limit=3),
            folder,
            resume=True,
        )


def test_keys_that_nobody_knows_are_passed_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "show", str(folder), "--format", "json"]) == 0
    before = capsys.readouterr().out
    for file in ("run.json", "requests.jsonl", "responses.jsonl", "outcomes.jsonl"):
        changed(folder / file, put("later", {"more": [1, None]}))
    changed(folder / "outcomes.jsonl", put("outcomes", 0, "later", 1))
    assert main(["bench", "show", str(folder), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == json.loads(before)["scores"]
    assert len(list(read_run(folder).responses())) == 6


def test_notes_of_another_form_are_told_as_lost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "notes.json").write_text('[{"a": 1}]')
    assert main(["bench", "show", str(folder), "--format", "json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert "notes.json is broken (`[0]` is an object, not a text)" in notes[0]


# ---------------------------------------------------------------------------------------------- leaderboards


@pytest.fixture
def site(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "site", tmp_path / "site")
    return tmp_path / "site"


@pytest.mark.parametrize("name", ["../../esc", "..", "a/b", "a\\b", "", "a\0", "x" * 300])
def test_names_on_a_leaderboard_lead_nowhere(site: Path, made: Path, name: str) -> None:
    changed(site / STATE, lambda state: state["runs"].append(name))
    before = set(site.parent.rglob("*"))
    with pytest.raises(
        UsageError, match=r"leaderboard.json: broken: `runs\[1\]` is .*, not a name of a file"
    ):
        update(site, [made / "run"])
    assert set(site.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put("metrics", "answers", "asked", "x"), r'`metrics.answers.asked` is "x", not a whole number'),
        (put("metrics", "suite", "name", 5), r"`metrics.suite.name` is 5, not a text"),
        (put("answers", 0, 3, 2**40), r"`answers\[0\]\[3\]` is \d+, and so many answers have 1 pages"),
        (put("answers", 0, ["job"]), r"`answers\[0\]` has 1 entries, not 4"),
        (without("metrics"), "`metrics` is missing"),
    ],
)
def test_what_is_wrong_in_a_leaderboards_data_is_told(
    site: Path, made: Path, tmp_path: Path, change: Callable[[Any], None], says: str
) -> None:
    (file,) = (site / "data").glob("*.json")
    changed(file, change)
    shutil.copytree(made / "run", tmp_path / "other")
    changed(tmp_path / "other" / "metrics.json", put("model", "revision", "2"))
    with pytest.raises(UsageError, match=says) as caught:
        update(site, [tmp_path / "other"])
    assert str(caught.value).startswith(f"{file}: broken: ")


# ---------------------------------------------------------------------------------------------------- caches


@pytest.mark.parametrize("change", [put("new_tokens", -1), put("new_tokens", HUGE), put("text", None)])
def test_a_cached_answer_of_another_form_is_not_there(tmp_path: Path, change: Callable[[Any], None]) -> None:
    cache = AnswerCache(tmp_path)
    (request,) = suite_of("faircode:function").requests(Selection(limit=1, samples=1))
    (response,) = next(Speaking(answering).answer([request], None, None))  # type: ignore[arg-type]
    cache.put("ab12", response)
    assert cache.get("ab12", request) == response
    changed(tmp_path / "ab" / "ab12.json", change)
    assert cache.get("ab12", request) is None


# ----------------------------------------------------------------------------------------------- many at once


def test_folders_changed_at_random_end_in_one_line() -> None:
    counts = mutated_runs.check(range(13), seed=11, kinds=("function", "site", "shards", "model", "reports"))
    assert counts.faults == ()
    assert counts.refused >= counts.commands // 4


def test_the_same_seed_changes_the_same(made: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(made, tmp_path / name)
    said = [mutated_runs.mutated(tmp_path / name, "7-1") for name in ("one", "two")]
    assert said[0] == said[1]
    for file in ("run.json", "responses.jsonl", "outcomes.jsonl", "metrics.json"):
        one, two = (tmp_path / name / "run" / file for name in ("one", "two"))
        assert one.is_file() == two.is_file()
        assert not one.is_file() or one.read_bytes() == two.read_bytes()
