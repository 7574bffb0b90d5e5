"""Reports of benchmark runs: what they say, what they must not say, and that answers stay mere text."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
import time
import unicodedata
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from report_data import SUBJECTS, biased, fair, garbage, nothing, settings, usage_view, view

from fairlint import Settings, UsageError
from fairlint.bench.figures.comparing import compare_runs, pairs
from fairlint.bench.figures.metrics import fair_score
from fairlint.bench.figures.ranking import ranking
from fairlint.bench.report import (
    Pair,
    RunView,
    charts,
    csv_tables,
    html,
    labels,
    markdown,
    read_view,
    run_notes,
    terminal,
    verdicts,
    words,
)
from fairlint.bench.report import examples as example_module
from fairlint.bench.report.examples import examples
from fairlint.bench.report.terminal import table as terminal_table
from fairlint.bench.report.terminal import wrap_text
from fairlint.checking.checker import Checker
from fairlint.rendering.safe_text import plain
from fairlint.run_folders.run_folder import RunSettings, open_run
from fairlint.support.records import replace

ATTACK = '"><script>alert(1)</script>|`<img src=x onerror=alert(1)>`'
TEXTS: list[Callable[[list[RunView]], str]] = [html, markdown, terminal]


def changed(one: RunView, **parts: Any) -> RunView:
    return replace(one, metrics={**one.metrics, **parts})


def visible(page: str) -> str:
    """The words of a page without its markup."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.partition("</style>")[2])).split())


# ----------------------------------------------------------------------------------------------- what it says


MANY = {("job", "gender"): tuple(("male", f"subject {number}") for number in range(12))}


def test_the_verdict_is_one_sentence_with_score_uncertainty_and_leaning() -> None:
    one = view(subjects=MANY)
    told = verdicts.verdict(one)
    overall = one.metrics["overall"]
    assert f"FairScore (adjusted) of {overall['fair_score']:.2f}" in told
    low, high = overall["interval"]
    assert f"95 % interval {low:.2f} to {high:.2f}" in told
    assert "in favour of “female” by gender in job hiring (ahead of “male” for 12 of 12 subjects" in told
    assert "from 36 valid answers" in told
    assert told.count(". ") == 0
    assert told.endswith(".")


@pytest.mark.parametrize("report", TEXTS)
def test_few_valid_answers_are_told_before_any_figure(report: Callable[[list[RunView]], str]) -> None:
    told = report([view(garbage)])
    told = visible(told) if report is html else told.replace("\\", "")
    place = told.find("Only 33 % of the answers of small-coder are valid")
    assert place >= 0
    score = f"{view(garbage).metrics['overall']['fair_score']:.2f}"
    figures = told.find(score, told.find("No verdict") + 200)
    assert figures == -1 or place < figures
    assert "are valid" not in report([view(biased)])


def test_a_verdict_is_refused_where_most_answers_are_garbage() -> None:
    assert verdicts.verdict(view(garbage)).startswith("No verdict on small-coder: only 33 %")
    assert verdicts.verdict(view(nothing)).startswith("No verdict on small-coder: none of its 33 answers")


def test_where_nothing_could_be_judged_the_warning_speaks_of_no_figures() -> None:
    assert run_notes.warning(view(nothing)) == (
        "None of the answers of small-coder is valid, so there are no figures to rely on."
    )


def test_by_the_published_protocol_the_warning_says_that_garbage_looks_fair() -> None:
    told = run_notes.warning(changed(view(garbage), protocol="published"))
    assert told is not None
    assert "too good" in told


def test_garbage_is_never_named_as_the_fairest_model() -> None:
    def rarely(attribute: str, sample: int) -> str:
        return fair(attribute, sample) if sample == 0 else "Sorry."

    def mixed(attribute: str, sample: int) -> str:
        return biased(attribute, sample) if sample == 0 else fair(attribute, sample)

    views = [
        view(rarely, "noise", subjects=MANY),
        view(mixed, "better", subjects=MANY),
        view(biased, "leaning", subjects=MANY),
    ]
    assert views[0].metrics["overall"]["fair_score"] == 1
    told = visible(html(views, pairs(compare_runs(views))))
    assert re.search(
        r"better \(FairScore \(adjusted\) [^()]*\(published\) [^()]*\) scores highest and leaning \(Fair",
        told,
    )


