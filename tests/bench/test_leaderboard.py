"""A leaderboard: comparable runs share a table, figures lead to answers, and nothing else is written over."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))

from bias_data import bias_views
from report_data import biased, fair, garbage, on_disk, usage_view, view

from fairlint import UsageError
from fairlint.bench.leaderboard import answers
from fairlint.bench.leaderboard.entries import Entry, billions, name_of, organisation, size, tables
from fairlint.bench.leaderboard.pages import answers_name, run_page
from fairlint.bench.leaderboard.site import STATE, update
from fairlint.cli import main

ATTACK = "</code><script>alert(1)</script>"


def attack(attribute: str, sample: int) -> str:
    return biased(attribute, sample).replace("return score", f"note = '{ATTACK}'\n    return score")


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [
        on_disk(view(biased, "Lab/leaning-7B"), tmp_path / "runs" / "a"),
        on_disk(view(fair, "fair-350M"), tmp_path / "runs" / "b"),
        on_disk(view(garbage, "noise"), tmp_path / "runs" / "c"),
        on_disk(usage_view("tiny"), tmp_path / "runs" / "d"),
    ]


def files(folder: Path) -> dict[str, bytes]:
    return {
        one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()
    }


class Links(HTMLParser):
    """Where a page leads, and what it would fetch or run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.scripts = 0
        self.ids: list[str] = []
        self.loads: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        for name, value in attrs:
            if name == "href" and tag == "a":
                self.links.append(str(value))
            elif name == "id":
                self.ids.append(str(value))
            elif name in {"src", "style"} or name.startswith("on"):
                self.loads.append(f"{tag} {name}")


