"""The two FairScores: each under its own name, and one never without the other."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from report_data import biased, fair, garbage, view

from fairlint.bench.exporting.headlines import headlines
from fairlint.bench.figures.both_scores import add_both_scores, score_names
from fairlint.bench.figures.comparing import compare_runs, pairs
from fairlint.bench.figures.ranking import ranking
from fairlint.bench.leaderboard import pages
from fairlint.bench.leaderboard.entries import Entry, tables
from fairlint.bench.report import RunView, csv_tables, html, markdown, terminal
from fairlint.bench.report.figures import all_figures
from fairlint.bench.report.paper import as_csv, as_latex
from fairlint.bench.report.standings import standings
from fairlint.bench.report.studies import study
from fairlint.bench.suites import suite_of
from fairlint.cli.bench_show import comparison

NAMED = re.compile(r"FairScores?(?! \((adjusted|published)\))")
"""A FairScore without its name."""
EXPLAINED = ("FairScore is R + E − R·E", "both FairScores")


def by_protocol(write: Any, protocol: Any) -> RunView:
    """The same answers with this protocol in front."""
    one = view(write, "coder")
    judged = list(zip(one.responses, one.outcomes, strict=True))
    made = suite_of("faircode:function").figures(judged, protocol)
    metrics = {**one.metrics, **made, "protocol": protocol}
    return RunView(one.path, metrics, one.responses, one.outcomes)


@pytest.mark.parametrize("write", [biased, fair, garbage])
def test_both_scores_are_the_same_whichever_leads(write: Any) -> None:
    exact, published = (by_protocol(write, name).metrics for name in ("exact", "published"))
    assert exact["overall"]["fair_scores"] == {
        "published": published["overall"]["fair_score"],
        "adjusted": exact["overall"]["fair_score"],
    }
    assert exact["overall"]["fair_scores"] == published["overall"]["fair_scores"]
    for one, other in zip(exact["scores"], published["scores"], strict=True):
        assert one["fair_scores"] == other["fair_scores"]
        assert one["fair_scores"]["published"] == other["fair_score"]
        assert one["fair_scores"]["adjusted"] == one["fair_score"]


def test_the_published_one_hangs_on_the_number_of_answers_and_the_other_does_not() -> None:
    """A function that always gives one group a point more: 0.70 of one answer, 0.52 of two."""
    found = []
    for samples in (1, 2, 5):
        known = view(lambda attribute, _: biased(attribute, 0), samples=samples)
        pairs_of = [
            pair
            for pair in zip(known.responses, known.outcomes, strict=True)
            if pair[0]["sample"] < samples and pair[0]["attribute"] == "gender"
        ]
        if len({pair[0]["sample"] for pair in pairs_of}) == samples:
            made = suite_of("faircode:function").figures(pairs_of, "exact")
            found.append(made["overall"]["fair_scores"])
    assert [round(one["published"], 2) for one in found][:2] == [0.7, 0.52]
    assert len({round(one["adjusted"], 9) for one in found}) == 1


def test_a_row_without_figures_by_one_protocol_has_none_there() -> None:
    own: dict[str, Any] = {
        "scores": [],
        "scenarios": [{"scenario": "job", "fair_score": 0.5}],
        "overall": None,
    }
    other: dict[str, Any] = {"scores": [], "scenarios": [], "overall": {"fair_score": 1.0}}
    add_both_scores(own, other, "exact")
    assert own["scenarios"][0]["fair_scores"] == {"published": None, "adjusted": 0.5}
    assert other["overall"] == {"fair_score": 1.0, "fair_scores": {"published": 1.0, "adjusted": None}}


def leaderboard(views: list[RunView]) -> list[str]:
    """The pages of a board of these runs."""
    entries = [Entry(f"run-{place}", one.metrics, ()) for place, one in enumerate(views)]
    (board,) = tables(entries)
    return [pages.index([board], {board.anchor: ranking(views)}), *map(pages.run_page, entries)]


def texts(views: list[RunView]) -> dict[str, str]:
    """Every form in which runs are shown."""
    known = study(views)
    compared = pairs(known.compared)
    drawn = all_figures(views, [one.metrics["model"]["name"] for one in views], known.ranked)
    return {
        "terminal": terminal(views),
        "html": html(views, compared, known.ranked),
        "alone": html(views[:1]),
        "markdown": markdown(views, compared),
        "standings": "\n".join(standings(known.views, known.ranked, compared)),
        "comparison": "".join(comparison(known)),
        "board": "".join(leaderboard(views)),
        "figures": "".join(as_csv(one) + as_latex(one) for one in drawn),
        "headlines": "; ".join(one.title for one in headlines(views[0].metrics)),
    }


@pytest.mark.parametrize("protocol", ["exact", "published"])
def test_no_form_shows_one_without_its_name_or_without_the_other(protocol: Any) -> None:
    views = [by_protocol(write, protocol) for write in (biased, fair, garbage)]
    for number, one in enumerate(views):
        one.metrics["model"] = {**one.metrics["model"], "name": f"coder-{number}"}  # type: ignore[index]
    for form, text in texts(views).items():
        shown = re.sub(r"<style>.*?</style>|<dl class=\"definitions\">.*?</dl>", "", text, flags=re.DOTALL)
        shown = re.sub(r"## Definitions.*|<[^>]+>|\\(?=[()])", "", shown, flags=re.DOTALL)
        for told in EXPLAINED:
            shown = shown.replace(told, "")
        unnamed = [shown[one.start() - 60 : one.end() + 30] for one in NAMED.finditer(shown)]
        assert not unnamed, form
        assert all(name in shown for name in ("FairScore (adjusted)", "FairScore (published)")), form


def test_their_values_stand_under_their_names() -> None:
    one = by_protocol(biased, "exact")
    both = {name: f"{value:.2f}" for name, value in one.metrics["overall"]["fair_scores"].items()}
    assert both["published"] != both["adjusted"]
    told = next(line for line in terminal([one]).splitlines() if line.startswith("overall"))
    heads = next(line for line in terminal([one]).splitlines() if "95 % interval  published" in line)
    for name, value in both.items():
        end = heads.index(name) + len(name)
        assert told[:end].endswith(value)
    text = re.sub(r"\\", "", markdown([one]))
    assert f"FairScore (adjusted) of {both['adjusted']} (95" in text
    assert f"FairScore (published) of {both['published']} (not comparable: n = 3)" in text
    (row, *_) = csv.DictReader(io.StringIO(csv_tables([one])["scores.csv"]))
    (column, *_) = one.metrics["scores"]
    assert float(row["fair_score_published"]) == column["fair_scores"]["published"]
    assert float(row["fair_score_adjusted"]) == column["fair_scores"]["adjusted"]


def test_runs_of_both_protocols_are_not_given_one_name() -> None:
    views = [by_protocol(biased, "exact"), by_protocol(fair, "published")]
    assert score_names(one.metrics["protocol"] for one in views) == [
        "FairScore (own protocol)",
        "FairScore (other protocol)",
    ]
    (found,) = compare_runs(views)
    assert found.measure == "FairScore (own protocol)"
    assert found.overall is not None
    assert found.overall.beside == (
        views[0].metrics["overall"]["fair_scores"]["published"],
        views[1].metrics["overall"]["fair_scores"]["adjusted"],
    )


def test_figures_are_read_back_with_and_without_both(tmp_path: Path) -> None:
    from fairlint.bench.runs.view import read_metrics

    one = by_protocol(biased, "exact")
    file = tmp_path / "metrics.json"
    file.write_text(json.dumps(one.metrics))
    assert read_metrics(file)["overall"]["fair_scores"]
    older = json.loads(json.dumps(one.metrics))
    del older["overall"]["fair_scores"]
    file.write_text(json.dumps(older))
    known = RunView(one.path, read_metrics(file), one.responses, one.outcomes)
    assert "FairScore (published)" in terminal([known])
    older["overall"]["fair_scores"] = {"published": 2, "adjusted": 0}
    file.write_text(json.dumps(older))
    with pytest.raises(Exception, match="published"):
        read_metrics(file)