@pytest.mark.parametrize("report", TEXTS)
def test_a_run_without_a_valid_answer_can_be_reported(report: Callable[[list[RunView]], str]) -> None:
    told = report([view(nothing)])
    assert "0 %" in told
    assert "nan" not in told.lower().split()


@pytest.mark.parametrize("report", TEXTS)
def test_all_figures_of_a_column_are_told(report: Callable[[list[RunView]], str]) -> None:
    one = view()
    told = report([one])
    for column in one.metrics["scores"]:
        assert column["attribute"] in told
        assert column["preferred"] in told
        assert f"{column['fair_score']:.2f}" in told
        assert f"{column['entropy']:.2f}" in told


def test_the_page_says_what_was_run() -> None:
    told = visible(html([view()]))
    for fact in (
        "small-coder",
        "5c1e7a9d",
        "replay",
        "9a1f03bb52c7",
        "max new tokens 700",
        "arXiv 2501.05396",
    ):
        assert fact in told


@pytest.mark.parametrize("report", TEXTS)
def test_what_the_backend_had_to_say_is_told(report: Callable[[list[RunView]], str]) -> None:
    told = report([changed(view(), notes=["the server does not take seed", "<b>two</b>"])])
    told = visible(told) if report is html else told.replace("\\", "")
    assert "the server does not take seed" in told
    assert "<b>two</b>" in told


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (
            1,
            "1 answer decides by the attribute without giving its groups points and counts with an entropy",
        ),
        (
            12,
            "12 answers decide by the attribute without giving its groups points and count with an entropy",
        ),
    ],
)
@pytest.mark.parametrize("report", TEXTS)
def test_subjects_that_decide_without_points_are_told(
    report: Callable[[list[RunView]], str], count: int, told: str
) -> None:
    def deciding(attribute: str, sample: int) -> str:
        rated = f"person.{attribute} == 'male'" if sample == 0 else "person.years"
        return f"```python\ndef rate(person):\n    return {rated}\n```\n"

    subjects = tuple(("male", f"subject {number}") for number in range(count))
    one = view(deciding, subjects={("job", "gender"): subjects})
    found = report([one])
    found = visible(found) if report is html else found.replace("\\", "")
    assert f"Job hiring, gender: {told}" in " ".join(found.split())
    assert "unclear" in found
    assert "Strongest preferences" not in found
    assert "giving its groups points and" not in report([view()])


def test_whom_nobody_can_name_is_neither_nobody_nor_among_the_strongest() -> None:
    one = view()
    column = one.metrics["scores"][0]
    first = {**column["subjects"][0], "entropy": 0.0, "preferred": None, "points": {}}
    tied = {**column["subjects"][1], "entropy": 0.5, "preferred": None, "points": {"a": 2, "b": 2}}
    made = changed(one, scores=[{**column, "subjects": [first, tied]}])
    page = html([made])
    assert "The subject where one group is preferred most" in page
    assert "All 2 subjects" in page
    cells = dict(re.findall(r'<tr><th scope="row">(\w+)</th>(.*?)</tr>', page, re.DOTALL))
    assert "<td>unclear</td>" in cells[first["subject"]]
    assert "<td>several</td>" in cells[tied["subject"]]


def test_a_cost_is_what_tokens_come_to() -> None:
    def counted(read: int, written: int) -> RunView:
        one = view()
        answers = {**one.metrics["answers"], "prompt_tokens": read, "new_tokens": written}
        return changed(one, answers=answers)

    def last(one: RunView, prices: tuple[float, float] | None = None) -> str:
        return terminal([one], prices).splitlines()[-1]

    one = counted(12345, 6789)
    assert last(one) == "tokens: 12,345 read, 6,789 written"
    assert last(one, (5, 10)) == "tokens: 12,345 read, 6,789 written; cost 0.13"
    assert last(one, (0.01, 0.02)).endswith("cost 0.00026")
    assert last(one, (0, 0)).endswith("cost 0.00")
    assert last(counted(10**9, 0), (1.5, 0)).endswith("cost 1,500.00")
    assert "tokens:" not in terminal([counted(0, 0)])
    assert last(counted(0, 0), (1, 1)) == "tokens: not known, and so no cost"
    cached = {"answers": 6, "of": 6, "prompt_tokens": 12345, "new_tokens": 6789}
    free = changed(one, answers={**one.metrics["answers"], "cached": cached})
    assert last(free, (5, 10)) == "6 of 6 answers from the cache; tokens: 0 read, 0 written; cost 0.00"


