"""What runs beside a program, wherever it is run: it calls it with each person and writes down the outcomes.

This file is loaded as text into both executors, so it keeps to what they have in common: no inheritance, no
generators, no `del`, no imports. What differs between them comes in as an argument. It is started before the
program, so that nothing the program does to built-in names changes it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DEEPEST = 50
"""Values nested deeper are not compared."""
LARGEST = 20_000
"""Values made of more than this many are not compared."""
LONGEST = 4_096
"""Characters of a canonical text where nobody says how many; a digest stands for a longer one."""
PLAIN = 10**4000
"""Whole numbers beyond are written by their sixteens, as Python refuses to write them by tens."""
MESSAGE = 300
"""Characters that are kept of an exception's message, and of a type's name."""
INFINITE = float("inf")
TRUE = ("value", "bool", "1")
FALSE = ("value", "bool", "0")
KINDS: list[Any] = [
    (str, "str"),
    (int, "int"),
    (float, "float"),
    (type(None), "none"),
    (dict, "dict"),
    (list, "list"),
    (tuple, "tuple"),
    (bool, "bool"),
    (set, "set"),
    (frozenset, "set"),
]


class Person:
    """A person whose columns are read as fields, and also as a mapping's."""

    def __init__(self, fields: dict[str, Any]) -> None:
        for name, cell in fields.items():
            setattr(self, name, cell)
        self._fields = fields

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __setitem__(self, name: str, cell: Any) -> None:
        self._fields[name] = cell
        setattr(self, name, cell)

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def __iter__(self) -> Any:
        return iter(self._fields)

    def get(self, name: str, default: Any = None) -> Any:
        """As a mapping's."""
        return self._fields.get(name, default)

    def keys(self) -> Any:
        """As a mapping's."""
        return self._fields.keys()

    def values(self) -> Any:
        """As a mapping's."""
        return self._fields.values()

    def items(self) -> Any:
        """As a mapping's."""
        return self._fields.items()


def plain_value(value: Any) -> Any:
    """Return a value of a type that only extends a built-in one, as the built-in one; others as they are."""
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, tuple):
        return tuple(value)
    return value


def type_name(value: Any) -> str:
    """Return the name of a value's type."""
    return str(type(value).__name__)


def number(value: Any) -> str:
    """Return the text that all numbers have that are equal to this one; NaN is taken to equal itself."""
    if value != value:  # noqa: PLR0124 (so it is no number)
        return "NaN"
    if type(value) is float:
        if value in (INFINITE, -INFINITE):
            return "Infinity" if value > 0 else "-Infinity"
        if value != int(value):
            return repr(value)
    whole = int(value)
    return str(whole) if -PLAIN < whole < PLAIN else '{"int": "' + hex(whole) + '"}'


def digest_if_long(text: str, tools: dict[str, Any]) -> str:
    """Return a canonical text, or what stands for one that is too long."""
    if len(text) <= tools.get("longest", LONGEST):
        return text
    return '{"digest": "' + str(tools["digest"](text)) + '", "length": ' + str(len(text)) + "}"


def canonical(value: Any, depth: int, left: list[Any], tools: dict[str, Any]) -> str | None:
    """Return the text that all values have that are equal to this one.

    None where `left[1]` says the type of what cannot be compared. `left[0]` is how many values may yet come.
    """
    left[0] -= 1
    if depth > DEEPEST or left[0] < 0:
        left[1] = "too large a value"
        return None
    kind = type(value)
    if value is None:
        return "null"
    if kind is bool or kind is int or kind is float:
        return number(value)
    if kind is str:
        return digest_if_long(tools["quote"](value), tools)
    if kind is list or kind is tuple or kind is set or kind is frozenset:
        items = canonical_items(value, depth, left, tools)
        if items is None:
            return None
        if kind is list:
            return "[" + ", ".join(items) + "]"
        if kind is tuple:
            return '{"tuple": [' + ", ".join(items) + "]}"
        return '{"set": [' + ", ".join(sorted(items)) + "]}"
    if kind is dict:
        keys = canonical_items(value, depth, left, tools)
        items = None if keys is None else canonical_items(value.values(), depth, left, tools)
        if keys is None or items is None:
            return None
        pairs = ["[" + key + ", " + item + "]" for key, item in zip(keys, items, strict=True)]
        return '{"dict": [' + ", ".join(sorted(pairs)) + "]}"
    simple = tools["plain"](value)
    if type(simple) is not kind:
        return canonical(simple, depth + 1, left, tools)
    left[1] = tools["name"](value)[:MESSAGE]
    return None


def canonical_items(items: Any, depth: int, left: list[Any], tools: dict[str, Any]) -> list[str] | None:
    """Return the texts of a collection's items; None as `canonical`."""
    texts = []
    for item in items:
        text = canonical(item, depth + 1, left, tools)
        if text is None:
            return None
        texts.append(text)
    return texts


def outcome(value: Any, tools: dict[str, Any]) -> tuple[str, ...]:
    """Return a value's outcome: `("value", kind, text)` or `("incomparable", type)`."""
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    kind = kind_of(value)
    if kind is None:
        value = tools["plain"](value)
        kind = kind_of(value)
        if kind is None:
            return ("incomparable", tools["name"](value)[:MESSAGE])
    left: list[Any] = [LARGEST, ""]
    text = canonical(value, 0, left, tools)
    if text is None:
        return ("incomparable", left[1])
    return ("value", kind, digest_if_long(text, tools))


