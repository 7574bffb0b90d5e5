"""What people get, and what they are told, in the languages whose names of attributes are known."""

from __future__ import annotations

import pytest

from fairlint import check_source

AMOUNTS = {
    "Portuguese": ("sexo", "desconto"),
    "Spanish": ("genero", "sueldo"),
    "French": ("sexe", "salaire"),
    "German": ("geschlecht", "gehalt"),
    "Italian": ("sesso", "stipendio"),
}
ANSWERS = {
    "Portuguese": ("candidato.sexo", "feminino", "reprovado", "aprovado"),
    "Spanish": ("candidato.genero", "mujer", "rechazado", "aceptado"),
    "French": ("candidat.sexe", "femme", "refusé", "accepté"),
    "German": ("bewerber.geschlecht", "weiblich", "abgelehnt", "angenommen"),
    "Italian": ("candidato.sesso", "donna", "rifiutato", "ammesso"),
}


@pytest.mark.parametrize("language", AMOUNTS)
def test_what_somebody_is_given_is_told(language: str) -> None:
    attribute, amount = AMOUNTS[language]
    code = f"def f({attribute}):\n    {amount} = 0\n    if {attribute} == 'F':\n        {amount} = 20\n"
    [one] = check_source(f"{code}    print({amount})\n", path="f.py").findings
    assert (one.rule, one.use.attribute) == ("FL201", "gender")
    assert "female = 20" in one.message


@pytest.mark.parametrize("language", ANSWERS)
def test_what_somebody_is_told_is_an_outcome(language: str) -> None:
    read, group, no, yes = ANSWERS[language]
    body = f"    if {read} == {group!r}:\n        return {no!r}\n    return {yes!r}\n"
    [one] = check_source(f"def f({read.partition('.')[0]}):\n{body}", path="f.py").findings
    assert (one.rule, one.use.attribute, one.severity) == ("FL101", "gender", "error")
