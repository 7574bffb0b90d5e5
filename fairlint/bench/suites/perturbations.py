"""Prompts put in another way that means the same: other words, another order of attributes, other names.

A perturbation is data (`data/perturbations.toml`) that is applied to the texts of a request. Names can be put
back, so that the judge of the suite reads an answer to renamed attributes as one to its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

from fairlint.backends.requests import seed_of, shuffle_by_seed
from fairlint.support.documents import read_toml
from fairlint.support.records import Record

PERTURBATIONS = ("paraphrase", "shuffle", "rename")
"""The same instructions in other words, another order of attributes, other names of attributes and groups."""

_SEPARATORS = re.compile(r"(, | and )(?![^()]*\))")
"""What stands between the names of a list, outside of brackets."""


class Perturbed(Record):
    """What the prompts of a suite are made into."""

    paraphrase: tuple[tuple[str, str], ...]
    """A piece of a prompt, and what stands in its place."""
    items: tuple[re.Pattern[str], ...]
    """Lists within a line: the group `list`, or all that is found."""
    lines: tuple[re.Pattern[str], ...]
    """Lines that are a list together with their neighbours."""
    names: Mapping[str, str]
    """The name of an attribute or group → another one."""


@cache
def perturbed_suites() -> Mapping[str, Perturbed]:
    """Return the suites with other prompts, as `data/perturbations.toml` has them."""
    data = read_toml((files(__package__) / "data" / "perturbations.toml").read_text(encoding="utf-8"))
    return {
        suite: Perturbed(
            paraphrase=tuple((piece, other) for piece, other in told["paraphrase"]),
            items=tuple(map(re.compile, told.get("items", ()))),
            lines=tuple(map(re.compile, told.get("lines", ()))),
            names=told["names"],
        )
        for suite, told in data.items()
    }


def text_perturbation(suite: str, kind: str, seed: int) -> Callable[[str], str]:
    """Return what a perturbation makes of a text. Orders are drawn by `seed`."""
    told = perturbed_suites()[suite]
    if kind == "paraphrase":
        return lambda text: _paraphrase(text, told.paraphrase)
    if kind == "rename":
        return lambda text: rename(text, told.names)
    drawn = seed_of("shuffle", seed)
    return lambda text: _shuffle_lines(_shuffle_items(text, told.items, drawn), told.lines, drawn)


def own_names(suite: str, text: str) -> str:
    """Return a text with the names of attributes and groups that the suite itself has."""
    return rename(text, {other: name for name, other in perturbed_suites()[suite].names.items()})


def own_length(suite: str, text: str, length: int) -> int:
    """Return how many characters of a text become the first `length` of `own_names`."""
    names = {other: name for name, other in perturbed_suites()[suite].names.items()}
    longer = 0
    for found in _pattern_of(tuple(names)).finditer(text):
        if found.start() + longer >= length:
            break
        longer += len(_name_like(found[0], names)) - len(found[0])
    return length - longer


# ------------------------------------------------------------------------------------------------- paraphrase


def _paraphrase(text: str, pieces: Sequence[tuple[str, str]]) -> str:
    for piece, other in pieces:
        text = text.replace(piece, other)
    return text


# ----------------------------------------------------------------------------------------------------- rename


def rename(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names, in the case that they are written in; parts of names are found, too.

    >>> rename("is_female = person.gender == 'Female'", {"gender": "sex", "female": "woman"})
    "is_woman = person.sex == 'Woman'"
    """
    return _pattern_of(tuple(names)).sub(lambda found: _name_like(found[0], names), text)


@cache
def _pattern_of(names: Sequence[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    told = "|".join("[_ -]".join(map(re.escape, name.split("_"))) for name in longest_first)
    return re.compile(rf"(?<![A-Za-z])(?:{told})(?![A-Za-z])", re.IGNORECASE)


def _name_like(found: str, names: Mapping[str, str]) -> str:
    """Return the other name for one that was found, written as that is."""
    other = names[re.sub(r"[ -]", "_", found.lower())]
    mark = re.search(r"[_ -]", found)
    words = other.replace("_", mark[0] if mark else "_")
    if found.isupper():
        return words.upper()
    return words[0].upper() + words[1:] if found[0].isupper() else words


# ---------------------------------------------------------------------------------------------------- shuffle


def _shuffle_items(text: str, patterns: Sequence[re.Pattern[str]], seed: int) -> str:
    for pattern in patterns:
        text = pattern.sub(lambda found: _shuffle_list(found, seed), text)
    return text


def _shuffle_list(found: re.Match[str], seed: int) -> str:
    group = "list" if "list" in found.re.groupindex else 0
    parts = _SEPARATORS.split(found[group])
    parts[::2] = other_order(parts[::2], seed)
    start, end = found.start(group) - found.start(), found.end(group) - found.start()
    return found[0][:start] + "".join(parts) + found[0][end:]


def _shuffle_lines(text: str, patterns: Sequence[re.Pattern[str]], seed: int) -> str:
    lines = text.split("\n")
    for pattern in patterns:
        outside = [place for place, line in enumerate(lines) if pattern.fullmatch(line) is None]
        for before, behind in pairwise([-1, *outside, len(lines)]):
            lines[before + 1 : behind] = other_order(lines[before + 1 : behind], seed)
    return "\n".join(lines)


def other_order(items: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return items in an order that the seed draws, and not the one that they have."""
    drawn = shuffle_by_seed(items, seed)
    return drawn if drawn != tuple(items) else drawn[::-1]
