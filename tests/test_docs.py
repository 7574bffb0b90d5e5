"""What README and docs say is what fairlint does: their examples run, their tables are complete."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import fairlint
from fairlint.cli import COMMANDS, main
from fairlint.config import READERS, Settings, read_config
from fairlint.detectors import SHIPPED
from fairlint.lexicon import default_vocabulary
from fairlint.rules import load_rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
USAGE = (ROOT / "docs" / "usage.md").read_text("utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "fixtures").rglob("*.md")])
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#]+)")


def blocks(page: str, kind: str) -> list[str]:
    return [found["text"] for found in BLOCK.finditer(page) if found["kind"] == kind]


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading of the README, without its head."""
    section = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_example_gives_the_output_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hiring").mkdir()
    (tmp_path / "hiring" / "score.py").write_text(blocks(README, "python")[0])
    monkeypatch.chdir(tmp_path)
    command, _, shown = blocks(README, "console")[0].partition("\n")
    assert command == "$ fairlint hiring/"
    assert main(["--isolated", "hiring/"]) == 1
    assert capsys.readouterr().out == shown


def test_every_rule_is_in_the_table() -> None:
    told = [row[:3] for row in rows("Rules")]
    assert told == sorted([rule.code, rule.name, rule.severity] for rule in load_rules())


def test_every_setting_is_in_the_table() -> None:
    assert {row[0].strip("`") for row in rows("Configure")} == set(READERS)


def test_the_defaults_in_the_table_are_true() -> None:
    told = {row[0].strip("`").replace("-", "_"): row[1] for row in rows("Configure")}
    for name, default in told.items():
        if default.startswith("`"):
            key = name.replace("_", "-")
            assert READERS[key](tomllib.loads(f"x = {default.strip('`')}")["x"]) == getattr(Settings(), name)
    shown = re.findall(r"(\w+) (?:from )?(\d+)", told["age_bands"])
    bands = default_vocabulary().attribute("age").bands
    assert [(group, int(low)) for group, low in shown] == [(group, band[0]) for group, band in bands.items()]


@pytest.mark.parametrize("text", [*blocks(README, "toml"), *blocks(USAGE, "toml")])
def test_examples_of_configuration_are_accepted(text: str, tmp_path: Path) -> None:
    path = tmp_path / ("pyproject.toml" if "[tool." in text else "fairlint.toml")
    path.write_text(text)
    settings = read_config(path)
    assert default_vocabulary().extended(settings.vocabulary_tables()).attributes


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "score.py").write_text(blocks(README, "python")[0])
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(blocks(README, "python")[1], names)
    report = names["report"]
    assert isinstance(report, fairlint.Report)
    assert report.points("gender") == {"male": 0.0, "female": 0.0}


def test_the_points_of_a_case_with_another_condition_are_as_told() -> None:
    (lines,) = blocks(USAGE, "python")
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    code = f"def rate_candidate(candidate):\n    score = candidate.years\n{body}    return score\n"
    assert fairlint.check_source(code).points("gender") == {"male": 5.0, "female": 0.0}


def test_every_command_is_shown() -> None:
    shown = "\n".join(blocks(README, "console"))
    for command in set(COMMANDS) - {"check"}:
        assert f"$ fairlint {command}" in shown


def test_every_detector_has_its_name_in_the_architecture() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for detector in SHIPPED:
        assert f"`{detector.name.rpartition(' ')[2]}`" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
