"""Why a line is told about, or why not: the names on it, the Uses that touch it, and what became of them.

This goes the way of a run once more, for one line, and keeps what a run throws away.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.checking.explained_line import (
    discover_file,
    is_excluded_file,
    load_source,
    locate_line,
    nearest_named_line,
    text_of_line,
)
from fairlint.checking.explained_uses import Account, Reason, accounts_of_line, make_reason, with_names
from fairlint.checking.file_result import Candidate, FileResult
from fairlint.checking.reparsed_source import Parsed
from fairlint.checking.session import Session
from fairlint.checking.unused_names import (
    Unused,
    describe_unused_name,
    gap_reasons,
    reason_without_name,
    without_use,
)
from fairlint.config import Configurations, Settings
from fairlint.semantics.names.named import Name, names_between
from fairlint.support.causes import BROKEN
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, replace
from fairlint.syntax.source import Source

__all__ = ["Explanation", "Name", "explain"]


__all__ = ["Explanation", "Name", "explain"]


class Explanation(Record):
    """All that is to be told about one line."""

    source: Source
    cell: int | None
    line: int
    column: int | None
    text: str
    function: str
    names: tuple[Name, ...]
    accounts: tuple[Account, ...]
    unused: tuple[Unused, ...]
    reasons: tuple[Reason, ...]
    """What concerns the whole line: not analysed, nothing named, left out by the settings."""
    nearest: int | None
    """Where nothing is named here: the nearest line, of this cell, that names something."""

    def column_of(self, offset: int) -> int:
        """Return the column of a place on the line; a text of several lines ends with the line."""
        position = self.source.place(offset).position
        if position.line == self.line:
            return position.column
        length = len(self.text)
        return length + 1 if position.line > self.line else length - len(self.text.lstrip()) + 1


def explain(
    path: str,
    line: int,
    *,
    cell: int | None = None,
    column: int | None = None,
    settings: Settings | Configurations,
) -> Explanation:
    """Return everything about one line of a file. What is not there is a UsageError.

    `cell` is the cell's place in a notebook, as reports name it. With a `column`, Uses that do not cover it
    are left out where others do.
    """
    if isinstance(settings, Settings):
        settings = Configurations.of_settings(settings)
    checker = Session(settings, in_project=True).of_file(path)
    file = discover_file(path, checker)
    source = load_source(file, checker)
    asked = locate_line(source, cell, line, column)
    pending = checker.read(file)
    hits: Sequence[int] = ()
    checked = pending if isinstance(pending, FileResult) else checker.analyse(pending)
    if broken := [gap.reason for gap in checked.not_analysed if gap.cause in BROKEN]:
        raise UsageError(f"{checked.path}: {broken[0]}")
    if isinstance(pending, Candidate):
        hits = pending.hits
    accounts = accounts_of_line(asked, checked, checker, source)
    parsed = Parsed(checker, source, pending, asked) if isinstance(pending, Candidate) else None
    if parsed is not None:
        accounts = tuple(with_names(account, parsed) for account in accounts)
    seen = {account.use.attribute for account in accounts}
    language = checker.languages.get(source.language or "")
    tokens = language.tokens if language is not None else None
    names = names_between(source, asked.span, hits, checker.vocabulary, sorted(seen), tokens=tokens)
    reasons = list(gap_reasons(asked, checked, parsed))
    unused = tuple(describe_unused_name(name, names, parsed, checker) for name in without_use(names, seen))
    if reasons:
        unused = tuple(replace(one, reason=reasons[0]) for one in unused)
    nearest = None
    if not accounts and not unused:
        nearest = nearest_named_line(asked, hits)
        if not reasons:
            reasons.append(reason_without_name(names, hits, nearest, parsed))
    if is_excluded_file(path, checker):
        reasons.append(make_reason("excluded", "a run over the folder leaves this file out (`exclude`)"))
    return Explanation(
        source,
        cell,
        line,
        column,
        text_of_line(source, asked),
        parsed.function if parsed else "",
        tuple(names),
        accounts,
        unused,
        tuple(reasons),
        nearest,
    )
