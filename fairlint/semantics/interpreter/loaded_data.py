"""What code loads from files of data: the values that would be there if the code wrote them out."""

from __future__ import annotations

import posixpath

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names import qualified_names
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import libraries
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    FilePlace,
    Opaque,
    Operation,
    Table,
    Text,
    TextSpan,
    Value,
)
from fairlint.support.records import replace
from fairlint.syntax import data, tree
from fairlint.syntax.tree import DataText, Node

PATH = "pathlib.Path"
"""The type of what stands for a file, be it a path, an open file, or what was read of one."""
UNKNOWN = "*"
"""Stands for what is not known of a path, at its beginning."""
DEEPEST = 5
"""Values in one another of which a path is made."""


def named_file(call: Invocation) -> Value | None:
    """`Path(HERE, "rules.json")`, `open(path)`, `path.read_text()`: a file, as far as its end is known."""
    if not call.frame.program.data:
        return None
    of_base = call.base.end if isinstance(call.base, FilePlace) else UNKNOWN
    if call.entry.is_method and not call.entry.places("argument"):
        return _file_place(call.node, of_base, call.frame)  # its own file, however it is read
    given = call.handed() if call.entry.places("argument") else call.arguments
    ends = [_path_end(value, call.frame) for value in given]
    return _file_place(
        call.node, _join_path_ends(*([of_base] if call.entry.is_method else []), *ends), call.frame
    )


def below(node: tree.Binary, left: Value, right: Value, frame: Frame) -> Value | None:
    """Return `HERE / "rules.json"`: nothing else is divided by a text."""
    if not frame.program.data or node.op != "/":
        return None
    if not (isinstance(right, FilePlace) or (isinstance(right, Const) and isinstance(right.value, str))):
        return None
    return _file_place(node, _join_path_ends(end_of(left), end_of(right)), frame)


def option(call: Invocation) -> None:
    """Note which file `add_argument("--rules", default="rules.json")` means if nobody names another."""
    program, default = call.frame.program, end_of(call.keyword("default"))
    if not program.data or _matching_file(default, program.data) is None:
        return
    given = (call.keyword("dest"), *reversed(call.arguments))
    for name in (one.value for one in given if isinstance(one, Const) and isinstance(one.value, str)):
        program.options.setdefault(name.lstrip("-").replace("-", "_"), default)


def usual(name: str, default: Value | None, frame: Frame) -> Value | None:
    """Return the file that a parameter stands for where nobody names another: by its own default or an
    option's.
    """
    program = frame.program
    end = end_of(default)
    end = program.options.get(name, UNKNOWN) if end == UNKNOWN else end
    is_file = bool(program.data) and _matching_file(end, program.data) is not None
    return FilePlace(name, type=PATH, end=end) if is_file else None


def configuration(decorator: Node, frame: Frame) -> Value | None:
    """Return what a function gets below `@hydra.main(config_path="conf", config_name="train")`; other files
    may add to it.
    """
    program = frame.program
    if not (program.data and isinstance(decorator, tree.Call)):
        return None
    called = qualified_names.qualified_name(decorator.function, frame)
    if "gives configuration" not in libraries.may_do(decorator, called, program):
        return None
    told = {key: end_of(frame.evaluate(value)) for key, value in decorator.keywords if key is not None}
    name = told.get("config_name", UNKNOWN).removesuffix(".yaml")
    file = _matching_file(_join_path_ends(told.get("config_path", UNKNOWN), f"{name}.yaml"), program.data)
    node = None if file is None else _data_node(file, data.YAML, None, decorator, frame)
    found = None if node is None else frame.evaluate(node)
    return replace(found, fallback=Opaque(frame.text(decorator))) if isinstance(found, Table) else found


def loaded_value(call: Invocation) -> Value | None:
    """Return what is in the file that a call is given, or is called on; None where nobody knows which one it
    is.
    """
    frame = call.frame
    value = call.base if call.entry.is_method and not call.entry.places("argument") else None
    value = call.given("argument", 0) if value is None else value
    if not frame.program.data or value is None:
        return None
    file = _matching_file(_path_end(value, frame), frame.program.data)
    if file is None:
        return None
    form = call.entry.given.get("form", data.JSON)
    delimiter = call.keyword("delimiter", "sep")
    node = _data_node(file, form, delimiter, call.node, frame)
    return None if node is None else frame.evaluate(node)


