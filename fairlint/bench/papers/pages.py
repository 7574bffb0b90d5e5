"""A reproduction as Markdown, as a page, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fairlint.bench.papers.paper import Paper, PaperModel, PaperRun, Table
from fairlint.bench.papers.reproduction import (
    NOT_RUN,
    UNFINISHED,
    Cell,
    Compared,
    Reproduction,
    count_within,
    models_in_place,
    other_model,
)
from fairlint.bench.report import run_notes, words
from fairlint.bench.report.markdown_parts import escape_markup, markdown_table
from fairlint.bench.runs.view import RunView, few_answers, sound
from fairlint.rendering.html import environment, style
from fairlint.support.records import Record

PACKAGE = "fairlint.bench.papers"
OUTSIDE = "!"
"""What marks a published figure outside of our interval."""
FIGURE_NAMES = {
    "fair_score": "FairScore (published)",
    "refusal_rate": "refusal rate",
    "entropy": "preference entropy",
    "cbs": "CBS",
    "amcr": "AMCR",
    "published_usage": "usage rate (published)",
}
SAMENESS = (
    "Nothing here says that the same was measured. Prompts, models and samplers differ, as is named below "
    "each table; the numbers there are rows of docs/appendix/bench-audit.md."
)
CHANCE = (
    "A published figure outside of our interval may be due to any of these differences, or to chance. One "
    "within it is no proof of agreement: so are other figures."
)
NARROW = (
    "Intervals of FairScore and of entropy, where subjects have fewer answers than in the paper, are made of "
    "the answers that are there. In a column of few answers they are too narrow."
)
KEPT = (
    "Kept answers were asked for by somebody else: what is said below of fairlint's prompts and sampling is "
    "not about them."
)
LEGEND = (
    f"Cells are published / ours (95 % interval); {OUTSIDE} marks a published figure outside of our "
    "interval. Least is what a figure cannot be below. What was not run has no figure. A cell that has other "
    "words behind it is not compared."
)
SETTINGS = {
    "samples": "samples",
    "temperature": "temperature",
    "top-k": "top_k",
    "max-new-tokens": "max_new_tokens",
}
"""Options of a paper's runs → the settings of a run."""
RUN_HEADS = ("Model", "Run", "Asked", "Revision", "Prompts", "Answers", "Differs")


class Section(Record):
    """One table with what is said around it."""

    heading: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    said: tuple[str, ...]
    differences: tuple[str, ...]
    printed: tuple[tuple[str, ...], ...] = ()
    """The rows once more, beside the figure that is printed above the table, where that is another."""
    said_of_printed: str = ""


def markdown_of(known: Reproduction) -> str:
    """Return the page as GitHub's Markdown."""
    parts = [
        f"# {escape_markup(known.paper.title)}: published and own figures",
        *map(escape_markup, head_sentences(known)),
        "## Runs",
        markdown_table(RUN_HEADS, list(run_rows(known)), "lllllll"),
        escape_markup(LEGEND),
    ]
    for one in (section_of(known, table) for table in known.tables):
        parts.append(f"## {escape_markup(one.heading)}")
        parts.append(markdown_table(one.heads, one.rows, "l" + "r" * (len(one.heads) - 1)))
        parts += map(escape_markup, one.said)
        if one.said_of_printed:
            parts.append(markdown_table(one.heads, one.printed, "l" + "r" * (len(one.heads) - 1)))
            parts.append(escape_markup(one.said_of_printed))
        parts.append("\n".join(f"- {escape_markup(told)}" for told in one.differences))
    return "\n\n".join(part for part in parts if part) + "\n"


def html_of(known: Reproduction) -> str:
    """Return the page as HTML."""
    template = environment(PACKAGE, {}).get_template("reproduction.html")
    return template.render(
        style=style("fairlint.bench.report"),
        script="",
        places=False,
        heading=f"{known.paper.title}: published and own figures",
        sentences=list(head_sentences(known)),
        legend=LEGEND,
        run_heads=RUN_HEADS,
        runs=list(run_rows(known)),
        sections=[section_of(known, one) for one in known.tables],
    )


