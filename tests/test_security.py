"""What SECURITY.md promises, and that each test it names is there."""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fairlint.backends.model import ModelOptions

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
REVIEW = (ROOT / "SECURITY-REVIEW.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
TRAP = "open({sprung!r}, 'w').close()\n"
SCORES = (
    "def rate(person):\n    if person.gender == 'f':\n        person.score += 5\n    return person.score\n"
)
AUDIT = """
import os, shutil, sys
home, git, format_ = os.getcwd(), shutil.which("git"), sys.argv[2]
forbidden = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "urllib.", "ftplib.")

def watch(event, arguments):
    wrong = event.startswith(forbidden)
    if event == "compile" or event == "exec":
        wrong = home in str(arguments[1] if event == "compile" else arguments[0].co_filename)
    if event == "open" and isinstance(arguments[0], str) and isinstance(arguments[2], int):
        path = os.path.abspath(arguments[0])
        inside = path.startswith(home + os.sep) and not path.startswith(home + os.sep + ".fairlint_cache")
        # a draft is opened in a folder that is open already; that it went where it should is looked at later
        inside = inside and not arguments[0].endswith(".draft")
        wrong = inside and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    if event == "subprocess.Popen":  # reports name their commit, see test_git.py
        wrong = arguments[0] != git or format_ == "text"
    if wrong:
        os.write(2, f"forbidden: {event} {arguments}".encode())
        os._exit(99)

from fairlint.cli import main
sys.addaudithook(watch)
sys.exit(main(sys.argv[1:]))
"""


def reviewed() -> list[tuple[str, str, str, str]]:
    """The rows of the review: promise, tests, date and means."""
    table = REVIEW.partition("\n| promise |")[2].partition("\n\n")[0]
    rows = [[part.strip() for part in row.strip(" |").split(" | ")] for row in table.splitlines()[2:]]
    return [(promise, held, date, means) for promise, held, date, means in rows]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose every module, configuration and plugin is a trap."""
    here = tmp_path / "repository"
    trap = TRAP.format(sprung=str(tmp_path / "sprung"))
    (here / ".git").mkdir(parents=True)
    for name in (
        "setup",
        "conftest",
        "sitecustomize",
        "trap",
        "tomllib",
        "re2",
        "pluggy",
        "tree_sitter",
        "sqlglot",
    ):
        (here / f"{name}.py").write_text(trap)
    code = (
        f"import trap\nfrom trap import *\n{trap}{SCORES}QUERY = 'SELECT name FROM people WHERE gender = 1'\n"
    )
    (here / "rate.py").write_text(code)
    cells = [{"cell_type": "code", "source": code, "metadata": {}, "outputs": [], "execution_count": 1}]
    (here / "rate.ipynb").write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    )
    (here / "rate.c").write_text(f'#include "{here}/trap.h"\nint main(void) {{ return 0; }}\n')
    (here / "pyproject.toml").write_text('[tool.fairlint]\nmin-severity = "note"\n')
    metadata = here / "evil-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[fairlint]\nevil = trap\n")
    return here


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_nothing_of_a_repository_is_run(repository: Path, form: str) -> None:
    before = {path: path.is_file() and path.read_bytes() for path in repository.rglob("*")}
    command = [sys.executable, "-P", "-c", AUDIT, "--format", form, "--output", "../report", "."]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    after = {path: path.is_file() and path.read_bytes() for path in repository.rglob("*")}
    assert {path: text for path, text in after.items() if ".fairlint_cache" not in path.parts} == before
    assert "FL201" in (repository.parent / "report").read_text()
    assert not (repository.parent / "sprung").exists()


def test_nothing_of_the_current_folder_is_imported(repository: Path) -> None:
    command = [sys.executable, "-m", "fairlint", "--format", "concise", "."]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert "FL201" in done.stdout, done.stderr
    assert done.returncode == 1
    assert not (repository.parent / "sprung").exists()


def test_no_answer_is_run(tmp_path: Path) -> None:
    trap = TRAP.format(sprung=str(tmp_path / "sprung"))
    text = f"Sure!\n```python\n{trap}{SCORES}rate(1)\n```\n"
    line = {"text": text, "job": "nurse", "attribute": "gender"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(line) + "\n")
    command = [sys.executable, "-m", "fairlint", "bench", "--suite", "faircode:function"]
    command += ["--model", "replay:answers.jsonl?scenario=job", "--output", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").exists()
    assert not (tmp_path / "sprung").exists()


def test_a_models_own_code_is_not_loaded_unasked() -> None:
    assert ModelOptions().trust_remote_code is False


def test_a_key_is_not_shown() -> None:
    options = ModelOptions(api_key="sk-secret", base_url="https://me:sk-secret@host/v1?key=sk-secret")
    assert "sk-secret" not in repr(options)


def test_every_test_that_is_named_is_there() -> None:
    assert len(NAMED.findall(PAGE)) > 10
    for path, name in NAMED.findall(PAGE) + NAMED.findall(REVIEW):
        assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8"), (path, name)


def test_every_promise_is_in_the_review_and_nothing_else() -> None:
    """What stands on one page alone is told by its name, so that the other page can be brought up to it."""
    held = {test for row in reviewed() for test in NAMED.findall(row[1])}
    missing = sorted("::".join(filter(None, one)) for one in set(NAMED.findall(PAGE)) - held)
    gone = sorted("::".join(filter(None, one)) for one in held - set(NAMED.findall(PAGE)))
    assert (missing, gone) == ([], []), "not in SECURITY-REVIEW.md, not in SECURITY.md"


def test_every_promise_of_the_review_has_a_test_a_date_and_a_way() -> None:
    assert len(reviewed()) > 10
    for promise, held, date, means in reviewed():
        assert NAMED.search(held), promise
        assert (date == "–") == (means == "–"), promise
        if date != "–":
            assert datetime.date.fromisoformat(date).isoformat() == date, promise
        files = re.findall(r"`([^`]+)`", means)
        assert files or means in {"–", "by hand"}, promise
        assert [name for name in files if not (ROOT / name).is_file()] == [], promise


def test_every_limit_that_is_told_is_so() -> None:
    from fairlint.backends import openai_server, server_answers
    from fairlint.bench.suites import prompts_file
    from fairlint.plugins import manager
    from fairlint.run_folders import jsonl
    from fairlint.sources import ignore_rules, walk
    from fairlint.support import documents, files

    told = (files.LARGEST_SETTINGS, documents.MOST_PARTS, walk.LARGEST_RULES, ignore_rules._MEMORY)
    assert told == (2_000_000, 100, 200_000, 64 << 20)
    assert documents.DEEPEST == 100
    assert (server_answers.LONGEST_ANSWER, openai_server.LISTING) == (1_000_000, 30)
    assert "100 lists and tables in one another" in PAGE
    assert (prompts_file.LARGEST, jsonl.LARGEST, manager.PATIENCE) == (100_000_000, 2_000_000_000, 60)
    for text in (
        "2 MB, and keys of 100 parts",
        "200 KB",
        "64 MB",
        "100 MB",
        "2 GB",
        "60 seconds",
        "1,000,000 characters of text",
        "16 MB and 30 seconds",
    ):
        assert text in PAGE


def test_what_breaks_often_has_an_upper_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    often = (
        "google-re2",
        "pluggy",
        "sqlglot",
        "tree-sitter",
        "openai",
        "transformers",
        "torch",
        "vllm",
        "inspect-ai",
        "lm-eval",
    )
    bounded = [one for one in wanted if one.startswith(often)]
    assert len(bounded) == 12
    assert [one for one in bounded if "<" not in one] == []
