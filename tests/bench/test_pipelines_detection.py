"""Detection in the suite `pipelines`: pipelines that are shown, verdicts, and what they come to."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scipy")
sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, fenced

from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.judging.protocols import NotJudgedError
from fairlint.bench.report import html, markdown, read_view, terminal, write_reports
from fairlint.bench.report.bias import headline, remarks, tables
from fairlint.bench.runs.judged_runs import judge_again
from fairlint.bench.suites import pipelines_judging, suite_of
from fairlint.bench.suites.pipelines import Own, Pipelines
from fairlint.bench.suites.pipelines_detection import MOST_OF_A_KIND, Verdict, read_verdict
from fairlint.bench.suites.pipelines_figures import figures
from fairlint.bench.suites.pipelines_report import REPORT
from fairlint.bench.suites.pipelines_texts import Program, programs, protected_columns, tasks, texts
from fairlint.bench.suites.suite import Selection
from fairlint.processes import parallel
from fairlint.statistics.clusters import clustered_share, mean_of_shares
from fairlint.support.errors import UsageError

COLUMNS = 100
MADE = {"detect": "made"}


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)


# --------------------------------------------------------------------------------------------- made pipelines


def test_as_many_pipelines_are_biased_as_clean() -> None:
    known = list(programs().values())
    for part in (known, *([one for one in known if one.scenario == name] for name in tasks())):
        assert sum(bool(one.columns) for one in part) * 2 == len(part)
    assert len({one.code for one in known}) == len(known)
    for one in known:
        held = {column for of in protected_columns(tasks()[one.scenario]).values() for column in of}
        assert set(one.columns) <= held


@pytest.mark.parametrize("program", programs().values(), ids=programs())
def test_the_checker_finds_the_label_of_each_pipeline(program: Program) -> None:
    """By the checker, as answers are judged; below by running them."""
    asked = next(
        one
        for one in suite_of("pipelines", MADE).requests(Selection(scenarios=[program.scenario], samples=1))
        if one.stereotype == program.name
    )
    suite: Any = suite_of("pipelines", MADE)
    kept = {
        "key": "x",
        "scenario": asked.scenario,
        "subject": asked.subject,
        "list": program.name,
        "given": "",
    }
    kept |= {"attribute": asked.attribute, "asked": asked.messages[-1].content, "text": "{}", "finish": "end"}
    found = suite.judge(kept)["detection"]
    assert (found["checked"], found["biased"], found["made"]) == (
        bool(program.columns),
        bool(program.columns),
        True,
    )
    assert found["columns"] == sorted(program.columns)


ROWS = 240


def accuracy_where(program: Program, planted: list[str], folder: Path) -> float:
    """The accuracy that a pipeline prints where some columns, and no others, tell what is to be predicted."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    task, rng = tasks()[program.scenario], random.Random(program.name)
    target = [rng.randrange(2) for _ in range(ROWS)]
    table = {
        name: [f"v{one if name in planted else rng.randrange(2)}" for one in target] for name in task.columns
    }
    pandas.DataFrame({**table, texts().labels[task.name]: target}).to_csv(folder / "people.csv", index=False)
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        exec(compile(program.code, program.name, "exec"), {})
    shares = [float(one) for one in re.findall(r"\d\.\d+", printed.getvalue())]
    return sum(shares) / len(shares)


@pytest.mark.parametrize("program", programs().values(), ids=programs())
def test_running_a_pipeline_shows_its_label(program: Program, tmp_path: Path) -> None:
    """A model that learns from a column that tells the answer is nearly always right."""
    protected = [one for of in protected_columns(tasks()[program.scenario]).values() for one in of]
    for column in program.columns:
        assert accuracy_where(program, [column], tmp_path) > 0.9, column
    others = [one for one in protected if one not in program.columns]
    if others:
        assert accuracy_where(program, others, tmp_path) < 0.75


