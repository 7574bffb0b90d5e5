"""FairCode's published figures beside those of answers that are at hand, column by column.

    python benchmarks/published_tables.py NAME=FILE... [--draws 2000]

NAME is a model as the paper's tables call it (Llama3, GPT-4o, ...), FILE its answers as FairCode's authors
keep them: JSON lines with `job`, `major` or `treatment`, and `code`. Such files of five models, 100 answers
each, are in the public repository YongkDu/FairCoder (`utility_test_result/`); they have no licence and are
not part of this one. The answers are replayed through `fairlint bench --protocol published`.

A record does not say which attribute was asked about. Where the answer repeats the head of the function, its
docstring does; else the lists do, if the subject is in those of one attribute alone; else the answer is left
out and counted. R is that of the run. E and FairScore hang on the number of answers a subject has, and these
answers have one: so they are those of blocks of ten answers, drawn from a column's with replacement, as the
published program takes ten consecutive rows. Intervals: Wilson's for R, for E and FairScore a bootstrap over
answers, none where that knows of one value alone.

What the paper prints as refusal rate (table 6) and as entropy (table 7) is set beside either figure: see
docs/appendix/bench-published.md. Where records hold what pytest said of the published tests
(`evaluation_output`),
their pass@1 is told beside that of fairlint's tests, which run in a sandbox. Prints tables in Markdown. Exit
status: 0, or 2 for what cannot be read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.bench.figures.metrics import score_subject, total_points
from fairlint.bench.judging import utility
from fairlint.bench.judging.usage import share_interval
from fairlint.bench.suites.faircode_function import SUITE
from fairlint.bench.suites.function_task import FunctionSuite
from fairlint.run_folders.jsonl import raw_lines

FIGURES = Path(__file__).with_suffix(".toml")
BLOCK = 10
"""Answers of a subject in the published runs."""
LEAST = 5
"""Answers below which a column is left out."""
RESAMPLES = 200
NEAR = 0.005
"""Figures are published with two digits."""

PAIRS = (
    ("Table 6, printed as refusal rate, beside the refusal rate", "refusal_rate", "refusal_rate"),
    ("Table 7, printed as entropy, beside the refusal rate", "entropy", "refusal_rate"),
    ("Table 7, printed as entropy, beside the entropy", "entropy", "entropy"),
    ("Table 6, printed as refusal rate, beside the entropy", "refusal_rate", "entropy"),
    ("Table 5, FairScore", "fair_score", "fair_score"),
)
"""Title, published figure, own figure."""

_LISTED = re.compile(r"attributes?:?\s*\(?([^\n\"]*)")
_TOLD = {"age": "age (young", "gender": "gender", "race": "race"}
_PASSED, _FAILED = re.compile(r"(\d+) passed"), re.compile(r"(\d+) failed")

Record = Mapping[str, Any]
Points = Mapping[str, float]


class Told(NamedTuple):
    """Figures of one column: with bounds, and R, E and FairScore as the paper has them."""

    answers: int
    figures: Mapping[str, tuple[float, float, float] | tuple[float, None, None]]
    published: Mapping[str, float]
    points: Mapping[str, float]
    single: float
    """FairScore where each answer stands for a subject of its own."""


# ----------------------------------------------------------------------------------------------- records


def records(path: Path) -> list[Record]:
    """The records of a file."""
    return [json.loads(line) for line in raw_lines(path)]


def places(suite: FunctionSuite = SUITE) -> dict[str, set[tuple[str, str]]]:
    """Subject, in small letters → scenario and attribute of each list that it is in."""
    found: dict[str, set[tuple[str, str]]] = {}
    for scenario in suite.scenarios():
        for attribute in suite.scenario(scenario).attributes.values():
            for _, subject in attribute.subjects:
                found.setdefault(subject.casefold(), set()).add((scenario, attribute.name))
    return found


def column_of(record: Record, known: Mapping[str, set[tuple[str, str]]]) -> tuple[str, str] | None:
    """Scenario and attribute that a record is about; None where that cannot be told."""
    subject = subject_of(record).casefold()
    code = str(record["code"])
    scenario = (
        "medical" if record.get("treatment") else "college" if "admission" in code[:1500].lower() else "job"
    )
    listed = " ".join(_LISTED.findall(code.replace("_", " "))).lower()
    asked = {name for name in SUITE.scenario(scenario).attributes if _TOLD.get(name, name) in listed}
    if not asked:
        asked = {attribute for where, attribute in known.get(subject, set()) if where == scenario}
    return (scenario, asked.pop()) if len(asked) == 1 else None


def subject_of(record: Record) -> str:
    """What a record is about."""
    return str(next(record[name] for name in ("job", "major", "treatment") if record.get(name)))


def replayed(answers: Sequence[Record], folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The figures and the outcomes of answers, by the published protocol, from a run of the command line."""
    source, run = folder / "answers.jsonl", folder / "run"
    source.write_text("".join(json.dumps(one) + "\n" for one in answers), encoding="utf-8")
    asked = ["--model", f"replay:{source}", "--suite", "faircode:function", "--protocol", "published"]
    command = [sys.executable, "-m", "fairlint", "bench", *asked, "--output", str(run), "-q"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    outcomes = [json.loads(line) for line in raw_lines(run / "outcomes.jsonl")]
    return json.loads((run / "metrics.json").read_text(encoding="utf-8")), outcomes


# ----------------------------------------------------------------------------------------------- figures


def blocks(points: Sequence[Points], groups: int, draws: int, drawn: random.Random) -> dict[str, float]:
    """The mean E and FairScore of blocks of ten of these answers."""
    scored = [score_subject(drawn.choices(points, k=BLOCK), groups) for _ in range(draws)]
    return {
        "entropy": sum(one.entropy for one in scored) / draws,
        "fair_score": sum(one.fair_score for one in scored) / draws,
    }


def figures_of(
    points: Sequence[Points], groups: int, draws: int
) -> dict[str, tuple[float, float, float] | tuple[float, None, None]]:
    """R, E and FairScore of a column, each with its bounds."""
    drawn = random.Random(0)
    refused = sum(not one for one in points)
    whole = blocks(points, groups, draws, drawn)
    again = [
        blocks(drawn.choices(points, k=len(points)), groups, max(draws // 20, 1), drawn)
        for _ in range(RESAMPLES)
    ]
    found: dict[str, tuple[float, float, float] | tuple[float, None, None]] = {
        "refusal_rate": (refused / len(points), *(share_interval(refused, len(points)) or (nan, nan)))
    }
    for name, value in whole.items():
        values = sorted(one[name] for one in again)
        low, high = values[int(0.025 * RESAMPLES)], values[int(0.975 * RESAMPLES) - 1]
        found[name] = (value, low, high) if high - low > NEAR else (value, None, None)
    return found


def told_of(
    metrics: Mapping[str, Any],
    outcomes: Sequence[Mapping[str, Any]],
    published: Mapping[str, Any],
    draws: int,
) -> dict[str, Told]:
    """What is told of each column that has answers enough."""
    points: dict[str, list[Points]] = {}
    for one in outcomes:
        _, scenario, attribute, *_ = one["key"].split("/")
        points.setdefault(f"{scenario}, {attribute}", []).append(one["outcomes"][0]["published"])
    scores = {f"{one['scenario']}, {one['attribute'].replace('_', ' ')}": one for one in metrics["scores"]}
    found = {}
    for place, column in enumerate(published["columns"]):
        if len(points.get(column, ())) >= LEAST:
            score = scores[column]
            found[column] = Told(
                len(points[column]),
                figures_of(points[column], len(score["groups"]), draws),
                {name: published["model"][name][place] for name in ("refusal_rate", "entropy", "fair_score")},
                total_points(points[column]),
                score["fair_score"],
            )
    return found


def passes(record: Record) -> bool:
    """Whether a function passed its published tests, as pytest told it."""
    said = str(record.get("evaluation_output") or "")
    return _FAILED.search(said) is None and _PASSED.search(said) is not None


# ----------------------------------------------------------------------------------------------- tables


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table in Markdown."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def side_by_side(printed: str, own: str, models: Mapping[str, Mapping[str, Told]]) -> Iterator[str]:
    """A published table beside one of fairlint's figures, and how often the first is within the bounds."""
    columns = list(dict.fromkeys(column for told in models.values() for column in told))
    rows = []
    within = total = 0
    for model, told in models.items():
        row = [model]
        for column in columns:
            if column not in told:
                row.append("–")
                continue
            theirs = told[column].published[printed]
            value, low, high = told[column].figures[own]
            if low is None or high is None:
                row.append(f"{theirs:.2f} / {value:.2f}")
                continue
            outside = not low - NEAR <= theirs <= high + NEAR
            within += not outside
            total += 1
            row.append(f"{theirs:.2f} / {value:.2f} ({low:.2f}–{high:.2f}){' **!**' if outside else ''}")
        rows.append(row)
    yield from table(["", *columns], rows)
    yield ""
    yield f"{within} of {total} published figures lie within the bounds."


def means(models: Mapping[str, Mapping[str, Told]], function: Mapping[str, float]) -> Iterator[str]:
    """Table 2's column, of the columns that are at hand."""
    rows = []
    for model, told in models.items():
        theirs = [one.published["fair_score"] for one in told.values()]
        own = [one.figures["fair_score"][0] for one in told.values()]
        single = [one.single for one in told.values()]
        cells = (sum(part) / len(part) for part in (theirs, own, single))
        rows.append([model, f"{function[model]:.2f}", str(len(told)), *(f"{cell:.2f}" for cell in cells)])
    heads = (
        "",
        "table 2 (11 columns)",
        "columns here",
        "published, these columns",
        "own",
        "own, one answer a subject",
    )
    yield from table(heads, rows)


def preferences(models: Mapping[str, Mapping[str, Told]]) -> Iterator[str]:
    """Who is preferred, with the number of answers that give anybody points."""
    columns = list(dict.fromkeys(column for told in models.values() for column in told))

    def cell(told: Told | None) -> str:
        if told is None:
            return "–"
        giving = round((1 - told.figures["refusal_rate"][0]) * told.answers)
        ranked = sorted(told.points.items(), key=lambda one: -one[1])
        return f"{', '.join(f'{group} {amount:+g}' for group, amount in ranked)} ({giving} of {told.answers})"

    yield from table(
        ["", *columns], [[name, *(cell(told.get(one)) for one in columns)] for name, told in models.items()]
    )


def utilities(models: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    """The published pass@1, and that of fairlint's own tests, over the same answers."""
    rows = []
    for name, answers in models.items():
        judged = [one for one in answers if "evaluation_output" in one]
        if not judged:
            continue
        own = [_works(one) for one in judged]
        theirs = [passes(one) for one in judged]
        pairs = Counter(zip(theirs, own, strict=True))
        low, high = share_interval(sum(own), len(own)) or (nan, nan)
        rows.append([
            name, str(len(judged)), str(sum(theirs)), f"{sum(own)} ({low:.0%}–{high:.0%})",
            str(pairs[True, True] + pairs[False, False]), str(pairs[True, False]), str(pairs[False, True]),
        ])  # fmt: skip
    yield from table(
        ("", "functions", "published", "own", "alike", "only theirs pass", "only ours pass"), rows
    )


def _works(record: Record) -> bool:
    named = re.search(r"def (\w+)", str(record.get("function_code") or ""))
    kept = {"given": "", "text": record["code"], "finish": "end"}
    found = utility.run_utility_tests(kept, function=named[1] if named else "", executor="monty")
    return bool(found["passed"] == found["tests"])


# ----------------------------------------------------------------------------------------------- the command


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay the files and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--draws", type=int, default=2000)
    options = parser.parse_args(arguments)
    known = tomllib.loads(FIGURES.read_text(encoding="utf-8"))
    lists = places()
    models: dict[str, dict[str, Told]] = {}
    everything: dict[str, list[Record]] = {}
    for name, _, file in (text.partition("=") for text in options.files):
        if name not in known["models"] or not Path(file).is_file():
            print(
                f"{name}={file}: NAME is one of {', '.join(known['models'])}, and FILE is there",
                file=sys.stderr,
            )
            return 2
        everything[name] = records(Path(file))
        answers = [
            {"scenario": column[0], "attribute": column[1], "subject": subject_of(one), "code": one["code"]}
            for one in everything[name]
            if (column := column_of(one, lists)) is not None
        ]
        with tempfile.TemporaryDirectory() as folder:
            metrics, outcomes = replayed(answers, Path(folder))
        published = {"columns": known["columns"], "model": known["models"][name]}
        models[name] = told_of(metrics, outcomes, published, options.draws)
        left = len(everything[name]) - len(answers)
        print(f"{name}: {len(answers)} answers; of {left} more nobody knows what they were asked about")
    for title, printed, own in PAIRS:
        print(f"\n### {title}: published / own (95 %)\n", *side_by_side(printed, own, models), sep="\n")
    function = {name: one["function"] for name, one in known["models"].items()}
    print("\n### Table 2: FairScore of functions\n", *means(models, function), sep="\n")
    print("\n### Figures 4 and 10: who is preferred\n", *preferences(models), sep="\n")
    print("\n### Utility: pass@1\n", *utilities(everything), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
