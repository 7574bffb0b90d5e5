"""What a user chooses of a suite: names among those it knows, and how much is asked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.bench.suites.suite import Names, Selection, Suite

_Prompt = TypeVar("_Prompt")

MOST_SAMPLES = 10_000
"""How often a prompt is asked at most: all requests of a run are in memory."""


class Picked(Record):
    """What is meant by a selection."""

    scenarios: tuple[str, ...]
    attributes: tuple[str, ...]
    samples: int
    limit: int | None

    def each(self, prompts: Iterable[_Prompt]) -> Iterator[tuple[_Prompt, int]]:
        """Return the first prompts, as many as the limit says, each with the numbers of all its samples."""
        return ((prompt, sample) for prompt in islice(prompts, self.limit) for sample in range(self.samples))


def resolve_choice(suite: Suite, selection: Selection) -> Picked:
    """Return what is meant by a selection: None is all names, and as many samples as the suite says.

    Raises ValueError for a name that is not known and a number below 1.
    """
    times = suite.samples if selection.samples is None else selection.samples
    check_numbers(times, selection.limit)
    return Picked(
        resolve_names(selection.scenarios, suite.scenarios(), "scenario"),
        resolve_names(selection.attributes, suite.attributes(), "attribute"),
        times,
        selection.limit,
    )


def resolve_names(names: Names, known: Sequence[str], what: str) -> tuple[str, ...]:
    """Return the known names that are meant, in the order in which they are known.

    Blanks, `_` and `-` are alike, and case does not matter. `what` is what the names are of. Raises a
    ValueError that offers the nearest name, for one that is not known.
    """
    if names is None:
        return tuple(known)
    by_words = {_normalize_name(name): name for name in known}
    given = [names] if isinstance(names, str) else list(names)
    if not given:
        raise ValueError(f"no {what} is chosen: {', '.join(known)} are known")
    meant = {
        by_words.get(_normalize_name(name)) or _fail_for_unknown_name(name, by_words, what) for name in given
    }
    return tuple(name for name in known if name in meant)


def place_of(name: str, known: Sequence[str]) -> int:
    """Return the place of a name among those that a suite knows; behind them for another, as replays may
    have.
    """
    return known.index(name) if name in known else len(known)


def check_numbers(samples: int, limit: int | None) -> None:
    """Raise ValueError for a number of samples, or a limit of prompts, below 1, or for too many samples."""
    for what, number in (("samples", samples), ("limit", limit)):
        if number is not None and number < 1:
            raise ValueError(f"{what} must be 1 or more, not {number}")
    if samples > MOST_SAMPLES:
        raise ValueError(f"samples must be {MOST_SAMPLES:,} or less, not {samples}")


def _normalize_name(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name.strip().lower())


def _fail_for_unknown_name(name: str, by_words: dict[str, str], what: str) -> str:
    words = _normalize_name(name)
    close = difflib.get_close_matches(words, by_words, n=1, cutoff=0.5) or [
        other for other in by_words if set(words.split()) & set(other.split())
    ]
    hint = f"did you mean {by_words[close[0]]!r}? " if close else ""
    raise ValueError(f"there is no {what} {words!r}; {hint}known: {', '.join(by_words.values())}")
