"""Rows of a fleet's store for tests."""

from __future__ import annotations

from typing import Any

from fairlint.fleet.tables import TABLES


def row(table: str, **values: Any) -> dict[str, Any]:
    """A row of a table with something in each column."""
    plain: dict[str, Any] = {"text": "", "texts": [], "whole": 0, "number": 0.0}
    made = {column.name: plain[column.type] for column in TABLES[table]}
    assert values.keys() <= made.keys()
    return made | values


def finding(repository: str, identity: str, **values: Any) -> dict[str, Any]:
    return row(
        "findings", repository=repository, identity=identity, path="a.py", rule="FL201",
        name="points-by-group", severity="error", attribute="gender", op="add", **values,
    )  # fmt: skip
