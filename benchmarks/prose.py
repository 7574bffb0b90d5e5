"""Counts the words and sentences of the pages that users read, and lists what does not read as plain English.

    python benchmarks/prose.py [PAGE ...]

Without arguments: the words of the README and of the pages for users, the median length of their sentences,
and every sentence over the limit and every banned expression, with its line. `docs/appendix/`, the rules'
pages and the pages for contributors are held to the same English but are not counted.
Exit status: 1 where something is over a limit.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parent.parent
LIMITS = ROOT / "benchmarks" / "prose.toml"
SENTENCE_END = re.compile(r"(?<=[.!?:;])[\"”)\]]*\s+(?=[\"“(\[`*]*[A-Z0-9`])")
"""A colon or a semicolon ends a sentence, too, where what follows begins like one."""
WORD = re.compile(r"[A-Za-z0-9][\w'’./=-]*")
FIELDS = re.compile(r"\A\+\+\+\n.*?^\+\+\+\n", re.MULTILINE | re.DOTALL)
CODE = "code"
"""What a piece of code in a sentence counts as: one word."""


class Sentence(NamedTuple):
    """One sentence of a page."""

    page: Path
    line: int
    """The line its block begins at, from 1."""
    text: str
    in_table: bool

    @property
    def words(self) -> int:
        """How many words it has: a piece of code is one."""
        return len(WORD.findall(self.text))


class Banned(NamedTuple):
    """An expression that a page must not use, and what to write instead."""

    pattern: re.Pattern[str]
    instead: str


def limits() -> dict[str, Any]:
    """What pages are held to."""
    return tomllib.loads(LIMITS.read_text("utf-8"))


def banned() -> list[Banned]:
    """The expressions that no page may use."""
    return [
        Banned(re.compile(rf"\b(?:{each['pattern']})\b", re.IGNORECASE), each["instead"])
        for each in limits()["banned"]
    ]


def _text(token: Token, code: str | None) -> str:
    """The prose of one inline token without addresses. A piece of code reads as `code`, or as it is."""
    parts = []
    for child in token.children or ():
        if child.type in {"text", "image"}:
            parts.append(child.content)
        elif child.type == "code_inline":
            parts.append(code or child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
    return "".join(parts)


def _blocks(page: Path, code: str | None) -> Iterator[tuple[int, bool, str]]:
    """Yields line, whether it is in a table, and prose of each paragraph, item, heading and cell.

    Blocks of code and the fields at the head of a rule's page have none.
    """
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    text = FIELDS.sub(lambda found: "\n" * found[0].count("\n"), page.read_text("utf-8"))
    cell = False
    for token in reader.parse(text):
        if token.type in {"th_open", "td_open"}:
            cell = True
        elif token.type in {"th_close", "td_close"}:
            cell = False
        elif token.type == "inline":
            yield (token.map[0] + 1 if token.map else 1), cell, _text(token, code)


def words(page: Path) -> int:
    """How many words a page has, with those of tables and of code in its lines, without blocks of code."""
    return sum(len(text.split()) for _, _, text in _blocks(page, None))


def sentences(page: Path) -> list[Sentence]:
    """The sentences of a page. A single word is none."""
    return [
        Sentence(page, line, piece.strip(), cell)
        for line, cell, text in _blocks(page, CODE)
        for piece in SENTENCE_END.split(text)
        if len(WORD.findall(piece)) > 1
    ]


def pages_for_users() -> list[Path]:
    """The pages that are counted, without the README."""
    kept = limits()
    apart = {ROOT / each for each in kept["contributors"]}
    return [page for page in sorted((ROOT / "docs").glob("*.md")) if page not in apart]


def pages_held() -> list[Path]:
    """All pages whose English is held."""
    kept = limits()
    return [
        ROOT / "README.md",
        *pages_for_users(),
        *(ROOT / each for each in kept["contributors"]),
        *sorted((ROOT / "docs" / "appendix").glob("*.md")),
        *sorted((ROOT / "rules").glob("*.md")),
    ]


def faults(pages: list[Path]) -> Iterator[str]:
    """Yields a line for each sentence that is too long and each expression that is banned."""
    most = limits()["sentence"]
    expressions = banned()
    for page in pages:
        place = page.relative_to(ROOT)
        for sentence in sentences(page):
            if sentence.words > most:
                yield f"{place}:{sentence.line}: {sentence.words} words: {sentence.text[:80]}"
            for each in expressions:
                if found := each.pattern.search(sentence.text):
                    yield f"{place}:{sentence.line}: '{found[0]}': {each.instead}: {sentence.text[:80]}"


def median(pages: list[Path]) -> float:
    """The median length, in words, of sentences outside tables. Two words are no sentence."""
    return statistics.median(
        [each.words for page in pages for each in sentences(page) if not each.in_table and each.words > 2]
        or [0]
    )


def main() -> int:
    """Prints the counts and the faults."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path)
    arguments = parser.parse_args()
    kept = limits()
    given = [page.resolve() for page in arguments.pages]
    wrong = list(faults(given or pages_held()))
    print(*wrong, sep="\n")
    counted = given or pages_for_users()
    for page in counted:
        print(f"{words(page):6} words, median {median([page]):4}: {page.relative_to(ROOT)}")
    total = sum(map(words, counted))
    readme = words(ROOT / "README.md")
    print(f"{total:6} words in all (limit {kept['docs']}), median {median(counted)}; README {readme}")
    over = total > kept["docs"] or readme > kept["readme"] or median(counted) > kept["median"]
    return int(bool(wrong or (over and not given)))


if __name__ == "__main__":
    sys.exit(main())
