"""The code that ecosystem.py checks: which there is, where it comes from, and what stands in it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expectations import read_page

SUFFIXES = frozenset({".py", ".pyi", ".pyw", ".c", ".h", ".ipynb"})
Row = dict[str, Any]


class EcosystemError(Exception):
    """Why something cannot be done, in one line."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where the code to check is found, and where dumps are kept."""

    inputs: Path
    samples: Path
    corpora: Path
    mirrors: Path | None
    wild: Path
    cache: Path


@dataclass(frozen=True, slots=True)
class Target:
    """Some code to check. `folder` makes it ready where that is needed; `digest` changes with the code."""

    name: str
    group: str
    folder: Callable[[], Path]
    digest: Callable[[], str]
    reader: Callable[[Path], Iterable[Piece]]


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing to check: a file of the target's folder, or a text."""

    path: str
    text: str | None = None
    language: str | None = None
    """None: a file, or an answer of a language model."""
    people: bool = False
    """Whether the people written out in it are to be counted, too."""


def targets_at_hand(places: Places, *, fetch: bool = False) -> tuple[list[Target], list[str]]:
    """The targets in their order, and why others are left out."""
    missing: list[str] = []
    found = [*_own_targets(places.inputs)]
    if places.samples.is_dir():
        found += _sample_targets(places.samples)
    else:
        missing.append(f"samples: {places.samples} is no folder (FAIRLINT_SAMPLES)")
    found += _package_targets(places, missing, fetch=fetch)
    found += _wild_targets(places, missing)
    return found, missing


def _own_targets(inputs: Path) -> Iterator[Target]:
    """What the checkout itself holds."""
    for name, path in (
        ("fixtures", "fixtures"),
        ("cases-tune", "benchmarks/cases/tune"),
        ("cases-held", "benchmarks/cases/held"),
        ("pipelines", "benchmarks/pipelines"),
    ):
        if (inputs / path).is_dir():
            yield _tree(name, "quick", inputs / path)
    records = inputs / "benchmarks" / "records"
    if (records / "answers.jsonl").is_file():
        yield Target("records", "quick", lambda: records, lambda: _digest_of(records, {".jsonl"}), _records)
    rules = inputs / "rules"
    if rules.is_dir():
        yield Target("rules", "quick", lambda: rules, lambda: _digest_of(rules, {".md"}), _rule_blocks)


def _tree(name: str, group: str, folder: Path) -> Target:
    return Target(name, group, lambda: folder, lambda: _digest_of(folder, SUFFIXES), _files)


def _sample_targets(samples: Path) -> Iterator[Target]:
    for name in ("faircode_responses", "small_model_and_control_code", "uapi_labelled"):
        path = samples / f"{name}.jsonl"
        if path.is_file():
            yield Target(
                name,
                "samples",
                lambda: samples,
                lambda path=path: digest_of_bytes(path.read_bytes()),  # type: ignore[misc]
                lambda folder, name=name: _answers(folder / f"{name}.jsonl"),  # type: ignore[misc]
            )


def _package_targets(places: Places, missing: list[str], *, fetch: bool) -> Iterator[Target]:
    import corpora  # noqa: PLC0415 (a sibling; workers need none of it unless they check a package)

    def library() -> Path:
        return corpora.standard_library(places.corpora)

    yield Target("stdlib", "stdlib", library, lambda: sys.version, _files)
    absent = []
    for corpus in (*corpora.CORPORA.values(), *corpora.EXTRA.values()):
        pin = places.corpora / corpus.name / corpora.PIN_FILE
        if fetch or (pin.is_file() and pin.read_text() == corpus.pin):
            yield Target(
                corpus.name,
                "packages",
                lambda corpus=corpus: corpora.fetch(corpus, places.corpora),  # type: ignore[misc]
                lambda corpus=corpus: corpus.pin,  # type: ignore[misc]
                _files,
            )
        else:
            absent.append(corpus.name)
    if absent:
        missing.append(f"packages: {len(absent)} not in {places.corpora} (--fetch): {', '.join(absent)}")


