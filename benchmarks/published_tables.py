"""FairCode's published figures compared with those of the answers that its authors published later.

    python benchmarks/published_tables.py NAME=FILE... [--output FOLDER]

NAME is a model as the paper's tables call it (Llama3, GPT-4o, ...), FILE its answers as FairCode's authors
keep them: JSON lines with `job`, `major` or `treatment`, and `code`. Such files of five models, 100 answers
each, are in the public repository YongkDu/FairCoder (`utility_test_result/`); they have no licence and are
not part of this one.

The tables are those of `fairlint bench reproduce faircode --runs function`, of the columns and models that
have figures: docs/appendix/reproduce.md says what is compared. Three tables more come from the same answers:
table 2 over the columns that are at hand, the points by group, and, where records hold what pytest said of
the published tests (`evaluation_output`), their pass@1 next to that of fairlint's tests, which run in a
sandbox. Prints tables in Markdown. Exit status: 0, or 2 for what cannot be read.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any

from fairlint.backends.names import slug
from fairlint.bench.judging import utility
from fairlint.bench.judging.usage import share_interval
from fairlint.bench.papers.own_figures import LEAST_ANSWERS
from fairlint.bench.papers.paper import paper_named
from fairlint.run_folders.jsonl import raw_lines

PAPER, RUN = "faircode", "function"
TABLES = ("5", "6", "7")
_PASSED, _FAILED = re.compile(r"(\d+) passed"), re.compile(r"(\d+) failed")

Record = Mapping[str, Any]
Cells = Sequence[Mapping[str, Any]]


def reproduced(files: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """Run the paper on kept answers; the result is the content of `reproduction.json`."""
    models = [word for name, file in files.items() for word in ("--model", f"{name}=replay:{file}")]
    command = [sys.executable, "-m", "fairlint", "bench", "reproduce", PAPER, "--runs", RUN, "-q", "--resume"]
    subprocess.run([*command, *models, "--output", str(folder)], check=True, stdout=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads((folder / "reproduction.json").read_text(encoding="utf-8"))
    return found


# ----------------------------------------------------------------------------------------------- tables


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table in Markdown."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def own_cells(cells: Cells) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The cells that have a figure of ours, by row and column."""
    return {(one["row"], one["column"]): one for one in cells if one["own"] is not None}


def side_by_side(cells: Cells) -> Iterator[str]:
    """A published table beside ours, of rows and columns that have figures of ours."""
    known = own_cells(cells)
    if not known:
        yield "No column has answers enough."
        return
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*known, strict=True))
    shown = [[row, *(cell(known.get((row, one))) for one in columns)] for row in rows]
    yield from table(["", *columns], shown)
    judged = [one for one in known.values() if one["within"] is not None]
    yield ""
    yield f"{sum(one['within'] for one in judged)} of {len(judged)} published figures lie within the bounds."


def cell(one: Mapping[str, Any] | None) -> str:
    """Published / own (bounds), and a mark where the first is outside."""
    if one is None:
        return "–"
    bounds = "" if one["interval"] is None else " ({:.2f}–{:.2f})".format(*one["interval"])
    return f"{one['published']:.2f} / {one['own']:.2f}{bounds}{' **!**' if one['within'] is False else ''}"


def means(document: Mapping[str, Any]) -> Iterator[str]:
    """Table 2's column, of the columns that are at hand."""
    tables = {one["table"]: one["cells"] for one in document["tables"]}
    published = {one["row"]: one["published"] for one in tables["2"] if one["column"] == RUN}
    known = own_cells(tables["5"])
    rows = []
    for model in dict.fromkeys(row for row, _ in known):
        cells = [one for (row, _), one in known.items() if row == model]
        parts = [sum(one[name] for one in cells) / len(cells) for name in ("published", "own")]
        rows.append([model, f"{published[model]:.2f}", str(len(cells)), *(f"{part:.2f}" for part in parts)])
    yield from table(
        ("", "table 2 (11 columns)", "columns here", "published, these columns", "own, these columns"), rows
    )


def preferences(models: Sequence[str], folder: Path) -> Iterator[str]:
    """Who is preferred, with the number of answers that give anybody points."""
    found = {
        (model, f"{one['scenario']}, {one['attribute']}"): one
        for model in models
        for one in json.loads((folder / slug(f"{model}-{RUN}") / "metrics.json").read_text("utf-8"))["scores"]
        if one["answers"] >= LEAST_ANSWERS
    }
    columns = list(dict.fromkeys(column for _, column in found))
    rows = [[name, *(points_text(found.get((name, one))) for one in columns)] for name in models]
    yield from table(["", *columns], rows)


def points_text(score: Mapping[str, Any] | None) -> str:
    """The points of a column by group, the highest first."""
    if score is None:
        return "–"
    giving = sum((1 - one["refusal_rate"]) * one["answers"] for one in score["subjects"])
    ranked = sorted(score["points"].items(), key=lambda one: -one[1])
    told = ", ".join(f"{group} {amount:+g}" for group, amount in ranked if amount)
    return f"{told} ({giving:.0f} of {score['answers']})"


# ----------------------------------------------------------------------------------------------- utility


def passes(record: Record) -> bool:
    """Whether a function passed its published tests, as pytest told it."""
    said = str(record.get("evaluation_output") or "")
    return _FAILED.search(said) is None and _PASSED.search(said) is not None


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
    """Run the files through the paper and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--output", type=Path, help="where the runs are kept (default: nowhere)")
    options = parser.parse_args(arguments)
    known = [one.name for one in paper_named(PAPER).models]
    files = {name: file for name, _, file in (text.partition("=") for text in options.files)}
    for name, file in files.items():
        if name not in known or not Path(file).is_file():
            print(f"{name}={file}: NAME is one of {', '.join(known)}, and FILE is there", file=sys.stderr)
            return 2
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.output or Path(temporary)
        document = reproduced(files, folder)
        for one in document["tables"]:
            if one["table"] not in TABLES:
                continue
            print(f"\n### Table {one['table']}, compared with our {one['figure']}: published / own (95 %)\n")
            print(*side_by_side(one["cells"]), sep="\n")
            if one["as_printed"]:
                print(f"\n### Table {one['table']}, as printed, with our {one['printed']}\n")
                print(*side_by_side(one["as_printed"]), sep="\n")
        print("\n### Table 2: FairScore of functions\n", *means(document), sep="\n")
        print("\n### Figures 4 and 10: who is preferred\n", *preferences(list(files), folder), sep="\n")
    everything = {name: [json.loads(line) for line in raw_lines(Path(file))] for name, file in files.items()}
    print("\n### Utility: pass@1\n", *utilities(everything), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
