"""The notation of an expected finding: a comment on the line where the finding starts.

    score += 5  # FL201: gender male +5, female +0
    score *= k; /* FL204 error: gender male x1.2, others x1 */
    return 0    # FL101: gender; FL102: age
    pass        # FL104

The rule pages, `fixtures/`, the cases and pipelines of `benchmarks/` and the programs in tests all use it.
What a place leaves open is left out: only the rule has to be there.

    expectation  = rules [severity] [":" attributes [table]]
    rules        = FL301 | FL301|FL302 (one of them)
    severity     = error | warning | note
    attributes   = gender | race|ethnicity (one of them) | age+race (tested together) | * (any)
    table        = a row for each group, by commas; or `no points`
    row          = male +5 (points added) | male x1.2 (a factor) | male = 3 (a value) | others ? (open)

`others` is what a group nobody names gets. Two findings on one line are separated by a semicolon. A comment
`silent: why` stands on a line that looks like a finding and is none.

A comment with a line of its own speaks of the line below, so that there is room for a long table, and for a
line that can have no comment. In SQL, `--` starts a comment too. Comments are blanked before a check where
they could be evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

RULE = r"[A-Z]{2,8}\d{3,4}"
COMMENT = re.compile(
    rf"[ \t]*(?:#|//|/\*|--)[ \t]*(?P<text>(?:{RULE}\b|silent:)[^\n]*?)(?:[ \t]*\*/)?[ \t]*$", re.MULTILINE
)
EXPECTED = re.compile(
    rf"(?P<rules>{RULE}(?:\|{RULE})*)(?:[ ]+(?P<severity>error|warning|note))?"
    r"(?::\s*(?P<attributes>\*|[a-z_]+(?:[|+][a-z_]+)*)(?:\s+(?P<table>.+))?)?"
)
ROW = re.compile(r"(?P<group>.+?)\s*(?P<amount>[+-]\d\S*|x\d\S*|=\s*-?\d\S*|\?)")
OPS = {"+": "add", "-": "add", "x": "multiply", "=": "set"}
NO_POINTS = "no points"
SILENT = "silent:"
ANY = "*"

FENCE = re.compile(r"^```(?P<language>python|c)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
SUFFIXES = {"python": "py", "c": "c"}


@dataclass(frozen=True)
class Expected:
    """One finding that a comment asks for."""

    line: int
    rule: str
    """The first of `rules`."""
    attribute: str | None = None
    """The first of `attributes`; None where the comment names none."""
    op: str | None = None
    table: Mapping[str, float | None] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    """The rules of which one is enough."""
    severity: str | None = None
    attributes: tuple[str, ...] = ()
    """The attributes of which one is enough; `*` is any."""
    joined: tuple[str, ...] = ()
    """The attributes tested together with the first."""
    no_points: bool = False


@dataclass(frozen=True)
class Silent:
    """A line that a comment wants silent."""

    line: int
    why: str


@dataclass(frozen=True)
class Marked:
    """Some code with its comments read, and blanked."""

    code: str
    expected: tuple[Expected, ...]
    silent: tuple[Silent, ...]


@dataclass(frozen=True)
class Block:
    """One code block of a rule page."""

    page: str
    line: int
    """The line of the page on which the code starts."""
    language: str
    code: str
    """The code with its expectations blanked."""
    expected: tuple[Expected, ...]

    @property
    def id(self) -> str:
        """A short name for test reports."""
        return f"{self.page}:{self.line}-{self.language}"

    @property
    def path(self) -> str:
        """A path that says the language and nothing else."""
        return f"example.{SUFFIXES[self.language]}"


def read_page(text: str, page: str) -> Iterator[Block]:
    """The code blocks of a rule page. A block without a comment must give no finding, notes included."""
    for fence in FENCE.finditer(text):
        marked = read_code(fence["code"])
        line = text.count("\n", 0, fence.start("code")) + 1
        yield Block(page, line, fence["language"], marked.code, marked.expected)


def read_code(text: str) -> Marked:
    """What the comments of some code expect; a ValueError says what is wrong with one."""
    expected: list[Expected] = []
    silent: list[Silent] = []
    for line, comment in _comments(text):
        if comment.startswith(SILENT):
            silent.append(Silent(line, comment.removeprefix(SILENT).strip()))
        else:
            try:
                expected.extend(read_comment(comment, line))
            except ValueError as error:
                raise ValueError(f"line {line}: {error}") from None
    return Marked(COMMENT.sub("", text), tuple(expected), tuple(silent))


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Each comment with the line that it speaks of."""
    alone: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        comment = COMMENT.search(line)
        if comment is not None and not line[: comment.start()].strip():
            alone.append(comment["text"])
            continue
        yield from ((number, one) for one in alone)
        alone = []
        if comment is not None:
            yield number, comment["text"]
    if alone:
        raise ValueError(f"the last comment speaks of no line: {alone[-1]!r}")


def read_comment(text: str, line: int) -> Iterator[Expected]:
    """What one comment expects; a ValueError says what is wrong with it."""
    for part in text.split(";"):
        found = EXPECTED.fullmatch(part.strip())
        if not found:
            raise ValueError(f"not an expectation: {part.strip()!r}")
        rules = tuple(found["rules"].split("|"))
        first, *joined = (found["attributes"] or "").split("+")
        attributes = tuple(filter(None, first.split("|")))
        no_points = found["table"] == NO_POINTS
        op, table = (None, {}) if no_points or not found["table"] else _table(found["table"], part.strip())
        yield Expected(
            line,
            rules[0],
            attributes[0] if attributes else None,
            op,
            table,
            rules,
            found["severity"],
            attributes,
            tuple(joined),
            no_points,
        )


def _table(text: str, whole: str) -> tuple[str | None, dict[str, float | None]]:
    ops: set[str] = set()
    table: dict[str, float | None] = {}
    for row in text.split(","):
        entry = ROW.fullmatch(row.strip())
        if not entry:
            raise ValueError(f"not a group and its amount: {row.strip()!r}")
        amount = entry["amount"]
        if amount == "?":
            table[entry["group"]] = None
            continue
        ops.add(OPS[amount[0]])
        table[entry["group"]] = float(amount.lstrip("x= "))
    if len(ops) > 1:
        raise ValueError(f"one table, one way to apply it: {whole!r}")
    return ops.pop() if ops else None, table
