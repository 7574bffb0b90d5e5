"""Names that mean something as a person's field only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.vocabulary import Surroundings, default_vocabulary

VOCABULARY = default_vocabulary()
FIELDS = (
    ("zip", "zip_code"),
    ("accent", "language"),
    ("weight", "body"),
    ("height", "body"),
    ("photo", "body"),
    ("title", "title"),
    ("children", "family_status"),
    ("name", "name"),
    ("party", "political"),
)
PERSONS = (
    "applicant",
    "self.candidate",
    "tenants[i]",
    "loanApplicant",
    "patient2",
    "customer",
    "worker_candidate",
)
THINGS = (
    "df",
    "self",
    "parent",
    "node",
    "user",
    "profile",
    "file",
    "request.user",
    "",
    "applicant_file",
    "driver",
    "w",
)


def attributes(identifier: str, receiver: str) -> list[str]:
    return [mention.attribute for mention in VOCABULARY.mentions_of(identifier, receiver)]


@pytest.mark.parametrize(("field", "attribute"), FIELDS)
def test_a_persons_field_is_a_mention_and_the_bare_name_is_none(field: str, attribute: str) -> None:
    assert not VOCABULARY.mentions(field)
    for person in PERSONS:
        assert attributes(field, person) == [attribute], person
    for thing in THINGS:
        assert attributes(field, thing) == [], thing


def test_what_is_a_mention_anywhere_stays_one() -> None:
    for receiver in (*PERSONS, *THINGS):
        assert VOCABULARY.mentions_of("gender", receiver) == VOCABULARY.mentions("gender")


def weight(identifier: str, **around: object) -> int:
    surroundings = Surroundings(**around)  # type: ignore[arg-type]
    return max(
        sum(item.weight for item in VOCABULARY.weigh(mention, surroundings))
        for mention in VOCABULARY.mentions_of(identifier, surroundings.receiver)
    )


@pytest.mark.parametrize(
    ("identifier", "thing", "person"),
    [
        (
            "title",
            {"receiver": "employee", "values": ("Manager",)},
            {"receiver": "tenant", "values": ("Mrs",)},
        ),
        (
            "region",
            {"receiver": "customer", "values": ("EMEA",)},
            {"receiver": "customer", "values": ("Bronx",)},
        ),
        (
            "region",
            {"receiver": "tenant", "values": ("eu-west-1",)},
            {"receiver": "tenant", "values": ("rural",)},
        ),
        ("region", {"receiver": "customer", "values": ("us_east",)}, {"receiver": "patient"}),
        (
            "name",
            {"receiver": "student", "values": ("admin",)},
            {"receiver": "student", "values": ("Lakisha",)},
        ),
    ],
)
def test_values_of_a_thing_speak_against_a_person(
    identifier: str, thing: dict[str, object], person: dict[str, object]
) -> None:
    assert weight(identifier, **thing) < 0 < weight(identifier, **person)


@pytest.mark.parametrize(
    "text",
    [
        "person.zip",
        "person->zip",
        'person["zip"]',
        "person['zip']",
        "person.get('zip', 0)",
        "self.applicants[i].height",
        "loanApplicant.children",
        "Applicant.title",
        "candidate1.accent",
    ],
)
def test_the_prefilter_finds_them_behind_a_person(text: str) -> None:
    assert VOCABULARY.offsets(f"x = {text};".encode())


@pytest.mark.parametrize(
    "text",
    [
        "zip(a, b)",
        "df.zip",
        "node.children",
        "self.title",
        "import zip",
        "person.zipped",
        "persona.zip",
        "user.name",
    ],
)
def test_and_nowhere_else(text: str) -> None:
    assert not VOCABULARY.offsets(f"x = {text};".encode())


@given(
    st.sampled_from(FIELDS),
    st.sampled_from((*PERSONS, *THINGS)),
    st.sampled_from((".", "->", '["', "['", ".get('")),
)
def test_the_bytes_say_the_same_as_the_names(field: tuple[str, str], receiver: str, access: str) -> None:
    before = f"y = {receiver}{access}"
    data = f"{before}{field[0]}'".encode()
    owned = bool(attributes(field[0], receiver))
    assert VOCABULARY.is_owned(data, len(before), len(data) - 1) is owned
    assert VOCABULARY.offsets(data) or not owned


def test_users_add_their_own() -> None:
    extended = VOCABULARY.extended(
        [{"attributes": {"religion": {"generic": "church"}, "title": {"remove": "title"}}}]
    )
    assert [mention.attribute for mention in extended.mentions_of("church", "applicant")] == ["religion"]
    assert extended.offsets(b"applicant.church")
    assert not extended.mentions_of("title", "applicant")
