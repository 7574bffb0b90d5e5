"""Prompts whose text stands in a file of the project."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fairlint.analyses.prompts.written_entries import entry
from fairlint.checking.runner import check_paths, check_source
from fairlint.project.template_files import LARGEST

ASKS = "You are a recruiter. Decide whether to hire the candidate.\nRace: {race}\nYears: {years}\n"
HEAD = """\
from pathlib import Path
from jinja2 import Environment, FileSystemLoader
from openai import OpenAI

client = OpenAI()
env = Environment(loader=FileSystemLoader("templates"))
PROMPT = Path(__file__).parent / "hire.txt"


def rate(candidate):
"""
WAYS = {
    "a path beside the code": (
        "hire.txt", "    prompt = PROMPT.read_text().format(race=candidate.race, years=candidate.years)\n",
    ),
    "an open file": (
        "prompts/hire.md",
        (
            "    with open('prompts/hire.md') as file:\n        template = file.read()\n"
            "    prompt = template.replace('{race}', candidate.race)\n"
        ),
    ),
    "a template of a library": (
        "templates/hire.jinja",
        "    prompt = env.get_template('hire.jinja').render(race=candidate.race, years=candidate.years)\n",
    ),
    "a folder above": (
        "../prompts/hire.txt", "    prompt = PROMPT.read_text().format(race=candidate.race, years=3)\n",
    ),
}  # fmt: skip
YAML = """\
# settings of the service
model: small  # the cheap one
screening:
  note: "of no importance: really"
  system: |
    You are a recruiter.
    Decide whether to hire the candidate.
  "user": >-
    Race: {race}

    Years: {years}
other: Write a letter.
"""
TOML = '''
[screening]
system = "You are a recruiter. Decide whether to hire the candidate."
user = """
Race: {race}"""
'''
JSON = (
    '{"screening": {"system": "You are a recruiter. Decide whether to hire them.", "user": "Race: {race}"}}'
)
ENTRIES = {
    "YAML": ("hire.yaml", YAML, "yaml.safe_load(open('hire.yaml'))"),
    "TOML": ("hire.toml", TOML, "tomllib.loads(Path('hire.toml').read_text())"),
    "JSON": ("prompts/hire_prompts.json", JSON, "json.load(open('prompts/hire_prompts.json'))"),
}
"""Files of settings, and how they are loaded."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(file: str, text: str, body: str) -> list[tuple[str, str]]:
    """What is told of code in `app/rate.py` that reads a file of this name."""
    place = Path("app", file)
    place.parent.mkdir(parents=True, exist_ok=True)
    Path("app").mkdir(exist_ok=True)
    place.write_text(text)
    asks = "    return client.chat.completions.create(messages=[{'role': 'user', 'content': prompt}])\n"
    Path("app/rate.py").write_text(f"{HEAD}{body}{asks}")
    return [(one.rule, one.use.attribute) for one in check_paths(["app/rate.py"]).findings]


@pytest.mark.parametrize("way", WAYS)
def test_a_prompt_in_a_file_is_read(way: str) -> None:
    file, body = WAYS[way]
    text = ASKS.replace("{", "{{ ").replace("}", " }}") if file.endswith("jinja") else ASKS
    assert told(file, text, body) == [("FL701", "race")]
    assert told(file, text.replace("Decide whether to hire", "Write a letter of thanks to"), body) == []


@pytest.mark.parametrize("kind", ENTRIES)
def test_entries_of_settings_are_texts(kind: str) -> None:
    file, text, loaded = ENTRIES[kind]
    body = f"""\
    held = {loaded}["screening"]
    prompt = held["system"] + held["user"].format(race=candidate.race, years=candidate.years)
"""
    assert told(file, text, body) == [("FL701", "race")]
    assert told(file, text.replace("Decide whether to hire", "Write a letter of thanks to"), body) == []
    assert told(file, text, body.replace('["system"]', '["note"]')) == []


@pytest.mark.parametrize("opened", ["os.environ['HIRE']", "'hire.txt'"])
def test_an_entry_of_no_file_of_settings_is_no_text(opened: str) -> None:
    filled = "PROMPT.read_text().format(race=candidate.race, years=3)"
    body = f"    prompt = json.load(open({opened}))['head'] + {filled}\n"
    assert told("hire.txt", ASKS, body) == [("FL701", "race")]
    assert check_paths(["app"]).not_analysed == ()


def test_a_template_that_is_read_at_the_top_and_filled_further_down_is_one_prompt() -> None:
    body = "    prompt = KEPT.format(race=candidate.race, years=3)\n"
    head = HEAD.replace("\n\n\ndef rate", "\nKEPT = PROMPT.read_text()\n\n\ndef rate")
    Path("app").mkdir()
    Path("app/hire.txt").write_text(ASKS)
    Path("app/rate.py").write_text(
        f"{head}{body}    return client.chat.completions.create(messages=[prompt])\n"
    )
    assert [one.rule for one in check_paths(["app/rate.py"]).findings] == ["FL701"]


def test_what_stands_under_a_key() -> None:
    assert entry(YAML, "a.yaml", ["screening", "note"]) == "of no importance: really"
    assert entry(YAML, "a.yaml", ["screening", "user"]) == "Race: {race}\nYears: {years}"
    assert entry(YAML, "a.yaml", ["model"]) == "small"
    assert entry(YAML, "a.yml", ["other"]) == "Write a letter."
    for keys in (["screening"], ["model", "x"], ["screening", "nothing"], ["system"], []):
        assert entry(YAML, "a.yaml", keys) == ""
    assert entry("system: first\n  second line\nuser: x", "a.yaml", ["system"]) == "first second line"
    assert entry(JSON, "a.json", ["screening", "user"]) == "Race: {race}"
    assert entry("[" * 100_000, "a.json", ["x"]) == entry("x = ", "a.toml", ["x"]) == ""


def test_a_file_that_is_not_there_or_too_large_says_nothing() -> None:
    file, body = WAYS["a path beside the code"]
    assert told("other.txt", ASKS, body) == []
    assert told(file, ASKS + "-" * LARGEST, body) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_only_files_of_the_project_are_read(tmp_path: Path) -> None:
    _, body = WAYS["a path beside the code"]
    outside = tmp_path.parent / f"{tmp_path.name}-outside.txt"
    outside.write_text(ASKS)
    Path("app").mkdir()
    assert told("other.txt", "", body.replace("PROMPT", f"Path('../../{outside.name}')")) == []
    Path(".git").mkdir()
    Path("app/hire.txt").symlink_to(outside)
    assert told("other.txt", "", body) == []


def test_text_alone_reads_no_file() -> None:
    file, body = WAYS["a path beside the code"]
    Path(file).write_text(ASKS)
    assert check_source(HEAD + body).findings == ()
