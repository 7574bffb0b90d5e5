"""What the page shows of `fairlint model probe`: how well each layer tells, and the best of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.model_bias.shown import Curves, Line, Shown, Table, interval

Reading = Mapping[str, Any]


def pictures(figures: Mapping[str, Sequence[Reading]]) -> list[Shown]:
    """Curves over layers, a figure for each label, and a table of the best layers."""
    rows = []
    found: list[Shown] = []
    for label, readings in figures.items():
        lines = []
        for what in dict.fromkeys(one["kept_together"] for one in readings):
            some = [one for one in readings if one["kept_together"] == what]
            lines += [
                _line_of_readings(f"{what}s kept together", "accuracy", some),
                _line_of_readings(f"{what}s, shuffled", "control", some),
            ]
            best = max(some, key=lambda one: one["selectivity"]["value"])
            right, more = best["accuracy"], best["selectivity"]
            rows.append((
                label, what, best["layer"], right["value"], interval(right["low"], right["high"]),
                more["value"], interval(more["low"], more["high"]), best.get("auc"),
            ))  # fmt: skip
        slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
        note = "Layer 0 is the embedding. Dashed: chance. Shuffled labels say what a probe finds in noise."
        found.append(
            Curves(slug, f"{label}: accuracy by layer", note, "layer", "accuracy", tuple(lines), 0.5)
        )
    columns = ("label", "kept together", "best layer", "accuracy", "95 %", "selectivity", "95 % ", "AUC")
    note = "The layer of the highest selectivity: accuracy less that of shuffled labels."
    return [Table("best", "The best layers", note, columns, tuple(rows)), *found]


def _line_of_readings(label: str, name: str, readings: Sequence[Reading]) -> Line:
    return Line(
        label,
        tuple(float(one["layer"]) for one in readings),
        *(tuple(one[name][bound] for one in readings) for bound in ("value", "low", "high")),
    )
