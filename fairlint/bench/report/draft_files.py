"""A draft of a paper as files: a page that prints on A4, the same as LaTeX, and tables and figures.

In the page each number is a `data` element that says where it stands in `metrics.json`; in LaTeX it is
`\\fact{number}{run/path}`, of which the second part is not printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from fairlint.backends.names import slug
from fairlint.bench.report import draft_words as said
from fairlint.bench.report.draft import draft
from fairlint.bench.report.draft_parts import (
    LEAST,
    NO_RUN,
    Draft,
    DraftTable,
    Number,
    Text,
    fill,
    runs_of,
    without_folders,
)
from fairlint.bench.report.figures import by_attribute
from fairlint.bench.report.paper import escape_latex
from fairlint.bench.report.studies import figures_to, studies
from fairlint.bench.runs.view import RunView
from fairlint.rendering.safe_text import plain
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import write_text
from fairlint.support.errors import UsageError

PAGE, LATEX = "paper.html", "paper.tex"

STYLE = """\
@page { size: A4; margin: 16mm 15mm; }
body { font: 9pt/1.3 Georgia, "Times New Roman", serif; color: #111; max-width: 180mm;
  margin: 0 auto; padding: 4mm; }
h1 { font-size: 15pt; line-height: 1.15; margin: 0 0 2mm; }
h2 { font-size: 11pt; margin: 3mm 0 1mm; break-after: avoid; }
p { margin: 0 0 1.5mm; }
table { border-collapse: collapse; font-size: 8pt; line-height: 1.2; margin: 0 0 1mm; width: 100%; }
caption { caption-side: top; text-align: left; font-size: 8.5pt; padding: 1mm 0; }
thead tr { border-top: 1pt solid; border-bottom: .5pt solid; }
tbody tr:last-child { border-bottom: 1pt solid; }
th, td { text-align: right; white-space: nowrap; padding: .25mm 1.2mm; vertical-align: top;
  font-weight: normal; }
