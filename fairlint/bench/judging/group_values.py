"""Which values people have of an attribute when a function is tried: one a group, as the code spells it."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.bench.judging.protocols import groups_of
from fairlint.counterfactual.executors.executor import Given
from fairlint.counterfactual.trial_people import OTHER
from fairlint.vocabulary import default_vocabulary

AGES = (20, 45, 70)
"""One of each band, where code asks for an age as a number."""
ANY_VALUES = ("one", "other")
"""Those of an attribute whose groups nobody has listed and of which the code names none."""


def group_values(attribute: str, named: Sequence[Given]) -> tuple[Given, ...]:
    """Return the values to try of an attribute, by those that the code asks for.

    Of texts, those that spell a group, and of each group that none of them spells its name in the same
    letters: that code treats a misspelt group otherwise is no reason to say so of groups. Where none spells a
    group ("majority"), and of numbers, all stay as they are.
    """
    try:
        groups = groups_of(attribute)
    except ValueError:
        return tuple(named) if len(named) > 1 else (*named, *ANY_VALUES)
    if others := [value for value in named if not isinstance(value, str)]:
        return tuple(dict.fromkeys((*others, *(AGES if attribute == "age" else ()))))
    meant = {
        value: default_vocabulary().group_of(attribute, value) for value in named if isinstance(value, str)
    }
    spelled = [value for value, group in meant.items() if group in groups]
    if meant.keys() > {OTHER} and not spelled:
        return tuple(meant)
    lacking = [_in_letters_of(spelled, group) for group in groups if group not in meant.values()]
    return (*spelled, *lacking)


def _in_letters_of(spelled: Sequence[str], group: str) -> str:
    """Return the name of a group in small or capital letters, as the values that code names are written."""
    if spelled and all(value.isupper() for value in spelled):
        return group.upper()
    if spelled and all(value[:1].isupper() for value in spelled):
        return group.capitalize()
    return group
