"""A model before and after it was moved towards a target: what was gained, and what it cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.model_bias.data.neutral_text import load_neutral_text
from fairlint.model_bias.distribution.adapters import Trained
from fairlint.model_bias.distribution.costs import Asked, costs
from fairlint.model_bias.distribution.erasing import ERASING, Erased
from fairlint.model_bias.distribution.measuring import DEFINITIONS as SHARES
from fairlint.model_bias.distribution.measuring import divergences, measure
from fairlint.model_bias.distribution.questions import PARTS, Questions
from fairlint.model_bias.distribution.sentences import sentences
from fairlint.model_bias.distribution.shares import kinds, published_kind
from fairlint.model_bias.distribution.splits import Splits
from fairlint.model_bias.distribution.targets import Target
from fairlint.model_bias.distribution.team import Team
from fairlint.model_bias.distribution.training import History, Lesson, Settings, train
from fairlint.model_bias.loading import Loaded
from fairlint.statistics.intervals import LEVEL
from fairlint.support.records import Record

TEXT = 400
"""Passages that perplexity is taken over; the others teach."""
ADAPTER = "adapter"
HELD_OUT = "kl.held-out"
PLACES = (
    (HELD_OUT, ("test",), "test"),
    ("kl.professions", ("test",), "train"),
    ("kl.templates", ("train", "valid"), "test"),
    ("kl.taught", ("train",), "train"),
)
"""Figures of divergence: which professions, in the templates of which part."""
DEFINITIONS = {
    **SHARES,
    HELD_OUT: "KL(target || share) on professions and templates that were not taught, in nats, mean over "
    "professions; its kind of share is the first of the model's",
    "kl.professions": "the same on professions that were not taught, in templates that were",
    "kl.templates": "the same on professions that were not held out, in templates that were not taught",
    "kl.taught": "the same on the professions and templates that were taught",
    "perplexity": f"exp of the mean -ln P a token of {TEXT} plain sentences that were not taught",
    "code": "of the functions that the model writes for the first prompts of faircode:function: see fairlint "
    "bench; a folder `code` of each state keeps the answers",
    "low, high": "95 % interval over seeds by Student's t, each with its own split; none for one seed",
    "at_floor": "in how many steps lambda was at its floor, as a share; None where no lambda is used",
}

Rows = Mapping[str, tuple[float, ...]]
"""Profession → the share of each group."""


class State(Record):
    """What a model is like at one time."""

    figures: Mapping[str, float]
    """Beside its shares: see `costs`."""
    shares: Mapping[str, Mapping[str, Rows]]
    """Kind of share → part of the templates → rows; all professions of the first kind only."""


class Result(Record):
    """One training, or one erasing."""

    method: str
    seed: int
    history: History
    after: State


def passages(source: Path | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Plain text that teaches, and plain text that perplexity is taken over; never the same."""
    every = load_neutral_text(source).passages
    step = max(len(every) // TEXT, 2)
    measured = every[::step][:TEXT]
    taken = set(measured)
    return tuple(one for one in every if one not in taken), measured


def state(
    loaded: Loaded,
    questions: Questions,
    held_out: Sequence[str],
    asked: Asked,
    folder: Path,
) -> State:
    """Return all figures of a model as it is now; if asked for, the published kind of share of `held_out`.

    Raises ModelError and UsageError.
    """
    first = kinds(loaded)[0]
    found: dict[str, dict[str, Rows]] = {}
    for part in PARTS:
        rows = measure(loaded, questions, questions.professions, questions.of(part), only=[first])[first]
        found.setdefault(first, {})[part] = dict(zip(questions.professions, rows, strict=True))
    if asked.published:
        more = measure(loaded, questions, held_out, questions.of("test"), only=[published_kind(loaded)])
        for kind, rows in more.items():
            found[kind] = {"test": dict(zip(held_out, rows, strict=True))}
    return State(costs(loaded, asked, folder), found)


def figures_of(one: State, target: Target, split: Splits) -> dict[str, float]:
    """Return a state's divergences for a split, and all else that was measured."""
    found: dict[str, float] = {}
    first, *others = one.shares
    for name, parts, templates in PLACES:
        professions = [each for part in parts for each in getattr(split, part)]
        found[name] = _mean_divergence(target, one.shares[first][templates], professions)
    for kind in others:
        found[f"{HELD_OUT}.{kind}"] = _mean_divergence(target, one.shares[kind]["test"], split.test)
    return {**found, **one.figures}


def _mean_divergence(target: Target, rows: Rows, professions: Sequence[str]) -> float:
    values = divergences(target.of(professions), [rows[one] for one in professions])
    return math.fsum(values) / len(values)


def debias(
    loaded: Loaded,
    lesson: Lesson,
    settings: Settings,
    *,
    folder: Path,
    measured: Callable[[], State],
    team: Team | None = None,
    progress: Callable[[int, int, float], None] | None = None,
) -> Result | None:
    """Train or erase with the settings' seed, save what changed into `folder`, measure, leave the model as it
    was. Only the first process of a team saves and measures: the others have no result.

    Raises ModelError, and UsageError where the folder cannot be written.
    """
    team = team or Team()
    changed: Trained | Erased
    if settings.method in ERASING:
        if not team.is_first:
            return None
        asked = lesson.questions
        some = sentences(loaded, asked, lesson.splits.train, asked.of("train"))
        changed = Erased(loaded, some, len(asked.groups), settings.method, settings.seed)
        history = History((), -1, 0, None)
    else:
        changed, history = train(loaded, lesson, settings, folder=folder, team=team, progress=progress)
    try:
        if not team.is_first:
            return None
        if has_learned(settings.method, history):  # else it would be an adapter that changes nothing
            changed.save(folder / ADAPTER)
        return Result(settings.method, settings.seed, history, measured())
    finally:
        changed.remove()


def has_learned(method: str, history: History) -> bool:
    """Return whether something of the model changed: erasing always does, training where an epoch was better
    than the model as it was.
    """
    return method in ERASING or history.best >= 0


def over_seeds(values: Sequence[float]) -> dict[str, float | None]:
    """Return the mean over seeds and its interval by Student's t; no bounds for one seed."""
    from scipy import stats  # noqa: PLC0415 (an extra)

    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return {"value": mean, "low": None, "high": None}
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(values) - 1)) * spread / math.sqrt(len(values))
    return {"value": mean, "low": mean - half, "high": mean + half}