def terminal_lines(known: Reproduction) -> Iterator[str]:
    """Yield what has a figure of ours, a line a cell, and what is said of each table."""
    yield f"{known.paper.title}: published and own figures"
    yield from head_sentences(known)
    yield LEGEND
    shown: dict[str, None] = {}
    for one in known.tables:
        cells = [cell for cell in one.cells if cell.own is not None]
        if not cells:
            continue
        table = one.table
        shown |= dict.fromkeys(table.differences)
        yield ""
        yield f"{_heading(one)}"
        yield from _cell_lines(cells)
        yield from _said(one)
        if told := _said_of_printed(one):
            yield from _cell_lines([cell for cell in one.as_printed if cell.own is not None])
            yield told
        if others := models_in_place(known, table):
            yield f"The model is another: {_in_place_text(others)}."
        yield f"known differences: {', '.join(table.differences)}"
    if shown:
        yield ""
        yield "The known differences:"
        yield from (f"  {name}: {_difference_text(known.paper, name)}" for name in shown)
    lost = [
        f"{one.table.number} ({', '.join(dict.fromkeys(cell.why for cell in one.cells))})"
        for one in known.tables
        if all(cell.own is None for cell in one.cells)
    ]
    if lost:
        yield ""
        yield f"without a figure of ours: tables {', '.join(lost)}"


def _cell_lines(cells: Sequence[Cell]) -> Iterator[str]:
    sizes = [max(len(cell.row) for cell in cells), max(len(cell.column) for cell in cells)]
    for cell in cells:
        yield f"  {cell.row:<{sizes[0]}}  {cell.column:<{sizes[1]}}  {cell_text(cell)}"


def head_sentences(known: Reproduction) -> Iterator[str]:
    """Yield what stands above everything else."""
    paper = known.paper
    yield f"{paper.about[:1].upper()}{paper.about[1:]}."
    yield SAMENESS
    yield CHANCE
    if not any(model.revision for model in paper.models):
        yield "The paper gives no revisions of models: a name on a hub or a server may stand for others now."
    if others := models_in_place(known):
        yield f"Not the paper's models were asked: {_in_place_text(others)}."
    if any(_is_replay(view) for view in known.runs.values()):
        yield KEPT
    if any(few_answers(view) for view in known.runs.values()):
        yield NARROW
    for (model_name, run_name), view in known.runs.items():
        label = f"{model_name}, {run_name}"
        yield from run_notes.warnings(view, label, several=True)
        yield from (f"{label}: {told}" for told in run_notes.state(view))
        yield from (f"{label}: {told}." for told in run_notes.notes(view))
    names = [(one.name, run.name) for one in paper.models for run in paper.runs_of(one)]
    if missing := sum(name not in known.runs for name in names):
        yield f"{missing:,} of {len(names):,} runs of the paper's models are not there."


def run_rows(known: Reproduction) -> Iterator[tuple[str, ...]]:
    """Yield what is told of each run, in the paper's order."""
    for model in known.paper.models:
        for run in known.paper.runs_of(model):
            name = (model.name, run.name)
            if name not in known.runs:
                state = UNFINISHED if name in known.unfinished else NOT_RUN
                yield (model.name, run.name, state, *[""] * (len(RUN_HEADS) - 3))
                continue
            view = known.runs[name]
            metrics = view.metrics
            valid, cut = words.percent(sound(view)), words.percent(metrics["answers"].get("cut") or 0.0)
            yield (
                model.name,
                run.name,
                str(metrics["model"]["name"]),
                words.short_revision(str(metrics["model"].get("revision") or "")),
                _prompts_text(view),
                f"{metrics['answers']['given']:,} of {run.answers:,}; {valid} valid, {cut} cut",
                "; ".join(_differs(model, run, view)),
            )


def _in_place_text(others: Mapping[str, str]) -> str:
    """Return which model stands for which of the paper's."""
    return "; ".join(f"in the place of {name}, {asked}" for name, asked in others.items())


