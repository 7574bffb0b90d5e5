"""What differs between languages, as data: everything else asks this record and never a language's name.

Most of it has defaults that suit many languages, so that `Language("r", (".r",), parse)` is one already. What
takes time to load is given as a function, which is called where a source needs it.
"""

from __future__ import annotations

from collections.abc import Callable

from fairlint.support.records import Record, replace
from fairlint.syntax.conventions import Conventions
from fairlint.syntax.tokens import Tokens

TYPE_CHECKING = False  # importing typing would take as long as the rest
if TYPE_CHECKING:
    from fairlint.syntax.completeness import Names
    from fairlint.syntax.outline import Headers, Modules, Outline
    from fairlint.syntax.signs import Signs
    from fairlint.syntax.tree import Tree

    Keep = Callable[[int, int, str], bool]
    Parse = Callable[[bytes, Keep | None], Tree]


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
    is_intact: Callable[[bytes], bool] | None = None
    """Reports, in less time than `parse` takes, that a source certainly has no syntax error; without it, a
    source that names nothing protected is not parsed.
    """
    byte_code: Callable[[str, int, int], tuple[str, bytes]] | None = None
    """Returns where its compiler keeps what it makes of a file, and how that begins if it was made of the
    file as it was at a time (in seconds) with a size: then there is no syntax error.
    """
    kernels: tuple[str, ...] = ()
    """How notebooks name what runs their cells, and editors what a cell is, in lower case."""
    cell: Callable[[bytes], bytes] | None = None
    """Makes blank, in as many bytes, what only a notebook understands in one of its cells."""

    def tree(self, data: bytes, keep: Keep | None = None, headers: bytes = b"") -> Tree:
        """Parse a source, which is UTF-8, as this language; its headers, if any, stand behind it."""
        from fairlint.syntax.whole_trees import parse_once  # noqa: PLC0415 (most sources are never parsed)

        including = self.headers if headers else None
        if including is None:
            tree = parse_once(self.parse, data, keep)
        else:
            tree = including().parse(data, headers, keep)
        return replace(tree, conventions=self.conventions, tokens=self.tokens)
