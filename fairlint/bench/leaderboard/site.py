"""A leaderboard in a folder: runs are added to it, those that are there stay, and all pages follow.

    leaderboard.json   the names of the runs: what makes the folder a leaderboard
    index.html         the tables
    runs/NAME.html     a run's figures by column
    answers/NAME/      its answers, some hundred a page
    data/NAME.json     its `metrics.json` and what its answers were about: all that pages need of a run

The same runs give the same files, byte for byte, whenever and in whatever order they were added.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.bench.figures.ranking import Ranked, ranking
from fairlint.bench.leaderboard import pages
from fairlint.bench.leaderboard.answers import Group, groups_of
from fairlint.bench.leaderboard.entries import Entry, Table, name_of, tables
from fairlint.bench.report import run_notes
from fairlint.bench.runs.view import FORMATS, RunView, read_view, with_prompt_names
from fairlint.run_folders.jsonl import LARGEST_DOCUMENT, RunFolderError
from fairlint.run_folders.record_shapes import BOARD, ON_BOARD
from fairlint.run_folders.run_folder import strangers, write_text
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record, replace
from fairlint.support.shapes import check

STATE = "leaderboard.json"
FORMAT = 1
INDEX = "index.html"
KEPT = ("data", "runs", "answers")


class Updated(Record):
    """What became of a leaderboard."""

    runs: int
    """How many it has now."""
    tables: int
    added: tuple[str, ...]
    """The models of those that were added or written anew."""
    left_out: tuple[str, ...]
    """Why runs were not: one line each."""


def update(folder: Path, runs: Sequence[Path], *, with_answers: bool = True) -> Updated:
    """Add runs to the leaderboard in a folder, or write them anew; the folder is made where it is missing.

    A run that is not finished, or a shard of one, is left out and named. Raises UsageError, before anything
    is written, where the folder holds something else, a run is none or broken, two are the same, or no run
    is left.
    """
    known = _read_run_names(folder)
    views, left_out = _split_finished_runs(runs)
    if not views:
        raise UsageError(f"no run to show: {'; '.join(left_out)}")
    new = _views_by_name(views)
    kept = [_read_entry(folder, name) for name in known if name not in new]
    entries = {name: _build_entry(name, view, with_answers=with_answers) for name, view in new.items()}
    made = tables([*kept, *entries.values()])
    index = _render_index(made)
    try:
        for part in KEPT:
            (folder / part).mkdir(parents=True, exist_ok=True)
        for name, view in new.items():
            written = set(_write_answers(folder, entries[name], view)) if with_answers else set()
            _remove_others(folder / "answers" / name, written)
            write_text(folder / "data" / f"{name}.json", _as_text(entries[name]))
        for entry in (*kept, *entries.values()):
            write_text(folder / "runs" / f"{entry.name}.html", pages.run_page(entry))
        names = sorted([*known, *(name for name in new if name not in known)])
        write_text(folder / STATE, json.dumps({"format": FORMAT, "runs": names}, indent=1) + "\n")
        write_text(folder / INDEX, index)
    except RunFolderError as error:
        raise UsageError(f"{folder}: {error}") from error
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: {error.strerror or error}") from error
    return Updated(len(names), len(made), tuple(entry.model for entry in entries.values()), tuple(left_out))


def _read_run_names(folder: Path) -> list[str]:
    """Return the runs that are on the board. Raises UsageError for a folder of something else."""
    file = folder / STATE
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file, and a leaderboard is a folder: name a new or empty one")
    try:
        there = strangers(folder) if folder.exists() else []
        if there and STATE not in there:
            raise UsageError(
                f"{folder}: holds {there[0]} but no {STATE}, so is no leaderboard; name a new or empty folder"
            )
        if not there:
            return []
        content: dict[str, Any] = read_json(read_file(file, LARGEST_DOCUMENT))
        check(BOARD, content)
    except (NotReadableError, OSError) as error:
        raise UsageError(f"{folder}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{file}: broken: {error}") from None
    if content["format"] != FORMAT:
        raise UsageError(f"{file}: of format {content['format']!r}, and this fairlint writes {FORMAT}")
    names: list[str] = content["runs"]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageError(f"{file}: broken: it names {twice} twice")
    return names


def _split_finished_runs(runs: Sequence[Path]) -> tuple[list[RunView], list[str]]:
    """Return the runs that have come to all their figures, and why others have not."""
    views, left_out = [], []
    for path in runs:
        if not (path / "metrics.json").exists():
            left_out.append(f"{path}: not finished: it has no figures yet")
            continue
        view = read_view(path)
        if missing := _missing_part(view):
            left_out.append(f"{path}: {missing}")
        else:
            views.append(view)
    return views, left_out


def _missing_part(view: RunView) -> str:
    """Return what keeps a run from being a whole one; nothing where it is. Raises UsageError for a broken
    one.
    """
    try:
        shard = view.metrics["settings"].get("shard")
        if shard:
            return (
                f"shard {shard['part']}/{shard['of']} of a run: merge its shards first (fairlint bench merge)"
            )
        return run_notes.unfinished_note(view) or _truncation_reason(view)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _broken_run_error(view, error) from None


def _truncation_reason(view: RunView) -> str:
    """Return that answers are gone from which the figures were made; nothing where all are there.

    Of a conversation one answer counts, so that tokens tell what the number of answers does not.
    """
    answers, tokens = 0, 0
    for one in view.responses:
        answers += 1
        tokens += one.get("new_tokens") or 0
    known = view.metrics["answers"]
    if answers >= int(known.get("given") or 0) and tokens >= int(known.get("new_tokens") or 0):
        return ""
    return "not finished: responses.jsonl has fewer answers than the figures were made of"


def _broken_run_error(view: RunView, error: Exception) -> UsageError:
    return UsageError(f"{view.path}: its files are not as this fairlint writes them ({error})")


def _views_by_name(views: Sequence[RunView]) -> dict[str, RunView]:
    found: dict[str, RunView] = {}
    for view in views:
        name = name_of(view.metrics)
        if name in found:
            raise UsageError(
                f"{found[name].path} and {view.path} are the same model, asked and judged alike: name one"
            )
        found[name] = view
    return found


def _build_entry(name: str, view: RunView, *, with_answers: bool) -> Entry:
    """Return what the board keeps of a run, whose lines are all read for it. Raises UsageError for a broken
    one.
    """
    try:
        counts = [
            (one.scenario, one.attribute, one.answers, len(one.pages))
            for one in groups_of(view.responses, view.outcomes)
        ]
        entry = Entry(name, view.metrics, tuple(counts) if with_answers else ())
        pages.run_page(entry)
        _render_index(tables([entry]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _broken_run_error(view, error) from None
    return entry


def _read_entry(folder: Path, name: str) -> Entry:
    file = folder / "data" / f"{name}.json"
    try:
        content: dict[str, Any] = read_json(read_file(file, LARGEST_DOCUMENT), finite=True)
        check(ON_BOARD, content)
    except NotReadableError as error:
        raise UsageError(f"{file}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{file}: broken: {error}") from None
    if content["metrics"]["format"] not in FORMATS:
        raise UsageError(f"{file}: broken: figures of format {content['metrics']['format']}")
    return Entry(name, with_prompt_names(content["metrics"]), tuple(map(tuple, content["answers"])))


def _as_text(entry: Entry) -> str:
    known = {"metrics": entry.metrics, "answers": [list(one) for one in entry.answers]}
    return json.dumps(known, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _render_index(made: Sequence[Table]) -> str:
    rankings: dict[str, list[Ranked]] = {}
    for table in made:
        views = [
            replace(entry.view, metrics=_with_model_label(entry.metrics, pages.label_of(entry, table)))
            for entry in table.entries
        ]
        rankings[table.anchor] = ranking(views)
    return pages.index(made, rankings)


def _with_model_label(metrics: Mapping[str, Any], label: str) -> dict[str, Any]:
    """Return a run under the name that it has in its table."""
    return {**metrics, "model": {**metrics["model"], "name": label}}


def _write_answers(folder: Path, entry: Entry, view: RunView) -> Iterator[str]:
    """Write the pages of a run's answers, and gives their names."""
    place = folder / "answers" / entry.name
    if place.is_symlink():
        raise UsageError(f"{place} is a link, and pages of answers are kept there: take it away")
    place.mkdir(exist_ok=True)
    for group in groups_of(view.responses, view.outcomes):
        for number, name in _page_names(group):
            told = pages.answers_page(
                entry, (group.scenario, group.attribute), number, len(group.pages), group.pages[number - 1]
            )
            write_text(place / name, told)
            yield name


def _page_names(group: Group) -> Iterator[tuple[int, str]]:
    for number in range(1, len(group.pages) + 1):
        yield number, pages.answers_name(group.scenario, group.attribute, number)


def _remove_others(folder: Path, names: set[str]) -> None:
    """Remove pages of answers that a run had before and has no more."""
    if folder.is_symlink() or not folder.exists():
        return
    for file in folder.glob("*.html"):
        if file.name not in names:
            file.unlink()
