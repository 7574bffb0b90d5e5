"""What is kept holds only while fairlint itself is what it was: its code, its data and its rule pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairlint.cache import program as identity

LEFT_OUT = frozenset({"reporters"})


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A package, and the rule pages of a checkout."""
    package, rules = tmp_path / "fairlint", tmp_path / "rules"
    for name in ("detectors/scores.py", "reporters/text.py", "detectors/reporters/one.py", "data.toml"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("1")
    rules.mkdir()
    (rules / "FL101.md").write_text("1")
    monkeypatch.setattr(identity, "PACKAGE", str(package))
    return package, rules


def rewrite(package: Path, _rules: Path) -> None:
    (package / "detectors" / "scores.py").write_text("1 + 1")


def rewrite_in_place(package: Path, _rules: Path) -> None:
    with (package / "detectors" / "reporters" / "one.py").open("r+") as file:
        file.write("12")


def add(package: Path, _rules: Path) -> None:
    (package / "detectors" / "new.py").write_text("")


def take_away(package: Path, _rules: Path) -> None:
    (package / "data.toml").unlink()


def rewrite_rule(_package: Path, rules: Path) -> None:
    (rules / "FL101.md").write_text("12")


@pytest.mark.parametrize("change", [rewrite, rewrite_in_place, add, take_away, rewrite_rule])
def test_another_file_is_another_program(
    places: tuple[Path, Path], change: Callable[[Path, Path], None]
) -> None:
    before = identity.program("1", str(places[1]), LEFT_OUT)
    change(*places)

    assert identity.program("1", str(places[1]), LEFT_OUT) != before


def test_a_package_that_is_left_out_counts_only_where_it_is_not(places: tuple[Path, Path]) -> None:
    package, rules = places
    before = [identity.program("1", str(rules), left_out) for left_out in ((), LEFT_OUT)]
    (package / "reporters" / "text.py").write_text("1 + 1")
    after = [identity.program("1", str(rules), left_out) for left_out in ((), LEFT_OUT)]

    assert after[0] != before[0]
    assert after[1] == before[1]


def test_what_is_made_of_the_code_does_not_count(places: tuple[Path, Path]) -> None:
    package, rules = places
    before = identity.program("1", str(rules))
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "scores.txt").write_text("1")
    (package / "compiled_data.bin").write_text("1")

    assert identity.program("1", str(rules)) == before