def _is_replay(view: RunView) -> bool:
    return bool(view.metrics["model"].get("backend") == "replay")


def _prompts_text(view: RunView) -> str:
    """Return whose prompts were asked."""
    if _is_replay(view):
        return "those of the answers"
    return str(view.metrics["settings"].get("prompts") or "fairlint's")


def _differs(model: PaperModel, run: PaperRun, view: RunView) -> Iterator[str]:
    if told := other_model(model, view):
        yield told
    settings = view.metrics["settings"]
    for option, name in SETTINGS.items():
        wanted, found = run.options.get(option), settings.get(name)
        if wanted is not None and found is not None and float(wanted) != float(found):
            yield f"{option} {found} for {wanted}"
    if int(settings.get("asked") or 0) < run.answers:
        yield "a part"


def section_of(known: Reproduction, one: Compared) -> Section:
    """Return a table as texts."""
    table = one.table
    others = models_in_place(known, table)
    return Section(
        heading=_heading(one),
        heads=("", *(column.title for column in table.columns)),
        rows=_text_rows(table, one.cells),
        said=tuple(_said(one)),
        differences=(
            *([f"The model is another: {_in_place_text(others)}."] if others else []),
            *(_difference_text(known.paper, name) for name in table.differences),
        ),
        printed=_text_rows(table, one.as_printed) if one.as_printed else (),
        said_of_printed=_said_of_printed(one),
    )


def _text_rows(table: Table, cells: Sequence[Cell]) -> tuple[tuple[str, ...], ...]:
    left = iter(cells)
    return tuple((row.title, *(cell_text(next(left)) for _ in table.columns)) for row in table.rows)


def _heading(one: Compared) -> str:
    table = one.table
    number = f"Table {table.number}" if table.number.isdecimal() else table.number
    return f"{number}: {table.title}"


def _said(one: Compared) -> Iterator[str]:
    table = one.table
    own = [cell for cell in one.cells if cell.own is not None]
    if not own:
        yield "No cell of this table has a figure of ours."
        return
    yield f"Compared with our {FIGURE_NAMES[table.figure]}: {count_within(one.cells)}."


def _said_of_printed(one: Compared) -> str:
    """Return how a table stands beside the figure that is printed above it, where that is another."""
    if all(cell.own is None for cell in one.as_printed):
        return ""
    told = count_within(one.as_printed)
    return f"Compared as printed, with our {FIGURE_NAMES[one.table.printed]}: {told}."


def _difference_text(paper: Paper, name: str) -> str:
    one = paper.differences[name]
    rows = ", ".join(map(str, one.rows))
    return f"{one.text} ({'row' if len(one.rows) == 1 else 'rows'} {rows})"


def cell_text(cell: Cell) -> str:
    """Return a cell: the published figure, ours with its interval, and whether the first is outside.

    >>> cell_text(Cell("", "", 0.9, None, None, None, 0, None, "not run"))
    '0.90 / not run'
    """
    digits = 2 if round(cell.published, 2) == cell.published else 3
    published = f"{cell.published:.{digits}f}"
    if cell.own is None:
        return f"{published} / {cell.why}"
    bounds = "" if cell.low is None else f" ({words.span([cell.low, cell.high or 0.0])})"
    least = "" if cell.least is None else f", least {words.number(cell.least)}"
    marks = [OUTSIDE] if cell.within is False else []
    if cell.why:
        marks.append(cell.why)
    return " ".join([f"{published} / {words.number(cell.own, digits)}{bounds}{least}", *marks])


def paper_rows(papers: Sequence[Paper]) -> Iterator[tuple[str, ...]]:
    """Yield what the list of papers says of each."""
    for one in papers:
        runs = [run for model in one.models for run in one.runs_of(model)]
        yield (
            one.name,
            f"{len(one.models):,}",
            f"{len(runs):,}",
            f"{sum(run.answers for run in runs):,}",
            f"{len(one.tables):,}",
            one.title,
        )
