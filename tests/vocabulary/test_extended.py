import threading

import pytest

from fairlint.vocabulary import default_vocabulary

VOCABULARY = default_vocabulary()


def extended(**attributes: object):  # type: ignore[no-untyped-def]
    return VOCABULARY.extended([{"attributes": attributes}])


def test_names_and_spellings_can_be_added() -> None:
    vocabulary = extended(gender={"strong": ["fnord code"], "groups": {"female": ["fru"]}})
    assert vocabulary.mentions("fnordCode")[0].attribute == "gender"
    assert vocabulary.group_of("gender", "FRU") == "female"
    assert vocabulary.group_of("gender", "male") == "male"
    assert not VOCABULARY.mentions("fnordCode")
    assert VOCABULARY.group_of("gender", "fru") is None


def test_a_new_attribute_is_like_any_other() -> None:
    vocabulary = extended(
        accommodation={
            "title": "type of accommodation",
            "strong": "housing type, accommodation type",
            "core": ["owner", "renter"],
            "groups": {"owner": "owner, owns", "renter": "renter, rents"},
            "flags": {"renter": "is renter"},
            "laws": {"eu": "Charter art. 21"},
        }
    )
    attribute = vocabulary.attribute("accommodation")
    assert attribute.core_groups == ("owner", "renter")
    assert vocabulary.mentions("housing_type")[0].strength == "strong"
    assert vocabulary.mentions("isRenter")[0].group == "renter"
    assert vocabulary.group_of("accommodation", "unknown") == "unknown"
    assert vocabulary.protected_in("accommodation", "eu")
    assert not vocabulary.protected_in("accommodation", "us")


def test_an_attribute_can_be_switched_off() -> None:
    vocabulary = extended(zip_code={"disabled": True})
    assert "zip_code" not in vocabulary.attributes
    assert vocabulary.mentions("zip_code") == ()
    assert VOCABULARY.mentions("zip_code")


def test_an_attribute_that_is_switched_off_is_known_nowhere() -> None:
    """Words for it stand in other tables, too."""
    vocabulary = extended(gender={"disabled": True})
    assert vocabulary.group_of("gender", "female") is None
    assert not vocabulary.protected_in("gender")


def test_an_attribute_can_be_renamed() -> None:
    vocabulary = extended(gender={"rename": "sex"})
    assert vocabulary.mentions("gender")[0].attribute == "gender", "by which all else knows it"
    assert vocabulary.renamed == {"gender": "sex"}
    assert vocabulary.attribute("sex").name == "sex"
    assert vocabulary.attribute("sex").core_groups == ("male", "female")
    assert vocabulary.protected_in("sex", "eu")
    assert vocabulary.group_of("gender", "female") == "female"
    assert "gender" not in vocabulary.attributes


def test_a_renamed_attribute_goes_by_both_names() -> None:
    for name in ("gender", "sex"):
        vocabulary = extended(gender={"rename": "sex"}).extended(
            [{"attributes": {name: {"strong": "fnord"}}}]
        )
        assert vocabulary.mentions("fnord")[0].attribute == "gender"
        off = extended(gender={"rename": "sex"}).extended([{"attributes": {name: {"disabled": True}}}])
        assert not off.mentions("gender")


def test_an_attribute_of_ones_own_holds_everywhere_unless_it_names_laws() -> None:
    vocabulary = extended(shoe={"strong": "shoe size"}, club={"strong": "club card", "laws": {"uk": "a law"}})
    assert all(vocabulary.protected_in("shoe", place, "hiring") for place in ("all", "us", "eu", "uk"))
    assert [vocabulary.protected_in("club", place) for place in ("us", "uk")] == [False, True]


