"""What the page shows of `fairlint model debias`: gain against cost, how training went, each profession."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.model_bias.shown import Curves, Dots, Dumbbells, Line, Shown, Table, Value, interval

SEEDS = 3
"""Seeds whose curves are drawn: the first ones. All are in metrics.json."""
COST = "perplexity"


def pictures(
    compared: Mapping[str, Mapping[str, Any]],
    trials: Sequence[Mapping[str, Any]],
    held_out: Mapping[str, Sequence[float]],
    *,
    group: str,
    target: str,
    gain: str,
) -> list[Shown]:
    """Tables of all figures, curves of the divergences of each seed, and a chart of held-out professions.

    `compared` has the figures of each method, `trials` how each went, as JSON; `held_out` has for each
    profession the share of `group` before, after the first trial of each method, and in the target. `gain`
    is the figure that was to fall.
    """
    seeds = len({one["seed"] for one in trials})
    over = f"Means over {seeds} seeds. " if seeds > 1 else ""
    note = f"{over}Held out: professions and templates that were not taught."
    found: list[Shown] = []
    if len(compared) > 1:
        found += _side_by_side(compared, note, gain)
    for method, figures in compared.items():
        name, title = "gain-cost", "What it gained and what it cost"
        if len(compared) > 1:
            name, title = f"gain-cost-{method}", f"{title}: {method}"
        rows = [_figure_row(*each) for each in figures.items()]
        kept = [place for place, column in enumerate(COLUMNS) if "%" not in column or seeds > 1]
        columns = tuple(COLUMNS[place] for place in kept)
        found.append(Table(name, title, note, columns, tuple(tuple(row[at] for at in kept) for row in rows)))
    for method in compared:
        found += _training_curves(
            method, [one for one in trials if one["method"] == method], several=len(compared) > 1
        )
    order = sorted(held_out, key=lambda one: held_out[one][0])
    ends = ("after",) if len(compared) == 1 else tuple(compared)
    found.append(
        Dumbbells(
            "held-out",
            f"Share of {group}, professions that were not taught",
            "In templates that were not taught; after the first seed.",
            f"share of {group}",
            ("before", *ends, target),
            tuple((one, tuple(held_out[one])) for one in order),
        )
    )
    return found


COLUMNS = ("figure", "before", "after", "95 %", "change", "95 % ")


def _figure_row(name: str, one: Mapping[str, Any]) -> tuple[Value, ...]:
    after, change = one["after"], one["change"]
    return (
        name, one["before"], after["value"], interval(after["low"], after["high"]),
        change["value"], interval(change["low"], change["high"]),
    )  # fmt: skip


def _side_by_side(compared: Mapping[str, Mapping[str, Any]], note: str, gain: str) -> list[Shown]:
    names = dict.fromkeys(name for figures in compared.values() for name in figures)
    first = next(iter(compared.values()))
    rows = tuple(
        (
            name,
            first[name]["before"] if name in first else None,
            *(figures[name]["after"]["value"] if name in figures else None for figures in compared.values()),
        )
        for name in names
    )
    found: list[Shown] = [
        Table("methods", "Methods side by side", note, ("figure", "before", *compared), rows)
    ]
    points = tuple(
        (
            method,
            100 * (figures[COST]["after"]["value"] / figures[COST]["before"] - 1),
            100 * figures[gain]["after"]["value"] / figures[gain]["before"],
        )
        for method, figures in compared.items()
        if COST in figures and figures[gain]["before"]
    )
    if points:
        found.append(
            Dots(
                "gain-against-cost",
                "Gain against cost",
                "The lower, the nearer to the target; the further left, the less it cost.",
                "rise of perplexity, %",
                "divergence that is left, %",
                points,
            )
        )
    return found


def _training_curves(method: str, trials: Sequence[Mapping[str, Any]], *, several: bool) -> list[Shown]:
    some = [one for one in trials if one["epochs"]][:SEEDS]
    if not some:
        return []
    name, title = ("training", "Training") if not several else (f"training-{method}", f"Training: {method}")
    found: list[Shown] = []
    for suffix, what, up, note, lines in (
        ("", "", "KL, in nats", "KL to the target by epoch; the held-back professions decide when to stop.",
         (("train", "taught"), ("valid", "held back"))),
        ("-text", ", plain text", "loss, in nats", "What holds the model to plain text, a token.",
         (("text", "text"),)),
    ):  # fmt: skip
        drawn = tuple(
            Line(
                f"seed {one['seed']}, {label}" if len(lines) > 1 else f"seed {one['seed']}",
                tuple(range(1, len(one["epochs"]) + 1)),
                tuple(epoch[key] for epoch in one["epochs"]),
            )
            for one in some
            for key, label in lines
        )
        found.append(Curves(name + suffix, title + what, note, "epoch", up, drawn, 0.0))
    return found