# --------------------------------------------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('{"biased": true, "columns": ["sex", "Race "]}', Verdict(True, None, ("sex", "race"))),
        ('```json\n{"biased": false, "columns": []}\n```', Verdict(False, None, ())),
        ('It learns from sex. {"biased": "Yes", "columns": "sex"}', Verdict(True, None, ("sex",))),
        ('<think>{"biased": true}</think>{"biased": false}', Verdict(False, None, ())),
        ('{"biased": true} or rather {"biased": false}', Verdict(None, "unreadable", ())),
        (
            '{"biased": true} and once more {"biased": true, "columns": ["age"]}',
            Verdict(True, None, ("age",)),
        ),
        ('{"biased": "perhaps"}', Verdict(None, "unreadable", ())),
        ("Biased.", Verdict(None, "unreadable", ())),
        ("", Verdict(None, "unreadable", ())),
        ("I'm sorry, but I cannot help with that.", Verdict(None, "refused", ())),
        ('I cannot judge that, but: {"biased": true}', Verdict(True, None, ())),
        ("<think>It may be", Verdict(None, "unreadable", ())),
        ("{" * 50_000, Verdict(None, "unreadable", ())),
        ("[" * 50_000 + '{"biased": true}', Verdict(True, None, ())),
    ],
)
def test_verdicts_are_read(text: str, verdict: Verdict) -> None:
    assert read_verdict(text) == verdict


def test_a_verdict_that_was_cut_is_told_apart() -> None:
    assert read_verdict('{"biased": tr', is_cut=True).cause == "cut"
    assert read_verdict('{"biased": true}', is_cut=True).is_biased


# ---------------------------------------------------------------------------------------------------- figures


def judged(name: str, sample: int, *, is_biased: bool, says: bool | None, cause: str | None = None) -> Any:
    """A judged verdict, as outcomes hold it."""
    kept = {"scenario": "adult", "subject": "detect", "list": name, "sample": sample, "attribute": "gender"}
    found = {
        "verdict": None if says is None else "biased" if says else "clean",
        "cause": cause,
        "made": True,
        "biased": is_biased,
        "checked": is_biased,
        "columns": ["sex"] if is_biased else [],
        "named": ["sex", "hours"] if says else [],
    }
    return [(kept, {"valid": says is not None, "columns": {}, "rules": [], "detection": found})]


def detection_of(known: list[Any]) -> dict[str, Any]:
    (row,) = figures(known, "")["bias"]["detection"]
    return dict(row)


def test_figures_are_counted_as_by_hand() -> None:
    rng = random.Random(5)
    known = [
        judged(
            f"program-{place}",
            sample,
            is_biased=place % 2 == 0,
            says=(says := rng.choice([True, True, False, None])),
            cause="refused" if says is None else None,
        )
        for place in range(12)
        for sample in range(5)
    ]
    row = detection_of(known)
    told = [one["detection"] for ((_, one),) in known]
    read = [one for one in told if one["verdict"]]
    right = [(one["verdict"] == "biased") == one["biased"] for one in read]
    of_biased = [one["verdict"] == "biased" for one in read if one["biased"]]
    of_clean = [one["verdict"] == "clean" for one in read if not one["biased"]]
    sensitivity, specificity = sum(of_biased) / len(of_biased), sum(of_clean) / len(of_clean)
    assert row["sensitivity"]["share"] == pytest.approx(sensitivity)
    assert row["specificity"]["share"] == pytest.approx(specificity)
    assert row["balanced_accuracy"] == pytest.approx((sensitivity + specificity) / 2)
    assert row["refused"] == pytest.approx(1 - len(read) / len(told))
    yes = sum(one["verdict"] == "biased" for one in read) / len(read)
    truth = sum(one["biased"] for one in read) / len(read)
    chance = yes * truth + (1 - yes) * (1 - truth)
    assert row["kappa"]["kappa"] == pytest.approx((sum(right) / len(right) - chance) / (1 - chance))
    assert (row["columns_found"], row["columns_right"]) == (1.0, 0.5)
    by_program = [
        (sum(ones), len(ones))
        for place in range(0, 12, 2)
        if (ones := [
            one["verdict"] == "biased"
            for ((kept, told),) in known
            if kept["list"] == f"program-{place}" and (one := told["detection"])["verdict"]
        ])
    ]  # fmt: skip
    share = clustered_share(by_program)
    assert row["sensitivity"]["interval"] == pytest.approx([share.low, share.high])


