import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.vocabulary import Surroundings, default_vocabulary

VOCABULARY = default_vocabulary()
NOTE, FINDING, SINK = 3, 5, 2


def weight(identifier: str, **around: object) -> int:
    mentions = VOCABULARY.mentions(identifier)
    surroundings = Surroundings(**around)  # type: ignore[arg-type]
    return max(sum(item.weight for item in VOCABULARY.weigh(mention, surroundings)) for mention in mentions)


def test_a_persons_gender_compared_with_a_group_is_believed_without_more() -> None:
    assert weight("gender", receiver="applicant", function="score", values=("male",)) >= FINDING


def test_a_bare_race_is_never_enough() -> None:
    assert weight("race", function="tick", siblings=("race",)) + SINK < NOTE


def test_an_occupation_is_a_person_even_when_race_is_read_as_a_grade() -> None:
    around = {
        "receiver": "roofer",
        "function": "evaluate_roofer",
        "siblings": ("physical_stamina", "attention_to_detail"),
        "values": ("excellent",),
        "prose": "Evaluate a roofer with a score computed based on several attributes.",
    }
    assert weight("race", **around) >= NOTE


@pytest.mark.parametrize(
    "receiver",
    [
        "dental_hygienist",
        "computer_programmer",
        "insurance_sales_agent",
        "plumber",
        "chemists_and_materials_scientist",
        "heating_and_refrigeration_mechanic",
        "postal_service_mail_carrier",
        "social_workers_all",
        "clergy",
        "welder",
        "salespersons",
        "supervisors_of_kitchen_staff",
        "dispatchers_except_police",
    ],
)
def test_occupations_are_people(receiver: str) -> None:
    assert weight("race", receiver=receiver, function=f"evaluate_{receiver}", siblings=("skills",)) >= NOTE


@pytest.mark.parametrize(
    "receiver",
    [
        "printer",
        "buffer",
        "handler",
        "parser",
        "server",
        "container",
        "pointer",
        "iterator",
        "controller",
        "layer",
    ],
)
def test_things_that_sound_like_people_are_none(receiver: str) -> None:
    assert weight("race", receiver=receiver, function="update") < NOTE
    assert weight("age", receiver=receiver, function="update") < NOTE


@pytest.mark.parametrize(
    "receiver",
    [
        "freight_agent",
        "banquet_server",
        "forklift_operator",
        "store_managers",
        "meat_inspector",
        "taxi_dispatcher",
    ],
)
def test_a_trade_makes_a_person_of_what_programs_go_by_too(receiver: str) -> None:
    around = {"receiver": receiver, "function": f"evaluate_{receiver}"}
    assert weight("race", **around, siblings=("time_management",)) >= FINDING
    assert weight("age", receiver=receiver) > weight("age", receiver=receiver.rpartition("_")[2])


@pytest.mark.parametrize(
    "receiver",
    (
        "web_server window_manager event_dispatcher math_operator message_broker file_managers "
        "default_assembler api_agent managers operator AsyncConnectionManager manager_of_windows"
    ).split(),
)
def test_a_part_of_a_program_is_no_trade(receiver: str) -> None:
    for identifier in ("race", "age", "gender"):
        thing = weight(identifier, receiver="thing", function="select_thing")
        assert weight(identifier, receiver=receiver, function=f"select_{receiver}") <= thing


@pytest.mark.parametrize(
    ("identifier", "around"),
    [
        ("age", {"function": "is_stale", "siblings": ("cache", "ttl")}),
        ("age", {"receiver": "entry", "prose": "Evict entries from the cache."}),
        ("race", {"receiver": "player", "values": ("elf", "orc"), "siblings": ("mana", "hp")}),
        ("race", {"function": "finish", "siblings": ("lap", "driver", "circuit")}),
        ("gender", {"receiver": "noun", "values": ("feminine",), "siblings": ("plural", "verb")}),
        ("gender", {"receiver": "connector", "values": ("male", "female"), "siblings": ("pins",)}),
        ("disabled", {"receiver": "button", "function": "render"}),
        ("region", {"receiver": "client", "imports": ("boto3",), "siblings": ("bucket",)}),
        ("is_white", {"receiver": "piece", "siblings": ("board", "pawn")}),
        ("gender", {"receiver": "self", "fields": ("hp", "mana"), "values": ("male",)}),
    ],
)
def test_other_worlds_stay_silent_even_with_a_score(identifier: str, around: dict[str, object]) -> None:
    assert weight(identifier, **around) + SINK < FINDING


