"""Lists of names: enough of each group, as frequent as each other where a source says it, and sources."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path

import pytest

from fairlint import cli
from fairlint.counterfactual.prompts.names import Figures, Matching, countries, matching_lines, shipped_names
from fairlint.counterfactual.prompts.planning import Audit, plan_audit

PROMPTS = {
    "en": "Name: {name}\n{summary}\nShould we invite them? Answer yes or no.\n",
    "de": "Name: {name}\n{summary}\nSollen wir diese Person einladen? Antworte mit ja oder nein.\n",
    "fr": "Nom : {name}\n{summary}\nFaut-il inviter cette personne ? Réponds par oui ou non.\n",
    "es": "Nombre: {name}\n{summary}\n¿Hay que invitar a esta persona? Responde con sí o no.\n",
}
SUMMARIES = {
    "en": "Ten years in sales.",
    "de": "Zehn Jahre im Vertrieb, mit Erfahrung in der Leitung.",
    "fr": "Il travaille dans la vente depuis 2015.",
    "es": "Trabaja desde 2015 en ventas y en la compra de muebles.",
}
ANSWERS = {"en": "yes/no", "de": "ja/nein", "fr": "oui/non", "es": "sí/no"}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def plan(language: str, names: str | None = None, attribute: str = "race") -> Audit:
    Path("prompt.txt").write_text(PROMPTS[language])
    case = {"summary": SUMMARIES[language]}
    return plan_audit(
        "prompt.txt", [case] * 8, names, attributes=[attribute], answer=ANSWERS[language], draws=2
    )


def ratio(figures: tuple[int, ...], matching: Matching) -> float:
    """Return how many times as frequent one of the names can be as another."""
    return 2.0 ** (max(figures) - min(figures) + 1) if matching.is_class else max(figures) / min(figures)


def places(figures: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return list(zip(*figures, strict=True))


@pytest.mark.parametrize("country", countries())
def test_every_group_has_names_enough_and_a_source(country: str) -> None:
    lists = shipped_names(country)

    assert {one.gender for one in lists} == {"female", "male"}
    assert len({(one.gender, one.race) for one in lists}) == len(lists) >= 4
    for one in lists:
        assert len(set(one.first)) == len(one.first) == 8
        assert len(set(one.last)) >= 4
        assert one.sources
        assert all(source.title and source.licence and source.url and source.year for source in one.sources)
        pairs = [one.full_name(place) for place in range(len(one.first) * len(one.last))]
        assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize("country", countries())
def test_no_name_is_of_two_groups(country: str) -> None:
    for one, other in combinations(shipped_names(country), 2):
        assert not set(one.first) & set(other.first)
        assert one.race == other.race or not set(one.last) & set(other.last)


@pytest.mark.parametrize("country", countries())
def test_names_at_one_place_are_as_frequent_as_is_said(country: str) -> None:
    lists = shipped_names(country)
    first, last = lists[0].first_matching, lists[0].last_matching

    assert first.factor is not None
    found = places([one.first_figures.frequency for one in lists])
    assert len(found) == 8
    assert all(ratio(one, first) <= first.factor for one in found)
    born = [one.first_figures.born for one in lists]
    if first.years is None:
        assert not any(born)
    else:
        assert all(max(one) - min(one) <= first.years for one in places(born))
    if last.factor is None:
        assert all(one.last_figures == Figures() for one in lists)
    else:
        assert all(
            ratio(one, last) <= last.factor for one in places([x.last_figures.frequency for x in lists])
        )


@pytest.mark.parametrize(
    ("language", "country", "groups"),
    [
        ("en", "us", {"white", "black", "hispanic", "asian"}),
        ("de", "de", {"deutsch", "türkisch"}),
        ("fr", "fr", {"française", "maghrébine"}),
        ("es", "es", {"español", "magrebí"}),
    ],
)
def test_names_are_of_a_country_of_the_language(language: str, country: str, groups: set[str]) -> None:
    found = plan(language)

    assert found.plan.language == language
    assert {one.country[:2] for one in found.plan.names} == {country}
    assert set(found.plan.groups["race"]) == groups


def test_a_country_is_named_and_its_groups_are_words_of_the_prompt() -> None:
    assert set(plan("fr", "be").plan.groups["race"]) == {"belge", "maghrébine"}
    assert set(plan("en", "be").plan.groups["race"]) == {"belgian", "north african"}
    assert set(plan("en", "GB").plan.groups["race"]) == {"british", "indian"}


def test_people_who_are_compared_have_names_of_one_place() -> None:
    found = plan("de")
    at = {name: place for one in found.plan.names for place, name in enumerate(one.first)}
    compared: dict[tuple[str, int], list[int]] = {}
    for cell in found.cells:
        if cell.arm == "group":
            compared.setdefault((cell.case, cell.draw), []).append(at[cell.name])

    assert len(compared) == 8 * 2
    assert all(len(one) == 2 and len(set(one)) == 1 for one in compared.values())
    assert {cell.name for cell in found.cells} == set(at)


def test_the_same_people_are_shown_each_time() -> None:
    assert [one.messages for one in plan("es").cells] == [one.messages for one in plan("es").cells]


def test_a_report_says_where_names_are_from_and_what_is_not_matched(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("prompt.txt").write_text(PROMPTS["de"])
    Path("cases.csv").write_text(f'summary\n"{SUMMARIES["de"]}"\n')
    options = ["--prompt", "prompt.txt", "--cases", "cases.csv", "--answer", "ja/nein", "--dry-run"]
    assert cli.main(["counterfactual", *options]) == 0
    out = capsys.readouterr().out

    assert "names     de, Germany" in out
    assert "matched in frequency within a factor of 2 (class of frequency at home" in out
    assert "not matched in age" in " ".join(out.split())
    assert "last    not matched in frequency" in out
    assert "nam_dict.txt 1.2, List of first names and gender (2008), GFDL" in out


def test_own_names_are_said_to_be_unknown() -> None:
    Path("own.csv").write_text(
        "gender,race,first,last\nfemale,a,Ann,Lee\nmale,a,Bob,Lee\nfemale,b,Eve,Ray\nmale,b,Max,Ray\n"
    )
    found = plan("en", "own.csv")

    assert matching_lines(found.plan.names) == ["names     your own; how frequent they are is not known"]


def test_lists_say_their_years_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("prompt.txt").write_text(PROMPTS["en"])
    Path("cases.csv").write_text("summary\nTen years.\n")
    place = ["counterfactual", "--prompt", "prompt.txt", "--cases", "cases.csv"]
    assert cli.main([*place, "--export", "csv", "--output", "asked.csv"]) == 0
    rows = Path("asked.csv").read_text().splitlines()
    assert rows
    capsys.readouterr()
    _answer("asked.csv")
    code = cli.main([*place, "--import", "asked.csv", "--format", "json"])
    told = json.loads(capsys.readouterr().out)

    assert code in {0, 1}
    one = told["names"][0]
    assert one["country"] == "us, United States"
    assert one["first_matching"]["factor"] == 2
    assert one["first_matching"]["years"] == 10
    assert len(one["first_matching"]["born"]) == len(one["first"])
    assert {source["year"] for source in one["sources"]} == {2020, 2017}


def _answer(path: str) -> None:
    with Path(path).open(newline="") as file:
        rows = list(csv.DictReader(file))
    with Path(path).open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows([{**row, "answer": "yes"} for row in rows])
