from collections.abc import Callable

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from fairlint.vocabulary import default_vocabulary
from fairlint.vocabulary.words import split_words

VOCABULARY = default_vocabulary()
NAMES = sorted(
    {
        name
        for attribute in VOCABULARY.attributes
        for sort, names in VOCABULARY.names_of(attribute).items()
        if sort != "not"
        for name in names
    }
)
STYLES: list[Callable[[list[str]], str]] = [
    "_".join,
    lambda words: words[0] + "".join(word.capitalize() for word in words[1:]),
    lambda words: "".join(word.capitalize() for word in words),
    lambda words: "_".join(words).upper(),
    lambda words: '"' + "-".join(words) + '"',
    lambda words: "get_" + "_".join(words),
    lambda words: "is" + "".join(word.capitalize() for word in words),
    lambda words: "_".join(words) + "2",
    lambda words: "applicant" + "".join(word.capitalize() for word in words),
    lambda words: "_".join(words) + "_applicant",
]


def may_mention(text: str) -> bool:
    return bool(VOCABULARY.offsets(text.encode()))


@pytest.mark.parametrize("style", STYLES)
def test_no_mention_escapes(style: Callable[[list[str]], str]) -> None:
    for name in NAMES:
        for written in {name, style(list(split_words(name)) or [name])}:
            if VOCABULARY.mentions(written.strip('"')):
                assert may_mention(written), written
                assert may_mention(f"x = p.{written};\n"), written


@pytest.mark.parametrize(
    "text", ["userAge", "user_age", "USER_AGE", "age1", "Age", "ages", "p->age", 'd["age"]']
)
def test_set_apart_words_match(text: str) -> None:
    assert may_mention(text)


@pytest.mark.parametrize(
    "text",
    [
        "page",
        "message",
        "storage",
        "trace",
        "agent",
        "Agent",
        "AGENT",
        "brace",
        "essex",
        "STAGE",
        "percentage",
        "",
    ],
)
def test_parts_of_words_do_not(text: str) -> None:
    assert not may_mention(text)


def test_other_encodings_match_as_well() -> None:
    assert VOCABULARY.offsets("género".encode("latin-1"))
    assert VOCABULARY.offsets(b"\xff\xfe\x00 gender \xff")


def test_offsets_lie_at_the_names_in_order() -> None:
    data = b"int a;\nint gender;\nint age;\n"
    offsets = VOCABULARY.offsets(data)
    assert offsets == sorted(offsets)
    assert [data[at : at + 7].strip().split(b";")[0] for at in offsets] == [b"gender", b"age"]


def test_the_expression_needs_no_look_around() -> None:
    assert "(?=" not in VOCABULARY.prefilter_pattern()
    assert "(?!" not in VOCABULARY.prefilter_pattern()
    assert re2.compile(VOCABULARY.prefilter_pattern())


@given(st.text(max_size=60))
def test_what_does_not_match_has_no_mention(text: str) -> None:
    if not may_mention(text):
        assert not VOCABULARY.mentions(text)


def test_users_names_match_too() -> None:
    extended = VOCABULARY.extended([{"attributes": {"gender": {"strong": ["salutation code"]}}}])
    assert extended.offsets(b"salutationCode")