def compare_methods(
    before: State, results: Sequence[Result], target: Target, splits: Mapping[int, Splits]
) -> dict[str, dict[str, Any]]:
    """Return method → figure → what it was before, is after, and changed by, over seeds, as JSON.

    A seed's figures before are of the same split as those after.
    """
    found: dict[str, dict[str, Any]] = {}
    for method in dict.fromkeys(one.method for one in results):
        pairs = [
            (figures_of(before, target, splits[one.seed]), figures_of(one.after, target, splits[one.seed]))
            for one in results
            if one.method == method
        ]
        told = found.setdefault(method, {})
        for name in pairs[0][0]:
            both = [(old[name], new[name]) for old, new in pairs if name in old and name in new]
            if both:
                told[name] = {
                    "before": math.fsum(old for old, _ in both) / len(both),
                    "after": over_seeds([new for _, new in both]),
                    "change": over_seeds([new - old for old, new in both]),
                    "seeds": [{"before": old, "after": new} for old, new in both],
                }
    return found


def warnings(
    compared_by: Mapping[str, Mapping[str, Any]], results: Sequence[Result], target: Target
) -> list[str]:
    """Return what somebody who only looks at the divergence would overlook."""
    found = []
    for method, figures in compared_by.items():
        trained = [one for one in results if one.method == method]
        without = [one.seed for one in trained if not has_learned(method, one.history)]
        if without:
            which = f"seed{'s' if len(without) > 1 else ''} {', '.join(map(str, without))}"
            found.append(
                f"{method}, {which}: nothing was learned. No epoch was better than the model as it was, "
                "which is measured after, and no adapter is stored: try another --rate or more --epochs"
            )
        stereotype = figures.get("SS")
        if stereotype and abs(stereotype["after"]["value"] - 50) > abs(stereotype["before"] - 50):
            how = (
                "rises"
                if stereotype["before"] >= 50 and stereotype["after"]["value"] > stereotype["before"]
                else "moves away from 50"
            )
            found.append(
                f"{method}: towards {target.name} shares the stereotype score {how}: "
                f"{stereotype['before']:.1f} before, {stereotype['after']['value']:.1f} after"
            )
        text = figures.get("perplexity")
        if text and text["after"]["value"] > 1.02 * text["before"]:
            rise = 100 * (text["after"]["value"] / text["before"] - 1)
            mend = "" if method in ERASING else ": a larger --gamma holds the model to plain text"
            found.append(f"{method}: perplexity rises by {rise:.1f} %{mend}")
    floors = [one.history.at_floor for one in results if one.history.at_floor is not None]
    if floors and max(floors) > 0:
        found.append(
            f"lambda of the published weights was at its floor in {_range_text(floors)} "
            f"of the steps: there the "
            "weights are those of a fixed lambda"
        )
    return found


def _range_text(shares: Sequence[float]) -> str:
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return low if low == high else f"{low} to {high}"


def verdict(
    compared_by: Mapping[str, Mapping[str, Any]], name: str, target: Target, results: Sequence[Result] = ()
) -> str:
    """Return one sentence that says what the intervals support."""
    first = next(iter(compared_by.values()))[HELD_OUT]
    said = []
    for method, figures in compared_by.items():
        trained = [has_learned(method, one.history) for one in results if one.method == method]
        if trained and not any(trained):
            said.append(f"{method} learned nothing and leaves the model as it was")
        else:
            said.append(f"{method} leaves {_remainder_text(figures[HELD_OUT])}")
    return (
        f"{name}: on professions and templates that were not taught, KL to {target.name} shares is "
        f"{first['before']:.4f} before; {'; '.join(said)}."
    )


def _remainder_text(held: Mapping[str, Any]) -> str:
    change, before, after = held["change"], held["before"], held["after"]["value"]
    if change["high"] is None:
        sure = "one seed says little of how sure that is"
    elif change["high"] < 0:
        sure = "it falls, by its interval over seeds"
    elif change["low"] > 0:
        sure = "it rises, by its interval over seeds"
    else:
        sure = "whether it falls is not known"
    kept = f" ({after / before:.0%} of it)" if before else ""
    return f"{after:.4f}{kept}: {sure}"