def test_the_full_table_holds_every_subject() -> None:
    page = html([view()])
    table = page.partition("All subjects, the strongest preference first")[2].partition("</table>")[0]
    assert table.count('<th scope="row">') == sum(map(len, SUBJECTS.values()))


def test_an_interval_of_one_subject_a_list_is_not_told() -> None:
    lonely = {("job", "gender"): (("male", "Carpenter"), ("female", "Nurse"))}
    one = view(subjects=lonely)
    assert one.metrics["overall"]["interval"] is None
    assert [column["interval"] for column in one.metrics["scores"]] == [None]
    assert "interval" not in verdicts.verdict(one)
    assert re.search(r"overall +\d\.\d\d +– ", terminal([one]))


@pytest.mark.parametrize("report", TEXTS)
def test_a_run_that_is_not_finished_says_so(report: Callable[[list[RunView]], str]) -> None:
    one = view()
    answers = one.metrics["answers"]
    part = changed(one, answers={**answers, "asked": answers["given"] + 1, "cut": 0.25})
    told = f"This run is not finished: {answers['given']} of {answers['given'] + 1} answers are there."
    assert told in (visible(html([part])) if report is html else report([part]))
    assert "not finished" not in report([one])
    if report is not html:
        assert "25 % of the answers were cut at the token limit." in report([part])


def test_several_runs_are_compared_before_each_is_shown() -> None:
    views = [view(biased, "first"), view(fair, "second")]
    made = [Pair("first", "second", -0.125, 0.0004, 11, (0, 0), 0.021)]
    page = visible(html(views, made))
    assert page.index("Comparison") < page.index("Who is preferred") < page.index("What was run")
    assert "first second −0.125 < 0.001 0.021 11" in page
    assert "first | second | −0.125 | \\< 0.001 | 0.021 | 11" in markdown(views, made)


def test_runs_that_were_not_asked_alike_say_so() -> None:
    views = [view(model="a"), view(model="b", temperature=0.9, prompts_hash="another")]
    assert "differ in prompts hash, temperature;" in visible(html(views))
    assert "differ in prompts hash, temperature." in markdown(views)
    assert "Not asked alike" not in html([views[0], view(model="b")])


def test_two_runs_of_one_model_get_the_names_of_their_folders() -> None:
    views = [view(folder="monday"), view(folder="tuesday"), view(model="other")]
    assert labels(views) == ["small-coder (monday)", "small-coder (tuesday)", "other"]


def test_runs_in_folders_of_one_name_are_told_apart_by_those_above() -> None:
    views = [view(folder=folder) for folder in ("seed1/run", "seed2/run", "seed2/more/run", "seed1/other")]
    assert labels(views) == [
        "small-coder (seed1/run)",
        "small-coder (seed2/run)",
        "small-coder (more/run)",
        "small-coder (other)",
    ]
    (first, *_) = found = ranking(views)
    assert len({one.label for one in found}) == len(views)
    assert first.rank == 1


@pytest.mark.parametrize("report", [*TEXTS, csv_tables])
def test_runs_of_different_suites_are_refused(report: Callable[[list[RunView]], object]) -> None:
    with pytest.raises(UsageError, match=r"different suites.*faircode:function.*btm"):
        report([view(), usage_view()])
    with pytest.raises(UsageError, match="no runs"):
        report([])


@pytest.mark.parametrize("report", [*TEXTS, csv_tables])
def test_the_same_run_gives_the_same_report(report: Callable[[list[RunView]], object]) -> None:
    first, again = view(), view()
    assert report([first]) == report([again])


def test_the_rates_of_use_stand_beside_the_published_one() -> None:
    one = usage_view()
    page = visible(html([one]))
    used, published = (one.metrics["usage"][0][name] for name in ("used", "published"))
    assert used < published
    assert f"{words.percent(used)} of 9 answers" in page
    assert f"says {words.percent(published)}." in page
    for text in (markdown([one]), terminal([one])):
        assert words.percent(used) in text
    assert "usage.csv" in csv_tables([one])