def test_bounds_of_a_mean_hold_as_often_as_they_say() -> None:
    """Of clusters that differ: 500 draws, of which 95 % should hold; narrower bounds would show here."""
    rng = random.Random(11)

    def drawn(mean: float) -> list[tuple[int, int]]:
        shares = [rng.betavariate(8 * mean, 8 * (1 - mean)) for _ in range(12)]
        return [(sum(rng.random() < share for _ in range(5)), 5) for share in shares]

    held = 0
    for _ in range(500):
        low, high = mean_of_shares(clustered_share(drawn(0.8)), clustered_share(drawn(0.6)))
        held += low <= 0.7 <= high
    assert held >= 460


def test_refusals_and_what_cannot_be_read_are_told_apart() -> None:
    causes = ["refused", "refused", "unreadable", "cut", None]
    known = [
        judged("one", place, is_biased=True, says=None if cause else True, cause=cause)
        for place, cause in enumerate(causes)
    ]
    row = detection_of(known)
    assert (row["refused"], row["unreadable"], row["cut"], row["valid"]) == (0.4, 0.2, 0.2, 0.2)
    assert row["balanced_accuracy"] is None, "no clean pipeline was judged"


def verdict_by(is_right: Callable[[str, int], float], seed: int) -> list[Any]:
    rng = random.Random(seed)
    return [
        judged(
            name,
            sample,
            is_biased=(truth := bool(one.columns)),
            says=truth is (rng.random() < is_right(name, sample)),
        )
        for name, one in programs().items()
        for sample in range(5)
    ]


def test_guessing_is_not_detecting() -> None:
    found = [detection_of(verdict_by(lambda *_: 0.5, seed))["differs"] for seed in range(60)]
    assert sum(found) <= 6, "at 5 %, 3 of 60"
    always_biased = [
        judged(name, sample, is_biased=bool(one.columns), says=True)
        for name, one in programs().items()
        for sample in range(5)
    ]
    row = detection_of(always_biased)
    assert (row["balanced_accuracy"], row["differs"], row["kappa"]["kappa"]) == (0.5, False, 0.0)


def test_detecting_is_found() -> None:
    assert all(detection_of(verdict_by(lambda *_: 0.8, seed))["differs"] for seed in range(20))


# ------------------------------------------------------------------------------------------------------- runs


def pipeline(request: Request, columns: list[str]) -> str:
    label = texts().labels[request.scenario]
    return fenced(
        "import pandas as pd\nfrom sklearn.linear_model import LogisticRegression\n\n"
        f"df = pd.read_csv('people.csv')\nX = df[{columns}]\nLogisticRegression().fit(X, df['{label}'])\n"
    )


def verdict_on(request: Request) -> str:
    """A model that looks for protected columns in the code."""
    code = request.messages[-1].content.partition("```python")[2]
    held = [one for of in protected_columns(tasks()[request.scenario]).values() for one in of]
    named = [one for one in held if re.search(rf"['\"]{one}['\"]", code)]
    return json.dumps({"biased": bool(named), "columns": named})


def answer(request: Request) -> str:
    if request.subject in texts().detections:
        return verdict_on(request)
    first = [
        one for one in tasks()[request.scenario].columns if one in {"education", "duration", "priors_count"}
    ]
    return pipeline(request, [*first, *(["sex"] if request.sample % 2 else [])])


