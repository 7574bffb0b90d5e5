"""A home country says whose people are no foreigners."""

from __future__ import annotations

import pytest

from fairlint import Settings, check_source
from fairlint.vocabulary import default_vocabulary
from fairlint.vocabulary.countries import codes, law_of

VOCABULARY = default_vocabulary()
ORIGIN = "national_origin"


def test_all_countries_are_known() -> None:
    assert len(codes()) == 249
    assert all(len(code) == 2 and code.isupper() for code in codes())
    assert (codes()["DE"], codes()["BO"]) == ("Germany", "Bolivia")


@pytest.mark.parametrize(
    ("country", "law"), [("DE", "eu"), ("GB", "uk"), ("US", "us"), ("JP", "all"), ("CH", "all"), ("PR", "us")]
)
def test_a_country_has_a_law(country: str, law: str) -> None:
    assert law_of(country) == law
    assert Settings(home_country=country).law == law
    assert Settings(home_country=country, jurisdiction="us").law == "us"
    said = Settings(home_country=country).with_changes(jurisdiction="all")
    assert said.law == "all"


@pytest.mark.parametrize(
    ("country", "texts"),
    [
        ("DE", ("DE", "de", "Germany", "german", "DEU", "Deutschland", "domestic", "citizen")),
        ("US", ("US", "usa", "American", "United States", "us citizen", "born in the US")),
        ("BR", ("BR", "Brazil", "Brazilian", "BRA")),
        ("BO", ("Bolivia", "BO")),
    ],
)
def test_who_belongs_to_the_country_is_at_home(country: str, texts: tuple[str, ...]) -> None:
    vocabulary = VOCABULARY.at_home(country)
    assert {text: vocabulary.group_of(ORIGIN, text) for text in texts} == dict.fromkeys(texts, "domestic")
    assert vocabulary.group_of(ORIGIN, "immigrant") == "foreign"


def test_who_belongs_to_another_is_not() -> None:
    vocabulary = VOCABULARY.at_home("DE")
    assert vocabulary.group_of(ORIGIN, "us citizen") == "american"
    assert vocabulary.group_of(ORIGIN, "France") == "french"
    assert vocabulary.group_of(ORIGIN, "non us") is None, "who is not from there may be from here"
    assert VOCABULARY.at_home("US").group_of(ORIGIN, "non us") == "foreign"
    assert VOCABULARY.group_of(ORIGIN, "Germany") == "german", "no other vocabulary is changed"
    assert VOCABULARY.group_of(ORIGIN, "us citizen") == "domestic"


@pytest.mark.parametrize(
    ("country", "name", "group"),
    [
        ("DE", "is_german_citizen", "domestic"),
        ("DE", "non_german", "foreign"),
        ("DE", "is_us_citizen", "american"),
        ("DE", "eu_citizen", "domestic"),
        ("GB", "eu_citizen", "foreign"),
        ("GB", "uk_citizen", "domestic"),
        ("US", "us_citizen", "domestic"),
        ("US", "uk_citizen", "british"),
        ("FR", "is_citizen", "domestic"),
        ("NO", "norwegian_citizen", "domestic"),
    ],
)
def test_flags_say_whose_citizen_one_is(country: str, name: str, group: str) -> None:
    assert [mention.group for mention in VOCABULARY.at_home(country).mentions(name)] == [group]


@pytest.mark.parametrize("country", sorted(codes()))
def test_every_country_gives_a_vocabulary(country: str) -> None:
    vocabulary = VOCABULARY.at_home(country)
    attribute = vocabulary.attribute(ORIGIN)
    assert set(attribute.core_groups) == {"domestic", "foreign"}
    assert vocabulary.group_of(ORIGIN, codes()[country]) == "domestic"
    assert vocabulary.group_of(ORIGIN, "no") != "domestic"
    assert VOCABULARY.attribute("gender").groups == vocabulary.attribute("gender").groups


def test_a_switched_off_attribute_stays_off() -> None:
    off = VOCABULARY.extended([{"attributes": {ORIGIN: {"disabled": True}}}]).at_home("DE")
    assert ORIGIN not in off.attributes


@pytest.mark.parametrize(
    ("country", "points"),
    [("DE", {"domestic": 0.0, "foreign": -2.0}), ("FR", {"german": 0.0}), ("", {"german": 0.0})],
)
def test_code_that_asks_for_the_home_country_asks_for_foreigners(
    country: str, points: dict[str, float]
) -> None:
    code = (
        "def rate(applicant):\n    score = 0\n"
        '    if applicant.nationality != "Germany":\n        score -= 2\n    return score\n'
    )
    (finding,) = check_source(code, settings=Settings(home_country=country)).findings
    assert finding.points is not None
    assert finding.points.by_group == points