@pytest.mark.parametrize(
    ("identifier", "around"),
    [
        ("divorced", {"receiver": "member"}),
        ("gender", {"receiver": "state", "values": ("female",)}),
        ("age", {"receiver": "applicant"}),
    ],
)
@pytest.mark.parametrize(
    "near",
    [
        {"imports": ("sqlalchemy.orm", "django.core.cache", "ast", "pygame", "faker", "html", "socket")},
        {"function": "screening_node"},
        {"siblings": ("cache", "ttl", "edge", "vertex", "loot", "button", "lock", "verb", "pawn")},
        {"prose": "Evict entries of the tree of nodes from the cache of the game."},
        {"path": "game/cache/nodes.py"},
    ],
)
def test_what_merely_stands_near_by_is_no_reason_against(
    identifier: str, around: dict[str, object], near: dict[str, object]
) -> None:
    assert weight(identifier, **around, **near) >= weight(identifier, **around)


@pytest.mark.parametrize(
    ("identifier", "siblings", "data_set"),
    [
        ("race", ("workclass", "occupation", "capital-gain"), "adult"),
        ("RAC1P", ("SCHL", "WKHP", "PINCP"), "acs"),
        ("sex", ("priors_count", "c_charge_degree", "two_year_recid"), "compas"),
        ("derived_race", ("loan_amount", "action_taken", "loan_purpose"), "hmda"),
    ],
)
def test_columns_of_known_data_sets_are_people(
    identifier: str, siblings: tuple[str, ...], data_set: str
) -> None:
    assert VOCABULARY.data_set_of((identifier, *siblings)) == data_set
    assert weight(identifier, siblings=siblings) >= NOTE


def test_attributes_alone_are_no_data_set() -> None:
    assert VOCABULARY.data_set_of(("age", "sex", "race")) is None


def test_reasons_are_plain_english() -> None:
    mention = VOCABULARY.mentions("gender")[0]
    around = Surroundings(receiver="candidate", values=("male",))
    reasons = [item.reason for item in VOCABULARY.weigh(mention, around)]
    assert "the code compares it with the group 'male'" in reasons
    assert "receiver `candidate` is a person" in reasons


@pytest.mark.parametrize(
    ("function", "siblings", "domain"),
    [
        ("shortlist_resume", (), "hiring"),
        ("approve_loan", ("debt",), "credit"),
        ("screen_tenant", (), "housing"),
        ("admission_score", ("gpa",), "education"),
        ("triage", ("patient",), "health"),
        ("bail_amount", ("defendant",), "justice"),
        ("quote", ("premium", "policyholder"), "insurance"),
        ("frobnicate", (), ""),
    ],
)
def test_the_domain_is_read_from_the_words_around(
    function: str, siblings: tuple[str, ...], domain: str
) -> None:
    assert VOCABULARY.domain_of(Surroundings(function=function, siblings=siblings)) == domain


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("lending/terms.py", "credit (lending)"),
        ("rental/terms.py", "housing (rental)"),
        ("terms.py", "hiring (applicant)"),
    ],
)
def test_a_word_that_many_fields_have_is_told_of_the_field_that_others_name(path: str, told: str) -> None:
    mention = VOCABULARY.mentions("gender")[0]
    around = Surroundings(receiver="applicant", siblings=("applicant",), path=path)
    reasons = [item.reason for item in VOCABULARY.weigh(mention, around)]
    assert f"the code is about {told}" in reasons


def test_policy_by_jurisdiction_and_domain() -> None:
    assert VOCABULARY.protected_in("gender")
    assert VOCABULARY.protected_in("veteran", "us")
    assert not VOCABULARY.protected_in("veteran", "eu")
    assert not VOCABULARY.protected_in("income_level", "all", "credit")
    assert VOCABULARY.protected_in("income_level", "all", "health")
    assert not VOCABULARY.protected_in("income_level", "all", "")
    assert not VOCABULARY.protected_in("age", "all", "health")
    assert not VOCABULARY.protected_in("health", "all", "health")
    assert VOCABULARY.protected_in("marital_status", "us", "credit")
    assert not VOCABULARY.protected_in("shoe_size")


def test_the_law_sets_some_ages() -> None:
    assert 18 in VOCABULARY.lawful_limits("age")
    assert 67 not in VOCABULARY.lawful_limits("age")
    assert 67 in VOCABULARY.lawful_limits("age", Surroundings(function="pension_start"))


