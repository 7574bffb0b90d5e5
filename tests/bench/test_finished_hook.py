"""What is told when a run is done: any plugin's hook, and those that docs/plugins.md shows."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, answering

from fairlint.bench import evaluate
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.asking.shards import Shard
from fairlint.bench.suites import suite_of
from fairlint.cli.bench import run as bench
from fairlint.plugins import manager
from fairlint.processes import parallel

ROOT = Path(__file__).parent.parent.parent
KEEPS = """
import json
def fairlint_bench_finished(path, metrics):
    metrics["answers"].clear() if {spoil} else None
    names = sorted(one.name for one in path.iterdir())
    with open({file!r}, "a") as file:
        file.write(json.dumps([str(path), metrics["suite"]["name"], names]) + "\\n")
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    manager._plugin_manager.cache_clear()
    yield
    manager._plugin_manager.cache_clear()


def install(place: Path, monkeypatch: pytest.MonkeyPatch, code: str, name: str = "keeper") -> None:
    folder = place / "packages"
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{name}_of_{place.name}.py").write_text(textwrap.dedent(code))
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[fairlint]\n{name} = {name}_of_{place.name}\n")
    monkeypatch.syspath_prepend(str(folder))


def test_a_plugin_is_told_of_each_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tmp_path / "told.jsonl"
    install(tmp_path, monkeypatch, KEEPS.format(file=str(told), spoil=True))
    few = Choice(samples=1, limit=3)
    function = suite_of("faircode:function")
    run(Speaking(answering), function, few, tmp_path / "kept")
    assert not told.exists(), "who calls `run` tells nobody"
    asked = ["--model", f"replay:{tmp_path}/kept/responses.jsonl", "--quiet"]
    assert bench([*asked, "--output", str(tmp_path / "one")]) == 0
    evaluate(lambda _: "", limit=1, samples=1, output=tmp_path / "two")
    for part in (1, 2):
        run(
            Speaking(answering),
            function,
            Choice(samples=1, limit=3, shard=Shard(part, 2)),
            tmp_path / f"p{part}",
        )
    parts = [str(tmp_path / "p1"), str(tmp_path / "p2")]
    assert bench(["merge", *parts, "--output", str(tmp_path / "three")]) == 0
    lines = [json.loads(line) for line in told.read_text().splitlines()]
    assert [Path(line[0]).name for line in lines] == ["one", "two", "three"]
    for path, suite, names in lines:
        assert suite == "faircode:function"
        assert {"metrics.json", "report.html", "run.json"} <= set(names)
        assert json.loads((Path(path) / "metrics.json").read_text())["answers"]["given"] > 0
    assert "warning" not in capsys.readouterr().err


def test_a_plugin_that_fails_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tmp_path / "told.jsonl"
    install(
        tmp_path, monkeypatch, "def fairlint_bench_finished(path):\n    raise OSError('no\\nnetwork')", "a"
    )
    install(tmp_path, monkeypatch, KEEPS.format(file=str(told), spoil=False), "b")
    run(Speaking(answering), suite_of("faircode:function"), Choice(samples=1, limit=1), tmp_path / "kept")
    asked = ["--model", f"replay:{tmp_path}/kept/responses.jsonl", "--quiet"]
    assert bench([*asked, "--output", str(tmp_path / "one")]) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "plugin" in line]
    assert line.startswith("fairlint: warning: plugin 'a': fairlint_bench_finished")
    assert "no network" in line
    assert len(told.read_text().splitlines()) == 1
    with pytest.warns(UserWarning, match="plugin 'a'"):
        evaluate(lambda _: "", limit=1, samples=1, output=tmp_path / "two")


@pytest.mark.parametrize("name", ["wandb", "mlflow"])
def test_the_documented_plugins_take_every_suite(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "plugins.md").read_text("utf-8"), re.DOTALL)
    (code,) = [block for block in blocks if f"import {name}" in block]
    assert len(code.splitlines()) <= 17
    keeper: Any = MagicMock()
    monkeypatch.setitem(sys.modules, name, keeper)
    space: dict[str, Any] = {}
    exec(compile(code, "docs/plugins.md", "exec"), space)
    metrics = run(
        Speaking(answering), suite_of("faircode:function"), Choice(samples=1, limit=12), tmp_path / "run"
    )
    space["fairlint_bench_finished"](tmp_path / "run", metrics)
    if name == "wandb":
        summary = keeper.init.return_value.summary
        summary.update.assert_called_once()
        assert summary.update.call_args.args[0]["fair_score"] == metrics["overall"]["fair_score"]
        assert keeper.init.call_args.kwargs["config"]["model"]["name"] == "speaking"
        keeper.init.return_value.finish.assert_called_once_with()
    else:
        (numbers,) = keeper.log_metrics.call_args.args
        assert numbers["fair_score"] == metrics["overall"]["fair_score"]
        assert all(isinstance(value, int | float) for value in numbers.values())
    empty = run(Speaking(lambda _: ""), suite_of("btm"), Choice(samples=1, limit=1), tmp_path / "btm")
    space["fairlint_bench_finished"](tmp_path / "btm", empty)
