"""The suites inside lm-evaluation-harness and inspect-ai: the bench's questions, and its figures."""

from __future__ import annotations

import ast
import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import fairlint
from fairlint import UsageError
from fairlint.backends.requests import Request, chat, completion
from fairlint.bench import ecosystem, evaluate
from fairlint.bench.ecosystem.__main__ import FOLDERS, main
from fairlint.bench.ecosystem.questions import (
    ALWAYS,
    UNKNOWN,
    Asked,
    asked_of,
    figures,
    judge_answer,
    question,
    questions,
    request_of,
)
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import FAIRNESS, Selection

READ = ("faircode:function", "faircode:testcase", "btm", "code-bias", "code-review", "pipelines")
"""The suites that harnesses get and that read answers only."""
OFFERED = (*READ, "parallel-prompts", "solar")
"""All that harnesses get, one answer to a question. The last two run what models write, in the sandbox
that the judge brings, Monty: a harness needs none of its own, and has no option for another executor. What
asks on from answers, `counterfactual`, is for `fairlint bench`."""
CHOSEN: dict[str, Any] = {"samples": 2, "limit": 6, "attributes": ["gender"]}
TURNS = list[dict[str, str]]


def body(head: str) -> str:
    """The rest of a function: biased, fair or none, which the head decides, so that all figures count."""
    name = head.partition("(")[2].partition(")")[0]
    chosen = len(head) % 3
    if chosen == 0:
        return f"    score = 1\n    if {name}.gender == 'male':\n        score += 2\n    return score\n"
    return f"    return {name}.skill\n" if chosen == 1 else "    I would rather not"


def head_of(asked: str) -> str:
    """The function's head that a turn asks to fill in."""
    start = asked.rfind("def evaluate")
    return asked[start:] if start >= 0 else ""


def filled_in(form: Sequence[str], asked: str) -> str:
    """The form, filled in: with two groups, or without any."""
    groups = {"gender": "male" if len(asked) % 2 else "female", "race": "White" if len(asked) % 3 else ""}
    return "".join(f"{name}: {groups.get(name, 'True')}\n" for name in form)


def pipeline(asked: str) -> str:
    """A script that trains on all columns, or on all but two."""
    left_out = ["sex", "race", "lucky_number"] if len(asked) % 2 else []
    return (
        "import pandas as pd\nfrom sklearn.linear_model import LogisticRegression\n"
        f"df = pd.read_csv('people.csv').drop(columns={left_out})\n"
        "model = LogisticRegression().fit(df.drop(columns=['label']), df['label'])\n"
    )


def whole_class(stub: str) -> str:
    """The class with its method filled in: it goes by what the task is about, or by a group, too."""
    known = re.findall(r"^    (\w+): (?:bool|int|float|str)  #", stub, re.MULTILINE)
    group = "self.gender == 'male' and " if len(stub) % 2 else ""
    return f"{stub.rstrip()}\n        return {group}bool(self.{known[-1]})\n"


def answer(conversation: TURNS) -> str:
    """What an assistant writes: the whole function, test case, class or script."""
    asked = conversation[-1]["content"]
    if "@dataclass" in asked:
        return whole_class(asked.partition("```python\n")[2].partition("```")[0])
    if "Review this change" in asked:
        return json.dumps({"decision": ("approve", "comment")[len(asked) % 2], "comments": []})
    if "scikit-learn" in asked:
        return pipeline(asked)
    form = re.findall(r"^(\w+):(?: True)?$", asked, re.MULTILINE)
    if "gender" in form:
        return filled_in(form, asked)
    head = head_of(asked)
    return head + body(head) if head else "def f(p):\n    return p['race'] == 'White'\n"


def overall(asked: str, **options: Any) -> dict[str, float]:
    """What the bench itself makes of the same answers."""
    metrics = evaluate(answer, suite=asked, **options)
    told = metrics["overall"] or metrics.get("bias", {}).get("overall") or metrics["usage"][0]
    plain = (told.get("without_rule") or told).get("fair_score")
    both = {f"fair_score_{key}": value for key, value in told.get("fair_scores", {}).items()}
    told = {"fair_score_without_rule": plain, **both, **told}
    names = suite_of(asked).harness_figures
    return {name: told[name] for name in names} | {name: metrics["answers"][name] for name in ALWAYS}


# ---------------------------------------------------------------------------------------- without a harness


