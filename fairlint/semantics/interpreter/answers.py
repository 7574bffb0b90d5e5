"""What is returned under the name of a score or an outcome was given to it: `return {"approved": ...}`."""

from __future__ import annotations

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names import effects
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Elementwise, Opaque, Table, Value
from fairlint.syntax import tree
from fairlint.vocabulary.words import split_words

Entries = tuple[tuple[Value, Value], ...]


def note(node: tree.Return, value: Value, frame: Frame) -> None:
    """Record each named part of what is returned as if it were assigned: the entries of a dict, what an
    object is made with, and the dict that such a call is given (`json_response({"approved": ...})`).
    """
    if isinstance(value, Elementwise):
        value = value.element
    made = node.value
    if isinstance(value, Table):
        _note_entries(node, value.entries, frame)
    elif isinstance(made, tree.Call) and isinstance(value, Opaque):
        called = (path_of(made.function) or "").rpartition(".")[2]
        if called[:1].isupper():
            named = tuple((Const(key), frame.evaluate(given)) for key, given in made.keywords)
            _note_entries(node, named, frame)
        if called not in frame.program.definitions.functions:
            for given in made.arguments:
                if isinstance(held := frame.evaluate(given), Table):
                    _note_entries(node, held.entries, frame)


def _note_entries(node: tree.Return, entries: Entries, frame: Frame) -> None:
    """Evaluate the same of entries, and of those within them: `Answer(content={"approved": ...})`."""
    for key, entry in entries:
        if isinstance(entry, Table):
            _note_entries(node, entry.entries, frame)
        elif isinstance(key, Const) and isinstance(key.value, str) and _is_answer(key.value, entry, frame):
            frame.emit("assign", node, entry, key.value)


def _is_answer(name: str, entry: Value, frame: Frame) -> bool:
    """Return whether an entry tells groups apart under the name of a score or an outcome, and not of one
    group's; or by texts that announce one: `"status": "rejected" if ... else "invited"`.
    """
    if not frame.program.dependence.on_any(entry):
        return False
    if any(map(frame.program.vocabulary.groups_in, split_words(name))):
        return False
    kind = effects.classify_target(name)
    return kind in {"score", "outcome"} or (kind in effects.MAY_ANNOUNCE and effects.announces(entry))
