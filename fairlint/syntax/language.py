"""What differs between languages, as data: everything else asks this record and never a language's name.

Most of it has defaults that suit many languages, so that `Language("r", (".r",), parse)` is one already. What
takes time to load is given as a function, which is called where a source needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from fairlint.records import Record, replace

TYPE_CHECKING = False  # importing typing would take as long as the rest
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from fairlint.syntax.completeness import Names
    from fairlint.syntax.constants import Named, Typed
    from fairlint.syntax.outline import Headers, Modules, Outline
    from fairlint.syntax.signs import Signs
    from fairlint.syntax.tree import Tree

    Keep = Callable[[int, int, str], bool]
    Parse = Callable[[bytes, Keep | None], Tree]


def is_constant(name: str) -> bool:
    """Whether a name is spelled as constants are: `MAX_AGE`, and `kMaxAge`."""
    return name.isupper() or (name[:1] == "k" and name[1:2].isupper())


def no_type(_written: str) -> str:
    """For a language whose names have no types of numbers."""
    return ""


def no_aliases(_data: bytes) -> Mapping[str, str]:
    """No type has another name."""
    return {}


def as_given(value: float, _type: str) -> int | float:
    """A variable holds what it is given."""
    return value


def is_no_buffer(written: str) -> bool:
    """No parameter, whatever its type: what a function gives it, the caller does not see."""
    del written
    return False


def is_text(written: str) -> bool:
    """Whether an annotation says that there is a text, or nothing."""
    return written.replace(" ", "").strip("\"'") in {"str", "str|None", "None|str", "Optional[str]"}


class Tokens(Record, slots=False):
    """How comments and texts are written; what is neither is code.

    >>> tokens = Tokens(line_comments=(b"--",), quotes=(b"'",))
    >>> [found[0] for found in tokens.expression.finditer(b"name = 'Ada' -- a woman")]
    [b"'Ada'", b'-- a woman']
    """

    line_comments: tuple[bytes, ...] = ()
    """What begins a comment that ends with its line."""
    block_comments: tuple[tuple[bytes, bytes], ...] = ()
    """What begins other comments, and what ends them."""
    quotes: tuple[bytes, ...] = (b'"', b"'")
    """What is on both sides of a text on one line."""
    long_quotes: tuple[bytes, ...] = ()
    """The same for texts that go over lines: three times one character."""
    prefixes: bytes = b""
    """Letters that may stand right before a text, at most two of them."""
    formatted: bytes = b""
    """Those that make expressions of what is in braces."""
    binary: bytes = b""
    """Those that make bytes of a text."""
    is_spliced: bool = False
    """Whether a line comment goes on behind a backslash at the end of its line."""
    keywords: frozenset[str] = frozenset()
    """Words of the language itself, which name nothing."""

    @cached_property
    def expression(self) -> re.Pattern[bytes]:
        """Matches one comment or text; a match with a group is a text that never ends.

        It takes linear time: each alternative begins with a character of its own, by which it is found in a
        leap, and no repetition can match the same text in two ways. There are no possessive quantifiers:
        some versions of Python get them wrong.
        """
        ways = []
        for begin, end in self.block_comments:  # first, as in Lua `--[[` begins like `--`
            first, rest = re.escape(end[:1]), re.escape(end[1:])
            more = rb"(?:%b(?!%b)[^%b]*)*" % (first, rest, first) if rest else b""
            ways.append(rb"%b[^%b]*%b(?:%b|\Z)" % (re.escape(begin), first, more, re.escape(end)))
        line = rb"[^\\\r\n]*(?:\\(?:[ \t]*\r?\n|.)[^\\\r\n]*)*" if self.is_spliced else rb"[^\r\n]*"
        ways += [re.escape(mark) + line for mark in self.line_comments]
        for quote in self.long_quotes:
            one = re.escape(quote[:1])
            body = rb"%b[^%b\\]*(?:(?:\\.|%b(?!%b))[^%b\\]*)*" % (quote, one, one, one * 2, one)
            ways += [body + quote, body + rb"()"]
        for quote in self.quotes:
            one = re.escape(quote)
            body = rb"%b[^%b\\\r\n]*(?:\\(?:\r\n|.)[^%b\\\r\n]*)*" % (one, one, one)
            ways += [body + one, body + rb"()"]
        return re.compile(b"|".join(ways) or rb"(?!)", re.DOTALL)

    def end(self, data: bytes, start: int) -> int | None:
        """Where the comment or text ends that begins there; None where it never does."""
        found = self.expression.match(data, start)
        return None if found is None or found.lastindex is not None else found.end()

    def ended(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The comments and texts of a source that end; what opens another is a letter like others."""
        at = 0
        while (found := self.expression.search(data, at)) is not None:
            if found.lastindex is None:
                yield found.span()
            at = found.end() if found.lastindex is None else found.start() + 1

    @cached_property
    def _comments(self) -> tuple[bytes, ...]:
        return (*self.line_comments, *(begin for begin, _ in self.block_comments))

    def is_comment(self, data: bytes, start: int) -> bool:
        """Whether what starts there is a comment, rather than a text."""
        return data.startswith(self._comments, start)

    def is_closed(self, data: bytes, start: int, end: int) -> bool:
        """Whether a comment from `start` to `end` ends as it has to, rather than with the source."""
        if end < len(data):
            return True
        for begin, close in self.block_comments:
            if data.startswith(begin, start):
                return data.endswith(close, start + len(begin))
        return True

    def is_long(self, data: bytes, start: int) -> bool:
        """Whether a text that starts there, or its prefix, may go over lines."""
        while start < len(data) and data[start] in self.prefixes:
            start += 1
        return data.startswith(self.long_quotes, start)

    def quote_size(self, data: bytes, start: int, end: int) -> int:
        """How many bytes are on either side of a text."""
        return 3 if end - start >= 6 and self.is_long(data, start) else 1

    def prefix(self, data: bytes, start: int) -> bytes:
        """The letters right before a text that belong to it."""
        first = start
        while first > 0 and start - first < 3 and data[first - 1] in self.prefixes:
            first -= 1
        is_word = start - first > 2 or (first > 0 and (data[first - 1] >= 0x80 or data[first - 1] in _WORD))
        return b"" if is_word else data[first:start]

    def is_formatted(self, data: bytes, start: int) -> bool:
        """Whether a text that starts there has expressions in its braces."""
        return any(letter in self.formatted for letter in self.prefix(data, start))

    def is_binary(self, data: bytes, start: int) -> bool:
        """Whether a text that starts there is bytes."""
        return any(letter in self.binary for letter in self.prefix(data, start))


