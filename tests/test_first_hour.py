"""What somebody meets who tries fairlint for the first time: each was wrong once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairlint import check_paths
from fairlint.cli import main

REFUSES = """\
def decide(member):
    if member.divorced:
        return "rejected"
    return "accepted"
"""
OLD = """\
def decide(person):
    if person.age > 50:
        return "rejected"
    return "accepted"
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fairlint.toml").write_text('min-severity = "note"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


def found(**files: str) -> list[tuple[str, str]]:
    """Rules and severities of what is found in files, `_c` and `_h` for their suffixes."""
    for name, text in files.items():
        stem, _, kind = name.rpartition("_")
        Path(f"{stem}.{kind}").write_text(text)
    return [(one.rule, one.severity) for one in check_paths(["."]).findings]


@pytest.mark.parametrize(
    "line",
    [
        "from sqlalchemy.orm import Session",
        "import sqlalchemy",
        "from django.core.cache import cache",
        "from django.views.decorators.cache import cache_control",
        "import networkx",
    ],
)
@pytest.mark.parametrize("code", [REFUSES, OLD])
def test_an_import_alone_hides_nothing(line: str, code: str) -> None:
    assert found(plain_py=code, other_py=f"{line}\n{code}") == [found(plain_py=code)[0]] * 2


def test_amounts_of_designated_places_are_those_of_the_table() -> None:
    Path("rate.c").write_text(
        "typedef enum { UNKNOWN, MALE, FEMALE } Sex;\n"
        "static const double rates[] = { [FEMALE] = 1.25, [UNKNOWN] = 1.0, [MALE] = 1.5 };\n"
        "struct driver { Sex sex; };\n"
        "double premium(struct driver *d, double premium) { premium *= rates[d->sex]; return premium; }\n"
    )
    (finding,) = check_paths(["."]).findings
    assert finding.points is not None
    assert dict(finding.points.canonical) == {"male": 1.5, "female": 1.25}
    assert "gap 0.25" in finding.message
    assert "×0," not in finding.message


def test_who_a_number_is_stands_in_ones_own_header() -> None:
    Path("people.h").write_text("typedef enum { UNKNOWN, MALE, FEMALE } Sex;\nstruct driver { Sex sex; };\n")
    Path("rate.c").write_text(
        '#include "people.h"\nstatic const double rates[] = { 1.0, 1.5, 1.25 };\n'
        "double premium(struct driver *d, double premium) { premium *= rates[d->sex]; return premium; }\n"
    )
    (finding,) = check_paths(["."]).findings
    assert "male ×1.5, female ×1.25" in finding.message


def test_a_cut_off_is_found_whatever_the_score_is_made_of() -> None:
    rules = found(
        score_py="POINTS = {'male': 9, 'female': 4}\n\n\ndef score(person):\n"
        "    total = 500 + POINTS[person.sex]\n"
        "    if person.marital_status == 'single':\n        total -= 20\n"
        "    return total\n\n\ndef decide(person):\n    cut_off = 520 if person.sex == 'male' else 500\n"
        "    return 'approved' if score(person) >= cut_off else 'rejected'\n"
    )
    assert {rule for rule, _ in rules} >= {"FL201", "FL202"}
    assert {rule for rule, _ in rules} & {"FL101", "FL501"}


def test_explain_never_says_that_nothing_happens(capsys: pytest.CaptureFixture[str]) -> None:
    Path("shown.py").write_text(
        "def rate(person, base):\n    base /= LOADING[person.gender]\n    print(base)\n"
    )
    main(["explain", "shown.py:2"])
    told = " ".join(capsys.readouterr().out.split())
    assert "no person's outcome or score changes" not in told
    assert "nothing: " not in told


def test_the_outcome_of_a_long_call_is_not_cut_off() -> None:
    several = " & ".join(f'~Q(religion="christian{number}")' for number in range(6))
    Path("views.py").write_text(
        "from django.db.models import Q\n\n\ndef run(people):\n"
        f'    people.objects.filter(~Q(religion="christian") & {several}).update(status="rejected")\n'
    )
    told = " ".join(one.message for one in check_paths(["."]).findings)
    assert 'update(status="rejected")' in told


def test_the_country_is_hinted_at(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(OLD.replace("person.age > 50", 'person.nationality != "DE"'))
    main(["."])
    assert "--home-country DE" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("attribute", "group", "never"),
    [
        ("gender", "male", "Regulation B"),
        ("nationality", "german", "Regulation B"),
        ("religion", "christian", "citizenship"),
    ],
)
@pytest.mark.parametrize("domain", ["credit", "hiring", "all"])
def test_advice_is_about_the_attribute_and_the_law_in_force(
    attribute: str, group: str, never: str, domain: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text(
        f'def decide(applicant):\n    if applicant.{attribute} == "{group}":\n'
        '        return "yes"\n    return "no"\n'
    )
    assert main(["--jurisdiction", "eu", "--domain", domain, "--format", "json", "."]) == 1
    (finding, *_) = json.loads(capsys.readouterr().out)["findings"]
    assert never not in finding["advice"]


def test_few_lines_are_said_of_many_imports_that_are_not_followed() -> None:
    Path("pkg").mkdir()
    Path("pkg/__init__.py").write_text("")
    for number in range(40):
        Path(f"pkg/m{number}.py").write_text(
            f"def f{number}(x):\n    return x.gender\n" + "# filler\n" * 25_000
        )
    calls = "".join(f"    person = f{n}(person)\n" for n in range(40))
    imports = "".join(f"from pkg.m{n} import f{n}\n" for n in range(40))
    Path("a.py").write_text(imports + OLD.replace(":\n", f":\n{calls}", 1))
    lost = [gap for gap in check_paths(["a.py"]).not_analysed if gap.cause == "limit"]
    assert 1 < len(lost) <= 5
    assert "more imports that are not followed, from here on" in lost[-1].reason


def test_what_is_suppressed_is_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(REFUSES)
    assert main(["--show-suppressed", "."]) == 0
    assert capsys.readouterr().out == "0 suppressed findings in 1 file.\n"


@pytest.mark.parametrize("name", ["node_modules/a.py", "old/a.py"])
def test_standard_input_can_be_excluded(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io
    import sys

    Path("fairlint.toml").write_text('extend-exclude = ["old"]\n')
    for words, code in ((["--force-exclude"], 0), ([], 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(REFUSES.encode())))
        assert main([*words, "-", "--stdin-filename", name]) == code
    assert "FL101" in capsys.readouterr().out
