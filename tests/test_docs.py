"""What README and docs say is what fairlint does: their examples run, their tables are complete."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import fairlint
from fairlint.cli import COMMANDS, main
from fairlint.config import Settings, read_config
from fairlint.config.settings import RUN_WIDE
from fairlint.config.table import SETTINGS
from fairlint.detectors import SHIPPED
from fairlint.rules.loading import load_rules
from fairlint.support.records import field_names
from fairlint.vocabulary import default_vocabulary

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text("utf-8")
USAGE = (ROOT / "docs" / "usage.md").read_text("utf-8")
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs/appendix").glob("*.md"),
        *(ROOT / "docs/editors").glob("*.md"),
        *(ROOT / "fixtures").rglob("*.md"),
    ]
)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#]+)")


def blocks(page: str, kind: str) -> list[str]:
    return [found["text"] for found in BLOCK.finditer(page) if found["kind"] == kind]


def test_every_rule_is_in_the_table() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\(\.\./rules/([\w-]+)\.md\) \| ([\w-]+) \| (\w+) \|", page, re.MULTILINE)
    assert rows == sorted(
        (rule.code, f"{rule.code}-{rule.name}", rule.name, rule.severity) for rule in load_rules()
    )


@pytest.mark.skipif(find_spec("rich") is None, reason="rich draws the picture")
def test_the_picture_is_what_is_said_today() -> None:
    done = subprocess.run([sys.executable, ROOT / "benchmarks" / "picture.py", "--check"], check=False)
    assert done.returncode == 0, "python benchmarks/picture.py draws it anew"


def settings_table() -> str:
    """The table of all settings, as the page on configuration has it."""
    lines = ["| key | default | is |", "|---|---|---|"]
    for one in SETTINGS.values():
        default = f"`{one.default}`" if _is_toml(one.default) else one.default
        lines.append(f"| `{one.key}` | {default} | {'*run*: ' if one.is_run_wide else ''}{one.about} |")
    return "\n".join(lines)


def _is_toml(text: str) -> bool:
    try:
        return bool(tomllib.loads(f"x = {text}"))
    except tomllib.TOMLDecodeError:
        return False


def test_every_setting_is_in_the_table() -> None:
    assert CONFIGURATION.partition("has the table that belongs here -->\n")[2].startswith(
        f"{settings_table()}\n<!-- settings: end -->"
    ), settings_table()


def test_the_defaults_in_the_table_are_true() -> None:
    for one in SETTINGS.values():
        if _is_toml(one.default):
            assert one.read(tomllib.loads(f"x = {one.default}")["x"]) == getattr(Settings(), one.name)
    shown = re.findall(r"(\w+) (?:from )?(\d+)", SETTINGS["age-bands"].default)
    bands = default_vocabulary().attribute("age").bands
    assert [(group, int(low)) for group, low in shown] == [(group, band[0]) for group, band in bands.items()]


def test_every_field_has_its_key() -> None:
    """What is no key is an option alone, or says where the rest comes from."""
    keys = {one.name for one in SETTINGS.values()} - {"extends", "extend_select", "extend_ignore"}
    assert set(field_names(Settings)) - keys == {
        *("ended_ignores", "suppressions", "untrusted", "root", "source", "origins"),
    }
    assert keys <= set(field_names(Settings))
    assert set(RUN_WIDE) <= keys


@pytest.mark.parametrize(
    "text", [*blocks(README, "toml"), *blocks(USAGE, "toml"), *blocks(CONFIGURATION, "toml")]
)
def test_examples_of_configuration_are_accepted(text: str, tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text("")  # to be extended
    path = tmp_path / "inner" / ("pyproject.toml" if "[tool." in text else "fairlint.toml")
    path.parent.mkdir()
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
    (lines,) = (block for block in blocks(USAGE, "python") if "gender" in block)
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    code = f"def rate_candidate(candidate):\n    score = candidate.years\n{body}    return score\n"
    assert fairlint.check_source(code).points("gender") == {"male": 5.0, "female": 0.0}


def test_the_comment_that_puts_a_finding_aside_does_so() -> None:
    (lines,) = (block for block in blocks(USAGE, "python") if "fairlint:" in block)
    code = f"def rent(applicant):\n{textwrap.indent(lines, '    ')}    return 'a car'\n"
    report = fairlint.check_source(code)
    assert not report.findings
    assert [one.reason for one in report.suppressed] == ["the fleet insurer covers drivers from 23 on"]


def test_the_tests_that_the_comparison_names_are_there() -> None:
    page = (ROOT / "docs" / "comparison.md").read_text("utf-8")
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    tests = {
        name for file in files for name in re.findall(r"def (test_\w+)", (ROOT / file).read_text("utf-8"))
    }
    assert set(re.findall(r"`(tests/[\w/]+\.py)`", page)) <= files
    assert set(re.findall(r"`(test_\w+)`", page)) <= tests
    linters = page.partition("## Linters")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in linters.splitlines() if line.startswith("|")][2:]
    assert [row[1] for row in rows if "`test" not in row[-2]] == []


def test_every_command_is_in_the_table_with_what_it_needs() -> None:
    section = USAGE.partition("## Commands\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `fairlint ")]
    for command in set(COMMANDS) - {"check"}:
        assert any(row[0].startswith(f"| `fairlint {command}") for row in rows), command
    needed = {extra for row in rows for extra in re.findall(r"`([\w-]+)`", row[2])}
    assert needed <= set(EXTRAS)


def test_the_page_on_installing_has_every_extra() -> None:
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == sorted(EXTRAS)


def test_the_readme_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hiring").mkdir()
    (tmp_path / "hiring" / "score.py").write_text(blocks(README, "python")[0])
    monkeypatch.chdir(tmp_path)
    (shown,) = (block for block in blocks(README, "console") if "Found " in block)
    command, _, output = shown.partition("\n")
    assert main(command.removeprefix("$ fairlint ").split()) == 1
    assert capsys.readouterr().out == output


def test_every_detector_has_its_name_in_the_architecture() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for detector in SHIPPED:
        assert f"`{detector.name.rpartition(' ')[2]}`" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
