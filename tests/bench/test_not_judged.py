"""An answer whose analysis broke counts for nothing, is named, and its number stands beside every figure."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from report_data import biased, settings

from fairlint.bench.ecosystem.questions import figures, judge_answer
from fairlint.bench.figures.comparing import compare_runs
from fairlint.bench.judging.judging_all import judge_kept_answer as outcome_of
from fairlint.bench.judging.protocols import NotJudgedError
from fairlint.bench.report import RunView, csv_tables, html, markdown, terminal
from fairlint.bench.runs.results import document
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import FAIRNESS, Kept, ProtocolName, Selection
from fairlint.cli.bench_run import _check_least_validity
from fairlint.processes.deadline import TooLongError

POISON = "# poison\n"
SUBJECTS = ("Nurse", "Carpenter", "Typist")
REASON = "line 7: nested too deeply"


class Poisoned:
    """A suite on which the analysis of some answers breaks."""

    def __init__(self, suite: str, broken: BaseException) -> None:
        self._suite = suite_of(suite)
        self._broken = broken

    def __getattr__(self, name: str) -> Any:
        return getattr(self._suite, name)

    def judge(self, kept: Kept) -> dict[str, Any]:
        """As the suite does, but for answers that hold the poison."""
        if POISON in kept["text"]:
            raise self._broken
        return self._suite.judge(kept)


LIMIT = NotJudgedError("limit", REASON)


def pairs(
    suite: str, texts: Sequence[str], broken: BaseException = LIMIT, **told: Any
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """These answers about each subject, with their outcomes."""
    poisoned = Poisoned(suite, broken)
    found = []
    for subject in told.pop("subjects", SUBJECTS):
        for sample, text in enumerate(texts):
            kept = {
                "key": f"{subject}#{sample}", "suite": suite, "scenario": "job", "attribute": "gender",
                "list": "", "subject": subject, "sample": sample, "prompt": f"5eed{sample}", "given": "",
                "asked": "", "text": text, "finish": "end", "prompt_tokens": 1, "new_tokens": 1, **told,
            }  # fmt: skip
            found.append((kept, {"key": kept["key"], **outcome_of(poisoned, kept)}))
    return found


def run(
    suite: str, texts: Sequence[str], *, protocol: ProtocolName = "exact", name: str = "tiny", **told: Any
) -> RunView:
    known = pairs(suite, texts, **told)
    metrics = document(suite_of(suite), settings(name), known, asked=len(known), protocol=protocol)
    assert json.loads(json.dumps(metrics)) == metrics
    return RunView(Path("runs") / name, metrics, [kept for kept, _ in known], [one for _, one in known])


FAIR = "```python\ndef rate(person):\n    return person.skill\n```\n"
BIASED = biased("gender", 4)
BOMB = POISON + BIASED


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (LIMIT, {"cause": "limit", "reason": REASON}),
        (TooLongError(), {"cause": "time", "reason": "takes longer than 30 s"}),
        (MemoryError(), {"cause": "memory", "reason": "takes more than 1,000 MB of the memory"}),
        (
            RecursionError("too\ndeep"),
            {"cause": "error", "reason": "internal error: RecursionError: too deep"},
        ),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize(
    ("suite", "more"),
    [
        ("faircode:function", {}),
        ("faircode:testcase", {"subjects": ["diabetes"], "attribute": "gender, race"}),
        ("btm", {"attribute": "gender, race", "asked": "gender"}),
    ],
)
def test_an_outcome_says_why_there_is_none(
    suite: str, more: dict[str, Any], broken: BaseException, told: dict[str, str]
) -> None:
    ((_, outcome),) = pairs(suite, [BOMB], broken, **{"subjects": ["Nurse"], **more})
    assert outcome["not_judged"] == told
    assert not outcome["valid"]


@pytest.mark.parametrize("protocol", ["exact", "published"])
def test_the_figures_are_those_of_the_judged_answers(protocol: ProtocolName) -> None:
    whole = run("faircode:function", [FAIR, BIASED], protocol=protocol).metrics
    made = run("faircode:function", [FAIR, BIASED, BOMB, BOMB], protocol=protocol).metrics
    assert made["answers"]["not_judged"] == 6
    assert made["answers"]["valid"] == 1.0
    (score,), (alone,) = made["scores"], whole["scores"]
    assert (score["answers"], score["not_judged"]) == (12, 6)
    shares = ("valid", "mentioned", "read", "used")
    assert [score[name] for name in shares] == [alone[name] for name in shares]
    assert [one["not_judged"] for one in score["subjects"]] == [2, 2, 2]
    exact, exact_alone = (one if protocol == "exact" else one["other"] for one in (made, whole))
    for name in ("refusal_rate", "entropy", "fair_score"):
        assert exact["overall"][name] == exact_alone["overall"][name]
    assert exact["overall"]["not_judged"] == 6
    assert made["scenarios"][0]["not_judged"] == 6


def test_the_published_extraction_reads_on() -> None:
    """It is a reading of the text: its figures are those of the published program on the same answers."""
    broken = run("faircode:function", [FAIR, BIASED, BOMB], protocol="published").metrics
    whole = run("faircode:function", [FAIR, BIASED, BIASED], protocol="published").metrics
    both = broken["overall"]["fair_scores"]  # the adjusted one leaves out what was not judged
    assert both["published"] == whole["overall"]["fair_scores"]["published"]
    assert broken["overall"] == {**whole["overall"], "not_judged": 3, "fair_scores": both}
    assert broken["overall"]["refusal_rate"] == pytest.approx(1 / 3)


def test_who_is_never_judged_is_not_fair() -> None:
    made = run("faircode:function", [BOMB]).metrics
    assert made["overall"] is None
    assert made["answers"]["valid"] is None
    (score,) = made["scores"]
    assert (score["fair_score"], score["used"], score["not_judged"]) == (None, None, 3)


def test_rates_of_use_are_those_of_the_judged_answers() -> None:
    more: dict[str, Any] = {"attribute": "gender, race", "asked": "Do not use gender or race."}
    whole, made = (run("btm", texts, **more).metrics for texts in ([FAIR, BIASED], [FAIR, BIASED, BOMB]))
    for one, alone in zip(made["usage"], whole["usage"], strict=True):
        assert (one["answers"], one["not_judged"]) == (9, 3)
        names = ("echoed", "mentioned", "read", "used", "valid", "interval")
        assert [one[name] for name in names] == [alone[name] for name in names]
        assert one["published"] == 1.0
    nobody = run("btm", [BOMB], **more)
    assert nobody.metrics["usage"][0]["used"] is None
    assert "–" in terminal([nobody])


def test_a_test_case_that_was_not_judged_refuses_nothing() -> None:
    form = "Here it is:\n\nrace: Black\nsmoker: True\nhigh_bmi: True\n"
    more: dict[str, Any] = {"subjects": ["diabetes"], "attribute": "gender, race", "scenario": "health"}
    made = run("faircode:testcase", [POISON + form, POISON + form], **more).metrics
    assert made["overall"] is None
    assert [one["not_judged"] for one in made["scores"]] == [2, 2]


def plain(text: str) -> str:
    return text.replace("\\", "").replace("\n", " ")


@pytest.mark.parametrize("report", [terminal, markdown, html])
@pytest.mark.parametrize(
    ("suite", "more"), [("faircode:function", {}), ("btm", {"asked": "gender", "attribute": "gender"})]
)
def test_reports_name_what_was_not_judged(
    report: Callable[[list[RunView]], str], suite: str, more: dict[str, Any]
) -> None:
    told = plain(report([run(suite, [FAIR, BIASED, BOMB], **more)]))
    assert "3 of 9 answers were not judged (limit 3)" in told
    assert REASON in told
    assert "Carpenter" in told
    assert "5eed2" in told
    assert "not judged" in plain(report([run(suite, [FAIR, BIASED], **more)])).lower()  # the column is there


def test_a_terminal_names_a_few(capsys: pytest.CaptureFixture[str]) -> None:
    view = run("faircode:function", [FAIR, *[BOMB] * 4])
    told = terminal([view])
    assert told.count(REASON) == 5
    assert "not judged: 7 more, which metrics.json names" in told
    assert len(view.metrics["not_judged"]) == 12
    named = view.metrics["not_judged"][0]
    assert (named["subject"], named["prompt"], named["sample"]) == ("Carpenter", "5eed1", 1)
    assert _check_least_validity([view], 0.5) == 1  # three of fifteen answers can be relied on
    assert "12 of 15 answers were not judged" in capsys.readouterr().err


def test_tables_have_the_number() -> None:
    tables = csv_tables([run("faircode:function", [FAIR, BOMB])])
    for name, count in (("scores.csv", {"3"}), ("subjects.csv", {"1"})):
        assert {row["not_judged"] for row in csv.DictReader(io.StringIO(tables[name]))} == count
    tables = csv_tables([run("btm", [FAIR, BOMB], asked="gender")])
    assert {row["not_judged"] for row in csv.DictReader(io.StringIO(tables["usage.csv"]))} == {"3"}


def test_few_answers_that_can_be_relied_on_are_a_warning() -> None:
    """All answers that were judged are valid, and they are few."""
    told = plain(terminal([run("faircode:function", [FAIR, BOMB, BOMB, BOMB])]))
    assert "WARNING: Only 25 % of the answers of tiny are valid" in told


def test_a_comparison_leaves_out_what_was_not_judged() -> None:
    one, other = (run("btm", [FAIR, text], name=text[:5], asked="gender") for text in (BIASED, BOMB))
    (found,) = compare_runs([one, other])
    assert found.overall is not None
    assert (found.overall.subjects, found.overall.not_judged) == (3, (0, 3))
    one, other = (run("faircode:function", [FAIR, text], name=text[:5]) for text in (BIASED, BOMB))
    (found,) = compare_runs([one, other])
    assert [column.not_judged for column in found.columns] == [(0, 3)]


def test_harnesses_leave_it_out_and_count_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = suite_of("faircode:function")
    asked = known.requests(Selection(attributes=["gender"], limit=2, samples=1))
    texts = [FAIR.replace("rate", request.function) for request in asked]
    fair = [judge_answer(known, request, text) for request, text in zip(asked, texts, strict=True)]
    monkeypatch.setattr(type(known), "judge", lambda *_: (_ for _ in ()).throw(LIMIT))
    broken = [judge_answer(known, request, text) for request, text in zip(asked, texts, strict=True)]
    monkeypatch.undo()
    made = figures(known, [*fair, *broken])
    assert (made["valid"], made["not_judged"], made["refusal_rate"]) == (1.0, 2.0, 1.0)
    nothing = figures(known, broken)
    assert nothing["not_judged"] == 2.0
    assert all(nothing[name] != nothing[name] for name in ("valid", *FAIRNESS))
