"""A language is one record: under another name it finds the same, and a new one needs no more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from fairlint import check_paths, check_source, read_response
from fairlint.checking.explain import explain
from fairlint.config import Settings
from fairlint.findings.report import Report
from fairlint.plugins import manager
from fairlint.sources import answers
from fairlint.support.records import replace
from fairlint.syntax import SHIPPED
from fairlint.syntax.conventions import Conventions
from fairlint.syntax.language import Language
from fairlint.syntax.signs import Signs
from fairlint.syntax.tokens import Tokens
from fairlint.syntax.tree import (
    Assign,
    Binary,
    Compare,
    Field,
    Function,
    Gap,
    If,
    Literal,
    Name,
    Node,
    Parameter,
    Return,
    Span,
    Tree,
)

ROOT = Path(__file__).parent.parent
PYTHON, C, *_ = SHIPPED
TWINS = {
    "python": replace(PYTHON, name="snake", title="Snake", suffixes=(".snake",), kernels=("snake",)),
    "c": replace(C, name="sea", title="Sea", suffixes=(".sea", ".seah")),
}
"""The shipped languages under other names."""


def fairlint_languages() -> Iterable[Language]:
    """The hook: this module is a plugin, too."""
    return (*TWINS.values(), LEDGER)


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Put the entry point of this module on the path, as an installer would."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "tongues-1.0.dist-info").mkdir()
    (folder / "tongues-1.0.dist-info" / "METADATA").write_text("Name: tongues\nVersion: 1.0\n")
    (folder / "tongues-1.0.dist-info" / "entry_points.txt").write_text(f"[fairlint]\ntongues = {__name__}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        manager._plugin_manager.cache_clear()
        yield
    manager._plugin_manager.cache_clear()


# The same under another name -------------------------------------------------------------------------------


def examples() -> Iterator[tuple[str, str]]:
    """Every example of a rule page and every program in `fixtures/`, with its language."""
    for page in sorted((ROOT / "rules").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        yield from re.findall(r"^```(python|c)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for name, language in (("python", PYTHON), ("c", C)):
        for path in sorted((ROOT / "fixtures" / name).iterdir()):
            if path.suffix in language.suffixes:
                yield name, path.read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("name", TWINS)
def test_another_name_changes_nothing(name: str) -> None:
    codes = [code for language, code in examples() if language == name]
    told = 0
    for code in codes:
        usual, twin = (check_source(code, path="code", language=one) for one in (name, TWINS[name].name))
        assert said(twin) == said(usual), code
        told += len(usual.findings)
    assert len(codes) > 100
    assert told > 50


def said(report: Report) -> object:
    """All that a report says but for fixes, which are made in the code of some languages alone."""
    findings = [replace(finding, remedies=()) for finding in report.findings]
    return findings, report.uses, report.not_analysed


def test_files_of_a_project_follow_each_other_under_another_name(tmp_path: Path) -> None:
    bonus = 'BONUS = {"male": 5, "female": 0}\n'
    rate = "from tables import BONUS\n\ndef rate(person):\n    return person.score + BONUS[person.gender]\n"
    for suffix in (".py", ".snake"):
        folder = tmp_path / suffix
        folder.mkdir()
        (folder / f"tables{suffix}").write_text(bonus)
        (folder / f"rate{suffix}").write_text(rate)
    usual, twin = (
        check_paths([tmp_path / suffix], Settings(root=tmp_path / suffix)) for suffix in (".py", ".snake")
    )
    assert [(one.rule, one.points) for one in usual.findings] == [
        (one.rule, one.points) for one in twin.findings
    ]
    assert usual.findings[0].points is not None


def test_a_notebook_and_an_answer_name_their_language() -> None:
    code = 'def rate(person):\n    if person.gender == "male":\n        return 5\n    return 0\n'
    cell = {"cell_type": "code", "metadata": {}, "source": "%matplotlib inline\n" + code}
    notebook = {"nbformat": 4, "metadata": {"kernelspec": {"language": "snake"}}, "cells": [cell]}
    report = check_source(json.dumps(notebook), path="rate.ipynb")
    assert [(one.rule, one.start.line) for one in report.findings] == [("FL201", 3)]
    report = check_source(read_response(f"Here it is:\n```snake\n{code}```\n"))
    assert [one.rule for one in report.findings] == ["FL201"]


def test_a_language_that_is_brought_takes_the_place_of_one_that_is_not_read() -> None:
    script = replace(TWINS["c"], name="script", title="JavaScript")
    answer = "```javascript\nfunction rate(person) { return 3; }\n```\n"
    assert answers.read_response(answer, languages=(*SHIPPED, script)).language == "script"
    assert answers.read_response(answer, languages=SHIPPED).language is None


# A language without a grammar ------------------------------------------------------------------------------

_EXPRESSION = re.compile(r"'(?P<text>[^']*)'|(?P<number>\d+)|(?P<name>\w+(?:\.\w+)*)|(?P<sign>[-+*=])")
_STATEMENT = re.compile(r"\s*(?:(?P<word>rule|when|give|end)\b|(?P<target>[\w.]+)\s*(?P<op>[-+]?):)\s*")


class Reading:
    """Reads Ledger, a language that does not exist.

        note who gets the flat
        rule rate person
          points: 10
          when person.gender = 'male'
            points +: 5
          end
          give points
        end

    A note is a comment, `:` assigns, and every `rule` and `when` has its `end`.
    """

    def __init__(self, data: bytes, keep: Callable[[int, int, str], bool] | None) -> None:
        self.lines: list[tuple[int, str]] = []
        self.gaps: list[Gap] = []
        self.keep = keep
        self.end = 0
        """Where the last statement ends."""
        at = 0
        for line in data.decode("latin-1").splitlines(keepends=True):  # one letter a byte
            if line.strip() and not line.lstrip().startswith("note "):
                self.lines.append((at, line.rstrip()))
            at += len(line)

    def body(self) -> tuple[Node, ...]:
        """The statements up to the next `end`."""
        found: list[Node] = []
        while self.lines:
            start, line = self.lines.pop(0)
            self.end = start + len(line)
            said = _STATEMENT.match(line)
            if said is None:
                self.gaps.append(Gap(Span(start, start + len(line)), "no statement"))
            elif said["word"] == "end":
                break
            else:
                found += self.statement(said, start, line)
        return tuple(found)

    def statement(self, said: re.Match[str], start: int, line: str) -> Iterator[Node]:
        first, rest = start + len(line) - len(line.lstrip()), said.end()
        span = Span(first, start + len(line))
        match said["word"]:
            case "rule":
                name, *parameters = line[rest:].split()
                body = self.body()
                if self.keep is None or self.keep(first, self.end, name):
                    given = tuple(Parameter(span, one) for one in parameters)
                    yield Function(Span(first, self.end), name, span, given, body)
            case "when":
                test, then = self.expression(line, rest, start), self.body()
                yield If(Span(first, self.end), test, then, ())
            case "give":
                yield Return(span, self.expression(line, rest, start))
            case _:
                target = self.expression(said["target"], 0, start + said.start("target"))
                yield Assign(span, (target,), self.expression(line, rest, start), said["op"] or None)

    def expression(self, line: str, at: int, start: int) -> Node:
        """A value, and what is done with further ones, from the left."""
        found: Node | None = None
        sign = ""
        for token in _EXPRESSION.finditer(line, at):
            span = Span(start + token.start(), start + token.end())
            if token["sign"]:
                sign = token["sign"]
                continue
            value = self.value(token, span)
            whole = Span(found.span.start, span.end) if found is not None else span
            if found is None:
                found = value
            elif sign == "=":
                found = Compare(whole, "==", found, value)
            else:
                found = Binary(whole, sign, found, value)
        assert found is not None
        return found

    def value(self, token: re.Match[str], span: Span) -> Node:
        if token["name"] is None:
            return Literal(span, int(token["number"]) if token["number"] else token["text"])
        first, *fields = token["name"].split(".")
        at = span.start + len(first)
        found: Node = Name(Span(span.start, at), first)
        for field in fields:
            found = Field(
                Span(span.start, at + 1 + len(field)), found, field, Span(at + 1, at + 1 + len(field))
            )
            at = found.span.end
        return found


def parse_ledger(data: bytes, keep: Callable[[int, int, str], bool] | None = None) -> Tree:
    reading = Reading(data, keep)
    return Tree(reading.body(), tuple(reading.gaps))


LEDGER = Language(
    "ledger",
    (".ledger",),
    parse_ledger,
    tokens=Tokens(line_comments=(b"note ",), quotes=(b"'",), keywords=frozenset({"rule", "when", "give"})),
    conventions=Conventions(has_defaults=False),
    signs=lambda: Signs(patterns=((r"^rule \w+", 4), (r"^\s*(?:when|give) ", 2))),
)

FLATS = """\
note who gets the flat, male or female
rule rate person
  points: 10
  when person.gender = 'male'
    points +: 5
  end
  give points
