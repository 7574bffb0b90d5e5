"""A ranked list of components is ablated, all of it and part by part, beside as many components at random."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from fairlint.model_bias import effects
from fairlint.model_bias.ablation import How, ablate_components, ablation_of, random_sets, sizes, some_of
from fairlint.model_bias.anatomy import Component
from fairlint.model_bias.data.code_prompts import Code
from fairlint.model_bias.data.loading import DataSet
from fairlint.model_bias.data.neutral_text import NeutralText
from fairlint.model_bias.data.records import some
from fairlint.model_bias.data.stereoset import StereoSet
from fairlint.model_bias.data.winogender import WinoGender
from fairlint.model_bias.effects import Effect, Question, Table
from fairlint.model_bias.likelihood import tokens_of
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scanning import EACH
from fairlint.support.records import Record

_Item = TypeVar("_Item")
Done = Callable[[int, int], None]
Kept = Mapping[str, Sequence[Table]]
"""What was measured, by the name of the state of the model (see `ablate`)."""


class Step(Record):
    """One ablation, measured."""

    kind: str
    """`list` for the first components of the list, `control` for others that were drawn, `each` for one."""
    components: tuple[str, ...]
    effects: tuple[Effect, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """The same as JSON."""
        told = [one.as_json for one in self.effects]
        return {"kind": self.kind, "components": list(self.components), "effects": told}


def questions(
    loaded: Loaded,
    data: Sequence[DataSet],
    *,
    limit: int | None = None,
    without: Collection[str] = (),
    names: Sequence[str] = (),
) -> tuple[list[Question], list[str]]:
    """Return what the model is asked about each set of data, and texts of all of them in equal parts, for
    means.

    `limit` takes as many items of each set, drawn at random. Items whose prompt is in `without` are left out:
    those that the components were chosen on. `names` are what the sets are called, such as `stereoset:race`
    of its items of one type of bias. Raises ModelError for data that the model cannot be asked about,
    as masked models about code.
    """

    def drawn(items: Sequence[_Item]) -> list[_Item]:
        return [one for one in some(items, limit) if getattr(one, "prompt", None) not in without]

    found: list[Question] = []
    texts: list[list[str]] = []
    for place, one in enumerate(data):
        if isinstance(one, StereoSet):
            stereoset = drawn(one.of("intrasentence"))
            name = names[place] if names else "stereoset"
            found.append(effects.question(loaded, name, stereoset))
            texts.append([text for item in stereoset for text in (item.stereotype, item.anti_stereotype)])
        elif isinstance(one, WinoGender):
            winogender = drawn(one.items)
            found.append(effects.question(loaded, "winogender", winogender))
            texts.append([text for item in winogender for text in (item.male, item.female)])
        elif isinstance(one, Code):
            code = drawn(one.of("named", "gender"))
            found.append(effects.question(loaded, "code", code))
            texts.append([item.prompt for item in code])
        elif isinstance(one, NeutralText):
            passages = drawn(one.passages)
            found.append(effects.question(loaded, "text", passages))
            texts.append(list(passages))
        else:
            raise TypeError(f"{type(one).__name__} is not measured before and after")
    return found, _mix_texts(texts)


MOST_TEXTS = 64
"""Texts of each set of data that means are taken over."""


def _mix_texts(texts: Sequence[Sequence[str]]) -> list[str]:
    """As many texts of each set."""
    least = min(MOST_TEXTS, *map(len, texts)) if texts else 0
    return [text for one in texts for text in some(one, least)]


def tokens(loaded: Loaded, texts: Sequence[str]) -> list[list[int]]:
    """Texts as a model reads them, those of two tokens or more."""
    found = (loaded.whole_text(tokens_of(loaded, text)) for text in texts)
    return [one for one in found if len(one) > 1]


def ablate(
    loaded: Loaded,
    components: Sequence[Component],
    how: How,
    asked: Sequence[Question],
    reference: Sequence[Sequence[int]],
    *,
    controls: int = 5,
    seed: int = 0,
    keep_first: bool = False,
    curve: bool = True,
    each: bool = False,
    known: Kept | None = None,
    keep: Callable[[str, Sequence[Table]], None] | None = None,
    done: Done | None = None,
) -> list[Step]:
    """Return what each prefix of the list (1, 2, 4, … components) does to every figure, then what controls
    do.

    `reference` are the texts, as tokens, whose values `mean` and `resample` take. A control ablates as many
    components as the whole list has (see `random_sets`). `keep` is given what was measured of each state of
    the model, `known` has what an earlier run kept, and `done` is told how many of how many states are
    measured. `keep_first` is that of `Ablation`. With `each`, every component is switched off alone, and
    there are no controls. Raises ModelError where the model lacks a component or memory.
    """
    listed = tuple(dict.fromkeys(components))
    whole = ablation_of(loaded, listed, how, reference, seed=seed, keep_first=keep_first)
    jobs: list[tuple[str, tuple[Component, ...]]]
    if each:
        jobs = [(EACH, (one,)) for one in listed]
    else:
        drawn = random_sets(loaded.anatomy, listed, controls, seed=seed)
        counts = states(listed, curve=curve)
        jobs = [("list", listed[:count]) for count in counts] + [("control", some) for some in drawn]
    total = len(jobs) + 1

    def measured(name: str) -> Sequence[Table]:
        if known and name in known:
            return known[name]
        found = [effects.measure(loaded, one) for one in asked]
        if keep:
            keep(name, found)
        return found

    before = measured("before")
    if done:
        done(1, total)
    found = []
    for number, (kind, changed) in enumerate(jobs):
        name = f"{kind} {number}"
        if known and name in known:
            after = known[name]
        else:
            change = (
                some_of(whole, changed)
                if kind != "control"
                else ablation_of(loaded, changed, how, reference, seed=seed, keep_first=keep_first)
            )
            with ablate_components(loaded, change):
                after = measured(name)
        told = [
            effect
            for first, second in zip(before, after, strict=True)
            for effect in effects.effects(first, second, seed=seed)
        ]
        found.append(Step(kind, tuple(map(str, changed)), tuple(told)))
        if done:
            done(number + 2, total)
    return found


def states(components: Sequence[Component], *, curve: bool) -> tuple[int, ...]:
    """Return how many components of the list are switched off in each state of the model that is measured."""
    return sizes(len(components)) if curve else (len(components),)