@pytest.mark.parametrize(
    ("attribute", "removed", "gone", "kept"),
    [
        ("ethnicity", "ethnie", ("ethnie", "ethnies", "applicant_ethnie"), ("ethnicity",)),
        ("gender", "sexe", ("sexe",), ("sex",)),
        ("race", "race code", ("race_code", "applicantRaceCode"), ("race", "racial")),
        ("race", ["races", "race"], ("race", "races"), ("race_ethnicity", "racial")),
        ("gender", "customer gender", ("customer_gender",), ("gender",)),
        ("race", "RAC1P", ("RAC1P",), ("RAC2P",)),
        ("religion", "atheist", ("atheist",), ("muslim",)),
    ],
)
def test_what_is_removed_is_gone(
    attribute: str, removed: str | list[str], gone: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    vocabulary = extended(**{attribute: {"remove": removed}})

    def named(name: str) -> bool:
        return any(mention.attribute == attribute for mention in vocabulary.mentions(name))

    assert {name: named(name) for name in (*gone, *kept)} == {
        **dict.fromkeys(gone, False),
        **dict.fromkeys(kept, True),
    }
    again = vocabulary.extended([{"attributes": {attribute: {"remove": removed}}}])
    assert not again.mentions(gone[0]), "removing it once more is no mistake"


def test_a_spelling_of_a_group_can_be_removed() -> None:
    vocabulary = extended(race={"remove": ["negro", "joint"]})
    assert [vocabulary.group_of("race", text) for text in ("negro", "joint", "black")] == [
        None,
        None,
        "black",
    ]


@pytest.mark.parametrize(
    ("attribute", "removed", "message"),
    [
        ("race", "ethnie", "attributes.race.remove: 'ethnie' is no name of race; it is one of ethnicity"),
        ("race", "fnord", "attributes.race.remove: 'fnord' is no name of race"),
    ],
)
def test_what_is_no_name_cannot_be_removed(attribute: str, removed: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is what is tested)
        extended(**{attribute: {"remove": [removed]}})
    assert str(caught.value) == message


def test_false_friends_and_removed_names() -> None:
    vocabulary = extended(race={"not": ["race code"], "not_of": ["pigeon"]}, gender={"remove": ["sexe"]})
    assert vocabulary.mentions("race_code") == ()
    assert vocabulary.mentions("pigeonRace") == ()
    assert vocabulary.mentions("sexe") == ()
    assert VOCABULARY.mentions("sexe")


def test_age_bands_can_be_moved() -> None:
    vocabulary = extended(age={"bands": {"young": [18, 39], "middle": [40, 59], "elder": [60, 110]}})
    assert vocabulary.attribute("age").bands["middle"] == (40, 59)
    assert vocabulary.group_of("age", "36-38") == "young"


def test_tables_apply_in_order() -> None:
    vocabulary = VOCABULARY.extended(
        [{"attributes": {"gender": {"title": "one"}}}, {"attributes": {"gender": {"title": "two"}}}]
    )
    assert vocabulary.attribute("gender").title == "two"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"attribute": {}}, "attribute: unknown key"),
        ({"attributes": []}, "attributes: expected a table"),
        ({"attributes": {"gender": 3}}, "attributes.gender: expected a table, not 3"),
        ({"attributes": {"gender": {"nmaes": "x"}}}, "attributes.gender.nmaes: unknown key"),
        ({"attributes": {"gender": {"strong": 3}}}, "attributes.gender.strong: expected a text or a list"),
        ({"attributes": {"gender": {"strong": ["_"]}}}, "attributes.gender.strong: '_' holds no word"),
        ({"attributes": {"gender": {"kind": "holy"}}}, "attributes.gender.kind: expected one of protected"),
        (
            {"attributes": {"gender": {"disabled": "yes"}}},
            "attributes.gender.disabled: expected true or false",
        ),
        ({"attributes": {"shoe": {"disabled": True}}}, "attributes.shoe: no such attribute"),
        (
            {"attributes": {"shoe": {"groups": {"big": "big"}}}},
            "attributes.shoe: a new attribute needs names",
        ),
        ({"attributes": {"Shoe Size": {"strong": "x"}}}, "attributes.Shoe Size: a name is lower-case"),
        ({"attributes": {"gender": {"flags": {"elf": "is elf"}}}}, "names a group that `groups` lacks"),
        (
            {"attributes": {"age": {"bands": {"young": [50, 18]}}}},
            "attributes.age.bands.young: expected [lowest",
        ),
        (
            {"attributes": {"age": {"bands": {"young": [18, 60]}}}},
            "attributes.age.bands: young and middle overlap",
        ),
        ({"attributes": {"age": {"limits": "18"}}}, "attributes.age.limits: expected a list of numbers"),
        ({"attributes": {"gender": {"codes": {"x": "1"}}}}, "attributes.gender.codes.x: expected code=group"),
        ({"attributes": {"gender": {"codes": {"x": "1=elf"}}}}, "means 'elf', which `groups` lacks"),
        ({"attributes": {"gender": {"forms": {"odd": "x"}}}}, "attributes.gender.forms.odd: expected one of"),
        (
            {"attributes": {"gender": {"rename": "race"}}},
            "attributes.gender.rename: there is an attribute race",
        ),
    ],
)
def test_a_malformed_table_names_the_offending_key(table: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is what is tested)
        VOCABULARY.extended([table])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_threads_may_share_a_vocabulary() -> None:
    fresh = extended(gender={"title": "fresh"})
    found: list[object] = []

    def look() -> None:
        found.append(
            (fresh.mentions("gender"), fresh.group_of("gender", "F"), bool(fresh.offsets(b"gender")))
        )

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(item == found[0] for item in found)
