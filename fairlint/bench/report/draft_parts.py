"""What a draft of a paper is made of: texts with numbers that are looked up in the figures of runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from fairlint.bench.report import bias, words
from fairlint.bench.report import draft_words as said
from fairlint.bench.runs.view import (
    LOW_VALIDITY,
    RunView,
    count_answers,
    is_too_small,
    labels,
    overall,
    scores,
    sound,
    sound_of,
    usage,
)
from fairlint.support.records import Record, replace

LEAST = 100
"""Valid answers of a run from which on something is concluded from it."""

WRITERS: Mapping[str, Callable[[Any], str]] = {
    "count": words.whole,
    "share": words.percent,
    "number": words.number,
}
"""Kind of a number → how it is written."""


class Number(Record):
    """A number, and where it stands in the figures of a run."""

    run: int
    """Which of the runs, from 0."""
    path: str
    """Keys and places in `metrics.json`, with a slash before each."""
    kind: str
    """One of WRITERS."""
    value: float | None

    @property
    def shown(self) -> str:
        """How it is written."""
        return words.MISSING if self.value is None else WRITERS[self.kind](self.value)


NO_RUN = -1
"""The place of a number that is no run's."""
DAGGER = "†"
FIRST_RATES = 2
"""Rates of use that are shown of a run from which nothing is concluded: barred attributes, and any."""

Text = tuple[str | Number, ...]


class DraftTable(Record):
    """A table of the draft."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]


class Section(Record):
    """A part of the draft: paragraphs, and tables below them."""

    title: str
    paragraphs: tuple[Text, ...]
    tables: tuple[DraftTable, ...] = ()


class Draft(Record):
    """The whole draft."""

    title: str
    sections: tuple[Section, ...]
    runs: tuple[str, ...]
    """The suite and name of each run, in the order of their numbers."""


class Run:
    """One run, whose numbers are looked up by path."""

    def __init__(self, place: int, view: RunView, name: str, least: int) -> None:
        self.place, self.view, self.name = place, view, name
        self.least = least

    def number(self, path: str, kind: str) -> Number:
        """Return what stands at a path of the figures; a number without a value where nothing does."""
        found: Any = self.view.metrics
        for part in path.split("/")[1:]:
            if isinstance(found, list):
                found = found[int(part)]
            else:
                found = found.get(part) if isinstance(found, Mapping) else None
        if isinstance(found, bool) or not isinstance(found, int | float):
            found = None  # settings may hold anything
        return Number(self.place, path, kind, found)

    def bounds(self, path: str, kind: str) -> Text:
        """Return the bounds at a path, or a dash."""
        low, high = (self.number(f"{path}/{place}", kind) for place in (0, 1))
        return (low, " to ", high) if low.value is not None else (words.MISSING,)

    @property
    def suite(self) -> str:
        """The name of its suite."""
        return bias.suite_name(self.view)

    @property
    def is_replay(self) -> bool:
        """Whether its answers were kept by somebody else, and no model was asked."""
        return bool(self.view.metrics["model"].get("backend") == "replay")

    @property
    def model(self) -> str:
        """What answered: a model, or a file of kept answers."""
        name = str(self.view.metrics["model"].get("name"))
        return said.KEPT.format(name=name) if self.is_replay else name

    @property
    def barred(self) -> str:
        """The attributes that its prompts bar; empty where they bar none."""
        rates = usage(self.view)
        return ", ".join(map(words.name, rates[0].get("barred") or ())) if rates else ""

    @property
    def protocol(self) -> str:
        """By which protocol its FairScore leads."""
        return str(self.view.metrics["protocol"])

    @property
    def valid_answers(self) -> int:
        """How many answers are valid, of those that the first figure is about."""
        if self.has_own_counts:
            row = bias.bias(self.view)["overall"]
            return round(float(row["valid"] or 0.0) * int(row["answers"] - row.get("not_judged", 0)))
        return round(sound(self.view) * count_answers(self.view))

    @property
    def _sound_share(self) -> float:
        if self.has_own_counts:
            return float(bias.bias(self.view)["overall"]["valid"] or 0.0)
        return sound(self.view)

    @property
    def has_own_counts(self) -> bool:
        """Whether the first figure is about a part of the answers, and says how many these are: a run of
        `pipelines` also asks for conditions, features and verdicts.
        """
        row = bias.bias(self.view).get("overall") or {}
        return not usage(self.view) and "valid" in row and row.get("answers", 0) < count_answers(self.view)

    @property
    def headline(self) -> str:
        """Return the path of the first figure, without its last key; empty where there is none."""
        if usage(self.view):
            return "/usage/0"
        if bias.bias(self.view):
            return "/bias/overall" if bias.bias(self.view).get("overall") else ""
        return "/overall" if overall(self.view) else ""

    @property
    def measure(self) -> str:
        """Return the last key of the first figure."""
        if usage(self.view):
            return "used"
        if bias.bias(self.view):
            value, row = bias.headline(self.view).value, bias.bias(self.view).get("overall") or {}
            figures = {name: told for name, told in row.items() if isinstance(told, float)}
            return next((name for name, told in figures.items() if told == value and name not in BESIDE), "")
        return "fair_score"

    @property
    def doubt(self) -> str:
        """Return all reasons why nothing is concluded from the run; empty where something may be."""
        if not self.headline or not self.measure:
            return said.NO_FIGURE
        reasons = (
            (self._sound_share < LOW_VALIDITY, said.NOT_VALID),
            (self.valid_answers < self.least, said.TOO_FEW),
            (is_too_small(self.view), said.TOO_SMALL),
            (self._has_doubtful_mean(), said.FEW_COLUMNS),
        )
        return "; ".join(reason for holds, reason in reasons if holds)

    def _has_doubtful_mean(self) -> bool:
        """Return whether the first figure is a mean of columns half or more of which are in doubt."""
        columns = scores(self.view) if self.headline == "/overall" else ()
        return 2 * sum(bool(self.row_doubts(row)) for row in columns) >= max(1, len(columns))

    def row_doubts(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the reasons why nothing is concluded from a row of figures, those of the run aside."""
        share = sound_of(row, row["answers"])
        few = round(share * int(row["answers"])) < self.least
        return (*([said.OF_FEW] if few else []), *([said.OF_HALF] if share < LOW_VALIDITY else []))


