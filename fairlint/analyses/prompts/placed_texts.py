"""A text by its place in a file, as the evaluator puts it together: what is known of it, and its holes."""

from __future__ import annotations

from fairlint.semantics.execution import Execution, execute
from fairlint.semantics.names.library import Models
from fairlint.semantics.texts.text_values import is_text, pieces_of
from fairlint.semantics.values.paths import read_name
from fairlint.semantics.values.symbolic import Const, Piece, TextSpan
from fairlint.support.records import Record
from fairlint.syntax.source import Source
from fairlint.syntax.tree import Node, Tree, walk
from fairlint.vocabulary import Vocabulary


class TextPart(Record):
    """A stretch of a text: known, or a hole with the name of what fills it."""

    text: str
    is_hole: bool = False


class PlacedText(Record):
    """A text, and its first and last line."""

    line: int
    last_line: int
    parts: tuple[TextPart, ...]


def texts_at(
    source: Source, tree: Tree, line: int, vocabulary: Vocabulary, models: Models
) -> list[PlacedText]:
    """Return the texts of expressions that stand at a line, the outermost first, and those of which nothing
    is known last.
    """
    execution = execute(source, tree, vocabulary, models, everything=True)
    found = []
    for node in (node for top in tree.body for node in walk(top)):
        first, last = (source.position(at).line for at in (node.span.start, node.span.end))
        value = execution.facts.value_of(node) if first <= line <= last else None
        if value is not None and is_text(value):
            parts = tuple(_part_of(piece, execution) for piece in pieces_of(value, node))
            found.append(PlacedText(first, last, parts))
    return sorted(found, key=lambda text: all(part.is_hole for part in text.parts))


def _part_of(piece: Piece, execution: Execution) -> TextPart:
    if isinstance(piece, TextSpan):
        if piece.fills is None or not _varies(piece.fills.node, execution):
            return TextPart(piece.text)
        piece = piece.fills
    read = execution.facts.place_of(piece.value)  # `person.age` in `str(person.age)`
    name = piece.name or read_name(piece.node) or ("" if read is None else read_name(read))
    return TextPart(name or _written(piece.node, execution.source), is_hole=True)


def _varies(node: Node, execution: Execution) -> bool:
    """Return whether what is known is one of several: of the rounds of a loop, or of those who call."""
    return len({one.value for one in execution.facts.values_of(node) if isinstance(one, Const)}) > 1


def _written(node: Node, source: Source) -> str:
    return " ".join(source.data[node.span.start : node.span.end].decode("utf-8", "replace").split())
