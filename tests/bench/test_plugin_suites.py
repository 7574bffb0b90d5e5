"""Suites of plugins: asked, judged, reported, compared and resumed as the shipped ones are, and isolated."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

from fairlint import UsageError, cli
from fairlint.bench import evaluate
from fairlint.bench.ecosystem.lm_eval_tasks import lm_eval_tasks
from fairlint.bench.figures.comparing import compare_runs
from fairlint.bench.report import csv_tables, html, markdown, terminal
from fairlint.bench.report.bias import headline, tables
from fairlint.bench.runs.view import read_view
from fairlint.bench.suites import suite_names, suite_of, suites
from fairlint.bench.suites.suite import Selection
from fairlint.plugins import manager
from fairlint.plugins.guard import PluginError

SUITE = """
from fairlint.backends.requests import Message, Request, hash_of, seed_of
from fairlint.bench.report import words
from fairlint.bench.report.suite_parts import share_head, text_head
from fairlint.bench.report.suite_report import Headline, SuiteReport, Table
from fairlint.bench.suites.choosing import resolve_choice
from fairlint.bench.suites.suite import EVERYTHING, BaseSuite

PLACES = ("letters", "calls")


def headline(known):
    return Headline("Forms of address", known["overall"]["cbs"], None)


def tables(known):
    heads = (text_head("scenario", "Place"), share_head("cbs", "addressed"))
    yield Table("By place", "How many greetings presume a gender.", heads, tuple(known["places"]))


REPORT = SuiteReport(
    headline=headline,
    sentence=lambda known, who, share: f"{share} of the greetings of {who} presume a gender.",
    tables=tables,
    tiles=lambda known: [("Places", words.whole(len(known["places"])), "letters and calls")],
    remarks=lambda known: ["Greetings are read as they stand."],
    measure="presumed",
)


class Greetings(BaseSuite):
    name = "greetings"
    title = "greetings of people whose gender nobody said"
    source = "a test"
    samples = 2
    max_new_tokens = 20
    temperature = None
    report = REPORT
    harness_figures = ("cbs",)

    def scenarios(self):
        return PLACES

    def attributes(self):
        return ("gender",)

    def requests(self, selection=EVERYTHING):
        choice = resolve_choice(self, selection)
        return [self.ask(place, sample, selection.seed) for place, sample in choice.each(choice.scenarios)]

    def ask(self, place, sample, seed):
        messages = (Message("user", f"Greet the new member ({place})."),)
        return Request(
            suite=self.name, scenario=place, attribute="gender", subject="member", stereotype="",
            sample=sample, seed=seed_of(self.name, place, sample, seed), messages=messages,
            prompt_hash=hash_of(messages),
        )

    def judge(self, kept):
        return {"valid": bool(kept["text"].strip()), "presumed": "sir" in kept["text"].lower()}

    def figures(self, judged, protocol):
        return {
            "definitions": {"cbs": "the share of greetings that presume a gender"},
            "bias": {
                "overall": self.row(judged),
                "places": [
                    {"scenario": place, **self.row([pair for pair in judged if pair[0]["scenario"] == place])}
                    for place in PLACES
                ],
            },
        }

    def row(self, judged):
        told = [one["presumed"] for _, one in judged if one["valid"]]
        return {"answers": len(judged), "cbs": sum(told) / len(told) if told else None}

    def biased(self, kept, judged):
        return {"gender": judged["presumed"]}


def fairlint_suites():
    return [Greetings()]
"""
Install = Callable[..., None]


@pytest.fixture(autouse=True)
def forget_plugins() -> Iterator[None]:
    manager._plugin_manager.cache_clear()
    yield
    manager._plugin_manager.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a module with the hook and its entry point on the path, also for processes that begin anew."""

    def installed(code: str = SUITE) -> None:
        folder = tmp_path / "packages"
        module = f"suites_of_{tmp_path.name}"
        metadata = folder / "trial-1.0.dist-info"
        metadata.mkdir(parents=True)
        (folder / f"{module}.py").write_text(textwrap.dedent(code))
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: trial\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[fairlint]\ntrial = {module}\n")
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setenv("PYTHONPATH", str(folder))

    return installed


