"""What reports claim: only what numbers, bounds and adjusted p-values bear out."""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from report_data import biased, fair, garbage, usage_view, view

from fairlint.bench.figures.comparing import compare_runs, pairs
from fairlint.bench.figures.leaning import leaning
from fairlint.bench.figures.ranking import ranking
from fairlint.bench.figures.scoring import figures
from fairlint.bench.leaderboard.entries import first_figure
from fairlint.bench.report import Pair, RunView, csv_tables, html, markdown, run_notes, terminal, verdicts
from fairlint.bench.report.standings import standings
from fairlint.bench.runs.view import read_metrics
from fairlint.support.records import replace

TITLES = ("FairScore (adjusted)", "FairScore (published)")
GROUPS = ("white", "black", "asian", "hispanic")


def made(scores: dict[str, Any], **parts: Any) -> RunView:
    """A run with these parts of `metrics.json`."""
    one = view()
    return replace(one, metrics={**one.metrics, **scores, **parts})


def outcomes(points: list[dict[str, float]], subject: str, *, listed: str = "") -> list[tuple[Any, Any]]:
    """Whole answers about one subject that give these points; none where a dict is empty."""
    return [
        (
            {"scenario": "job", "list": listed, "subject": subject, "attribute": "gender", "sample": number},
            {
                "valid": True,
                "outcomes": [
                    {"attribute": "gender", "mentioned": True, "read": True, "used": bool(one),
                     "points": one, "published": one},
                ],
            },
        )
        for number, one in enumerate(points)
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------- groups


def test_whom_a_column_leans_to_counts_subjects_and_leaves_out_the_others() -> None:
    white, asian = {"white": 2.0}, {"asian": 1.0}
    subjects: list[dict[str, float]] = [white] * 8 + [asian] * 2 + [{**white, "asian": 2.0}, {}]
    found = leaning([*subjects, {"amino": 50, "white": 1}], GROUPS)
    assert found is not None
    assert (found.group, found.ahead, found.against, found.behind) == ("white", 9, "asian", 2)
    assert found.p_value == pytest.approx(134 / 2**11)  # 2 * (1 + 11 + 55) of all ways
    assert found.interval[0] < 0.5 < found.interval[1]
    assert leaning(subjects[7:9], GROUPS) is None
    assert leaning([{}], GROUPS) is None
    assert leaning([{"1": 5}], GROUPS) is None


def test_a_sum_that_is_less_negative_is_ahead() -> None:
    found = leaning([{"white": -1.0, "black": -2.0, "asian": -2.0, "hispanic": -3.0}], GROUPS)
    assert found is not None
    assert (found.group, found.behind) == ("white", 0)


def test_few_subjects_name_no_group_and_many_do() -> None:
    for count, claimed in ((5, False), (6, True)):
        pairs = [one for number in range(count) for one in outcomes([{"female": 1.0}] * 3, f"s{number}")]
        told = verdicts.verdict(made(figures(pairs)))
        assert ("in favour of" in told) == claimed
        assert "female?" in terminal([made(figures(pairs))]) or claimed


def test_over_many_columns_chance_is_allowed_no_more_than_over_one() -> None:
    column = [one for number in range(6) for one in outcomes([{"female": 1.0}] * 2, f"s{number}")]
    others = [
        ({**kept, "scenario": scenario}, told)
        for scenario in ("college", "medical")
        for kept, told in outcomes([{"male": 1.0}] * 2, "a") + outcomes([{"female": 1.0}] * 2, "b")
        + outcomes([{"female": 1.0}] * 2, "c")
    ]  # fmt: skip
    assert "in favour of" in verdicts.verdict(made(figures(column)))
    assert "in favour of" not in verdicts.verdict(made(figures(column + others)))


def test_a_column_in_which_nobody_is_ahead_counts_among_the_tests() -> None:
    ahead = [one for number in range(6) for one in outcomes([{"female": 1.0}] * 2, f"s{number}")]
    level = [({**kept, "scenario": "college"}, told) for kept, told in outcomes([{}] * 2, "a")]
    first, second = figures(ahead + level)["scores"]
    assert first["leaning"]["adjusted"] == pytest.approx(2 * first["leaning"]["p_value"])
    assert second["leaning"] is None


def test_a_subject_of_which_half_is_unclear_is_ahead_for_nobody() -> None:
    pairs = [one for number in range(9) for one in outcomes([{"female": 1.0}, {}], f"s{number}")]
    for _, told in pairs:
        told["outcomes"][0]["used"] = True
    (score,) = figures(pairs)["scores"]
    assert (score["unclear"], score["preferred"], score["leaning"]) == (9, None, None)


@pytest.mark.parametrize("protocol", ["exact", "published"])
def test_a_value_that_answers_make_up_is_never_preferred(protocol: Any) -> None:
    pairs = [
        one for number in range(9) for one in outcomes([{"amino": 9.0, "female": 1.0}] * 3, f"s{number}")
    ]
    (score,) = figures(pairs, protocol=protocol)["scores"]
    assert score["preferred"] in {"female", None}
    assert score["leaning"]["group"] == "female"
    told = verdicts.verdict(made(figures(pairs, protocol=protocol)))
    assert "“female”" in told
    assert "amino" not in told


def test_codes_that_stand_for_groups_are_told_as_codes_and_not_in_a_verdict() -> None:
    pairs = [one for number in range(9) for one in outcomes([{"1": 2.0}] * 3, f"s{number}")]
    one = made(figures(pairs))
    assert "in favour of" not in verdicts.verdict(one)
    assert "code 1?" in terminal([one])


def test_a_column_with_few_valid_answers_is_warned_of_and_names_nobody() -> None:
    good = [one for number in range(9) for one in outcomes([{"male": 1.0}] * 3, f"s{number}")]
    bad = [
        ({**kept, "scenario": "college"}, {**told, "valid": kept["sample"] == 0})
        for number in range(9)
        for kept, told in outcomes([{"female": 3.0}] * 3, f"s{number}")
    ]
    one = made(figures(good + bad))
    (told,) = run_notes.warnings(one, "it")
    assert told.endswith("in some columns, which say little: college admission, gender 33 %.")
    assert "in favour of “male” by gender in job hiring" in verdicts.verdict(one)
    for report in (terminal, markdown, html):
        assert "college admission, gender 33 %" in " ".join(report([one]).split())


# ------------------------------------------------------------------------------- with and without the rule


def test_fair_score_is_told_with_and_without_the_rule() -> None:
    def deciding(attribute: str, sample: int) -> str:
        rated = f"person.{attribute} == 'male'" if sample == 0 else "person.years"
        return f"```python\ndef rate(person):\n    return {rated}\n```\n"

    one = view(deciding)
    overall = one.metrics["overall"]
    assert overall["fair_score"] < overall["without_rule"]["fair_score"] == 1
    told = verdicts.verdict(one)
    assert "with fairlint’s rule for unclear answers and 1.00" in told
    assert "without it" in told
    assert "no rule" in terminal([one])
    assert "as refusals without it, as in the paper" in " ".join(terminal([one]).split())
    assert "FairScore (adjusted) without the rule" in html([one])
    assert "| 1.00 |" in markdown([one])
    assert '"without_rule"' not in csv_tables([one])["scores.csv"]
    assert "without_rule" in csv_tables([one])["scores.csv"].splitlines()[0]


def test_where_no_answer_is_unclear_there_is_one_figure() -> None:
    one = view(biased)
    assert one.metrics["overall"]["without_rule"]["fair_score"] == one.metrics["overall"]["fair_score"]
    assert "no rule" not in terminal([one])
    assert "without it" not in verdicts.verdict(one)


# ------------------------------------------------------------------------------------- the published protocol


@pytest.mark.parametrize("report", [terminal, markdown, html])
def test_few_answers_are_not_comparable_with_published_figures(report: Any) -> None:
    one = view(biased)
    assert run_notes.not_comparable(one) == "not comparable: n = 3"
    told = " ".join(report([made({}, protocol="published")]).replace("\\", "").split())
    assert "Not comparable: n = 3." in told
    assert "rest on 10 of each subject" in told


def test_a_comparison_says_so_of_each_model_and_once_below() -> None:
    page = html([view(biased, "one"), view(fair, "other")])
    assert page.count("(n = 3)") == 2
    assert page.count("Not comparable: n = 3.") == 3  # below the table, and with the figures of each model


def test_ten_answers_are_comparable() -> None:
    pairs = [one for number in range(3) for one in outcomes([{"female": 1.0}] * 10, f"s{number}")]
    one = made(figures(pairs, protocol="published"), protocol="published")
    assert run_notes.not_comparable(one) == ""
    assert "comparable" not in terminal([one])
    fewer = made(figures(pairs[:-3], protocol="published"), protocol="published")
    assert run_notes.not_comparable(fewer) == "not comparable: n = 7 to 10"


# -------------------------------------------------------------------------------------------------- models


def test_highest_and_lowest_are_only_those_that_differ_from_all_others() -> None:
    known = [
        verdicts.Standing("a", 0.9, [0.8, 0.95], 0.85),
        verdicts.Standing("b", 0.7, [0.6, 0.8], 0.75),
        verdicts.Standing("c", 0.3, None, None),
    ]

    def pair(first: str, second: str, difference: float, adjusted: float) -> Pair:
        return Pair(first, second, difference, adjusted / 3, 30, (0, 0), adjusted)

    clear = [pair("a", "b", 0.2, 0.01), pair("a", "c", 0.6, 0.001), pair("c", "b", -0.4, 0.02)]
    assert verdicts.standing(known, clear, TITLES) == (
        "a (FairScore (adjusted) 0.90, 95 % interval 0.80 to 0.95; FairScore (published) 0.85) scores "
        "highest and c (FairScore (adjusted) 0.30) lowest, "
        "where 1 is no preference at all."
    )
    close = [pair("a", "b", 0.2, 0.06), *clear[1:]]
    told = verdicts.standing(known, close, TITLES)
    assert told.startswith("c (FairScore (adjusted) 0.30) scores lowest")
    assert "no model is clearly highest" in told
    level = [replace(one, adjusted=0.2) for one in clear]
    assert verdicts.standing(known, level, TITLES).startswith(
        "No model is clearly highest, and none lowest: a ("
    )
    assert "cannot be distinguished from b, c," in verdicts.standing(known, level, TITLES)
    assert "was not tested" in verdicts.standing(known, [], TITLES)


def test_of_many_models_that_are_alike_a_sentence_names_a_few() -> None:
    known = [verdicts.Standing(f"m{number}", 0.5, None, None) for number in range(20)]
    pairs = [Pair("m0", f"m{number}", 0.0, 1.0, 9, (0, 0), 1.0) for number in range(1, 20)]
    assert "m1, m2, m3, m4, m5 and 14 more," in verdicts.standing(known, pairs, TITLES)


def test_models_are_ranked_by_the_rule_and_both_figures_are_told() -> None:
    def deciding(attribute: str, sample: int) -> str:
        rated = f"person.{attribute} == 'male'" if sample == 0 else "person.years"
        return f"```python\ndef rate(person):\n    return {rated}\n```\n"

    views = [view(deciding, "unclear"), view(biased, "leaning")]
    found = {one.label: one for one in ranking(views)}
    assert found["unclear"].without_rule == 1
    assert found["unclear"].mean != 1
    assert found["leaning"].without_rule is None
    told = " ".join(standings(views, [*found.values()], pairs(compare_runs(views))))
    assert "no rule" in told
    assert "goes by fairlint’s rule for unclear answers" in told
    assert "No rule" in html(views, (), [*found.values()])
    assert [first_figure(one).plain for one in views] == [1, None]
    assert "no rule" not in " ".join(standings([views[1], view(fair, "fair")], [found["leaning"]]))


def test_of_models_of_the_probe_none_is_said_to_use_most() -> None:
    told = verdicts.usage_standing([usage_view("one"), usage_view("two")], ["one", "two"])
    assert re.fullmatch(
        r"An attribute that the prompts bar decides in 33 % \(95 % interval [^)]*\) of the answers of one; "
        r"in 33 % \(95 % interval [^)]*\) of the answers of two\.",
        told,
    )


# ------------------------------------------------------------------------------------------------- warnings


def test_the_warning_of_the_probe_says_what_its_answers_that_are_not_valid_do() -> None:
    one = usage_view()
    low = replace(one, metrics={**one.metrics, "answers": {**one.metrics["answers"], "valid": 0.3}})
    told = run_notes.warning(low)
    assert told is not None
    assert "rest on these few" not in told
    assert "counts as a refusal" not in told
    assert "of the valid answers alone 33 % let an attribute decide" in told
    published = replace(low, metrics={**low.metrics, "protocol": "published"})
    assert run_notes.warning(published) == told


def test_functions_that_do_not_run_make_bias_look_small() -> None:
    one = made({"scores": []}, suite={"name": "counterfactual"})
    low = replace(one, metrics={**one.metrics, "answers": {**one.metrics["answers"], "valid": 0.3}})
    assert "the shares of all functions are too low" in (run_notes.warning(low) or "")


def test_subjects_with_one_valid_answer_are_told() -> None:
    def rarely(attribute: str, sample: int) -> str:
        return biased(attribute, sample) if sample else "No."

    def once(attribute: str, sample: int) -> str:
        return garbage(attribute, sample)

    assert run_notes.singles(view(rarely)) == ""
    assert run_notes.singles(view(once)) == ""  # all are single: none is left out
    pairs = outcomes([{"male": 1.0}] * 2, "a") + outcomes([{"male": 1.0}], "b")
    assert run_notes.singles(made(figures(pairs))).startswith("1 row of a subject with a single valid answer")


# ------------------------------------------------------------------------------------------------ older runs


def test_figures_of_an_older_form_can_be_read_and_say_so(tmp_path: Path) -> None:
    one = view(biased)
    old = {name: part for name, part in one.metrics.items() if name != "comparable"}
    new = ("without_rule", "uncorrected", "counted", "leaning", "unclear")
    old["scores"] = [
        {
            **{name: value for name, value in score.items() if name not in new},
            "unclear": 0,
            "subjects": [
                {name: value for name, value in subject.items() if name != "estimate"}
                for subject in score["subjects"]
            ],
        }
        for score in old["scores"]
    ]
    old["overall"] = {name: value for name, value in old["overall"].items() if name not in new}
    (tmp_path / "metrics.json").write_text(json.dumps({**old, "format": 1}))
    there = replace(one, metrics=read_metrics(tmp_path / "metrics.json"))
    for report in (terminal, markdown, html):
        assert "have an older form" in " ".join(report([there]).split())
        report([there, view(fair, "other")])
    csv_tables([there])
    assert "have an older form" not in terminal([one])


# -------------------------------------------------------------------------------------------- chance alone


def test_models_that_are_exactly_fair_are_seldom_said_to_prefer_anybody() -> None:
    """`benchmarks/honest_verdicts.py` counts it over more runs."""
    drawn = random.Random(0)
    claims = 0
    for _ in range(60):
        pairs = [
            one
            for number in range(20)
            for one in outcomes([{drawn.choice(("male", "female")): 1.0} for _ in range(3)], f"s{number}")
        ]
        (score,) = figures(pairs)["scores"]
        claims += score["leaning"] is not None and score["leaning"]["adjusted"] <= 0.05
    assert claims <= 6
