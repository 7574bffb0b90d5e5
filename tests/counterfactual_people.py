"""Populations made by hand, and programs of a small grammar that decide about them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as some

from fairlint.counterfactual.executors.executor import Call, Program
from fairlint.counterfactual.population import Cell, Column, Origin, Population

SEX = Column("sex", ("male", "female"), attribute="gender")
AGE = Column("age", ("youth", "middle", "senior", "old"), ordered=True, attribute="age")
RACE = Column("race", ("White", "Black", "Asian"), attribute="race")
JOB = Column("job", ("clerk", "cook", "smith"))
COLUMNS = (SEX, AGE, RACE, JOB)


def population(
    rows: Sequence[tuple[Cell, ...]],
    weights: Sequence[int] | None = None,
    columns: Sequence[Column] = COLUMNS,
    favourable: Sequence[int] | None = None,
) -> Population:
    told = tuple(weights) if weights is not None else (1,) * len(rows)
    return Population(
        name="people",
        columns=tuple(columns),
        rows=tuple(rows),
        weights=told,
        favourable=None if favourable is None else tuple(favourable),
        label="label" if favourable is not None else None,
        origin=Origin("by hand", sum(told), {}),
    )


def decides(body: str, columns: Sequence[Column] = COLUMNS, around: str = "") -> Program:
    """A program that takes a dict `p`."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return Program(
        f"{around}\ndef decide(p):\n{lines}", "decide", Call("mapping", tuple(one.name for one in columns))
    )


@some.composite
def populations(draw: some.DrawFn) -> Population:
    cells = some.tuples(*(some.sampled_from(column.values) for column in COLUMNS))
    rows = draw(some.lists(cells, min_size=1, max_size=12, unique=True))
    weights = draw(some.lists(some.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    return population(rows, weights)


TESTS = (
    "p['sex'] == 'female'",
    "p['sex'] != 'male'",
    "p['age'] in ('senior', 'old')",
    "p['age'] > 'n'",
    "p['race'] == 'Black'",
    "p['race'].lower() in {'asian', 'black'}",
    "p['job'] == 'cook'",
    "p['job'] < 'd'",
    "p['race'] == 'Purple'",
    "p['age'] == 'Old'",
    "{'White': 3}[p['race']] == 3",
    "len(p['race'] + p['job']) > 8",
    "p['sex'] == p['job']",
    "{'youth': 1, 'old': 2}.get(p['age'], 0) > 1",
)


ENDS = (
    "return score", "return score > 1", "return 'yes' if score > 0 else 'no'", "return p['sex'] + 'x'",
    "return object() if score == 2 else score > 0", "return 10 // score",
)  # fmt: skip


@some.composite
def programs(draw: some.DrawFn) -> Program:
    """Scores, decisions and labels; some crash for some people, some return what cannot be compared."""
    test = some.sampled_from(TESTS)
    lines = ["score = 0"]
    for _ in range(draw(some.integers(0, 4))):
        first, second = draw(test), draw(test)
        joined = draw(
            some.sampled_from([first, f"{first} and {second}", f"{first} or {second}", f"not ({first})"])
        )
        lines += [f"if {joined}:", f"    score += {draw(some.integers(-2, 3))}"]
    lines.append(draw(some.sampled_from(ENDS)))
    return decides("\n".join(lines))
