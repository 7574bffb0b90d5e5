"""Measures how well fairlint counts the people in test cases that language models write, by group.

    python benchmarks/records.py [FILE] [--split tune|held|all] [--show] [--reveal-held]

`records/answers.jsonl` holds answers with their labels. `records/labels.jsonl` knows further ones by their
hash alone; FILE holds their texts, one as JSON with `text` a line. An answer is right where all groups of
gender and of race are counted exactly.
Exit status: 0 where the target is met, 1 where it is missed, 2 where the measurement could not be made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # a checkout that is not installed can be measured too

from fairlint.checking.case_records import count_groups, record_groups  # noqa: E402

ANSWERS = HERE / "records" / "answers.jsonl"
LABELS = HERE / "records" / "labels.jsonl"
SAMPLES_VARIABLE = "FAIRLINT_SAMPLES"
TEXTS = "small_model_and_control_code.jsonl"
ATTRIBUTES = ("gender", "race")
TARGET = 0.95


class BenchmarkError(Exception):
    """Why the measurement cannot be made, in one line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, and how many people of each group a reader counted in it."""

    source: str
    split: str
    note: str
    text: str
    counted: Mapping[str, Mapping[str, int]]

    @property
    def has_people(self) -> bool:
        """Whether the reader counted anybody."""
        return any(self.counted.values())


def read_lines(path: Path) -> Iterable[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except ValueError as error:
                        raise BenchmarkError(f"{path}:{number}: not JSON: {error}") from None
    except OSError as error:
        raise BenchmarkError(f"{path}: cannot be read: {error.strerror or error}") from None


def default_texts() -> Path:
    """The texts in the samples folder that the environment names, else in the one beside the checkout."""
    folder = os.environ.get(SAMPLES_VARIABLE)
    return (Path(folder) if folder else HERE.parent.parent / "shared" / "samples") / TEXTS


def read_answers(texts: Path) -> list[Answer]:
    """All labelled answers; those that are known by their hash only where their texts are at hand."""
    found = [_answer(row, row["text"]) for row in read_lines(ANSWERS)]
    labels = list(read_lines(LABELS))
    if not texts.exists():
        print(f"{len(labels)} answers are left out: {texts} is missing", file=sys.stderr)
        return found
    by_hash = {hashlib.sha256(row["text"].encode()).hexdigest(): row["text"] for row in read_lines(texts)}
    missing = [row["sha256"] for row in labels if row["sha256"] not in by_hash]
    if missing:
        raise BenchmarkError(f"{len(missing)} labelled answers are not in {texts}, first {missing[0]}")
    return [*found, *(_answer(row, by_hash[row["sha256"]]) for row in labels)]


def _answer(row: Mapping[str, Any], text: str) -> Answer:
    counted = {attribute: row[attribute] for attribute in ATTRIBUTES}
    return Answer(row["source"], row["split"], row.get("note", ""), text, counted)


def count(answer: Answer) -> dict[str, dict[str, int]]:
    """What fairlint counts in an answer."""
    records = record_groups(answer.text)
    return {attribute: count_groups(records, attribute) for attribute in ATTRIBUTES}


def measure(answers: Sequence[Answer], *, show: bool, reveal_held: bool) -> float:
    """Count in all answers, print how many are right, and return the share."""
    rows: dict[str, list[bool]] = {}
    for answer in answers:
        found = count(answer)
        right = found == answer.counted
        who = "with people" if answer.has_people else "with nobody"
        for row in ("all", answer.split, f"{answer.split}, {who}", f"{answer.split}, {answer.source}"):
            rows.setdefault(row, []).append(right)
        if not right and show and (answer.split != "held" or reveal_held):
            print(f"{answer.source} ({answer.split}) {answer.note}\n{answer.text.strip()[:600]}")
            print(f"  reader   {dict(answer.counted)}\n  fairlint {found}\n")
    for row in sorted(rows, key=lambda name: (name != "all", name)):
        results = rows[row]
        print(f"{row:<24}{sum(results):>4} of {len(results):<4} {sum(results) / len(results):.3f}")
    everything = rows.get("all", [])
    return sum(everything) / len(everything) if everything else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Measure how fairlint counts the people in test cases.")
    parser.add_argument(
        "file", nargs="?", type=Path, default=default_texts(), help="the texts of hashed labels"
    )
    parser.add_argument(
        "--split", choices=("tune", "held", "all"), default="all", help="which answers to use"
    )
    parser.add_argument("--show", action="store_true", help="print the wrong answers of the tune split")
    parser.add_argument("--reveal-held", action="store_true", help="print those of the held split too")
    options = parser.parse_args(arguments)
    try:
        answers = [one for one in read_answers(options.file) if options.split in ("all", one.split)]
        share = measure(answers, show=options.show or options.reveal_held, reveal_held=options.reveal_held)
    except BenchmarkError as error:
        print(f"records: {error}", file=sys.stderr)
        return 2
    print(f"counted exactly {share:.3f} (target {TARGET}): {'met' if share >= TARGET else 'missed'}")
    return 0 if share >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
