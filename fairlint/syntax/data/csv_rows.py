"""Small tables of CSV as nodes: rows by the names in the first one, whose cells are texts."""

from __future__ import annotations

import csv
import re

from fairlint.syntax.data.places import MOST_VALUES, TOO_MANY, Places, table
from fairlint.syntax.tree import Collection, Item, Literal, Node, Span

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def nodes_of(text: str, places: Places, delimiter: str, *, named: bool = True) -> Node:
    """Return the rows of a table, as `csv.DictReader` gives them, or `csv.reader` where they are not `named`.

    A ValueError says why it is not read.
    """
    lines = _LINE.findall(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[Item] = []
    names: list[str] = []
    line = values = 0
    try:
        for cells in reader:
            start, end = starts[line], starts[reader.line_num]
            line = reader.line_num
            if cells and not names and named:
                names = cells
            elif cells:
                values += len(cells)
                if values > MOST_VALUES:
                    raise ValueError(TOO_MANY)
                span = places.span(start, start + len(text[start:end].rstrip("\r\n")))
                nodes = _cell_literals(cells, text, start, end, places)
                rows.append(
                    Item(span, None, _row_table(nodes, names, span) if named else _row_list(nodes, span))
                )
    except csv.Error as error:
        raise ValueError(f"is not valid CSV: {error} (line {reader.line_num})") from None
    return Collection(places.span(0, len(text)), "list", tuple(rows))


def _row_table(nodes: list[Literal], names: list[str], span: Span) -> Node:
    entries = zip(names, nodes, strict=False)
    return table((Item(node.span, Literal(node.span, name), node) for name, node in entries), span)


def _row_list(nodes: list[Literal], span: Span) -> Node:
    return Collection(span, "list", tuple(Item(node.span, None, node) for node in nodes))


def _cell_literals(cells: list[str], text: str, start: int, end: int, places: Places) -> list[Literal]:
    """Return the cells of a row, each where its text is found there; the whole row for one that has quotes in
    it.
    """
    found: list[Literal] = []
    at = start
    for cell in cells:
        place = text.find(cell, at, end)
        if place < 0:
            found.append(Literal(places.span(start, end), cell))
        else:
            found.append(Literal(places.span(place, place + len(cell)), cell))
            at = place + len(cell)
    return found