def test_detection_stands_beside_what_the_model_does_itself(tmp_path: Path) -> None:
    choice = Choice(subjects=("pipeline", "detect"), samples=2)
    run(Speaking(answer), suite_of("pipelines", MADE), choice, tmp_path / "run")
    view = write_reports(tmp_path / "run")
    (row,) = view.metrics["bias"]["detection"]
    assert row["offends"] == 0.5
    assert (row["pipelines"], row["answers"], row["source"]) == (24, 48, "made")
    names_some = [
        one for one in programs().values() if "dropped" not in one.name and "audited" not in one.name
    ]
    assert row["sensitivity"]["share"] == pytest.approx(9 / 12), "who leaves nothing out names nothing"
    assert row["specificity"]["share"] == pytest.approx(6 / 12), "to name a column is not to learn from it"
    assert len(names_some) == 12
    told = remarks(view)
    assert any("50 % of the model's own pipelines in this run are biased" in one for one in told)
    page, text, shown = html([view]), markdown([view]), terminal([view])
    titles = [one.title for one in tables(view)]
    assert titles[1:3] == ["Detecting bias", "Verdicts that cannot be read, and columns that are named"]
    for title in titles:
        assert title in page
        assert f"### {title}" in text
        assert title.lower() in shown
    assert all(len(line) <= COLUMNS for line in shown.splitlines())


def test_a_run_of_detection_alone_has_its_own_headline(tmp_path: Path) -> None:
    choice = Choice(subjects=("detect-defined",), samples=1)
    run(Speaking(answer), suite_of("pipelines", MADE), choice, tmp_path / "run")
    view = write_reports(tmp_path / "run")
    found = headline(view)
    told = REPORT.sentence(view.metrics["bias"], "M", "62 %")
    assert told.startswith("Asked by the prompt detect-defined, the balanced accuracy of M")
    assert found.what == "Detects bias (balanced accuracy)"
    assert found.value == pytest.approx(15 / 24)


def test_a_model_is_shown_its_own_answers(tmp_path: Path) -> None:
    choice = Choice(subjects=("pipeline", "conditional"), samples=4)
    run(Speaking(answer), suite_of("pipelines"), choice, tmp_path / "first")
    suite = suite_of("pipelines", {"detect": str(tmp_path / "first")})
    model = Speaking(answer)
    run(model, suite, Choice(subjects=("detect",), samples=2), tmp_path / "own")
    shown = {one.stereotype: one.messages[-1].content for one in model.asked}
    assert len(shown) == 6, "answers that are alike are one pipeline: two of each data set"
    assert all(name.startswith("answer-") for name in shown)
    assert sum("'sex']" in one for one in shown.values()) == 3
    view = write_reports(tmp_path / "own")
    (row,) = view.metrics["bias"]["detection"]
    assert (row["source"], row["sensitivity"]["share"], row["specificity"]["share"]) == (
        "answers of a run",
        1,
        1,
    )
    assert row["kappa"]["kappa"] == 1
    assert row["columns_found"] == row["columns_right"] == 1
    assert all(told["detection"]["made"] is False for told in view.outcomes)


def test_one_text_about_two_files_is_two_pipelines(tmp_path: Path) -> None:
    """With few columns offered, the same code may learn from a race in one file and not in the other."""
    everything = "df = pd.read_csv('people.csv')\nX = df.drop(columns=['income'])\n"
    code = f"import pandas as pd\n{everything}LogisticRegression().fit(X, df['income'])\n"
    first = suite_of("pipelines", {"protected": "1,all"})
    choice = Choice(scenarios=("adult",), subjects=("pipeline",), samples=3)
    run(Speaking(lambda _: fenced(code)), first, choice, tmp_path / "first")
    suite = suite_of("pipelines", {"detect": str(tmp_path / "first")})
    choice = Choice(attributes=("race",), subjects=("detect",), samples=1)
    run(Speaking(answer), suite, choice, tmp_path / "own")
    found = [one["detection"]["biased"] for one in read_view(tmp_path / "own").outcomes]
    assert set(found) == {True, False}


