"""Texts that prefer or avoid a group are told for every group of every attribute, and for no look-alike."""

from __future__ import annotations

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.vocabulary import default_vocabulary

VOCABULARY = default_vocabulary()
ORDERS = (
    "Prefer {who}.",
    "Do not hire {who}.",
    "Give extra points to {who}.",
)
PROGRAM = """
PROMPT = "{before} {order} Answer briefly."


def {function}(llm, text):
    return llm.invoke(PROMPT + text)
"""
APPLICANTS = "You screen the applicants for a job."
PATIENTS = "You triage the patients of a hospital."
ANYTHING = "You review what is given to you."


def told(order: str, before: str = APPLICANTS, **attributes: object) -> list[tuple[str, str]]:
    """The attributes and groups that FL703 tells of a prompt with an order."""
    settings = Settings(attributes=attributes, min_severity="note")  # type: ignore[arg-type]
    function = "triage_patients" if before == PATIENTS else "screen"
    code = PROGRAM.format(before=before, order=order, function=function)
    report = check_source(code, path="app/screening.py", settings=settings)
    assert not report.not_analysed
    found = [one.use for one in report.findings if one.rule == "FL703"]
    told = [use for _, use in report.uses if "instruction" in use.tags]
    assert bool(found) == bool(told), order
    return [(use.attribute, group) for use in told for group in use.groups]


def ways(attribute: str, group: str) -> list[str]:
    """How a text names a group, first by its adjectives."""
    table = VOCABULARY.data.tables[attribute]
    people = "patients" if before(attribute) == PATIENTS else "candidates"
    adjectives = [f"{adjective} {people}" for adjective in table.adjectives.get(group, ())]
    phrases = [
        phrase.replace("{people}", people).replace("(*)", "English").replace("(", "").replace(")", "")
        for phrase in table.people.get(group, ())
    ]
    return [*adjectives, *phrases]


def before(attribute: str) -> str:
    """What a text is about that no law lets look at an attribute."""
    table = VOCABULARY.data.tables[attribute]
    return PATIENTS if table.needs_domain and "health" in table.domains else APPLICANTS


CORE = [(name, group) for name, entry in VOCABULARY.attributes.items() for group in entry.core_groups]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("attribute", "group"), CORE)
def test_every_core_group_is_told(attribute: str, group: str, order: str) -> None:
    who = ways(attribute, group)[0]
    found = told(order.format(who=who), before(attribute))
    shared = {name for name, entry in VOCABULARY.attributes.items() if group in entry.groups}
    assert found
    assert {(name, one) for name, one in found if name in shared} == set(found), (who, found)
    assert {one for _, one in found} == {group}


@pytest.mark.parametrize(("attribute", "group"), CORE)
def test_every_way_to_name_a_group_is_told(attribute: str, group: str) -> None:
    for who in ways(attribute, group):
        assert group in {one for _, one in told(f"Prefer {who}.", before(attribute))}, who


