"""What two texts are told to have in common they have, in the same order, however long one looks."""

from __future__ import annotations

import random

import pytest
from changed_lines import explained
from hypothesis import given
from hypothesis import strategies as st

from fairlint.support import line_comparison
from fairlint.support.line_comparison import different, lines, same

TEXTS = st.lists(st.sampled_from("abcd"), max_size=30)


def as_lines(text: list[str]) -> list[bytes]:
    return [line.encode() for line in text]


@given(TEXTS, TEXTS)
def test_what_is_told_as_unchanged_is(old: list[str], new: list[str]) -> None:
    assert explained(old, new, different(as_lines(old), as_lines(new)))


@given(TEXTS, TEXTS, st.integers(0, 40), st.integers(0, 4))
def test_what_there_was_no_time_for_counts_as_changed(
    old: list[str], new: list[str], steps: int, edits: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_comparison, "STEPS", steps)
        patch.setattr(line_comparison, "MOST_EDITS", edits)
        assert explained(old, new, different(as_lines(old), as_lines(new)))


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30), st.data())
def test_one_edit_is_told_as_one(text: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    now = [*text[:at], "x", *text[at + 1 :]]
    assert different(as_lines(text), as_lines(now)) == [range(at + 1, at + 2)]
    assert different(as_lines(text), as_lines(text)) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("a b c", "a b c", []),
        ("a b c", "a x b c", [range(2, 3)]),
        ("a b c", "a c", [range(1, 3)]),
        ("a b c", "b c", [range(2)]),
        ("a b c", "a b", [range(2, 4)]),
        ("", "a", [range(1, 2)]),
        ("a b b b c", "a b b c", [range(3, 5)]),
    ],
)
def test_lines_beside_what_went_count(old: str, new: str, told: list[range]) -> None:
    assert different(as_lines(old.split()), as_lines(new.split())) == told


def test_all_ends_of_lines_are_ends() -> None:
    assert lines(b"a\r\nb\rc\n\nd") == [b"a", b"b", b"c", b"", b"d"]
    assert lines(b"a\n") == [b"a", b""]


def test_long_texts_of_few_lines_end() -> None:
    chance = random.Random(1)
    old = [str(chance.randrange(9)).encode() for _ in range(60_000)]
    new = [str(chance.randrange(9)).encode() for _ in range(60_000)]
    found = same(old, new)
    assert all(old[one.old : one.old + one.length] == new[one.new : one.new + one.length] for one in found)
