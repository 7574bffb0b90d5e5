"""Every weight of context.toml is that of a reason: it is met where the reason holds, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from fairlint.vocabulary import Surroundings, default_vocabulary
from fairlint.vocabulary.bags import World
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.person_evidence import person_weight

VOCABULARY = default_vocabulary()
CONTEXT = VOCABULARY._context
WEIGHTS = CONTEXT.weights
WORLDS = {world.name: world for world in CONTEXT.worlds}

FOR: dict[str, tuple[str, dict[str, object], str, dict[str, object]]] = {
    "group": ("gender", {"values": ("male",)}, "the code compares it with the group", {"values": ("7b",)}),
    "values": ("zip_code", {"values": ("60601",)}, "compared with '", {}),
    "sure_person": ("age", {"receiver": "applicant"}, "is a person", {"receiver": "thing"}),
    "likely_person": ("age", {"receiver": "candidate"}, "is a person", {"receiver": "thing"}),
    "record": ("age", {"receiver": "row"}, "may hold data about a person", {"receiver": "thing"}),
    "about": ("age", {"function": "rank_applicants"}, "is about a person", {"function": "rank_things"}),
    "about_again": (
        "age",
        {"receiver": "applicant", "function": "rank_applicants"},
        "is about a person",
        {"receiver": "applicant", "function": "rank_things"},
    ),
    "few_fields": ("age", {"siblings": ("salary",)}, "appears with facts", {"siblings": ("width",)}),
    "many_fields": (
        "age",
        {"siblings": ("salary", "education", "years_experience")},
        "appears with facts",
        {"siblings": ("salary", "width")},
    ),
    "data_set": (
        "race",
        {"siblings": ("workclass", "occupation", "capital-gain")},
        "of the data set adult",
        {"siblings": ("workclass", "width")},
    ),
    "domain": ("age", {"function": "campus_list"}, "the code is about", {"function": "list_things"}),
    "telling": ("age", {"siblings": ("mortgage",)}, "the code is about", {"siblings": ("width",)}),
    "verb": (
        "age",
        {"function": "evaluate"},
        "the function is named after an assessment",
        {"function": "walk"},
    ),
    "not_beside": (
        "genre",
        {"siblings": ("director",)},
        "nothing near",
        {"siblings": ("statut_marital",)},
    ),
    "switch": ("disabled", {"receiver": "row"}, "may be a switch", {"receiver": "applicant"}),
    "shared": ("num_children", {"receiver": "self"}, "may be a thing's", {"receiver": "applicant"}),
    "not_of": ("gender", {"receiver": "noun"}, "is no person", {"receiver": "member"}),
}
"""Weight → a name, what stands around it where the reason holds, the reason, and where it does not."""
NAMES = {
    "strong": "ethnicity",
    "likely": "gender",
    "ambiguous": "age",
    "proxy": "zip_code",
    "flag": "is_female",
}
"""Weight of a name alone → a name that has it."""


def weighed(identifier: str, around: Mapping[str, object]) -> tuple[Evidence, ...]:
    mention = VOCABULARY.mentions(identifier)[0]
    return VOCABULARY.weigh(mention, Surroundings(**around))  # type: ignore[arg-type]


@pytest.mark.parametrize("key", FOR)
def test_a_weight_is_met_where_its_reason_holds_alone(key: str) -> None:
    identifier, around, reason, other = FOR[key]
    assert (WEIGHTS[key], True) in {(one.weight, reason in one.reason) for one in weighed(identifier, around)}
    assert (WEIGHTS[key], True) not in {
        (one.weight, reason in one.reason) for one in weighed(identifier, other)
    }


@pytest.mark.parametrize("key", NAMES)
def test_a_name_weighs_what_its_strength_says(key: str) -> None:
    assert VOCABULARY.mentions(NAMES[key])[0].weight == WEIGHTS[key]


def test_every_weight_has_its_row() -> None:
    in_other_tests = {"generic", "weak_generic"}  # of names that are words, in test_mentions.py
    assert {*FOR, *NAMES} | in_other_tests == {*WEIGHTS}


def identifiers_of(world: World) -> str:
    """A name that the world speaks against, and that no group of people has to itself."""
    if world.names:
        return next(
            name for name in map("_".join, map(str.split, sorted(world.names))) if VOCABULARY.mentions(name)
        )
    wanted = world.attributes or {"age"}
    names = (
        "age",
        "race",
        "gender",
        "region",
        "is_healthy",
        "health_status",
        "disability",
        "children",
        "disabled",
        "parents",
        "skin_color",
        "language",
    )
    return next(name for name in names if any(one.attribute in wanted for one in VOCABULARY.mentions(name)))


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_speaks_against_what_is_one_of_its_things(name: str) -> None:
    world = WORLDS[name]
    identifier = identifiers_of(world)
    word = next(
        word
        for word in sorted(world.lexicon.words)
        if not VOCABULARY.mentions(word) and not person_weight(CONTEXT, word) and word not in identifier
    )
    against = [one for one in weighed(identifier, {"receiver": word}) if one.reason.startswith(world.reason)]
    assert against
    assert min(one.weight for one in against) <= world.weight


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("place", ["imports", "function", "siblings", "prose", "path"])
def test_a_world_near_by_says_nothing_of_a_person(name: str, place: str) -> None:
    """Something else speaks for a person there: what merely stands near by does not speak against one."""
    world = WORLDS[name]
    identifier = identifiers_of(world)
    words = [word for word in sorted(world.lexicon.words) if not VOCABULARY.mentions(word)][:6]
    near = (
        "_".join(words)
        if place in {"function", "path"}
        else " ".join(words)
        if place == "prose"
        else tuple(words)
    )
    for person in ({"receiver": "applicant"}, {"siblings": ("mortgage",)}, {"values": ("female",)}):
        if ("values" in person and identifier != "gender") or place in person:
            continue
        around = {**person, place: near}
        assert not any(one.reason.startswith(world.reason) for one in weighed(identifier, around)), person