thead th { vertical-align: bottom; white-space: normal; }
th:first-child, td:first-child { text-align: left; min-width: 24mm; white-space: normal; }
figure { margin: 1mm 0; break-inside: avoid; }
figure img { width: 100%; max-height: 70mm; object-fit: contain; object-position: left; }
figcaption { font-size: 8.5pt; }
.scroll { overflow-x: auto; }
@media print { body { padding: 0; } .scroll { overflow: visible; } }
"""

PREAMBLE = r"""\documentclass[10pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\IfFileExists{microtype.sty}{\usepackage{microtype}}{}
\usepackage[margin=25mm]{geometry}
\usepackage{booktabs,graphicx}
\usepackage[font=small,justification=justified,singlelinecheck=false,skip=4pt]{caption}
\raggedbottom
\emergencystretch=2em
\newcommand{\fact}[2]{#1}
\newsavebox{\fitted}
\newcommand{\wide}[1]{\sbox{\fitted}{\small #1}%
  \ifdim\wd\fitted>\linewidth\resizebox{\linewidth}{!}{\usebox{\fitted}}\else\usebox{\fitted}\fi}
"""
"""`\\wide` makes a table smaller where it is wider than the place that it has, and never larger."""


class Picture:
    """A figure of the draft: its file without the ending, and what it shows."""

    def __init__(self, name: str, caption: str) -> None:
        self.name, self.caption = name, caption


def write_paper(folder: Path, views: Sequence[RunView], least: int = LEAST) -> list[Path]:
    """Write the draft about runs, with all their tables and figures. No folder of this machine is in them.

    Raises UsageError where the folder cannot be written, and ModelError where matplotlib is missing.
    """
    written, pictures = [], []
    views = without_folders(views)
    for one in studies(views).values():
        before = f"{slug(str(one.views[0].metrics['suite']['name']))}-"
        written += figures_to(folder, one, before)
        pictures += list(_pictures(one.views, before, least))
    made = draft(views, least)
    texts = {PAGE: page_of(made, pictures), LATEX: latex_of(made, pictures)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_text(folder / name, text)
    except RunFolderError as error:
        raise UsageError(f"{folder}: {error}") from error
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or error}") from error
    return [*(folder / name for name in texts), *written]


def _pictures(views: Sequence[RunView], before: str, least: int) -> Iterator[Picture]:
    """Yield the picture of whom models prefer, where something is concluded from one of them."""
    runs = runs_of(views, least)
    if all(one.doubt for one in runs):
        return
    if found := by_attribute(views, [one.name for one in runs]):
        caption = "".join(map(str, fill(said.PICTURE, suite=runs[0].suite, note=found.note)))
        yield Picture(f"{before}{found.name}", caption)


# ----------------------------------------------------------------------------------------------------- HTML


def page_of(known: Draft, pictures: Sequence[Picture] = ()) -> str:
    """Return the draft as a page."""
    parts = [f"<h1>{escape(known.title)}</h1>"]
    for section in known.sections:
        parts.append(f"<h2>{escape(plain(section.title))}</h2>")
        parts += (f"<p>{_html_text(one)}</p>" for one in section.paragraphs)
        parts += map(_html_table, section.tables)
        parts += (
            f'<figure><img src="{escape(one.name)}.svg" alt="{escape(one.caption)}">'
            f"<figcaption>{escape(one.caption)}</figcaption></figure>"
            for one in _pictures_of(section.title, pictures)
        )
    body = "\n".join(parts)
    folders = "".join(
        f'<meta name="run-{place}" content="{escape(plain(one))}">\n' for place, one in enumerate(known.runs)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{folders}<title>{escape(known.title)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _pictures_of(title: str, pictures: Iterable[Picture]) -> Iterator[Picture]:
    """Yield the pictures that stand below a section."""
    suite = title.partition(": ")[2]
    return (one for one in pictures if suite and one.caption.startswith(f"{suite}: "))


def _html_text(text: Text) -> str:
    return "".join(_html_number(one) if isinstance(one, Number) else escape(plain(one)) for one in text)


def _html_number(one: Number) -> str:
    """Return a number with its place, and a dash without one where there is no figure."""
    if one.value is None:
        return one.shown
    where = "" if one.run == NO_RUN else str(one.run)
    return (
        f'<data value="{one.value}" data-run="{where}" '
        f'data-path="{escape(one.path)}" '
        f'data-kind="{one.kind}">{escape(one.shown)}</data>'
    )


def _html_table(one: DraftTable) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in one.heads)
    rows = "\n".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{_html_text(cell)}</th>' if not place else f"<td>{_html_text(cell)}</td>"
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in one.rows
    )
    caption = f"<caption>{escape(plain(one.caption))}</caption>"
    table = f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    return f'<div class="scroll">{table}</div>'


# ---------------------------------------------------------------------------------------------------- LaTeX


def latex_of(known: Draft, pictures: Sequence[Picture] = ()) -> str:
    """Return the draft as LaTeX, which takes the figures from the same folder."""
    parts = [
        PREAMBLE, *(f"% run {place}: {escape_latex(one)}" for place, one in enumerate(known.runs)),
        rf"\title{{{escape_latex(known.title)}}}", r"\author{}", r"\date{}",
        r"\begin{document}", r"\maketitle",
    ]  # fmt: skip
    for section in known.sections:
        parts.append(rf"\section*{{{escape_latex(section.title)}}}")
        parts += (f"{_latex_text(one)}\n" for one in section.paragraphs)
        parts += map(_latex_table, section.tables)
        parts += (
            rf"\begin{{figure}}[ht]\includegraphics[width=\linewidth]{{{one.name}.pdf}}"
            rf"\caption{{{escape_latex(one.caption)}}}\end{{figure}}"
            for one in _pictures_of(section.title, pictures)
        )
    return "\n".join([*parts, r"\end{document}", ""])


def _latex_text(text: Text) -> str:
    return "".join(_latex_number(one) if isinstance(one, Number) else escape_latex(one) for one in text)


def _latex_number(one: Number) -> str:
    if one.value is None:
        return escape_latex(one.shown)
    where = "" if one.run == NO_RUN else str(one.run)
    shown = escape_latex(one.shown).replace(" ", "~")  # a number and its sign stay in one line
    return rf"\fact{{{shown}}}{{{escape_latex(where + one.path)}}}"


def _latex_table(one: DraftTable) -> str:
    def line(cells: Iterable[Text], write: Callable[[Text], str] = _latex_text) -> str:
        return " & ".join(map(write, cells)) + r" \\"

    sides = "".join("r" if _are_numbers(column) else "l" for column in zip(*one.rows, strict=True))
    rows = "\n".join(map(line, one.rows))
    heads = line((head,) for head in one.heads)
    return "\n".join([
        r"\begin{table}[ht]", rf"\caption{{{escape_latex(one.caption)}}}",
        rf"\wide{{\begin{{tabular}}{{{sides}}}", r"\toprule", heads, r"\midrule", rows, r"\bottomrule",
        r"\end{tabular}}", r"\end{table}",
    ])  # fmt: skip


def _are_numbers(cells: Iterable[Text]) -> bool:
    return any(isinstance(part, Number) for cell in cells for part in cell)
