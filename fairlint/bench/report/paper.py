"""The figures and the ranking table of a comparison as files for a paper: SVG, PDF, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fairlint.bench.figures.both_scores import KEYS, score_name
from fairlint.bench.report import words
from fairlint.bench.report.drawing import files
from fairlint.bench.report.figures import Dot, Preferences, Ranks, Spots, rank_of
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
    ">": r"\textgreater{}", "–": "--", "−": "$-$", "\u202f": r"\,",
})  # fmt: skip


def write_figures(folder: Path, known: Sequence[Shown], before: str = "") -> list[Path]:
    """Write each figure to a folder, which is made if there are any: `NAME.svg`, `.pdf`, `.csv` and `.tex`.

    `before` begins the names, where figures of several suites lie in one folder. Raises UsageError where the
    folder cannot be written, and ModelError where matplotlib is missing.
    """
    written: list[Path] = []
    if not known:
        return written
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in known:
            drawn = files(one)
            for kind, content in (
                ("svg", drawn.svg.encode()),
                ("pdf", drawn.pdf),
                ("csv", as_csv(one).encode()),
                ("tex", as_latex(one).encode()),
            ):
                written.append(folder / f"{before}{one.name}.{kind}")
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


# --------------------------------------------------------------------------------------------------- LaTeX


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
            top = ["", *(head.over for head in one.heads)]
            heads = [("", *(head.name for head in one.heads))]
            if any(top):
                heads.insert(0, tuple(_without_repeats(top)))
            return _latex_tabular(
                "l" * (len(one.heads) + 1),
                heads,
                [
                    (f"{row.over}: {row.name}" if row.over else row.name, *map(_dot_text, dots))
                    for row, dots in zip(one.rows, one.dots, strict=True)
                ],
            )
    spots = [
        (spot.label, *map(words.number, (spot.refusal_rate, spot.entropy, spot.fair_score, spot.beside)))
        for spot in one.spots
    ]
    return _latex_tabular("lrrrr", [("Model", "R", "E", *one.scores)], spots)


def _without_repeats(names: Sequence[str]) -> Iterator[str]:
    """Names, each where it begins."""
    before = ""
    for name in names:
        yield "" if name == before else name
        before = name


def _dot_text(dot: Dot | str) -> str:
    if isinstance(dot, str):
        return words.MISSING
    refused = f"R {words.number(dot.refusal_rate)}"
    if dot.place is None:
        return f"{dot.whom}, {refused}"
    return f"{dot.whom} {words.number(dot.strength)}{'' if dot.sure is not False else '?'}, {refused}"


def _bounds_text(low: float | None, high: float | None) -> str:
    return words.MISSING if low is None or high is None else f"[{words.number(low)}, {words.number(high)}]"


def _latex_tabular(sides: str, heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join(plain(one).translate(ESCAPED) for one in cells) + r" \\"

    return "\n".join([
        rf"\begin{{tabular}}{{{sides}}}", r"\toprule", *map(line, heads), r"\midrule", *map(line, rows),
        r"\bottomrule", r"\end{tabular}", "",
    ])  # fmt: skip