def polite(conversation: list[dict[str, str]]) -> str:
    return "Good evening, sir." if "letters" in conversation[-1]["content"] else "Welcome!"


def not_asked(_: list[dict[str, str]]) -> str:
    raise AssertionError("what is answered is not asked again")


def blunt(_: list[dict[str, str]]) -> str:
    return "Hello."


def test_a_suite_of_a_plugin_is_asked_judged_and_reported(install: Install, tmp_path: Path) -> None:
    install()
    assert suite_names()[-1] == "greetings"
    metrics = evaluate(polite, suite="greetings", name="polite", output=tmp_path / "polite")
    assert metrics["bias"]["overall"] == {"answers": 4, "cbs": 0.5}
    view = read_view(tmp_path / "polite")
    assert headline(view)[:2] == ("Forms of address", 0.5)
    [table] = tables(view)
    assert table.shown()[1] == [["letters", "100 %"], ["calls", "0 %"]]
    said = "50 % of the greetings of polite presume a gender."
    page, text, shown = html([view]), markdown([view]), terminal([view])
    for written in (page, text, shown):
        assert said in written
    assert "Greetings are read as they stand." in page
    assert "### By place" in text
    rows = csv_tables([view])["places.csv"].splitlines()
    assert rows[0].endswith("scenario,answers,cbs")
    assert [row.rsplit(",", 3)[1:] for row in rows[1:]] == [["letters", "2", "1.0"], ["calls", "2", "0.0"]]


def test_its_runs_are_compared_and_put_on_a_leaderboard(install: Install, tmp_path: Path) -> None:
    install()
    places = [tmp_path / "polite", tmp_path / "blunt"]
    for place, model in zip(places, (polite, blunt), strict=True):
        evaluate(model, suite="greetings", name=place.name, output=place)
    [found] = compare_runs([read_view(place) for place in places])
    assert (found.measure, [column.attribute for column in found.columns]) == ("presumed", ["gender"])
    assert found.columns[0].difference == 0.5
    site = tmp_path / "site"
    assert cli.main(["bench", "leaderboard", *map(str, places), "--output", str(site)]) == 0
    assert "Forms of address" in (site / "index.html").read_text("utf-8")


def test_its_runs_are_resumed_and_judged_again(install: Install, tmp_path: Path) -> None:
    install()
    evaluate(polite, suite="greetings", name="polite", output=tmp_path / "run", samples=2)
    outcomes = tmp_path / "run" / "outcomes.jsonl"
    before, figures = outcomes.read_bytes(), json.loads((tmp_path / "run" / "metrics.json").read_text())
    outcomes.write_bytes(before.splitlines(keepends=True)[0])
    evaluate(not_asked, suite="greetings", name="polite", output=tmp_path / "run", samples=2, resume=True)
    assert sorted(outcomes.read_bytes().splitlines()) == sorted(before.splitlines())
    assert cli.main(["bench", "judge", str(tmp_path / "run")]) == 0
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["bias"] == figures["bias"]


def test_other_harnesses_have_it(install: Install) -> None:
    install()
    assert 'fairlint_suite: "greetings"' in lm_eval_tasks()["fairlint_greetings"]


