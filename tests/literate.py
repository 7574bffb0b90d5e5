"""Rule pages as tests: the code blocks of a page, with the findings that they must give.

A block that starts with ```` ```python ```` or ```` ```c ```` is checked as a file of its own. A comment on
the line where a finding starts says what is expected there; a block without such a comment must give no
finding, notes included:

    score += 5  # FL201: gender male +5, female +0
    score *= k; /* FL204: gender male x1.2, others x1 */
    return 0    # FL101: gender
    pass        # FL104

After the rule's code may follow the attribute, and after it a table: a group with `+n` or `-n` (points
added), `xn` (a factor) or `= n` (a value). Groups that the table does not mention are not compared; `others`
is what a group nobody names gets. Two findings on one line are separated by a semicolon. The comments are
blanked before the check, so that they are no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

FENCE = re.compile(r"^```(?P<language>python|c)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(
    r"[ \t]*(?:#|//|/\*)[ \t]*(?P<text>[A-Z]{2,8}\d{3,4}\b[^\n]*?)(?:[ \t]*\*/)?[ \t]*$", re.MULTILINE
)
EXPECTED = re.compile(r"(?P<rule>[A-Z]+\d+)(?::\s*(?P<attribute>[a-z_]+)(?:\s+(?P<table>.+))?)?")
ROW = re.compile(r"(?P<group>.+?)\s*(?P<amount>[+-]\d\S*|x\d\S*|=\s*-?\d\S*)")
OPS = {"+": "add", "-": "add", "x": "multiply", "=": "set"}
SUFFIXES = {"python": "py", "c": "c"}


@dataclass(frozen=True)
class Expected:
    """One finding that a comment asks for."""

    line: int
    rule: str
    attribute: str | None = None
    op: str | None = None
    table: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Block:
    """One code block of a page."""

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
    """The code blocks of a page."""
    for fence in FENCE.finditer(text):
        code = fence["code"]
        expected = tuple(
            one
            for comment in COMMENT.finditer(code)
            for one in read_comment(comment["text"], code.count("\n", 0, comment.start("text")) + 1)
        )
        yield Block(
            page=page,
            line=text.count("\n", 0, fence.start("code")) + 1,
            language=fence["language"],
            code=COMMENT.sub("", code),
            expected=expected,
        )


def read_comment(text: str, line: int) -> Iterator[Expected]:
    """What one comment expects; a ValueError says what is wrong with it."""
    for part in text.split(";"):
        found = EXPECTED.fullmatch(part.strip())
        if not found:
            raise ValueError(f"not an expectation: {part.strip()!r}")
        ops: set[str] = set()
        table: dict[str, float] = {}
        for row in (found["table"] or "").split(",") if found["table"] else ():
            entry = ROW.fullmatch(row.strip())
            if not entry:
                raise ValueError(f"not a group and its amount: {row.strip()!r}")
            amount = entry["amount"]
            ops.add(OPS[amount[0]])
            table[entry["group"]] = float(amount.lstrip("x= "))
        if len(ops) > 1:
            raise ValueError(f"one table, one way to apply it: {part.strip()!r}")
        yield Expected(line, found["rule"], found["attribute"], ops.pop() if ops else None, table)