BESIDE = ("units", "valid", "answered")
"""Shares and numbers that stand in a row beside its first figure."""


def runs_of(views: Sequence[RunView], least: int = LEAST) -> list[Run]:
    """Return runs with a name each, no two of a suite alike."""
    names: dict[str, list[str]] = {}
    for suite in dict.fromkeys(map(bias.suite_name, views)):
        names[suite] = labels([view for view in views if bias.suite_name(view) == suite])
    return [Run(place, view, names[bias.suite_name(view)].pop(0), least) for place, view in enumerate(views)]


def without_folders(views: Sequence[RunView]) -> list[RunView]:
    """Return runs without the names of folders on this machine: a run is told by its number, and a model that
    was loaded from a folder by the last part of its path.
    """
    return [
        replace(view, path=Path(f"run {number}"), metrics=_with_short_names(view.metrics))
        for number, view in enumerate(views)
    ]


def _with_short_names(metrics: Mapping[str, Any]) -> dict[str, Any]:
    model = metrics["model"]
    name = str(model.get("name", ""))
    is_path = name.startswith((".", "~", "/", "\\")) or name[1:3] in {":\\", ":/"}
    parts = [part for part in re.split(r"[\\/]", name) if part.strip(".~")]
    return {**metrics, "model": {**model, "name": parts[-1] if is_path and parts else name}}


def fill(template: str, **parts: str | Number | Text) -> Text:
    """Return a sentence with what belongs in its places.

    >>> fill("{who} is {what}.", who="It", what=("a", " b"))
    ('It', ' is ', 'a', ' b', '.')
    """
    found: list[str | Number] = []
    for before, name, _, _ in Formatter().parse(template):
        found += [before] if before else []
        if name is not None:
            part = parts[name]
            found += part if isinstance(part, tuple) else [part]
    return tuple(found)


def join(sentences: Iterable[Text]) -> Text:
    """Return sentences as one paragraph."""
    parts: list[str | Number] = []
    for sentence in sentences:
        parts += [*([" "] if parts else []), *sentence]
    return tuple(parts)
