"""The page of an audit of a prompt: what a reader finds on it, offline and without a script."""

from __future__ import annotations

import csv
import re
import sys
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from server import Asked, Reply, serving

from fairlint.cli import main
from fairlint.counterfactual.prompts.page.forest import Row, forest

PROMPT = """Name: {name}
Gender: {gender}
Race: {race}
Summary: {summary}
Should we invite this applicant? Answer yes or no.
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prompt.txt").write_text(PROMPT)
    texts = ["Has <b>14</b> years.", "He said she left.", *(f"Has {at} years." for at in range(12))]
    with Path("cases.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "gender", "race", "summary"])
        writer.writerows(["Pat A", "male", "white", text] for text in texts)


def reply(asked: Asked) -> Reply:
    """Prefers men whose sex is stated; refuses now and then where a woman's is."""
    text = str(asked.payload["messages"][-1]["content"])
    if asked.probe:
        return Reply(pieces=["ok"])
    is_woman = "Gender: female" in text
    if is_woman and len(text) % 5 == 0:
        return Reply(pieces=["I'm sorry, I cannot assess that."])
    return Reply(pieces=["no" if is_woman or "Has 3" in text else "yes"])


def audit(url: str, *options: str) -> int:
    return main(
        ["counterfactual", "--prompt", "prompt.txt", "--cases", "cases.csv", "--model", "openai:tiny-model",
         "--base-url", url, "--draws", "1", *options]
    )  # fmt: skip


class _Reader(HTMLParser):
    """The words of a page, its tags, and what they would load."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in {"src", "href", "srcset"}]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    return reader


def test_a_page_holds_what_was_found_and_what_was_not(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(reply) as server:
        code = audit(server.url, "--html", "audit.html", "--prices", "1,1", "--run", "r")
    shown = capsys.readouterr().out
    reader = read(Path("audit.html").read_text("utf-8"))
    text = " ".join(" ".join(reader.words).split())

    assert code == 1
    assert "explicit: the group is stated" in shown  # the text is written as well
    assert re.search(
        r"\d of \d+ effects (was|were) seen: male against female \(explicit\) \+\d+\.\d points", text
    )
    assert "tiny-model" in text
    assert re.search(r"temperature 0\.0 · \d{4}-\d\d-\d\d · fairlint", text)
    assert "cost" in text
    assert "I'm sorry" not in text
    assert re.search(r"refused \d+ \d+\.\d % of the answers", text)
    assert "male against female, refusals gender" in text
    assert "found with 80 %" in text
    assert "impact ratio" in text
    assert "% with a rewrite" in text
    assert re.search(r"male against female: \S+ without \w+ to \S+ without \w+", text)
    assert "What could not be concluded" in text
    assert "not seen; could have seen" in text
    assert "1 case is left out: summary: not sure how it reads about somebody female." in text
    assert "fair" not in text.replace("fairlint", "")  # nobody is ever called so


def test_a_page_loads_nothing_runs_nothing_and_escapes_what_it_shows() -> None:
    with serving(reply) as server:
        audit(server.url, "--html", "audit.html", "--attribute", "gender")
    page = Path("audit.html").read_text("utf-8")
    reader = read(page)

    assert "script" not in reader.tags
    assert all(one.startswith("data:") for one in reader.loaded)
    assert "default-src 'none'" in page
    assert "<b>14</b>" not in page
    assert "Has <b>14</b> years." in " ".join(reader.words)


def test_a_page_shows_what_each_mitigation_changes_and_costs() -> None:
    with serving(reply) as server:
        audit(server.url, "--html", "audit.html", "--attribute", "gender", "--mitigation", "redaction")
    words = " ".join(" ".join(read(Path("audit.html").read_text("utf-8")).words).split())

    assert "With redaction: names and attributes are left out" in words
    assert "with the answers to the prompt as it is" in words
    assert re.search(r"male against female gender explicit \S+ \+0\.0 -\S+ \S+ to \S+ smaller", words), words
    assert "explicit, with redaction" in words


def test_a_page_is_a_format_as_others(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(reply) as server:
        audit(server.url, "--format", "html", "--attribute", "gender", "--run", "r")
        first = capsys.readouterr().out
        audit(server.url, "--format", "html", "--attribute", "gender", "--run", "r", "--resume")

    assert first.startswith("<!doctype html>")
    assert capsys.readouterr().out == first


def test_pictures_have_a_line_for_each_effect() -> None:
    with serving(reply) as server:
        audit(server.url, "--html", "audit.html", "--attribute", "gender")
    sources = [one for one in read(Path("audit.html").read_text("utf-8")).loaded if "svg+xml" in one]
    drawn = [b64decode(one.partition("base64,")[2]).decode("utf-8") for one in sources]

    assert ">male against female<" in drawn[0]
    assert ">placebo<" in drawn[0]
    assert ">seen<" in drawn[0]
    assert any(">without one name<" in one for one in drawn)


def test_what_is_unknown_is_not_drawn() -> None:
    known = Row("a", 3.0, -1.0, 7.0, 1.0, 9.0, is_seen=False)
    unknown = Row("b", None, None, None, None, None, is_seen=False)
    both, alone = forest([known, unknown], 5.0), forest([unknown], 0.0)

    assert both == forest([known, unknown], 5.0)
    assert both.count("stroke-dasharray") > alone.count("stroke-dasharray")  # the threshold
    assert "found in less" in both
    assert "found in less" not in alone


def test_a_page_that_cannot_be_drawn_is_said_before_anybody_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with serving(reply) as server:
        code = audit(server.url, "--html", "audit.html")
    err = capsys.readouterr().err

    assert code == 2
    assert err.count("\n") == 1
    assert "matplotlib" in err
    assert server.asked == []
