"""What users install: the archives hold all that fairlint needs, and it works without the checkout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import fairlint

ROOT = Path(__file__).parent.parent
RULE_PAGES = {path.name for path in (ROOT / "rules").glob("*.md")}
DATA = {
    path.as_posix()
    for path in (found.relative_to(ROOT) for found in (ROOT / "fairlint").rglob("*") if found.is_file())
    if path.suffix != ".pyc" and not any(part.startswith(".") for part in path.parts)
}
"""Everything in the package, code and data."""
HEAVY = {"torch", "transformers", "libcst", "rich", "numpy", "pandas"}

UNFAIR = """\
def rate_applicant(applicant):
    score = applicant.years_experience
    if applicant.gender == "male":
        score += 5
    return score
"""


def run(*command: str | Path, folder: Path, expect: int = 0) -> str:
    """Run a command that knows nothing of this checkout; what it says on standard output."""
    environment = {
        name: text for name, text in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packaging")


def new_environment(folder: Path) -> Path:
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    return folder / ("Scripts" if os.name == "nt" else "bin")


@pytest.fixture(scope="module")
def archives(workshop: Path) -> tuple[Path, Path]:
    """The source archive, and the wheel that is built from it."""
    scripts = new_environment(workshop / "builder")
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    pip = (scripts / "python", "-m", "pip", "--quiet")
    run(*pip, "install", *build, folder=workshop)
    out = workshop / "dist"
    run(scripts / "python", "-m", "hatchling", "build", "-t", "sdist", "-d", out, folder=ROOT)
    (sdist,) = out.glob("*.tar.gz")
    run(*pip, "wheel", "--no-deps", "-w", out, sdist, folder=workshop)
    (wheel,) = out.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def installed(workshop: Path, archives: tuple[Path, Path]) -> Path:
    """The folder of scripts of an environment that has the wheel and nothing of the checkout."""
    scripts = new_environment(workshop / "user")
    run(scripts / "python", "-m", "pip", "install", "--quiet", archives[1], folder=workshop)
    return scripts


@pytest.mark.slow
def test_the_wheel_holds_code_data_and_rule_pages(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[1]) as wheel:
        names = set(wheel.namelist())
    missing = {*DATA, "fairlint/compiled_data.bin"} - names
    assert missing == set()
    pages = {name.rpartition("/")[2] for name in names if name.startswith("fairlint/rule_pages/")}
    assert pages == RULE_PAGES
    assert {name.split("/")[0] for name in names} == {
        "fairlint",
        f"fairlint-{fairlint.__version__}.dist-info",
    }
    assert not [name for name in names if "/.mypy_cache/" in name or "__pycache__" in name]


@pytest.mark.slow
def test_the_archives_pass_the_checks_of_a_release(archives: tuple[Path, Path], workshop: Path) -> None:
    python = (sys.executable, "-m")
    assert "PASSED" in run(*python, "twine", "check", "--strict", *archives, folder=workshop)
    assert "OK" in run(*python, "check_wheel_contents", archives[1], folder=workshop)


@pytest.mark.slow
def test_the_source_archive_holds_what_its_tests_need(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert "fairlint/compiled_data.bin" not in names
    assert {
        "hatch_build.py",
        "LICENSE",
        "README.md",
        "Makefile",
        ".ci/run",
        "benchmarks/expectations.py",
        "fixtures/README.md",
    } <= names
    assert {f"rules/{name}" for name in RULE_PAGES} <= names


@pytest.mark.slow
def test_installed_fairlint_works_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "rate.py").write_text(UNFAIR)
    command = installed / "fairlint"
    assert run(command, "--version", folder=tmp_path) == f"fairlint {fairlint.__version__}\n"
    assert "male" in run(command, "rate.py", folder=tmp_path, expect=1)
    assert run(command, "rule", "FL201", folder=tmp_path).startswith("# FL201 points-by-group\n")
    assert len(run(command, "rule", "--all", folder=tmp_path).splitlines()) == len(RULE_PAGES)
    assert "female" in run(command, "attributes", "gender", folder=tmp_path)
    assert json.loads(run(command, "schema", folder=tmp_path))["$schema"]
    sarif = json.loads(run(command, "--format", "sarif", "rate.py", folder=tmp_path, expect=1))
    assert len(sarif["runs"][0]["tool"]["driver"]["rules"]) == len(RULE_PAGES)
    (finding,) = json.loads(run(command, "--format", "json", "rate.py", folder=tmp_path, expect=1))[
        "findings"
    ]
    assert finding["points"]["by_group"] == {"male": 5.0, "female": 0.0}
    told = run(
        installed / "python", "-m", "fairlint", "--format", "concise", "rate.py", folder=tmp_path, expect=1
    )
    assert "FL201" in told


@pytest.mark.slow
def test_the_compiled_data_fits_what_is_installed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "rate.py").write_text(UNFAIR)
    code = (
        "from fairlint.support import compiled_data;"
        "compiled_data._keep_section = None;"  # whatever is to be built fails
        "from fairlint import check_paths; print(len(check_paths(['rate.py']).findings))"
    )
    assert run(installed / "python", "-c", code, folder=tmp_path).strip() == "1"


@pytest.mark.slow
def test_users_get_types_and_few_packages(installed: Path, tmp_path: Path) -> None:
    code = "import fairlint, pathlib; print(pathlib.Path(fairlint.__file__).with_name('py.typed').is_file())"
    assert run(installed / "python", "-c", code, folder=tmp_path).strip() == "True"
    listed = json.loads(run(installed / "python", "-m", "pip", "list", "--format", "json", folder=tmp_path))
    assert not {item["name"].lower() for item in listed} & HEAVY


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == fairlint.__version__
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## {re.escape(fairlint.__version__)}\b", changes, re.MULTILINE)


def test_what_is_heavy_is_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = {re.split(r"[^\w-]", item)[0].lower() for item in project["dependencies"]}
    assert not required & HEAVY
    assert sys.version_info >= tuple(map(int, project["requires-python"].lstrip(">=").split(".")))
