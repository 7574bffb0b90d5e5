"""Draws findings and uses of a corpus for a reader, and joins what the reader says with what fairlint says.

A reader gets a place, a question and the code around it, and neither message nor severity: the label comes
first. `corpus_study.py` says how this is called.
"""

from __future__ import annotations

import csv
import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.fleet.checkouts import Unchanged, make_checkout
from fairlint.fleet.entries import parse_entry
from fairlint.fleet.limits import Limits
from fairlint.statistics.clusters import share_by_prompt

Row = Mapping[str, Any]

KEY = ("package", "version", "file", "cell", "line", "column", "rule", "attribute")
"""What a finding is known by in a sample and in labels."""
SAMPLE = ("number", *KEY[:5], "end_line", *KEY[5:], "question")
LABELS = (*KEY, "label", "reason")
CORRECT, WRONG, UNCLEAR = WORDS = ("correct", "wrong", "unclear")
AROUND = 15
"""Lines of code before and after a place."""
OF_ONE_PACKAGE = 5
"""Findings that one package may have in a sample: some have a hundred of one kind."""

USE = "use"
"""What stands for the rule, and for the severity, of a use that is no finding."""
CLAIMS = f"""
    SELECT repository, path, cell, line, "column", end_line, rule, name, attribute, severity, context
    FROM latest_findings
    UNION ALL
    SELECT repository, path, cell, line, "column", line, '{USE}', kind || ', ' || effect, attribute, '{USE}',
           context
    FROM latest_uses u
    WHERE kind <> 'read' AND effect IN ('decide', 'score', 'learn', 'assume') AND NOT EXISTS (
        SELECT 1 FROM latest_findings f
        WHERE f.repository = u.repository AND f.path = u.path AND f.line = u.line
          AND f.cell IS NOT DISTINCT FROM u.cell AND f.attribute = u.attribute)
"""
"""All findings, and what else is said to decide about people."""


class Precision(NamedTuple):
    """How many findings are correct, wrong and unclear, and between what the share of correct ones lies.

    The share leaves unclear ones out. Without others there are no bounds.
    """

    correct: int
    wrong: int
    unclear: int
    low: float | None
    high: float | None

    @property
    def share(self) -> float | None:
        """Correct ones of those that are correct or wrong."""
        return self.correct / (self.correct + self.wrong) if self.correct + self.wrong else None


def key_of(row: Row) -> dict[str, str]:
    """Return what a row of the store is known by, as text."""
    name, _, version = str(row["repository"]).removeprefix("pypi:").partition("==")
    values = (
        name,
        version,
        row["path"],
        row["cell"],
        row["line"],
        row["column"],
        row["rule"],
        row["attribute"],
    )
    return {word: "" if value is None else str(value) for word, value in zip(KEY, values, strict=True)}


def draw_claims(rows: Iterable[Row], count: int, seed: int) -> list[Row]:
    """Return findings at random and, where there are too few, uses that are none."""
    known = list(rows)
    findings = draw_rows([row for row in known if row["rule"] != USE], count, seed)
    uses = [row for row in known if row["rule"] == USE]
    return findings + draw_rows(uses, count - len(findings), seed)


def draw_rows(rows: Iterable[Row], count: int, seed: int, most: int = OF_ONE_PACKAGE) -> list[Row]:
    """Return rows at random, in the order drawn; one that would be more than `most` of its package is
    passed over.
    """
    by_key = {tuple(key_of(row).values()): row for row in rows}
    order = sorted(by_key)
    random.Random(seed).shuffle(order)
    packages = Counter[str]()
    drawn: list[Row] = []
    for key in order:
        if len(drawn) < count and packages[key[0]] < most:
            packages[key[0]] += 1
            drawn.append(by_key[key])
    return drawn


