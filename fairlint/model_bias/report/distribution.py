"""What the page shows of `fairlint model distribution`: how far each profession is from its targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.model_bias.shown import Dumbbells, Shown, Table, interval


def pictures(
    figures: Mapping[str, Mapping[str, Any]],
    shares: Mapping[str, Mapping[str, Sequence[float]]],
    targets: Mapping[str, Mapping[str, Sequence[float]]],
    groups: Sequence[str],
) -> list[Shown]:
    """Return a table of divergences, and for each kind of share a chart of all professions.

    `figures` are by kind of share and target, `shares` by kind and profession, `targets` by name and
    profession; the chart shows the last group.
    """
    rows = tuple(
        (
            kind, target, one["kl"]["value"], interval(one["kl"]["low"], one["kl"]["high"]),
            one["published"], one["constant"], one.get("world"), one["r"]["value"] if one["r"] else None,
        )
        for kind, by_target in figures.items()
        for target, one in by_target.items()
    )  # fmt: skip
    note = (
        "KL(target || share), mean over professions, in nats. A constant gives every group the same share; "
        "BLS has the shares of the real world."
    )
    columns = ("share", "target", "KL", "95 %", "KL / groups", "constant", "BLS", "r")
    found: list[Shown] = [Table("divergence", "How far from each target", note, columns, rows)]
    for kind, by_profession in shares.items():
        order = sorted(by_profession, key=lambda one: by_profession[one][-1])
        ends = ("model", *targets)
        found.append(
            Dumbbells(
                f"shares-{kind}",
                f"Share of {groups[-1]} by profession ({kind})",
                "Sorted by the model's share.",
                f"share of {groups[-1]}",
                ends,
                tuple(
                    (one, (by_profession[one][-1], *(target[one][-1] for target in targets.values())))
                    for one in order
                ),
                1 / len(groups),
            )
        )
    return found
