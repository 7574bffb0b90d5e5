"""What the page shows of `fairlint model debias`: gain against cost, how training went, each profession."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.model.shown import Curves, Dumbbells, Line, Shown, Table, interval


def pictures(
    figures: Mapping[str, Any],
    seeds: Sequence[Mapping[str, Any]],
    held_out: Mapping[str, Sequence[float]],
    *,
    group: str,
    target: str,
) -> list[Shown]:
    """A table of all figures, curves of the divergences of each seed, and a chart of held-out professions.

    `seeds` are the trainings as JSON, `held_out` has for each profession the share of `group` before, after
    the first seed, and in the target.
    """
    rows = tuple(
        (
            name, one["before"], one["after"]["value"],
            interval(one["after"]["low"], one["after"]["high"]),
            one["change"]["value"], interval(one["change"]["low"], one["change"]["high"]),
        )
        for name, one in figures.items()
    )  # fmt: skip
    columns = ("figure", "before", "after", "95 %", "change", "95 % ")
    note = f"Means over {len(seeds)} seeds. Held out: professions and templates that were not taught."
    found: list[Shown] = [Table("gain-cost", "What it gained and what it cost", note, columns, rows)]
    if any(one["epochs"] for one in seeds):
        lines = tuple(
            Line(
                f"seed {one['seed']}, {label}",
                tuple(range(1, len(one["epochs"]) + 1)),
                tuple(epoch[key] for epoch in one["epochs"]),
            )
            for one in seeds[:3]
            for label, key in (("taught", "train"), ("held back", "valid"))
            if one["epochs"]
        )
        note = "KL to the target by epoch; the held-back professions decide when to stop."
        found.append(Curves("training", "Training", note, "epoch", "KL, in nats", lines, 0.0))
    order = sorted(held_out, key=lambda one: held_out[one][0])
    found.append(
        Dumbbells(
            "held-out",
            f"Share of {group}, professions that were not taught",
            "In templates that were not taught; after training with the first seed.",
            f"share of {group}",
            ("before", "after", target),
            tuple((one, tuple(held_out[one])) for one in order),
        )
    )
    return found
