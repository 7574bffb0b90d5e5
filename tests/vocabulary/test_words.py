import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.vocabulary.attribute_table import texts
from fairlint.vocabulary.words import normalize_spelling, plural, singular, split_words


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("user_age", ("user", "age")),
        ("userAge", ("user", "age")),
        ("USER_AGE", ("user", "age")),
        ("HTTPServerAge", ("http", "server", "age")),
        ("userDOB", ("user", "dob")),
        ("DOBs", ("dobs",)),
        ("age2", ("age", "2")),
        ("RAC1P", ("rac", "1", "p")),
        ("marital-status", ("marital", "status")),
        ("Marital Status", ("marital", "status")),
        ("Gender.MALE", ("gender", "male")),
        ("kFemale", ("k", "female")),
        ("bachelor's degree", ("bachelors", "degree")),
        ("été_âge", ("été", "âge")),
        ("Straße", ("straße",)),
        ("ВозрастКлиента", ("возраст", "клиента")),
        ("年龄", ("年龄",)),
        ("患者_年龄2", ("患者", "年龄", "2")),
        ("e\u0301tat_civil", ("état", "civil")),
        ("message", ("message",)),
        ("___", ()),
        ("", ()),
    ],
)
def test_splits_every_style_of_identifier(identifier: str, words: tuple[str, ...]) -> None:
    assert split_words(identifier) == words


word = st.from_regex(r"[a-z]{2,8}", fullmatch=True)


@given(st.lists(word, min_size=1, max_size=5))
def test_snake_screaming_kebab_and_pascal_case_split_alike(words: list[str]) -> None:
    expected = tuple(words)
    assert split_words("_".join(words)) == expected
    assert split_words("_".join(words).upper()) == expected
    assert split_words("-".join(words)) == expected
    assert split_words("".join(item.capitalize() for item in words)) == expected


@given(st.text(max_size=40))
def test_words_are_lower_case_and_never_empty(text: str) -> None:
    words = split_words(text)
    assert all(words)
    assert all(item == item.lower() for item in words)


@given(st.text(alphabet=st.characters(max_codepoint=0x7F), max_size=40))
def test_every_ascii_letter_and_digit_is_kept(text: str) -> None:
    kept = "".join(char for char in text if char.isalnum()).lower()
    assert "".join(split_words(text)) == kept


@given(st.text(alphabet="aBcD1_é ", max_size=20))
def test_a_word_beyond_ascii_changes_no_other_cut(text: str) -> None:
    ascii_only = split_words(text.replace("é", "_"))
    assert split_words(text.replace("é", "_") + "_ß") == (*ascii_only, "ß")


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("races", "race"),
        ("women", "woman"),
        ("disabilities", "disability"),
        ("sexes", "sex"),
        ("children", "child"),
    ],
)
def test_plurals(many: str, one: str) -> None:
    assert singular(many) == one
    assert plural(one) == many


@pytest.mark.parametrize("noun", ["status", "class", "is", "race", "bus"])
def test_a_word_that_is_no_plural_stays(noun: str) -> None:
    assert singular(noun) == noun


@given(st.text(max_size=30))
def test_a_spelling_is_its_own_spelling(text: str) -> None:
    assert normalize_spelling(normalize_spelling(text)) == normalize_spelling(text)
    assert normalize_spelling(f" {text} ") == normalize_spelling(text)


def test_a_comma_within_a_repetition_parts_nothing() -> None:
    assert texts("rank (?:[a-z]+ ){0,3}people, a{2,}, b", "here") == [
        "rank (?:[a-z]+ ){0,3}people",
        "a{2,}",
        "b",
    ]
