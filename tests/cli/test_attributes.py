"""`fairlint attributes`: the vocabulary, as a person and as a program read it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairlint.cli import main


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_table_names_every_attribute_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attributes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines[1:]]
    assert len(names) == len(set(names))
    assert {"gender", "race", "age", "parents_degree", "zip_code"} <= set(names)
    gender = next(line for line in lines if line.startswith("gender "))
    assert "us, eu, uk" in gender
    assert gender.endswith("male, female")


def test_one_attribute_with_all_that_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attributes", "gender"]) == 0
    output = capsys.readouterr().out
    for part in (
        "law (us)",
        "Title VII",
        "core groups",
        "group female",
        "woman",
        "likely names",
        "false friends",
    ):
        assert part in output
    assert main(["attributes", "age"]) == 0
    assert "young" in capsys.readouterr().out


def test_programs_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attributes", "race", "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["core_groups"] == ["white", "black", "asian", "hispanic"]
    assert "caucasian" in next(group for group in facts["groups"] if group["name"] == "white")["spellings"]
    assert main(["attributes", "--format", "json"]) == 0
    assert facts in json.loads(capsys.readouterr().out)


def test_a_domain_leaves_out_what_it_does_not_protect(capsys: pytest.CaptureFixture[str]) -> None:
    main(["attributes", "--format", "json"])
    everywhere = {facts["name"] for facts in json.loads(capsys.readouterr().out)}
    main(["attributes", "--format", "json", "--domain", "credit"])
    credit = {facts["name"] for facts in json.loads(capsys.readouterr().out)}
    assert "marital_status" in credit
    assert credit < everywhere


def test_a_name_that_nobody_knows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attributes", "gendr"]) == 2
    assert "unknown attribute 'gendr'; did you mean 'gender'" in capsys.readouterr().err
