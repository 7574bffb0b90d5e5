"""How definitions and imports look to whoever has the text alone: what one language says about both.

No tree exists when this is asked, so it errs on the side of too many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from fairlint.support.records import Record
from fairlint.syntax.tokens import Tokens

TYPE_CHECKING = False  # as in `language`
if TYPE_CHECKING:
    from fairlint.syntax.language import Keep
    from fairlint.syntax.tree import Tree

TAB = 8
Spans = Sequence[tuple[int, int]]


class Definition(Record):
    """A function or type, from its header to the next header that is not inside it."""

    name: bytes
    start: int
    end: int
    is_type: bool = False


class Outline(Record):
    """How a source's definitions look, and what refers to them. The expressions are compiled on first use."""

    definitions: Callable[[bytes], list[Definition]]
    """The functions and types of a source, as far as their headers look like ones."""
    reference: bytes = rb"(?:(?<![\w.>])|\b(?:self|this|[A-Z]\w*)\.)([A-Za-z_]\w*)"
    """A name that this file may define: alone, or behind the object or a type; not the `read` of `x.read`."""
    sets: tuple[bytes, ...] = (rb"([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?[-+*/|:]?=(?!=)",)
    """On a line of code, the names that are set there for other functions to read."""
    constant: bytes | None = None
    """Behind the end of a line, a name that is set for the whole module, and what it is set to."""
    shared: bytes | None = None
    """What names the module's variables to which a function gives a value for others."""
    top_level: bytes | None = None
    """A statement that a script executes."""
    over: bytes | None = None
    """Behind the end of a line, what stands over a function and may keep it in a list."""
    chosen: bytes | None = None
    """A call of a method whose name begins so, and is put together."""
    tests: bytes | None = None
    """What a source holds in which something is tested."""
    always: frozenset[bytes] = frozenset()
    """Functions that are called without a name, like constructors, and are lowered wherever they stand."""
    special: tuple[bytes, ...] = ()
    """How the names of functions begin that are not followed for being called: `__len__`."""


def definitions_by_indent(header: bytes) -> Callable[[bytes], list[Definition]]:
    """Definitions that end where the indentation does.

    `header` matches, behind the end of a line, the indentation, the word that makes a function or `class`,
    and the name.
    """

    def definitions(data: bytes) -> list[Definition]:
        done: list[Definition] = []
        stack: list[tuple[int, bytes, int, bool]] = []

        def close(indent: int, end: int) -> None:
            while stack and stack[-1][0] >= indent:
                _, name, start, is_type = stack.pop()
                done.append(Definition(name, start, end, is_type))

        for found in re.finditer(header, b"\n" + data):  # so that a match starts where its line does
            indent = len(found[1].expandtabs(TAB))
            close(indent, found.start())
            stack.append((indent, found[3], found.start(), found[2] == b"class"))
        close(0, len(data))
        return done

    return definitions


def in_a_row(
    *headers: bytes, no_names: AbstractSet[bytes] = frozenset()
) -> Callable[[bytes], list[Definition]]:
    """Return functions that do not stand in each other: each goes on to the next header.

    `headers` match a header with the name as their group; what is called like one of `no_names` is none.
    """

    def definitions(data: bytes) -> list[Definition]:
        found = [one for header in headers for one in re.finditer(header, data)]
        starts = sorted((one.start(), one[1]) for one in found if one[1] not in no_names)
        ends = [*(start for start, _ in starts[1:]), len(data)][: len(starts)]
        return [Definition(name, start, end) for (start, name), end in zip(starts, ends, strict=True)]

    return definitions


class Imported(Record):
    """One import statement: `module` as written, and the names with those they are bound to.

    `import a.b` has no names, and `bound` is how the module is then called.
    """

    module: str
    names: tuple[tuple[str, str], ...]
    bound: str
    offset: int
    is_certain: bool
    """Neither in a function nor in a branch."""


class Modules(Record):
    """How the files of a language import each other: dotted names for folders and files, as in Python."""

    imports: Callable[[bytes], Iterable[Imported]]
    """The import statements of a source, as far as they look like ones."""
    names: Callable[
        [bytes, Tokens], tuple[Mapping[bytes, Spans], Mapping[bytes, bytes], Mapping[bytes, tuple[int, int]]]
    ]
    """The top-level names with their stretches; which of them are functions (`def`) or types (`class`); the
    methods of the types.
    """
    package: str = ""
    """The file, without its suffix, that makes a folder a package."""
    worth_alone: tuple[bytes, ...] = ()
    """What stands where a model learns or is asked, or a data base: such a file counts for its imports."""
    rows: bytes | None = None
    """What stands in a function that hands what it gets to a model, makes a row of it, or chooses or codes
    columns. This and `speaks` mean the same to RE2.
    """
    speaks: bytes | None = None
    """What stands where a language model is asked."""
    labels: re.Pattern[bytes] | None = None
    """What an array's columns are called."""
    field_lists: re.Pattern[bytes] | None = None
    """A list that a method gives a field of its object."""


class Headers(Record):
    """How a source takes over what other files define, as if it stood there: `#include "limits.h"`."""

    named: re.Pattern[bytes]
    """A line that includes a file of the project, with the name as its group."""
    words: Callable[[bytes], AbstractSet[bytes]]
    """The words of a source that may be names."""
    definitions: Callable[[bytes, AbstractSet[bytes]], tuple[bytes, AbstractSet[bytes]]]
    """A header in which all is blank but what defines names that are wanted; all that are wanted then."""
    parse: Callable[[bytes, bytes, Keep | None], Tree]
    """The tree of a source, with what its headers, which stand behind it, define."""
