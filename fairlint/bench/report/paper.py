"""The figures and the ranking table of a comparison as files for a paper: SVG, PDF, CSV and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from fairlint.bench.figures.both_scores import KEYS, score_name
from fairlint.bench.report import words
from fairlint.bench.report.drawing import files
from fairlint.bench.report.figures import Dot, Preferences, Ranks, Spots, rank_of
from fairlint.bench.report.paper_tables import PaperTable
from fairlint.bench.report.tables import written_out
from fairlint.rendering.safe_text import plain
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import write_bytes
from fairlint.support.errors import UsageError

FOLDER = "figures"
Shown = Ranks | Preferences | Spots
Cell = str | float | int | None

ESCAPED = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "–": "--", "−": "$-$", "±": r"$\pm$",
    "†": r"$\dagger$", "→": r"$\to$", "’": "'", "\u202f": r"\,",
    "≤": r"$\le$", "≥": r"$\ge$", "∞": r"$\infty$",
})  # fmt: skip
UNKNOWN_TO_LATEX = re.compile(r"[^\x20-\x7e\xa0-\u017f–—‘’“”„‚…€™•‡‰×·µ№‹›]|[ĦħĸĿŀŉŦŧſ]")
"""What pdflatex ends at, with the encoding T1."""


class _File(NamedTuple):
    name: str
    content: bytes


def write_figures(folder: Path, known: Sequence[Shown], before: str = "") -> list[Path]:
    """Write each figure to a folder, which is made if there are any: `NAME.svg`, `.pdf`, `.csv` and `.tex`.

    `before` begins the names, where figures of several suites lie in one folder. Raises UsageError where the
    folder cannot be written, and ModelError where matplotlib is missing.
    """
    return _write_files(folder, (file for one in known for file in _files_of_figure(one)), before)


def write_tables(folder: Path, known: Sequence[PaperTable], before: str = "") -> list[Path]:
    """Write each table to a folder, which is made if there are any: `NAME.csv` and `NAME.tex`.

    Raises UsageError where the folder cannot be written.
    """
    return _write_files(
        folder,
        (
            file
            for one in known
            for file in (
                _File(f"{one.name}.csv", table_csv(one).encode()),
                _File(f"{one.name}.tex", table_latex(one).encode()),
            )
        ),
        before,
    )


def _files_of_figure(one: Shown) -> Iterator[_File]:
    drawn = files(one)
    yield _File(f"{one.name}.svg", drawn.svg.encode())
    yield _File(f"{one.name}.pdf", drawn.pdf)
    yield _File(f"{one.name}.csv", as_csv(one).encode())
    yield _File(f"{one.name}.tex", as_latex(one).encode())


def _write_files(folder: Path, contents: Iterable[_File], before: str) -> list[Path]:
    """Write files to a folder that is made with the first of them."""
    written: list[Path] = []
    try:
        for name, content in contents:
            folder.mkdir(parents=True, exist_ok=True)
            written.append(folder / f"{before}{name}")
            write_bytes(written[-1], content)
    except RunFolderError as error:
        raise UsageError(f"{folder}: {error}") from error
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or error}") from error
    return written


def as_csv(one: Shown) -> str:
    """Return all numbers of a figure, one row a fact, with all their digits.

    `sure` is empty where nobody tested a preference against chance, as by list and by topic.
    """
    return written_out(*_csv_table(one))


def _csv_table(one: Shown) -> tuple[Sequence[str], Iterator[tuple[Cell, ...]]]:
    match one:
        case Ranks():
            heads: tuple[str, ...] = (
                "model", "rank", "rank_low", "rank_high", one.scores[0], "low", "high", one.scores[1],
                "without_rule", "valid", "ties",
            )  # fmt: skip
            return heads, (
                (row.label, row.rank, row.rank_low, row.rank_high, row.mean, row.low, row.high, row.beside,
                 row.mean if row.without_rule is None else row.without_rule, row.valid, "; ".join(row.ties))
                for row in one.rows
            )  # fmt: skip
        case Preferences():
            heads = (
                "row_of", "row", "column_of", "column", "preferred", "strength", *map(score_name, KEYS),
                "refusal_rate", "valid", "sure",
            )  # fmt: skip
            return heads, _dot_rows(one)
    heads = ("model", "refusal_rate", "entropy", *one.scores)
    return heads, (
        (spot.label, spot.refusal_rate, spot.entropy, spot.fair_score, spot.beside) for spot in one.spots
    )


def _dot_rows(one: Preferences) -> Iterator[tuple[Cell, ...]]:
    for row, dots in zip(one.rows, one.dots, strict=True):
        for head, dot in zip(one.heads, dots, strict=True):
            where = (row.over, row.name, head.over, head.name)
            if isinstance(dot, Dot):
                sure = None if dot.sure is None else str(dot.sure).lower()
                yield (*where, dot.whom, dot.strength, *dot.scores, dot.refusal_rate, dot.valid, sure)
            else:
                yield (*where, dot, None, None, None, None, None, None)


def table_csv(one: PaperTable) -> str:
    """Return the numbers of a table with all their digits, one row a cell."""
    heads = (one.row_of, one.column_of, "value", "deviation", "low", "high")
    return written_out(
        heads,
        (
            (row, head, cell.value, cell.deviation, cell.low, cell.high)
            for row, cells in zip(one.rows, one.cells, strict=True)
            for head, cell in zip(one.heads, cells, strict=True)
        ),
    )


# --------------------------------------------------------------------------------------------------- LaTeX


def table_latex(one: PaperTable) -> str:
    """Return a table as a `tabular` of LaTeX with the rules of the package booktabs."""
    rows = [(row, *(cell.text for cell in cells)) for row, cells in zip(one.rows, one.cells, strict=True)]
    return _latex_tabular("l" + "r" * len(one.heads), [("", *one.heads)], rows)


def as_latex(one: Shown) -> str:
    r"""Return a figure as a `tabular` of LaTeX with the rules of the package booktabs, to be had by
    `\input`.
    """
    match one:
        case Ranks():
            rows = [
                (
                    row.label,
                    rank_of(row),
                    words.number(row.mean),
                    _bounds_text(row.low, row.high),
                    words.number(row.beside),
                    words.number(row.mean if row.without_rule is None else row.without_rule),
                    words.percent(row.valid),
                )
                for row in one.rows
            ]
            first, second = one.scores
            heads_of_all = ("Model", "Rank", first, r"95 % interval", second, "Without the rule", "Valid")
            return _latex_tabular("lrrrrrr", [heads_of_all], rows)
        case Preferences():
            return _latex_tabular(
                "l" * (len(one.heads) + 1),
                [("", *(head.name for head in one.heads))],
                [
                    (f"{row.over}: {row.name}" if row.over else row.name, *map(_dot_text, dots))
                    for row, dots in zip(one.rows, one.dots, strict=True)
                ],
                [head.over for head in one.heads],
            )
    spots = [
        (spot.label, *map(words.number, (spot.refusal_rate, spot.entropy, spot.fair_score, spot.beside)))
        for spot in one.spots
    ]
    return _latex_tabular("lrrrr", [("Model", "R", "E", *one.scores)], spots)


def _line_of_groups(groups: Sequence[str]) -> Iterator[str]:
    """Yield the line above the heads, in which each group stands once over all its columns, and its rules."""
    cells, rules, column = [""], [], 2
    for name, repeats in groupby(groups):
        count = len(list(repeats))
        cells.append(
            rf"\multicolumn{{{count}}}{{l}}{{{escape_latex(name)}}}" if name else " & " * (count - 1)
        )
        rules += [rf"\cmidrule(lr){{{column}-{column + count - 1}}}"] if name else []
        column += count
    yield " & ".join(cells) + r" \\"
    yield " ".join(rules)


def _dot_text(dot: Dot | str) -> str:
    if isinstance(dot, str):
        return words.MISSING
    refused = f"R {words.number(dot.refusal_rate)}"
    if dot.place is None:
        return f"{dot.whom}, {refused}"
    return f"{dot.whom} {words.number(dot.strength)}{'' if dot.sure is not False else '?'}, {refused}"


def _bounds_text(low: float | None, high: float | None) -> str:
    return words.MISSING if low is None or high is None else f"[{words.number(low)}, {words.number(high)}]"


def escape_latex(text: str) -> str:
    """Return a text in which nothing is a command of LaTeX, or a character at which pdflatex ends."""
    escaped = plain(text).translate(ESCAPED)
    return UNKNOWN_TO_LATEX.sub(lambda found: f"[U+{ord(found[0]):04X}]", escaped)


def _latex_tabular(
    sides: str, heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]], groups: Sequence[str] = ()
) -> str:
    """Return a table; `groups` names what each column but the first belongs to."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(escape_latex(one) for one in cells) + r" \\"

    return "\n".join([
        rf"\begin{{tabular}}{{{sides}}}", r"\toprule", *(_line_of_groups(groups) if any(groups) else ()),
        *map(line, heads), r"\midrule", *map(line, rows),
        r"\bottomrule", r"\end{tabular}", "",
    ])  # fmt: skip
