"""Windows with fields that somebody fills in: what stands beside a field says what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fairlint.semantics.interpreter.file_state import FileState
from fairlint.semantics.values.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

LABEL = b"Label("
"""Stands wherever a window has labels."""


def beside_fields(program: FileState) -> Mapping[str, str]:
    """Return what stands beside the fields of the windows of a file, by the access paths of the fields."""
    if program.labels is None:
        nodes = (node for top in program.body for node in tree.walk(top))
        program.labels = _field_labels(nodes) if LABEL in program.source.data else {}
    return program.labels


def _field_labels(nodes: Iterable[Node]) -> dict[str, str]:
    """Return what stands beside the fields of a window: in the same row of its grid, else alone before it."""
    labels: dict[str, str] = {}
    in_row: dict[object, str] = {}
    rows: dict[str, object] = {}
    found: dict[str, str] = {}
    before: list[str] = []
    for node in nodes:
        match node:
            case tree.Call() if (text := _text_of(node)) is not None:
                before.append(text)
            case tree.Assign(targets=(target, *_), value=tree.Call() as made) if path := path_of(target):
                if (text := _text_of(made)) is not None:
                    labels[path] = text
                    continue
                if len(before) == 1 and not isinstance(made.function, tree.Call):
                    found[path] = before[0]
                before = []
            case tree.Call(function=tree.Field(value=placed)) if row := _grid_row(node):
                path = path_of(placed) or ""
                text = labels.get(path) if path else _text_of(placed)
                if text is not None:
                    in_row[row] = text
                elif path:
                    rows[path] = row
            case _:
                pass
    return {**found, **{path: in_row[row] for path, row in rows.items() if row in in_row}}


def _text_of(node: Node) -> str | None:
    """Return what a label says: `Label(window, text="Age")`, `QLabel("Age")`."""
    if not isinstance(node, tree.Call) or not isinstance(node.function, tree.Name | tree.Field):
        return None
    name = node.function.id if isinstance(node.function, tree.Name) else node.function.name
    if not name.endswith(("Label", "StaticText")):
        return None
    given = [*node.arguments, *(value for key, value in node.keywords if key in {"text", "label"})]
    texts = [one.value for one in given if isinstance(one, tree.Literal) and isinstance(one.value, str)]
    return texts[-1] if texts else None


def _grid_row(node: tree.Call) -> tuple[str, object] | None:
    """Return the row of a grid that something is put into, as it is written."""
    row = next((value for key, value in node.keywords if key == "row"), None)
    return ("row", row.value) if isinstance(row, tree.Literal) else None
