"""A function beside a program that hands a person in where names alone do not: by place, or as an object."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword

from fairlint.counterfactual.signatures import by_place
from fairlint.support.errors import UsageError
from fairlint.support.records import Record
from fairlint.syntax.python.own_tree import Function


class Wrapped(Record):
    """How the function beside a program calls the program's entry."""

    called: str
    """What is called: `decide`, `Bank().decide`, `Applicant`."""
    function: Function | None
    """Whose parameters say what is given by place; None where all go by name."""
    bound: bool = False
    """Whether the first of these is the object itself."""
    then: str = "{}"
    """What is done with what that call gives: `decide({})`, `{}.decide()`."""


def handing_in(text: str, entry: str, names: Sequence[str], how: Wrapped) -> tuple[str, str]:
    """Return a program with a function more, which takes each of `names` by its name, and what that is
    called.

    Raises UsageError where what goes by place alone stands behind what no column is.
    """
    name = f"_{entry.replace('.', '_')}_of"
    plain = [each for each in names if each.isidentifier() and not iskeyword(each)]
    rest = ["**others"] if len(plain) < len(names) else []
    places = by_place(how.function, bound=how.bound) if how.function is not None else []
    by_order = _leading_parameters(places, plain, entry)
    given = [*by_order, *(f"{each}={each}" for each in plain if each not in by_order), *rest]
    result = how.then.format(f"{how.called}({', '.join(given)})")
    return f"{text.rstrip()}\n\n\ndef {name}({', '.join([*plain, *rest])}):\n    return {result}\n", name


def _leading_parameters(places: Sequence[str], names: Sequence[str], entry: str) -> list[str]:
    """Return what is given by place; nothing can be left out before what is given."""
    leading = [each for each in places if each in names]
    for given, place in zip(leading, places, strict=False):
        if given != place:
            raise UsageError(
                f"parameter '{given}' of {entry} is given by its place, behind '{place}', which is no column"
            )
    return leading