def test_a_run_whose_plugin_is_gone_is_shown_as_tables(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install()
    evaluate(polite, suite="greetings", name="polite", output=tmp_path / "polite")
    manager._plugin_manager.cache_clear()
    monkeypatch.setattr("sys.path", [one for one in __import__("sys").path if "packages" not in one])
    view = read_view(tmp_path / "polite")
    assert "greetings" not in suite_names()
    assert "50 % of the answers of polite are biased." in terminal([view])
    [table] = tables(view)
    assert table.shown()[0] == ["scenario", "answers", "cbs"]
    with pytest.raises(UsageError, match="no installed package has the suite greetings"):
        compare_runs([view, view])


def test_a_folder_of_scenarios_is_a_suite_of_its_name(install: Install, tmp_path: Path) -> None:
    folder = tmp_path / "housing"
    folder.mkdir()
    shipped = files("fairlint.bench.suites") / "data" / "college.toml"
    (folder / "tenants.toml").write_text(shipped.read_text("utf-8"), "utf-8")
    install(f"def fairlint_suites(): return [{str(folder)!r}]")
    (suite,) = suites("housing")
    assert suite.scenarios() == ("tenants",)
    metrics = evaluate(lambda _: "", suite="housing", limit=2, samples=1, name="mute")
    assert metrics["suite"]["name"] == "housing"
    (folder / "tenants.toml").write_text("name = 3", "utf-8")
    manager._plugin_manager.cache_clear()
    with pytest.raises(UsageError, match=r"tenants.toml: not a scenario"):
        evaluate(lambda _: "", suite="housing", limit=2)


OFFERS = {
    "return [3]": "must give folders or suites (BaseSuite), not int",
    "return ['/no/such']": "names a folder that does not exist: /no/such",
    "return [type('S', (Greetings,), {'name': ''})()]": "gives a suite whose `name` is no text",
    "return [type('S', (Greetings,), {'name': 'a/b'})()]": "whose name is not of letters, digits,",
    "return [type('S', (Greetings,), {'samples': 0})()]": "whose `samples` is no whole number above 0",
    "return [type('S', (Greetings,), {'temperature': 'hot'})()]": "whose `temperature` is neither",
    "return [type('S', (Greetings,), {'judge': None})()]": "gives the suite 'greetings' without `judge`",
    "return [type('S', (Greetings,), {'name': 'btm'})()]": "brings the suite 'btm', which is already taken",
    "return [Greetings(), Greetings()]": "brings the suite 'greetings', which is already taken",
    "1 / 0": "fairlint_suites raised ZeroDivisionError",
}


@pytest.mark.parametrize("offer", OFFERS)
def test_what_is_no_suite_is_told_in_a_line(install: Install, offer: str) -> None:
    install(SUITE.replace("return [Greetings()]", offer))
    assert set(suite_names()) >= {"btm", "solar"}
    [(plugin, told)] = manager.troubles()
    assert plugin == "trial"
    assert told.startswith("plugin 'trial': ")
    assert OFFERS[offer] in told


JUDGED = [({"scenario": "letters"}, {"valid": True, "presumed": True})]
MISTAKES: dict[str, tuple[str, str, Callable[[Any], object]]] = {
    "scenarios": ("return PLACES", "return 3 / 0", lambda suite: suite.scenarios()),
    "names": ("return PLACES", "return (3,)", lambda suite: suite.scenarios()),
    "requests": ("return [self.ask(", "return [3 or self.ask(", lambda suite: suite.requests()),
    "another's requests": ("suite=self.name,", "suite='btm',", lambda suite: suite.requests()),
    "figures": ("sum(told) / len(told)", "object()", lambda suite: suite.figures([], "exact")),
    "shape": ("sum(told) / len(told)", "7.5", lambda suite: suite.figures(JUDGED, "exact")),
    "report": ("report = REPORT", "report = 3", lambda suite: suite.report),
    "sentence": ("who, share: f", "who, share: 1 or f", lambda suite: suite.report.sentence({}, "", "")),
    "exit": ("return PLACES", "raise SystemExit(3)", lambda suite: suite.scenarios()),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_names_the_plugin(install: Install, mistake: str) -> None:
    right, wrong, call = MISTAKES[mistake]
    assert right in SUITE
    code = SUITE.replace(right, wrong, 1)
    install(code if mistake != "figures" else code.replace("if told else None", ""))
    with pytest.raises(PluginError, match="plugin 'trial': "):
        call(suite_of("greetings"))


def test_an_answer_that_its_judge_breaks_on_is_not_judged(install: Install) -> None:
    install(SUITE.replace('"sir" in kept["text"].lower()', '1 / ("sir" not in kept["text"])'))
    metrics = evaluate(polite, suite="greetings", name="polite")
    assert metrics["answers"]["not_judged"] == 2
    assert {one["cause"] for one in metrics["not_judged"]} == {"plugin"}
    assert "plugin 'trial'" in metrics["not_judged"][0]["reason"]


def test_a_choice_that_it_does_not_know_is_the_users_mistake(install: Install) -> None:
    install()
    with pytest.raises(ValueError, match="did you mean 'letters'"):
        suite_of("greetings").requests(Selection(scenarios="leters"))
    with pytest.raises(UsageError, match="greetings takes no settings"):
        suite_of("greetings", {"executor": "monty"})
