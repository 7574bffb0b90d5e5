"""Constant expressions: what a language is asked to compute, and what it answers."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.support.records import Record

Number = int | float


class Defined(Record):
    """A macro: what it is replaced with, and its parameters where it is called like a function."""

    text: str
    parameters: tuple[str, ...] | None = None


class Typed(Record):
    """A number with its type. `is_exact` is false where the type may not hold it as it is told."""

    type: str
    value: Number
    is_exact: bool = True


Named = Callable[[str], Defined | Typed | None]
"""What a name stands for; None for what is no constant."""


class NoNumberError(Exception):
    """An expression is made of constants, and its value hangs on the machine, or there is none."""