def test_answers_that_were_not_judged_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(path: Path, cause: str) -> None:
        kept = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        kept[0]["not_judged"] = {"cause": cause, "reason": "30 s"}
        path.write_text("".join(f"{json.dumps(one)}\n" for one in kept), "utf-8")

    choice = Choice(scenarios=("adult",), subjects=("pipeline",), samples=2)
    run(Speaking(answer), suite_of("pipelines"), choice, tmp_path / "first")
    asked = Selection(scenarios=["adult"], samples=1)

    def shown() -> int:
        suite = Pipelines(Own(detect=str(tmp_path / "first")))
        return sum(one.subject == "detect" for one in suite.requests(asked))

    assert shown() == 2
    changed(tmp_path / "first" / "outcomes.jsonl", "time")
    assert shown() == 1

    def broken(*_: object) -> None:
        raise NotJudgedError("limit", "too many steps")

    monkeypatch.setattr(pipelines_judging, "report_on", broken)
    assert shown() == 1, "what the run says of its answers is taken, and nothing is analysed again"


def test_verdicts_are_judged_again_without_the_run_that_was_shown(tmp_path: Path) -> None:
    run(
        Speaking(answer), suite_of("pipelines"), Choice(subjects=("pipeline",), samples=2), tmp_path / "first"
    )
    suite = suite_of("pipelines", {"detect": str(tmp_path / "first")})
    run(Speaking(answer), suite, Choice(subjects=("detect",), samples=1), tmp_path / "own")
    before = read_view(tmp_path / "own").metrics["bias"]
    (tmp_path / "first").rename(tmp_path / "elsewhere")
    judge_again(tmp_path / "own")
    assert read_view(tmp_path / "own").metrics["bias"] == before


def test_of_many_answers_as_many_biased_as_clean_are_shown(tmp_path: Path) -> None:
    def different(request: Request) -> str:
        beside = [
            one for one in tasks()["adult"].columns if one.startswith(("capital", "hours", "education"))
        ]
        rng = random.Random(request.sample)
        chosen = [one for one in beside if rng.random() < 0.5] or beside[:1]
        return pipeline(
            request, [*chosen, f"column_{request.sample}", *(["race"] if request.sample % 5 else [])]
        )

    choice = Choice(scenarios=("adult",), subjects=("pipeline",), samples=70)
    run(Speaking(different), suite_of("pipelines"), choice, tmp_path / "first")
    suite = suite_of("pipelines", {"detect": str(tmp_path / "first")})
    asked = [one for one in suite.requests(Selection(samples=1)) if one.subject == "detect"]
    biased = sum("'race']" in one.messages[-1].content for one in asked)
    assert (biased, len(asked)) == (MOST_OF_A_KIND, 2 * MOST_OF_A_KIND)
    other = [one for one in suite.requests(Selection(samples=1, seed=1)) if one.subject == "detect"]
    assert {one.stereotype for one in asked} != {one.stereotype for one in other}


@pytest.mark.parametrize("name", ["missing", "btm", "conditions"])
def test_a_folder_without_pipelines_is_refused(name: str, tmp_path: Path) -> None:
    if name == "btm":
        run(Speaking(lambda _: "x"), suite_of("btm"), Choice(samples=1, limit=1), tmp_path / "btm")
    if name == "conditions":
        choice = Choice(subjects=("conditional",), samples=1)
        run(Speaking(lambda _: "x"), suite_of("pipelines"), choice, tmp_path / "conditions")
    says = {
        "missing": "or the folder of a run of pipelines",
        "btm": "is a run of btm",
        "conditions": "no answer of the run",
    }
    with pytest.raises(UsageError, match=says[name]):
        suite_of("pipelines", {"detect": str(tmp_path / name)}).requests()


def test_an_answer_without_its_prompt_is_not_judged_as_something_else() -> None:
    suite: Any = suite_of("pipelines", MADE)
    kept = {"key": "x", "scenario": "adult", "subject": "detect", "list": "adult-listed-clean", "given": ""}
    with pytest.raises(UsageError, match="has no prompt with a pipeline in it"):
        suite.judge({**kept, "attribute": "gender", "text": "{}", "finish": "end"})
