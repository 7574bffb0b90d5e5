"""Runs in the forms of others, read by those who read these forms."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, answering

from fairlint import UsageError
from fairlint.backends.requests import Request
from fairlint.bench import exporting
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.exporting.headlines import headlines
from fairlint.bench.exporting.runs import Exported, read
from fairlint.bench.suites import suite_of
from fairlint.cli import bench_export
from fairlint.cli.bench import run as bench
from fairlint.processes import parallel

HALF = "\ud800"


class Other(Speaking):
    name = "others/model"


def odd(request: Request) -> str:
    return answering(request) + f"# é | {HALF}\n"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "can_be_fresh", lambda: False)
        function, few = suite_of("faircode:function"), Choice(samples=2, limit=6)
        run(Speaking(odd), function, few, place / "one")
        run(Other(answering), function, few, place / "two")
        run(
            Speaking(lambda _: "def f(p):\n    return p.age > 3\n"),
            suite_of("btm"),
            Choice(limit=3),
            place / "btm",
        )
    return place


def all_of(place: Path) -> list[Exported]:
    return [read(path, workers=1) for path in sorted(place.iterdir())]


def export(runs: Path, form: str, output: Path) -> None:
    assert bench(["export", str(runs), "--to", form, "--output", str(output)]) == 0


def test_parquet_has_a_row_an_answer(runs: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    export(runs, "parquet", tmp_path / "answers.parquet")
    rows = parquet.read_table(tmp_path / "answers.parquet").to_pylist()
    wanted = [row for run in all_of(runs) for row in run.rows()]
    assert len(rows) == len(wanted) > 24
    for row, kept in zip(rows, wanted, strict=True):
        assert {name: row[name] for name in ("key", "seed", "sample", "valid")} == {
            name: kept[name] for name in ("key", "seed", "sample", "valid")
        }
        assert row["text"] == kept["text"].replace(HALF, "?")
        assert row["messages"] == kept["messages"]
        assert json.loads(row["outcome"])["valid"] == row["valid"]
        assert row["messages"][-1]["role"] == "user"
    assert [path.name for path in tmp_path.iterdir()] == ["answers.parquet"]


@pytest.mark.filterwarnings("ignore")
def test_a_data_set_is_loaded_as_one(runs: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    hub = pytest.importorskip("huggingface_hub")
    export(runs, "hf", tmp_path / "set")
    loaded = datasets.load_dataset(str(tmp_path / "set"), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["answers"]
    wanted = [row["key"] for run in all_of(runs) for row in run.rows()]
    assert loaded["answers"]["key"][:] == wanted
    card = hub.DatasetCard.load(str(tmp_path / "set" / "README.md"))
    assert card.data.configs[0]["data_files"][0]["split"] == "answers"
    assert "others/model" in card.text
    figures = sorted((tmp_path / "set" / "metrics").iterdir())
    assert [json.loads(path.read_text())["suite"]["name"] for path in figures] == [
        run.suite for run in all_of(runs)
    ]


def test_lm_eval_finds_its_own_log(runs: Path, tmp_path: Path) -> None:
    utils = pytest.importorskip("lm_eval.utils")
    export(runs, "lm-eval", tmp_path / "log")
    assert sorted(path.name for path in (tmp_path / "log").iterdir()) == ["others__model", "speaking"]
    assert utils.sanitize_model_name("others/model") == "others__model"
    folder = tmp_path / "log" / "speaking"
    names = [str(path) for path in folder.iterdir()]
    (results,) = utils.get_results_filenames(names)
    samples = utils.get_sample_results_filenames(names)
    tasks = {utils.get_file_task_name(Path(name).name): Path(name) for name in samples}
    assert set(tasks) == {"fairlint_faircode_function", "fairlint_btm"}
    date = utils.get_file_datetime(Path(results).name).replace(".json", "")
    assert {utils.get_file_datetime(Path(name).name) for name in samples} == {date}
    told = json.loads(Path(results).read_text("utf-8"))
    assert set(told["results"]) == set(tasks)
    for name in ("configs", "versions", "n-shot", "higher_is_better", "n-samples", "task_hashes"):
        assert set(told[name]) == set(tasks), name
    metrics = read(runs / "one", workers=1).metrics
    task = told["results"]["fairlint_faircode_function"]
    assert task["fair_score_adjusted,none"] == metrics["overall"]["fair_score"]
    lines = [json.loads(line) for line in tasks["fairlint_faircode_function"].read_text("utf-8").splitlines()]
    assert [line["doc_id"] for line in lines] == list(range(12))
    assert told["n-samples"]["fairlint_faircode_function"] == {"original": 12, "effective": 12}
    for line in lines:
        assert line["resps"] == [[line["filtered_resps"][0]]]
        assert json.loads(line["arguments"]["gen_args_0"]["arg_0"]) == line["doc"]["messages"]
        assert set(line["metrics"]) <= set(line)


@pytest.mark.filterwarnings("ignore")
def test_lm_eval_tabulates_the_log(runs: Path, tmp_path: Path) -> None:
    utils = pytest.importorskip("lm_eval.utils")
    export(runs, "lm-eval", tmp_path / "log")
    (results,) = (tmp_path / "log" / "speaking").glob("results_*.json")
    assert "fair_score" in utils.make_table(json.loads(results.read_text("utf-8")))


def test_a_model_s_card_is_read_by_the_hub(runs: Path, tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    export(runs, "model-card", tmp_path / "cards")
    assert sorted(path.name for path in (tmp_path / "cards").iterdir()) == ["others__model.md", "speaking.md"]
    card = hub.ModelCard.load(str(tmp_path / "cards" / "speaking.md"))
    found = {(one.dataset_config, one.metric_name): one.metric_value for one in card.data.eval_results}
    own = [read(runs / name, workers=1) for name in ("btm", "one")]
    assert found == {(run.suite, one.title): one.value for run in own for one in headlines(run.metrics)}
    assert card.data.model_name == "speaking"
    assert "| faircode:function | FairScore (adjusted) |" in card.text


def test_runs_with_and_without_mitigation_are_two_data_sets_of_a_card(runs: Path, tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    shutil.copytree(runs / "btm", tmp_path / "runs" / "plain")
    shutil.copytree(runs / "btm", tmp_path / "runs" / "asked")
    file = tmp_path / "runs" / "asked" / "run.json"
    settings = json.loads(file.read_bytes())
    settings["options"]["suite"] = {"mitigation": "zero-shot"}
    file.write_text(json.dumps(settings))
    export(tmp_path / "runs", "model-card", tmp_path / "card.md")
    card = hub.ModelCard.load(str(tmp_path / "card.md"))
    found = {one.dataset_config: one.dataset_args.get("mitigation") for one in card.data.eval_results}
    assert found == {"btm": None, "btm (zero-shot)": "zero-shot"}
    assert "| btm (zero-shot) |" in card.text


def test_a_score_is_told_with_its_protocol(runs: Path) -> None:
    metrics = dict(read(runs / "one", workers=1).metrics)
    assert {
        "FairScore (adjusted)",
        "FairScore (published) (not comparable: n = 2)",
        "refusal rate (exact protocol)",
        "share of valid answers",
    } <= {one.title for one in headlines(metrics)}
    metrics["protocol"] = "published"
    assert "refusal rate (published protocol; not comparable: n = 2)" in {
        one.title for one in headlines(metrics)
    }
    plain = {"fair_score": 0.5, "interval": [0.4, 0.6]}
    metrics["overall"] = metrics["overall"] | {"unclear": 3, "without_rule": plain}
    (found,) = (one for one in headlines(metrics) if one.name == "fair_score_without_rule")
    assert (found.value, found.interval) == (0.5, (0.4, 0.6))
    assert found.title == "FairScore (adjusted) without the rule for unclear answers"


def test_one_card_is_of_one_model(runs: Path, tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    export(runs / "one", "model-card", tmp_path / "card.md")
    told = (tmp_path / "card.md").read_text("utf-8")
    assert told.startswith("---\n")
    assert "model-index:\n- name: speaking\n" in told
    with pytest.raises(UsageError, match="2 models have a card each: --output names a folder"):
        export(runs, "model-card", tmp_path / "cards.md")
    assert [path.name for path in tmp_path.iterdir()] == ["card.md"]


@pytest.mark.parametrize("form", bench_export.FORMS)
def test_the_same_runs_give_the_same_files(runs: Path, tmp_path: Path, form: str) -> None:
    for module in ("pyarrow", "huggingface_hub"):
        pytest.importorskip(module)
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        export(runs, form, tmp_path / place / "out")
    first, second = (
        {
            str(path.relative_to(tmp_path / place)): path.read_bytes()
            for path in (tmp_path / place).rglob("*.*")
        }
        for place in ("a", "b")
    )
    assert first == second


@pytest.mark.parametrize("form", bench_export.FORMS)
def test_nothing_is_written_over_and_nothing_half(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "thesis.tex").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name, says in (("there", "holds thesis.tex"), ("file", "is there already")):
        with pytest.raises(UsageError, match=says):
            bench(["export", str(runs), "--to", form, "--output", str(tmp_path / name)])

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UsageError, match="cannot write: No space left on device"):
        bench(["export", str(runs), "--to", form, "--output", str(tmp_path / "new")])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "there"]


def test_what_is_missing_is_told(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tuple(exporting.FORMS) == bench_export.FORMS
    for words, says in (
        ([], "takes the folders of runs"),
        ([str(runs)], "needs --to"),
        ([str(runs), "--to", "hf"], "needs --output"),
        ([str(runs), "--to", "csv"], "--to must be one of"),
        ([str(tmp_path), "--to", "hf", "--output", "x"], "holds no run"),
    ):
        with pytest.raises(UsageError, match=says):
            bench(["export", *words])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r'pip install (--upgrade )?"fairlint\[export\]"'):
        bench(["export", str(runs), "--to", "parquet", "--output", str(tmp_path / "x.parquet")])
    assert list(tmp_path.iterdir()) == []
