"""Each head and each MLP switched off alone: what changes, adjusted for all that were tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.statistics.intervals import benjamini_hochberg

if TYPE_CHECKING:
    from fairlint.model_bias.ablating import Step

EACH = "each"
"""The kind of a step in which one component is off."""
SHOWN = 10
"""Components that a terminal shows of each figure: those that change it the most."""
Effect = Mapping[str, Any]


def is_scan(figures: Mapping[str, Any]) -> bool:
    """Return whether figures of `fairlint model ablate` are of single components."""
    return any(one["kind"] == EACH for one in figures["steps"])


def adjust(steps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return steps as JSON; those of a scan with `adjusted` in each effect, its p-value over all components
    and figures.
    """
    if not is_scan({"steps": steps}):
        return list(steps)
    values = [effect["p"] for one in steps for effect in one["effects"]]
    adjusted = iter(benjamini_hochberg(values))
    return [
        {**one, "effects": [{**effect, "adjusted": next(adjusted)} for effect in one["effects"]]}
        for one in steps
    ]


def effects_by_figure(steps: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Effect]]:
    """Return figure → component → its effect, those that change the figure the most first."""
    found: dict[str, dict[str, Effect]] = {}
    for one in steps:
        (component,) = one["components"]
        for effect in one["effects"]:
            found.setdefault(effect["figure"], {})[component] = effect
    return {
        figure: dict(sorted(effects.items(), key=lambda each: -abs(each[1]["difference"] or 0.0)))
        for figure, effects in found.items()
    }


def lines(steps: Sequence[Step], how: str) -> Iterator[str]:
    """Yield the components that change each figure the most, for a terminal."""
    yield f"{len(steps)} components, each ablated alone; {how}."
    for figure, effects in effects_by_figure(adjust([one.as_json for one in steps])).items():
        before = next(iter(effects.values()))["before"]
        yield ""
        yield f"{figure}: {_text(before)} before; the {min(SHOWN, len(effects))} largest changes"
        yield f"  {'component':<11}{'after':>12}{'difference':>13}{'95 %':>26}{'adjusted p':>12}"
        for name, one in list(effects.items())[:SHOWN]:
            bounds = f"({_text(one['low'], '+')} to {_text(one['high'], '+')})"
            yield (
                f"  {name:<11}{_text(one['after']):>12}{_text(one['difference'], '+'):>13}{bounds:>26}"
                f"{one['adjusted']:>12.3f}"
            )


def _text(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.3f}"
