"""What `fairlint model locate` tells and keeps: figures, effects of each pair, heads for ablation."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.model_bias.anatomy import Component
from fairlint.model_bias.attribution import WARNING, Effects
from fairlint.model_bias.contrasts import DIRECTION, METRIC
from fairlint.model_bias.locating import (
    FOREMOST,
    Agreement,
    Located,
    Means,
    agreement,
    draws,
    foremost,
    heads_of,
    means,
    overlap_of_foremost,
    p_values,
    with_early,
)
from fairlint.model_bias.residuals import DEFINITION, Residuals
from fairlint.model_bias.results import LARGEST
from fairlint.model_bias.shown import Curves, Dots, Heat, Line, Shown, Table
from fairlint.statistics.intervals import benjamini_hochberg
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record, field_names

PAIRS = "pairs.json"
KINDS = ("attribution", "exact", "gradient_activation")

DEFINITIONS = {
    "metric": METRIC,
    "direction": DIRECTION,
    "ways": "each pair is measured both ways: either prompt is once the clean one",
    "effect": "metric of the patched run minus metric of the clean run, mean over pairs both ways; below 0 a "
    "part carries the association of the clean prompt with its typical answer",
    "attribution": "(corrupted value - clean value) x gradient at the clean run, the estimate of the effect",
    "exact": "the effect by a pass of its own; null where a head was not patched",
    "with_early": "attribution, with the exact effects of heads in the first tenth of all layers",
    "gradient_activation": WARNING,
    "low, high": "95 % bootstrap interval over the pairs' subjects, uncorrected",
    "adjusted": "p-value of the exact effect (Student's t over subjects, two-sided) after Benjamini and "
    "Hochberg's adjustment over all heads of the model; heads that were not patched count as 1",
    "spearman_within": "the mean over ways of pairs of each one's own rank correlation over parts",
    "overlap": f"how many of the {FOREMOST} heads with the largest effects by attribution are among the "
    f"{FOREMOST} by exact patching",
}

ABOUT_STEREOSET = (
    "a pair's first answer is the stereotype of the item's target, and its way back asks about another one "
    "of the kind, of whom StereoSet says nothing: it measures the same effect with the signs of both answers "
    "turned round"
)


def definitions(data: Sequence[str], *, residual: bool = False) -> dict[str, str]:
    """Return what figures of these data are."""
    found = {**DEFINITIONS, "residual": DEFINITION} if residual else DEFINITIONS
    if any(name.partition(":")[0] == "stereoset" for name in data):
        return {**found, "stereoset": ABOUT_STEREOSET}
    return found


class Reloaded(Record, eq=False):
    """Effects as they were kept."""

    pairs: tuple[Mapping[str, Any], ...]
    """Each way of each pair: id, subject, direction, prompts, answers, and the metric of both (`metric`)."""
    attribution: Effects
    exact: Effects
    gradient_activation: Effects


def figures(found: Located, seed: int = 0) -> dict[str, Any]:
    """Return the figures of one set of pairs, as JSON."""
    counts = draws([one.subject for one in found.contrasts], seed)
    guess = found.attribution
    flat = len(found.contrasts), -1
    adjusted = _adjusted_p_values(found)
    kinds = {
        "attribution": guess.patching,
        "exact": found.exact,
        "gradient_activation": guess.gradient_activation,
    }
    told: dict[str, Any] = {
        "pairs": len({frozenset((one.clean, one.corrupted)) for one in found.contrasts}),
        "ways": len(found.contrasts),
        "subjects": len({one.subject for one in found.contrasts}),
        "heads": found.exact.heads[0].size,
        "directions": _count_names(one.direction for one in found.contrasts),
        "clean": _means_record(means(guess.clean, counts)),
        "corrupted": _means_record(means(guess.corrupted, counts)),
        "effects": {
            kind: {part: _means_record(means(getattr(one, part), counts)) for part in field_names(Effects)}
            for kind, one in kinds.items()
        },
        "top": [
            {
                "component": str(one),
                **{
                    kind: _means_record(means(kinds[kind].of(one), counts))
                    for kind in ("attribution", "exact")
                },
                "adjusted": adjusted[str(one)],
            }
            for one in rank_heads(found)
        ],
        "agreement": {},
        "seconds": {name: round(value, 3) for name, value in found.seconds.items()},
        "passes": found.passes,
    }
    exact = found.exact
    mixed = with_early(guess.patching.heads, exact.heads)
    told["agreement"]["with_early"] = {
        "heads": _agreement_record(
            agreement(mixed.reshape(flat), exact.heads.reshape(flat), counts, FOREMOST)
        )
    }
    for name in ("patching", "gradient_activation"):
        other = getattr(guess, name)
        of_heads, of_mlps = exact.heads.reshape(flat), exact.mlps.reshape(flat)
        if name != "patching":  # which has no sign
            of_heads, of_mlps = abs(of_heads), abs(of_mlps)
        told["agreement"]["attribution" if name == "patching" else name] = {
            "heads": _agreement_record(agreement(other.heads.reshape(flat), of_heads, counts, FOREMOST)),
            "mlps": _agreement_record(agreement(other.mlps.reshape(flat), of_mlps, counts)),
        }
    return told


def residual_record(found: Residuals, subjects: Sequence[str], seed: int = 0) -> dict[str, Any]:
    """Return the mean effects of the residual stream by layer, as JSON."""
    counts = draws(subjects, seed)
    return {name: _means_record(means(getattr(found, name), counts)) for name in field_names(Residuals)}


def residual_curves(data: str, told: Mapping[str, Any]) -> list[Shown]:
    """Return the picture of `residual_record`."""
    lines = tuple(
        Line(
            title,
            tuple(range(len(told[kind]["value"]))),
            *(tuple(told[kind][name]) for name in _COLUMNS),
        )
        for kind, title in (("exact", "exact patching"), ("attribution", "attribution"))
    )
    note = (
        "Effect of the stream behind each block at the place of the answer; the last is the whole difference."
    )
    return [
        Curves(f"{_slug(data)}-residual", f"{data}: the residual stream", note, "layer", "effect", lines, 0.0)
    ]


def _adjusted_p_values(found: Located) -> dict[str, float]:
    """Return head → p-value of its exact effect, adjusted for all heads, of which the foremost are."""
    values = p_values(found.exact.heads, [one.subject for one in found.contrasts]).ravel()
    names = map(str, heads_of(found.exact))
    return dict(zip(names, benjamini_hochberg(values.tolist()), strict=True))


def rank_heads(found: Located) -> list[Component]:
    """Return the foremost heads by exact patching, among those that were patched."""
    return foremost(found.exact, FOREMOST)


def carriers(found: Located) -> list[Component]:
    """Return those of the foremost heads that push towards the typical answer, the strongest first."""
    return [one for one in rank_heads(found) if float(found.exact.of(one).mean()) < 0]


def heads_file(found: Located, data: str, model: str) -> dict[str, Any]:
    """Return what `fairlint model ablate --heads` and `fairlint bench --ablate` take.

    It names the prompts that the heads were chosen on, so that they are not measured on them as well.
    """
    return {
        "components": [str(one) for one in carriers(found)],
        "model": model,
        "data": data,
        "prompts": sorted({text for one in found.contrasts for text in one.texts}),
        "chosen": f"of the {FOREMOST} foremost heads those that push towards the typical answer, in order",
    }


def overlap(one: Located, other: Located, seed: int = 0) -> dict[str, Any]:
    """Return how many of the foremost heads two sets of pairs share, and how many two random sets would."""
    by = "exact" if _has_all_heads(one.exact) and _has_all_heads(other.exact) else "attribution"
    values = [found.exact if by == "exact" else found.attribution.patching for found in (one, other)]
    flat = [effects.heads.reshape(len(effects.heads), -1) for effects in values]
    counts = [
        draws([contrast.subject for contrast in found.contrasts], seed + place)
        for place, found in enumerate((one, other))
    ]
    shared = overlap_of_foremost(flat[0], flat[1], (counts[0], counts[1]))
    sets = [{str(head) for head in foremost(effects)} for effects in values]
    top = min(FOREMOST, flat[0].shape[1])  # a small model has no more heads
    return {
        "by": by,
        "top": top,
        "shared": shared._asdict(),
        "by_chance": top * top / flat[0].shape[1],
        "heads": sorted(sets[0] & sets[1], key=lambda name: tuple(map(int, name.split(".")))),
    }


def _has_all_heads(effects: Effects) -> bool:
    """Return whether all heads were measured."""
    import numpy  # noqa: PLC0415 (an extra)

    return not numpy.isnan(effects.heads).any()


def effects_record(found: Located, stream: Residuals | None = None) -> dict[str, Any]:
    """Return the effects of each pair, as JSON."""
    guess = found.attribution
    more = {name: _plain_values(getattr(stream, name)) for name in field_names(Residuals)} if stream else {}
    return {
        **({"residual": more} if more else {}),
        "pairs": [
            {**one.told, "metric": [float(guess.clean[place]), float(guess.corrupted[place])]}
            for place, one in enumerate(found.contrasts)
        ],
        **{
            kind: {part: _plain_values(getattr(effects, part)) for part in field_names(Effects)}
            for kind, effects in zip(
                KINDS, (guess.patching, found.exact, guess.gradient_activation), strict=True
            )
        },
    }


def read_pairs(folder: Path) -> dict[str, Reloaded]:
    """Return the effects of each pair that `fairlint model locate --output FOLDER` kept, by the name of the
    data.

    Raises UsageError where there is no such file, or it is of another form.
    """
    import numpy  # noqa: PLC0415 (an extra)

    path = folder / "locate" / PAIRS
    try:
        told = read_json(read_file(path, LARGEST))
        return {
            data: Reloaded(
                tuple(one["pairs"]),
                *(
                    Effects(*(numpy.array(one[kind][part], dtype=float) for part in field_names(Effects)))
                    for kind in KINDS
                ),
            )
            for data, one in told.items()
        }
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    except (AttributeError, KeyError, OverflowError, TypeError):
        raise UsageError(f"{path} does not hold effects of pairs") from None


def _plain_values(values: Any) -> Any:
    """Arrays as lists; NaN as None."""
    if isinstance(values, float):
        return None if math.isnan(values) else values
    return (
        [_plain_values(one) for one in values] if isinstance(values, list) else _plain_values(values.tolist())
    )


def _means_record(told: Means) -> dict[str, Any]:
    return {name: _plain_values(getattr(told, name)) for name in field_names(Means)}


def _agreement_record(told: Agreement) -> dict[str, Any]:
    found: dict[str, Any] = {"parts": told.parts, "top": told.top}
    for name in ("spearman", "spearman_within", "pearson", "overlap"):
        bounds = getattr(told, name)
        found[name] = None if bounds is None else bounds._asdict()
    return found


def _count_names(names: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def lines(data: str, told: Mapping[str, Any]) -> Sequence[str]:
    """Return the figures of one set of pairs for a terminal."""
    heads, mlps = told["agreement"]["attribution"]["heads"], told["agreement"]["attribution"]["mlps"]
    other = told["agreement"]["gradient_activation"]["heads"]
    size = f"{data}: {told['pairs']} pairs of {told['subjects']} subjects, both ways"
    said = [
        (
            f"{size}; metric of clean prompts {_bounds_text(told['clean'])}, "
            f"of corrupted {_bounds_text(told['corrupted'])}"
        ),
        "",
        f"  {'head':<8}{'exact':>26}{'attribution':>26}{'adjusted p':>12}",
    ]
    said += [
        f"  {one['component']:<8}{_bounds_text(one['exact']):>26}{_bounds_text(one['attribution']):>26}"
        f"{one['adjusted']:>12.3f}"
        for one in told["top"]
    ]
    said += ["", f"  attribution and exact patching of {heads['parts']} heads: {_agreement_text(heads)}"]
    mixed = told["agreement"]["with_early"]["heads"]
    if mixed["overlap"] is not None:
        said.append(f"  with exact patching in the first tenth of layers: {_agreement_text(mixed)}")
    said.append(f"  of {mlps['parts']} MLPs: {_agreement_text(mlps)}")
    said.append(f"  |gradient x activation| and the sizes of the heads' effects: {_agreement_text(other)}")
    seconds = told["seconds"]
    if seconds["exact"]:
        said.append(
            f"  {seconds['attribution']:.1f} s for attribution of all parts, {seconds['exact']:.1f} s for "
            f"exact patching of {told['passes']}"
        )
    return said


def pictures(data: str, told: Mapping[str, Any]) -> list[Shown]:
    """Return what the page shows of one set of pairs: heat maps, attribution beside exact patching, the
    foremost.
    """
    effects = told["effects"]
    note = "Mean effect over pairs; below 0 a head pushes towards the answer typical of the clean prompt."
    slug = _slug(data)
    found: list[Shown] = []
    for kind, title in (("exact", "exact patching"), ("attribution", "attribution patching")):
        values = effects[kind]["heads"]["value"]
        if all(value is not None for layer in values for value in layer):
            rows = tuple(tuple(layer) for layer in values)
            found.append(Heat(f"{slug}-{kind}", f"{data}: heads by {title}", note, rows, "effect"))
    guess, exact = effects["attribution"], effects["exact"]
    points = [
        (str(Component(layer, head)), guess["heads"]["value"][layer][head], value)
        for layer, heads in enumerate(exact["heads"]["value"])
        for head, value in enumerate(heads)
        if value is not None
    ]
    points += [
        (str(Component(layer)), guess["mlps"]["value"][layer], value)
        for layer, value in enumerate(exact["mlps"]["value"])
    ]
    agreeing = _agreement_text(told["agreement"]["attribution"]["heads"])
    title = f"{data}: attribution against exact patching"
    said = f"Heads that were patched, and MLPs. Heads: {agreeing}."
    found.append(
        Dots(
            f"{slug}-agreement",
            title,
            said,
            "attribution",
            "exact",
            tuple(points),
            diagonal=True,
            marked="mlp",
            unmarked="heads",
        )
    )
    rows = tuple(
        (
            one["component"],
            *(one[kind][name] for kind in ("exact", "attribution") for name in _COLUMNS),
            one["adjusted"],
        )
        for one in told["top"]
    )
    columns = (
        "head", "exact", "exact low", "exact high",
        "attribution", "attribution low", "attribution high", "adjusted p",
    )  # fmt: skip
    found.append(Table(f"{slug}-foremost", f"{data}: the foremost heads", note, columns, rows))
    return found


def _slug(data: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", data.lower()).strip("-") or "pairs"


_COLUMNS = ("value", "low", "high")


def _agreement_text(told: Mapping[str, Any]) -> str:
    both = (
        f"Spearman {_bounds_text(told['spearman'])}, pair by pair {_bounds_text(told['spearman_within'])}, "
        f"Pearson {_bounds_text(told['pearson'])}"
    )
    if told["overlap"] is None:
        return both
    return f"{both}, {told['overlap']['value']:.0f} of the {told['top']} foremost the same"


def _bounds_text(bounds: Mapping[str, float] | None) -> str:
    if bounds is None:
        return "-"
    return f"{bounds['value']:+.3f} [{bounds['low']:+.3f}, {bounds['high']:+.3f}]"