@pytest.mark.parametrize(
    "around",
    [
        {"prose": "Benefits start with the 401k at this point."},
        {"function": "social_security_benefit"},
        {"siblings": ("socialsecurity", "years_paid")},
        {"receiver": "retiring"},
    ],
)
def test_what_speaks_of_a_pension_makes_its_ages_lawful(around: dict[str, object]) -> None:
    assert 67 in VOCABULARY.lawful_limits("age", Surroundings(**around))  # type: ignore[arg-type]


def test_ages_of_a_pension_are_not_lawful_beside_401_things() -> None:
    assert 67 not in VOCABULARY.lawful_limits(
        "age", Surroundings(prose="Gives up with error 401. A social event.")
    )


@pytest.mark.parametrize(
    ("identifier", "around"),
    [
        ("age", {"receiver": "recruit", "function": "pass_fitness"}),
        ("age", {"receiver": "applicant", "function": "life_insurance"}),
        ("gender", {"receiver": "candidate", "function": "GenderRule.apply"}),
        ("race", {"receiver": "candidate", "imports": ("asyncio",), "siblings": ("startup", "detector")}),
        ("age", {"receiver": "customer", "siblings": ("session", "page", "process", "certificate")}),
        ("race", {"receiver": "inmate", "siblings": ("age_cat", "circuit", "odds")}),
    ],
)
def test_words_that_code_about_people_uses_as_well_do_not_hide_a_person(
    identifier: str, around: dict[str, object]
) -> None:
    alone = {key: value for key, value in around.items() if key in {"receiver", "function"}}
    assert weight(identifier, **around) >= weight(identifier, **alone)
    reasons = [
        item
        for mention in VOCABULARY.mentions(identifier)
        for item in VOCABULARY.weigh(mention, Surroundings(**around))  # type: ignore[arg-type]
    ]
    assert all(item.weight > 0 for item in reasons)


@pytest.mark.parametrize(
    ("receiver", "function"),
    [("", "life"), ("genome", "fitness"), ("", "page_age"), ("session", "cleanup"), ("rule", "fire")],
)
def test_beside_anything_else_they_do(receiver: str, function: str) -> None:
    assert weight("age", receiver=receiver, function=function) < 0


@pytest.mark.parametrize(
    "around",
    [
        {"function": "premium"},
        {"function": "risk_points", "siblings": ("accidents",)},
        {"function": "calculate_risk", "siblings": ("employed", "prior_arrests")},
        {"function": "predict_income", "receiver": "record"},
        {"receiver": "args", "prose": "Loan application\nLoan approved"},
        {"prose": "Age: \nLoan approved\nLoan rejected"},
        {"function": "main", "prose": "You are not eligible for this insurance."},
    ],
)
def test_a_bare_age_counts_where_the_words_are_about_people(around: dict[str, object]) -> None:
    assert weight("age", **around) + SINK >= FINDING


@pytest.mark.parametrize(
    "around",
    [
        {"function": "prune", "siblings": ("path", "max_files")},
        {"function": "update", "siblings": ("particle", "velocity")},
        {"function": "drop_stale", "receiver": "entry"},
        {"prose": "Access approved. " * 20 + "The loan of a buffer ends here."},
        {"prose": "Rejected requests are sent again.\nA connection on loan is given back."},
        {},
    ],
)
def test_a_bare_age_of_anything_else_does_not(around: dict[str, object]) -> None:
    assert weight("age", **around) + SINK < FINDING


def test_a_verdict_has_to_stand_on_the_line_of_what_it_is_about() -> None:
    assert weight("age", prose="Loan rejected") > weight("age", prose="Loan\nrejected")


text = st.text(max_size=30)


@given(
    st.sampled_from(["gender", "race", "age", "is_female", "zip_code", "disabled", "RAC1P"]),
    st.builds(
        Surroundings,
        receiver=text,
        receiver_type=text,
        function=text,
        siblings=st.lists(text, max_size=4).map(tuple),
        values=st.lists(text, max_size=4).map(tuple),
        prose=text,
        path=text,
        imports=st.lists(text, max_size=2).map(tuple),
    ),
)
def test_any_surroundings_are_weighed(identifier: str, around: Surroundings) -> None:
    for mention in VOCABULARY.mentions(identifier):
        for item in VOCABULARY.weigh(mention, around):
            assert item.weight
            assert item.reason
            assert "\n" not in item.reason


@given(st.sampled_from(["tick", "evaluate_person", "is_stale", "spawn"]), st.sampled_from(["", "p", "unit"]))
def test_a_group_literal_never_speaks_against(function: str, receiver: str) -> None:
    without = weight("gender", receiver=receiver, function=function)
    assert weight("gender", receiver=receiver, function=function, values=("female",)) > without