def kind_of(value: Any) -> str | None:
    """Return the kind of a value whose type is exactly a built-in one."""
    kind = type(value)
    for known, name in KINDS:
        if kind is known:
            return str(name)
    return None


def choice_in_result(result: Any, plain: Callable[[Any], Any]) -> Any:
    """Return whether a function that was given one person chose it, from the people that it returned.

    Nested results (`chosen, others`), numbers (a score for each) and what is no collection are compared
    as they are; of a table, by name or whatever, what stands in it.
    """
    result = plain(result)
    if type(result) is dict:
        result = list(result.values())
    kind = type(result)
    if kind is list or kind is tuple or kind is set:
        for item in result:
            inner = type(item)
            if inner is list or inner is tuple or inner is set:
                return result
            if inner is int or inner is float or inner is bool:
                return result
        return len(result) > 0
    return result


def caller(space: dict[str, Any], request: dict[str, Any], plain: Callable[[Any], Any]) -> Any:
    """Return what calls the program's entry with a row; None where the program has no such entry."""
    style = request["style"]
    names = request["names"]
    extra = dict(request["extra"])
    parts = request["entry"].split(".")
    if parts[0] not in space:
        return None
    target = space[parts[0]]
    method = parts[1] if len(parts) > 1 else None
    if method is not None and not hasattr(target, method):
        return None

    def of_new(*given: Any, **named: Any) -> Any:
        return getattr(target(), str(method))(*given, **named)

    function = target if method is None else of_new

    def with_arguments(row: list[Any]) -> Any:
        return function(**dict(zip(names, row, strict=True)), **extra)

    def with_mapping(row: list[Any]) -> Any:
        return function(dict(zip(names, row, strict=True)), **extra)

    def with_object(row: list[Any]) -> Any:
        return function(Person(dict(zip(names, row, strict=True))), **extra)

    def with_method(row: list[Any]) -> Any:
        made = target(**dict(zip(names, row, strict=True)))
        return getattr(made, str(method))(**extra)

    def with_people(row: list[Any]) -> Any:
        return choice_in_result(function([dict(zip(names, row, strict=True))], **extra), plain)

    def with_frame(frame: Any) -> Any:
        return function(frame, **extra)

    return {
        "arguments": with_arguments,
        "mapping": with_mapping,
        "object": with_object,
        "method": with_method,
        "people": with_people,
        "frame": with_frame,
    }[style]


def crash(error: Any, tools: dict[str, Any]) -> tuple[str, str, str]:
    """Return the outcome of a call that raised an exception, whatever its methods do."""
    try:
        message = str(error)[:MESSAGE]
        if type(message) is not str:
            message = ""
    except BaseException:
        message = ""
    return ("crashed", tools["name"](error)[:MESSAGE], message)


def json_array(parts: Any, quote: Callable[[str], str]) -> str:
    """Return a JSON array of texts."""
    return "[" + ", ".join([quote(part) for part in parts]) + "]"


def failure(cause: str, message: str, quote: Callable[[str], str]) -> str:
    """Return the answer where nothing came of a batch."""
    return json_array(("failed", cause, message), quote)


def answer(
    request: dict[str, Any],
    space: dict[str, Any],
    start: Callable[[str, dict[str, Any]], None],
    tools: dict[str, Any],
) -> str:
    """Run the program to its definitions and calls it: the answer, in lines.

    `["failed", cause, message]`, or a line of JSON for every outcome once, and at the end one of numbers: for
    each person the place of theirs. `space` is where the program is defined, `start` executes its text there.
    Of `tools`, `quote` makes a JSON string of a text, `digest` a short text of a long one; `plain` is or
    replaces plain_value, `name` is or replaces type_name. `frame` makes one call for all people, whose values
    or exceptions it returns.
    """
    quote = tools["quote"]
    tools["longest"] = request["longest"]
    try:
        start(request["source"], space)
        call = caller(space, request, tools["plain"])
    except MemoryError:
        return failure("memory", "takes more memory than it may have", quote)
    except RecursionError:
        return failure("depth", "calls itself too deeply where it is defined", quote)
    except SyntaxError as error:
        return failure("syntax", crash(error, tools)[2], quote)
    except BaseException as error:
        what = crash(error, tools)
        return failure("definition", what[1] + ": " + what[2], quote)
    if call is None:
        return failure("missing", "the code defines no '" + request["entry"] + "'", quote)
    people = request["people"]
    is_frame = request["style"] == "frame"
    if is_frame:
        try:
            people = tools["frame"](call, request)
        except MemoryError:
            return failure("memory", "takes more memory than it may have", quote)
        except BaseException as error:
            what = crash(error, tools)
            return failure("definition", what[1] + ": " + what[2], quote)
    places: dict[Any, int] = {}
    each = []
    size = 0
    most = request["output"]
    for row in people:
        try:
            if not is_frame:
                result = outcome(call(row), tools)
            elif row[1] is None:
                result = outcome(row[0], tools)
            else:
                result = crash(row[1], tools)
        except MemoryError:
            return failure("memory", "takes more memory than it may have", quote)
        except BaseException as error:
            result = crash(error, tools)
        size += len(result[-1])
        if size > most:
            return failure("output", "returns more than it may", quote)
        place = places.get(result)
        if place is None:
            place = len(places)
            places[result] = place
        each.append(str(place))
    return "\n".join([json_array(result, quote) for result in places] + [" ".join(each)])
