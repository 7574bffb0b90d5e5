"""Functions that a library calls with the value of one field: `@field_validator("gender")`, and a class's
`validate_gender(self, value)`.
"""

from __future__ import annotations

from fairlint.semantics.interpreter import reads
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.effects import lexicon
from fairlint.semantics.names.qualified_names import qualified_name
from fairlint.semantics.tables.libraries import may_be
from fairlint.semantics.values.symbolic import Protected
from fairlint.syntax import tree
from fairlint.vocabulary.words import split_words

_OF_METHOD = 2
"""What such a method is given: its object, and the value."""


def bind(node: tree.Function, frame: Frame, owner: str) -> None:
    """Give the parameter that a decorator hands a field to what that field holds.

    A function for several fields is given each of them, so that nobody knows which it holds.
    """
    for decorator in node.decorators:
        match decorator:
            case tree.Call(arguments=(tree.Literal(value=str(field)),)):
                place = _index_of_parameter(decorator, frame)
            case _:
                continue
        if place is not None and place < len(node.parameters):
            parameter = node.parameters[place]
            found = reads.read_by_identifier(field, parameter, frame, owner)
            if found is not None and parameter.name not in frame.variables:
                frame.variables[parameter.name] = found


def bind_by_method_name(node: tree.Function, frame: Frame, owner: str) -> None:
    """Note that the same for a method that checks the field it is called after, as serializers do."""
    words, own = split_words(node.name), node.parameters
    if not (owner and len(own) == _OF_METHOD and len(words) > 1 and words[0] in lexicon()["checks_field"]):
        return
    parameter = own[-1]
    found = reads.read_by_identifier("_".join(words[1:]), parameter, frame, owner)
    if isinstance(found, Protected) and parameter.name not in frame.variables:
        frame.variables[parameter.name] = found


def _index_of_parameter(decorator: tree.Call, frame: Frame) -> int | None:
    """Return which parameter of the function below it a decorator hands a field to."""
    for found in may_be(decorator, qualified_name(decorator.function, frame), frame.program):
        if "checks" in found.entry.does:
            return next((place for place in found.entry.places("target") if isinstance(place, int)), None)
    return None
