"""Texts that are made short keep the place in which they differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fairlint.support.shortening import shorten_texts

WORDS = st.lists(st.sampled_from(["one", "two", "approved", "rejected", "until"]), max_size=60).map(" ".join)


def test_short_texts_stay() -> None:
    assert shorten_texts(["return 1", "return  2"], 20) == ["return 1", "return 2"]


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(60, 120))
def test_no_text_is_longer_than_the_room(texts: list[str], room: int) -> None:
    assert all(len(text) <= room for text in shorten_texts(texts, room))


@given(WORDS, WORDS, WORDS, st.integers(60, 120))
def test_two_texts_that_differ_still_do(begin: str, one: str, other: str, room: int) -> None:
    texts = [f"{begin} {one} approved".strip(), f"{begin} {other} rejected".strip()]
    short = shorten_texts(texts, room)
    assert short[0] != short[1]


def test_the_last_call_stays_where_nothing_is_like_a_text() -> None:
    text = 'Member.objects.filter(~Q(creed="other") & ~Q(creed="") & ~Q(creed=None)).update(state="refused")'
    assert shorten_texts([text, "goes on"], 80) == [
        'Member.objects.filter(…).update(state="refused")',
        "goes on",
    ]


def test_the_end_of_a_long_call_stays() -> None:
    (short,) = shorten_texts([f'raise Refused("We are sorry to say {"so " * 30}that you are refused")'], 80)
    assert short.startswith("raise Refused(")
    assert short.endswith('you are refused")')
    assert len(short) <= 80
    assert short.count("…") == 1


def test_what_differs_within_brackets_stays() -> None:
    texts = [f"rows.filter(kind={kind}, {'x' * 90}).send(letter)" for kind in ("one", "two")]
    first, second = shorten_texts(texts, 60)
    assert "one" in first
    assert "two" in second


def test_of_a_call_the_end_says_what_is_done() -> None:
    chosen = " & ".join(f'~Q(religion="{number}")' for number in range(9))
    (short,) = shorten_texts([f'People.objects.filter({chosen}).update(status="rejected")'], 80)
    assert short.startswith("People.objects.filter(")
    assert short.endswith('.update(status="rejected")')


@given(WORDS, WORDS, WORDS, WORDS, st.integers(60, 120))
def test_two_calls_that_differ_still_do(begin: str, one: str, other: str, end: str, room: int) -> None:
    short = shorten_texts([f"{begin} approved {one} {end})", f"{begin} rejected {other} {end})"], room)
    assert short[0] != short[1]
