"""The schema of configuration files says what is read, and what `--show-settings` and `--show-files` tell."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fairlint.cli import main
from fairlint.config import Settings, read_config
from fairlint.config.schema import schema
from fairlint.config.table import SETTINGS
from fairlint.rules.loading import load_rules
from fairlint.vocabulary import default_vocabulary
from fairlint.vocabulary.table_keys import KNOWN_KEYS
from fairlint.vocabulary.table_schema import KEYS

ROOT = Path(__file__).parent.parent
RULES = [(rule.code, rule.name) for rule in load_rules()]
VALIDATOR = Draft202012Validator(schema(RULES))
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    (page.name, text)
    for page in (ROOT / "README.md", ROOT / "docs/usage.md", ROOT / "docs/configuration.md")
    for text in BLOCK.findall(page.read_text("utf-8"))
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def own(text: str) -> Any:
    data = tomllib.loads(text)
    return data["tool"]["fairlint"] if "tool" in data else data


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema(RULES))
    assert set(VALIDATOR.schema["properties"]) == set(SETTINGS)
    assert all(one["description"].endswith(".") for one in VALIDATOR.schema["properties"].values())


@pytest.mark.parametrize(("page", "text"), EXAMPLES)
def test_examples_are_valid(page: str, text: str) -> None:
    assert page
    assert [error.message for error in VALIDATOR.iter_errors(own(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        'severity = {FL999 = "note"}',
        'severity = {points-by-grup = "note"}',
        'select = ["FL99"]',
        'extends = [""]',
        'home-country = "Germany"',
        'attributes = {gender = {strng = "x"}}',
        'attributes = {gender = {kind = "private"}}',
        'attributes = {gender = {disabled = "yes"}}',
        'attributes = {"Gender" = {strong = "x"}}',
        "attributes = {age = {bands = {young = [1]}}}",
    ],
)
def test_more_that_is_wrong(text: str) -> None:
    assert not VALIDATOR.is_valid(own(text))


@pytest.mark.parametrize(
    "text",
    [
        'select = ["FL", "FL2", "FL201", "points-by-group", "fl2", "ACME101"]',
        'severity = {FL2 = "note", points-by-group = "error"}',
        'max-file-size = "3 kB"\nfile-memory = 0\nfile-timeout = 0.5\nfile-nesting = 180',
        'extends = ["a.toml", "acme:b.toml"]',
        "per-file-ignores = {}",
        'home-country = "DE"',
        'attributes = {age = {limits = {numbers = [18], among = {words = "x", numbers = [65]}}}}',
        'attributes = {race = {codes = {hmda = "1=black", own = {2 = "asian"}}}}',
    ],
)
def test_more_that_is_right(text: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(own(text))] == []


def test_all_keys_of_attributes_are_in_it() -> None:
    assert set(KEYS) == set(KNOWN_KEYS)


SHIPPED = sorted(
    path
    for folder in ("attributes", "languages")
    for path in (ROOT / "fairlint/vocabulary" / folder).glob("*.toml")
)


@pytest.mark.parametrize("file", SHIPPED, ids=str)
def test_the_shipped_attributes_are_valid(file: Path) -> None:
    """They are written in the form that users write."""
    data = tomllib.loads(file.read_text("utf-8"))
    data = {"attributes": data["attributes"]}  # a language has words for people, too
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []


def test_defaults_are_those_of_settings() -> None:
    for key, one in VALIDATOR.schema["properties"].items():
        if "default" in one:
            assert SETTINGS[key].read(one["default"]) == getattr(Settings(), SETTINGS[key].name)


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--config"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(schema(RULES)))


# ---------------------------------------------------------------------------------------------------- show


def tree(here: Path) -> None:
    (here / "a/gen").mkdir(parents=True)
    (here / "node_modules").mkdir()
    for name in ("x.py", "a/y.py", "a/gen/z.py", "a/big.py", "a/read.md"):
        (here / name).write_text("x = 1\n")
    (here / "a/big.py").write_text("#" * 99)
    (here / ".gitignore").write_text("ignored.py\n")
    (here / "ignored.py").write_text("")
    (here / "base.toml").write_text('ignore = ["FL104"]\nseverity = {FL306 = "note"}\n')
    (here / "fairlint.toml").write_text("max-file-size = 50\n")
    (here / "a/fairlint.toml").write_text(
        'extends = "../base.toml"\nextend-ignore = ["FL9"]\nextend-exclude = ["gen"]\nlawful-ages = [17]\n'
        '[attributes.gender]\nnot = ["gender x"]\n'
    )


def test_settings_are_shown_with_their_origin(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree(here)
    assert main(["--show-settings", "a/y.py", "--select", "FL1", "--fail-on", "note"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "# a/y.py: a/fairlint.toml"
    for line in (
        'select = ["FL1"]  # the command line',
        'ignore = ["FL104", "FL9"]  # base.toml, a/fairlint.toml',
        'severity = { FL306 = "note" }  # base.toml',
        'min-severity = "note"  # all that `fail-on` counts',
        "lawful-ages = [17]  # a/fairlint.toml",
        'attributes = { gender = { not = ["gender x"] } }  # a/fairlint.toml',
        "max-file-size = 50  # fairlint.toml",
        'domain = "all"  # default',
        "# exclude: default: caches, virtual environments and the like",
    ):
        assert line in lines
    shown = tomllib.loads("\n".join(lines))
    assert [error.message for error in VALIDATOR.iter_errors(shown)] == []
    (here / "shown.toml").write_text("\n".join(lines))
    assert read_config(here / "shown.toml").ignore == ("FL104", "FL9")


def test_all_settings_are_shown_for_each_path(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree(here)
    assert main(["--show-settings", "--format", "json", "x.py", "a"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [(one["path"], one["configuration"]) for one in shown["paths"]] == [
        ("a", "a/fairlint.toml"),
        ("x.py", "fairlint.toml"),
    ]
    keys = set(SETTINGS) - {"extends", "extend-select", "extend-ignore"}
    assert all(set(one["settings"]) == keys for one in shown["paths"])
    inner = shown["paths"][0]["settings"]
    assert inner["max-file-size"] == {"value": 50, "origins": ["fairlint.toml"], "scope": "run"}
    assert inner["domain"] == {"value": "all", "origins": [], "scope": "file"}


def test_files_are_shown_with_their_configuration(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree(here)
    assert main(["--show-files", "."]) == 0
    assert capsys.readouterr().out == (
        "a/y.py  a/fairlint.toml\n"
        "x.py    fairlint.toml\n"
        "\n"
        "left out:\n"
        ".git/          code of others, by its name\n"
        "a/big.py       larger than 50 bytes (the setting max-file-size)\n"
        "a/gen/         `extend-exclude` of a/fairlint.toml\n"
        "ignored.py     git ignores it\n"
        "node_modules/  code of others, by its name\n"
        "\n"
        "2 files, 5 left out, 5 of no known language.\n"
    )
    assert main(["--show-files", "--format", "json", "a"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["files"] == [{"path": "a/y.py", "language": "python", "configuration": "a/fairlint.toml"}]
    assert [one["path"] for one in shown["left_out"]] == ["a/big.py", "a/gen/"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--show-settings", "gone.py"], "gone.py: no such file or folder"),
        (["--show-settings", "--format", "sarif"], "know the formats text and json"),
        (["--show-files", "gone.py"], "gone.py: no such file or folder"),
    ],
)
def test_what_cannot_be_shown(
    here: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tree(here)
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('strng = "x"', "attributes.gender.strng: unknown key; did you mean 'strong'?"),
        ('kind = "protectd"', "did you mean 'protected'?"),
        ("disabled = 1", "attributes.gender.disabled: expected true or false"),
    ],
)
def test_a_wrong_key_of_an_attribute_is_told_with_the_nearest(here: Path, text: str, message: str) -> None:
    (here / "fairlint.toml").write_text(f"[attributes.gender]\n{text}\n")
    settings = read_config(here / "fairlint.toml")
    with pytest.raises(ValueError, match=re.escape(message)):
        default_vocabulary().extended(settings.vocabulary_tables())


def test_a_wrong_attribute_is_told_with_the_nearest(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "x.py").write_text("x = 1\n")
    (here / "fairlint.toml").write_text("[attributes.gendr]\nnot = ['gender x']\n")
    assert main(["."]) == 2
    error = capsys.readouterr().err
    assert "attributes.gendr: a new attribute needs names" in error
    assert "did you mean 'gender'?" in error
