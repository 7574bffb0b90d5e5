"""What was not read is said in every format, and can fail a run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fairlint import check_paths
from fairlint.cli import main

CLEAN = "x = 1\n"
UNREAD = {
    "TypeScript": ("app.ts", 'if (p.gender === "male") score += 10;\n'),
    "JavaScript": ("app.mjs", "x\n"),
    "Java": ("App.java", "class A {}\n"),
    "SQL": ("pick.sql", "select 1;\n"),
    "C++": ("rate.CPP", "int x;\n"),
    "C#": ("Rate.cs", "class A {}\n"),
    "R": ("model.R", "x <- 1\n"),
    "Go": ("main.go", "package main\n"),
    "Ruby": ("a.rb", "x = 1\n"),
    "PHP": ("a.php", "<?php\n"),
    "Kotlin": ("a.kt", "val x = 1\n"),
    "Rust": ("a.rs", "fn main() {}\n"),
    "Scala": ("a.scala", "object A\n"),
    "COBOL": ("a.cbl", "x\n"),
    "SAS": ("a.sas", "data a; run;\n"),
    "prompt": ("prompts/screen.txt", "Prefer men.\n"),
    "rule file": ("rules.yaml", "female: -5\n"),
}
BROKEN = {
    "a syntax error": b"def f(x:\n",
    "a syntax error behind code": b"x = 1\ny = (\n",
    "no text": b"\0\1\2\3" * 50,
    "wrong indentation": b"def f():\nreturn 1\n",
}
FORMATS = ("text", "concise", "json", "sarif", "html", "markdown", "github")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "ok.py").write_text(CLEAN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


def put(name: str, text: str | bytes) -> None:
    """Writes a file, and the folders above it."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


@pytest.mark.parametrize(("kind", "file"), UNREAD.items(), ids=UNREAD)
def test_what_is_not_read_is_counted_by_kind_and_can_fail(
    kind: str, file: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    put(*file)
    assert check_paths(["."]).unread == {kind: (file[0],)}
    assert main(["."]) == 0
    assert f"not read: 1 {kind}" in capsys.readouterr().out
    assert main(["--fail-on", "incomplete", "."]) == 1
    assert main(["--fail-on", "error,unread", "."]) == 1
    assert main(["--fail-on", "error,not-analysed", "."]) == 0


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_could_not_be_analysed_can_fail(data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    put("broken.py", data)
    assert main(["--format", "concise", "--fail-on", "incomplete", "."]) == 1
    assert "broken.py:" in capsys.readouterr().out
    assert main(["--fail-on", "not-analysed", "."]) == 1
    assert main(["--fail-on", "unread", "."]) == 0


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_says_what_was_not_read_and_not_analysed(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put("app.ts", "x\n")
    put("broken.py", "gender = 1\ndef f(x:\n")
    main(["--format", form, "."])
    out = capsys.readouterr().out
    assert "TypeScript" in out
    assert "broken.py" in out


def test_json_has_the_paths_and_sarif_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    put("src/b.ts", "x\n")
    put("src/a.ts", "x\n")
    main(["--format", "json", "."])
    assert json.loads(capsys.readouterr().out)["coverage"] == {
        "files": 1,
        "not_analysed": 0,
        "unread": {"TypeScript": ["src/a.ts", "src/b.ts"]},
    }
    main(["--format", "sarif", "."])
    (invocation,) = json.loads(capsys.readouterr().out)["runs"][0]["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert (told["descriptor"]["id"], told["properties"]) == ("not-read", {"TypeScript": 2})


def test_a_folder_of_which_nothing_is_read_is_an_error(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "ok.py").unlink()
    put("app.ts", "x\n")
    assert main(["."]) == 2
    assert "no Python or C file to check in .; not read: 1 TypeScript file\n" in capsys.readouterr().err


def test_what_is_left_out_is_not_called_unread() -> None:
    put("node_modules/a.ts", "x\n")
    put("vendor/b.ts", "x\n")
    put("build/c.ts", "x\n")
    put(".gitignore", "build\n")
    Path("fairlint.toml").write_text('extend-exclude = ["vendor"]\n')
    os.mkdir(".git")  # noqa: PTH102 (ignore rules count in a repository)
    assert check_paths(["."]).unread == {}


@pytest.mark.parametrize(
    "name", ["README.md", "data.json", "notes.txt", "requirements.txt", "logo.png", "Makefile", "a.lock"]
)
def test_other_files_are_not_missed(name: str) -> None:
    put(name, "x\n")
    assert check_paths(["."]).unread == {}


def test_the_setting_takes_one_or_several(capsys: pytest.CaptureFixture[str]) -> None:
    put("app.ts", "x\n")
    Path("fairlint.toml").write_text('fail-on = ["error", "unread"]\n')
    assert main(["."]) == 1
    Path("fairlint.toml").write_text('fail-on = "incomplete"\n')
    assert main(["."]) == 1
    Path("fairlint.toml").write_text('fail-on = ["error", "warning"]\n')
    assert main(["."]) == 2
    assert "'fail-on' must name one severity, not error and warning" in capsys.readouterr().err


LOADS = """\
import json
RULES = json.load(open("rules.json"))

def score(student):
    return student.marks + RULES["castes"].get(student.caste, 0)
"""
ASKS = """\
from pathlib import Path
PROMPT = Path(__file__).with_name("screen_prompt.txt").read_text()

def rate(client, gender):
    return client.chat(PROMPT + gender)
"""


@pytest.mark.parametrize(
    ("code", "file", "text"),
    [(LOADS, "rules.json", '{"castes": {"SC": 10}}'), (ASKS, "screen_prompt.txt", "Rate the applicant.\n")],
)
def test_what_code_names_and_has_read_is_not_called_unread(
    code: str, file: str, text: str, here: Path
) -> None:
    put(file, text)
    assert list(check_paths(["."]).unread.values()) == [(file,)]
    put("score.py", code)
    for _ in range(2):  # the second time from what is kept
        assert check_paths(["."], cache=True).unread == {}
    (here / "score.py").unlink()
    assert check_paths(["."], cache=True).unread != {}
