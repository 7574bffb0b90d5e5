"""Perturbed prompts: what is asked, how answers are judged, and what is said of how far figures move."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, fenced

from fairlint.backends.names import slug
from fairlint.backends.requests import Request, key_of
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.asking.shards import Shard
from fairlint.bench.figures.variants import MovedFigure, moved_figures
from fairlint.bench.report import RunView, html, markdown
from fairlint.bench.report.studies import study, write_study
from fairlint.bench.report.terminal import table
from fairlint.bench.runs.judged_runs import judge_again
from fairlint.bench.runs.merging import merge, runs_of
from fairlint.bench.runs.view import differences, labels, read_view
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.perturbations import (
    PERTURBATIONS,
    own_length,
    own_names,
    perturbed_suites,
    rename,
)
from fairlint.bench.suites.suite import Selection, Suite
from fairlint.cli import main
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

SUITES = tuple(perturbed_suites())
KINDS = tuple((suite, kind) for suite in SUITES for kind in PERTURBATIONS)
GERMAN = {"counterfactual": ("german",), "pipelines": ("german",)}


def perturbed(name: str, kind: str) -> Suite:
    return suite_of(name, {"perturb": kind})


def whole_text(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


def by_key(suite: Suite, samples: int = 1) -> dict[str, Request]:
    return {key_of(one): one for one in suite.requests(Selection(samples=samples))}


# ---------------------------------------------------------------------------------------------- what is asked


@pytest.mark.parametrize("name", SUITES)
def test_every_piece_that_is_put_in_other_words_stands_in_a_prompt(name: str) -> None:
    told = "\n".join(map(whole_text, suite_of(name).requests(Selection(samples=1))))
    file = Path(sys.modules["fairlint.bench.suites.btm"].__file__ or "").parent / "data"
    told += "\n".join(
        one.read_text() for one in file.glob("*.toml") if one.name != "perturbations.toml"
    )  # the second turns of conversations
    assert [piece for piece, _ in perturbed_suites()[name].paraphrase if piece not in told] == []


@pytest.mark.parametrize("name", SUITES)
def test_all_prompts_have_other_words_and_keep_the_names_of_what_is_asked_for(name: str) -> None:
    plain, other = by_key(suite_of(name)), by_key(perturbed(name, "paraphrase"))
    assert plain.keys() == other.keys()
    for key, one in other.items():
        before = plain[key]
        assert whole_text(one) != whole_text(before)
        assert (one.seed, one.function, one.parameter) == (before.seed, before.function, before.parameter)
        assert before.function in whole_text(one)
        assert one.header.rpartition("):\n")[0] == before.header.rpartition("):\n")[0]


@pytest.mark.parametrize("name", SUITES)
def test_a_shuffled_prompt_has_the_same_in_another_order(name: str) -> None:
    plain, other = by_key(suite_of(name)), by_key(perturbed(name, "shuffle"))
    for key, one in other.items():
        before, after = whole_text(plain[key]), whole_text(one)
        assert sorted(before) == sorted(after)
        assert (before != after) or one.role == "attributes"


@pytest.mark.parametrize("name", SUITES)
def test_a_renamed_prompt_can_be_read_with_the_names_of_its_suite(name: str) -> None:
    plain, other = by_key(suite_of(name)), by_key(perturbed(name, "rename"))
    for key, one in other.items():
        text = whole_text(one)
        own = own_names(name, text)
        assert rename(own, perturbed_suites()[name].names) == text
        assert one.function == plain[key].function
        if name != "counterfactual" or "gender, " not in whole_text(plain[key]):  # in an example
            assert own == whole_text(plain[key])


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_more_samples_change_nothing_in_what_is_asked(name: str, kind: str) -> None:
    few, many = by_key(perturbed(name, kind)), by_key(perturbed(name, kind), samples=2)
    assert {key: many[key] for key in few} == few
    assert {one.perturbation for one in many.values()} == {kind}


def test_names_are_found_in_any_case_and_as_parts_of_names() -> None:
    names = {"gender": "sex", "marital_status": "civil_status", "female": "woman", "insured": "covered"}
    assert rename("p.is_female and GENDER or Gender", names) == "p.is_woman and SEX or Sex"
    assert rename("marital status, marital_status", names) == "civil status, civil_status"
    assert rename("engendered uninsured", names) == "engendered uninsured"


def test_the_end_of_an_answer_is_where_it_is_written() -> None:
    text = "ethnicity: asian\nsex: Male\nskill: True\nmore"
    own = own_names("faircode:testcase", text)
    end = own.index("more")
    assert text[: own_length("faircode:testcase", text, end)] == text[: text.index("more")]


def test_a_renamed_form_that_is_filled_in_is_a_whole_answer() -> None:
    asked = perturbed("faircode:testcase", "rename").requests(Selection(samples=1))[0]
    text = filled_form(asked)
    assert perturbed("faircode:testcase", "rename").finished(asked, f"{text}\nmore\n") == len(text)


def test_what_a_perturbation_does_not_change_is_not_asked() -> None:
    asked = perturbed("faircode:function", "rename").requests(Selection(samples=1))
    assert {one.attribute for one in asked} == set(suite_of("faircode:function").attributes()) - {"age"}
    with pytest.raises(ValueError, match="changes nothing"):
        perturbed("faircode:function", "rename").requests(Selection(attributes="age"))


def test_the_second_turn_is_renamed_as_the_first(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_monty")
    said = "The sex, I think, and the gender."
    model = Speaking(lambda one: said if one.role else fenced("def predict(gender):\n    return 1\n"))
    choice = Choice(scenarios=("german",), subjects=("model-driven",), samples=1)
    run(model, perturbed("counterfactual", "rename"), choice, tmp_path / "run")
    last = model.asked[-1].messages
    assert last[-2].content == "The gender, I think, and the gender."
    assert "gender, job" in last[-1].content
    assert "sex" not in last[-1].content


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--suite", "btm-334", "--perturb", "rename"], "have no perturbations"),
        (["--suite", "btm", "--perturb", "reword"], "known: paraphrase, shuffle, rename"),
        (["--suite", "btm", "--perturb", "rename", "--prompts", "p.json"], "leave --prompts out"),
        (["--suite", "btm", "--perturb", "rename", "--model", "replay:a.jsonl"], "leave --perturb out"),
    ],
)
def test_what_has_no_perturbation_is_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words, "--dry-run"]) == 2
    assert told in capsys.readouterr().err


def test_a_dry_run_counts_each_perturbation(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "--suite", "btm", "--perturb", "shuffle,rename", "--samples", "2", "--dry-run"]
    assert main([*words, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert json.dumps(told).count("btm-rename") >= 1
    assert main(words) == 0
    assert "18 " in next(line for line in capsys.readouterr().out.splitlines() if line.startswith("all"))


# ------------------------------------------------------------------------------------------ how it is judged


def filled_form(request: Request) -> str:
    given = {"sex": "Female", "gender": "Female", "race": "Asian", "ethnicity": "Asian"}
    lines = [line.partition(":")[0] for line in request.messages[-1].content.splitlines()]
    fields = [line for line in lines if line in request.attributes or line in given]
    return "".join(f"{name}: {given.get(name, 'True')}\n" for name in fields)


def answer(name: str, request: Request) -> str:
    """What a model writes that decides by sex, with the names and the values that its prompt has."""
    asked = whole_text(request)
    if name == "faircode:function":
        held = "sex" if request.perturbation == "rename" else "gender"
        return fenced(
            f"{request.header}    score = 1\n    if {request.parameter}.{held} == 'female':\n"
            "        score += 2\n    return score\n"
        )
    if name == "faircode:testcase":
        return filled_form(request)
    if name == "btm":
        held = "sex" if request.perturbation == "rename" else "gender"
        return fenced(f"def predict_income(record):\n    return 1 if record['{held}'] == 'male' else 0\n")
    if request.role == "attributes":
        return "What one earns."
    held, value = ("gender", "man") if request.perturbation == "rename" else ("sex", "male")
    if name == "counterfactual":
        return fenced(f"def predict({held}):\n    return 1 if {held} == '{value}' else 0\n")
    if name == "pipelines" and request.function:
        return fenced(f"def predict(person):\n    return 1 if person['{held}'] == '{value}' else 0\n")
    if name == "pipelines":
        return fenced(
            "import pandas as pd\nfrom sklearn.linear_model import LogisticRegression\n\n"
            f"df = pd.read_csv('people.csv')\nX = pd.get_dummies(df[['{held}', 'duration']])\n"
            "model = LogisticRegression()\nmodel.fit(X, df['credit'])\n"
        )
    held, value = ("sex", "man") if request.perturbation == "rename" else ("gender", "male")
    stub = asked.partition("```python\n")[2].partition("\n```")[0]
    return fenced(f"{stub}\n        return self.{held} == '{value}'\n")


def asked_run(name: str, kind: str, folder: Path, **changed: Any) -> RunView:
    if suite_of(name).runs_code:
        pytest.importorskip("pydantic_monty")
    suite = perturbed(name, kind) if kind else suite_of(name)
    choice = Choice(**{"samples": 2, "limit": 3, "scenarios": GERMAN.get(name), **changed})
    run(Speaking(lambda one: answer(name, one)), suite, choice, folder)
    return read_view(folder)


def outcomes(view: RunView) -> dict[str, Mapping[str, Any]]:
    """Key → what came of an answer, but for what hangs on how the prompt is put."""
    dropped = {"published", "off_task"}
    return {
        told["key"]: {name: one for name, one in told.items() if name not in dropped}
        for told in view.outcomes
    }


def decides_by_gender(told: Mapping[str, Any]) -> bool:
    for one in told.get("outcomes", ()):
        if one["attribute"] == "gender" and one["used"]:
            return True
    known = told.get("attributes", {}).get("gender", {})
    if known.get("used") or known.get("cip"):
        return True
    return bool((told.get("columns") or told.get("used") or {}).get("gender"))


@pytest.mark.parametrize("name", SUITES)
def test_answers_to_perturbed_prompts_are_judged_as_those_to_plain_ones(name: str, tmp_path: Path) -> None:
    plain = outcomes(asked_run(name, "", tmp_path / "plain"))
    assert all(told["valid"] for told in plain.values())
    assert any(map(decides_by_gender, plain.values()))
    for kind in PERTURBATIONS:
        view = asked_run(name, kind, tmp_path / kind)
        found = outcomes(view)
        assert found
        assert found == {key: plain[key] for key in found}, kind
        assert {kept["perturbation"] for kept in view.responses} == {kind}


# ---------------------------------------------------------------------------------------- what is said of it


def turning(one: Request) -> str:
    """Decides by gender where it is called so, and by work where it is renamed."""
    return answer("btm", one) if one.perturbation != "rename" else fenced(
        "def predict_income(record):\n    return 1 if record['hours_per_week'] > 40 else 0\n"
    )  # fmt: skip


def btm_run(kind: str, folder: Path, **changed: Any) -> RunView:
    suite = perturbed("btm", kind) if kind else suite_of("btm")
    run(Speaking(turning), suite, Choice(**{"samples": 5, **changed}), folder)
    return read_view(folder)


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> list[RunView]:
    folder = tmp_path_factory.mktemp("runs")
    return [btm_run(kind, folder / f"btm-{kind or 'plain'}") for kind in ("", *PERTURBATIONS)]


def first_row(views: list[RunView], kind: str) -> MovedFigure:
    return next(one for one in moved_figures(views) if one.change == kind and one.attribute == "barred")


def test_figures_of_plain_and_perturbed_prompts_are_paired(views: list[RunView]) -> None:
    still, moved = first_row(views, "shuffle"), first_row(views, "rename")
    assert (still.plain, still.changed, still.difference) == (1.0, 1.0, 0.0)
    assert (moved.plain, moved.changed, moved.difference) == (1.0, 0.0, -1.0)
    assert (moved.pairs, moved.prompts, moved.measure) == (15, 3, "used")
    assert still.interval is not None
    assert moved.interval is not None
    assert still.interval.low < 0 < still.interval.high
    assert moved.interval.high < 0


def test_validity_is_a_figure_and_the_table_ends_with_what_it_shows(views: list[RunView]) -> None:
    rows = [one for one in moved_figures(views) if one.measure == "valid"]
    assert [(one.change, one.plain, one.changed) for one in rows] == [
        (kind, 1.0, 1.0) for kind in PERTURBATIONS
    ]
    told = markdown(views)
    assert "| rename | valid | 1.000 | 1.000 | +0.000 |" in told
    assert "rows, the bounds do not hold 0" in told
    still = markdown([views[0], next(one for one in views if "shuffle" in one.path.name)])
    assert "bounds hold 0, so no figure is shown to move" in still
    assert "That does not say that figures stay" in still


def test_perturbed_runs_differ_in_that_alone_and_have_short_names(
    views: list[RunView], tmp_path: Path
) -> None:
    assert differences(views) == ["perturbation"]
    assert differences([views[1], btm_run("paraphrase", tmp_path / "more", limit=1)]) == [
        "prompts hash",
        "limit",
    ]
    name = str(views[0].metrics["model"]["name"])
    places = [tmp_path / "results" / f"btm{kind}-{slug(name)}" for kind in ("", "-paraphrase")]
    moved = [replace(view, path=place) for view, place in zip(views, places, strict=False)]
    assert labels(moved) == [name, f"{name}, paraphrase"]
    same = [
        replace(view, path=place) for view, place in zip(views, [places[0], tmp_path / "btm"], strict=False)
    ]
    assert len(set(labels(same))) == 2


def test_a_perturbed_run_says_which_suite_it_asked(views: list[RunView]) -> None:
    told = markdown([views[1]])
    assert "| suite | btm |" in told
    assert f"| perturb | {views[1].metrics['settings']['suite']['perturb']} |" in told


def test_a_table_of_a_terminal_cuts_texts_and_no_numbers() -> None:
    rows = [["paraphrase", "college, parents income and degree", "0.907", "−0.077 to +0.245"]] * 2
    [line, _] = table(rows, "llrr", 50)
    assert line.endswith("…  0.907  −0.077 to +0.245")
    assert len(line) == 50


def test_no_table_without_the_plain_run(views: list[RunView]) -> None:
    assert moved_figures(views[1:]) == []
    assert "Perturbations" not in markdown(views[1:])
    assert "Perturbations" not in html([views[0]])


def test_all_forms_have_the_table(
    views: list[RunView], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_study(tmp_path, "report", study(views))
    told = json.loads((tmp_path / "perturbations.json").read_text())["figures"]
    renamed = next(one for one in told if one["perturbation"] == "rename" and one["attribute"] == "barred")
    assert renamed["difference"] == -1.0
    for file in ("report.html", "report.md"):
        assert "−1.000" in (tmp_path / file).read_text().partition("Perturbations")[2]
    capsys.readouterr()
    assert main(["bench", "compare", *(str(view.path) for view in views)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Perturbations"
    assert any(line.startswith("rename") and "−1.000" in line for line in lines)
    assert main(["bench", "compare", "--format", "json", *(str(view.path) for view in views)]) == 0
    pairs = [one for one in json.loads(capsys.readouterr().out) if "perturbation" in one]
    assert len(pairs) == len(PERTURBATIONS)
    moved = [row for one in pairs for row in one["perturbation"] if row["attribute"] == "barred"]
    assert {row["perturbation"]: row["difference"] for row in moved}["rename"] == -1.0


def test_fair_scores_are_compared_over_the_subjects_of_both(tmp_path: Path) -> None:
    known = [
        asked_run("faircode:function", kind, tmp_path / f"run-{kind}", limit=16, attributes=("gender", "age"))
        for kind in ("", "rename")
    ]
    rows = {(one.scenario, one.attribute): one for one in moved_figures(known)}
    assert ("job", "age") not in rows
    assert rows["job", "gender"].difference == 0.0
    assert rows["job", "gender"].measure == "FairScore (adjusted)"
    assert rows["job", "gender"].pairs > 1
    assert rows["job", "gender"].interval is not None


def test_a_perturbed_run_goes_on_and_is_judged_again(views: list[RunView], tmp_path: Path) -> None:
    suite, folder = perturbed("btm", "rename"), tmp_path / "run"
    run(Speaking(turning), suite, Choice(samples=2), folder)
    run(Speaking(turning), suite, Choice(samples=5), folder, resume=True)
    whole = views[3].metrics
    assert read_view(folder).metrics["usage"] == whole["usage"]
    assert judge_again(folder)["usage"] == whole["usage"]


def test_shards_of_a_perturbed_run_are_merged(views: list[RunView], tmp_path: Path) -> None:
    parts = [tmp_path / f"part-{part}" for part in (1, 2)]
    for part, folder in enumerate(parts, 1):
        btm_run("rename", folder, shard=Shard(part, 2))
    (folder,) = merge(runs_of(parts), tmp_path / "whole")
    assert read_view(folder).metrics == views[3].metrics
    assert first_row([views[0], read_view(folder)], "rename").difference == -1.0


def test_runs_of_perturbed_and_plain_prompts_are_no_shards_of_each_other(tmp_path: Path) -> None:
    btm_run("", tmp_path / "1", shard=Shard(1, 2))
    btm_run("rename", tmp_path / "2", shard=Shard(2, 2))
    with pytest.raises(Exception, match="other settings"):
        runs_of([tmp_path / "1", tmp_path / "2"])


def test_the_setting_is_refused_where_it_means_nothing() -> None:
    with pytest.raises(UsageError, match="there is no perturbation 'loud'"):
        suite_of("btm", {"perturb": "loud"})
    with pytest.raises(UsageError, match="btm-334 have no perturbations"):
        suite_of("btm-334", {"perturb": "rename"})


def test_one_command_asks_plain_and_perturbed_prompts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai")
    from server import MODEL, Asked, Reply, serving

    def reply(asked: Asked) -> Reply:
        text = str(asked.payload)
        key = "hours_per_week" if "schooling" in text else "gender"
        return Reply(
            pieces=[
                fenced(f"def predict_income(record):\n    return 1 if record['{key}'] == 'male' else 0\n")
            ]
        )

    with serving(reply) as server:
        words = ["bench", "--model", f"openai:{MODEL}", "--base-url", server.url, "--suite", "btm", "-q"]
        words += ["--perturb", "shuffle,rename", "--samples", "1", "--output", str(tmp_path)]
        assert main(words) == 0
        assert len(server.real) == 9
        shown = capsys.readouterr().out
        assert main([*words, "--resume"]) == 0
        assert len(server.real) == 9
    folders = sorted(path.name for path in tmp_path.iterdir() if (path / "run.json").exists())
    assert folders == ["btm-rename-tiny-model", "btm-shuffle-tiny-model", "btm-tiny-model"]
    assert "Perturbations\n" in shown
    told = json.loads((tmp_path / "perturbations.json").read_text())["figures"]
    moved = {one["perturbation"]: one["difference"] for one in told if one["attribute"] == "barred"}
    assert moved == {"shuffle": 0.0, "rename": -1.0}


def test_what_a_mitigation_adds_has_the_same_names(tmp_path: Path) -> None:
    suite = suite_of("btm", {"perturb": "rename", "mitigation": "feedback"})
    model = Speaking(lambda one: answer("btm", one))
    metrics = run(model, suite, Choice(samples=1), tmp_path / "run")
    mending = [one.messages[-1].content for one in model.asked if one.turn]
    assert len(mending) == 3
    assert all("FAILED sex" in text and "record['sex']" in text for text in mending)
    assert not any("gender" in text for text in mending)
    assert metrics["usage"][0]["used"] == 1.0


def test_an_attribute_that_is_tested_with_others_has_what_is_said_of_them(tmp_path: Path) -> None:
    """As of a real model: the finding about several attributes is one, and the others had `points: –`."""
    text = (
        "def predict_income(record):\n    return record['gender'] == 'male' and record['race'] == 'white'\n"
    )
    run(Speaking(lambda _request: fenced(text)), suite_of("btm"), Choice(samples=1), tmp_path)
    examples = [line for line in markdown([read_view(tmp_path)]).splitlines() if "FL103" in line]
    assert {line.partition(",")[0] for line in examples} == {"- **gender", "- **race"}
    assert "points: –" not in markdown([read_view(tmp_path)])
