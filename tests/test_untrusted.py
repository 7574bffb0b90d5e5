"""`--untrusted`: nothing in a checkout has a say in what is told of it, and what would have is named."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import CLEAN, git

from fairlint import Settings, check_paths
from fairlint.cli import main
from fairlint.config import Configurations, load_settings

UNFAIR = """\
def score_candidate(candidate):
    score = 3 * candidate.years_experience
    if candidate.gender == "male":
        score += 5
    return score
"""
UNFAIR_C = """\
#include <string.h>

struct candidate { int years; char *gender; };

int score_candidate(struct candidate *candidate) {
    int score = 3 * candidate->years;
    if (strcmp(candidate->gender, "male") == 0) score += 5;
    return score;
}
"""
AUDIT = f'''\
"""Audit of the fairness of a model: measures the bias and the demographic parity."""


{UNFAIR}'''.replace(
    ":\n", ':\n    """Audits a biased score: measures disparate impact, a fairness audit."""\n', 1
)
FILE = "src/score.py"
Way = Callable[[Path], None]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one error in it, which is the current folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("FAIRLINT_CACHE_DIR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "checkout"
    written(folder, FILE, UNFAIR)
    written(folder, "other.py", CLEAN)
    git("init", "-q", folder=folder)
    monkeypatch.chdir(folder)
    return folder


def written(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def committed(folder: Path) -> None:
    git("add", "--force", "--all", ".", folder=folder)
    git("commit", "-qm", "all", folder=folder)


def ran(*options: str, path: str = ".") -> tuple[int, dict[str, Any]]:
    """The exit code and the report of a run in the current folder."""
    report = Path("..") / "report.json"
    report.unlink(missing_ok=True)
    code = main(["--format", "json", "--output", str(report), "--quiet", *options, path])
    return code, json.loads(report.read_text()) if report.exists() else {}


def errors(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        one
        for one in report.get("findings", ())
        if one["rule"] == "FL201" and one["severity"] == "error" and one["attribute"] == "gender"
    ]


# ------------------------------------------------------------------------------------------- ways to hush it


def says(text: str, name: str = "fairlint.toml") -> Way:
    return lambda folder: written(folder, name, text)


def changed(change: Callable[[str], str]) -> Way:
    return lambda folder: written(folder, FILE, change(UNFAIR))


def moved(name: str, text: str = UNFAIR) -> Way:
    def way(folder: Path) -> None:
        (folder / FILE).unlink()
        written(folder, name, text)

    return way


def both(*ways: Way) -> Way:
    def way(folder: Path) -> None:
        for one in ways:
            one(folder)

    return way


def baseline(folder: Path) -> None:
    assert main(["baseline", "create", "."]) == 0
    assert (folder / "fairlint-baseline.jsonl").read_text()


def renamed_baseline(folder: Path) -> None:
    baseline(folder)
    (folder / "fairlint-baseline.jsonl").rename(folder / "old.jsonl")
    written(folder, "fairlint.toml", 'baseline = "old.jsonl"\n')


def linked_baseline(folder: Path) -> None:
    baseline(folder)
    (folder / "data").mkdir()
    (folder / "fairlint-baseline.jsonl").rename(folder / "data" / "old.jsonl")
    written(folder, "data/old.jsonl", (folder / "data" / "old.jsonl").read_text())
    (folder / "fairlint-baseline.jsonl").symlink_to("data/old.jsonl")


def commented(comment: str, *, above: str = "    if") -> Way:
    return changed(lambda text: text.replace(above, f"    {comment}\n{above}", 1))


def notebook(*cells: str, language: str = "python", cell: dict[str, Any] | None = None) -> Way:
    def way(folder: Path) -> None:
        (folder / FILE).unlink()
        code: list[dict[str, Any]] = [
            {
                "cell_type": "code",
                "metadata": cell or {},
                "outputs": [],
                "execution_count": None,
                "source": text,
            }
            for text in cells
        ]
        kernel = {"name": "python3", "display_name": "Python 3", "language": language}
        whole = {"cells": code, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        written(folder, "src/score.ipynb", json.dumps(whole))

    return way


def without_git(folder: Path) -> None:
    shutil.rmtree(folder / ".git")


def git_file(folder: Path) -> None:
    """A `.git` that leads to another repository, which tracks none of it."""
    elsewhere = folder.parent / "elsewhere"
    written(elsewhere, "readme.py", CLEAN)
    git("init", "-q", folder=elsewhere)
    committed(elsewhere)
    without_git(folder)
    written(folder, ".git", f"gitdir: {elsewhere}/.git\n")


def nested_repository(folder: Path) -> None:
    git("init", "-q", folder=folder / "src")
    git("commit", "-qm", "none", "--allow-empty", folder=folder / "src")
    written(folder, "src/.gitignore", "*.py\n")


def exclude_of_a_nested_repository(folder: Path) -> None:
    nested_repository(folder)
    (folder / "src" / ".gitignore").unlink()
    written(folder, "src/.git/info/exclude", "*.py\n")


def excluded_by_git_itself(folder: Path) -> None:
    written(folder, ".git/info/exclude", "src/\n")


WAYS: dict[str, Way] = {
    "configuration: ignore": says('ignore = ["FL201"]\n'),
    "configuration: select": says('select = ["FL9"]\n'),
    "configuration: per-file-ignores": says('[per-file-ignores]\n"src/*" = ["FL2"]\n'),
    "configuration: severity": says('[severity]\nFL201 = "note"\n'),
    "configuration: severity and min-severity": says('min-severity = "error"\n[severity]\nFL2 = "warning"\n'),
    "configuration: exclude": says('exclude = ["src/"]\n'),
    "configuration: extend-exclude": says('extend-exclude = ["score.py"]\n'),
    "configuration: attributes": says("attributes.gender.disabled = true\n"),
    "configuration: vocabulary": both(
        says('vocabulary = ["words.toml"]\n'), says("[attributes.gender]\ndisabled = true\n", "words.toml")
    ),
    "configuration: file-steps": says("file-steps = 1\n"),
    "configuration: max-file-size": says("max-file-size = 10\n"),
    "configuration: file-nesting": says("file-nesting = 1\n"),
    "configuration: extends": both(says('extends = "base.toml"\n'), says('ignore = ["FL2"]\n', "base.toml")),
    "configuration: pyproject.toml": says('[tool.fairlint]\nignore = ["FL2"]\n', "pyproject.toml"),
    "configuration: of a folder": says('ignore = ["FL2"]\n', "src/fairlint.toml"),
    "configuration: pyproject.toml of a folder": says(
        '[tool.fairlint]\nignore = ["FL2"]\n', "src/pyproject.toml"
    ),
    "baseline: the usual one": baseline,
    "baseline: named by the configuration": renamed_baseline,
    "baseline: a link": linked_baseline,
    "ignore rules: a folder": says("src/\n", ".gitignore"),
    "ignore rules: a file": says("score.py\n", ".gitignore"),
    "ignore rules: a pattern": says("*.py\n!other.py\n", ".gitignore"),
    "ignore rules: of the folder": says("*\n", "src/.gitignore"),
    "ignore rules: .git/info/exclude": excluded_by_git_itself,
    "folder: pyvenv.cfg": says("", "src/pyvenv.cfg"),
    "folder: node_modules": moved("node_modules/scoring/score.py"),
    "folder: site-packages": moved("lib/site-packages/score.py"),
    "folder: .venv": moved(".venv/score.py"),
    "folder: .cache": moved(".cache/score.py"),
    "folder: __pycache__": moved("src/__pycache__/score.py"),
    "folder: .ipynb_checkpoints": moved("src/.ipynb_checkpoints/score.py"),
    "folder: .tox": moved(".tox/score.py"),
    "folder: .fairlint_cache": moved(".fairlint_cache/score.py"),
    "folder: .svn": moved(".svn/score.py"),
    "name: no suffix": moved("src/score", f"#!/usr/bin/env python3\n{UNFAIR}"),
    "name: a long way to what runs it": moved("src/score", f"#!{'/' * 200}usr/bin/python3\n{UNFAIR}"),
    "name: another suffix": moved("src/score.txt", f"#!/usr/bin/python\n{UNFAIR}"),
    "name: the suffix of another language": moved("src/score.c", f"#!/usr/bin/env python3\n{UNFAIR}"),
    "comment: above": commented("# fairlint: ignore[FL201] -- agreed"),
    "comment: without a reason": commented("# fairlint: ignore[FL201]"),
    "comment: beside": changed(
        lambda text: text.replace('"male":', '"male":  # fairlint: ignore[FL201] -- x')
    ),
    "comment: all rules": commented("# fairlint: ignore"),
    "comment: of the file": changed(lambda text: f"# fairlint: ignore-file[FL201] -- generated\n{text}"),
    "comment: from start to end": changed(
        lambda text: f"# fairlint: ignore-start[FL201] -- x\n{text}# fairlint: ignore-end\n"
    ),
    "comment: by the rule's name": commented("# fairlint: ignore[points-by-group] -- x"),
    "comment: in C": moved("src/score.c", f"/* fairlint: ignore-file[FL201] -- x */\n{UNFAIR_C}"),
    "comment: in a notebook": notebook(
        UNFAIR.replace("    if", "    # fairlint: ignore[FL201] -- x\n    if")
    ),
    "comment: of a notebook's cell": notebook(f"# fairlint: ignore-cell[FL201] -- x\n{UNFAIR}"),
    "notebook: a language that its kernel does not run": notebook(UNFAIR, language="R"),
    "notebook: a cell that says that it is SQL": notebook(UNFAIR, cell={"vscode": {"languageId": "sql"}}),
    "context: a docstring that says audit": moved("src/audit.py", AUDIT),
    "context: a comment that says demonstration": commented(
        "# This bias is planted on purpose: a demonstration of a biased model."
    ),
    "together: baseline, rule and comment": both(
        commented("# fairlint: ignore[FL201] -- x"), says("src/\n", ".gitignore"), says('ignore = ["FL2"]\n')
    ),
    "together: no repository": both(
        without_git, moved("node_modules/src/score.py"), says("src/\n", ".gitignore")
    ),
    "together: a repository in it": nested_repository,
    "together: a .git that leads elsewhere": both(git_file, moved("node_modules/score.py")),
    "together: a folder .git that is none": both(without_git, moved(".git/score.py")),
}
POWERLESS: dict[str, Way] = {
    "a mark of generated code": changed(lambda text: f"# @generated by a tool, do not edit\n{text}"),
    "linguist-generated": says("*.py linguist-generated binary -diff\n", ".gitattributes"),
    "core.excludesFile": lambda folder: written(folder, ".git/config", "[core]\n\texcludesFile = ../all\n"),
    "the comments of others": commented("# noqa  # nosec  # type: ignore  # pylint: skip-file"),
    "a file of owners": says("* @nobody\n", "CODEOWNERS"),
    "a name of tests": moved("tests/test_score.py"),
    "upper case": moved("src/SCORE.PY"),
    "what a repository in it excludes": exclude_of_a_nested_repository,
    "a docstring that says game": changed(
        lambda text: text.replace("candidate", "hero").replace(
            "\n", '\n    """Damage of an orc in this video game: mana, quest, dungeon, npc, sprite."""\n', 1
        )
    ),
    "a cache that was brought along": says("", ".fairlint_cache/CACHEDIR.TAG"),
}
"""What changes nothing even where the author is trusted."""


@pytest.mark.parametrize("name", WAYS)
def test_no_way_to_hush_a_finding_is_heeded(name: str, repository: Path) -> None:
    WAYS[name](repository)
    if (repository / ".git").is_dir() and (repository / ".git" / "HEAD").exists():
        committed(repository)
    before = ran("--no-cache")[1]
    assert before
    assert not errors(before), "it hushes nothing"
    code, report = ran("--untrusted", "--no-cache")
    assert len(errors(report)) == 1
    assert code == 1


def test_there_are_many_ways() -> None:
    assert len(WAYS) >= 40


@pytest.mark.parametrize("name", POWERLESS)
def test_what_hushes_nothing_anyway(name: str, repository: Path) -> None:
    POWERLESS[name](repository)
    assert len(errors(ran()[1])) == 1
    assert len(errors(ran("--untrusted")[1])) == 1


# ---------------------------------------------------------------------------------------- what is told of it


def test_each_finding_says_what_would_have_put_it_aside(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline(repository)
    written(repository, FILE, UNFAIR.replace('"male":', '"male":  # fairlint: ignore[FL201] -- agreed'))
    written(repository, ".gitignore", "src/\n")
    committed(repository)
    [finding] = errors(ran("--untrusted")[1])
    assert finding["unheeded"] == [
        {"by": "comment", "reason": "agreed", "path": FILE, "cell": None, "line": 3},
        {"by": "baseline", "reason": "", "path": "fairlint-baseline.jsonl", "cell": None, "line": 1},
        {"by": "left-out", "reason": "git ignores it", "path": None, "cell": None, "line": None},
    ]
    capsys.readouterr()
    assert main(["--untrusted", "--color", "never", "."]) == 1
    told = capsys.readouterr().out
    assert "= would be suppressed: an ignore comment (src/score.py:3 -- agreed) has no say here\n" in told
    assert "= would be suppressed: the baseline (fairlint-baseline.jsonl:1) has no say here\n" in told
    assert (
        "= would be suppressed: the file would be left out (git ignores it), which has no say here\n" in told
    )
    assert (
        "; without a say (--untrusted): 1 finding that would be suppressed; fairlint-baseline.jsonl "
        "(it decides what is reported), src/score.py (git ignores it).\n"
    ) in told


def test_a_configuration_that_is_none_is_no_hindrance(repository: Path) -> None:
    written(repository, "fairlint.toml", "ignore = \n")
    written(repository, "src/pyproject.toml", "\0fairlint")
    assert ran()[0] == 2
    assert ran("--untrusted")[0] == 1


def test_a_baseline_that_is_none_is_no_hindrance(repository: Path) -> None:
    for text in ("{", '{"path": 1}\n', "\0", "<<<<<<< ours\n", '["\\ud800"]\n'):
        written(repository, "fairlint-baseline.jsonl", text)
        [finding] = errors(ran("--untrusted")[1])
        assert finding["unheeded"] == []


def test_a_context_that_is_only_said_makes_no_note(repository: Path) -> None:
    WAYS["context: a docstring that says audit"](repository)
    [finding] = errors(ran("--untrusted")[1])
    assert finding["context"] == "audit"
    assert [(one["by"], one["reason"]) for one in finding["unheeded"]] == [("context", "audit")]


def test_a_note_for_what_code_does_is_shown(repository: Path) -> None:
    """Names and calls are code: a context that they give still makes a note, which nobody is spared."""
    text = UNFAIR.replace("score_candidate", "simulate_candidate").replace("years_experience", "years")
    made_up = f"import random\n\n\n{text.replace('score = 3', 'score = random.gauss(0, 1) + 3')}"
    written(repository, FILE, made_up)
    hidden = ran()[1]
    assert hidden["findings"] == []
    assert hidden["summary"]["by_context"] == {"simulation": 1}
    code, report = ran("--untrusted")
    assert [one["severity"] for one in report["findings"]] == ["note"]
    assert report["findings"][0]["unheeded"] == []
    assert code == 0


def test_what_git_tracks_nothing_in_stays_out_and_is_told(repository: Path) -> None:
    committed(repository)
    written(repository, ".venv/lib/score.py", UNFAIR)
    written(repository, "node_modules/scripts/score.js", "\n")
    code, report = ran("--untrusted")
    assert [one["path"] for one in report["findings"]] == [FILE]
    assert code == 1
    reason = "code of others, by its name; git tracks nothing in it"
    assert report["left_out"] == [{"path": ".venv/", "reason": reason}]


def test_code_in_gits_own_folder_is_told(repository: Path) -> None:
    written(repository, ".git/objects/score.py", UNFAIR)
    report = ran("--untrusted")[1]
    assert report["left_out"] == [{"path": ".git/", "reason": "git's own folder"}]


def test_what_no_policy_says_is_checked_as_ever(repository: Path) -> None:
    written(repository, "pyproject.toml", '[project]\nname = "x"\n')
    report = ran("--untrusted")[1]
    assert report["unheeded"] == []
    assert report["left_out"] == []
    assert [one["path"] for one in report["findings"]] == [FILE]


# ------------------------------------------------------------------------------------- whose word counts


def test_a_configuration_outside_counts(repository: Path) -> None:
    written(repository.parent, "policy.toml", '[severity]\nFL201 = "warning"\n')
    _, report = ran("--untrusted", "--config", "../policy.toml")
    assert [one["severity"] for one in report["findings"]] == ["warning"]


def test_a_baseline_outside_counts(repository: Path) -> None:
    """Beside the configuration, as a copy of both from the branch that a change goes to, or named."""
    baseline(repository)
    written(repository.parent, "policy/fairlint.toml", 'min-severity = "error"\n')
    (repository / "fairlint-baseline.jsonl").rename(repository.parent / "policy" / "fairlint-baseline.jsonl")
    for options in (
        ("--config", "../policy/fairlint.toml"),
        ("--baseline", "../policy/fairlint-baseline.jsonl"),
    ):
        code, report = ran("--untrusted", *options)
        assert code == 0
        assert report["summary"]["suppressed"] == 1
        assert ran("--untrusted", *options, "--no-baseline")[0] == 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--config", "mine.toml"), "--config mine.toml"),
        (("--config", "../link.toml"), "--config ../link.toml"),
        (("--config", "out/mine.toml"), "--config out/mine.toml"),
        (("--config", "../extending.toml"), "'ignore' of"),
        (("--config", "../words.toml"), "'vocabulary' "),
        (("--baseline", "old.jsonl"), "--baseline"),
        (("--cache-dir", "kept"), "--cache-dir"),
    ],
)
def test_what_lies_in_the_checkout_is_refused(
    options: tuple[str, ...], what: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = repository.parent
    written(repository, "mine.toml", 'ignore = ["FL2"]\n')
    written(outside, "policies/mine.toml", 'ignore = ["FL2"]\n')
    written(outside, "extending.toml", 'extends = "checkout/mine.toml"\n')
    written(outside, "words.toml", 'vocabulary = ["checkout/mine.toml"]\n')
    (outside / "link.toml").symlink_to(repository / "mine.toml")
    (repository / "out").symlink_to(outside / "policies")
    code, report = ran("--untrusted", *options)
    assert (code, report) == (2, {})
    [line] = capsys.readouterr().err.splitlines()
    assert what in line
    assert f"lies in {repository}, whose author has no say in an --untrusted run" in line


def test_the_whole_repository_is_its_authors(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is checked may be a folder of it, named from in it, from outside, or through a link."""
    written(repository, "fairlint.toml", 'ignore = ["FL2"]\n')
    for folder, path in (("src", "."), ("src", ".."), ("..", "checkout/src"), ("..", "link")):
        (repository.parent / "link").unlink(missing_ok=True)
        (repository.parent / "link").symlink_to(repository / "src")
        monkeypatch.chdir(repository / folder)
        output = repository.parent / "report.json"
        code = main(["--untrusted", "--format", "json", "--output", str(output), "--quiet", path])
        assert code == 1, (folder, path)
        told = json.loads(output.read_text())["unheeded"]
        assert [Path(one["path"]).name for one in told] == ["fairlint.toml"]
        with_config = ["--untrusted", "--config", str(repository / "fairlint.toml"), path]
        assert main(with_config) == 2, (folder, path)


