"""Conventions of a language: what code in it calls its own things."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlint.support.records import Record

TYPE_CHECKING = False  # importing typing would take as long as the rest
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from fairlint.syntax.constants import Named, Typed


def is_constant(name: str) -> bool:
    """Return whether a name is spelled as constants are: `MAX_AGE`, and `kMaxAge`."""
    return name.isupper() or (name[:1] == "k" and name[1:2].isupper())


def no_type(_written: str) -> str:
    """For a language whose names have no types of numbers."""
    return ""


def no_aliases(_data: bytes) -> Mapping[str, str]:
    """Return no type has another name."""
    return {}


def store_unchanged_value(value: float, _type: str) -> int | float:
    """Return a variable holds what it is given."""
    return value


def is_no_buffer(written: str) -> bool:
    """Return no parameter, whatever its type: what a function gives it, the caller does not see."""
    del written
    return False


def is_text(written: str) -> bool:
    """Return whether an annotation says that there is a text, or nothing."""
    return written.replace(" ", "").strip("\"'") in {"str", "str|None", "None|str", "Optional[str]"}


class Conventions(Record):
    """What code takes for granted: names with a meaning of their own, and how others are spelled."""

    receivers: tuple[str, ...] = ("self", "cls", "this")
    """What a method calls the object or class that it belongs to; the object's usual name first."""
    parents: tuple[str, ...] = ("super()", "super")
    """What stands for the same object with its parent's methods."""
    constructor: str = "__init__"
    """The method that fills a new object; empty where there is none."""
    prepares: tuple[str, ...] = ("setUpClass", "setUp", "setup_method", "setup")
    """The methods that prepare what the tests of a class are about."""
    static: tuple[str, ...] = ("staticmethod",)
    """What decorates a method that is given no object."""
    of_class: tuple[str, ...] = ("classmethod",)
    """What decorates a method that is given its class instead."""
    properties: tuple[str, ...] = ("property", "cached_property", "functools.cached_property")
    """What decorates a method that is read like a field."""
    name_of_function: str = "__name__"
    """The field of a function that is its name."""
    or_gives_value: bool = True
    """Whether `x or "male"` is `x` or the text, rather than a truth value."""
    main: str = "__name__"
    """What a module compares to learn that it is run as a program; empty where it cannot."""
    is_constant: Callable[[str], bool] = is_constant
    """Whether a name is spelled as constants are."""
    is_buffer: Callable[[str], bool] = is_no_buffer
    """Whether a parameter of a type, as written, is something of the caller's that may be written into."""
    is_text: Callable[[str], bool] = is_text
    """Whether a function of a type, as written, gives a text."""
    has_tables: bool = True
    """Whether people may stand in tables, whose gaps are filled column by column."""
    has_defaults: bool = True
    """Whether parameters and fields have defaults; else what a place is given first is one."""
    divides_whole: bool = False
    """Whether whole numbers are divided without what is left over, which has the sign of what is divided."""
    number_type: Callable[[str], str] = no_type
    """The type of numbers that words name, in one form; empty for any other type, and where names have no
    types."""
    aliases: Callable[[bytes], Mapping[str, str]] = no_aliases
    """The other names that a source gives to types, with what they stand for."""
    stored: Callable[[int | float, str], int | float | None] = store_unchanged_value
    """What a variable of a type, as written, holds of a number; None where nobody can say."""
    computed: Callable[[str, Named], Typed | None] | None = None
    """The value of a constant expression, as written; None where the evaluator computes by itself."""
    enums_are_numbers: bool = False
    """Whether any list of groups numbers them, so that a number for a group says little."""
    imported_later: bytes | None = rb"\n[ \t]+(?:import|from)[ \t]+(\w+)"
    """Behind the end of a line, an import inside a function, with the package; None where there is no such
    thing.
    """
    shares: tuple[bytes, str] | None = None
    """The word by which a function gives a variable of the module a value, and what the grammar calls that
    statement; None where functions need no word."""
    standard: AbstractSet[str] = frozenset()
    """The language's own library: modules that no project has itself, and that are of no unknown package."""
    libraries: str = ""
    """Whose library models are meant without an import: those that name this language."""

    @property
    def receiver(self) -> str:
        """What a method calls its object; `self` where there are no methods."""
        return self.receivers[0] if self.receivers else "self"

    def is_receiver(self, text: str) -> bool:
        """Return whether a text is what methods call their object, its class, or its parent."""
        return text in self.receivers or text in self.parents

    def own(self, name: str) -> str:
        """Return the path of an object's own field: `self.name`."""
        return f"{self.receiver}.{name}"

    def own_name(self, path: str) -> str:
        """Return the field of the object itself that a path leads to: `age` for `self.age`; empty for all
        others.
        """
        first, _, rest = path.partition(".")
        return rest if first in self.receivers else ""
