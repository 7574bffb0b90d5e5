"""Functions on texts: C's comparing, searching and copying, and regular expressions."""

from __future__ import annotations

import functools
import re

from fairlint.semantics import operations, reads, regexes, texts
from fairlint.semantics.frame import Frame
from fairlint.semantics.paths import last_name, path_of
from fairlint.semantics.values import Const, Opaque, Operation, Protected, Sequence, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

COMPARISONS = frozenset(
    "strcmp strcasecmp strcmpi stricmp _stricmp strncmp strncasecmp _strcmpi wcscmp wcscasecmp memcmp "
    "g_strcmp0 strcoll wcsncmp g_ascii_strcasecmp g_ascii_strncasecmp".split()
)
"""C functions that give 0 for equal texts."""

EQUALS = frozenset("g_str_equal streq str_eq strequal g_ascii_strcaseequal equals".split())
"""C functions that give true for equal texts."""

COPIES = {
    "strcpy": 1, "strncpy": 1, "strlcpy": 1, "stpcpy": 1, "stpncpy": 1, "strcpy_s": 2, "strncpy_s": 2,
    "strscpy": 1, "wcscpy": 1, "wcsncpy": 1, "memcpy": 1, "memmove": 1, "g_strlcpy": 1,
}  # fmt: skip
"""C functions that copy into their first argument, with the place of what they copy."""

APPENDS = {
    "strcat": 1, "strncat": 1, "strlcat": 1, "wcscat": 1, "g_strlcat": 1, "strcat_s": 2, "g_string_append": 1,
    "appendStringInfoString": 1, "appendPQExpBufferStr": 1, "sqlite3_str_appendall": 1,
}  # fmt: skip
"""C functions that add to their first argument, with the place of what they add."""

PRINTS = {
    "sprintf": (0, 1), "snprintf": (0, 2), "vsnprintf": (0, 2), "g_snprintf": (0, 2), "sprintf_s": (0, 2),
    "_snprintf": (0, 2), "asprintf": (0, 1), "vasprintf": (0, 1), "xasprintf": (0, 1),
    "sqlite3_snprintf": (1, 2), "sqlite3_vsnprintf": (1, 2), "g_string_printf": (0, 1),
    "printfPQExpBuffer": (0, 1),
}  # fmt: skip
"""C functions that write a text: the places of what they write into, and of the format."""

VARIADIC = frozenset("vsnprintf vasprintf sqlite3_vsnprintf".split())
"""Those of them whose last argument holds what the format is filled with."""

PRINTS_MORE = {
    "g_string_append_printf": 1, "appendStringInfo": 1, "appendPQExpBuffer": 1, "sqlite3_str_appendf": 1,
}  # fmt: skip
"""C functions that add a text to their first argument, with the place of the format."""

GIVES_PRINTED = {
    "sqlite3_mprintf": 0, "sqlite3_vmprintf": 0, "g_strdup_printf": 0, "psprintf": 0, "talloc_asprintf": 1,
    "kasprintf": 1, "apr_psprintf": 1,
}  # fmt: skip
"""C functions that give a text, with the place of the format."""

BEGINS = {"g_string_new": 0, "g_strdup": 0, "xstrdup": 0, "pstrdup": 0, "sdsnew": 0}
"""C functions that give a copy of a text, with its place."""

EMPTY = frozenset("g_string_sized_new createPQExpBuffer makeStringInfo sdsempty sqlite3_str_new".split())
"""C functions that give an empty text."""

EMPTIES = frozenset("initStringInfo resetStringInfo initPQExpBuffer resetPQExpBuffer".split())
"""C functions that make their first argument an empty text."""

SEARCHES = {
    "strstr": (1, 0), "strcasestr": (1, 0), "wcsstr": (1, 0), "strchr": (1, 0), "strrchr": (1, 0),
    "memchr": (1, 0), "memmem": (2, 0), "g_strrstr": (1, 0), "StrStrI": (1, 0), "strnstr": (1, 0),
}  # fmt: skip
"""C functions that give a null pointer where a text is not found: places of what is sought, and where."""

_NOTHING = frozenset({"", "\0", None})

HINTS = frozenset(
    "likely unlikely __builtin_expect __builtin_expect_with_probability G_LIKELY G_UNLIKELY".split()
)
"""C macros that say how likely their first argument is."""

CASES = {"tolower": "lower", "toupper": "upper", "towlower": "lower", "towupper": "upper"}
"""C functions that give a text in another form, with the method that does the same."""

SAME_TEXT = frozenset(
    "dedent cleandoc Template text SQL RawSQL literal_column TextClause String sql_text expr f_string Query "
    "Identifier".split()
)
"""Functions and classes that hand on the text they are given: as a template, as a piece of SQL."""

REGEX_FUNCTIONS = frozenset("match fullmatch search".split())

FORMAT = re.compile(r"%[-+ #0-9.*lhzjt]*[a-zA-Z]")


