"""Functions of C that hand a format and what follows to `vsnprintf`: `append(buffer, size, "%d", age)`."""

from __future__ import annotations

from fairlint.records import Record
from fairlint.semantics.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.tree import Function

PRINTERS = {"vsprintf": 1, "vsnprintf": 2, "vasprintf": 1, "vsprintf_s": 2, "g_vsnprintf": 2}
"""Functions that print what a list of arguments holds, with the place of the format."""
ADDS = frozenset({"append", "add", "cat", "concat", "push", "appendf", "addf"})


class Printer(Record):
    """What a variadic function prints: the place of its format, and of the buffer it is given, if any."""

    form: int
    buffer: int | None
    adds: bool


def printer_of(function: Function | None) -> Printer | None:
    """What a function of the file prints, if it is variadic and prints at all."""
    if function is None or not function.parameters or function.parameters[-1].name != "...":
        return None
    names = [parameter.name for parameter in function.parameters]
    for statement in function.body:
        for part in tree.walk(statement):
            if not (isinstance(part, tree.Call) and isinstance(part.function, tree.Name)):
                continue
            place = PRINTERS.get(part.function.id)
            if place is None or len(part.arguments) <= place:
                continue
            form = path_of(part.arguments[place])
            if form not in names:
                continue
            target = part.arguments[0]
            behind = isinstance(target, tree.Binary)
            path = path_of(target.left if isinstance(target, tree.Binary) else target)
            base = (path or "").partition(".")[0]
            buffer = names.index(base) if base in names else None
            words = function.name.lower().split("_")
            return Printer(names.index(form), buffer, behind or not ADDS.isdisjoint(words))
    return None
