"""A decision behind many other conditions is found: of all their combinations, one lets it happen."""

from __future__ import annotations

import pytest

import fairlint

CONDITIONS = (
    "p.x§ > 3", "p.y§ < 2", "not p.flag§", "p.kind != 'k§'", "p.ok§", "p.a§ and p.b§", "p.a§ or not p.b§",
    "p.n in (1, 2, §)",
)  # fmt: skip


def conditions(count: int) -> list[str]:
    return [CONDITIONS[place % len(CONDITIONS)].replace("§", str(place)) for place in range(count)]


def nested(count: int, inside: str) -> str:
    opened = [f"{' ' * place}  if {test}:" for place, test in enumerate(conditions(count))]
    return "\n".join((*opened, f"{' ' * count}  {inside}"))


def rules(body: str) -> list[str]:
    return [found.rule for found in fairlint.check_source(f"def decide(p):\n{body}\n").findings]


@pytest.mark.parametrize("count", [3, 6, 10, 20, 40])
def test_behind_branches_in_one_another(count: int) -> None:
    inside = nested(count, "return 'rejected'")

    assert rules(f" if p.gender == 'female':\n{inside}\n return 'hired'") == ["FL101"]


@pytest.mark.parametrize("count", [3, 6, 10, 20, 40])
def test_behind_one_long_condition(count: int) -> None:
    tests = " and ".join(f"({test})" for test in conditions(count))

    assert rules(f" if p.gender == 'female' and {tests}:\n  return 'rejected'\n return 'hired'") == ["FL101"]


@pytest.mark.parametrize("count", [3, 6, 10, 20, 40])
def test_behind_early_returns(count: int) -> None:
    returns = "\n".join(f"  if {test}:\n   return 'hired'" for test in conditions(count)).replace("!=", "==")

    assert rules(f" if p.gender == 'female':\n{returns}\n  return 'rejected'\n return 'hired'") == ["FL101"]


def test_points_behind_conditions() -> None:
    inside = nested(12, "score += 5")

    assert rules(f" score = 0\n if p.gender == 'female':\n{inside}\n return score") == ["FL201"]


@pytest.mark.parametrize(
    "never",
    [
        "  if p.x > 5:\n   if p.x < 3:\n    ",
        "  if p.kind == 'a':\n   if p.kind == 'b':\n    ",
        "  if p.ok:\n   if not p.ok:\n    ",
    ],
)
def test_what_never_happens_is_no_decision(never: str) -> None:
    assert rules(f" if p.gender == 'female':\n{never}return 'rejected'\n return 'hired'") == []


def test_the_same_for_all_behind_conditions() -> None:
    inside = nested(12, "return 'rejected'")

    assert rules(f" if p.gender == 'female' or p.gender != 'female':\n{inside}\n return 'hired'") == []