def _wild_targets(places: Places, missing: list[str]) -> Iterator[Target]:
    if places.mirrors is None or not places.wild.is_file():
        wanted = (
            "FAIRLINT_MIRRORS" if places.mirrors is None else f"{places.wild}: no such file; FAIRLINT_WILD"
        )
        missing.append(f"wild: not at hand ({wanted})")
        return
    try:
        commits: dict[str, str] = json.loads(places.wild.read_text(encoding="utf-8"))
    except ValueError as error:
        raise EcosystemError(f"{places.wild}: not JSON: {error}") from error
    absent = []
    for repository, commit in sorted(commits.items()):
        name = repository.replace("/", "+")
        extracted = places.cache / "wild" / f"{name}@{commit[:12]}"
        mirror = _git_directory(places.mirrors / name)
        if mirror is None and not extracted.is_dir():
            absent.append(repository)
            continue
        yield Target(
            f"wild/{name}",
            "wild",
            lambda mirror=mirror, commit=commit, to=extracted: _extracted(mirror, commit, to),  # type: ignore[misc]
            lambda commit=commit: commit,  # type: ignore[misc]
            _files,
        )
    if absent:
        missing.append(f"wild: {len(absent)} not in {places.mirrors}: {', '.join(absent)}")


def _git_directory(folder: Path) -> Path | None:
    for candidate in (folder, folder / ".git", folder / "repo", folder / "repo" / ".git"):
        if (candidate / "HEAD").is_file():
            return candidate
    return None


def _extracted(mirror: Path | None, commit: str, folder: Path) -> Path:
    """The files of a commit that fairlint can read, written out once.

    Mirrors may lack large files: those are left out.
    """
    if folder.is_dir():
        return folder
    assert mirror is not None
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        part = Path(scratch) / "tree"
        part.mkdir()
        listed = _git(mirror, "ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
        files = [
            (entry.split()[2], name)
            for entry, name in (line.split("\t", 1) for line in listed.split("\0") if line)
            if entry.startswith("100") and Path(name).suffix in SUFFIXES
        ]
        contents = _blobs(_git(mirror, "cat-file", "--batch", given="".join(f"{one}\n" for one, _ in files)))
        for (_, name), content in zip(files, contents, strict=True):
            path = part / name
            if content is not None and path.resolve().is_relative_to(part.resolve()):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        if not folder.is_dir():
            part.rename(folder)
    return folder


def _git(directory: Path, *arguments: str, given: str = "") -> bytes:
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "--git-dir", str(directory), *arguments],
        input=given.encode(),
        env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise EcosystemError(f"{directory}: git {arguments[0]}: {last_line(done.stderr.decode())}")
    return done.stdout


def _blobs(batch: bytes) -> Iterator[bytes | None]:
    """What `git cat-file --batch` wrote, None for each file that is missing."""
    at = 0
    while at < len(batch):
        head, at = batch[at : batch.index(b"\n", at)], batch.index(b"\n", at) + 1
        if head.endswith(b" missing"):
            yield None
            continue
        size = int(head.rsplit(b" ", 1)[1])
        yield batch[at : at + size]
        at += size + 1


def _digest_of(folder: Path, suffixes: Iterable[str]) -> str:
    wanted = frozenset(suffixes)
    paths = sorted(path for path in folder.rglob("*") if path.suffix in wanted and path.is_file())
    return digest_of_bytes(
        b"\0".join(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() for path in paths)
    )


def digest_of_bytes(data: bytes) -> str:
    """The SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def last_line(text: str) -> str:
    """What a process said last."""
    return (text.strip().splitlines() or ["no message"])[-1]


# ------------------------------------------------------------------------------------ what stands in a target


def _files(folder: Path) -> Iterator[Piece]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file():
            yield Piece(path.relative_to(folder).as_posix())


def _lines(path: Path) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.strip():
            yield number, json.loads(line)


def _records(folder: Path) -> Iterator[Piece]:
    for number, row in _lines(folder / "answers.jsonl"):
        yield Piece(f"answers-{number:04}", row["text"], people=True)


def _answers(path: Path) -> Iterator[Piece]:
    """Answers as they came, prose and all; what is known to be nothing but code is checked as that."""
    for number, row in _lines(path):
        text = row.get("text") or row.get("code") or ""
        language = row.get("language") or ("python" if "code" in row else None)
        yield Piece(f"{path.stem}-{number:04}", text, language, people=True)


def _rule_blocks(folder: Path) -> Iterator[Piece]:
    """The code blocks of the rule pages, as the tests check them."""
    for page in sorted(folder.glob("*.md")):
        for block in read_page(page.read_text(encoding="utf-8"), page.name):
            yield Piece(f"{page.stem}:{block.line}", block.code, block.language)