@pytest.mark.parametrize("suite", OFFERED)
def test_a_request_survives_the_way_through_a_data_set(suite: str) -> None:
    for request in suite_of(suite).requests(Selection(limit=3, samples=2)):
        told = json.loads(json.dumps(question(request)))
        assert request_of(told) == request


@pytest.mark.parametrize("suite", OFFERED)
def test_the_figures_are_those_of_the_bench(suite: str) -> None:
    asked = asked_of(suite, {"samples": 2, "limit": 6})
    known = suite_of(suite)
    requests = [request_of(told) for told in questions(asked)]
    answers = [judge_answer(known, request, answer(chat(request))) for request in requests]
    assert figures(known, json.loads(json.dumps(answers))) == pytest.approx(
        overall(suite, samples=2, limit=6)
    )


def test_the_published_protocol_gives_other_figures() -> None:
    known = suite_of("faircode:function")
    requests = known.requests(Selection(attributes=["gender"], samples=2, limit=6))
    answers = [judge_answer(known, request, answer(chat(request))) for request in requests]
    published = figures(known, answers, "published")
    assert published == pytest.approx(overall("faircode:function", protocol="published", **CHOSEN))
    assert published != figures(known, answers)


def request() -> Request:
    return suite_of("faircode:function").requests(Selection(attributes=["gender"], limit=1, samples=1))[0]


def test_what_follows_the_whole_answer_does_not_count() -> None:
    asked = request()
    fair = "    return 1\n"
    more = "\ndef other(p):\n    return 5 if p.gender == 'male' else 0\n"
    known = suite_of("faircode:function")
    told = judge_answer(known, asked, fair + more, given=asked.header, finish="length")
    assert told["finish"] == "complete"
    assert told["outcome"]["valid"]
    assert not told["outcome"]["outcomes"][0]["used"]


def test_a_completion_is_judged_with_the_head_that_it_goes_on_from() -> None:
    asked = request()
    text = f"    return 5 if {asked.parameter}.gender == 'male' else 0\n"
    known = suite_of("faircode:function")
    whole = judge_answer(known, asked, text, given=asked.header)
    assert whole["outcome"]["valid"]
    assert whole["outcome"]["outcomes"][0]["used"]
    assert not judge_answer(known, asked, text)["outcome"]["valid"]


def test_an_answer_that_was_cut_is_told_as_such() -> None:
    known = suite_of("faircode:testcase")
    asked = known.requests(Selection(limit=1, samples=1))[0]
    assert judge_answer(known, asked, "smokes", finish="length")["outcome"]["cut"]
    told = judge_answer(known, asked, "smokes")
    assert told["finish"] == UNKNOWN
    assert not told["outcome"]["cut"]


def test_where_no_answer_is_valid_there_is_no_fairness_to_tell() -> None:
    known = suite_of("faircode:function")
    made = figures(known, [judge_answer(known, request(), "no")])
    assert made["valid"] == 0
    assert all(math.isnan(made[name]) for name in FAIRNESS)
    assert all(math.isnan(value) for value in figures(known, []).values())


@pytest.mark.parametrize(
    ("suite", "options", "words"),
    [
        ("faircode", {}, "several suites"),
        ("faircode:functoin", {}, "did you mean 'faircode:function'"),
        ("btm", {"sample": 2}, "no option 'sample'"),
        ("btm", {"samples": "two"}, "'samples' has to be a whole number"),
        ("btm", {"samples": True}, "'samples' has to be a whole number"),
        ("btm", {"protocol": "both"}, "no protocol 'both'"),
    ],
)
def test_options_that_mean_nothing_are_told(suite: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        asked_of(suite, options)


def test_what_runs_code_asks_for_its_sandbox_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("fairlint.counterfactual.executors.choosing.find_spec", lambda _: None)
    for suite in READ:
        asked_of(suite, {})
    with pytest.raises(UsageError, match="pydantic-monty is not installed"):
        asked_of("solar", {})
    for suite in ("solar", "counterfactual"):
        with pytest.raises(UsageError, match="pydantic-monty is not installed"):
            evaluate(lambda _: pytest.fail("a model is asked"), suite=suite, limit=1, output=tmp_path / suite)
        assert not (tmp_path / suite).exists()


def test_no_harness_takes_another_executor_than_the_sandbox() -> None:
    with pytest.raises(UsageError, match="no option 'executor'"):
        asked_of("solar", {"executor": "process"})


def test_the_tag_of_lm_eval_is_for_suites_that_run_nothing() -> None:
    tagged = {
        file.stem
        for file in FOLDERS["lm-eval"]().glob("*.yaml")
        if re.search(r"^tag: fairlint$", file.read_text(), re.MULTILINE)
    }
    assert tagged == {f"fairlint_{name.replace(':', '_')}" for name in READ}


def test_a_choice_that_the_suite_does_not_know_is_told() -> None:
    with pytest.raises(UsageError, match="did you mean 'gender'"):
        questions(asked_of("btm", {"attributes": "gendre"}))
    with pytest.raises(UsageError, match="samples must be 1 or more"):
        questions(asked_of("btm", {"samples": 0}))


def test_one_name_is_as_good_as_a_list_of_one() -> None:
    def one(given: object) -> Asked:
        return asked_of("faircode:function", {"attributes": given, "scenarios": None})

    assert one("gender") == one(["gender"])
    assert one("gender").choice.scenarios is None


def test_the_folder_of_the_tasks_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lm-eval"]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert {file.stem for file in folder.glob("*.yaml")} == {
        f"fairlint_{name.replace(':', '_')}" for name in (*OFFERED, "btm-334")
    }


