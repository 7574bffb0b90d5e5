"""Which column a name in code means: the same words in any spelling, or the same protected attribute."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from fairlint.counterfactual.population import Column

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(name: str) -> tuple[str, ...]:
    """Return the words of a name, in lower case: those of `maritalStatus`, `marital-status` and `Marital
    status`.
    """
    return tuple(word.lower() for word in _WORD.findall(name)) or (name.lower(),)


def columns_by_name(columns: Sequence[Column]) -> Callable[[str], str | None]:
    """Return what tells the column that a name means; None where no column, or more than one, is called so.

    A name that the vocabulary knows for a protected attribute (`gender`) means the one column that holds it
    (`sex`). Nothing else is guessed: `income` is no `salary`.
    """
    spelt = [(column.name, words(column.name)) for column in columns]
    attributes = {column.name: column.attribute or _attribute_in_name(column.name) for column in columns}

    @cache
    def column_of(name: str) -> str | None:
        if name in attributes:
            return name
        own = words(name)
        same = [column for column, theirs in spelt if theirs == own]
        same = same or [column for column, theirs in spelt if "".join(theirs) == "".join(own)]
        if not same:
            attribute = _attribute_in_name(name)
            same = [column.name for column in columns if attribute and column.attribute == attribute]
            same = same or [
                column for column, theirs in attributes.items() if attribute == theirs is not None
            ]
        return same[0] if len(same) == 1 else None

    return column_of


def _attribute_in_name(name: str) -> str | None:
    """Return the protected attribute whose value a name holds, as far as the name alone says so."""
    from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415 (loads the attribute data)

    mentions = default_vocabulary().mentions(name)
    if len(mentions) != 1:
        return None
    mention = mentions[0]
    is_whole = "".join(mention.words) == "".join(words(name))
    is_value = mention.form != "flag" and mention.group is None and mention.weight > 0
    return mention.attribute if is_whole and is_value else None