def sample_row(number: int, row: Row) -> dict[str, str]:
    """Return what a reader is given of a finding: where it is, and what the rule is about."""
    question = f"Does the code treat people by {row['attribute']} as {row['rule']} ({row['name']}) says?"
    more = {"number": str(number), "end_line": str(row["end_line"] or row["line"]), "question": question}
    return {word: {**key_of(row), **more}[word] for word in SAMPLE}


def code_around(text: str, first: int, last: int, around: int = AROUND) -> Iterator[str]:
    """Yield the lines of a place with their numbers and some around them; `>` marks the place."""
    lines = text.splitlines()
    for number in range(max(first - around, 1), min(last + around, len(lines)) + 1):
        mark = ">" if first <= number <= last else " "
        yield f"{mark}{number:6} {lines[number - 1][:200]}"


def write_sample(drawn: Sequence[Row], folder: Path) -> None:
    """Write `sample.csv`, and of each place a file with its code, for which the package is fetched again."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [sample_row(number, row) for number, row in enumerate(drawn, 1)]
    write_csv(folder / "sample.csv", SAMPLE, rows)
    by_package = defaultdict(list)
    for asked, row in zip(rows, drawn, strict=True):
        by_package[row["repository"]].append(asked)
    for package, places in sorted(by_package.items()):
        with tempfile.TemporaryDirectory(prefix="fairlint-corpus-") as work:
            made = make_checkout(parse_entry(package), "", Path(work), Limits())
            assert not isinstance(made, Unchanged)
            for place in places:
                text = text_of(made.folder / place["file"], place["cell"])
                head = (
                    f"{package} {place['file']}:{place['line']}-{place['end_line']}\n{place['question']}\n\n"
                )
                code = "\n".join(code_around(text, int(place["line"]), int(place["end_line"])))
                (folder / f"{int(place['number']):03}.txt").write_text(head + code + "\n", encoding="utf-8")


def text_of(path: Path, cell: str) -> str:
    """Return the text of a file, or of a cell of a notebook, counted from 1."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return "".join(json.loads(text)["cells"][int(cell) - 1]["source"]) if cell else text


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write rows as a table with a head."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_labels(path: Path) -> list[dict[str, str]]:
    """Return labels; ValueError names the line of one with another word or without a reason."""
    with path.open(encoding="utf-8", newline="") as file:
        labels = list(csv.DictReader(file))
    for number, label in enumerate(labels, 2):
        if label["label"] not in WORDS or not label["reason"]:
            raise ValueError(f"{path}:{number}: needs a label ({', '.join(WORDS)}) and a reason")
    return labels


def join_labels(labels: Iterable[Row], rows: Iterable[Row]) -> tuple[list[dict[str, Any]], list[Row]]:
    """Return labels with what the store knows of their findings, and those whose finding is gone."""
    by_key = {tuple(key_of(row).values()): row for row in rows}
    joined, gone = [], []
    for label in labels:
        found = by_key.get(tuple(label[word] for word in KEY))
        if found is None:
            gone.append(label)
        else:
            joined.append({**found, **label})
    return joined, gone


def precision_of(labels: Iterable[Row]) -> Precision:
    """Return the precision of labelled findings, with 95 % bounds (Wilson), clustered by package."""
    known = [(label["package"], label["label"]) for label in labels]
    counts = Counter(word for _, word in known)
    share = share_by_prompt((package, word == CORRECT) for package, word in known if word != UNCLEAR)
    low, high = (share.low, share.high) if share else (None, None)
    return Precision(counts[CORRECT], counts[WRONG], counts[UNCLEAR], low, high)


def precision_by(labels: Sequence[Row], name: Callable[[Row], str]) -> dict[str, Precision]:
    """Return the precision of all, and of each value of what `name` says of a label, the most first."""
    groups = defaultdict(list)
    for label in labels:
        groups[name(label)].append(label)
    order = sorted(groups, key=lambda value: (-len(groups[value]), value))
    return {"all": precision_of(labels), **{value: precision_of(groups[value]) for value in order}}
