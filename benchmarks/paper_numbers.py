"""Checks a draft of `fairlint bench paper` against the figures of its runs.

    python benchmarks/paper_numbers.py paper/paper.html RUN...

The runs stand in the order in which the command took them. Each number has to be that of `metrics.json` where
it says that it stands, as exact as it is written. No number may stand without a place. Neither a sentence
of results nor a row without a dagger may rest on fewer valid answers than the draft asks for. Nothing of the
program that writes drafts is used.
Exit status: 0 where all of that holds, else 1, with a line for each fault.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

DIGITS = re.compile(r"\d")
PLAIN = ("95 %",)
"""What may be said without a place: the level of all bounds."""
HALF = 0.5
"""The share of valid answers below which nothing may be concluded."""


class Block:
    """A paragraph, a cell or another element of text, with its numbers."""

    def __init__(self, kind: str, section: str) -> None:
        self.kind, self.section = kind, section
        self.outside = ""
        self.numbers: list[dict[str, str]] = []


class Reader(HTMLParser):
    """Takes a draft apart."""

    KINDS = frozenset({"h1", "h2", "p", "tr", "caption", "figcaption"})

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []
        self.section = ""
        self.block: Block | None = None
        self.number: dict[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block or a number."""
        if tag in self.KINDS:
            self.block = Block(tag, self.section)
            self.blocks.append(self.block)
        elif tag == "data":
            self.number = {**{name: value or "" for name, value in attrs}, "shown": ""}

    def handle_endtag(self, tag: str) -> None:
        """End one."""
        if tag == "data" and self.number is not None and self.block is not None:
            self.block.numbers.append(self.number)
            self.number = None
        elif self.block is not None and tag == self.block.kind:
            if tag == "h2":
                self.section = self.block.outside.strip()
            self.block = None

    def handle_data(self, data: str) -> None:
        """Take text up."""
        if self.number is not None:
            self.number["shown"] += data
        elif self.block is not None:
            self.block.outside += data


def faults(page: str, runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with a draft about runs, which are the contents of their `metrics.json`."""
    reader = Reader()
    reader.feed(page)
    least = next(
        (int(one["value"]) for block in reader.blocks for one in block.numbers if not one["data-run"]), 0
    )
    if not least:
        yield "the draft does not say how many valid answers it asks for"
    names = sorted({name for run in runs for name in _names(run)}, key=len, reverse=True)
    for block in reader.blocks:
        outside = block.outside
        for name in (*names, *PLAIN):
            outside = outside.replace(name, "")
        if DIGITS.search(outside):
            yield f"a number without a place: {block.outside.strip()}"
        for one in block.numbers:
            yield from _number_faults(one, runs)
        if least and block.section.startswith("Results") and "†" not in block.outside:
            yield from _support_faults(block, runs, least)


def _names(run: Mapping[str, Any]) -> Iterator[str]:
    """Yield what may hold digits and is no figure."""
    digest, mark, revision = str(run["model"]["revision"]).rpartition(":")
    yield from (str(run["model"]["name"]), f"{digest}{mark}{revision[:12]}", str(run["fairlint"]))
    yield from (str(run["suite"][name]).rstrip(".") for name in ("name", "title", "source"))
    yield str(run["definitions"].get("protocol", ""))


def _number_faults(one: Mapping[str, str], runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not one["data-run"]:
        if one["shown"] != one["value"]:
            yield f"{one['shown']} is said, and it is {one['value']}"
        return
    value = _value_at(runs[int(one["data-run"])], one["data-path"])
    where = f"run {one['data-run']}, {one['data-path']}"
    if value is None:
        if one["shown"] != "–":
            yield f"{where}: {one['shown']} is said, and there is no figure"
    elif not _is_written_right(one["shown"], float(value), one["data-kind"]):
        yield f"{where}: {one['shown']} is said, and it is {value}"


def _value_at(run: Any, path: str) -> Any:
    for part in path.split("/")[1:]:
        if run is None:
            return None
        run = run[int(part)] if isinstance(run, list) else run.get(part)
    return run


def _is_written_right(shown: str, value: float, kind: str) -> bool:
    text = shown.replace("\u202f", "").replace(" ", "").replace("−", "-")
    if kind == "share":
        if not text.endswith("%"):
            return False
        text, value = text.removesuffix("%"), value * 100
    sign = text[0] if text[:1] in {"<", ">"} else ""
    number = float(text.removeprefix(sign) if sign else text)
    if sign:
        return value < number if sign == "<" else value > number
    if kind == "count":
        return value == number
    digits = len(text.partition(".")[2])
    return bool(abs(value - number) <= 0.5 * 10**-digits + 1e-9)


def _support_faults(block: Block, runs: Sequence[Mapping[str, Any]], least: int) -> Iterator[str]:
    """Yield what a sentence or a row of results has too few valid answers for."""
    for one in block.numbers:
        run = runs[int(one["data-run"])]
        answers = run["answers"]
        rows = [(answers.get("valid"), answers["given"], answers.get("not_judged", 0))]
        found = re.match(r"/(scores|usage)/\d+", one["data-path"])
        if found and block.kind == "tr":
            row = _value_at(run, found[0])
            rows.append((row["valid"], row["answers"], row.get("not_judged", 0)))
        whole = (run.get("bias") or {}).get("overall") or {}
        if one["data-path"].startswith("/bias/overall") and "valid" in whole:
            rows.append((whole["valid"], whole["answers"], whole.get("not_judged", 0)))
        counts = [round((valid or 0) * (given - lost)) for valid, given, lost in rows]
        if leaning := re.match(r"/scores/\d+/leaning", one["data-path"]):
            counts.append(_value_at(run, leaning[0])["answers"])
        short = any(count < HALF * total for count, (_, total, _) in zip(counts, rows, strict=False))
        if one["data-path"].startswith("/overall"):
            columns = run["scores"]
            supported = [
                count >= max(least, HALF * column["answers"])
                for column in columns
                for count in [_valid_count(column, column["answers"])]
            ]
            short = short or 2 * sum(supported) <= len(columns)
        if min(counts) < least or short:
            said = block.outside.strip()[:80]
            yield f"too few valid answers ({min(counts)}) for {one['data-path']}: {said}"
            return


def _valid_count(row: Mapping[str, Any], answers: int) -> int:
    return round((row.get("valid") or 0) * (answers - (row.get("not_judged") or 0)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a draft and print what is wrong."""
    page, *folders = sys.argv[1:] if arguments is None else arguments
    runs = [json.loads((Path(one) / "metrics.json").read_text("utf-8")) for one in folders]
    found = list(faults(Path(page).read_text("utf-8"), runs))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
