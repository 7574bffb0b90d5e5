import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.vocabulary import default_vocabulary

VOCABULARY = default_vocabulary()
CORE = {
    "gender": ("male", "female"),
    "race": ("white", "black", "asian", "hispanic"),
    "age": ("young", "middle", "elder"),
    "parents_degree": ("non-degree", "bachelor", "master", "phd"),
    "parents_income": ("high", "medium", "low"),
    "income_level": ("high", "medium", "low"),
    "insurance_status": ("insured", "underinsured", "uninsured"),
    "marital_status": ("married", "single", "divorced", "widowed"),
    "disability": ("yes", "no"),
    "veteran": ("yes", "no"),
    "pregnancy": ("yes", "no"),
}


@pytest.mark.parametrize(("attribute", "groups"), CORE.items())
def test_core_groups_are_the_ones_other_programs_count_on(attribute: str, groups: tuple[str, ...]) -> None:
    assert VOCABULARY.attribute(attribute).core_groups == groups


@pytest.mark.parametrize(
    ("attribute", "value", "group"),
    [
        ("gender", "male", "male"),
        ("gender", "M", "male"),
        ("gender", " Male ", "male"),
        ("gender", "GENDER_MALE", "male"),
        ("gender", "MALE_GENDER", "male"),
        ("gender", "SEX_F", "female"),
        ("gender", "Gender.FEMALE", "female"),
        ("gender", "kFemale", "female"),
        ("gender", "eMale", "male"),
        ("gender", "Women", "female"),
        ("gender", "Non-binary", "nonbinary"),
        ("gender", "weiblich", "female"),
        ("race", "Caucasian", "white"),
        ("race", "european", "white"),
        ("race", "African-American", "black"),
        ("race", "african_american", "black"),
        ("race", "black/african american", "black"),
        ("race", "latinx/hispanic", "hispanic"),
        ("race", "Black people", "black"),
        ("race", "RACE_WHITE", "white"),
        ("race", "white", "white"),
        ("ethnicity", "Not Hispanic or Latino", "non-hispanic"),
        ("age", "middle-aged", "middle"),
        ("age", "senior", "elder"),
        ("age", "25 - 45", "middle"),
        ("age", "18-24", "young"),
        ("age", "65+", "elder"),
        ("age", "under 25", "young"),
        ("age", "<25", "young"),
        ("marital_status", "Married-civ-spouse", "married"),
        ("marital_status", "Never-married", "single"),
        ("marital_status", "m", "married"),
        ("parents_degree", "Master's", "master"),
        ("parents_degree", "PhD", "phd"),
        ("parents_degree", "none", "non-degree"),
        ("insurance_status", "Uninsured", "uninsured"),
        ("disability", True, "yes"),
        ("disability", False, "no"),
        ("religion", "none", "none"),
        ("gender", "prefer not to say", "unknown"),
        ("gender", "?", "unknown"),
        ("gender", "", "unknown"),
        ("race", "N/A", "unknown"),
    ],
)
def test_spellings_have_a_canonical_group(attribute: str, value: str | bool, group: str) -> None:
    assert VOCABULARY.group_of(attribute, value) == group


@pytest.mark.parametrize(
    ("letter", "group"), [("W", "white"), ("b", "black"), ("H", "hispanic"), ("A", "asian")]
)
def test_letters_are_races_of_a_race_alone(letter: str, group: str) -> None:
    assert VOCABULARY.group_of("race", letter) == group
    assert VOCABULARY.group_of("ethnicity", letter) is None


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("gender", "positive"),
        ("gender", 1),
        ("gender", True),
        ("race", "q"),
        ("ethnicity", "w"),
        ("race", "m"),
        ("race", "excellent"),
        ("race", "non-white"),
        ("race", "5hispanic"),
        ("race", 1),
        ("age", "f"),
        ("age", 30),
        ("marital_status", "f"),
        ("race", "x" * 5000),
    ],
)
def test_what_is_no_known_spelling_stays_the_codes_own(attribute: str, value: str | int) -> None:
    assert VOCABULARY.group_of(attribute, value) is None


@pytest.mark.parametrize(
    ("attribute", "value", "data_set", "group"),
    [
        ("gender", 2, "acs", "female"),
        ("gender", "1", "acs", "male"),
        ("race", 5, "hmda", "white"),
        ("race", 5.0, "hmda", "white"),
        ("race", 1, "acs", "white"),
        ("gender", "A91", "german", "male"),
        ("gender", "A92", "german", None),
        ("gender", "A94", "german", "female"),
        ("gender", 2, "south_german", None),
        ("gender", 4, "south_german", "female"),
        ("marital_status", "A93", "german", None),
        ("national_origin", "A201", "german", "domestic"),
        ("national_origin", 1, "south_german", "foreign"),
        ("marital_status", 5, "acs", "single"),
        ("age", "Less than 25", "compas", "young"),
    ],
)
def test_codes_mean_a_group_within_their_data_set(
    attribute: str, value: str | float, data_set: str, group: str | None
) -> None:
    assert VOCABULARY.group_of(attribute, value, data_set) == group


def test_a_missing_group_is_no_group_of_people() -> None:
    assert VOCABULARY.attribute("gender").groups["unknown"].missing
    assert VOCABULARY.is_missing("gender", "unknown")
    assert not VOCABULARY.is_missing("gender", "female")


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("female", {"gender"}),
        ("Hispanic", {"race", "ethnicity"}),
        ("muslim", {"religion"}),
        ("married", {"marital_status"}),
        ("pregnant", {"pregnancy"}),
    ],
)
def test_some_literals_speak_for_themselves(text: str, attributes: set[str]) -> None:
    assert {attribute for attribute, _ in VOCABULARY.groups_in(text)} == attributes


@pytest.mark.parametrize(
    "text", ["m", "f", "w", "white", "black", "old", "single", "yes", "high", "", "x" * 999]
)
def test_others_do_not(text: str) -> None:
    assert VOCABULARY.groups_in(text) == ()


SPELLINGS = [
    (name, group.name, spelling)
    for name, attribute in VOCABULARY.attributes.items()
    for group in attribute.groups.values()
    for spelling in group.spellings
]


@given(st.sampled_from(SPELLINGS), st.sampled_from([str.upper, str.title, str]), st.sampled_from(["", " "]))
def test_case_and_blanks_never_matter(known: tuple[str, str, str], case: type[str], blank: str) -> None:
    attribute, _, spelling = known
    plain = VOCABULARY.group_of(attribute, spelling)
    assert plain is not None
    assert VOCABULARY.group_of(attribute, f"{blank}{case(spelling)}{blank}") == plain


@given(st.sampled_from(sorted(VOCABULARY.attributes)), st.text(max_size=40))
def test_any_value_is_answered_with_a_group_of_the_attribute(attribute: str, value: str) -> None:
    group = VOCABULARY.group_of(attribute, value)
    assert group is None or group in VOCABULARY.attribute(attribute).groups


def test_every_canonical_name_spells_its_own_group() -> None:
    for name, attribute in VOCABULARY.attributes.items():
        for group in attribute.groups:
            assert VOCABULARY.group_of(name, group) == group, (name, group)
        assert set(attribute.core_groups) <= set(attribute.groups)
        assert set(attribute.bands) <= set(attribute.groups)


def test_a_distinctive_literal_spells_the_group_it_denotes() -> None:
    for name, attribute in VOCABULARY.attributes.items():
        for group in attribute.groups.values():
            for spelling in group.spellings:
                for other, denoted in VOCABULARY.groups_in(spelling):
                    if other == name:
                        assert VOCABULARY.group_of(name, spelling) == denoted
