"""What a paper says that can be run again: a file of `data/`, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from fairlint.bench.suites.suite import ProtocolName
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.documents import read_toml
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field_names

FIGURES = ("fair_score", "refusal_rate", "entropy", "cbs", "amcr", "published_usage")
"""What a table may be about."""


class PaperModel(Record):
    """A model, as the paper's tables call it."""

    name: str
    ask: str
    """What is asked for it, as `--model` of `fairlint bench` takes it; empty where that is not known."""
    dtype: str = ""
    revision: str = ""
    note: str = ""
    runs: tuple[str, ...] = ()
    """The runs that the paper has of it; nothing: all."""


class PaperRun(Record):
    """One run of each model: a suite and the settings of the paper."""

    name: str
    suite: str
    note: str
    answers: int
    """How many are asked for first, where nothing is left out."""
    options: Mapping[str, str]
    """Options of `fairlint bench` without their dashes, and their values."""
    shift: float = 0.0
    """What sums of points are raised to, where entropy is made of them."""


class AuthorsFile(Record):
    """A file of the authors that is not shipped: prompts, or answers of a model."""

    run: str
    file: str
    sha256: str = ""
    """Empty where each copy differs."""
    model: str = ""
    note: str = ""


class Difference(Record):
    """A known reason why a published figure and one of fairlint's are not of the same thing."""

    name: str
    text: str
    rows: tuple[int, ...]
    """Rows of docs/appendix/bench-audit.md."""


class Place(Record):
    """Where a figure is to be found: a run of a model, and a part of its figures."""

    run: str = ""
    model: str = ""
    scenario: str = ""
    attribute: str = ""
    subject: str = ""
    """A topic of test cases, or a prompt of `counterfactual`."""


class Line(Record):
    """A row or a column of a table."""

    title: str
    place: Place
    cells: tuple[float, ...] = ()
    """Of a row: one for each column."""
    unmeasured: bool = False
    """Whether no run of fairlint has this."""


class Table(Record):
    """A published table."""

    number: str
    title: str
    figure: str
    place: Place
    """What all its cells have in common."""
    columns: tuple[Line, ...]
    rows: tuple[Line, ...]
    differences: tuple[str, ...]
    printed: str = ""
    """What the paper says that the table is about, where that is another figure."""

    def place_of(self, row: Line, column: Line) -> Place:
        """Return where the figure of one cell is to be found."""
        parts = (self.place, column.place, row.place)
        return Place(
            **{name: next((told for one in parts if (told := getattr(one, name))), "") for name in _PLACES}
        )


class Paper(Record):
    """A paper."""

    name: str
    title: str
    about: str
    protocol: ProtocolName
    models: tuple[PaperModel, ...]
    runs: tuple[PaperRun, ...]
    tables: tuple[Table, ...]
    differences: Mapping[str, Difference]
    prompts: tuple[AuthorsFile, ...]
    answers: tuple[AuthorsFile, ...]
    addresses: Mapping[str, str]
    """Where the authors' files lie: `prompts` and `answers`."""

    def runs_of(self, model: PaperModel) -> Sequence[PaperRun]:
        """Return the runs that the paper has of a model."""
        return [one for one in self.runs if not model.runs or one.name in model.runs]

    def model_named(self, name: str) -> PaperModel:
        """Return a model by the name that the paper gives it, in any case. Raises UsageError where it has
        none.
        """
        for one in self.models:
            if one.name.casefold() == name.strip().casefold():
                return one
        names = [one.name for one in self.models]
        raise UsageError(
            f"--model {name}: {self.name} has no such model{did_you_mean(name, names, most=1, least=0.5)} "
            f"(it has {', '.join(names)})"
        )

    def run_named(self, name: str) -> PaperRun:
        """Return a run by its name. Raises UsageError where there is none."""
        for one in self.runs:
            if one.name == name:
                return one
        names = [one.name for one in self.runs]
        raise UsageError(
            f"--runs {name}: {self.name} has no such run{did_you_mean(name, names, most=1, least=0.5)} "
            f"(it has {', '.join(names)})"
        )


_PLACES = field_names(Place)


@cache
def paper_names() -> tuple[str, ...]:
    """Return the papers that can be reproduced, by name."""
    folder = files(__package__) / "data"
    return tuple(
        sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml"))
    )


def paper_named(name: str) -> Paper:
    """Return a paper. Raises UsageError, with the nearest name, for one that is not known."""
    wanted = name.strip().casefold().removeprefix("arxiv:")
    if wanted not in paper_names():
        near = did_you_mean(wanted, paper_names(), most=1, least=0.5)
        raise UsageError(f"there is no paper '{name}'{near} (known: {', '.join(paper_names())})")
    return _read_paper(wanted)


@cache
def _read_paper(name: str) -> Paper:
    return paper_of(read_toml((files(__package__) / "data" / f"{name}.toml").read_text(encoding="utf-8")))


def paper_of(told: Mapping[str, Any]) -> Paper:
    """Return a paper from what its file holds. Raises ValueError for a table that does not fit together."""
    differences = {
        name: Difference(name, one["text"], tuple(one["rows"])) for name, one in told["differences"].items()
    }
    paper = Paper(
        name=told["name"],
        title=told["title"],
        about=told["about"],
        protocol=told["protocol"],
        models=tuple(PaperModel(**{**one, "runs": tuple(one.get("runs", ()))}) for one in told["models"]),
        runs=tuple(
            PaperRun(**{**one, "options": {key: str(value) for key, value in one["options"].items()}})
            for one in told["runs"]
        ),
        tables=tuple(_table_of(one) for one in told["tables"]),
        differences=differences,
        prompts=tuple(AuthorsFile(**one) for one in told.get("prompts", ())),
        answers=tuple(AuthorsFile(**one) for one in told.get("published-answers", ())),
        addresses=told.get("sources", {}),
    )
    for table in paper.tables:
        _check_table(paper, table)
    return paper


def _table_of(told: Mapping[str, Any]) -> Table:
    return Table(
        number=told["number"],
        title=told["title"],
        figure=told["figure"],
        printed=told.get("printed", ""),
        place=Place(**told.get("place", {})),
        columns=tuple(map(_line_of, told["columns"])),
        rows=tuple(map(_line_of, told["rows"])),
        differences=tuple(told["differences"]),
    )


def _line_of(told: Mapping[str, Any]) -> Line:
    place = {name: told[name] for name in _PLACES if name in told}
    return Line(told["title"], Place(**place), tuple(told.get("cells", ())), told.get("unmeasured", False))


def _check_table(paper: Paper, table: Table) -> None:
    place = f"table {table.number} of {paper.name}"
    if not {table.figure, table.printed or table.figure} <= set(FIGURES):
        raise ValueError(f"{place}: is about {table.figure}, which is no figure here")
    if unknown := set(table.differences) - set(paper.differences):
        raise ValueError(f"{place}: no difference has the name {unknown.pop()}")
    models, runs = {one.name for one in paper.models}, {one.name for one in paper.runs}
    for row in table.rows:
        if len(row.cells) != len(table.columns) or not all(0 <= cell <= 1 for cell in row.cells):
            raise ValueError(f"{place}: {row.title} has not one share for each column")
        for column in table.columns:
            found = table.place_of(row, column)
            if found.model not in models or found.run not in runs:
                raise ValueError(f"{place}: {row.title}, {column.title} is of no model or of no run")