def test_a_submodule_is_part_of_what_holds_it(repository: Path) -> None:
    git("init", "-q", folder=repository / "src")
    baseline(repository)
    assert ran(path="src")[0] == 0
    assert ran("--untrusted", path="src")[0] == 1


def test_no_results_are_kept_in_the_checkout(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran("--untrusted")
    assert not (repository / ".fairlint_cache").exists()
    monkeypatch.setenv("FAIRLINT_CACHE_DIR", "kept")
    ran("--untrusted")
    assert not (repository / "kept").exists()
    ran("--untrusted", "--cache-dir", "../kept")
    assert (repository.parent / "kept").is_dir()
    WAYS["comment: above"](repository)
    assert ran("--cache-dir", "../kept")[0] == 0
    [first] = errors(ran("--untrusted", "--cache-dir", "../kept")[1])
    [again] = errors(ran("--untrusted", "--cache-dir", "../kept")[1])
    assert first == again
    assert first["unheeded"][0]["by"] == "comment"


@pytest.mark.parametrize("option", ["--fix", "--add-ignore"])
def test_a_stranger_s_files_are_not_changed(
    option: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (repository / FILE).read_bytes()
    assert main(["--untrusted", option, *(["--reason", "x"] if option == "--add-ignore" else []), "."]) == 2
    assert f"{option} changes files, and an --untrusted run none" in capsys.readouterr().err
    assert (repository / FILE).read_bytes() == before


def test_changed_lines_go_with_it(repository: Path) -> None:
    written(repository, "src/old.py", UNFAIR)
    committed(repository)
    WAYS["together: baseline, rule and comment"](repository)
    code, report = ran("--untrusted", "--diff", "HEAD")
    assert code == 0  # what differs is a comment
    assert report["summary"]["unchanged"] == 2
    written(repository, FILE, (repository / FILE).read_text().replace("+= 5", "+= 6"))
    code, report = ran("--untrusted", "--diff", "HEAD")
    assert [one["path"] for one in errors(report)] == [FILE]
    assert code == 1


def test_no_configuration_can_say_it(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(repository, "fairlint.toml", "untrusted = []\n")
    assert ran()[0] == 2
    assert "unknown key 'untrusted'" in capsys.readouterr().err


def test_programs_can_say_it(repository: Path) -> None:
    for name in ("comment: above", "ignore rules: a folder", "configuration: ignore"):
        WAYS[name](repository)
    assert [one.rule for one in check_paths(["."], load_settings(["."], untrusted=True)).findings] == [
        "FL201"
    ]
    [finding] = check_paths(["."], Configurations(["."], untrusted=True)).findings
    assert [one.by for one in finding.unheeded] == ["comment", "left-out"]
    assert Settings().untrusted == ()


def test_standard_input_has_no_say_either(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    WAYS["comment: above"](repository)
    with (repository / FILE).open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Given", (), {"buffer": file}))
        assert main(["--untrusted", "--format", "concise", "--stdin-filename", FILE, "-"]) == 1
    assert "has no say here" in capsys.readouterr().out


# ------------------------------------------------------------------------- tracked files that are left out


def left_out() -> list[tuple[str, str]]:
    report = ran("--no-cache")[1]
    return [(one["path"], one["reason"]) for one in report["left_out"]]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ignore rules: a folder", [("src/score.py", "git ignores it")]),
        ("ignore rules: a pattern", [("src/score.py", "git ignores it")]),
        ("ignore rules: of the folder", [("src/score.py", "git ignores it")]),
        ("ignore rules: .git/info/exclude", [("src/score.py", "git ignores it")]),
        ("folder: pyvenv.cfg", [("src/score.py", "a virtual environment")]),
        ("folder: site-packages", [("lib/site-packages/score.py", "code of others, by its name")]),
        ("configuration: extend-exclude", []),
    ],
)
@pytest.mark.parametrize("version", ["2", "4"])
def test_tracked_files_that_are_left_out_are_told(
    name: str, told: list[tuple[str, str]], version: str, repository: Path
) -> None:
    git("config", "index.version", version, folder=repository)
    WAYS[name](repository)
    committed(repository)
    assert left_out() == told


def test_a_worktree_is_a_repository_like_others(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    WAYS["ignore rules: a folder"](repository)
    committed(repository)
    git("worktree", "add", "-q", "../tree", folder=repository)
    monkeypatch.chdir(repository.parent / "tree")
    assert left_out() == [("src/score.py", "git ignores it")]
    assert len(errors(ran("--untrusted")[1])) == 1


def test_the_summary_names_them(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(8):
        written(repository, f"build/part{number}.py", CLEAN)
    written(repository, ".gitignore", "build/\nsrc/\n")
    committed(repository)
    assert main(["--color", "never", "."]) == 0
    told = capsys.readouterr().out
    assert "; 9 tracked files are left out: build/part0.py (git ignores it), " in told
    assert told.endswith("build/part5.py (git ignores it), 3 more.\n")


def test_what_git_does_not_track_is_not_told(repository: Path) -> None:
    committed(repository)
    written(repository, ".gitignore", "build/\n")
    written(repository, "build/score.py", UNFAIR)
    written(repository, "node_modules/score.py", UNFAIR)
    assert left_out() == []


def test_a_file_that_is_named_and_excluded_is_told(repository: Path) -> None:
    WAYS["folder: node_modules"](repository)
    committed(repository)
    report = ran("--force-exclude", path="node_modules/scoring/score.py")[1]
    assert [one["path"] for one in report["left_out"]] == ["node_modules/scoring/score.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_a_name_that_is_no_utf8_is_told(repository: Path) -> None:
    WAYS["ignore rules: a folder"](repository)
    (repository / FILE).rename(repository / "src" / "\udcff.py")
    committed(repository)
    [(path, reason)] = left_out()
    assert path.startswith("src/")
    assert reason == "git ignores it"


def test_where_git_cannot_be_asked_that_is_told(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    WAYS["ignore rules: a folder"](repository)
    committed(repository)
    monkeypatch.setenv("PATH", "/nowhere")
    [(path, reason)] = left_out()
    assert path == "src"
    assert reason.startswith("git ignores it; git may track it: git cannot be run")


def test_git_is_asked_only_where_it_matters(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairlint.support import git as support

    asked: list[tuple[str, ...]] = []
    real = support.git_output

    def noted(folder: str, *arguments: str, **more: Any) -> str:
        if arguments[0] == "ls-files":  # what a report says of its commit is asked besides
            asked.append(arguments)
        return real(folder, *arguments, **more)

    monkeypatch.setattr(support, "git_output", noted)
    committed(repository)
    written(repository, ".venv/lib/score.py", UNFAIR)
    written(repository, ".gitignore", "build/\n")
    written(repository, "build/score.py", UNFAIR)
    assert left_out() == []
    assert ran(path=FILE)[0] == 1
    assert asked == []
    committed(repository)
    assert left_out() == [
        (".venv/lib/score.py", "code of others, by its name"),
        ("build/score.py", "git ignores it"),
    ]
    assert asked == [("ls-files", "-z")]
