"""The results of a folder as one HTML file that needs no network and no JavaScript."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from fairlint.model_bias import shown
from fairlint.model_bias.report.drawing import svg
from fairlint.rendering.html import environment, style

if TYPE_CHECKING:
    from jinja2 import Environment

TITLES = {
    "score": "How much",
    "distribution": "How professions are shared out",
    "debias": "Moved towards a target",
    "locate": "Where it sits",
    "ablate": "What ablation buys and costs",
    "probe": "What can be read off",
}
"""What each part answers."""
SKIPPED = 50
"""Items that are named; of more, the first."""


def html(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page of the parts of a folder, as `fairlint.model_bias.results.read` gives them.

    Raises ModelError where matplotlib is missing, and ValueError for a table or figure of unknown form.
    """
    first = next(iter(parts.values()))
    return (
        _page_environment()
        .get_template("model.html")
        .render(
            style=style("fairlint.model_bias.report"),
            script="",
            places=True,
            model=first["model"],
            fairlint=first["fairlint"],
            parts=[_part_view(name, told) for name, told in parts.items()],
        )
    )


def _part_view(name: str, told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "title": TITLES[name],
        "verdict": told["verdict"],
        "warnings": told["warnings"],
        "shown": [_figure_view(shown.read(one)) for one in told["shown"]],
        "data": told["data"],
        "settings": told["settings"],
        "definitions": told["definitions"],
        "examples": told["examples"],
        "skipped": told["skipped"][:SKIPPED],
        "more": max(0, len(told["skipped"]) - SKIPPED),
    }


def _figure_view(one: shown.Shown) -> dict[str, Any]:
    told: dict[str, Any] = {"title": one.title, "note": one.note, "name": one.name}
    if isinstance(one, shown.Table):
        return {
            **told,
            "columns": list(zip(one.columns, shown.numeric(one), strict=True)),
            "rows": [
                [(shown.number(cell), not isinstance(cell, str | tuple)) for cell in row] for row in one.rows
            ],
        }
    picture = b64encode(svg(one).encode("utf-8")).decode("ascii")
    return {**told, "picture": f"data:image/svg+xml;base64,{picture}"}


@cache
def _page_environment() -> Environment:
    return environment("fairlint.model_bias.report", {})


def figures_of(parts: Mapping[str, Mapping[str, Any]]) -> Sequence[tuple[str, shown.Shown]]:
    """Return all tables and figures with the names of their files: `PART-NAME`."""
    return [
        (f"{part}-{one.name}", one) for part, told in parts.items() for one in map(shown.read, told["shown"])
    ]
