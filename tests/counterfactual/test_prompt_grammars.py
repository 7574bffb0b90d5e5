"""German, French and Spanish texts about one person, rewritten for the other sex or left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.counterfactual.prompts.grammars.grammar import LANGUAGES, grammar_of
from fairlint.counterfactual.prompts.languages import language_of_texts, names_sex, rewrite_text, sex_of
from fairlint.counterfactual.prompts.names import shipped_names
from fairlint.counterfactual.prompts.planning import plan_audit

PAIRS: dict[str, list[tuple[str, str | None]]] = {
    "de": [
        ("Er ist seit 2015 Ingenieur.", "Sie ist seit 2015 Ingenieurin."),
        ("Er leitet eine Abteilung und spricht Englisch.", "Sie leitet eine Abteilung und spricht Englisch."),
        ("Herr Müller ist ein erfahrener Vertriebsleiter.",
         "Frau Müller ist eine erfahrene Vertriebsleiterin."),
        ("Seit 2015 leitet er ein Team.", "Seit 2015 leitet sie ein Team."),
        ("Er arbeitet als Softwareentwickler in Berlin.", "Sie arbeitet als Softwareentwicklerin in Berlin."),
        ("Er führt seine Abteilung seit Jahren.", "Sie führt ihre Abteilung seit Jahren."),
        ("Er leitet sein Team.", "Sie leitet ihr Team."),
        ("Er ist zuverlässig und pünktlich.", "Sie ist zuverlässig und pünktlich."),
        ("Er ist zuverlässig, pünktlich und freundlich.", "Sie ist zuverlässig, pünktlich und freundlich."),
        ("Er hat zehn Jahre Erfahrung im Vertrieb.", "Sie hat zehn Jahre Erfahrung im Vertrieb."),
        ("Er war Leiter der Abteilung Einkauf.", "Sie war Leiterin der Abteilung Einkauf."),
        ("Er ist der beste Verkäufer.", "Sie ist die beste Verkäuferin."),
        ("Er ist Mitglied im Vorstand.", "Sie ist Mitglied im Vorstand."),
        ("Er ist Vater von zwei Kindern.", "Sie ist Mutter von zwei Kindern."),
        ("Er ist Witwer.", "Sie ist Witwe."),
        ("Er ist stolz auf seine Arbeit.", "Sie ist stolz auf ihre Arbeit."),
        ("Zuvor war er Leiter der Abteilung.", "Zuvor war sie Leiterin der Abteilung."),
        ("Er ist gerne Lehrer.", "Sie ist gerne Lehrerin."),
        ("Er ist immer Berater.", "Sie ist immer Beraterin."),
        ("Herr Dr. Müller ist Chefarzt und leitet seine Klinik.",
         "Frau Dr. Müller ist Chefärztin und leitet ihre Klinik."),
        ("10 Jahre Erfahrung im Verkauf. Er spricht Deutsch.",
         "10 Jahre Erfahrung im Verkauf. Sie spricht Deutsch."),
        ("Er ist Leiter und spricht Englisch.", "Sie ist Leiterin und spricht Englisch."),
        ("Derzeit arbeitet er als Pfleger.", "Derzeit arbeitet sie als Pflegerin."),
        ("Er ist ein erfahrener Jurist und hat seine Kanzlei aufgebaut.",
         "Sie ist eine erfahrene Juristin und hat ihre Kanzlei aufgebaut."),
        ("Er arbeitet als Berater und in Berlin als Trainer.",
         "Sie arbeitet als Beraterin und in Berlin als Trainerin."),
        ("Er ist bei Bauer Leiter.", "Sie ist bei Bauer Leiterin."),
        ("Er war bis Oktober Trainer.", "Sie war bis Oktober Trainerin."),
        ("Er ist Rechtsanwalt.", "Sie ist Rechtsanwältin."),
        ("Er wurde Koch.", "Sie wurde Köchin."),
        ("Er ist kein Kaufmann.", "Sie ist keine Kauffrau."),
        ("Er ist ein sehr guter Lehrer.", None),
        ("Er studierte in Köln. Er ist Architekt.", "Sie studierte in Köln. Sie ist Architektin."),
        ("Herr Weber verkauft Autos.", "Frau Weber verkauft Autos."),
        ("Er arbeitet und lebt in Wien.", "Sie arbeitet und lebt in Wien."),
        ("Die Abteilung wuchs um zehn Prozent.", "Die Abteilung wuchs um zehn Prozent."),
        ("Zehn Jahre Erfahrung im Vertrieb.", "Zehn Jahre Erfahrung im Vertrieb."),
    ],
    "fr": [
        ("Il est ingénieur à Lyon.", "Elle est ingénieure à Lyon."),
        ("Il est motivé et sérieux.", "Elle est motivée et sérieuse."),
        ("M. Martin dirige une équipe.", "Mme Martin dirige une équipe."),
        ("Monsieur Petit a été embauché en 2019.", "Madame Petit a été embauchée en 2019."),
        ("Il a travaillé comme vendeur chez Renault.", "Elle a travaillé comme vendeuse chez Renault."),
        ("Il est un ingénieur qualifié.", "Elle est une ingénieure qualifiée."),
        ("Il est très organisé, ponctuel et parle anglais.",
         "Elle est très organisée, ponctuelle et parle anglais."),
        ("Depuis 2015 il est responsable des ventes.", "Depuis 2015 elle est responsable des ventes."),
        ("Il est né à Paris.", "Elle est née à Paris."),
        ("Il a été promu.", "Elle a été promue."),
        ("Il est une personne motivée.", "Elle est une personne motivée."),
        ("Il s'est spécialisé en droit.", "Elle s'est spécialisée en droit."),
        ("Il s’est spécialisé en droit.", "Elle s’est spécialisée en droit."),
        ("Il est le directeur commercial de Renault.", "Elle est la directrice commerciale de Renault."),
        ("Il est le directeur général.", "Elle est la directrice générale."),
        ("M. Durand est ingénieur et dirige une équipe.", "Mme Durand est ingénieure et dirige une équipe."),
        ("Il est motivé, sérieux et il parle anglais.", "Elle est motivée, sérieuse et elle parle anglais."),
        ("Il travaille avec une ingénieure.", "Elle travaille avec une ingénieure."),
        ("Il a dix ans d'expérience.", "Elle a dix ans d'expérience."),
        ("Il est ingénieur et parle anglais.", "Elle est ingénieure et parle anglais."),
        ("Il est motivé et travaille à Lyon et Paris.", "Elle est motivée et travaille à Lyon et Paris."),
        ("Il parle anglais et allemand.", "Elle parle anglais et allemand."),
        ("Il est marié et père de deux enfants.", "Elle est mariée et mère de deux enfants."),
        ("Il est titulaire d'un master.", "Elle est titulaire d'un master."),
        ("Il est comptable.", "Elle est comptable."),
        ("Il est infirmier depuis 2010.", "Elle est infirmière depuis 2010."),
        ("Il est devenu avocat.", "Elle est devenue avocate."),
        ("Il a été chargé du recrutement.", "Elle a été chargée du recrutement."),
        ("Il semble très compétent.", "Elle semble très compétente."),
        ("10 ans d'expérience. Il est étudiant.", "10 ans d'expérience. Elle est étudiante."),
        ("Actuellement il cherche un poste.", "Actuellement elle cherche un poste."),
        ("IL EST AVOCAT.", "ELLE EST AVOCATE."),
    ],
    "es": [
        ("Es ingeniero y trabaja en Madrid.", "Es ingeniera y trabaja en Madrid."),
        ("Él está casado y tiene dos hijos.", "Ella está casada y tiene dos hijos."),
        ("El señor García es un vendedor experimentado.", "La señora García es una vendedora experimentada."),
        ("El Sr. Ruiz es abogado.", "La Sra. Ruiz es abogada."),
        ("Sr. Ruiz es abogado.", "Sra. Ruiz es abogada."),
        ("Trabaja como abogado en Sevilla.", "Trabaja como abogada en Sevilla."),
        ("Es responsable y muy trabajador.", "Es responsable y muy trabajadora."),
        ("Ha sido ascendido en 2019.", "Ha sido ascendida en 2019."),
        ("Desde 2015 dirige un equipo.", "Desde 2015 dirige un equipo."),
        ("Tiene diez años de experiencia en ventas.", "Tiene diez años de experiencia en ventas."),
        ("Es una persona motivada.", "Es una persona motivada."),
        ("Él es médico y vive en Lima.", "Ella es médica y vive en Lima."),
        ("Es el mejor vendedor.", "Es la mejor vendedora."),
        ("Es un profesional motivado, serio y responsable.",
         "Es una profesional motivada, seria y responsable."),
        ("Es abogado y padre de dos hijos.", "Es abogada y madre de dos hijos."),
        ("Habla inglés y alemán.", "Habla inglés y alemán."),
        ("Es ingeniero, serio y trabaja en Lima.", "Es ingeniera, seria y trabaja en Lima."),
        ("Está muy motivado.", "Está muy motivada."),
        ("Fue director de ventas.", "Fue directora de ventas."),
        ("Don Luis es profesor.", "Doña Luis es profesora."),
        ("Es viudo.", "Es viuda."),
        ("Es licenciado en Derecho.", "Es licenciada en Derecho."),
        ("Ha trabajado como técnico informático.", "Ha trabajado como técnica informática."),
        ("Actualmente es consejero.", "Actualmente es consejera."),
        ("Sigue soltero.", None),
        ("Es miembro del comité.", "Es miembro del comité."),
        ("Es economista y diseñador.", "Es economista y diseñadora."),
        ("Fue contratado en 2012 y dirige un equipo.", "Fue contratada en 2012 y dirige un equipo."),
        ("10 años de experiencia. Es cocinero.", "10 años de experiencia. Es cocinera."),
        ("Él no está divorciado.", "Ella no está divorciada."),
        ("Es muy organizado y habla inglés.", "Es muy organizada y habla inglés."),
        ("Él tiene un equipo comprometido.", None),
    ],
}  # fmt: skip
UNSURE = {
    "de": [
        "Er ist Friseur.", "Sein Chef lobt ihn.", "Er ist ein Ingenieur, der gern reist.",
        "Er ist einer der Leiter.",
        "Der Umsatz stieg. Er ist hoch.", "Er leitete den Standort. Er ist groß.",
        "Er ist besser als sein Chef.",
        "Sie arbeiten im Vertrieb.", "Er leitet das Team und seine Projekte.", "Er ist Angestellter.",
        "Er ist ein bisher erfolgreicher Leiter.", "Sie sagt, dass sie müde ist.", "Die Chefin lobt ihn.",
        "Er ist Student der Medizin und Tutor.", "Er ist Ingenieur, Tutor.", "Er gibt ihr Rat.",
        "Er kennt sie.",
        "Er und seine Frau leiten ein Hotel.", "Er will Leiter sein.", "Er ist Leiterin.",
        "Er lobt Frau Schmidt.",
        "Er ist ein guter Lehrer und ein guter Vater.", "Wir suchen Ihre Unterlagen.",
        "Sie leitet Ihre Abteilung.",
        "Er ist bei Bauer Leiter und Koch.", "Sie ist 30 Jahre alt und Ingenieurin.", "Peter ist Ingenieur.",
        "Sie ist Ingenieurin und ihre Schwester ist Lehrerin.", "Er hat einen Sohn.", "Er ist Herr der Lage.",
        "She is a very good engineer and works in the team of a large company.",
        "Die Bewerberin hat ein Studium.", "Der Kandidat hat ein Studium.", "Eine Kollegin lobte die Arbeit.",
        "Schreinermeisterin mit eigenem Betrieb.", "Sekretärin bei Siemens.", "Der Rentner wohnt in Ulm.",
        "Seit 2010 Friseur bei Siemens.", "Verheiratet, zwei Kinder.",
    ],
    "fr": [
        "Son chef le félicite.", "Il est sympathique.", "Il y a dix ans.", "Il s'agit d'un poste.",
        "Il vit seul.",
        "Diplômé de Lyon, il parle anglais.", "Son équipe l'a recruté.",
        "Le projet est grand. Il est motivé.",
        "Il dirige le service. Il est motivé.", "Il est important de vérifier.",
        "Il est ingénieur à Lyon et tuteur.",
        "Il dirige l'équipe et son chef le félicite.", "Il n'y a pas de poste.", "Elle est celle qui dirige.",
        "Elle est ingénieure et sa sœur est motivée.", "Elle est l'assistante de M. Dupont.",
        "Motivée et sérieuse.", "Il est arrivé premier.", "On le dit motivé.", "Il a une équipe motivée.",
    ],
    "es": [
        "Es simpático.", "Su jefe lo valora.", "Vive solo en Madrid.", "La ingeniera lo ayudó.",
        "Quiere contratarla.",
        "Dirige un equipo. Es activo.", "Licenciado en Derecho.", "Es médico en Lima y tutor.",
        "El profesor lo valora.",
        "El candidato tiene un máster.", "Jefe de ventas en Lima.",
        "Es alto.", "Ella dice que él es médico.", "El equipo es grande.", "Trabaja para él y es activo.",
        "Es médica y María es abogada.", "Ella es médica y su hermana es abogada.",
        "Es un chico motivado.", "Fue el primero.", "La médica está contenta.",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "man", "woman"), [(name, *pair) for name, pairs in PAIRS.items() for pair in pairs]
)
def test_what_agrees_with_the_person_is_rewritten_both_ways(
    language: str, man: str, woman: str | None
) -> None:
    assert rewrite_text(man, "female", language) == woman
    if woman is not None:
        assert rewrite_text(woman, "male", language) == man
        assert rewrite_text(man, "male", language) == man
        assert rewrite_text(woman, "female", language) == woman


@pytest.mark.parametrize(
    ("language", "text"), [(name, text) for name, texts in UNSURE.items() for text in texts]
)
def test_what_is_not_sure_has_no_rewrite(language: str, text: str) -> None:
    assert rewrite_text(text, "female", language) is None
    assert rewrite_text(text, "male", language) is None


@pytest.mark.parametrize(
    ("man", "woman"),
    [
        ("A fireman with ten years.", "A firewoman with ten years."),
        ("Former chairman of the board.", "Former chairwoman of the board."),
        ("He lives with his sister.", "She lives with her sister."),
        ("Husband and father of two.", "Wife and mother of two."),
    ],
)
def test_english_words_follow_the_person(man: str, woman: str) -> None:
    assert [rewrite_text(one, "female", "en") for one in (man, woman)] == [woman, woman]
    assert [rewrite_text(one, "male", "en") for one in (man, woman)] == [man, man]


@pytest.mark.parametrize(
    "text",
    ["Actress and singer.", "Stewardess for KLM.", "Maternity leave in 2019.", "Her husband works here."],
)
def test_english_words_without_a_sure_counterpart_have_no_rewrite(text: str) -> None:
    assert [rewrite_text(text, sex, "en") for sex in ("female", "male", "nonbinary")] == [None, None, None]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_third_group_has_only_texts_that_say_no_sex(language: str) -> None:
    for text, _ in PAIRS[language]:
        expected = None if names_sex(text, language) else text
        assert rewrite_text(text, "nonbinary", language) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_the_data_is_of_both_sexes(language: str) -> None:
    for table in grammar_of(language).tables.values():
        both = {man for man, woman in table.items() if man != woman} & set(table.values())
        assert both == set()
        assert len(set(table.values())) == len(table)


def test_the_language_is_that_of_the_commonest_words() -> None:
    assert (
        language_of_texts(["Bewerbung von {name}. Soll die Person für das Gespräch eingeladen werden?"])
        == "de"
    )
    assert (
        language_of_texts(["Est-ce que la candidate est retenue pour un entretien avec le service ?"]) == "fr"
    )
    assert language_of_texts(["¿Se invita a la persona para una entrevista en el equipo de ventas?"]) == "es"
    assert language_of_texts(["Should the applicant be invited to an interview for the job?"]) == "en"
    assert language_of_texts(["C++, Python"]) == "en"
    assert [sex_of(one) for one in ("weiblich", "mujer", "homme", "nonbinary")] == [
        "female", "female", "male", "nonbinary",
    ]  # fmt: skip


def test_an_audit_speaks_the_language_of_its_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompt.txt").write_text(
        "Bewerbung von {title} {last_name}, Geschlecht: {gender}.\n{summary}\n"
        "Soll die Person zu einem Gespräch eingeladen werden? Antworte mit ja oder nein.\n"
    )
    cases = [
        {"last_name": "Weber", "gender": "männlich", "summary": text}
        for text in ("Er ist Ingenieur.", "Er ist Friseur.", "Er spricht Englisch und leitet ein Team.")
    ]
    found = plan_audit(
        "prompt.txt", cases, shipped_names("us"), attributes=["gender"], answer="ja/nein", draws=1,
    )  # fmt: skip
    texts = {
        dict(cell.groups)["gender"]: cell.messages[0].content.splitlines()
        for cell in found.cells
        if (cell.case, cell.channel, cell.arm) == ("1", "explicit", "group")
    }

    assert found.plan.language == "de"
    assert texts["weiblich"][:2] == ["Bewerbung von Frau W., Geschlecht: weiblich.", "Sie ist Ingenieurin."]
    assert texts["männlich"][:2] == ["Bewerbung von Herr W., Geschlecht: männlich.", "Er ist Ingenieur."]
    named = [cell.messages[0].content for cell in found.cells if cell.channel == "name"]
    assert named
    assert all("Geschlecht: nicht angegeben" in text for text in named)
    assert {(one.case, one.channel) for one in found.left_out} == {
        ("2", "explicit"), ("2", "name"), ("2", "title"),
    }  # fmt: skip
    assert not any("Thank" in cell.messages[0].content for cell in found.cells)
