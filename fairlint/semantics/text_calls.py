"""Functions on texts: C's comparing, searching and copying, and regular expressions."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from fairlint.semantics import operations, reads, regexes, texts
from fairlint.semantics.frame import Frame
from fairlint.semantics.paths import path_of
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

APPENDS = {"strcat": 1, "strncat": 1, "strlcat": 1, "wcscat": 1, "g_strlcat": 1}

PRINTS = {"sprintf": 1, "snprintf": 2, "vsnprintf": 2, "g_snprintf": 2, "sprintf_s": 2}
"""C functions that write into their first argument, with the place of the format."""

SEARCHES = {
    "strstr": (1, 0), "strcasestr": (1, 0), "wcsstr": (1, 0), "strchr": (1, 0), "strrchr": (1, 0),
    "memchr": (1, 0), "memmem": (2, 0), "g_strrstr": (1, 0), "StrStrI": (1, 0), "strnstr": (1, 0),
}  # fmt: skip
"""C functions that give a null pointer where a text is not found: places of what is sought, and where."""

HINTS = frozenset(
    "likely unlikely __builtin_expect __builtin_expect_with_probability G_LIKELY G_UNLIKELY".split()
)
"""C macros that say how likely their first argument is."""

CASES: dict[str, Callable[[str], str]] = {
    "lower": str.lower, "upper": str.upper, "strip": str.strip, "casefold": str.casefold, "title": str.title,
    "capitalize": str.capitalize, "lstrip": str.lstrip, "rstrip": str.rstrip, "swapcase": str.swapcase,
    "tolower": str.lower, "toupper": str.upper, "towlower": str.lower, "towupper": str.upper,
}  # fmt: skip
"""What gives a text in another form, by name."""

REGEX_FUNCTIONS = frozenset("match fullmatch search".split())

FORMAT = re.compile(r"%[-+ #0-9.*lhzjt]*[a-zA-Z]")


def in_other_form(name: str, value: Value) -> Const | None:
    """A known text in lower case and the like."""
    change = CASES.get(name)
    if change is None or not isinstance(value, Const) or not isinstance(value.value, str):
        return None
    return Const(change(value.value), value.label)


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
        return _copied(node, arguments[place], frame)
    if (place := APPENDS.get(name)) is not None and len(arguments) > place:
        return _appended(node, arguments[place], frame)
    if (place := PRINTS.get(name)) is not None and len(arguments) > place:
        return _printed(node, arguments[place:], frame)
    return in_other_form(name, arguments[0]) if len(arguments) == 1 else None


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


def _target(node: tree.Call) -> Node:
    target = node.arguments[0]
    while isinstance(target, tree.Cast):
        target = target.value
    return target


def _copied(node: tree.Call, value: Value, frame: Frame) -> Value:
    """`strcpy(target, value)` is an assignment."""
    target = _target(node)
    path = path_of(target)
    frame.emit("assign", node, value, path or frame.text(target))
    if path is not None:
        frame.variables[path] = _remembered(path, target, value, frame)
    return value


def _remembered(path: str, target: Node, value: Value, frame: Frame) -> Value:
    """A buffer named after an attribute holds the attribute if what is copied is unknown or a sample."""
    if isinstance(value, Const) and frame.conditional:
        return value
    if isinstance(value, Opaque | Const):
        name = target.name if isinstance(target, tree.Field) else path
        found = reads.mentioned(name, target, frame)
        if isinstance(found, Protected) and found.mention.group is None:
            return found
    return value


def _appended(node: tree.Call, value: Value, frame: Frame) -> Value:
    target = _target(node)
    path = path_of(target)
    before = None if path is None else frame.variables.get(path)
    if path is None:
        return Opaque(frame.text(node))
    held = Opaque(path) if before is None else before
    if not (isinstance(before, Const) and before.value in {"", None}):
        value = texts.joined([(held, target), (value, node.arguments[-1])], node)
    frame.emit("assign", node, value, path)
    frame.variables[path] = value
    return value


def _printed(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`snprintf(target, n, "%s", value)`: a copy where the format is no more than that."""
    written = arguments[0]
    if not isinstance(written, Const) or not isinstance(written.value, str):
        return None
    around = FORMAT.sub("", written.value).strip()
    if not around and len(arguments) == 2:
        return _copied(node, arguments[1], frame)
    given = zip(arguments[1:], node.arguments[-len(arguments) + 1 :], strict=False) if arguments[1:] else ()
    return _copied(node, texts.printed(written, given, node), frame)


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
