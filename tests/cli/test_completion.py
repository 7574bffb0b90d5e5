"""Completion as real shells do it, and the manual page as real readers of it see it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fairlint.cli import COMMANDS, bench, main
from fairlint.cli.tree import branches

ASK = """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_fairlint
printf '%s\\n' "${COMPREPLY[@]}"
"""


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(words) == 0
    return capsys.readouterr().out


@pytest.fixture
def script(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hire.py").touch()
    (tmp_path / "hiring folder").mkdir()
    path = tmp_path / "script"
    path.write_text(printed(capsys, "completion", "bash"))
    return path


def completed(script: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words."""
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", str(script), "fairlint", *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ru"], ["rule"]),
        (["--forma"], ["--format"]),
        (["--format", "sar"], ["sarif"]),
        (["--format", "=", "sar"], ["sarif"]),
        (["--format", "="], None),
        (["--also", "sar"], ["sarif="]),
        (["check", "--min-severity", "n"], ["note"]),
        (["--select", "FL20"], [f"FL20{number}" for number in range(1, 7)]),
        (["--reason", "hi"], []),
        (["--output", "hi"], ["hire.py", "hiring folder"]),
        (["check", "hire."], ["hire.py"]),
        (["rule", "FL101"], ["FL101"]),
        (["rule", "points-by"], ["points-by-group"]),
        (["attributes", "gend"], ["gender"]),
        (["baseline", "c"], ["create", "check"]),
        (["bench", "su"], ["suites"]),
        (["bench", "show", "--pro"], ["--protocol"]),
        (["bench", "show", "--protocol", "e"], ["exact"]),
        (["mcp", "--root", "hi"], ["hiring folder"]),
        (["completion", "z"], ["zsh"]),
        (["schema", "h"], []),
    ],
)
def test_bash_offers_what_fits(words: list[str], offered: list[str] | None, script: Path) -> None:
    found = completed(script, *words)
    assert len(found) > 5 if offered is None else sorted(found) == sorted(offered)


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_every_option_of_every_command_is_offered(script: Path) -> None:
    for branch in branches():
        known = {name for option in branch.options for name in option.names if name.startswith("--")}
        assert known <= set(completed(script, *branch.words, "--")), branch.title


@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish")
def test_fish_offers_what_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "script"
    path.write_text(printed(capsys, "completion", "fish"))

    def offered(line: str) -> list[str]:
        ask = f'source {path}; complete -C "{line}"'
        done = subprocess.run(["fish", "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True)
        return [said.partition("\t")[0] for said in done.stdout.splitlines()]

    assert "--format" in offered("fairlint --for")
    assert offered("fairlint --format sar") == ["sarif"]
    assert offered("fairlint rule FL10")[0] == "FL101"
    assert offered("fairlint bench show --pro") == ["--protocol"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_have_the_grammar_of_their_shell(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "completion", shell)
    assert all(name in text for name in COMMANDS)
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    path = tmp_path / "script"
    path.write_text(text)
    subprocess.run([shell, "-n", str(path)], check=True)


def test_another_shell_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "csh"]) == 2
    assert capsys.readouterr().err == (
        "fairlint: error: name a shell: fairlint completion bash, zsh or fish\n"
    )


def test_the_first_options_of_the_bench_are_those_that_most_runs_need() -> None:
    (first, options), *others = bench.COMMAND.groups
    names = [name for option in options for name in option.names]
    assert {
        "--model",
        "--suite",
        "--samples",
        "--limit",
        "--output",
        "--resume",
        "--dry-run",
        "--format",
    } <= {*names}
    assert first == "models, prompts and output"
    assert max(len(group) for _, group in bench.COMMAND.groups) <= 20, "a group fits on a screen"
    everything = [*names, *(name for _, group in others for option in group for name in option.names)]
    assert len(everything) == len(set(everything))


def test_the_manual_names_every_command_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    page = printed(capsys, "man").replace("\\-", "-")
    for branch in branches():
        assert branch.title == "check" or f'.SS "{branch.title}"' in page
        for _, options in branch.command.groups:
            assert all(f"\\fB{', '.join(option.names)}\\fR" in page for option in options)
    assert '.SH "EXIT CODES"' in page


@pytest.mark.skipif(not shutil.which("man"), reason="there is no man")
def test_man_reads_the_manual_without_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fairlint.1"
    path.write_text(printed(capsys, "man"))
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", str(path)],
        env={"MANWIDTH": "100", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "minimi" in done.stdout + done.stderr:
        pytest.skip("the system is minimised, and its man reads nothing")
    assert (done.returncode, done.stderr) == (0, "")
    assert "fairlint - find where code treats people by a protected attribute" in done.stdout


@pytest.mark.skipif(not shutil.which("mandoc"), reason="there is no mandoc")
def test_mandoc_finds_nothing_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fairlint.1"
    path.write_text(printed(capsys, "man"))
    done = subprocess.run(
        ["mandoc", "-Tlint", "-Wwarning", str(path)], capture_output=True, text=True, check=False
    )
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []
