"""Files of data (JSON, YAML, TOML, CSV) as nodes: what is in one is what code would write out."""

from __future__ import annotations

from fairlint.syntax.data.places import Places
from fairlint.syntax.tree import Node

JSON, YAML, TOML, CSV, ROWS = "json", "yaml", "toml", "csv", "rows"
"""Forms of files of data; `rows` are those of CSV without names."""


def nodes_of(data: bytes, form: str, start: int = 0, delimiter: str = ",") -> Node:
    """Return what a file of data holds, with spans as if its UTF-8 text began at the offset `start`.

    A ValueError says in one clause why it is not read.
    """
    text = data.decode("utf-8", "replace")
    places = Places(text, start)
    match form:  # few sources load a file, and hardly any files of several forms
        case "yaml":
            from fairlint.syntax.data import yaml_values  # noqa: PLC0415

            return yaml_values.nodes_of(text, places)
        case "toml":
            from fairlint.syntax.data import toml_values  # noqa: PLC0415

            return toml_values.nodes_of(text, places)
        case "csv" | "rows":
            from fairlint.syntax.data import csv_rows  # noqa: PLC0415

            return csv_rows.nodes_of(text, places, delimiter, named=form == CSV)
        case _:
            from fairlint.syntax.data import json_values  # noqa: PLC0415

            return json_values.nodes_of(text, places)