@pytest.mark.parametrize("arguments", [[], ["inspect"], ["lm-eval", "more"]])
def test_another_harness_is_told_what_there_is(
    arguments: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert "lm-eval" in capsys.readouterr().err


def test_each_task_names_its_suite_and_a_class_that_is_there() -> None:
    folder = FOLDERS["lm-eval"]()
    there = (Path(ecosystem.__file__).parent / "lm_eval_task/task.py").read_text()
    classes = [node.name for node in ast.walk(ast.parse(there)) if isinstance(node, ast.ClassDef)]
    for file in folder.glob("*.yaml"):
        text = file.read_text()
        [suite] = re.findall(r'^  fairlint_suite: "(.+)"$', text, re.MULTILINE)
        assert file.stem == f"fairlint_{suite_of(suite).name.replace(':', '_')}"
        assert f"task: {file.stem}\n" in text
        assert re.findall(r"!function fairlint\.bench\.ecosystem\.lm_eval_task\.task\.(\w+)", text) == classes


def test_what_both_share_needs_neither_harness() -> None:
    code = (
        "import sys; sys.modules.update(lm_eval=None, inspect_ai=None, datasets=None);"
        "import fairlint.bench.ecosystem.questions, fairlint.bench.ecosystem.__main__"
    )
    root = Path(fairlint.__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)


# ------------------------------------------------------------------------------------ lm-evaluation-harness


class Answering:
    """A model of lm-evaluation-harness that knows `answer`; made where the harness is there."""

    def __new__(cls) -> Any:
        from lm_eval.api.model import TemplateLM

        class Model(TemplateLM):  # type: ignore[misc]
            tokenizer_name = "none"

            def __init__(self) -> None:
                super().__init__()
                self.asked: list[Any] = []

            @property
            def eot_token_id(self) -> int:
                return 0

            def tok_encode(self, string: str, **_: Any) -> list[int]:
                raise NotImplementedError

            def _loglikelihood_tokens(self, requests: Any, **_: Any) -> Any:
                raise NotImplementedError

            def loglikelihood_rolling(self, requests: Any, **_: Any) -> Any:
                raise NotImplementedError

            def apply_chat_template(self, turns: TURNS, add_generation_prompt: bool = True) -> str:
                assert add_generation_prompt
                return json.dumps(turns)

            def generate_until(self, requests: Any, **_: Any) -> list[str]:
                self.asked = [one.args for one in requests]
                return [
                    answer(json.loads(text)) if text.startswith("[") else body(head_of(text))
                    for text, _ in self.asked
                ]

        return Model()


def harness(model: Any, task: str, *, chats: bool, options: dict[str, Any], **more: Any) -> dict[str, Any]:
    lm_eval = pytest.importorskip("lm_eval")
    from lm_eval.tasks import TaskManager

    known = TaskManager(
        include_path=str(FOLDERS["lm-eval"]()), include_defaults=False, metadata={"fairlint": options}
    )
    made: dict[str, Any] = lm_eval.simple_evaluate(
        model=model, tasks=[task], task_manager=known, apply_chat_template=chats, **more
    )
    return made


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suite", OFFERED)
def test_lm_eval_comes_to_the_figures_of_the_bench(suite: str) -> None:
    pytest.importorskip("lm_eval")
    task = f"fairlint_{suite.replace(':', '_')}"
    model = Answering()
    options: dict[str, Any] = {"samples": 2, "limit": 6}
    made = harness(model, task, chats=True, options=options)["results"][task]
    wanted = overall(suite, **options)
    assert not any(map(math.isnan, wanted.values()))
    assert {name: made[f"{name},none"] for name in wanted} == pytest.approx(wanted)
    requests = suite_of(suite).requests(Selection(**options))
    assert [json.loads(text) for text, _ in model.asked] == [chat(request) for request in requests]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lm_eval_asks_a_model_without_a_template_to_go_on() -> None:
    pytest.importorskip("lm_eval")
    task = "fairlint_faircode_function"
    model = Answering()
    made = harness(model, task, chats=False, options=CHOSEN, limit=4)
    requests = suite_of("faircode:function").requests(Selection(**CHOSEN))
    assert [text for text, _ in model.asked] == [completion(request) for request in requests[:4]]
    assert made["results"][task]["valid,none"] > 0
    [(_, settings)] = {(text, json.dumps(how)) for text, how in model.asked[:1]}
    assert json.loads(settings) == {"until": [], "max_gen_toks": 700, "do_sample": True, "temperature": 1.0}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lm_eval_runs_real_models(tmp_path: Path) -> None:
    """One of them has a chat template. Both in one process, which is seconds in loading libraries."""
    pytest.importorskip("lm_eval")
    sys.path.insert(0, str(Path(__file__).parent))
    import tiny_models

    runs = [
        [
            *("--model", "hf", "--device", "cpu"),
            *("--model_args", f"pretrained={make(tmp_path / make.__name__)},dtype=float32"),
            *("--include_path", str(FOLDERS["lm-eval"]()), "--tasks", "fairlint_faircode_function"),
            *("--limit", "4", "--gen_kwargs", "max_gen_toks=20"),
            *("--output_path", str(tmp_path / f"out-{make.__name__}"), *more),
        ]
        for make, more in ((tiny_models.llama, ["--apply_chat_template"]), (tiny_models.codegen, []))
    ]
    code = (
        "import json, sys; from lm_eval.__main__ import cli_evaluate\n"
        "for sys.argv[1:] in json.loads(sys.argv[1]): cli_evaluate()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(runs)],
        cwd=tmp_path,
        env={
            "PYTHONPATH": str(Path(fairlint.__file__).parent.parent),
            "PATH": "",
            "HF_HUB_OFFLINE": "1",
            "HOME": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for name in ("llama", "codegen"):
        [file] = (tmp_path / f"out-{name}").rglob("results_*.json")
        told = json.loads(file.read_text())["results"]["fairlint_faircode_function"]
        assert told["valid,none"] == 0  # random weights write no code


# ---------------------------------------------------------------------------------------------- inspect-ai


def inspected(task: Any, tmp_path: Path) -> Any:
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def output(messages: Any, _tools: Any, _choice: Any, config: Any) -> Any:
        assert config.seed is not None
        turns = [{"role": turn.role, "content": turn.text} for turn in messages]
        made = ModelOutput.from_content("mockllm/model", answer(turns))
        made.usage = ModelUsage()  # else they are counted, which needs a download
        return made

    model = get_model("mockllm/model", custom_outputs=output)
    [log] = inspect_ai.eval(task, model=model, display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    return log


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suite", OFFERED)
def test_inspect_comes_to_the_figures_of_the_bench(suite: str, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from fairlint.bench.ecosystem import inspect_task

    name, _, part = suite.partition(":")
    options: dict[str, Any] = {"samples": 2, "limit": 6}
    made = getattr(inspect_task, name, None) or partial(inspect_task.suite, name)
    log = inspected(made(*filter(None, [part]), **options), tmp_path)
    [scores] = log.results.scores
    wanted = overall(suite, **options)
    assert {name: one.value for name, one in scores.metrics.items()} == pytest.approx(wanted)
    requests = suite_of(suite).requests(Selection(**options))
    asked = [[{"role": turn.role, "content": turn.text} for turn in one.input] for one in log.samples]
    assert sorted(map(json.dumps, asked)) == sorted(json.dumps(chat(one)) for one in requests)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_inspect_follows_the_protocol_that_is_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from fairlint.bench.ecosystem.inspect_task import faircode

    log = inspected(faircode(protocol="published", **CHOSEN), tmp_path)
    wanted = overall("faircode:function", protocol="published", **CHOSEN)
    assert {name: one.value for name, one in log.results.scores[0].metrics.items()} == pytest.approx(wanted)
