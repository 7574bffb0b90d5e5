"""What a program calls a number where it shows it: `printf("Salary: %d", sal)`, `print("Bonus:", b)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairlint.detectors.context import Context
from fairlint.semantics.names.effects import Target, classify_target, is_show, lexicon
from fairlint.semantics.texts.text_calls import FORMAT
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Function, Node
from fairlint.vocabulary.words import split_words

MOST_WORDS = 5
"""Words of a text before what it shows, nearest first, that may say what that is."""
_SENTENCE = lazy_expression(r"[.!?;|\n]|,\s")


def kind_of_target(target: str, function: str, context: Context) -> Target:
    """Return what a variable holds by its name, or by what the program calls it where it shows it."""
    kind = classify_target(target)
    if kind != "other":
        return kind
    return context.once(_shown_kinds, function).get(target, kind)


def _shown_kinds(function: str, context: Context) -> dict[str, Target]:
    """Return the variables of a function that it shows as scores, and never as something else."""
    found: dict[str, set[Target]] = {}
    for printed in _printed_variables(function, context):
        words = split_words(printed.label)[-MOST_WORDS:]
        if words and words[-1] not in lexicon()["behind"]:
            is_amount = not lexicon()["shown_amount"].isdisjoint(words)
            found.setdefault(printed.path, set()).add(
                "score" if is_amount else classify_target("_".join(words))
            )
    return {name: "score" for name, kinds in found.items() if kinds == {"score"}}


class _Printed(Record):
    """What is shown, and the text before it."""

    path: str
    label: str


def _printed_variables(function: str, context: Context) -> Iterator[_Printed]:
    """Yield each variable that a function shows, with the text before it."""
    node = context.function_named(function)
    own = context.body if node is None else node.body
    for statement in own:
        for part in () if isinstance(statement, Function | tree.Type) else tree.walk(statement):
            if isinstance(part, tree.Call) and is_show(last_name(part.function)):
                yield from _label_arguments(part)


def _label_arguments(call: tree.Call) -> Iterator[_Printed]:
    before = ""
    for place, given in enumerate(call.arguments):
        match given:
            case tree.Literal(value=str() as form) if (
                len(found := list(FORMAT.finditer(form))) > 0
                and len(found) == len(call.arguments) - place - 1
            ):
                start = 0
                for hole, shown in zip(found, call.arguments[place + 1 :], strict=True):
                    yield from _path_with_label(shown, form[start : hole.start()])
                    start = hole.end()
                return
            case tree.Literal(value=str() as text):
                before = text
            case tree.Interpolation(parts=parts):
                yield from _in_row(parts)
                before = ""
            case tree.Binary(op="+"):
                yield from _in_row(_concatenation_parts(given))
                before = ""
            case _:
                yield from _path_with_label(given, before)
                before = ""


def _in_row(parts: Sequence[Node]) -> Iterator[_Printed]:
    before = ""
    for part in parts:
        if isinstance(part, tree.Literal):
            before = part.value if isinstance(part.value, str) else ""
        else:
            yield from _path_with_label(part, before)
            before = ""


def _concatenation_parts(node: Node) -> list[Node]:
    """Return what is put together with `+`, in order."""
    behind: list[Node] = []
    while isinstance(node, tree.Binary) and node.op == "+":
        behind.append(node.right)
        node = node.left
    return [node, *reversed(behind)]


def _path_with_label(shown: Node, before: str) -> Iterator[_Printed]:
    """Yield the path of what is shown, as it is or as a text of it, with the last sentence before it."""
    if isinstance(shown, tree.Call) and len(shown.arguments) == 1:
        shown = shown.arguments[0]  # `str(bonus)`
    path = path_of(shown) if isinstance(shown, tree.Name | tree.Field) else None
    label = _SENTENCE.split(before)[-1]
    if path and label.strip():
        yield _Printed(path, label)
