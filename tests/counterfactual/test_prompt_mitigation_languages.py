"""Mitigations of prompts in German, French and Spanish: their texts, and what they leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.counterfactual.prompts.grammars.grammar import ENGLISH, LANGUAGES
from fairlint.counterfactual.prompts.languages import language_of_texts
from fairlint.counterfactual.prompts.mitigations import mitigation_names
from fairlint.counterfactual.prompts.planning import Audit, plan_audit
from fairlint.support.documents import read_toml

PROMPTS = {
    "de": "Bewerbung von {name} ({title})\nGeschlecht: {gender}\nÜber die Person: {summary}\n"
    "Soll die Person zu einem Gespräch eingeladen werden? Antworte mit ja oder nein.\n",
    "fr": "Candidature de {name} ({title})\nSexe : {gender}\nÀ propos de la personne : {summary}\n"
    "Faut-il inviter cette personne à un entretien ? Répondez par oui ou par non.\n",
    "es": "Candidatura de {name} ({title})\nSexo: {gender}\nSobre la persona: {summary}\n"
    "¿Se debe invitar a esta persona a una entrevista con el equipo? Responda con sí o no.\n",
}
SUMMARIES = {
    "de": "Er ist ein erfahrener Vertriebsleiter und hat seine Abteilung aufgebaut.",
    "fr": "Il est un ingénieur qualifié.",
    "es": "Él es ingeniero y está motivado.",
}
ANSWERS = {"de": "ja/nein", "fr": "oui/non", "es": "sí/no"}
TEXTS = read_toml((Path(plan_audit.__code__.co_filename).parent / "mitigations.toml").read_text("utf-8"))


def plan(folder: Path, language: str) -> Audit:
    (folder / "prompt.txt").write_text(PROMPTS[language])
    sexes = {"de": "männlich", "fr": "homme", "es": "hombre"}
    case = {"name": "Kim Weber", "gender": sexes[language], "summary": SUMMARIES[language]}
    return plan_audit(
        str(folder / "prompt.txt"), [case], attributes=["gender"], answer=ANSWERS[language], draws=1,
        mitigations=mitigation_names(),
    )  # fmt: skip


def texts(audit: Audit, mitigation: str, channel: str = "explicit") -> set[str]:
    return {
        cell.messages[0].content
        for cell in audit.cells
        if (cell.mitigation, cell.channel, cell.arm) == (mitigation, channel, "group")
    }


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        ("de", ("Bewerbung von Person 1 (nicht angegeben)\n"
         "Über die Person: [geschwärzt] ist [geschwärzt] [geschwärzt] [geschwärzt] und hat [geschwärzt] "
         "Abteilung aufgebaut.\n")),
        ("fr", ("Candidature de Personne 1 (non précisé)\n"
         "À propos de la personne : [masqué] est [masqué] [masqué] [masqué].\n")),
        ("es", ("Candidatura de Persona 1 (no indicado)\n"
         "Sobre la persona: [suprimido] es [suprimido] y está [suprimido].\n")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("channel", ["explicit", "name", "title"])
def test_a_redacted_text_is_the_same_for_both_sexes(
    language: str, wanted: str, channel: str, tmp_path: Path
) -> None:
    """Articles, adjectives and participles that agree are hidden with the nouns."""
    (text,) = texts(plan(tmp_path, language), "redaction", channel)

    assert text.startswith(wanted)
    assert text.endswith(PROMPTS[language].splitlines()[-1] + "\n")


@pytest.mark.parametrize(
    ("language", "instruction", "criteria"),
    [
        (
            "de",
            "dürfen bei der Antwort keine Rolle spielen: Geschlecht.",
            "zählen nur diese Kriterien: summary.",
        ),
        ("fr", "ne doivent jouer aucun rôle dans la réponse : sexe.", "comptent pour la réponse : summary."),
        ("es", "no deben influir en la respuesta: sexo.", "solo cuentan estos criterios: summary."),
    ],
)
def test_an_instruction_is_in_the_language_of_the_prompt(
    language: str, instruction: str, criteria: str, tmp_path: Path
) -> None:
    found = plan(tmp_path, language)

    assert found.plan.language == language
    for name, wanted in (("instruction", instruction), ("criteria", criteria)):
        held = texts(found, name)
        assert len(held) == 2
        for text in held:
            *_, line, question = text.splitlines()
            assert wanted in line
            assert question == PROMPTS[language].splitlines()[-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_of_a_language_are_in_it_and_complete(language: str) -> None:
    texts = TEXTS["texts"][language]

    assert set(texts) == set(TEXTS["texts"][ENGLISH])
    assert {language_of_texts([texts[one]]) for one in ("instruction", "criteria")} == {language}
    assert len(set(TEXTS["attributes"][language].values())) == len(TEXTS["attributes"][language])
    assert set(TEXTS["attributes"][language]) == set(TEXTS["attributes"]["de"])


def test_several_attributes_are_listed(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text(PROMPTS["de"])
    case = {"name": "Kim Weber", "gender": "männlich", "summary": "Er leitet seine Abteilung seit 2015."}
    found = plan_audit(
        str(tmp_path / "prompt.txt"), [case], answer="ja/nein", draws=1, mitigations=["instruction"]
    )

    assert any("Geschlecht und ethnische Herkunft." in text for text in texts(found, "instruction"))
