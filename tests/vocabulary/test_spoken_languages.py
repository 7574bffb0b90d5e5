"""What other languages call attributes, groups and people, one record each; and what only looks like it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import fairlint.vocabulary
from fairlint import check_source
from fairlint.config import Settings
from fairlint.vocabulary import Surroundings, default_vocabulary, languages

FOLDER = Path(fairlint.vocabulary.__file__).parent / "languages"
GAIN = "    if {}:\n        score += 5\n    return score\n"
NOTES = Settings(min_severity="note")
VOCABULARY = default_vocabulary()


@pytest.mark.parametrize(
    ("person", "read", "value", "attribute"),
    [
        ("candidat", "candidat['sexe']", "homme", "gender"),
        ("salarie", "salarie.situation_familiale", "mariée", "marital_status"),
        ("locataire", "locataire.nationalite", "etranger", "national_origin"),
        ("bewerber", "bewerber['geschlecht']", "maennlich", "gender"),
        ("mieterin", "mieterin.staatsangehoerigkeit", "deutsch", "national_origin"),
        ("mitarbeiter", "mitarbeiter.konfession", "katholisch", "religion"),
        ("solicitante", "solicitante['estado_civil']", "soltera", "marital_status"),
        ("empleado", "empleado.genero", "mujer", "gender"),
        ("funcionario", "funcionario.raca", "parda", "race"),
        ("candidata", "candidata['estado_civil']", "viúva", "marital_status"),
        ("richiedente", "richiedente.sesso", "femmina", "gender"),
        ("lavoratore", "lavoratore['stato_civile']", "nubile", "marital_status"),
        ("chhatra", "chhatra['jati']", "anusuchit jati", "caste"),
        ("vidyarthi", "vidyarthi.ling", "mahila", "gender"),
        ("karmchari", "karmchari['dharm']", "musalman", "religion"),
    ],
)
def test_attributes_are_known_by_what_other_languages_call_them(
    person: str, read: str, value: str, attribute: str
) -> None:
    found = check_source(
        f"def note_de({person}):\n    score = 0\n" + GAIN.format(f"{read} == {value!r}"), settings=NOTES
    ).findings
    assert [(one.rule, one.use.attribute) for one in found] == [("FL201", attribute)]
    group = VOCABULARY.group_of(attribute, value)
    assert group is not None
    assert f"{group} +5" in found[0].message


FALSE_FRIENDS = {
    "fr": ["film['genre'] == 'drame'", "livre.genre == 'roman'", "morceau['genre_musical'] == 'jazz'"],
    "de": [
        "alter_table == 'people'",
        "stand.alter == 5",
        "produkt['herkunftsland'] == 'china'",
        "hund.rasse == 'mops'",
    ],
    "es": [
        "cancion['genero_musical'] == 'pop'",
        "perro.raza == 'galgo'",
        "nodo.hijos == 3",
        "edad_media == 4",
    ],
    "pt": [
        "carro['cor'] == 'preto'",
        "musica.genero == 'samba'",
        "solo['deficiencia'] == 'ferro'",
        "idade_media == 3",
    ],
    "it": [
        "params['eta'] == 3",
        "brano['genere'] == 'pop'",
        "cane.razza == 'bassotto'",
        "numero.coniugato == 3",
    ],
    "hi": ["ling == 'feature'", "umar == 'x'", "nagar.varg == 3", "dharma == 'x'"],
}


@pytest.mark.parametrize("test", [one for several in FALSE_FRIENDS.values() for one in several])
def test_what_only_looks_like_an_attribute_is_silent(test: str) -> None:
    (holder,) = re.findall(r"^\w+", test)
    code = f"def rank({holder}):\n    score = 0\n" + GAIN.format(test)
    assert check_source(code, settings=NOTES).findings == ()


def test_every_language_has_its_false_friends_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(FALSE_FRIENDS)


def test_genre_is_gender_beside_facts_about_a_person_alone() -> None:
    code = (
        "def rate(row):\n    score = 0\n    if row['genre'] == 'F':\n        score += 5\n{}    return score\n"
    )
    assert check_source(code.format(""), settings=NOTES).findings == ()
    beside = code.format("    if row['statut_marital'] == 'veuf':\n        score += 2\n")
    assert [one.use.attribute for one in check_source(beside, settings=NOTES).findings] == [
        "gender",
        "marital_status",
    ]
    films = code.format("    if row['genres'] == 'F' and row['director']:\n        score += 2\n")
    assert check_source(films, settings=NOTES).findings == ()


def test_a_word_is_known_without_its_accents_unless_that_is_another_word() -> None:
    raw = tomllib.loads(
        "title = 'x'\nonly_accented = 'età'\n[persons]\nsure = 'schüler'\n"
        "[attributes.age]\nlikely = 'età, größe'\n"
    )
    language = languages.read(raw, "x.toml")
    assert language.tables == {"attributes": {"age": {"likely": ["età", "größe", "groesse", "grosse"]}}}
    assert language.persons == {"sure": ("schüler", "schueler", "schuler")}
    with pytest.raises(ValueError, match="'person'"):
        languages.read({**raw, "person": {}}, "x.toml")


def test_users_say_what_has_to_stand_beside_a_name() -> None:
    own = VOCABULARY.extended(
        [{"attributes": {"gender": {"ambiguous": "art", "beside": {"art": "pass number"}}}}]
    )
    (mention,) = own.mentions("art")
    alone = own.weigh(mention, Surroundings(siblings=("title",)))
    beside = own.weigh(mention, Surroundings(siblings=("pass_number",)))
    assert sum(one.weight for one in alone) < 0 < sum(one.weight for one in beside)