_WORD = b"_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


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
    stored: Callable[[int | float, str], int | float | None] = as_given
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
        """Whether a text is what methods call their object, its class, or its parent."""
        return text in self.receivers or text in self.parents

    def own(self, name: str) -> str:
        """The path of an object's own field: `self.name`."""
        return f"{self.receiver}.{name}"

    def own_name(self, path: str) -> str:
        """The field of the object itself that a path leads to: `age` for `self.age`; empty for all others."""
        first, _, rest = path.partition(".")
        return rest if first in self.receivers else ""


class Language(Record, slots=False):
    """One language, whole."""

    name: str
    suffixes: tuple[str, ...]
    """Those of its files; imports are looked up with the first."""
    parse: Parse
    """Turns bytes into a Tree; `tree` is what to call."""
    title: str = ""
    """What people call it."""
    tokens: Tokens | None = None
    """Without it, every protected word counts, wherever it stands."""
    conventions: Conventions = Conventions()
    outline: Callable[[], Outline] | None = None
    """How definitions look before anything is parsed; without it, all functions of a source are lowered."""
    modules: Callable[[], Modules] | None = None
    """How one file imports another; without it, or without tokens, no import is followed."""
    headers: Callable[[], Headers] | None = None
    """How one file includes another; without it none is read."""
    imports_by: bytes = b"import"
    """What stands in every source that imports something."""
    names: Callable[[], Names] | None = None
    """Which names need no definition; without it, nobody can tell whether code lacks one."""
    signs: Callable[[], Signs] | None = None
    """How it is told in a model's answer; without it, by its name behind a fence."""
    interpreters: tuple[str, ...] = ()
    """How programs are called that run its files, as the first line of a file without a suffix names them."""
    encoding: Callable[[bytes], str | None] | None = None
    """Which encoding a file says that it is in, where it is not UTF-8."""
    kernels: tuple[str, ...] = ()
    """How notebooks name what runs their cells, and editors what a cell is, in lower case."""
    cell: Callable[[bytes], bytes] | None = None
    """Makes blank, in as many bytes, what only a notebook understands in one of its cells."""

    def tree(self, data: bytes, keep: Keep | None = None, headers: bytes = b"") -> Tree:
        """Parses a source, which is UTF-8, as this language; its headers, if any, stand behind it."""
        including = self.headers if headers else None
        tree = self.parse(data, keep) if including is None else including().parse(data, headers, keep)
        return replace(tree, conventions=self.conventions, tokens=self.tokens)
