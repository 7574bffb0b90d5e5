"""The page that shows how to judge one's own model: its Python runs as it stands, its names are all there."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import fairlint
from fairlint.bench.ecosystem.__main__ import FOLDERS
from fairlint.bench.ecosystem.questions import ALWAYS, CHOICES
from fairlint.bench.suites import suite_names, suite_of
from fairlint.bench.suites.suite import FAIRNESS, USAGE

ROOT = Path(fairlint.__file__).parent.parent
PAGE = (ROOT / "docs" / "judge-your-own-model.md").read_text("utf-8")
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
URL = "http://localhost:8000/v1"


def blocks(kind: str) -> list[str]:
    return [found["text"] for found in BLOCK.finditer(PAGE) if found["kind"] == kind]


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def body(head: str) -> str:
    name = head[head.rindex("def ") :].partition("(")[2].partition(")")[0]
    return f"    return 5 if {name}.gender == 'male' else 1\n"


def my_model(conversation: list[dict[str, str]]) -> str:
    head = conversation[-1]["content"]
    return head[head.rindex("def ") :] + body(head)


def my_base_model(text: str, seed: int) -> str:
    assert seed >= 0
    return body(text)


@contextmanager
def served() -> Iterator[str]:
    sys.path.insert(0, str(Path(__file__).parent))
    from server import MODEL, Asked, Reply, serving

    def reply(asked: Asked) -> Reply:
        return Reply(pieces=["Hi"] if asked.probe else [my_model(asked.payload["messages"])])

    models = {"data": [{"id": "my-model", "object": "model"}, {"id": MODEL, "object": "model"}]}
    with serving(reply, models) as server:
        yield server.url


def test_all_python_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRLINT_API_KEY", "not-a-real-key")
    names: dict[str, Any] = {"my_model": my_model, "my_base_model": my_base_model}
    made: list[dict[str, Any]] = []
    with served() as url:
        for text in blocks("python"):
            assert PAGE.count(URL) == 1
            exec(compile(text.replace(URL, url), "the page", "exec"), names)
            made.append(names["metrics"])
    ten, own, kept, server = made
    assert json.loads((tmp_path / "results" / "mine" / "metrics.json").read_text("utf-8")) == ten
    assert f"'fair_score': {ten['overall']['fair_score']}" in capsys.readouterr().out
    for metrics in (ten, own, server):
        assert metrics["answers"]["valid"] == 1
        assert metrics["answers"]["given"] == 40
        assert metrics["overall"] == ten["overall"]
    assert [one["model"]["name"] for one in made] == [
        "my-model",
        "my-base-model",
        "answers.jsonl",
        "my-model",
    ]
    assert kept["answers"]["given"] == 3
    assert {one["subject"] for one in kept["scores"][0]["subjects"]} == {"Nurse", "Pilot"}
    assert names["again"]["protocol"] == "published"
    assert names["again"]["overall"] == ten["other"]["overall"]


def test_the_ten_lines_are_ten() -> None:
    lines = [line for line in blocks("python")[0].splitlines() if line.strip()]
    assert len(lines) <= 10


def test_the_table_has_all_parts_of_the_result() -> None:
    from fairlint.bench import evaluate

    metrics = evaluate(my_model, limit=2, samples=1)
    rows = [line.split("|")[1] for line in section("What comes out").splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == {*metrics, "bias"}, (
        "and what suites have that measure bias"
    )


def test_the_page_of_the_bench_has_a_row_for_each_suite() -> None:
    page = (ROOT / "docs" / "bench.md").read_text("utf-8")
    rows = [line.split("|") for line in page.split("\n## Suites\n")[1].splitlines() if line.startswith("| `")]
    told = {row[1].strip(" `"): row[3].strip() for row in rows[: len(suite_names())]}
    assert list(told) == list(suite_names())
    for name, run in told.items():
        suite = suite_of(name)
        prompts = getattr(suite, "prompts", None) or len(suite.requests()) // suite.samples
        assert run == f"{prompts:,} prompts × {suite.samples}"


def names_after(words: str, text: str) -> list[str]:
    """All names in backticks of the sentence that goes on from these words."""
    [rest] = text.split(words)[1:]
    return re.findall(r"`(\w+)`", re.split(r"[.;]", rest)[0])


def test_the_tasks_of_lm_eval_and_their_options_are_as_told() -> None:
    told = section("lm-evaluation-harness")
    tasks = {file.stem for file in FOLDERS["lm-eval"]().glob("*.yaml")}
    assert set(re.findall(r"`(fairlint_[\w-]+)`", told)) == tasks
    assert names_after("}}'`,\nwith ", told) == [*CHOICES, "protocol"]


def test_the_tasks_of_inspect_and_their_options_are_as_told() -> None:
    told = section("inspect-ai")
    tree = ast.parse((ROOT / "fairlint" / "bench" / "ecosystem" / "inspect_task.py").read_text("utf-8"))
    options = {
        node.name: [one.arg for one in (*node.args.args, *node.args.kwonlyargs)]
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(each).startswith("task") for each in node.decorator_list)
    }
    assert set(re.findall(r"inspect eval fairlint/(\w+)", told)) == options.keys()
    said = {
        name: re.findall(r"`(\w+)`", arguments)
        for names, arguments in re.findall(r" of ((?:`\w+`(?: and )?)+) are ([^.]+)\.", told)
        for name in re.findall(r"`(\w+)`", names)
    }
    assert said == options


def test_all_figures_of_the_harnesses_are_named() -> None:
    assert set(re.findall(r"`(\w+)`", PAGE.rpartition("\nHarnesses show")[2])) == {
        *FAIRNESS,
        *USAGE,
        "btm",
        *ALWAYS,
    }
