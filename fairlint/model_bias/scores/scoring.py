"""Scores of a model on data sets by name: asked, kept, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.model_bias.data.code_prompts import Code
from fairlint.model_bias.data.crows_pairs import CrowsPairs
from fairlint.model_bias.data.ideal_shares import IdealShares
from fairlint.model_bias.data.loading import load
from fairlint.model_bias.data.neutral_text import NeutralText
from fairlint.model_bias.data.pronouns import Pronouns
from fairlint.model_bias.data.records import Skipped, some_of_each
from fairlint.model_bias.data.stereoset import StereoSet
from fairlint.model_bias.data.winogender import WinoGender
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores import code, crows_pairs, perplexity, pronouns, stereoset, winogender
from fairlint.model_bias.scores.asking import Answer, Cost, Keep, Plan, Progress, answers, cost, fitting
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

NAMES = ("stereoset", "winogender", "crows-pairs", "code", "text", "pronouns")
DEFINITIONS: Mapping[str, Mapping[str, str]] = {
    "stereoset": stereoset.DEFINITIONS,
    "winogender": winogender.DEFINITIONS,
    "crows-pairs": crows_pairs.DEFINITIONS,
    "code": code.DEFINITIONS,
    "text": perplexity.DEFINITIONS,
    "pronouns": pronouns.DEFINITIONS,
}
Data = StereoSet | WinoGender | CrowsPairs | Code | NeutralText | Pronouns
Scores = (
    tuple[stereoset.StereoSetScore, ...]
    | tuple[winogender.WinoGenderScore, ...]
    | tuple[crows_pairs.CrowsPairsScore, ...]
    | code.CodeScore
    | perplexity.Perplexity
    | pronouns.PronounScores
)


class Task(Record):
    """A data set, and what a model is asked about it."""

    name: str
    data: Data
    items: Sequence[Any]
    plan: Plan
    skipped: Sequence[Skipped]
    """What the data set, and the model, leave out."""

    @property
    def cost(self) -> Cost:
        """Of all its items."""
        return cost(self.plan)


def read_data(name: str, source: str | None = None) -> Data:
    """Return a data set, one of NAMES, from a file or as published.

    Raises UsageError for data that cannot be had.
    """
    if name not in NAMES:
        raise UsageError(f"--data: there is no '{name}' to score (choose from {', '.join(NAMES)})")
    return load(name, source)


def task(
    loaded: Loaded,
    name: str,
    read: Data | None = None,
    *,
    limit: int | None = None,
    within: bool = False,
    published: bool = False,
) -> Task:
    """Return what a model is asked about a data set, one of NAMES, which may be read already.

    `limit` takes as many items of each kind: see `sample`. `within` leaves StereoSet's items between two
    sentences out, and `published` reads the others as its own code does.

    Raises UsageError for data that cannot be had, and ModelError for what the model cannot be asked.
    """
    data: Any = read_data(name) if read is None else read
    items = sample(data, limit)
    if within and name == "stereoset":
        items = [one for one in items if one.task == "intrasentence"]
    if name == "stereoset":
        plan, skipped = stereoset.plan(loaded, items, published=published)
    elif name == "winogender":
        plan, skipped = winogender.plan(loaded, items)
    elif name == "crows-pairs":
        plan, skipped = crows_pairs.plan(loaded, items)
    elif name == "text":
        plan, skipped = perplexity.plan(loaded, items)
    elif name == "pronouns":
        plan, skipped = pronouns.plan(loaded, items)
    else:
        plan, skipped = code.plan(loaded, items)
    fits, too_long = fitting(loaded, plan)
    left_out = (*getattr(data, "skipped", ()), *skipped, *too_long)
    return Task(name, data, items, fits, left_out)


def sample(data: Data, limit: int | None) -> Sequence[Any]:
    """Return at most `limit` items of each kind of a data set, drawn as all commands draw them.

    StereoSet's kinds are its two tasks. Those of code are who is named of a gender, whom of another
    attribute, who gets points, and what is asked. Other data sets are of one kind.
    """
    if isinstance(data, StereoSet):
        return some_of_each(data.items, limit, lambda one: one.task)
    if isinstance(data, Code):
        return some_of_each(data.items, limit, lambda one: (one.question, one.attribute == "gender"))
    every = data.passages if isinstance(data, NeutralText) else data.items
    return some_of_each(every, limit, lambda _: None)


def score(
    loaded: Loaded,
    asked: Task,
    *,
    known: Mapping[str, Answer] | None = None,
    keep: Keep | None = None,
    progress: Progress | None = None,
    seed: int = 0,
    ideals: Sequence[IdealShares] = (),
) -> Scores:
    """Return the scores of a task. `known` are answers that are there already; `keep` gets the others.

    `ideals` are what the answers to `pronouns` are held against.
    """
    there = {key: one for key, one in (known or {}).items() if key in asked.plan}
    left = {key: one for key, one in asked.plan.items() if key not in there}
    found = {**there, **answers(loaded, left, keep=keep, progress=progress)}
    if asked.name == "stereoset":
        return stereoset.figures(asked.items, found, masked=loaded.masked, seed=seed, plan=asked.plan)
    if asked.name == "text":
        return perplexity.figures(found, len(asked.skipped), seed=seed)
    if asked.name == "pronouns":
        return pronouns.figures(asked.items, found, ideals, seed=seed)
    if asked.name == "winogender":
        return winogender.figures(asked.items, found, seed=seed)
    if asked.name == "crows-pairs":
        return crows_pairs.figures(asked.items, found, seed=seed)
    return code.figures(asked.items, found, seed=seed)
