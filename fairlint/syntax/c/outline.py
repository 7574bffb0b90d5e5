"""How C's definitions look."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.syntax.outline import Definition, Outline, in_a_row

_NO_FUNCTIONS = frozenset({b"if", b"for", b"while", b"switch", b"return", b"sizeof", b"else", b"do"})
_STRUCT = rb"struct\s*(\w*)\s*\{[^{}]*\}\s*(\w*)\s*[;=\[]"

_functions = in_a_row(
    rb"(?m)^(?:[A-Za-z_][\w \t*]*?[ \t*])??([A-Za-z_]\w*)[ \t]*\(",
    rb"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\(",
    no_names=_NO_FUNCTIONS,
)


def _struct_definitions(data: bytes) -> Iterator[Definition]:
    """Structs, once for each of their names."""
    for found in re.finditer(_STRUCT, data):
        for name in filter(None, found.groups()):
            yield Definition(name, found.start(), found.end(), is_type=True)


def _all_definitions(data: bytes) -> list[Definition]:
    return [*_functions(data), *_struct_definitions(data)]


OUTLINE = Outline(
    definitions=_all_definitions,
    reference=rb"(?:(?<![\w.>])|\b[A-Z]\w*\.)([A-Za-z_]\w*)",
    sets=(rb"([A-Za-z_]\w*)[ \t]*(?:\[[^\]\n]*\][ \t]*)*=(?!=)|^[ \t]*#[ \t]*define[ \t]+(\w+)",),
    tests=rb"\bassert\(|\bTEST|\b(?:void|int) test_|\bck_assert",
)
