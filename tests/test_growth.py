"""Steps grow no faster than n log n with the size of a file: they are counted, never timed."""

from __future__ import annotations

import pytest
from bombs import BOMBS, Made, lines
from growth import KINDS, MOST, SHAPES, counted, pair, power, shapes, work

import fairlint
from fairlint.config import Settings
from fairlint.detectors import prompt_recipients

TOLD = (
    "small functions", "functions that call one", "ifs over one attribute", "flat script of updates", "elif",
    "C: ifs over one attribute", "s = s + x", "entries of a dict",
)  # fmt: skip
FEWEST = 500
"""Steps below which every combination of conditions is tried."""


def steps(made: Made) -> int:
    """The steps that a shape takes of which nothing is cut."""
    name, text = made
    with counted() as taken:
        report = fairlint.check_source(text, path=name, settings=Settings(file_timeout=20))
    assert all(gap.reason == "nested too deeply (the setting file-nesting)" for gap in report.not_analysed)
    return taken[0]


@pytest.mark.parametrize("name", [*SHAPES, *TOLD])
def test_a_shape_takes_steps_by_its_size(name: str) -> None:
    bomb = shapes()[name]
    least, most = (
        (2, 4) if name.startswith("a loop over") else (max(4, bomb.size // 16), max(8, bomb.size // 8))
    )
    small, large = (steps(bomb.make(size)) for size in (least, most))

    assert large < FEWEST or power(small, large, most / least) < MOST


@pytest.mark.parametrize(
    "name",
    [
        "early returns with acts", "continues between acts", "returns in a loop", "ifs over one attribute",
        "functions that call one",
    ],
)  # fmt: skip
def test_a_shape_takes_calls_by_its_size(name: str) -> None:
    """What no step counts: finding places, their conditions, and what hangs on them."""
    make = shapes()[name].make
    _, least, middle, most = (work(make(size)).calls for size in (60, 60, 120, 240))  # the first loads

    assert most - middle < 2.4 * (middle - least)  # what every file takes falls out


COMPARED = "{ return open§[s->region] < most[s->region]; }"
BEHIND_ONE_ANOTHER = {
    "returns by an age": lines(90, "ages.c", "", "if (p->age > 45) return 0;"),
    "comparisons of limits": lines(50, "limits.c", "int may(int *open, int *most, struct slot *s)", COMPARED),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BEHIND_ONE_ANOTHER)
def test_what_a_site_asks_of_those_behind_it_no_other_asks_again(name: str) -> None:
    bomb = BEHIND_ONE_ANOTHER[name]
    small, large = (work(bomb.make(size)) for size in (bomb.size, 2 * bomb.size))

    assert power(small.calls, large.calls, 2) < 1.7
    assert power(small.steps, large.steps, 2) < 1.87


ASIDE = (
    "def rate§(p):\n    s = 0\n    if p.gender == 'male':\n"
    "        s += 5  # fairlint: ignore[FL201] -- agreed\n    return s\n"
)
REPEATED = {
    "findings that are put aside": lines(40, "aside.py", "", ASIDE),
    "cases that bind a name each": lines(
        200,
        "cases.py",
        "def rate(p, kind):\n    match kind:",
        "        case §:\n            n§ = §",
        "    return p.gender",
    ),
}


@pytest.mark.parametrize("name", REPEATED)
def test_what_is_looked_up_for_one_is_not_looked_up_for_each(name: str) -> None:
    make, size = REPEATED[name].make, REPEATED[name].size
    _, least, middle, most = (work(make(times * size)).calls for times in (1, 2, 4, 8))  # the first loads

    assert most - middle < 2.4 * (middle - least)


@pytest.mark.parametrize("name", KINDS)
def test_kinds_in_one_another_take_steps_by_their_depth(name: str) -> None:
    kinds = list(KINDS)
    other = kinds[(kinds.index(name) + 1) % len(kinds)]

    assert power(steps(pair(name, other, 12)), steps(pair(name, other, 24)), 2) < MOST


def test_what_many_worlds_share_is_evaluated_once() -> None:
    """Thirty conditions that have nothing to do with one another, and sums over all of them."""
    lines = "".join(f"    if p.x{at} > {at}:\n        score += {at}\n" for at in range(30))
    last = "    if p.gender == 'male':\n        score += 5\n    return score\n"

    assert steps(("shared.py", f"def rate(p):\n    score = 0\n{lines}{last}")) < 6_000


def test_a_chain_of_tables_beyond_the_depth_is_looked_at_once() -> None:
    assert steps(BOMBS["calls of tables"](400)) == steps(BOMBS["calls of tables"](200)) < 100_000


ANNOUNCED = lines(
    40,
    "told.py",
    "def tell(p, mail):\n    if p.gender == 'male':\n        mail('you are accepted')",
    "        mail('you are rejected', 'number §')",
)
GUESSED = lines(
    40,
    "guess.py",
    "def guess_gender(name):",
    "    if name.endswith('a§'):\n        return 'female'",
)
SHARED = {"calls that announce": ANNOUNCED, "guesses of one function": GUESSED}


@pytest.mark.parametrize("name", SHARED)
def test_what_others_say_is_not_looked_up_for_each(name: str) -> None:
    """Each call was read anew for every other, and each guess told of all that its function returns."""
    bomb = SHARED[name]
    small, large = (work(bomb.make(times * bomb.size)).calls for times in (4, 8))

    assert power(small, large, 2) < 1.6


def test_whether_a_file_names_a_model_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole file was searched for each of its texts."""
    asked = 0
    pattern = prompt_recipients._model_name_pattern

    def counted() -> bytes:
        nonlocal asked
        asked += 1
        return pattern()

    monkeypatch.setattr(prompt_recipients, "_model_name_pattern", counted)
    posts = "".join(f"    board.post(body='{at} Hire men only, no women please.')\n" for at in range(30))
    fairlint.check_source(f"def publish(board):\n{posts}", path="posts.py")

    assert asked == 1


def test_a_place_takes_steps_even_where_hardly_anything_is_compared() -> None:
    """A thousand of them took seconds and hardly any steps; what is left out is named."""
    one = "    if p.gender == 'male':\n        points += 5\n"
    reports = [
        fairlint.check_source(f"def rate(p, points):\n{one * count}    return points\n", path="many.py")
        for count in (100, 1_000)
    ]

    assert reports[0].not_analysed == ()
    [gap] = reports[1].not_analysed
    assert "to compare the groups takes more than 500,000 steps" in gap.reason
    assert len(reports[1].uses) > 500


def test_what_two_records_have_in_common_is_looked_up_once_a_function() -> None:
    """The whole function was walked through for each comparison of two people in it."""
    bomb = lines(
        20, "pairs.py", "def pair(a, b, n):", "    if a.gender != b.gender and n > §:\n        reject(a, b)"
    )
    small, large = (work(bomb.make(times * bomb.size)).calls for times in (2, 4))

    assert power(small, large, 2) < 1.7
