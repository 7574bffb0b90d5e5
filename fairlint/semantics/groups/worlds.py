"""The worlds in which groups are compared: what else holds, in all combinations that are worth a try."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TypeVar

from fairlint.semantics.groups.group_terms import SCALE
from fairlint.semantics.groups.valuations import Answer as WorldAnswer
from fairlint.semantics.groups.valuations import Questions

Answer = TypeVar("Answer")

Assignment = Mapping[str, WorldAnswer]
"""What a world answers; a question that it says nothing about has the first of its answers."""
Who = tuple[str, float | None]
"""A group, and a number where the attribute is one."""

FULL_COMBINATIONS = 24
"""Up to this many combinations of other conditions, every one is tried."""


def opposite_answers(world: Assignment, questions: Questions, mask: int) -> Assignment:
    """Return other answers to some questions, by their bits, than a world gives."""
    found: dict[str, WorldAnswer] = {}
    for name, bit in questions.bits.items():
        if bit & mask and SCALE not in name:
            options = [*questions.options[name]]
            answer = world.get(name, options[0])
            if isinstance(answer, bool):
                found[name] = not answer
            elif isinstance(answer, str):
                found[name] = next((one for one in options if one != answer), "\0")
            else:
                found[name] = -math.inf if answer == math.inf else math.inf
    return found


def all_worlds(questions: Questions) -> Iterator[Assignment]:
    """Yield each combination of answers once, beginning with none; what is asked meanwhile is taken in."""
    worlds: deque[Iterator[Assignment]] = deque([iter([{}])])
    tried: set[tuple[tuple[str, object], ...]] = set()
    while worlds:
        answers = next(worlds[0], None)
        if answers is None:
            worlds.popleft()
            continue
        key = tuple(sorted(answers.items()))
        if key in tried:
            continue
        tried.add(key)
        known = questions.count
        yield answers
        if len(tried) == 1 or questions.count > known:
            options = questions.options.items()
            worlds.append(
                _combinations_of_answers(
                    {name: _options_of_question(name, its) for name, its in options if SCALE not in name}
                )
            )


def _combinations_of_answers(questions: Mapping[str, list[WorldAnswer]]) -> Iterator[Assignment]:
    """Return combinations of answers: all of them where they are few, else one question at a time."""
    if math.prod(len(options) for options in questions.values()) <= FULL_COMBINATIONS:
        for values in product(*questions.values()):
            yield dict(zip(questions, values, strict=True))
        return
    for name, options in questions.items():
        yield from ({name: value} for value in options[1:])
    last = {name: options[-1] for name, options in questions.items()}
    yield last
    for name, options in questions.items():
        yield {**last, name: options[0]}


def _options_of_question(name: str, known: Mapping[WorldAnswer, None]) -> list[WorldAnswer]:
    return [*known, "\0"] if name.endswith(" ==") else list(known)
