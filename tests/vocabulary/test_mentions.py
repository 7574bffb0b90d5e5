import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.vocabulary import default_vocabulary

VOCABULARY = default_vocabulary()


def named(identifier: str) -> list[tuple[str, str | None]]:
    return [(mention.attribute, mention.group) for mention in VOCABULARY.mentions(identifier)]


@pytest.mark.parametrize(
    ("identifier", "attribute"),
    [
        ("gender", "gender"),
        ("applicant_sex", "gender"),
        ("race", "race"),
        ("applicant_race_1", "race"),
        ("RAC1P", "race"),
        ("politics", "political"),
        ("political_views", "political"),
        ("politicalLeaning", "political"),
        ("raceEthnicity", "race"),
        ("ethnicity", "ethnicity"),
        ("userAge", "age"),
        ("age_at_release", "age"),
        ("ageOfApplicant", "age"),
        ("DOB", "age"),
        ("native-country", "national_origin"),
        ("Marital Status", "marital_status"),
        ("maritalStatus", "marital_status"),
        ("relationship", "marital_status"),
        ("num_children", "family_status"),
        ("religion", "religion"),
        ("sexual_orientation", "sexual_orientation"),
        ("veteran_status", "veteran"),
        ("caste", "caste"),
        ("political_party", "political"),
        ("union_member", "union"),
        ("parentsDegree", "parents_degree"),
        ("Medu", "parents_degree"),
        ("parental_income", "parents_income"),
        ("income_level", "income_level"),
        ("insurance_status", "insurance_status"),
        ("ethrisk", "ethnicity"),
        ("zip_code", "zip_code"),
        ("firstName", "name"),
        ("native_language", "language"),
        ("alma_mater", "school"),
        ("employment_gap", "employment_gap"),
        ("genero", "gender"),
        ("género", "gender"),
        ("возраст", "age"),
        ("性别", "gender"),
    ],
)
def test_names_of_attributes_are_found(identifier: str, attribute: str) -> None:
    assert (attribute, None) in named(identifier)


@pytest.mark.parametrize(
    ("identifier", "attribute", "group"),
    [
        ("is_female", "gender", "female"),
        ("has_disability", "disability", "yes"),
        ("foreign_worker", "national_origin", "foreign"),
        ("female", "gender", "female"),
        ("sex_Male", "gender", "male"),
        ("GENDER_MALE", "gender", "male"),
        ("race_Black", "race", "black"),
        ("race_African-American", "race", "black"),
        ("isHispanic", "ethnicity", "hispanic"),
        ("is_white", "race", "white"),
        ("black_applicant", "race", "black"),
        ("over_40", "age", "elder"),
        ("is_senior", "age", "elder"),
        ("age_18_24", "age", "young"),
        ("married", "marital_status", "married"),
        ("is_disabled", "disability", "yes"),
        ("gender_is_male", "gender", "male"),
    ],
)
def test_a_name_that_states_a_group_carries_it(identifier: str, attribute: str, group: str) -> None:
    assert named(identifier) == [(attribute, group)]
    assert VOCABULARY.mentions(identifier)[0].form == "flag"


def test_one_column_can_hold_two_attributes() -> None:
    assert {attribute for attribute, _ in named("personal_status_sex")} == {"marital_status", "gender"}


@pytest.mark.parametrize(
    "identifier",
    [
        "page",
        "message",
        "storage",
        "percentage",
        "stage",
        "image",
        "agent",
        "average",
        "package",
        "language",
        "mortgage",
        "trace",
        "brace",
        "grace",
        "terrace",
        "essex",
        "sextant",
        "engender",
        "max_age",
        "cache_age",
        "VehAge",
        "age_hours",
        "age_ms",
        "age_limit",
        "file_age",
        "race_condition",
        "data_race",
        "race_detector",
        "race_winner",
        "race_time",
        "horse_race",
        "screen_orientation",
        "page_orientation",
        "orientation",
        "grammatical_gender",
        "plural_gender",
        "gender_bonus",
        "weight_gender",
        "bonus_race",
        "factor_age",
        "w_disability",
        "points_religion",
        "limit_age",
        "gender_count",
        "count_by_gender",
        "set_gender",
        "validate_age",
        "graph_degree",
        "degree",
        "aws_region",
        "region_name",
        "black_box",
        "white_space",
        "whitelist",
        "white",
        "black",
        "origin_url",
        "native_code",
        "title_bar",
        "title",
        "first_name_column",
        "language_code",
        "parent_id",
        "children",
        "single",
        "union",
        "set_union",
        "union_type",
        "third_party",
        "genetic_algorithm",
        "health_check",
        "insurance_claims_and_policy_processing_clerk",
        "insurance_premium",
        "age_of_cache",
        "old",
        "young",
        "minor",
        "non_white",
        "childcare_worker",
        "school_psychologist",
        "mental_health_counselor",
        "evaluate_comparative_religion_candidate",
        "zip",
        "name",
        "male_connector",
        "female_count",
        "voice_gender",
        "unprotected_sex",
        "sex_worker",
        "first_sex",
        "foreign_key",
        "salary_by_gender",
    ],
)
def test_look_alikes_name_nothing(identifier: str) -> None:
    assert named(identifier) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "African American",
        "Please enter your gender and age below",
        "Gender: ",
        "The race is on.",
        "{gender}",
        "gender = ?",
        "a" * 500,
    ],
)
def test_prose_names_nothing(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("identifier", "form"),
    [
        ("age", "number"),
        ("age_years", "number"),
        ("age_group", "value"),
        ("ageBand", "value"),
        ("birth_year", "date"),
        ("dob", "date"),
        ("num_children", "number"),
        ("has_children", "value"),
        ("gender", "value"),
        ("graduation_year", "date"),
    ],
)
def test_a_mention_says_what_it_holds(identifier: str, form: str) -> None:
    assert VOCABULARY.mentions(identifier)[0].form == form


@given(st.text(max_size=60))
def test_any_text_is_answered_and_answered_alike(text: str) -> None:
    first = VOCABULARY.mentions(text)
    assert VOCABULARY.mentions(text) is first
    for mention in first:
        assert mention.identifier == text
        attribute = VOCABULARY.attribute(mention.attribute)
        assert mention.group is None or mention.group in attribute.groups


@pytest.mark.parametrize(
    ("identifier", "group"),
    [
        ("is_qatari_national", "qatari"),
        ("swedishCitizen", "swedish"),
        ("is_indian_citizen", "indian"),
        ("applicant_is_south_korean_national", "south korean"),
        ("IS_PERMANENT_RESIDENT", "permanent-resident"),
    ],
)
def test_a_country_says_whose_national_somebody_is(identifier: str, group: str) -> None:
    (mention,) = default_vocabulary().mentions(identifier)
    assert (mention.attribute, mention.group, mention.form) == ("national_origin", group, "flag")


@pytest.mark.parametrize(
    "identifier",
    ["is_swedish_national_holiday", "national_exam", "german_national_park", "korean_national_flag",
     "multinational", "swedish_citizens_office", "citizen_service", "non_eu_citizen"],
)  # fmt: skip
def test_what_else_is_national(identifier: str) -> None:
    assert default_vocabulary().mentions(identifier) == ()


def test_a_name_made_canonical_stays_the_name() -> None:
    (mention,) = default_vocabulary().mentions("religion_canonical")
    assert (mention.attribute, mention.group) == ("religion", None)
