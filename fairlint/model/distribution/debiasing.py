"""A model before and after it was moved towards a target: what was gained, and what it cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.intervals import LEVEL
from fairlint.model.data.neutral_text import load_neutral_text
from fairlint.model.distribution.adapters import Trained
from fairlint.model.distribution.erasing import Erased
from fairlint.model.distribution.measuring import DEFINITIONS as SHARES
from fairlint.model.distribution.measuring import Shares, divergences, measure
from fairlint.model.distribution.questions import Questions
from fairlint.model.distribution.sentences import sentences
from fairlint.model.distribution.shares import kinds
from fairlint.model.distribution.splits import Splits
from fairlint.model.distribution.targets import Target
from fairlint.model.distribution.training import History, Lesson, Settings, train
from fairlint.model.loading import Loaded
from fairlint.model.scores.perplexity import perplexity
from fairlint.model.scores.scoring import score, task
from fairlint.records import Record

DATA = ("stereoset", "winogender", "crows-pairs", "text")
"""What is measured beside the shares; `text` is perplexity."""
TEXT = 400
"""Passages that perplexity is taken over; the others teach."""
ADAPTER = "adapter"
DEFINITIONS = {
    **SHARES,
    "kl.held-out": "KL(target || share) on professions and templates that were not taught, in nats, mean "
    "over professions; its kind of share is the first of the model's",
    "kl.taught": "the same on the professions and templates that were taught",
    "perplexity": f"exp of the mean -ln P a token of {TEXT} plain sentences that were not taught",
    "low, high": "95 % interval over seeds by Student's t; none for a single seed",
    "at_floor": "in how many steps lambda was at its floor, as a share; None where the target is equal",
}


class State(Record):
    """A model's figures at one time."""

    figures: Mapping[str, float]
    held_out: Shares
    """Of the professions that are held out, in templates that are."""


class Result(Record):
    """One training."""

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
    target: Target,
    splits: Splits,
    *,
    text: Sequence[str],
    data: Sequence[str] = DATA,
    limit: int | None = None,
) -> State:
    """All figures of a model as it is now. Raises ModelError."""
    figures: dict[str, float] = {}
    held_out: Shares = ()
    for label, professions, part in (
        ("held-out", splits.test, "test"),
        ("taught", splits.train, "train"),
    ):
        only = None if label == "held-out" else kinds(loaded)[:1]
        found = measure(loaded, questions, professions, questions.of(part), only=only)
        for kind, shares in found.items():
            values = divergences(target.of(professions), shares)
            name = f"kl.{label}" if kind == kinds(loaded)[0] else f"kl.{label}.{kind}"
            figures[name] = math.fsum(values) / len(values)
        if label == "held-out":
            held_out = found[kinds(loaded)[0]]
    for name in data:
        figures.update(_scores(loaded, name, text, limit))
    return State(figures, held_out)


def _scores(loaded: Loaded, name: str, text: Sequence[str], limit: int | None) -> dict[str, float]:
    if name == "text":
        return {"perplexity": perplexity(loaded, text).value.mean} if text else {}
    found: Any = score(loaded, task(loaded, name, limit=limit))
    if name == "stereoset":
        all_of = next(one for one in found if one.task == "intrasentence" and one.bias_type == "overall")
        return {"SS": all_of.ss.mean, "LMS": all_of.lms.mean}
    if name == "crows-pairs":
        return {"CrowS-Pairs": next(one for one in found if one.bias_type == "overall").stereotype.mean}
    told = {"WinoGender he - she": found[0].gap.mean}
    if found[0].r_bls is not None:
        told["WinoGender r"] = found[0].r_bls.mean
    return told


def debias(
    loaded: Loaded,
    lesson: Lesson,
    settings: Settings,
    *,
    folder: Path,
    measured: Callable[[], State],
    progress: Callable[[int, int, float], None] | None = None,
) -> Result:
    """Train with the settings' seed, save the adapter into `folder`, measure, leave the model as it was.

    Raises ModelError, and UsageError where the folder cannot be written.
    """
    trained: Trained | Erased
    if settings.method == "leace":
        asked = lesson.questions
        some = sentences(loaded, asked, lesson.splits.train, asked.of("train"))
        trained, history = Erased(loaded, some, len(asked.groups)), History((), -1, 0, None)
    else:
        trained, history = train(loaded, lesson, settings, folder=folder, progress=progress)
    try:
        trained.save(folder / ADAPTER)
        after = measured()
    finally:
        trained.remove()
    return Result(settings.seed, history, after)


def over_seeds(values: Sequence[float]) -> dict[str, float | None]:
    """The mean over seeds and its interval by Student's t; no bounds for one seed."""
    from scipy import stats  # noqa: PLC0415 (an extra)

    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return {"value": mean, "low": None, "high": None}
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(values) - 1)) * spread / math.sqrt(len(values))
    return {"value": mean, "low": mean - half, "high": mean + half}


def compared(before: State, results: Sequence[Result]) -> dict[str, Any]:
    """Each figure before, after over seeds, and what it changed by, as JSON."""
    found: dict[str, Any] = {}
    for name, value in before.figures.items():
        after = [one.after.figures[name] for one in results if name in one.after.figures]
        if after:
            found[name] = {
                "before": value,
                "after": over_seeds(after),
                "change": over_seeds([each - value for each in after]),
                "seeds": after,
            }
    return found


def warnings(figures: Mapping[str, Any], target: Target) -> list[str]:
    """What somebody who only looks at the divergence would overlook."""
    found = []
    stereotype = figures.get("SS")
    if stereotype and abs(stereotype["after"]["value"] - 50) > abs(stereotype["before"] - 50):
        found.append(
            f"towards {target.name} shares the stereotype score moves away from 50: "
            f"{stereotype['before']:.1f} before, {stereotype['after']['value']:.1f} after"
        )
    text = figures.get("perplexity")
    if text and text["after"]["value"] > 1.02 * text["before"]:
        rise = 100 * (text["after"]["value"] / text["before"] - 1)
        found.append(f"perplexity rises by {rise:.1f} %: a larger --gamma holds the model to plain text")
    return found


def verdict(figures: Mapping[str, Any], name: str, target: Target) -> str:
    """One sentence that says what the intervals support."""
    held = figures["kl.held-out"]
    change, before = held["change"], held["before"]
    kept = f"{held['after']['value'] / before:.0%} of it is left" if before else "it was 0 before"
    if change["high"] is None:
        sure = "one seed says little of how sure that is"
    elif change["high"] < 0:
        sure = "it falls, over all seeds"
    elif change["low"] > 0:
        sure = "it rises, over all seeds"
    else:
        sure = "whether it falls cannot be told"
    return (
        f"{name}: on professions and templates that were not taught, KL to {target.name} shares is "
        f"{before:.4f} before and {held['after']['value']:.4f} after ({kept}); {sure}."
    )