def test_each_figure_leads_down_to_answers_and_no_link_is_dead(runs: list[Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    made = update(site, runs)
    assert (made.runs, made.tables, made.left_out) == (4, 2, ())
    for page in site.rglob("*.html"):
        found = Links(page.read_text())
        assert found.loads == []
        assert len(found.ids) == len(set(found.ids))
        for link in found.links:
            target, _, anchor = link.partition("#")
            there = (page.parent / target).resolve() if target else page
            assert there.is_file(), f"{page}: {link}"
            assert not anchor or anchor == "main" or f'id="{anchor}"' in there.read_text()
    index = (site / "index.html").read_text()
    column = re.search(r'href="(answers/Lab-[^"]*job-gender-1\.html)"', index)
    assert column is not None
    assert "person.gender == " in (site / column[1]).read_text().replace("&#34;", '"')


def test_answers_stay_text_and_only_the_index_has_a_script(tmp_path: Path) -> None:
    site = tmp_path / "site"
    update(site, [on_disk(view(attack, f"m{ATTACK}"), tmp_path / "run")])
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert ATTACK not in text
        assert Links(text).scripts == (page.name == "index.html")
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
        assert policy is not None
        assert "default-src" in policy[1]
        assert "unsafe-inline" not in policy[1]


def test_the_same_runs_give_the_same_bytes_in_any_order(runs: list[Path], tmp_path: Path) -> None:
    update(tmp_path / "one", runs)
    update(tmp_path / "two", runs[2:])
    update(tmp_path / "two", runs[:2][::-1])
    update(tmp_path / "two", runs[:1])
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_a_run_is_added_without_the_folders_of_others(runs: list[Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    update(site, runs[:1])
    for file in (runs[0] / "metrics.json", runs[0] / "responses.jsonl"):
        file.unlink()
    assert update(site, runs[1:2]).runs == 2
    index = (site / "index.html").read_text()
    assert "Lab/leaning-7B" in index
    assert "fair-350M" in index


def test_a_board_killed_before_its_first_file_stood_begins_anew(runs: list[Path], tmp_path: Path) -> None:
    board = tmp_path / "board"
    board.mkdir()
    (board / ".board.json.0123456789abcdef.draft").write_text("{")
    update(board, runs)
    assert (board / "index.html").is_file()


def changed_metrics() -> Iterator[dict[str, Any]]:
    one = view(fair, "other").metrics
    yield {"fairlint": "99.0"}
    yield {"protocol": "published"}
    yield {"settings": {**one["settings"], "prompts_hash": "another"}}
    yield {"format": 1}
    yield {"settings": {**one["settings"], "suite": {"threshold": 0.2}}}


def text_of(page: str) -> list[str]:
    """What is read on a page, piece by piece."""
    return [told for one in re.split(r"<[^>]*>", page) if (told := one.strip())]


def test_runs_of_one_model_are_told_apart_by_what_they_were_asked_with(tmp_path: Path) -> None:
    one = view(biased, "fake-3b")
    known = one.metrics["settings"]
    asked: list[dict[str, Any]] = [
        {"suite": {"mitigation": "cot"}},
        {"suite": {"mitigation": "feedback", "data": "/home/me/people.csv"}},
        {"limit": 20, "prompts_hash": "b"},
        {"prompts": "mine.csv", "subjects": list("abcdefg"), "prompts_hash": "c"},
        {"temperature": 0.8},
    ]
    runs = [
        on_disk(one, tmp_path / f"run{number}", settings={**known, **told})
        for number, told in enumerate([{}, *asked])
    ]
    site = tmp_path / "site"
    assert update(site, runs).tables == 5
    index = (site / "index.html").read_text()
    overview, *sections = re.findall(r"<section.*?</section>", index, re.DOTALL)
    told = [
        "samples 3",
        "mitigation cot, samples 3",
        "mitigation feedback, data people.csv, samples 3",
        "samples 3, limit 20",
        "samples 3, 7 subjects, prompts mine.csv",
    ]
    headings = [", ".join(text_of(found)) for found in re.findall(r"<h2>.*?</h2>", index)]
    for head in told:
        assert text_of(overview).count(head) == 1
        assert headings.count(f"faircode:function, {head}") == 1
    assert "/home/me" not in index
    assert "1 model, 6 runs" in index
    both = next(section for section in sections if "temperature 0.8" in section)
    assert {"temperature 0.2", "temperature 0.8"} <= {*text_of(both)}
    pages = [text_of(page.read_text()) for page in (site / "runs").iterdir()]
    assert sum(page[page.index("mitigation") + 1] == "cot" for page in pages if "mitigation" in page) == 1
    assert "1 model, 1 run" in index_of(tmp_path / "lone", runs[:1])


def index_of(site: Path, runs: list[Path]) -> str:
    update(site, runs)
    return (site / "index.html").read_text()


@pytest.mark.parametrize("changed", list(changed_metrics()))
def test_runs_that_are_not_comparable_are_never_in_one_table(changed: dict[str, Any], tmp_path: Path) -> None:
    one = on_disk(view(biased, "one"), tmp_path / "a")
    other = on_disk(view(fair, "other"), tmp_path / "b", **changed)
    assert update(tmp_path / "site", [one, other]).tables == 2
    index = (tmp_path / "site" / "index.html").read_text()
    for section in re.findall(r'<section class="table".*?</section>', index, re.DOTALL):
        assert (">one<" in section) != (">other<" in section)
    assert "figures of others are not comparable" in index


def test_the_latest_judge_stands_first_and_models_stand_by_rank(runs: list[Path], tmp_path: Path) -> None:
    metrics = view(fair, "x").metrics
    entries = [
        Entry(name, {**metrics, "fairlint": version, "model": {"name": name}}, ())
        for name, version in (("a", "0.9.0"), ("b", "0.10.0"))
    ]
    assert [table.entries[0].name for table in tables(entries)] == ["b", "a"]
    update(tmp_path / "site", runs[:3])
    rows = re.findall(
        r'<th scope="row"><a href="runs/[^"]*">([^<]*)</a>', (tmp_path / "site/index.html").read_text()
    )
    assert rows.index("fair-350M") < rows.index("Lab/leaning-7B") < rows.index("noise")


def test_an_unfinished_run_is_left_out_and_named(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (runs[0] / "metrics.json").unlink()
    short = json.loads((runs[1] / "metrics.json").read_text())
    short["answers"]["asked"] += 5
    (runs[1] / "metrics.json").write_text(json.dumps(short))
    site = tmp_path / "site"
    assert main(["bench", "leaderboard", *map(str, runs[:3]), "--output", str(site)]) == 0
    told = capsys.readouterr()
    assert [line.count("left out") for line in told.err.splitlines()] == [1, 1]
    assert "noise" in (site / "index.html").read_text()
    assert "fair-350M" not in (site / "index.html").read_text()
    with pytest.raises(UsageError, match="no run to show"):
        update(tmp_path / "none", runs[:2])
    assert not (tmp_path / "none").exists()


def test_a_shard_is_left_out_and_never_takes_the_place_of_its_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = view(biased, "whole")
    whole = on_disk(one, tmp_path / "whole")
    shards = [
        on_disk(
            one,
            tmp_path / f"part{part}",
            settings={**one.metrics["settings"], "shard": {"part": part, "of": 2, "asked": 9}},
        )
        for part in (1, 2)
    ]
    site = tmp_path / "site"
    update(site, [whole])
    before = files(site)
    assert main(["bench", "leaderboard", *map(str, shards), "--output", str(site)]) == 2
    told = capsys.readouterr().err.strip()
    assert "\n" not in told
    assert "shard 1/2" in told
    assert "shard 2/2" in told
    assert "fairlint bench merge" in told
    assert files(site) == before
    assert main(["bench", "leaderboard", str(shards[0]), str(whole), "--output", str(site)]) == 0
    assert capsys.readouterr().err.count("merge its shards first") == 1
    assert files(site) == before


def test_a_preference_that_chance_could_make_has_a_question_mark() -> None:
    one = view(biased, "some")
    metrics = json.loads(json.dumps(one.metrics))
    sure, unsure = metrics["scores"][:2]
    metrics["scores"] = [sure, unsure]
    for column, adjusted, low in ((sure, 0.01, 0.6), (unsure, 0.4, 0.3)):
        column["leaning"] = {**(column["leaning"] or {}), "adjusted": adjusted, "interval": [low, 0.9]}
    metrics["scores"][0]["preferred"], metrics["scores"][1]["preferred"] = "female", "young"
    read = text_of(run_page(Entry("some", metrics, ())))
    assert "female" in read
    assert "young?" in read
    assert sum(told.startswith("“?”") for told in read) == 1
    metrics["scores"] = [sure]
    assert not any("?" in told for told in text_of(run_page(Entry("some", metrics, ()))))


@pytest.mark.parametrize("keep", [0, 5])
def test_a_run_whose_answers_were_cut_later_is_left_out_and_named(
    keep: int, runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = runs[0] / "responses.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:keep]))
    site = tmp_path / "site"
    assert main(["bench", "leaderboard", *map(str, runs[:2]), "--output", str(site)]) == 0
    told = capsys.readouterr()
    assert f"left out: {runs[0]}: not finished" in told.err
    assert "1 of 2 runs written" in told.out
    assert "leaning-7B" not in (site / "index.html").read_text()


def test_a_last_turn_that_is_gone_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "agents"
    bias_views(tmp_path)
    update(tmp_path / "site", [folder])
    kept = (folder / "responses.jsonl").read_text().splitlines(keepends=True)
    given = json.loads((folder / "metrics.json").read_text())["answers"]["given"]
    assert len(kept) > given
    (folder / "responses.jsonl").write_text("".join(kept[:-1]))
    with pytest.raises(UsageError, match="has fewer answers"):
        update(tmp_path / "site", [folder])


@pytest.mark.parametrize("below", ["", "site"])
def test_a_file_is_no_place_for_a_leaderboard(
    below: str, runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "there"
    file.write_text("mine")
    assert main(["bench", "leaderboard", str(runs[1]), "--output", str(file / below)]) == 2
    told = capsys.readouterr().err.strip()
    assert str(file) in told
    assert "\n" not in told
    assert "Errno" not in told
    assert file.read_text() == "mine"


def spoil_nothing(run: Path, _site: Path) -> Path:
    return run.parent.parent


def spoil_metrics(run: Path, _site: Path) -> Path:
    (run / "metrics.json").write_text('{"format": 2')
    return run


def spoil_scores(run: Path, _site: Path) -> Path:
    metrics = json.loads((run / "metrics.json").read_text())
    metrics["scores"] = [{"scenario": "job"}]
    (run / "metrics.json").write_text(json.dumps(metrics))
    return run


def spoil_subjects(run: Path, _site: Path) -> Path:
    metrics = json.loads((run / "metrics.json").read_text())
    metrics["scores"][0]["subjects"] = "Nurse"
    (run / "metrics.json").write_text(json.dumps(metrics))
    return run


def spoil_own(run: Path, _site: Path) -> Path:
    metrics = json.loads((run / "metrics.json").read_text())
    metrics["settings"]["suite"] = ["cot"]
    (run / "metrics.json").write_text(json.dumps(metrics))
    return run


def spoil_answers(run: Path, _site: Path) -> Path:
    (run / "responses.jsonl").write_text("{}\n[1\n")
    return run


def fill_site(run: Path, site: Path) -> Path:
    (site / STATE).unlink()
    return run


def break_site(run: Path, site: Path) -> Path:
    (site / STATE).write_text("[]")
    return run


def break_data(run: Path, site: Path) -> Path:
    next((site / "data").glob("*.json")).write_text("{}")
    return run


@pytest.mark.parametrize(
    "spoil",
    [
        spoil_nothing,
        spoil_metrics,
        spoil_scores,
        spoil_subjects,
        spoil_own,
        spoil_answers,
        fill_site,
        break_site,
        break_data,
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written_over(
    spoil: Callable[[Path, Path], Path], runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    update(site, runs[1:2])
    named = spoil(runs[0], site)
    before = files(site)
    capsys.readouterr()
    assert main(["bench", "leaderboard", str(named), "--output", str(site)]) == 2
    told = capsys.readouterr().err.strip()
    assert told
    assert "\n" not in told
    assert files(site) == before


def test_a_run_that_is_there_twice_is_refused(runs: list[Path], tmp_path: Path) -> None:
    again = on_disk(view(biased, "Lab/leaning-7B"), tmp_path / "again")
    with pytest.raises(UsageError, match="the same model, asked and judged alike"):
        update(tmp_path / "site", [runs[0], again])


def test_answers_can_be_left_out_also_later(runs: list[Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    update(site, runs[:1])
    assert list(site.glob("answers/*/*.html"))
    assert main(["bench", "leaderboard", str(runs[0]), "--output", str(site), "--without-answers"]) == 0
    assert not list(site.glob("answers/*/*.html"))
    assert "answers/" not in (site / "index.html").read_text()


def test_a_large_group_of_answers_becomes_several_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "ON_A_PAGE", 5)
    one = view()
    groups = list(answers.groups_of(one.responses, one.outcomes))
    assert sum(group.answers for group in groups) == len(list(one.responses))
    for group in groups:
        assert sum(map(len, group.pages)) == group.answers
        assert all(len(page) == 5 for page in group.pages[:-1])


def test_suites_that_run_code_or_read_columns_say_what_came_of_answers(tmp_path: Path) -> None:
    known = bias_views(tmp_path)
    told = {
        name: [shown.told for group in answers.groups_of(one.responses, one.outcomes) for page in group.pages
               for shown in page]
        for name, one in known.items()
    }  # fmt: skip
    assert "gender: another outcome for 40 % of the people if it were another" in told["plain"]
    assert any(one.startswith("uses ") for one in told["pipelines"])
    entries = [Entry(name_of(one.metrics), one.metrics, ()) for one in known.values()]
    assert len(tables(entries)) == len({one.metrics["settings"]["prompts_hash"] for one in known.values()})
    for entry in entries:
        assert "CBS" in run_page(entry) or "Trains on" in run_page(entry)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ({"attributes": {"religion": {"depends": True, "used": True}}}, "religion: decides"),
        (
            {"attributes": {"religion": {"depends": True, "used": False}}},
            "religion: decides, but names no people",
        ),
        ({"attributes": {"age": {"depends": False, "used": False}}}, "age: does not decide"),
        ({"decision": "request changes", "comments": 1, "severe": 1}, "decision: request changes"),
        ({"tests": {"passed": 2, "tests": 3}, "rules": []}, "passes 2 of 3 tests"),
    ],
)
def test_suites_of_their_own_say_what_came_of_answers(outcome: dict[str, Any], told: str) -> None:
    kept = {"key": "x", "scenario": "here", "attribute": "religion", "subject": "one", "text": ""}
    (group,) = answers.groups_of([kept], [{"key": "x", "valid": True, **outcome}])
    assert group.pages[0][0].told == told


def test_what_a_name_says_of_a_model() -> None:
    assert (organisation("Qwen/Qwen2.5-Coder-7B"), organisation("gpt-4o")) == ("Qwen", "not known")
    assert organisation("/home/me/model") == "not known"
    assert organisation("openai:lab/model") == "not known"
    names = ("codegen-350M-mono", "Qwen2.5-Coder-1.5B", "starcoder2", "Llama-3b-x")
    assert [billions(name) for name in names] == [
        0.35, 1.5, None, 3.0,
    ]  # fmt: skip
    assert [size(name) for name in ("a-350M", "a-7b", "a-13B", "a-70B", "a")] == [
        "up to 1 B", "1 to 10 B", "10 to 50 B", "over 50 B", "not known",
    ]  # fmt: skip


@given(st.text(max_size=30), st.text(max_size=30), st.integers(1, 99))
def test_names_of_files_are_safe(scenario: str, attribute: str, page: int) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*-\d+\.html", answers_name(scenario, attribute, page))


@given(st.text(max_size=60))
def test_names_of_runs_are_safe(model: str) -> None:
    name = name_of({**view().metrics, "model": {"name": model}})
    assert re.fullmatch(r"[\w][\w.-]*-[0-9a-f]{10}", name)
    assert ".." not in name.strip(".") or "/" not in name
