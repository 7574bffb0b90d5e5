"""What the page shows of `fairlint model ablate`: before and after, beside controls, and along the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.model_bias.report import scan
from fairlint.model_bias.scanning import is_scan
from fairlint.model_bias.shown import Curves, Line, Shown, Table, Value, interval


def pictures(figures: Mapping[str, Any]) -> list[Shown]:
    """Return a table of the whole list beside controls, and a curve for each figure along the list."""
    steps: Sequence[Mapping[str, Any]] = figures["steps"]
    if is_scan(figures):
        return scan.pictures(steps)
    listed = [one for one in steps if one["kind"] == "list"]
    controls = [one for one in steps if one["kind"] == "control"]
    last = listed[-1]
    rows: list[tuple[Value, ...]] = []
    found: list[Shown] = []
    for place, one in enumerate(last["effects"]):
        others = [
            value for control in controls if (value := control["effects"][place]["difference"]) is not None
        ]
        reach = interval(min(others), max(others)) if others else ()
        rows.append((
            one["figure"], one["before"], one["after"], one["difference"],
            interval(one["low"], one["high"]), reach,
        ))  # fmt: skip
        known = [step for step in listed if None not in step["effects"][place].values()]
        if len(known) > 1:
            found.append(_effect_curve(one["figure"], place, known))
    note = (
        f"{len(last['components'])} components: {', '.join(last['components'])}. As many drawn at random "
        "change figures as the last column says."
    )
    columns = ("figure", "before", "after", "difference", "95 %", "at random")
    return [Table("effects", "Before and after", note, columns, tuple(rows)), *found]


def _effect_curve(figure: str, place: int, listed: Sequence[Mapping[str, Any]]) -> Curves:
    effects = [one["effects"][place] for one in listed]
    before = effects[0]["before"]
    return Curves(
        figure.replace(".", "-").replace(":", "-"),
        f"{figure} as more components are switched off",
        "With the bounds of the difference to the whole model, shown at 0 components.",
        "components",
        figure,
        (
            Line(
                figure,
                (0.0, *(float(len(one["components"])) for one in listed)),
                (before, *(one["after"] for one in effects)),
                (before, *(before + one["low"] for one in effects)),
                (before, *(before + one["high"] for one in effects)),
            ),
        ),
        before,
    )