end

rule admit applicant
  when applicant.religion = 'muslim'
    give 'reject'
  end
  give 'admit'
end

rule reset customer
  customer.sex: 'male'
end

?!
"""


def test_a_new_language_is_one_record(tmp_path: Path) -> None:
    (tmp_path / "flats.ledger").write_text(FLATS)
    report = check_paths([tmp_path], Settings(root=tmp_path, min_severity="note"))
    assert [(one.rule, one.start.line, one.use.attribute) for one in report.findings] == [
        ("FL201", 4, "gender"),
        ("FL101", 11, "religion"),
        ("FL403", 18, "gender"),
    ]
    points = report.findings[0].points
    assert points is not None
    assert points.by_group == {"male": 5, "female": 0}
    assert [(one.line, one.reason) for one in report.not_analysed] == [(21, "no statement")]


def test_a_line_of_a_new_language_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "flats.ledger"
    path.write_text(FLATS)
    told = [explain(str(path), line, settings=Settings(root=tmp_path)) for line in (1, 4)]
    assert [one.reason.code for one in told[0].unused] == ["comment"]
    assert [one.verdict.rule.code for one in told[1].accounts if one.verdict] == ["FL201"]


def test_a_new_language_is_read_in_an_answer() -> None:
    report = check_source(read_response(f"This is how:\n```\n{FLATS}```\n"))
    assert [one.rule for one in report.findings][:2] == ["FL201", "FL101"]
