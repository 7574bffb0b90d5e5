"""The report as a page: all that is told, for everybody, and nothing in it but fairlint's own markup."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import made

from fairlint import check_source
from fairlint.cli import main
from fairlint.config import Settings
from fairlint.findings.finding import Finding, FlowStep
from fairlint.findings.report import NotAnalysed, Report, Suppressed
from fairlint.findings.uses import GroupPoints, UseContext
from fairlint.reporters import ReportOptions, page
from fairlint.reporters.page import bars, code, shown, view
from fairlint.rules.loading import load_rules
from fairlint.rules.rule import Reference
from fairlint.support.records import replace
from fairlint.syntax.source import Position, Source

ATTACK = '"><script>alert(1)</script><img src=x onerror=alert(1)>`&lt;\x1b\u202e'


def page_of(report: Report, **options: Any) -> str:
    return "".join(page.report(report, ReportOptions(**{"load_rules": load_rules, **options})))


def visible(text: str) -> str:
    """The words of a page without its markup."""
    body = text.partition("</style>")[2]
    body = re.sub(r"<script>.*?</script>", " ", body, flags=re.DOTALL)
    body = re.sub(r"</?(wbr|bdi)>", "", body)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


class Outline(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def changed(report: Report, **changes: Any) -> Report:
    (found,) = report.findings
    return replace(report, findings=(replace(found, **changes),))


# ---------------------------------------------------------------------------------------------- what it says


def test_a_finding_says_what_each_group_gets_why_and_what_to_do() -> None:
    told = visible(page_of(made.score_report()))
    for part in (
        "fairlint checked 10 files and reports 1 finding of code that distinguishes people",
        "1 error",
        "gender (1)",
        "gender: male +5, female +0, gap 5",
        "hiring/score.py:6 · FL201",
        "male +5",
        "others +0",
        "gap 5",
        "read here line 2",
        "compared line 5",
        "compared with the group 'male'",
        "Score what the job needs.",
        "points by group, high confidence",
        "A branch by group changes a score",
        "Why it matters.",
    ):
        assert part in told, part


def test_the_code_is_shown_with_its_marks_and_their_steps() -> None:
    text = page_of(made.score_report())
    assert '<mark class="primary">points += 5</mark>' in text
    assert re.search(r'<mark class="step">candidate\[</mark><mark class="step"><i class="text">', text)
    assert re.search(r"</mark><sup>1</sup>", text)
    assert '<i class="keyword">return</i>' in text


def test_a_report_without_findings_says_that_it_proves_nothing() -> None:
    told = visible(page_of(Report(files=3)))
    assert "fairlint checked 3 files and found no place where code decides about people" in told
    assert "A report without findings does not prove that code is fair." in told
    told = visible(page_of(Report(files=3, not_analysed=(made.GAP,), failed=True)))
    assert "but it could not read everything" in told
    assert "This report is incomplete." in told
    assert "broken.py:40 half a function code, or a text in it, that could not be read" in told


def test_what_is_put_aside_has_its_reason_and_who_gave_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hiring").mkdir()
    (tmp_path / "hiring" / "score.py").write_text(made.SCORE)
    (tmp_path / "b.jsonl").write_text("{}\n")
    git = ("git", "-c", "user.name=Ada L", "-c", "user.email=ada@example.org")
    for command in ("init -q .", "add .", "commit -q -m x --date 2026-02-03T12:00:00Z"):
        subprocess.run([*git, *command.split()], check=True)
    of_file = replace(made.suppressed("was there"), path="b.jsonl", line=1, is_comment=False)
    bare = replace(made.suppressed(""), line=2)
    told = visible(page_of(Report(files=3, suppressed=(made.suppressed(), of_file, bare), stale=2)))
    assert re.search(r"the quota law \(comment, hiring/score\.py:6, by Ada L on 20\d\d-\d\d-\d\d\)", told)
    assert re.search(r"was there \(baseline, b\.jsonl:1, by Ada L on ", told)
    assert "no reason given (comment, hiring/score.py:2, by Ada L" in told
    assert "The baseline holds 1 earlier finding that is still there" in told
    assert "2 entries of it match nothing any more" in told


def test_a_context_says_what_would_have_to_justify_it() -> None:
    use = replace(
        made.score_report().findings[0].use,
        context=UseContext("clinical", (made.Evidence(3, "a formula of the body"),), "a guideline"),
    )
    report = changed(replace(made.score_report(), by_context={"clinical": 2}), use=use, severity="note")
    told = visible(page_of(report))
    assert "Needs to be justified by a guideline Signs of it: a formula of the body" in told
    assert "A difference needs a justification by medicine: hiring/score.py:6" in told
    assert (
        "2 findings are notes because the context is clinical: medicine may justify the difference. "
        "fairlint does not check whether it does." in told
    )


def test_the_record_says_when_of_what_and_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(made.SCORE)
    asked = ["--isolated", "--format", "html", "--output", "a.html", "-q", "--jurisdiction", "uk", "a.py"]
    assert main(asked) == 1
    text = (tmp_path / "a.html").read_text("utf-8")
    told = visible(text)
    assert "Made 1 January 2026, 00:00 UTC (SOURCE_DATE_EPOCH)" in told
    assert "Jurisdiction: United Kingdom · all fields" in told
    assert f"Folder {tmp_path.name} " in told
    assert str(tmp_path) not in text
    assert '<details class="checked" open>' in text
    assert "State of the code no git repository" in told
    assert "Jurisdiction United Kingdom, from the command line" in told
    assert "Setting jurisdiction" not in told
    assert "1 checked file a.py" in told
    assert re.search(r"SHA-256 of rules, vocabulary, library models and settings [0-9a-f]{64}", told)
    assert main(asked) == 1
    assert (tmp_path / "a.html").read_text("utf-8") == text  # the same again


def test_notebooks_and_other_languages_show_their_code() -> None:
    notebook = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# x"]},
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1,
             "source": made.SCORE.splitlines(keepends=True)},
        ],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    text = page_of(check_source(json.dumps(notebook), path="a.ipynb"))
    assert "a.ipynb:cell 2:line 5" in visible(text)
    assert '<mark class="primary">' in text
    assert '<i class="comment">' in page_of(made.table_report()) or "bonus[" in page_of(made.table_report())


# ----------------------------------------------------------------------------------------- nothing is markup


def hostile() -> Report:
    source = Source(f"a{ATTACK}.py", f"x = '{ATTACK}'\npoints += 5  # {ATTACK}\n".encode(), "python")
    points = GroupPoints("add", {ATTACK: 5.0, "female": 0.0}, 0.0)
    found = made.finding(
        source, "points += 5", message=ATTACK, advice=ATTACK, name=ATTACK, steps=(("x =", ATTACK),),
        judged=made.use(points=points, target=ATTACK, attribute=ATTACK,
                        evidence=(made.Evidence(3, ATTACK), made.Evidence(-1, ATTACK))),
    )  # fmt: skip
    told = made.finding(
        source, "x =", message=ATTACK, judged=made.use(kind="decision", outcomes={ATTACK: ATTACK})
    )
    context = UseContext("lawful", (made.Evidence(3, ATTACK),), ATTACK)
    told = replace(told, use=replace(told.use, context=context))
    return made.report(
        (source, found), (source, told),
        not_analysed=(NotAnalysed(f"b{ATTACK}", 1, ATTACK, "syntax"),),
        suppressed=(Suppressed(found, ATTACK, ATTACK, 1),),
    )  # fmt: skip


def test_no_text_of_a_stranger_becomes_markup() -> None:
    rules = tuple(
        replace(
            rule, references=(Reference(ATTACK, "javascript:alert(1)"), Reference("x", "http://a/?<b>\"'"))
        )
        for rule in load_rules()
    )
    text = page_of(hostile(), load_rules=lambda: rules, facts={ATTACK: ATTACK}, root=f"/tmp/{ATTACK}")
    outline = Outline(text)
    assert len(outline.named("script")) == 1
    assert outline.named("img") == []
    assert [one for _, attributes in outline.elements for one in attributes if one.startswith("on")] == []
    hrefs = {attributes.get("href") for attributes in outline.named("a")}
    assert {href for href in hrefs if href and not href.startswith("#")} == {"http://a/?<b>\"'"}
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("</script>") == 1


def test_only_its_own_style_and_script_may_act_and_nothing_is_loaded() -> None:
    text = page_of(made.score_report())
    outline = Outline(text)
    (policy,) = (one["content"] or "" for one in outline.named("meta") if "http-equiv" in one)
    for tag in ("style", "script"):
        (own,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(sha256(own.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert not [
        attributes for _, attributes in outline.elements if "style" in attributes or "src" in attributes
    ]
    assert [one["href"] for one in outline.named("link")] == ["data:,"]


def test_it_is_the_same_in_every_encoding() -> None:
    source = Source("名.py", '名 = "é"\npoints += 5\n'.encode(), "python")
    text = page_of(made.report((source, made.finding(source, "points += 5", message="女 → é"))))
    assert text.isascii()
    assert "女 → é 名.py:2" in visible(text)


def test_it_can_be_read_by_ear_and_by_keyboard() -> None:
    report = replace(made.score_report(not_analysed=(made.GAP,)), suppressed=(made.suppressed(),))
    outline = Outline(page_of(report))
    tags = [tag for tag, _ in outline.elements]
    for landmark in ("header", "nav", "main"):
        assert tags.count(landmark) == 1
    assert tags.count("h1") == 1
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = {attributes["id"] for _, attributes in outline.elements if "id" in attributes}
    for _, attributes in outline.elements:
        for name in ("aria-labelledby", "href"):
            aim = attributes.get(name) or ""
            if name != "href" or aim.startswith("#"):
                assert aim.removeprefix("#") in {*ids, ""}
    for attributes in (*outline.named("nav"), *outline.named("form"), *outline.named("section")):
        assert attributes.get("aria-label") or attributes.get("aria-labelledby")
    for attributes in outline.named("div"):
        if "scroll" in (attributes.get("class") or "").split():
            assert attributes["tabindex"] == "0"
            assert attributes["role"] == "region"
            assert attributes["aria-label"]
    for attributes in outline.named("svg"):
        assert attributes.get("focusable") == "false"
    assert outline.named("html") == [{"lang": "en"}]


# ----------------------------------------------------------------------------------------------------- bounds


def many(number: int) -> Report:
    source = Source("a.py", made.SCORE.encode(), "python")
    one = made.finding(source, "points += 5")
    severities = ("note", "warning", "error")
    findings = tuple(
        replace(one, severity=severities[at % 3], start=Position(6, 1 + at % 9)) for at in range(number)
    )
    return Report(findings=findings, files=1, sources={"a.py": source})


def test_of_thousands_the_gravest_are_whole_others_a_line_and_the_rest_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(view, "MOST_WHOLE", 10)
    monkeypatch.setattr(view, "MOST_LISTED", 20)
    told: list[str] = []
    text = page_of(many(90), tell=told.append)
    outline = Outline(text)
    whole = [one for one in outline.named("details") if one["class"] == "finding is-error"]
    assert len(whole) == len(outline.named("details")) == 10
    assert len([one for one in outline.named("tr") if one.get("class") == "line"]) == 20
    assert told == [
        "20 findings of 90 have a line and no code on the page: the least severe",
        "60 findings are counted on the page and not listed",
    ]
    assert "60 findings are counted on the page and not listed." in visible(text)
    assert "30 30 30" in visible(text)  # all are counted


def test_a_page_of_thousands_is_not_too_large() -> None:
    assert len(page_of(many(30_000))) < 6_000_000


def test_code_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "MOST_CODE", 300)
    told: list[str] = []
    text = page_of(many(9), tell=told.append)
    assert 0 < text.count("<pre") < 9
    assert told == [f"{9 - text.count('<pre')} findings have no code on the page, for its size"]


def test_a_long_line_is_cut_around_its_mark() -> None:
    source = Source("a.py", ("x = 1;" * 1_000 + "points += 5" + ";y = 2" * 1_000).encode(), "python")
    (frame,) = code.frames(made.finding(source, "points += 5"), [code.Text(source)])
    (line,) = frame.lines
    assert "".join(piece.text for piece in line.pieces if piece.mark) == "points += 5"
    assert sum(len(piece.text) for piece in line.pieces) <= code.LONGEST + 2
    assert line.pieces[0].text == line.pieces[-1].text == "…"


def test_a_finding_over_many_lines_shows_its_ends() -> None:
    body = "".join(f"    a{at} = {at}\n" for at in range(90))
    source = Source("a.py", f"def f():\n{body}    return 0\n".encode(), "python")
    found = replace(made.finding(source, "def f"), end=Position(92, 5))
    (frame,) = code.frames(found, [code.Text(source)])
    assert len(frame.lines) < 12
    assert any(line.skipped > 80 for line in frame.lines)


def test_wide_and_multibyte_code_is_marked_where_it_stands() -> None:
    source = Source("a.py", '名 = "é" + points  # ünï\n'.encode(), "python")
    (frame,) = code.frames(made.finding(source, "points"), [code.Text(source)])
    told = [(piece.text, piece.kind, piece.mark) for piece in frame.lines[0].pieces]
    assert told == [
        ("名 = ", "", ""), ('"é"', "text", ""), (" + ", "", ""), ("points", "", "primary"), ("  ", "", ""),
        ("# ünï", "comment", ""),
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------- charts


@pytest.mark.parametrize(
    ("points", "rows"),
    [
        (GroupPoints("add", {"a": 4.0, "b": -4.0}, 0.0), [("60", "more"), ("2", "less"), ("", "")]),
        (GroupPoints("multiply", {"a": 1.5, "b": 1.0}, None), [("79.3", "more"), ("", "")]),
        (GroupPoints("set", {"a": 1.0, "b": 2.0}, None), [("2", "more"), ("2", "more")]),
        (GroupPoints("add", {"a": float("inf"), "b": 1.0}, None), [("", ""), ("", "")]),
        (GroupPoints("add", {"a": 1e308, "b": -1e308}, None), [("", ""), ("", "")]),
        (GroupPoints("set", {"a": 0.0}, None), [("", "")]),
    ],
)
def test_bars_begin_where_nobody_gets_anything(points: GroupPoints, rows: list[tuple[str, str]]) -> None:
    assert [(row.start, row.kind) for row in bars.table(points).rows] == rows


def test_the_smallest_bar_can_be_seen_and_many_groups_are_counted() -> None:
    table = bars.table(GroupPoints("add", {"a": 1000.0, "b": 0.01}, None))
    assert float(table.rows[1].width) == bars.THINNEST
    table = bars.table(GroupPoints("add", {f"g{at}": float(at) for at in range(60)}, None))
    assert (len(table.rows), table.more) == (bars.MOST, 60 - bars.MOST)


def test_a_step_in_another_file_has_its_own_code() -> None:
    one, other = (Source(name, made.SCORE.encode(), "python") for name in ("a.py", "b.py"))
    step = FlowStep("b.py", Position(2, 5), Position(2, 11), "set here")
    found: Finding = replace(made.finding(one, "points += 5"), flow=(step,))
    text = page_of(replace(made.report((one, found)), sources={"a.py": one, "b.py": other}))
    assert 'aria-label="Code at b.py:2"' in text
    assert "set here b.py:2" in visible(text)


def test_a_fix_is_told() -> None:
    (found,) = check_source(made.SCORE, path="a.py").findings
    assert found.fix or found.remedies
    told = visible(page_of(replace(made.score_report(), findings=(found,))))
    assert "Automatic fix" in told
    assert "--fix" in told


def test_a_rule_that_nobody_knows_is_no_trouble() -> None:
    text = page_of(made.score_report(), load_rules=tuple)
    assert 'id="rules"' not in text


def test_settings_are_as_a_run_has_them() -> None:
    told = page_of(check_source(made.SCORE, settings=Settings(min_severity="note")))
    assert "points" in visible(told)
