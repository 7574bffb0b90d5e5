"""A ranked list of components is ablated, all of it and part by part, beside as many components at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fairlint.model import effects
from fairlint.model.ablation import How, ablated, ablation_of, random_sets, sizes, some_of
from fairlint.model.anatomy import Component
from fairlint.model.data.code_prompts import Code
from fairlint.model.data.loading import DataSet
from fairlint.model.data.neutral_text import NeutralText
from fairlint.model.data.stereoset import StereoSet
from fairlint.model.data.winogender import WinoGender
from fairlint.model.effects import Effect, Table
from fairlint.model.likelihood import tokens_of
from fairlint.model.loading import Loaded
from fairlint.records import Record

Measure = Callable[[Loaded], Table]
Done = Callable[[int, int], None]


class Step(Record):
    """One ablation, measured."""

    kind: str
    """`list` for the first components of the list, `control` for others that were drawn."""
    components: tuple[str, ...]
    effects: tuple[Effect, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """The same as JSON."""
        told = [one.as_json for one in self.effects]
        return {"kind": self.kind, "components": list(self.components), "effects": told}


def measures(data: Sequence[DataSet], *, limit: int | None = None) -> tuple[list[Measure], list[str]]:
    """How each set of data is measured, and texts of all of them in equal parts, for means.

    `limit` takes as many items of each set, spread over it.
    """
    found: list[Measure] = []
    texts: list[list[str]] = []
    for one in data:
        if isinstance(one, StereoSet):
            stereoset = _some(one.of("intrasentence"), limit)
            found.append(partial(effects.measure_stereoset, items=stereoset))
            texts.append([text for item in stereoset for text in (item.stereotype, item.anti_stereotype)])
        elif isinstance(one, WinoGender):
            winogender = _some(one.items, limit)
            found.append(partial(effects.measure_winogender, items=winogender))
            texts.append([text for item in winogender for text in (item.male, item.female)])
        elif isinstance(one, Code):
            code = _some(one.of("named", "gender"), limit)
            found.append(partial(effects.measure_code, items=code))
            texts.append([item.prompt for item in code])
        elif isinstance(one, NeutralText):
            passages = _some(one.passages, limit)
            found.append(partial(effects.measure_text, items=passages))
            texts.append(list(passages))
        else:
            raise TypeError(f"{type(one).__name__} is not measured before and after")
    return found, _mixed(texts)


MOST_TEXTS = 64
"""Texts of each set of data that means are taken over."""


def _mixed(texts: Sequence[Sequence[str]]) -> list[str]:
    """As many texts of each set."""
    least = min(MOST_TEXTS, *map(len, texts)) if texts else 0
    return [text for some in texts for text in _some(some, least)]


def _some(items: Sequence[Any], limit: int | None) -> list[Any]:
    """At most `limit` items, evenly spread."""
    if limit is None or len(items) <= limit:
        return list(items)
    return [items[place * len(items) // limit] for place in range(limit)]


def tokens(loaded: Loaded, texts: Sequence[str]) -> list[list[int]]:
    """Texts as a model reads them, those of two tokens or more."""
    found = ([*loaded.start, *tokens_of(loaded, text)] for text in texts)
    return [one for one in found if len(one) > 1]


def ablate(
    loaded: Loaded,
    components: Sequence[Component],
    how: How,
    measured: Sequence[Measure],
    reference: Sequence[Sequence[int]],
    *,
    controls: int = 5,
    seed: int = 0,
    curve: bool = True,
    done: Done | None = None,
) -> list[Step]:
    """What each prefix of the list (1, 2, 4, … components) does to every figure, then what controls do.

    `reference` are the texts, as tokens, whose values `mean` and `resample` take. A control ablates as many
    components as the whole list has (see `random_sets`). Raises ModelError where the model lacks a component
    or memory.
    """
    listed = tuple(dict.fromkeys(components))
    whole = ablation_of(loaded, listed, how, reference, seed=seed)
    drawn = random_sets(loaded.anatomy, listed, controls, seed=seed)
    counts = sizes(len(listed)) if curve else (len(listed),)
    jobs = [("list", some_of(whole, listed[:count])) for count in counts]
    jobs += [("control", ablation_of(loaded, some, how, reference, seed=seed)) for some in drawn]
    before = [measure(loaded) for measure in measured]
    if done:
        done(1, len(jobs) + 1)
    found = []
    for number, (kind, change) in enumerate(jobs):
        with ablated(loaded, change):
            after = [measure(loaded) for measure in measured]
        told = [
            effect
            for first, second in zip(before, after, strict=True)
            for effect in effects.effects(first, second, seed=seed)
        ]
        found.append(Step(kind, tuple(map(str, change.components)), tuple(told)))
        if done:
            done(number + 2, len(jobs) + 1)
    return found