def _data_node(file: DataText, form: str, delimiter: Value | None, at: Node, frame: Frame) -> Node | None:
    mark = delimiter.value if isinstance(delimiter, Const) and isinstance(delimiter.value, str) else ","
    key = file.path, form, mark
    known = frame.program.loaded
    if key not in known:
        known[key], reason = None, file.reason
        if file.span is not None:
            written = frame.program.source.data[file.span.start : file.span.end]
            try:
                known[key] = data.nodes_of(written, form, file.span.start, mark)
            except (ValueError, TypeError) as error:
                reason = str(error)
        if reason:
            frame.program.facts.cut(at, f"{file.path} is not read: {reason}")
    return known[key]


def _file_place(node: Node, end: str, frame: Frame) -> FilePlace | None:
    return None if end == UNKNOWN else FilePlace(frame.text(node), type=PATH, end=end)


def _path_end(value: Value, frame: Frame) -> str:
    """As `end_of`, of an option (`args.rules`), too."""
    known = end_of(value)
    if known == UNKNOWN and type(value) is Opaque and "." in value.key:
        return frame.program.options.get(value.key.rpartition(".")[2], UNKNOWN)
    return known


def end_of(value: Value | None, depth: int = DEEPEST) -> str:
    """Return what is known of a path from its end on, behind what is unknown: `*/rules.json`.

    Of two that it may be, one counts that is known: the other is what somebody may name instead.
    """
    match value:
        case FilePlace(end=end):
            return end
        case Const(value=str() as text):
            return text
        case _ if depth == 0:
            return UNKNOWN
        case Operation(op="+", arguments=(_, last)):
            return _end_after_unknown(end_of(last, depth - 1))
        case Operation(op="or", arguments=(one, other)) | Choice(then=one, otherwise=other):
            return _common_end(end_of(one, depth - 1), end_of(other, depth - 1))
        case Text(pieces=pieces):
            end = ""
            for piece in pieces:
                known = piece.text if isinstance(piece, TextSpan) else end_of(piece.value, depth - 1)
                if known.startswith(UNKNOWN):
                    end = known
                else:
                    end = _end_after_unknown(known) if end == UNKNOWN else end + known
            return end or UNKNOWN
    return UNKNOWN


def _common_end(one: str, other: str) -> str:
    known = sorted({one, other} - {UNKNOWN}, key=len)
    is_same = len({end.removeprefix(f"{UNKNOWN}/") for end in known}) == 1
    return known[-1] if is_same else UNKNOWN


def _end_after_unknown(end: str) -> str:
    """Return what is known of a path if something unknown stands before it: the names that are whole."""
    rest = end.partition("/")[2]
    return end if end.startswith(UNKNOWN) else f"{UNKNOWN}/{rest}" if rest else UNKNOWN


def _join_path_ends(*ends: str) -> str:
    """Return the path that several make, one behind the other."""
    whole = ""
    for end in ends:
        is_whole = not whole or end.startswith(("/", UNKNOWN))
        whole = end if is_whole else posixpath.join(whole, end)
    return whole or UNKNOWN


def _matching_file(end: str, files: tuple[DataText, ...]) -> DataText | None:
    """Return the file whose path ends so: the nearest one; None where none does, or which one is open."""
    path = end.removeprefix(f"{UNKNOWN}/")
    wanted = posixpath.normpath(path.replace("\\", "/"))
    if wanted.startswith(".."):  # from the source's own folder on
        whole = (posixpath.normpath(posixpath.join(posixpath.dirname(one.beside), wanted)) for one in files)
        return next((one for one, place in zip(files, whole, strict=True) if one.path == place), None)
    found = [one for one in files if f"/{one.path}".endswith(f"/{wanted}")]
    found = [one for one in found if one.above == min(other.above for other in found)]
    if len(found) > 1 and path == end:  # nothing stands before it
        found = [one for one in found if posixpath.relpath(one.path, posixpath.dirname(one.beside)) == wanted]
    return found[0] if len(found) == 1 else None
