"""Syntax of newer versions of Python that the grammar does not have, written in one that it has.

Offsets do not change. `lazy import x` (Python 3.15) becomes `pass;import x`, and the type parameters of a
function, a class or a type are left out where they have defaults (3.13), since types decide nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node as Syntax

_LAZY = re.compile(rb"lazy[ \t](?=[ \t]*(?:import|from)\b)")
_INSTEAD = b"pass;"
_PARAMETERS = re.compile(rb"(?m)^[ \t]*(?:(?:async[ \t]+)?def|class|type)[ \t]+\w+[ \t]*\[")


def respell_newer_syntax(data: bytes, root: Syntax) -> bytes:
    """Return a source that has errors (`root`) as the grammar can read it, in as many bytes; the same where
    nothing in it is newer than the grammar.
    """
    text = bytearray(data)
    if _LAZY.search(data) is not None:
        for start in _lazy_imports(data, root):
            text[start : start + len(_INSTEAD)] = _INSTEAD
    if _PARAMETERS.search(data) is not None:
        for node in _damaged_type_parameters(root):
            text[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
    return bytes(text)


def _lazy_imports(data: bytes, root: Syntax) -> Iterator[int]:
    """Yield where imports say that they are lazy. Inside functions, classes and blocks none may."""
    for node in root.children:
        if node.is_error and _LAZY.match(data, node.start_byte) is not None:
            yield node.start_byte


def _damaged_type_parameters(root: Syntax) -> Iterator[Syntax]:
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.has_error:
            continue
        if node.type == "type_parameter" and _is_declaration(node):
            yield node
        else:
            stack.extend(node.children)


def _is_declaration(parameters: Syntax) -> bool:
    """Return whether type parameters follow the name of what they belong to, and are no index of a type."""
    owner = parameters.parent
    if owner is not None and owner.type == "generic_type":
        owner = owner.parent and owner.parent.parent
    return owner is not None and owner.type in {
        "function_definition", "class_definition", "type_alias_statement",
    }  # fmt: skip
