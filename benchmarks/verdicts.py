"""Measures the bench's judge on the answers of docs/bench-example/, which readers have labelled.

    python benchmarks/verdicts.py [--show] [--split first|held|all]
    python benchmarks/verdicts.py --labels function|btm > labels.csv     # for fairlint bench agreement

The readers knew neither fairlint nor what it says. They said of each answer whether a whole function is in it
(`valid`), and of what is read and what a returned value depends on (`used`); of the function task also what
each group gets. `first` was looked at to mend the judge, `held` only to measure it. Presence tests
(`if record.get("race")`) count as read; the readers of `first` were not told so and counted some as used.

Exit status: 0 where at least 95 of 100 verdicts on `valid` and `used` are the readers', else 1.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.bench.agreement.items import items_of
from fairlint.bench.agreement.labels import COLUMNS
from fairlint.bench.suites import suite_of
from fairlint.run_folders.jsonl import KEY

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "docs" / "bench-example"
SUITES = {"function": "faircode:function", "btm": "btm"}
TARGET = 0.95

Verdicts = list[tuple[str, str, bool, bool]]
"""What is asked, of which answer, the reader's word, the judge's."""


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def verdicts(name: str, split: str) -> Verdicts:
    """The readers' words on one suite's answers beside the judge's; of valid answers only, save `valid`."""
    suite = suite_of(SUITES[name])
    answers = {kept[KEY]: kept for kept in lines(EXAMPLE / name / "responses.jsonl")}
    found: Verdicts = []
    for label in lines(HERE / "verdicts" / f"{name}.jsonl"):
        if split in {"all", label["split"]}:
            judged = suite.judge(answers[label[KEY]])
            found.append(("valid", label[KEY], label["valid"], judged["valid"]))
            if label["valid"] and judged["valid"]:
                found += _of_function(label, judged) if name == "function" else _of_attributes(label, judged)
    return found


def _of_function(label: Mapping[str, Any], judged: Mapping[str, Any]) -> Verdicts:
    (outcome,) = judged["outcomes"]
    found = [("used", label[KEY], label["used"], outcome["used"])]
    if label["points"] is not None and outcome["used"]:
        same = all(
            abs(outcome["points"].get(group, 0) - given) < 1e-6 for group, given in label["points"].items()
        )
        found.append(("points", label[KEY], True, same))
    return found


def _of_attributes(label: Mapping[str, Any], judged: Mapping[str, Any]) -> Verdicts:
    return [
        (word, f"{label[KEY].rpartition('/')[2]} {name}", name in label[word], told[word])
        for word in ("read", "used")
        for name, told in judged["attributes"].items()
    ]


def label_rows(name: str) -> Iterator[dict[str, str]]:
    """The readers' words on what is used, as `fairlint bench agreement --labels` takes them."""
    known = {label[KEY]: label for label in lines(HERE / "verdicts" / f"{name}.jsonl") if label["valid"]}
    for item in items_of([EXAMPLE / name]).items:
        if item.answer in known:
            used = known[item.answer]["used"]
            said = used if name == "function" else item.attribute in used
            yield {"answer": item.answer, "attribute": item.attribute, "label": "yes" if said else "no"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table for each suite."""
    parser = argparse.ArgumentParser(description="Measure the bench's judge on labelled answers.")
    parser.add_argument("--split", choices=("first", "held", "all"), default="all")
    parser.add_argument("--show", action="store_true", help="where readers and judge disagree")
    parser.add_argument(
        "--labels", choices=tuple(SUITES), help="write the labels of a suite's answers as CSV"
    )
    options = parser.parse_args(arguments)
    if options.labels:
        sheet = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        sheet.writeheader()
        sheet.writerows(label_rows(options.labels))
        return 0
    met = True
    for name in SUITES:
        said = verdicts(name, options.split)
        for asked in dict.fromkeys(one[0] for one in said):
            counts = Counter((reader, judge) for what, _, reader, judge in said if what == asked)
            total, right = sum(counts.values()), counts[True, True] + counts[False, False]
            print(
                f"{name:10}{asked:8}{right:5} of {total:<5}{right / total:7.3f}"
                f"   missed {counts[True, False]}, false {counts[False, True]}"
            )
            met = met and (asked not in {"valid", "used"} or right >= TARGET * total)
        if options.show:
            for what, key, reader, judge in said:
                if reader != judge:
                    print(f"    {what}: {key}: reader {reader}, judge {judge}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
