"""How many columns the suite `pipelines` offers: numbers of ordinary and of protected ones, drawn by seed.

Draws are nested: what a smaller number offers, a larger one offers too. They do not depend on the prompt, so
that all prompts of a data set offer the same in the same sample. Irrelevant columns are always there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from fairlint.backends.requests import seed_of, shuffle_by_seed
from fairlint.bench.suites.counterfactual_texts import Task
from fairlint.bench.suites.pipelines_texts import protected_columns
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

ALL = "all"
Number = int | None
"""None is all."""


class Offer(Record):
    """How many columns a prompt offers."""

    ordinary: Number = None
    """Those that hold no protected attribute and are not irrelevant."""
    protected: Number = None

    def label(self, *, numbered: bool) -> str:
        """Return its name, as answers keep it; empty where nothing is numbered.

        >>> Offer(4).label(numbered=True)
        'columns 4, protected all'
        """
        if not numbered:
            return ""
        return f"columns {number_text(self.ordinary)}, protected {number_text(self.protected)}"


def number_text(number: Number) -> str:
    """Return a number as options have it."""
    return ALL if number is None else str(number)


def parse_numbers(option: str, text: str) -> tuple[Number, ...]:
    """Return the numbers that an option lists, each once. Raises UsageError for what is none.

    >>> parse_numbers("--columns", "2,all")
    (2, None)
    """
    found: list[Number] = []
    for part in text.split(","):
        name = part.strip().lower()
        if name != ALL and not (name.isascii() and name.isdigit() and int(name) > 0):
            raise UsageError(
                f"{option} takes numbers from 1 and {ALL}, separated by commas, not '{part.strip()}'"
            )
        found.append(None if name == ALL else int(name))
    return tuple(dict.fromkeys(found))


def offers_of(columns: str, protected: str) -> tuple[Offer, ...]:
    """Return each number of ordinary columns with each number of protected ones; empty texts are all."""
    numbers = (parse_numbers("--columns", columns or ALL), parse_numbers("--protected", protected or ALL))
    return tuple(Offer(*pair) for pair in product(*numbers))


def read_offer(label: str) -> Offer | None:
    """Return the offer with a label; None for another text.

    >>> read_offer("columns all, protected 1").protected
    1
    """
    words = label.replace(",", "").split()
    if len(words) != 4 or words[::2] != ["columns", "protected"]:
        return None
    numbers = [None if word == ALL else int(word) if word.isdigit() else 0 for word in words[1::2]]
    return None if 0 in numbers else Offer(*numbers)


def offered_columns(
    task: Task, offer: Offer, attributes: Sequence[str], sample: int, seed: int
) -> tuple[str, ...]:
    """Return the columns of a data set that are offered in a sample, in the data's order.

    Columns of the protected `attributes` are drawn before others, so that there is always one to judge; what
    else tells such an attribute is offered with its column. Raises UsageError for more than there are.
    """
    protected = protected_columns(task)
    held = {column for columns in protected.values() for column in columns}
    ordinary = [name for name in task.columns if name not in held]
    asked = [name for name in protected if name in attributes]
    order = (
        *_drawn_order(task, "protected", asked, sample, seed),
        *_drawn_order(task, "protected", [one for one in protected if one not in asked], sample, seed),
    )
    chosen = {
        *_first(_drawn_order(task, "ordinary", ordinary, sample, seed), offer.ordinary, task, "--columns"),
        *(
            column
            for name in _first(order, offer.protected, task, "--protected")
            for column in protected[name]
        ),
    }
    return tuple(name for name in task.columns if name in chosen)


def _drawn_order(task: Task, kind: str, names: Sequence[str], sample: int, seed: int) -> tuple[str, ...]:
    return shuffle_by_seed(names, seed_of("offer", kind, task.name, sample, seed))


def _first(names: Sequence[str], number: Number, task: Task, option: str) -> Sequence[str]:
    if number is not None and number > len(names):
        kind = "protected" if option == "--protected" else "ordinary"
        raise UsageError(
            f"{option} {number}: {task.name} has {len(names)} {kind} columns; --scenarios leaves it out"
        )
    return names[:number]