def call(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """The value of a C function on texts; None for any other."""
    if name in COMPARISONS and len(arguments) >= 2:
        return Operation("strcmp", arguments[:2], node)
    if name in EQUALS and len(arguments) == 2:
        return operations.compare("==", arguments[0], arguments[1], node)
    if name in HINTS and arguments:
        return arguments[0]
    if name in SEARCHES:
        return _sought(node, name, arguments, frame)
    if (place := COPIES.get(name)) is not None and len(arguments) > place:
        return _copied(node, node.arguments[0], arguments[place], frame)
    if (place := APPENDS.get(name)) is not None and len(arguments) > place:
        return _appended(node, arguments[place], frame)
    if (places := PRINTS.get(name)) is not None and len(arguments) > places[1]:
        last = places[1] + 1 if name in VARIADIC else len(arguments)
        return _printed(node, places[0], arguments[places[1] : last], frame)
    if (place := PRINTS_MORE.get(name)) is not None and len(arguments) > place:
        return _appended(node, _filled(node, arguments[place:]), frame)
    if (place := GIVES_PRINTED.get(name)) is not None and len(arguments) > place:
        return _filled(node, arguments[place:])
    if (place := BEGINS.get(name)) is not None and len(arguments) > place:
        return _begun(arguments[place], node)
    if name in EMPTY:
        return Const("", "", node)
    if name in EMPTIES and arguments:
        return _copied(node, node.arguments[0], Const("", "", node), frame)
    if name in CASES and len(arguments) == 1:
        return texts.changed_each(arguments[0], lambda one: texts.in_other_form(one, CASES[name]))
    return None


def _sought(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    needle_place, place = SEARCHES[name]
    if len(arguments) <= max(needle_place, place):
        return None
    needle, text = arguments[needle_place], arguments[place]
    if isinstance(needle, Const) and not any(char.isalnum() for char in str(needle.value)):
        return None  # a separator
    if not (isinstance(needle, Const) or isinstance(text, Const)):
        return None
    test = operations.compare("in", needle, text, node)
    return test if frame.program.dependence.on_any(test) else None


def _begun(value: Value, node: Node) -> Value | None:
    if isinstance(value, Const) and value.value is None:
        return Const("", "", node)
    return value if texts.may_be_text(value) else None


def _target(written: Node) -> Node:
    while isinstance(written, tree.Cast):
        written = written.value
    return written


def _copied(node: tree.Call, written: Node, value: Value, frame: Frame) -> Value:
    """`strcpy(target, value)` is an assignment."""
    target = _target(written)
    path = path_of(target)
    frame.emit("assign", node, value, path or frame.text(target))
    if path is not None:
        frame.variables[path] = _remembered(path, target, value, frame)
    return value


def _remembered(path: str, target: Node, value: Value, frame: Frame) -> Value:
    """A buffer named after an attribute holds the attribute if what is copied is unknown or a sample."""
    if isinstance(value, Const) and frame.conditional:
        return value
    if isinstance(value, Opaque | Const) and not texts.is_prose(value):
        name = target.name if isinstance(target, tree.Field) else path
        found = reads.mentioned(name, target, frame)
        if isinstance(found, Protected) and found.mention.group is None:
            return reads.with_sample(found, value)
    return value


def _appended(node: tree.Call, value: Value, frame: Frame) -> Value:
    target = _target(node.arguments[0])
    path = path_of(target)
    before = None if path is None else frame.variables.get(path)
    if path is None:
        return Opaque(frame.text(node))
    held = Opaque(path) if before is None else before
    if not (isinstance(before, Const) and before.value in _NOTHING):
        value = texts.joined([(held, target), (value, node.arguments[-1])], node)
    frame.emit("assign", node, value, path)
    frame.variables[path] = value
    return value


def _printed(node: tree.Call, place: int, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`snprintf(target, n, "%s", value)`: a copy where the format is no more than that."""
    written, form = node.arguments[place], arguments[0]
    if not texts.may_be_text(form):
        return None
    if isinstance(form, Const) and not FORMAT.sub("", str(form.value)).strip() and len(arguments) == 2:
        return _copied(node, written, arguments[1], frame)
    return _copied(node, written, _filled(node, arguments), frame)


def _filled(node: tree.Call, arguments: tuple[Value, ...]) -> Value:
    """A format, the first of these last arguments of a call, filled with the others."""
    places = node.arguments[len(node.arguments) - len(arguments) + 1 :]
    given = list(zip(arguments[1:], places, strict=False))
    filled = texts.changed_each(arguments[0], lambda form: texts.printed(form, given, node))
    return texts.unknown(node) if filled is None else filled


def hands_on(node: tree.Call) -> bool:
    """Whether a call hands on the text that it is given first: `text("SELECT ...")`, `Template(...)`."""
    return last_name(node.function) in SAME_TEXT and bool(node.arguments)


def represented(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`repr(text)`: the text between quotes."""
    del frame
    if len(arguments) != 1 or not isinstance(arguments[0], Const) or not texts.is_text(arguments[0]):
        return None
    return texts.quoted(arguments[0], "'", node)


# ---------------------------------------------------------------------------------------- regular expressions


@functools.lru_cache(maxsize=512)
def _texts(pattern: str) -> tuple[str, ...] | None:
    return regexes.texts(pattern)


def matching(pattern: Value, subject: Value, node: Node, frame: Frame) -> Value | None:
    """The same as a plain test, as in `df["sex"].str.contains("^f")`."""
    if not isinstance(pattern, Const) or not isinstance(pattern.value, str):
        return None
    if not frame.program.dependence.on_any(subject):
        return None
    found = _texts(pattern.value)
    if found is None:
        return None
    if len(found) == 1:
        return operations.compare("==", subject, Const(found[0]), node)
    return operations.compare("in", subject, Sequence(tuple(map(Const, found)), node), node)