@pytest.mark.parametrize(
    ("who", "group"),
    [
        ("Sikh candidates", "sikh"),
        ("Sikhs", "sikh"),
        ("Buddhist applicants", "buddhist"),
        ("Filipino applicants", "filipino"),
        ("Vietnamese engineers", "vietnamese"),
        ("Aboriginal people", "native"),
        ("First Nations applicants", "native"),
        ("nonbinary candidates", "nonbinary"),
        ("non-binary people", "nonbinary"),
        ("widowed tenants", "widowed"),
        ("Jain families", "jain"),
        ("Kurdish applicants", "kurd"),
        ("Dalit applicants", "sc"),
        ("people with a disability", "yes"),
        ("candidates without disabilities", "no"),
        ("applicants who are Sikh", "sikh"),
        ("honest, hard-working Sikh people", "sikh"),
        ("Sikh, Jain and Buddhist applicants", "sikh"),
        ("middle-aged men", "middle"),
        ("the elderly", "elder"),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_other_groups_are_told(order: str, who: str, group: str) -> None:
    assert group in {one for _, one in told(order.format(who=who))}


HANDEDNESS = {
    "strong": "handedness, dominant hand",
    "groups": {"left": "left handed, lefty", "right": "right handed"},
}


def test_a_users_own_groups_are_told_by_their_spellings() -> None:
    assert told("Prefer left-handed candidates.", handedness=HANDEDNESS) == [("handedness", "left")]
    assert told("Do not hire lefty applicants.", handedness=HANDEDNESS) == [("handedness", "left")]
    assert told("Prefer left margins for candidates.", handedness=HANDEDNESS) == []
    assert told("Prefer left-handed candidates.") == []


def test_a_users_own_groups_are_told_as_the_table_says() -> None:
    table = {
        **HANDEDNESS,
        "people": {"left": "southpaws, {people} who write with (the) left (hand)"},
        "adjectives": {"left": "left-handed"},
    }
    for who in ("southpaws", "people who write with the left hand", "left-handed people"):
        assert told(f"Prefer {who}.", handedness=table) == [("handedness", "left")], who
    assert told("Prefer lefty candidates.", handedness=table) == []


def test_an_attribute_that_is_switched_off_is_not_told() -> None:
    assert told("Prefer Sikh candidates.", religion={"disabled": True}) == []
    assert told("Reject applicants over 50.", age={"disabled": True}) == []


def test_phrases_for_unknown_groups_are_refused() -> None:
    with pytest.raises(ValueError, match="among its groups"):
        VOCABULARY.extended([{"attributes": {"religion": {"people": {"jedi": "Jedi"}}}}])
    with pytest.raises(ValueError, match="begins a phrase"):
        VOCABULARY.extended([{"attributes": {"religion": {"people": {"sikh": "turbaned {people}"}}}}])


LOOK_ALIKES = """
Prefer short answers.
Prefer white space over tabs.
Prefer white space between candidates' names.
Use a black box model.
Prefer black box testing.
Avoid black box models.
Prefer a single page application.
Prefer a single tenant deployment.
Give extra points to single sign-on.
Prefer native apps.
Avoid native code.
Prefer native drivers over generic ones.
Prefer older drivers.
Avoid older clients.
Reject old clients.
Prefer healthy hosts.
Avoid unhealthy workers.
Prefer younger generations of objects.
Avoid young generation collections.
Skip the disabled button.
Skip disabled users' sessions.
Avoid the disabled items.
Prefer the left margin.
Prefer right-aligned columns.
Avoid left joins.
Prefer left-wing chairs.
Prefer light colors and dark backgrounds.
Prefer dark mode.
Avoid straight quotes.
Prefer straight lines.
Prefer a straight answer.
Avoid general statements.
Prefer general purpose registers.
Prefer open source licenses.
Avoid mixed case names.
Prefer mixed content.
Avoid foreign keys.
Prefer foreign key constraints.
Reject foreign objects.
Prefer domestic shipping.
Avoid male connectors.
Prefer female plugs.
Only female pronouns are allowed.
Prefer the rich text editor.
Prefer rich clients over thin clients.
Reject poor answers.
Avoid poor candidates for inlining.
Prefer high scores.
Avoid low values.
Prefer conservative estimates.
Avoid liberal use of macros.
Prefer moderate temperatures.
Prefer married filing jointly as the status.
Avoid widows and orphans in the layout.
Prefer orphans of the same process.
Avoid divorced data structures.
Prefer union types.
Avoid unions in C.
Prefer veteran tanks.
Avoid pregnant pauses.
Prefer Polish notation.
Prefer Turkish coffee.
Prefer German speakers.
Prefer Arabic numerals.
Avoid Chinese characters.
Prefer Indian ink.
Prefer French toast.
Prefer American English.
Avoid Roman numerals.
Prefer the Han unification.
Prefer Christian names.
Avoid senior moments.
Prefer mature libraries.
Avoid aging caches.
Prefer blind signatures.
Avoid deaf ears.
Avoid autistic metaphors.
Prefer rural settings in the story.
Prefer urban fantasy.
Prefer insured parcels.
Avoid minority reports.
Prefer indigenous plants.
Prefer the first nations cup.
Prefer native speakers' recordings.
Prefer sentences in which he greets a woman.
Ignore gender and religion.
Do not prefer Sikh candidates.
Never favour widowed applicants.
Do you prefer Buddhist candidates?
Hire Sikh and Muslim applicants alike.
Consider Filipino and all other applicants.
Treat people with a disability fairly.
Avoid favouring Sikh over Muslim applicants.
Prefer candidates with experience in Sikh studies.
Prefer people with a master's degree.
Prefer applicants with a driving licence.
Avoid people without manners.
Reject candidates with no references.
""".strip().splitlines()


@pytest.mark.parametrize("order", LOOK_ALIKES)
def test_what_looks_alike_is_silent(order: str) -> None:
    assert told(order, ANYTHING) == []