def test_a_run_with_rates_beside_one_that_has_none_yet() -> None:
    page = visible(html([usage_view("empty", answers=False), usage_view("full")]))
    assert "empty has given no answers yet" in page


# ------------------------------------------------------------------------------------------ answers stay text


class Markup(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.outside: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            fetched = name in {"src", "href", "xlink:href", "action", "data"} and not str(value).startswith(
                ("data:", "#")
            )
            if fetched or name.startswith("on"):
                self.outside.append(f"{tag} {name}={value}")


def attacked() -> RunView:
    def write(attribute: str, sample: int) -> str:
        return biased(attribute, sample).replace("return score", f"note = '{ATTACK}'\n    return score")

    one = view(
        write, ATTACK, subjects={("job", "gender"): (("male", ATTACK), ("female", "</code></pre><script>"))}
    )
    return changed(one, suite={**one.metrics["suite"], "title": ATTACK, "source": ATTACK})


def test_nothing_in_a_page_is_run_or_fetched() -> None:
    for views in (
        [attacked()],
        [attacked(), view(), view(garbage, "javascript:alert(1)")],
        [usage_view(ATTACK)],
    ):
        page = html(views)
        found = Markup()
        found.feed(page)
        assert not found.tags & {"script", "img", "iframe", "object", "embed", "base"}
        assert found.outside == []
        assert not re.search(r"@import|url\(|https?://", page.partition("<body>")[0])
        assert "default-src 'none'" in page
    assert "alert(1)" in visible(html([attacked()]))


def test_markdown_holds_no_markup_from_outside() -> None:
    told = markdown([attacked()])
    assert not re.search(r"(?<!\\)<(script|img|/)", told)
    for table in re.findall(r"(?:^\|.*\n?)+", told, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def test_no_control_character_reaches_the_terminal_or_markdown() -> None:
    one = view(model="evil\x1b[31m\x07\r\nmodel\u202e")
    for column in one.metrics["scores"]:
        column["preferred"] = "nasty\x1b]0;title\x07"
    for told in (terminal([one]), markdown([one])):
        assert not re.search(r"[^\n\x20-\x7e\u00a0-\u200a\u2010-\u2027\u202f-\uffff]", told)


STEERING = "\x1b[31m\x07\x9b\u202e\u2066\ufeff\ud800\u2028"


def steering() -> RunView:
    def write(attribute: str, sample: int) -> str:
        code = biased(attribute, sample).replace("return score", f"note = '{STEERING}'\n    return score")
        return code.replace('"female"', f'"{STEERING}female"')

    one = view(write, f"evil{STEERING}", subjects={("job", "gender"): (("male", f"a{STEERING}"), ("b", "c"))})
    return changed(one, notes=[f"a note{STEERING}"], definitions={STEERING: STEERING})


@pytest.mark.parametrize("report", [*TEXTS, lambda views: "".join(csv_tables(views).values())])
def test_no_control_character_reaches_a_report(report: Callable[[list[RunView]], str]) -> None:
    told = report([steering()]) + report([steering(), view()])
    assert {one for one in told if unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}} == {"\n"}


def test_code_keeps_its_look_and_shows_control_characters() -> None:
    def write(attribute: str, sample: int) -> str:
        code = biased(attribute, sample).replace("    ", "\t")
        return code.replace("return score", "note = '\x1b\u202e'\n\treturn score")

    code = html([view(write)]).partition("<pre><code>")[2].partition("</code></pre>")[0]
    assert "\tnote = &#39;\\x1b\\u202e&#39;</span>" in code


def test_names_may_hold_what_their_scripts_need() -> None:
    name = "می\u200cخواهم 👩\u200d⚕"
    for report in TEXTS:
        assert name in report([view(model=name)])


@pytest.mark.parametrize("name", ["x" * 300, "模型" * 60, "a model with many words " * 12])
def test_the_terminal_keeps_to_100_columns(name: str) -> None:
    one = view(model=name, subjects={("job", "gender"): (("male", name), ("female", "b"))})
    for column in one.metrics["scores"]:
        column["attribute"] = column["preferred"] = name
    for line in terminal([one]).splitlines():
        assert sum(2 if char in "模型" else 1 for char in line) <= 100


# --------------------------------------------------------------------------------------------------- examples


def test_examples_are_the_strongest_and_few_and_about_different_subjects() -> None:
    found = examples(view())
    assert set(found) == {"gender", "age", "race"}
    for ones in found.values():
        assert len(ones) == 3
        assert len({one.subject for one in ones}) == 3
        assert [max(one.points.values()) for one in ones] == [3, 3, 3]


def test_examples_do_not_depend_on_the_order_of_lines() -> None:
    one = view()
    turned = replace(one, responses=[*one.responses][::-1], outcomes=[*one.outcomes][::-1])
    assert examples(turned) == examples(one)


def test_an_example_marks_the_test_and_what_it_changes() -> None:
    one = examples(view())["gender"][0]
    marked = [piece.text for line in one.lines for piece in line.pieces if piece.marked]
    assert 'person.gender == "female"' in marked
    assert "score += 3" in marked
    assert any("FL201" in message and "female +3" in message for message in one.messages)
    assert one.lines[0].number == 4  # as in the answer, prose and all


def test_marks_stand_right_after_letters_of_more_than_one_byte() -> None:
    def write(_attribute: str, _sample: int) -> str:
        return (
            "```python\ndef rate(person):\n    größe = 'ä€𝄞'; score = 0\n"
            "    if person.gender == 'male' or 'ß€' == person.name: score += 1\n    return score\n```\n"
        )

    lines = examples(view(write, subjects={("job", "gender"): (("male", "a"),)}))["gender"][0].lines
    whole = ["".join(piece.text for piece in line.pieces) for line in lines]
    assert "    größe = 'ä€𝄞'; score = 0" in whole
    marked = {piece.text for line in lines for piece in line.pieces if piece.marked}
    assert "score += 1" in marked


def test_long_code_is_folded_around_the_place_that_matters() -> None:
    def write(attribute: str, sample: int) -> str:
        filler = "".join(f"    a{number} = {number}\n" for number in range(300))
        return biased(attribute, sample).replace("    if person", f"{filler}    if person")

    one = examples(view(write))["gender"][0]
    assert len(one.lines) < 20
    assert any(piece.marked for line in one.lines for piece in line.pieces)
    assert sum(line.skipped for line in one.lines) > 280


def test_an_answer_that_was_cut_off_is_no_example() -> None:
    def cut(attribute: str, sample: int) -> str:
        whole = biased(attribute, sample)
        return whole if sample == 0 else whole.replace("return score\n```\n", "score = round(")

    one = view(cut)
    used = [told["key"] for told in one.outcomes if told["outcomes"][0]["used"] and not told["valid"]]
    assert used
    assert all(found.key not in used for ones in examples(one).values() for found in ones)


def test_what_takes_long_to_look_at_is_no_example(monkeypatch: pytest.MonkeyPatch) -> None:
    ones = [view(biased), usage_view()]

    def spins(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(Checker, "_analyse", spins)
    monkeypatch.setattr(example_module, "_SETTINGS", Settings(min_severity="note", file_timeout=0.05))
    assert [examples(one) for one in ones] == [{}, {}]


def test_examples_do_not_hang_on_how_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several times the usual time changes no report; steps bound the work, and are the same everywhere."""
    analyse = Checker._analyse

    def slow(*given: Any) -> Any:
        time.sleep(0.0 if slept else 3.1)
        slept.append(1)
        return analyse(*given)

    slept: list[int] = []
    one = view(biased)
    usual = examples(one)
    monkeypatch.setattr(Checker, "_analyse", slow)
    assert examples(one) == usual != {}
    assert slept
    assert example_module._SETTINGS.file_steps < Settings().file_steps


def test_garbage_and_fair_answers_are_no_examples() -> None:
    assert examples(view(fair)) == {}
    assert all(one.key.endswith("#0") for ones in examples(view(garbage)).values() for one in ones)


def test_the_probe_shows_attributes_that_only_its_own_settings_know() -> None:
    assert {"gender", "education"} <= set(examples(usage_view()))


# ----------------------------------------------------------------------------------------------------- charts


def radius(strength: float) -> float:
    found = re.search(r' r="([\d.]+)"', charts.dot(0, strength, ""))
    assert found
    return float(found[1])


def test_the_area_of_a_dot_grows_with_its_strength() -> None:
    assert radius(1.0) ** 2 / radius(0.25) ** 2 == pytest.approx(4, rel=0.03)
    assert radius(0.0) > 0


def test_groups_differ_by_shape_as_well_as_by_colour() -> None:
    drawn = [charts.dot(place, 0.5, "") for place in (*range(charts.SERIES), charts.OTHER, None)]
    shapes = {re.sub(r' class="\w+"', "", one) for one in drawn}
    assert len(shapes) == len(drawn)


@pytest.mark.parametrize("name", ["white", "black", "asian", "hispanic"])
def test_a_group_looks_in_the_matrix_as_in_the_legend(name: str) -> None:
    def write(_attribute: str, _sample: int) -> str:
        return (
            f"def rate(p):\n    score = 0\n    if p.race == '{name}':\n        score += 2\n    return score\n"
        )

    page = html([view(write, subjects={("college", "race"): SUBJECTS["college", "race"]})])
    in_matrix = page.partition('<td class="dotted">')[2].partition("</td>")[0]
    in_legend = page.partition('class="legend"')[2].partition("</dl>")[0]
    assert f'<span class="group">{name}</span>' in in_matrix
    colour = re.search(r'<(?:circle|polygon) class="(g\d)"', in_matrix)
    assert colour
    assert re.search(rf'class="{colour[1]}"[^>]*/></svg>{name}<', in_legend)


@pytest.mark.parametrize("runs", [1, 12])
def test_a_dot_has_its_refusal_rate_beside_it(runs: int) -> None:
    """In the small tables of many runs, too."""

    def some(attribute: str, sample: int) -> str:
        return "def rate(p):\n    return p.skill\n" if sample % 2 else biased(attribute, sample)

    page = html([view(some, f"run {number}") for number in range(runs)])
    cells = re.findall(r'<td class="dotted">(.*?)</td>', page, re.DOTALL)
    told = {
        re.sub("<[^>]*>", "", cell.partition('class="refusal">')[2]).split("\n")[0].strip() for cell in cells
    }
    assert told == {"R 0.33"}
    assert "R, beside each dot, is the refusal rate." in page


@pytest.mark.parametrize(("rate", "entropy"), [(0.5, 0.6), (0.0, 0.8), (0.2, 0.5), (0.75, 0.2)])
def test_a_point_lies_on_the_line_of_its_fair_score(rate: float, entropy: float) -> None:
    level = fair_score(rate, entropy)
    mark = charts.Mark(label="a", told="a", series=0, x=rate, y=entropy)
    drawn = charts.scatter([mark], width=700, height=400, kind="wide", named=True)
    point = re.search(r'<circle class="g0" cx="([\d.]+)" cy="([\d.]+)"', drawn)
    line = re.search(rf'points="([^"]+)"><title>R \+ E − R·E = {level:g}<', drawn)
    assert point
    assert line
    away = min(
        math.dist((float(point[1]), float(point[2])), tuple(map(float, pair.split(","))))
        for pair in line[1].split()
    )
    assert away < 5


@pytest.mark.parametrize("entropy", [0.02, 0.9])
def test_axes_have_round_numbers_and_lines_go_from_edge_to_edge(entropy: float) -> None:
    marks = [charts.Mark(label="a", told="a", series=0, x=x, y=y) for x, y in ((0.0, entropy), (0.95, 1.0))]
    drawn = charts.scatter(marks, width=700, height=400, kind="wide", named=True)
    ticks = re.findall(r'class="tick"[^>]*>([\d.]+)<', drawn)
    assert ticks.count("1.0") == 2
    frame = re.search(r'class="plot" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawn)
    assert frame
    left, top, width, height = map(float, frame.groups())
    for line in re.findall(r'class="contour" points="([^"]+)"', drawn):
        for end in (line.split()[0], line.split()[-1]):
            x, y = map(float, end.split(","))
            assert min(abs(x - left), abs(x - left - width), abs(y - top), abs(y - top - height)) < 0.2


def test_a_bar_is_as_long_as_its_share() -> None:
    bars = [
        charts.Bar("half", "rate-used", 0.5, [0.4, 0.6], ""),
        charts.Bar("all", "rate-read", 1.0, None, ""),
    ]
    drawn = charts.bars({"age": bars}, width=500, kind="wide", what="rates")
    half, whole = (float(found) for found in re.findall(r'class="bar"[^>]* width="([\d.]+)"', drawn))
    assert half * 2 == pytest.approx(whole, abs=0.2)


# ---------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.0, "0 %"), (0.004, "0.4 %"), (0.0001, "<0.1 %"), (0.123, "12 %"), (0.996, "99.6 %"),
     (0.9999, ">99.9 %"),
     (1.0, "100 %"), (None, "–")],
)  # fmt: skip
def test_a_share_never_looks_like_none_or_all_unless_it_is(share: float | None, told: str) -> None:
    assert words.percent(share) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [(10.0, "10"), (-2.5, "−2.5"), (0.1 + 0.2, "0.3"), (-0.001, "0"), (100.0, "100"), (12345.0, "12 345")],
)
def test_points_have_the_digits_they_need(value: float, told: str) -> None:
    assert words.amount(value) == told


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_csv_tables_hold_all_digits_and_leave_empty_what_is_not_known() -> None:
    one = view()
    scores = rows(csv_tables([one])["scores.csv"])
    for row, column in zip(scores, one.metrics["scores"], strict=True):
        assert float(row["fair_score"]) == column["fair_score"]
        assert [float(row["low"]), float(row["high"])] == column["interval"]
        assert json.loads(row["points"]) == column["points"]
    assert len(rows(csv_tables([one])["subjects.csv"])) == sum(map(len, SUBJECTS.values()))
    assert {row["fair_score"] for row in rows(csv_tables([view(nothing)])["scores.csv"])} == {""}


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@sum", "\t=x", " \r=x", "＝1+1", "＠sum"])
def test_no_cell_is_a_formula(name: str) -> None:
    table = rows(csv_tables([view(model=name)])["scores.csv"])
    assert {row["model"] for row in table} == {f"'{plain(name)}"}


# ---------------------------------------------------------------------------------------------------- reading


def folder_with(path: Path, metrics: str | None) -> Path:
    made = settings("small-coder")
    one = view()
    made["options"]["asked"] = one.metrics["answers"]["asked"]
    told = RunSettings(suite="faircode:function", **made)
    with open_run(path / "run", told) as opened:
        opened.responses.append(one.responses)
        opened.outcomes.append(one.outcomes)
        if metrics is not None:
            opened.write_text("metrics.json", metrics)
    return path / "run"


def test_a_run_read_from_disk_gives_the_report_of_the_run_in_memory(tmp_path: Path) -> None:
    there = read_view(folder_with(tmp_path, json.dumps(view().metrics)))
    assert html([there]) == html([view()])
    assert markdown([there]) == markdown([view()])


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        (None, "not there"),
        ("{", "broken"),
        ("[]", "not the figures"),
        ('{"format": 3}', "format 3"),
        ('{"format": 1}', "`suite` is missing"),
        ('{"format": NaN}', "broken"),
    ],
)
def test_figures_that_cannot_be_read_are_one_clear_line(
    tmp_path: Path, metrics: str | None, told: str
) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        read_view(folder_with(tmp_path, metrics))
    assert "\n" not in str(caught.value)
    assert "metrics.json" in str(caught.value)


def test_a_folder_that_is_no_run_and_broken_answers_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run folder"):
        read_view(tmp_path)
    folder = folder_with(tmp_path, json.dumps(view().metrics))
    (folder / "outcomes.jsonl").write_text("{}\n")
    with pytest.raises(UsageError, match=r"outcomes\.jsonl:1: broken line"):
        html([read_view(folder)])


@pytest.mark.parametrize("width", [-5, 0, 1, 9])
def test_a_table_without_room_ends(width: int) -> None:
    rows = [["a long name", "x" * 300, "名前" * 50, "e\u0301" * 99, "y" * 90]] * 2
    lines = list(terminal_table(rows, "lllll", width))
    assert len(lines) == 2
    assert all("…" in line for line in lines)


def test_long_words_are_cut_in_time_that_grows_with_them() -> None:
    (line,) = wrap_text("x" * 300_000, 20)
    assert line == "x" * 19 + "…"
