"""Names that show a group: lists of several countries with their sources, and one's own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fairlint.counterfactual.prompts.own_lists import read_list
from fairlint.support.documents import read_toml
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

SHIPPED = Path(__file__).parent / "name_lists"
OWN_COLUMNS = ("gender", "race", "first", "last")
COUNTRY_OF_LANGUAGE = {"en": "us", "de": "de", "fr": "fr", "es": "es"}
"""Where the names are from if nobody says it."""
_SOURCES = "sources"


class Source(Record):
    """Where a list of names comes from."""

    title: str
    year: int
    url: str
    licence: str
    note: str = ""


class Matching(Record):
    """How alike the names at the same place of a country's lists are."""

    measure: str = ""
    """What frequency is; empty where no source says it, so that names are not matched."""
    factor: float | None = None
    """How many times as frequent one can be as another."""
    years: int | None = None
    """Between the median years of birth; None where names are not matched in age."""
    is_class: bool = False
    """Whether frequencies are classes, of which each has twice the one before."""

    @property
    def words(self) -> str:
        """The same as people read it."""
        if self.factor is None:
            return "not matched in frequency"
        age = (
            "not matched in age"
            if self.years is None
            else f"in median year of birth within {self.years} years"
        )
        return f"matched in frequency within a factor of {self.factor:g} ({self.measure}), {age}"


class Figures(Record):
    """What a source says of each name of a list, in their order; empty where it says nothing."""

    frequency: tuple[int, ...] = ()
    born: tuple[int, ...] = ()
    """Median years of birth."""


class Names(Record):
    """The first and last names of people of one sex and race."""

    gender: str
    race: str
    first: tuple[str, ...]
    last: tuple[str, ...]
    sources: tuple[Source, ...] = ()
    country: str = ""
    """Its code and title; empty for one's own names."""
    first_matching: Matching = Matching()
    last_matching: Matching = Matching()
    first_figures: Figures = Figures()
    last_figures: Figures = Figures()

    def full_name(self, place: int) -> tuple[str, str]:
        """Return the first and last name at a place; every pair comes before any is repeated."""
        turn = place // math.lcm(len(self.first), len(self.last))
        return self.first[place % len(self.first)], self.last[(place + turn) % len(self.last)]


def countries() -> tuple[str, ...]:
    """Return the codes of the countries of which there are names."""
    return tuple(sorted(one.stem for one in SHIPPED.glob("*.toml") if one.stem != _SOURCES))


@cache
def shipped_names(country: str, language: str = "en") -> tuple[Names, ...]:
    """Return the lists of a country, with groups as the language calls them, if it is one spoken there.

    Raises UsageError where there are none.
    """
    if country not in countries():
        raise UsageError(
            f"--names {country}: there are lists of {', '.join(countries())} only; give your own as FILE.csv"
        )
    told = _read(country)
    known = {key: Source(**one) for key, one in _read(_SOURCES).items()}
    said = told.get("said", {}).get(language, {})
    first, last = (told["matching"][one] for one in ("first", "last"))
    lasts = {one["race"]: one for one in told["last_names"]}
    found = []
    for one in told["first_names"]:
        of_last = lasts[one["race"]]
        used = [first["source"], first.get("age_source"), of_last.get("source") or last["source"]]
        found.append(
            Names(
                one["gender"],
                said.get(one["race"], one["race"]),
                tuple(one["names"]),
                tuple(of_last["names"]),
                tuple(known[key] for key in dict.fromkeys(used) if key),
                f"{country}, {told['title']}",
                _matching(first),
                _matching(last),
                _figures(one),
                _figures(of_last),
            )
        )
    return tuple(found)


def _read(stem: str) -> dict[str, Any]:
    return read_toml((SHIPPED / f"{stem}.toml").read_text("utf-8"))


def _matching(told: Mapping[str, Any]) -> Matching:
    return Matching(
        told.get("measure", ""), told.get("factor"), told.get("years"), bool(told.get("is_class"))
    )


def _figures(told: Mapping[str, Any]) -> Figures:
    return Figures(tuple(told.get("frequency", ())), tuple(told.get("born", ())))


def chosen_names(option: str | None, language: str) -> tuple[Names, ...]:
    """Return the names that an option chooses: a country's, those of a CSV file, or by the language.

    Raises UsageError for a country without lists and for a file as `own_names` does.
    """
    if option is None:
        return shipped_names(COUNTRY_OF_LANGUAGE[language], language)
    is_code = option.isalpha() and len(option) == 2 and not Path(option).exists()
    return shipped_names(option.lower(), language) if is_code else own_names(option)


def matching_lines(lists: Sequence[Names]) -> list[str]:
    """Return where names are from and how they are matched, for people to read."""
    if not any(one.country for one in lists):
        return ["names     your own; how frequent they are is not known"] if lists else []
    one = lists[0]
    last = one.last_matching.words.removesuffix(", not matched in age")
    return [f"names     {one.country}", f"  first   {one.first_matching.words}", f"  last    {last}"]


def sources_lines(lists: Sequence[Names]) -> list[str]:
    """Return the sources of lists, each once."""
    used = dict.fromkeys(source for one in lists for source in one.sources)
    return [f"  from    {one.title} ({one.year}), {one.licence}" for one in used]


def own_names(path: str) -> tuple[Names, ...]:
    """Return the names of a CSV file with the columns gender, race, first and last, one person a line.

    Raises UsageError in one line for a file that cannot be read or has no two groups.
    """
    rows = read_list(path, OWN_COLUMNS, "names")
    held: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for row in rows:
        first, last = held.setdefault((row["gender"], row["race"]), ({}, {}))
        first[row["first"]] = None
        last[row["last"]] = None
    if len(held) < 2:
        raise UsageError(f"{path}: names of one group only; an effect is a difference between groups")
    return tuple(Names(*groups, tuple(first), tuple(last)) for groups, (first, last) in held.items())


def groups_with_names(lists: Sequence[Names], attribute: str) -> Mapping[str, list[Names]]:
    """Return the lists of each group of an attribute, `gender` or `race`, in their order."""
    found: dict[str, list[Names]] = {}
    for one in lists:
        found.setdefault(one.gender if attribute == "gender" else one.race, []).append(one)
    return found
