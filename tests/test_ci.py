"""The workflow that runs these tests elsewhere: every supported Python, and no right to change anything."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_every_python_that_is_promised_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = re.findall(r"Python :: (3\.\d+)\n", "\n".join([*project["classifiers"], ""]))
    matrix = re.search(r"python: \[(.*)\]", WORKFLOW)
    assert matrix
    assert re.findall(r"[\d.]+", matrix[1]) == promised


def test_the_workflow_may_read_only_and_runs_what_is_pinned() -> None:
    assert "permissions:\n  contents: read\n" in WORKFLOW
    assert "write" not in WORKFLOW
    used = [action for action in re.findall(r"uses: (\S+)", WORKFLOW) if action != "./"]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)
    assert WORKFLOW.count("persist-credentials: false") == sum("/checkout@" in action for action in used)


RELEASE = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


def test_a_release_has_no_secret_and_few_rights() -> None:
    assert "\npermissions: {}\n" in RELEASE
    assert "secrets." not in RELEASE
    jobs = re.split(r"\n  (\w+):\n", RELEASE[RELEASE.index("\njobs:") :])
    rights = {
        name: re.findall(r"^      ([\w-]+: write)$", text, re.MULTILINE)
        for name, text in zip(jobs[1::2], jobs[2::2], strict=True)
    }
    assert rights == {
        "test": [],
        "build": [],
        "attest": ["id-token: write", "attestations: write"],
        "publish": ["id-token: write"],
    }


def test_a_release_runs_what_is_pinned_and_leaves_no_token() -> None:
    used = re.findall(r"uses: (\S+)", RELEASE)
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)
    assert RELEASE.count("persist-credentials: false") == sum("/checkout@" in action for action in used)
    assert "sbom-path: sbom/fairlint.cdx.json" in RELEASE


def test_the_tools_of_a_release_are_pinned_by_hashes() -> None:
    installs = re.findall(r"pip install (.+)", RELEASE)
    tools = [one for one in installs if "dist/*.whl" not in one]
    assert tools == [
        f"--require-hashes --only-binary :all: -r {name}"
        for name in (".github/release/build.txt", "tools/publish.txt")
    ]
    assert "cp .github/release/publish.txt tools/" in RELEASE
    assert "python -m build --no-isolation" in RELEASE
    for name in ("build", "publish"):
        text = (ROOT / ".github" / "release" / f"{name}.txt").read_text(encoding="utf-8")
        asked = (ROOT / ".github" / "release" / f"{name}.in").read_text(encoding="utf-8")
        pinned = re.findall(r"^([\w.-]+)==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
        assert len(pinned) == len(re.findall(r"^\S", text, re.MULTILINE)) > 5
        assert set(re.findall(r"^[\w-]+", asked, re.MULTILINE)) <= set(pinned)
        assert "://" not in text


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_every_workflow_runs_what_is_pinned_and_leaves_no_token(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.search(r"^permissions:(\n  contents: read\n| \{\}\n)", text, re.MULTILINE)
    used = [action for action in re.findall(r"uses: (\S+)", text) if action != "./"]
    assert used
    assert all(re.fullmatch(r"[\w-]+(/[\w-]+)+@[0-9a-f]{40}", action) for action in used)
    assert text.count("persist-credentials: false") == sum("/checkout@" in action for action in used)


def test_what_fairlint_stands_on_is_audited_with_every_extra_but_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    audited = re.search(r"^AUDITED := (\S+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert audited
    assert set(audited[1].split(",")) == set(project["optional-dependencies"]) - {"vllm"}
    assert "run: make audit" in (ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8")
